use super::item::Item;
use portal_link::AgentState;
use serde_json::json;
use std::collections::VecDeque;
use std::sync::Arc;
use tokio::sync::broadcast;

/// Events kept for a page that comes back, by number and by their bytes.
const KEPT: usize = 256;
const KEPT_BYTES: usize = 2 * 1024 * 1024;
/// A page that is further behind than this is told to read the chat again.
const LIVE: usize = 1024;

/// What the pages of one chat hear.
#[derive(Debug)]
pub(crate) struct Feed {
    /// Tells the ids of this life of the chat from those of one before.
    life: u32,
    last: u64,
    kept: VecDeque<Arc<PageEvent>>,
    kept_bytes: usize,
    to_pages: broadcast::Sender<Arc<PageEvent>>,
}

/// One server-sent event.
#[derive(Debug)]
pub(crate) struct PageEvent {
    number: Option<u64>,
    /// Absent on deltas, which nobody can resume from.
    pub(crate) id: Option<String>,
    pub(crate) name: &'static str,
    pub(crate) data: String,
}

/// What a page that connects gets: what it missed, then what happens.
#[derive(Debug)]
pub(crate) struct Subscription {
    pub(crate) missed: Vec<Arc<PageEvent>>,
    pub(crate) live: broadcast::Receiver<Arc<PageEvent>>,
}

impl Feed {
    pub(crate) fn new(life: u32) -> Self {
        let (to_pages, _) = broadcast::channel(LIVE);
        Self { life, last: 0, kept: VecDeque::new(), kept_bytes: 0, to_pages }
    }

    pub(crate) fn item(&mut self, item: &Item) {
        let data = item_data(item);
        self.keep("item", data);
    }

    pub(crate) fn agent(&mut self, agent: AgentState) {
        self.keep("agent", json!({ "agent": agent }).to_string());
    }

    pub(crate) fn title(&mut self, title: &str) {
        self.keep("title", json!({ "title": title }).to_string());
    }

    pub(crate) fn deleted(&mut self) {
        self.keep("deleted", "{}".to_owned());
    }

    pub(crate) fn delta(&self, id: i64, text: &str) {
        let data = json!({ "id": id, "text": text }).to_string();
        let _ =
            self.to_pages.send(Arc::new(PageEvent { number: None, id: None, name: "delta", data }));
    }

    /// The id to resume after everything so far.
    pub(crate) fn position(&self) -> String {
        self.id(self.last)
    }

    pub(crate) fn watched(&self) -> bool {
        self.to_pages.receiver_count() > 0
    }

    /// `streaming` is the item that grows at this moment: whoever connects gets it whole, since the
    /// deltas it missed are not kept.
    pub(crate) fn subscribe(&self, after: Option<&str>, streaming: Option<&Item>) -> Subscription {
        let live = self.to_pages.subscribe();
        let mut missed: Vec<_> = match after.map(|after| self.number_of(after)) {
            None => Vec::new(),
            Some(Some(number)) => {
                let newer = |event: &&Arc<PageEvent>| event.number > Some(number);
                self.kept.iter().filter(newer).cloned().collect()
            }
            Some(None) => vec![self.resync()],
        };
        missed.extend(streaming.map(|item| {
            let id = Some(self.position());
            Arc::new(PageEvent { number: None, id, name: "item", data: item_data(item) })
        }));
        Subscription { missed, live }
    }

    fn resync(&self) -> Arc<PageEvent> {
        let id = Some(self.position());
        Arc::new(PageEvent { number: None, id, name: "resync", data: "{}".to_owned() })
    }

    /// The number in an id, when everything after it is still held.
    fn number_of(&self, id: &str) -> Option<u64> {
        let (life, number) = id.split_once('-')?;
        let number: u64 = number.parse().ok()?;
        let oldest = self.last + 1 - self.kept.len() as u64;
        let held =
            life == format!("{:08x}", self.life) && number <= self.last && number + 1 >= oldest;
        held.then_some(number)
    }

    fn id(&self, number: u64) -> String {
        format!("{:08x}-{number}", self.life)
    }

    fn keep(&mut self, name: &'static str, data: String) {
        self.last += 1;
        self.kept_bytes += data.len();
        let id = Some(self.id(self.last));
        let event = Arc::new(PageEvent { number: Some(self.last), id, name, data });
        self.kept.push_back(Arc::clone(&event));
        while self.kept.len() > KEPT || self.kept_bytes > KEPT_BYTES {
            let Some(oldest) = self.kept.pop_front() else { break };
            self.kept_bytes -= oldest.data.len();
        }
        let _ = self.to_pages.send(event);
    }
}

fn item_data(item: &Item) -> String {
    #[derive(serde::Serialize)]
    struct Data<'a> {
        item: &'a Item,
    }
    serde_json::to_string(&Data { item }).unwrap_or_else(|error| {
        tracing::error!(item = item.id, %error, "item unwritable");
        "{}".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(subscription: &Subscription) -> Vec<&'static str> {
        subscription.missed.iter().map(|event| event.name).collect()
    }

    #[test]
    fn a_page_that_comes_back_gets_what_it_missed_and_no_more() {
        let mut feed = Feed::new(7);
        feed.title("a");
        let seen = feed.position();
        assert!(names(&feed.subscribe(Some(&seen), None)).is_empty());
        feed.agent(AgentState::Idle);
        feed.deleted();
        assert_eq!(names(&feed.subscribe(Some(&seen), None)), ["agent", "deleted"]);
        assert!(names(&feed.subscribe(None, None)).is_empty());
    }

    #[test]
    fn an_id_that_is_not_held_any_more_is_answered_with_resync() {
        let mut feed = Feed::new(7);
        let first = feed.position();
        for _ in 0..KEPT {
            feed.title("a");
        }
        assert_eq!(feed.subscribe(Some(&first), None).missed.len(), KEPT);
        feed.title("a");
        assert_eq!(names(&feed.subscribe(Some(&first), None)), ["resync"]);
        for id in ["00000008-1", "00000007-99999", "nonsense", "", "00000007-18446744073709551615"]
        {
            assert_eq!(names(&feed.subscribe(Some(id), None)), ["resync"], "{id}");
        }
    }

    #[test]
    fn large_events_are_forgotten_by_their_bytes() {
        let mut feed = Feed::new(7);
        let first = feed.position();
        feed.title(&"x".repeat(KEPT_BYTES));
        assert_eq!(names(&feed.subscribe(Some(&first), None)), ["resync"]);
    }
}
