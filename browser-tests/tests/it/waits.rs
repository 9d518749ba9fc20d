//! Calls that wait for the person.

use crate::browser::{Outcome, World, pause, until};
use playwright_rs::expect;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const QUESTION: &str = "<p>Go on?</p><input id=t aria-label=Why>
    <button id=ok onclick=\"pithagoras.emit('ok', { v: 1 })\">OK</button>";

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
    let state = card.line_state().await;
    assert!(["answered", "delivered"].contains(&state.as_str()), "{state}");
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
    first.line_is("").await;
    assert_eq!(first.line().await, "");
    tab.idle().await;

    let second = tab.show_and_wait(&question(&json!({ "event": "ok" }))).await;
    second.line_is("asked").await;
    second.click("#ok").await;
    tab.call_is(2, "done").await;
    assert_eq!(tab.call_result(2).await["outcome"], "answered");
    tab.idle().await;

    // Nobody waits for the first any more: a click there is an ordinary event.
    first.click("#ok").await;
    first.line_is("next_message").await;
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
    card.line_is("").await;
    card.click("#ok").await;
    card.line_is("next_message").await;
    tab.say("hello").await;
    tab.agent_quotes("ok", &json!({ "v": 1 })).await;
    card.line_is("delivered").await;
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
