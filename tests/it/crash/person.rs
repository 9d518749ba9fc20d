//! The pages of one chat and the person in front of them, until the program is gone.

use super::ledger::{CardKey, Key, Post, Shared};
use crate::harness::{Dice, Http, Page};
use hyper::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use tokio::task::JoinSet;

/// Cards of the chat that the person uses, the newest.
const IN_USE: usize = 3;

/// Uses whatever cards there are.
pub(super) async fn looks(http: Http, chat: &'static str, ledger: Shared, mut dice: Dice) {
    let page = Page::new(http.clone(), chat);
    let mut posting = JoinSet::new();
    let mut drawn = BTreeSet::new();
    let living = async {
        repeats(&http, chat, &ledger).await?;
        loop {
            let cards = list(&page, chat, &ledger).await?;
            let open: Vec<_> =
                cards.iter().rev().filter(|card| card["open"] == true).take(IN_USE).collect();
            for card in &open {
                let id = card["id"].as_str().unwrap();
                if !drawn.insert(id.to_owned()) {
                    continue;
                }
                let load = ask(&page, id, "loads", "{}".to_owned()).await?.ok()["load"].clone();
                for event in card["events"].as_array().unwrap() {
                    let card = (chat.to_owned(), id.to_owned());
                    let key = Key { card, name: event["name"].as_str().unwrap().to_owned() };
                    posting.spawn(emits(
                        page.clone(),
                        key,
                        load.clone(),
                        ledger.clone(),
                        dice.apart(),
                    ));
                }
            }
            if open.len() == IN_USE && dice.below(12) == 0 {
                closes(
                    &page,
                    (chat.to_owned(), dice.pick(&open)["id"].as_str().unwrap().to_owned()),
                    &ledger,
                )
                .await?;
            }
            tokio::time::sleep(Duration::from_millis(4)).await;
        }
    };
    let gone: Option<()> = living.await;
    assert_eq!(gone, None);
    while let Some(ended) = posting.join_next().await {
        ended.unwrap();
    }
}

/// Sends again, under its id and with its load's name, what had no answer.
pub(super) async fn repeats(http: &Http, chat: &str, ledger: &Shared) -> Option<()> {
    let unanswered: Vec<_> = {
        let ledger = ledger.lock().unwrap();
        ledger.unanswered.clone().into_iter().filter(|(key, _)| key.card.0 == chat).collect()
    };
    let page = Page::new(http.clone(), chat);
    for (key, post) in unanswered {
        send(&page, &key, post, ledger).await?;
    }
    Some(())
}

/// Looks at every card once nothing is under way any more.
pub(super) async fn reads_all(http: &Http, chat: &str, ledger: &Shared) {
    let page = Page::new(http.clone(), chat);
    for card in list(&page, chat, ledger).await.unwrap() {
        let id = card["id"].as_str().unwrap();
        let post = page.load(id).await["post"]["data"]["n"].as_u64();
        ledger.lock().unwrap().found(&(chat.to_owned(), id.to_owned()), &card, post);
    }
}

/// Sends events of one name, one after the other.
async fn emits(page: Page, key: Key, load: Value, ledger: Shared, mut dice: Dice) {
    for _ in 0..=dice.below(12) {
        tokio::time::sleep(Duration::from_millis(dice.below(5))).await;
        let n = ledger.lock().unwrap().next_event(&key);
        let pad = "x".repeat(usize::try_from(dice.below(2_000)).unwrap());
        let id = format!("{}-{}-{n}", key.card.1, key.name);
        let body =
            json!({ "id": id, "load": load, "name": key.name, "data": { "n": n, "pad": pad } });
        let post = Post { n, body: body.to_string() };
        let Some(202) = send(&page, &key, post, &ledger).await else { return };
    }
}

async fn send(page: &Page, key: &Key, post: Post, ledger: &Shared) -> Option<u16> {
    let reply = ask(page, &key.card.1, "events", post.body.clone()).await;
    let answer = reply.map(|reply| match reply.status.as_u16() {
        202 => (202, String::new()),
        _ => reply.problem(),
    });
    let status = answer.as_ref().map(|answer| answer.0);
    if let Some((status, code)) = &answer {
        let known = ["card_rate_limited", "chat_rate_limited", "card_closed", "event_spent"];
        assert!(*status == 202 || known.contains(&code.as_str()), "{key:?}: {status} {code}");
    }
    ledger.lock().unwrap().answered(key, post, answer);
    status
}

async fn closes(page: &Page, card: CardKey, ledger: &Shared) -> Option<()> {
    ask(page, &card.1, "close", "{}".to_owned()).await?.ok();
    ledger.lock().unwrap().closed(&card);
    Some(())
}

async fn list(page: &Page, chat: &str, ledger: &Shared) -> Option<Vec<Value>> {
    let acknowledged = ledger.lock().unwrap().acknowledged();
    let listing = page.http.request(Method::GET, &page.path("cards"), "");
    let cards = page.http.try_send(listing).await?.ok()["cards"].as_array().unwrap().clone();
    ledger.lock().unwrap().listed(chat, &cards, &acknowledged);
    Some(cards)
}

async fn ask(page: &Page, card: &str, what: &str, body: String) -> Option<crate::harness::Reply> {
    let path = page.path(&format!("cards/{card}/{what}"));
    page.http.try_send(page.http.request(Method::POST, &path, body)).await
}
