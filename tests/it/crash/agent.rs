//! The portal's side: agents that work and rest, show and ask, and take what they are handed.

use super::CHATS;
use super::ledger::{CardKey, Shared};
use crate::harness::{Answer, Dice, Link, Pending, Tool};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Cards shown in a chat in one life: far fewer than a chat keeps.
const SHOWN: u32 = 3;
/// Requests without an answer, open questions aside.
const UNDER_WAY: usize = 12;
/// A take that is answered later than that may have been answered before it was taken up.
const SURE: Duration = Duration::from_millis(200);

pub(super) struct Agent<'a> {
    link: &'a mut Link,
    ledger: Shared,
    dice: Dice,
    asked: BTreeMap<Pending, Asked>,
    /// What was said to be delivered over this link.
    said: BTreeMap<String, BTreeSet<String>>,
    shown: BTreeMap<&'static str, u32>,
    /// Results in the transcript that are not acknowledged yet: their chat and call.
    late: Vec<(&'static str, String)>,
}

#[derive(Debug, Clone)]
enum Asked {
    Take { chat: &'static str, said: BTreeSet<String>, at: Instant },
    Show { chat: &'static str, call: String, waits: bool, cancelled: bool },
    Update { card: CardKey, n: u64 },
    Close { card: CardKey },
}

impl<'a> Agent<'a> {
    pub(super) fn new(link: &'a mut Link, ledger: Shared, dice: Dice) -> Self {
        let (asked, said, shown) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { link, ledger, dice, asked, said, shown, late: Vec::new() }
    }

    /// Does one thing after another until the program is gone.
    pub(super) async fn works(mut self) {
        let gone: Option<()> = async {
            self.repeats().await?;
            let mut pace = tokio::time::interval(Duration::from_millis(2));
            loop {
                tokio::select! {
                    answer = self.link.any_answer() => {
                        let (pending, answer) = answer?;
                        self.heard(pending, &answer).await?;
                    }
                    _ = pace.tick(), if self.under_way() < UNDER_WAY => self.acts().await?,
                }
            }
        }
        .await;
        assert_eq!(gone, None);
    }

    /// Takes until nothing is left anywhere.
    pub(super) async fn takes_all(mut self) {
        self.repeats().await.unwrap();
        for chat in CHATS {
            loop {
                // Returns what a take found that was answered before.
                self.rests(chat).await.unwrap();
                let asked = Instant::now();
                let take =
                    self.link.send("outbox/take", json!({ "chat": chat, "at": "prompt" })).await;
                let answer = self.link.answer(&take).await;
                let message = answer.result.as_ref().unwrap()["message"].clone();
                let Some(id) = message["id"].as_str() else {
                    if asked.elapsed() < SURE {
                        break;
                    }
                    continue;
                };
                if !self.ledger.lock().unwrap().handed_over(chat, id, bytes(&answer.line)) {
                    self.ledger.lock().unwrap().kept(chat, &message);
                }
                self.says_delivered(chat, id).await.unwrap();
            }
        }
    }

    /// Says again what an earlier process may not have heard.
    async fn repeats(&mut self) -> Option<()> {
        for chat in CHATS {
            let ids = self
                .ledger
                .lock()
                .unwrap()
                .transcripts
                .get(chat)
                .map(|transcript| transcript.unconfirmed.clone());
            for id in ids.into_iter().flatten() {
                self.says_delivered(chat, &id).await?;
            }
        }
        Some(())
    }

    fn under_way(&self) -> usize {
        self.asked
            .values()
            .filter(|asked| !matches!(asked, Asked::Show { waits: true, .. }))
            .count()
    }

    async fn acts(&mut self) -> Option<()> {
        if self.dice.below(30) == 0 {
            self.catches_up().await?;
        }
        let chat = self.dice.pick(&CHATS);
        match self.dice.below(60) {
            0..22 => self.take(chat).await,
            22..36 => self.shows(chat).await,
            36..45 => self.updates(chat).await,
            45..47 => self.closes(chat).await,
            47 => self.aborts(chat).await,
            48..58 => {
                self.link
                    .try_notify("chat/agent", json!({ "chat": chat, "state": "working" }))
                    .await
            }
            _ => self.rests(chat).await,
        }
    }

    async fn take(&mut self, chat: &'static str) -> Option<()> {
        let at = self.dice.pick(&["prompt", "step", "wake"]);
        let pending = self.link.try_send("outbox/take", json!({ "chat": chat, "at": at })).await?;
        let said = self.said.get(chat).cloned().unwrap_or_default();
        self.asked.insert(pending, Asked::Take { chat, said, at: Instant::now() });
        Some(())
    }

    async fn shows(&mut self, chat: &'static str) -> Option<()> {
        let shown = self.shown.entry(chat).or_default();
        if *shown == SHOWN {
            return Some(());
        }
        *shown += 1;
        let waits = self.dice.below(3) > 0;
        let mut arguments = json!({ "title": "card", "html": "<p>card</p>", "events": [{ "name": "plain" },
            { "name": "once", "once": true }, { "name": "wake", "wake": true }] });
        if waits {
            arguments["wait"] = json!({ "event": "answer" });
        }
        let (call, pending) = self.calls(chat, "ui_show", arguments).await?;
        self.asked.insert(pending, Asked::Show { chat, call, waits, cancelled: false });
        Some(())
    }

    async fn updates(&mut self, chat: &str) -> Option<()> {
        let Some(card) = self.card(chat) else { return Some(()) };
        let n = {
            let mut ledger = self.ledger.lock().unwrap();
            let facts = ledger.cards.get_mut(&card).unwrap();
            facts.updates += 1;
            facts.updates
        };
        let arguments = json!({ "card": card.1, "title": format!("card {n}"), "data": { "n": n } });
        let (_, pending) = self.calls(chat, "ui_update", arguments).await?;
        self.asked.insert(pending, Asked::Update { card, n });
        Some(())
    }

    async fn closes(&mut self, chat: &str) -> Option<()> {
        let Some(card) = self.card(chat) else { return Some(()) };
        let (_, pending) = self.calls(chat, "ui_close", json!({ "card": card.1 })).await?;
        self.asked.insert(pending, Asked::Close { card });
        Some(())
    }

    /// Cancels the chat's open questions. Whatever they are answered with is not used.
    async fn aborts(&mut self, chat: &str) -> Option<()> {
        let mut calls = Vec::new();
        for asked in self.asked.values_mut() {
            if let Asked::Show { chat: of, call, waits: true, cancelled } = asked
                && *of == chat
            {
                *cancelled = true;
                calls.push(call.clone());
            }
        }
        for call in calls {
            self.link.try_notify("notifications/cancelled", json!({ "call": call })).await?;
        }
        Some(())
    }

    /// A run ends; its questions end with it.
    async fn rests(&mut self, chat: &str) -> Option<()> {
        self.aborts(chat).await?;
        self.catches_up().await?;
        let state = self.dice.pick(&["idle", "gone"]);
        self.link.try_notify("chat/agent", json!({ "chat": chat, "state": state })).await
    }

    /// A card that the portal knows of.
    fn card(&mut self, chat: &str) -> Option<CardKey> {
        let known = self.ledger.lock().unwrap().acknowledged();
        let known: Vec<_> = known.into_iter().filter(|card| card.0 == chat).collect();
        (!known.is_empty()).then(|| self.dice.pick(&known))
    }

    async fn calls(
        &mut self,
        chat: &str,
        tool: &str,
        arguments: Value,
    ) -> Option<(String, Pending)> {
        let call = {
            let mut ledger = self.ledger.lock().unwrap();
            ledger.calls += 1;
            format!("call-{}", ledger.calls)
        };
        let params = json!({ "chat": chat, "call": call, "name": tool, "arguments": arguments });
        Some((call, self.link.try_send("tools/call", params).await?))
    }

    async fn heard(&mut self, pending: Pending, answer: &Answer) -> Option<()> {
        let result = answer.result.as_ref().unwrap();
        match self.asked.remove(&pending).unwrap() {
            Asked::Take { chat, said, at } => {
                let message = &result["message"];
                if message.is_object() || at.elapsed() < SURE {
                    self.confirmed(chat, &said);
                }
                self.handed(chat, message, &answer.line).await
            }
            Asked::Show { chat, call, waits, cancelled } => {
                let tool = Tool::read(result);
                assert_eq!(tool.code(), None, "{}", tool.text);
                let card = tool.structured["card"].as_str().unwrap();
                self.ledger.lock().unwrap().shown(chat, card, &call, waits);
                let event = &tool.structured["event"];
                if event.is_object() && !cancelled {
                    self.gets(chat, &call, card, event).await
                } else {
                    Some(())
                }
            }
            Asked::Update { card, n } => {
                match Tool::read(result).code() {
                    None => self.ledger.lock().unwrap().updated(&card, n),
                    code => assert_eq!(code, Some("card_closed")),
                }
                Some(())
            }
            Asked::Close { card } => {
                assert_eq!(Tool::read(result).code(), None);
                self.ledger.lock().unwrap().closed(&card);
                Some(())
            }
        }
    }

    fn confirmed(&self, chat: &str, said: &BTreeSet<String>) {
        if let Some(transcript) = self.ledger.lock().unwrap().transcripts.get_mut(chat) {
            transcript.unconfirmed.retain(|id| !said.contains(id));
        }
    }

    async fn handed(&mut self, chat: &str, message: &Value, line: &str) -> Option<()> {
        let Some(id) = message["id"].as_str() else { return Some(()) };
        if self.ledger.lock().unwrap().handed_over(chat, id, bytes(line)) {
            return self.says_delivered(chat, id).await;
        }
        match self.dice.below(10) {
            0..6 => {
                self.ledger.lock().unwrap().kept(chat, message);
                self.says_delivered(chat, id).await
            }
            // Kept, and nobody is told yet.
            6 => {
                self.ledger.lock().unwrap().kept(chat, message);
                Some(())
            }
            7..9 => {
                self.link.try_notify("outbox/returned", json!({ "chat": chat, "id": id })).await
            }
            _ => Some(()),
        }
    }

    /// A question was answered: its result goes into the transcript, or the run dies before it does.
    async fn gets(
        &mut self,
        chat: &'static str,
        call: &str,
        card: &str,
        event: &Value,
    ) -> Option<()> {
        match self.dice.below(6) {
            0 => {
                let returned = json!({ "chat": chat, "id": call });
                return self.link.try_notify("outbox/returned", returned).await;
            }
            // Nobody says what became of it: it comes back when the agent rests, or the program dies.
            1 | 2 => return Some(()),
            _ => {}
        }
        self.ledger.lock().unwrap().kept_result(chat, call, card, event);
        self.late.push((chat, call.to_owned()));
        if self.dice.below(3) == 0 { self.catches_up().await } else { Some(()) }
    }

    /// Acknowledges the results. Before a run ends this must be: an agent that rests gives back what
    /// nobody kept.
    async fn catches_up(&mut self) -> Option<()> {
        for (chat, call) in std::mem::take(&mut self.late) {
            self.says_delivered(chat, &call).await?;
        }
        Some(())
    }

    async fn says_delivered(&mut self, chat: &str, id: &str) -> Option<()> {
        self.said.entry(chat.to_owned()).or_default().insert(id.to_owned());
        self.link.try_notify("outbox/delivered", json!({ "chat": chat, "id": id })).await
    }
}

/// The message in the line of an answer, to the byte.
fn bytes(line: &str) -> &str {
    let (_, message) = line.split_once("\"message\":").unwrap();
    message.trim_end_matches('}')
}
