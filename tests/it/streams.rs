//! `chats/{chat}/stream`: what a page is told, and how it goes on after a pause.

use crate::harness::{CHAT, Page, Portal, Stream, eventually};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

async fn resumed(page: &Page, query: &str, last_event_id: Option<&str>) -> Stream {
    let mut request = page.stream_request(query);
    if let Some(id) = last_event_id {
        request.headers_mut().insert("last-event-id", id.parse().unwrap());
    }
    let mut stream = page.http.stream(request).await;
    stream.comment().await;
    stream
}

async fn post(portal: &mut Portal, n: u32) {
    let updated = portal.tool(CHAT, "ui_update", json!({ "card": "c1", "data": n })).await;
    assert!(!updated.is_error, "{}", updated.text);
}

#[tokio::test]
async fn a_stream_begins_with_a_comment_and_is_not_to_be_kept() {
    let portal = Portal::start().await;
    let stream = portal.page(CHAT).stream().await;
    assert!(stream.content_type.starts_with("text/event-stream"));
}

#[tokio::test]
async fn every_change_of_a_chat_is_told_in_order_with_an_id_of_its_own() {
    let mut portal = Portal::start().await;
    let page = portal.page(CHAT);
    let mut stream = page.stream().await;
    portal.show(CHAT, json!({ "title": "One", "events": [{ "name": "a", "once": true }] })).await;
    portal.tool(CHAT, "ui_update", json!({ "card": "c1", "title": "Two", "data": 1 })).await;
    portal.tool(CHAT, "ui_update", json!({ "card": "c1", "html": "<p>new</p>" })).await;
    page.open("c1").await.emit("a", json!(1)).await.accepted();
    page.close("c1").await.ok();
    let mut told = Vec::new();
    let mut ids = Vec::new();
    while told.last().is_none_or(|last: &(String, Value)| last.0 != "closed") {
        let next = stream.next().await;
        ids.push(next.id.expect("each has an id"));
        told.push((next.event, next.data));
    }
    let names: Vec<&str> =
        told.iter().map(|(name, _)| name.as_str()).filter(|name| *name != "state").collect();
    assert_eq!(names, ["shown", "posted", "changed", "changed", "changed", "closed"]);
    assert_eq!(told[0].1["card"]["title"], "One");
    assert_eq!(told[1].1, json!({ "card": "c1", "n": 1, "data": 1 }));
    assert_eq!(told[2].1["card"]["title"], "Two");
    assert_eq!(told[3].1["card"]["revision"], 2);
    assert!(
        told.iter().any(|(name, data)| name == "state"
            && *data == json!({ "card": "c1", "state": "next_message" }))
    );
    assert_eq!(told.last().unwrap().1["card"]["closedBy"], "person");
    let all = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), all);
}

#[tokio::test]
async fn what_the_list_says_goes_on_in_the_stream_without_a_gap() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    post(&mut portal, 1).await;
    let after = page.listing().await["after"].as_str().unwrap().to_owned();
    post(&mut portal, 2).await;
    post(&mut portal, 3).await;
    let mut stream = resumed(&page, &format!("?after={after}"), None).await;
    for n in 2..=3 {
        assert_eq!(stream.next().await.data, json!({ "card": "c1", "n": n, "data": n }));
    }
    post(&mut portal, 4).await;
    assert_eq!(stream.next().await.data["n"], 4);
}

#[tokio::test]
async fn the_last_events_id_resumes_and_counts_before_the_address() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let start = page.listing().await["after"].as_str().unwrap().to_owned();
    let mut stream = page.stream().await;
    let mut ids = Vec::new();
    for n in 1..=3 {
        post(&mut portal, n).await;
        ids.push(stream.next().await.id.unwrap());
    }
    drop(stream);
    let mut by_header = resumed(&page, "", Some(&ids[0])).await;
    assert_eq!(by_header.next().await.data["n"], 2);
    let mut by_both = resumed(&page, &format!("?after={start}"), Some(&ids[1])).await;
    assert_eq!(by_both.next().await.data["n"], 3);
    let mut by_address = resumed(&page, &format!("?after={start}"), None).await;
    assert_eq!(by_address.next().await.data["n"], 1);
}

#[tokio::test]
async fn a_page_that_is_up_to_date_gets_nothing_twice() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    post(&mut portal, 1).await;
    let after = page.listing().await["after"].as_str().unwrap().to_owned();
    let mut stream = resumed(&page, &format!("?after={after}"), None).await;
    post(&mut portal, 2).await;
    assert_eq!(stream.next().await.data["n"], 2);
}

#[tokio::test]
async fn an_id_that_is_not_known_means_start_over_and_the_stream_goes_on() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    for id in ["nonsense", "0000000000000000-1", "ffffffffffffffff-99"] {
        let mut stream = resumed(&page, &format!("?after={id}"), None).await;
        let told = stream.next().await;
        assert_eq!((told.event.as_str(), told.data), ("resync", json!({})), "{id}");
        let at = told.id.expect("where the stream goes on");
        post(&mut portal, 7).await;
        let next = stream.next().await;
        assert_eq!(next.event, "posted");
        let mut again = resumed(&page, "", Some(&at)).await;
        assert_eq!(again.next().await, next);
    }
}

#[tokio::test]
async fn an_id_of_before_a_restart_means_start_over() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    post(&mut portal, 1).await;
    let after = page.listing().await["after"].as_str().unwrap().to_owned();
    portal.kill_and_restart().await;
    let mut stream = resumed(&portal.page(CHAT), &format!("?after={after}"), None).await;
    assert_eq!(stream.next().await.event, "resync");
}

#[tokio::test]
async fn an_id_of_long_ago_means_start_over() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let after = page.listing().await["after"].as_str().unwrap().to_owned();
    let mut calls = Vec::new();
    for n in 0..300 {
        calls.push(portal.call(CHAT, "ui_update", json!({ "card": "c1", "data": n })).await.1);
    }
    for call in &calls {
        portal.result(call).await;
    }
    assert_eq!(resumed(&page, &format!("?after={after}"), None).await.next().await.event, "resync");
}

#[tokio::test]
async fn pages_are_the_streams_that_are_open() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let pages = async |portal: &mut Portal| {
        portal.tool(CHAT, "ui_update", json!({ "card": "c1", "title": "T" })).await.structured["pages"].clone()
    };
    assert_eq!(pages(&mut portal).await, 0);
    let one = page.stream().await;
    let two = page.stream().await;
    let _elsewhere = portal.page("other").stream().await;
    page.open("c1").await;
    assert_eq!(pages(&mut portal).await, 2);
    drop(one);
    drop(two);
    for left in (0..200).rev() {
        if pages(&mut portal).await == 0 {
            break;
        }
        assert!(left > 0, "closed streams still count");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn both_pages_of_a_chat_see_the_close_and_a_page_of_another_chat_sees_nothing() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let mut one = page.stream().await;
    let mut two = page.stream().await;
    let mut other = portal.page("other").stream().await;
    page.close("c1").await.ok();
    for stream in [&mut one, &mut two] {
        let closed = stream.event("closed").await;
        assert_eq!((&closed["card"]["id"], &closed["card"]["open"]), (&json!("c1"), &json!(false)));
    }
    portal.show("other", json!({})).await;
    assert_eq!(other.next().await.event, "shown");
}

#[tokio::test]
async fn a_silent_stream_says_something_every_15_seconds() {
    let portal = Portal::start().await;
    let mut stream = portal.page(CHAT).stream().await;
    let opened = Instant::now();
    stream.comment().await;
    let after = opened.elapsed();
    assert!((Duration::from_secs(14)..Duration::from_secs(19)).contains(&after), "{after:?}");
}

#[tokio::test]
async fn what_is_listed_after_a_restart_is_what_was_listed_before() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a", "once": true }])).await;
    portal.show(CHAT, json!({ "title": "Two" })).await;
    portal.tool(CHAT, "ui_close", json!({ "card": "c2" })).await;
    page.open("c1").await.emit("a", json!(1)).await.accepted();
    let before = page.cards().await;
    portal.restart().await;
    assert_eq!(portal.page(CHAT).cards().await, before);
    portal.kill_and_restart().await;
    assert_eq!(portal.page(CHAT).cards().await, before);
}

#[tokio::test]
async fn a_page_that_reads_slowly_is_told_to_start_over_and_holds_nobody_up() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let mut slow = page.stream().await;
    let data = "x".repeat(60_000);
    let mut calls = Vec::new();
    for _ in 0..600 {
        calls.push(portal.call(CHAT, "ui_update", json!({ "card": "c1", "data": data })).await.1);
    }
    for call in &calls {
        assert!(!portal.result(call).await.is_error);
    }
    let mut last = slow.next().await;
    while last.event != "resync" {
        last = slow.next().await;
    }
    eventually("the newest post", async || page.load("c1").await["post"]["n"] == 600).await;
}
