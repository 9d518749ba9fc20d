//! The rules of Inline UI, pure: no clock, no randomness, no files, no network.
//!
//! A [`Chat`] is one conversation's state machine. Its whole surface is four calls:
//! [`Chat::handle`] takes an [`Input`] at a [`Now`] and answers or refuses; [`Chat::poll_effect`] says
//! what the world is to do about it, drained to `None` after every call; [`Chat::poll_timeout`] says
//! when [`Chat::handle_timeout`] has something to do.
//!
//! # Delivery
//!
//! What a person does in a card is an event. It is admitted or refused ([`Refusal`], in a fixed
//! order), and an admitted one goes to exactly one place:
//!
//! ```text
//!             +-- the card's wait asks for it --> the call's result --+
//!   admitted -+                                        | given back   +--> delivered
//!             +-- else --> queued --> offered ---------|--------------+
//!                            ^  ^         |  returned  |
//!                            |  +---------|------------+
//!                            |            v
//!                     newer of the      frozen: the same id and bytes
//!                     same key join     for ever, newer ones stay apart
//! ```
//!
//! - *Queued*: keyed by card and name. A newer event replaces the data, adds to the count, moves to the end.
//! - *Offered*: a take made a message of the whole queue, as much as fits a line. One message is out at
//!   a time. It is delivered when the portal says so, in whatever state it is then; it is returned when
//!   the portal says so, when the agent becomes idle or gone, and when the link closes. A returned one
//!   goes out again first and alone.
//! - *The call's result*: an event that answers a wait is offered under the call's id. When the call is
//!   cancelled, returned, or the link closes, it joins the queue as the oldest of its key; when it turns
//!   out that the call kept it, it is taken out again.
//! - *Wake*: an idle chat with an event that may wake is hinted at, not sooner than ten seconds after the
//!   last take at a wake.
//!
//! Effects come in the order in which they are to happen, writes before what depends on them.

mod accepted;
mod admission;
mod card;
mod chat;
pub mod document;
mod effect;
mod ids;
mod input;
pub mod json;
pub mod limits;
mod message;
mod outbox;
mod rate;
mod refusal;
mod settings;
mod thrown;
mod time;
pub mod tools;
mod undo;
mod wait;

pub use card::{CardRecord, ClosedBy, DeclaredEvent, DeliveryState, width_class};
pub use chat::Chat;
pub use effect::{CardView, ChatRecord, Effect, PageEvent, Snapshot, Write};
pub use ids::{CallId, CardId, ChatId, EventId, EventName};
pub use input::{
    Accepted, AgentState, ErrorReport, EventInput, Input, LoadCheck, Show, TakeAt, Update,
};
pub use message::{CUSTOM_TYPE, Message};
pub use outbox::{Entry, Subject};
pub use refusal::Refusal;
pub use settings::{Settings, SettingsError};
pub use thrown::{CardError, CardErrorKind};
pub use time::{Instant, Now};
pub use wait::{Outcome, SettledWait, WaitFor};
