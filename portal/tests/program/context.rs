//! What the model is given, to the letter, with the real extension.

use crate::chat::{Chat, show};
use crate::program::{Program, until};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// The roles in their order, and of events their JSON lines.
fn outline(context: &[Value]) -> Vec<Value> {
    let said = |entry: &Value| match entry["role"].as_str().unwrap() {
        "events" => json!({ "events": lines(entry) }),
        "call" => json!({ "call": entry["structured"]["outcome"] }),
        "assistant" => json!("assistant"),
        role => json!({ role: entry["text"] }),
    };
    context.iter().map(said).collect()
}

fn lines(entry: &Value) -> Vec<Value> {
    let lines = entry["text"].as_str().unwrap().lines();
    lines.filter(|line| line.starts_with('{')).map(|it| serde_json::from_str(it).unwrap()).collect()
}

fn event(card: &str, name: &str, count: u64, data: &Value) -> Value {
    json!({ "card": card, "title": "T", "name": name, "count": count, "data": data })
}

/// What follows the last entry that is so.
fn after(context: &[Value], is_so: impl Fn(&Value) -> bool) -> Vec<Value> {
    let at = context.iter().rposition(is_so).unwrap();
    outline(&context[at + 1..])
}

fn is(role: &str) -> impl Fn(&Value) -> bool {
    move |entry| entry["role"] == role
}

#[tokio::test]
async fn an_event_that_waits_for_the_person_is_read_before_what_they_say() {
    let portal = Program::start().await;
    let set = portal.ask(
        hyper::Method::PUT,
        "/api/extensions/inline-ui/settings",
        json!({ "wake": false }),
    );
    set.await.ok();
    let events = json!([{ "name": "pick", "wake": true }, { "name": "change" }]);
    let chat = Chat::with_card(&portal, &events).await;
    for n in 1..=3 {
        chat.emit("c1", &format!("e{n}"), "change", json!({ "n": n })).await.ok();
    }
    let taken = chat.emit("c1", "e4", "pick", json!("`\u{2028}")).await.ok();
    assert_eq!(taken["state"], "next_message");
    let picked =
        [event("c1", "change", 3, &json!({ "n": 3 })), event("c1", "pick", 1, &json!("`\u{2028}"))];
    let want = [json!({ "events": picked }), json!({ "person": "/context" })];
    assert_eq!(after(&chat.context().await, is("assistant")), want);

    chat.post("c1", "close", json!({})).await.ok();
    let closed = event("c1", "closed", 1, &json!({ "closedBy": "person" }));
    let want = [json!({ "events": [closed] }), json!({ "person": "/context" })];
    assert_eq!(after(&chat.context().await, is("assistant")), want);
}

#[tokio::test]
async fn a_steer_at_a_step_is_read_after_the_step_and_an_answer_after_its_wait_as_an_event() {
    let portal = Program::start().await;
    let chat = Chat::with_card(&portal, &json!([{ "name": "a", "debounceMs": 0 }])).await;
    chat.say("/work 4").await;
    let taken = chat.emit("c1", "e1", "a", json!(1)).await.ok();
    assert_eq!(taken["state"], "next_step");
    chat.idle().await;
    let context = chat.context().await;
    let at = context.iter().position(|entry| entry["text"] == "/work 4").unwrap();
    let mut work = outline(&context[at + 1..]);
    let steer = work.iter().position(|entry| *entry != json!("assistant")).unwrap();
    assert!((1..4).contains(&steer), "{work:?}");
    assert_eq!(work.remove(steer), json!({ "events": [event("c1", "a", 1, &json!(1))] }));
    let step = json!("assistant");
    assert_eq!(
        work,
        [&step, &step, &step, &step, &json!({ "person": "/context" })].map(Clone::clone)
    );

    let soon = json!({ "event": "ok", "timeoutSeconds": 0.2 });
    chat.asks(&show(&json!({ "wait": soon }))).await;
    chat.emit("c2", "e2", "ok", json!("late")).await.ok();
    let want = [
        // No page fetched the frame before the time passed.
        json!({ "call": "unseen" }),
        json!("assistant"),
        json!({ "events": [event("c2", "ok", 1, &json!("late"))] }),
        json!({ "person": "/context" }),
    ];
    let context = chat.context().await;
    let at = context.iter().rposition(is("call")).unwrap();
    assert_eq!(outline(&context[at..]), want);
}

#[tokio::test]
async fn wakes_of_a_chat_are_ten_seconds_apart_and_each_request_has_what_came_until_then() {
    let portal = Program::start().await;
    let events = json!([{ "name": "go", "debounceMs": 0, "wake": true }]);
    let chat = Chat::with_card(&portal, &events).await;
    let woken = async |times: usize| {
        until("a turn of its own", async || {
            let items = chat.items().await;
            let taken = items.iter().filter(|item| item["kind"] == "events").count();
            (taken >= times).then_some(())
        })
        .await;
    };
    let begun = Instant::now();
    chat.emit("c1", "e1", "go", json!(1)).await.ok();
    woken(1).await;
    let first = begun.elapsed();
    chat.idle().await;
    for n in 2..=4 {
        let taken = chat.emit("c1", &format!("e{n}"), "go", json!(n)).await.ok();
        assert_eq!(taken["state"], "starting");
    }
    woken(2).await;
    let second = begun.elapsed();
    assert!(first < Duration::from_secs(1), "{first:?}");
    assert!(
        second > Duration::from_millis(9_900) && second < Duration::from_secs(12),
        "{second:?}"
    );
    chat.idle().await;
    let want = [
        json!({ "events": [event("c1", "go", 1, &json!(1))] }),
        json!("assistant"),
        json!({ "events": [event("c1", "go", 3, &json!(4))] }),
        json!("assistant"),
        json!({ "person": "/context" }),
    ];
    let context = chat.context().await;
    let at = context.iter().position(is("events")).unwrap();
    assert_eq!(outline(&context[at..]), want);
}
