//! SIGKILL at random moments, of the portal and of its extension alone, while people click and the agent works.

use crate::chat::{Chat, show};
use crate::http::ask;
use crate::ledger::{Ledger, Posted, check_transcript};
use crate::program::{Program, signal, until};
use hyper::Method;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

const CHATS: usize = 3;
/// So that the dice of two people do not throw the same numbers one after the other.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;
/// Numbers the events.
static NEXT: AtomicU64 = AtomicU64::new(1);
const NAMES: [&str; 4] = ["a", "b", "act", "w"];

/// xorshift: small, and the same everywhere.
#[derive(Debug, Clone)]
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % n
    }

    fn other(&mut self) -> Self {
        Self(self.below(u64::MAX).wrapping_mul(SPREAD) | 1)
    }
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

fn card(wait: bool) -> String {
    let events = json!([
        { "name": "a" },
        { "name": "b", "wake": true },
        { "name": "act", "debounceMs": 0 },
        { "name": "w", "debounceMs": 0 },
    ]);
    let mut arguments = json!({ "events": events });
    if wait {
        arguments["wait"] = json!({ "event": "w", "timeoutSeconds": 2 });
    }
    show(&arguments)
}

/// `INLINE_UI_KILLS=200 INLINE_UI_SEED=7` is a longer run of a known order; the moments stay the machine's.
#[tokio::test]
async fn every_acknowledged_event_is_in_a_transcript_once_however_often_it_is_killed() {
    let kills = number("INLINE_UI_KILLS").unwrap_or(10);
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis();
    let seed = number("INLINE_UI_SEED").unwrap_or(u64::try_from(clock).unwrap());
    eprintln!("INLINE_UI_SEED={seed}");
    let mut dice = Dice(seed.wrapping_mul(SPREAD) | 1);
    let mut portal = Program::start().await;
    let mut chats = Vec::new();
    for _ in 0..CHATS {
        let chat = Chat::with_card(&portal, &json!([])).await;
        chat.asks(&card(false)).await;
        chats.push(chat.id);
    }
    let ledger = Arc::new(Mutex::new(Ledger::default()));
    let mut portals = 0;
    for _ in 0..kills {
        let life = CancellationToken::new();
        let mut people = JoinSet::new();
        for chat in &chats {
            let (address, chat, dice) = (portal.address.clone(), chat.clone(), dice.other());
            let person = Person { address, chat, dice, ledger: Arc::clone(&ledger) };
            people.spawn(person.clicks(life.clone()));
        }
        sleep(Duration::from_millis(300 + dice.below(1200))).await;
        if dice.below(3) == 0 {
            signal(portal.extension().await, "-KILL").await;
            // The portal lives on, and everybody goes on clicking.
            sleep(Duration::from_millis(600)).await;
            life.cancel();
        } else {
            portals += 1;
            portal.kill().await;
            life.cancel();
            portal.kill_and_restart().await;
        }
        people.join_all().await;
    }
    settle(&portal, &chats, &ledger).await;
    let ledger = ledger.lock().unwrap();
    let (total, refused) = (ledger.total(), ledger.refused);
    eprintln!(
        "{portals} kills of the portal, {} of the extension alone: {total} events accepted, {refused} refused",
        kills - portals
    );
    assert!(total > 3 * kills, "{total} events show nothing");
}

/// Somebody who clicks, writes and stops in one chat until the portal is gone.
struct Person {
    address: String,
    chat: String,
    dice: Dice,
    ledger: Arc<Mutex<Ledger>>,
}

impl Person {
    async fn clicks(mut self, life: CancellationToken) {
        let mut loads = BTreeMap::new();
        while !life.is_cancelled() {
            sleep(Duration::from_millis(10 + self.dice.below(60))).await;
            match self.dice.below(12) {
                0 => self.writes().await,
                1 if self.dice.below(3) == 0 => drop(self.api("stop", Value::Null).await),
                _ => self.clicks_once(&mut loads).await,
            }
        }
    }

    async fn writes(&mut self) {
        let text = match self.dice.below(5) {
            0 => "/work 2".to_owned(),
            1 => card(true),
            2 => format!("{}\n{}", card(true), card(false)),
            3 => "/letgo".to_owned(),
            _ => "hello".to_owned(),
        };
        let busy = self.read("").await.is_none_or(|chat| chat["agent"] == "working");
        if !busy || self.dice.below(5) == 0 {
            self.api("messages", json!({ "text": text })).await;
        }
    }

    async fn clicks_once(&mut self, loads: &mut BTreeMap<String, Value>) {
        let Some(listed) = self.read_cards().await else { return };
        let newest = u64::try_from(listed.len().min(3)).unwrap();
        let back = usize::try_from(self.dice.below(newest.max(1))).unwrap();
        let Some(card) = listed.iter().rev().nth(back) else { return };
        let id = card["id"].as_str().unwrap().to_owned();
        if !loads.contains_key(&id) {
            let path = format!("/ext/inline-ui/chats/{}/cards/{id}/loads", self.chat);
            let Some(load) = self.post(&path, json!({})).await.filter(|it| it.0 == 200) else {
                return;
            };
            loads.insert(id.clone(), load.1["load"].clone());
        }
        let name = NAMES[usize::try_from(self.dice.below(4)).unwrap()];
        let posted = Posted {
            chat: self.chat.clone(),
            load: loads[&id].clone(),
            card: id,
            name,
            id: format!("e{}", NEXT.fetch_add(1, Ordering::Relaxed)),
            data: self.dice.below(1000),
        };
        let status = self.post(&posted.path(), posted.body()).await.map(|reply| reply.0);
        self.ledger.lock().unwrap().enter(posted, status);
    }

    async fn read(&self, rest: &str) -> Option<Value> {
        let path = format!("/api/chats/{}{rest}", self.chat);
        let reply = ask(&self.address, Method::GET, &path, &Value::Null).await?;
        (reply.status == 200).then(|| reply.json())
    }

    async fn read_cards(&self) -> Option<Vec<Value>> {
        let path = format!("/ext/inline-ui/chats/{}/cards", self.chat);
        let reply = ask(&self.address, Method::GET, &path, &Value::Null).await?;
        (reply.status == 200).then(|| reply.json()["cards"].as_array().unwrap().clone())
    }

    async fn api(&self, what: &str, body: Value) -> Option<(u16, Value)> {
        self.post(&format!("/api/chats/{}/{what}", self.chat), body).await
    }

    async fn post(&self, path: &str, body: Value) -> Option<(u16, Value)> {
        let reply = ask(&self.address, Method::POST, path, &body).await?;
        let value = if reply.body.is_empty() { Value::Null } else { reply.json() };
        Some((reply.status, value))
    }
}

/// Sends again what had no answer, lets every run end, and looks at what the agents got.
async fn settle(portal: &Program, ids: &[String], ledger: &Mutex<Ledger>) {
    portal.runs().await;
    let unknown = std::mem::take(&mut ledger.lock().unwrap().unknown);
    eprintln!("{} events had no answer and are sent again", unknown.len());
    for posted in unknown {
        let status = until("an answer to an event", async || {
            let reply = portal.post(&posted.path(), posted.body()).await;
            // The rate of a card makes it wait, as the page does.
            (reply.status != 429).then_some(reply.status)
        })
        .await;
        ledger.lock().unwrap().enter(posted, Some(status));
    }
    let chats: Vec<_> = ids.iter().map(|id| Chat { portal, id: id.clone() }).collect();
    for chat in &chats {
        until("the end of the queue", async || {
            chat.stop().await;
            (chat.read().await["agent"] != "working").then_some(())
        })
        .await;
    }
    let begun = Instant::now();
    loop {
        let mut transcripts = BTreeMap::new();
        for chat in &chats {
            chat.idle().await;
            let answer = chat.asks("hello").await;
            assert!(answer.contains("scripted demo"), "not usable: {answer}");
            transcripts.insert(chat.id.clone(), chat.items().await);
        }
        let differs = ledger.lock().unwrap().differs(&transcripts);
        if differs.is_empty() {
            break;
        }
        assert!(begun.elapsed() < Duration::from_secs(3), "got of accepted: {differs:#?}");
    }
    for chat in &chats {
        chat.idle().await;
        check_transcript(chat).await;
    }
}
