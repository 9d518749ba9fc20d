//! Which chats are in memory. This is the only file that names the concurrent map: its functions
//! return owned handles, so that no guard outlives them.

use crate::chat_task::{Ask, Handle};
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use inline_ui_core::ChatId;
use std::sync::Arc;
use tokio::sync::mpsc::error::SendError;

/// The running chat tasks by chat.
#[derive(Debug, Clone, Default)]
pub(crate) struct Registry(Arc<DashMap<ChatId, Handle>>);

impl Registry {
    /// Puts the ask into the chat's inbox, starting its task with `spawn` if none runs. Asks of one
    /// caller reach the chat in order. Waits while the inbox is full.
    pub(crate) async fn ask(&self, chat: &ChatId, ask: Ask, spawn: impl Fn() -> Handle) {
        let mut ask = ask;
        loop {
            let handle = match self.0.entry(chat.clone()) {
                Entry::Occupied(entry) => entry.get().clone(),
                Entry::Vacant(entry) => entry.insert(spawn()).clone(),
            };
            match handle.inbox.send(ask).await {
                Ok(()) => return,
                Err(SendError(back)) => {
                    ask = back;
                    self.0.remove_if(chat, |_, other| other.inbox.same_channel(&handle.inbox));
                }
            }
        }
    }

    /// Every chat in memory.
    pub(crate) fn chats(&self) -> Vec<ChatId> {
        self.0.iter().map(|entry| entry.key().clone()).collect()
    }

    /// Takes the chat out of memory, unless somebody is about to ask it something.
    pub(crate) fn retire(&self, chat: &ChatId, inbox_is_empty: impl Fn() -> bool) -> bool {
        // Handles are cloned only under the map's lock: with the map's own as the only one, and
        // nothing in the inbox, nobody is on the way.
        self.0
            .remove_if(chat, |_, handle| handle.inbox.strong_count() == 1 && inbox_is_empty())
            .is_some()
    }
}
