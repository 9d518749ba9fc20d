//! What a shown card throws: told once, with what the person does, and never a turn of its own.

use super::*;
use crate::card::DeliveryState::Starting;
use crate::input::ErrorReport;
use crate::limits::{CARD_ERRORS_PER_DOCUMENT, CARD_ERRORS_PER_LOAD};
use crate::thrown::{CardError, CardErrorKind};

fn error(text: &str) -> CardError {
    CardError { kind: CardErrorKind::Error, text: text.into(), line: Some(3), column: Some(14) }
}

impl Bench {
    fn fails(&mut self, load: LoadCheck, texts: &[&str]) -> Result<Accepted, Refusal> {
        let errors = texts.iter().map(|text| error(text)).collect();
        self.handle(Input::Errors(ErrorReport { card: CardId(1), load, errors, stuck: None }))
    }

    fn fails_with(&mut self, texts: &[&str]) {
        assert_eq!(self.fails(LoadCheck::Revision(1), texts), Ok(Accepted::Done));
    }

    fn is_stuck(&mut self, stuck: bool) {
        let load = LoadCheck::Revision(1);
        let report = ErrorReport { card: CardId(1), load, errors: Vec::new(), stuck: Some(stuck) };
        assert_eq!(self.handle(Input::Errors(report)), Ok(Accepted::Done));
    }

    /// The texts that the next message tells of, in order.
    fn told_errors(&mut self) -> Vec<String> {
        let Some(message) = self.take(TakeAt::Prompt) else { return Vec::new() };
        self.deliver(&message.id);
        let line = message.text.lines().find(|line| line.contains(r#""name":"errors""#)).unwrap();
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        let errors: Vec<CardError> = serde_json::from_value(line["data"].clone()).unwrap();
        assert_eq!(line["count"], errors.len());
        errors.iter().map(|error| error.text.to_string()).collect()
    }
}

#[test]
fn errors_wait_for_the_persons_message_and_start_no_turn() {
    let mut bench = Bench::with_card(json!([{ "name": "go", "wake": true }]));
    bench.agent(AgentState::Idle);
    bench.fails_with(&["a", "b"]);
    assert_eq!(bench.take(TakeAt::Wake), None);
    assert_eq!(bench.hints, [TakeAt::Prompt]);
    bench.restart();
    let message = bench.take(TakeAt::Prompt).unwrap();
    assert_eq!(message.summary, "UI: Card · errors ×2");
    assert!(message.text.contains("no deed of the person's"));
    assert!(message.text.contains(
        r#"{"card":"c1","title":"Card","name":"errors","count":2,"data":[{"kind":"error","text":"a","line":3,"column":14},"#
    ));
    assert!(!message.wake);
}

#[test]
fn they_go_along_with_an_event_that_wakes_and_the_line_is_about_the_event() {
    let mut bench = Bench::with_card(json!([{ "name": "go", "wake": true }]));
    bench.agent(AgentState::Idle);
    assert_eq!(bench.emit(1, "go", "1"), Ok(Starting));
    bench.fails_with(&["a"]);
    assert_eq!(bench.told(1), Some(Starting));
    let message = bench.take(TakeAt::Wake).unwrap();
    assert_eq!(events_of(&message), [plain("c1", "go", 1), plain("c1", "errors", 1)]);
    bench.deliver(&message.id);
    assert_eq!(bench.told(1), Some(crate::card::DeliveryState::Delivered));
}

#[test]
fn of_one_document_each_error_is_told_once_and_so_many_at_most() {
    let mut bench = Bench::with_card(json!([]));
    bench.fails_with(&["a", "a", "b", "past the first three"]);
    bench.fails_with(&["b", "c"]);
    assert_eq!(bench.told_errors(), ["a", "b", "c"]);
    bench.restart();
    bench.fails_with(&["a", "d"]);
    assert_eq!(bench.told_errors(), ["d"]);
    for n in 0..CARD_ERRORS_PER_DOCUMENT {
        bench.fails_with(&[&format!("more {n}")]);
    }
    assert_eq!(bench.told_errors().len(), CARD_ERRORS_PER_DOCUMENT - 4);
    bench.fails_with(&["one too many"]);
    assert_eq!(bench.told_errors(), [""; 0]);
    const { assert!(CARD_ERRORS_PER_LOAD == 3) };
}

#[test]
fn another_document_starts_afresh_and_what_the_old_one_threw_is_old() {
    let mut bench = Bench::with_card(json!([]));
    bench.fails_with(&["a"]);
    bench.is_stuck(true);
    bench.update(&json!({ "card": "c1", "html": "<p>mended</p>" })).unwrap();
    let record = bench.chat.card(bench.now, CardId(1)).unwrap().record;
    assert!(!record.stuck && record.errors.is_empty());
    assert_eq!(bench.told_errors(), [""; 0]);
    for stale in [LoadCheck::Revision(1), LoadCheck::Foreign] {
        assert_eq!(bench.fails(stale, &["a"]), Err(Refusal::StaleLoad));
    }
    bench.fails(LoadCheck::Revision(2), &["a"]).unwrap();
    bench.fails(LoadCheck::Earlier, &["b"]).unwrap();
    assert_eq!(bench.told_errors(), ["a", "b"]);
}

#[test]
fn a_call_that_waits_gets_them_in_its_result_and_a_cancelled_one_leaves_them() {
    let waits =
        json!({ "title": "Card", "html": "x", "wait": { "event": "ok", "timeoutSeconds": 60 } });
    let mut bench = Bench::new();
    bench.show(&waits);
    bench.fails_with(&["a"]);
    bench.emit(1, "ok", "1").unwrap();
    assert_eq!(bench.settled[0].errors, [error("a")]);
    bench.deliver("call-1");
    assert_eq!(bench.told_errors(), [""; 0]);
    bench.restart();
    assert_eq!(bench.told_errors(), [""; 0]);

    let mut bench = Bench::new();
    bench.show(&waits);
    bench.fails_with(&["a"]);
    bench.handle(Input::Cancel(CallId::parse("call-1").unwrap())).unwrap();
    assert_eq!(bench.settled[0].errors, []);
    assert_eq!(bench.told_errors(), ["a"]);
}

#[test]
fn a_card_that_is_closed_or_not_there_tells_nothing() {
    let mut bench = Bench::with_card(json!([]));
    bench.handle(Input::AgentCloses(CardId(1))).unwrap();
    bench.fails_with(&["a"]);
    bench.is_stuck(true);
    assert_eq!(bench.take(TakeAt::Prompt), None);
    let mut empty = Bench::new();
    assert!(matches!(empty.fails(LoadCheck::Earlier, &["a"]), Err(Refusal::UnknownCard { .. })));
}

#[test]
fn a_card_that_does_not_answer_is_marked_told_of_once_and_unmarked() {
    let mut bench = Bench::with_card(json!([]));
    let is_marked = |bench: &Bench| bench.chat.card(bench.now, CardId(1)).unwrap().record.stuck;
    bench.is_stuck(true);
    assert!(is_marked(&bench));
    assert!(matches!(bench.pages.last(), Some(PageEvent::Changed(view)) if view.record.stuck));
    bench.restart();
    assert!(is_marked(&bench));
    let told = bench.told_errors();
    assert!(told.len() == 1 && told[0].contains("did not answer"), "{told:?}");
    bench.is_stuck(false);
    assert!(!is_marked(&bench));
    bench.is_stuck(true);
    assert_eq!(bench.told_errors(), [""; 0]);
}

#[test]
fn an_event_that_is_called_errors_stays_apart_from_them() {
    let mut bench = Bench::with_card(json!([{ "name": "errors" }]));
    bench.emit(1, "errors", "1").unwrap();
    bench.fails_with(&["a"]);
    let message = bench.take(TakeAt::Prompt).unwrap();
    assert_eq!(events_of(&message), [plain("c1", "errors", 1), plain("c1", "errors", 1)]);
}
