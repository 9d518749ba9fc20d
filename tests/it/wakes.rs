//! Rules 6 and 9: an event that may start a turn.

use crate::harness::{CHAT, Card, Portal};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

async fn with_wake() -> (Portal, Card) {
    let (portal, page) =
        Portal::with_card(json!([{ "name": "go", "wake": true }, { "name": "a" }])).await;
    let card = page.open("c1").await;
    (portal, card)
}

fn id(message: &Value) -> &str {
    message["id"].as_str().unwrap_or_else(|| panic!("no message: {message}"))
}

#[tokio::test]
async fn two_wakes_are_ten_seconds_apart_and_the_second_says_in_how_long() {
    let (mut portal, card) = with_wake().await;
    portal.agent(CHAT, "idle").await;
    assert_eq!(card.emit("go", json!(1)).await.accepted(), "starting");
    portal.hint(CHAT, "wake").await;
    let first = portal.take(CHAT, "wake").await;
    let woken = Instant::now();
    portal.delivered(CHAT, id(&first)).await;
    portal.agent(CHAT, "working").await;
    portal.agent(CHAT, "idle").await;
    portal.hints(CHAT).await;
    let second = card.emit("go", json!(2)).await;
    assert_eq!(second.accepted(), "starting");
    let in_ms = second.json()["inMs"].as_u64().unwrap();
    assert!((5_000..=10_000).contains(&in_ms), "{in_ms}");
    let listed = card.page.card("c1").await;
    assert_eq!(listed["state"], "starting");
    assert!(listed["inMs"].as_u64().is_some_and(|ms| ms <= in_ms));
    assert!(portal.take(CHAT, "wake").await.is_null());
    portal.hint(CHAT, "wake").await;
    let apart = woken.elapsed();
    assert!((9_800..15_000).contains(&apart.as_millis()), "{apart:?}");
    let message = portal.take(CHAT, "wake").await;
    assert_eq!(message["details"]["events"][0]["count"], 1);
}

#[tokio::test]
async fn what_may_not_wake_goes_along_and_alone_wakes_nobody() {
    let (mut portal, card) = with_wake().await;
    portal.agent(CHAT, "idle").await;
    card.emit("a", json!(1)).await.accepted();
    assert!(portal.take(CHAT, "wake").await.is_null());
    card.emit("go", json!(2)).await.accepted();
    let message = portal.take(CHAT, "wake").await;
    assert_eq!(message["details"]["events"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn a_returned_wake_gives_the_ten_seconds_back() {
    let (mut portal, card) = with_wake().await;
    portal.agent(CHAT, "idle").await;
    card.emit("go", json!(1)).await.accepted();
    let message = portal.take(CHAT, "wake").await;
    portal.returned(CHAT, id(&message)).await;
    assert_eq!(portal.take(CHAT, "wake").await, message);
    portal.delivered(CHAT, id(&message)).await;
    card.emit("go", json!(2)).await.accepted();
    assert!(portal.take(CHAT, "wake").await.is_null(), "this one was not given back");
}

#[tokio::test]
async fn a_take_at_a_prompt_starts_no_ten_seconds() {
    let (mut portal, card) = with_wake().await;
    portal.agent(CHAT, "idle").await;
    card.emit("go", json!(1)).await.accepted();
    let message = portal.take(CHAT, "prompt").await;
    portal.delivered(CHAT, id(&message)).await;
    card.emit("go", json!(2)).await.accepted();
    assert!(portal.take(CHAT, "wake").await.is_object());
}

#[tokio::test]
async fn a_working_agent_is_not_woken_and_gets_it_at_its_step() {
    let (mut portal, card) = with_wake().await;
    portal.agent(CHAT, "working").await;
    assert_eq!(card.emit("go", json!(1)).await.accepted(), "next_step");
    assert!(portal.take(CHAT, "wake").await.is_null());
    portal.hint(CHAT, "step").await;
    assert!(portal.take(CHAT, "step").await.is_object());
}

#[tokio::test]
async fn a_run_that_ends_with_a_wake_event_left_starts_the_next_one() {
    let (mut portal, card) = with_wake().await;
    let mut stream = card.page.stream().await;
    portal.agent(CHAT, "working").await;
    card.emit("go", json!(1)).await.accepted();
    portal.agent(CHAT, "idle").await;
    stream.state("next_step").await;
    stream.state("starting").await;
    portal.hint(CHAT, "wake").await;
    assert!(portal.take(CHAT, "wake").await.is_object());
}

#[tokio::test]
async fn a_chat_not_heard_of_is_gone_and_its_wake_event_asks_for_the_agent() {
    let (mut portal, card) = with_wake().await;
    assert_eq!(card.emit("go", json!(1)).await.accepted(), "starting");
    portal.hint(CHAT, "wake").await;
    assert!(portal.take(CHAT, "wake").await.is_object());
}

#[tokio::test]
async fn an_ordinary_event_of_an_agent_that_is_gone_waits_on_disk() {
    let (mut portal, card) = with_wake().await;
    portal.agent(CHAT, "gone").await;
    assert_eq!(card.emit("a", json!(1)).await.accepted(), "next_message");
    assert!(portal.take(CHAT, "wake").await.is_null());
    portal.kill_and_restart().await;
    assert!(portal.take(CHAT, "wake").await.is_null());
    assert!(portal.take(CHAT, "prompt").await.is_object());
}

#[tokio::test]
async fn the_ten_seconds_outlive_a_restart() {
    let (mut portal, card) = with_wake().await;
    card.emit("go", json!(1)).await.accepted();
    let message = portal.take(CHAT, "wake").await;
    portal.delivered(CHAT, id(&message)).await;
    card.emit("go", json!(2)).await.accepted();
    portal.kill_and_restart().await;
    assert!(portal.take(CHAT, "wake").await.is_null());
    let in_ms = portal.page(CHAT).card("c1").await["inMs"].as_u64().unwrap();
    assert!(in_ms <= 10_000, "{in_ms}");
}

#[tokio::test]
async fn a_due_wake_that_nobody_takes_is_hinted_again_after_five_seconds() {
    let (mut portal, card) = with_wake().await;
    portal.agent(CHAT, "idle").await;
    card.emit("go", json!(1)).await.accepted();
    portal.hint(CHAT, "wake").await;
    let first = Instant::now();
    portal.hint(CHAT, "wake").await;
    let after = first.elapsed();
    assert!((Duration::from_millis(4_500)..Duration::from_secs(9)).contains(&after), "{after:?}");
}
