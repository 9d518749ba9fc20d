//! Fork, delete and the two hundred cards, through the portal's own interface.

use crate::chat::{Chat, show};
use crate::http::ask;
use crate::program::{Program, signal, until};
use hyper::Method;
use serde_json::{Value, json};

async fn fork<'a>(chat: &Chat<'a>) -> Chat<'a> {
    let path = format!("/api/chats/{}/fork", chat.id);
    let copy = chat.portal.post(&path, json!({})).await.ok();
    Chat { portal: chat.portal, id: copy["id"].as_str().unwrap().to_owned() }
}

async fn delete(portal: &Program, chat: &str) {
    portal.ask(Method::DELETE, &format!("/api/chats/{chat}"), Value::Null).await.ok();
}

async fn draws(chat: &Chat<'_>, card: &str) -> bool {
    let frame = chat.load(card).await["frame"].as_str().unwrap().to_owned();
    // On loopback, frames are at the other name of the same address.
    let at = frame.find("/ext/").unwrap();
    let host = &chat.portal.address;
    let reply = ask(host, Method::GET, &frame[at..], &Value::Null).await.unwrap();
    reply.status == 200 && String::from_utf8_lossy(&reply.body).contains("card")
}

#[tokio::test]
async fn a_fork_has_closed_copies_that_draw_and_take_no_events() {
    let portal = Program::start().await;
    let chat = Chat::with_card(&portal, &json!([{ "name": "a" }])).await;
    chat.emit("c1", "e1", "a", json!(1)).await.ok();
    let copy = fork(&chat).await;
    let card = copy.card_that("c1", |_| true).await;
    assert_eq!((&card["open"], &card["closedBy"]), (&json!(false), &json!("fork")));
    assert_eq!(card["state"], Value::Null);
    assert!(draws(&copy, "c1").await);
    let refused = copy.emit("c1", "e2", "a", json!(2)).await;
    assert_eq!(refused.refusal(), (409, "card_closed".to_owned()));
    assert!(copy.asks("hello").await.contains("scripted demo"));
    // The original goes on, with its own event.
    assert_eq!(chat.emit("c1", "e2", "a", json!(2)).await.status, 202);
    assert!(chat.asks("hello").await.starts_with("You did a ×2: `2`"));
}

#[tokio::test]
async fn a_deleted_chat_leaves_no_card_no_outbox_and_no_transcript() {
    let portal = Program::start().await;
    let kept = Chat::with_card(&portal, &json!([{ "name": "a" }])).await;
    let chat = Chat::with_card(&portal, &json!([{ "name": "a" }])).await;
    chat.emit("c1", "e1", "a", json!(1)).await.ok();
    chat.say(&show(&json!({ "wait": { "event": "ok" } }))).await;
    chat.card_that("c2", |card| !card["waiting"].is_null()).await;
    delete(&portal, &chat.id).await;
    let path = format!("/api/chats/{}", chat.id);
    let gone = portal.ask(Method::GET, &path, Value::Null).await;
    assert_eq!(gone.refusal(), (404, "unknown_chat".to_owned()));
    until("a chat without cards", async || chat.cards().await.is_empty().then_some(())).await;
    assert_eq!(kept.cards().await.len(), 1);
    assert_eq!(portal.get("/api/chats").await["chats"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn an_extension_that_hung_or_died_meanwhile_hears_of_both_when_it_is_back() {
    let mut portal = Program::start().await;
    let ids = {
        let chat = Chat::with_card(&portal, &json!([{ "name": "a" }])).await;
        let other = Chat::with_card(&portal, &json!([{ "name": "a" }])).await;
        // The lines are written, and never read.
        let extension = portal.extension().await;
        signal(extension, "-STOP").await;
        let copy = fork(&chat).await;
        delete(&portal, &other.id).await;
        portal.kill_extension(extension).await;
        let copied = async || copy.card("c1").await.filter(|card| card["closedBy"] == "fork");
        until("the copy's card", copied).await;
        until("no card", async || other.cards().await.is_empty().then_some(())).await;
        let extension = portal.extension().await;
        signal(extension, "-STOP").await;
        delete(&portal, &chat.id).await;
        signal(extension, "-KILL").await;
        (chat.id, copy.id)
    };
    // This time the portal dies with what it owes.
    portal.kill_and_restart().await;
    portal.runs().await;
    let chat = Chat { portal: &portal, id: ids.0 };
    until("no card", async || chat.cards().await.is_empty().then_some(())).await;
    let copy = Chat { portal: &portal, id: ids.1 };
    assert_eq!(copy.cards().await.len(), 1, "told once: the copy is not made again from nothing");
}

#[tokio::test]
async fn the_201st_card_drops_the_first_and_a_wait_on_it_ends_closed() {
    let portal = Program::start().await;
    let wait = show(&json!({ "title": "First", "wait": { "event": "ok" } }));
    let chat = Chat::begin(&portal, &wait).await;
    chat.card_that("c1", |card| !card["waiting"].is_null()).await;
    chat.stop().await;
    let lines: Vec<String> = (0..199).map(|_| show(&json!({}))).collect();
    chat.say(&lines.join("\n")).await;
    chat.idle().await;
    let cards = chat.cards().await;
    assert_eq!((cards.len(), &cards[0]["id"]), (200, &json!("c1")));
    // The oldest waits again: it is evicted by the card that is shown beside it.
    delete(&portal, &chat.id).await;
    let chat = Chat::begin(
        &portal,
        &[vec![wait], lines.clone(), vec![show(&json!({}))]].concat().join("\n"),
    )
    .await;
    chat.idle().await;
    let cards = chat.cards().await;
    assert_eq!((cards.len(), &cards[0]["id"]), (200, &json!("c2")));
    let items = chat.items().await;
    let first = items.iter().find(|item| item["kind"] == "call").unwrap();
    assert_eq!(first["result"]["structured"]["outcome"], "closed", "{first}");
}
