//! An extension that hangs: stopped by a signal, and continued.

use crate::chat::{Chat, received, show};
use crate::program::{Program, signal, until};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// One take, and what a busy machine adds; two would be more.
const PROMPT: Duration = Duration::from_millis(300 + 250);

async fn answered(chat: &Chat<'_>, known: usize) -> Option<Value> {
    let items = chat.items().await;
    items.into_iter().skip(known).find(|item| item["kind"] == "assistant")
}

#[tokio::test]
async fn a_message_is_answered_within_300_ms_and_nothing_is_lost_or_doubled_when_it_goes_on() {
    let portal = Program::start().await;
    let chat = Chat::with_card(&portal, &json!([{ "name": "a", "debounceMs": 0 }])).await;
    chat.emit("c1", "e1", "a", json!(1)).await.ok();
    let extension = portal.extension().await;
    let known = chat.items().await.len();
    signal(extension, "-STOP").await;
    let begun = Instant::now();
    chat.say("/work 3").await;
    until("an answer", async || answered(&chat, known).await).await;
    let taken = begun.elapsed();
    assert!(taken < PROMPT, "{taken:?}");
    eprintln!("first word with a hung extension after {taken:?}");
    signal(extension, "-CONT").await;
    chat.idle().await;
    // It came late, went back, and was in at a later step of the same run.
    assert_eq!(received(&chat.items().await), [("c1".to_owned(), "a".to_owned(), 1)]);
    assert_eq!(chat.asks("hello").await.matches("You did").count(), 0);
    assert_eq!(received(&chat.items().await).len(), 1);
}

#[tokio::test]
async fn a_step_takes_no_longer_than_300_ms_more() {
    let portal = Program::start().await;
    let chat = Chat::with_card(&portal, &json!([{ "name": "a" }])).await;
    let extension = portal.extension().await;
    signal(extension, "-STOP").await;
    let begun = Instant::now();
    chat.say("/work 3").await;
    chat.idle().await;
    let taken = begun.elapsed();
    signal(extension, "-CONT").await;
    // Three steps of half a second and their words, a prompt's take and three of a step.
    let most = Duration::from_millis(3 * (500 + 150) + 4 * 300 + 500);
    assert!(taken < most, "{taken:?}");
    eprintln!("three steps with a hung extension took {taken:?}");
}

#[tokio::test]
async fn a_call_to_an_extension_that_hangs_can_be_stopped_and_the_chat_goes_on_after_it() {
    let portal = Program::start().await;
    let chat = Chat::with_card(&portal, &json!([{ "name": "a" }])).await;
    let extension = portal.extension().await;
    signal(extension, "-STOP").await;
    chat.say(&show(&json!({}))).await;
    let running = async || {
        let items = chat.items().await;
        (items.last()?["status"] == "running").then_some(())
    };
    until("a running call", running).await;
    let begun = Instant::now();
    chat.stop().await;
    assert!(begun.elapsed() < Duration::from_millis(100), "{:?}", begun.elapsed());
    assert_eq!(chat.read().await["agent"], "idle");
    signal(extension, "-CONT").await;
    assert!(chat.asks("hello").await.contains("scripted demo"));
    chat.emit("c1", "e1", "a", json!(1)).await.ok();
    assert!(chat.asks("hello").await.starts_with("You did a: `1`"));
}
