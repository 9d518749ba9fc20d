//! Events that come at an even pace, whether or not earlier ones are answered.

use crate::CONNECTIONS;
use crate::cards::{Cards, EACH};
use crate::harness::{Job, Portal, Run};
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Events a second.
pub(crate) const RATE: u32 = 2_000;
const SECONDS: u32 = 4;

/// Latencies count from the moment an event was due.
pub(crate) async fn run(portal: &Portal) -> Run {
    let events = (RATE * SECONDS) as usize;
    let cards = Cards::show(portal, "paced", events.div_ceil(EACH * 20)).await;
    let mut queues = Vec::new();
    let mut tasks = JoinSet::new();
    for _ in 0..CONNECTIONS {
        let mut connection = portal.http.connect().await;
        let (queue, mut due) = mpsc::unbounded_channel::<(Instant, Job)>();
        queues.push(queue);
        tasks.spawn(async move {
            let mut latencies = Vec::new();
            while let Some((at, job)) = due.recv().await {
                connection.send(&job).await;
                latencies.push(at.elapsed());
            }
            latencies
        });
    }
    let jobs: Vec<Job> = cards.events(20).into_iter().take(events).collect();
    let start = Instant::now();
    // A thread of its own: a timer of the runtime is a millisecond coarse.
    std::thread::spawn(move || {
        for (n, job) in (0..).zip(jobs) {
            let due = start + Duration::from_secs(1) / RATE * n;
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
            queues[n as usize % CONNECTIONS].send((due, job)).unwrap();
        }
    });
    let latencies = tasks.join_all().await.into_iter().flatten().collect();
    Run::new(start.elapsed(), latencies)
}
