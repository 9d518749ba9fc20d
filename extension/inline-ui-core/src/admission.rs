//! Rule 1: whether an event is taken, and which refusal it gets. The order is the contract's.

use crate::accepted::AcceptedIds;
use crate::card::{Card, DeliveryState};
use crate::ids::EventName;
use crate::input::EventInput;
use crate::json::{JsonBound, compact};
use crate::limits;
use crate::rate::Rate;
use crate::refusal::Refusal;
use crate::time::Instant;
use std::borrow::Cow;
use std::sync::Arc;

/// An event that passed every rule but that the chat and the card exist, which its finder has seen to.
#[derive(Debug)]
pub(crate) enum Admitted {
    /// It was accepted before, with this answer. Nothing is to change.
    Before(DeliveryState),
    /// It is new.
    New {
        /// A name of the card's.
        name: EventName,
        /// JSON within its bounds.
        data: Arc<str>,
        /// Whether it may start a turn.
        wake: bool,
        /// Whether its name closes with it.
        once: bool,
    },
}

pub(crate) fn admit(
    card: &Card,
    accepted: &AcceptedIds,
    chat: &Rate,
    event: &EventInput,
    now: Instant,
) -> Result<Admitted, Refusal> {
    if let Some(state) = accepted.find(card.record.id, &event.id) {
        return Ok(Admitted::Before(state));
    }
    if !event.load.is_of(card.record.revision) {
        return Err(Refusal::StaleLoad);
    }
    if !card.record.is_open() {
        return Err(Refusal::CardClosed { card: card.record.id });
    }
    let Some(declared) = card.event(&event.name) else {
        let name = EventName::parse(&event.name)?;
        return Err(Refusal::UndeclaredEvent { name });
    };
    let name = declared.name.clone();
    if declared.spent {
        return Err(Refusal::EventSpent { name });
    }
    let data = match &event.data {
        None => "null".into(),
        Some(data) => match compact(data, limits::EVENT_DATA_BYTES, limits::DATA_DEPTH) {
            Ok(Cow::Borrowed(_)) => data.clone(),
            Ok(Cow::Owned(data)) => data.into(),
            Err(JsonBound::TooLarge) => return Err(Refusal::DataTooLarge),
            Err(JsonBound::TooDeep) => return Err(Refusal::DataTooDeep),
        },
    };
    card.rate.spend(now).map_err(|retry_after| Refusal::CardRate { retry_after })?;
    chat.spend(now).map_err(|retry_after| Refusal::ChatRate { retry_after })?;
    Ok(Admitted::New { name, data, wake: declared.wake, once: declared.once })
}
