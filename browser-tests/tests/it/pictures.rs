//! The README's picture and one of every line under a card, in `browser-tests/screenshots/`.

use crate::browser::{Card, Look, Outcome, Tab, World, until};
use playwright_rs::protocol::{FulfillOptions, Route};
use playwright_rs::{ScreenshotOptions, Viewport};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

fn path(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    folder.join(name)
}

#[tokio::test]
async fn the_readmes_picture_is_made_from_the_real_thing() -> Outcome {
    let world = World::start().await;
    for dark in [false, true] {
        let look = Look { dark, width: 1200, height: 820, scale: 1. };
        let tab = world.tab_with(&look).await;
        tab.say("Pick a colour for the new logo").await;
        let card = tab.card(1);
        card.is_drawn().await;
        tab.idle().await;
        card.button("Teal").click(None).await?;
        tab.agent_says("\"Teal\"").await;
        card.line_is("delivered").await;
        tab.idle().await;
        card.settled_height().await;
        tab.page.mouse().move_to(5., 755., None).await?;
        tab.composer().focus().await?;
        tokio::time::sleep(Duration::from_millis(500)).await;
        let name = if dark { "readme-dark.png" } else { "readme.png" };
        let picture = tab.page.screenshot_to_file(&path(name), None).await?;
        assert!(picture.len() > 10_000);
    }
    Ok(())
}

const CARD: &str = "<p>A card with <b>something</b> in it.</p>
    <button class=primary id=b onclick=\"pithagoras.emit('go', 1)\">Go</button>
    <button id=w onclick=\"pithagoras.emit('wake', 1)\">Wake</button>";

async fn shown(tab: &Tab, title: &str, html: &str) -> Card {
    let events = json!([
        { "name": "go", "debounceMs": 0 },
        { "name": "wake", "debounceMs": 0, "wake": true },
    ]);
    tab.show_as(&json!({ "title": title, "html": html, "events": events })).await
}

async fn picture(card: &Card, name: &str, dark: bool) {
    let name = format!("line-{name}-{}.png", if dark { "dark" } else { "light" });
    let picture = card.host.screenshot(ScreenshotOptions::builder().build()).await.unwrap();
    std::fs::write(path(&name), picture).unwrap();
}

async fn answer_events_with(tab: &Tab, status: u16, body: Value) {
    let body = std::sync::Arc::new(body);
    let answer = move |route: Route| {
        let body = body.clone();
        async move {
            let options = FulfillOptions::builder()
                .status(status)
                .content_type("application/problem+json")
                .body_string(body.to_string())
                .build();
            route.fulfill(options).await
        }
    };
    tab.page.unroute_all(None).await.unwrap();
    tab.page.route("**/events", answer).await.unwrap();
}

#[tokio::test]
async fn every_line_under_a_card_can_be_seen_in_light() -> Outcome {
    Box::pin(lines(false)).await
}

#[tokio::test]
async fn every_line_under_a_card_can_be_seen_in_dark() -> Outcome {
    Box::pin(lines(true)).await
}

async fn lines(dark: bool) -> Outcome {
    let world = World::start().await;
    let tab = world.tab_with(&Look { dark, width: 900, height: 900, scale: 1. }).await;
    let card = shown(&tab, "A card", CARD).await;
    picture(&card, "none", dark).await;
    card.click("#b").await;
    card.line_is("next_message").await;
    picture(&card, "next_message", dark).await;
    tab.say("hello").await;
    card.line_is("delivered").await;
    tab.idle().await;
    picture(&card, "delivered", dark).await;
    card.click("#w").await;
    card.line_is("delivered").await;
    tab.idle().await;
    card.click("#w").await;
    card.line_is("starting").await;
    picture(&card, "starting", dark).await;
    tab.idle().await;
    // A step is short: the picture counts if the line still says so after it.
    tab.say("/work 12").await;
    tab.agent_says("Step 1 of 12").await;
    for _ in 0..5 {
        card.click("#b").await;
        card.line_is("next_step").await;
        picture(&card, "next_step", dark).await;
        if card.line_state().await == "next_step" {
            break;
        }
    }
    tab.stop_button().click(None).await?;
    tab.idle().await;

    tab.page
        .route("**/events", |route: Route| async move {
            tokio::time::sleep(Duration::from_secs(2)).await;
            route.continue_(None).await
        })
        .await?;
    card.click("#b").await;
    card.line_is("sending").await;
    picture(&card, "sending", dark).await;
    card.line_is("next_message").await;
    let problem = |status: u16, code: &str, detail: &str| {
        json!({ "type": "about:blank", "title": code, "status": status, "code": code, "detail": detail,
            "retryAfterMs": 60_000 })
    };
    let refused = problem(422, "data_too_deep", "the data is nested deeper than 64");
    answer_events_with(&tab, 422, refused).await;
    card.click("#b").await;
    card.line_is("refused").await;
    picture(&card, "refused", dark).await;
    answer_events_with(&tab, 429, problem(429, "card_rate_limited", "too many")).await;
    card.click("#b").await;
    card.line_is("rate_limited").await;
    picture(&card, "rate_limited", dark).await;
    tab.page.unroute_all(None).await?;

    Box::pin(ends(&tab, dark)).await
}

/// Lines of cards that came to their end, or that did not come.
async fn ends(tab: &Tab, dark: bool) -> Outcome {
    let down = shown(tab, "Portal down", CARD).await;
    tab.cut("**/events").await;
    down.click("#b").await;
    down.line_is("unreachable").await;
    picture(&down, "unreachable", dark).await;
    tab.page.unroute_all(None).await?;
    down.line_is("next_message").await;
    let offline = shown(tab, "Offline", CARD).await;
    tab.context.set_offline(true).await?;
    offline.click("#b").await;
    offline.line_is("offline").await;
    picture(&offline, "offline", dark).await;
    tab.context.set_offline(false).await?;
    offline.line_is("next_message").await;

    let by_person = shown(tab, "Closed by the person", CARD).await;
    by_person.own_button("Close").click(None).await?;
    by_person.line_is("closed").await;
    picture(&by_person, "closed-person", dark).await;
    let by_agent = shown(tab, "Closed by the agent", CARD).await;
    tab.call("ui_close", &json!({ "card": "c5" })).await;
    by_agent.line_is("closed").await;
    picture(&by_agent, "closed-agent", dark).await;
    tab.idle().await;

    let events = json!([{ "name": "wake", "debounceMs": 0 }]);
    let asked = json!({ "title": "Asked", "html": CARD, "events": events,
        "wait": { "event": "go", "timeoutSeconds": 60 } });
    let asked = tab.show_and_wait(&asked).await;
    asked.line_is("asked").await;
    picture(&asked, "asked", dark).await;
    asked.click("#w").await;
    asked.line_is("next_step").await;
    picture(&asked, "asked-next_step", dark).await;
    asked.click("#b").await;
    // Answered, and a moment later the portal says that the agent has it.
    let state = until("the answer to arrive", async || {
        let state = asked.line_state().await;
        ["answered", "delivered"].contains(&state.as_str()).then_some(state)
    })
    .await;
    picture(&asked, &format!("asked-{state}"), dark).await;
    tab.idle().await;

    let html = "<p>loop</p><script>setTimeout(() => location.reload(), 50);</script>";
    tab.call("ui_show", &json!({ "title": "Loop", "html": html })).await;
    let left = tab.card(7);
    left.line_is("left").await;
    picture(&left, "left", dark).await;
    tab.idle().await;
    tab.page.route("**/loads", |route: Route| async move { route.abort(None).await }).await?;
    tab.call("ui_show", &json!({ "title": "Missing", "html": CARD })).await;
    let missing = tab.card(8);
    missing.line_is("missing").await;
    picture(&missing, "missing", dark).await;
    tab.page.unroute_all(None).await?;
    missing.own_button("Reload card").click(None).await?;
    missing.is_drawn().await;
    missing.line_is("").await;
    tab.idle().await;

    let late =
        json!({ "title": "Late", "html": CARD, "wait": { "event": "go", "timeoutSeconds": 1 } });
    let late = tab.show_and_wait(&late).await;
    late.line_is("unanswered").await;
    tab.idle().await;
    picture(&late, "unanswered", dark).await;
    late.click("#b").await;
    late.line_is("next_message").await;
    picture(&late, "unanswered-next_message", dark).await;
    stopped(tab, dark).await?;
    narrow(tab, &late, dark).await
}

/// A card that the page stopped, and one that is not kept any more.
async fn stopped(tab: &Tab, dark: bool) -> Outcome {
    let html = "<p>flood</p><script>setInterval(() => {
        for (let i = 0; i < 500; i++) parent.parent.postMessage(i, '*'); }, 20);</script>";
    tab.call("ui_show", &json!({ "title": "Flood", "html": html })).await;
    let noisy = tab.card(10);
    noisy.line_is("noisy").await;
    picture(&noisy, "noisy", dark).await;
    tab.idle().await;
    // What the stream says of a card that had to make room.
    let script = "host => {
        const stranger = document.createElement('inline-ui-card');
        for (const name of ['base', 'chat']) stranger.setAttribute(name, host.getAttribute(name));
        stranger.setAttribute('card', 'c99');
        host.after(stranger);
    }";
    let () = noisy.host.evaluate(script, None::<()>).await?;
    let removed = tab.card(99);
    removed.line_is("removed").await;
    picture(&removed, "removed", dark).await;
    Ok(())
}

/// The longest lines where there is least room.
async fn narrow(tab: &Tab, late: &Card, dark: bool) -> Outcome {
    let size = Viewport { width: 360, height: 740 };
    tab.page.set_viewport_size(size).await?;
    picture(&tab.card(7), "narrow-left", dark).await;
    tab.cut("**/events").await;
    late.click("#b").await;
    late.line_is("unreachable").await;
    picture(late, "narrow-unreachable", dark).await;
    tab.page.unroute_all(None).await?;
    late.line_is("next_message").await;
    picture(late, "narrow-unanswered-next_message", dark).await;
    Ok(())
}
