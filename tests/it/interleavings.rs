//! Rule 7: whatever the order of events, steps, run ends, returns and kills, each event reaches the
//! agent once.

use crate::harness::{CHAT, Card, Dice, Portal, event_id};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// A portal that keeps what it was handed, and says so as a portal may: late, twice, or not at all.
struct Run {
    portal: Portal,
    dice: Dice,
    delivered: BTreeMap<String, Value>,
}

impl Run {
    async fn take(&mut self) {
        let at = self.dice.pick(&["prompt", "step", "wake"]);
        let message = self.portal.take(CHAT, at).await;
        let Some(id) = message["id"].as_str() else { return };
        match self.dice.below(4) {
            0 => self.portal.returned(CHAT, id).await,
            1 => {}
            _ => self.deliver(id, &message).await,
        }
    }

    async fn deliver(&mut self, id: &str, message: &Value) {
        if let Some(before) = self.delivered.insert(id.to_owned(), message.clone()) {
            assert_eq!(before, *message, "the same id is the same message");
        }
        self.portal.delivered(CHAT, id).await;
    }

    async fn happen(&mut self) {
        match self.dice.below(8) {
            0..4 => self.take().await,
            4 => self.portal.agent(CHAT, "working").await,
            5 => self.portal.agent(CHAT, "idle").await,
            6 => self.portal.agent(CHAT, "gone").await,
            _ => self.portal.kill_and_restart().await,
        }
    }

    async fn rest(&mut self) {
        loop {
            // What is out and was never spoken of comes back when its run ends.
            self.portal.agent(CHAT, "idle").await;
            let message = self.portal.take(CHAT, "prompt").await;
            let Some(id) = message["id"].as_str().map(str::to_owned) else { return };
            self.deliver(&id, &message).await;
        }
    }

    fn counts(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for event in self
            .delivered
            .values()
            .flat_map(|message| message["details"]["events"].as_array().unwrap())
        {
            *counts.entry(event["name"].as_str().unwrap().to_owned()).or_default() +=
                event["count"].as_u64().unwrap();
        }
        counts
    }
}

async fn each_event_arrives_once(seed: u64) {
    let events: Vec<Value> =
        NAMES.iter().map(|name| json!({ "name": name, "wake": *name == "d" })).collect();
    let (portal, page) = Portal::with_card(json!(events)).await;
    let load = page.open("c1").await.load;
    let mut run = Run { portal, dice: Dice::new(seed), delivered: BTreeMap::new() };
    let mut sent: BTreeMap<String, u64> = BTreeMap::new();
    for _ in 0..18 {
        let name = run.dice.pick(&NAMES);
        let card = card(&run.portal, &load);
        let id = event_id();
        let (reply, ()) = tokio::join!(
            card.emit_as(&id, name, json!(1)),
            run.portal.notify("test/nothing", json!({}))
        );
        reply.accepted();
        *sent.entry(name.to_owned()).or_default() += 1;
        run.happen().await;
    }
    run.rest().await;
    assert_eq!(run.counts(), sent, "seed {seed}");
}

/// The card as a page that drew it once goes on using it.
fn card(portal: &Portal, load: &str) -> Card {
    let page = portal.page(CHAT);
    Card {
        page,
        id: "c1".to_owned(),
        load: load.to_owned(),
        loaded: Value::Null,
        frame: String::new(),
    }
}

#[tokio::test]
async fn no_order_of_events_takes_run_ends_and_kills_loses_or_doubles_one() {
    for seed in 1..=8 {
        each_event_arrives_once(seed).await;
    }
}

#[tokio::test]
async fn events_that_come_while_the_portal_takes_arrive_once() {
    for seed in 1..=3 {
        let (portal, page) =
            Portal::with_card(json!(NAMES.map(|name| json!({ "name": name })))).await;
        let card = page.open("c1").await;
        let mut run = Run { portal, dice: Dice::new(seed), delivered: BTreeMap::new() };
        let emitting = async {
            for n in 0..18_usize {
                card.emit(NAMES[n % 4], json!(n)).await.accepted();
            }
        };
        let taking = async {
            for _ in 0..12 {
                run.take().await;
                let state = run.dice.pick(&["working", "idle"]);
                run.portal.agent(CHAT, state).await;
            }
        };
        tokio::join!(emitting, taking);
        run.rest().await;
        assert_eq!(
            run.counts(),
            BTreeMap::from(
                [("a", 5), ("b", 5), ("c", 4), ("d", 4)].map(|(name, n)| (name.to_owned(), n))
            )
        );
    }
}
