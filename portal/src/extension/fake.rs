//! An extension in the test's own hands: the far end of the link, line by line.

use super::{Connection, Host, Profile};
use futures_util::{SinkExt, StreamExt};
use portal_link::{Incoming, InitializeResult, LineCodec, Ready};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::codec::{FramedRead, FramedWrite};

/// A test that waits for longer has failed.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn manifest() -> Value {
    json!({
        "name": "inline-ui", "title": "Inline UI", "version": "0.1.0", "description": "Cards",
        "page": { "module": "page/host.js", "element": "inline-ui-card" },
        "tools": [{ "name": "ui_show", "title": "Show" }],
        "settings": { "type": "object", "properties": {
            "debounceMs": { "type": "integer", "minimum": 0, "maximum": 60000, "default": 400 },
            "wake": { "type": "boolean", "default": true },
        }},
        "asks": { "network": "none" },
    })
}

pub(crate) fn profile() -> Profile {
    serde_json::from_value(manifest()).unwrap()
}

pub(crate) fn introduced(address: &str) -> InitializeResult {
    serde_json::from_value(json!({
        "protocol": 1, "extension": { "name": "inline-ui", "version": "0.1.0" }, "tools": tools(),
        "http": { "address": address, "token": "the-token" },
        "page": { "module": "page/host.js", "element": "inline-ui-card" },
        "settingsSchema": manifest()["settings"],
    }))
    .unwrap()
}

fn tools() -> Value {
    let tool = |name: &str, description: &str| {
        json!({ "name": name, "title": name, "description": description,
            "inputSchema": { "type": "object", "properties": { "a": {} } } })
    };
    json!([tool("ui_show", "Shows a card."), tool("ui_close", "Closes a card for good.")])
}

/// A line that the portal sent.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) id: Option<Value>,
    pub(crate) method: String,
    pub(crate) params: Value,
}

#[derive(Debug)]
pub(crate) struct Fake {
    input: FramedRead<ReadHalf<DuplexStream>, LineCodec>,
    output: FramedWrite<WriteHalf<DuplexStream>, LineCodec>,
}

impl Fake {
    /// Connects to a host that then takes it for the running extension.
    pub(crate) fn connect(host: &Host, hints: &mpsc::Sender<Ready>) -> Self {
        Self::connect_with(host, hints, "127.0.0.1:1")
    }

    /// The same, with HTTP at that address.
    pub(crate) fn connect_with(host: &Host, hints: &mpsc::Sender<Ready>, address: &str) -> Self {
        Self::connect_as(host, hints, introduced(address))
    }

    /// The same, saying that of itself.
    pub(crate) fn connect_as(
        host: &Host,
        hints: &mpsc::Sender<Ready>,
        introduced: InitializeResult,
    ) -> Self {
        let (near, far) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(near);
        let connection = Connection::open(reader, writer, hints.clone());
        host.connected(&connection, introduced);
        let (reader, writer) = tokio::io::split(far);
        let input = FramedRead::new(reader, LineCodec::default());
        Self { input, output: FramedWrite::new(writer, LineCodec::default()) }
    }

    pub(crate) async fn next(&mut self) -> Line {
        let line = timeout(PATIENCE, self.input.next()).await.expect("the portal says nothing");
        let line = line.unwrap().unwrap().unwrap();
        let params = |text: &str| serde_json::from_str(text).unwrap();
        match Incoming::read(&line).unwrap() {
            Incoming::Request { id, method, params: text } => {
                Line { id: Some(id), method, params: params(text.get()) }
            }
            Incoming::Notification { method, params: text } => {
                Line { id: None, method, params: params(text.get()) }
            }
            Incoming::Response { reply, .. } => {
                let code = reply.err().map(|error| error.code);
                Line { id: None, method: "response".to_owned(), params: json!({ "error": code }) }
            }
        }
    }

    /// The next line, which must be this one.
    pub(crate) async fn sees(&mut self, method: &str, params: Value) -> Line {
        let line = self.next().await;
        assert_eq!((line.method.as_str(), &line.params), (method, &params));
        line
    }

    /// The next line must be a take at that moment; answers it with a message of that id, or null.
    pub(crate) async fn gives(&mut self, at: &str, message: Option<&str>) {
        let line = self.asked_at(at).await;
        let message = message.map_or(Value::Null, outbox_message);
        self.answer(&line, json!({ "message": message })).await;
    }

    pub(crate) async fn asked_at(&mut self, at: &str) -> Line {
        let line = self.next().await;
        assert_eq!((line.method.as_str(), line.params["at"].as_str()), ("outbox/take", Some(at)));
        line
    }

    pub(crate) async fn answer(&mut self, line: &Line, result: Value) {
        let id = line.id.as_ref().unwrap();
        self.output.send(portal_link::response(id, &result).unwrap()).await.unwrap();
    }

    pub(crate) async fn hint(&mut self, chat: &str, at: &str) {
        let hint = json!({ "chat": chat, "at": at });
        let line = portal_link::notification("outbox/ready", &hint).unwrap();
        self.output.send(line).await.unwrap();
    }

    pub(crate) async fn send(&mut self, line: &str) {
        self.output.send(line.to_owned()).await.unwrap();
    }

    /// Nothing comes for so long.
    pub(crate) async fn silent_for(&mut self, time: Duration) {
        if let Ok(line) = timeout(time, self.next()).await {
            panic!("{line:?}");
        }
    }
}

pub(crate) fn outbox_message(id: &str) -> Value {
    json!({
        "id": id, "customType": "inline-ui-events", "summary": "UI: Pick · change",
        "text": "{\"card\":\"c1\",\"name\":\"change\",\"count\":2,\"data\":{\"n\":1}}",
        "details": { "id": id, "events": [] },
    })
}
