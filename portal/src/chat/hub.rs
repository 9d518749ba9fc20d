use super::feed::Subscription;
use super::item::{Item, Kind, Person};
use super::now;
use super::task::{ChatTask, Command, Said, Snapshot};
use crate::extension::Hosts;
use crate::model::Model;
use crate::store::{ChatEntry, Store, StoreError};
use portal_link::{Ready, TakeAt};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const LONGEST_FIRST_TITLE: usize = 60;
/// A chat that leaves memory just then is asked again this often.
const TRIES: usize = 5;

/// Why a chat did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChatError {
    #[error("there is no such chat")]
    Unknown,
    #[error("there is such a chat already")]
    Exists,
    #[error("the portal's database does not take it: {0}")]
    Store(#[from] StoreError),
    #[error("the chat does not answer")]
    Silent,
}

/// Every chat: the way to a chat's task, which is started when somebody needs it.
#[derive(Debug, Clone)]
pub(crate) struct Hub {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    store: Arc<Store>,
    hosts: Hosts,
    model: RwLock<Arc<dyn Model>>,
    chats: Mutex<HashMap<String, mpsc::Sender<Command>>>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl Hub {
    pub(crate) fn new(
        store: Arc<Store>,
        hosts: Hosts,
        model: Arc<dyn Model>,
        shutdown: CancellationToken,
    ) -> Self {
        let model = RwLock::new(model);
        let (chats, tasks) = (Mutex::default(), TaskTracker::new());
        Self { shared: Arc::new(Shared { store, hosts, model, chats, tasks, shutdown }) }
    }

    pub(crate) fn store(&self) -> &Store {
        &self.shared.store
    }

    pub(crate) fn hosts(&self) -> &Hosts {
        &self.shared.hosts
    }

    pub(crate) fn model(&self) -> Arc<dyn Model> {
        Arc::clone(&self.shared.model.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs that have begun keep the model they have.
    pub(crate) fn set_model(&self, model: Arc<dyn Model>) {
        *self.shared.model.write().unwrap_or_else(PoisonError::into_inner) = model;
    }

    pub(super) fn shutdown(&self) -> &CancellationToken {
        &self.shared.shutdown
    }

    /// Wakes the chats that a restart left work in.
    pub(crate) async fn resume(&self) -> Result<(), StoreError> {
        for chat in self.store().unfinished_chats().await? {
            if let Err(error) = self.open(&chat).await {
                tracing::error!(%error, "chat not resumed");
            }
        }
        Ok(())
    }

    /// Resolves once every chat has put its affairs in order, after the token was cancelled.
    pub(crate) async fn stopped(&self) {
        self.shared.tasks.close();
        self.shared.tasks.wait().await;
    }

    /// Follows the hints of the extensions.
    pub(crate) async fn follow(&self, mut hints: mpsc::Receiver<Ready>) {
        while let Some(hint) = hints.recv().await {
            match hint.at {
                TakeAt::Wake => {
                    if let Ok(chat) = self.open(&hint.chat).await {
                        let _ = chat.try_send(Command::Wake);
                    }
                }
                TakeAt::Step => {
                    let chat = self.chats().get(&hint.chat).cloned();
                    if let Some(chat) = chat {
                        let _ = chat.try_send(Command::Ready);
                    }
                }
                // The next message takes anyway.
                TakeAt::Prompt => {}
            }
        }
    }

    /// A chat with its first message, which is queued for the task that will own it.
    pub(crate) async fn create(&self, text: String) -> Result<String, ChatError> {
        self.create_as(uuid::Uuid::now_v7().to_string(), text).await
    }

    pub(crate) async fn create_as(&self, id: String, text: String) -> Result<String, ChatError> {
        let at = now();
        let title = first_title(&text);
        let first = Item { id: 1, at, kind: Kind::Person(Person { text, queued: true }) };
        let row = first.to_row(None).map_err(|e| StoreError::Failed(e.to_string()))?;
        let entry = ChatEntry { id: id.clone(), title, at };
        if !self.store().create_chat(entry, vec![row]).await? {
            return Err(ChatError::Exists);
        }
        self.open(&id).await?;
        Ok(id)
    }

    pub(crate) async fn snapshot(&self, chat: &str) -> Result<Snapshot, ChatError> {
        self.ask(chat, Command::Snapshot).await
    }

    pub(crate) async fn subscribe(
        &self,
        chat: &str,
        after: Option<&str>,
    ) -> Result<Subscription, ChatError> {
        self.ask(chat, |answer| Command::Subscribe(after.map(str::to_owned), answer)).await
    }

    pub(crate) async fn say(&self, chat: &str, text: &str) -> Result<Said, ChatError> {
        self.ask(chat, |answer| Command::Say(text.to_owned(), answer)).await?
    }

    pub(crate) async fn stop(&self, chat: &str) -> Result<(), ChatError> {
        self.ask(chat, Command::Stop).await?
    }

    pub(crate) async fn rename(&self, chat: &str, title: &str) -> Result<(), ChatError> {
        self.ask(chat, |answer| Command::Rename(title.to_owned(), answer)).await?
    }

    pub(crate) async fn fork(&self, chat: &str) -> Result<String, ChatError> {
        self.ask(chat, Command::Fork).await?
    }

    pub(crate) async fn delete(&self, chat: &str) -> Result<(), ChatError> {
        self.ask(chat, Command::Delete).await?
    }

    async fn ask<T>(
        &self,
        chat: &str,
        command: impl Fn(oneshot::Sender<T>) -> Command,
    ) -> Result<T, ChatError> {
        for _ in 0..TRIES {
            let inbox = self.open(chat).await?;
            let (answer, answered) = oneshot::channel();
            if inbox.send(command(answer)).await.is_ok()
                && let Ok(answered) = answered.await
            {
                return Ok(answered);
            }
            tokio::task::yield_now().await;
        }
        Err(ChatError::Silent)
    }

    /// The way to the chat's task, which reads the chat before it reads its inbox.
    async fn open(&self, chat: &str) -> Result<mpsc::Sender<Command>, ChatError> {
        if let Some(inbox) = self.chats().get(chat) {
            return Ok(inbox.clone());
        }
        if !self.store().has_chat(chat.to_owned()).await? {
            return Err(ChatError::Unknown);
        }
        let mut chats = self.chats();
        if let Some(inbox) = chats.get(chat) {
            return Ok(inbox.clone());
        }
        let (sender, inbox) = mpsc::channel(64);
        chats.insert(chat.to_owned(), sender.clone());
        self.shared.tasks.spawn(self.clone().live(chat.to_owned(), sender.clone(), inbox));
        Ok(sender)
    }

    async fn live(self, chat: String, way: mpsc::Sender<Command>, inbox: mpsc::Receiver<Command>) {
        match self.store().load_chat(chat.clone()).await {
            Ok(Some(loaded)) => {
                ChatTask::new(self.clone(), chat.clone(), &loaded)
                    .live(inbox, loaded.working)
                    .await;
            }
            Ok(None) => {}
            Err(error) => tracing::error!(%error, "chat not loaded"),
        }
        // Another task may own the chat by now.
        let mut chats = self.chats();
        if chats.get(&chat).is_some_and(|it| it.same_channel(&way)) {
            chats.remove(&chat);
        }
    }

    /// Takes a chat that has nothing to do out of memory, unless somebody has just asked for it.
    pub(super) fn forget(&self, chat: &str, inbox: &mpsc::Receiver<Command>) -> bool {
        let mut chats = self.chats();
        if !inbox.is_empty() {
            return false;
        }
        chats.remove(chat);
        true
    }

    pub(super) fn remove(&self, chat: &str) {
        self.chats().remove(chat);
    }

    fn chats(&self) -> MutexGuard<'_, HashMap<String, mpsc::Sender<Command>>> {
        self.shared.chats.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first line of what the person said, cut at a word.
fn first_title(text: &str) -> String {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("New chat");
    if line.chars().count() <= LONGEST_FIRST_TITLE {
        return line.to_owned();
    }
    let cut: String = line.chars().take(LONGEST_FIRST_TITLE).collect();
    let cut = cut.rsplit_once(' ').map_or(cut.as_str(), |(head, _)| head).to_owned();
    format!("{cut}…")
}
