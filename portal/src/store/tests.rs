use super::{Ack, Change, ChatEntry, Leaving, PackageRow, Row, Store, StoreError};
use std::sync::Arc;

fn row(id: i64, position: Option<i64>, body: &str) -> Row {
    Row { id, position, at: 1, kind: "person".to_owned(), body: body.to_owned() }
}

fn entry(id: &str, at: i64) -> ChatEntry {
    ChatEntry { id: id.to_owned(), title: id.to_owned(), at }
}

#[tokio::test]
async fn what_was_saved_is_there_after_the_file_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite3");
    let store = Store::open(&path).unwrap();
    store.create_chat(entry("a", 1), vec![row(1, None, "queued")]).await.unwrap();
    store.create_chat(entry("b", 2), vec![]).await.unwrap();
    let change = Change {
        rows: vec![row(2, Some(1), "first")],
        ack: Some(Ack { extension: "x".to_owned(), id: "m1".to_owned() }),
        working: Some(true),
        title: None,
        at: Some(3),
    };
    store.save("a".to_owned(), change).await.unwrap();
    store.close().await;
    assert!(matches!(store.chats().await, Err(StoreError::Closed)));

    let store = Store::open(&path).unwrap();
    assert_eq!(store.chats().await.unwrap(), [ChatEntry { at: 3, ..entry("a", 3) }, entry("b", 2)]);
    let loaded = store.load_chat("a".to_owned()).await.unwrap().unwrap();
    assert!(loaded.working);
    assert_eq!(loaded.rows, [row(2, Some(1), "first"), row(1, None, "queued")]);
    let acks = async |of: &str| store.acks(of.to_owned()).await.unwrap();
    assert_eq!(acks("x").await, [("a".to_owned(), "m1".to_owned())]);
    assert_eq!(acks("y").await, []);
    assert_eq!(store.unfinished_chats().await.unwrap(), ["a"]);
    let owed =
        store.delete_chat("a".to_owned(), vec!["x".to_owned(), "y".to_owned()]).await.unwrap();
    assert_eq!(acks("x").await, []);
    assert_eq!(store.owed("x".to_owned()).await.unwrap(), owed[..1]);
    assert_eq!(store.owed("y".to_owned()).await.unwrap(), owed[1..]);
}

#[tokio::test]
async fn writes_at_the_same_time_all_arrive_and_one_that_fails_takes_no_other_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(Store::open(&folder.path().join("a.sqlite3")).unwrap());
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..300 {
        let store = Arc::clone(&store);
        // Every third has the id of the one before it.
        let id = format!("chat-{}", if n % 3 == 2 { n - 1 } else { n });
        tasks.spawn(async move {
            store.create_chat(entry(&id, n), vec![]).await.is_ok_and(|made| made)
        });
    }
    let done = tasks.join_all().await;
    assert_eq!(done.iter().filter(|ok| **ok).count(), 200);
    assert_eq!(store.chats().await.unwrap().len(), 200);
}

#[tokio::test]
async fn work_that_fails_half_way_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("a.sqlite3")).unwrap();
    let half = store.run(|c| {
        c.execute("INSERT INTO chats (id, title, at) VALUES ('half', '', 0)", [])?;
        c.execute("INSERT INTO nowhere DEFAULT VALUES", [])
    });
    assert!(half.await.is_err());
    assert_eq!(store.chats().await.unwrap(), []);
}

#[tokio::test]
async fn a_database_that_is_newer_broken_or_in_use_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite3");
    let store = Store::open(&path).unwrap();
    assert_eq!(Store::open(&path).unwrap_err().to_string(), "another portal is using it");
    store.close().await;
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.pragma_update(None, "user_version", 99).unwrap();
    drop(raw);
    let error = Store::open(&path).unwrap_err().to_string();
    assert!(error.contains("version 99"), "{error}");
    std::fs::write(&path, "not a database, but long enough to be looked at".repeat(50)).unwrap();
    assert!(Store::open(&path).unwrap_err().to_string().contains("not a database"));
}

#[tokio::test]
async fn what_was_owed_before_there_were_several_extensions_is_owed_to_the_one_there_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sqlite3");
    let raw = rusqlite::Connection::open(&path).unwrap();
    raw.execute_batch(super::schema::FIRST).unwrap();
    raw.execute_batch(
        "INSERT INTO chats (id, title, at) VALUES ('a', '', 0);
         INSERT INTO acks (chat, id) VALUES ('a', 'm1');
         INSERT INTO owed (method, params) VALUES ('chat/deleted', '{}');",
    )
    .unwrap();
    raw.pragma_update(None, "user_version", 1).unwrap();
    drop(raw);
    let store = Store::open(&path).unwrap();
    store.name_first_extension("x".to_owned()).await.unwrap();
    assert_eq!(store.acks("x".to_owned()).await.unwrap(), [("a".to_owned(), "m1".to_owned())]);
    assert_eq!(store.owed("x".to_owned()).await.unwrap().len(), 1);
    assert_eq!(store.owed("y".to_owned()).await.unwrap(), []);
}

#[tokio::test]
async fn a_package_is_kept_changed_and_forgotten_with_or_without_its_settings() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(&folder.path().join("a.sqlite3")).unwrap();
    let row = PackageRow {
        name: "x".to_owned(),
        source: "npm:x@^1".to_owned(),
        version: Some("1.0.0".to_owned()),
        previous: None,
        enabled: false,
        agreed: None,
        leaving: Leaving::No,
    };
    store.put_package(row.clone()).await.unwrap();
    let row = PackageRow { enabled: true, leaving: Leaving::WithData, ..row };
    store.put_package(row.clone()).await.unwrap();
    assert_eq!(store.packages().await.unwrap(), [row]);
    let set = || store.settings("x".to_owned());
    let change = |_| Ok::<_, ()>(("{}".to_owned(), ()));
    store.change_settings("x".to_owned(), change).await.unwrap().unwrap();
    store.forget_package("x".to_owned(), false).await.unwrap();
    assert_eq!(store.package("x".to_owned()).await.unwrap(), None);
    assert!(set().await.unwrap().is_some());
    store.forget_package("x".to_owned(), true).await.unwrap();
    assert!(set().await.unwrap().is_none());
}
