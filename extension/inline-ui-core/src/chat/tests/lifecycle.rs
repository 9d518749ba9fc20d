use super::*;
use crate::card::DeliveryState::NextMessage;

#[test]
fn card_ids_count_up_and_are_never_used_again() {
    let mut bench = Bench::new();
    let more = json!({ "title": "Card", "html": "x" });
    assert_eq!((bench.show(&more), bench.show(&more)), (CardId(1), CardId(2)));
    bench.handle(Input::PersonCloses(CardId(2))).unwrap();
    bench.restart();
    assert_eq!(bench.show(&more), CardId(3));
}

#[test]
fn two_hundred_cards_are_kept_and_one_more_drops_the_oldest() {
    let mut bench = Bench::new();
    let more = json!({ "title": "Card", "html": "x", "events": [{ "name": "a" }] });
    for _ in 0..200 {
        bench.show(&more);
    }
    bench.emit(1, "a", "1").unwrap();
    assert_eq!(bench.chat.cards(bench.now).count(), 200);
    assert_eq!(bench.show(&more), CardId(201));
    assert_eq!(bench.chat.cards(bench.now).count(), 200);
    assert_eq!(bench.emit(1, "a", "1").unwrap_err().code(), "unknown_card");
    assert_eq!(
        events_of(&bench.take(TakeAt::Prompt).unwrap()),
        [plain("c1", "a", 1)],
        "what it had sent is not lost"
    );
}

#[test]
fn a_card_the_person_closes_leaves_a_note_that_does_not_wake() {
    let mut bench = Bench::with_card(json!([{ "name": "closed", "wake": true }]));
    bench.handle(Input::PersonCloses(CardId(1))).unwrap();
    assert_eq!(bench.take(TakeAt::Wake), None);
    let message = bench.take(TakeAt::Prompt).unwrap();
    assert!(message.text.contains(r#""name":"closed","count":1,"data":{"closedBy":"person"}"#));
    assert_eq!(bench.emit(1, "closed", "1").unwrap_err().code(), "card_closed");
}

#[test]
fn a_card_the_agent_closes_leaves_no_note_and_closing_twice_is_no_error() {
    let mut bench = Bench::with_card(json!([]));
    let closed = |already| Ok(Accepted::Closed { card: CardId(1), already });
    assert_eq!(bench.handle(Input::AgentCloses(CardId(1))), closed(false));
    assert_eq!(bench.handle(Input::AgentCloses(CardId(1))), closed(true));
    assert_eq!(bench.handle(Input::PersonCloses(CardId(1))), closed(true));
    assert_eq!(bench.take(TakeAt::Prompt), None);
    assert_eq!(bench.handle(Input::AgentCloses(CardId(9))).unwrap_err().code(), "unknown_card");
    assert_eq!(
        bench.update(&json!({ "card": "c1", "data": 1 })).unwrap_err().code(),
        "card_closed"
    );
}

#[test]
fn a_post_counts_up_and_html_makes_a_new_revision() {
    let mut bench = Bench::with_card(json!([]));
    bench.update(&json!({ "card": "c1", "data": { "n": 1 } })).unwrap();
    bench.update(&json!({ "card": "c1", "data": { "n": 2 }, "title": "New" })).unwrap();
    let posted: Vec<_> = bench
        .pages
        .iter()
        .filter_map(|event| match event {
            PageEvent::Posted { n, data, .. } => Some((*n, data.to_string())),
            _ => None,
        })
        .collect();
    assert_eq!(posted, [(1, r#"{"n":1}"#.to_owned()), (2, r#"{"n":2}"#.to_owned())]);
    let view = bench.chat.card(bench.now, CardId(1)).unwrap();
    assert_eq!((&*view.record.title, view.record.revision), ("New", 1));
    bench.update(&json!({ "card": "c1", "html": "<p>y</p>" })).unwrap();
    assert_eq!(bench.chat.card(bench.now, CardId(1)).unwrap().record.revision, 2);
}

#[test]
fn a_height_is_kept_by_width_class_once_in_two_seconds_and_never_as_nothing() {
    let mut bench = Bench::with_card(json!([]));
    let height = |width, height| Input::Height { card: CardId(1), width, height };
    bench.handle(height(700, 300)).unwrap();
    bench.handle(height(700, 310)).unwrap();
    bench.pass(Duration::from_secs(2));
    bench.handle(height(360, 500)).unwrap();
    bench.pass(Duration::from_secs(2));
    bench.handle(height(360, 0)).unwrap();
    bench.restart();
    let heights = bench.chat.card(bench.now, CardId(1)).unwrap().record.heights;
    assert_eq!(heights.into_iter().collect::<Vec<_>>(), [(3, 500), (5, 300)]);
}

#[test]
fn a_fork_is_asked_of_the_store_and_a_copy_is_closed() {
    let mut bench = Bench::with_card(json!([{ "name": "a" }]));
    let to = crate::ids::ChatId::parse("copy").unwrap();
    bench.chat.handle(bench.now, Input::Fork(to.clone())).unwrap();
    assert!(
        std::iter::from_fn(|| bench.chat.poll_effect())
            .any(|effect| effect == Effect::Write(Write::ForkTo(to.clone())))
    );
    let copy = bench.chat.card(bench.now, CardId(1)).unwrap().record.forked();
    assert_eq!(copy.closed_by, Some(ClosedBy::Fork));
    assert_eq!(
        ClosedBy::Agent,
        CardRecord { closed_by: Some(ClosedBy::Agent), ..copy }.forked().closed_by.unwrap()
    );
}

#[test]
fn a_deleted_chat_leaves_nothing() {
    let mut bench = Bench::with_card(json!([{ "name": "a" }]));
    bench.emit(1, "a", "1").unwrap();
    bench.handle(Input::Delete).unwrap();
    assert!(bench.pages.contains(&PageEvent::Removed(CardId(1))));
    assert_eq!(bench.take(TakeAt::Prompt), None);
    assert_eq!(bench.disk.snapshot(), Snapshot::default());
}

#[test]
fn a_restart_keeps_cards_and_outbox_and_what_the_person_sees() {
    let mut bench = Bench::with_card(json!([{ "name": "a" }]));
    bench.emit(1, "a", "1").unwrap();
    let before: Vec<_> = bench.chat.cards(bench.now).collect();
    bench.restart();
    assert_eq!(bench.chat.cards(bench.now).collect::<Vec<_>>(), before);
    assert_eq!(before[0].state, Some(NextMessage));
}

#[test]
fn a_chat_is_at_rest_only_when_nothing_is_under_way() {
    let mut bench = Bench::with_card(json!([{ "name": "a" }, { "name": "go", "wake": true }]));
    assert!(bench.chat.is_at_rest());
    bench.emit(1, "a", "1").unwrap();
    assert!(bench.chat.is_at_rest(), "an ordinary event waits on disk");
    let message = bench.take(TakeAt::Prompt).unwrap();
    assert!(!bench.chat.is_at_rest());
    bench.deliver(&message.id);
    bench.agent(AgentState::Working);
    assert!(!bench.chat.is_at_rest());
    bench.agent(AgentState::Idle);
    bench.emit(1, "go", "1").unwrap();
    assert!(!bench.chat.is_at_rest());
}
