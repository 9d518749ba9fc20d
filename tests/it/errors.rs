//! What a shown card's code throws, from the page's report to the agent.

use crate::harness::{CHAT, Portal, eventually};
use serde_json::{Value, json};

fn error(text: &str) -> Value {
    json!({ "kind": "error", "text": text, "line": 3, "column": 14 })
}

async fn report(portal: &Portal, change: Value) -> crate::harness::Reply {
    let page = portal.page(CHAT);
    let load = page.load("c1").await["load"].clone();
    let mut body = json!({ "load": load });
    body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
    page.post("c1", "errors", body).await
}

#[tokio::test]
async fn errors_come_with_the_persons_message_survive_a_kill_and_wake_nobody() {
    let mut portal = Portal::start().await;
    portal.show(CHAT, json!({ "events": [{ "name": "go", "wake": true }] })).await;
    let errors =
        json!([error("TypeError: a is not a function\nat x"), error("b"), error("c"), error("d")]);
    report(&portal, json!({ "errors": errors })).await.ok();
    portal.kill_and_restart().await;
    assert_eq!(portal.take(CHAT, "wake").await, Value::Null);
    let message = portal.take(CHAT, "prompt").await;
    assert_eq!(message["summary"], "UI: Card · errors ×3");
    let text = message["text"].as_str().unwrap();
    assert!(
        text.contains(
            r#"{"kind":"error","text":"TypeError: a is not a function at x","line":3,"column":14}"#
        ),
        "{text}"
    );
    assert_eq!(message["details"]["events"][0]["name"], "errors");
    portal.link.notify("outbox/delivered", json!({ "chat": CHAT, "id": message["id"] })).await;
    report(&portal, json!({ "errors": [error("b")] })).await.ok();
    assert_eq!(portal.take(CHAT, "prompt").await, Value::Null, "told once");
}

#[tokio::test]
async fn a_waiting_call_has_them_in_its_result() {
    let mut portal = Portal::start().await;
    let asks =
        json!({ "title": "T", "html": "<p>x</p>", "wait": { "event": "ok", "timeoutSeconds": 1 } });
    let (_, pending) = portal.call(CHAT, "ui_show", asks).await;
    let page = portal.page(CHAT);
    eventually("the card", async || !page.cards().await.is_empty()).await;
    report(&portal, json!({ "errors": [error("a")] })).await.ok();
    let ended = portal.result(&pending).await;
    assert_eq!(ended.structured["errors"], json!([error("a")]));
    assert!(ended.text.contains("The card's own code threw:\n- a at 3:14"), "{}", ended.text);
    assert_eq!(portal.take(CHAT, "prompt").await, Value::Null);
}

#[tokio::test]
async fn a_card_that_does_not_answer_is_marked_until_it_does_or_is_drawn_afresh() {
    let mut portal = Portal::start().await;
    portal.show(CHAT, json!({})).await;
    report(&portal, json!({ "stuck": true })).await.ok();
    assert_eq!(portal.page(CHAT).card("c1").await["stuck"], true);
    portal.kill_and_restart().await;
    assert_eq!(portal.page(CHAT).card("c1").await["stuck"], true);
    report(&portal, json!({ "stuck": false })).await.ok();
    assert_eq!(portal.page(CHAT).card("c1").await["stuck"], Value::Null);
    report(&portal, json!({ "stuck": true })).await.ok();
    portal.tool(CHAT, "ui_update", json!({ "card": "c1", "html": "<p>mended</p>" })).await;
    assert_eq!(portal.page(CHAT).card("c1").await["stuck"], Value::Null);
}

#[tokio::test]
async fn a_report_that_is_none_is_refused() {
    let mut portal = Portal::start().await;
    portal.show(CHAT, json!({})).await;
    let page = portal.page(CHAT);
    page.post("c1", "errors", json!({ "load": "another", "errors": [] }))
        .await
        .refused(409, "stale_load");
    page.post("c1", "errors", json!({ "errors": [] })).await.refused(400, "bad_request");
    page.post("c9", "errors", json!({ "load": "x" })).await.refused(404, "unknown_card");
    report(&portal, json!({ "errors": [{ "kind": "else", "text": "a" }] }))
        .await
        .refused(400, "bad_request");
    report(&portal, json!({ "wake": true })).await.refused(400, "unknown_field");
    report(&portal, json!({ "errors": [error(&"x".repeat(20_000))] }))
        .await
        .refused(413, "body_too_large");
    assert_eq!(portal.take(CHAT, "prompt").await, Value::Null);
}
