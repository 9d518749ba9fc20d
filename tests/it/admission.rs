//! Rule 1: which events are taken, and in which order they are refused.

use crate::harness::{CHAT, Portal, event_id};
use futures_util::future::join_all;
use serde_json::{Value, json};

fn body(load: &str, name: &str, data: &Value) -> Value {
    json!({ "id": event_id(), "load": load, "name": name, "data": data })
}

#[tokio::test]
async fn an_event_of_no_card_is_not_found_and_one_of_a_card_is_taken() {
    let (_portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    let load = page.open("c1").await.load;
    for card in ["c2", "c0", "c01", "card", "c99999999999"] {
        page.post(card, "events", body(&load, "a", &json!(1))).await.refused(404, "unknown_card");
    }
    page.post("c1", "events", body(&load, "a", &json!(1))).await.accepted();
}

#[tokio::test]
async fn an_event_of_a_chat_nobody_heard_of_is_not_found() {
    let (portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    let load = page.open("c1").await.load;
    let reply = portal.page("nobody").post("c1", "events", body(&load, "a", &json!(1))).await;
    let (status, code) = reply.problem();
    assert_eq!(status, 404);
    assert!(["unknown_chat", "unknown_card"].contains(&code.as_str()), "{code}");
}

#[tokio::test]
async fn the_same_event_three_times_is_one_delivery_and_the_same_answer() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "x" }])).await;
    portal.agent(CHAT, "idle").await;
    let card = page.open("c1").await;
    let replies = join_all((0..3).map(|_| card.emit_as("e1", "x", json!({ "n": 1 })))).await;
    for reply in &replies {
        assert_eq!(reply.accepted(), "next_message");
    }
    let message = portal.take(CHAT, "prompt").await;
    assert_eq!(
        message["details"]["events"],
        json!([{ "id": "e1", "card": "c1", "name": "x", "count": 1 }])
    );
    portal.delivered(CHAT, message["id"].as_str().unwrap()).await;
    assert_eq!(card.emit_as("e1", "x", json!({ "n": 2 })).await.accepted(), "next_message");
    assert!(portal.take(CHAT, "prompt").await.is_null());
    card.emit_as("e2", "x", json!({ "n": 2 })).await.accepted();
    assert!(portal.take(CHAT, "prompt").await.is_object());
}

#[tokio::test]
async fn an_event_that_answered_a_wait_is_known_when_it_comes_again() {
    let mut portal = Portal::start().await;
    let (call, wait, id) = portal.ask(CHAT, json!({ "event": "ok" })).await;
    let card = portal.page(CHAT).open(&id).await;
    for _ in 0..3 {
        assert_eq!(card.emit_as("e1", "ok", json!(1)).await.accepted(), "answered");
    }
    assert_eq!(portal.result(&wait).await.structured["outcome"], "answered");
    portal.delivered(CHAT, &call).await;
    assert!(portal.take(CHAT, "prompt").await.is_null());
}

#[tokio::test]
async fn an_event_of_an_older_document_is_stale_and_one_of_the_new_document_is_taken() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    let old = page.open("c1").await;
    old.emit("a", json!(1)).await.accepted();
    portal.tool(CHAT, "ui_update", json!({ "card": "c1", "html": "<p>new</p>" })).await;
    old.emit("a", json!(2)).await.refused(409, "stale_load");
    page.open("c1").await.emit("a", json!(3)).await.accepted();
    let message = portal.take(CHAT, "prompt").await;
    assert_eq!(message["details"]["events"][0]["count"], 2);
}

#[tokio::test]
async fn a_post_or_a_new_title_makes_no_load_stale() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    let card = page.open("c1").await;
    portal.tool(CHAT, "ui_update", json!({ "card": "c1", "data": 1, "title": "New" })).await;
    card.emit("a", json!(1)).await.accepted();
}

#[tokio::test]
async fn a_load_of_another_card_or_of_none_is_stale() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    portal.show(CHAT, json!({ "events": [{ "name": "a" }] })).await;
    portal.show("other", json!({ "events": [{ "name": "a" }] })).await;
    let of_another = page.load("c2").await["load"].as_str().unwrap().to_owned();
    let of_another_chat =
        portal.page("other").load("c1").await["load"].as_str().unwrap().to_owned();
    for load in [of_another.as_str(), &of_another_chat, "", "nonsense"] {
        page.post("c1", "events", body(load, "a", &json!(1))).await.refused(409, "stale_load");
    }
    page.post("c2", "events", body(&of_another, "a", &json!(1))).await.accepted();
}

#[tokio::test]
async fn a_load_from_before_a_restart_is_taken() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    let load = page.open("c1").await.load;
    portal.kill_and_restart().await;
    portal
        .page(CHAT)
        .post("c1", "events", body(&load, "a", &json!("typed before")))
        .await
        .accepted();
    assert!(portal.take(CHAT, "prompt").await["text"].as_str().unwrap().contains("typed before"));
}

#[tokio::test]
async fn an_event_once_taken_closes_its_name_for_good() {
    let (mut portal, page) =
        Portal::with_card(json!([{ "name": "order", "once": true }, { "name": "other" }])).await;
    let card = page.open("c1").await;
    let replies = join_all((0..4).map(|_| card.emit("order", json!({ "n": 1 })))).await;
    assert_eq!(replies.iter().filter(|reply| reply.status == 202).count(), 1);
    for refused in replies.iter().filter(|reply| reply.status != 202) {
        refused.refused(409, "event_spent");
    }
    assert_eq!(page.card("c1").await["events"][0]["spent"], true);
    portal.kill_and_restart().await;
    let card = portal.page(CHAT).open("c1").await;
    card.emit("order", json!(2)).await.refused(409, "event_spent");
    card.emit("other", json!(2)).await.accepted();
    let events = &portal.take(CHAT, "prompt").await["details"]["events"];
    assert_eq!((&events[0]["name"], &events[0]["count"]), (&json!("order"), &json!(1)));
}

#[tokio::test]
async fn an_undeclared_name_is_refused_and_a_declared_one_is_taken() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "submit" }])).await;
    let card = page.open("c1").await;
    let refused = card.emit("submitted", json!(1)).await;
    refused.refused(409, "undeclared_event");
    assert!(refused.json()["detail"].as_str().unwrap().contains("submitted"));
    card.emit("submit", json!(1)).await.accepted();
    assert_eq!(portal.take(CHAT, "prompt").await["details"]["events"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_closed_card_takes_nothing_whoever_closed_it() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    portal.show(CHAT, json!({ "events": [{ "name": "a" }] })).await;
    let (one, two) = (page.open("c1").await, page.open("c2").await);
    one.emit_as("before", "a", json!(1)).await.accepted();
    portal.tool(CHAT, "ui_close", json!({ "card": "c1" })).await;
    page.close("c2").await.ok();
    for card in [&one, &two] {
        card.emit("a", json!(1)).await.refused(409, "card_closed");
    }
    one.emit_as("before", "a", json!(1)).await.accepted();
}

#[tokio::test]
async fn refusals_come_in_the_contracts_order() {
    let (mut portal, page) =
        Portal::with_card(json!([{ "name": "a" }, { "name": "o", "once": true }])).await;
    let card = page.open("c1").await;
    card.emit("o", json!(1)).await.accepted();
    let deep: Value =
        serde_json::from_str(&format!("{}{}", "[".repeat(65), "]".repeat(65))).unwrap();
    let large = json!("x".repeat(32_768));
    // Each is wrong in its own way and in every later one.
    card.emit("a", deep.clone()).await.refused(422, "data_too_deep");
    card.emit("a", large.clone()).await.refused(413, "data_too_large");
    card.emit("o", deep.clone()).await.refused(409, "event_spent");
    card.emit("b", deep.clone()).await.refused(409, "undeclared_event");
    page.close("c1").await.ok();
    card.emit("b", deep.clone()).await.refused(409, "card_closed");
    page.post("c1", "events", body("nonsense", "b", &deep)).await.refused(409, "stale_load");
    page.post("c7", "events", body("nonsense", "b", &deep)).await.refused(404, "unknown_card");
    portal.flush().await;
}

#[tokio::test]
async fn a_refused_event_spends_no_rate_and_may_come_again_under_its_id() {
    let (_portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    let card = page.open("c1").await;
    for _ in 0..40 {
        card.emit_as("e1", "b", json!(1)).await.refused(409, "undeclared_event");
    }
    card.emit_as("e1", "a", json!(1)).await.accepted();
    let replies = join_all((0..19).map(|_| card.emit("a", json!(1)))).await;
    assert!(replies.iter().all(|reply| reply.status == 202), "all of the twenty are left");
}
