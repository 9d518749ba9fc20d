use super::bench::{Bench, call, text, until};
use crate::chat::ChatError;
use crate::extension::HostState;
use serde_json::json;
use std::time::Duration;

fn away() -> HostState {
    HostState::Failed("test".to_owned())
}

#[tokio::test(start_paused = true)]
async fn lines_that_are_no_messages_are_answered_with_an_error_and_the_link_goes_on() {
    let bench = Bench::new(vec![]).await;
    let mut fake = bench.connect();
    fake.send("not json").await;
    fake.sees("response", json!({ "error": -32700 })).await;
    fake.send(&"x".repeat(portal_link::MAX_LINE + 1)).await;
    fake.sees("response", json!({ "error": -32700 })).await;
    fake.send(r#"{"jsonrpc":"2.0","id":1,"method":"new/method"}"#).await;
    fake.sees("response", json!({ "error": -32601 })).await;
    fake.send(r#"{"jsonrpc":"2.0","method":"new/hint","params":{"deep":1}}"#).await;
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.sees("chat/agent", json!({ "chat": chat, "state": "working" })).await;
}

#[tokio::test(start_paused = true)]
async fn without_the_extension_messages_work_and_a_tool_says_plainly_that_it_is_away() {
    let mut bench = Bench::new(vec![vec![text("a"), call("ui_show")]]).await;
    bench.host.disconnected(away());
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    bench.turn().await;
    assert_eq!(bench.turn().await.last().unwrap(), "call ui_show Failed");
    bench.settled(&chat).await;
    let snapshot = bench.hub.snapshot(&chat).await.unwrap();
    let call = serde_json::to_string(&*snapshot.items[2]).unwrap();
    assert!(call.contains("the extension is not running"), "{call}");
}

#[tokio::test(start_paused = true)]
async fn an_extension_that_ends_during_a_call_fails_the_call_and_not_the_run() {
    let mut bench = Bench::new(vec![vec![call("ui_show")]]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", None).await;
    fake.next().await;
    drop(fake);
    bench.host.disconnected(away());
    bench.turn().await;
    assert_eq!(bench.turn().await, ["person hello", "call ui_show Failed"]);
    bench.settled(&chat).await;
}

#[tokio::test(start_paused = true)]
async fn an_acknowledgement_is_said_again_until_a_later_take_shows_that_it_arrived() {
    let mut bench = Bench::new(vec![]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", Some("m1")).await;
    fake.next().await;
    // It breaks off before any answer shows that the acknowledgement was read.
    drop(fake);
    bench.host.disconnected(away());
    bench.turn().await;
    bench.settled(&chat).await;
    let folder = bench.kill().await;

    let mut bench = Bench::over(folder, vec![]).await;
    let mut fake = bench.connect();
    fake.sees("outbox/delivered", json!({ "chat": chat, "id": "m1" })).await;
    bench.hub.say(&chat, "again").await.unwrap();
    fake.sees("chat/agent", json!({ "chat": chat, "state": "working" })).await;
    fake.gives("prompt", None).await;
    bench.turn().await;
    until(async || bench.acks().await.is_empty()).await;
    drop(fake);
    let mut fake = bench.connect();
    fake.sees("chat/agent", json!({ "chat": chat, "state": "working" })).await;
}

#[tokio::test(start_paused = true)]
async fn an_extension_that_comes_back_is_told_who_is_there_and_what_it_missed() {
    let mut bench = Bench::new(vec![]).await;
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    let other = bench.hub.create("other".to_owned()).await.unwrap();
    bench.turn().await;
    bench.turn().await;
    bench.settled(&chat).await;
    bench.settled(&other).await;
    bench.hub.delete(&other).await.unwrap();
    let folder = bench.kill().await;

    let bench = Bench::over(folder, vec![]).await;
    let mut fake = bench.connect();
    fake.sees("chat/deleted", json!({ "chat": other })).await;
    fake.gives("wake", None).await;
    until(async || bench.owed().await.is_empty()).await;
    fake.silent_for(Duration::from_secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn what_an_extension_missed_is_told_when_it_is_back_without_a_restart_too() {
    let mut bench = Bench::new(vec![]).await;
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    bench.turn().await;
    bench.settled(&chat).await;
    let copy = bench.hub.fork(&chat).await.unwrap();
    bench.hub.delete(&chat).await.unwrap();
    let mut fake = bench.connect();
    fake.sees("chat/forked", json!({ "from": chat, "to": copy })).await;
    fake.sees("chat/deleted", json!({ "chat": chat })).await;
    let mut asked = [fake.asked_at("wake").await, fake.asked_at("wake").await];
    asked.sort_by_key(|take| take.params["chat"] == json!(chat));
    assert_eq!(asked.each_ref().map(|take| &take.params["chat"]), [&json!(copy), &json!(chat)]);
    for take in &asked {
        fake.answer(take, json!({ "message": null })).await;
    }
    until(async || bench.owed().await.is_empty()).await;
    fake.silent_for(Duration::from_secs(2)).await;
}

#[tokio::test(start_paused = true)]
async fn a_deletion_that_an_extension_may_not_have_read_is_told_again_after_a_restart() {
    let mut bench = Bench::new(vec![]).await;
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    bench.turn().await;
    bench.settled(&chat).await;
    let mut fake = bench.connect();
    fake.next().await;
    bench.hub.delete(&chat).await.unwrap();
    fake.sees("chat/deleted", json!({ "chat": chat })).await;
    // Nothing that comes late, or not at all, shows that it was read.
    let slow = fake.asked_at("wake").await;
    tokio::time::sleep(Duration::from_millis(250)).await;
    fake.answer(&slow, json!({ "message": null })).await;
    fake.asked_at("wake").await;
    let folder = bench.kill().await;

    let bench = Bench::over(folder, vec![]).await;
    let mut fake = bench.connect();
    fake.sees("chat/deleted", json!({ "chat": chat })).await;
    fake.gives("wake", None).await;
    until(async || bench.owed().await.is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn what_the_disk_does_not_take_is_refused_and_a_message_that_cannot_be_kept_goes_back() {
    let bench = Bench::new(vec![]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    let take = fake.asked_at("prompt").await;
    bench.store.close().await;
    let said = bench.hub.say(&chat, "more").await;
    assert!(matches!(said, Err(ChatError::Store(_))));
    fake.answer(&take, json!({ "message": crate::extension::fake::outbox_message("m1") })).await;
    fake.sees("outbox/returned", json!({ "chat": chat, "id": "m1" })).await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
    assert!(bench.items(&chat).await.last().unwrap().contains("could not write"));
}
