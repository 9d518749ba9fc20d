//! The small portal: a real agent portal with its extensions, to try Inline UI in a minute and to be
//! the reference for other portals' side of the link.
//!
//! A [`Portal`] is made from a [`PortalConfig`], listens once it is made, and answers until the token
//! given to [`Portal::serve`] is cancelled.
//!
//! One task owns each chat: its transcript, and the run in it. The run takes what the outbox has,
//! gives the model the transcript, carries out its calls, and reports everything to that task, which
//! writes it to disk before anybody hears of it. Each extension is a child process that is started
//! again when it ends; what it must not miss while it is away is told when it is back.

mod chat;
mod config;
mod demo;
mod error;
mod extension;
mod http;
mod model;
mod packages;
mod portal;
mod site;
mod store;
mod trust;

pub use config::{ExtensionCommand, PortalConfig};
pub use error::PortalError;
pub use model::{Access, ModelAccess};
pub use packages::RegistryConfig;
pub use portal::Portal;
