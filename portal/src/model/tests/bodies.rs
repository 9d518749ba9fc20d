//! What is asked, to the letter.

use super::server::{Answer, Server, finish, text};
use super::{KEY, Provider, Remote, TurnRequest, asked, turns};
use crate::chat::{
    Assistant, Call, CallAnswer, CallStatus, Events, Item, Kind, Level, Notice, Person,
};
use crate::model::Model;
use futures_util::StreamExt;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

fn done() -> Vec<Answer> {
    vec![Answer::stream(&[text("Done."), finish("stop")])]
}

fn person(text: &str) -> Kind {
    Kind::Person(Person { text: text.to_owned(), queued: false })
}

fn assistant(text: &str) -> Kind {
    Kind::Assistant(Assistant { text: text.to_owned(), streaming: false, interrupted: false })
}

fn events(text: &str) -> Kind {
    let (message, summary) = ("m".to_owned(), "UI: T".to_owned());
    Kind::Events(Events { message, summary, text: text.to_owned(), with_prompt: false })
}

fn call(id: &str, arguments: &str, answer: &str, beside: bool) -> Kind {
    Kind::Call(Call {
        call: id.to_owned(),
        name: "ui_show".to_owned(),
        arguments: RawValue::from_string(arguments.to_owned()).unwrap(),
        status: CallStatus::Done,
        result: Some(CallAnswer {
            text: answer.to_owned(),
            structured: Some(json!({ "card": "c1" })),
        }),
        beside,
        signatures: vec![],
    })
}

async fn body(kinds: Vec<Kind>) -> Value {
    let mut server = Server::start(done()).await;
    let context = (1..).zip(kinds).map(|(id, kind)| Arc::new(Item { id, at: 0, kind })).collect();
    let tool = json!({ "name": "ui_show", "title": "Show", "description": "Shows.",
        "inputSchema": { "type": "object", "properties": { "html": { "type": "string" } } } });
    let tools = vec![serde_json::from_value(tool).unwrap()];
    let model = super::remote(Provider::OpenAi, &server);
    let _: Vec<_> = model.turn(TurnRequest { context, tools }).collect().await;
    let asked = server.request().await;
    assert_eq!(asked.path, "/v1/chat/completions");
    asked.body
}

/// Without the system's, which is the first.
async fn messages(kinds: Vec<Kind>) -> Value {
    let body = body(kinds).await;
    let messages = body["messages"].as_array().unwrap();
    assert_eq!(messages[0]["role"], "system");
    json!(messages[1..])
}

fn asks(calls: &[(&str, &str)], text: &str) -> Value {
    let call = |(id, arguments): &(&str, &str)| {
        json!({ "type": "function", "id": id,
            "function": { "name": "ui_show", "arguments": arguments } })
    };
    let calls: Vec<_> = calls.iter().map(call).collect();
    json!({ "role": "assistant", "content": text, "tool_calls": calls })
}

fn answers(id: &str, text: &str) -> Value {
    json!({ "role": "tool", "content": text, "tool_call_id": id })
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

#[tokio::test]
async fn a_request_has_the_model_the_tools_as_they_are_and_nothing_else() {
    let mut body = body(vec![person("hello")]).await;
    let messages = body.as_object_mut().unwrap().remove("messages").unwrap();
    assert_eq!(messages[1], user("hello"));
    let about = messages[0]["content"].as_str().unwrap();
    assert!(about.len() < 1200 && about.contains("cards"), "{}", about.len());
    let schema = json!({ "type": "object", "properties": { "html": { "type": "string" } } });
    let function = json!({ "name": "ui_show", "description": "Shows.", "parameters": schema,
        "strict": false });
    let tools = json!([{ "type": "function", "function": function }]);
    assert_eq!(body, json!({ "model": "m", "stream": true, "tools": tools }));
}

#[tokio::test]
async fn the_transcript_keeps_its_order_and_its_turns() {
    let context = vec![
        person("show two"),
        assistant("Here."),
        call("k1", r#"{"html":"<p>","n":1}"#, "Card c1 is shown.", false),
        call("k2", "{}", "Card c2 is shown.", true),
        Kind::Notice(Notice { level: Level::Info, text: "Stopped.".to_owned() }),
        events("picked"),
        call("k3", "{}", "Closed.", false),
        call("k4", "{}", "Closed too.", false),
        assistant("Both are closed."),
        person("thanks"),
    ];
    let want = json!([
        user("show two"),
        asks(&[("k1", r#"{"html":"<p>","n":1}"#), ("k2", "{}")], "Here."),
        answers("k1", "Card c1 is shown."),
        answers("k2", "Card c2 is shown."),
        user("picked"),
        asks(&[("k3", "{}")], ""),
        answers("k3", "Closed."),
        asks(&[("k4", "{}")], ""),
        answers("k4", "Closed too."),
        { "role": "assistant", "content": "Both are closed." },
        user("thanks"),
    ]);
    assert_eq!(messages(context).await, want);
}

#[tokio::test]
async fn arguments_that_are_no_object_are_sent_back_inside_one() {
    let context = vec![
        person("go"),
        call("k1", r#""{\"html\": <p>""#, "The arguments are not JSON.", false),
        call("k2", "[1]", "No.", true),
    ];
    let messages = messages(context).await;
    let sent = |at: usize| messages[1]["tool_calls"][at]["function"]["arguments"].clone();
    assert_eq!(sent(0), r#"{"not_json":"{\"html\": <p>"}"#);
    assert_eq!(sent(1), r#"{"not_an_object":"[1]"}"#);
}

#[tokio::test]
async fn a_server_of_ones_own_is_asked_without_a_key_and_a_name_stays_as_it_is() {
    for name in ["m", "qwen-max", "gpt-5-low", "org/llama3.1:8b"] {
        let mut server = Server::start(done()).await;
        let model = asked(Provider::OpenAi, name, None, &server.address);
        let said = turns(&Remote::new(model, Duration::from_millis(1)).unwrap()).await;
        assert_eq!(super::short(&said[0]), "Done.");
        let request = server.request().await;
        assert_eq!(request.path, "/v1/chat/completions");
        assert_eq!(request.authorization, None);
        assert_eq!(request.body["model"], name);
        assert!(request.body.get("reasoning_effort").is_none());
        assert!(!request.headers.contains(KEY));
    }
}
