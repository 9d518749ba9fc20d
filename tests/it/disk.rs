//! A data folder that is full, read-only, damaged or of a newer program: refusals in words, and
//! nothing that was acknowledged lost.

use crate::harness::{
    CHAT, Card, Disk, Http, Portal, Program, initialize_params, spawn, spawn_with_errors,
};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[tokio::test]
async fn a_full_disk_is_refused_in_words_and_once_there_is_room_it_goes_on() {
    let Some(disk) = Disk::mount(2_048).map(Arc::new) else { return };
    let mut portal = Portal::start_on(&disk).await;
    portal.show(CHAT, json!({ "events": [{ "name": "a" }, { "name": "b" }] })).await;
    let card = portal.page(CHAT).open("c1").await;
    card.emit("a", json!("before")).await.accepted();
    disk.fill();

    let (kept, refused) = events_until_refused(&card).await;
    let html = "x".repeat(200_000);
    let show = portal.tool(CHAT, "ui_show", json!({ "title": "T", "html": html })).await;
    assert_eq!(show.code(), Some("storage_unavailable"), "{}", show.text);
    assert!(show.text.contains("full"), "{}", show.text);
    let update = portal.tool(CHAT, "ui_update", json!({ "card": "c1", "html": html })).await;
    assert_eq!(update.code(), Some("storage_unavailable"));
    assert!(portal.program.is_running());
    assert_eq!(portal.http.get("/healthz").await.status, 200);
    assert_eq!(portal.page(CHAT).cards().await.len(), 1);
    assert!(portal.page(CHAT).open("c1").await.document().ends_with("<p>card</p>"));

    disk.make_room();
    card.event(refused.clone()).await.accepted();
    assert_eq!(portal.show(CHAT, json!({ "html": html })).await, "c2");
    portal.kill_and_restart().await;
    let mut had = Vec::new();
    let messages = portal.collect(CHAT, "prompt", &mut had).await;
    let counts: u64 = messages
        .iter()
        .flat_map(|message| message["details"]["events"].as_array().unwrap())
        .map(|event| event["count"].as_u64().unwrap())
        .sum();
    assert_eq!(counts, 1 + kept + 1, "the one before, those while it filled up, the one refused");
    assert_eq!(portal.page(CHAT).cards().await.len(), 2);
}

/// Sends events until the disk takes no more: how many it took, and the body of the first it did not.
async fn events_until_refused(card: &Card) -> (u64, String) {
    for n in 0..19 {
        let body = json!({ "id": format!("full-{n}"), "load": card.load, "name": "b",
            "data": "x".repeat(30_000) })
        .to_string();
        let reply = card.event(body.clone()).await;
        if reply.status != 202 {
            reply.refused(503, "storage_unavailable");
            assert!(reply.json()["detail"].as_str().unwrap().contains("full"), "{reply:?}");
            return (n, body);
        }
    }
    panic!("the disk never filled up");
}

#[tokio::test]
async fn a_message_that_a_full_disk_cannot_keep_is_not_handed_over_and_is_there_later() {
    let Some(disk) = Disk::mount(1_024).map(Arc::new) else { return };
    let mut portal = Portal::start_on(&disk).await;
    portal.show(CHAT, json!({ "events": [{ "name": "a" }, { "name": "b" }] })).await;
    let card = portal.page(CHAT).open("c1").await;
    card.emit("a", json!("x".repeat(30_000))).await.accepted();
    disk.fill();
    events_until_refused(&card).await;
    let take = json!({ "chat": CHAT, "at": "prompt" });
    let refused = portal.link.request("outbox/take", take).await.unwrap_err();
    assert!(refused.message.contains("full"), "null would say that there is nothing: {refused:?}");
    disk.make_room();
    let message = portal.take(CHAT, "prompt").await;
    portal.kill_and_restart().await;
    assert_eq!(portal.take(CHAT, "prompt").await.to_string(), message.to_string());
}

#[tokio::test]
async fn a_read_only_data_folder_ends_the_process_with_1_and_its_name_and_loses_nothing() {
    let Some(disk) = Disk::mount(4_096).map(Arc::new) else { return };
    let mut portal = Portal::start_on(&disk).await;
    portal.show(CHAT, json!({ "events": [{ "name": "a" }] })).await;
    portal.page(CHAT).open("c1").await.emit("a", json!("kept")).await.accepted();
    assert_eq!(portal.request("shutdown", json!({})).await, Ok(Value::Null));
    assert!(portal.program.ended().await.success());
    disk.remount("ro");

    let (program, mut link) = disk.spawn();
    let params = initialize_params(disk.folder.path(), &json!({}));
    let refused = link.request("initialize", params).await.unwrap_err();
    let database = disk.folder.path().join("inline-ui.db");
    assert!(refused.message.contains(database.to_str().unwrap()), "{}", refused.message);
    drop(link);
    ended_with_1(program, &database).await;
    let folder = disk.folder.path().to_str().unwrap();
    let ended = disk.run(&["portal", "--listen", "127.0.0.1:0", "--data", folder]);
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!((ended.status.code(), said.lines().count()), (Some(1), 1), "{said}");
    assert!(said.contains(folder), "{said}");

    disk.remount("rw");
    portal.kill_and_restart().await;
    let message = portal.take(CHAT, "prompt").await;
    assert!(message["text"].as_str().unwrap().contains("\"kept\""), "{message}");
}

/// A database with enough in it that every page of a table or an index matters.
async fn with_database() -> (Portal, PathBuf) {
    let mut portal = Portal::start().await;
    for n in 0..30 {
        let html = format!("<p>{}</p>", "x".repeat(3_000 + n));
        portal.show(CHAT, json!({ "html": html, "events": [{ "name": "a" }] })).await;
    }
    portal.page(CHAT).open("c1").await.emit("a", json!(1)).await.accepted();
    assert_eq!(portal.request("shutdown", json!({})).await, Ok(Value::Null));
    assert!(portal.program.ended().await.success());
    let database = portal.data().join("inline-ui.db");
    (portal, database)
}

#[tokio::test]
async fn a_database_that_cannot_be_used_is_named_ends_the_process_with_1_and_is_left_to_the_byte() {
    let (portal, database) = with_database().await;
    let sound = fs::read(&database).unwrap();
    let with = |from: usize, bytes: &[u8]| {
        let mut damaged = sound.clone();
        damaged[from..from + bytes.len()].copy_from_slice(bytes);
        damaged
    };
    let kinds = [
        ("another header", with(0, &[b'x'; 100])),
        ("a header cut off", sound[..50].to_vec()),
        ("half a file", sound[..sound.len() / 2].to_vec()),
        ("no table of contents", with(100, &[0xff; 3_000])),
        ("a newer schema", with(60, &[0, 0, 0, 99])),
    ];
    for (kind, bytes) in kinds {
        fs::write(&database, &bytes).unwrap();
        let (program, mut link) = spawn_with_errors();
        let params = initialize_params(portal.data(), &json!({}));
        let refused = link.request("initialize", params).await.err();
        let refused = refused.unwrap_or_else(|| panic!("{kind} was taken for a database"));
        assert!(refused.message.contains(database.to_str().unwrap()), "{kind}: {refused:?}");
        drop(link);
        ended_with_1(program, &database).await;
        assert!(fs::read(&database).unwrap() == bytes, "{kind}: the file was written to");
    }
    fs::write(&database, &sound).unwrap();
    let mut portal = portal;
    portal.kill_and_restart().await;
    assert_eq!(portal.page(CHAT).cards().await.len(), 30);
}

#[tokio::test]
async fn a_page_of_garbage_is_refused_in_words_where_it_is_met_and_the_rest_is_served() {
    let (portal, database) = with_database().await;
    let sound = fs::read(&database).unwrap();
    let pages = sound.len() / 4_096;
    let (mut refused, mut served) = (0, 0);
    for page in (1..pages).step_by(pages / 8) {
        let mut bytes = sound.clone();
        bytes[page * 4_096..(page + 1) * 4_096].fill(0xa5);
        fs::write(&database, &bytes).unwrap();
        let (mut program, mut link) = spawn();
        let params = initialize_params(portal.data(), &json!({}));
        let http = match link.request("initialize", params).await {
            Ok(initialized) => Http::of(&initialized["http"]),
            Err(told) => {
                assert!(told.message.contains(database.to_str().unwrap()), "{}", told.message);
                refused += 1;
                continue;
            }
        };
        for card in 1..=30 {
            let reply = http.post(&format!("/chats/{CHAT}/cards/c{card}/loads"), "{}").await;
            if reply.status == 200 {
                served += 1;
                continue;
            }
            reply.refused(503, "storage_unavailable");
            let detail = reply.json()["detail"].to_string();
            assert!(detail.contains(database.to_str().unwrap()), "{detail}");
            refused += 1;
        }
        assert_eq!(http.get("/healthz").await.status, 200);
        assert_eq!(link.request("shutdown", json!({})).await, Ok(Value::Null));
        assert!(program.ended().await.success());
    }
    assert!(refused > 0 && served > 0, "{refused} refused, {served} served");
}

async fn ended_with_1(program: Program, database: &Path) {
    let output = program.output().await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let line = String::from_utf8(output.stderr).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(line.contains(database.to_str().unwrap()), "{line}");
}
