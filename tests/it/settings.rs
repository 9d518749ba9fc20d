//! Settings, changed live.

use crate::harness::{CHAT, Portal};
use serde_json::json;

#[tokio::test]
async fn a_change_is_in_force_at_once_and_open_pages_are_told() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let mut stream = page.stream().await;
    portal
        .notify(
            "settings/changed",
            json!({ "settings": { "debounceMs": 60_000, "maxHeight": 80 } }),
        )
        .await;
    assert_eq!(stream.event("settings").await, json!({ "debounceMs": 60_000, "maxHeight": 80 }));
    portal.flush().await;
    assert_eq!(page.listing().await["settings"], json!({ "debounceMs": 60_000, "maxHeight": 80 }));
    portal.notify("settings/changed", json!({ "settings": {} })).await;
    portal.flush().await;
    assert_eq!(page.listing().await["settings"], json!({ "debounceMs": 400, "maxHeight": 480 }));
}

#[tokio::test]
async fn a_change_beyond_a_limit_changes_nothing() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    for settings in [
        json!({ "debounceMs": 60_001, "maxHeight": 900 }),
        json!({ "maxHeight": 4_001, "debounceMs": 1 }),
        json!({ "maxHeight": 79 }),
        json!({ "wake": 1, "debounceMs": 2 }),
    ] {
        portal.notify("settings/changed", json!({ "settings": settings })).await;
        portal.flush().await;
        assert_eq!(
            page.listing().await["settings"],
            json!({ "debounceMs": 400, "maxHeight": 480 }),
            "{settings}"
        );
    }
}

#[tokio::test]
async fn with_wake_off_such_an_event_waits_like_any_other_and_turned_on_it_is_hinted_at() {
    let mut portal = Portal::start_with(json!({ "settings": { "wake": false } })).await;
    portal.show(CHAT, json!({ "events": [{ "name": "go", "wake": true }] })).await;
    portal.agent(CHAT, "idle").await;
    let card = portal.page(CHAT).open("c1").await;
    assert_eq!(card.emit("go", json!(1)).await.accepted(), "next_message");
    assert!(portal.take(CHAT, "wake").await.is_null());
    portal.hint(CHAT, "prompt").await;
    portal.notify("settings/changed", json!({ "settings": { "wake": true } })).await;
    portal.hint(CHAT, "wake").await;
    assert_eq!(portal.page(CHAT).card("c1").await["state"], "starting");
    assert!(portal.take(CHAT, "wake").await.is_object());
}
