use super::item::{Assistant, Call, CallAnswer, CallStatus, Item, Kind, Level, Notice, Person};
use crate::store::{Loaded, Row};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The items of one chat in the order the model reads them: queued messages stand last, in the order
/// they came.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    items: Vec<Arc<Item>>,
    queued: usize,
    last_id: i64,
    positions: HashMap<i64, i64>,
    last_position: i64,
    messages: HashSet<String>,
}

impl Transcript {
    pub(crate) fn load(loaded: &Loaded) -> Self {
        let mut transcript = Self::default();
        for row in &loaded.rows {
            transcript.last_id = transcript.last_id.max(row.id);
            if let Some(position) = row.position {
                transcript.last_position = transcript.last_position.max(position);
                transcript.positions.insert(row.id, position);
            }
            match Item::from_row(row) {
                Ok(item) => transcript.push(Arc::new(item)),
                Err(error) => tracing::error!(item = row.id, %error, "item unreadable, left out"),
            }
        }
        transcript
    }

    /// A new item that is in no transcript yet, with the next number.
    pub(crate) fn make(&mut self, at: i64, kind: Kind) -> Item {
        self.last_id += 1;
        Item { id: self.last_id, at, kind }
    }

    /// How an item goes to disk. It takes its place there when it is first written unqueued.
    pub(crate) fn row(&mut self, item: &Item) -> serde_json::Result<Row> {
        if item.is_queued() {
            return item.to_row(None);
        }
        let position = *self.positions.entry(item.id).or_insert_with(|| {
            self.last_position += 1;
            self.last_position
        });
        item.to_row(Some(position))
    }

    /// Puts a new item in, or replaces the one of its number.
    pub(crate) fn put(&mut self, item: Item) -> Arc<Item> {
        let item = Arc::new(item);
        match self.items.iter().rposition(|it| it.id == item.id) {
            Some(at) => {
                let was_queued = self.items[at].is_queued();
                self.items.remove(at);
                if was_queued {
                    self.queued -= 1;
                    self.push(Arc::clone(&item));
                } else {
                    self.items.insert(at, Arc::clone(&item));
                }
            }
            None => self.push(Arc::clone(&item)),
        }
        item
    }

    /// Lets the assistant's item of that number grow.
    pub(crate) fn append_text(&mut self, id: i64, text: &str) {
        let Some(item) = self.items.iter_mut().rev().find(|item| item.id == id) else { return };
        if let Kind::Assistant(assistant) = &mut Arc::make_mut(item).kind {
            assistant.text.push_str(text);
        }
    }

    fn push(&mut self, item: Arc<Item>) {
        if let Kind::Events(events) = &item.kind {
            self.messages.insert(events.message.clone());
        }
        if item.is_queued() {
            self.queued += 1;
            self.items.push(item);
        } else {
            self.items.insert(self.items.len() - self.queued, item);
        }
    }

    pub(crate) fn items(&self) -> &[Arc<Item>] {
        &self.items
    }

    /// What stands: everything but what is queued.
    pub(crate) fn unqueued(&self) -> &[Arc<Item>] {
        &self.items[..self.items.len() - self.queued]
    }

    /// What the model reads. The person acted in the cards before they wrote, so what was taken with
    /// a message comes before it.
    pub(crate) fn context(&self) -> Vec<Arc<Item>> {
        let mut context: Vec<Arc<Item>> = Vec::with_capacity(self.items.len());
        let mut prompt = 0;
        for item in self.unqueued() {
            match &item.kind {
                Kind::Events(events) if events.with_prompt => {
                    context.insert(prompt, Arc::clone(item));
                    prompt += 1;
                    continue;
                }
                Kind::Person(_) => prompt = context.len(),
                _ => {}
            }
            context.push(Arc::clone(item));
        }
        context
    }

    pub(crate) fn has_message(&self, id: &str) -> bool {
        self.messages.contains(id)
    }

    pub(crate) fn has_queued(&self) -> bool {
        self.queued > 0
    }

    /// The message that is next in the queue, as it will be once it has its turn.
    pub(crate) fn next_queued(&self) -> Option<Item> {
        let next = &self.items[self.items.len() - self.queued..].first()?;
        let Kind::Person(person) = &next.kind else { return None };
        let person = Person { text: person.text.clone(), queued: false };
        Some(Item { id: next.id, at: next.at, kind: Kind::Person(person) })
    }

    pub(crate) fn call(&self, call: &str) -> Option<(&Arc<Item>, &Call)> {
        self.items.iter().rev().find_map(|item| match &item.kind {
            Kind::Call(it) if it.call == call => Some((item, it)),
            _ => None,
        })
    }

    /// Text that a killed portal was writing, marked as such.
    pub(crate) fn interrupted(&self) -> Vec<Item> {
        let interrupted = |item: &Arc<Item>| match &item.kind {
            Kind::Assistant(assistant) if assistant.streaming => {
                let text = assistant.text.clone();
                let assistant = Assistant { text, streaming: false, interrupted: true };
                Some(Item { id: item.id, at: item.at, kind: Kind::Assistant(assistant) })
            }
            _ => None,
        };
        self.items.iter().filter_map(interrupted).collect()
    }

    /// The calls still running, as cancelled ones, with what is read in place of their results.
    pub(crate) fn cancelled_calls(&self, why: &str) -> Vec<Item> {
        let cancelled = |item: &Arc<Item>| match &item.kind {
            Kind::Call(call) if call.status == CallStatus::Running => {
                let result = Some(CallAnswer { text: why.to_owned(), structured: None });
                let call = Call { status: CallStatus::Cancelled, result, ..call.clone() };
                Some(Item { id: item.id, at: item.at, kind: Kind::Call(call) })
            }
            _ => None,
        };
        self.items.iter().filter_map(cancelled).collect()
    }

    pub(crate) fn notice(&mut self, at: i64, level: Level, text: &str) -> Item {
        self.make(at, Kind::Notice(Notice { level, text: text.to_owned() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(transcript: &mut Transcript, text: &str, queued: bool) -> Arc<Item> {
        let item = transcript.make(0, Kind::Person(Person { text: text.to_owned(), queued }));
        transcript.put(item)
    }

    fn order(transcript: &Transcript) -> Vec<i64> {
        transcript.items().iter().map(|item| item.id).collect()
    }

    #[test]
    fn a_queued_message_stands_last_until_it_has_its_turn() {
        let mut it = Transcript::default();
        person(&mut it, "first", false);
        person(&mut it, "queued", true);
        person(&mut it, "queued too", true);
        let late = it.notice(0, Level::Info, "late");
        it.put(late);
        assert_eq!(order(&it), [1, 4, 2, 3]);
        assert_eq!(it.context().len(), 2);
        let next = it.next_queued().unwrap();
        assert_eq!(next.id, 2);
        it.put(next);
        assert_eq!(order(&it), [1, 4, 2, 3]);
        assert_eq!(it.context().len(), 3);
        let after = it.notice(0, Level::Info, "after");
        it.put(after);
        assert_eq!(order(&it), [1, 4, 2, 5, 3]);
    }

    #[test]
    fn an_item_written_again_keeps_its_place() {
        let mut it = Transcript::default();
        let first = person(&mut it, "first", false);
        let second = person(&mut it, "second", false);
        let place = it.row(&first).unwrap().position;
        assert_ne!(it.row(&second).unwrap().position, place);
        assert_eq!(it.row(&first).unwrap().position, place);
    }

    #[test]
    fn what_was_loaded_has_the_order_it_had() {
        let mut it = Transcript::default();
        let mut rows = Vec::new();
        person(&mut it, "first", false);
        person(&mut it, "queued", true);
        let late = it.notice(0, Level::Info, "late");
        it.put(late);
        for item in it.items().to_vec() {
            rows.push(it.row(&item).unwrap());
        }
        let loaded = Loaded { title: String::new(), working: false, rows };
        let mut back = Transcript::load(&loaded);
        assert_eq!(order(&back), [1, 3, 2]);
        assert!(back.has_queued());
        assert_eq!(back.notice(0, Level::Info, "next").id, 4);
    }
}
