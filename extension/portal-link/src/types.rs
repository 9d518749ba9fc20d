use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

/// The protocol's version. `initialize` with another is refused.
pub const PROTOCOL: u32 = 1;

/// The names of the methods.
pub mod method {
    /// Portal to extension, first of all.
    pub const INITIALIZE: &str = "initialize";
    /// Portal to extension: run a tool.
    pub const TOOLS_CALL: &str = "tools/call";
    /// Portal to extension: nobody wants that call's answer any more.
    pub const CANCELLED: &str = "notifications/cancelled";
    /// Portal to extension: what the chat's agent does.
    pub const CHAT_AGENT: &str = "chat/agent";
    /// Portal to extension: hand over the next message.
    pub const OUTBOX_TAKE: &str = "outbox/take";
    /// Portal to extension: the agent has that message.
    pub const OUTBOX_DELIVERED: &str = "outbox/delivered";
    /// Portal to extension: the agent did not get that message.
    pub const OUTBOX_RETURNED: &str = "outbox/returned";
    /// Extension to portal: a take would find something.
    pub const OUTBOX_READY: &str = "outbox/ready";
    /// Portal to extension: the chat is gone.
    pub const CHAT_DELETED: &str = "chat/deleted";
    /// Portal to extension: the chat has a copy.
    pub const CHAT_FORKED: &str = "chat/forked";
    /// Portal to extension: the admin changed a setting.
    pub const SETTINGS_CHANGED: &str = "settings/changed";
    /// Portal to extension: flush and exit.
    pub const SHUTDOWN: &str = "shutdown";
}

/// A program's name and version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Peer {
    pub name: String,
    pub version: String,
}

/// Parameters of `initialize`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Initialize {
    /// Must be [`PROTOCOL`].
    pub protocol: u32,
    /// Who speaks.
    pub portal: Peer,
    /// A folder that is the extension's own; made if it is missing.
    pub data_dir: String,
    /// Where the portal serves the extension's routes, for example `/ext/inline-ui`.
    pub base_path: String,
    /// The portal's own origins, for example `https://chat.example`: who may post, who may frame.
    pub origins: Vec<String>,
    /// Another origin that serves frames, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame_origin: Option<String>,
    /// What the admin set; an absent key has its default.
    #[serde(default)]
    pub settings: Value,
}

/// Result of `initialize`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeResult {
    /// [`PROTOCOL`].
    pub protocol: u32,
    /// Who answers.
    pub extension: Peer,
    /// What an agent may call.
    pub tools: Vec<Tool>,
    /// Where the routes are, for the portal's proxy.
    pub http: Endpoint,
    /// What the portal's page loads.
    pub page: Page,
    /// JSON Schema that the portal's settings page draws.
    pub settings_schema: Value,
}

/// A tool as an agent sees it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the names say it")]
pub struct Tool {
    pub name: String,
    pub title: String,
    pub description: String,
    /// JSON Schema, self-contained.
    pub input_schema: Value,
}

/// Where the extension serves HTTP.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endpoint {
    /// `127.0.0.1:PORT` or `unix:PATH`.
    pub address: String,
    /// The bearer token that every request but a frame's must have.
    pub token: String,
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("address", &self.address).finish_non_exhaustive()
    }
}

/// The page half.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// The module's address below the base path.
    pub module: String,
    /// The custom element it defines.
    pub element: String,
}

/// Parameters of `tools/call`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CallParams {
    /// The chat the call is made in.
    pub chat: String,
    /// The call's id.
    pub call: String,
    /// The call the card is drawn at, when that is another one (a gateway's).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// The tool.
    pub name: String,
    /// Its arguments, as text, so that their reader can bound them first.
    #[serde(default = "no_arguments")]
    pub arguments: Box<RawValue>,
}

fn no_arguments() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).unwrap_or_default()
}

/// Result of `tools/call`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallResult {
    /// What the model reads.
    pub content: Vec<Content>,
    /// The same for a program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured: Option<Value>,
    /// True for a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
}

/// A part of a tool's answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Content {
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
}

/// Parameters of `notifications/cancelled`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Cancelled {
    pub call: String,
}

/// What a chat's agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AgentState {
    /// There, and waiting for a message.
    Idle,
    /// In a run.
    Working,
    /// Let go, or never started.
    #[default]
    Gone,
}

/// Parameters of `chat/agent`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ChatAgent {
    pub chat: String,
    pub state: AgentState,
}

/// The moment of a take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TakeAt {
    /// With the person's message, before the first model request.
    Prompt,
    /// Between a model turn's tools and the next model request.
    Step,
    /// To start a turn of its own.
    Wake,
}

/// Parameters of `outbox/take`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct TakeParams {
    pub chat: String,
    pub at: TakeAt,
}

/// Result of `outbox/take`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TakeResult {
    /// Null when there is nothing to hand over at that moment.
    pub message: Option<Arc<OutboxMessage>>,
}

/// What the outbox became when it was handed over. Its bytes never change under one id.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OutboxMessage {
    /// Names the message until it is delivered.
    pub id: String,
    /// What kind of message this is to the portal: `inline-ui-events`.
    pub custom_type: String,
    /// One line for people.
    pub summary: String,
    /// What the model reads.
    pub text: String,
    /// The same for a program.
    pub details: Value,
}

/// Parameters of `outbox/delivered` and `outbox/returned`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct MessageRef {
    /// The chat.
    pub chat: String,
    /// The id of a message, or of a call whose waited event this is about.
    pub id: String,
}

/// Parameters of `outbox/ready`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Ready {
    pub chat: String,
    pub at: TakeAt,
}

/// Parameters of `chat/deleted`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ChatDeleted {
    pub chat: String,
}

/// Parameters of `chat/forked`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct ChatForked {
    pub from: String,
    pub to: String,
}

/// Parameters of `settings/changed`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct SettingsChanged {
    /// All settings, or some: an absent key has its default.
    pub settings: Value,
}
