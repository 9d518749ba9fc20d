//! The server half, as the link and the routes see it.

use crate::chat_task::{self, Answer, Ask, Clock, Listing, World};
use crate::feed::Subscription;
use crate::http::FrameKeys;
use crate::registry::Registry;
use crate::settings::SettingsWatch;
use inline_ui_core::{CardId, CardView, ChatId, Input, Refusal, Settings, TakeAt};
use inline_ui_store::{Document, Store, StoreError};
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Where the portal serves us, and who may ask.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Site {
    /// Without a slash at its end.
    pub(crate) base_path: String,
    pub(crate) origins: Vec<String>,
    pub(crate) frame_origin: Option<String>,
}

/// Everything a process serves one portal with.
#[derive(Debug)]
pub(crate) struct Server<S> {
    world: Arc<World<S>>,
    /// Names this process in what outlives it: the names of loads.
    pub(crate) boot: u64,
    /// What every request but a frame's must bear.
    pub(crate) token: String,
    pub(crate) frames: FrameKeys,
    /// Ends every stream.
    pub(crate) stop: CancellationToken,
    // Read and replaced whole, never held across an await.
    site: RwLock<Arc<Site>>,
}

impl<S: Store> Server<S> {
    pub(crate) fn new(
        store: S,
        hints: mpsc::Sender<(ChatId, TakeAt)>,
        clock: Clock,
        stop: CancellationToken,
    ) -> Self {
        let world = World {
            store,
            registry: Registry::default(),
            settings: SettingsWatch::new(Settings::default()),
            hints,
            clock,
            stop: stop.clone(),
        };
        Self {
            world: Arc::new(world),
            boot: rand::random(),
            token: format!("{:032x}{:032x}", rand::random::<u128>(), rand::random::<u128>()),
            frames: FrameKeys::default(),
            stop,
            site: RwLock::default(),
        }
    }

    pub(crate) fn site(&self) -> Arc<Site> {
        self.site.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn set_site(&self, site: Site) {
        *self.site.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(site);
    }

    pub(crate) fn settings(&self) -> &SettingsWatch {
        &self.world.settings
    }

    /// Puts an input into the chat's inbox. The answer comes when it was taken and written.
    pub(crate) async fn submit(
        &self,
        chat: &ChatId,
        input: Input,
    ) -> oneshot::Receiver<Result<Answer, Refusal>> {
        let (answer, answered) = oneshot::channel();
        self.ask(chat, Ask::Input(Box::new(input), answer)).await;
        answered
    }

    pub(crate) async fn handle(&self, chat: &ChatId, input: Input) -> Result<Answer, Refusal> {
        self.submit(chat, input).await.await.unwrap_or_else(|_| Err(stopping()))
    }

    pub(crate) async fn cards(&self, chat: &ChatId) -> Result<Listing, Refusal> {
        let (answer, answered) = oneshot::channel();
        self.ask(chat, Ask::List(answer)).await;
        answered.await.unwrap_or_else(|_| Err(stopping()))
    }

    pub(crate) async fn card(
        &self,
        chat: &ChatId,
        card: CardId,
    ) -> Result<Option<CardView>, Refusal> {
        let (answer, answered) = oneshot::channel();
        self.ask(chat, Ask::Card(card, answer)).await;
        answered.await.unwrap_or_else(|_| Err(stopping()))
    }

    pub(crate) async fn reload(&self, chat: &ChatId) -> Result<(), Refusal> {
        let (answer, answered) = oneshot::channel();
        self.ask(chat, Ask::Reload(answer)).await;
        answered.await.unwrap_or_else(|_| Err(stopping()))
    }

    pub(crate) async fn subscribe(
        &self,
        chat: &ChatId,
        after: Option<String>,
    ) -> Option<Subscription> {
        let (answer, answered) = oneshot::channel();
        self.ask(chat, Ask::Subscribe(after, answer)).await;
        answered.await.ok()
    }

    pub(crate) async fn document(
        &self,
        chat: &ChatId,
        card: CardId,
    ) -> Result<Option<Document>, StoreError> {
        self.world.store.document(chat.clone(), card).await
    }

    /// Tells every chat in memory, and those whose outbox may start a turn.
    pub(crate) async fn tell_all(&self, input: &Input) {
        let mut chats = self.world.registry.chats();
        if matches!(input, Input::LinkOpened) {
            match self.world.store.waking().await {
                Ok(waking) => chats.extend(waking),
                Err(error) => tracing::error!(%error, "waking chats not read"),
            }
            chats.sort();
            chats.dedup();
        }
        let mut answers = Vec::new();
        for chat in chats {
            answers.push(self.submit(&chat, input.clone()).await);
        }
        for answer in answers {
            if let Ok(Err(refusal)) = answer.await {
                tracing::error!(error = %refusal, "a chat did not take an input for all");
            }
        }
    }

    #[cfg(test)]
    pub(crate) fn in_memory(&self) -> Vec<ChatId> {
        self.world.registry.chats()
    }

    async fn ask(&self, chat: &ChatId, ask: Ask) {
        self.world
            .registry
            .ask(chat, ask, || chat_task::spawn(chat.clone(), self.world.clone()))
            .await;
    }
}

fn stopping() -> Refusal {
    Refusal::Storage { why: "the extension is stopping".to_owned() }
}
