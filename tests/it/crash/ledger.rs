//! What the world outside the program knows: the only measure of what the program still knows.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

pub(super) type Shared = Arc<Mutex<Ledger>>;

/// A card of a chat.
pub(super) type CardKey = (String, String);

/// What a card sends under one name, in order: the page has one POST of it in flight.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) card: CardKey,
    pub(super) name: String,
}

/// A POST of an event: its body, to the byte, and the number that is its data.
#[derive(Debug, Clone)]
pub(super) struct Post {
    pub(super) n: u64,
    pub(super) body: String,
}

/// A card as the portal and the pages know it.
#[derive(Debug, Default)]
pub(super) struct CardFacts {
    /// The call that showed it.
    call: String,
    pub(super) waits: bool,
    /// Whether `ui_show` was answered.
    acknowledged: bool,
    /// Whether a close was answered.
    closed: bool,
    pub(super) updates: u64,
    /// The newest update that was answered.
    updated: u64,
}

/// A line of a message: what the agent read of one card and name.
#[derive(Debug)]
struct Line {
    key: Key,
    count: u64,
    data: Value,
}

/// What the portal of a chat has on its own disk: no kill of the extension takes it.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    /// Every message that was handed over, kept or not.
    bytes: BTreeMap<String, String>,
    kept: BTreeSet<String>,
    lines: Vec<Line>,
    results: Vec<(Key, u64)>,
    /// Messages and calls whose `delivered` may have gone down with a process.
    pub(super) unconfirmed: BTreeSet<String>,
}

#[derive(Debug, Default)]
pub(super) struct Ledger {
    accepted: BTreeMap<Key, Vec<u64>>,
    refused: BTreeMap<String, u64>,
    /// Events without an answer. Nothing newer of the key is sent before.
    pub(super) unanswered: BTreeMap<Key, Post>,
    repeated: u64,
    sent: BTreeMap<Key, u64>,
    pub(super) cards: BTreeMap<CardKey, CardFacts>,
    pub(super) transcripts: BTreeMap<String, Transcript>,
    pub(super) calls: u64,
    /// How often something was acknowledged, to either side.
    pub(super) progress: watch::Sender<u64>,
}

impl Ledger {
    fn goes_on(&self) {
        self.progress.send_modify(|n| *n += 1);
    }

    pub(super) fn next_event(&mut self, key: &Key) -> u64 {
        let n = self.sent.entry(key.clone()).or_default();
        *n += 1;
        *n
    }

    /// What became of a POST: its status and code, or none when the program did not live to say.
    pub(super) fn answered(&mut self, key: &Key, post: Post, answer: Option<(u16, String)>) {
        self.goes_on();
        self.repeated += u64::from(self.unanswered.remove(key).is_some());
        match answer {
            None => drop(self.unanswered.insert(key.clone(), post)),
            Some((202, _)) => self.accepted.entry(key.clone()).or_default().push(post.n),
            Some((_, code)) => *self.refused.entry(code).or_default() += 1,
        }
    }

    pub(super) fn shown(&mut self, chat: &str, card: &str, call: &str, waits: bool) {
        self.goes_on();
        let facts = self.seen(chat, card, call);
        (facts.acknowledged, facts.waits) = (true, waits);
    }

    fn seen(&mut self, chat: &str, card: &str, call: &str) -> &mut CardFacts {
        let facts = self.cards.entry((chat.to_owned(), card.to_owned())).or_default();
        if facts.call.is_empty() {
            call.clone_into(&mut facts.call);
        }
        assert_eq!(facts.call, call, "the id {card} of {chat} was used twice");
        facts
    }

    pub(super) fn updated(&mut self, card: &CardKey, n: u64) {
        self.goes_on();
        let facts = self.cards.get_mut(card).unwrap();
        facts.updated = facts.updated.max(n);
    }

    pub(super) fn closed(&mut self, card: &CardKey) {
        self.goes_on();
        self.cards.get_mut(card).unwrap().closed = true;
    }

    /// Holds a list of the chat's cards against what was acknowledged before it was asked for.
    pub(super) fn listed(&mut self, chat: &str, cards: &[Value], acknowledged: &BTreeSet<CardKey>) {
        for card in cards {
            let id = card["id"].as_str().unwrap();
            self.seen(chat, id, card["call"].as_str().unwrap());
        }
        for key in acknowledged.iter().filter(|key| key.0 == chat) {
            let there = cards.iter().any(|card| card["id"] == key.1.as_str());
            assert!(there, "{key:?} was acknowledged and is not there");
        }
    }

    pub(super) fn acknowledged(&self) -> BTreeSet<CardKey> {
        self.cards
            .iter()
            .filter(|(_, facts)| facts.acknowledged)
            .map(|(key, _)| key.clone())
            .collect()
    }

    /// Holds a card as it is now, with nothing under way, against what was acknowledged.
    pub(super) fn found(&mut self, key: &CardKey, card: &Value, post: Option<u64>) {
        let facts = &self.cards[key];
        assert!(!facts.closed || card["open"] == false, "{key:?} was closed and is open");
        let title = card["title"].as_str().unwrap().trim_start_matches("card").trim_start();
        let title: u64 = if title.is_empty() { 0 } else { title.parse().unwrap() };
        assert!(title >= facts.updated && title <= facts.updates, "{key:?}: {title}, {facts:?}");
        assert_eq!(post.unwrap_or(0), title, "{key:?}: a title and its post are one update");
        let notes: Vec<_> = self
            .lines(&key.0)
            .filter(|line| line.key.card == *key && line.key.name == "closed")
            .collect();
        assert!(notes.iter().all(|note| note.count == 1), "{notes:?}");
        let by_person = card["closedBy"] == "person";
        if !by_person {
            assert_eq!(notes.len(), 0, "{key:?}: {notes:?}");
        } else if facts.waits {
            // Whether the wait ended with it or with the process before it, only the program knew.
            assert!(notes.len() <= 1, "{key:?}: {notes:?}");
        } else {
            assert_eq!(notes.len(), 1, "{key:?}: the note that the person closed it");
        }
    }

    /// A message that was handed over. True when the transcript had it already.
    pub(super) fn handed_over(&mut self, chat: &str, id: &str, bytes: &str) -> bool {
        let transcript = self.transcripts.entry(chat.to_owned()).or_default();
        let before = transcript.bytes.entry(id.to_owned()).or_insert_with(|| bytes.to_owned());
        assert_eq!(before, bytes, "{id} was handed over with other bytes");
        transcript.kept.contains(id)
    }

    pub(super) fn kept(&mut self, chat: &str, message: &Value) {
        self.goes_on();
        let id = message["id"].as_str().unwrap().to_owned();
        let transcript = self.transcripts.entry(chat.to_owned()).or_default();
        let text = message["text"].as_str().unwrap();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        let field = |line: &Value, name: &str| line[name].as_str().unwrap().to_owned();
        let before = transcript.lines.len();
        transcript.lines.extend(lines.map(|line| Line {
            key: Key { card: (chat.to_owned(), field(&line, "card")), name: field(&line, "name") },
            count: line["count"].as_u64().unwrap(),
            data: line["data"].clone(),
        }));
        let events = message["details"]["events"].as_array().unwrap();
        assert_eq!(transcript.lines.len() - before, events.len(), "{message}");
        for (line, event) in transcript.lines[before..].iter().zip(events) {
            assert_eq!(
                (&*line.key.card.1, &*line.key.name),
                (event["card"].as_str().unwrap(), event["name"].as_str().unwrap())
            );
            assert_eq!(line.count, event["count"]);
        }
        transcript.unconfirmed.insert(id.clone());
        assert!(transcript.kept.insert(id));
    }

    pub(super) fn kept_result(&mut self, chat: &str, call: &str, card: &str, event: &Value) {
        let name = event["name"].as_str().unwrap().to_owned();
        let key = Key { card: (chat.to_owned(), card.to_owned()), name };
        let transcript = self.transcripts.entry(chat.to_owned()).or_default();
        transcript.results.push((key, event["data"]["n"].as_u64().unwrap()));
        transcript.unconfirmed.insert(call.to_owned());
    }

    fn lines(&self, chat: &str) -> impl Iterator<Item = &Line> {
        self.transcripts.get(chat).into_iter().flat_map(|transcript| &transcript.lines)
    }

    /// Every acknowledged event is in the agent's hands exactly once, in order.
    pub(super) fn compare(&self) {
        assert!(self.unanswered.is_empty(), "{:?}", self.unanswered);
        let mut left = self.accepted.clone();
        for (key, n) in self.transcripts.values().flat_map(|transcript| &transcript.results) {
            let events = left.get_mut(key).unwrap_or_else(|| panic!("nobody sent {key:?}"));
            let at = events.iter().position(|event| event == n);
            events.remove(
                at.unwrap_or_else(|| panic!("{key:?}: {n} was never sent, or a result twice")),
            );
        }
        let mut read: BTreeMap<&Key, Vec<(u64, u64)>> = BTreeMap::new();
        let lines = self.transcripts.values().flat_map(|transcript| &transcript.lines);
        for line in lines.filter(|line| line.key.name != "closed") {
            let data = line.data["n"].as_u64().unwrap();
            read.entry(&line.key).or_default().push((line.count, data));
        }
        for key in read.keys() {
            assert!(left.contains_key(key), "nobody sent {key:?}");
        }
        for (key, events) in &left {
            let read = read.get(key).map_or(&[][..], Vec::as_slice);
            let told = || format!("{key:?}: {events:?} were acknowledged, {read:?} were read");
            if key.name == "answer" {
                assert!(in_order(events, read) || in_order_but_one(events, read), "{}", told());
            } else {
                assert!(in_order(events, read), "{}", told());
            }
            assert!(key.name != "once" || events.len() <= 1, "{}", told());
        }
    }

    /// That the kills met something.
    pub(super) fn was_worth_it(&self) {
        let accepted: usize = self.accepted.values().map(Vec::len).sum();
        assert!(accepted > 20 && self.repeated > 0, "{}", self.told());
        assert!(self.transcripts.values().any(|transcript| !transcript.kept.is_empty()));
    }

    pub(super) fn told(&self) -> String {
        let accepted: usize = self.accepted.values().map(Vec::len).sum();
        let sum = |of: fn(&Transcript) -> usize| self.transcripts.values().map(of).sum::<usize>();
        let mut told = format!(
            "{} cards, {accepted} events acknowledged, {} sent again, {} messages handed over, {} kept, {} results kept",
            self.cards.len(),
            self.repeated,
            sum(|transcript| transcript.bytes.len()),
            sum(|transcript| transcript.kept.len()),
            sum(|transcript| transcript.results.len()),
        );
        for (code, n) in &self.refused {
            write!(told, ", {n} {code}").unwrap();
        }
        told
    }
}

/// Whether each line stands for the next `count` events and has the data of the last of them.
fn in_order(events: &[u64], lines: &[(u64, u64)]) -> bool {
    let mut events = events.iter();
    lines.iter().all(|(count, data)| {
        let newest = (0..*count).map(|_| events.next()).last().flatten();
        newest == Some(data)
    }) && events.next().is_none()
}

/// The same, but for the one event that a call had as its answer and did not keep: what came after it
/// may have gone out before it was given back. It joins a later line as its oldest, or is one by itself.
fn in_order_but_one(events: &[u64], lines: &[(u64, u64)]) -> bool {
    (0..events.len()).any(|late| {
        let mut others = events.to_vec();
        let event = others.remove(late);
        (0..lines.len()).any(|at| {
            let read: u64 = lines[..at].iter().map(|line| line.0).sum();
            if read < late as u64 {
                return false;
            }
            let mut lines = lines.to_vec();
            lines[at].0 -= 1;
            if lines[at].0 == 0 && lines.remove(at).1 != event {
                return false;
            }
            in_order(&others, &lines)
        })
    })
}

#[test]
fn a_ledger_tells_what_is_lost_twice_or_out_of_order() {
    assert!(in_order(&[1, 2, 3], &[(2, 2), (1, 3)]));
    assert!(!in_order(&[1, 2, 3], &[(2, 2)]), "lost");
    assert!(!in_order(&[1, 2, 3], &[(2, 2), (2, 3)]), "twice");
    assert!(!in_order(&[1, 2, 3], &[(2, 1), (1, 3)]), "not the newest data");
    assert!(in_order_but_one(&[1, 2, 3, 4], &[(2, 3), (2, 4)]), "the first came late");
    assert!(in_order_but_one(&[1, 2, 3], &[(2, 3), (1, 1)]), "and by itself");
    assert!(!in_order_but_one(&[1, 2, 3], &[(1, 3), (2, 2)]), "two came late");
    assert!(!in_order_but_one(&[1, 2, 3], &[(2, 3)]), "lost");
}
