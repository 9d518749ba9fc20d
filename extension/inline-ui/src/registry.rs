//! Which chats are in memory. This is the only file that names the concurrent map: its functions
//! return owned handles, so that no guard outlives them.

use crate::chat_task::{Ask, Handle};
use dashmap::DashMap;
use dashmap::mapref::entry::Entry;
use inline_ui_core::ChatId;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::mpsc::error::SendError;

/// With more chats than this in memory, each leaves as soon as nothing is lost by it.
pub(crate) const CROWD: usize = 256;

/// The running chat tasks by chat.
#[derive(Debug, Clone, Default)]
pub(crate) struct Registry(Arc<Running>);

#[derive(Debug, Default)]
struct Running {
    handles: DashMap<ChatId, Handle>,
    // Counting the map takes every one of its locks.
    count: AtomicUsize,
}

impl Registry {
    /// Puts the ask into the chat's inbox, starting its task with `spawn` if none runs. Asks of one
    /// caller reach the chat in order. Waits while the inbox is full.
    pub(crate) async fn ask(&self, chat: &ChatId, ask: Ask, spawn: impl Fn() -> Handle) {
        let mut ask = ask;
        loop {
            let handle = match self.0.handles.entry(chat.clone()) {
                Entry::Occupied(entry) => entry.get().clone(),
                Entry::Vacant(entry) => {
                    self.0.count.fetch_add(1, Ordering::Relaxed);
                    entry.insert(spawn()).clone()
                }
            };
            match handle.inbox.send(ask).await {
                Ok(()) => return,
                Err(SendError(back)) => {
                    ask = back;
                    self.remove_if(chat, |other| other.inbox.same_channel(&handle.inbox));
                }
            }
        }
    }

    /// Every chat in memory.
    pub(crate) fn chats(&self) -> Vec<ChatId> {
        self.0.handles.iter().map(|entry| entry.key().clone()).collect()
    }

    /// Takes the chat out of memory, unless somebody is about to ask it something.
    pub(crate) fn retire(&self, chat: &ChatId, inbox_is_empty: impl Fn() -> bool) -> bool {
        // Handles are cloned only under the map's lock: with the map's own as the only one, and
        // nothing in the inbox, nobody is on the way.
        self.remove_if(chat, |handle| handle.inbox.strong_count() == 1 && inbox_is_empty())
    }

    /// Whether there are more chats in memory than should stay there for their own convenience.
    pub(crate) fn is_crowded(&self) -> bool {
        self.0.count.load(Ordering::Relaxed) > CROWD
    }

    fn remove_if(&self, chat: &ChatId, condition: impl Fn(&Handle) -> bool) -> bool {
        let removed = self.0.handles.remove_if(chat, |_, handle| condition(handle)).is_some();
        if removed {
            self.0.count.fetch_sub(1, Ordering::Relaxed);
        }
        removed
    }
}
