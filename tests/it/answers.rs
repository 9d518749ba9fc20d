//! Rule 2: a waited event is its call's until the call does not keep it.

use crate::harness::{CHAT, Card, Pending, Portal};
use serde_json::{Value, json};

/// A question, and the card it is asked in. The call's id, its answer to come, and the card.
async fn question(portal: &mut Portal) -> (String, Pending, Card) {
    let (call, wait, id) = portal.ask(CHAT, json!({ "event": "ok" })).await;
    (call, wait, portal.page(CHAT).open(&id).await)
}

async fn answered(portal: &mut Portal, id: &str) -> (String, Card) {
    let (call, wait, card) = question(portal).await;
    card.emit_as(id, "ok", json!(id)).await.accepted();
    assert_eq!(portal.result(&wait).await.structured["outcome"], "answered");
    (call, card)
}

fn ids(message: &Value) -> Vec<&str> {
    message["details"]["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["id"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn an_answer_is_delivered_when_the_portal_says_so_with_the_calls_id() {
    let mut portal = Portal::start().await;
    portal.agent(CHAT, "working").await;
    let mut stream = portal.page(CHAT).stream().await;
    let (call, _card) = answered(&mut portal, "e1").await;
    stream.state("answered").await;
    portal.delivered(CHAT, &call).await;
    stream.state("delivered").await;
    portal.agent(CHAT, "idle").await;
    portal.kill_and_restart().await;
    assert!(portal.take(CHAT, "prompt").await.is_null());
}

#[tokio::test]
async fn a_call_cancelled_after_its_answer_makes_it_an_ordinary_event() {
    let mut portal = Portal::start().await;
    let (call, _) = answered(&mut portal, "e1").await;
    assert!(portal.take(CHAT, "step").await.is_null());
    portal.cancel(&call).await;
    assert_eq!(ids(&portal.take(CHAT, "step").await), ["e1"]);
}

#[tokio::test]
async fn a_call_returned_after_its_answer_makes_it_an_ordinary_event() {
    let mut portal = Portal::start().await;
    let (call, _) = answered(&mut portal, "e1").await;
    portal.returned(CHAT, &call).await;
    assert_eq!(ids(&portal.take(CHAT, "step").await), ["e1"]);
}

#[tokio::test]
async fn an_answer_and_its_cancellation_at_the_same_moment_lose_nothing_and_double_nothing() {
    for _ in 0..10 {
        let mut portal = Portal::start().await;
        let (call, wait, card) = question(&mut portal).await;
        let cancel = portal.notify("notifications/cancelled", json!({ "call": call }));
        let (reply, ()) = tokio::join!(card.emit_as("e1", "ok", json!(1)), cancel);
        reply.accepted();
        portal.result(&wait).await;
        portal.flush().await;
        let message = portal.take(CHAT, "prompt").await;
        assert_eq!(ids(&message), ["e1"]);
        portal.delivered(CHAT, message["id"].as_str().unwrap()).await;
        assert!(portal.take(CHAT, "prompt").await.is_null());
    }
}

#[tokio::test]
async fn an_agent_that_becomes_idle_without_keeping_the_answer_gives_it_back() {
    for state in ["idle", "gone"] {
        let mut portal = Portal::start().await;
        portal.agent(CHAT, "working").await;
        answered(&mut portal, "e1").await;
        portal.agent(CHAT, state).await;
        assert_eq!(ids(&portal.take(CHAT, "prompt").await), ["e1"], "{state}");
    }
}

#[tokio::test]
async fn an_answer_that_a_process_did_not_live_to_see_delivered_is_an_ordinary_event_of_the_next() {
    let mut portal = Portal::start().await;
    answered(&mut portal, "e1").await;
    portal.kill_and_restart().await;
    assert_eq!(ids(&portal.take(CHAT, "prompt").await), ["e1"]);
}

#[tokio::test]
async fn a_call_that_kept_its_answer_after_all_takes_it_out_again() {
    let mut portal = Portal::start().await;
    let (call, _) = answered(&mut portal, "e1").await;
    portal.kill_and_restart().await;
    portal.delivered(CHAT, &call).await;
    assert!(portal.take(CHAT, "prompt").await.is_null());
}

#[tokio::test]
async fn an_answer_given_back_is_older_than_what_came_after_it() {
    let mut portal = Portal::start().await;
    let (call, card) = answered(&mut portal, "e1").await;
    card.emit_as("e2", "ok", json!("newer")).await.accepted();
    portal.cancel(&call).await;
    let message = portal.take(CHAT, "prompt").await;
    assert_eq!(
        message["details"]["events"],
        json!([{ "id": "e2", "card": card.id, "name": "ok", "count": 2 }])
    );
    assert!(message["text"].as_str().unwrap().contains("\"newer\""));
}

#[tokio::test]
async fn another_chats_delivered_does_not_take_the_answer() {
    let mut portal = Portal::start().await;
    let (call, _) = answered(&mut portal, "e1").await;
    portal.delivered("other", &call).await;
    portal.cancel(&call).await;
    assert_eq!(ids(&portal.take(CHAT, "prompt").await), ["e1"]);
}
