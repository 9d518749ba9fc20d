use super::bench::{Bench, Piece, call, text};
use crate::extension::fake::outbox_message;
use crate::model::Turn;
use portal_link::AgentState;
use serde_json::json;
use std::time::Duration;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn a_message_takes_along_what_the_outbox_has_and_acknowledges_it_from_disk() {
    let mut bench = Bench::new(vec![]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.sees("chat/agent", json!({ "chat": chat, "state": "working" })).await;
    assert_eq!(bench.on_disk(&chat).await, ["person hello"]);
    fake.gives("prompt", Some("m1")).await;
    fake.sees("outbox/delivered", json!({ "chat": chat, "id": "m1" })).await;
    assert_eq!(bench.on_disk(&chat).await, ["person hello", "events m1"]);
    fake.gives("prompt", Some("m2")).await;
    fake.sees("outbox/delivered", json!({ "chat": chat, "id": "m2" })).await;
    fake.gives("prompt", None).await;
    assert_eq!(bench.turn().await, ["events m1", "events m2", "person hello"]);
    fake.gives("step", None).await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
    assert_eq!(bench.on_disk(&chat).await.last().unwrap(), "assistant done");
}

#[tokio::test(start_paused = true)]
async fn a_message_the_transcript_has_is_acknowledged_again_and_dropped() {
    let mut bench = Bench::new(vec![]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    for _ in 0..2 {
        fake.gives("prompt", Some("m1")).await;
        fake.sees("outbox/delivered", json!({ "chat": chat, "id": "m1" })).await;
    }
    fake.gives("prompt", None).await;
    assert_eq!(bench.turn().await, ["events m1", "person hello"]);
}

#[tokio::test(start_paused = true)]
async fn an_extension_that_hangs_holds_a_message_up_for_300_ms_and_its_late_answer_goes_back() {
    let mut bench = Bench::new(vec![]).await;
    let mut fake = bench.connect();
    let begun = Instant::now();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    let take = fake.asked_at("prompt").await;
    assert_eq!(bench.turn().await, ["person hello"]);
    assert_eq!(begun.elapsed(), Duration::from_millis(300));
    let step = fake.asked_at("step").await;
    fake.answer(&take, json!({ "message": outbox_message("m1") })).await;
    fake.sees("outbox/returned", json!({ "chat": chat, "id": "m1" })).await;
    fake.answer(&step, json!({ "message": outbox_message("m1") })).await;
    fake.sees("outbox/delivered", json!({ "chat": chat, "id": "m1" })).await;
    fake.gives("step", None).await;
    assert_eq!(bench.turn().await, ["person hello", "assistant done", "events m1"]);
}

#[tokio::test(start_paused = true)]
async fn what_comes_in_between_steps_is_in_the_next_request_even_when_the_model_would_stop() {
    let more = Piece::Is(Turn::More);
    let mut bench = Bench::new(vec![vec![text("one"), more]]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("go".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", None).await;
    bench.turn().await;
    fake.gives("step", Some("m1")).await;
    fake.next().await;
    fake.gives("step", None).await;
    assert_eq!(bench.turn().await.last().unwrap(), "events m1");
    fake.gives("step", Some("m2")).await;
    fake.next().await;
    fake.gives("step", None).await;
    assert_eq!(bench.turn().await.last().unwrap(), "events m2");
    fake.gives("step", None).await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
}

#[tokio::test(start_paused = true)]
async fn a_wake_hint_starts_a_turn_only_when_the_take_brings_something() {
    let mut bench = Bench::new(vec![]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", None).await;
    bench.turn().await;
    fake.gives("step", None).await;
    fake.next().await;
    fake.hint(&chat, "wake").await;
    fake.gives("wake", None).await;
    fake.silent_for(Duration::from_secs(1)).await;
    fake.hint(&chat, "wake").await;
    fake.gives("wake", Some("m1")).await;
    fake.sees("outbox/delivered", json!({ "chat": chat, "id": "m1" })).await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "working" })).await;
    fake.gives("prompt", None).await;
    assert_eq!(bench.turn().await.last().unwrap(), "events m1");
}

#[tokio::test(start_paused = true)]
async fn a_wake_hint_starts_an_agent_that_was_let_go_and_a_chat_that_left_memory() {
    let mut bench = Bench::new(vec![vec![text("bye"), Piece::Is(Turn::LetGo)]]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", None).await;
    fake.gives("step", None).await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "gone" })).await;
    bench.turn().await;
    tokio::time::sleep(Duration::from_hours(1)).await;
    fake.hint(&chat, "wake").await;
    fake.gives("wake", Some("m1")).await;
    fake.next().await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "working" })).await;
    fake.gives("prompt", None).await;
    assert_eq!(bench.turn().await, ["person hello", "assistant bye", "events m1"]);
}

#[tokio::test(start_paused = true)]
async fn hints_while_the_agent_works_and_hints_for_other_moments_take_nothing() {
    let mut bench = Bench::new(vec![vec![text("a"), Piece::Hangs]]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", None).await;
    bench.turn().await;
    for at in ["wake", "step", "prompt"] {
        fake.hint(&chat, at).await;
    }
    fake.hint("no-such-chat", "wake").await;
    fake.silent_for(Duration::from_millis(100)).await;
}

#[tokio::test(start_paused = true)]
async fn a_message_while_a_wake_take_is_under_way_shares_its_run_and_waits_no_longer() {
    let mut bench = Bench::new(vec![]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", None).await;
    bench.turn().await;
    fake.gives("step", None).await;
    fake.next().await;
    fake.hint(&chat, "wake").await;
    let wake = fake.asked_at("wake").await;
    let begun = Instant::now();
    let said = bench.hub.say(&chat, "and").await.unwrap();
    assert!(!said.queued);
    fake.sees("chat/agent", json!({ "chat": chat, "state": "working" })).await;
    assert!(bench.turn().await.ends_with(&["person and".to_owned()]));
    assert!(begun.elapsed() <= Duration::from_millis(300));
    fake.asked_at("step").await;
    fake.answer(&wake, json!({ "message": outbox_message("m1") })).await;
    fake.sees("outbox/returned", json!({ "chat": chat, "id": "m1" })).await;
}

#[tokio::test(start_paused = true)]
async fn an_answered_wait_is_acknowledged_by_its_call_once_its_result_is_on_disk() {
    let mut bench = Bench::new(vec![vec![text("a"), call("ui_show")]]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", None).await;
    let line = fake.next().await;
    assert_eq!((line.method.as_str(), &line.params["arguments"]), ("tools/call", &json!({"a": 1})));
    assert_eq!(bench.on_disk(&chat).await.last().unwrap(), "call ui_show Running");
    let structured = json!({ "card": "c1", "outcome": "answered", "event": { "name": "ok" } });
    let result = json!({ "content": [{ "type": "text", "text": "ok" }], "structured": structured });
    fake.answer(&line, result).await;
    let id = line.params["call"].clone();
    fake.sees("outbox/delivered", json!({ "chat": chat, "id": id })).await;
    assert_eq!(bench.on_disk(&chat).await.last().unwrap(), "call ui_show Done");
    fake.gives("step", None).await;
    bench.turn().await;
    assert_eq!(bench.turn().await.last().unwrap(), "call ui_show Done");
}

#[tokio::test(start_paused = true)]
async fn calls_run_together_and_a_refusal_is_a_failed_call() {
    let mut bench = Bench::new(vec![vec![call("a"), call("b")]]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", None).await;
    let first = fake.next().await;
    let second = fake.next().await;
    let refusal = json!({ "content": [{ "type": "text", "text": "no" }], "isError": true });
    fake.answer(&second, refusal).await;
    fake.answer(&first, json!({ "content": [] })).await;
    fake.gives("step", None).await;
    bench.turn().await;
    assert_eq!(bench.turn().await, ["person hello", "call a Done", "call b Failed"]);
    assert_eq!(bench.agent(&chat).await, AgentState::Working);
}

#[tokio::test(start_paused = true)]
async fn stop_cancels_the_call_at_once_and_a_result_that_still_comes_is_ignored() {
    let mut bench = Bench::new(vec![vec![text("a"), call("ui_show")]]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", None).await;
    let line = fake.next().await;
    bench.turn().await;
    bench.hub.stop(&chat).await.unwrap();
    let want = ["person hello", "assistant a", "call ui_show Cancelled", "notice Stopped."];
    assert_eq!(bench.items(&chat).await, want);
    assert_eq!(bench.on_disk(&chat).await, want);
    let snapshot = bench.hub.snapshot(&chat).await.unwrap();
    let item = serde_json::to_value(&snapshot.items[2].kind).unwrap();
    assert_eq!(item["result"], json!({ "text": "Stopped before it was answered." }));
    fake.sees("notifications/cancelled", json!({ "call": line.params["call"] })).await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
    let structured = json!({ "outcome": "answered" });
    fake.answer(&line, json!({ "content": [], "structured": structured })).await;
    fake.silent_for(Duration::from_secs(1)).await;
    assert_eq!(bench.items(&chat).await, want);
}

#[tokio::test(start_paused = true)]
async fn stop_during_a_take_returns_what_it_brings() {
    let bench = Bench::new(vec![]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    let take = fake.asked_at("prompt").await;
    bench.hub.stop(&chat).await.unwrap();
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
    fake.answer(&take, json!({ "message": outbox_message("m1") })).await;
    fake.sees("outbox/returned", json!({ "chat": chat, "id": "m1" })).await;
    assert_eq!(bench.on_disk(&chat).await, ["person hello", "notice Stopped."]);
}
