//! The extension as the portal sees it: a child process that is kept running, the link to it, and
//! what must reach it although it was away for a while.

mod connection;
pub(crate) mod gateway;
mod host;
mod process;
mod settings;
mod take;

pub(crate) use connection::{Connection, LinkError};
pub(crate) use host::{Host, HostState, Profile};
pub(crate) use process::{Introduction, supervise};
pub(crate) use settings::BadSetting;
pub(crate) use take::{Offer, Take, Taken, Takes};

#[cfg(test)]
pub(crate) mod fake;
