//! How much memory idle chats cost: `cargo bench --bench memory`. A store gets 10,000 chats with 20
//! cards each, a new process opens it, and every chat is touched once: listed by one process, loaded
//! and sent an event in another. Neither may have more than 200 MB resident at any time.

#![expect(clippy::unwrap_used, reason = "a bench that cannot measure ends")]

#[expect(dead_code, unused_imports, reason = "the other bench uses the rest")]
#[path = "../harness/mod.rs"]
mod harness;

mod fill;

use harness::{Job, Portal, exchange_all, kib};
use hyper::StatusCode;
use serde_json::json;
use std::time::{Duration, Instant};

const CHATS: usize = 10_000;
const CARDS: usize = 20;
const CONNECTIONS: usize = 64;
/// The limit, in kibibytes.
const LIMIT: u64 = 200_000_000 / 1_024;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(measure());
}

async fn measure() {
    let folder = tempfile::tempdir().unwrap();
    let start = Instant::now();
    fill::fill(folder.path(), CHATS, CARDS).await;
    println!("\n{CHATS} chats with {CARDS} cards each, written in {}", seconds(start.elapsed()));
    println!("\n{:<34} {:>9} {:>14} {:>14}", "", "took", "resident", "most so far");

    let portal = Portal::start(folder.path()).await;
    row("started", portal.cold_start, &portal);
    let lists = (0..CHATS).map(|n| Job::get(format!("/chats/{}/cards", fill::chat(n))));
    let listed = exchange_all(&portal.http, lists.collect(), CONNECTIONS, |_, body| {
        assert_eq!(body.windows(7).filter(|at| at == b"\"call\":").count(), CARDS);
    });
    row("every chat listed", listed.await.took, &portal);
    portal.end().await;

    let portal = Portal::start(folder.path()).await;
    row("started again", portal.cold_start, &portal);
    let start = Instant::now();
    let loads = portal.loads((0..CHATS).map(first_card)).await;
    row("a card of every chat loaded", start.elapsed(), &portal);
    let events = loads.into_iter().enumerate().map(|(n, load)| {
        let body = json!({ "id": format!("event-{n}"), "load": load, "name": "a", "data": n });
        let path = format!("{}/events", first_card(n));
        Job::post(path, body.to_string(), StatusCode::ACCEPTED)
    });
    let sent = exchange_all(&portal.http, events.collect(), CONNECTIONS, |_, _| {});
    row("every chat sent an event", sent.await.took, &portal);
    portal.end().await;
}

fn first_card(n: usize) -> String {
    format!("/chats/{}/cards/c1", fill::chat(n))
}

fn row(what: &str, took: Duration, portal: &Portal) {
    let [now, most] = ["VmRSS:", "VmHWM:"].map(|key| kib(portal.pid(), key));
    println!("{what:<34} {:>9} {:>14} {:>14}", seconds(took), mb(now), mb(most));
    assert!(most < LIMIT, "more than {} were resident", mb(LIMIT));
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// Kibibytes as megabytes.
fn mb(kib: u64) -> String {
    let tenths = kib * 1_024 / 100_000;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}
