//! The three tools over the link: what they answer, and what they refuse.

use crate::harness::{CHAT, Portal};
use serde_json::{Value, json};

#[tokio::test]
async fn ui_show_answers_with_the_card_who_looks_and_no_notes() {
    let mut portal = Portal::start().await;
    let shown = portal.tool(CHAT, "ui_show", json!({ "title": "Pick", "html": "<p>x</p>" })).await;
    assert_eq!(shown.structured, json!({ "card": "c1", "pages": 0, "notes": [] }));
    assert!(shown.text.contains("c1") && shown.text.contains("No page"), "{}", shown.text);
    let _one = portal.page(CHAT).stream().await;
    let _two = portal.page(CHAT).stream().await;
    let shown = portal.tool(CHAT, "ui_show", json!({ "title": "Pick", "html": "<p>x</p>" })).await;
    assert_eq!(shown.structured, json!({ "card": "c2", "pages": 2, "notes": [] }));
    assert!(!shown.text.contains("No page"), "{}", shown.text);
}

#[tokio::test]
async fn a_chat_that_nobody_looks_at_is_told_at_once() {
    let mut portal = Portal::start().await;
    let shown = portal
        .tool(CHAT, "ui_show", json!({ "title": "Q", "html": "<p>x</p>", "fallback": "In words" }))
        .await;
    assert_eq!(shown.structured["pages"], 0);
    assert!(shown.text.contains("No page is looking"), "{}", shown.text);
    assert_eq!(portal.page(CHAT).card("c1").await["fallback"], "In words");
}

#[tokio::test]
async fn a_card_is_drawn_at_its_call_or_at_the_call_of_a_gateway() {
    let mut portal = Portal::start().await;
    let arguments = json!({ "title": "T", "html": "<p>x</p>" });
    let own = json!({ "chat": CHAT, "call": "own", "name": "ui_show", "arguments": arguments });
    let through = json!({ "chat": CHAT, "call": "inner", "anchor": "outer", "name": "ui_show", "arguments": arguments });
    portal.request("tools/call", own).await.unwrap();
    portal.request("tools/call", through).await.unwrap();
    let cards = portal.page(CHAT).cards().await;
    assert_eq!((&cards[0]["call"], &cards[0]["anchor"]), (&json!("own"), &json!("own")));
    assert_eq!((&cards[1]["call"], &cards[1]["anchor"]), (&json!("inner"), &json!("outer")));
}

#[tokio::test]
async fn a_card_in_the_list_says_all_but_its_html() {
    let mut portal = Portal::start().await;
    let events = json!([{ "name": "pick", "description": "a colour", "debounceMs": 0, "wake": true, "once": true }, { "name": "hover" }]);
    portal
        .show(CHAT, json!({ "title": "Pick", "html": "<p>secret-markup</p>", "events": events }))
        .await;
    let listing = portal.page(CHAT).listing().await;
    assert!(!listing.to_string().contains("secret-markup"));
    let card = &listing["cards"][0];
    assert_eq!(
        (&card["id"], &card["title"], &card["open"]),
        (&json!("c1"), &json!("Pick"), &json!(true))
    );
    assert_eq!(card["revision"], 1);
    assert!(
        card.get("closedBy").is_none()
            && card.get("waiting").is_none()
            && card.get("state").is_none()
    );
    assert!(card["at"].as_i64().is_some_and(|at| at > 1_700_000_000_000));
    assert_eq!(
        card["events"],
        json!([{ "name": "pick", "description": "a colour", "debounceMs": 0, "wake": true, "once": true },
            { "name": "hover", "wake": false, "once": false }])
    );
}

#[tokio::test]
async fn ui_update_changes_what_it_is_given_and_nothing_else() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let updated = portal.tool(CHAT, "ui_update", json!({ "card": "c1", "title": "New" })).await;
    assert!(!updated.is_error, "{}", updated.text);
    let card = page.card("c1").await;
    assert_eq!((&card["title"], &card["revision"]), (&json!("New"), &json!(1)));
    portal.tool(CHAT, "ui_update", json!({ "card": "c1", "html": "<p>afresh</p>" })).await;
    let card = page.card("c1").await;
    assert_eq!((&card["title"], &card["revision"]), (&json!("New"), &json!(2)));
    let drawn = page.open("c1").await;
    assert!(drawn.document().ends_with("<p>afresh</p>") && drawn.loaded.get("post").is_none());
    portal.tool(CHAT, "ui_update", json!({ "card": "c1", "data": { "n": 1 } })).await;
    assert_eq!(page.load("c1").await["post"], json!({ "n": 1, "data": { "n": 1 } }));
    assert_eq!(page.card("c1").await["revision"], 2);
}

#[tokio::test]
async fn a_null_that_a_model_writes_for_what_it_leaves_out_is_left_out() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let updated = portal
        .tool(
            CHAT,
            "ui_update",
            json!({ "card": "c1", "title": "New", "data": null, "html": null }),
        )
        .await;
    assert!(!updated.is_error, "{}", updated.text);
    assert!(page.load("c1").await.get("post").is_none());
    let shown =
        json!({ "title": "T", "html": "<p>x</p>", "events": null, "wait": null, "fallback": null });
    assert!(!portal.tool(CHAT, "ui_show", shown).await.is_error);
}

#[tokio::test]
async fn a_hundred_updates_are_a_hundred_posts_in_order_and_one_document() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let mut stream = page.stream().await;
    let mut calls = Vec::new();
    for n in 1..=100 {
        calls.push(
            portal.call(CHAT, "ui_update", json!({ "card": "c1", "data": { "n": n } })).await.1,
        );
    }
    for (n, call) in (1..=100).zip(&calls) {
        assert!(!portal.result(call).await.is_error);
        assert_eq!(
            stream.event("posted").await,
            json!({ "card": "c1", "n": n, "data": { "n": n } })
        );
    }
    assert_eq!(page.card("c1").await["revision"], 1);
    assert_eq!(page.load("c1").await["post"]["data"], json!({ "n": 100 }));
}

#[tokio::test]
async fn ui_close_closes_once_and_says_so_the_second_time() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let closed = portal.tool(CHAT, "ui_close", json!({ "card": "c1" })).await;
    assert!(!closed.is_error);
    let card = page.card("c1").await;
    assert_eq!((&card["open"], &card["closedBy"]), (&json!(false), &json!("agent")));
    let again = portal.tool(CHAT, "ui_close", json!({ "card": "c1" })).await;
    assert!(!again.is_error && again.text != closed.text, "{}", again.text);
    assert!(again.text.contains("before"), "{}", again.text);
}

#[tokio::test]
async fn a_closed_card_is_not_updated_and_an_open_one_is() {
    let (mut portal, _) = Portal::with_card(json!([])).await;
    portal.show(CHAT, json!({})).await;
    portal.tool(CHAT, "ui_close", json!({ "card": "c1" })).await;
    for change in [json!({ "data": 1 }), json!({ "title": "T" }), json!({ "html": "<p>x</p>" })] {
        let mut arguments = change;
        arguments["card"] = json!("c1");
        assert_eq!(
            portal.tool(CHAT, "ui_update", arguments.clone()).await.code(),
            Some("card_closed")
        );
        arguments["card"] = json!("c2");
        assert_eq!(portal.tool(CHAT, "ui_update", arguments).await.code(), None);
    }
}

#[tokio::test]
async fn refusals_have_a_code_and_words_that_name_the_mistake() {
    let mut portal = Portal::start().await;
    let show = |change: Value| {
        let mut arguments = json!({ "title": "T", "html": "<p>x</p>" });
        arguments.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        ("ui_show", arguments)
    };
    let cases = [
        (show(json!({ "colour": "red" })), "unknown_field", "colour"),
        (show(json!({ "events": [{ "name": "a", "debounce": 1 }] })), "unknown_field", "debounce"),
        (show(json!({ "wait": { "event": "a", "timeoutMs": 1 } })), "unknown_field", "timeoutMs"),
        (show(json!({ "title": 7 })), "bad_arguments", "string"),
        (show(json!({ "events": [{ "name": "a" }, { "name": "a" }] })), "duplicate_event", "a"),
        (show(json!({ "wait": { "event": [] } })), "wait_for_nothing", "wait.event"),
        (("ui_show", json!({ "title": "T" })), "bad_arguments", "html"),
        (("ui_show", json!([])), "bad_arguments", "arguments"),
        (("ui_update", json!({ "card": "c1" })), "nothing_to_update", "data"),
        (("ui_update", json!({ "card": "c9", "data": 1 })), "unknown_card", "c9"),
        (("ui_close", json!({ "card": "c9" })), "unknown_card", "c9"),
        (("ui_close", json!({ "card": "nine" })), "unknown_card", "nine"),
        (("ui_close", json!({ "card": "c1", "why": "x" })), "unknown_field", "why"),
        (("ui_draw", json!({})), "unknown_tool", "ui_draw"),
    ];
    for ((tool, arguments), code, words) in cases {
        let refused = portal.tool(CHAT, tool, arguments.clone()).await;
        assert_eq!(refused.code(), Some(code), "{tool} {arguments}: {}", refused.text);
        assert!(refused.text.contains(words), "{words}: {}", refused.text);
    }
    assert!(portal.page(CHAT).cards().await.is_empty());
    portal.show(CHAT, json!({})).await;
}

#[tokio::test]
async fn cards_of_one_chat_are_not_those_of_another() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    assert_eq!(portal.show("other", json!({ "title": "Other" })).await, "c1");
    portal.tool("other", "ui_close", json!({ "card": "c1" })).await;
    assert_eq!(page.card("c1").await["open"], true);
    page.open("c1").await.emit("a", json!(1)).await.accepted();
    assert!(portal.take("other", "prompt").await.is_null());
    assert!(portal.take(CHAT, "prompt").await.is_object());
}
