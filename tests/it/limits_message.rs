//! One message is one line of the link: at most 262144 bytes, whole entries, oldest first.

use crate::harness::{CHAT, Portal};
use serde_json::{Value, json};

#[tokio::test]
async fn a_message_has_262144_bytes_as_a_line_and_the_rest_is_the_next_one() {
    let names: Vec<String> = (0..12).map(|n| format!("part{n}")).collect();
    let events: Value = names.iter().map(|name| json!({ "name": name })).collect();
    let (mut portal, page) = Portal::with_card(events).await;
    let card = page.open("c1").await;
    for name in &names {
        card.emit(name, json!("\"".repeat(10_000))).await.accepted();
    }
    let mut seen = Vec::new();
    let mut messages = 0;
    loop {
        let answer = portal.take_line(CHAT, "prompt").await;
        assert!(answer.line.len() <= 262_144, "{}", answer.line.len());
        let message = answer.result.unwrap()["message"].clone();
        let Some(id) = message["id"].as_str() else { break };
        messages += 1;
        let entries = message["details"]["events"].as_array().unwrap();
        assert!(!entries.is_empty());
        seen.extend(entries.iter().map(|entry| entry["name"].as_str().unwrap().to_owned()));
        let full = answer.line.len() + 4 * 10_000 > 262_144;
        assert!(
            full || seen.len() == names.len(),
            "a message is filled before the next one begins"
        );
        portal.delivered(CHAT, id).await;
    }
    assert_eq!(seen, names, "whole entries, oldest first, none twice");
    assert!(messages > 1);
}

#[tokio::test]
async fn what_fits_one_line_is_one_message() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }, { "name": "b" }])).await;
    let card = page.open("c1").await;
    card.emit("a", json!("x".repeat(32_000))).await.accepted();
    card.emit("b", json!("y".repeat(32_000))).await.accepted();
    let message = portal.take(CHAT, "prompt").await;
    assert_eq!(message["details"]["events"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn the_largest_event_that_is_taken_fits_a_line_by_itself() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    portal.tool(CHAT, "ui_update", json!({ "card": "c1", "title": "\"".repeat(200) })).await;
    page.open("c1").await.emit("a", json!("`".repeat(32_766))).await.accepted();
    let answer = portal.take_line(CHAT, "prompt").await;
    assert!(answer.line.len() <= 262_144, "{}", answer.line.len());
    let text = answer.result.unwrap()["message"]["text"].as_str().unwrap().to_owned();
    assert_eq!(text.matches("```").count(), 2, "data cannot close the fence");
}
