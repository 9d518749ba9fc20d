//! What answers in a chat: the scripted demo model, or a real one over the network.

mod access;
mod choice;
mod failure;
mod messages;
mod models;
mod remote;

pub use access::{Access, ModelAccess};
pub(crate) use choice::{BadChoice, Choice, Provider};
pub(crate) use models::{Models, Unavailable};

use crate::chat::Item;
use futures_util::stream::BoxStream;
use portal_link::Tool;
use serde_json::value::RawValue;
use std::sync::Arc;

/// What answers in a chat. It keeps nothing between turns: a turn sees the whole transcript.
pub(crate) trait Model: std::fmt::Debug + Send + Sync {
    fn name(&self) -> &str;

    /// One turn. Dropping the stream stops it.
    fn turn(&self, request: TurnRequest) -> BoxStream<'static, Turn>;
}

/// What a model works from.
#[derive(Debug, Clone)]
pub(crate) struct TurnRequest {
    /// The transcript in its order, without queued messages.
    pub(crate) context: Vec<Arc<Item>>,
    /// What it may call.
    pub(crate) tools: Vec<Tool>,
}

/// What comes out of a turn, piece by piece.
#[derive(Debug, Clone)]
pub(crate) enum Turn {
    /// More text.
    Text(String),
    /// A tool call, whole. Calls run together once the turn is over.
    Call(Wanted),
    /// The model wants another step although it calls nothing.
    More,
    /// The agent is to be let go after this run.
    LetGo,
    /// A sentence for the person; the turn goes on.
    Notice(String),
    /// The turn broke off; one sentence for the person.
    Failed(String),
}

/// A tool call as the model wrote it.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    pub(crate) name: String,
    pub(crate) arguments: Box<RawValue>,
    /// Why the call is answered with an error at once, when its arguments are not JSON. They stand in
    /// `arguments` as a string then.
    pub(crate) unreadable: Option<String>,
    /// What the provider wants back with the call.
    pub(crate) signatures: Vec<String>,
}

impl Wanted {
    pub(crate) fn new(name: String, arguments: Box<RawValue>) -> Self {
        Self { name, arguments, unreadable: None, signatures: Vec::new() }
    }
}

#[cfg(test)]
mod tests;
