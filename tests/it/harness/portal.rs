use super::link::notification;
use super::{Answer, Disk, Http, Link, Page, Pending, Program};
use serde_json::{Value, json};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The chat of a test that needs one.
pub(crate) const CHAT: &str = "chat-1";
/// Where the scripted portal says that it serves the extension.
pub(crate) const BASE: &str = "/ext/inline-ui";
/// The scripted portal's origin.
pub(crate) const ORIGIN: &str = "https://chat.example";

/// A portal on the other end of `inline-ui serve --stdio`.
pub(crate) struct Portal {
    pub(crate) link: Link,
    pub(crate) program: Program,
    pub(crate) http: Http,
    /// What `initialize` was answered with.
    pub(crate) initialized: Value,
    setup: Value,
    data: Arc<TempDir>,
    /// Where it runs when not on the machine's own.
    disk: Option<Arc<Disk>>,
    calls: u32,
}

/// What a tool call was answered with.
#[derive(Debug, Clone)]
pub(crate) struct Tool {
    pub(crate) text: String,
    pub(crate) structured: Value,
    pub(crate) is_error: bool,
}

/// The parameters of `initialize`, with what is in `change` instead.
pub(crate) fn initialize_params(data: &Path, change: &Value) -> Value {
    let mut params = json!({ "protocol": 1, "portal": { "name": "scripted", "version": "1" }, "dataDir": data,
        "basePath": BASE, "origins": [ORIGIN], "settings": {} });
    for (key, value) in change.as_object().unwrap() {
        params[key] = value.clone();
    }
    params
}

impl Portal {
    pub(crate) async fn start() -> Self {
        Self::start_with(json!({})).await
    }

    /// Starts with those parameters of `initialize`.
    pub(crate) async fn start_with(setup: Value) -> Self {
        Self::of(spawn(), setup, None).await
    }

    /// Starts on that disk, which is its data folder.
    pub(crate) async fn start_on(disk: &Arc<Disk>) -> Self {
        Self::of(disk.spawn(), json!({}), Some(disk.clone())).await
    }

    /// Starts where no file may grow beyond that many KiB. A restart is without that limit.
    pub(crate) async fn start_on_a_disk_of(kib: u32) -> Self {
        Self::start_in(Program::start_limited(&["serve", "--stdio"], kib)).await
    }

    /// Begins with a program that runs. A restart is as any other.
    pub(crate) async fn start_in(mut program: Program) -> Self {
        let (input, output) = program.pipes();
        Self::of((program, Link::new(output, input)), json!({}), None).await
    }

    async fn of((program, link): (Program, Link), setup: Value, disk: Option<Arc<Disk>>) -> Self {
        let own = || Arc::new(tempfile::tempdir().unwrap());
        let data = disk.as_ref().map_or_else(own, |disk| disk.folder.clone());
        let mut portal = Self {
            link,
            program,
            http: Http::nowhere(),
            initialized: Value::Null,
            setup,
            data,
            disk,
            calls: 0,
        };
        portal.initialize().await;
        portal
    }

    /// A portal, a page of [`CHAT`], and a first card in it that declares these events.
    pub(crate) async fn with_card(events: Value) -> (Self, Page) {
        let mut portal = Self::start().await;
        portal.show(CHAT, json!({ "events": events })).await;
        let page = portal.page(CHAT);
        (portal, page)
    }

    pub(crate) fn data(&self) -> &Path {
        self.data.path()
    }

    pub(crate) fn page(&self, chat: &str) -> Page {
        Page::new(self.http.clone(), chat)
    }

    async fn initialize(&mut self) {
        let params = initialize_params(self.data.path(), &self.setup);
        self.initialized = self.link.request("initialize", params).await.unwrap();
        self.http = Http::of(&self.initialized["http"]);
    }

    /// `kill -9`, and a new process on the same folder.
    pub(crate) async fn kill_and_restart(&mut self) {
        self.program.kill().await;
        self.again().await;
    }

    /// The orderly way.
    pub(crate) async fn restart(&mut self) {
        assert_eq!(self.link.request("shutdown", json!({})).await, Ok(Value::Null));
        assert!(self.program.ended().await.success());
        self.again().await;
    }

    async fn again(&mut self) {
        (self.program, self.link) = self.disk.as_ref().map_or_else(spawn, |disk| disk.spawn());
        self.initialize().await;
    }

    /// Sends a tool call under an id of its own, which is returned with it.
    pub(crate) async fn call(
        &mut self,
        chat: &str,
        tool: &str,
        arguments: Value,
    ) -> (String, Pending) {
        self.calls += 1;
        let call = format!("call-{}", self.calls);
        let params = json!({ "chat": chat, "call": call, "name": tool, "arguments": arguments });
        let pending = self.send("tools/call", params).await;
        (call, pending)
    }

    pub(crate) async fn tool(&mut self, chat: &str, tool: &str, arguments: Value) -> Tool {
        let (_, pending) = self.call(chat, tool, arguments).await;
        self.result(&pending).await
    }

    pub(crate) async fn result(&mut self, pending: &Pending) -> Tool {
        Tool::read(&self.answer(pending).await.result.unwrap())
    }

    /// Shows a card, with those arguments of `ui_show` beside a title and some HTML. Its id.
    pub(crate) async fn show(&mut self, chat: &str, change: Value) -> String {
        let shown = self.tool(chat, "ui_show", show_arguments(&change)).await;
        assert!(!shown.is_error, "{}", shown.text);
        shown.structured["card"].as_str().unwrap().to_owned()
    }

    /// Sends a `ui_show` that waits: the call's id, its answer to come, and the card's id.
    pub(crate) async fn ask(&mut self, chat: &str, wait: Value) -> (String, Pending, String) {
        // It emits whatever it may: the check of its HTML has nothing to say.
        let html =
            "<p>card</p><script>pithagoras.events.forEach((e) => pithagoras.emit(e))</script>";
        let arguments = show_arguments(&json!({ "title": "Question", "wait": wait, "html": html }));
        let (call, pending) = self.call(chat, "ui_show", arguments).await;
        self.flush().await;
        let cards = self.page(chat).cards().await;
        let id = cards.iter().find(|card| card["call"] == call.as_str()).unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned();
        (call, pending, id)
    }

    pub(crate) async fn agent(&mut self, chat: &str, state: &str) {
        self.notify("chat/agent", json!({ "chat": chat, "state": state })).await;
        self.settled(chat).await;
    }

    /// The next message, or null.
    pub(crate) async fn take(&mut self, chat: &str, at: &str) -> Value {
        self.take_line(chat, at).await.result.unwrap()["message"].clone()
    }

    /// The answer to a take, with its line. One that had no time to find anything is asked again,
    /// once what it finds late is taken back.
    pub(crate) async fn take_line(&mut self, chat: &str, at: &str) -> Answer {
        loop {
            let asked = Instant::now();
            let pending = self.send("outbox/take", json!({ "chat": chat, "at": at })).await;
            let answer = self.answer(&pending).await;
            let empty = answer.result.as_ref().unwrap()["message"].is_null();
            if !empty || asked.elapsed() < Duration::from_millis(240) {
                return answer;
            }
            self.settled(chat).await;
            tokio::time::sleep(Duration::from_millis(300)).await;
        }
    }

    pub(crate) async fn delivered(&mut self, chat: &str, id: &str) {
        self.notify("outbox/delivered", json!({ "chat": chat, "id": id })).await;
        self.settled(chat).await;
    }

    pub(crate) async fn returned(&mut self, chat: &str, id: &str) {
        self.notify("outbox/returned", json!({ "chat": chat, "id": id })).await;
        self.settled(chat).await;
    }

    /// Waits until everything said about the chat so far took effect and is kept.
    pub(crate) async fn settled(&mut self, chat: &str) {
        self.flush().await;
        self.page(chat).cards().await;
    }

    pub(crate) async fn cancel(&mut self, call: &str) {
        self.notify("notifications/cancelled", json!({ "call": call })).await;
        self.flush().await;
    }

    /// Takes as a portal does, acknowledging each message, until there is none. `had` are the ids it
    /// has already, which it says delivered again and drops.
    pub(crate) async fn collect(
        &mut self,
        chat: &str,
        at: &str,
        had: &mut Vec<String>,
    ) -> Vec<Value> {
        let mut messages = Vec::new();
        loop {
            let message = self.take(chat, at).await;
            let Some(id) = message["id"].as_str() else { return messages };
            let known = had.iter().any(|other| other == id);
            self.raw(
                notification("outbox/delivered", json!({ "chat": chat, "id": id })).as_bytes(),
            )
            .await;
            if !known {
                had.push(id.to_owned());
                messages.push(message);
            }
        }
    }
}

impl Deref for Portal {
    type Target = Link;

    fn deref(&self) -> &Link {
        &self.link
    }
}

impl DerefMut for Portal {
    fn deref_mut(&mut self) -> &mut Link {
        &mut self.link
    }
}

impl Tool {
    pub(crate) fn read(result: &Value) -> Self {
        let text = result["content"][0]["text"].as_str().unwrap().to_owned();
        assert_eq!(result["content"][0]["type"], "text");
        Self { text, structured: result["structured"].clone(), is_error: result["isError"] == true }
    }

    /// The code of a refusal; none for what was taken.
    pub(crate) fn code(&self) -> Option<&str> {
        self.is_error.then(|| self.structured["code"].as_str().unwrap())
    }
}

fn show_arguments(change: &Value) -> Value {
    let mut arguments = json!({ "title": "Card", "html": "<p>card</p>" });
    for (key, value) in change.as_object().unwrap() {
        arguments[key] = value.clone();
    }
    arguments
}

/// A program that nobody has initialised.
pub(crate) fn spawn() -> (Program, Link) {
    let mut program = Program::start(&["serve", "--stdio"]);
    let (input, output) = program.pipes();
    (program, Link::new(output, input))
}

/// The same, with its standard error in our hands.
pub(crate) fn spawn_with_errors() -> (Program, Link) {
    let mut program = Program::start_with_errors(&["serve", "--stdio"]);
    let (input, output) = program.pipes();
    (program, Link::new(output, input))
}
