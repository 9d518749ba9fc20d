//! Whatever happens in whatever order, the chat does what the plain model says: every accepted event
//! is in exactly one place, counted once, until the agent has it.
//!
//! The portal of these sequences keeps to nothing: it acknowledges, returns and cancels what it likes.
//! `ledger` has one that keeps to the contract.

use super::model::{Line, Model, NAMES, Taken, declared};
use super::*;
use crate::ids::EventName;
use crate::wait::WaitFor;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rstest::rstest;

#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// With `wait` 1 the call waits for `ok` or `go`, with 2 for `one`, else for nothing.
    Show {
        wait: u8,
        seconds: u32,
    },
    Emit {
        card: u8,
        name: u8,
        how: How,
    },
    /// An earlier event comes again, accepted or not.
    EmitAgain(u8),
    /// As fast as a card may.
    EmitMany {
        card: u8,
        name: u8,
        times: u8,
    },
    /// More than one message holds.
    EmitLarge,
    Update {
        card: u8,
        html: bool,
    },
    Close {
        card: u8,
        by_person: bool,
    },
    Agent(AgentState),
    Take(TakeAt),
    Delivered(u8),
    Returned(u8),
    Cancel(u8),
    Wake(bool),
    Seen(u8),
    Active(u8),
    Pass(u32),
    /// The machine slept: its timers are late.
    Sleep(u32),
    /// The wall clock was set.
    SetClock(i32),
    Link(bool),
    Restart,
    /// Cards up to the most a chat keeps.
    Crowd,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum How {
    Well,
    StaleLoad,
    EarlierLoad,
    ForeignLoad,
    Undeclared,
    BadName,
    TooLarge,
}

fn step() -> impl Strategy<Value = Step> {
    use Step::*;
    let card = || 0_u8..6;
    let name = || 0..u8::try_from(NAMES.len()).unwrap();
    let how = prop_oneof![
        20 => Just(How::Well),
        1 => Just(How::StaleLoad),
        2 => Just(How::EarlierLoad),
        1 => Just(How::ForeignLoad),
        1 => Just(How::Undeclared),
        1 => Just(How::BadName),
        1 => Just(How::TooLarge),
    ];
    let agent = prop_oneof![
        1 => Just(AgentState::Idle),
        3 => Just(AgentState::Working),
        1 => Just(AgentState::Gone)
    ];
    let at =
        prop_oneof![1 => Just(TakeAt::Prompt), 1 => Just(TakeAt::Step), 2 => Just(TakeAt::Wake)];
    prop_oneof![
        60 => (0_u8..4, 1_u32..100).prop_map(|(wait, seconds)| Show { wait, seconds }),
        240 => (card(), name(), how).prop_map(|(card, name, how)| Emit { card, name, how }),
        60 => any::<u8>().prop_map(EmitAgain),
        4 => (card(), name(), 2_u8..70).prop_map(|(card, name, times)| EmitMany { card, name, times }),
        1 => Just(EmitLarge),
        40 => (card(), any::<bool>()).prop_map(|(card, html)| Update { card, html }),
        40 => (card(), any::<bool>()).prop_map(|(card, by_person)| Close { card, by_person }),
        70 => agent.prop_map(Agent),
        160 => at.prop_map(Take),
        90 => (0_u8..6).prop_map(Delivered),
        40 => (0_u8..6).prop_map(Returned),
        30 => (0_u8..6).prop_map(Cancel),
        20 => any::<bool>().prop_map(Wake),
        30 => card().prop_map(Seen),
        30 => card().prop_map(Active),
        90 => (0_u32..20_000).prop_map(Pass),
        15 => (0_u32..100_000).prop_map(Sleep),
        15 => (-20_000..20_000).prop_map(SetClock),
        15 => any::<bool>().prop_map(Link),
        25 => Just(Restart),
        1 => Just(Crowd),
    ]
}

/// The chat and the model of it, side by side.
struct Pair {
    bench: Bench,
    model: Model,
    sent: Vec<EventInput>,
    /// Every id that an acknowledgement could name, and the bytes of the messages.
    calls: Vec<CallId>,
    messages: Vec<Arc<Message>>,
    told: BTreeMap<u32, Option<DeliveryState>>,
}

impl Pair {
    fn new() -> Self {
        let bench = Bench::new();
        let model = Model::new(bench.now);
        Self {
            bench,
            model,
            sent: Vec::new(),
            calls: Vec::new(),
            messages: Vec::new(),
            told: BTreeMap::new(),
        }
    }

    fn run(&mut self, step: Step) {
        let now = self.bench.now;
        match step {
            Step::Show { wait, seconds } => self.show(wait, seconds),
            Step::Emit { card, name, how } => self.emit(card, name, how),
            Step::EmitAgain(back) => {
                let at = self.sent.len().checked_sub(1 + usize::from(back));
                if let Some(event) = at.map(|at| self.sent[at].clone()) {
                    self.send(event);
                }
            }
            Step::EmitMany { card, name, times } => {
                for _ in 0..times {
                    self.emit(card, name, How::Well);
                    self.check();
                    self.pass(Duration::from_millis(200));
                }
            }
            Step::EmitLarge => self.emit_large(),
            Step::Update { card, html } => self.update(card, html),
            Step::Close { card, by_person } => {
                let card = u32::from(card) + 1;
                let input = if by_person { Input::PersonCloses } else { Input::AgentCloses };
                let did = self.bench.handle(input(CardId(card)));
                let wanted = self.model.close(now, card, by_person);
                assert_eq!(
                    did,
                    wanted.map(|already| Accepted::Closed { card: CardId(card), already })
                );
            }
            Step::Agent(state) => {
                self.model.agent(state);
                self.bench.agent(state);
            }
            Step::Take(at) => drop(self.take(at)),
            Step::Delivered(back) => {
                for id in self.names(back) {
                    self.model.delivered(&id);
                    self.bench.deliver(&id);
                    self.check();
                }
            }
            Step::Returned(back) => {
                for id in self.names(back) {
                    self.model.returned(&id);
                    self.bench.handle(Input::Returned(id)).unwrap();
                    self.check();
                }
            }
            Step::Cancel(back) => {
                if let Some(call) = self.calls.iter().rev().nth(back.into()).cloned() {
                    self.model.cancel(now, &call);
                    self.bench.handle(Input::Cancel(call)).unwrap();
                }
            }
            Step::Wake(wake) => {
                self.model.wake = wake;
                let settings = Settings { wake, ..Settings::default() };
                self.bench.handle(Input::Settings(settings)).unwrap();
            }
            Step::Seen(card) => {
                self.model.seen(u32::from(card) + 1);
                let _ = self.bench.handle(Input::Seen(CardId(u32::from(card) + 1)));
            }
            Step::Active(card) => {
                self.model.active(now, u32::from(card) + 1);
                let _ = self.bench.handle(Input::Activity(CardId(u32::from(card) + 1)));
            }
            Step::Pass(ms) => self.pass(Duration::from_millis(ms.into())),
            Step::Sleep(seconds) => self.bench.step(Duration::from_secs(seconds.into())),
            Step::SetClock(by) => self.bench.now.wall_ms += i64::from(by),
            Step::Link(opens) => {
                self.model.link(now);
                self.bench
                    .handle(if opens { Input::LinkOpened } else { Input::LinkClosed })
                    .unwrap();
            }
            Step::Restart => self.restart(),
            Step::Crowd => {
                for _ in self.model.ids().count()..limits::CARDS_PER_CHAT {
                    self.show(0, 1);
                    self.check();
                }
            }
        }
        self.check();
    }

    fn show(&mut self, wait: u8, seconds: u32) {
        self.bench.ids += 1;
        let call = CallId::parse(&format!("call-{}", self.bench.ids)).unwrap();
        let names: &[&str] = match wait {
            1 => &["ok", "go"],
            2 => &["one"],
            _ => &[],
        };
        let wait = (!names.is_empty()).then(|| WaitFor {
            events: names.iter().map(|name| EventName::parse(name).unwrap()).collect(),
            length: Duration::from_secs(seconds.into()),
        });
        let id = self.model.show(self.bench.now, &call, "Card", wait.as_ref());
        let waits = wait.is_some();
        let show = Show {
            title: "Card".into(),
            html: "x".into(),
            events: NAMES.map(declared).to_vec(),
            wait,
            fallback: None,
        };
        let input = Input::Show { call: call.clone(), anchor: call.clone(), show: Box::new(show) };
        assert_eq!(self.bench.handle(input), Ok(Accepted::Shown { card: CardId(id), waits }));
        self.calls.push(call);
    }

    fn emit(&mut self, card: u8, name: u8, how: How) {
        let card = u32::from(card) + 1;
        self.bench.ids += 1;
        let n = self.bench.ids;
        let revision = self.model.card(card).map_or(1, |(_, _, revision, _)| revision);
        let name = match how {
            How::Undeclared => "other",
            How::BadName => "no name",
            _ => NAMES[usize::from(name)],
        };
        self.send(EventInput {
            card: CardId(card),
            id: EventId::parse(&format!("e{n}")).unwrap(),
            load: match how {
                How::StaleLoad => LoadCheck::Revision(revision - 1),
                How::EarlierLoad => LoadCheck::Earlier,
                How::ForeignLoad => LoadCheck::Foreign,
                _ => LoadCheck::Revision(revision),
            },
            name: name.into(),
            data: match how {
                How::TooLarge => Some(format!("\"{}\"", "x".repeat(32_767)).into()),
                _ => (!n.is_multiple_of(7)).then(|| format!("{{\"n\":{n}}}").into()),
            },
        });
    }

    fn emit_large(&mut self) {
        for card in 1..=3 {
            for name in NAMES {
                self.bench.ids += 1;
                let n = self.bench.ids;
                let data = format!("\"{n}{}\"", "x".repeat(32_000));
                let event = event(card, &format!("e{n}"), name, &data);
                let load = LoadCheck::Earlier;
                self.send(EventInput { load, ..event });
                self.check();
                self.pass(Duration::from_millis(200));
            }
        }
    }

    fn send(&mut self, event: EventInput) {
        let did = self.bench.handle(Input::Event(event.clone()));
        let did = did.map(|accepted| match accepted {
            Accepted::Event { state, .. } => state,
            other => panic!("{other:?}"),
        });
        let wanted = self.model.event(self.bench.now, &event);
        match (&did, &wanted) {
            (
                Err(Refusal::CardRate { retry_after: a } | Refusal::ChatRate { retry_after: a }),
                Err(Refusal::CardRate { retry_after: b } | Refusal::ChatRate { retry_after: b }),
            ) => {
                let code = |of: &Result<_, Refusal>| of.as_ref().map_err(Refusal::code).copied();
                assert_eq!(code(&did), code(&wanted));
                assert!(a.abs_diff(*b) <= Duration::from_millis(1), "{a:?} {b:?}");
            }
            _ => assert_eq!(did, wanted),
        }
        self.sent.push(event);
    }

    fn update(&mut self, card: u8, html: bool) {
        let card = u32::from(card) + 1;
        let title = if html { None } else { Some("Other") };
        let did = self.bench.handle(Input::Update(Box::new(Update {
            card: CardId(card),
            data: None,
            title: title.map(Into::into),
            html: html.then(|| "y".into()),
        })));
        let wanted = self.model.update(card, title, html);
        assert_eq!(did, wanted.map(|()| Accepted::Updated(CardId(card))));
    }

    fn take(&mut self, at: TakeAt) -> Option<String> {
        let now = self.bench.now;
        let wanted = self.model.would_take(now, at);
        let Some(message) = self.bench.take(at) else {
            assert_eq!(wanted, Taken::Nothing);
            return None;
        };
        let mut lines = 0;
        match wanted {
            Taken::Nothing => panic!("nothing was to be handed over: {message:?}"),
            Taken::Again(id) => {
                let before = self.messages.iter().find(|known| known.id == id);
                assert_eq!(before, Some(&message), "the same id has the same bytes");
            }
            Taken::New(queue) => {
                assert!(self.messages.iter().all(|known| known.id != message.id));
                lines = is_of(&message, &queue);
                self.messages.push(message.clone());
            }
        }
        self.model.took(now, at, &message.id, lines);
        Some(message.id.clone())
    }

    /// An id that the portal may name: of a message, and of a call.
    fn names(&self, back: u8) -> Vec<String> {
        let message = self.messages.iter().rev().nth(usize::from(back) / 2).map(|it| it.id.clone());
        let call = self.calls.iter().rev().nth(back.into()).map(ToString::to_string);
        message.into_iter().chain(call.filter(|_| back % 2 == 1)).collect()
    }

    fn pass(&mut self, time: Duration) {
        let end = self.bench.now.mono + time;
        loop {
            let due = self.bench.chat.poll_timeout();
            if let Some(deadline) = self.model.deadline() {
                assert!(due.is_some_and(|due| due <= deadline), "it wakes up for a wait's end");
            }
            let Some(due) = due.filter(|due| *due <= end) else { break };
            self.bench.step(due.since(self.bench.now.mono));
            self.bench.chat.handle_timeout(self.bench.now);
            self.bench.drain();
            self.model.timeout(self.bench.now);
            self.check();
        }
        self.bench.step(end.since(self.bench.now.mono));
    }

    fn restart(&mut self) {
        self.model.restart(self.bench.now);
        self.bench.restart();
        self.bench.pages.clear();
        self.bench.hints.clear();
        self.bench.settled.clear();
        // Pages list the cards again.
        self.told = self
            .bench
            .chat
            .cards(self.bench.now)
            .map(|view| (view.record.id.0, view.state))
            .collect();
    }

    fn check(&mut self) {
        let now = self.bench.now;
        assert_eq!(
            std::mem::take(&mut self.bench.settled),
            std::mem::take(&mut self.model.settled)
        );
        for at in std::mem::take(&mut self.bench.hints) {
            assert!(self.model.is_ready(now, at), "a hint at {at:?} holds");
        }
        self.check_wake();
        for event in std::mem::take(&mut self.bench.pages) {
            match event {
                PageEvent::Shown(view) | PageEvent::Changed(view) | PageEvent::Closed(view) => {
                    self.told.insert(view.record.id.0, view.state);
                }
                PageEvent::Removed(card) => drop(self.told.remove(&card.0)),
                PageEvent::State { card, state, .. } => drop(self.told.insert(card.0, Some(state))),
                PageEvent::Posted { .. } => {}
            }
        }
        let unsent = self.model.unsent();
        for card in self.model.active_cards() {
            let state = self.model.state(card, unsent);
            assert_eq!(
                self.bench.chat.state(now, CardId(card)).map(|(state, _)| state),
                state,
                "c{card}"
            );
            assert_eq!(
                self.told.get(&card).copied().flatten(),
                state,
                "what the pages know of c{card}"
            );
        }
    }

    /// A wake that is due has been hinted at in the last five seconds, or is about to be.
    fn check_wake(&self) {
        let now = self.bench.now.mono;
        let Some(due) = self.model.wake_due(self.bench.now) else {
            return;
        };
        let next = self.bench.chat.poll_timeout();
        let soon = due.max(now) + limits::WAKE_HINT_EVERY;
        assert!(next.is_some_and(|next| next <= soon), "a wake is hinted at: {next:?} {soon:?}");
    }

    /// Both end alike, and an agent that asks until nothing is left gets the rest.
    fn finish(&mut self) {
        let shown: Vec<_> = self
            .bench
            .chat
            .cards(self.bench.now)
            .map(|view| {
                let record = view.record;
                (
                    record.id.0,
                    record.is_open(),
                    record.title,
                    record.revision,
                    !view.waiting.is_empty(),
                )
            })
            .collect();
        let wanted = self.model.ids().map(|id| {
            let (open, title, revision, waits) = self.model.card(id).unwrap();
            (id, open, title.into(), revision, waits)
        });
        assert_eq!(shown, wanted.collect::<Vec<_>>());

        self.run(Step::Agent(AgentState::Idle));
        self.run(Step::Agent(AgentState::Working));
        self.pass(Duration::from_hours(24));
        self.check();
        assert!(self.bench.chat.waits.is_empty(), "no call is left waiting");
        while let Some(id) = self.take(TakeAt::Step) {
            self.model.delivered(&id);
            self.bench.deliver(&id);
            self.check();
        }
        assert_eq!(self.model.under_way(), 0);
        assert_eq!(self.model.arrived, self.model.accepted);
        assert_eq!(self.bench.take(TakeAt::Prompt), None);
        let kept = self.bench.disk.snapshot();
        assert!(kept.entries.is_empty() && kept.answers.is_empty() && kept.messages.is_empty());
    }
}

/// How many lines of the queue the message has: the first ones, as many as fit.
fn is_of(message: &Message, queue: &[Line]) -> usize {
    let details: serde_json::Value = serde_json::from_str(&message.details).unwrap();
    let events = details["events"].as_array().unwrap();
    let lines: Vec<&str> =
        message.text.lines().filter(|line| line.starts_with("{\"card\"")).collect();
    assert_eq!(events.len(), lines.len());
    assert!(!lines.is_empty() && lines.len() <= queue.len());
    for ((event, line), wanted) in events.iter().zip(&lines).zip(queue) {
        assert_eq!(*line, wanted.text);
        let card = format!("c{}", wanted.card);
        assert_eq!(
            *event,
            json!({ "id": wanted.id, "card": card, "name": wanted.name, "count": wanted.count })
        );
    }
    if let Some(next) = queue.get(lines.len()) {
        let with_next = message.text.len() + next.text.len() + 1_024 * (2 + lines.len());
        assert!(with_next > limits::MESSAGE_BYTES, "the message had room for {next:?}");
    }
    lines.len()
}

fn both_do_the_same(steps: &[Step]) {
    let mut pair = Pair::new();
    for step in steps {
        pair.run(*step);
    }
    pair.finish();
}

/// Sequences in all; `PROPTEST_CASES` asks for another number.
const SEQUENCES: u32 = 100_000;
const THREADS: u32 = 2;

#[test]
fn the_chat_does_what_the_plain_model_says() {
    let asked = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let config = Config {
        cases: asked.unwrap_or(SEQUENCES) / THREADS,
        max_shrink_iters: 20_000,
        failure_persistence: None,
        ..Config::default()
    };
    let run = || {
        let steps = proptest::collection::vec(step(), 1..200);
        let result = TestRunner::new(config.clone()).run(&steps, |steps| {
            both_do_the_same(&steps);
            Ok(())
        });
        result.map_err(|failure| failure.to_string())
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(run)).collect();
        for thread in threads {
            if let Err(failure) = thread.join().unwrap() {
                panic!("{failure}");
            }
        }
    });
}

/// What these sequences once showed to differ.
#[rstest]
#[case::a_due_wake_is_hinted_at_after_a_restart(&[
    Step::Show { wait: 0, seconds: 1 },
    Step::Emit { card: 0, name: 1, how: How::Well },
    Step::Restart,
])]
#[case::activity_after_a_waits_end_does_not_bring_it_back(&[
    Step::Show { wait: 1, seconds: 1 },
    Step::Sleep(1),
    Step::Active(0),
    Step::Show { wait: 0, seconds: 1 },
])]
#[case::the_last_event_arrived_although_the_close_note_waits(&[
    Step::Show { wait: 0, seconds: 1 },
    Step::Show { wait: 0, seconds: 1 },
    Step::Show { wait: 0, seconds: 1 },
    Step::Show { wait: 0, seconds: 1 },
    Step::Emit { card: 3, name: 0, how: How::Well },
    Step::EmitLarge,
    Step::Close { card: 3, by_person: true },
    Step::Take(TakeAt::Prompt),
    Step::Delivered(0),
])]
#[case::what_had_arrived_is_known_after_a_restart(&[
    Step::Show { wait: 0, seconds: 1 },
    Step::Emit { card: 0, name: 0, how: How::Well },
    Step::Take(TakeAt::Prompt),
    Step::Delivered(0),
    Step::Restart,
])]
fn sequences_that_once_failed(#[case] steps: &[Step]) {
    both_do_the_same(steps);
}
