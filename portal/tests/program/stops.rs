//! Stop, while a call waits for the person.

use crate::chat::{Chat, a_late_answer_is_an_ordinary_event, received, show};
use crate::program::{Program, signal, until};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const AT_ONCE: Duration = Duration::from_millis(100);

fn waiting() -> String {
    show(&json!({ "wait": { "event": "ok" } }))
}

fn calls(items: &[Value]) -> Vec<&Value> {
    items.iter().filter(|item| item["kind"] == "call").collect()
}

#[tokio::test]
async fn a_stopped_wait_is_over_at_once_and_its_card_stays_open_with_nobody_waiting() {
    let portal = Program::start().await;
    let chat = Chat::begin(&portal, &format!("{}\n{}", waiting(), show(&json!({})))).await;
    let card = chat.card_that("c1", |card| !card["waiting"].is_null()).await;
    assert_eq!(card["waiting"], json!(["ok"]));
    // The other call of the turn is answered, and its item says so.
    let settled = async || {
        let items = chat.items().await;
        let done = calls(&items).get(1)?["status"] == "done";
        done.then_some(())
    };
    until("an answer of the call that does not wait", settled).await;

    let begun = Instant::now();
    chat.stop().await;
    let taken = begun.elapsed();
    let items = chat.items().await;
    let two = calls(&items);
    assert_eq!((&two[0]["status"], &two[1]["status"]), (&json!("cancelled"), &json!("done")));
    assert_eq!(two[0]["result"]["text"], "Stopped before it was answered.");
    assert_eq!(chat.read().await["agent"], "idle");
    assert!(taken < AT_ONCE, "{taken:?}");
    eprintln!("a stop of a wait took {taken:?}");

    a_late_answer_is_an_ordinary_event(&chat).await;
}

#[tokio::test]
async fn an_answer_that_races_a_stop_arrives_exactly_once() {
    let portal = Program::start().await;
    let chat = Chat::begin(&portal, "hello").await;
    for n in 1..=12_u64 {
        chat.idle().await;
        chat.say(&waiting()).await;
        let card = format!("c{n}");
        chat.card_that(&card, |card| !card["waiting"].is_null()).await;
        let load = chat.load(&card).await["load"].clone();
        let event = json!({ "id": format!("e{n}"), "load": load, "name": "ok", "data": n });
        let stop = async {
            tokio::time::sleep(Duration::from_micros(n * 500)).await;
            chat.stop().await;
        };
        let (taken, ()) = tokio::join!(chat.post(&card, "events", event), stop);
        assert_eq!(taken.status, 202, "{taken:?}");
    }
    chat.idle().await;
    chat.asks("hello").await;
    let mut got = received(&chat.items().await);
    got.sort();
    let mut want: Vec<_> = (1..=12).map(|n| (format!("c{n}"), "ok".to_owned(), 1)).collect();
    want.sort();
    assert_eq!(got, want);
}

#[tokio::test]
async fn a_wait_of_an_extension_that_hangs_can_be_stopped_and_nothing_is_left_of_it() {
    let portal = Program::start().await;
    let chat = Chat::begin(&portal, &waiting()).await;
    chat.card_that("c1", |card| !card["waiting"].is_null()).await;
    let extension = portal.extension().await;
    signal(extension, "-STOP").await;
    let begun = Instant::now();
    chat.stop().await;
    let taken = begun.elapsed();
    let items = chat.items().await;
    assert_eq!(calls(&items)[0]["status"], "cancelled");
    signal(extension, "-CONT").await;
    assert!(taken < AT_ONCE, "{taken:?}");
    let card = chat.card_that("c1", |card| card["unanswered"] == true).await;
    assert_eq!((&card["open"], card.get("waiting")), (&json!(true), None));
}
