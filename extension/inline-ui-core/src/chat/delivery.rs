//! Rules 2 to 9: where an admitted event is, and how it gets to the agent.

use super::{Chat, Outlook};
use crate::card::{CardRecord, DeliveryState, Last};
use crate::effect::{Effect, PageEvent, Write};
use crate::ids::{CallId, CardId, EventName};
use crate::input::{Accepted, AgentState, TakeAt};
use crate::limits;
use crate::message::Message;
use crate::outbox::{Entry, Found, HeldState, Settled};
use crate::time::{Instant, Now};
use crate::wait::Outcome;
use std::sync::Arc;
use std::time::Duration;

impl Chat {
    /// Rule 2: the wait takes it.
    pub(super) fn answer(&mut self, now: Now, card: CardId, name: EventName, entry: Entry) {
        let Some(call) = self.waits.get(&card).map(|wait| wait.call.clone()) else { return };
        self.write(Write::Entry { entry: entry.clone(), offered_to: Some(call.clone()) });
        self.answered(card, true);
        self.end_wait(now, card, Outcome::Answered { name, data: entry.data.clone() });
        self.outbox.answer(call, entry);
    }

    pub(super) fn cancel(&mut self, now: Now, call: &CallId) -> Accepted {
        if let Some(card) =
            self.waits.values().find(|wait| wait.call == *call).map(|wait| wait.card)
        {
            self.end_wait(now, card, Outcome::Cancelled);
        } else {
            self.give_back(call);
        }
        Accepted::Done
    }

    pub(super) fn agent_is(&mut self, state: AgentState) -> Accepted {
        self.agent = state;
        self.hinted = None;
        self.wake_hint_at = None;
        if state != AgentState::Working {
            self.take_back_all();
        }
        Accepted::Done
    }

    pub(super) fn link_changed(&mut self, now: Now) -> Accepted {
        for card in self.waits.keys().copied().collect::<Vec<_>>() {
            self.end_wait(now, card, Outcome::Cancelled);
        }
        self.agent_is(AgentState::Gone)
    }

    pub(super) fn take(&mut self, now: Now, at: TakeAt) -> Option<Arc<Message>> {
        if at == TakeAt::Wake && self.wake_due(now.mono).is_none_or(|due| due > now.mono) {
            return None;
        }
        let woke = at == TakeAt::Wake;
        let seed = self.seed;
        let out = self.outbox.hand_over(|n| format!("m-{seed:016x}-{n}"), woke)?;
        if at == TakeAt::Wake {
            self.woken = Some(now.mono);
            self.woken_wall = Some(now.wall_ms);
            self.write_chat();
        }
        if !out.taken.is_empty() {
            self.write(Write::Message(out.message.clone()));
        }
        let id: Arc<str> = out.message.id.as_str().into();
        for entry in out.taken {
            self.write(Write::RemoveEntry(entry.seq));
            self.moved(&entry, &Last::Message(id.clone()));
        }
        self.hinted = None;
        Some(out.message)
    }

    pub(super) fn delivered(&mut self, id: &str) -> Accepted {
        if let Some(message) = self.outbox.deliver(id) {
            self.write(Write::RemoveMessage(id.to_owned()));
            for card in &message.cards {
                let last = self.cards.get(card).and_then(|card| card.last.as_ref());
                if matches!(last, Some(Last::Message(message)) if **message == *id) {
                    self.set_last(*card, Last::Delivered);
                }
            }
        } else if let Ok(call) = CallId::parse(id) {
            match self.outbox.settle_answer(&call) {
                Some(Settled::Answer(entry)) => {
                    self.write(Write::RemoveEntry(entry.seq));
                    self.moved(&entry, &Last::Delivered);
                }
                Some(Settled::Entry(entry)) => {
                    self.write(Write::RemoveEntry(entry.seq));
                    self.answered(entry.card, true);
                    self.moved(&entry, &Last::Delivered);
                }
                Some(Settled::Less(entry)) => {
                    self.answered(entry.card, true);
                    self.write(Write::Entry { entry, offered_to: None });
                }
                None => {}
            }
        }
        self.hinted = None;
        Accepted::Done
    }

    pub(super) fn returned(&mut self, id: &str) -> Accepted {
        if self.outbox.held(id).is_some_and(|held| matches!(held.state, HeldState::Offered { .. }))
        {
            let woke = self.outbox.take_back(Some(id));
            self.unspend_wake(woke == Some(true));
        } else if let Ok(call) = CallId::parse(id) {
            self.give_back(&call);
        }
        self.hinted = None;
        Accepted::Done
    }

    pub(super) fn give_back(&mut self, call: &CallId) {
        if !self.outbox.has_answer(call) {
            return;
        }
        let Some(replaced) = self.outbox.give_back(call) else { return };
        self.answered(replaced.entry.card, false);
        self.moved(&replaced.entry, &Last::Queue);
        self.write_queued(replaced);
        self.hinted = None;
    }

    fn answered(&mut self, card: CardId, answered: bool) {
        let Ok(card) = self.card_mut(card) else { return };
        card.record_mut().unanswered = !answered;
        let record = CardRecord::clone(&card.record);
        self.write(Write::Card(record));
    }

    fn take_back_all(&mut self) {
        while let Some(woke) = self.outbox.take_back(None) {
            self.unspend_wake(woke);
        }
        for call in self.outbox.answered_calls() {
            self.give_back(&call);
        }
    }

    /// Gives back the ten seconds: the wake before this one was longer ago than that.
    fn unspend_wake(&mut self, woke: bool) {
        if woke {
            self.woken = None;
            self.woken_wall = None;
            self.write_chat();
        }
    }

    /// The entry is elsewhere; with it the last thing its card sent, if that is the newest in it.
    fn moved(&mut self, entry: &Entry, to: &Last) {
        if self.accepted.newest(entry.card) == Some(&entry.id) {
            self.set_last(entry.card, to.clone());
        }
    }

    fn set_last(&mut self, card: CardId, last: Last) {
        if let Some(of_card) = self.cards.get_mut(&card) {
            of_card.last = Some(last);
            self.stirred.push(card);
        }
    }

    /// Where the last thing that each card sent is, from what was kept.
    pub(super) fn find_last(&mut self) {
        for (id, newest) in self.accepted.newest_of_all() {
            let last = match self.outbox.find(id, newest) {
                Some(Found::Queue) => Last::Queue,
                Some(Found::Message(message)) => Last::Message(message.into()),
                None => Last::Delivered,
            };
            let Some(card) = self.cards.get_mut(&id) else { continue };
            if last != Last::Delivered {
                self.pending.insert(id, ());
            }
            card.last = Some(last);
        }
    }

    /// Whether an idle agent is to be started for what is in the outbox.
    fn wakes(&self) -> bool {
        self.settings.wake && self.agent != AgentState::Working && self.outbox.wakes()
    }

    /// When a take at `wake` would find something, if it ever would as things stand.
    pub(super) fn wake_due(&self, now: Instant) -> Option<Instant> {
        let distance = self.woken.map(|at| at + limits::WAKE_DISTANCE);
        (self.wakes() && self.outbox.offered().is_none())
            .then(|| distance.map_or(now, |at| at.max(now)))
    }

    pub(super) fn state(
        &self,
        now: Now,
        card: CardId,
    ) -> Option<(DeliveryState, Option<Duration>)> {
        let unsent = || {
            let state = self.unsent();
            let distance = self.woken.filter(|_| state == DeliveryState::Starting);
            let after = distance.map(|at| (at + limits::WAKE_DISTANCE).since(now.mono));
            (state, after.filter(|wait| !wait.is_zero()))
        };
        Some(match self.cards.get(&card)?.last.as_ref()? {
            Last::Answer => (DeliveryState::Answered, None),
            Last::Delivered => (DeliveryState::Delivered, None),
            Last::Queue => unsent(),
            Last::Message(id) => match self.outbox.held(id)?.state {
                HeldState::Offered { woke: true } => (DeliveryState::Starting, None),
                _ => unsent(),
            },
        })
    }

    /// The state of what is not handed over.
    fn unsent(&self) -> DeliveryState {
        match self.agent {
            AgentState::Working => DeliveryState::NextStep,
            AgentState::Idle | AgentState::Gone if self.wakes() => DeliveryState::Starting,
            AgentState::Idle | AgentState::Gone => DeliveryState::NextMessage,
        }
    }

    /// Tells the pages what changed for the cards whose last event is under way: all of them when
    /// their states may have changed together, else those whose last event moved.
    pub(super) fn tell_states(&mut self, now: Now) {
        let outlook = Outlook { unsent: self.unsent(), held: self.outbox.held_state() };
        let mut stirred = std::mem::take(&mut self.stirred);
        if self.told_under != Some(outlook) {
            self.told_under = Some(outlook);
            stirred = self.pending.keys().copied().collect();
        }
        stirred.sort_unstable();
        stirred.dedup();
        for id in stirred.drain(..) {
            self.tell_state(now, id);
        }
        self.stirred = stirred;
    }

    fn tell_state(&mut self, now: Now, id: CardId) {
        if !self.pending.contains_key(&id) {
            return;
        }
        let Some((state, after)) = self.state(now, id) else {
            self.pending.remove(&id);
            return;
        };
        if self.cards.get(&id).is_some_and(|card| card.told != Some(state))
            && let Some(card) = self.cards.get_mut(&id)
        {
            card.told = Some(state);
            self.effects.push_back(Effect::Page(PageEvent::State { card: id, state, after }));
        }
        if state == DeliveryState::Delivered {
            self.pending.remove(&id);
        }
    }

    /// Says once what a take would find; a due wake is said again every few seconds.
    pub(super) fn hint(&mut self, now: Now) {
        if let Some(due) = self.wake_due(now.mono) {
            let at = self.wake_hint_at.filter(|_| self.hinted == Some(TakeAt::Wake)).unwrap_or(due);
            self.hinted = Some(TakeAt::Wake);
            if at > now.mono {
                self.wake_hint_at = Some(at);
                return;
            }
            self.wake_hint_at = Some(now.mono + limits::WAKE_HINT_EVERY);
            self.effects.push_back(Effect::Hint(TakeAt::Wake));
            return;
        }
        self.wake_hint_at = None;
        let at = match self.agent {
            _ if !self.outbox.is_ready() => None,
            AgentState::Working => Some(TakeAt::Step),
            AgentState::Idle | AgentState::Gone => Some(TakeAt::Prompt),
        };
        if let Some(at) = at.filter(|_| at != self.hinted) {
            self.effects.push_back(Effect::Hint(at));
        }
        self.hinted = at;
    }
}
