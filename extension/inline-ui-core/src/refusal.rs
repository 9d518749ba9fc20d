use crate::document::check::{Finding, Place};
use crate::ids::{CardId, EventName};
use crate::limits;
use std::time::Duration;

/// Why something was not taken: which rule, which limit, and what to do instead.
///
/// The text of each is what the model is told, or what a program reads in `detail`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant's text says what it is")]
pub enum Refusal {
    #[error("there is no card {card} in this chat; use the id that ui_show answered with")]
    UnknownCard { card: String },
    #[error("there is no tool {name}; the tools are ui_show, ui_update and ui_close")]
    UnknownTool { name: String },
    #[error("{what} is 1 to {max} characters, none of them a control character")]
    BadId { what: &'static str, max: usize },
    #[error(
        "an event's name is 1 to {} of A-Z a-z 0-9 _ . : - and begins with a letter; {name:?} is not",
        limits::EVENT_NAME_CHARS
    )]
    BadEventName { name: String },
    #[error("the arguments do not fit: {what}")]
    BadArguments { what: String },
    #[error("a field is not known: {what}")]
    UnknownField { what: String },
    #[error("a title is 1 to {} characters; this one has {chars}", limits::TITLE_CHARS)]
    BadTitle { chars: usize },
    #[error("the html is empty; write the card's markup")]
    HtmlEmpty,
    #[error(
        "the html has {bytes} bytes and may have {}; shorten it, or send data later with ui_update",
        limits::HTML_BYTES
    )]
    HtmlTooLarge { bytes: usize },
    #[error("{}", .0.text)]
    Html(Box<Finding>),
    #[error("a fallback has at most {} characters; this one has {chars}", limits::FALLBACK_CHARS)]
    FallbackTooLong { chars: usize },
    #[error(
        "a card declares at most {} events, those it waits for included; this one has {count}: \
         use fewer names and tell cases apart in the data",
        limits::EVENTS_PER_CARD
    )]
    TooManyEvents { count: usize },
    #[error("the event {name} is declared twice; declare each name once")]
    DuplicateEvent { name: EventName },
    #[error(
        "the debounceMs of {name} is {given}; it is a whole number from 0 to {}",
        limits::DEBOUNCE_MAX_MS
    )]
    BadDebounce { name: EventName, given: String },
    #[error("wait.event names no event; give one name or a list of names")]
    WaitForNothing,
    #[error(
        "wait.timeoutSeconds is {given}; it is more than 0 and at most {}",
        limits::WAIT_MAX.as_secs()
    )]
    BadTimeout { given: String },
    #[error("ui_update needs at least one of data, title and html")]
    NothingToUpdate,
    #[error("the data has more than {} bytes as JSON; post less", limits::POST_BYTES)]
    PostTooLarge,
    #[error("card {card} is closed; show a new one with ui_show")]
    CardClosed { card: CardId },
    #[error(
        "this event belongs to a load of the card that is over; the card was drawn afresh since"
    )]
    StaleLoad,
    #[error("the card does not declare the event {name}")]
    UndeclaredEvent { name: EventName },
    #[error("the event {name} is taken once, and it was")]
    EventSpent { name: EventName },
    #[error("an event's data has at most {} bytes as JSON; send less", limits::EVENT_DATA_BYTES)]
    DataTooLarge,
    #[error("the data nests deeper than {}; flatten it", limits::DATA_DEPTH)]
    DataTooDeep,
    #[error(
        "this card has sent more than {} events at once and {} a second; try again in {} ms",
        limits::CARD_BURST,
        limits::CARD_PER_SECOND,
        .retry_after.as_millis()
    )]
    CardRate { retry_after: Duration },
    #[error(
        "this chat has sent more than {} events at once and {} a second; try again in {} ms",
        limits::CHAT_BURST,
        limits::CHAT_PER_SECOND,
        .retry_after.as_millis()
    )]
    ChatRate { retry_after: Duration },
    #[error("it could not be stored, so it was not taken: {why}")]
    Storage { why: String },
}

impl Refusal {
    /// The refusal's name for programs. It never changes without a major version.
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownCard { .. } => "unknown_card",
            Self::UnknownTool { .. } => "unknown_tool",
            Self::BadId { .. } => "bad_id",
            Self::BadEventName { .. } => "bad_event_name",
            Self::BadArguments { .. } => "bad_arguments",
            Self::UnknownField { .. } => "unknown_field",
            Self::BadTitle { .. } => "bad_title",
            Self::HtmlEmpty => "html_empty",
            Self::HtmlTooLarge { .. } => "html_too_large",
            Self::Html(finding) => finding.code,
            Self::FallbackTooLong { .. } => "fallback_too_long",
            Self::TooManyEvents { .. } => "too_many_events",
            Self::DuplicateEvent { .. } => "duplicate_event",
            Self::BadDebounce { .. } => "bad_debounce",
            Self::WaitForNothing => "wait_for_nothing",
            Self::BadTimeout { .. } => "bad_timeout",
            Self::NothingToUpdate => "nothing_to_update",
            Self::PostTooLarge | Self::DataTooLarge => "data_too_large",
            Self::CardClosed { .. } => "card_closed",
            Self::StaleLoad => "stale_load",
            Self::UndeclaredEvent { .. } => "undeclared_event",
            Self::EventSpent { .. } => "event_spent",
            Self::DataTooDeep => "data_too_deep",
            Self::CardRate { .. } => "card_rate_limited",
            Self::ChatRate { .. } => "chat_rate_limited",
            Self::Storage { .. } => "storage_unavailable",
        }
    }

    /// Where in the author's HTML it is, for one that is about its text.
    pub fn place(&self) -> Option<Place> {
        match self {
            Self::Html(finding) => finding.at,
            _ => None,
        }
    }

    /// When the same thing may be tried again, for a rate.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::CardRate { retry_after } | Self::ChatRate { retry_after } => Some(*retry_after),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::check::check;
    use crate::tools;
    use serde_json::json;
    use serde_json::value::RawValue;

    fn tokens(text: &str) -> usize {
        tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
    }

    /// One of each, with the longest that can stand in it.
    fn all() -> Vec<Refusal> {
        let name = EventName::parse(&"aB3_".repeat(16)).unwrap();
        let long = crate::ids::shortened(&"née ".repeat(200));
        let retry_after = Duration::from_millis(123_456);
        let card = CardId(200);
        vec![
            Refusal::UnknownCard { card: long.clone() },
            Refusal::UnknownTool { name: long.clone() },
            Refusal::BadId { what: "an event's id", max: 128 },
            Refusal::BadEventName { name: long.clone() },
            Refusal::BadArguments { what: long.clone() },
            Refusal::UnknownField { what: long.clone() },
            Refusal::BadTitle { chars: 262_144 },
            Refusal::HtmlEmpty,
            Refusal::HtmlTooLarge { bytes: 1_000_000 },
            Refusal::FallbackTooLong { chars: 262_144 },
            Refusal::TooManyEvents { count: 10_000 },
            Refusal::DuplicateEvent { name: name.clone() },
            Refusal::BadDebounce { name: name.clone(), given: "1".repeat(20) },
            Refusal::WaitForNothing,
            Refusal::BadTimeout { given: "1".repeat(20) },
            Refusal::NothingToUpdate,
            Refusal::PostTooLarge,
            Refusal::CardClosed { card },
            Refusal::StaleLoad,
            Refusal::UndeclaredEvent { name: name.clone() },
            Refusal::EventSpent { name },
            Refusal::DataTooLarge,
            Refusal::DataTooDeep,
            Refusal::CardRate { retry_after },
            Refusal::ChatRate { retry_after },
            Refusal::Storage { why: "the disk is full".to_owned() },
        ]
    }

    #[test]
    fn every_refusal_is_short_enough_to_act_on() {
        for refusal in all() {
            let text = format!("{}: {refusal}", refusal.code());
            assert!(tokens(&text) < 120, "{}: {text}", tokens(&text));
        }
    }

    #[test]
    fn a_refusal_does_not_quote_what_is_long() {
        let long = "字".repeat(20_000);
        for arguments in [
            json!({ "title": "T", "html": "x", "events": long }),
            json!({ "title": "T", "html": "x", "wait": { "event": [[long]] } }),
            json!({ "title": "T", "html": "x", "wait": { "event": { "a": long } } }),
            json!({ "title": "T", "html": "x", "events": [{ "name": long }] }),
            json!({ "title": "T", "html": "x", "wait": { "event": "a", "timeoutSeconds": 1e300 } }),
            json!({ long.clone(): 1 }),
        ] {
            let raw = RawValue::from_string(arguments.to_string()).unwrap();
            let refusal = tools::read("ui_show", &raw).unwrap_err();
            let text = format!("{}: {refusal}", refusal.code());
            assert!(tokens(&text) < 240, "{}: {text}", tokens(&text));
        }
    }

    #[test]
    fn every_refusal_of_a_cards_html_is_short_enough_to_act_on() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cards/bad");
        let mut cards: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| std::fs::read_to_string(entry.unwrap().path()).ok())
            .collect();
        let address = "https://cdn.example.org/%E4%BD%A0/x9f8e7d6c5b4a3".repeat(20);
        let worst = "<script src=ADDRESS></script>".replace("ADDRESS", &address);
        cards.push(worst.repeat(9) + "<script>const top = 1; let x = ;</script><p onclick=')'>");
        let name = "長い名前".repeat(50);
        cards.push(format!("<p onclick='{name}()'><script type=module>const {name} = 1</script>"));
        cards.push(format!("<script>let {name}</script><script>let {name}</script>"));
        let refusals: Vec<_> = cards.iter().filter_map(|html| check(html).refusal).collect();
        assert!(refusals.len() > 40);
        for refusal in refusals {
            let text = format!("{}: {}", refusal.code, refusal.text);
            assert!(tokens(&text) < 120, "{}: {text}", tokens(&text));
        }
    }
}
