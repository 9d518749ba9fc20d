//! Cards through the portal's tool gateway, with the real extension.

use crate::chat::{Chat, a_late_answer_is_an_ordinary_event, received};
use crate::program::{Options, Program};
use crate::server::{Answer, Server, call, finish, text};
use serde_json::{Value, json};

fn through(arguments: &Value) -> Value {
    let mut whole = json!({ "title": "T", "html": "<p>card</p>" });
    whole.as_object_mut().unwrap().extend(arguments.as_object().unwrap().clone());
    json!({ "extension": "inline-ui", "tool": "ui_show", "arguments": whole })
}

fn show(arguments: &Value) -> String {
    format!("/call extension_call {}", through(arguments))
}

fn waiting() -> String {
    show(&json!({ "wait": { "event": "ok" } }))
}

async fn last_call(chat: &Chat<'_>) -> Value {
    let items = chat.items().await;
    items.into_iter().rev().find(|item| item["kind"] == "call").unwrap()
}

#[tokio::test]
async fn a_card_through_the_gateway_stands_at_its_call_and_its_wait_is_answered() {
    let portal = Program::start().await;
    let chat = Chat::begin(&portal, &waiting()).await;
    let card = chat.card_that("c1", |card| !card["waiting"].is_null()).await;
    assert_eq!(card["anchor"], last_call(&chat).await["call"]);
    assert_eq!(chat.emit("c1", "e1", "ok", json!({ "n": 1 })).await.ok()["state"], "answered");
    chat.idle().await;
    let call = last_call(&chat).await;
    assert_eq!((&call["name"], &call["status"]), (&json!("extension_call"), &json!("done")));
    assert_eq!(call["result"]["structured"]["event"]["data"], json!({ "n": 1 }));
    let items = chat.items().await;
    assert_eq!(received(&items), [("c1".to_owned(), "ok".to_owned(), 1)]);
    let answer = items.last().unwrap()["text"].as_str().unwrap();
    assert!(answer.contains("You did ok: `{\"n\":1}`"), "{answer}");
    // The answer was acknowledged under the call's own id: it does not come again.
    chat.asks("hello").await;
    assert_eq!(received(&chat.items().await).len(), 1);
}

#[tokio::test]
async fn stop_settles_a_wait_through_the_gateway_and_a_late_answer_is_an_ordinary_event() {
    let portal = Program::start().await;
    let chat = Chat::begin(&portal, &waiting()).await;
    chat.card_that("c1", |card| !card["waiting"].is_null()).await;
    chat.stop().await;
    assert_eq!(last_call(&chat).await["status"], "cancelled");
    a_late_answer_is_an_ordinary_event(&chat).await;
}

#[tokio::test]
async fn a_model_of_a_lazy_extension_finds_its_tools_and_shows_a_card_at_the_gateways_call() {
    let turn = |name: &str, arguments: &Value| {
        Answer::stream(&[call(0, "x", name, &arguments.to_string()), finish("tool_calls")])
    };
    let answers = vec![
        turn("extension_tools", &json!({ "query": "card" })),
        turn("extension_call", &through(&json!({}))),
        Answer::stream(&[text("There."), finish("stop")]),
    ];
    let mut server = Server::start(answers).await;
    let env = vec![("OPENAI_BASE_URL", server.address.clone())];
    let args = ["--model".to_owned(), "openai:m".to_owned()].to_vec();
    let mut portal = Program::start_with(Options { args, env, logs_all: false }).await;
    let lazy = json!({ "lazy": true });
    let set = portal.ask(hyper::Method::PUT, "/api/extensions/inline-ui/lazy", lazy.clone()).await;
    set.ok();
    let refused = portal.ask(hyper::Method::PUT, "/api/extensions/other/lazy", lazy).await;
    assert_eq!(refused.refusal(), (404, "unknown_extension".to_owned()));
    portal.kill_and_restart().await;
    portal.runs().await;
    assert_eq!(portal.shown().await["lazy"], true);

    let chat = Chat::begin(&portal, "show me").await;
    chat.idle().await;
    let body = server.request().await.body;
    let tools = body["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|it| &it["function"]["name"]).collect();
    assert_eq!(names, ["extension_tools", "extension_call"]);
    let body = server.request().await.body;
    let found = body["messages"][3]["content"].as_str().unwrap();
    assert!(found.contains(r#""tool":"ui_show""#) && found.contains("pithagoras"), "{found}");
    assert_eq!(chat.card("c1").await.unwrap()["anchor"], last_call(&chat).await["call"]);
}
