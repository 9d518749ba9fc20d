//! The limits of data, in an event and in a post, each at its number and one over it.

use crate::harness::{CHAT, Card, Portal};
use serde_json::{Value, json};

/// JSON text of exactly that many bytes.
fn text(bytes: usize) -> Value {
    json!("x".repeat(bytes - 2))
}

fn nested(depth: usize) -> String {
    format!("{}{}", "[".repeat(depth), "]".repeat(depth))
}

async fn card() -> (Portal, Card) {
    let (portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    let card = page.open("c1").await;
    (portal, card)
}

fn body(card: &Card, data: &str) -> String {
    format!(
        r#"{{"id":"{}","load":"{}","name":"a","data":{data}}}"#,
        crate::harness::event_id(),
        card.load
    )
}

#[tokio::test]
async fn an_events_data_has_32768_bytes_at_most() {
    let (mut portal, card) = card().await;
    let over = card.emit("a", text(32_769)).await;
    over.refused(413, "data_too_large");
    assert!(over.json()["detail"].as_str().unwrap().contains("32768"));
    card.emit("a", text(32_768)).await.accepted();
    assert!(
        portal.take(CHAT, "prompt").await["text"].as_str().unwrap().contains(&"x".repeat(32_766))
    );
}

#[tokio::test]
async fn white_space_between_tokens_is_not_counted_and_bytes_are_what_counts() {
    let (_portal, card) = card().await;
    let spaced = format!("[{}1]", " ".repeat(30_000));
    card.event(body(&card, &spaced)).await.accepted();
    card.emit("a", json!("é".repeat(16_383))).await.accepted();
    card.emit("a", json!("é".repeat(16_384))).await.refused(413, "data_too_large");
}

#[tokio::test]
async fn an_events_data_nests_64_deep_at_most() {
    let (_portal, card) = card().await;
    card.event(body(&card, &nested(64))).await.accepted();
    for depth in [65, 129, 5_000] {
        let over = card.event(body(&card, &nested(depth))).await;
        over.refused(422, "data_too_deep");
        assert!(over.json()["detail"].as_str().unwrap().contains("64"));
    }
    card.emit("a", json!("[".repeat(200))).await.accepted();
}

#[tokio::test]
async fn absent_data_is_null() {
    let (mut portal, card) = card().await;
    card.event(format!(r#"{{"id":"only","load":"{}","name":"a"}}"#, card.load)).await.accepted();
    assert!(portal.take(CHAT, "prompt").await["text"].as_str().unwrap().contains("\"data\":null"));
}

#[tokio::test]
async fn a_post_has_65536_bytes_at_most() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let update = |data: Value| json!({ "card": "c1", "data": data });
    assert_eq!(portal.tool(CHAT, "ui_update", update(text(65_536))).await.code(), None);
    let over = portal.tool(CHAT, "ui_update", update(text(65_537))).await;
    assert_eq!(over.code(), Some("data_too_large"));
    assert!(over.text.contains("65536"), "{}", over.text);
    assert_eq!(page.load("c1").await["post"], json!({ "n": 1, "data": text(65_536) }));
}

#[tokio::test]
async fn a_post_nests_64_deep_at_most() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let update = |depth: usize| json!({ "card": "c1", "data": serde_json::from_str::<Value>(&nested(depth)).unwrap() });
    assert_eq!(portal.tool(CHAT, "ui_update", update(64)).await.code(), None);
    let over = portal.tool(CHAT, "ui_update", update(65)).await;
    assert_eq!(over.code(), Some("data_too_deep"));
    assert!(over.text.contains("64"), "{}", over.text);
    assert_eq!(page.load("c1").await["post"]["n"], 1);
}

#[tokio::test]
async fn numbers_stay_as_they_were_written() {
    let (mut portal, card) = card().await;
    let data = "[1.10,1e400,12345678901234567890123,-0.0,0.1]";
    card.event(body(&card, data)).await.accepted();
    assert!(
        portal.take(CHAT, "prompt").await["text"]
            .as_str()
            .unwrap()
            .contains(&format!("\"data\":{data}"))
    );
}
