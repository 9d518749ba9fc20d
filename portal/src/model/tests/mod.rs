//! A real model against a scripted server.

mod bodies;
mod busy;
mod others;
pub(crate) mod server;
mod stops;
mod streams;

use super::access::Access;
use super::failure::Asked;
use super::remote::Remote;
use super::{Model, ModelAccess, Provider, Turn, TurnRequest};
use crate::chat::{Item, Kind, Person};
use futures_util::StreamExt;
use server::{Answer, Server};
use std::sync::Arc;
use std::time::Duration;

const KEY: &str = "sk-the-key";

fn asked(provider: Provider, model: &str, key: Option<&str>, base_url: &str) -> Asked {
    let access = Access { key: key.map(str::to_owned), base_url: Some(base_url.to_owned()) };
    let mut all = ModelAccess::default();
    match provider {
        Provider::OpenAi => all.openai = access,
        Provider::Anthropic => all.anthropic = access,
        Provider::Gemini => all.gemini = access,
    }
    let door = all.door(provider).unwrap();
    Asked { provider, model: model.to_owned(), door }
}

/// The model `m` at that server.
fn remote(provider: Provider, server: &Server) -> Remote {
    let asked = asked(provider, "m", Some(KEY), &server.address);
    Remote::new(asked, Duration::from_millis(1)).unwrap()
}

fn hello() -> TurnRequest {
    let person = Kind::Person(Person { text: "hello".to_owned(), queued: false });
    TurnRequest { context: vec![Arc::new(Item { id: 1, at: 0, kind: person })], tools: vec![] }
}

/// What a turn says, in a few words.
fn short(turn: &Turn) -> String {
    match turn {
        Turn::Text(text) => text.clone(),
        Turn::Call(it) if it.unreadable.is_some() => format!("unreadable {}", it.arguments),
        Turn::Call(it) => format!("call {} {}", it.name, it.arguments),
        Turn::Notice(text) => format!("notice {text}"),
        Turn::Failed(text) => format!("failed {text}"),
        Turn::More | Turn::LetGo => format!("{turn:?}"),
    }
}

async fn turns(model: &Remote) -> Vec<Turn> {
    model.turn(hello()).collect().await
}

/// All of one turn against these answers, its pieces of text put together.
async fn turn(answers: Vec<Answer>) -> Vec<String> {
    turn_of(Provider::OpenAi, answers).await
}

async fn turn_of(provider: Provider, answers: Vec<Answer>) -> Vec<String> {
    let server = Server::start(answers).await;
    let mut said: Vec<String> = Vec::new();
    let mut writing = false;
    for piece in turns(&remote(provider, &server)).await {
        let is_text = matches!(piece, Turn::Text(_));
        match said.last_mut() {
            Some(last) if writing && is_text => last.push_str(&short(&piece)),
            _ => said.push(short(&piece)),
        }
        writing = is_text;
    }
    said
}
