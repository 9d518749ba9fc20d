use inline_ui_core::{CallId, ChatId};
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Answered calls that are remembered until the portal says what became of them. One that says
/// nothing of so many has lost nothing: what nobody kept comes back when its agent rests.
const ANSWERED: usize = 1_024;

/// The chats of calls that wait, or whose answer may still come back: a cancellation names only the call.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenCalls {
    // Held for one operation, never across an await.
    known: Arc<Mutex<Known>>,
}

#[derive(Debug, Default)]
struct Known {
    chats: HashMap<CallId, ChatId>,
    /// Those of them whose answer has left, oldest first, and some that were forgotten since.
    answered: VecDeque<CallId>,
}

impl OpenCalls {
    pub(super) fn open(&self, call: CallId, chat: ChatId) {
        self.lock().chats.insert(call, chat);
    }

    pub(super) fn chat(&self, call: &CallId) -> Option<ChatId> {
        self.lock().chats.get(call).cloned()
    }

    pub(super) fn forget(&self, call: &CallId) {
        self.lock().chats.remove(call);
    }

    /// The call has its answer, which may still come back.
    pub(super) fn answered(&self, call: CallId) {
        let mut known = self.lock();
        known.answered.push_back(call);
        if known.answered.len() > ANSWERED
            && let Some(oldest) = known.answered.pop_front()
        {
            known.chats.remove(&oldest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_that_waits_is_known_however_many_were_answered_and_of_those_the_last_1024_are() {
        let call = |n: usize| CallId::parse(&format!("call-{n}")).unwrap();
        let calls = OpenCalls::default();
        for n in 0..=ANSWERED + 1 {
            calls.open(call(n), ChatId::parse("a").unwrap());
        }
        for n in 1..=ANSWERED + 1 {
            calls.answered(call(n));
        }
        assert!(calls.chat(&call(0)).is_some(), "it waits");
        assert!(calls.chat(&call(1)).is_none(), "the oldest answered one");
        assert!(calls.chat(&call(2)).is_some() && calls.chat(&call(ANSWERED + 1)).is_some());
    }
}
