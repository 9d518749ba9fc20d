//! Tools that are reached through the portal's gateway.

use super::bench::{Bench, call_with, text};
use super::several::another;
use crate::extension::fake::Fake;
use crate::extension::gateway;
use serde_json::{Value, json};
use std::time::Duration;

/// `ui_show` through the gateway; its own arguments are to arrive byte for byte.
const SHOW: &str = r#"{"tool":"ui_show","arguments":{ "a": 1.50 }}"#;

/// A run that has made this call of `extension_call`.
async fn called(arguments: &str) -> (Bench, Fake, String) {
    let bench = Bench::new(vec![vec![text("a"), call_with("extension_call", arguments)]]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", None).await;
    (bench, fake, chat)
}

/// The item of the one call there is.
async fn item(bench: &Bench, chat: &str) -> Value {
    let snapshot = bench.hub.snapshot(chat).await.unwrap();
    let items = snapshot.items.iter().map(|item| serde_json::to_value(&item.kind).unwrap());
    items.into_iter().find(|item| item["kind"] == "call").unwrap()
}

/// What that call is answered with.
async fn answer_of(tool: &str, arguments: &str) -> (Bench, Value) {
    let bench = Bench::new(vec![vec![call_with(tool, arguments)]]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", None).await;
    fake.gives("step", None).await;
    fake.gives("step", None).await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
    let item = item(&bench, &chat).await;
    (bench, item)
}

fn answered() -> Value {
    let structured = json!({ "card": "c1", "outcome": "answered", "event": { "name": "ok" } });
    json!({ "content": [{ "type": "text", "text": "ok" }], "structured": structured })
}

#[tokio::test(start_paused = true)]
async fn a_call_through_the_gateway_has_an_id_of_its_own_and_the_gateways_call_as_its_anchor() {
    let (mut bench, mut fake, chat) = called(SHOW).await;
    let line = fake.next().await;
    let anchor = item(&bench, &chat).await["call"].as_str().unwrap().to_owned();
    let inner = format!("{anchor}-1");
    let want = json!({ "chat": chat, "call": inner, "anchor": anchor, "name": "ui_show",
        "arguments": { "a": 1.5 } });
    assert_eq!((line.method.as_str(), &line.params), ("tools/call", &want));
    fake.answer(&line, json!({ "content": [{ "type": "text", "text": "shown" }] })).await;
    fake.gives("step", None).await;
    bench.turn().await;
    assert_eq!(bench.turn().await.last().unwrap(), "call extension_call Done");
    assert_eq!(item(&bench, &chat).await["result"]["text"], "shown");
}

#[tokio::test(start_paused = true)]
async fn an_answered_wait_is_acknowledged_by_the_id_the_extension_knows_after_a_restart_too() {
    let (bench, mut fake, chat) = called(SHOW).await;
    let line = fake.next().await;
    fake.answer(&line, answered()).await;
    let delivered = json!({ "chat": chat, "id": line.params["call"] });
    fake.sees("outbox/delivered", delivered.clone()).await;
    assert_eq!(bench.on_disk(&chat).await.last().unwrap(), "call extension_call Done");
    let folder = bench.kill().await;
    let bench = Bench::over(folder, vec![]).await;
    bench.connect().sees("outbox/delivered", delivered).await;
}

#[tokio::test(start_paused = true)]
async fn stop_cancels_the_call_that_the_extension_knows_and_a_late_answer_is_ignored() {
    let (bench, mut fake, chat) = called(SHOW).await;
    let line = fake.next().await;
    bench.hub.stop(&chat).await.unwrap();
    fake.sees("notifications/cancelled", json!({ "call": line.params["call"] })).await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
    fake.answer(&line, answered()).await;
    fake.silent_for(Duration::from_secs(1)).await;
    assert_eq!(item(&bench, &chat).await["status"], "cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_of_the_extension_and_its_own_words_come_back_through_the_gateway() {
    let (bench, mut fake, chat) = called(SHOW).await;
    let line = fake.next().await;
    let content = json!([{ "type": "text", "text": "too large" }]);
    let structured = json!({ "code": "html_too_large" });
    let refusal = json!({ "content": content, "structured": structured, "isError": true });
    fake.answer(&line, refusal).await;
    fake.gives("step", None).await;
    let item = item(&bench, &chat).await;
    assert_eq!((&item["status"], &item["result"]["text"]), (&json!("failed"), &json!("too large")));
    assert_eq!(item["result"]["structured"], structured);
}

#[tokio::test(start_paused = true)]
async fn what_leads_nowhere_is_refused_before_the_extension_hears_of_it() {
    let cases = [
        (r#"{"arguments":{}}"#, "bad_arguments", "missing field `tool`"),
        (r#"{"tool":"ui_show","args":{}}"#, "bad_arguments", "unknown field `args`"),
        ("[]", "bad_arguments", "extension_call takes"),
        (r#"{"tool":"ui_draw"}"#, "unknown_tool", "find what there is with extension_tools"),
        (r#"{"tool":"extension_call"}"#, "unknown_tool", "\"extension_call\""),
        (r#"{"extension":"other","tool":"ui_show"}"#, "unknown_extension", "there are: inline-ui"),
    ];
    for (arguments, code, words) in cases {
        let (_bench, item) = answer_of("extension_call", arguments).await;
        assert_eq!(item["status"], "failed", "{arguments}");
        assert_eq!(item["result"]["structured"]["code"], code, "{arguments}");
        assert!(item["result"]["text"].as_str().unwrap().contains(words), "{item}");
    }
    let (_bench, mut fake, _) = called(r#"{"extension":"inline-ui","tool":"ui_close"}"#).await;
    let line = fake.next().await;
    assert_eq!((&line.params["name"], &line.params["arguments"]), (&json!("ui_close"), &json!({})));
}

#[tokio::test(start_paused = true)]
async fn tools_are_found_by_words_the_best_first_and_without_words_all_of_them() {
    let found = async |arguments: &str| {
        let (_bench, item) = answer_of("extension_tools", arguments).await;
        assert_eq!(item["status"], "done");
        let structured = item["result"]["structured"].clone();
        let tools = structured["tools"].as_array().unwrap();
        let names: Vec<_> =
            tools.iter().map(|it| it["tool"].as_str().unwrap().to_owned()).collect();
        (names, item)
    };
    let (all, item) = found("{}").await;
    assert_eq!(all, ["ui_show", "ui_close"]);
    let text = item["result"]["text"].as_str().unwrap();
    let first: Value = serde_json::from_str(text.lines().nth(1).unwrap()).unwrap();
    assert_eq!(first, item["result"]["structured"]["tools"][0]);
    assert_eq!(first["extension"], "inline-ui");
    assert_eq!(first["inputSchema"], json!({ "type": "object", "properties": { "a": {} } }));
    assert_eq!(found(r#"{"query":"GOOD close"}"#).await.0, ["ui_close"]);
    assert_eq!(found(r#"{"query":"card closes"}"#).await.0, ["ui_close", "ui_show"]);
    let (none, item) = found(r#"{"query":"weather"}"#).await;
    assert_eq!(none.len(), 2);
    assert!(item["result"]["text"].as_str().unwrap().starts_with("Nothing has these words"));
}

#[tokio::test(start_paused = true)]
async fn a_lazy_extensions_tools_are_not_given_but_the_gateway_is() {
    let bench = Bench::new(vec![]).await;
    let _fake = bench.connect();
    let given = || {
        let tools = gateway::given(std::slice::from_ref(&bench.host));
        tools.into_iter().map(|tool| tool.name).collect::<Vec<_>>()
    };
    assert_eq!(given(), ["ui_show", "ui_close"]);
    bench.host.set_lazy(true);
    assert_eq!(given(), ["extension_tools", "extension_call"]);
    gateway::set_lazy(&bench.store, "inline-ui", true).await.unwrap();
    assert!(gateway::is_lazy(&bench.store, "inline-ui").await.unwrap());
    assert!(!gateway::is_lazy(&bench.store, "other").await.unwrap());
    gateway::set_lazy(&bench.store, "inline-ui", false).await.unwrap();
    assert!(!gateway::is_lazy(&bench.store, "inline-ui").await.unwrap());
}

#[tokio::test(start_paused = true)]
async fn of_two_extensions_with_one_tool_the_named_one_is_called_and_told_what_became_of_it() {
    let arguments = r#"{"extension":"tea","tool":"ui_show","arguments":{}}"#;
    let bench = Bench::new(vec![vec![call_with("extension_call", arguments)]]).await;
    let mut first = bench.connect();
    let mut second = Fake::connect(&another(&bench), &bench.hints);
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    for fake in [&mut first, &mut second] {
        fake.next().await;
        fake.gives("prompt", None).await;
    }
    let line = second.next().await;
    assert_eq!((line.method.as_str(), &line.params["name"]), ("tools/call", &json!("ui_show")));
    second.answer(&line, answered()).await;
    second.sees("outbox/delivered", json!({ "chat": chat, "id": line.params["call"] })).await;
    first.gives("step", None).await;
    let two = bench.hub.hosts().running();
    let names = |hosts| gateway::given(hosts).into_iter().map(|tool| tool.name).collect::<Vec<_>>();
    assert_eq!(names(&two), ["ui_show", "ui_close"]);
    two[1].set_lazy(true);
    assert_eq!(names(&two), ["ui_show", "ui_close", "extension_tools", "extension_call"]);
}
