//! Extensions as the portal sees them: each a child process that is kept running, the link to it, and
//! what must reach it although it was away for a while.

mod connection;
pub(crate) mod gateway;
mod host;
mod hosts;
mod process;
mod settings;
mod take;
mod takes;

pub(crate) use connection::{Connection, LinkError};
pub(crate) use host::{Host, HostState, Profile};
pub(crate) use hosts::{Hosts, Surroundings};
pub(crate) use settings::BadSetting;
pub(crate) use take::{Offer, Taken};
pub(crate) use takes::{Take, Takes};

#[cfg(test)]
pub(crate) mod fake;
