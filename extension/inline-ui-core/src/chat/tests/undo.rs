//! An input whose writes failed leaves nothing behind but what it spent of the rates.

use super::*;
use crate::ids::EventName;
use crate::wait::WaitFor;
use proptest::prelude::*;

fn card() -> impl Strategy<Value = CardId> {
    (1_u32..5).prop_map(CardId)
}

fn call() -> impl Strategy<Value = CallId> {
    (0_u8..4).prop_map(|n| CallId::parse(&format!("call-{n}")).unwrap())
}

fn show(call: CallId, waits: bool) -> Input {
    let name = EventName::parse("ok").unwrap();
    let wait = waits.then(|| WaitFor { events: vec![name], length: Duration::from_secs(30) });
    let arguments = json!({ "title": "T", "html": "<p>x</p>", "events": [
        { "name": "a" }, { "name": "go", "wake": true }, { "name": "once", "once": true }, { "name": "ok" }] });
    let ToolInput::Show(mut show, _) = read("ui_show", &raw(&arguments)).unwrap() else {
        panic!("not a show")
    };
    show.wait = wait;
    Input::Show { anchor: call.clone(), call, show }
}

/// Every kind of input. Those about the message that is out take its place for their id.
fn input() -> impl Strategy<Value = Input> {
    let name = prop_oneof![Just("a"), Just("go"), Just("once"), Just("ok")];
    let agent =
        prop_oneof![Just(AgentState::Idle), Just(AgentState::Working), Just(AgentState::Gone)];
    let at = prop_oneof![Just(TakeAt::Prompt), Just(TakeAt::Step), Just(TakeAt::Wake)];
    let settled = prop_oneof![Just("out".to_owned()), call().prop_map(String::from)];
    let update = |card, html: bool| Update {
        card,
        data: Some("1".into()),
        title: None,
        html: html.then(|| "x".into()),
    };
    prop_oneof![
        3 => (call(), any::<bool>()).prop_map(|(call, waits)| show(call, waits)),
        9 => (card(), name, 0_u32..600).prop_map(|(card, name, id)| {
            Input::Event(event(card.0, &format!("e{id}"), name, "1"))
        }),
        1 => (card(), any::<bool>()).prop_map(move |(card, html)| Input::Update(Box::new(update(card, html)))),
        1 => card().prop_map(Input::AgentCloses),
        1 => card().prop_map(Input::PersonCloses),
        1 => call().prop_map(Input::Cancel),
        3 => agent.prop_map(Input::Agent),
        5 => at.prop_map(Input::Take),
        3 => settled.clone().prop_map(Input::Delivered),
        2 => settled.prop_map(Input::Returned),
        1 => Just(Input::LinkClosed),
        1 => any::<bool>().prop_map(|wake| Input::Settings(Settings { wake, ..Settings::default() })),
        1 => card().prop_map(Input::Seen),
        1 => card().prop_map(Input::Activity),
        1 => (card(), 1_u32..900).prop_map(|(card, height)| Input::Height { card, width: 300, height }),
        1 => Just(Input::Delete),
    ]
}

fn of_the_message_out(out: &str, input: Input) -> Input {
    let out = |id: String| if id == "out" { out.to_owned() } else { id };
    match input {
        Input::Delivered(id) => Input::Delivered(out(id)),
        Input::Returned(id) => Input::Returned(out(id)),
        other => other,
    }
}

/// Everything a chat is, the rates by what they share with any clone.
fn whole(chat: &mut Chat) -> String {
    chat.keep();
    format!("{chat:?}")
}

/// The pages were told the state of every card whose last event is under way.
fn assert_told(chat: &Chat, now: Now) {
    for id in chat.pending.keys() {
        let state = chat.state(now, *id).map(|(state, _)| state);
        assert_eq!(chat.cards.get(id).and_then(|card| card.told), state, "{id}");
    }
}

proptest! {
    #[test]
    fn a_chat_that_goes_back_is_what_it_was(
        steps in prop::collection::vec((input(), any::<bool>(), 0_u64..4_000), 1..60)
    ) {
        let (mut bench, mut out) = (Bench::new(), String::new());
        bench.handle(show(CallId::parse("call-0").unwrap(), false)).unwrap();
        for (input, back, pause) in steps {
            bench.step(Duration::from_millis(pause));
            if let Some(held) = bench.chat.outbox.offered() {
                out.clone_from(&held.message.id);
            }
            let input = of_the_message_out(&out, input);
            let mut before = bench.chat.clone();
            if back {
                let answer = bench.chat.handle(bench.now, input);
                bench.chat.undo();
                prop_assert!(bench.chat.poll_effect().is_none());
                prop_assert_eq!(whole(&mut bench.chat), whole(&mut before), "{:?}", answer);
            } else {
                let _ = bench.handle(input);
                assert_told(&bench.chat, bench.now);
            }
        }
    }
}
