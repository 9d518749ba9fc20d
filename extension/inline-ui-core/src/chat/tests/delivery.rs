use super::*;
use crate::card::DeliveryState::{Delivered, NextMessage, NextStep, Starting};

fn two_events() -> Bench {
    Bench::with_card(json!([{ "name": "a" }, { "name": "b" }, { "name": "go", "wake": true }]))
}

#[test]
fn a_newer_event_replaces_the_data_adds_to_the_count_and_moves_to_the_end() {
    let mut bench = two_events();
    for (name, data) in [("a", "1"), ("b", "2"), ("a", "3")] {
        bench.emit(1, name, data).unwrap();
    }
    let message = bench.take(TakeAt::Prompt).unwrap();
    assert_eq!(events_of(&message), [plain("c1", "b", 1), plain("c1", "a", 2)]);
    assert!(message.text.contains(r#""name":"a","count":2,"data":3"#));
    assert_eq!(message.summary, "UI: Card · b, a ×2");
}

#[test]
fn an_idle_agent_gets_it_with_the_next_message_and_a_working_one_at_its_next_step() {
    let mut bench = two_events();
    assert_eq!(bench.emit(1, "a", "1"), Ok(NextMessage));
    bench.agent(AgentState::Working);
    assert_eq!(bench.told(1), Some(NextStep));
    assert_eq!(bench.emit(1, "b", "1"), Ok(NextStep));
    let message = bench.take(TakeAt::Step).unwrap();
    assert_eq!(bench.told(1), Some(NextStep), "handed over is not delivered");
    bench.deliver(&message.id);
    assert_eq!(bench.told(1), Some(Delivered));
    assert_eq!(bench.take(TakeAt::Step), None);
}

#[test]
fn a_message_that_is_out_is_frozen_and_what_comes_after_is_the_next_one() {
    let mut bench = two_events();
    bench.agent(AgentState::Working);
    bench.emit(1, "a", "1").unwrap();
    let first = bench.take(TakeAt::Step).unwrap();
    bench.emit(1, "a", "2").unwrap();
    bench.update(&json!({ "card": "c1", "title": "Other" })).unwrap();
    assert_eq!(bench.take(TakeAt::Step), None, "one message is out at a time");
    bench.handle(Input::Returned(first.id.clone())).unwrap();
    assert_eq!(
        bench.take(TakeAt::Step),
        Some(first.clone()),
        "the same id and bytes, first and alone"
    );
    bench.deliver(&first.id);
    let second = bench.take(TakeAt::Step).unwrap();
    assert_ne!(second.id, first.id);
    assert_eq!(events_of(&second), [plain("c1", "a", 1)]);
}

#[test]
fn a_frozen_message_survives_a_restart_with_its_bytes() {
    let mut bench = two_events();
    bench.emit(1, "a", "1").unwrap();
    let message = bench.take(TakeAt::Prompt).unwrap();
    bench.restart();
    assert_eq!(bench.take(TakeAt::Prompt), Some(message.clone()));
    bench.deliver(&message.id);
    bench.restart();
    assert_eq!(bench.take(TakeAt::Prompt), None);
}

#[test]
fn an_agent_that_becomes_idle_or_gone_and_a_link_that_closes_return_what_was_offered() {
    for input in [Input::Agent(AgentState::Idle), Input::Agent(AgentState::Gone), Input::LinkClosed]
    {
        let mut bench = two_events();
        bench.agent(AgentState::Working);
        bench.emit(1, "a", "1").unwrap();
        let message = bench.take(TakeAt::Step).unwrap();
        bench.handle(input.clone()).unwrap();
        assert_eq!(bench.told(1), Some(NextMessage), "{input:?}");
        assert_eq!(bench.take(TakeAt::Prompt), Some(message), "{input:?}");
    }
}

#[test]
fn delivered_counts_in_whatever_state_and_returned_after_it_is_ignored() {
    let mut bench = two_events();
    bench.agent(AgentState::Working);
    bench.emit(1, "a", "1").unwrap();
    let message = bench.take(TakeAt::Step).unwrap();
    bench.agent(AgentState::Idle);
    bench.deliver(&message.id);
    bench.handle(Input::Returned(message.id.clone())).unwrap();
    assert_eq!(bench.take(TakeAt::Prompt), None);
    assert_eq!(bench.told(1), Some(Delivered));
}

#[test]
fn a_wake_event_starts_an_idle_or_gone_agent_but_no_working_one() {
    for state in [AgentState::Idle, AgentState::Gone] {
        let mut bench = two_events();
        bench.agent(state);
        bench.emit(1, "a", "1").unwrap();
        assert_eq!(bench.take(TakeAt::Wake), None, "nothing wakes yet");
        assert_eq!(bench.emit(1, "go", "1"), Ok(Starting));
        assert!(bench.hints.contains(&TakeAt::Wake));
        let message = bench.take(TakeAt::Wake).unwrap();
        assert_eq!(
            events_of(&message),
            [plain("c1", "a", 1), plain("c1", "go", 1)],
            "with all that waited"
        );
    }
    let mut bench = two_events();
    bench.agent(AgentState::Working);
    assert_eq!(bench.emit(1, "go", "1"), Ok(NextStep));
    assert_eq!(bench.take(TakeAt::Wake), None);
    bench.agent(AgentState::Idle);
    assert_eq!(bench.told(1), Some(Starting), "it was left over when the run ended");
    assert!(bench.take(TakeAt::Wake).is_some());
}

#[test]
fn two_wakes_are_ten_seconds_apart() {
    let mut bench = two_events();
    bench.emit(1, "go", "1").unwrap();
    let first = bench.take(TakeAt::Wake).unwrap();
    bench.deliver(&first.id);
    bench.hints.clear();
    bench.pass(Duration::from_secs(4));
    let late = bench.handle(Input::Event(event(1, "late", "go", "2"))).unwrap();
    assert_eq!(late, Accepted::Event { state: Starting, after: Some(Duration::from_secs(6)) });
    bench.pass(Duration::from_millis(5_999));
    assert_eq!(bench.take(TakeAt::Wake), None);
    assert!(!bench.hints.contains(&TakeAt::Wake));
    bench.pass(Duration::from_millis(1));
    assert!(bench.hints.contains(&TakeAt::Wake), "as soon as it has passed");
    assert!(bench.take(TakeAt::Wake).is_some());
}

#[test]
fn the_distance_between_wakes_outlives_a_restart() {
    let mut bench = two_events();
    bench.emit(1, "go", "1").unwrap();
    let first = bench.take(TakeAt::Wake).unwrap();
    bench.deliver(&first.id);
    bench.restart();
    bench.emit(1, "go", "2").unwrap();
    assert_eq!(bench.take(TakeAt::Wake), None);
    bench.pass(Duration::from_secs(10));
    assert!(bench.take(TakeAt::Wake).is_some());
}

#[test]
fn a_returned_wake_gives_the_ten_seconds_back() {
    let mut bench = two_events();
    bench.emit(1, "go", "1").unwrap();
    let message = bench.take(TakeAt::Wake).unwrap();
    bench.handle(Input::Returned(message.id.clone())).unwrap();
    assert_eq!(bench.take(TakeAt::Wake), Some(message));
}

#[test]
fn a_due_wake_that_nobody_takes_is_hinted_every_five_seconds() {
    let mut bench = two_events();
    bench.emit(1, "go", "1").unwrap();
    bench.hints.clear();
    bench.pass(Duration::from_secs(20));
    assert_eq!(bench.hints, [TakeAt::Wake; 4]);
    bench.agent(AgentState::Idle);
    assert_eq!(bench.hints.len(), 5, "and after each change of the agent");
}

#[test]
fn with_the_setting_off_a_wake_event_waits_like_any_other() {
    let mut bench = two_events();
    bench.handle(Input::Settings(Settings { wake: false, ..Settings::default() })).unwrap();
    assert_eq!(bench.emit(1, "go", "1"), Ok(NextMessage));
    assert_eq!(bench.take(TakeAt::Wake), None);
    bench.handle(Input::Settings(Settings::default())).unwrap();
    assert_eq!(bench.told(1), Some(Starting), "turned on again, it wakes");
}

#[test]
fn an_event_that_comes_as_the_run_ends_is_there_once_for_the_next_message() {
    let mut bench = two_events();
    bench.agent(AgentState::Working);
    bench.emit(1, "a", "1").unwrap();
    bench.agent(AgentState::Idle);
    assert_eq!(bench.told(1), Some(NextMessage));
    let message = bench.take(TakeAt::Prompt).unwrap();
    bench.deliver(&message.id);
    assert_eq!(events_of(&message), [plain("c1", "a", 1)]);
    assert_eq!(bench.take(TakeAt::Prompt), None);
}

#[test]
fn more_than_fits_a_line_goes_as_several_messages_oldest_first() {
    let data = format!("\"{}\"", "x".repeat(32_000));
    let mut bench = Bench::new();
    for n in 1..=15 {
        bench.show(&json!({ "title": "Card", "html": "x", "events": [{ "name": "a" }] }));
        bench.emit(n, "a", &data).unwrap();
    }
    let mut seen = Vec::new();
    while let Some(message) = bench.take(TakeAt::Prompt) {
        bench.deliver(&message.id);
        seen.push(events_of(&message).len());
    }
    assert_eq!(seen, [8, 7]);
    assert_eq!(bench.told(1), Some(Delivered));
    assert_eq!(bench.told(15), Some(Delivered));
}
