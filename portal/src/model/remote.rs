use super::failure::{self, Asked, Failure, Progress};
use super::{Model, Provider, Turn, TurnRequest, Wanted, messages};
use crate::trust::trust;
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use genai::chat::{
    ChatOptions, ChatRequest, ChatStreamEvent, ReasoningEffort, StopReason, StreamEnd, ToolCall,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{Client, Headers, ModelIden, ServiceTarget};
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::future::ready;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

/// A server on a slow machine reads a long chat for minutes before it says the first word.
pub(super) const SILENCE: Duration = Duration::from_mins(10);
const CONNECT_PATIENCE: Duration = Duration::from_secs(15);
/// A busy provider is asked once more after each of these, each twice as long as the one before.
const TRIES_AGAIN: u32 = 5;
pub(super) const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// A provider that wants to be left alone for longer is not waited for.
const LONGEST_PAUSE: Duration = Duration::from_mins(1);

/// A model over the network.
#[derive(Debug)]
pub(super) struct Remote {
    name: String,
    asked: Asked,
    client: Client,
    first_pause: Duration,
}

impl Remote {
    /// Fails, in words, where there can be no TLS.
    pub(super) fn new(asked: Asked, first_pause: Duration) -> Result<Self, String> {
        let name = format!("{}:{}", asked.provider.name(), asked.model);
        let http = reqwest::Client::builder()
            .connect_timeout(CONNECT_PATIENCE)
            // Whom a redirect names would get the key.
            .redirect(reqwest::redirect::Policy::none())
            .tls_backend_preconfigured(trust().map_err(|error| error.to_string())?);
        let http = if asked.door.loopback { http.no_proxy() } else { http };
        let http = http.build().map_err(|error| error.without_url().to_string())?;
        let client = Client::builder().with_reqwest(http).build().map_err(|it| it.to_string())?;
        Ok(Self { name, asked, client, first_pause })
    }
}

impl Model for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    fn turn(&self, request: TurnRequest) -> BoxStream<'static, Turn> {
        let (say, said) = mpsc::channel(16);
        let (asked, client) = (self.asked.clone(), self.client.clone());
        let turn = Asking { asked, client, first_pause: self.first_pause, say };
        let turn = turn.go(messages::request(request));
        // The request lives in the stream, so that it ends at once when the stream is dropped.
        let turn = stream::once(turn).filter_map(|()| ready(None));
        stream::select(ReceiverStream::new(said), turn).boxed()
    }
}

/// One turn.
struct Asking {
    asked: Asked,
    client: Client,
    first_pause: Duration,
    say: mpsc::Sender<Turn>,
}

impl Asking {
    async fn go(self, request: ChatRequest) {
        let mut pause = self.first_pause;
        for _ in 0..TRIES_AGAIN {
            let wait = match self.ask(request.clone()).await {
                Ok(()) => return,
                Err(Failure::Final(why)) => return self.say(Turn::Failed(why)).await,
                Err(Failure::Busy { wait }) => wait.unwrap_or_default().max(pause),
            };
            pause *= 2;
            let seconds = wait.as_millis().div_ceil(1000);
            if wait > LONGEST_PAUSE {
                let why = format!(
                    "The model is busy and wants to be left alone for {seconds} s. Send a message then."
                );
                return self.say(Turn::Failed(why)).await;
            }
            let line = format!("The model is busy, trying again in {seconds} s.");
            self.say(Turn::Notice(line)).await;
            tokio::time::sleep(wait).await;
        }
        match self.ask(request).await {
            Ok(()) => {}
            Err(Failure::Final(why)) => self.say(Turn::Failed(why)).await,
            Err(Failure::Busy { .. }) => {
                let tries = TRIES_AGAIN + 1;
                let why = format!(
                    "The model is busy and did not answer after {tries} tries. Send a message to try again."
                );
                self.say(Turn::Failed(why)).await;
            }
        }
    }

    async fn ask(&self, request: ChatRequest) -> Result<(), Failure> {
        let asked = &self.asked;
        let mut progress = Progress::default();
        let options = options(asked.provider);
        let answer = self.client.exec_chat_stream(target(asked), request, Some(&options)).await;
        let mut answer = answer.map_err(|error| asked.failure(&error, progress))?.stream;
        let mut written = HashMap::new();
        while let Some(event) = answer.next().await {
            match event.map_err(|error| asked.failure(&error, progress))? {
                ChatStreamEvent::Chunk(chunk) => {
                    progress.begun = true;
                    self.say(Turn::Text(chunk.content)).await;
                }
                ChatStreamEvent::ToolCallChunk(chunk) => {
                    (progress.begun, progress.calling) = (true, true);
                    if let Value::String(so_far) = chunk.tool_call.fn_arguments {
                        written.insert(chunk.tool_call.call_id, so_far);
                    }
                }
                // Gemini's streams have no end of their own but the reason in their last piece.
                ChatStreamEvent::End(end) if is_cut(asked, &end) => break,
                ChatStreamEvent::End(end) => {
                    self.end(end, &written, progress).await;
                    return Ok(());
                }
                ChatStreamEvent::Start
                | ChatStreamEvent::ReasoningChunk(_)
                | ChatStreamEvent::ThoughtSignatureChunk(_)
                | ChatStreamEvent::Heartbeat => {}
            }
        }
        Err(failure::broke_off(progress))
    }

    async fn end(&self, end: StreamEnd, written: &HashMap<String, String>, progress: Progress) {
        let reason = end.captured_stop_reason.clone();
        let calls = end.captured_into_tool_calls().unwrap_or_default();
        let line = match reason {
            Some(StopReason::MaxTokens(_)) => {
                "The model's answer was cut off at its longest length."
            }
            Some(StopReason::ContentFilter(_)) => "The provider's filter ended the model's answer.",
            _ if calls.is_empty() && !progress.begun => "The model answered with nothing.",
            _ => "",
        };
        for call in calls {
            let wanted = wanted(call, written);
            self.say(Turn::Call(wanted)).await;
        }
        if !line.is_empty() {
            self.say(Turn::Notice(line.to_owned())).await;
        }
    }

    /// Nobody hears it when the turn was given up.
    async fn say(&self, turn: Turn) {
        let _ = self.say.send(turn).await;
    }
}

fn target(asked: &Asked) -> ServiceTarget {
    let address = asked.door.address.as_str();
    let auth = if let Some(key) = &asked.door.key {
        AuthData::from_single(key.as_str())
    } else {
        // The library would ask for a key, and a server of one's own may want none.
        let url = asked.door.at("chat/completions");
        AuthData::RequestOverride { url, headers: Headers::default() }
    };
    ServiceTarget {
        endpoint: Endpoint::from_owned(address),
        auth,
        model: ModelIden::new(asked.provider.adapter(), asked.model.as_str()),
    }
}

fn is_cut(asked: &Asked, end: &StreamEnd) -> bool {
    asked.provider == Provider::Gemini && end.captured_stop_reason.is_none()
}

fn options(provider: Provider) -> ChatOptions {
    let options = ChatOptions::default()
        .with_capture_tool_calls(true)
        .with_stream_header_timeout(SILENCE)
        .with_stream_read_timeout(SILENCE);
    match provider {
        // Otherwise the end of a name like `qwen-max` is taken for an effort and cut off. This effort
        // is written nowhere.
        Provider::OpenAi => options.with_reasoning_effort(ReasoningEffort::Budget(0)),
        Provider::Anthropic | Provider::Gemini => options,
    }
}

fn wanted(call: ToolCall, written: &HashMap<String, String>) -> Wanted {
    let ToolCall { call_id, fn_name: name, fn_arguments, thought_signatures } = call;
    let signatures = thought_signatures.unwrap_or_default();
    let text = match (&fn_arguments, written.get(&call_id)) {
        // What is no JSON comes as the text it is.
        (Value::String(text), _) => text.clone(),
        // The very bytes, where two calls did not come under one id.
        (parsed, Some(text))
            if serde_json::from_str::<Value>(text).is_ok_and(|it| it == *parsed) =>
        {
            text.clone()
        }
        (parsed, _) => parsed.to_string(),
    };
    let text = if text.trim().is_empty() { "{}".to_owned() } else { text };
    match RawValue::from_string(text) {
        Ok(arguments) => Wanted { name, arguments, unreadable: None, signatures },
        Err(error) => unreadable(name, &fn_arguments, &error, signatures),
    }
}

fn unreadable(
    name: String,
    written: &Value,
    error: &serde_json::Error,
    signatures: Vec<String>,
) -> Wanted {
    let why = format!(
        "The arguments are not JSON ({error}), so {name} was not called. Call it again with one JSON \
         object."
    );
    let arguments = serde_json::value::to_raw_value(written).unwrap_or_default();
    Wanted { name, arguments, unreadable: Some(why), signatures }
}
