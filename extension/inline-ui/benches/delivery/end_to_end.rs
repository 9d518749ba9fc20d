//! From the POST to the portal's acknowledgement: the event is written, hinted at, taken as a
//! message, and said to be delivered.

use crate::cards::{Cards, EACH};
use crate::harness::{Job, Portal, Run};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tokio::sync::oneshot;
use tokio::task::JoinSet;

/// Chats that have an event under way at the same time.
const CHATS: usize = 8;
/// Events of a chat, one after the other.
const EVENTS: usize = EACH * 20;

type Under = Arc<Mutex<HashMap<String, oneshot::Sender<Instant>>>>;

pub(crate) async fn run(portal: &mut Portal) -> Run {
    let cards = Cards::show(portal, "whole", CHATS).await;
    let under_way = Under::default();
    let mut hints = portal.hints.take().unwrap();
    // Those about chats of earlier measurements.
    while hints.try_recv().is_ok() {}
    let acknowledging = tokio::spawn(acknowledge(portal.speaker(), hints, under_way.clone()));
    let start = Instant::now();
    let mut chats = JoinSet::new();
    let events = cards.events(20);
    for chat in 0..CHATS {
        let mine: Vec<Job> = events.iter().skip(chat).step_by(CHATS).cloned().collect();
        assert_eq!(mine.len(), EVENTS);
        let mut connection = portal.http.connect().await;
        let under_way = under_way.clone();
        chats.spawn(async move {
            let mut latencies = Vec::new();
            for job in mine {
                let body: Value = serde_json::from_slice(&job.body).unwrap();
                let (done, acknowledged) = oneshot::channel();
                under_way.lock().unwrap().insert(body["id"].as_str().unwrap().to_owned(), done);
                let sent = Instant::now();
                connection.send(&job).await;
                latencies.push(acknowledged.await.unwrap() - sent);
            }
            latencies
        });
    }
    let latencies = chats.join_all().await.into_iter().flatten().collect();
    acknowledging.abort();
    Run::new(start.elapsed(), latencies)
}

/// What a portal does with hints.
async fn acknowledge(
    speaker: crate::harness::Speaker,
    mut hints: tokio::sync::mpsc::UnboundedReceiver<String>,
    under_way: Under,
) {
    while let Some(chat) = hints.recv().await {
        let (speaker, under_way) = (speaker.clone(), under_way.clone());
        tokio::spawn(async move {
            let params = json!({ "chat": chat, "at": "prompt" });
            let message = speaker.request("outbox/take", &params).await["message"].take();
            let Some(id) = message["id"].as_str() else { return };
            speaker.notify("outbox/delivered", &json!({ "chat": chat, "id": id }));
            let acknowledged = Instant::now();
            for event in message["details"]["events"].as_array().unwrap() {
                if let Some(done) = under_way.lock().unwrap().remove(event["id"].as_str().unwrap())
                {
                    let _ = done.send(acknowledged);
                }
            }
        });
    }
}
