use inline_ui_core::{CallId, ChatId};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The chats of calls that wait, or whose answer may still come back: a cancellation names only the call.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenCalls {
    // Held for one map operation, never across an await.
    chats: Arc<Mutex<HashMap<CallId, ChatId>>>,
}

impl OpenCalls {
    pub(super) fn open(&self, call: CallId, chat: ChatId) {
        self.lock().insert(call, chat);
    }

    pub(super) fn chat(&self, call: &CallId) -> Option<ChatId> {
        self.lock().get(call).cloned()
    }

    pub(super) fn forget(&self, call: &CallId) {
        self.lock().remove(call);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<CallId, ChatId>> {
        self.chats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
