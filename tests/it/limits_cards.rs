//! The limits of a card, each at its number and one over it, through `tools/call`.

use crate::harness::{CHAT, Portal, Tool};
use inline_ui_core::limits;
use serde_json::{Value, json};

async fn show(portal: &mut Portal, change: Value) -> Tool {
    let mut arguments = json!({ "title": "T", "html": "<p>x</p>" });
    arguments.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    portal.tool(CHAT, "ui_show", arguments).await
}

/// Taken as it is, and refused with that code and the limit in digits once it is one more.
async fn at_and_over(at: Value, over: Value, code: &str, limit: &str) {
    let mut portal = Portal::start().await;
    let taken = show(&mut portal, at).await;
    assert_eq!(taken.code(), None, "{}", taken.text);
    let refused = show(&mut portal, over).await;
    assert_eq!(refused.code(), Some(code), "{}", refused.text);
    assert!(refused.text.contains(limit), "{}", refused.text);
    assert_eq!(portal.page(CHAT).cards().await.len(), 1);
}

fn named(count: usize) -> Value {
    (0..count).map(|n| json!({ "name": format!("e{n}") })).collect()
}

#[tokio::test]
async fn html_has_262144_bytes_of_utf8_at_most() {
    // Two bytes each: characters are not what is counted.
    let html = |bytes: usize| json!({ "html": format!("{}{}", "é".repeat(bytes / 2), "x".repeat(bytes % 2)) });
    at_and_over(html(262_144), html(262_145), "html_too_large", "262144").await;
}

#[tokio::test]
async fn html_of_262144_bytes_is_served_whole_and_an_update_has_the_same_limit() {
    let mut portal = Portal::start().await;
    let html = format!("<p>{}</p>", "y".repeat(262_144 - 7));
    portal.show(CHAT, json!({ "html": html })).await;
    assert!(portal.page(CHAT).open("c1").await.document().ends_with(&html));
    let update = |html: &str| json!({ "card": "c1", "html": html });
    let taken = portal.tool(CHAT, "ui_update", update(&"z".repeat(262_144))).await;
    assert_eq!(taken.code(), None, "{}", taken.text);
    assert_eq!(
        portal.tool(CHAT, "ui_update", update(&"z".repeat(262_145))).await.code(),
        Some("html_too_large")
    );
    assert!(portal.page(CHAT).open("c1").await.document().ends_with("zzzz"));
}

#[tokio::test]
async fn a_title_has_1_to_200_characters() {
    at_and_over(
        json!({ "title": "é".repeat(200) }),
        json!({ "title": "é".repeat(201) }),
        "bad_title",
        "200",
    )
    .await;
    at_and_over(json!({ "title": "x" }), json!({ "title": "" }), "bad_title", "1").await;
}

#[tokio::test]
async fn a_new_title_has_the_same_limit() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let update = |title: String| json!({ "card": "c1", "title": title });
    assert_eq!(portal.tool(CHAT, "ui_update", update("é".repeat(200))).await.code(), None);
    assert_eq!(
        portal.tool(CHAT, "ui_update", update("é".repeat(201))).await.code(),
        Some("bad_title")
    );
    assert_eq!(page.card("c1").await["title"], "é".repeat(200));
}

#[tokio::test]
async fn a_fallback_has_2000_characters_at_most() {
    let fallback = |chars: usize| json!({ "fallback": "é".repeat(chars) });
    at_and_over(fallback(2_000), fallback(2_001), "fallback_too_long", "2000").await;
}

#[tokio::test]
async fn a_card_declares_20_events_at_most() {
    at_and_over(
        json!({ "events": named(20) }),
        json!({ "events": named(21) }),
        "too_many_events",
        "20",
    )
    .await;
}

#[tokio::test]
async fn a_name_waited_for_counts_among_the_20() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let refused =
        show(&mut portal, json!({ "events": named(20), "wait": { "event": "more" } })).await;
    assert_eq!(refused.code(), Some("too_many_events"), "{}", refused.text);
    let arguments = json!({ "title": "T", "html": "x", "events": named(19), "wait": { "event": ["e3", "more"] } });
    let (call, pending) = portal.call(CHAT, "ui_show", arguments).await;
    portal.flush().await;
    assert_eq!(page.card("c2").await["events"].as_array().unwrap().len(), 20);
    portal.cancel(&call).await;
    assert_eq!(portal.result(&pending).await.structured["outcome"], "cancelled");
}

#[tokio::test]
async fn an_events_name_has_1_to_64_of_its_characters_and_a_letter_first() {
    let event = |name: &str| json!({ "events": [{ "name": name }] });
    at_and_over(event(&"a".repeat(64)), event(&"a".repeat(65)), "bad_event_name", "64").await;
    let mut portal = Portal::start().await;
    for name in ["A", "z", "a_b.c:d-e9", "Z9"] {
        assert_eq!(show(&mut portal, event(name)).await.code(), None, "{name}");
    }
    for name in ["", "9a", "_a", "-a", ".a", ":a", "a b", "é", "a/b", "a\n"] {
        assert_eq!(show(&mut portal, event(name)).await.code(), Some("bad_event_name"), "{name:?}");
    }
}

#[tokio::test]
async fn a_debounce_is_0_to_60000_ms() {
    let debounce = |ms: Value| json!({ "events": [{ "name": "a", "debounceMs": ms }] });
    at_and_over(debounce(json!(60_000)), debounce(json!(60_001)), "bad_debounce", "60000").await;
    at_and_over(debounce(json!(0)), debounce(json!(-1)), "bad_debounce", "60000").await;
    let mut portal = Portal::start().await;
    assert_eq!(show(&mut portal, debounce(json!(0.5))).await.code(), Some("bad_debounce"));
}

#[tokio::test]
async fn a_wait_is_86400_seconds_at_most() {
    let mut portal = Portal::start().await;
    let wait = |seconds: Value| json!({ "wait": { "event": "ok", "timeoutSeconds": seconds } });
    for over in [json!(86_401), json!(86_400.5), json!(0), json!(-1)] {
        let refused = show(&mut portal, wait(over)).await;
        assert_eq!(refused.code(), Some("bad_timeout"));
        assert!(refused.text.contains("86400"), "{}", refused.text);
    }
    let (call, pending, _) =
        portal.ask(CHAT, json!({ "event": "ok", "timeoutSeconds": 86_400 })).await;
    portal.cancel(&call).await;
    assert_eq!(portal.result(&pending).await.structured["outcome"], "cancelled");
}

#[tokio::test]
async fn a_chat_keeps_200_cards_and_the_oldest_goes_first() {
    let mut portal = Portal::start().await;
    let page = portal.page(CHAT);
    let mut calls = Vec::new();
    for n in 1..=limits::CARDS_PER_CHAT {
        calls.push(
            portal
                .call(CHAT, "ui_show", json!({ "title": n.to_string(), "html": "<p>x</p>" }))
                .await
                .1,
        );
    }
    for call in &calls {
        assert!(!portal.result(call).await.is_error);
    }
    let cards = page.cards().await;
    assert_eq!(
        (cards.len(), &cards[0]["id"], &cards[199]["id"]),
        (200, &json!("c1"), &json!("c200"))
    );
    let mut stream = page.stream().await;
    assert_eq!(portal.show(CHAT, json!({})).await, "c201");
    assert_eq!(stream.event("removed").await, json!({ "card": "c1" }));
    let cards = page.cards().await;
    assert_eq!(
        (cards.len(), &cards[0]["id"], &cards[199]["id"]),
        (200, &json!("c2"), &json!("c201"))
    );
    page.post("c1", "loads", json!({})).await.refused(404, "unknown_card");
    assert!(page.load("c2").await["load"].is_string());
}
