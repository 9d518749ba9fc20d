//! How fast an event is: `cargo bench --bench delivery`. Everything in the table is measured in this
//! one run, over loopback, with this process as the only client.
//!
//! The floor is what the same client gets from a route that does nothing but read the event.

#![expect(clippy::unwrap_used, reason = "a bench that cannot measure ends")]

#[expect(dead_code, unused_imports, reason = "the other bench uses the rest")]
#[path = "../harness/mod.rs"]
mod harness;

mod cards;
mod end_to_end;
mod floor;
mod flush;
mod machine;
mod paced;

use cards::Cards;
use harness::{Http, Portal, Run, exchange_all, processor_time};
use std::time::Duration;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Connections that post, each with one request under way.
const CONNECTIONS: usize = 256;
/// The floor and the route are measured in turn, this often, each time with events of their own.
const ROUNDS: usize = 5;
/// Chats of a round. Each has 3 cards, whose bursts are the chat's burst: 60 events.
const CHATS: usize = 250;

/// What takes longer than this is no measurement.
const LONGEST: Duration = Duration::from_secs(55);

fn main() {
    if std::env::args().nth(1).is_some_and(|mode| mode == floor::MODE) {
        floor::serve();
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let machine = machine::rows();
    let measured =
        runtime.block_on(async { tokio::time::timeout(LONGEST, measure(machine)).await });
    assert!(measured.is_ok(), "it took longer than {LONGEST:?}: the machine is busy");
}

async fn measure(machine: Vec<(String, f64)>) {
    let folder = tempfile::tempdir().unwrap();
    Portal::start(folder.path()).await.end().await;
    let mut portal = Portal::start(folder.path()).await;
    let floor = floor::Floor::start().await;
    let mut rounds = Vec::new();
    let mut ran = [Duration::ZERO; 2];
    for round in 0..ROUNDS {
        let cards = Cards::show(&portal, &format!("route-{round}"), CHATS).await;
        let before = [floor.pid(), portal.pid()].map(processor_time);
        let bare = post(&floor.http, &cards).await;
        let route = post(&portal.http, &cards).await;
        let after = [floor.pid(), portal.pid()].map(processor_time);
        (0..2).for_each(|at| ran[at] += after[at].saturating_sub(before[at]));
        rounds.push((route.a_second() / bare.a_second(), bare, route));
    }
    rounds.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ratios: Vec<String> = rounds.iter().map(|(ratio, ..)| format!("{ratio:.2}")).collect();
    let (_, bare, route) = rounds.swap_remove(ROUNDS / 2);
    let paced = paced::run(&portal).await;
    let flush = flush::run(folder.path());
    let delivered = end_to_end::run(&mut portal).await;

    println!("\n{:<46} {:>12} {:>9} {:>10} {:>10}", "", "events/s", "of floor", "p50", "p99");
    let floor_rate = bare.a_second();
    row("floor: a bare route", &bare, Some(floor_rate));
    for (what, rate) in machine {
        println!("{what:<46} {rate:>12.0} {:>9.2}", rate / floor_rate);
    }
    row("floor: 8 KiB written and flushed to the disk", &flush, None);
    row("route and store", &route, Some(floor_rate));
    row(&format!("route and store, {} a second", paced::RATE), &paced, None);
    row("to the portal's acknowledgement", &delivered, None);
    println!("{:<46} {:>43}", "cold start to the answer of initialize", ms(portal.cold_start));
    println!(
        "\n{CONNECTIONS} connections; {} events a round, the round with the middle ratio of {}; all events are accepted",
        bare.latencies.len(),
        ratios.join(" "),
    );
    let events = u32::try_from(ROUNDS * bare.latencies.len()).unwrap();
    let [bare, route] = ran.map(|ran| (ran / events).as_nanos());
    println!(
        "processor time of the server an event, all rounds: {}.{} µs bare, {}.{} µs route and store",
        bare / 1_000,
        bare / 100 % 10,
        route / 1_000,
        route / 100 % 10
    );
    portal.end().await;
}

async fn post(http: &Http, cards: &Cards) -> Run {
    exchange_all(http, cards.events(20), CONNECTIONS, |_, _| {}).await
}

fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1_000.0)
}

fn row(what: &str, run: &Run, floor: Option<f64>) {
    let of_floor = floor.map_or_else(String::new, |floor| format!("{:.2}", run.a_second() / floor));
    let [p50, p99] = [50, 99].map(|percent| ms(run.percentile(percent)));
    println!("{what:<46} {:>12.0} {of_floor:>9} {p50:>10} {p99:>10}", run.a_second());
}
