use super::{Http, Job, exchange_all};
use hyper::StatusCode;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot};

/// The scripted portal's origin.
pub(crate) const ORIGIN: &str = "https://chat.example";

type Answers = Arc<Mutex<HashMap<u64, oneshot::Sender<Value>>>>;

/// A portal on the other end of `inline-ui serve --stdio`, which is killed when this is dropped.
pub(crate) struct Portal {
    pub(crate) http: Http,
    /// From the start of the process to the answer of `initialize`.
    pub(crate) cold_start: Duration,
    /// Chats that the extension hinted at.
    pub(crate) hints: Option<mpsc::UnboundedReceiver<String>>,
    child: Child,
    speaker: Speaker,
}

/// Sends lines of the link. Clones speak on the same one.
#[derive(Clone)]
pub(crate) struct Speaker {
    out: mpsc::UnboundedSender<String>,
    answers: Answers,
    next: Arc<Mutex<u64>>,
}

impl Portal {
    pub(crate) async fn start(data: &Path) -> Self {
        let started = Instant::now();
        let mut child = Command::new(env!("CARGO_BIN_EXE_inline-ui"))
            .args(["serve", "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (out, lines) = mpsc::unbounded_channel();
        let speaker = Speaker { out, answers: Answers::default(), next: Arc::default() };
        let (hinted, hints) = mpsc::unbounded_channel();
        tokio::spawn(write(lines, input));
        tokio::spawn(read(output, speaker.answers.clone(), hinted));
        let params = json!({ "protocol": 1, "portal": { "name": "bench", "version": "1" }, "dataDir": data,
            "basePath": "/ext/inline-ui", "origins": [ORIGIN], "settings": {} });
        let initialized = speaker.request("initialize", &params).await;
        let cold_start = started.elapsed();
        let text = |key: &str| initialized["http"][key].as_str().unwrap().to_owned();
        let http = Http::new(text("address"), &text("token"));
        Self { http, cold_start, hints: Some(hints), child, speaker }
    }

    pub(crate) fn speaker(&self) -> Speaker {
        self.speaker.clone()
    }

    /// Shows `cards` cards in each chat, each with the events `a` and `b`.
    pub(crate) async fn show(&self, chats: &[String], cards: usize) {
        let html = "<button onclick=\"pithagoras.emit('a', 1)\">A</button>".repeat(20);
        let events = json!([{ "name": "a" }, { "name": "b", "debounceMs": 0 }]);
        // Fewer at once than the link takes before it stops reading.
        for some in chats.chunks(64) {
            let calls = some.iter().flat_map(|chat| (0..cards).map(move |n| (chat, n)));
            let shown: Vec<_> = calls
                .map(|(chat, n)| {
                    let arguments = json!({ "title": format!("Card {n}"), "html": html, "events": events });
                    let params = json!({ "chat": chat, "call": format!("{chat}-{n}"), "name": "ui_show", "arguments": arguments });
                    self.speaker.request("tools/call", &params)
                })
                .collect();
            for answer in shown {
                assert!(answer.await["isError"].is_null(), "a card was refused");
            }
        }
    }

    /// Loads a card at each of those addresses. The names of the loads.
    pub(crate) async fn loads(&self, cards: impl Iterator<Item = String>) -> Vec<String> {
        let jobs: Vec<Job> =
            cards.map(|card| Job::post(format!("{card}/loads"), "", StatusCode::OK)).collect();
        let loaded = Arc::new(Mutex::new(vec![String::new(); jobs.len()]));
        let into = loaded.clone();
        exchange_all(&self.http, jobs, 16, move |at, body| {
            let body: Value = serde_json::from_slice(&body).unwrap();
            body["load"].as_str().unwrap().clone_into(&mut into.lock().unwrap()[at]);
        })
        .await;
        std::mem::take(&mut *loaded.lock().unwrap())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }

    /// The orderly end.
    pub(crate) async fn end(mut self) {
        self.speaker.request("shutdown", &json!({})).await;
        assert!(self.child.wait().await.unwrap().success());
    }
}

impl Speaker {
    pub(crate) fn request(
        &self,
        method: &str,
        params: &Value,
    ) -> impl Future<Output = Value> + use<> {
        let id = {
            let mut next = self.next.lock().unwrap();
            *next += 1;
            *next
        };
        let (answer, answered) = oneshot::channel();
        self.answers.lock().unwrap().insert(id, answer);
        self.say(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        async move { answered.await.unwrap() }
    }

    pub(crate) fn notify(&self, method: &str, params: &Value) {
        self.say(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn say(&self, line: &Value) {
        self.out.send(format!("{line}\n")).unwrap();
    }
}

async fn write(mut lines: mpsc::UnboundedReceiver<String>, mut to: ChildStdin) {
    while let Some(line) = lines.recv().await {
        if to.write_all(line.as_bytes()).await.is_err() {
            return;
        }
    }
}

async fn read(from: ChildStdout, answers: Answers, hinted: mpsc::UnboundedSender<String>) {
    let mut lines = BufReader::new(from).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let mut line: Value = serde_json::from_str(&line).unwrap();
        if let Some(chat) = line["params"]["chat"].as_str() {
            let _ = hinted.send(chat.to_owned());
        } else if let Some(answer) =
            line["id"].as_u64().and_then(|id| answers.lock().unwrap().remove(&id))
        {
            let _ = answer.send(line["result"].take());
        }
    }
}
