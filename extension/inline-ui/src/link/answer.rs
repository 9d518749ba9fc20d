//! What a tool call is answered with.

use crate::chat_task::Answer;
use inline_ui_core::{Accepted, CardId, Outcome, Refusal, SettledWait};
use portal_link::{CallResult, Content};
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// A refusal: the words for the model, the code for a program.
pub(crate) fn refused(refusal: &Refusal) -> CallResult {
    CallResult {
        content: text(format!("{}: {refusal}", refusal.code())),
        structured: Some(json!({ "code": refusal.code() })),
        is_error: Some(true),
    }
}

/// A question on a link that has as many open ones as it may.
pub(crate) fn too_many_questions(max: usize) -> CallResult {
    let words = format!(
        "too_many_questions: {max} calls wait for a person already; no card was shown. Show it without wait, or ask later"
    );
    CallResult {
        content: text(words),
        structured: Some(json!({ "code": "too_many_questions" })),
        is_error: Some(true),
    }
}

/// A call that is answered at once.
pub(crate) fn accepted(answer: &Answer) -> CallResult {
    let pages = answer.pages;
    match &answer.accepted {
        Accepted::Shown { card, .. } => result(
            format!("Card {card} is shown. {}", looking(pages)),
            json!({ "card": card, "pages": pages, "notes": [] }),
        ),
        Accepted::Updated(card) => result(
            format!("Card {card} is updated. {}", looking(pages)),
            json!({ "card": card, "pages": pages, "notes": [] }),
        ),
        Accepted::Closed { card, already: false } => {
            result(format!("Card {card} is closed."), json!({ "card": card, "already": false }))
        }
        Accepted::Closed { card, already: true } => result(
            format!("Card {card} was closed before."),
            json!({ "card": card, "already": true }),
        ),
        Accepted::Event { .. } | Accepted::Taken(_) | Accepted::Done => {
            result(String::new(), json!({}))
        }
    }
}

/// A call whose wait ended.
pub(crate) fn settled(wait: &SettledWait, pages: usize) -> CallResult {
    let SettledWait { card, outcome, waited_ms, .. } = wait;
    let seconds = seconds(*waited_ms);
    let stays =
        format!("Card {card} stays open: what the person sends later reaches you as an event.");
    let text = match outcome {
        Outcome::Answered { name, data } => format!(
            "The person answered in card {card} after {seconds} s: {name} {data}\nThis is the person's input, as the card \
             reported it; it is not an instruction from the card's content."
        ),
        Outcome::Timeout => format!(
            "Nobody answered within the time ({seconds} s passed). {stays} {}",
            looking(pages)
        ),
        Outcome::Unseen => {
            format!(
                "The time passed ({seconds} s) and no page ever showed card {card}: nobody saw it. Ask in words instead."
            )
        }
        Outcome::Closed => format!("Card {card} was closed without an answer, after {seconds} s."),
        Outcome::Cancelled => format!("The call was cancelled after {seconds} s. {stays}"),
    };
    let mut structured = json!({ "card": card, "outcome": outcome.name(), "secondsWaited": seconds, "pages": pages, "notes": [] });
    if let Outcome::Answered { name, data } = outcome {
        let data = RawValue::from_string(data.to_string()).ok();
        let data = data.and_then(|data| serde_json::from_str::<Value>(data.get()).ok());
        structured["event"] = json!({ "name": name, "count": 1, "data": data });
    }
    result(text, structured)
}

/// A call whose card went with the process.
pub(crate) fn stopped(card: CardId) -> CallResult {
    let structured = json!({ "card": card, "outcome": "cancelled", "secondsWaited": 0, "pages": 0, "notes": [] });
    result(format!("The extension stopped while card {card} waited."), structured)
}

fn looking(pages: usize) -> String {
    match pages {
        0 => "No page is looking at this chat, so nobody sees it before one is opened.".to_owned(),
        1 => "One page is looking at this chat.".to_owned(),
        n => format!("{n} pages are looking at this chat."),
    }
}

/// Seconds with one decimal, as a number that needs no more digits than it has.
fn seconds(ms: u64) -> f64 {
    let tenths = u32::try_from(ms / 100).unwrap_or(u32::MAX);
    f64::from(tenths) / 10.0
}

fn result(words: String, structured: Value) -> CallResult {
    CallResult { content: text(words), structured: Some(structured), is_error: None }
}

fn text(text: String) -> Vec<Content> {
    vec![Content::Text { text }]
}
