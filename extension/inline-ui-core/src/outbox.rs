use crate::ids::{CallId, CardId, EventId, EventName};
use crate::message::{Message, Packer};
use crate::undo::Undo;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Arc;

/// What an entry is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Subject {
    /// The person closed the card.
    Closed,
    /// The card's code failed.
    Errors,
    /// An event the card sent.
    Event(EventName),
}

impl Subject {
    /// The name the agent reads.
    pub fn name(&self) -> &str {
        match self {
            Self::Event(name) => name.as_str(),
            Self::Closed => "closed",
            Self::Errors => "errors",
        }
    }
}

/// What one card has to tell under one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// Its place: the newest occurrence decides.
    pub seq: u64,
    /// The card.
    pub card: CardId,
    /// The card's title when it sent this.
    pub title: Arc<str>,
    /// What it is about.
    pub subject: Subject,
    /// The id of the newest event in it.
    pub id: EventId,
    /// How many accepted events it stands for.
    pub count: u64,
    /// The newest event's data, as JSON without white space.
    pub data: Arc<str>,
    /// Whether one of them may start a turn.
    pub wake: bool,
    /// Calls that had got one of its events as their result, and gave it back. A call that turns out
    /// to have kept its event takes it out again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gave_back: Vec<CallId>,
}

type Key = (CardId, Subject);

/// A message that was handed over and is not known to have been delivered.
#[derive(Debug, Clone)]
pub(crate) struct Held {
    pub(crate) message: Arc<Message>,
    pub(crate) state: HeldState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HeldState {
    /// The portal has it.
    Offered {
        /// Whether it was taken to start a turn: a return gives the distance between wakes back.
        woke: bool,
    },
    /// It came back, and goes out again before anything newer.
    Returned,
}

/// The events of a chat that its agent has not got: queued, handed over, or given to a waiting call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Outbox {
    next_seq: u64,
    queue: Undo<u64, Entry>,
    places: Undo<Key, u64>,
    held: VecDeque<Held>,
    answers: Undo<CallId, Entry>,
    woken_by: usize,
    before: Before,
}

/// What an undo goes back to, beside the maps.
#[derive(Debug, Clone, Default)]
struct Before {
    next_seq: u64,
    held: VecDeque<Held>,
    woken_by: usize,
}

/// What a change of the outbox asks of the store.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Replaced {
    pub(crate) entry: Entry,
    pub(crate) removed: Option<u64>,
}

impl Outbox {
    pub(crate) fn restore(
        entries: Vec<Entry>,
        answers: Vec<(CallId, Entry)>,
        messages: Vec<Message>,
    ) -> Self {
        let mut outbox = Self::default();
        for entry in entries {
            outbox.next_seq = outbox.next_seq.max(entry.seq + 1);
            outbox.insert(entry);
        }
        for message in messages {
            outbox.held.push_back(Held { message: Arc::new(message), state: HeldState::Returned });
        }
        for (call, entry) in answers {
            outbox.next_seq = outbox.next_seq.max(entry.seq + 1);
            outbox.answers.insert(call, entry);
        }
        outbox
    }

    pub(crate) fn next_seq(&mut self) -> u64 {
        let seq = self.next_seq;
        self.next_seq += 1;
        seq
    }

    /// Rule 3: a newer entry takes the place of one that was not handed over, adds its count, and
    /// stands last.
    pub(crate) fn queue(&mut self, mut newer: Entry) -> Replaced {
        let key = (newer.card, newer.subject.clone());
        let removed = self.places.get(&key).copied();
        if let Some(older) = removed.and_then(|seq| self.remove(seq)) {
            newer.count += older.count;
            newer.gave_back = older.gave_back;
        }
        self.insert(newer.clone());
        Replaced { entry: newer, removed }
    }

    /// Takes out what is queued under the key.
    pub(crate) fn unqueue(&mut self, card: CardId, subject: &Subject) -> Option<Entry> {
        let seq = self.places.get(&(card, subject.clone())).copied()?;
        self.remove(seq)
    }

    /// A call gives its event back: it is older than whatever is queued under its key.
    pub(crate) fn give_back(&mut self, call: &CallId) -> Option<Replaced> {
        let mut older = self.answers.remove(call)?;
        older.gave_back.push(call.clone());
        let key = (older.card, older.subject.clone());
        let place = self.places.get(&key).copied();
        let Some(mut newer) = place.and_then(|seq| self.remove(seq)) else {
            self.insert(older.clone());
            return Some(Replaced { entry: older, removed: None });
        };
        newer.count += older.count;
        newer.gave_back.extend(older.gave_back);
        self.insert(newer.clone());
        Some(Replaced { entry: newer, removed: Some(older.seq) })
    }

    /// Keeps an event as offered under the call that got it.
    pub(crate) fn answer(&mut self, call: CallId, entry: Entry) {
        self.answers.insert(call, entry);
    }

    pub(crate) fn answered_calls(&self) -> Vec<CallId> {
        self.answers.keys().cloned().collect()
    }

    pub(crate) fn has_answer(&self, call: &CallId) -> bool {
        self.answers.contains_key(call)
    }

    /// The call kept its event after all. What is left of the entry that has it, if one does.
    pub(crate) fn settle_answer(&mut self, call: &CallId) -> Option<Settled> {
        if let Some(entry) = self.answers.remove(call) {
            return Some(Settled::Answer(entry));
        }
        let seq = self.queue.values().find(|entry| entry.gave_back.contains(call))?.seq;
        let mut entry = self.remove(seq)?;
        entry.gave_back.retain(|other| other != call);
        entry.count -= 1;
        if entry.count == 0 {
            return Some(Settled::Entry(entry));
        }
        self.insert(entry.clone());
        Some(Settled::Less(entry))
    }

    /// The next message, frozen: a returned one alone, else whole entries, oldest first, as many as fit.
    pub(crate) fn hand_over(
        &mut self,
        id: impl FnOnce(u64) -> String,
        woke: bool,
    ) -> Option<HandedOver> {
        if self.offered().is_some() {
            return None;
        }
        if let Some(held) = self.held.front_mut() {
            held.state = HeldState::Offered { woke };
            return Some(HandedOver { message: held.message.clone(), taken: Vec::new() });
        }
        let first = self.queue.keys().next().copied()?;
        let mut packer = Packer::new(id(self.next_seq), first);
        let fitting = self.queue.values().take_while(|entry| packer.add(entry)).count();
        self.next_seq += 1;
        let seqs: Vec<u64> = self.queue.keys().take(fitting).copied().collect();
        let taken = seqs.into_iter().filter_map(|seq| self.remove(seq)).collect();
        let message = Arc::new(packer.finish());
        self.held.push_back(Held { message: message.clone(), state: HeldState::Offered { woke } });
        Some(HandedOver { message, taken })
    }

    pub(crate) fn offered(&self) -> Option<&Held> {
        self.held.iter().find(|held| matches!(held.state, HeldState::Offered { .. }))
    }

    pub(crate) fn held(&self, id: &str) -> Option<&Held> {
        self.held.iter().find(|held| held.message.id == id)
    }

    pub(crate) fn deliver(&mut self, id: &str) -> Option<Arc<Message>> {
        let at = self.held.iter().position(|held| held.message.id == id)?;
        self.held.remove(at).map(|held| held.message)
    }

    /// What was offered comes back, whatever its id without one. Whether it was taken at a wake.
    pub(crate) fn take_back(&mut self, id: Option<&str>) -> Option<bool> {
        let held = self.held.iter_mut().find(|h| {
            matches!(h.state, HeldState::Offered { .. }) && id.is_none_or(|id| h.message.id == id)
        })?;
        match std::mem::replace(&mut held.state, HeldState::Returned) {
            HeldState::Offered { woke } => Some(woke),
            HeldState::Returned => None,
        }
    }

    /// Whether a take could hand something over at all.
    pub(crate) fn is_ready(&self) -> bool {
        self.offered().is_none() && !(self.queue.is_empty() && self.held.is_empty())
    }

    /// Whether something that may start a turn is not handed over.
    pub(crate) fn wakes(&self) -> bool {
        self.woken_by > 0
            || self.held.iter().any(|h| h.state == HeldState::Returned && h.message.wake)
    }

    /// Where the event is, if the agent is not known to have it. Only the newest of its key is found.
    pub(crate) fn find(&self, card: CardId, id: &EventId) -> Option<Found<'_>> {
        if self.queue.values().any(|entry| entry.card == card && entry.id == *id) {
            return Some(Found::Queue);
        }
        let in_message = |held: &&Held| held.message.has(card, id);
        self.held.iter().find(in_message).map(|held| Found::Message(&held.message.id))
    }

    /// The state of the message that is out or came back. There is one at most.
    pub(crate) fn held_state(&self) -> Option<HeldState> {
        self.held.front().map(|held| held.state)
    }

    /// From here on, this is what it goes back to.
    pub(crate) fn keep(&mut self) {
        self.queue.keep();
        self.places.keep();
        self.answers.keep();
        self.before =
            Before { next_seq: self.next_seq, held: self.held.clone(), woken_by: self.woken_by };
    }

    pub(crate) fn clear(&mut self) {
        self.queue.clear();
        self.places.clear();
        self.answers.clear();
        self.next_seq = 0;
        self.held.clear();
        self.woken_by = 0;
    }

    pub(crate) fn undo(&mut self) {
        self.queue.undo();
        self.places.undo();
        self.answers.undo();
        self.next_seq = self.before.next_seq;
        self.held = self.before.held.clone();
        self.woken_by = self.before.woken_by;
    }

    fn insert(&mut self, entry: Entry) {
        self.woken_by += usize::from(entry.wake);
        self.places.insert((entry.card, entry.subject.clone()), entry.seq);
        self.queue.insert(entry.seq, entry);
    }

    fn remove(&mut self, seq: u64) -> Option<Entry> {
        let entry = self.queue.remove(&seq)?;
        self.woken_by -= usize::from(entry.wake);
        self.places.remove(&(entry.card, entry.subject.clone()));
        Some(entry)
    }
}

/// A message that goes out, and the queued entries that went into it.
#[derive(Debug)]
pub(crate) struct HandedOver {
    pub(crate) message: Arc<Message>,
    pub(crate) taken: Vec<Entry>,
}

/// A place of [`Outbox::find`].
#[derive(Debug)]
pub(crate) enum Found<'a> {
    Queue,
    /// The message of that id.
    Message(&'a str),
}

/// What a settled answer changed.
#[derive(Debug)]
pub(crate) enum Settled {
    /// It was still with its call.
    Answer(Entry),
    /// It had come back and was an entry of its own, which is gone.
    Entry(Entry),
    /// It had come back into an entry that stays, with less in it.
    Less(Entry),
}
