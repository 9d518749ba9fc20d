//! A message that an extension hands over too late goes back, and still reaches the agent soon.

use super::bench::{Bench, Piece, text, until};
use crate::extension::fake::outbox_message;
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn a_late_message_that_hides_from_the_next_runs_takes_is_in_that_run_all_the_same() {
    let mut bench = Bench::new(vec![vec![text("a"), Piece::Hangs]]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    fake.next().await;
    let late = fake.asked_at("prompt").await;
    bench.turn().await;
    bench.hub.stop(&chat).await.unwrap();
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
    bench.hub.say(&chat, "two").await.unwrap();
    fake.sees("chat/agent", json!({ "chat": chat, "state": "working" })).await;
    fake.gives("prompt", None).await;
    assert_eq!(bench.turn().await.last().unwrap(), "person two");
    fake.gives("step", None).await;
    fake.answer(&late, json!({ "message": outbox_message("m1") })).await;
    fake.sees("outbox/returned", json!({ "chat": chat, "id": "m1" })).await;
    fake.gives("step", Some("m1")).await;
    fake.sees("outbox/delivered", json!({ "chat": chat, "id": "m1" })).await;
    fake.gives("step", None).await;
    assert_eq!(bench.turn().await.last().unwrap(), "events m1");
    fake.gives("step", None).await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
}

#[tokio::test(start_paused = true)]
async fn a_null_past_250_ms_may_hide_a_message_so_the_run_ends_only_after_another_look() {
    let mut bench = Bench::new(vec![]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    fake.next().await;
    let slow = fake.asked_at("prompt").await;
    tokio::time::sleep(Duration::from_millis(250)).await;
    fake.answer(&slow, json!({ "message": null })).await;
    bench.turn().await;
    fake.gives("step", None).await;
    fake.hint(&chat, "step").await;
    let begun = Instant::now();
    fake.gives("step", Some("m1")).await;
    assert!(begun.elapsed() < Duration::from_millis(10), "{:?}", begun.elapsed());
    fake.sees("outbox/delivered", json!({ "chat": chat, "id": "m1" })).await;
    fake.gives("step", None).await;
    assert_eq!(bench.turn().await, ["person one", "assistant done", "events m1"]);
}

#[tokio::test(start_paused = true)]
async fn a_null_in_time_ends_the_run_at_once() {
    let mut bench = Bench::new(vec![]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    fake.next().await;
    let take = fake.asked_at("prompt").await;
    tokio::time::sleep(Duration::from_millis(240)).await;
    fake.answer(&take, json!({ "message": null })).await;
    bench.turn().await;
    let begun = Instant::now();
    fake.gives("step", None).await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
    assert!(begun.elapsed() < Duration::from_millis(10), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn an_extension_that_hangs_costs_a_run_300_ms_at_the_prompt_and_300_ms_at_the_step() {
    let bench = Bench::new(vec![]).await;
    let mut fake = bench.connect();
    let begun = Instant::now();
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    fake.next().await;
    fake.asked_at("prompt").await;
    fake.asked_at("step").await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
    let taken = begun.elapsed();
    assert!((600..650).contains(&taken.as_millis()), "{taken:?}");
}

#[tokio::test(start_paused = true)]
async fn a_null_past_250_ms_does_not_show_that_an_acknowledgement_arrived() {
    let mut bench = Bench::new(vec![]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", Some("m1")).await;
    fake.next().await;
    let slow = fake.asked_at("prompt").await;
    tokio::time::sleep(Duration::from_millis(250)).await;
    fake.answer(&slow, json!({ "message": null })).await;
    bench.turn().await;
    let step = fake.asked_at("step").await;
    assert_eq!(bench.acks().await, [(chat, "m1".to_owned())]);
    fake.answer(&step, json!({ "message": null })).await;
    until(async || bench.acks().await.is_empty()).await;
}
