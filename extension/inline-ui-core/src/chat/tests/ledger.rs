//! Whatever happens in whatever order, every accepted event reaches the agent exactly once.
//!
//! The state machine runs under a portal that keeps to the contract, against a ledger that only counts.

use super::*;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Copy)]
enum Step {
    Show {
        waits: bool,
    },
    Emit {
        card: u8,
        name: u8,
    },
    EmitAgain,
    Update {
        card: u8,
    },
    CloseByPerson {
        card: u8,
    },
    CloseByAgent {
        card: u8,
    },
    Agent(u8),
    Take(u8),
    Return,
    CancelCall,
    Wake(bool),
    Activity {
        card: u8,
    },
    Pass(u16),
    PortalGone,
    Kill,
    /// The portal does not get the answers that this emit settles: it goes, dies, or has cancelled.
    EmitLost {
        card: u8,
        name: u8,
        how: u8,
    },
}

const NAMES: [&str; 3] = ["a", "go", "ok"];

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        2 => any::<bool>().prop_map(|waits| Step::Show { waits }),
        8 => (0_u8..6, 0_u8..3).prop_map(|(card, name)| Step::Emit { card, name }),
        2 => Just(Step::EmitAgain),
        1 => (0_u8..6).prop_map(|card| Step::Update { card }),
        1 => (0_u8..6).prop_map(|card| Step::CloseByPerson { card }),
        1 => (0_u8..6).prop_map(|card| Step::CloseByAgent { card }),
        3 => (0_u8..3).prop_map(Step::Agent),
        6 => (0_u8..3).prop_map(Step::Take),
        2 => Just(Step::Return),
        1 => Just(Step::CancelCall),
        1 => any::<bool>().prop_map(Step::Wake),
        1 => (0_u8..6).prop_map(|card| Step::Activity { card }),
        3 => (0_u16..20_000).prop_map(Step::Pass),
        1 => Just(Step::PortalGone),
        1 => Just(Step::Kill),
        2 => (0_u8..6, 0_u8..3, 0_u8..6).prop_map(|(card, name, how)| Step::EmitLost { card, name, how }),
    ]
}

type Counts = BTreeMap<(u32, String), u64>;

/// A portal that keeps to the contract, and what it and the pages know.
struct World {
    bench: Bench,
    /// Accepted events.
    sent: Counts,
    /// What the agent has: messages and waited results in the transcript.
    got: Counts,
    transcript: BTreeSet<String>,
    bytes: BTreeMap<String, Arc<Message>>,
    /// A message that was taken and neither kept nor returned yet.
    taken: Option<Arc<Message>>,
    /// Calls that wait, and those whose wait ended.
    open: BTreeSet<CallId>,
    ended: BTreeSet<CallId>,
    last: Option<(u32, EventInput)>,
    woke_at: Option<Instant>,
    cards: u32,
}

impl World {
    fn new() -> Self {
        Self {
            bench: Bench::new(),
            sent: Counts::new(),
            got: Counts::new(),
            transcript: BTreeSet::new(),
            bytes: BTreeMap::new(),
            taken: None,
            open: BTreeSet::new(),
            ended: BTreeSet::new(),
            last: None,
            woke_at: None,
            cards: 0,
        }
    }

    fn run(&mut self, step: Step) {
        match step {
            Step::Show { waits } => self.show(waits),
            Step::Emit { card, name } => self.emit(u32::from(card) + 1, NAMES[usize::from(name)]),
            Step::EmitAgain => {
                if let Some((_, event)) = self.last.clone() {
                    let _ = self.bench.handle(Input::Event(event));
                }
            }
            Step::Update { card } => {
                let _ = self
                    .bench
                    .update(&json!({ "card": format!("c{}", card + 1), "title": "Other" }));
            }
            Step::CloseByPerson { card } => {
                let id = CardId(u32::from(card) + 1);
                let waited = self
                    .bench
                    .chat
                    .card(self.bench.now, id)
                    .is_some_and(|view| !view.waiting.is_empty());
                let closed = self.bench.handle(Input::PersonCloses(id));
                if closed == Ok(Accepted::Closed { card: id, already: false }) && !waited {
                    *self.sent.entry((id.0, "closed".to_owned())).or_default() += 1;
                }
            }
            Step::CloseByAgent { card } => {
                let _ = self.bench.handle(Input::AgentCloses(CardId(u32::from(card) + 1)));
            }
            Step::Agent(state) => {
                self.keep();
                self.bench.agent(
                    [AgentState::Idle, AgentState::Working, AgentState::Gone][usize::from(state)],
                );
            }
            Step::Take(at) => {
                self.take([TakeAt::Prompt, TakeAt::Step, TakeAt::Wake][usize::from(at)]);
            }
            Step::Return => {
                if let Some(message) = self.taken.take() {
                    self.woke_at = None;
                    self.bench.handle(Input::Returned(message.id.clone())).unwrap();
                }
            }
            Step::CancelCall => {
                if let Some(call) = self.open.first().cloned() {
                    self.bench.handle(Input::Cancel(call)).unwrap();
                }
            }
            Step::Wake(wake) => {
                self.bench
                    .handle(Input::Settings(Settings { wake, ..Settings::default() }))
                    .unwrap();
            }
            Step::Activity { card } => {
                let _ = self.bench.handle(Input::Activity(CardId(u32::from(card) + 1)));
            }
            Step::Pass(ms) => self.bench.pass(Duration::from_millis(ms.into())),
            Step::EmitLost { card, name, how } => {
                self.emit_lost(u32::from(card) + 1, NAMES[usize::from(name)], how);
            }
            Step::PortalGone => {
                self.taken = None;
                self.woke_at = None;
                self.bench.handle(Input::LinkClosed).unwrap();
                self.open_link();
            }
            Step::Kill => {
                self.taken = None;
                self.woke_at = None;
                self.open.clear();
                self.bench.restart();
                self.open_link();
            }
        }
        self.settle();
    }

    fn open_link(&mut self) {
        self.bench.handle(Input::LinkOpened).unwrap();
        // A portal says again what it has: the message it kept may not have been heard of.
        for id in self.transcript.clone() {
            self.bench.deliver(&id);
        }
    }

    fn show(&mut self, waits: bool) {
        let mut arguments = json!({ "title": "Card", "html": "x", "events": [{ "name": "a" }, { "name": "go", "wake": true }, { "name": "ok" }] });
        if waits {
            arguments["wait"] = json!({ "event": ["ok", "go"], "timeoutSeconds": 30 });
        }
        self.cards = self.bench.show(&arguments).0;
        if waits {
            self.open.insert(CallId::parse(&format!("call-{}", self.bench.ids)).unwrap());
        }
    }

    fn emit(&mut self, card: u32, name: &str) {
        self.bench.ids += 1;
        let event = event(card, &format!("e{}", self.bench.ids), name, "1");
        if self.bench.handle(Input::Event(event.clone())).is_ok() {
            *self.sent.entry((card, name.to_owned())).or_default() += 1;
            self.last = Some((card, event));
        }
    }

    fn emit_lost(&mut self, card: u32, name: &str, how: u8) {
        self.lose_taken();
        self.emit(card, name);
        let lost: Vec<CallId> = std::mem::take(&mut self.bench.settled)
            .into_iter()
            .map(|settled| settled.call)
            .collect();
        for call in &lost {
            assert!(self.ended.insert(call.clone()), "a wait ends once: {call}");
            self.open.remove(call);
        }
        if how > 2 {
            self.emit(card, name);
        }
        match how % 3 {
            0 => self.run(Step::PortalGone),
            1 => self.run(Step::Kill),
            _ => {
                for call in lost {
                    self.bench.handle(Input::Cancel(call)).unwrap();
                }
            }
        }
    }

    /// Whatever was taken goes with the portal, and with it the turn it was to start.
    fn lose_taken(&mut self) {
        if let Some(message) = self.taken.take() {
            self.woke_at = None;
            self.bench.handle(Input::Returned(message.id.clone())).unwrap();
        }
    }

    fn take(&mut self, at: TakeAt) {
        self.keep();
        let Some(message) = self.bench.take(at) else { return };
        if at == TakeAt::Wake {
            let now = self.bench.now.mono;
            let since = self.woke_at.map(|at| now.since(at));
            assert!(
                since.is_none_or(|since| since >= limits::WAKE_DISTANCE),
                "wake turns keep their distance: {since:?}"
            );
            self.woke_at = Some(now);
        }
        let known = self.bytes.entry(message.id.clone()).or_insert_with(|| message.clone());
        assert_eq!(*known, message, "the same id has the same bytes");
        self.taken = Some(message);
    }

    /// The taken message goes into the transcript and is acknowledged; one that is there is dropped.
    fn keep(&mut self) {
        let Some(message) = self.taken.take() else { return };
        if self.transcript.insert(message.id.clone()) {
            for (card, name, count) in events_of(&message) {
                let card = card.trim_start_matches('c').parse().unwrap();
                *self.got.entry((card, name)).or_default() += count;
            }
        }
        self.bench.deliver(&message.id);
    }

    /// Answers of calls reach their portal, which keeps each result and says so.
    fn settle(&mut self) {
        for settled in std::mem::take(&mut self.bench.settled) {
            assert!(self.ended.insert(settled.call.clone()), "a wait ends once: {}", settled.call);
            self.open.remove(&settled.call);
            if let Outcome::Answered { name, .. } = &settled.outcome {
                *self.got.entry((settled.card.0, name.to_string())).or_default() += 1;
                self.transcript.insert(settled.call.to_string());
                self.bench.deliver(settled.call.as_str());
            }
        }
    }

    /// Time passes, the agent asks until nothing is left.
    fn finish(&mut self) {
        self.keep();
        self.bench.agent(AgentState::Working);
        self.bench.pass(Duration::from_hours(24));
        self.settle();
        while let Some(message) = self.bench.take(TakeAt::Step) {
            self.taken = Some(message);
            self.keep();
        }
        assert!(self.open.is_empty(), "no call is left waiting: {:?}", self.open);
        assert!(self.bench.chat.waits.is_empty());
        assert_eq!(self.got, self.sent);
        let snapshot = self.bench.disk.snapshot();
        assert!(
            snapshot.entries.is_empty()
                && snapshot.answers.is_empty()
                && snapshot.messages.is_empty()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 4_000, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn every_accepted_event_reaches_the_agent_exactly_once(steps in proptest::collection::vec(step(), 1..120)) {
        let mut world = World::new();
        for step in steps {
            world.run(step);
        }
        world.finish();
    }
}
