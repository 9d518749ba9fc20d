use super::item::{CallAnswer, CallStatus, Item, Level};
use crate::extension::gateway::{self, Through};
use crate::extension::{Hosts, LinkError, Offer, Take, Taken, Takes};
use crate::model::{Model, Turn, TurnRequest, Wanted};
use crate::store::StoreError;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use portal_link::{CallParams, CallResult, Content, TakeAt};
use serde_json::value::RawValue;
use std::sync::Arc;
use tokio::sync::{mpsc, oneshot};

/// What a run tells the task that owns the chat. Where there is a `done`, the run goes on once the
/// item is on disk.
#[derive(Debug)]
pub(super) enum Report {
    /// What the model is to read.
    Context {
        done: oneshot::Sender<Vec<Arc<Item>>>,
    },
    /// Text to append to the answer that is being written.
    Text(String),
    /// That answer is complete.
    TextEnded {
        done: Done<()>,
    },
    /// A call, maybe in the same turn as the one before it; the run gets its id.
    Call {
        wanted: Wanted,
        beside: bool,
        done: Done<String>,
    },
    CallEnded {
        call: String,
        status: CallStatus,
        answer: CallAnswer,
        done: Done<()>,
    },
    /// A message of the outbox; whether it was new.
    Message {
        offer: Offer,
        with_prompt: bool,
        done: Done<bool>,
    },
    Notice {
        level: Level,
        text: String,
    },
    /// The agent is to be let go after the run.
    LetGo,
}

type Done<T> = oneshot::Sender<Result<T, StoreError>>;

/// Why a run ended early. Its owner knows the rest.
#[derive(Debug, thiserror::Error)]
pub(super) enum Broken {
    #[error("the chat's task is gone")]
    Orphaned,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// One run: takes what the outbox has, then turns of the model with their tool calls, until there is
/// nothing left to answer. Aborting its task stops it; whatever it held goes back by itself.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) chat: String,
    pub(super) hosts: Hosts,
    pub(super) takes: Takes,
    pub(super) model: Arc<dyn Model>,
    pub(super) reports: mpsc::Sender<Report>,
}

#[derive(Debug, Default)]
struct TurnEnd {
    calls: Vec<(String, Wanted)>,
    more: bool,
    failed: bool,
}

/// What a run answers.
#[derive(Debug)]
pub(super) enum Begun {
    /// A person's message. `under_way` is a take that was already asked for.
    Asked { under_way: Option<Take> },
    /// A message of the outbox, which the transcript has.
    Woken,
}

/// What takes brought, until one brought nothing.
#[derive(Debug, Default)]
struct Brought {
    news: bool,
    /// The last take was not answered.
    silent: bool,
}

impl Run {
    pub(super) async fn go(self, begun: Begun) -> Result<(), Broken> {
        let with_prompt = matches!(begun, Begun::Asked { .. });
        let answers = match begun {
            Begun::Asked { under_way: Some(mut take) } => {
                self.keep(take.taken().await, with_prompt).await?.is_some()
            }
            Begun::Asked { under_way: None } | Begun::Woken => true,
        };
        if answers {
            self.take_all(TakeAt::Prompt, with_prompt).await?;
        }
        loop {
            let turn = self.turn().await?;
            if turn.failed {
                return Ok(());
            }
            let goes_on = turn.more || !turn.calls.is_empty();
            self.call_all(turn.calls).await?;
            let brought = self.take_all(TakeAt::Step, false).await?;
            if !goes_on && !brought.news && !self.missed(&brought).await? {
                return Ok(());
            }
        }
    }

    async fn take_all(&self, at: TakeAt, with_prompt: bool) -> Result<Brought, Broken> {
        let mut brought = Brought::default();
        while let Some(mut take) = self.takes.ask(at) {
            match self.keep(take.taken().await, with_prompt).await? {
                Some(Kept::New) => brought.news = true,
                Some(Kept::Known) => {}
                Some(Kept::Nothing) => return Ok(brought),
                None => break,
            }
        }
        brought.silent = true;
        Ok(brought)
    }

    /// A run does not end while a message that came late may still be on its way back.
    async fn missed(&self, last: &Brought) -> Result<bool, Broken> {
        if last.silent || !self.takes.may_have_missed().await {
            return Ok(false);
        }
        Ok(self.take_all(TakeAt::Step, false).await?.news)
    }

    /// `None` when the extension did not answer.
    async fn keep(&self, taken: Taken, with_prompt: bool) -> Result<Option<Kept>, Broken> {
        match taken {
            Taken::NoAnswer => Ok(None),
            Taken::Nothing => Ok(Some(Kept::Nothing)),
            Taken::Message(offer) => {
                let new = self.ask(|done| Report::Message { offer, with_prompt, done }).await?;
                Ok(Some(if new { Kept::New } else { Kept::Known }))
            }
        }
    }

    async fn turn(&self) -> Result<TurnEnd, Broken> {
        let (done, context) = oneshot::channel();
        self.tell(Report::Context { done }).await?;
        let context = context.await.map_err(|_| Broken::Orphaned)?;
        let mut stream = self.model.turn(TurnRequest { context, tools: self.hosts.tools() });
        let mut end = TurnEnd::default();
        let mut writing = false;
        while let Some(piece) = stream.next().await {
            if writing && !matches!(piece, Turn::Text(_)) {
                self.ask(|done| Report::TextEnded { done }).await?;
                writing = false;
            }
            match piece {
                Turn::Text(text) if text.is_empty() => {}
                Turn::Text(text) => {
                    writing = true;
                    self.tell(Report::Text(text)).await?;
                }
                Turn::Call(wanted) => {
                    let call = self.begin_call(wanted.clone(), !end.calls.is_empty()).await?;
                    end.calls.push((call, wanted));
                }
                Turn::More => end.more = true,
                Turn::LetGo => self.tell(Report::LetGo).await?,
                Turn::Notice(text) => {
                    self.tell(Report::Notice { level: Level::Info, text }).await?;
                }
                Turn::Failed(text) => {
                    end.failed = true;
                    self.tell(Report::Notice { level: Level::Error, text }).await?;
                }
            }
        }
        if writing {
            self.ask(|done| Report::TextEnded { done }).await?;
        }
        Ok(end)
    }

    async fn begin_call(&self, wanted: Wanted, beside: bool) -> Result<String, Broken> {
        self.ask(|done| Report::Call { wanted, beside, done }).await
    }

    async fn call_all(&self, calls: Vec<(String, Wanted)>) -> Result<(), Broken> {
        let mut running: FuturesUnordered<_> =
            calls.into_iter().map(|(call, wanted)| self.call(call, wanted)).collect();
        while let Some(ended) = running.next().await {
            ended?;
        }
        Ok(())
    }

    async fn call(&self, call: String, wanted: Wanted) -> Result<(), Broken> {
        let (status, answer) = match wanted.unreadable {
            Some(text) => (CallStatus::Failed, CallAnswer { text, structured: None }),
            None => read_result(self.carry_out(&call, wanted.name, wanted.arguments).await),
        };
        self.ask(|done| Report::CallEnded { call, status, answer, done }).await
    }

    async fn carry_out(
        &self,
        call: &str,
        name: String,
        arguments: Box<RawValue>,
    ) -> Result<CallResult, LinkError> {
        let (chat, link_id) = (self.chat.clone(), gateway::link_id(&name, call));
        match name.as_str() {
            gateway::FIND => Ok(gateway::find(&self.hosts.running(), &arguments)),
            gateway::CALL => match gateway::through(&self.hosts.running(), &arguments) {
                Err(refusal) => Ok(*refusal),
                Ok(Through { host, tool: name, arguments }) => {
                    let anchor = Some(call.to_owned());
                    let params = CallParams { chat, call: link_id, anchor, name, arguments };
                    self.hosts.call_in(&host, params).await
                }
            },
            _ => {
                let params = CallParams { chat, call: link_id, anchor: None, name, arguments };
                self.hosts.call(params).await
            }
        }
    }

    async fn ask<T>(&self, report: impl FnOnce(Done<T>) -> Report) -> Result<T, Broken> {
        let (done, answer) = oneshot::channel();
        self.tell(report(done)).await?;
        Ok(answer.await.map_err(|_| Broken::Orphaned)??)
    }

    async fn tell(&self, report: Report) -> Result<(), Broken> {
        self.reports.send(report).await.map_err(|_| Broken::Orphaned)
    }
}

enum Kept {
    New,
    Known,
    Nothing,
}

fn read_result(result: Result<CallResult, LinkError>) -> (CallStatus, CallAnswer) {
    match result {
        Ok(result) => {
            let texts: Vec<String> =
                result.content.into_iter().map(|Content::Text { text }| text).collect();
            let failed = result.is_error == Some(true);
            let status = if failed { CallStatus::Failed } else { CallStatus::Done };
            (status, CallAnswer { text: texts.join("\n"), structured: result.structured })
        }
        Err(error) => {
            (CallStatus::Failed, CallAnswer { text: error.to_string(), structured: None })
        }
    }
}
