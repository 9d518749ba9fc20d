//! What a tool call is answered with.

use crate::chat_task::Answer;
use inline_ui_core::document::check::Finding;
use inline_ui_core::{Accepted, CardError, CardId, Outcome, Refusal, SettledWait};
use portal_link::{CallResult, Content};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;

/// What a call's answer says beside what became of the card.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Of the check of the card's HTML.
    pub(crate) notes: Vec<Finding>,
    /// The text for those who cannot see the card.
    pub(crate) fallback: Option<Arc<str>>,
}

/// A refusal: the words for the model, the code for a program.
pub(crate) fn refused(refusal: &Refusal) -> CallResult {
    CallResult {
        content: text(format!("{}: {refusal}", refusal.code())),
        structured: Some(match refusal.place() {
            None => json!({ "code": refusal.code() }),
            Some(at) => json!({ "code": refusal.code(), "line": at.line, "column": at.column }),
        }),
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
pub(crate) fn accepted(answer: &Answer, told: &Told) -> CallResult {
    let pages = answer.pages;
    let notes = &told.notes;
    match &answer.accepted {
        Accepted::Shown { card, .. } => result(
            format!("Card {card} is shown. {}{}", looking(pages, told), said(told)),
            json!({ "card": card, "pages": pages, "notes": notes }),
        ),
        Accepted::Updated(card) => result(
            format!("Card {card} is updated. {}{}", looking(pages, told), said(told)),
            json!({ "card": card, "pages": pages, "notes": notes }),
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
pub(crate) fn settled(wait: &SettledWait, pages: usize, told: &Told) -> CallResult {
    let SettledWait { card, outcome, waited_ms, errors, .. } = wait;
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
            looking(pages, told)
        ),
        Outcome::Unseen => {
            format!(
                "The time passed ({seconds} s) and no page ever showed card {card}: nobody saw it. Ask in words instead.{}",
                instead(told)
            )
        }
        Outcome::Closed => format!("Card {card} was closed without an answer, after {seconds} s."),
        Outcome::Cancelled => format!("The call was cancelled after {seconds} s. {stays}"),
    };
    let mut structured = json!({ "card": card, "outcome": outcome.name(), "secondsWaited": seconds, "pages": pages, "notes": told.notes });
    if let Outcome::Answered { name, data } = outcome {
        let data = RawValue::from_string(data.to_string()).ok();
        let data = data.and_then(|data| serde_json::from_str::<Value>(data.get()).ok());
        structured["event"] = json!({ "name": name, "count": 1, "data": data });
    }
    if !errors.is_empty() {
        structured["errors"] = json!(errors);
    }
    result(text + &thrown(errors) + &said(told), structured)
}

/// A call whose card went with the process.
pub(crate) fn stopped(card: CardId, told: &Told) -> CallResult {
    let structured = json!({ "card": card, "outcome": "cancelled", "secondsWaited": 0, "pages": 0, "notes": told.notes });
    let text = format!("The extension stopped while card {card} waited.{}", said(told));
    result(text, structured)
}

fn looking(pages: usize, told: &Told) -> String {
    match pages {
        0 => format!(
            "No page is looking at this chat, so nobody sees it before one is opened.{}",
            instead(told)
        ),
        1 => "One page is looking at this chat.".to_owned(),
        n => format!("{n} pages are looking at this chat."),
    }
}

/// What stands where the card cannot be seen.
fn instead(told: &Told) -> String {
    let words = told.fallback.as_deref();
    words.map_or_else(String::new, |words| format!(" Shown instead is the fallback: {words}"))
}

/// What the card threw, as lines.
fn thrown(errors: &[CardError]) -> String {
    let lines = errors.iter().map(|error| format!("\n- {error}"));
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\nThe card's own code threw:{lines}") }
}

/// The findings as lines.
fn said(told: &Told) -> String {
    let lines = told.notes.iter().map(|note| format!("\n- {}: {}", note.code, note.text));
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\nNotes on the html:{lines}") }
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

#[cfg(test)]
mod tests {
    use super::*;
    use inline_ui_core::document::check::{Place, check};
    use inline_ui_core::{CallId, CardErrorKind, EventName};

    fn told() -> Told {
        let notes = check("```html\n<img src=\"a.png\" alt=\"A\">\n```").notes;
        Told { notes, fallback: Some("A is up by 4 %.".into()) }
    }

    fn shown(pages: usize, told: &Told) -> CallResult {
        let accepted = super::Accepted::Shown { card: CardId(1), waits: false };
        super::accepted(&Answer { accepted, pages, wait: None }, told)
    }

    fn ended(outcome: Outcome, told: &Told) -> CallResult {
        failed(outcome, Vec::new(), told)
    }

    fn failed(outcome: Outcome, errors: Vec<CardError>, told: &Told) -> CallResult {
        let call = CallId::parse("call").unwrap();
        let wait = SettledWait { call, card: CardId(1), outcome, waited_ms: 1_240, errors };
        settled(&wait, 0, told)
    }

    #[test]
    fn answers_read_as_they_should() {
        let (told, nothing) = (told(), Told::default());
        let answered =
            Outcome::Answered { name: EventName::parse("ok").unwrap(), data: "{\"n\":1}".into() };
        let syntax = check("<script>let x = ;</script>").refusal.unwrap();
        assert_eq!(syntax.at, Some(Place { line: 1, column: 17 }));
        let (kind, text) = (CardErrorKind::Error, "TypeError: a is not a function".into());
        let error = CardError { kind, text, line: Some(3), column: Some(14) };
        let all = [
            ("shown", shown(1, &nothing)),
            ("shown with notes", shown(2, &told)),
            ("shown to nobody", shown(0, &told)),
            ("answered", ended(answered, &told)),
            ("timeout", ended(Outcome::Timeout, &told)),
            ("unseen", ended(Outcome::Unseen, &told)),
            ("timeout of a card that failed", failed(Outcome::Timeout, vec![error], &nothing)),
            ("closed", ended(Outcome::Closed, &nothing)),
            ("cancelled", ended(Outcome::Cancelled, &nothing)),
            ("stopped", stopped(CardId(1), &nothing)),
            ("refused html", refused(&Refusal::Html(Box::new(syntax)))),
            ("refused", refused(&Refusal::HtmlEmpty)),
        ];
        let lines: Vec<String> = all
            .iter()
            .map(|(name, answer)| {
                let Some(Content::Text { text }) = answer.content.first() else {
                    panic!("no text")
                };
                let structured = answer.structured.as_ref().unwrap();
                format!("## {name}\n{text}\n{structured:#}")
            })
            .collect();
        insta::assert_snapshot!(lines.join("\n\n"));
    }
}
