use crate::harness::{Job, Portal};
use hyper::StatusCode;
use serde_json::json;

/// Cards of a chat.
pub(crate) const EACH: usize = 3;

/// Cards that a page has loaded.
#[derive(Debug)]
pub(crate) struct Cards(Vec<Card>);

#[derive(Debug, Clone)]
struct Card {
    path: String,
    load: String,
}

impl Cards {
    /// Shows cards in that many new chats and loads each.
    pub(crate) async fn show(portal: &Portal, prefix: &str, chats: usize) -> Self {
        let chats: Vec<String> = (0..chats).map(|n| format!("{prefix}-{n}")).collect();
        portal.show(&chats, EACH).await;
        let paths: Vec<String> = (1..=EACH)
            .flat_map(|card| chats.iter().map(move |chat| format!("/chats/{chat}/cards/c{card}")))
            .collect();
        let loads = portal.loads(paths.iter().cloned()).await;
        Self(paths.into_iter().zip(loads).map(|(path, load)| Card { path, load }).collect())
    }

    /// `each` events of every card, all cards in turn.
    pub(crate) fn events(&self, each: usize) -> Vec<Job> {
        (0..each).flat_map(|n| self.0.iter().map(move |card| card.event(n))).collect()
    }
}

impl Card {
    fn event(&self, n: usize) -> Job {
        let id = format!("{:016x}-{n}", rand::random::<u64>());
        let name = ["a", "b"][n % 2];
        let data = json!({ "colour": "teal", "at": [n, 12.5], "note": "as a person would" });
        let body = json!({ "id": id, "load": self.load, "name": name, "data": data }).to_string();
        Job::post(format!("{}/events", self.path), body, StatusCode::ACCEPTED)
    }
}
