//! One long session of a scripted portal, run straight through and again with a kill after every
//! step that was acknowledged.

use crate::harness::{CHAT, Card, Portal};
use serde_json::{Value, json};

/// What happens between two steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Between {
    Nothing,
    Restart,
    Kill,
}

struct Session {
    portal: Portal,
    between: Between,
    /// Messages the portal has, as it would keep them in its transcript.
    had: Vec<String>,
}

impl Session {
    /// A step was acknowledged: whatever comes now, it is there.
    async fn acknowledged(&mut self) {
        let before = self.portal.page(CHAT).cards().await;
        match self.between {
            Between::Nothing => return,
            Between::Restart => self.portal.restart().await,
            Between::Kill => self.portal.kill_and_restart().await,
        }
        let after = self.portal.page(CHAT).cards().await;
        assert_eq!(lasting(&after), lasting(&before));
    }

    async fn tool(&mut self, name: &str, arguments: Value) -> Value {
        let result = self.portal.tool(CHAT, name, arguments).await;
        assert!(!result.is_error, "{}", result.text);
        self.acknowledged().await;
        result.structured
    }

    async fn emit(&mut self, card: &str, name: &str, data: Value) {
        let card: Card = self.portal.page(CHAT).open(card).await;
        card.emit(name, data).await.accepted();
        self.acknowledged().await;
    }

    /// Takes one message and, when it came, keeps it and says so. What its lines tell.
    async fn message(&mut self, at: &str) -> Vec<(String, String, u64)> {
        let message = self.portal.take(CHAT, at).await;
        self.acknowledged().await;
        let Some(id) = message["id"].as_str() else { return Vec::new() };
        assert!(!self.had.iter().any(|had| had == id), "{id} was delivered before");
        self.had.push(id.to_owned());
        self.portal.delivered(CHAT, id).await;
        // An answer about the chat comes after what was said before it.
        self.portal.page(CHAT).cards().await;
        self.acknowledged().await;
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let events = message["details"]["events"].as_array().unwrap();
        events
            .iter()
            .map(|event| {
                (text(&event["card"]), text(&event["name"]), event["count"].as_u64().unwrap())
            })
            .collect()
    }

    async fn agent(&mut self, state: &str) {
        self.portal.agent(CHAT, state).await;
    }
}

/// What of a card a restart keeps: all but the moment's delivery state, which is the agent's.
fn lasting(cards: &[Value]) -> Vec<Value> {
    let mut cards = cards.to_vec();
    for card in &mut cards {
        for key in ["state", "inMs", "waiting"] {
            card.as_object_mut().unwrap().remove(key);
        }
    }
    cards
}

fn told(entries: &[(&str, &str, u64)]) -> Vec<(String, String, u64)> {
    entries
        .iter()
        .map(|(card, name, count)| ((*card).to_owned(), (*name).to_owned(), *count))
        .collect()
}

async fn script(between: Between) {
    let mut session = Session { portal: Portal::start().await, between, had: Vec::new() };
    session.agent("working").await;
    let events = json!([{ "name": "change" }, { "name": "pick", "once": true }, { "name": "go", "wake": true }]);
    let shown = session
        .tool("ui_show", json!({ "title": "Pick", "html": "<p>one</p>", "events": events }))
        .await;
    assert_eq!(shown["card"], "c1");
    let shown = session
        .tool("ui_show", json!({ "title": "Two", "html": "<p>two</p>", "events": events }))
        .await;
    assert_eq!(shown["card"], "c2");

    // Three changes are one entry with the newest data, behind what came between them.
    session.emit("c1", "change", json!(1)).await;
    session.emit("c1", "pick", json!("red")).await;
    session.emit("c1", "change", json!(2)).await;
    session.emit("c2", "change", json!(3)).await;
    session.agent("working").await;
    let first = session.message("step").await;
    assert_eq!(first, told(&[("c1", "pick", 1), ("c1", "change", 2), ("c2", "change", 1)]));
    assert!(session.message("step").await.is_empty());

    // A post and a new document; the post is the one that a card gets when it loads.
    session.tool("ui_update", json!({ "card": "c1", "data": { "n": 1 } })).await;
    session
        .tool("ui_update", json!({ "card": "c1", "data": { "n": 2 }, "title": "Pick again" }))
        .await;
    session.tool("ui_update", json!({ "card": "c1", "html": "<p>afresh</p>" })).await;
    let card = session.portal.page(CHAT).open("c1").await;
    assert_eq!(card.loaded["post"], json!({ "n": 2, "data": { "n": 2 } }));
    assert!(card.document().ends_with("<p>afresh</p>"));
    card.emit("pick", json!("blue")).await.refused(409, "event_spent");

    // The run ends with an event left; a returned message is the same one.
    session.emit("c1", "change", json!(4)).await;
    session.agent("idle").await;
    let out = session.portal.take(CHAT, "prompt").await;
    session.acknowledged().await;
    session.portal.returned(CHAT, out["id"].as_str().unwrap()).await;
    session.acknowledged().await;
    session.emit("c2", "change", json!(5)).await;
    assert_eq!(session.portal.take(CHAT, "prompt").await.to_string(), out.to_string());
    session.portal.returned(CHAT, out["id"].as_str().unwrap()).await;
    assert_eq!(session.message("prompt").await, told(&[("c1", "change", 1)]));
    assert_eq!(session.message("prompt").await, told(&[("c2", "change", 1)]));

    // A wake starts the turn of an agent that is idle or gone.
    session.agent("idle").await;
    session.emit("c2", "go", json!("now")).await;
    session.portal.hint(CHAT, "wake").await;
    assert_eq!(session.message("wake").await, told(&[("c2", "go", 1)]));

    // A question that is aborted, one that is answered and kept, one that is answered and lost.
    session.agent("working").await;
    let (call, wait, asked) = session.portal.ask(CHAT, json!({ "event": "ok" })).await;
    assert_eq!(asked, "c3");
    session.portal.cancel(&call).await;
    assert_eq!(session.portal.result(&wait).await.structured["outcome"], "cancelled");
    session.acknowledged().await;
    for (kept, number) in [(true, "c4"), (false, "c5")] {
        let (call, wait, asked) = session.portal.ask(CHAT, json!({ "event": "ok" })).await;
        assert_eq!(asked, number);
        session.portal.page(CHAT).open(&asked).await.emit("ok", json!(number)).await.accepted();
        let answer = session.portal.result(&wait).await.structured;
        assert_eq!(
            (&answer["outcome"], &answer["event"]["data"]),
            (&json!("answered"), &json!(number))
        );
        if kept {
            session.portal.delivered(CHAT, &call).await;
            session.portal.page(CHAT).cards().await;
        } else {
            session.portal.cancel(&call).await;
        }
        session.acknowledged().await;
    }
    assert_eq!(session.message("step").await, told(&[("c5", "ok", 1)]));

    // The person closes one, the agent another.
    session.portal.page(CHAT).close("c2").await.ok();
    session.acknowledged().await;
    session.tool("ui_close", json!({ "card": "c1" })).await;
    let note = session.message("step").await;
    assert_eq!(
        note.iter().map(|entry| (entry.0.as_str(), entry.2)).collect::<Vec<_>>(),
        [("c2", 1)]
    );
    assert!(session.message("prompt").await.is_empty());
    let open: Vec<Value> =
        session.portal.page(CHAT).cards().await.iter().map(|card| card["open"].clone()).collect();
    assert_eq!(json!(open), json!([false, false, true, true, true]));

    // A copy, and the end.
    session.portal.notify("chat/forked", json!({ "from": CHAT, "to": "copy" })).await;
    session.portal.flush().await;
    session.acknowledged().await;
    assert_eq!(session.portal.page("copy").cards().await.len(), 5);
    session.portal.notify("chat/deleted", json!({ "chat": CHAT })).await;
    session.portal.flush().await;
    assert!(session.portal.page(CHAT).cards().await.is_empty());
    session.acknowledged().await;
    assert_eq!(session.portal.page("copy").cards().await.len(), 5);
}

#[tokio::test]
async fn a_long_session_goes_as_the_contract_says() {
    script(Between::Nothing).await;
}

#[tokio::test]
async fn a_long_session_goes_the_same_with_a_restart_after_every_step() {
    script(Between::Restart).await;
}

#[tokio::test]
async fn a_long_session_goes_the_same_with_a_kill_after_every_acknowledged_step() {
    script(Between::Kill).await;
}
