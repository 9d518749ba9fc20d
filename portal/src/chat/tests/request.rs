//! The very messages of the next request to the model.

use super::bench::{Bench, Piece, call, text};
use crate::extension::fake::Fake;
use crate::model::Turn;
use serde_json::{Value, json};
use std::time::Duration;

const FENCED: &str = "This is what the person did.\n```json\n\
    {\"card\":\"c1\",\"title\":\"\\u0060\\u0060\\u0060\",\"name\":\"change\",\"count\":3,\"data\":{\"n\":3}}\n```";
const CLOSED: &str = "This is what the person did.\n```json\n\
    {\"card\":\"c1\",\"title\":\"T\",\"name\":\"closed\",\"count\":1,\"data\":{\"closedBy\":\"person\"}}\n```";

/// A chat whose first run is over.
async fn begun(turns: Vec<Vec<Piece>>) -> (Bench, Fake, String) {
    let mut bench = Bench::new(turns).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("hello".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", None).await;
    bench.turn().await;
    fake.gives("step", None).await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
    (bench, fake, chat)
}

impl Fake {
    async fn hands_over(&mut self, chat: &str, at: &str, id: &str, text: &str) {
        let take = self.asked_at(at).await;
        let message = json!({
            "id": id, "customType": "inline-ui-events", "summary": "UI: T · change ×3",
            "text": text, "details": { "id": id, "events": [] },
        });
        self.answer(&take, json!({ "message": message })).await;
        self.sees("outbox/delivered", json!({ "chat": chat, "id": id })).await;
    }
}

async fn says(bench: &Bench, fake: &mut Fake, chat: &str, text: &str) {
    bench.hub.say(chat, text).await.unwrap();
    fake.sees("chat/agent", json!({ "chat": chat, "state": "working" })).await;
}

fn person(text: &str) -> Value {
    json!({ "person": text })
}

fn assistant(text: &str) -> Value {
    json!({ "assistant": text })
}

fn events(text: &str) -> Value {
    json!({ "events": text })
}

#[tokio::test(start_paused = true)]
async fn with_wake_off_an_event_starts_nothing_and_comes_before_the_next_message() {
    let (mut bench, mut fake, chat) = begun(vec![]).await;
    fake.hint(&chat, "prompt").await;
    fake.silent_for(Duration::from_secs(20)).await;
    says(&bench, &mut fake, &chat, "and now?").await;
    fake.hands_over(&chat, "prompt", "m1", FENCED).await;
    fake.gives("prompt", None).await;
    let want = [person("hello"), assistant("done"), events(FENCED), person("and now?")];
    assert_eq!(bench.request().await, want);
}

#[tokio::test(start_paused = true)]
async fn a_wake_inside_the_ten_seconds_starts_no_turn_and_the_next_due_one_does() {
    let (mut bench, mut fake, chat) = begun(vec![]).await;
    fake.hint(&chat, "wake").await;
    fake.hands_over(&chat, "wake", "m1", "first").await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "working" })).await;
    fake.gives("prompt", None).await;
    assert_eq!(bench.request().await, [person("hello"), assistant("done"), events("first")]);
    fake.gives("step", None).await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
    fake.hint(&chat, "wake").await;
    fake.gives("wake", None).await;
    fake.silent_for(Duration::from_secs(10)).await;
    fake.hint(&chat, "wake").await;
    fake.hands_over(&chat, "wake", "m2", "second").await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "working" })).await;
    fake.gives("prompt", None).await;
    let first = [person("hello"), assistant("done"), events("first"), assistant("done")];
    assert_eq!(bench.request().await, [&first[..], &[events("second")]].concat());
}

#[tokio::test(start_paused = true)]
async fn what_goes_with_a_message_is_verbatim_in_its_order_and_before_that_message_only() {
    let (mut bench, mut fake, chat) = begun(vec![]).await;
    says(&bench, &mut fake, &chat, "two").await;
    fake.hands_over(&chat, "prompt", "m1", FENCED).await;
    fake.hands_over(&chat, "prompt", "m2", "\u{2028} second ").await;
    fake.gives("prompt", None).await;
    let two = [
        person("hello"),
        assistant("done"),
        events(FENCED),
        events("\u{2028} second "),
        person("two"),
    ];
    assert_eq!(bench.request().await, two);
    fake.gives("step", None).await;
    fake.sees("chat/agent", json!({ "chat": chat, "state": "idle" })).await;
    says(&bench, &mut fake, &chat, "three").await;
    fake.hands_over(&chat, "prompt", "m3", CLOSED).await;
    fake.gives("prompt", None).await;
    let three = [assistant("done"), events(CLOSED), person("three")];
    assert_eq!(bench.request().await, [&two[..], &three].concat());
    let folder = bench.kill().await;

    let mut bench = Bench::over(folder, vec![]).await;
    bench.hub.say(&chat, "four").await.unwrap();
    let again = bench.request().await;
    assert_eq!(again[..8], [&two[..], &three].concat(), "the same after a restart");
    assert_eq!(again.last().unwrap(), &person("four"));
}

#[tokio::test(start_paused = true)]
async fn what_comes_at_a_step_stands_after_what_the_model_had_said() {
    let turns = vec![vec![text("first")], vec![text("one"), Piece::Is(Turn::More)]];
    let (mut bench, mut fake, chat) = begun(turns).await;
    says(&bench, &mut fake, &chat, "work").await;
    fake.gives("prompt", None).await;
    bench.request().await;
    fake.hands_over(&chat, "step", "m1", FENCED).await;
    fake.gives("step", None).await;
    let want =
        [person("hello"), assistant("first"), person("work"), assistant("one"), events(FENCED)];
    assert_eq!(bench.request().await, want);
}

#[tokio::test(start_paused = true)]
async fn an_answer_after_the_wait_ended_is_an_ordinary_event_of_a_later_request() {
    let turns = vec![vec![text("first")], vec![call("ui_show")]];
    let (mut bench, mut fake, chat) = begun(turns).await;
    says(&bench, &mut fake, &chat, "ask me").await;
    fake.gives("prompt", None).await;
    bench.request().await;
    let line = fake.next().await;
    let structured = json!({ "card": "c1", "outcome": "timeout", "secondsWaited": 600.0 });
    let content = json!([{ "type": "text", "text": "Nobody answered." }]);
    fake.answer(&line, json!({ "content": content, "structured": structured })).await;
    fake.hands_over(&chat, "step", "m1", FENCED).await;
    fake.gives("step", None).await;
    let result = json!({ "text": "Nobody answered.", "structured": structured });
    let want = [
        person("hello"),
        assistant("first"),
        person("ask me"),
        json!({ "call": "ui_show", "status": "done", "result": result }),
        events(FENCED),
    ];
    assert_eq!(bench.request().await, want);
}

#[tokio::test(start_paused = true)]
async fn a_message_that_the_person_takes_over_from_a_wake_comes_before_theirs() {
    let (mut bench, mut fake, chat) = begun(vec![]).await;
    fake.hint(&chat, "wake").await;
    let wake = fake.asked_at("wake").await;
    says(&bench, &mut fake, &chat, "now").await;
    let message = crate::extension::fake::outbox_message("m1");
    fake.answer(&wake, json!({ "message": message })).await;
    fake.sees("outbox/delivered", json!({ "chat": chat, "id": "m1" })).await;
    fake.gives("prompt", None).await;
    let text = message["text"].as_str().unwrap();
    assert_eq!(bench.request().await[2..], [events(text), person("now")]);
}
