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
    #[expect(dead_code, reason = "a scripted model knows its tools; a real one is told of them")]
    pub(crate) tools: Vec<Tool>,
}

/// What comes out of a turn, piece by piece.
#[derive(Debug, Clone)]
pub(crate) enum Turn {
    /// More text.
    Text(String),
    /// A tool call, whole. Calls run together once the turn is over.
    Call { name: String, arguments: Box<RawValue> },
    /// The model wants another step although it calls nothing.
    More,
    /// The agent is to be let go after this run.
    LetGo,
    /// The turn broke off; one sentence for the person.
    Failed(String),
}
