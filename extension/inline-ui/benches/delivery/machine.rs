//! The state machine alone: events that are admitted and coalesced in a second of one core.

use inline_ui_core::tools::{ToolInput, read};
use inline_ui_core::{
    Accepted, CallId, CardId, Chat, EventId, EventInput, Input, Instant, LoadCheck, Now, Settings,
    Snapshot,
};
use serde_json::json;
use serde_json::value::RawValue;
use std::hint::black_box;
use std::time::Duration;

/// How long a measurement is, in nanoseconds.
const LENGTH_NS: u64 = 400_000_000;
/// Ids of a card come again after so many events: more than it remembers.
const IDS: usize = 512;
/// At this distance the chat's rate admits every event.
const DISTANCE: Duration = Duration::from_millis(100);

pub(crate) fn rows() -> Vec<(String, f64)> {
    [20, 200].map(|cards| (format!("state machine alone, {cards} cards"), best(cards))).into()
}

/// The best of three, as whatever else runs only slows it down.
fn best(cards: u32) -> f64 {
    (0..3).map(|_| events_a_second(cards)).fold(0.0, f64::max)
}

fn events_a_second(cards: u32) -> f64 {
    let mut now = Now { mono: Instant::at(Duration::from_hours(1)), wall_ms: 1_764_500_000_000 };
    let mut chat = chat(cards, now);
    let inputs = inputs(cards);
    let mut events = inputs.iter().cycle();
    let mut admit = |chat: &mut Chat| {
        let Some(event) = events.next() else { return };
        now.mono = now.mono + DISTANCE;
        now.wall_ms += 100;
        let accepted = chat.handle(now, Input::Event(event.clone()));
        assert!(matches!(accepted, Ok(Accepted::Event { .. })), "{accepted:?}");
        while let Some(effect) = chat.poll_effect() {
            black_box(effect);
        }
    };
    // Until every card remembers as many ids as it ever does.
    (0..256 * cards).for_each(|_| admit(&mut chat));
    let (start, mut done) = (processor_time(), 0_u32);
    while processor_time() - start < LENGTH_NS {
        (0..1_000).for_each(|_| admit(&mut chat));
        done += 1_000;
    }
    f64::from(done) / Duration::from_nanos(processor_time() - start).as_secs_f64()
}

/// Nanoseconds this thread has run for: others may use the core meanwhile.
fn processor_time() -> u64 {
    let run = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    run.split(' ').next().unwrap().parse().unwrap()
}

fn chat(cards: u32, now: Now) -> Chat {
    let mut chat = Chat::restore(Snapshot::default(), Settings::default(), 7, now);
    for n in 1..=cards {
        let arguments = json!({ "title": format!("Card {n}"), "html": "<p>x</p>", "events": [{ "name": "a" }, { "name": "b" }] });
        let arguments = RawValue::from_string(arguments.to_string()).unwrap();
        let ToolInput::Show(show, _) = read("ui_show", &arguments).unwrap() else { unreachable!() };
        let call = CallId::parse(&format!("call-{n}")).unwrap();
        chat.handle(now, Input::Show { anchor: call.clone(), call, show }).unwrap();
        while chat.poll_effect().is_some() {}
    }
    chat
}

/// Events of all cards in turn, each under an id its card does not remember.
fn inputs(cards: u32) -> Vec<EventInput> {
    let data = json!({ "colour": "teal", "at": [3, 12.5], "note": "as a person would" });
    (0..IDS)
        .flat_map(|n| (1..=cards).map(move |card| (n, card)))
        .map(|(n, card)| EventInput {
            card: CardId(card),
            id: EventId::parse(&format!("5f0c1f5e-6c1e-4b0e-9c57-{card:04}{n:08}")).unwrap(),
            load: LoadCheck::Revision(1),
            name: ["a", "b"][n % 2].into(),
            data: Some(data.to_string().into()),
        })
        .collect()
}
