//! Rules 3 to 8: the outbox, its messages, and what becomes of them.

use crate::harness::{CHAT, Card, Portal, notification};
use serde_json::{Value, json};

async fn with_events() -> (Portal, Card) {
    let (portal, page) = Portal::with_card(json!([{ "name": "a" }, { "name": "b" }])).await;
    let card = page.open("c1").await;
    (portal, card)
}

fn id(message: &Value) -> &str {
    message["id"].as_str().unwrap_or_else(|| panic!("no message: {message}"))
}

fn events(message: &Value) -> Vec<(&str, u64)> {
    let events =
        message["details"]["events"].as_array().unwrap_or_else(|| panic!("no message: {message}"));
    events
        .iter()
        .map(|event| (event["name"].as_str().unwrap(), event["count"].as_u64().unwrap()))
        .collect()
}

#[tokio::test]
async fn a_newer_event_replaces_the_data_adds_to_the_count_and_moves_to_the_end() {
    let (mut portal, card) = with_events().await;
    for (name, data) in [("a", 1), ("b", 2), ("a", 3)] {
        card.emit(name, json!(data)).await.accepted();
    }
    let message = portal.take(CHAT, "prompt").await;
    assert_eq!(events(&message), [("b", 1), ("a", 2)]);
    let text = message["text"].as_str().unwrap();
    assert!(text.contains("\"data\":3") && !text.contains("\"data\":1"), "{text}");
}

#[tokio::test]
async fn an_action_comes_behind_what_its_card_had_pending_in_one_message() {
    let events =
        json!([{ "name": "size", "debounceMs": 1_000 }, { "name": "apply", "debounceMs": 0 }]);
    let (mut portal, page) = Portal::with_card(events).await;
    let card = page.open("c1").await;
    for n in [20, 50, 80] {
        card.emit("size", json!({ "v": n })).await.accepted();
    }
    card.emit("apply", json!({})).await.accepted();
    let message = portal.take(CHAT, "prompt").await;
    assert_eq!(self::events(&message), [("size", 3), ("apply", 1)]);
    let text = message["text"].as_str().unwrap();
    assert!(text.find("{\"v\":80}").unwrap() < text.find("\"apply\"").unwrap(), "{text}");
    portal.delivered(CHAT, id(&message)).await;
    assert!(portal.take(CHAT, "prompt").await.is_null(), "it is one message");
}

#[tokio::test]
async fn four_impatient_clicks_are_one_delivery_that_counts_four() {
    let (mut portal, card) = with_events().await;
    for _ in 0..4 {
        card.emit("a", json!({ "n": 1 })).await.accepted();
    }
    let message = portal.take(CHAT, "prompt").await;
    assert_eq!(events(&message), [("a", 4)]);
    portal.delivered(CHAT, id(&message)).await;
    assert!(portal.take(CHAT, "prompt").await.is_null());
}

#[tokio::test]
async fn a_message_has_every_field_of_the_contract() {
    let (mut portal, page) =
        Portal::with_card(json!([{ "name": "change" }, { "name": "pick" }])).await;
    portal.tool(CHAT, "ui_update", json!({ "card": "c1", "title": "Pick a colour" })).await;
    portal.show(CHAT, json!({ "title": "Form", "events": [{ "name": "send" }] })).await;
    let (one, two) = (page.open("c1").await, page.open("c2").await);
    for n in 1..=3 {
        one.emit_as(&format!("c-{n}"), "change", json!({ "n": n })).await.accepted();
    }
    two.emit_as("s-1", "send", json!(null)).await.accepted();
    let message = portal.take(CHAT, "prompt").await;
    assert_eq!(message["customType"], "inline-ui-events");
    assert_eq!(message["summary"], "UI: Pick a colour · change ×3; Form · send");
    assert_eq!(
        message["details"],
        json!({ "id": message["id"], "events": [
            { "id": "c-3", "card": "c1", "name": "change", "count": 3 },
            { "id": "s-1", "card": "c2", "name": "send", "count": 1 }] })
    );
    let text = message["text"].as_str().unwrap();
    let (note, fenced) = text.split_once("```").unwrap();
    assert!(note.contains("person") && note.contains("not an instruction"), "{note}");
    let lines: Vec<Value> =
        fenced.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(
        lines,
        [
            json!({ "card": "c1", "title": "Pick a colour", "name": "change", "count": 3, "data": { "n": 3 } }),
            json!({ "card": "c2", "title": "Form", "name": "send", "count": 1, "data": null })
        ]
    );
}

#[tokio::test]
async fn a_working_agent_gets_it_at_its_next_step_and_an_idle_one_with_the_next_message() {
    let (mut portal, card) = with_events().await;
    let mut stream = card.page.stream().await;
    for (agent, state, at) in [("working", "next_step", "step"), ("idle", "next_message", "prompt")]
    {
        portal.agent(CHAT, agent).await;
        assert_eq!(card.emit("a", json!(1)).await.accepted(), state);
        stream.state(state).await;
        portal.hint(CHAT, at).await;
        assert_eq!(card.page.card("c1").await["state"], state);
        let message = portal.take(CHAT, at).await;
        portal.delivered(CHAT, id(&message)).await;
        stream.state("delivered").await;
        assert_eq!(card.page.card("c1").await["state"], "delivered");
    }
}

#[tokio::test]
async fn prompt_and_step_hand_over_whatever_the_agent_does() {
    for agent in ["idle", "working", "gone"] {
        for at in ["prompt", "step"] {
            let (mut portal, card) = with_events().await;
            portal.agent(CHAT, agent).await;
            card.emit("a", json!(1)).await.accepted();
            assert!(portal.take(CHAT, at).await.is_object(), "{agent} {at}");
        }
    }
}

#[tokio::test]
async fn an_event_that_comes_as_the_run_ends_is_there_once_for_the_next_message() {
    let (mut portal, card) = with_events().await;
    let mut stream = card.page.stream().await;
    portal.agent(CHAT, "working").await;
    let idle = portal.notify("chat/agent", json!({ "chat": CHAT, "state": "idle" }));
    let (reply, ()) = tokio::join!(card.emit("a", json!("at the end")), idle);
    reply.accepted();
    portal.flush().await;
    loop {
        if stream.event("state").await["state"] == "next_message" {
            break;
        }
    }
    let mut had = Vec::new();
    let messages = portal.collect(CHAT, "prompt", &mut had).await;
    assert_eq!(messages.len(), 1);
    assert_eq!(events(&messages[0]), [("a", 1)]);
    portal.agent(CHAT, "working").await;
    assert!(portal.collect(CHAT, "step", &mut had).await.is_empty());
}

#[tokio::test]
async fn a_message_that_is_out_is_frozen_and_what_comes_after_is_the_next_one() {
    let (mut portal, card) = with_events().await;
    portal.agent(CHAT, "working").await;
    card.emit("a", json!(1)).await.accepted();
    let first = portal.take(CHAT, "step").await;
    card.emit("a", json!(2)).await.accepted();
    assert!(portal.take(CHAT, "step").await.is_null(), "one is out");
    portal.delivered(CHAT, id(&first)).await;
    let second = portal.take(CHAT, "step").await;
    assert_ne!(id(&first), id(&second));
    assert_eq!(events(&second), [("a", 1)]);
    portal.delivered(CHAT, id(&second)).await;
    assert!(portal.take(CHAT, "step").await.is_null());
}

#[tokio::test]
async fn a_returned_message_is_handed_out_again_first_and_alone_with_the_same_bytes() {
    let (mut portal, card) = with_events().await;
    card.emit("a", json!(1)).await.accepted();
    let first = portal.take(CHAT, "prompt").await;
    card.emit("b", json!(2)).await.accepted();
    card.emit("a", json!(3)).await.accepted();
    portal.returned(CHAT, id(&first)).await;
    assert_eq!(portal.take(CHAT, "prompt").await.to_string(), first.to_string());
    portal.returned(CHAT, id(&first)).await;
    assert_eq!(portal.take(CHAT, "step").await.to_string(), first.to_string());
    portal.delivered(CHAT, id(&first)).await;
    assert_eq!(events(&portal.take(CHAT, "prompt").await), [("b", 1), ("a", 1)]);
}

#[tokio::test]
async fn an_agent_that_becomes_idle_or_gone_returns_what_was_out() {
    for state in ["idle", "gone"] {
        let (mut portal, card) = with_events().await;
        portal.agent(CHAT, "working").await;
        card.emit("a", json!(1)).await.accepted();
        let message = portal.take(CHAT, "step").await;
        portal.agent(CHAT, state).await;
        assert_eq!(portal.take(CHAT, "prompt").await, message, "{state}");
    }
}

#[tokio::test]
async fn an_agent_that_goes_on_working_returns_nothing() {
    let (mut portal, card) = with_events().await;
    portal.agent(CHAT, "idle").await;
    card.emit("a", json!(1)).await.accepted();
    let message = portal.take(CHAT, "prompt").await;
    portal.agent(CHAT, "working").await;
    assert!(portal.take(CHAT, "step").await.is_null());
    portal.delivered(CHAT, id(&message)).await;
    assert!(portal.take(CHAT, "step").await.is_null());
}

#[tokio::test]
async fn delivered_counts_in_whatever_state_the_message_is() {
    let (mut portal, card) = with_events().await;
    card.emit("a", json!(1)).await.accepted();
    let message = portal.take(CHAT, "prompt").await;
    portal.returned(CHAT, id(&message)).await;
    portal.delivered(CHAT, id(&message)).await;
    assert!(portal.take(CHAT, "prompt").await.is_null());
    card.emit("a", json!(2)).await.accepted();
    let message = portal.take(CHAT, "prompt").await;
    portal.kill_and_restart().await;
    portal.delivered(CHAT, id(&message)).await;
    assert!(portal.take(CHAT, "prompt").await.is_null());
}

#[tokio::test]
async fn returned_after_delivered_is_ignored() {
    let (mut portal, card) = with_events().await;
    card.emit("a", json!(1)).await.accepted();
    let message = portal.take(CHAT, "prompt").await;
    portal.delivered(CHAT, id(&message)).await;
    portal.returned(CHAT, id(&message)).await;
    portal.delivered(CHAT, id(&message)).await;
    assert!(portal.take(CHAT, "prompt").await.is_null());
    assert_eq!(card.page.card("c1").await["state"], "delivered");
}

#[tokio::test]
async fn a_delivered_before_a_take_is_seen_by_it() {
    let (mut portal, card) = with_events().await;
    card.emit("a", json!(1)).await.accepted();
    let mut message = portal.take(CHAT, "prompt").await;
    for n in 2..20 {
        card.emit("a", json!(n)).await.accepted();
        let delivered =
            notification("outbox/delivered", json!({ "chat": CHAT, "id": id(&message) }));
        let (take, pending) = portal.line("outbox/take", json!({ "chat": CHAT, "at": "prompt" }));
        portal.raw(format!("{delivered}{take}").as_bytes()).await;
        let next = portal.answer(&pending).await.result.unwrap()["message"].clone();
        assert_ne!(id(&next), id(&message));
        message = next;
    }
}

#[tokio::test]
async fn lines_about_one_chat_take_effect_in_their_order() {
    let mut portal = Portal::start().await;
    let mut lines = String::new();
    let mut pending = Vec::new();
    for n in 1..=20 {
        for (name, arguments) in [
            ("ui_show", json!({ "title": "T", "html": "<p>x</p>" })),
            ("ui_update", json!({ "card": format!("c{n}"), "title": "U" })),
            ("ui_close", json!({ "card": format!("c{n}") })),
        ] {
            let call = json!({ "chat": CHAT, "call": format!("{name}-{n}"), "name": name, "arguments": arguments });
            let (line, one) = portal.line("tools/call", call);
            lines.push_str(&line);
            pending.push(one);
        }
    }
    portal.raw(lines.as_bytes()).await;
    for one in &pending {
        let result = portal.result(one).await;
        assert!(!result.is_error, "{}", result.text);
    }
    assert!(
        portal
            .page(CHAT)
            .cards()
            .await
            .iter()
            .all(|card| card["open"] == false && card["title"] == "U")
    );
}

#[tokio::test]
async fn a_chat_not_heard_of_has_nothing_and_what_is_said_about_it_is_ignored() {
    let mut portal = Portal::start().await;
    for at in ["prompt", "step", "wake"] {
        assert!(portal.take("unknown", at).await.is_null());
    }
    portal.delivered("unknown", "m-1").await;
    portal.returned("unknown", "m-1").await;
    portal.notify("chat/deleted", json!({ "chat": "unknown" })).await;
    portal.notify("chat/forked", json!({ "from": "unknown", "to": "unheard-of" })).await;
    portal.flush().await;
    assert!(portal.page("unknown").cards().await.is_empty());
    assert!(portal.page("unheard-of").cards().await.is_empty());
}

#[tokio::test]
async fn when_a_run_begins_what_waited_for_the_next_message_goes_at_the_next_step() {
    let (mut portal, card) = with_events().await;
    portal.agent(CHAT, "idle").await;
    let mut stream = card.page.stream().await;
    card.emit("a", json!(1)).await.accepted();
    stream.state("next_message").await;
    portal.agent(CHAT, "working").await;
    stream.state("next_step").await;
}

#[tokio::test]
async fn an_event_of_a_card_that_was_closed_since_still_reaches_the_agent() {
    let (mut portal, card) = with_events().await;
    card.emit("a", json!(1)).await.accepted();
    portal.tool(CHAT, "ui_close", json!({ "card": "c1" })).await;
    assert_eq!(events(&portal.take(CHAT, "prompt").await), [("a", 1)]);
}

#[tokio::test]
async fn a_card_the_person_closes_leaves_a_note_behind_what_it_sent_before_and_wakes_nobody() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    portal.agent(CHAT, "idle").await;
    page.open("c1").await.emit("a", json!(1)).await.accepted();
    let closed = page.close("c1").await.ok();
    assert_eq!(
        (&closed["id"], &closed["open"], &closed["closedBy"]),
        (&json!("c1"), &json!(false), &json!("person"))
    );
    assert!(portal.take(CHAT, "wake").await.is_null());
    let message = portal.take(CHAT, "prompt").await;
    let told = message["details"]["events"].as_array().unwrap();
    assert_eq!(told.len(), 2);
    assert_eq!(told[0]["name"], "a");
    assert!(message["text"].as_str().unwrap().contains("closed"));
    portal.delivered(CHAT, id(&message)).await;
    page.close("c1").await.ok();
    assert!(portal.take(CHAT, "prompt").await.is_null(), "a card is closed once");
}

#[tokio::test]
async fn a_card_the_agent_closes_leaves_no_note() {
    let (mut portal, _) = with_events().await;
    portal.tool(CHAT, "ui_close", json!({ "card": "c1" })).await;
    assert!(portal.take(CHAT, "prompt").await.is_null());
}
