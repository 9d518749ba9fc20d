//! Fills a store through the state machine and the store themselves.

use inline_ui_core::tools::{ToolInput, read};
use inline_ui_core::{
    CallId, Chat, ChatId, Effect, Input, Instant, Now, Settings, Snapshot, Write,
};
use inline_ui_store::{SqliteStore, Store};
use serde_json::json;
use serde_json::value::RawValue;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// Chats that are written at the same time.
const AT_ONCE: usize = 256;

pub(crate) fn chat(n: usize) -> String {
    format!("chat-{n:05}")
}

pub(crate) async fn fill(folder: &Path, chats: usize, cards: usize) {
    let store = Arc::new(SqliteStore::open(folder).unwrap());
    let mut writing = JoinSet::new();
    for n in 0..chats {
        if writing.len() == AT_ONCE {
            writing.join_next().await.unwrap().unwrap();
        }
        let store = store.clone();
        let chat = ChatId::parse(&chat(n)).unwrap();
        writing.spawn(async move { store.commit(chat, shown(cards)).await.unwrap() });
    }
    writing.join_all().await;
}

/// What a chat writes that shows so many cards.
fn shown(cards: usize) -> Vec<Write> {
    let now = Now { mono: Instant::at(Duration::from_hours(1)), wall_ms: 1_764_500_000_000 };
    let mut chat = Chat::restore(Snapshot::default(), Settings::default(), 7, now);
    let html = "<button onclick=\"pithagoras.emit('a', 1)\">A</button>".repeat(20);
    let mut writes = Vec::new();
    for n in 0..cards {
        let arguments = json!({ "title": format!("Card {n}"), "html": html, "events": [
            { "name": "a", "description": "what it means" }, { "name": "b", "debounceMs": 0, "wake": true }] });
        let arguments = RawValue::from_string(arguments.to_string()).unwrap();
        let ToolInput::Show(show, _) = read("ui_show", &arguments).unwrap() else { unreachable!() };
        let call = CallId::parse(&format!("call-{n}")).unwrap();
        chat.handle(now, Input::Show { anchor: call.clone(), call, show }).unwrap();
        writes.extend(std::iter::from_fn(|| chat.poll_effect()).filter_map(
            |effect| match effect {
                Effect::Write(write) => Some(write),
                _ => None,
            },
        ));
    }
    writes
}
