use super::feed::{Feed, Subscription};
use super::hub::{ChatError, Hub};
use super::item::{Call, CallStatus, Item, Kind, Level, Person};
use super::now;
use super::run::{Begun, Broken, Report, Run};
use super::transcript::Transcript;
use crate::extension::{Take, Taken, Takes};
use crate::model::Wanted;
use crate::store::{Change, Loaded, StoreError};
use portal_link::{AgentState, TakeAt};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// An agent nobody used for so long is let go.
pub(crate) const LET_GO_AFTER: Duration = Duration::from_mins(20);
/// A chat that has nothing to do leaves memory after this.
const UNLOAD_AFTER: Duration = Duration::from_mins(1);

/// What the task of a chat is asked. A caller whose answer never comes asks again: the task was
/// leaving memory.
#[derive(Debug)]
pub(super) enum Command {
    Snapshot(oneshot::Sender<Snapshot>),
    Subscribe(Option<String>, oneshot::Sender<Subscription>),
    Say(String, oneshot::Sender<Result<Said, ChatError>>),
    Stop(oneshot::Sender<Result<(), ChatError>>),
    Rename(String, oneshot::Sender<Result<(), ChatError>>),
    Fork(oneshot::Sender<Result<String, ChatError>>),
    Delete(oneshot::Sender<Result<(), ChatError>>),
    /// The extension says that a take at `wake` would find something.
    Wake,
    /// The same of a take at `step`.
    Ready,
}

/// A chat as a page first gets it.
#[derive(Debug)]
pub(crate) struct Snapshot {
    pub(crate) title: String,
    pub(crate) agent: AgentState,
    pub(crate) items: Vec<Arc<Item>>,
    pub(crate) after: String,
}

/// A person's message that is on disk.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) item: Arc<Item>,
    pub(crate) queued: bool,
}

#[derive(Debug)]
pub(super) struct Running {
    pub(super) reports: mpsc::Receiver<Report>,
    pub(super) task: JoinHandle<Result<(), Broken>>,
    pub(super) let_go: bool,
}

/// Owns one chat.
#[derive(Debug)]
pub(super) struct ChatTask {
    pub(super) hub: Hub,
    pub(super) id: String,
    pub(super) title: String,
    pub(super) agent: AgentState,
    pub(super) transcript: Transcript,
    pub(super) feed: Feed,
    pub(super) run: Option<Running>,
    takes: Takes,
    /// A take that may start a run.
    waking: Option<Take>,
    /// The assistant's item that is being written.
    pub(super) writing: Option<i64>,
    /// When what was written since is to be saved.
    pub(super) save_text_at: Option<Instant>,
    pub(super) used: Instant,
}

/// What woke the task.
enum Woken {
    Command(Option<Command>),
    Report(Option<Report>),
    Taken(Taken),
    SaveText,
    Idle,
    Shutdown,
}

impl ChatTask {
    pub(super) fn new(hub: Hub, id: String, loaded: &Loaded) -> Self {
        let takes = Takes::new(hub.hosts().clone(), id.clone());
        Self {
            hub,
            id,
            title: loaded.title.clone(),
            agent: AgentState::Gone,
            transcript: Transcript::load(loaded),
            feed: Feed::new(rand::random()),
            run: None,
            takes,
            waking: None,
            writing: None,
            save_text_at: None,
            used: Instant::now(),
        }
    }

    /// Runs until the chat leaves memory, is deleted, or the portal stops.
    pub(super) async fn live(mut self, mut inbox: mpsc::Receiver<Command>, broken_off: bool) {
        if broken_off {
            self.repair().await;
        }
        self.start_queued().await;
        loop {
            match self.next(&mut inbox).await {
                Woken::Command(None) => break,
                Woken::Command(Some(command)) => {
                    if self.obey(command).await.is_break() {
                        break;
                    }
                }
                Woken::Report(Some(report)) => self.hear(report).await,
                Woken::Report(None) => self.run_ended().await,
                Woken::Taken(taken) => self.woken(taken).await,
                Woken::SaveText => self.save_text().await,
                Woken::Idle if self.agent == AgentState::Idle => self.let_go(),
                Woken::Idle => {
                    if self.feed.watched() {
                        self.used = Instant::now();
                    } else if self.hub.forget(&self.id, &inbox) {
                        break;
                    }
                }
                Woken::Shutdown => {
                    self.stop("The portal was stopped while the agent worked.").await;
                    break;
                }
            }
        }
    }

    async fn next(&mut self, inbox: &mut mpsc::Receiver<Command>) -> Woken {
        let patience = if self.agent == AgentState::Idle { LET_GO_AFTER } else { UNLOAD_AFTER };
        let until = self.used + patience;
        let resting = self.run.is_none() && self.waking.is_none();
        let shutdown = self.hub.shutdown().clone();
        tokio::select! {
            command = inbox.recv() => Woken::Command(command),
            report = report(self.run.as_mut()) => Woken::Report(report),
            taken = taken(self.waking.as_mut()) => Woken::Taken(taken),
            () = due(self.save_text_at) => Woken::SaveText,
            () = tokio::time::sleep_until(until), if resting => Woken::Idle,
            () = shutdown.cancelled() => Woken::Shutdown,
        }
    }

    async fn obey(&mut self, command: Command) -> std::ops::ControlFlow<()> {
        match command {
            Command::Snapshot(answer) => {
                let _ = answer.send(self.snapshot());
            }
            Command::Subscribe(after, answer) => {
                let _ = answer.send(self.subscribe(after.as_deref()));
            }
            Command::Say(text, answer) => {
                let said = self.say(text).await;
                let _ = answer.send(said.map_err(ChatError::from));
            }
            Command::Stop(answer) => {
                self.stop("Stopped.").await;
                self.start_queued().await;
                let _ = answer.send(Ok(()));
            }
            Command::Rename(title, answer) => {
                let renamed = self.rename(title).await;
                let _ = answer.send(renamed.map_err(ChatError::from));
            }
            Command::Fork(answer) => {
                let _ = answer.send(self.fork().await.map_err(ChatError::from));
            }
            Command::Delete(answer) => {
                let deleted = self.delete().await;
                let gone = deleted.is_ok();
                let _ = answer.send(deleted.map_err(ChatError::from));
                if gone {
                    return std::ops::ControlFlow::Break(());
                }
            }
            Command::Wake => {
                if self.run.is_none() && self.waking.is_none() {
                    self.waking = self.takes.ask(TakeAt::Wake);
                }
            }
            Command::Ready => self.takes.hinted(),
        }
        std::ops::ControlFlow::Continue(())
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot {
            title: self.title.clone(),
            agent: self.agent,
            items: self.transcript.items().to_vec(),
            after: self.feed.position(),
        }
    }

    fn subscribe(&self, after: Option<&str>) -> Subscription {
        let writing = self
            .writing
            .and_then(|id| self.transcript.items().iter().rev().find(|item| item.id == id));
        self.feed.subscribe(after, writing.map(Arc::as_ref))
    }

    async fn say(&mut self, text: String) -> Result<Said, StoreError> {
        self.used = Instant::now();
        let queued = self.run.is_some();
        let at = now();
        let item = self.transcript.make(at, Kind::Person(Person { text, queued }));
        let working = (!queued).then_some(true);
        let change = Change { at: Some(at), working, ..Change::default() };
        let item = self.write(item, change).await?;
        if !queued {
            let under_way = self.waking.take();
            self.begin(Begun::Asked { under_way });
        }
        Ok(Said { item, queued })
    }

    /// Gives the next queued message its turn.
    pub(super) async fn start_queued(&mut self) {
        if self.run.is_some() {
            return;
        }
        let Some(item) = self.transcript.next_queued() else { return };
        let change = Change { working: Some(true), ..Change::default() };
        match self.write(item, change).await {
            Ok(_) => self.begin(Begun::Asked { under_way: None }),
            Err(error) => self.unkept(&error),
        }
    }

    /// Starts a run over what the transcript has.
    fn begin(&mut self, begun: Begun) {
        self.set_agent(AgentState::Working);
        let (reports, inbox) = mpsc::channel(64);
        let run = Run {
            chat: self.id.clone(),
            hosts: self.hub.hosts().clone(),
            takes: self.takes.clone(),
            model: self.hub.model(),
            reports,
        };
        let task = tokio::spawn(run.go(begun));
        self.run = Some(Running { reports: inbox, task, let_go: false });
    }

    async fn woken(&mut self, taken: Taken) {
        self.waking = None;
        let Taken::Message(offer) = taken else { return };
        match self.keep_message(offer, false, Some(true)).await {
            Ok(true) => self.begin(Begun::Woken),
            Ok(false) => {}
            Err(error) => self.unkept(&error),
        }
    }

    async fn hear(&mut self, report: Report) {
        match report {
            Report::Context { done } => {
                let _ = done.send(self.transcript.context());
            }
            Report::Text(text) => self.write_text(&text),
            Report::TextEnded { done } => {
                let _ = done.send(self.end_text().await);
            }
            Report::Call { wanted, beside, done } => {
                let call = uuid::Uuid::now_v7().simple().to_string();
                let item = self.transcript.make(now(), running(call.clone(), wanted, beside));
                let _ = done.send(self.write(item, Change::default()).await.map(|_| call));
            }
            Report::CallEnded { call, status, answer, done } => {
                let _ = done.send(self.end_call(&call, status, answer).await);
            }
            Report::Message { offer, with_prompt, done } => {
                let _ = done.send(self.keep_message(offer, with_prompt, None).await);
            }
            Report::Notice { level, text } => {
                let notice = self.transcript.notice(now(), level, &text);
                if let Err(error) = self.write(notice, Change::default()).await {
                    self.unkept(&error);
                }
            }
            Report::LetGo => {
                if let Some(run) = &mut self.run {
                    run.let_go = true;
                }
            }
        }
    }

    async fn run_ended(&mut self) {
        let Some(run) = self.run.take() else { return };
        self.used = Instant::now();
        let mut change = Change { working: Some(false), ..Change::default() };
        let rest = match run.task.await {
            Ok(Ok(())) => Vec::new(),
            Ok(Err(error)) => self.broke_off(&error.to_string()),
            Err(error) => self.broke_off(&error.to_string()),
        };
        if let Err(error) = self.write_all(rest, &mut change).await {
            self.unkept(&error);
        }
        if self.transcript.has_queued() {
            self.hub.hosts().agent(&self.id, AgentState::Idle);
            self.start_queued().await;
        }
        if self.run.is_none() {
            self.set_agent(AgentState::Idle);
            if run.let_go {
                self.let_go();
            }
        }
    }

    fn broke_off(&mut self, error: &str) -> Vec<Item> {
        tracing::error!(error, "run broke off");
        let why = format!("The run broke off: {error}. Send a message to go on.");
        self.loose_ends(&why, Level::Error)
    }

    fn let_go(&mut self) {
        self.used = Instant::now();
        self.set_agent(AgentState::Gone);
    }

    pub(super) fn set_agent(&mut self, agent: AgentState) {
        self.hub.hosts().agent(&self.id, agent);
        if self.agent != agent {
            self.agent = agent;
            self.feed.agent(agent);
        }
    }
}

fn running(call: String, wanted: Wanted, beside: bool) -> Kind {
    let Wanted { name, arguments, unreadable: _, signatures } = wanted;
    let (status, result) = (CallStatus::Running, None);
    Kind::Call(Call { call, name, arguments, status, result, beside, signatures })
}

async fn report(run: Option<&mut Running>) -> Option<Report> {
    match run {
        Some(run) => run.reports.recv().await,
        None => std::future::pending().await,
    }
}

async fn due(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}

async fn taken(take: Option<&mut Take>) -> Taken {
    match take {
        Some(take) => take.taken().await,
        None => std::future::pending().await,
    }
}
