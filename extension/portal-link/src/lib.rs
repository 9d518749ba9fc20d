//! The portal link: JSON-RPC 2.0, one message a line, between a portal and an extension.
//!
//! This crate holds what both ends share and nothing that acts: the [`LineCodec`] that cuts a byte
//! stream into lines and survives broken ones, the [`Incoming`] envelope, and the parameter and
//! result types of every method. Unknown fields are ignored on every type here, so that either side
//! may grow.

mod codec;
mod envelope;
mod surrogates;
mod types;

pub use codec::{LineCodec, LineError, MAX_LINE};
pub use envelope::{
    ErrorObject, Incoming, ReadError, Reply, error_code, notification, request, response,
    response_error,
};
pub use surrogates::repair_surrogates;
pub use types::{
    AgentState, CallParams, CallResult, Cancelled, ChatAgent, ChatDeleted, ChatForked, Content,
    Endpoint, Initialize, InitializeResult, MessageRef, OutboxMessage, PROTOCOL, Page, Peer, Ready,
    SettingsChanged, TakeAt, TakeParams, TakeResult, Tool, method,
};
