//! What becomes of many emits: the pause, the ceiling, actions, counts.

use crate::browser::{Outcome, World, pause, until};
use playwright_rs::{PressSequentiallyOptions, expect};
use serde_json::json;

#[tokio::test]
async fn typing_is_reported_once_after_the_pause_with_its_last_value() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<input id=i oninput=\"pithagoras.emit('typed', { v: this.value })\">";
    let card = tab.show(html, &json!([{ "name": "typed", "debounceMs": 1500 }])).await;
    card.click("#i").await;
    let keys = PressSequentiallyOptions::builder().delay(30.).build();
    card.get("#i").press_sequentially("half a sentence", keys).await?;
    assert_eq!(tab.sent().len(), 0);
    card.line_is("next_message").await;
    pause(1700).await;
    let sent = tab.sent();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert_eq!(sent[0].data, json!({ "v": "half a sentence" }));

    tab.say("hello").await;
    tab.agent_quotes("typed", &json!({ "v": "half a sentence" })).await;
    assert!(tab.read_by_agent().await[0].contains("\"count\":1"));
    Ok(())
}

#[tokio::test]
async fn a_drag_without_a_pause_is_reported_no_faster_than_the_ceiling() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    // The card's own timer stands in for the pointer, so that a slow machine is not a pause.
    let html = "<button id=b onclick='drag()'>Drag</button><script>
        self.longest = self.x = 0;
        function drag() {
            let last = performance.now();
            const end = last + 5000;
            const timer = setInterval(() => {
                const at = performance.now();
                longest = Math.max(longest, at - last);
                last = at;
                pithagoras.emit('moved', { x: ++x, at });
                if (at > end) { clearInterval(timer); self.done = true; }
            }, 8);
        }</script>";
    let card = tab.show(html, &json!([{ "name": "moved", "debounceMs": 300 }])).await;
    card.click("#b").await;
    until("the drag to end", async || card.eval::<bool>("self.done === true").await.then_some(()))
        .await;
    let x = card.eval::<u32>("x").await;
    until("the last value", async || {
        tab.sent().last().is_some_and(|last| last.data["x"] == json!(x)).then_some(())
    })
    .await;
    let sent = tab.sent();
    assert!(sent.len() >= 4, "{sent:?}");
    // 4 x 300 ms is the ceiling; the last report is the pause's.
    let longest = card.eval::<f64>("longest").await;
    assert!(longest < 250., "the machine paused for {longest} ms: this says nothing");
    for pair in sent[..sent.len() - 1].windows(2) {
        let gap = pair[1].data["at"].as_f64().zip(pair[0].data["at"].as_f64());
        let gap = gap.map(|(later, earlier)| later - earlier).ok_or("no time")?;
        assert!((1100. ..2500.).contains(&gap), "{gap} ms between two reports");
    }
    Ok(())
}

#[tokio::test]
async fn an_action_takes_what_is_pending_with_it_in_order() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<input id=s type=range value=50 oninput=\"pithagoras.emit('size', { v: +value })\">
        <button id=b onclick=\"pithagoras.emit('apply')\">Apply</button>";
    let events = json!([
        { "name": "size", "debounceMs": 60_000 },
        { "name": "apply", "debounceMs": 0, "wake": true },
    ]);
    let card = tab.show(html, &events).await;
    card.click("#s").await;
    for _ in 0..7 {
        card.get("#s").press("ArrowRight", None).await?;
    }
    let value = card.get("#s").input_value(None).await?;
    assert_eq!(tab.sent().len(), 0);
    card.click("#b").await;
    tab.agent_says("You did apply").await;
    let sent = tab.sent();
    assert_eq!(tab.sent_names(), ["size", "apply"]);
    assert_eq!(sent[0].data["v"].to_string(), value);
    let read = tab.read_by_agent().await;
    assert_eq!(read.len(), 1, "one message: {read:?}");
    assert!(read[0].find("\"size\"") < read[0].find("\"apply\""), "{}", read[0]);
    Ok(())
}

#[tokio::test]
async fn what_is_typed_before_the_card_is_closed_still_goes() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<input id=i oninput=\"pithagoras.emit('typed', this.value)\">";
    let card = tab.show(html, &json!([{ "name": "typed", "debounceMs": 60_000 }])).await;
    card.click("#i").await;
    card.get("#i").press_sequentially("late", None).await?;
    card.own_button("Close").click(None).await?;
    card.line_is("closed").await;
    tab.say("hello").await;
    tab.agent_says("\"late\"").await;
    let read = tab.read_by_agent().await.join("\n");
    assert!(read.contains("\"typed\"") && read.contains("closed"), "{read}");
    Ok(())
}

#[tokio::test]
async fn three_clicks_before_the_agent_looks_are_one_line_times_three() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html =
        "<button id=b onclick=\"pithagoras.emit('change', { n: self.n = (self.n ?? 0) + 1 })\">
        Change</button><button id=o onclick=\"pithagoras.emit('order', 1)\">Order</button>";
    let events = json!([
        { "name": "change", "debounceMs": 0 },
        { "name": "order", "debounceMs": 0, "once": true },
    ]);
    let card = tab.show(html, &events).await;
    for n in 1..=3 {
        card.click("#b").await;
        until("the click to be sent", async || (tab.sent().len() == n).then_some(())).await;
        card.line_is("next_message").await;
    }
    // A name that is spent by its first event is sent once, however often it is clicked.
    for _ in 0..4 {
        card.click("#o").await;
        pause(150).await;
    }
    assert_eq!(tab.sent_names(), ["change", "change", "change", "order"]);
    tab.say("hello").await;
    tab.idle().await;
    assert_eq!(tab.summaries().await, ["UI: A card · change ×3, order"]);
    assert_eq!(tab.events_read().await, ["change ×3: {\"n\":3}", "order ×1: 1"]);
    card.says("delivered", "The agent has this.").await;
    let row = tab.page.locator("li.events");
    expect(row.locator("pre")).to_be_hidden().await?;
    row.locator("summary").click(None).await?;
    expect(row.locator("pre")).to_be_visible().await?;
    let read = row.locator("pre").inner_text().await?;
    let line = read.lines().find(|line| line.contains("\"change\"")).unwrap_or_default();
    assert!(line.contains("\"count\":3") && line.contains("\"n\":3"), "{read}");
    assert!(read.contains("not an instruction"), "{read}");
    Ok(())
}

#[tokio::test]
async fn a_card_that_emits_fifty_thousand_times_a_second_sends_a_few_and_the_last() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<button id=b onclick='run()'>Run</button><script>
        self.i = 0;
        function run() {
            const end = performance.now() + 4000;
            const timer = setInterval(() => {
                for (let k = 0; k < 500; k++) pithagoras.emit('moved', { i: ++i });
                if (performance.now() > end) { clearInterval(timer); self.done = true; }
            }, 10);
        }</script>";
    let card = tab.show(html, &json!([{ "name": "moved" }])).await;
    card.click("#b").await;
    until("the run to end", async || card.eval::<bool>("self.done === true").await.then_some(()))
        .await;
    pause(1500).await;
    let sent = tab.sent();
    assert!((2..=6).contains(&sent.len()), "{} reports", sent.len());
    assert_eq!(sent[sent.len() - 1].data, json!({ "i": card.eval::<u32>("i").await }));
    Ok(())
}

#[tokio::test]
async fn what_is_typed_before_the_page_goes_away_still_goes() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<input id=i oninput=\"pithagoras.emit('typed', this.value)\">";
    let card = tab.show(html, &json!([{ "name": "typed", "debounceMs": 60_000 }])).await;
    card.click("#i").await;
    card.get("#i").press_sequentially("late", None).await?;
    // The bridge gathers emits for 16 ms, and no person is quicker than that.
    pause(300).await;
    tab.reload().await;
    card.is_drawn().await;
    card.line_is("next_message").await;
    tab.say("hello").await;
    tab.agent_quotes("typed", &json!("late")).await;
    Ok(())
}

#[tokio::test]
async fn impatient_clicks_on_an_order_that_is_taken_once_are_one_order() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<button id=b onclick=\"pithagoras.emit('order', { n: 1 })\">Order</button>";
    let events = json!([{ "name": "order", "debounceMs": 0, "once": true, "wake": true }]);
    let card = tab.show(html, &events).await;
    for _ in 0..4 {
        card.click("#b").await;
        pause(300).await;
    }
    tab.agent_quotes("order", &json!({ "n": 1 })).await;
    card.says("delivered", "The agent has this.").await;
    tab.idle().await;
    assert_eq!(tab.events_read().await, ["order ×1: {\"n\":1}"]);
    Ok(())
}
