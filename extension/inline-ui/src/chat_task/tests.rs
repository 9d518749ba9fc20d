//! Chats that leave memory when there is a crowd in it, and what they are when they are back.

use super::*;
use crate::registry::CROWD;
use crate::server::Server;
use inline_ui_core::tools::{ToolInput, read};
use inline_ui_core::{AgentState, EventId, EventInput, LoadCheck, Outcome};
use inline_ui_store::{MemoryStore, StoreError};
use serde_json::json;
use serde_json::value::RawValue;
use std::time::Instant as Started;

struct Bench {
    server: Server<Arc<MemoryStore>>,
    store: Arc<MemoryStore>,
    _hints: mpsc::Receiver<(ChatId, TakeAt)>,
}

fn chat(name: &str) -> ChatId {
    ChatId::parse(name).unwrap()
}

impl Bench {
    fn new() -> Self {
        let (hints, hinted) = mpsc::channel(1_024);
        let store = Arc::new(MemoryStore::default());
        let server = Server::new(store.clone(), hints, Clock::start(), CancellationToken::new());
        Self { server, store, _hints: hinted }
    }

    async fn show(&self, chat: &ChatId, change: serde_json::Value) -> Answer {
        let mut arguments =
            json!({ "title": "T", "html": "<p>x</p>", "events": [{ "name": "a" }] });
        for (key, value) in change.as_object().unwrap() {
            arguments[key] = value.clone();
        }
        let arguments = RawValue::from_string(arguments.to_string()).unwrap();
        let ToolInput::Show(show, _) = read("ui_show", &arguments).unwrap() else { unreachable!() };
        let call = CallId::parse("call-1").unwrap();
        let show = Input::Show { anchor: call.clone(), call, show };
        self.server.handle(chat, show).await.unwrap()
    }

    async fn emit(&self, chat: &ChatId, id: usize) -> Result<Answer, Refusal> {
        let event = EventInput {
            card: CardId(1),
            id: EventId::parse(&format!("e{id}")).unwrap(),
            load: LoadCheck::Earlier,
            name: "a".into(),
            data: Some(id.to_string().into()),
        };
        self.server.handle(chat, Input::Event(event)).await
    }

    /// Emits until the card's rate refuses. How many were taken.
    async fn burst(&self, chat: &ChatId, from: usize) -> usize {
        for n in 0..1_000 {
            if let Err(refusal) = self.emit(chat, from + n).await {
                assert_eq!(refusal.code(), "card_rate_limited");
                return n;
            }
        }
        panic!("the rate refuses nothing");
    }

    /// Pages that look at more chats than stay in memory for their own convenience.
    async fn crowd(&self) -> Vec<Subscription> {
        let mut pages = Vec::new();
        for n in 0..=CROWD {
            pages.push(self.server.subscribe(&chat(&format!("other-{n}")), None).await.unwrap());
        }
        pages
    }

    fn is_in_memory(&self, chat: &ChatId) -> bool {
        self.server.in_memory().contains(chat)
    }

    async fn leaves(&self, chat: &ChatId) {
        let within = Started::now() + Duration::from_secs(30);
        while self.is_in_memory(chat) {
            assert!(Started::now() < within, "{chat} stays in memory");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
}

#[tokio::test]
async fn a_crowd_gives_no_card_more_than_its_rate() {
    let (bench, one) = (Bench::new(), chat("one"));
    bench.show(&one, json!({})).await;
    let started = Started::now();
    let first = bench.burst(&one, 0).await;
    let _crowd = bench.crowd().await;
    bench.server.cards(&one).await.unwrap();
    // Were it not for its rates, the one that was asked before would have left, too.
    let two = chat("two");
    bench.server.cards(&two).await.unwrap();
    bench.leaves(&two).await;
    let second = bench.burst(&one, 1_000).await;
    let made_room = usize::try_from(started.elapsed().as_millis() / 200).unwrap();
    assert!(first >= 20 && first + second <= 20 + made_room, "{first} and {second}");
}

#[tokio::test]
async fn a_chat_that_left_in_a_crowd_has_lost_nothing() {
    let (bench, one) = (Bench::new(), chat("one"));
    bench.show(&one, json!({})).await;
    bench.emit(&one, 1).await.unwrap();
    bench.emit(&one, 2).await.unwrap();
    let cards = bench.server.cards(&one).await.unwrap().cards;
    let _crowd = bench.crowd().await;
    assert!(bench.is_in_memory(&one));
    bench.server.cards(&one).await.unwrap();
    bench.leaves(&one).await;
    assert_eq!(bench.server.cards(&one).await.unwrap().cards, cards);
    let again = bench.emit(&one, 1).await.unwrap().accepted;
    assert!(matches!(again, Accepted::Event { .. }));
    let taken = bench.server.handle(&one, Input::Take(TakeAt::Prompt)).await.unwrap().accepted;
    let Accepted::Taken(Some(message)) = taken else { panic!("nothing to take") };
    assert!(message.details.contains(r#""count":2"#), "{}", message.details);
}

#[tokio::test]
async fn without_a_crowd_a_chat_stays() {
    let (bench, one) = (Bench::new(), chat("one"));
    bench.server.cards(&one).await.unwrap();
    tokio::time::sleep(4 * REST_IN_CROWD).await;
    assert!(bench.is_in_memory(&one));
}

#[tokio::test]
async fn a_chat_that_a_page_looks_at_stays_until_it_looks_away() {
    let (bench, one) = (Bench::new(), chat("one"));
    let _crowd = bench.crowd().await;
    let page = bench.server.subscribe(&one, None).await.unwrap();
    let two = chat("two");
    bench.server.cards(&two).await.unwrap();
    bench.leaves(&two).await;
    assert!(bench.is_in_memory(&one));
    drop(page);
    bench.leaves(&one).await;
}

#[tokio::test]
async fn a_chat_whose_call_waits_or_whose_agent_works_stays() {
    let bench = Bench::new();
    let (waits, works, two) = (chat("waits"), chat("works"), chat("two"));
    let _crowd = bench.crowd().await;
    let mut asked = bench.show(&waits, json!({ "wait": { "event": "a" } })).await;
    bench.server.handle(&works, Input::Agent(AgentState::Working)).await.unwrap();
    bench.server.cards(&two).await.unwrap();
    bench.leaves(&two).await;
    assert!(bench.is_in_memory(&waits) && bench.is_in_memory(&works));
    bench.emit(&waits, 1).await.unwrap();
    let (settled, _) = asked.wait.take().unwrap().await.unwrap();
    assert!(matches!(settled.outcome, Outcome::Answered { .. }));
}

#[tokio::test]
async fn an_event_that_cannot_be_written_leaves_the_call_waiting_and_comes_again() {
    let (bench, one) = (Bench::new(), chat("one"));
    let mut asked = bench.show(&one, json!({ "wait": { "event": "a" } })).await;
    bench.store.fail_with(Some(StoreError::Full));
    assert_eq!(bench.emit(&one, 1).await.unwrap_err().code(), "storage_unavailable");
    let mut wait = asked.wait.take().unwrap();
    assert!(wait.try_recv().is_err());
    bench.store.fail_with(None);
    bench.emit(&one, 1).await.unwrap();
    assert!(matches!(wait.await.unwrap().0.outcome, Outcome::Answered { .. }));
}
