//! What the pages that look at a chat are told, with a short memory for those that come back.

use inline_ui_core::PageEvent;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Events a page may be behind before it is told to start over.
const KEPT: usize = 256;

/// One event of a chat's stream.
#[derive(Debug, Clone)]
pub(crate) struct FeedEvent {
    /// Where a page that saw it goes on.
    pub(crate) id: String,
    pub(crate) event: PageEvent,
}

/// The stream of one chat, as long as the chat is in memory.
#[derive(Debug)]
pub(crate) struct Feed {
    run: u64,
    n: u64,
    kept: VecDeque<Arc<FeedEvent>>,
    live: broadcast::Sender<Arc<FeedEvent>>,
}

/// A page's end of a stream.
#[derive(Debug)]
pub(crate) struct Subscription {
    /// What it missed; none when that is not kept any more.
    pub(crate) missed: Option<Vec<Arc<FeedEvent>>>,
    pub(crate) live: broadcast::Receiver<Arc<FeedEvent>>,
    /// The newest event's id at this moment.
    pub(crate) at: String,
}

impl Feed {
    /// `run` tells the ids of this feed from those of an earlier one of the same chat.
    pub(crate) fn new(run: u64) -> Self {
        Self { run, n: 0, kept: VecDeque::new(), live: broadcast::Sender::new(KEPT) }
    }

    pub(crate) fn pages(&self) -> usize {
        self.live.receiver_count()
    }

    pub(crate) fn last_id(&self) -> String {
        format!("{:016x}-{}", self.run, self.n)
    }

    pub(crate) fn publish(&mut self, event: PageEvent) {
        self.n += 1;
        let event = Arc::new(FeedEvent { id: self.last_id(), event });
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(event.clone());
        // Nobody looking is no error.
        let _ = self.live.send(event);
    }

    /// Without an id a page starts here and now.
    pub(crate) fn subscribe(&self, after: Option<&str>) -> Subscription {
        let missed = match after {
            None => Some(Vec::new()),
            Some(id) if id == self.last_id() => Some(Vec::new()),
            Some(id) => {
                let known = self.kept.iter().position(|event| event.id == id);
                let from = known.map(|at| at + 1).or_else(|| self.reaches_back_to(id).then_some(0));
                from.map(|at| self.kept.iter().skip(at).cloned().collect())
            }
        };
        Subscription { missed, live: self.live.subscribe(), at: self.last_id() }
    }

    /// Whether everything since the beginning of this feed is kept, and the id is that beginning.
    fn reaches_back_to(&self, id: &str) -> bool {
        usize::try_from(self.n).is_ok_and(|n| n == self.kept.len())
            && id == format!("{:016x}-0", self.run)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inline_ui_core::CardId;

    fn removed(n: u32) -> PageEvent {
        PageEvent::Removed(CardId(n))
    }

    fn ids(events: &[Arc<FeedEvent>]) -> Vec<&str> {
        events.iter().map(|event| event.id.as_str()).collect()
    }

    #[test]
    fn a_page_that_comes_back_gets_what_it_missed() {
        let mut feed = Feed::new(1);
        let start = feed.last_id();
        for n in 1..=3 {
            feed.publish(removed(n));
        }
        let missed = feed.subscribe(Some(&start)).missed.unwrap();
        assert_eq!(
            ids(&missed),
            ["0000000000000001-1", "0000000000000001-2", "0000000000000001-3"]
        );
        assert_eq!(feed.subscribe(Some("0000000000000001-2")).missed.unwrap().len(), 1);
        assert_eq!(feed.subscribe(Some("0000000000000001-3")).missed.unwrap().len(), 0);
        assert_eq!(feed.subscribe(None).missed.unwrap().len(), 0);
    }

    #[test]
    fn a_page_that_is_too_far_behind_or_of_another_run_starts_over() {
        let mut feed = Feed::new(1);
        let start = feed.last_id();
        for n in 0..300 {
            feed.publish(removed(n));
        }
        assert!(feed.subscribe(Some(&start)).missed.is_none());
        assert!(feed.subscribe(Some("0000000000000002-300")).missed.is_none());
        assert!(feed.subscribe(Some("nonsense")).missed.is_none());
    }

    #[tokio::test]
    async fn who_looks_is_counted_and_told() {
        let mut feed = Feed::new(1);
        let mut one = feed.subscribe(None);
        let two = feed.subscribe(None);
        assert_eq!(feed.pages(), 2);
        drop(two);
        assert_eq!(feed.pages(), 1);
        feed.publish(removed(1));
        assert_eq!(one.live.recv().await.unwrap().event, removed(1));
    }
}
