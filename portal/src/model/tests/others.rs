//! The two providers that do not speak as `OpenAI` does.

use super::server::{Answer, Part, Server};
use super::{KEY, Model, Provider, Turn, TurnRequest, remote, short, turn_of, turns};
use crate::chat::{Call, CallAnswer, CallStatus, Item, Kind};
use futures_util::StreamExt;
use serde_json::{Value, json};
use std::sync::Arc;

fn anthropic(events: &[(&str, Value)]) -> Answer {
    let text = |(name, data): &(&str, Value)| format!("event: {name}\ndata: {data}\n\n");
    Answer::raw(&events.iter().map(text).collect::<String>())
}

fn anthropic_call() -> Vec<(&'static str, Value)> {
    let piece = |json: &str| {
        let delta = json!({ "type": "input_json_delta", "partial_json": json });
        ("content_block_delta", json!({ "index": 1, "delta": delta }))
    };
    vec![
        ("message_start", json!({ "message": { "usage": {} } })),
        (
            "content_block_start",
            json!({ "index": 0, "content_block": { "type": "text", "text": "" } }),
        ),
        (
            "content_block_delta",
            json!({ "index": 0, "delta": { "type": "text_delta", "text": "Look:" } }),
        ),
        ("content_block_stop", json!({ "index": 0 })),
        (
            "content_block_start",
            json!({ "index": 1, "content_block": { "type": "tool_use", "id": "t", "name": "ui_show" } }),
        ),
        piece("{\"a\": "),
        piece("1.0}"),
        ("content_block_stop", json!({ "index": 1 })),
        ("message_delta", json!({ "delta": { "stop_reason": "tool_use" }, "usage": {} })),
        ("message_stop", json!({})),
    ]
}

#[tokio::test]
async fn anthropic_is_asked_with_its_own_key_and_answers_with_text_and_calls() {
    let events = anthropic_call();
    let mut server = Server::start(vec![anthropic(&events).in_pieces_of(13)]).await;
    let said = turns(&remote(Provider::Anthropic, &server)).await;
    let said: Vec<_> = said.iter().map(short).collect();
    assert_eq!(said, ["Look:", r#"call ui_show {"a": 1.0}"#]);
    let request = server.request().await;
    assert_eq!(request.path, "/v1/messages");
    assert!(request.headers.contains(KEY) && request.authorization.is_none());
    assert_eq!(request.body["model"], "m");
    assert_eq!(request.body["messages"][0]["role"], "user");

    let said = turn_of(Provider::Anthropic, vec![anthropic(&events[..7]).then(Part::Breaks)]).await;
    assert!(said[1].contains("broke off") && said[1].contains("was not called"), "{said:?}");
    let overloaded =
        json!({ "type": "error", "error": { "type": "overloaded_error", "message": "x" } });
    let answers = vec![anthropic(&[("error", overloaded)]), anthropic(&events)];
    let said = turn_of(Provider::Anthropic, answers).await;
    assert_eq!(said[..2], ["notice The model is busy, trying again in 1 s.", "Look:"]);
}

fn gemini(parts: &Value, finish: Option<&str>) -> Answer {
    let mut candidate = json!({ "content": { "role": "model", "parts": parts } });
    if let Some(reason) = finish {
        candidate["finishReason"] = reason.into();
    }
    Answer::unfinished(&[json!({ "candidates": [candidate] })])
}

#[tokio::test]
async fn gemini_gets_its_signature_back_with_the_call_it_belongs_to() {
    let parts = json!([
        { "text": "Look:" },
        { "functionCall": { "name": "ui_show", "args": { "a": 1 } }, "thoughtSignature": "c2ln" },
    ]);
    let answers =
        vec![gemini(&parts, Some("STOP")), gemini(&json!([{ "text": "Done." }]), Some("STOP"))];
    let mut server = Server::start(answers).await;
    let model = remote(Provider::Gemini, &server);
    let said = turns(&model).await;
    let Turn::Call(wanted) = said.last().unwrap() else { panic!("{said:?}") };
    assert_eq!(wanted.signatures, ["c2ln"]);
    let asked = server.request().await;
    assert!(asked.path.contains("/models/m:streamGenerateContent"), "{}", asked.path);
    assert!(!asked.path.contains(KEY) && asked.headers.contains(KEY));

    let mut request = super::hello();
    let call = Kind::Call(Call {
        call: "k".to_owned(),
        name: wanted.name.clone(),
        arguments: wanted.arguments.clone(),
        status: CallStatus::Done,
        result: Some(CallAnswer { text: "Shown.".to_owned(), structured: None }),
        beside: false,
        signatures: wanted.signatures.clone(),
    });
    request.context.push(Arc::new(Item { id: 2, at: 0, kind: call }));
    let TurnRequest { context, tools } = request;
    let _: Vec<_> = model.turn(TurnRequest { context, tools }).collect().await;
    let contents = server.request().await.body["contents"].clone();
    assert_eq!(contents[1]["parts"][0]["thoughtSignature"], "c2ln");
    assert_eq!(contents[1]["parts"][0]["functionCall"]["name"], "ui_show");
    assert_eq!(contents[2]["parts"][0]["functionResponse"]["name"], "ui_show");
}

#[tokio::test]
async fn a_stream_of_geminis_without_a_reason_at_its_end_broke_off() {
    let said = turn_of(Provider::Gemini, vec![gemini(&json!([{ "text": "Half" }]), None)]).await;
    assert_eq!(said[0], "Half");
    assert!(said[1].contains("broke off"), "{said:?}");
    let refused = Answer::raw(
        r#"{"error":{"message":"API key not valid.","details":[{"reason":"API_KEY_INVALID"}]}}"#,
    );
    let said = turn_of(Provider::Gemini, vec![refused.with_status(400)]).await;
    let want =
        "failed The model's key is not accepted: set GEMINI_API_KEY and start the portal again.";
    assert_eq!(said, [want]);
}
