//! The two documents that a frame's response holds.

use crate::harness::{CHAT, Portal};
use serde_json::{Value, json};

/// What the bridge is told, from the card's document.
fn config(document: &str) -> Value {
    let start = document.find("{\"nonce\"").expect("the bridge is given its configuration");
    serde_json::Deserializer::from_str(&document[start..])
        .into_iter::<Value>()
        .next()
        .unwrap()
        .unwrap()
}

#[tokio::test]
async fn the_outer_frame_has_no_script_and_one_child_that_may_run_scripts_and_forms() {
    let (_portal, page) = Portal::with_card(json!([])).await;
    let frame = page.open("c1").await.frame;
    let outside =
        frame.replace(&frame[frame.find(" srcdoc=\"").unwrap()..=frame.rfind('"').unwrap()], "");
    assert!(!outside.contains("<script"), "{outside}");
    assert_eq!(outside.matches("<iframe").count(), 1);
    assert!(outside.contains("sandbox=\"allow-scripts allow-forms\""), "{outside}");
}

#[tokio::test]
async fn the_authors_html_is_in_the_card_to_the_byte() {
    let html = "<p title=\"a &quot;b&quot; & c\">5 &lt; 6 &amp;amp; 'x'</p><script>document.body.append(1<2&&\"ok\")</script>\u{2028}\u{feff}é";
    let mut portal = Portal::start().await;
    portal.show(CHAT, json!({ "html": html })).await;
    let document = portal.page(CHAT).open("c1").await.document();
    assert!(document.ends_with(html), "{document}");
}

#[tokio::test]
async fn the_document_begins_with_prefetching_off_and_the_bridge() {
    let mut portal = Portal::start().await;
    portal.show(CHAT, json!({ "html": "<p>author</p>" })).await;
    let document = portal.page(CHAT).open("c1").await.document();
    let at = |what: &str| document.find(what).unwrap_or_else(|| panic!("{what}: {document}"));
    assert!(document.starts_with("<!doctype html>"));
    assert!(at("x-dns-prefetch-control") < at("<script>"));
    assert!(at("{\"nonce\"") < at("--canvas:"));
    assert!(at("--canvas:") < at("<p>author</p>"));
    assert!(!document.contains("__INLINE_UI_CONFIG__"));
}

#[tokio::test]
async fn a_title_that_would_end_the_script_does_not() {
    let title = "</ScRiPt><img src=x onerror=alert(1)><!--<script>\u{2028}&quot;";
    let mut portal = Portal::start().await;
    portal.show(CHAT, json!({ "title": title })).await;
    let document = portal.page(CHAT).open("c1").await.document();
    assert!(!document.contains("</ScRiPt>") && !document.contains("<img"));
    assert_eq!(config(&document)["card"], json!({ "id": "c1", "title": title }));
}

#[tokio::test]
async fn a_post_that_would_end_the_script_is_not_in_the_markup_at_all() {
    let text = "</ScRiPt><img src=x onerror=document.title='pwned'><!--<script>";
    let (mut portal, page) = Portal::with_card(json!([])).await;
    portal.tool(CHAT, "ui_update", json!({ "card": "c1", "data": { "t": text } })).await;
    let card = page.open("c1").await;
    assert_eq!(card.loaded["post"]["data"]["t"], text);
    assert!(!card.frame.contains("pwned"));
}

#[tokio::test]
async fn the_bridge_knows_the_events_that_may_still_be_sent_and_which_are_actions() {
    let events = json!([{ "name": "slide" }, { "name": "apply", "debounceMs": 0 }, { "name": "order", "once": true },
        { "name": "slow", "debounceMs": 60_000 }]);
    let (_portal, page) = Portal::with_card(events).await;
    let known = |document: &str| config(document)["events"].clone();
    let card = page.open("c1").await;
    assert_eq!(
        known(&card.document()),
        json!([{ "name": "slide", "action": false }, { "name": "apply", "action": true },
            { "name": "order", "action": false }, { "name": "slow", "action": false }])
    );
    card.emit("order", json!(1)).await.accepted();
    assert!(!known(&page.open("c1").await.document()).to_string().contains("order"));
}

#[tokio::test]
async fn the_setting_makes_an_event_without_a_debounce_an_action() {
    let mut portal = Portal::start_with(json!({ "settings": { "debounceMs": 0 } })).await;
    portal
        .show(CHAT, json!({ "events": [{ "name": "a" }, { "name": "b", "debounceMs": 1 }] }))
        .await;
    let events = config(&portal.page(CHAT).open("c1").await.document())["events"].clone();
    assert_eq!(events, json!([{ "name": "a", "action": true }, { "name": "b", "action": false }]));
}

#[tokio::test]
async fn each_load_has_its_own_nonce_and_its_frame_the_same() {
    let (_portal, page) = Portal::with_card(json!([])).await;
    let (one, two) = (page.open("c1").await, page.open("c1").await);
    assert_ne!(one.loaded["nonce"], two.loaded["nonce"]);
    assert_ne!(one.loaded["load"], two.loaded["load"]);
    for card in [one, two] {
        assert_eq!(config(&card.document())["nonce"], card.loaded["nonce"]);
        assert!(card.loaded["nonce"].as_str().unwrap().len() >= 32);
    }
}

#[tokio::test]
async fn a_theme_is_in_the_document_before_it_is_painted() {
    let (_portal, page) = Portal::with_card(json!([])).await;
    let theme = json!({ "theme": { "mode": "dark", "colors": { "accent": "#12ab9f" } } });
    let loaded = page.post("c1", "loads", theme).await.ok();
    let frame = page.frame(&loaded).await;
    assert!(frame.text().contains("--accent:#12ab9f;--accent-rgb:18 171 159"), "{}", frame.text());
    assert!(frame.text().contains("color-scheme:dark"));
    assert!(!page.open("c1").await.frame.contains("#12ab9f"));
}

#[tokio::test]
async fn a_theme_with_anything_but_a_plain_colour_is_refused() {
    let (_portal, page) = Portal::with_card(json!([])).await;
    for colour in ["red", "#12345", "#12ab9f;}</style><script>", "url(https://evil.example)"] {
        let theme = json!({ "theme": { "mode": "light", "colors": { "accent": colour } } });
        page.post("c1", "loads", theme).await.refused(400, "bad_request");
    }
    for theme in [
        json!({ "mode": "sepia" }),
        json!("dark"),
        json!({ "mode": "dark", "colors": { "accent": 7 } }),
    ] {
        page.post("c1", "loads", json!({ "theme": theme })).await.refused(400, "bad_request");
    }
}
