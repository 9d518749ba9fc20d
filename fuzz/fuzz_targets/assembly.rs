#![no_main]

//! The assembled document begins with the bridge and holds the author's text to the byte.

use inline_ui_core::CardId;
use inline_ui_core::document::{Bridge, BridgeEvent, Mode, Theme, card_document, outer_document};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (html, title) = input;
    let events = vec![BridgeEvent { name: "pick", action: true }];
    let bridge = Bridge { nonce: "n", card: CardId(1), title, events, open: true };
    let document = card_document(html, &bridge, &Theme::of(Mode::Light));
    let begins =
        "<!doctype html><meta http-equiv=\"x-dns-prefetch-control\" content=\"off\"><meta charset=\"utf-8\"><script>";
    assert!(document.starts_with(begins));
    let lower = document.to_ascii_lowercase();
    let end = lower.find("</script").expect("the bridge ends");
    assert!(!lower[begins.len()..end].contains("<script"));
    // The bridge names it, too.
    assert!(!lower[end..].contains("shadowrootmode"));
    let safe = html.to_ascii_lowercase().replace("shadowrootmode", "shadowrootnone");
    assert!(lower.ends_with(&safe));

    let outer = outer_document(&document, Mode::Light);
    let start = outer.find("srcdoc=\"").expect("a card inside") + 8;
    let value = &outer[start..start + outer[start..].find('"').expect("an end")];
    assert_eq!(value.replace("&quot;", "\"").replace("&amp;", "&"), document);
});
