use super::*;
use crate::card::DeliveryState::{Answered, Delivered, NextMessage, NextStep};

fn asking(seconds: u32) -> Bench {
    let mut bench = Bench::new();
    bench.agent(AgentState::Working);
    bench.show(&json!({ "title": "Card", "html": "x", "events": [{ "name": "note" }],
        "wait": { "event": ["ok", "no"], "timeoutSeconds": seconds } }));
    bench
}

fn only(bench: &Bench) -> &SettledWait {
    let [settled] = bench.settled.as_slice() else { panic!("{:?}", bench.settled) };
    settled
}

fn call() -> CallId {
    CallId::parse("call-1").unwrap()
}

#[test]
fn the_wait_takes_its_event_and_nothing_else_gets_it() {
    let mut bench = asking(60);
    bench.emit(1, "note", "0").unwrap();
    bench.pass(Duration::from_secs(3));
    assert_eq!(bench.emit(1, "ok", r#"{"n":1}"#), Ok(Answered));
    let settled = only(&bench);
    assert_eq!((settled.call.clone(), settled.waited_ms), (call(), 3_000));
    assert!(
        matches!(&settled.outcome, Outcome::Answered { name, data } if name.as_str() == "ok" && &**data == r#"{"n":1}"#)
    );
    let message = bench.take(TakeAt::Step).unwrap();
    assert_eq!(events_of(&message), [plain("c1", "note", 1)]);
    bench.deliver(&message.id);
    bench.deliver("call-1");
    assert_eq!(bench.told(1), Some(Delivered));
    bench.agent(AgentState::Idle);
    assert_eq!(bench.take(TakeAt::Prompt), None);
    bench.restart();
    assert_eq!(bench.take(TakeAt::Prompt), None);
}

#[test]
fn a_second_event_of_the_name_is_an_ordinary_one() {
    let mut bench = asking(60);
    bench.emit(1, "ok", "1").unwrap();
    assert_eq!(bench.emit(1, "ok", "2"), Ok(NextStep));
    assert_eq!(bench.settled.len(), 1);
    assert_eq!(events_of(&bench.take(TakeAt::Step).unwrap()), [plain("c1", "ok", 1)]);
}

#[test]
fn waited_names_join_the_declared_ones_for_good_as_actions() {
    let mut bench = asking(1);
    bench.pass(Duration::from_secs(2));
    let events = bench.chat.card(bench.now, CardId(1)).unwrap().record.events;
    let names: Vec<_> =
        events.iter().map(|event| (event.name.as_str(), event.debounce_ms)).collect();
    assert_eq!(names, [("note", None), ("ok", Some(0)), ("no", Some(0))]);
    assert!(bench.emit(1, "ok", "1").is_ok());
}

#[test]
fn silence_ends_as_unseen_or_as_timeout_and_a_late_answer_is_an_ordinary_event_once() {
    let mut bench = asking(60);
    bench.pass(Duration::from_secs(59));
    assert!(bench.settled.is_empty());
    bench.pass(Duration::from_secs(1));
    assert_eq!(only(&bench).outcome, Outcome::Unseen);

    let mut bench = asking(60);
    bench.handle(Input::Seen(CardId(1))).unwrap();
    bench.pass(Duration::from_mins(1));
    assert_eq!(only(&bench).outcome, Outcome::Timeout);
    assert_eq!(bench.emit(1, "ok", "1"), Ok(NextStep));
    assert_eq!(events_of(&bench.take(TakeAt::Step).unwrap()), [plain("c1", "ok", 1)]);
}

#[test]
fn a_card_knows_that_it_was_asked_and_nobody_waits_any_more() {
    let unanswered =
        |bench: &Bench| bench.chat.card(bench.now, CardId(1)).unwrap().record.unanswered;
    let mut bench = asking(60);
    bench.emit(1, "ok", "1").unwrap();
    assert!(!unanswered(&bench));
    bench.handle(Input::Cancel(call())).unwrap();
    assert!(unanswered(&bench), "the call gave the answer back");
    bench.deliver("call-1");
    assert!(!unanswered(&bench), "and had kept it after all");

    let mut bench = asking(60);
    bench.handle(Input::Cancel(call())).unwrap();
    assert!(unanswered(&bench));
    let mut bench = asking(60);
    bench.restart();
    assert!(unanswered(&bench), "the call died with the process");
    assert!(bench.chat.card(bench.now, CardId(1)).unwrap().waiting.is_empty());
}

#[test]
fn the_clock_stands_still_while_the_person_is_active() {
    let mut bench = asking(60);
    bench.handle(Input::Seen(CardId(1))).unwrap();
    for _ in 0..12 {
        bench.pass(Duration::from_secs(10));
        bench.handle(Input::Activity(CardId(1))).unwrap();
    }
    assert!(bench.settled.is_empty(), "two minutes of typing");
    bench.pass(Duration::from_secs(30 + 49));
    assert!(bench.settled.is_empty());
    bench.pass(Duration::from_secs(1));
    assert_eq!(only(&bench).outcome, Outcome::Timeout);
    assert_eq!(only(&bench).waited_ms, 200_000);
}

#[test]
fn closing_ends_the_wait_and_leaves_no_note() {
    for input in [Input::PersonCloses(CardId(1)), Input::AgentCloses(CardId(1)), Input::Delete] {
        let mut bench = asking(60);
        bench.handle(input).unwrap();
        assert_eq!(only(&bench).outcome, Outcome::Closed);
        assert_eq!(bench.take(TakeAt::Step), None);
    }
}

#[test]
fn a_wait_on_a_card_that_is_no_longer_kept_ends_closed() {
    let mut bench = asking(60);
    for _ in 0..limits::CARDS_PER_CHAT {
        bench.show(&json!({ "title": "More", "html": "x" }));
    }
    assert_eq!(only(&bench).outcome, Outcome::Closed);
    assert!(bench.pages.contains(&PageEvent::Removed(CardId(1))));
}

#[test]
fn cancelling_ends_the_wait_and_the_card_stays() {
    let mut bench = asking(60);
    bench.handle(Input::Cancel(call())).unwrap();
    assert_eq!(only(&bench).outcome, Outcome::Cancelled);
    assert!(bench.chat.card(bench.now, CardId(1)).unwrap().waiting.is_empty());
    assert_eq!(bench.emit(1, "ok", "1"), Ok(NextStep));
    bench.handle(Input::Cancel(call())).unwrap();
    assert_eq!(bench.settled.len(), 1, "once");
}

#[test]
fn a_link_that_closes_cancels_every_wait() {
    let mut bench = asking(60);
    bench.handle(Input::LinkClosed).unwrap();
    assert_eq!(only(&bench).outcome, Outcome::Cancelled);
    assert_eq!(bench.chat.poll_timeout(), None);
}

#[test]
fn an_answer_that_its_call_did_not_keep_becomes_an_ordinary_entry() {
    let returned = Input::Returned("call-1".to_owned());
    for input in
        [Input::Cancel(call()), returned, Input::LinkClosed, Input::Agent(AgentState::Idle)]
    {
        let mut bench = asking(60);
        bench.emit(1, "ok", "1").unwrap();
        bench.handle(input.clone()).unwrap();
        assert!(matches!(bench.told(1), Some(NextMessage | NextStep)), "{input:?}");
        bench.emit(1, "ok", "2").unwrap();
        let message = bench.take(TakeAt::Prompt).unwrap();
        assert_eq!(events_of(&message), [plain("c1", "ok", 2)], "{input:?}");
        assert!(message.text.contains("\"data\":2"));
    }
}

#[test]
fn an_answer_given_back_keeps_its_place_and_the_newer_data() {
    let mut bench = asking(60);
    bench.emit(1, "ok", "1").unwrap();
    bench.emit(1, "note", "0").unwrap();
    bench.emit(1, "ok", "2").unwrap();
    bench.handle(Input::Cancel(call())).unwrap();
    let message = bench.take(TakeAt::Step).unwrap();
    assert_eq!(events_of(&message), [plain("c1", "note", 1), plain("c1", "ok", 2)]);
    assert!(message.text.contains("\"data\":2"));
}

#[test]
fn a_call_that_kept_its_answer_after_all_takes_it_out_again() {
    let mut bench = asking(60);
    bench.emit(1, "ok", "1").unwrap();
    bench.restart();
    bench.deliver("call-1");
    assert_eq!(bench.take(TakeAt::Prompt), None, "it was alone");

    let mut bench = asking(60);
    bench.emit(1, "ok", "1").unwrap();
    bench.emit(1, "ok", "2").unwrap();
    bench.restart();
    bench.restart();
    bench.deliver("call-1");
    assert_eq!(
        events_of(&bench.take(TakeAt::Prompt).unwrap()),
        [plain("c1", "ok", 1)],
        "the later one stays"
    );
}

#[test]
fn a_thousand_aborted_and_answered_calls_leave_no_wait_open() {
    let mut bench = Bench::new();
    for n in 1..=1_000_u32 {
        bench.pass(Duration::from_secs(1));
        let card = bench.show(&json!({ "title": "Card", "html": "x", "wait": { "event": "ok" } }));
        match n % 3 {
            0 => bench
                .handle(Input::Cancel(CallId::parse(&format!("call-{}", bench.ids)).unwrap()))
                .map(drop),
            1 => bench.emit(card.0, "ok", "1").map(drop),
            _ => bench.handle(Input::PersonCloses(card)).map(drop),
        }
        .unwrap();
    }
    assert!(bench.chat.waits.is_empty());
    assert_eq!(bench.settled.len(), 1_000);
}
