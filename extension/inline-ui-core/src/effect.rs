use crate::card::{CardRecord, DeliveryState};
use crate::ids::{CallId, CardId, ChatId, EventId};
use crate::input::TakeAt;
use crate::message::Message;
use crate::outbox::Entry;
use crate::wait::SettledWait;
use std::sync::Arc;
use std::time::Duration;

/// What an input asks of the world, in order. Every [`Effect::Write`] of one drain goes into one
/// transaction, and nothing else of the drain, nor the input's answer, leaves before it is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Keep this.
    Write(Write),
    /// Answer the call that waited.
    Settle(SettledWait),
    /// Tell the portal that a take at that moment would find something.
    Hint(TakeAt),
    /// Tell the pages.
    Page(PageEvent),
}

/// A change of what is kept of a chat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Write {
    /// The chat's own row.
    Chat(ChatRecord),
    /// A card is new or changed.
    Card(CardRecord),
    /// A card's document.
    Document {
        /// Whose.
        card: CardId,
        /// The author's text.
        html: Arc<str>,
    },
    /// A card's latest post.
    Post {
        /// Whose.
        card: CardId,
        /// JSON.
        data: Arc<str>,
    },
    /// A card and all that is its own goes; what it has in the outbox stays.
    RemoveCard(CardId),
    /// An event id was accepted.
    AcceptedId {
        /// By which card.
        card: CardId,
        /// The id.
        id: EventId,
        /// What it was answered with.
        state: DeliveryState,
    },
    /// An outbox entry is new or changed. With `offered_to`, a call has it as its result.
    Entry {
        /// The entry, by its `seq`.
        entry: Entry,
        /// The call.
        offered_to: Option<CallId>,
    },
    /// The entry of that `seq` goes.
    RemoveEntry(u64),
    /// A message was frozen.
    Message(Arc<Message>),
    /// A message was delivered and is forgotten.
    RemoveMessage(String),
    /// Copies the cards, closed, into another chat.
    ForkTo(ChatId),
    /// Everything of the chat goes.
    DeleteChat,
}

/// What is kept of a chat beside its cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChatRecord {
    /// The number of the next card.
    pub next_card: u32,
    /// When a take at `wake` last handed something over, in milliseconds since 1970.
    pub woken_at: Option<i64>,
}

/// Something that the pages looking at a chat are told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageEvent {
    /// A card is new.
    Shown(Box<CardView>),
    /// A card has another title, document, event, height or wait.
    Changed(Box<CardView>),
    /// A card was closed.
    Closed(Box<CardView>),
    /// A card is no longer kept.
    Removed(CardId),
    /// A card got a post.
    Posted {
        /// Which.
        card: CardId,
        /// Its number, from 1.
        n: u64,
        /// JSON.
        data: Arc<str>,
    },
    /// What becomes of the last thing a card sent.
    State {
        /// Which.
        card: CardId,
        /// What.
        state: DeliveryState,
        /// With [`DeliveryState::Starting`], how long it is not started yet.
        after: Option<Duration>,
    },
}

/// A card as a page sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardView {
    /// What is kept of it.
    pub record: CardRecord,
    /// The names an open wait asks for; empty when none is open.
    pub waiting: Vec<crate::ids::EventName>,
    /// What becomes of the last thing it sent.
    pub state: Option<DeliveryState>,
    /// With [`DeliveryState::Starting`], how long it is not started yet.
    pub after: Option<Duration>,
}

/// Everything kept of a chat, as it is read from disk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The chat's own row; absent for a chat that has none yet.
    pub chat: Option<ChatRecord>,
    /// Its cards and the event ids each accepted, oldest first.
    pub cards: Vec<(CardRecord, Vec<(EventId, DeliveryState)>)>,
    /// Its queued entries, by `seq`.
    pub entries: Vec<Entry>,
    /// Entries that a call has as its result.
    pub answers: Vec<(CallId, Entry)>,
    /// Frozen messages that are not known to have been delivered, oldest first.
    pub messages: Vec<Message>,
}
