//! Chats: their ids in an address, their deletion, and their copies.

use crate::harness::{CHAT, Portal};
use hyper::Method;
use serde_json::json;

#[tokio::test]
async fn the_cards_of_a_chat_nobody_heard_of_are_an_empty_list_and_its_stream_opens() {
    let mut portal = Portal::start().await;
    let page = portal.page("nobody");
    let listing = page.listing().await;
    assert_eq!(listing["cards"], json!([]));
    assert_eq!(listing["settings"], json!({ "debounceMs": 400, "maxHeight": 480 }));
    let mut stream = page.stream().await;
    let shown =
        portal.tool("nobody", "ui_show", json!({ "title": "First", "html": "<p>x</p>" })).await;
    assert_eq!(shown.structured["pages"], 1);
    assert_eq!(stream.event("shown").await["card"]["title"], "First");
}

#[tokio::test]
async fn a_chats_id_may_need_escaping_in_an_address() {
    let mut portal = Portal::start().await;
    let ids = ["a/b", "ü ö?x=1#y", "100%", "..", "日本/語", "a+b&c", "%2F"];
    for id in ids {
        portal.show(id, json!({ "title": id, "events": [{ "name": "a" }] })).await;
    }
    for id in ids {
        let page = portal.page(id);
        let cards = page.cards().await;
        assert_eq!((cards.len(), &cards[0]["title"]), (1, &json!(id)), "{id}");
        page.open("c1").await.emit("a", json!(id)).await.accepted();
        let message = portal.take(id, "prompt").await;
        assert_eq!(message["summary"], format!("UI: {id} · a"));
    }
}

#[tokio::test]
async fn a_chats_id_has_128_characters_at_most_on_the_link_and_in_an_address() {
    let mut portal = Portal::start().await;
    let longest = "é".repeat(128);
    portal.show(&longest, json!({ "events": [{ "name": "a" }] })).await;
    portal.page(&longest).open("c1").await.emit("a", json!(1)).await.accepted();
    let longer = "é".repeat(129);
    let params = json!({ "chat": longer, "call": "c", "name": "ui_show", "arguments": { "title": "T", "html": "x" } });
    let refused = portal.request("tools/call", params).await.unwrap_err();
    assert!(refused.code == -32602 && refused.message.contains("128"), "{}", refused.message);
    for path in ["cards", "stream"] {
        let reply = portal.http.get(&portal.page(&longer).path(path)).await;
        assert_eq!(reply.problem().0, 400);
        assert!(reply.json()["detail"].as_str().unwrap().contains("128"));
    }
}

#[tokio::test]
async fn an_address_that_is_not_utf8_is_refused() {
    let portal = Portal::start().await;
    let reply = portal.http.send(portal.http.request(Method::GET, "/chats/%ff%fe/cards", "")).await;
    assert_eq!(reply.problem().0, 400);
}

#[tokio::test]
async fn a_deleted_chat_leaves_no_card_no_post_and_no_outbox_also_for_the_next_process() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "go", "wake": true }])).await;
    portal.tool(CHAT, "ui_update", json!({ "card": "c1", "data": 1 })).await;
    let card = page.open("c1").await;
    card.emit("go", json!(1)).await.accepted();
    let mut stream = page.stream().await;
    portal.notify("chat/deleted", json!({ "chat": CHAT })).await;
    assert_eq!(stream.event("removed").await, json!({ "card": "c1" }));
    portal.flush().await;
    assert!(page.cards().await.is_empty());
    for at in ["prompt", "step", "wake"] {
        assert!(portal.take(CHAT, at).await.is_null());
    }
    assert_eq!(card.emit("go", json!(2)).await.status, 404);
    assert_eq!(page.post("c1", "loads", json!({})).await.status, 404);
    portal.kill_and_restart().await;
    assert!(portal.page(CHAT).cards().await.is_empty());
    assert!(portal.take(CHAT, "prompt").await.is_null());
    assert!(portal.hints(CHAT).await.is_empty());
}

#[tokio::test]
async fn deleting_one_chat_leaves_another_as_it_is() {
    let (mut portal, _) = Portal::with_card(json!([])).await;
    portal.show("other", json!({ "events": [{ "name": "a" }] })).await;
    portal.page("other").open("c1").await.emit("a", json!(1)).await.accepted();
    portal.notify("chat/deleted", json!({ "chat": CHAT })).await;
    portal.flush().await;
    assert_eq!(portal.page("other").cards().await.len(), 1);
    assert!(portal.take("other", "prompt").await.is_object());
}

#[tokio::test]
async fn a_fork_has_copies_of_the_cards_closed_and_nothing_of_the_outbox() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    portal.tool(CHAT, "ui_update", json!({ "card": "c1", "data": { "n": 1 } })).await;
    portal.show(CHAT, json!({ "title": "Closed", "html": "<p>second</p>" })).await;
    page.close("c2").await.ok();
    page.open("c1").await.emit("a", json!(1)).await.accepted();
    portal.notify("chat/forked", json!({ "from": CHAT, "to": "copy" })).await;
    portal.flush().await;
    let copy = portal.page("copy");
    let cards = copy.cards().await;
    assert_eq!(cards.len(), 2);
    assert_eq!((&cards[0]["open"], &cards[0]["closedBy"]), (&json!(false), &json!("fork")));
    assert_eq!((&cards[1]["open"], &cards[1]["closedBy"]), (&json!(false), &json!("person")));
    let drawn = copy.open("c1").await;
    assert!(drawn.document().ends_with("<p>card</p>"));
    assert_eq!(drawn.loaded["post"]["data"], json!({ "n": 1 }));
    drawn.emit("a", json!(2)).await.refused(409, "card_closed");
    assert!(portal.take("copy", "prompt").await.is_null());
    assert_eq!(page.card("c1").await["open"], true);
    let events = portal.take(CHAT, "prompt").await["details"]["events"].clone();
    assert_eq!(
        events.as_array().unwrap().len(),
        2,
        "the event and the note stay where they were: {events}"
    );
    assert_eq!(portal.show("copy", json!({})).await, "c3", "an id is not used twice");
}

#[tokio::test]
async fn a_fork_is_there_after_a_kill() {
    let (mut portal, _) = Portal::with_card(json!([])).await;
    portal.notify("chat/forked", json!({ "from": CHAT, "to": "copy" })).await;
    portal.flush().await;
    portal.kill_and_restart().await;
    assert_eq!(portal.page("copy").cards().await.len(), 1);
    assert_eq!(portal.page(CHAT).card("c1").await["open"], true);
}

#[tokio::test]
async fn card_ids_count_up_and_are_not_used_again_after_a_restart() {
    let mut portal = Portal::start().await;
    assert_eq!(portal.show(CHAT, json!({})).await, "c1");
    portal.tool(CHAT, "ui_close", json!({ "card": "c1" })).await;
    assert_eq!(portal.show(CHAT, json!({})).await, "c2");
    portal.kill_and_restart().await;
    assert_eq!(portal.show(CHAT, json!({})).await, "c3");
}

#[tokio::test]
async fn a_fork_into_a_chat_that_a_page_already_looks_at_is_seen_there() {
    let (mut portal, _) = Portal::with_card(json!([])).await;
    let copy = portal.page("copy");
    assert!(copy.cards().await.is_empty());
    let mut stream = copy.stream().await;
    portal.notify("chat/forked", json!({ "from": CHAT, "to": "copy" })).await;
    portal.settled("copy").await;
    assert_eq!(copy.cards().await.len(), 1);
    let told = stream.next().await;
    assert!(["shown", "resync"].contains(&told.event.as_str()), "{told:?}");
}

#[tokio::test]
async fn what_is_asked_of_a_card_that_is_not_there_is_not_found() {
    let (_portal, page) = Portal::with_card(json!([])).await;
    for (what, body) in [
        ("close", json!({})),
        ("height", json!({ "width": 1, "height": 1 })),
        ("loads", json!({})),
        ("activity", json!({})),
    ] {
        page.post("c2", what, body.clone()).await.refused(404, "unknown_card");
        page.post("c1", what, body).await.ok();
    }
}
