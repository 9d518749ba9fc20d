use crate::ids::{CallId, CardId, EventName};
use crate::limits;
use crate::rate::Rate;
use crate::thrown::CardError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// An event that a card may send.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeclaredEvent {
    /// Its name, once in a card.
    pub name: EventName,
    /// What it means, in the agent's words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<Arc<str>>,
    /// Milliseconds without another emit before it is sent; 0 is an action; absent is the setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debounce_ms: Option<u32>,
    /// Whether it may start a turn of an idle agent.
    #[serde(default)]
    pub wake: bool,
    /// Whether it is taken only once.
    #[serde(default)]
    pub once: bool,
    /// Whether `once` has had its event.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub spent: bool,
}

impl DeclaredEvent {
    /// An action of that name: a waited name that was not declared joins as one.
    pub(crate) fn action(name: EventName) -> Self {
        Self {
            name,
            description: None,
            debounce_ms: Some(0),
            wake: false,
            once: false,
            spent: false,
        }
    }
}

/// Who closed a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClosedBy {
    /// The person, from the card's head.
    Person,
    /// The agent, with `ui_close`.
    Agent,
    /// Nobody: the card came into this chat as a copy.
    Fork,
}

/// A card as it is kept, but for its HTML and its latest post, which stay on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CardRecord {
    /// The card's id in its chat.
    pub id: CardId,
    /// The call that showed it.
    pub call: CallId,
    /// The call it is drawn at.
    pub anchor: CallId,
    /// What it is about, for people.
    pub title: Arc<str>,
    /// What it may send.
    pub events: Vec<DeclaredEvent>,
    /// Who closed it; absent while it is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed_by: Option<ClosedBy>,
    /// When it was shown, in milliseconds since 1970.
    pub at: i64,
    /// Counts the documents it had, from 1.
    pub revision: u32,
    /// The last height by width class (see [`width_class`]), in CSS pixels.
    #[serde(default)]
    pub heights: BTreeMap<u32, u32>,
    /// Whether its call waits for an answer, or stopped waiting without one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unanswered: bool,
    /// Counts the posts it got; 0 is none.
    #[serde(default)]
    pub posts: u64,
    /// What is shown where the card cannot be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<Arc<str>>,
    /// What its document threw that the agent was told, or will be: at most
    /// [`limits::CARD_ERRORS_PER_DOCUMENT`], each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<CardError>,
    /// Whether its document did not answer the last time it ran.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stuck: bool,
}

impl CardRecord {
    /// Whether it takes events.
    pub fn is_open(&self) -> bool {
        self.closed_by.is_none()
    }

    /// The copy that a forked chat gets: closed, whatever the original is.
    #[must_use]
    pub fn forked(&self) -> Self {
        Self { closed_by: self.closed_by.or(Some(ClosedBy::Fork)), ..self.clone() }
    }
}

/// The class of a width in CSS pixels. Widths of one class share a remembered height.
pub fn width_class(width: u32) -> u32 {
    width.div_ceil(limits::WIDTH_CLASS_PX).clamp(1, limits::WIDTH_CLASS_MAX)
}

/// What becomes of the last thing a card sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// A waiting call got it.
    Answered,
    /// The working agent gets it at its next step.
    NextStep,
    /// It starts a turn of the agent.
    Starting,
    /// The agent gets it with the person's next message.
    NextMessage,
    /// The agent has it.
    Delivered,
}

/// Where the last thing a card sent is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Last {
    Queue,
    Message(Arc<str>),
    Answer,
    Delivered,
}

/// A card in memory.
#[derive(Debug, Clone)]
pub(crate) struct Card {
    /// Shared with the card that an input may go back to.
    pub(crate) record: Arc<CardRecord>,
    pub(crate) rate: Rate,
    /// Whether a page ever fetched its frame in this process.
    pub(crate) seen: bool,
    pub(crate) last: Option<Last>,
    /// The state the pages were last told.
    pub(crate) told: Option<DeliveryState>,
    pub(crate) height_at: Option<crate::time::Instant>,
}

impl Card {
    pub(crate) fn new(record: CardRecord, rate: Rate) -> Self {
        Self {
            record: Arc::new(record),
            rate,
            seen: false,
            last: None,
            told: None,
            height_at: None,
        }
    }

    pub(crate) fn record_mut(&mut self) -> &mut CardRecord {
        Arc::make_mut(&mut self.record)
    }

    pub(crate) fn event(&self, name: &str) -> Option<&DeclaredEvent> {
        self.record.events.iter().find(|event| event.name.as_str() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_width_class_holds_160_pixels_and_the_ends_take_the_rest() {
        assert_eq!([0, 1, 160, 161, 320, 4000, 40_000].map(width_class), [1, 1, 1, 2, 2, 25, 25]);
    }
}
