//! As many cards as a chat keeps, and one more.

use crate::browser::{Outcome, Tab, World, until};
use playwright_rs::expect;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const KEPT: usize = 200;
const GONE: &str = "This card is not kept any more.";

fn show(title: &str, more: &Value) -> String {
    let html = "<p>a card</p><button id=b onclick=\"pithagoras.emit('go', 1)\">Go</button>";
    let mut arguments = json!({ "title": title, "html": html });
    arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    format!("/call ui_show {arguments}")
}

/// All of these calls are made in one turn, side by side.
async fn show_all(tab: &Tab, titles: impl Iterator<Item = String>) {
    let events = json!({ "events": [{ "name": "go", "debounceMs": 0 }] });
    let lines: Vec<String> = titles.map(|title| show(&title, &events)).collect();
    tab.say(&lines.join("\n")).await;
}

/// The composer's answer to a key, in milliseconds, as the page saw it: the slowest of ten.
async fn slowest_key(tab: &Tab) -> f64 {
    let script = "() => {
        self.slowest = 0;
        document.querySelector('#message').addEventListener('input', (event) => {
            requestAnimationFrame(() => setTimeout(() => {
                self.slowest = Math.max(slowest, performance.now() - event.timeStamp);
            }));
        });
    }";
    let () = tab.page.evaluate(script, None::<&()>).await.unwrap();
    tab.composer().press_sequentially("hello you!", None).await.unwrap();
    until("the last key", async || (tab.eval::<f64>("() => slowest").await > 0.).then_some(()))
        .await;
    tab.eval("() => slowest").await
}

/// The numbers of the cards from the top of the page: calls side by side get theirs in any order.
const IN_ORDER: &str = "() => [...document.querySelectorAll('inline-ui-card')]
    .map((card) => Number(card.getAttribute('card').slice(1)))";

/// The numbers of the cards that run.
const RUNNING: &str = "() => [...document.querySelectorAll('inline-ui-card')]
    .filter((card) => card.shadowRoot.querySelector('iframe.shown'))
    .map((card) => Number(card.getAttribute('card').slice(1)))";

/// Where each card begins, and how tall it is.
const PLACES: &str = "() => [...document.querySelectorAll('inline-ui-card')].map((card) => {
    const { top, height } = card.getBoundingClientRect();
    return [top + scrollY, height];
})";

#[tokio::test]
async fn of_two_hundred_cards_those_near_run_and_one_more_takes_the_place_of_the_first() -> Outcome
{
    let world = World::start().await;
    let tab = world.tab().await;
    let began = Instant::now();
    show_all(&tab, (1..=KEPT).map(|n| format!("Card {n}"))).await;
    let first = tab.card(1);
    let cards = tab.page.locator("inline-ui-card");
    expect(cards.clone()).with_timeout(Duration::from_mins(1)).to_have_count(KEPT).await?;
    let last = tab.card(tab.eval::<Vec<usize>>(IN_ORDER).await[KEPT - 1]);
    last.is_drawn().await;
    let drawn = began.elapsed();
    tab.idle().await;
    let key = slowest_key(&tab).await;
    let asked = Instant::now();
    tab.composer().press("Enter", None).await?;
    tab.agent_says("demo").await;
    let answered = asked.elapsed();
    eprintln!(
        "{KEPT} cards: the last drawn in {drawn:?}, slowest key {key:.0} ms, answer in {answered:?}"
    );
    assert!(key < 1000., "a key took {key} ms");
    assert!(answered < Duration::from_secs(5), "an answer took {answered:?}");

    tab.idle().await;
    last.host.scroll_into_view_if_needed().await?;
    last.click("#b").await;
    last.line_is("next_message").await;
    tab.say(&show("One more", &json!({}))).await;
    first.says("removed", GONE).await;
    expect(first.frame()).to_have_count(0).await?;
    expect(first.own_button("Close")).to_be_hidden().await?;
    expect(tab.call_row(1).locator("inline-ui-card")).to_have_count(1).await?;
    last.says("delivered", "The agent has this.").await;
    assert_eq!(tab.events_read().await, ["go ×1: 1"]);

    tab.reload().await;
    expect(cards).with_timeout(Duration::from_mins(1)).to_have_count(KEPT + 1).await?;
    first.says("removed", GONE).await;
    let place = tab.call_row(1);
    expect(place.locator("inline-ui-card")).to_have_count(1).await?;
    Ok(())
}

#[tokio::test]
async fn a_card_far_away_rests_in_its_place_and_comes_back_and_one_that_was_used_stays() -> Outcome
{
    const CARDS: usize = 60;
    let world = World::start().await;
    let tab = world.tab().await;
    show_all(&tab, (1..=CARDS).map(|n| format!("Card {n}"))).await;
    expect(tab.page.locator("inline-ui-card"))
        .with_timeout(Duration::from_mins(1))
        .to_have_count(CARDS)
        .await?;
    let order: Vec<usize> = tab.eval(IN_ORDER).await;
    let cards: Vec<_> = order.iter().map(|n| tab.card(*n)).collect();
    let (used, second, last) = (&cards[0], &cards[1], &cards[CARDS - 1]);
    last.is_drawn().await;
    tab.idle().await;
    used.host.scroll_into_view_if_needed().await?;
    used.is_drawn().await;
    used.click("#b").await;
    used.line_is("next_message").await;
    // All of them were near once, from the first to the last.
    for card in cards.iter().step_by(4) {
        card.host.scroll_into_view_if_needed().await?;
        card.is_drawn().await;
    }
    last.host.scroll_into_view_if_needed().await?;
    last.is_drawn().await;
    let running: Vec<usize> = tab.eval(RUNNING).await;
    assert!(running.len() <= 25 && running.contains(&order[0]), "{running:?}");
    assert!(!running.contains(&order[1]), "{running:?}");
    // Those that rest hold their places: nothing moves when they come back.
    let places: Vec<[f64; 2]> = tab.eval(PLACES).await;
    let loads = tab.loads();
    second.host.scroll_into_view_if_needed().await?;
    second.is_drawn().await;
    assert!(tab.loads() > loads);
    assert_eq!(tab.eval::<Vec<[f64; 2]>>(PLACES).await, places);
    second.click("#b").await;
    second.line_is("next_message").await;
    Ok(())
}

#[tokio::test]
async fn a_wait_on_a_card_that_has_to_go_ends_and_says_so() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let asked = show("A question", &json!({ "wait": { "event": "go" } }));
    let rest = (0..KEPT).map(|n| show(&format!("Card {n}"), &json!({})));
    tab.say(&std::iter::once(asked).chain(rest).collect::<Vec<_>>().join("\n")).await;
    expect(tab.call_row(1))
        .with_timeout(Duration::from_mins(1))
        .to_have_attribute("data-status", "done")
        .await?;
    let result = tab.call_result(1).await;
    assert_eq!((&result["card"], &result["outcome"]), (&json!("c1"), &json!("closed")));
    tab.card(1).says("removed", GONE).await;
    tab.agent_says("The card was closed, so there is no answer.").await;
    Ok(())
}
