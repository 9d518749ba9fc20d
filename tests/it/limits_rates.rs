//! Rates: how many events at once and a second, and what is said of one too many.

use crate::harness::{CHAT, Card, Portal, Reply, event_id};
use futures_util::future::join_all;
use serde_json::json;
use std::time::{Duration, Instant};

/// Sends that many at the same time.
async fn burst(cards: &[Card], each: usize) -> Vec<Reply> {
    let events = cards.iter().flat_map(|card| std::iter::repeat_n(card, each));
    join_all(events.map(|card| card.emit("a", json!(1)))).await
}

fn accepted(replies: &[Reply]) -> u32 {
    u32::try_from(replies.iter().filter(|reply| reply.status == 202).count()).unwrap()
}

/// As many as the burst, and what the time since it began has made room for.
fn at_most(burst: u32, per_second: u32, since: Instant) -> u32 {
    burst + u32::try_from((since.elapsed() * per_second).as_secs()).unwrap()
}

/// A refusal says when, in whole seconds for a proxy and in milliseconds for the page.
fn retry_after(refused: &Reply, code: &str, at_most_ms: u64) -> Duration {
    refused.refused(429, code);
    let ms = refused.json()["retryAfterMs"].as_u64().unwrap();
    assert!((1..=at_most_ms).contains(&ms), "{ms}");
    assert_eq!(refused.header("retry-after"), Some("1"));
    Duration::from_millis(ms)
}

#[tokio::test]
async fn a_card_sends_20_at_once_and_then_5_a_second() {
    let (_portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    let card = page.open("c1").await;
    let start = Instant::now();
    let replies = burst(std::slice::from_ref(&card), 60).await;
    let first = accepted(&replies);
    assert!((20..=at_most(20, 5, start)).contains(&first), "{first} in {:?}", start.elapsed());
    let refused = replies.iter().find(|reply| reply.status != 202).unwrap();
    retry_after(refused, "card_rate_limited", 200);
    assert!(refused.json()["detail"].as_str().unwrap().contains("20"));
    tokio::time::sleep(Duration::from_secs(1)).await;
    let second = accepted(&burst(&[card], 12).await);
    assert!(
        second >= 5 && first + second <= at_most(20, 5, start),
        "{first} and {second} in {:?}",
        start.elapsed()
    );
}

#[tokio::test]
async fn an_event_refused_for_its_rate_may_come_again_under_its_id_after_the_time_it_was_told() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    let card = page.open("c1").await;
    burst(std::slice::from_ref(&card), 40).await;
    // One that is accepted after all is not the one this is about.
    let (id, wait) = loop {
        let id = event_id();
        let reply = card.emit_as(&id, "a", json!("late")).await;
        if reply.status != 202 {
            break (id, retry_after(&reply, "card_rate_limited", 200));
        }
    };
    tokio::time::sleep(wait).await;
    card.emit_as(&id, "a", json!("late")).await.accepted();
    let message = portal.take(CHAT, "prompt").await;
    assert_eq!(message["details"]["events"][0]["id"], id);
    assert!(message["text"].as_str().unwrap().contains("\"late\""));
}

#[tokio::test]
async fn one_card_at_its_limit_stops_no_other() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    portal.show(CHAT, json!({ "events": [{ "name": "a" }] })).await;
    let (one, two) = (page.open("c1").await, page.open("c2").await);
    let replies = burst(&[one], 60).await;
    assert!(replies.iter().any(|reply| reply.status == 429));
    two.emit("a", json!(1)).await.accepted();
}

#[tokio::test]
async fn a_chat_sends_60_at_once_and_then_10_a_second() {
    let mut portal = Portal::start().await;
    let page = portal.page(CHAT);
    let mut cards = Vec::new();
    for _ in 0..10 {
        let id = portal.show(CHAT, json!({ "events": [{ "name": "a" }] })).await;
        cards.push(page.open(&id).await);
    }
    let start = Instant::now();
    let replies = burst(&cards, 13).await;
    let first = accepted(&replies);
    assert!((60..=at_most(60, 10, start)).contains(&first), "{first} in {:?}", start.elapsed());
    let refused = replies.iter().find(|reply| reply.status != 202).unwrap();
    retry_after(refused, "chat_rate_limited", 100);
    tokio::time::sleep(Duration::from_secs(1)).await;
    let second = accepted(&burst(&cards, 3).await);
    assert!(
        second >= 10 && first + second <= at_most(60, 10, start),
        "{first} and {second} in {:?}",
        start.elapsed()
    );
    portal.show("other", json!({ "events": [{ "name": "a" }] })).await;
    portal.page("other").open("c1").await.emit("a", json!(1)).await.accepted();
}

#[tokio::test]
async fn a_repeated_event_costs_nothing() {
    let (_portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    let card = page.open("c1").await;
    let id = event_id();
    let repeats = join_all((0..40).map(|_| card.emit_as(&id, "a", json!(1)))).await;
    assert_eq!(accepted(&repeats), 40);
    assert_eq!(accepted(&burst(&[card], 19).await), 19);
}

#[tokio::test]
async fn the_last_256_accepted_ids_of_a_card_are_remembered_also_by_another_process() {
    let (mut portal, _) = Portal::with_card(json!([{ "name": "a" }])).await;
    let id = |n: u32| format!("id-{n}");
    let mut card = portal.page(CHAT).open("c1").await;
    for n in 1..=257 {
        let mut reply = card.emit_as(&id(n), "a", json!(n)).await;
        if reply.status == 429 {
            // A new process begins with fresh rates, which saves a minute of waiting here.
            portal.kill_and_restart().await;
            card = portal.page(CHAT).open("c1").await;
            reply = card.emit_as(&id(n), "a", json!(n)).await;
        }
        reply.accepted();
        if n == 256 {
            card.emit_as(&id(1), "a", json!("again")).await.accepted();
        }
    }
    card.emit_as(&id(2), "a", json!("again")).await.accepted();
    let message = portal.take(CHAT, "prompt").await;
    assert_eq!(message["details"]["events"][0]["count"], 257, "both were known");
    portal.delivered(CHAT, message["id"].as_str().unwrap()).await;
    portal.kill_and_restart().await;
    let card = portal.page(CHAT).open("c1").await;
    card.emit_as(&id(1), "a", json!("forgotten")).await.accepted();
    assert_eq!(portal.take(CHAT, "prompt").await["details"]["events"][0]["count"], 1);
}
