use crate::{Document, Store, StoreError};
use inline_ui_core::limits::EVENT_IDS_PER_CARD;
use inline_ui_core::{
    CallId, CardId, CardRecord, ChatId, ChatRecord, DeliveryState, Entry, EventId, Message,
    Snapshot, Write,
};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keeps chats in memory.
#[derive(Debug, Default)]
pub struct MemoryStore {
    // Held for the length of one map operation, never across an await.
    chats: Mutex<BTreeMap<ChatId, Kept>>,
    failing: Mutex<Option<StoreError>>,
}

#[derive(Debug, Clone, Default)]
struct Kept {
    chat: Option<ChatRecord>,
    cards: BTreeMap<CardId, KeptCard>,
    entries: BTreeMap<u64, (Entry, Option<CallId>)>,
    messages: BTreeMap<u64, Message>,
}

#[derive(Debug, Clone)]
struct KeptCard {
    record: CardRecord,
    html: String,
    post: Option<String>,
    ids: Vec<(EventId, DeliveryState)>,
}

impl MemoryStore {
    /// From now on every commit fails with this error; `None` mends it.
    pub fn fail_with(&self, error: Option<StoreError>) {
        *self.failing.lock().unwrap_or_else(PoisonError::into_inner) = error;
    }

    fn chats(&self) -> MutexGuard<'_, BTreeMap<ChatId, Kept>> {
        self.chats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    async fn commit(&self, chat: ChatId, writes: Vec<Write>) -> Result<(), StoreError> {
        if let Some(error) = self.failing.lock().unwrap_or_else(PoisonError::into_inner).clone() {
            return Err(error);
        }
        let mut chats = self.chats();
        for write in writes {
            match write {
                Write::DeleteChat => drop(chats.remove(&chat)),
                Write::ForkTo(to) => {
                    if let Some(copy) = chats.get(&chat).map(Kept::forked) {
                        chats.entry(to).or_insert(copy);
                    }
                }
                other => chats.entry(chat.clone()).or_default().write(other),
            }
        }
        Ok(())
    }

    async fn load(&self, chat: ChatId) -> Result<Snapshot, StoreError> {
        Ok(self.chats().get(&chat).map(Kept::snapshot).unwrap_or_default())
    }

    async fn document(&self, chat: ChatId, card: CardId) -> Result<Option<Document>, StoreError> {
        let chats = self.chats();
        let card = chats.get(&chat).and_then(|kept| kept.cards.get(&card));
        Ok(card.map(|card| Document { html: card.html.clone(), post: card.post.clone() }))
    }

    async fn waking(&self) -> Result<Vec<ChatId>, StoreError> {
        let wakes = |kept: &Kept| {
            kept.entries.values().any(|(e, _)| e.wake) || kept.messages.values().any(|m| m.wake)
        };
        Ok(self
            .chats()
            .iter()
            .filter(|(_, kept)| wakes(kept))
            .map(|(chat, _)| chat.clone())
            .collect())
    }
}

impl Kept {
    fn write(&mut self, write: Write) {
        match write {
            Write::Chat(chat) => self.chat = Some(chat),
            Write::Card(record) => {
                if let Some(card) = self.cards.get_mut(&record.id) {
                    card.record = record;
                } else {
                    let card =
                        KeptCard { record, html: String::new(), post: None, ids: Vec::new() };
                    self.cards.insert(card.record.id, card);
                }
            }
            Write::Document { card, html } => {
                if let Some(card) = self.cards.get_mut(&card) {
                    card.html = html.to_string();
                }
            }
            Write::Post { card, data } => {
                if let Some(card) = self.cards.get_mut(&card) {
                    card.post = Some(data.to_string());
                }
            }
            Write::RemoveCard(card) => drop(self.cards.remove(&card)),
            Write::AcceptedId { card, id, state } => {
                if let Some(card) = self.cards.get_mut(&card) {
                    card.ids.push((id, state));
                    let over = card.ids.len().saturating_sub(EVENT_IDS_PER_CARD);
                    card.ids.drain(..over);
                }
            }
            Write::Entry { entry, offered_to } => {
                drop(self.entries.insert(entry.seq, (entry, offered_to)));
            }
            Write::RemoveEntry(seq) => drop(self.entries.remove(&seq)),
            Write::Message(message) => drop(self.messages.insert(message.seq, (*message).clone())),
            Write::RemoveMessage(id) => self.messages.retain(|_, message| message.id != id),
            Write::ForkTo(_) | Write::DeleteChat => {}
        }
    }

    fn forked(&self) -> Self {
        let mut copy = Self {
            chat: self.chat.map(|chat| ChatRecord { woken_at: None, ..chat }),
            ..Self::default()
        };
        for (id, card) in &self.cards {
            copy.cards.insert(
                *id,
                KeptCard { record: card.record.forked(), ids: Vec::new(), ..card.clone() },
            );
        }
        copy
    }

    fn snapshot(&self) -> Snapshot {
        let mut snapshot = Snapshot {
            chat: self.chat,
            cards: self
                .cards
                .values()
                .map(|card| (card.record.clone(), card.ids.clone()))
                .collect(),
            messages: self.messages.values().cloned().collect(),
            ..Snapshot::default()
        };
        for (entry, call) in self.entries.values().cloned() {
            match call {
                None => snapshot.entries.push(entry),
                Some(call) => snapshot.answers.push((call, entry)),
            }
        }
        snapshot
    }
}
