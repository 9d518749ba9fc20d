use super::connection::{Connection, LinkError};
use super::settings::SettingsSchema;
use super::take::HostTakes;
use crate::store::{Owed, Store};
use portal_link::{
    AgentState, CallParams, CallResult, Cancelled, ChatAgent, Endpoint, InitializeResult,
    MessageRef, SettingsChanged, Tool, method,
};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// How long a tool call waits for an extension that is starting.
const START_PATIENCE: Duration = Duration::from_secs(5);
/// How long after a question that a slow extension did not look at the same is asked again.
const SETTLE_AGAIN: Duration = Duration::from_secs(1);

/// What the manifest says of an extension, before any of its code runs.
#[derive(Debug, Clone, serde::Deserialize)]
pub(crate) struct Profile {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) version: String,
    pub(crate) description: String,
    pub(crate) page: portal_link::Page,
    pub(crate) tools: Vec<ToolName>,
    pub(crate) settings: Value,
    #[serde(default)]
    pub(crate) asks: Value,
}

impl Profile {
    /// The name stands in addresses and in the file system.
    pub(crate) fn has_plain_name(&self) -> bool {
        crate::packages::is_name(&self.name)
    }
}

#[derive(Debug, Clone, serde::Deserialize, Serialize)]
pub(crate) struct ToolName {
    pub(crate) name: String,
    pub(crate) title: String,
}

/// Whether the extension runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostState {
    Starting,
    Running,
    /// Stopped or did not start; why, in words.
    Failed(String),
}

/// The extension, whether it runs at the moment or not.
#[derive(Debug, Clone)]
pub(crate) struct Host {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    profile: Profile,
    store: Arc<Store>,
    state: watch::Sender<HostState>,
    lazy: AtomicBool,
    link: Mutex<Link>,
}

/// Everything that must be the same for the extension after it was away.
#[derive(Debug, Default)]
struct Link {
    connection: Option<Arc<Connection>>,
    introduced: Option<Arc<InitializeResult>>,
    /// The chats whose agent is not gone.
    agents: BTreeMap<String, AgentState>,
    /// Acknowledgements the extension may not have, and whether this connection has carried them.
    acks: BTreeMap<String, BTreeMap<String, bool>>,
    /// What it must be told, and is not known to have heard.
    owed: Vec<Owed>,
}

impl Host {
    pub(crate) fn new(
        profile: Profile,
        store: Arc<Store>,
        acks: Vec<(String, String)>,
        owed: Vec<Owed>,
    ) -> Self {
        let mut link = Link { owed, ..Link::default() };
        for (chat, id) in acks {
            link.acks.entry(chat).or_default().insert(id, false);
        }
        let state = watch::Sender::new(HostState::Starting);
        let lazy = AtomicBool::new(false);
        Self { shared: Arc::new(Shared { profile, store, state, lazy, link: Mutex::new(link) }) }
    }

    /// What it is owed from before it was started. Something newer may have come already.
    pub(super) fn owes(&self, acks: Vec<(String, String)>, owed: Vec<Owed>) {
        let mut link = self.link();
        for (chat, id) in acks {
            link.acks.entry(chat).or_default().entry(id).or_insert(false);
        }
        let newer = std::mem::replace(&mut link.owed, owed);
        for owed in newer {
            if link.owed.iter().all(|it| it.n != owed.n) {
                link.owed.push(owed);
            }
        }
    }

    /// Whether it is the same life of the same extension.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.shared, &other.shared)
    }

    pub(crate) fn profile(&self) -> &Profile {
        &self.shared.profile
    }

    /// Where the portal serves the extension's routes.
    pub(crate) fn base(&self) -> String {
        format!("/ext/{}", self.shared.profile.name)
    }

    pub(crate) fn state(&self) -> watch::Receiver<HostState> {
        self.shared.state.subscribe()
    }

    pub(super) fn set_state(&self, state: HostState) {
        self.shared.state.send_replace(state);
    }

    /// A connection that has been introduced. What the extension missed is said first, in one go, so
    /// that nothing newer can come before it.
    pub(crate) fn connected(&self, connection: &Arc<Connection>, introduced: InitializeResult) {
        let mut link = self.link();
        let owed = link.owed.clone();
        for owed in &owed {
            say_owed(connection, owed);
        }
        for (chat, ids) in &mut link.acks {
            for (id, sent) in ids {
                say(connection, method::OUTBOX_DELIVERED, &reference(chat, id));
                *sent = true;
            }
        }
        for (chat, state) in &link.agents {
            say(connection, method::CHAT_AGENT, &ChatAgent { chat: chat.clone(), state: *state });
        }
        link.connection = Some(Arc::clone(connection));
        link.introduced = Some(Arc::new(introduced));
        drop(link);
        for owed in owed {
            tokio::spawn(self.clone().settle(owed, Arc::clone(connection)));
        }
        self.set_state(HostState::Running);
    }

    pub(crate) fn disconnected(&self, state: HostState) {
        let mut link = self.link();
        link.connection = None;
        for ids in link.acks.values_mut() {
            for sent in ids.values_mut() {
                *sent = false;
            }
        }
        drop(link);
        self.set_state(state);
    }

    pub(crate) fn endpoint(&self) -> Option<Endpoint> {
        let link = self.link();
        link.connection.as_ref()?;
        link.introduced.as_ref().map(|it| it.http.clone())
    }

    pub(crate) fn tools(&self) -> Vec<Tool> {
        self.link().introduced.as_ref().map(|it| it.tools.clone()).unwrap_or_default()
    }

    /// Whether it has that tool, or while it starts will have it, as its manifest says.
    pub(crate) fn promises(&self, tool: &str) -> bool {
        let tools = self.tools();
        if tools.is_empty() {
            return self.profile().tools.iter().any(|it| it.name == tool);
        }
        tools.iter().any(|it| it.name == tool)
    }

    /// Whether its tools are reached through the gateway and not given to the model.
    pub(crate) fn is_lazy(&self) -> bool {
        self.shared.lazy.load(Ordering::Relaxed)
    }

    pub(crate) fn set_lazy(&self, lazy: bool) {
        self.shared.lazy.store(lazy, Ordering::Relaxed);
    }

    pub(crate) fn settings_schema(&self) -> SettingsSchema {
        let introduced = self.link().introduced.clone();
        let schema = introduced.map(|it| it.settings_schema.clone());
        SettingsSchema::new(schema.unwrap_or_else(|| self.profile().settings.clone()))
    }

    pub(crate) fn agent(&self, chat: &str, state: AgentState) {
        let mut link = self.link();
        match state {
            AgentState::Gone => link.agents.remove(chat),
            AgentState::Idle | AgentState::Working => link.agents.insert(chat.to_owned(), state),
        };
        link.say(method::CHAT_AGENT, &ChatAgent { chat: chat.to_owned(), state });
    }

    pub(super) fn connection(&self) -> Option<Arc<Connection>> {
        self.link().connection.clone()
    }

    /// The transcript has it on disk, with its acknowledgement in the same write.
    pub(crate) fn delivered(&self, chat: &str, id: &str) {
        let mut link = self.link();
        let sent = link.say(method::OUTBOX_DELIVERED, &reference(chat, id));
        link.acks.entry(chat.to_owned()).or_default().insert(id.to_owned(), sent);
    }

    /// The acknowledgements of a chat that this connection has carried.
    pub(super) fn acks_sent(&self, chat: &str, connection: &Arc<Connection>) -> Vec<String> {
        let link = self.link();
        if !link.connection.as_ref().is_some_and(|it| Arc::ptr_eq(it, connection)) {
            return Vec::new();
        }
        let acks = link.acks.get(chat).into_iter().flatten();
        acks.filter(|(_, sent)| **sent).map(|(id, _)| id.clone()).collect()
    }

    pub(super) fn acks_arrived(&self, chat: &str, ids: Vec<String>) {
        if ids.is_empty() {
            return;
        }
        let mut link = self.link();
        if let Some(acks) = link.acks.get_mut(chat) {
            acks.retain(|id, _| !ids.contains(id));
            if acks.is_empty() {
                link.acks.remove(chat);
            }
        }
        drop(link);
        let (store, chat) = (Arc::clone(&self.shared.store), chat.to_owned());
        let extension = self.profile().name.clone();
        tokio::spawn(async move { store.confirm_acks(extension, chat, ids).await });
    }

    /// Waits a moment for an extension that is starting.
    pub(crate) async fn call(&self, params: CallParams) -> Result<CallResult, LinkError> {
        let mut state = self.state();
        let running = state.wait_for(|state| *state == HostState::Running);
        let _ = tokio::time::timeout(START_PATIENCE, running).await;
        let connection = self.connection().ok_or_else(|| self.away())?;
        connection.request(method::TOOLS_CALL, &params)?.await
    }

    fn away(&self) -> LinkError {
        LinkError::Away(match &*self.shared.state.borrow() {
            HostState::Failed(why) => why.clone(),
            HostState::Starting | HostState::Running => "it is starting".to_owned(),
        })
    }

    /// An extension that is away has forgotten the call already.
    pub(crate) fn cancelled(&self, call: &str) {
        self.link().say(method::CANCELLED, &Cancelled { call: call.to_owned() });
    }

    /// Says what is on disk as owed, at once or when the extension is back.
    pub(crate) fn tell(&self, owed: Owed) {
        let mut link = self.link();
        let connection = link.connection.clone();
        if let Some(connection) = &connection {
            say_owed(connection, &owed);
        }
        link.owed.push(owed.clone());
        drop(link);
        if let Some(connection) = connection {
            tokio::spawn(self.clone().settle(owed, connection));
        }
    }

    /// Forgets what a chat was told once a later answer about that chat shows that it was heard.
    async fn settle(self, owed: Owed, connection: Arc<Connection>) {
        let Some(chat) = owed.chat() else { return };
        let takes = HostTakes::new(self.clone(), chat);
        while !takes.seen(&connection).await {
            tokio::select! {
                () = connection.ended() => return,
                () = tokio::time::sleep(SETTLE_AGAIN) => {}
            }
        }
        self.link().owed.retain(|it| it.n != owed.n);
        if let Err(error) = self.shared.store.forget_owed(owed.n).await {
            tracing::error!(%error, "owed notification not forgotten");
        }
    }

    /// What belongs to a chat that is no more.
    pub(crate) fn forget_chat(&self, chat: &str) {
        let mut link = self.link();
        link.agents.remove(chat);
        link.acks.remove(chat);
    }

    /// An extension that is away gets the settings when it is introduced.
    pub(crate) fn settings_changed(&self, settings: Value) {
        self.link().say(method::SETTINGS_CHANGED, &SettingsChanged { settings });
    }

    fn link(&self) -> MutexGuard<'_, Link> {
        self.shared.link.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Link {
    /// Whether it left.
    fn say(&self, method: &str, params: &impl Serialize) -> bool {
        self.connection.as_ref().is_some_and(|it| it.notify(method, params).is_ok())
    }
}

fn say_owed(connection: &Connection, owed: &Owed) {
    match serde_json::from_str::<&RawValue>(&owed.params) {
        Ok(params) => say(connection, &owed.method, &params),
        Err(error) => tracing::error!(%error, "owed notification unreadable, left out"),
    }
}

fn say(connection: &Connection, method: &str, params: &impl Serialize) {
    if let Err(error) = connection.notify(method, params) {
        tracing::warn!(method, %error, "notification not sent");
    }
}

fn reference(chat: &str, id: &str) -> MessageRef {
    MessageRef { chat: chat.to_owned(), id: id.to_owned() }
}
