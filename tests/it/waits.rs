//! A call that waits: its five outcomes, and its clock.

use crate::harness::{CHAT, Portal, eventually};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

#[tokio::test]
async fn an_answered_wait_returns_at_once_with_what_the_person_sent() {
    let mut portal = Portal::start().await;
    let page = portal.page(CHAT);
    let _looking = page.stream().await;
    let (_, wait, id) = portal.ask(CHAT, json!({ "event": "ok", "timeoutSeconds": 60 })).await;
    let card = page.open(&id).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(card.emit("ok", json!({ "n": 7 })).await.accepted(), "answered");
    let answered = Instant::now();
    let result = portal.result(&wait).await;
    assert!(answered.elapsed() < Duration::from_secs(1), "{:?}", answered.elapsed());
    let waited = result.structured["secondsWaited"].as_f64().unwrap();
    assert!((0.3..5.0).contains(&waited), "{waited}");
    assert_eq!(
        result.structured,
        json!({ "card": id, "outcome": "answered", "event": { "name": "ok", "count": 1, "data": { "n": 7 } },
            "secondsWaited": waited, "pages": 1, "notes": [] })
    );
    assert!(!result.is_error && result.text.contains("{\"n\":7}"), "{}", result.text);
    assert!(portal.take(CHAT, "prompt").await.is_null(), "it went nowhere else");
}

#[tokio::test]
async fn a_wait_for_several_names_is_answered_by_the_first_and_says_which() {
    let mut portal = Portal::start().await;
    let (_, wait, id) = portal.ask(CHAT, json!({ "event": ["yes", "no"] })).await;
    let card = portal.page(CHAT).open(&id).await;
    card.emit("no", json!(null)).await.accepted();
    assert_eq!(
        portal.result(&wait).await.structured["event"],
        json!({ "name": "no", "count": 1, "data": null })
    );
    assert_ne!(card.emit("yes", json!(1)).await.accepted(), "answered");
}

#[tokio::test]
async fn an_event_that_nobody_waits_for_leaves_the_wait_open() {
    let mut portal = Portal::start().await;
    let arguments = json!({ "title": "Q", "html": "<p>x</p>", "events": [{ "name": "typing" }], "wait": { "event": "ok" } });
    let (_, wait) = portal.call(CHAT, "ui_show", arguments).await;
    portal.flush().await;
    let card = portal.page(CHAT).open("c1").await;
    assert_ne!(card.emit("typing", json!(1)).await.accepted(), "answered");
    assert!(portal.is_open_after(&wait, Duration::from_millis(200)).await);
    card.emit("ok", json!(2)).await.accepted();
    assert_eq!(portal.result(&wait).await.structured["outcome"], "answered");
    assert_eq!(portal.take(CHAT, "prompt").await["details"]["events"][0]["name"], "typing");
}

#[tokio::test]
async fn a_waited_name_joins_the_cards_events_for_good_as_an_action() {
    let mut portal = Portal::start().await;
    let (call, wait, id) = portal.ask(CHAT, json!({ "event": "ok" })).await;
    let page = portal.page(CHAT);
    let card = page.card(&id).await;
    assert_eq!(
        card["events"],
        json!([{ "name": "ok", "debounceMs": 0, "wake": false, "once": false }])
    );
    assert_eq!(card["waiting"], json!(["ok"]));
    assert!(card.get("unanswered").is_none(), "somebody still waits");
    portal.cancel(&call).await;
    portal.result(&wait).await;
    let card = page.card(&id).await;
    assert_eq!(card["events"].as_array().unwrap().len(), 1);
    assert!(card.get("waiting").is_none());
    assert_eq!(card["unanswered"], true);
}

#[tokio::test]
async fn a_call_stays_open_while_nobody_answers_also_through_a_gateway() {
    let mut portal = Portal::start().await;
    let params = json!({ "chat": CHAT, "call": "inner", "anchor": "gateway", "name": "ui_show",
        "arguments": { "title": "Q", "html": "<p>x</p>", "wait": { "event": "ok", "timeoutSeconds": 600 } } });
    let wait = portal.send("tools/call", params).await;
    assert!(portal.is_open_after(&wait, Duration::from_secs(3)).await);
    portal.page(CHAT).open("c1").await.emit("ok", json!(1)).await.accepted();
    assert_eq!(portal.result(&wait).await.structured["outcome"], "answered");
}

#[tokio::test]
async fn a_card_that_was_seen_times_out_and_one_that_nobody_fetched_is_unseen() {
    let mut portal = Portal::start().await;
    let page = portal.page(CHAT);
    let short = json!({ "event": "ok", "timeoutSeconds": 1 });
    let (_, seen, seen_card) = portal.ask(CHAT, short.clone()).await;
    let (_, unseen, unseen_card) = portal.ask(CHAT, short).await;
    page.open(&seen_card).await;
    page.load(&unseen_card).await;
    for (wait, card, outcome) in [(seen, &seen_card, "timeout"), (unseen, &unseen_card, "unseen")] {
        let result = portal.result(&wait).await;
        assert_eq!(result.structured["outcome"], outcome);
        assert_eq!(result.structured["card"], card.as_str());
        assert!(result.structured.get("event").is_none(), "silence is never an answer");
        assert!(
            result.structured["secondsWaited"].as_f64().unwrap() >= 1.0,
            "{}",
            result.structured
        );
        assert_eq!((result.is_error, &result.structured["pages"]), (false, &json!(0)));
        assert_eq!(page.card(card).await["open"], true);
    }
}

#[tokio::test]
async fn an_answer_that_comes_late_is_an_ordinary_event_once() {
    let mut portal = Portal::start().await;
    let (_, wait, id) = portal.ask(CHAT, json!({ "event": "ok", "timeoutSeconds": 0.2 })).await;
    let card = portal.page(CHAT).open(&id).await;
    assert_eq!(portal.result(&wait).await.structured["outcome"], "timeout");
    assert_ne!(card.emit_as("late", "ok", json!(1)).await.accepted(), "answered");
    let message = portal.take(CHAT, "prompt").await;
    assert_eq!(
        message["details"]["events"],
        json!([{ "id": "late", "card": id, "name": "ok", "count": 1 }])
    );
    portal.delivered(CHAT, message["id"].as_str().unwrap()).await;
    assert!(portal.take(CHAT, "prompt").await.is_null());
}

#[tokio::test]
async fn the_clock_stands_still_while_the_person_is_active_in_the_card() {
    let mut portal = Portal::start().await;
    let page = portal.page(CHAT);
    let short = json!({ "event": "ok", "timeoutSeconds": 1.5 });
    let (_, typing, typing_card) = portal.ask(CHAT, short.clone()).await;
    let (_, silent, silent_card) = portal.ask(CHAT, short).await;
    let card = page.open(&typing_card).await;
    page.open(&silent_card).await;
    page.post(&typing_card, "activity", json!({})).await.ok();
    assert_eq!(portal.result(&silent).await.structured["outcome"], "timeout");
    assert!(portal.is_open_after(&typing, Duration::from_millis(1_200)).await);
    card.emit("ok", json!("a long answer")).await.accepted();
    assert_eq!(portal.result(&typing).await.structured["event"]["data"], "a long answer");
}

#[tokio::test]
async fn activity_in_a_card_that_nobody_waits_for_is_no_error_and_in_no_card_it_is() {
    let (_portal, page) = Portal::with_card(json!([])).await;
    page.post("c1", "activity", json!({})).await.ok();
    page.post("c2", "activity", json!({})).await.refused(404, "unknown_card");
}

#[tokio::test]
async fn a_card_the_person_closes_ends_its_wait_and_leaves_no_note() {
    let mut portal = Portal::start().await;
    let (_, wait, id) = portal.ask(CHAT, json!({ "event": "ok" })).await;
    portal.page(CHAT).close(&id).await.ok();
    let result = portal.result(&wait).await;
    assert_eq!(result.structured["outcome"], "closed");
    assert!(result.structured.get("event").is_none());
    assert!(portal.take(CHAT, "prompt").await.is_null());
}

#[tokio::test]
async fn a_card_the_agent_closes_and_a_chat_that_is_deleted_end_the_wait_as_closed() {
    let mut portal = Portal::start().await;
    let (_, wait, id) = portal.ask(CHAT, json!({ "event": "ok" })).await;
    portal.tool(CHAT, "ui_close", json!({ "card": id })).await;
    assert_eq!(portal.result(&wait).await.structured["outcome"], "closed");
    let (_, wait, _) = portal.ask(CHAT, json!({ "event": "ok" })).await;
    portal.notify("chat/deleted", json!({ "chat": CHAT })).await;
    assert_eq!(portal.result(&wait).await.structured["outcome"], "closed");
}

#[tokio::test]
async fn an_aborted_call_ends_cancelled_and_the_next_question_is_answered() {
    let mut portal = Portal::start().await;
    let page = portal.page(CHAT);
    let (call, aborted, first) = portal.ask(CHAT, json!({ "event": "ok" })).await;
    portal.cancel(&call).await;
    let result = portal.result(&aborted).await;
    assert_eq!(result.structured["outcome"], "cancelled");
    assert_eq!(page.card(&first).await["open"], true);
    let (_, wait, second) = portal.ask(CHAT, json!({ "event": "ok" })).await;
    page.open(&second).await.emit("ok", json!(2)).await.accepted();
    assert_eq!(portal.result(&wait).await.structured["outcome"], "answered");
    assert_ne!(page.open(&first).await.emit("ok", json!(1)).await.accepted(), "answered");
}

#[tokio::test]
async fn cancelling_a_call_that_is_over_or_unknown_changes_nothing() {
    let mut portal = Portal::start().await;
    let (call, wait, id) = portal.ask(CHAT, json!({ "event": "ok" })).await;
    portal.cancel("nobody's").await;
    assert!(portal.is_open_after(&wait, Duration::from_millis(50)).await);
    portal.page(CHAT).open(&id).await.emit("ok", json!(1)).await.accepted();
    assert_eq!(portal.result(&wait).await.structured["outcome"], "answered");
    portal.delivered(CHAT, &call).await;
    portal.cancel(&call).await;
    assert!(
        portal.take(CHAT, "prompt").await.is_null(),
        "a result in the transcript does not come again"
    );
}

#[tokio::test]
async fn waits_of_many_calls_do_not_mix() {
    let mut portal = Portal::start().await;
    let page = portal.page(CHAT);
    let mut waits = Vec::new();
    for n in 0..12 {
        waits.push((n, portal.ask(CHAT, json!({ "event": "ok" })).await));
    }
    for (n, (call, wait, id)) in waits.iter().rev() {
        let outcome = match n % 3 {
            0 => {
                portal.cancel(call).await;
                "cancelled"
            }
            1 => {
                page.close(id).await.ok();
                "closed"
            }
            _ => {
                page.open(id).await.emit("ok", json!(n)).await.accepted();
                "answered"
            }
        };
        let result = portal.result(wait).await.structured;
        assert_eq!((&result["outcome"], &result["card"]), (&json!(outcome), &json!(id)));
        if outcome == "answered" {
            assert_eq!(result["event"]["data"], json!(n));
        }
    }
    let waiting =
        page.cards().await.into_iter().filter(|card| card.get("waiting").is_some()).count();
    assert_eq!(waiting, 0);
}

#[tokio::test]
async fn pages_are_those_that_look_when_the_wait_ends() {
    let mut portal = Portal::start().await;
    let page = portal.page(CHAT);
    let first = page.stream().await;
    let (_, wait, id) = portal.ask(CHAT, json!({ "event": "ok" })).await;
    drop(first);
    let _second = page.stream().await;
    let _third = page.stream().await;
    let card = page.open(&id).await;
    // The server hears of the closed connection when it hears of it.
    let looking = async |portal: &mut Portal| {
        portal.tool(CHAT, "ui_update", json!({ "card": id, "title": "T" })).await
    };
    let mut pages = Value::Null;
    for _ in 0..100 {
        pages = looking(&mut portal).await.structured["pages"].clone();
        if pages == 2 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(pages, 2);
    card.emit("ok", json!(1)).await.accepted();
    assert_eq!(portal.result(&wait).await.structured["pages"], 2);
}

#[tokio::test]
async fn a_page_sees_that_a_card_is_waited_for_and_that_it_no_longer_is() {
    let mut portal = Portal::start().await;
    let page = portal.page(CHAT);
    let mut stream = page.stream().await;
    let (call, wait, id) = portal.ask(CHAT, json!({ "event": ["ok", "no"] })).await;
    assert_eq!(stream.event("shown").await["card"]["waiting"], json!(["ok", "no"]));
    portal.cancel(&call).await;
    portal.result(&wait).await;
    assert!(stream.event("changed").await["card"].get("waiting").is_none());
    eventually("no wait in the list", async || page.card(&id).await.get("waiting").is_none()).await;
}
