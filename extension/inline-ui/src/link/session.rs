use super::answer::{self, Told};
use super::calls::OpenCalls;
use super::site::site;
use super::{Process, Serving};
use crate::server::Server;
use futures_util::{SinkExt, StreamExt};
use inline_ui_core::{
    Accepted, AgentState, CallId, ChatId, DeclaredEvent, Input, Message, Outcome, Refusal,
    Settings, TakeAt, tools,
};
use inline_ui_store::SqliteStore;
use portal_link::{
    CallParams, CallResult, Cancelled, ChatAgent, ChatDeleted, ChatForked, Endpoint, Incoming,
    Initialize, InitializeResult, LineCodec, MessageRef, OutboxMessage, PROTOCOL, Page, Peer,
    Ready, SettingsChanged, TakeParams, TakeResult, Tool, error_code, method, notification,
    response, response_error,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use tokio_util::codec::{FramedRead, FramedWrite};

/// Answers that wait for a slow portal. Past that the link is read no further until it reads.
const OUTGOING: usize = 256;
/// Calls and takes that are not answered yet, open questions aside. Past that, too, the link is read
/// no further: what a portal does not read piles up nowhere.
const UNDER_WAY: usize = 256;
/// Questions that may be open on one link. A further one is refused, and no card shown for it.
const QUESTIONS: usize = 4_096;
/// How long the last answers may take to a portal that asked for the end.
const LAST_ANSWERS: Duration = Duration::from_secs(5);
/// A take that was not done by then is answered with null, and what it finds later is taken back.
const TAKE_WITHIN: Duration = Duration::from_millis(250);

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The portal asked for the end of the process, and has its answer.
    Shutdown,
    /// The portal is gone.
    Closed,
    /// The process is to stop.
    Stopped,
}

/// A line that was refused: the code and the words.
type Refused = (i64, String);

/// Speaks with one portal until it is gone.
pub(crate) async fn serve(
    process: &mut Process,
    hints: &mut mpsc::Receiver<(ChatId, TakeAt)>,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> Ended {
    let mut lines = FramedRead::new(input, LineCodec::default());
    let (out, mut outgoing) = mpsc::channel::<String>(OUTGOING);
    let writer = tokio::spawn(async move {
        let mut sink = FramedWrite::new(output, LineCodec::default());
        while let Some(line) = outgoing.recv().await {
            if sink.feed(line).await.is_err() {
                return;
            }
            // Several answers at once are one write.
            if outgoing.is_empty() && sink.flush().await.is_err() {
                return;
            }
        }
    });
    let stop = process.stop.clone();
    let mut session = Session {
        process,
        serving: None,
        calls: OpenCalls::default(),
        out,
        under_way: Arc::new(Semaphore::new(UNDER_WAY)),
        questions: Arc::new(Semaphore::new(QUESTIONS)),
    };
    let ended = loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => break Ended::Stopped,
            line = lines.next() => match line {
                None => break Ended::Closed,
                Some(Err(error)) => {
                    tracing::warn!(%error, "link broke");
                    break Ended::Closed;
                }
                Some(Ok(Err(too_long))) => session.refuse(&Value::Null, error_code::PARSE, &too_long.to_string()).await,
                // A portal that does not read may hold a line up, and must not hold up the end.
                Some(Ok(Ok(line))) => tokio::select! {
                    biased;
                    () = stop.cancelled() => break Ended::Stopped,
                    ends = session.line(&line) => if ends { break Ended::Shutdown },
                },
            },
            Some((chat, at)) = hints.recv() => session.hint(&chat, at),
        }
    };
    if let Some(serving) = session.serving.take() {
        serving.server.tell_all(&Input::LinkClosed).await;
    }
    drop(session);
    if ended == Ended::Shutdown {
        let _ = tokio::time::timeout(LAST_ANSWERS, writer).await;
    }
    ended
}

struct Session<'a> {
    process: &'a mut Process,
    serving: Option<Serving>,
    calls: OpenCalls,
    out: mpsc::Sender<String>,
    under_way: Arc<Semaphore>,
    questions: Arc<Semaphore>,
}

impl Session<'_> {
    /// Takes one line. True when it asked for the end.
    async fn line(&mut self, line: &[u8]) -> bool {
        match Incoming::read(line) {
            Err(error) => self.refuse(&error.id, error.code, &error.message).await,
            Ok(Incoming::Response { .. }) => {}
            Ok(Incoming::Notification { method, params }) => {
                if let Err((_, why)) = self.notified(&method, &params).await {
                    tracing::warn!(%method, %why, "notification ignored");
                }
            }
            Ok(Incoming::Request { id, method, params }) => {
                if method == method::SHUTDOWN {
                    self.answer(&id, &Value::Null).await;
                    return true;
                }
                if let Err((code, why)) = self.requested(&id, &method, &params).await {
                    self.refuse(&id, code, &why).await;
                }
            }
        }
        false
    }

    async fn requested(
        &mut self,
        id: &Value,
        method: &str,
        params: &RawValue,
    ) -> Result<(), Refused> {
        match method {
            method::INITIALIZE => {
                let result = self.initialize(read(params)?).await?;
                self.answer(id, &result).await;
                // After the answer: what this hints at comes behind it.
                if let Some(serving) = &self.serving {
                    serving.server.tell_all(&Input::LinkOpened).await;
                }
                Ok(())
            }
            method::TOOLS_CALL => self.call(id, read(params)?).await,
            method::OUTBOX_TAKE => self.take(id, read(params)?).await,
            // A notification that was sent as a request has its effect, and null for an answer.
            other => {
                self.notified(other, params).await?;
                self.answer(id, &Value::Null).await;
                Ok(())
            }
        }
    }

    async fn notified(&mut self, method: &str, params: &RawValue) -> Result<(), Refused> {
        match method {
            method::CANCELLED => {
                let call = call_id(&read::<Cancelled>(params)?.call)?;
                if let Some(chat) = self.calls.chat(&call) {
                    self.server()?.submit(&chat, Input::Cancel(call)).await;
                }
            }
            method::CHAT_AGENT => {
                let ChatAgent { chat, state } = read(params)?;
                self.tell(&chat, Input::Agent(agent(state))).await?;
            }
            method::OUTBOX_DELIVERED => {
                let MessageRef { chat, id } = read(params)?;
                self.done(&chat, &id);
                self.tell(&chat, Input::Delivered(id)).await?;
            }
            method::OUTBOX_RETURNED => {
                let MessageRef { chat, id } = read(params)?;
                self.done(&chat, &id);
                self.tell(&chat, Input::Returned(id)).await?;
            }
            method::CHAT_DELETED => {
                let ChatDeleted { chat } = read(params)?;
                self.tell(&chat, Input::Delete).await?;
            }
            method::CHAT_FORKED => {
                let ChatForked { from, to } = read(params)?;
                let (from, to) = (chat_id(&from)?, chat_id(&to)?);
                let server = self.server()?;
                let told = |refusal: Refusal| (error_code::INTERNAL, refusal.to_string());
                server.handle(&from, Input::Fork(to.clone())).await.map_err(told)?;
                server.reload(&to).await.map_err(told)?;
            }
            method::SETTINGS_CHANGED => {
                let SettingsChanged { settings } = read(params)?;
                let settings = settings_of(&settings)?;
                let server = self.server()?;
                server.settings().set(settings);
                server.tell_all(&Input::Settings(settings)).await;
            }
            other => {
                return Err((error_code::METHOD_NOT_FOUND, format!("there is no method {other}")));
            }
        }
        Ok(())
    }

    async fn initialize(&mut self, given: Initialize) -> Result<InitializeResult, Refused> {
        let invalid = |why: String| (error_code::INVALID_PARAMS, why);
        if given.protocol != PROTOCOL {
            return Err(invalid(format!(
                "protocol {} is not spoken here; supported: [{PROTOCOL}]",
                given.protocol
            )));
        }
        if given.data_dir.is_empty() {
            return Err(invalid(
                "dataDir is empty; name a folder that is the extension's own".to_owned(),
            ));
        }
        let site = site(&given).map_err(invalid)?;
        let settings = settings_of(&given.settings)?;
        let serving = self.process.serving(PathBuf::from(given.data_dir)).await;
        let serving = serving.map_err(|error| (error_code::INTERNAL, error))?;
        serving.server.set_site(site);
        serving.server.settings().set(settings);
        serving.server.tell_all(&Input::Settings(settings)).await;
        tracing::info!(
            portal = given.portal.name,
            version = given.portal.version,
            "portal connected"
        );
        let result = InitializeResult {
            protocol: PROTOCOL,
            extension: Peer {
                name: "inline-ui".to_owned(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            },
            tools: tools::tools().into_iter().map(wire_tool).collect(),
            http: Endpoint {
                address: serving.address.clone(),
                token: serving.server.token.clone(),
            },
            page: Page { module: "page/host.js".to_owned(), element: "inline-ui-card".to_owned() },
            settings_schema: Settings::schema(),
        };
        self.serving = Some(serving);
        Ok(result)
    }

    async fn call(&mut self, id: &Value, given: CallParams) -> Result<(), Refused> {
        let server = self.server()?;
        let chat = chat_id(&given.chat)?;
        let call = call_id(&given.call)?;
        let anchor = given.anchor.as_deref().map_or_else(|| Ok(call.clone()), call_id)?;
        let mut room = self.room().await;
        let mut question = None;
        let mut told = Told::default();
        let mut redrawn = None;
        let input = match tools::read(&given.name, &given.arguments) {
            Err(refusal) => {
                metrics::counter!("inline_ui_calls_total", "outcome" => refusal.code())
                    .increment(1);
                self.answer(id, &answer::refused(&refusal)).await;
                return Ok(());
            }
            Ok(tools::ToolInput::Show(show, notes)) => {
                told = Told { notes, fallback: show.fallback.clone() };
                if show.wait.is_some() {
                    let Ok(free) = self.questions.clone().try_acquire_owned() else {
                        self.answer(id, &answer::too_many_questions(QUESTIONS)).await;
                        return Ok(());
                    };
                    question = Some(free);
                    self.calls.open(call.clone(), chat.clone());
                }
                Input::Show { call: call.clone(), anchor, show }
            }
            Ok(tools::ToolInput::Update(update, checked)) => {
                redrawn = checked;
                Input::Update(update)
            }
            Ok(tools::ToolInput::Close(card)) => Input::AgentCloses(card),
        };
        // Into the inbox here, so that lines of one chat take effect in order; the answer later.
        let answered = server.submit(&chat, input).await;
        let (id, out, calls) = (id.clone(), self.out.clone(), self.calls.clone());
        self.process.tasks.spawn(async move {
            let result = answered.await.unwrap_or_else(|_| Err(stopping()));
            let outcome = result.as_ref().map_or_else(Refusal::code, |_| "accepted");
            metrics::counter!("inline_ui_calls_total", "outcome" => outcome).increment(1);
            if let (Some(redrawn), Ok(answer)) = (redrawn, &result) {
                told.notes = redrawn.notes(&events_of(&server, &chat, &answer.accepted).await);
            }
            let (result, may_come_back) = answer_to(result, &told, &mut room).await;
            if may_come_back {
                calls.answered(call);
            } else {
                calls.forget(&call);
            }
            send(&out, &id, &result).await;
            drop((room, question));
        });
        Ok(())
    }

    async fn take(&mut self, id: &Value, given: TakeParams) -> Result<(), Refused> {
        let server = self.server()?;
        let chat = chat_id(&given.chat)?;
        let room = self.room().await;
        let mut taking = server.submit(&chat, Input::Take(take_at(given.at))).await;
        let (id, out) = (id.clone(), self.out.clone());
        self.process.tasks.spawn(async move {
            let message = match tokio::time::timeout(TAKE_WITHIN, &mut taking).await {
                Ok(Ok(Ok(taken))) => message_of(&taken.accepted),
                // Null would say that there is nothing, and that what was acknowledged before is kept.
                Ok(Ok(Err(refusal))) => {
                    let error = response_error(&id, error_code::INTERNAL, &refusal.to_string());
                    let _ = out.send(error).await;
                    return;
                }
                Ok(Err(_)) => None,
                Err(_) => {
                    send(&out, &id, &TakeResult { message: None }).await;
                    drop(room);
                    if let Ok(Ok(taken)) = taking.await
                        && let Some(message) = message_of(&taken.accepted)
                    {
                        server.submit(&chat, Input::Returned(message.id.clone())).await;
                    }
                    return;
                }
            };
            send(&out, &id, &TakeResult { message }).await;
            drop(room);
        });
        Ok(())
    }

    /// A place among what is under way, held until the answer is with the writer.
    async fn room(&self) -> Option<OwnedSemaphorePermit> {
        self.under_way.clone().acquire_owned().await.ok()
    }

    /// A call whose answer is settled one way or the other cannot be cancelled any more.
    fn done(&self, chat: &str, id: &str) {
        if let Ok(call) = CallId::parse(id)
            && self.calls.chat(&call).is_some_and(|of| of.as_str() == chat)
        {
            self.calls.forget(&call);
        }
    }

    async fn tell(&self, chat: &str, input: Input) -> Result<(), Refused> {
        self.server()?.submit(&chat_id(chat)?, input).await;
        Ok(())
    }

    fn server(&self) -> Result<Arc<Server<SqliteStore>>, Refused> {
        let first = || (error_code::NOT_READY, "send initialize first".to_owned());
        self.serving.as_ref().map(|serving| serving.server.clone()).ok_or_else(first)
    }

    fn hint(&self, chat: &ChatId, at: TakeAt) {
        let at = match at {
            TakeAt::Prompt => portal_link::TakeAt::Prompt,
            TakeAt::Step => portal_link::TakeAt::Step,
            TakeAt::Wake => portal_link::TakeAt::Wake,
        };
        let ready = Ready { chat: chat.as_str().to_owned(), at };
        if let Ok(line) = notification(method::OUTBOX_READY, &ready) {
            // A portal that does not read loses hints, never answers.
            let _ = self.out.try_send(line);
        }
    }

    async fn answer(&self, id: &Value, result: &impl serde::Serialize) {
        send(&self.out, id, result).await;
    }

    async fn refuse(&self, id: &Value, code: i64, message: &str) {
        let _ = self.out.send(response_error(id, code, message)).await;
    }
}

/// What the card that was changed declares: that is so from the call that showed it on.
async fn events_of(
    server: &Server<SqliteStore>,
    chat: &ChatId,
    accepted: &Accepted,
) -> Vec<DeclaredEvent> {
    let Accepted::Updated(card) = accepted else { return Vec::new() };
    let card = server.card(chat, *card).await.ok().flatten();
    card.map(|card| card.record.events).unwrap_or_default()
}

/// The answer, and whether it has an event that may still come back. A question that waits for a
/// person takes no room.
async fn answer_to(
    result: Result<crate::chat_task::Answer, Refusal>,
    told: &Told,
    room: &mut Option<OwnedSemaphorePermit>,
) -> (CallResult, bool) {
    let answer = match result {
        Err(refusal) => return (answer::refused(&refusal), false),
        Ok(answer) => answer,
    };
    match (answer.wait, &answer.accepted) {
        (Some(wait), Accepted::Shown { card, .. }) => {
            drop(room.take());
            match wait.await {
                Ok((settled, pages)) => {
                    let answered = matches!(settled.outcome, Outcome::Answered { .. });
                    (answer::settled(&settled, pages, told), answered)
                }
                Err(_) => (answer::stopped(*card, told), false),
            }
        }
        (wait, _) => (answer::accepted(&crate::chat_task::Answer { wait, ..answer }, told), false),
    }
}

async fn send(out: &mpsc::Sender<String>, id: &Value, result: &impl serde::Serialize) {
    match response(id, result) {
        Ok(line) => drop(out.send(line).await),
        Err(error) => {
            let _ = out.send(response_error(id, error_code::INTERNAL, &error.to_string())).await;
        }
    }
}

fn message_of(accepted: &Accepted) -> Option<Arc<OutboxMessage>> {
    let Accepted::Taken(Some(message)) = accepted else { return None };
    let Message { id, summary, text, details, .. } = &**message;
    Some(Arc::new(OutboxMessage {
        id: id.clone(),
        custom_type: inline_ui_core::CUSTOM_TYPE.to_owned(),
        summary: summary.clone(),
        text: text.clone(),
        details: serde_json::from_str(details).unwrap_or_default(),
    }))
}

fn wire_tool(tool: tools::Tool) -> Tool {
    Tool {
        name: tool.name.to_owned(),
        title: tool.title.to_owned(),
        description: tool.description.to_owned(),
        input_schema: tool.input_schema,
    }
}

fn agent(state: portal_link::AgentState) -> AgentState {
    match state {
        portal_link::AgentState::Idle => AgentState::Idle,
        portal_link::AgentState::Working => AgentState::Working,
        portal_link::AgentState::Gone => AgentState::Gone,
    }
}

fn take_at(at: portal_link::TakeAt) -> TakeAt {
    match at {
        portal_link::TakeAt::Prompt => TakeAt::Prompt,
        portal_link::TakeAt::Step => TakeAt::Step,
        portal_link::TakeAt::Wake => TakeAt::Wake,
    }
}

fn read<T: DeserializeOwned>(params: &RawValue) -> Result<T, Refused> {
    serde_json::from_str(params.get()).map_err(|error| {
        (error_code::INVALID_PARAMS, format!("the parameters do not fit: {error}"))
    })
}

fn chat_id(text: &str) -> Result<ChatId, Refused> {
    ChatId::parse(text).map_err(|refusal| (error_code::INVALID_PARAMS, refusal.to_string()))
}

fn call_id(text: &str) -> Result<CallId, Refused> {
    CallId::parse(text).map_err(|refusal| (error_code::INVALID_PARAMS, refusal.to_string()))
}

fn settings_of(value: &Value) -> Result<Settings, Refused> {
    Settings::read(value).map_err(|error| (error_code::INVALID_PARAMS, error.to_string()))
}

fn stopping() -> Refusal {
    Refusal::Storage { why: "the extension is stopping".to_owned() }
}
