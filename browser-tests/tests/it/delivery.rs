//! When the agent gets what the person did, and what the page says of it before.

use crate::browser::{Outcome, World, until};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const CARD: &str =
    "<button id=note onclick=\"pithagoras.emit('note', { n: next() })\">Note</button>
    <button id=go onclick=\"pithagoras.emit('go', { n: next() })\">Go</button>
    <script>let n = 0; const next = () => ++n;</script>";

/// `note` waits, `go` wakes the agent.
fn events() -> Value {
    json!([{ "name": "note", "debounceMs": 0 }, { "name": "go", "debounceMs": 0, "wake": true }])
}

/// Whether `wanted` come in that order, with others in between.
fn in_order(history: &[String], wanted: &[&str]) -> bool {
    let mut seen = history.iter();
    wanted.iter().all(|state| seen.any(|entry| entry == state))
}

#[tokio::test]
async fn a_click_while_the_agent_works_goes_in_at_its_next_step() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(CARD, &events()).await;
    tab.say("/work 6").await;
    tab.agent_says("Step 1 of 6.").await;
    card.keep_line().await;
    card.click("#note").await;
    card.line_is("delivered").await;
    let history = card.line_history().await;
    assert!(in_order(&history, &["next_step", "delivered"]), "{history:?}");
    tab.agent_says("Step 6 of 6.").await;
    tab.agent_quotes("note", &json!({ "n": 1 })).await;
    let heard = tab.answers().await.into_iter().find(|it| it.contains("You did note"));
    let heard = heard.ok_or("no step heard the click")?;
    assert!(heard.contains("Step ") && !heard.contains("Step 1 of"), "{heard}");
    tab.idle().await;
    assert_eq!(tab.summaries().await, ["UI: A card · note"]);
    assert_eq!(tab.events_read().await, ["note ×1: {\"n\":1}"]);
    card.says("delivered", "The agent has this.").await;
    Ok(())
}

#[tokio::test]
async fn when_the_agent_was_let_go_a_click_waits_and_a_wake_click_starts_it() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(CARD, &events()).await;
    tab.say("/letgo").await;
    tab.agent_is("gone").await;
    card.click("#note").await;
    card.line_is("next_message").await;
    assert_eq!(tab.agent_state().await, "gone");
    tab.say("hello").await;
    tab.agent_quotes("note", &json!({ "n": 1 })).await;
    card.line_is("delivered").await;
    tab.idle().await;

    tab.say("/letgo").await;
    tab.agent_is("gone").await;
    card.keep_line().await;
    card.click("#go").await;
    tab.agent_quotes("go", &json!({ "n": 2 })).await;
    card.line_is("delivered").await;
    let history = card.line_history().await;
    assert!(in_order(&history, &["starting", "delivered"]), "{history:?}");
    tab.idle().await;

    // A second one so soon after: the page says when it goes, and then it does.
    let clicked = Instant::now();
    card.click("#go").await;
    let said = until("the line to say when", async || {
        let said = card.line().await;
        (said.starts_with("The agent starts on this in ") && said.ends_with(" s.")).then_some(said)
    })
    .await;
    let seconds: u64 = said.split(' ').rev().nth(1).unwrap_or_default().parse()?;
    assert!((1..=10).contains(&seconds), "{said}");
    assert_eq!(card.line_state().await, "starting");
    tab.agent_quotes("go", &json!({ "n": 3 })).await;
    let waited = clicked.elapsed();
    assert!(waited + Duration::from_secs(1) > Duration::from_secs(seconds), "{said} {waited:?}");
    card.line_is("delivered").await;
    let read = ["note ×1: {\"n\":1}", "go ×1: {\"n\":2}", "go ×1: {\"n\":3}"];
    assert_eq!(tab.events_read().await, read);
    assert_eq!(tab.summaries().await.len(), 3);
    assert_eq!(tab.loads(), 1);
    Ok(())
}

#[tokio::test]
async fn after_a_killed_portal_comes_back_nothing_is_lost_and_a_wake_click_starts_the_agent()
-> Outcome {
    let mut world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(CARD, &events()).await;
    card.click("#note").await;
    card.line_is("next_message").await;
    world.portal.kill();
    world.portal.start_again();
    tab.agent_is("gone").await;
    // The page stayed open, and its card with it.
    card.click("#note").await;
    card.line_is("next_message").await;
    card.keep_line().await;
    card.click("#go").await;
    tab.agent_quotes("go", &json!({ "n": 3 })).await;
    card.line_is("delivered").await;
    let history = card.line_history().await;
    assert!(in_order(&history, &["starting", "delivered"]), "{history:?}");
    tab.idle().await;
    let read = tab.read_by_agent().await;
    assert_eq!(read.len(), 1, "{read:?}");
    let notes = read[0].lines().find(|line| line.contains("\"note\"")).unwrap_or_default();
    assert!(notes.contains("\"count\":2") && notes.contains("\"n\":2"), "{}", read[0]);

    // What the server lists is what a page draws.
    tab.show("<p>two</p>", &json!([])).await;
    world.portal.kill();
    world.portal.start_again();
    tab.reload().await;
    tab.card(1).is_drawn().await;
    tab.card(2).is_drawn().await;
    assert_eq!(tab.page.locator("inline-ui-card").count().await?, 2);
    assert_eq!(tab.card(2).get("p").inner_text().await?, "two");
    tab.card(1).click("#note").await;
    tab.card(1).line_is("next_message").await;
    tab.say("hello").await;
    tab.agent_quotes("note", &json!({ "n": 1 })).await;
    assert_eq!(tab.summaries().await.len(), 2);
    Ok(())
}

#[tokio::test]
async fn an_event_that_is_posted_three_times_under_one_id_is_one() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    tab.show(CARD, &events()).await;
    let script = r#"async () => {
        const chat = location.pathname.split("/").at(-1);
        const base = `/ext/inline-ui/chats/${chat}/cards/c1`;
        const post = (path, body) => fetch(`${base}/${path}`, { method: "POST",
            headers: { "content-type": "application/json" }, body });
        const { load } = await (await post("loads", "{}")).json();
        const body = `{"id":"e1","load":"${load}","name":"note","data":"a\ud800b"}`;
        const answers = [];
        for (let i = 0; i < 3; i++) answers.push((await post("events", body)).status);
        return answers;
    }"#;
    assert_eq!(tab.eval::<Vec<u16>>(script).await, [202, 202, 202]);
    tab.say("hello").await;
    tab.agent_quotes("note", &json!("a\u{fffd}b")).await;
    tab.idle().await;
    assert_eq!(tab.summaries().await, ["UI: A card · note"]);
    Ok(())
}
