//! Section 10: what was acknowledged survives `kill -9`, at whatever moment it comes.

use crate::harness::{CHAT, Portal, within};
use serde_json::json;
use tokio::sync::mpsc;

#[tokio::test]
async fn every_event_that_got_its_202_before_a_kill_is_there_after_it() {
    for _ in 0..4 {
        let events: Vec<_> = (0..15).map(|n| json!({ "name": format!("e{n}") })).collect();
        let (mut portal, page) = Portal::with_card(json!(events)).await;
        let card = page.open("c1").await;
        let (acknowledge, mut acknowledged) = mpsc::unbounded_channel();
        for n in 0..15 {
            let (card, acknowledge) = (card.clone(), acknowledge.clone());
            tokio::spawn(async move {
                let name = format!("e{n}");
                // The kill cuts some of these off.
                if card.emit(&name, json!(n)).await.status == 202 {
                    let _ = acknowledge.send(name);
                }
            });
        }
        drop(acknowledge);
        let mut names = Vec::new();
        while names.len() < 5 {
            names.push(within("an acknowledged event", acknowledged.recv()).await.unwrap());
        }
        portal.program.kill().await;
        while let Some(name) = acknowledged.recv().await {
            names.push(name);
        }
        portal.kill_and_restart().await;
        let message = portal.take(CHAT, "prompt").await;
        let kept = message["details"]["events"].as_array().unwrap();
        for name in names {
            let of_it: Vec<_> = kept.iter().filter(|event| event["name"] == name).collect();
            assert_eq!(of_it.len(), 1, "{name}: {message}");
            assert_eq!(of_it[0]["count"], 1, "{name}");
        }
    }
}

#[tokio::test]
async fn an_event_whose_answer_was_lost_is_sent_again_under_its_id_and_counts_once() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    let card = page.open("c1").await;
    card.emit_as("e1", "a", json!(1)).await.accepted();
    let load = card.load;
    portal.kill_and_restart().await;
    let again = json!({ "id": "e1", "load": load, "name": "a", "data": 1 });
    portal.page(CHAT).post("c1", "events", again).await.accepted();
    let message = portal.take(CHAT, "prompt").await;
    assert_eq!(
        message["details"]["events"],
        json!([{ "id": "e1", "card": "c1", "name": "a", "count": 1 }])
    );
}

#[tokio::test]
async fn a_message_that_was_out_is_handed_out_again_with_its_id_and_its_bytes() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }, { "name": "b" }])).await;
    let card = page.open("c1").await;
    card.emit("a", json!({ "n": 1.10 })).await.accepted();
    let message = portal.take(CHAT, "step").await;
    card.emit("a", json!(2)).await.accepted();
    card.emit("b", json!(3)).await.accepted();
    for _ in 0..2 {
        portal.kill_and_restart().await;
        assert_eq!(portal.take(CHAT, "prompt").await.to_string(), message.to_string());
    }
    portal.delivered(CHAT, message["id"].as_str().unwrap()).await;
    let rest = portal.take(CHAT, "prompt").await;
    assert_ne!(rest["id"], message["id"]);
    assert_eq!(rest["details"]["events"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn message_ids_of_two_processes_are_never_the_same() {
    let (mut portal, _) = Portal::with_card(json!([{ "name": "a" }])).await;
    let mut ids = Vec::new();
    for n in 0..4 {
        portal.page(CHAT).open("c1").await.emit("a", json!(n)).await.accepted();
        let message = portal.take(CHAT, "prompt").await;
        let id = message["id"].as_str().unwrap().to_owned();
        portal.delivered(CHAT, &id).await;
        portal.take(CHAT, "prompt").await;
        assert!(!ids.contains(&id));
        ids.push(id);
        portal.kill_and_restart().await;
    }
}

#[tokio::test]
async fn a_database_that_is_damaged_while_it_runs_refuses_in_words() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    portal.restart().await;
    let database = std::fs::read_dir(portal.data()).unwrap().map(|entry| entry.unwrap().path());
    for file in database.filter(|path| path.is_file()) {
        let bytes = std::fs::metadata(&file).unwrap().len();
        std::fs::write(&file, vec![b'x'; usize::try_from(bytes.max(8_192)).unwrap()]).unwrap();
    }
    drop(page);
    let reply = portal.http.get("/chats/chat-1/cards").await;
    reply.refused(503, "storage_unavailable");
    let refused = portal.tool(CHAT, "ui_show", json!({ "title": "T", "html": "<p>x</p>" })).await;
    assert_eq!(refused.code(), Some("storage_unavailable"));
    assert_eq!(portal.http.get("/healthz").await.status, 200);
}

#[tokio::test]
async fn a_full_disk_refuses_in_words_and_loses_nothing_that_was_acknowledged() {
    let mut portal = Portal::start_on_a_disk_of(2_048).await;
    let html = format!("<p>{}</p>", "x".repeat(200_000));
    let mut shown = Vec::new();
    let refused = loop {
        assert!(shown.len() < 100, "the disk never filled up");
        let arguments = json!({ "title": shown.len().to_string(), "html": html });
        let result = portal.tool(CHAT, "ui_show", arguments).await;
        if result.is_error {
            break result;
        }
        shown.push(result.structured["card"].clone());
    };
    assert_eq!(refused.code(), Some("storage_unavailable"), "{}", refused.text);
    assert!(refused.text.contains("not"), "{}", refused.text);
    assert!(!shown.is_empty());
    let listed = |cards: Vec<serde_json::Value>| {
        cards.into_iter().map(|card| card["id"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(listed(portal.page(CHAT).cards().await), shown, "the refused card is not there");
    portal.kill_and_restart().await;
    let page = portal.page(CHAT);
    assert_eq!(listed(page.cards().await), shown);
    let last = shown.last().unwrap().as_str().unwrap();
    assert!(page.open(last).await.document().ends_with(&html));
    portal.show(CHAT, json!({})).await;
}
