//! Calls that wait for the person.

use crate::browser::{Outcome, World, pause, until};
use playwright_rs::{PressSequentiallyOptions, expect};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const QUESTION: &str = "<p>Go on?</p><input id=t aria-label=Why>
    <button id=ok onclick=\"pithagoras.emit('ok', { v: 1 })\">OK</button>";

/// After an answer that nobody waits for any more.
const LATE: &str =
    "The agent gets this with your next message. It no longer waits for an answer here.";

fn question(wait: &Value) -> Value {
    json!({ "title": "A question", "html": QUESTION, "wait": wait })
}

#[tokio::test]
async fn a_call_that_waits_is_running_until_the_click_and_then_has_its_answer() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show_and_wait(&question(&json!({ "event": "ok", "timeoutSeconds": 60 }))).await;
    card.line_is("asked").await;
    // The person types: the page says that they are active, and the call goes on waiting.
    card.click("#t").await;
    card.get("#t").press_sequentially("because", None).await?;
    until("a sign of life", async || (tab.posts_to("/activity") > 0).then_some(())).await;
    tab.call_is(1, "running").await;
    assert_eq!(tab.agent_state().await, "working");

    let clicked = Instant::now();
    card.click("#ok").await;
    tab.call_is(1, "done").await;
    assert!(clicked.elapsed() < Duration::from_secs(5), "answered after {:?}", clicked.elapsed());
    let result = tab.call_result(1).await;
    assert_eq!(result["outcome"], "answered");
    assert_eq!(result["event"], json!({ "name": "ok", "count": 1, "data": { "v": 1 } }));
    assert_eq!(result["pages"], 1);
    tab.agent_quotes("ok", &json!({ "v": 1 })).await;
    tab.idle().await;
    card.says("delivered", "The agent was waiting for this and has it.").await;
    // The answer went to the call and nowhere else.
    assert_eq!(tab.summaries().await.len(), 0);
    tab.say("hello").await;
    tab.idle().await;
    assert_eq!(tab.summaries().await.len(), 0);
    Ok(())
}

#[tokio::test]
async fn stop_ends_a_wait_and_the_next_question_is_answered() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let first = tab.show_and_wait(&question(&json!({ "event": "ok" }))).await;
    first.line_is("asked").await;
    tab.stop_button().click(None).await?;
    tab.call_is(1, "cancelled").await;
    first.says("unanswered", "The agent no longer waits for an answer here.").await;
    tab.idle().await;

    let second = tab.show_and_wait(&question(&json!({ "event": "ok" }))).await;
    second.line_is("asked").await;
    second.click("#ok").await;
    tab.call_is(2, "done").await;
    assert_eq!(tab.call_result(2).await["outcome"], "answered");
    tab.idle().await;

    // Nobody waits for the first any more: a click there is an ordinary event.
    first.click("#ok").await;
    first.says("next_message", LATE).await;
    tab.say("hello").await;
    first.says("delivered", "The agent has this.").await;
    tab.idle().await;
    assert_eq!(tab.events_read().await, ["ok ×1: {\"v\":1}"]);
    Ok(())
}

#[tokio::test]
async fn after_its_time_a_wait_has_no_answer_and_a_late_click_is_one_ordinary_event() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show_and_wait(&question(&json!({ "event": "ok", "timeoutSeconds": 1 }))).await;
    tab.call_is(1, "done").await;
    let result = tab.call_result(1).await;
    assert_eq!((&result["outcome"], &result["event"]), (&json!("timeout"), &Value::Null));
    tab.idle().await;
    // Here, on another page, and after a reload.
    let second = world.second_page(&tab).await;
    tab.reload().await;
    for card in [&card, &second.card(1)] {
        card.says("unanswered", "The agent no longer waits for an answer here.").await;
    }
    card.is_drawn().await;
    card.click("#ok").await;
    card.says("next_message", LATE).await;
    second.card(1).says("next_message", LATE).await;
    tab.say("hello").await;
    tab.agent_quotes("ok", &json!({ "v": 1 })).await;
    card.says("delivered", "The agent has this.").await;
    tab.idle().await;
    assert_eq!(tab.summaries().await, ["UI: A question · ok"]);
    Ok(())
}

#[tokio::test]
async fn the_person_may_close_the_question() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    tab.say("ask me for an approval").await;
    let card = tab.card(1);
    card.is_drawn().await;
    card.line_is("asked").await;
    pause(300).await;
    tab.call_is(1, "running").await;
    card.own_button("Close").click(None).await?;
    tab.call_is(1, "done").await;
    assert_eq!(tab.call_result(1).await["outcome"], "closed");
    card.line_is("closed").await;
    tab.agent_says("The card was closed, so there is no answer.").await;
    expect(tab.call_row(1).locator(".status")).to_have_text("done · closed").await?;
    // A wait took the close: it is no event besides.
    tab.say("hello").await;
    tab.idle().await;
    assert_eq!(tab.summaries().await.len(), 0);
    Ok(())
}

#[tokio::test]
async fn another_event_of_a_card_that_is_asked_is_told_beside_the_question() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html =
        format!("{QUESTION}<button id=note onclick=\"pithagoras.emit('note', 7)\">Note</button>");
    let arguments = json!({ "title": "A question", "html": html, "wait": { "event": "ok" },
        "events": [{ "name": "note", "debounceMs": 0 }] });
    let card = tab.show_and_wait(&arguments).await;
    let second = world.second_page(&tab).await;
    let twin = second.card(1);
    for card in [&card, &twin] {
        card.says("asked", "The agent is waiting for your answer here.").await;
    }
    card.click("#note").await;
    let both = "The agent gets this at its next step. It is waiting for your answer here.";
    card.says("next_step", both).await;
    twin.says("next_step", both).await;
    card.click("#ok").await;
    card.line_is("delivered").await;
    tab.idle().await;
    assert_eq!(tab.call_result(1).await["outcome"], "answered");
    assert_eq!(tab.events_read().await, ["note ×1: 7"]);
    Ok(())
}

#[tokio::test]
async fn typing_longer_than_the_wait_keeps_the_question_open() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show_and_wait(&question(&json!({ "event": "ok", "timeoutSeconds": 3 }))).await;
    card.click("#t").await;
    let began = Instant::now();
    let slowly = PressSequentiallyOptions::builder().delay(250.).build();
    card.get("#t").press_sequentially("a long answer, typed slowly", slowly).await?;
    assert!(began.elapsed() > Duration::from_secs(5), "{:?}", began.elapsed());
    tab.call_is(1, "running").await;
    card.says("asked", "The agent is waiting for your answer here.").await;
    assert_eq!(card.get("#t").input_value(None).await?, "a long answer, typed slowly");
    card.click("#ok").await;
    tab.call_is(1, "done").await;
    assert_eq!(tab.call_result(1).await["outcome"], "answered");
    Ok(())
}
