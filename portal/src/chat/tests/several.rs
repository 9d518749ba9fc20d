//! Several extensions at once: to a chat they are one.

use super::bench::{Bench, call, until};
use crate::extension::Host;
use crate::extension::fake::{Fake, manifest};
use portal_link::{AgentState, InitializeResult};
use serde_json::json;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Another extension, with a tool of its own.
pub(super) fn another(bench: &Bench) -> Host {
    let mut manifest = manifest();
    manifest["name"] = "tea".into();
    manifest["tools"] = json!([{ "name": "tea_start", "title": "Start" }]);
    let profile = serde_json::from_value(manifest).unwrap();
    let host = Host::new(profile, Arc::clone(&bench.store), Vec::new(), Vec::new());
    bench.hub.hosts().join(host.clone(), CancellationToken::new());
    host
}

#[tokio::test(start_paused = true)]
async fn each_is_asked_what_its_outbox_has_and_hears_what_became_of_it() {
    let mut bench = Bench::new(vec![]).await;
    let mut first = bench.connect();
    let mut second = Fake::connect(&another(&bench), &bench.hints);
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    for fake in [&mut first, &mut second] {
        fake.sees("chat/agent", json!({ "chat": chat, "state": "working" })).await;
    }
    first.gives("prompt", None).await;
    // Of two extensions, so no message is another's although both have one id.
    second.gives("prompt", Some("m1")).await;
    second.sees("outbox/delivered", json!({ "chat": chat, "id": "m1" })).await;
    first.gives("prompt", Some("m2")).await;
    first.sees("outbox/delivered", json!({ "chat": chat, "id": "m2" })).await;
    first.gives("prompt", None).await;
    second.gives("prompt", None).await;
    assert_eq!(bench.turn().await, ["events m1", "events m2", "person hello"]);
    let of = async |name: &str| bench.store.acks(name.to_owned()).await.unwrap();
    until(async || of("tea").await.is_empty() && of("inline-ui").await.is_empty()).await;
}

#[tokio::test(start_paused = true)]
async fn a_call_goes_to_the_one_that_has_the_tool_and_its_kept_answer_is_told_to_that_one() {
    let mut bench = Bench::new(vec![vec![call("tea_start"), call("ui_show")]]).await;
    let mut first = bench.connect();
    let mut second = Fake::connect(&another(&bench), &bench.hints);
    let chat = bench.hub.create("go".to_owned()).await.unwrap();
    for fake in [&mut first, &mut second] {
        fake.next().await;
        fake.gives("prompt", None).await;
    }
    bench.turn().await;
    let of_second = second.next().await;
    assert_eq!(
        (of_second.method.as_str(), &of_second.params["name"]),
        ("tools/call", &json!("tea_start"))
    );
    let of_first = first.next().await;
    assert_eq!(of_first.params["name"], "ui_show");
    let answered = json!({
        "content": [{ "type": "text", "text": "ok" }], "structured": { "outcome": "answered" },
    });
    second.answer(&of_second, answered).await;
    let id = of_second.params["call"].clone();
    second.sees("outbox/delivered", json!({ "chat": chat, "id": id })).await;
    bench.hub.stop(&chat).await.unwrap();
    first.sees("notifications/cancelled", json!({ "call": of_first.params["call"] })).await;
    second.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
}

#[tokio::test(start_paused = true)]
async fn one_that_is_away_is_told_later_of_a_chat_that_is_gone() {
    let bench = Bench::new(vec![]).await;
    let mut first = bench.connect();
    let away = another(&bench);
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    first.next().await;
    first.gives("prompt", None).await;
    first.gives("step", None).await;
    bench.settled(&chat).await;
    first.next().await;
    bench.hub.delete(&chat).await.unwrap();
    first.sees("chat/deleted", json!({ "chat": chat })).await;
    assert_eq!(bench.store.owed("tea".to_owned()).await.unwrap().len(), 1);
    let mut second = Fake::connect(&away, &bench.hints);
    second.sees("chat/deleted", json!({ "chat": chat })).await;
}

#[tokio::test(start_paused = true)]
async fn one_that_is_started_later_hears_which_agents_are_there() {
    let mut bench = Bench::new(vec![]).await;
    let mut first = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    first.next().await;
    first.gives("prompt", None).await;
    bench.turn().await;
    first.gives("step", None).await;
    bench.settled(&chat).await;
    assert_eq!(bench.hub.hosts().agent_of(&chat), AgentState::Idle);
    let mut second = Fake::connect(&another(&bench), &bench.hints);
    second.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
}

#[tokio::test(start_paused = true)]
async fn of_two_tools_with_one_name_the_agent_gets_the_first() {
    let bench = Bench::new(vec![]).await;
    let other = another(&bench);
    let introduced = |title: &str| -> InitializeResult {
        let mut introduced = crate::extension::fake::introduced("127.0.0.1:1");
        let tool = json!({ "name": "same", "title": title, "description": "", "inputSchema": {} });
        introduced.tools = vec![serde_json::from_value(tool).unwrap()];
        introduced
    };
    let _first = Fake::connect_as(&bench.host, &bench.hints, introduced("first"));
    let _second = Fake::connect_as(&other, &bench.hints, introduced("second"));
    let tools = bench.hub.hosts().tools();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0].title, "first");
}
