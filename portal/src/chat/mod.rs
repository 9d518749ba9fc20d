//! Chats: one task owns a chat's transcript and its run, and nobody else touches either.

mod feed;
mod hub;
mod item;
mod keep;
mod run;
mod stop;
mod task;
mod transcript;

pub(crate) use feed::PageEvent;
pub(crate) use hub::{ChatError, Hub};
#[cfg(test)]
pub(crate) use item::{Assistant, CallAnswer, Level, Notice, Person};
pub(crate) use item::{Call, CallStatus, Events, Item, Kind};

#[cfg(test)]
pub(crate) mod tests;

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
