//! One full way: ask, see a card, use it, and the agent has it.

use crate::browser::{Outcome, World, until};
use playwright_rs::expect;
use serde_json::json;
use std::time::Duration;

#[tokio::test]
async fn a_click_in_the_colour_card_becomes_the_agents_next_words() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    tab.say("pick a colour").await;
    let card = tab.card(1);
    card.is_drawn().await;
    tab.idle().await;
    expect(tab.call_row(1).locator("inline-ui-card")).to_have_count(1).await?;
    assert_eq!((tab.sent_names().len(), tab.answers().await.len()), (0, 2));

    card.button("Teal").click(None).await?;
    tab.agent_quotes("pick", &json!({ "name": "Teal", "colour": "#2f7f86" })).await;
    card.line_is("delivered").await;
    assert_eq!(tab.sent_names(), ["pick"]);
    assert_eq!(tab.summaries().await, ["UI: Pick a colour · pick"]);

    // The event, the turn it began and the agent's answer left the card alone.
    tab.idle().await;
    assert_eq!(tab.loads(), 1);
    expect(card.get("#said")).to_have_text("You picked Teal.").await?;
    Ok(())
}

#[tokio::test]
async fn nothing_leaves_a_card_before_the_person_touched_it() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<button id=b onclick=\"pithagoras.emit('go', 1)\">Go</button><script>
        self.tries = 0; self.sent = 0;
        const go = () => { tries++; if (pithagoras.emit('go', 0)) sent++; };
        go(); onload = go; setInterval(go, 50);
        </script>";
    let card = tab.show(html, &json!([{ "name": "go", "debounceMs": 200, "wake": true }])).await;
    until("twenty tries", async || (card.eval::<u32>("tries").await > 20).then_some(())).await;
    assert_eq!(card.eval::<u32>("sent").await, 0);
    assert_eq!((tab.sent_names().len(), tab.summaries().await.len()), (0, 0));

    // The twin: after a click the very same timer is heard.
    card.click("#b").await;
    until("an event", async || (!tab.sent().is_empty()).then_some(())).await;
    assert!(card.eval::<u32>("sent").await > 0);
    Ok(())
}

#[tokio::test]
async fn a_reload_of_the_page_shows_the_same_card_and_shifts_nothing() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<h2>Heights</h2><div style='height:230px'>tall</div><button id=b
        onclick=\"pithagoras.emit('go')\">Go</button>";
    let card = tab.show(html, &json!([{ "name": "go", "debounceMs": 0 }])).await;
    let before = card.settled_height().await;
    until("the height to be kept", async || (tab.posts_to("/height") > 0).then_some(())).await;
    card.click("#b").await;
    card.line_is("next_message").await;

    let watch = "if (self === top) {
        self.shift = 0;
        self.heights = [];
        new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) if (!entry.hadRecentInput) shift += entry.value;
        }).observe({ type: 'layout-shift', buffered: true });
        const look = () => {
            const height = document.querySelector('inline-ui-card')?.getBoundingClientRect().height;
            if (height && heights.at(-1) !== height) heights.push(height);
            requestAnimationFrame(look);
        };
        look();
    }";
    tab.page.add_init_script(watch).await?;
    let slowly = async |route: playwright_rs::protocol::Route| {
        tokio::time::sleep(Duration::from_millis(700)).await;
        route.continue_(None).await
    };
    tab.page.route("**/frames/*", move |route| Box::pin(slowly(route))).await?;
    tab.reload().await;
    let card = tab.card(1);
    card.is_drawn().await;
    assert_eq!(card.settled_height().await, before);
    card.line_is("next_message").await;
    assert_eq!(card.get("h2").inner_text().await?, "Heights");
    let heights: Vec<f64> = tab.eval("() => heights").await;
    assert_eq!(heights.len(), 1, "the card's height as it loaded: {heights:?}");
    let shift: f64 = tab.eval("() => shift").await;
    assert!(shift < 0.01, "layout shift {shift}");

    Ok(())
}

#[tokio::test]
async fn a_call_laid_out_over_lines_is_one_call_and_no_message_of_its_own() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    tab.show("<p>here</p>", &json!([])).await;
    let shutdown = json!({ "jsonrpc": "2.0", "id": 1, "method": "shutdown" });
    let laid_out = format!(
        "/call ui_update {{\n\"card\": \"c1\",\n\"title\": \"Laid out\", \"data\": [\n{shutdown}\n]}}"
    );
    tab.say(&laid_out).await;
    tab.call_is(2, "done").await;
    expect(tab.card(1).own_button("Close")).to_be_visible().await?;
    expect(tab.card(1).part("b")).to_have_text("Laid out").await?;
    Ok(())
}
