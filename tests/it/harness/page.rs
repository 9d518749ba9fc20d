use super::{Http, Reply, Request, Stream};
use hyper::Method;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicU64, Ordering};

/// What a page of a chat asks of the routes.
#[derive(Debug, Clone)]
pub(crate) struct Page {
    pub(crate) http: Http,
    at: String,
}

/// A card that a page has drawn.
#[derive(Debug, Clone)]
pub(crate) struct Card {
    pub(crate) page: Page,
    pub(crate) id: String,
    pub(crate) load: String,
    /// The whole answer of the load.
    pub(crate) loaded: Value,
    /// The outer frame as it was served.
    pub(crate) frame: String,
}

/// An event's id that no other event of this process has.
pub(crate) fn event_id() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    format!("e{}", NEXT.fetch_add(1, Ordering::Relaxed))
}

impl Page {
    pub(crate) fn new(http: Http, chat: &str) -> Self {
        Self { http, at: format!("/chats/{}", encoded(chat)) }
    }

    /// The address of one of the chat's routes.
    pub(crate) fn path(&self, rest: &str) -> String {
        format!("{}/{rest}", self.at)
    }

    pub(crate) async fn listing(&self) -> Value {
        self.http.get(&self.path("cards")).await.ok()
    }

    pub(crate) async fn cards(&self) -> Vec<Value> {
        self.listing().await["cards"].as_array().unwrap().clone()
    }

    /// One card of the list.
    pub(crate) async fn card(&self, id: &str) -> Value {
        self.cards().await.into_iter().find(|card| card["id"] == id).unwrap()
    }

    pub(crate) async fn post(&self, card: &str, what: &str, body: Value) -> Reply {
        self.http.post(&self.path(&format!("cards/{card}/{what}")), body).await
    }

    pub(crate) async fn load(&self, card: &str) -> Value {
        self.post(card, "loads", json!({})).await.ok()
    }

    /// Draws the card: a load, and its frame.
    pub(crate) async fn open(&self, card: &str) -> Card {
        let loaded = self.load(card).await;
        let frame = self.frame(&loaded).await;
        let text = |key: &str| loaded[key].as_str().unwrap().to_owned();
        Card {
            page: self.clone(),
            id: card.to_owned(),
            load: text("load"),
            frame: String::from_utf8(frame.body.to_vec()).unwrap(),
            loaded,
        }
    }

    /// Fetches the frame of a load as a browser does: without a token.
    pub(crate) async fn frame(&self, loaded: &Value) -> Reply {
        let address = loaded["frame"].as_str().unwrap();
        let at = address.rfind("/frames/").unwrap();
        self.http.send(self.http.bare(Method::GET, &address[at..], "")).await
    }

    pub(crate) async fn close(&self, card: &str) -> Reply {
        self.post(card, "close", json!({})).await
    }

    pub(crate) fn stream_request(&self, query: &str) -> Request {
        self.http.request(Method::GET, &self.path(&format!("stream{query}")), "")
    }

    /// Opens the chat's stream from here on.
    pub(crate) async fn stream(&self) -> Stream {
        let mut stream = self.http.stream(self.stream_request("")).await;
        stream.comment().await;
        stream
    }
}

impl Card {
    /// Sends an event under a new id.
    pub(crate) async fn emit(&self, name: &str, data: Value) -> Reply {
        self.emit_as(&event_id(), name, data).await
    }

    pub(crate) async fn emit_as(&self, id: &str, name: &str, data: Value) -> Reply {
        self.event(json!({ "id": id, "load": self.load, "name": name, "data": data }).to_string())
            .await
    }

    /// Sends a body as it is.
    pub(crate) async fn event(&self, body: impl Into<super::Body>) -> Reply {
        self.page.http.post(&self.page.path(&format!("cards/{}/events", self.id)), body).await
    }

    /// The card's document, as the browser's parser reads it from the frame's one attribute.
    pub(crate) fn document(&self) -> String {
        let (_, rest) = self.frame.split_once(" srcdoc=\"").unwrap();
        let (attribute, _) = rest.split_once('"').unwrap();
        attribute.replace("&quot;", "\"").replace("&amp;", "&")
    }
}

/// A path segment in which nothing has a meaning of its own.
fn encoded(text: &str) -> String {
    use std::fmt::Write;
    text.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' => out.push(char::from(byte)),
            _ => write!(out, "%{byte:02X}").unwrap(),
        }
        out
    })
}
