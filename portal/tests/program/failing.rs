//! An extension that cannot start: its data is damaged, or newer than it knows.

use crate::chat::{Chat, show};
use crate::program::{Program, until};
use serde_json::{Value, json};

async fn fails_with(spoil: impl Fn(&std::path::Path)) -> (String, String) {
    let mut portal = Program::start().await;
    portal.runs().await;
    portal.kill().await;
    let folder = portal.folder;
    let data = folder.path().join("extensions/inline-ui");
    spoil(&data);
    let portal = Program::over(folder).await;
    let shown = until("a failure that is shown", async || {
        let shown = portal.shown().await;
        (shown["state"] == "failed").then(|| shown["error"].as_str().unwrap().to_owned())
    })
    .await;
    // Every look finds the reason, whether it is just being started again or not.
    for _ in 0..20 {
        assert_eq!(portal.shown().await["error"], json!(shown));
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
    }
    let chat = Chat::begin(&portal, &show(&json!({}))).await;
    chat.idle().await;
    let items = chat.items().await;
    let call: &Value = items.iter().find(|item| item["kind"] == "call").unwrap();
    assert_eq!(call["status"], "failed");
    (shown, call["result"]["text"].as_str().unwrap().to_owned())
}

fn database(data: &std::path::Path) -> std::path::PathBuf {
    let files = std::fs::read_dir(data).unwrap().flatten().map(|file| file.path());
    let mut databases = files.filter(|file| {
        file.extension().is_some_and(|it| it.to_string_lossy().starts_with("sqlite"))
            || file.extension().is_some_and(|it| it == "db")
    });
    databases.next().unwrap()
}

#[tokio::test]
async fn a_damaged_database_is_told_in_settings_and_in_the_call_that_fails() {
    let (shown, told) = fails_with(|data| {
        let file = database(data);
        for end in ["-wal", "-shm"] {
            let mut beside = file.clone().into_os_string();
            beside.push(end);
            let _ = std::fs::remove_file(beside);
        }
        std::fs::write(file, "not a database, but long enough to be looked at".repeat(200))
            .unwrap();
    })
    .await;
    assert!(shown.contains("not a database"), "{shown}");
    assert!(told.starts_with("the extension is not running: "), "{told}");
    assert!(told.contains("not a database"), "{told}");
}
