//! A scripted portal: it starts the program, speaks the link, and asks the routes as a page would.

mod dice;
mod disk;
mod http;
mod link;
mod page;
mod portal;
mod program;
mod stream;

pub(crate) use dice::Dice;
pub(crate) use disk::Disk;
pub(crate) use http::{Body, Http, Reply, Request};
pub(crate) use link::{Answer, Link, Pending, Refused, notification};
pub(crate) use page::{Card, Page, event_id};
pub(crate) use portal::{
    BASE, CHAT, ORIGIN, Portal, Tool, initialize_params, spawn, spawn_with_errors,
};
pub(crate) use program::{Program, run, terminate};
pub(crate) use stream::Stream;

use std::time::Duration;

/// Longer than anything here takes on a busy machine; what takes longer hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// The future's value, or a panic that says what did not come.
pub(crate) async fn within<T>(what: &str, future: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, future)
        .await
        .unwrap_or_else(|_| panic!("{what} did not come in {PATIENCE:?}"))
}

/// Waits for something that has no event of its own.
pub(crate) async fn eventually<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    within(what, async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    })
    .await;
}
