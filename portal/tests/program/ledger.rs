use crate::chat::{Chat, received};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Chat, card, name.
type Key = (String, String, String);

/// An event that was posted under its id.
#[derive(Debug, Clone)]
pub(crate) struct Posted {
    pub(crate) chat: String,
    pub(crate) card: String,
    pub(crate) load: Value,
    pub(crate) name: &'static str,
    pub(crate) id: String,
    pub(crate) data: u64,
}

impl Posted {
    pub(crate) fn body(&self) -> Value {
        serde_json::json!({
            "id": self.id, "load": self.load, "name": self.name, "data": self.data,
        })
    }

    pub(crate) fn path(&self) -> String {
        format!("/ext/inline-ui/chats/{}/cards/{}/events", self.chat, self.card)
    }
}

/// What was accepted, and what nobody knows of yet.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    accepted: BTreeMap<Key, u64>,
    pub(crate) unknown: Vec<Posted>,
    pub(crate) refused: u64,
}

impl Ledger {
    /// Takes the status of an answer, or that there was none.
    pub(crate) fn enter(&mut self, posted: Posted, status: Option<u16>) {
        match status {
            Some(202) => {
                let key = (posted.chat, posted.card, posted.name.to_owned());
                *self.accepted.entry(key).or_default() += 1;
            }
            Some(400..500) => self.refused += 1,
            // The proxy says 502 to 504 when the answer was lost.
            _ => self.unknown.push(posted),
        }
    }

    pub(crate) fn total(&self) -> u64 {
        self.accepted.values().sum()
    }

    /// What differs between what was accepted and what the transcripts have.
    pub(crate) fn differs(&self, transcripts: &BTreeMap<String, Vec<Value>>) -> Vec<String> {
        let mut got: BTreeMap<Key, u64> = BTreeMap::new();
        for (chat, items) in transcripts {
            for (card, name, count) in received(items) {
                *got.entry((chat.clone(), card, name)).or_default() += count;
            }
        }
        let keys: BTreeSet<_> = self.accepted.keys().chain(got.keys()).collect();
        let of = |map: &BTreeMap<Key, u64>, key: &Key| map.get(key).copied().unwrap_or_default();
        let differs = keys.into_iter().filter(|key| of(&self.accepted, key) != of(&got, key));
        differs
            .map(|key| format!("{key:?}: {} of {}", of(&got, key), of(&self.accepted, key)))
            .collect()
    }
}

/// A transcript of an agent that rests: no message twice, nothing half done.
pub(crate) async fn check_transcript(chat: &Chat<'_>) {
    let mut messages = HashSet::new();
    let mut ids = HashSet::new();
    for item in chat.items().await {
        assert!(ids.insert(item["id"].as_i64().unwrap()), "{item}");
        assert_eq!(item.get("streaming"), None, "{item}");
        assert_eq!(item.get("queued"), None, "{item}");
        if item["kind"] == "events" {
            assert!(messages.insert(item["message"].to_string()), "twice: {item}");
        }
        if item["kind"] == "call" {
            assert_ne!(item["status"], "running", "{item}");
            assert!(item["result"]["text"].is_string(), "{item}");
        }
    }
}
