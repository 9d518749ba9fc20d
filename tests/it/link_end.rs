//! How a process ends: asked to, without its portal, or by a signal.

use crate::harness::{CHAT, Portal, terminate};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[tokio::test]
async fn shutdown_is_answered_with_null_and_the_process_exits_with_0() {
    let mut portal = Portal::start().await;
    assert_eq!(portal.request("shutdown", json!({})).await, Ok(Value::Null));
    assert_eq!(portal.program.ended().await.code(), Some(0));
}

#[tokio::test]
async fn shutdown_before_initialize_works_too() {
    let (mut program, mut link) = crate::harness::spawn();
    assert_eq!(link.request("shutdown", json!({})).await, Ok(Value::Null));
    assert_eq!(program.ended().await.code(), Some(0));
}

#[tokio::test]
async fn a_process_whose_standard_input_closes_exits_by_itself() {
    let mut portal = Portal::start().await;
    portal.show(CHAT, json!({})).await;
    assert!(portal.program.is_running());
    portal.close();
    assert_eq!(portal.program.ended().await.code(), Some(0));
}

#[tokio::test]
async fn a_last_line_without_a_line_feed_still_counts() {
    let mut portal = Portal::start().await;
    let (line, pending) = portal.line("shutdown", json!({}));
    portal.raw(line.trim_end().as_bytes()).await;
    portal.close();
    assert_eq!(portal.answer(&pending).await.result, Ok(Value::Null));
}

#[tokio::test]
async fn sigterm_ends_the_process_with_0_though_standard_input_is_open() {
    let mut portal = Portal::start().await;
    terminate(&portal.program).await;
    assert_eq!(portal.program.ended().await.code(), Some(0));
}

#[tokio::test]
async fn open_streams_and_waits_hold_no_end_up() {
    let mut portal = Portal::start().await;
    let (_, wait, _) = portal.ask(CHAT, json!({ "event": "ok" })).await;
    let mut stream = portal.page(CHAT).stream().await;
    let before = Instant::now();
    assert_eq!(portal.request("shutdown", json!({})).await, Ok(Value::Null));
    assert!(portal.program.ended().await.success());
    assert!(before.elapsed() < Duration::from_secs(4), "{:?}", before.elapsed());
    stream.ended().await;
    drop(wait);
}

#[tokio::test]
async fn what_was_acknowledged_before_each_kind_of_end_is_there_after_it() {
    for end in ["shutdown", "stdin", "sigterm"] {
        let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
        page.open("c1").await.emit("a", json!(end)).await.accepted();
        match end {
            "stdin" => portal.close(),
            "sigterm" => terminate(&portal.program).await,
            _ => drop(portal.request("shutdown", json!({})).await),
        }
        assert!(portal.program.ended().await.success(), "{end}");
        portal.kill_and_restart().await;
        let message = portal.take(CHAT, "prompt").await;
        assert!(
            message["text"].as_str().unwrap().contains(&format!("\"data\":\"{end}\"")),
            "{message}"
        );
    }
}
