//! The state machine through its four calls. One file a room of the contract.

mod admission;
mod delivery;
mod failing;
mod ledger;
mod lifecycle;
mod model;
mod sequences;
mod undo;
mod waits;

use super::*;
use crate::card::DeclaredEvent;
use crate::input::LoadCheck;
use crate::message::Message;
use crate::tools::{ToolInput, read};
use crate::wait::SettledWait;
use serde_json::json;
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A chat, a clock, and everything it did, kept the way the store keeps it.
struct Bench {
    chat: Chat,
    now: Now,
    disk: Disk,
    pages: Vec<PageEvent>,
    settled: Vec<SettledWait>,
    hints: Vec<TakeAt>,
    ids: u32,
    restarts: u64,
}

/// What the writes left, so that a restart can be tried at any point.
#[derive(Default)]
struct Disk {
    chat: Option<ChatRecord>,
    cards: BTreeMap<CardId, (CardRecord, Vec<(EventId, DeliveryState)>)>,
    entries: BTreeMap<u64, (Entry, Option<CallId>)>,
    messages: Vec<Message>,
}

impl Disk {
    fn write(&mut self, write: Write) {
        match write {
            Write::Chat(chat) => self.chat = Some(chat),
            Write::Card(record) => {
                let ids = self.cards.remove(&record.id).map_or_else(Vec::new, |(_, ids)| ids);
                self.cards.insert(record.id, (record, ids));
            }
            Write::Document { .. } | Write::Post { .. } | Write::ForkTo(_) => {}
            Write::RemoveCard(card) => drop(self.cards.remove(&card)),
            Write::AcceptedId { card, id, state } => {
                self.cards.get_mut(&card).unwrap().1.push((id, state));
            }
            Write::Entry { entry, offered_to } => {
                drop(self.entries.insert(entry.seq, (entry, offered_to)));
            }
            Write::RemoveEntry(seq) => drop(self.entries.remove(&seq)),
            Write::Message(message) => self.messages.push((*message).clone()),
            Write::RemoveMessage(id) => self.messages.retain(|message| message.id != id),
            Write::DeleteChat => *self = Self::default(),
        }
    }

    fn snapshot(&self) -> Snapshot {
        let (answers, entries): (Vec<_>, Vec<_>) =
            self.entries.values().cloned().partition(|(_, call)| call.is_some());
        Snapshot {
            chat: self.chat,
            cards: self.cards.values().cloned().collect(),
            entries: entries.into_iter().map(|(entry, _)| entry).collect(),
            answers: answers.into_iter().filter_map(|(entry, call)| Some((call?, entry))).collect(),
            messages: self.messages.clone(),
        }
    }
}

impl Bench {
    fn new() -> Self {
        let now = Now { mono: Instant::at(Duration::from_secs(1_000)), wall_ms: 1_764_500_000_000 };
        Self {
            chat: Chat::restore(Snapshot::default(), Settings::default(), 7, now),
            now,
            disk: Disk::default(),
            pages: Vec::new(),
            settled: Vec::new(),
            hints: Vec::new(),
            ids: 0,
            restarts: 0,
        }
    }

    /// A chat with one card that declares `events` as `ui_show` takes them.
    #[expect(clippy::needless_pass_by_value, reason = "it reads better where it is called")]
    fn with_card(events: serde_json::Value) -> Self {
        let mut bench = Self::new();
        bench.show(&json!({ "title": "Card", "html": "<p>x</p>", "events": events }));
        bench
    }

    fn handle(&mut self, input: Input) -> Result<Accepted, Refusal> {
        let answer = self.chat.handle(self.now, input);
        self.drain();
        answer
    }

    fn drain(&mut self) {
        while let Some(effect) = self.chat.poll_effect() {
            match effect {
                Effect::Write(write) => self.disk.write(write),
                Effect::Page(event) => self.pages.push(event),
                Effect::Settle(settled) => self.settled.push(settled),
                Effect::Hint(at) => self.hints.push(at),
            }
        }
    }

    fn pass(&mut self, time: Duration) {
        let end = self.now.mono + time;
        while let Some(at) = self.chat.poll_timeout().filter(|at| *at <= end) {
            let step = at.since(self.now.mono);
            self.step(step);
            self.chat.handle_timeout(self.now);
            self.drain();
        }
        self.step(end.since(self.now.mono));
    }

    fn step(&mut self, by: Duration) {
        self.now.mono = self.now.mono + by;
        self.now.wall_ms += i64::try_from(by.as_millis()).unwrap();
    }

    fn restart(&mut self) {
        self.restarts += 1;
        self.chat =
            Chat::restore(self.disk.snapshot(), self.chat.settings, 7 + self.restarts, self.now);
        self.drain();
    }

    fn show(&mut self, arguments: &serde_json::Value) -> CardId {
        self.try_show(arguments).unwrap()
    }

    fn try_show(&mut self, arguments: &serde_json::Value) -> Result<CardId, Refusal> {
        self.ids += 1;
        let call = CallId::parse(&format!("call-{}", self.ids)).unwrap();
        let ToolInput::Show(show, _) = read("ui_show", &raw(arguments))? else {
            panic!("not a show")
        };
        match self.handle(Input::Show { anchor: call.clone(), call, show })? {
            Accepted::Shown { card, .. } => Ok(card),
            other => panic!("{other:?}"),
        }
    }

    fn update(&mut self, arguments: &serde_json::Value) -> Result<Accepted, Refusal> {
        let ToolInput::Update(update, _) = read("ui_update", &raw(arguments))? else {
            panic!("not an update")
        };
        self.handle(Input::Update(update))
    }

    fn emit(&mut self, card: u32, name: &str, data: &str) -> Result<DeliveryState, Refusal> {
        self.ids += 1;
        let event = event(card, &format!("e{}", self.ids), name, data);
        match self.handle(Input::Event(event))? {
            Accepted::Event { state, .. } => Ok(state),
            other => panic!("{other:?}"),
        }
    }

    fn agent(&mut self, state: AgentState) {
        self.handle(Input::Agent(state)).unwrap();
    }

    fn take(&mut self, at: TakeAt) -> Option<Arc<Message>> {
        match self.handle(Input::Take(at)).unwrap() {
            Accepted::Taken(message) => message,
            other => panic!("{other:?}"),
        }
    }

    fn deliver(&mut self, id: &str) {
        self.handle(Input::Delivered(id.to_owned())).unwrap();
    }

    /// What the pages were last told of a card.
    fn told(&self, card: u32) -> Option<DeliveryState> {
        self.pages.iter().rev().find_map(|event| match event {
            PageEvent::State { card: CardId(n), state, .. } if *n == card => Some(*state),
            _ => None,
        })
    }
}

fn raw(value: &serde_json::Value) -> Box<RawValue> {
    RawValue::from_string(value.to_string()).unwrap()
}

fn event(card: u32, id: &str, name: &str, data: &str) -> EventInput {
    EventInput {
        card: CardId(card),
        id: EventId::parse(id).unwrap(),
        load: LoadCheck::Revision(1),
        name: name.into(),
        data: Some(data.into()),
    }
}

/// The events of a message as `(card, name, count)`.
fn events_of(message: &Message) -> Vec<(String, String, u64)> {
    let details: serde_json::Value = serde_json::from_str(&message.details).unwrap();
    let field = |event: &serde_json::Value, key: &str| event[key].as_str().unwrap().to_owned();
    let events = details["events"].as_array().unwrap();
    events
        .iter()
        .map(|e| (field(e, "card"), field(e, "name"), e["count"].as_u64().unwrap()))
        .collect()
}

fn plain(card: &str, name: &str, count: u64) -> (String, String, u64) {
    (card.to_owned(), name.to_owned(), count)
}

#[test]
fn a_declared_event_keeps_what_the_agent_said_of_it() {
    let mut bench = Bench::with_card(
        json!([{ "name": "a", "debounceMs": 5, "wake": true, "once": true, "description": "d" }]),
    );
    let view = bench.chat.card(bench.now, CardId(1)).unwrap();
    let want = DeclaredEvent {
        name: crate::ids::EventName::parse("a").unwrap(),
        description: Some("d".into()),
        debounce_ms: Some(5),
        wake: true,
        once: true,
        spent: false,
    };
    assert_eq!(view.record.events, [want]);
    bench.restart();
    assert_eq!(bench.chat.card(bench.now, CardId(1)).unwrap().record, view.record);
}
