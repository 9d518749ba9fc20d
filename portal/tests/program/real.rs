//! A real model: the built program asks a scripted server, and draws what that calls.

use crate::chat::Chat;
use crate::program::{Options, Program, until};
use crate::server::{Answer, Part, Server, call, finish, more, text};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;
use tokio::time::timeout;

const KEY: &str = "sk-very-secret-key";

fn said(words: &str) -> Answer {
    Answer::stream(&[text(words), finish("stop")])
}

fn calls(arguments: &Value) -> Answer {
    let arguments = arguments.to_string();
    let (head, tail) = arguments.split_at(arguments.len() / 2);
    Answer::stream(&[call(0, "x", "ui_show", head), more(0, tail), finish("tool_calls")])
}

async fn asks(answers: Vec<Answer>) -> (Server, Program) {
    let server = Server::start(answers).await;
    let args = ["--model", "openai:some-model", "--base-url", &server.address];
    let options = Options {
        args: args.map(str::to_owned).to_vec(),
        env: vec![("OPENAI_API_KEY", KEY.to_owned())],
        logs_all: true,
    };
    let portal = Program::start_with(options).await;
    (server, portal)
}

fn user(text: &Value) -> Value {
    json!({ "role": "user", "content": text })
}

fn assistant(text: &str) -> Value {
    json!({ "role": "assistant", "content": text })
}

/// A call of the transcript, as the model gets it back.
fn called(item: &Value) -> [Value; 2] {
    let function = json!({ "name": item["name"], "arguments": item["arguments"].to_string() });
    let asked = json!({ "type": "function", "id": item["call"], "function": function });
    let answer =
        json!({ "role": "tool", "content": item["result"]["text"], "tool_call_id": item["call"] });
    [json!({ "role": "assistant", "content": "", "tool_calls": [asked] }), answer]
}

fn all_of(items: &[Value], kind: &str) -> Vec<Value> {
    items.iter().filter(|item| item["kind"] == kind).cloned().collect()
}

#[tokio::test]
async fn three_turns_with_a_card_an_event_and_a_wait_are_asked_to_the_letter() {
    let card = json!({ "title": "Pick", "html": "<p>é</p>", "events": [{ "name": "pick" }] });
    let question = json!({ "title": "Sure?", "html": "<p>?</p>", "wait": { "event": "ok" } });
    let answers =
        vec![calls(&card), said("There it is."), calls(&question), said("Thanks."), said("Bye.")];
    let (mut server, portal) = asks(answers).await;
    let chat = Chat::begin(&portal, "show me").await;
    chat.idle().await;
    let first = server.request().await;
    assert_eq!(first.authorization.unwrap(), format!("Bearer {KEY}"));
    assert_eq!(first.body["model"], "some-model");
    let names: Vec<_> =
        first.body["tools"].as_array().unwrap().iter().map(|it| &it["function"]["name"]).collect();
    assert_eq!(names, ["ui_show", "ui_update", "ui_close"]);
    server.request().await;
    let shown = chat.card("c1").await.unwrap();
    assert_eq!(shown["anchor"], all_of(&chat.items().await, "call")[0]["call"]);

    let taken = chat.emit("c1", "e1", "pick", json!({ "colour": "teal" })).await.ok();
    assert_eq!(taken["state"], "next_message");
    chat.say("and ask me").await;
    chat.card_that("c2", |card| card["open"] == true).await;
    let taken = chat.emit("c2", "e2", "ok", json!("yes")).await.ok();
    assert_eq!(taken["state"], "answered");
    chat.idle().await;
    chat.asks("bye").await;

    let items = chat.items().await;
    let (calls, events) = (all_of(&items, "call"), all_of(&items, "events"));
    assert!(events[0]["text"].as_str().unwrap().contains(r#""data":{"colour":"teal"}"#));
    assert!(calls[1]["result"]["text"].as_str().unwrap().contains("yes"));
    let mut want = vec![user(&json!("show me"))];
    want.extend(called(&calls[0]));
    want.extend([assistant("There it is."), user(&events[0]["text"]), user(&json!("and ask me"))]);
    want.extend(called(&calls[1]));
    want.extend([assistant("Thanks."), user(&json!("bye"))]);
    for length in [6, 8] {
        let body = server.request().await.body;
        assert_eq!(body["messages"].as_array().unwrap()[1..], want[..length]);
    }
    let body = server.request().await.body;
    assert_eq!(body["messages"].as_array().unwrap()[1..], want);
    key_is_nowhere(portal.folder.path());
    let environment = format!("/proc/{}/environ", portal.extension().await);
    let environment = String::from_utf8_lossy(&std::fs::read(environment).unwrap()).into_owned();
    assert!(environment.contains("PATH=") && !environment.contains(KEY));
    let answers = [portal.get("/api/model").await, portal.get("/api/me").await, chat.read().await];
    assert!(!json!(answers).to_string().contains(KEY));
}

/// Neither in what is logged nor in what is kept.
fn key_is_nowhere(folder: &Path) {
    let log = std::fs::read_to_string(folder.join("log")).unwrap();
    assert!(log.contains("extension running"), "nothing is logged");
    for library in ["genai::", "h2::", "hyper", "reqwest::", "rustls::"] {
        assert!(!log.contains(&format!(" {library}")), "{library}");
    }
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
                continue;
            }
            let bytes = std::fs::read(entry.path()).unwrap();
            let found = bytes.windows(KEY.len()).any(|window| window == KEY.as_bytes());
            assert!(!found, "{}", entry.path().display());
        }
    }
}

#[tokio::test]
async fn a_busy_model_and_one_that_breaks_off_are_seen_in_the_chat_and_the_next_message_goes_on() {
    let busy = Answer::refusal(429, "slow down").with_header("retry-after", "1");
    let cut = Answer::unfinished(&[text("Half an")]).then(Part::Breaks);
    let (mut server, portal) = asks(vec![busy, cut, said("Whole.")]).await;
    let chat = Chat::begin(&portal, "hello").await;
    chat.idle().await;
    let items = chat.items().await;
    let texts: Vec<_> = items.iter().map(|item| item["text"].as_str().unwrap()).collect();
    assert_eq!(texts[..3], ["hello", "The model is busy, trying again in 1 s.", "Half an"]);
    assert!(texts[3].starts_with("The model's answer broke off:"), "{texts:?}");
    assert_eq!(items[3]["level"], "error");
    assert_eq!(chat.asks("again").await, "Whole.");
    server.request().await;
    server.request().await;
    let body = server.request().await.body;
    let want = [user(&json!("hello")), assistant("Half an"), user(&json!("again"))];
    assert_eq!(body["messages"].as_array().unwrap()[1..], want);
}

#[tokio::test]
async fn stop_hangs_up_at_once_and_arguments_that_are_no_json_go_back_as_an_error() {
    let broken = Answer::stream(&[call(0, "x", "ui_show", "{\"html\": <p>"), finish("tool_calls")]);
    let slow = Answer::unfinished(&[text("Let me think")]).then(Part::Hangs);
    let (mut server, portal) = asks(vec![broken, slow]).await;
    let chat = Chat::begin(&portal, "go").await;
    let thinks = async || {
        let items = chat.items().await;
        items.iter().any(|item| item["text"] == "Let me think").then_some(())
    };
    until("a first word", thinks).await;
    let failed = all_of(&chat.items().await, "call")[0].clone();
    assert_eq!(failed["status"], "failed");
    server.request().await;
    let body = server.request().await.body;
    let answer = body["messages"][3]["content"].as_str().unwrap();
    assert!(answer.starts_with("The arguments are not JSON (expected value at line 1"), "{answer}");
    assert!(chat.cards().await.is_empty());
    assert!(server.hung_up.try_recv().is_err());
    chat.stop().await;
    timeout(Duration::from_secs(5), server.hung_up.recv()).await.expect("it goes on").unwrap();
}

#[tokio::test]
async fn a_model_is_chosen_in_settings_without_a_restart_and_is_still_chosen_after_one() {
    let mut server = Server::start(vec![said("From afar."), said("Again.")]).await;
    let env = vec![("OPENAI_BASE_URL", server.address.clone())];
    let mut portal = Program::start_with(Options { env, ..Options::default() }).await;
    assert_eq!(portal.get("/api/me").await["model"], "demo");
    let chosen = json!({ "model": "openai:llama3.1:8b" });
    portal.ask(hyper::Method::PUT, "/api/model", chosen).await.ok();
    let chat = Chat::begin(&portal, "hello").await;
    chat.idle().await;
    assert_eq!(server.request().await.body["model"], "llama3.1:8b");
    let id = chat.id;
    portal.kill_and_restart().await;
    let chat = Chat { portal: &portal, id };
    assert_eq!(chat.asks("and now?").await, "Again.");
    let refused = portal.ask(hyper::Method::PUT, "/api/model", json!({ "model": "gemini" })).await;
    assert_eq!(refused.refusal(), (422, "bad_model".to_owned()));
}
