//! `outbox/ready`: when a portal is told that a take would find something.

use crate::harness::{CHAT, Portal};
use serde_json::json;

#[tokio::test]
async fn nothing_is_hinted_at_where_there_is_nothing() {
    let (mut portal, _) = Portal::with_card(json!([{ "name": "a" }])).await;
    for state in ["idle", "working", "gone"] {
        portal.agent(CHAT, state).await;
    }
    assert!(portal.hints(CHAT).await.is_empty());
}

#[tokio::test]
async fn what_waits_is_hinted_at_again_after_every_word_about_the_agent() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    page.open("c1").await.emit("a", json!(1)).await.accepted();
    portal.hint(CHAT, "prompt").await;
    for (state, at) in
        [("working", "step"), ("working", "step"), ("idle", "prompt"), ("gone", "prompt")]
    {
        portal.agent(CHAT, state).await;
        portal.hint(CHAT, at).await;
    }
}

#[tokio::test]
async fn a_wake_that_waited_for_a_portal_is_hinted_at_after_initialize() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "go", "wake": true }])).await;
    page.open("c1").await.emit("go", json!(1)).await.accepted();
    portal.kill_and_restart().await;
    portal.hint(CHAT, "wake").await;
    assert!(portal.take(CHAT, "wake").await.is_object());
}

#[tokio::test]
async fn a_message_that_is_out_is_not_hinted_at_and_one_that_came_back_is() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    portal.agent(CHAT, "working").await;
    page.open("c1").await.emit("a", json!(1)).await.accepted();
    portal.hint(CHAT, "step").await;
    let message = portal.take(CHAT, "step").await;
    assert!(portal.hints(CHAT).await.is_empty());
    portal.returned(CHAT, message["id"].as_str().unwrap()).await;
    portal.hint(CHAT, "step").await;
}

#[tokio::test]
async fn hints_are_about_the_chat_that_has_something() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    portal.show("other", json!({ "events": [{ "name": "a" }] })).await;
    page.open("c1").await.emit("a", json!(1)).await.accepted();
    portal.hint(CHAT, "prompt").await;
    assert!(portal.hints("other").await.is_empty());
}
