//! An extension that cannot start: its data is damaged, or newer than it knows.

use crate::chat::{Chat, show};
use crate::program::{Program, until};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

async fn fails_with(spoil: impl Fn(&Path)) -> (String, String) {
    let mut portal = Program::start().await;
    portal.runs().await;
    // Killed, its extension would still be writing.
    portal.end().await;
    let folder = portal.folder;
    spoil(&folder.path().join("extension-data/inline-ui/inline-ui.db"));
    let portal = Program::over(folder).await;
    let shown = until("a failure that is shown", async || {
        let shown = portal.shown().await;
        (shown["state"] == "failed").then(|| shown["error"].as_str().unwrap().to_owned())
    })
    .await;
    // Every look finds the reason, whether it is just being started again or not.
    for _ in 0..20 {
        assert_eq!(portal.shown().await["error"], json!(shown));
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    let chat = Chat::begin(&portal, &show(&json!({}))).await;
    chat.idle().await;
    let items = chat.items().await;
    let call: &Value = items.iter().find(|item| item["kind"] == "call").unwrap();
    assert_eq!(call["status"], "failed");
    (shown, call["result"]["text"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_damaged_database_is_told_in_settings_and_in_the_call_that_fails() {
    let (shown, told) = fails_with(|database| {
        let garbage = "not a database, but long enough to be looked at".repeat(200);
        std::fs::write(database, garbage).unwrap();
    })
    .await;
    assert!(shown.contains("is damaged (file is not a database)"), "{shown}");
    assert_eq!(told, format!("the extension is not running: {shown}"));
}

#[tokio::test]
async fn a_database_of_a_newer_program_is_told_the_same_way() {
    let (shown, told) = fails_with(|database| {
        let raw = rusqlite::Connection::open(database).unwrap();
        raw.pragma_update(None, "user_version", 99).unwrap();
    })
    .await;
    assert!(shown.contains("99"), "{shown}");
    assert_eq!(told, format!("the extension is not running: {shown}"));
}
