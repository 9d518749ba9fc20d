#![no_main]

//! The assembled document begins with the bridge and holds the author's text to the byte.

use inline_ui_core::CardId;
use inline_ui_core::document::{Bridge, BridgeEvent, Mode, Theme, card_document, outer_document};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (html, title) = input;
    let events = vec![BridgeEvent { name: "pick", action: true }];
    let card = CardId::parse("c1").expect("a card's id");
    let bridge = Bridge { nonce: "n", card, title, events, open: true };
    let document = card_document(html, &bridge, &Theme::of(Mode::Light));
    let safe = document.to_ascii_lowercase();
    let begins = "<!doctype html><meta http-equiv=\"x-dns-prefetch-control\" content=\"off\">";
    assert!(safe.starts_with(begins));
    let outer = outer_document(&document, Mode::Light);
    let start = outer.find("srcdoc=\"").expect("a card inside") + 8;
    let value = &outer[start..start + outer[start..].find('"').expect("an end")];
    assert_eq!(value.replace("&quot;", "\"").replace("&amp;", "&"), document);
    assert!(document.replace("data-", "").ends_with(&html.replace("data-", "")) || safe.contains("shadowrootmode"));
});
