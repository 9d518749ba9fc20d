//! A model's server that says what a test scripts.

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

const LEAVE: Duration = Duration::from_millis(30);

/// A part of an answer's body.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    Bytes(Bytes),
    /// The connection breaks.
    Breaks,
    /// Nothing comes any more.
    Hangs,
}

/// One scripted answer.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    parts: Vec<Part>,
}

impl Answer {
    /// A stream of these events, and its end.
    pub(crate) fn stream(events: &[Value]) -> Self {
        Self::unfinished(events).then(Part::Bytes("data: [DONE]\n\n".into()))
    }

    /// A stream of these events that simply stops.
    pub(crate) fn unfinished(events: &[Value]) -> Self {
        let part = |event: &Value| Part::Bytes(format!("data: {event}\n\n").into());
        let headers = vec![("content-type", "text/event-stream")];
        Self { status: 200, headers, parts: events.iter().map(part).collect() }
    }

    /// As it stands.
    pub(crate) fn raw(text: &str) -> Self {
        let headers = vec![("content-type", "text/event-stream")];
        Self { status: 200, headers, parts: vec![Part::Bytes(text.to_owned().into())] }
    }

    pub(crate) fn refusal(status: u16, message: &str) -> Self {
        let body = json!({ "error": { "message": message } }).to_string();
        let headers = vec![("content-type", "application/json")];
        Self { status, headers, parts: vec![Part::Bytes(body.into())] }
    }

    pub(crate) fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    pub(crate) fn then(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// The same bytes in pieces of that size.
    pub(crate) fn in_pieces_of(mut self, bytes: usize) -> Self {
        let whole: Vec<u8> = self.parts.iter().flat_map(Part::bytes).collect();
        self.parts = whole.chunks(bytes).map(|it| Part::Bytes(it.to_vec().into())).collect();
        self
    }
}

impl Part {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Bytes(bytes) => bytes.to_vec(),
            Self::Breaks | Self::Hangs => Vec::new(),
        }
    }
}

/// What `OpenAI` sends of a text.
pub(crate) fn text(text: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": { "content": text } }] })
}

pub(crate) fn call(index: u32, id: &str, name: &str, arguments: &str) -> Value {
    let function = json!({ "name": name, "arguments": arguments });
    delta(&json!({ "index": index, "id": id, "type": "function", "function": function }))
}

/// More of the arguments of a call that has begun.
pub(crate) fn more(index: u32, arguments: &str) -> Value {
    delta(&json!({ "index": index, "function": { "arguments": arguments } }))
}

fn delta(call: &Value) -> Value {
    json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [call] } }] })
}

pub(crate) fn finish(reason: &str) -> Value {
    json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": reason }] })
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) authorization: Option<String>,
    pub(crate) headers: String,
    pub(crate) body: Value,
}

#[derive(Debug)]
struct Script {
    answers: Mutex<VecDeque<Answer>>,
    asked: mpsc::UnboundedSender<Asked>,
    hung_up: mpsc::UnboundedSender<()>,
}

/// Listens on loopback until it is dropped.
#[derive(Debug)]
pub(crate) struct Server {
    /// As a base address.
    pub(crate) address: String,
    pub(crate) asked: mpsc::UnboundedReceiver<Asked>,
    /// Of an answer that hangs.
    pub(crate) hung_up: mpsc::UnboundedReceiver<()>,
    serving: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl Server {
    /// The answers in their order; whoever asks after that is told that it was once too often.
    pub(crate) async fn start(answers: Vec<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}/v1", listener.local_addr().unwrap());
        let (ask, asked) = mpsc::unbounded_channel();
        let (leave, hung_up) = mpsc::unbounded_channel();
        let answers = Mutex::new(answers.into());
        let script = Arc::new(Script { answers, asked: ask, hung_up: leave });
        let router = Router::new().fallback(answer).with_state(script);
        let serving = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, asked, hung_up, serving }
    }

    /// The next request, which must come.
    pub(crate) async fn request(&mut self) -> Asked {
        let patience = Duration::from_secs(30);
        tokio::time::timeout(patience, self.asked.recv()).await.expect("nothing is asked").unwrap()
    }
}

async fn answer(State(script): State<Arc<Script>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let authorization = parts.headers.get("authorization");
    let _ = script.asked.send(Asked {
        path: parts.uri.to_string(),
        authorization: authorization.map(|it| it.to_str().unwrap().to_owned()),
        headers: format!("{:?}", parts.headers),
        body: serde_json::from_slice(&body).unwrap_or_default(),
    });
    let next = script.answers.lock().unwrap().pop_front();
    let Answer { status, headers, parts } =
        next.unwrap_or_else(|| Answer::refusal(418, "nothing is scripted any more"));
    let hung_up = script.hung_up.clone();
    let body = stream::iter(parts).then(move |part| play(part, hung_up.clone()));
    let response = Response::builder().status(status);
    let response = headers.into_iter().fold(response, |it, (name, value)| it.header(name, value));
    response.body(Body::from_stream(body)).unwrap()
}

/// Says that whoever was to read the rest went away.
struct HungUp(mpsc::UnboundedSender<()>);

impl Drop for HungUp {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

async fn play(part: Part, hung_up: mpsc::UnboundedSender<()>) -> std::io::Result<Bytes> {
    match part {
        Part::Bytes(bytes) => {
            // Each piece leaves by itself.
            tokio::task::yield_now().await;
            Ok(bytes)
        }
        Part::Breaks => {
            // A break takes with it what has not left yet.
            tokio::time::sleep(LEAVE).await;
            Err(std::io::Error::other("scripted"))
        }
        Part::Hangs => {
            let _hung_up = HungUp(hung_up);
            std::future::pending().await
        }
    }
}
