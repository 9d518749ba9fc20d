use super::{Beat, Cards, Demo, script};
use crate::chat::{Assistant, Level};
use crate::chat::{Call, CallAnswer, CallStatus, Events, Item, Kind, Notice, Person};
use crate::model::{Model, Turn, TurnRequest, Wanted};
use futures_util::StreamExt;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;

fn context(kinds: Vec<Kind>) -> Vec<Arc<Item>> {
    (1..).zip(kinds).map(|(id, kind)| Arc::new(Item { id, at: 0, kind })).collect()
}

fn person(text: &str) -> Kind {
    Kind::Person(Person { text: text.to_owned(), queued: false })
}

fn assistant() -> Kind {
    let text = "said".to_owned();
    Kind::Assistant(Assistant { text, streaming: false, interrupted: false })
}

fn events(name: &str, count: u32) -> Kind {
    let line =
        json!({ "card": "c1", "title": "T", "name": name, "count": count, "data": {"n": 1} });
    let text = format!("A note.\n{line}\n");
    let (message, summary) = ("m".to_owned(), "UI: T".to_owned());
    Kind::Events(Events { message, summary, text, with_prompt: false })
}

fn called(status: CallStatus, text: &str, structured: Option<Value>) -> Kind {
    Kind::Call(Call {
        call: "k".to_owned(),
        name: "ui_show".to_owned(),
        arguments: RawValue::from_string("{}".to_owned()).unwrap(),
        status,
        result: Some(CallAnswer { text: text.to_owned(), structured }),
        beside: false,
        signatures: vec![],
    })
}

/// What a turn says, what it calls, and whether it wants more.
fn turn(kinds: Vec<Kind>) -> (String, Vec<(String, Value)>, bool) {
    let context = context(kinds);
    let (mut text, mut calls, mut more) = (String::new(), Vec::new(), false);
    for beat in script(&context, &Cards::None) {
        match beat {
            Beat::Piece(Turn::Text(piece)) => text.push_str(&piece),
            Beat::Piece(Turn::Call(Wanted { name, arguments, .. })) => {
                calls.push((name, serde_json::from_str(arguments.get()).unwrap()));
            }
            Beat::Piece(Turn::More) => more = true,
            Beat::Piece(_) | Beat::Pause(_) => {}
        }
    }
    (text, calls, more)
}

#[test]
fn a_plain_request_brings_its_card_and_then_a_closing_sentence() {
    let (text, calls, more) = turn(vec![person("Pick a colour")]);
    assert!(!text.is_empty() && !more);
    assert_eq!((calls[0].0.as_str(), &calls[0].1["title"]), ("ui_show", &json!("Pick a colour")));
    let done = called(CallStatus::Done, "c1 is shown", Some(json!({ "card": "c1" })));
    let (text, calls, _) = turn(vec![person("Pick a colour"), assistant(), done]);
    assert!(text.starts_with("Choose one") && calls.is_empty(), "{text}");
}

#[test]
fn an_approval_is_waited_for_and_its_answer_is_quoted() {
    let (_, calls, _) = turn(vec![person("Ask me for an approval")]);
    assert_eq!(calls[0].1["wait"], json!({ "event": ["approve", "decline"] }));
    let event = json!({ "name": "approve", "count": 1, "data": { "note": "go" } });
    let answered = json!({ "card": "c1", "outcome": "answered", "event": event });
    let done = called(CallStatus::Done, "", Some(answered));
    let (text, ..) = turn(vec![person("Ask me for an approval"), assistant(), done]);
    assert!(text.contains("`answered`"), "{text}");
    assert!(text.contains("You did approve: `{\"note\":\"go\"}`"), "{text}");
    for outcome in ["timeout", "closed", "unseen", "cancelled"] {
        let ended = called(CallStatus::Done, "ended", Some(json!({ "outcome": outcome })));
        let (text, ..) = turn(vec![person("Ask me for an approval"), assistant(), ended]);
        assert!(text.contains(&format!("`{outcome}`")) && !text.contains("You did approve"));
    }
}

#[test]
fn what_the_person_did_is_quoted_before_what_they_said_is_answered() {
    let kinds = vec![person("old"), assistant(), person("hello"), events("change", 3)];
    let (text, ..) = turn(kinds);
    assert!(text.starts_with("You did change ×3: `{\"n\":1}`\n\nI am a scripted demo"), "{text}");
}

#[test]
fn a_line_that_only_mentions_a_card_is_answered_with_the_result_itself() {
    let done = called(CallStatus::Done, "Card c1 is shown.", Some(json!({ "card": "c1" })));
    let (text, ..) = turn(vec![person("/show colour.html"), assistant(), done]);
    assert_eq!(text, "`ui_show` answered: Card c1 is shown.");
}

#[test]
fn a_refused_call_is_told_in_words() {
    let failed = called(CallStatus::Failed, "the title is too long", None);
    let (text, ..) = turn(vec![person("/call ui_show {}"), assistant(), failed]);
    assert_eq!(text, "`ui_show` failed: the title is too long");
}

#[test]
fn work_goes_its_steps_and_says_at_each_what_came_in() {
    let mut kinds = vec![person("/work 3")];
    assert_eq!(turn(kinds.clone()).0, "Step 1 of 3. Nothing came in.");
    kinds.extend([assistant(), events("change", 1)]);
    let (text, _, more) = turn(kinds.clone());
    assert_eq!((text.as_str(), more), ("Step 2 of 3. You did change: `{\"n\":1}`", true));
    kinds.push(assistant());
    let (text, _, more) = turn(kinds.clone());
    assert_eq!((text.as_str(), more), ("Step 3 of 3. Nothing came in.", false));
    kinds.extend([assistant(), events("late", 1)]);
    assert_eq!(turn(kinds).0, "You did late: `{\"n\":1}`");
}

#[test]
fn work_that_was_stopped_does_not_go_on() {
    let stopped = Kind::Notice(Notice { level: Level::Info, text: "Stopped.".to_owned() });
    let kinds = vec![person("/work 3"), assistant(), stopped, events("change", 1)];
    assert_eq!(turn(kinds).0, "You did change: `{\"n\":1}`");
}

#[test]
fn calls_that_were_answered_already_or_cancelled_are_not_told_again() {
    let done = called(CallStatus::Done, "x", None);
    let (text, ..) = turn(vec![person("a chart"), assistant(), done, assistant(), person("hi")]);
    assert!(text.starts_with("I am a scripted demo"), "{text}");
    let cancelled = called(CallStatus::Cancelled, "x", None);
    let (text, ..) = turn(vec![person("a chart"), assistant(), cancelled, person("hi")]);
    assert!(text.starts_with("I am a scripted demo"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_step_of_work_takes_half_a_second_and_text_comes_in_words() {
    let demo = Demo { cards: Cards::None };
    let begun = tokio::time::Instant::now();
    let request = TurnRequest { context: context(vec![person("/work 1")]), tools: vec![] };
    let pieces: Vec<_> = demo.turn(request).collect().await;
    assert_eq!(pieces.len(), "Step 1 of 1. Nothing came in.".split(' ').count());
    let taken = begun.elapsed();
    assert!((500..700).contains(&taken.as_millis()), "{taken:?}");
}

/// What `/context` shows, read back.
fn shown(text: &str) -> Value {
    let (_, block) = text.split_once("```json\n").unwrap();
    let (json, rest) = block.split_once("```").unwrap();
    assert_eq!(rest, "");
    serde_json::from_str(json).unwrap()
}

#[test]
fn the_context_is_shown_as_the_model_was_given_it() {
    let answered = json!({ "outcome": "answered" });
    let kinds = vec![
        person("a ```fence``` and \"quotes\""),
        called(CallStatus::Done, "ok", Some(answered.clone())),
        events("change", 3),
        person("/context"),
    ];
    let (text, calls, more) = turn(kinds);
    assert!(calls.is_empty() && !more);
    let event =
        json!({ "card": "c1", "title": "T", "name": "change", "count": 3, "data": {"n": 1} });
    assert_eq!(
        shown(text.split_once("This is").unwrap().1),
        json!([
            { "role": "person", "text": "a ```fence``` and \"quotes\"" },
            { "role": "call", "name": "ui_show", "arguments": {}, "status": "done", "text": "ok",
              "structured": answered },
            { "role": "events", "text": format!("A note.\n{event}\n") },
            { "role": "person", "text": "/context" },
        ])
    );
}

#[test]
fn a_context_that_is_too_long_loses_its_oldest_entries_and_says_so() {
    let mut kinds: Vec<_> =
        (0..10).map(|n| person(&format!("{n}{}", "x".repeat(10_000)))).collect();
    kinds.extend([person(&"y".repeat(20_000)), person("/context")]);
    let (text, ..) = turn(kinds);
    assert!(text.contains("4 older entries are left out"), "{}", &text[..100]);
    let shown = shown(&text);
    let shown = shown.as_array().unwrap();
    assert!(shown[0]["text"].as_str().unwrap().starts_with('4'));
    assert_eq!(shown[6], json!({ "role": "person", "leftOutBytes": 20_027 }));
    assert_eq!(shown[7]["text"], "/context");
}
