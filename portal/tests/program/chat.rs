use crate::http::Reply;
use crate::program::{Program, until};
use serde_json::{Value, json};

/// One chat of a running portal, as a page sees it.
#[derive(Debug, Clone)]
pub(crate) struct Chat<'a> {
    pub(crate) portal: &'a Program,
    pub(crate) id: String,
}

/// What `ui_show` is called with, as a line of the demo model.
pub(crate) fn show(arguments: &Value) -> String {
    let mut whole = json!({ "title": "T", "html": "<p>card</p>" });
    whole.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
    format!("/call ui_show {whole}")
}

impl<'a> Chat<'a> {
    pub(crate) async fn begin(portal: &'a Program, text: &str) -> Self {
        Self { portal, id: portal.begin(text).await }
    }

    /// A chat with the card `c1`, whose run is over.
    pub(crate) async fn with_card(portal: &'a Program, events: &Value) -> Self {
        let chat = Self::begin(portal, &show(&json!({ "events": events }))).await;
        chat.idle().await;
        chat
    }

    pub(crate) async fn read(&self) -> Value {
        self.portal.get(&format!("/api/chats/{}", self.id)).await
    }

    pub(crate) async fn items(&self) -> Vec<Value> {
        self.read().await["items"].as_array().unwrap().clone()
    }

    pub(crate) async fn say(&self, text: &str) -> Value {
        let path = format!("/api/chats/{}/messages", self.id);
        self.portal.post(&path, json!({ "text": text })).await.ok()
    }

    pub(crate) async fn stop(&self) {
        self.portal.post(&format!("/api/chats/{}/stop", self.id), Value::Null).await.ok();
    }

    pub(crate) async fn idle(&self) {
        until("an idle agent", async || (self.read().await["agent"] != "working").then_some(()))
            .await;
    }

    /// Says something and gives the agent's answer to it.
    pub(crate) async fn asks(&self, text: &str) -> String {
        self.say(text).await;
        self.idle().await;
        let items = self.items().await;
        let answer = items.iter().rev().find(|item| item["kind"] == "assistant").unwrap();
        answer["text"].as_str().unwrap().to_owned()
    }

    /// The answer to `/context`, read back.
    pub(crate) async fn context(&self) -> Vec<Value> {
        let text = self.asks("/context").await;
        let (_, json) = text.split_once("```json\n").unwrap();
        serde_json::from_str(json.strip_suffix("```").unwrap()).unwrap()
    }

    pub(crate) async fn cards(&self) -> Vec<Value> {
        let path = format!("/ext/inline-ui/chats/{}/cards", self.id);
        self.portal.get(&path).await["cards"].as_array().unwrap().clone()
    }

    pub(crate) async fn card(&self, id: &str) -> Option<Value> {
        self.cards().await.into_iter().find(|card| card["id"] == id)
    }

    /// A card that comes about, and for which that holds.
    pub(crate) async fn card_that(&self, id: &str, holds: impl Fn(&Value) -> bool) -> Value {
        until(id, async || self.card(id).await.filter(&holds)).await
    }

    pub(crate) async fn post(&self, card: &str, what: &str, body: Value) -> Reply {
        let path = format!("/ext/inline-ui/chats/{}/cards/{card}/{what}", self.id);
        self.portal.post(&path, body).await
    }

    pub(crate) async fn load(&self, card: &str) -> Value {
        self.post(card, "loads", json!({})).await.ok()
    }

    pub(crate) async fn emit(&self, card: &str, id: &str, name: &str, data: Value) -> Reply {
        let load = self.load(card).await["load"].clone();
        let event = json!({ "id": id, "load": load, "name": name, "data": data });
        self.post(card, "events", event).await
    }
}

/// Of the card `c1`, whose call is stopped: it is open, nobody waits, and the agent gets what is sent.
pub(crate) async fn a_late_answer_is_an_ordinary_event(chat: &Chat<'_>) {
    let card = chat.card_that("c1", |card| card["unanswered"] == true).await;
    assert_eq!((&card["open"], card.get("waiting")), (&json!(true), None));
    assert_eq!(chat.emit("c1", "e1", "ok", json!(1)).await.ok()["state"], "next_message");
    chat.asks("hello").await;
    assert_eq!(received(&chat.items().await), [("c1".to_owned(), "ok".to_owned(), 1)]);
}

/// What the agent got of each card and name, with the count of accepted events it stands for.
pub(crate) fn received(items: &[Value]) -> Vec<(String, String, u64)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut received = Vec::new();
    for item in items {
        let lines = item["text"].as_str().unwrap_or_default().lines();
        if item["kind"] == "events" {
            let events = lines.filter_map(|line| serde_json::from_str::<Value>(line).ok());
            for event in events.filter(|event| event["card"].is_string()) {
                let count = event["count"].as_u64().unwrap();
                received.push((text(&event["card"]), text(&event["name"]), count));
            }
        }
        let answer = &item["result"]["structured"];
        if item["kind"] == "call" && answer["outcome"] == "answered" {
            let count = answer["event"]["count"].as_u64().unwrap();
            received.push((text(&answer["card"]), text(&answer["event"]["name"]), count));
        }
    }
    received
}
