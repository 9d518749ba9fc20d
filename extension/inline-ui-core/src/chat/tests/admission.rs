use super::*;
use rstest::rstest;

fn change() -> Bench {
    Bench::with_card(json!([{ "name": "change" }]))
}

#[test]
fn an_event_of_no_card_is_refused() {
    assert_eq!(change().emit(2, "change", "1").unwrap_err().code(), "unknown_card");
}

#[test]
fn the_same_id_is_answered_the_same_and_changes_nothing() {
    let mut bench = change();
    let first = bench.handle(Input::Event(event(1, "same", "change", "1"))).unwrap();
    for _ in 0..50 {
        assert_eq!(bench.handle(Input::Event(event(1, "same", "change", "2"))).unwrap(), first);
    }
    bench.handle(Input::PersonCloses(CardId(1))).unwrap();
    assert_eq!(
        bench.handle(Input::Event(event(1, "same", "change", "2"))).unwrap(),
        first,
        "even once it is closed"
    );
    let message = bench.take(TakeAt::Prompt).unwrap();
    assert_eq!(events_of(&message)[0], plain("c1", "change", 1));
    assert!(message.text.contains("\"data\":1"));
}

#[test]
fn an_accepted_id_is_known_after_a_restart() {
    let mut bench = change();
    bench.handle(Input::Event(event(1, "same", "change", "1"))).unwrap();
    bench.restart();
    bench.handle(Input::Event(event(1, "same", "change", "1"))).unwrap();
    assert_eq!(events_of(&bench.take(TakeAt::Prompt).unwrap()), [plain("c1", "change", 1)]);
}

#[test]
fn the_last_256_ids_of_a_card_are_remembered_and_the_one_before_them_is_not() {
    let mut bench = change();
    for n in 0..=256 {
        bench.pass(Duration::from_secs(1));
        bench.handle(Input::Event(event(1, &format!("id-{n}"), "change", "1"))).unwrap();
    }
    bench.pass(Duration::from_mins(1));
    bench.handle(Input::Event(event(1, "id-1", "change", "1"))).unwrap();
    bench.handle(Input::Event(event(1, "id-0", "change", "1"))).unwrap();
    assert_eq!(events_of(&bench.take(TakeAt::Prompt).unwrap()), [plain("c1", "change", 258)]);
}

#[test]
fn a_refused_event_may_come_again_under_its_id() {
    let mut bench = change();
    assert_eq!(
        bench.handle(Input::Event(event(1, "x", "other", "1"))).unwrap_err().code(),
        "undeclared_event"
    );
    assert!(bench.handle(Input::Event(event(1, "x", "change", "1"))).is_ok());
}

#[test]
fn an_event_of_an_older_document_is_stale_and_one_of_an_earlier_process_is_believed() {
    let mut bench = change();
    bench.update(&json!({ "card": "c1", "html": "<p>new</p>" })).unwrap();
    assert_eq!(bench.emit(1, "change", "1").unwrap_err(), Refusal::StaleLoad);
    for load in [LoadCheck::Revision(2), LoadCheck::Earlier] {
        let id = format!("{load:?}").replace(['(', ')'], "");
        let event = EventInput { load, ..event(1, &id, "change", "1") };
        assert!(bench.handle(Input::Event(event)).is_ok());
    }
    let foreign = EventInput { load: LoadCheck::Foreign, ..event(1, "f", "change", "1") };
    assert_eq!(bench.handle(Input::Event(foreign)).unwrap_err(), Refusal::StaleLoad);
}

#[test]
fn refusals_come_in_the_contracts_order() {
    let mut bench = Bench::with_card(json!([{ "name": "a", "once": true }]));
    bench.emit(1, "a", "1").unwrap();
    let huge = format!("\"{}\"", "x".repeat(limits::EVENT_DATA_BYTES));
    assert_eq!(
        bench.emit(1, "a", &huge).unwrap_err().code(),
        "event_spent",
        "before the data is looked at"
    );
    bench.handle(Input::AgentCloses(CardId(1))).unwrap();
    assert_eq!(bench.emit(1, "b", &huge).unwrap_err().code(), "card_closed", "before the name is");
    let stale = EventInput { load: LoadCheck::Foreign, ..event(1, "s", "b", &huge) };
    assert_eq!(
        bench.handle(Input::Event(stale)).unwrap_err().code(),
        "stale_load",
        "before whether it is open"
    );
}

#[rstest]
#[case(limits::EVENT_DATA_BYTES - 2, None)]
#[case(limits::EVENT_DATA_BYTES - 1, Some("data_too_large"))]
fn data_is_taken_up_to_32768_bytes(#[case] letters: usize, #[case] refused: Option<&str>) {
    let data = format!("\"{}\"", "x".repeat(letters));
    assert_eq!(change().emit(1, "change", &data).err().map(|refusal| refusal.code()), refused);
}

#[rstest]
#[case(64, None)]
#[case(65, Some("data_too_deep"))]
fn data_is_taken_64_deep(#[case] depth: usize, #[case] refused: Option<&str>) {
    let data = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(change().emit(1, "change", &data).err().map(|refusal| refusal.code()), refused);
}

#[test]
fn a_card_sends_20_at_once_and_the_next_one_says_when() {
    let mut bench = change();
    for n in 0..20 {
        assert!(bench.emit(1, "change", &n.to_string()).is_ok());
    }
    let refusal = bench.emit(1, "change", "21").unwrap_err();
    assert_eq!(refusal.code(), "card_rate_limited");
    let wait = refusal.retry_after().unwrap();
    assert!(wait > Duration::ZERO && wait <= Duration::from_millis(200));
    bench.pass(wait + Duration::from_millis(1));
    assert!(bench.emit(1, "change", "21").is_ok());
}

#[test]
fn a_chat_sends_60_at_once_and_a_duplicate_costs_nothing() {
    let mut bench = change();
    for _ in 0..3 {
        bench.show(&json!({ "title": "More", "html": "x", "events": [{ "name": "change" }] }));
    }
    for n in 0..60 {
        let at = event(1 + n / 15, &format!("n{n}"), "change", "1");
        assert!(bench.handle(Input::Event(at.clone())).is_ok(), "{n}");
        assert!(bench.handle(Input::Event(at)).is_ok());
    }
    assert_eq!(bench.emit(4, "change", "1").unwrap_err().code(), "chat_rate_limited");
}

#[test]
fn once_is_for_good() {
    let mut bench = Bench::with_card(json!([{ "name": "order", "once": true }]));
    bench.emit(1, "order", "1").unwrap();
    bench.restart();
    assert_eq!(bench.emit(1, "order", "2").unwrap_err().code(), "event_spent");
    assert_eq!(events_of(&bench.take(TakeAt::Prompt).unwrap()), [plain("c1", "order", 1)]);
}
