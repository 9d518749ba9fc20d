use crate::card::{DeclaredEvent, DeliveryState};
use crate::ids::{CallId, CardId, ChatId, EventId};
use crate::message::Message;
use crate::settings::Settings;
use crate::thrown::CardError;
use crate::wait::WaitFor;
use std::sync::Arc;
use std::time::Duration;

/// What the chat's agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AgentState {
    /// There, and waiting for a message.
    Idle,
    /// In a run.
    Working,
    /// Let go, or never started.
    #[default]
    Gone,
}

/// The moment of a take, or of a hint that one would find something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TakeAt {
    /// With the person's message.
    Prompt,
    /// Between a model turn's tools and the next model request.
    Step,
    /// To start a turn.
    Wake,
}

/// A `ui_show` call's arguments, read and bounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Show {
    /// 1 to 200 characters.
    pub title: Arc<str>,
    /// The author's text as it came.
    pub html: Arc<str>,
    /// Declared events, names waited for included.
    pub events: Vec<DeclaredEvent>,
    /// What the call waits for, if it does.
    pub wait: Option<WaitFor>,
    /// What is shown where the card cannot be.
    pub fallback: Option<Arc<str>>,
}

/// A `ui_update` call's arguments, read and bounded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Update {
    /// Which card.
    pub card: CardId,
    /// JSON without white space.
    pub data: Option<Arc<str>>,
    /// A new title.
    pub title: Option<Arc<str>>,
    /// A new document.
    pub html: Option<Arc<str>>,
}

/// An event as the page sent it.
#[derive(Debug, Clone)]
pub struct EventInput {
    /// The card, as it stands in the address.
    pub card: CardId,
    /// The same id is the same event.
    pub id: EventId,
    /// Which document it came from.
    pub load: LoadCheck,
    /// The name as it came.
    pub name: Arc<str>,
    /// Well-formed JSON, not bounded yet; absent is null.
    pub data: Option<Arc<str>>,
}

/// What a page has to tell about a load of a card.
#[derive(Debug, Clone)]
pub struct ErrorReport {
    /// The card.
    pub card: CardId,
    /// Which document it ran.
    pub load: LoadCheck,
    /// What it threw, oldest first, not bounded yet.
    pub errors: Vec<CardError>,
    /// Whether it does not answer, or does again; absent is no news.
    pub stuck: Option<bool>,
}

/// What a load's name says of its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoadCheck {
    /// It is a load of this card's document of that revision.
    Revision(u32),
    /// It was made before this process started: it is believed.
    Earlier,
    /// It is no load of this card.
    Foreign,
}

impl LoadCheck {
    /// Whether what comes from that load is about the document of that revision.
    pub(crate) fn is_of(self, revision: u32) -> bool {
        match self {
            Self::Revision(of) => of == revision,
            Self::Earlier => true,
            Self::Foreign => false,
        }
    }
}

/// Everything that can happen to a chat.
#[derive(Debug, Clone)]
pub enum Input {
    /// The agent shows a card.
    Show {
        /// This call.
        call: CallId,
        /// The call the card is drawn at.
        anchor: CallId,
        /// What it asked for.
        show: Box<Show>,
    },
    /// The agent changes a card.
    Update(Box<Update>),
    /// The agent closes a card.
    AgentCloses(CardId),
    /// The person closes a card.
    PersonCloses(CardId),
    /// A card sent something.
    Event(EventInput),
    /// A card's code failed.
    Errors(ErrorReport),
    /// A call was aborted.
    Cancel(CallId),
    /// The agent's state, as the portal says it.
    Agent(AgentState),
    /// The portal asks for the next message.
    Take(TakeAt),
    /// The agent has the message, or the waited result, of this id.
    Delivered(String),
    /// The agent did not get it.
    Returned(String),
    /// A portal connected and is ready.
    LinkOpened,
    /// The portal is gone, and with it every agent and call.
    LinkClosed,
    /// The admin changed a setting.
    Settings(Settings),
    /// A page fetched the card's frame.
    Seen(CardId),
    /// The person is active in the card.
    Activity(CardId),
    /// The card's height at that width of the page, in CSS pixels.
    Height {
        /// Which card.
        card: CardId,
        /// The frame's width.
        width: u32,
        /// The content's height.
        height: u32,
    },
    /// The chat gets a copy.
    Fork(ChatId),
    /// The chat goes.
    Delete,
}

/// What an accepted input answers with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Accepted {
    /// The card is there. A waiting call is answered later, by an effect.
    Shown {
        /// Its id.
        card: CardId,
        /// Whether the call waits.
        waits: bool,
    },
    /// The card is changed.
    Updated(CardId),
    /// The card is closed; `already` if it was before.
    Closed {
        /// Which card.
        card: CardId,
        /// Whether it was closed before.
        already: bool,
    },
    /// The event is in.
    Event {
        /// What becomes of it.
        state: DeliveryState,
        /// With [`DeliveryState::Starting`], how long it is not started yet.
        after: Option<Duration>,
    },
    /// The next message, if there is one at that moment.
    Taken(Option<Arc<Message>>),
    /// Nothing to say.
    Done,
}
