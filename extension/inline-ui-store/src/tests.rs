use super::*;
use inline_ui_core::{
    CallId, CardError, CardErrorKind, CardRecord, ChatRecord, ClosedBy, DeclaredEvent,
    DeliveryState, Entry, EventId, Message, Subject,
};
use std::collections::BTreeMap;
use std::path::Path;

fn chat(name: &str) -> ChatId {
    ChatId::parse(name).unwrap()
}

fn card(id: u32) -> CardRecord {
    let call = CallId::parse(&format!("call-{id}")).unwrap();
    let event: DeclaredEvent =
        serde_json::from_value(serde_json::json!({ "name": "a", "debounceMs": 0, "once": true }))
            .unwrap();
    CardRecord {
        id: CardId(id),
        anchor: call.clone(),
        call,
        title: "Карта \u{1F600}".into(),
        events: vec![event],
        closed_by: None,
        at: 5,
        revision: 2,
        heights: BTreeMap::from([(3, 400)]),
        unanswered: true,
        posts: 1,
        fallback: Some("text".into()),
        errors: vec![CardError {
            kind: CardErrorKind::Rejection,
            text: "\u{2028}".into(),
            line: Some(3),
            column: None,
        }],
        stuck: true,
    }
}

fn entry(seq: u64, wake: bool) -> Entry {
    Entry {
        seq,
        card: CardId(1),
        title: "T".into(),
        subject: Subject::Event(inline_ui_core::EventName::parse("a").unwrap()),
        id: EventId::parse("e1").unwrap(),
        count: 3,
        data: r#"{"a":"\u0000"}"#.into(),
        wake,
        gave_back: vec![CallId::parse("call-9").unwrap()],
    }
}

fn message(seq: u64) -> Message {
    Message {
        id: format!("m-{seq}"),
        seq,
        summary: "UI: T · a".to_owned(),
        text: "text\nwith lines".to_owned(),
        details: r#"{"id":"m-1","events":[]}"#.into(),
        cards: vec![CardId(1)],
        wake: false,
    }
}

fn shown(id: u32) -> Vec<Write> {
    vec![
        Write::Chat(ChatRecord { next_card: id + 1, woken_at: Some(7) }),
        Write::Card(card(id)),
        Write::Document { card: CardId(id), html: format!("<p>{id}</p>").into() },
        Write::Post { card: CardId(id), data: "[1]".into() },
    ]
}

/// Runs the same test over both stores; the second run of the `SQLite` one reads what the first left on disk.
async fn on_both<F: AsyncFn(&dyn Fn() -> Both)>(test: F) {
    let folder = tempfile::tempdir().unwrap();
    let memory = Arc::new(MemoryStore::default());
    test(&|| Both::Memory(memory.clone())).await;
    test(&|| Both::Sqlite(Box::new(SqliteStore::open(folder.path()).unwrap()))).await;
}

enum Both {
    Memory(Arc<MemoryStore>),
    Sqlite(Box<SqliteStore>),
}

impl Both {
    async fn commit(&self, to: &str, writes: Vec<Write>) {
        match self {
            Self::Memory(store) => store.commit(chat(to), writes).await,
            Self::Sqlite(store) => store.commit(chat(to), writes).await,
        }
        .unwrap();
    }

    async fn load(&self, from: &str) -> Snapshot {
        match self {
            Self::Memory(store) => store.load(chat(from)).await,
            Self::Sqlite(store) => store.load(chat(from)).await,
        }
        .unwrap()
    }

    async fn document(&self, from: &str, card: u32) -> Option<Document> {
        match self {
            Self::Memory(store) => store.document(chat(from), CardId(card)).await,
            Self::Sqlite(store) => store.document(chat(from), CardId(card)).await,
        }
        .unwrap()
    }

    async fn waking(&self) -> Vec<ChatId> {
        match self {
            Self::Memory(store) => store.waking().await,
            Self::Sqlite(store) => store.waking().await,
        }
        .unwrap()
    }
}

#[tokio::test]
async fn what_is_written_is_read_back_whole_by_the_next_opening() {
    on_both(async |open| {
        let id = EventId::parse("e1").unwrap();
        let mut writes = shown(1);
        writes.push(Write::AcceptedId {
            card: CardId(1),
            id: id.clone(),
            state: DeliveryState::NextStep,
        });
        writes.push(Write::Entry { entry: entry(4, false), offered_to: None });
        writes.push(Write::Entry {
            entry: entry(5, false),
            offered_to: CallId::parse("call-1").ok(),
        });
        writes.push(Write::Message(Arc::new(message(2))));
        open().commit("one", writes).await;
        let snapshot = open().load("one").await;
        assert_eq!(snapshot.chat, Some(ChatRecord { next_card: 2, woken_at: Some(7) }));
        assert_eq!(snapshot.cards, [(card(1), vec![(id, DeliveryState::NextStep)])]);
        assert_eq!(snapshot.entries, [entry(4, false)]);
        assert_eq!(snapshot.answers, [(CallId::parse("call-1").unwrap(), entry(5, false))]);
        assert_eq!(snapshot.messages, [message(2)]);
        let document = Document { html: "<p>1</p>".to_owned(), post: Some("[1]".to_owned()) };
        assert_eq!(open().document("one", 1).await, Some(document));
        assert_eq!(open().document("one", 2).await, None);
        assert_eq!(open().load("two").await, Snapshot::default());
    })
    .await;
}

#[tokio::test]
async fn entries_and_messages_go_when_they_are_done() {
    on_both(async |open| {
        let store = open();
        store.commit("one", shown(1)).await;
        store.commit("one", vec![Write::Entry { entry: entry(4, true), offered_to: None }]).await;
        assert_eq!(store.waking().await, [chat("one")]);
        store
            .commit("one", vec![Write::RemoveEntry(4), Write::Message(Arc::new(message(4)))])
            .await;
        assert_eq!(store.waking().await, []);
        assert_eq!(store.load("one").await.entries, []);
        store.commit("one", vec![Write::RemoveMessage("m-4".to_owned())]).await;
        assert_eq!(store.load("one").await.messages, []);
    })
    .await;
}

#[tokio::test]
async fn the_last_256_accepted_ids_of_a_card_are_kept() {
    on_both(async |open| {
        let store = open();
        store.commit("one", shown(1)).await;
        let accepted = |n: u32| Write::AcceptedId {
            card: CardId(1),
            id: EventId::parse(&format!("e{n}")).unwrap(),
            state: DeliveryState::NextStep,
        };
        store.commit("one", (0..300).map(accepted).collect()).await;
        let ids = store.load("one").await.cards.remove(0).1;
        assert_eq!((ids.len(), ids[0].0.as_str(), ids[255].0.as_str()), (256, "e44", "e299"));
    })
    .await;
}

#[tokio::test]
async fn ids_of_many_cards_in_turn_do_not_pile_up_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    store.commit(chat("one"), (1..=64).flat_map(shown).collect()).await.unwrap();
    let accepted = |n: u32| Write::AcceptedId {
        card: CardId(n % 64 + 1),
        id: EventId::parse(&format!("e{n}")).unwrap(),
        state: DeliveryState::NextStep,
    };
    store.commit(chat("one"), (0..64 * 2_000).map(accepted).collect()).await.unwrap();
    let kept = store.load(chat("one")).await.unwrap();
    assert!(kept.cards.iter().all(|(_, ids)| ids.len() == 256));
    drop(store);
    let database = rusqlite::Connection::open(folder.path().join("inline-ui.db")).unwrap();
    let most: u32 = database
        .query_row(
            "SELECT max(c) FROM (SELECT count(*) c FROM accepted GROUP BY card)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert!((256..1_024).contains(&most), "{most}");
}

#[tokio::test]
async fn a_fork_has_closed_copies_of_the_cards_and_nothing_of_the_outbox() {
    on_both(async |open| {
        let store = open();
        store.commit("one", shown(1)).await;
        store.commit("one", vec![Write::Entry { entry: entry(4, true), offered_to: None }]).await;
        store.commit("one", vec![Write::ForkTo(chat("two"))]).await;
        let copy = store.load("two").await;
        assert_eq!(copy.chat, Some(ChatRecord { next_card: 2, woken_at: None }));
        assert_eq!(
            copy.cards,
            [(CardRecord { closed_by: Some(ClosedBy::Fork), ..card(1) }, vec![])]
        );
        assert_eq!(copy.entries, []);
        assert_eq!(store.document("two", 1).await, store.document("one", 1).await);
        assert!(store.load("one").await.cards[0].0.is_open());
    })
    .await;
}

#[tokio::test]
async fn a_fork_that_is_told_again_takes_nothing_from_the_copy() {
    on_both(async |open| {
        let store = open();
        store.commit("one", shown(1)).await;
        store.commit("one", vec![Write::ForkTo(chat("two"))]).await;
        store.commit("two", shown(2)).await;
        store.commit("two", vec![Write::Entry { entry: entry(4, true), offered_to: None }]).await;
        let before = store.load("two").await;
        store.commit("one", vec![Write::ForkTo(chat("two"))]).await;
        assert_eq!(store.load("two").await, before);
        store.commit("one", vec![Write::DeleteChat]).await;
        store.commit("one", vec![Write::ForkTo(chat("two"))]).await;
        assert_eq!(store.load("two").await, before);
    })
    .await;
}

#[tokio::test]
async fn cards_and_chats_that_go_leave_nothing() {
    on_both(async |open| {
        let store = open();
        store.commit("one", shown(1)).await;
        store.commit("one", shown(2)).await;
        store.commit("one", vec![Write::RemoveCard(CardId(1))]).await;
        assert_eq!(store.load("one").await.cards.len(), 1);
        assert_eq!(store.document("one", 1).await, None);
        store.commit("one", vec![Write::DeleteChat]).await;
        assert_eq!(store.load("one").await, Snapshot::default());
        assert_eq!(store.document("one", 2).await, None);
    })
    .await;
}

#[tokio::test]
async fn writes_of_many_chats_at_once_are_all_there() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let mut tasks = Vec::new();
    for n in 0..400 {
        let store = store.clone();
        tasks.push(tokio::spawn(async move {
            store.commit(chat(&format!("chat-{n}")), shown(1)).await
        }));
    }
    for task in tasks {
        task.await.unwrap().unwrap();
    }
    for n in 0..400 {
        assert_eq!(store.load(chat(&format!("chat-{n}"))).await.unwrap().cards.len(), 1);
    }
}

#[tokio::test]
async fn a_commit_that_fails_changes_nothing_and_leaves_the_others_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    let twice = || Write::Message(Arc::new(message(1)));
    let (good, bad) = tokio::join!(
        store.commit(chat("good"), shown(1)),
        store.commit(chat("bad"), [shown(1), vec![twice(), twice()]].concat())
    );
    assert_eq!(good, Ok(()));
    assert!(matches!(bad, Err(StoreError::Other(_))));
    assert_eq!(store.load(chat("bad")).await.unwrap(), Snapshot::default());
    assert_eq!(store.load(chat("good")).await.unwrap().cards.len(), 1);
}

fn open_error(folder: &Path) -> StoreError {
    SqliteStore::open(folder).err().unwrap()
}

#[test]
fn a_database_from_a_newer_program_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    drop(SqliteStore::open(folder.path()).unwrap());
    let path = folder.path().join("inline-ui.db");
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(open_error(folder.path()), StoreError::Newer { found: 99, known: 1, .. }));
}

#[test]
fn a_file_that_is_no_database_is_named_in_the_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join("inline-ui.db"),
        "not a database, but long enough to be read as one".repeat(40),
    )
    .unwrap();
    let error = open_error(folder.path());
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
    assert!(error.to_string().contains("inline-ui.db"));
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error_in_words() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let error = open_error(&folder.path().join("file").join("below"));
    assert!(matches!(error, StoreError::ReadOnly(_)), "{error}");
}
