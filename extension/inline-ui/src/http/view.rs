use inline_ui_core::{
    CardId, CardView, ClosedBy, DeclaredEvent, DeliveryState, EventName, PageEvent, Settings,
};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::time::Duration;

/// A card as a page reads it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CardJson<'a> {
    id: CardId,
    title: &'a str,
    anchor: &'a str,
    call: &'a str,
    open: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    closed_by: Option<ClosedBy>,
    events: &'a [DeclaredEvent],
    at: i64,
    revision: u32,
    heights: Vec<(u32, u32)>,
    /// The number of its latest post; 0 is none.
    posts: u64,
    #[serde(skip_serializing_if = "<[EventName]>::is_empty")]
    waiting: &'a [EventName],
    /// Its call stopped waiting and had no answer.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unanswered: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<DeliveryState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_ms: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fallback: Option<&'a str>,
    /// It did not answer the last time it ran.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    stuck: bool,
}

impl<'a> From<&'a CardView> for CardJson<'a> {
    fn from(view: &'a CardView) -> Self {
        let record = &view.record;
        Self {
            id: record.id,
            title: &record.title,
            anchor: record.anchor.as_str(),
            call: record.call.as_str(),
            open: record.is_open(),
            closed_by: record.closed_by,
            events: &record.events,
            at: record.at,
            revision: record.revision,
            heights: record.heights.iter().map(|(class, height)| (*class, *height)).collect(),
            posts: record.posts,
            waiting: &view.waiting,
            unanswered: view.waiting.is_empty() && record.unanswered,
            state: view.state,
            in_ms: millis(view.after),
            fallback: record.fallback.as_deref(),
            stuck: record.stuck,
        }
    }
}

/// What becomes of an event.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct StateJson {
    state: DeliveryState,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_ms: Option<u64>,
}

impl StateJson {
    pub(crate) fn new(state: DeliveryState, after: Option<Duration>) -> Self {
        Self { state, in_ms: millis(after) }
    }
}

/// The name and the data of a stream's event.
pub(crate) fn stream_event(event: &PageEvent) -> (&'static str, String) {
    let card = |view: &CardView| json!({ "card": CardJson::from(view) });
    let (name, data) = match event {
        PageEvent::Shown(view) => ("shown", card(view)),
        PageEvent::Changed(view) => ("changed", card(view)),
        PageEvent::Closed(view) => ("closed", card(view)),
        PageEvent::Removed(id) => ("removed", json!({ "card": id })),
        PageEvent::Posted { card, n, data } => {
            // As it was posted: a number that JavaScript can hold must not be rounded on the way.
            let data = RawValue::from_string(data.to_string()).unwrap_or_default();
            let posted = Posted { card: *card, n: *n, data: &data };
            return ("posted", serde_json::to_string(&posted).unwrap_or_default());
        }
        PageEvent::State { card, state, after } => match millis(*after) {
            None => ("state", json!({ "card": card, "state": state })),
            Some(ms) => ("state", json!({ "card": card, "state": state, "inMs": ms })),
        },
    };
    (name, data.to_string())
}

#[derive(Serialize)]
struct Posted<'a> {
    card: CardId,
    n: u64,
    data: &'a RawValue,
}

/// The settings that a page needs.
pub(crate) fn settings(settings: Settings) -> Value {
    json!({ "debounceMs": settings.debounce_ms, "maxHeight": settings.max_height })
}

fn millis(after: Option<Duration>) -> Option<u64> {
    after.map(|after| u64::try_from(after.as_millis()).unwrap_or(u64::MAX))
}
