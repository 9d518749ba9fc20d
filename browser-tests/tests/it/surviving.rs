//! A card that is dead or will not stop, and the cards and the page around it.

use crate::browser::{Outcome, World, pause, until};
use crate::process::busiest_frame_process;
use serde_json::{Value, json};
use std::process::Command;

const DEAD: &str = "This card was stopped: it does not answer.";
const BUTTON: &str = "<button id=b onclick=\"pithagoras.emit('go')\">Go</button>";

fn go() -> Value {
    json!([{ "name": "go", "debounceMs": 0 }])
}

/// The page notes its longest pause, and when each card's line says that it is dead.
const WATCH: &str = "() => {
    self.longest = 0;
    let last = performance.now();
    setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
    }, 10);
    self.silentAt = {};
    self.states = [];
    for (const card of document.querySelectorAll('inline-ui-card')) {
        const line = card.shadowRoot.querySelector('[part=line]');
        new MutationObserver(() => {
            states.push(line.dataset.state);
            if (line.dataset.state === 'silent') silentAt[card.getAttribute('card')] ??= performance.now();
        }).observe(line, { attributes: true });
    }
    self.began = performance.now();
}";

#[tokio::test]
async fn a_card_that_loops_for_ever_is_stopped_with_those_it_holds_up_and_all_run_again() -> Outcome
{
    let world = World::start().await;
    let tab = world.tab().await;
    let neighbour = tab.show(BUTTON, &go()).await;
    let html = format!(
        "{BUTTON}<button id=loop onclick='setTimeout(() => {{ for (;;); }}, 1500)'>Loop</button>"
    );
    let looping = tab.show(&html, &go()).await;
    let () = tab.eval(WATCH).await;
    // Later, for the driver goes on to ask that frame a while after the click.
    looping.click("#loop").await;
    // One more comes while nothing in that process answers.
    pause(2000).await;
    tab.call("ui_show", &json!({ "title": "Late", "html": BUTTON, "events": go() })).await;
    let late = tab.card(3);
    for card in [&looping, &neighbour, &late] {
        card.says("silent", DEAD).await;
    }
    let longest: f64 = tab.eval("() => longest").await;
    let states: Vec<String> = tab.eval("() => states").await;
    assert!(longest < 2000., "the page stood still for {longest} ms");
    assert!(!states.iter().any(|state| state == "missing"), "{states:?}");
    tab.say("hello").await;
    tab.agent_says("demo").await;

    for card in [&neighbour, &late, &looping] {
        let sent = tab.sent().len();
        card.own_button("Run again").click(None).await?;
        card.is_drawn().await;
        // Chromium knows where a frame of a new process is a while after it was put there.
        card.settled_height().await;
        card.click("#b").await;
        until("an event", async || (tab.sent().len() > sent).then_some(())).await;
    }
    Ok(())
}

#[tokio::test]
async fn a_card_whose_process_dies_says_so_within_six_seconds_and_runs_again() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(BUTTON, &go()).await;
    let burn = "(() => { const end = performance.now() + 800; while (performance.now() < end); return true; })()";
    let pid = busiest_frame_process(async || card.eval::<bool>(burn).await).await;
    let () = tab.eval(WATCH).await;
    assert!(Command::new("kill").args(["-9", &pid.to_string()]).status()?.success());
    // The driver takes the page for crashed as well and waits for nothing in it any more: it is asked.
    let took = until("the line", async || {
        tab.eval::<Option<f64>>("() => silentAt.c1 === undefined ? null : silentAt.c1 - began")
            .await
    })
    .await;
    assert!(took < 6000., "{took} ms");
    let again = "() => document.querySelector('inline-ui-card').shadowRoot.querySelector('.action').click()";
    let () = tab.eval(again).await;
    let drawn = "() => document.querySelector('inline-ui-card').shadowRoot.querySelector('iframe.shown') !== null";
    until("the card", async || tab.eval::<bool>(drawn).await.then_some(())).await;
    assert_eq!(tab.loads(), 2, "it ran again when the person said so, and not before");
    Ok(())
}
