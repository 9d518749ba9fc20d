use super::connection::LinkError;
use super::gateway;
use super::host::{Host, HostState, Profile};
use super::process::{Introduction, supervise};
use crate::config::ExtensionCommand;
use crate::store::{Owed, Store, StoreError};
use portal_link::{AgentState, CallParams, CallResult, Ready, Tool};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Calls whose extension is remembered, the newest.
const REMEMBERED_CALLS: usize = 4096;

/// What every extension is told of the portal.
#[derive(Debug, Clone)]
pub(crate) struct Surroundings {
    /// The folder with a folder for each extension's data.
    pub(crate) data: PathBuf,
    pub(crate) origins: Vec<String>,
    pub(crate) frame_origin: Option<String>,
    /// Where hints go.
    pub(crate) ready: mpsc::Sender<Ready>,
    /// Ends all of them.
    pub(crate) stop: CancellationToken,
}

/// The extensions that are to run. To a chat they are one: every tool of all of them, and everything
/// that one of them must hear said to each.
#[derive(Debug, Clone)]
pub(crate) struct Hosts {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    store: Arc<Store>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    members: Vec<Member>,
    /// The chats whose agent is not gone, for an extension that is started later.
    agents: BTreeMap<String, AgentState>,
    /// Whose a call is. The ids of calls are in the order of time.
    calls: BTreeMap<String, String>,
    /// Those that must hear of a chat that is gone or copied, also when they do not run.
    known: BTreeSet<String>,
}

#[derive(Debug)]
struct Member {
    host: Host,
    stop: CancellationToken,
    life: Option<JoinHandle<()>>,
}

impl Hosts {
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Self { shared: Arc::new(Shared { store, state: Mutex::default() }) }
    }

    /// Starts an extension and keeps it running. Each name runs once.
    pub(crate) async fn start(
        &self,
        profile: Profile,
        command: ExtensionCommand,
        around: &Surroundings,
    ) -> Result<Host, StoreError> {
        let name = profile.name.clone();
        let host = Host::new(profile, Arc::clone(&self.shared.store), Vec::new(), Vec::new());
        let stop = around.stop.child_token();
        self.join(host.clone(), stop.clone());
        // It is told of from here on, so nothing falls between what is read and what comes.
        let debts = async {
            let store = &self.shared.store;
            host.set_lazy(gateway::is_lazy(store, &name).await?);
            Ok((store.acks(name.clone()).await?, store.owed(name.clone()).await?))
        };
        match debts.await {
            Ok((acks, owed)) => host.owes(acks, owed),
            Err(error) => {
                self.leave(&name);
                return Err(error);
            }
        }
        let introduction = Introduction {
            data: around.data.join(&name),
            base: host.base(),
            origins: around.origins.clone(),
            frame_origin: around.frame_origin.clone(),
        };
        let store = Arc::clone(&self.shared.store);
        let ready = around.ready.clone();
        let life = supervise(host.clone(), store, command, introduction, ready, stop);
        let life = tokio::spawn(life);
        if let Some(member) = self.state().members.iter_mut().find(|it| it.host.is(&host)) {
            member.life = Some(life);
        }
        Ok(host)
    }

    /// Lets an extension end by itself, and waits until it has.
    pub(crate) async fn stop(&self, name: &str) {
        let Some(mut member) = self.leave(name) else { return };
        member.stop.cancel();
        if let Some(life) = member.life.take() {
            let _ = life.await;
        }
    }

    /// Stops all of them at the same time.
    pub(crate) async fn stop_all(&self) {
        let names: Vec<String> =
            self.running().iter().map(|host| host.profile().name.clone()).collect();
        futures_util::future::join_all(names.iter().map(|name| self.stop(name))).await;
    }

    /// Puts a host among them that somebody else keeps running.
    pub(crate) fn join(&self, host: Host, stop: CancellationToken) {
        let mut state = self.state();
        for (chat, agent) in &state.agents {
            host.agent(chat, *agent);
        }
        state.known.insert(host.profile().name.clone());
        state.members.push(Member { host, stop, life: None });
    }

    fn leave(&self, name: &str) -> Option<Member> {
        let members = &mut self.state().members;
        let at = members.iter().position(|it| it.host.profile().name == name)?;
        Some(members.remove(at))
    }

    /// In the order they were started.
    pub(crate) fn running(&self) -> Vec<Host> {
        self.state().members.iter().map(|it| it.host.clone()).collect()
    }

    pub(crate) fn named(&self, name: &str) -> Option<Host> {
        self.running().into_iter().find(|host| host.profile().name == name)
    }

    /// An extension that is installed hears of chats also when it does not run; one that is removed
    /// does not any more.
    pub(crate) fn knows(&self, name: &str, installed: bool) {
        let known = &mut self.state().known;
        if installed {
            known.insert(name.to_owned());
        } else {
            known.remove(name);
        }
    }

    /// Those that must be told of a chat that is gone or copied.
    pub(crate) fn known(&self) -> Vec<String> {
        self.state().known.iter().cloned().collect()
    }

    /// What a model is given.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        gateway::given(&self.running())
    }

    pub(crate) async fn call(&self, params: CallParams) -> Result<CallResult, LinkError> {
        let Some(host) = self.with_tool(&params.name) else {
            let text = format!("no extension that runs has a tool {:?}", params.name);
            return Err(LinkError::Refused(text));
        };
        self.call_in(&host, params).await
    }

    /// A call of that one's own tool, whatever others have under its name.
    pub(crate) async fn call_in(
        &self,
        host: &Host,
        params: CallParams,
    ) -> Result<CallResult, LinkError> {
        self.remember(&params.call, host);
        host.call(params).await
    }

    fn remember(&self, call: &str, host: &Host) {
        let calls = &mut self.state().calls;
        calls.insert(call.to_owned(), host.profile().name.clone());
        while calls.len() > REMEMBERED_CALLS {
            calls.pop_first();
        }
    }

    /// By what an extension says that it has, or while it starts by its manifest.
    fn with_tool(&self, name: &str) -> Option<Host> {
        let running = self.running();
        let has = |host: &&Host| host.tools().iter().any(|tool| tool.name == name);
        let promises = |host: &&Host| host.profile().tools.iter().any(|tool| tool.name == name);
        let found = running.iter().find(has).or_else(|| running.iter().find(promises));
        // One alone says in its own words that it has no such tool.
        let alone = if running.len() == 1 { running.first() } else { None };
        found.or(alone).cloned()
    }

    /// The extension that carried out a call.
    pub(crate) fn of_call(&self, call: &str) -> Option<String> {
        self.state().calls.get(call).cloned()
    }

    pub(crate) fn cancelled(&self, call: &str) {
        let of = self.of_call(call);
        for host in self.running() {
            if of.as_ref().is_none_or(|name| host.profile().name == *name) {
                host.cancelled(call);
            }
        }
    }

    /// The transcript has the answer of a wait on disk, with its acknowledgement in the same write.
    pub(crate) fn delivered(&self, extension: &str, chat: &str, id: &str) {
        if let Some(host) = self.named(extension) {
            host.delivered(chat, id);
        }
    }

    pub(crate) fn agent_of(&self, chat: &str) -> AgentState {
        self.state().agents.get(chat).copied().unwrap_or_default()
    }

    pub(crate) fn agent(&self, chat: &str, agent: AgentState) {
        let mut state = self.state();
        match agent {
            AgentState::Gone => state.agents.remove(chat),
            AgentState::Idle | AgentState::Working => state.agents.insert(chat.to_owned(), agent),
        };
        for member in &state.members {
            member.host.agent(chat, agent);
        }
    }

    /// Says what is on disk as owed, at once or when the extension is back.
    pub(crate) fn tell(&self, owed: Vec<Owed>) {
        for owed in owed {
            if let Some(host) = self.named(&owed.extension) {
                host.tell(owed);
            }
        }
    }

    /// What belongs to a chat that is no more.
    pub(crate) fn forget_chat(&self, chat: &str) {
        let mut state = self.state();
        state.agents.remove(chat);
        for member in &state.members {
            member.host.forget_chat(chat);
        }
    }

    /// Resolves once each has started, or has failed to for the first time.
    pub(crate) async fn settled(&self) {
        for host in self.running() {
            let _ = host.state().wait_for(|state| *state != HostState::Starting).await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
