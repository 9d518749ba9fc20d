//! One task per chat owns its state: it takes asks in order, writes before it answers, and carries
//! out what the state machine wants done.

use crate::feed::{Feed, Subscription};
use crate::registry::Registry;
use crate::settings::SettingsWatch;
use inline_ui_core::{
    Accepted, CallId, CardId, CardView, Chat, ChatId, Effect, Input, Instant, Now, PageEvent,
    Refusal, SettledWait, TakeAt, Write,
};
use inline_ui_store::Store;
use std::collections::HashMap;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

#[cfg(test)]
mod tests;

/// Asks that may wait in a chat's inbox. A caller that finds it full waits: nothing is dropped.
const INBOX: usize = 256;
/// How long a chat that nobody asks anything stays in memory.
const REST_AFTER: Duration = Duration::from_mins(1);
/// How long it stays at least when there is a crowd: what a page asks in one go finds it there.
const REST_IN_CROWD: Duration = Duration::from_millis(50);

/// How to reach a chat's task.
#[derive(Debug, Clone)]
pub(crate) struct Handle {
    pub(crate) inbox: mpsc::Sender<Ask>,
}

/// A chat's cards as a page gets them, and where its stream is to go on.
#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) cards: Vec<CardView>,
    pub(crate) after: String,
}

/// What a chat is asked.
#[derive(Debug)]
pub(crate) enum Ask {
    /// To take an input.
    Input(Box<Input>, oneshot::Sender<Result<Answer, Refusal>>),
    /// For its cards.
    List(oneshot::Sender<Result<Listing, Refusal>>),
    /// For one card.
    Card(CardId, oneshot::Sender<Result<Option<CardView>, Refusal>>),
    /// To read itself from disk again: it was written as a copy of another chat.
    Reload(oneshot::Sender<Result<(), Refusal>>),
    /// For its stream, from behind that id.
    Subscribe(Option<String>, oneshot::Sender<Subscription>),
}

/// An input that was taken.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) accepted: Accepted,
    /// How many pages look at the chat.
    pub(crate) pages: usize,
    /// Comes when the call's wait ends, with the pages that look then.
    pub(crate) wait: Option<oneshot::Receiver<(SettledWait, usize)>>,
}

/// What a chat's task needs of the world.
#[derive(Debug)]
pub(crate) struct World<S> {
    pub(crate) store: S,
    pub(crate) registry: Registry,
    pub(crate) settings: SettingsWatch,
    pub(crate) hints: mpsc::Sender<(ChatId, TakeAt)>,
    pub(crate) clock: Clock,
    pub(crate) stop: CancellationToken,
}

/// The present. Monotonic time begins with the process.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    start: tokio::time::Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self { start: tokio::time::Instant::now() }
    }

    fn now(self) -> Now {
        let wall = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Now {
            mono: Instant::at(BEFORE + self.start.elapsed()),
            wall_ms: i64::try_from(wall.as_millis()).unwrap_or(i64::MAX),
        }
    }

    fn when(self, at: Instant) -> tokio::time::Instant {
        self.start + at.since(Instant::at(BEFORE))
    }
}

const BEFORE_ALL: Instant = Instant::at(Duration::ZERO);
/// Core's instants do not go below zero, and a restored chat has moments before the process.
const BEFORE: Duration = Duration::from_hours(24);

/// Starts the task of a chat.
pub(crate) fn spawn<S: Store>(chat: ChatId, world: Arc<World<S>>) -> Handle {
    let (inbox, asks) = mpsc::channel(INBOX);
    let feed = Feed::new(rand::random());
    let asked = tokio::time::Instant::now();
    let task = ChatTask { id: chat, world, chat: None, waits: HashMap::new(), feed, asked };
    tokio::spawn(task.run(asks));
    Handle { inbox }
}

struct ChatTask<S> {
    id: ChatId,
    world: Arc<World<S>>,
    /// Read from disk at the first ask.
    chat: Option<Chat>,
    waits: HashMap<CallId, oneshot::Sender<(SettledWait, usize)>>,
    feed: Feed,
    /// When it was last asked something.
    asked: tokio::time::Instant,
}

impl<S: Store> ChatTask<S> {
    async fn run(mut self, mut asks: mpsc::Receiver<Ask>) {
        let stop = self.world.stop.clone();
        let mut stopped = pin!(stop.cancelled());
        // Set anew when it is over, not at every ask: a timer costs more than an ask.
        let mut rest = pin!(tokio::time::sleep(self.stay()));
        loop {
            let due =
                self.chat.as_ref().and_then(Chat::poll_timeout).map(|at| self.world.clock.when(at));
            tokio::select! {
                biased;
                () = &mut stopped => return,
                ask = asks.recv() => {
                    let Some(ask) = ask else { return };
                    self.take(ask).await;
                    self.asked = tokio::time::Instant::now();
                }
                () = sleep_until(due) => self.timeout().await,
                () = self.feed.deserted(), if self.feed.pages() > 0 => self.feed.forget_pages(),
                () = &mut rest, if due.is_none() => {
                    if self.leaves(&asks) {
                        return;
                    }
                    rest.as_mut().reset(tokio::time::Instant::now() + self.stay());
                }
            }
            if self.world.registry.is_crowded() {
                let sooner = tokio::time::Instant::now() + self.stay();
                if sooner < rest.deadline() {
                    rest.as_mut().reset(sooner);
                }
            }
        }
    }

    /// Takes it out of memory if nobody asked anything for long enough and nothing is lost by it.
    fn leaves(&self, asks: &mpsc::Receiver<Ask>) -> bool {
        let left = self.may_leave_at().is_some()
            && self.stay().is_zero()
            && self.world.registry.retire(&self.id, || asks.is_empty());
        if left {
            tracing::debug!(chat = %self.id, "chat left memory");
        }
        left
    }

    /// How long it stays yet if nobody asks anything.
    fn stay(&self) -> Duration {
        let crowded = self.world.registry.is_crowded();
        let (least, may_leave_at) = match self.may_leave_at() {
            Some(at) if crowded => (REST_IN_CROWD, at),
            _ => (REST_AFTER, BEFORE_ALL),
        };
        let rested = least.saturating_sub(self.asked.elapsed());
        rested.max(may_leave_at.since(self.world.clock.now().mono))
    }

    /// From when on nothing is lost by leaving memory, as things stand.
    fn may_leave_at(&self) -> Option<Instant> {
        let looks = self.feed.pages() > 0;
        self.chat.as_ref().map_or(Some(BEFORE_ALL), Chat::rested_at).filter(|_| !looks)
    }

    async fn take(&mut self, ask: Ask) {
        match ask {
            Ask::Input(input, answer) => drop(answer.send(self.input(*input).await)),
            Ask::List(answer) => {
                let now = self.world.clock.now();
                let after = self.feed.last_id();
                let listing = self
                    .loaded(now)
                    .await
                    .map(|chat| Listing { cards: chat.cards(now).collect(), after });
                let _ = answer.send(listing);
            }
            Ask::Card(card, answer) => {
                let now = self.world.clock.now();
                let _ = answer.send(self.loaded(now).await.map(|chat| chat.card(now, card)));
            }
            Ask::Reload(answer) => {
                let _ = answer.send(self.reload().await);
            }
            Ask::Subscribe(after, answer) => {
                let _ = answer.send(self.feed.subscribe(after.as_deref()));
            }
        }
    }

    async fn input(&mut self, input: Input) -> Result<Answer, Refusal> {
        let now = self.world.clock.now();
        self.loaded(now).await?;
        let call = match &input {
            Input::Show { call, .. } => Some(call.clone()),
            _ => None,
        };
        let Some(chat) = self.chat.as_mut() else { return Err(gone()) };
        let accepted = chat.handle(now, input)?;
        self.carry_out().await?;
        let wait = match (&accepted, call) {
            (Accepted::Shown { waits: true, .. }, Some(call)) => {
                let (settle, settled) = oneshot::channel();
                self.waits.insert(call, settle);
                Some(settled)
            }
            _ => None,
        };
        Ok(Answer { accepted, pages: self.feed.pages(), wait })
    }

    async fn timeout(&mut self) {
        let now = self.world.clock.now();
        let Some(chat) = self.chat.as_mut() else { return };
        chat.handle_timeout(now);
        if let Err(refusal) = self.carry_out().await {
            tracing::error!(chat = %self.id, error = %refusal, "timeout not carried out");
        }
    }

    /// The chat, read from disk if it is not in memory.
    async fn loaded(&mut self, now: Now) -> Result<&mut Chat, Refusal> {
        if self.chat.is_none() {
            let snapshot = self.world.store.load(self.id.clone()).await.map_err(|e| storage(&e))?;
            let mut chat = Chat::restore(snapshot, self.world.settings.now(), rand::random(), now);
            let given_back: Vec<Write> =
                std::iter::from_fn(|| chat.poll_effect()).filter_map(written).collect();
            if !given_back.is_empty() {
                self.world
                    .store
                    .commit(self.id.clone(), given_back)
                    .await
                    .map_err(|e| storage(&e))?;
            }
            self.chat = Some(chat);
        }
        self.chat.as_mut().ok_or_else(gone)
    }

    /// A page may have looked at the copy before it was one: it is told of the cards.
    async fn reload(&mut self) -> Result<(), Refusal> {
        let now = self.world.clock.now();
        if let Some(agent) = self.chat.take().map(|chat| chat.agent()) {
            self.input(Input::Agent(agent)).await?;
        }
        let shown: Vec<CardView> = self.loaded(now).await?.cards(now).collect();
        for view in shown {
            self.feed.publish(PageEvent::Shown(Box::new(view)));
        }
        Ok(())
    }

    /// Writes, then tells the world. When the write fails the chat is what it was before.
    async fn carry_out(&mut self) -> Result<(), Refusal> {
        let Some(chat) = self.chat.as_mut() else { return Ok(()) };
        let (mut writes, mut rest) = (Vec::new(), Vec::new());
        while let Some(effect) = chat.poll_effect() {
            match effect {
                Effect::Write(write) => writes.push(write),
                other => rest.push(other),
            }
        }
        if !writes.is_empty()
            && let Err(error) = self.world.store.commit(self.id.clone(), writes).await
        {
            tracing::error!(chat = %self.id, %error, "write failed");
            chat.undo();
            return Err(storage(&error));
        }
        chat.keep();
        for effect in rest {
            self.tell(effect);
        }
        Ok(())
    }

    fn tell(&mut self, effect: Effect) {
        match effect {
            Effect::Write(_) => {}
            Effect::Settle(settled) => {
                if let Some(answer) = self.waits.remove(&settled.call) {
                    let _ = answer.send((settled, self.feed.pages()));
                }
            }
            // Hints may be lost: a full queue loses this one, and it is given again.
            Effect::Hint(at) => drop(self.world.hints.try_send((self.id.clone(), at))),
            Effect::Page(event) => self.tell_pages(event),
        }
    }

    fn tell_pages(&mut self, event: PageEvent) {
        self.feed.publish(event);
    }
}

async fn sleep_until(at: Option<tokio::time::Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

fn written(effect: Effect) -> Option<Write> {
    match effect {
        Effect::Write(write) => Some(write),
        _ => None,
    }
}

fn storage(error: &inline_ui_store::StoreError) -> Refusal {
    Refusal::Storage { why: error.to_string() }
}

fn gone() -> Refusal {
    Refusal::Storage { why: "the chat is not in memory".to_owned() }
}
