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
    run: u64,
    n: u64,
    pub(crate) event: PageEvent,
}

impl FeedEvent {
    /// Where a page that saw it goes on.
    pub(crate) fn id(&self) -> String {
        id(self.run, self.n)
    }
}

fn id(run: u64, n: u64) -> String {
    format!("{run:016x}-{n}")
}

/// The stream of one chat, as long as the chat is in memory.
#[derive(Debug)]
pub(crate) struct Feed {
    run: u64,
    n: u64,
    kept: VecDeque<Arc<FeedEvent>>,
    /// There while pages look: its buffer is large.
    live: Option<broadcast::Sender<Arc<FeedEvent>>>,
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
        Self { run, n: 0, kept: VecDeque::new(), live: None }
    }

    pub(crate) fn pages(&self) -> usize {
        self.live.as_ref().map_or(0, broadcast::Sender::receiver_count)
    }

    /// Ends when no page looks any more.
    pub(crate) async fn deserted(&self) {
        if let Some(live) = &self.live {
            live.closed().await;
        }
    }

    /// Gives back what pages needed, if none looks.
    pub(crate) fn forget_pages(&mut self) {
        if self.pages() == 0 {
            self.live = None;
        }
    }

    pub(crate) fn last_id(&self) -> String {
        id(self.run, self.n)
    }

    pub(crate) fn publish(&mut self, event: PageEvent) {
        self.n += 1;
        let event = Arc::new(FeedEvent { run: self.run, n: self.n, event });
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(event.clone());
        if let Some(live) = &self.live {
            // Nobody looking is no error.
            let _ = live.send(event);
        }
    }

    /// Without an id a page starts here and now.
    pub(crate) fn subscribe(&mut self, after: Option<&str>) -> Subscription {
        let missed = match after {
            None => Some(Vec::new()),
            Some(id) => self.behind(id).map(|n| {
                let seen = self.kept.len() - n;
                self.kept.iter().skip(seen).cloned().collect()
            }),
        };
        let at = self.last_id();
        let live = self.live.get_or_insert_with(|| broadcast::Sender::new(KEPT)).subscribe();
        Subscription { missed, live, at }
    }

    /// How many events came after the one of that id, if all of them are kept.
    fn behind(&self, after: &str) -> Option<usize> {
        let n: u64 = after.split_once('-')?.1.parse().ok()?;
        let behind = usize::try_from(self.n.checked_sub(n)?).ok()?;
        (behind <= self.kept.len() && after == id(self.run, n)).then_some(behind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inline_ui_core::CardId;

    fn removed(n: u32) -> PageEvent {
        PageEvent::Removed(CardId(n))
    }

    fn ids(events: &[Arc<FeedEvent>]) -> Vec<String> {
        events.iter().map(|event| event.id()).collect()
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
        assert!(feed.subscribe(Some("0000000000000001-301")).missed.is_none());
        assert!(feed.subscribe(Some("0000000000000001-43")).missed.is_none());
        let all = feed.subscribe(Some("0000000000000001-44")).missed.unwrap();
        assert_eq!((all.len(), all[0].id()), (256, "0000000000000001-45".to_owned()));
    }

    #[tokio::test]
    async fn who_looks_is_counted_and_told() {
        let mut feed = Feed::new(1);
        let mut one = feed.subscribe(None);
        let two = feed.subscribe(None);
        assert_eq!(feed.pages(), 2);
        drop(two);
        assert_eq!(feed.pages(), 1);
        feed.forget_pages();
        feed.publish(removed(1));
        assert_eq!(one.live.recv().await.unwrap().event, removed(1));
        drop(one);
        feed.deserted().await;
        feed.forget_pages();
        assert!(feed.live.is_none());
    }
}
