//! What the agent does to a card that is shown.

use crate::browser::{Outcome, World, until};
use playwright_rs::expect;
use serde_json::json;

#[tokio::test]
async fn a_hundred_updates_post_into_the_living_document() -> Outcome {
    let world = World::for_typing().await;
    let tab = world.tab().await;
    let html = "<b id=n></b><input id=i><script>
        self.seen = [];
        pithagoras.onData((data) => { seen.push(data.n); n.textContent = data.n; });</script>";
    let card = tab.show(html, &json!([])).await;
    card.click("#i").await;
    card.get("#i").press_sequentially("half a sen", None).await?;
    let calls: Vec<_> = (1..=100)
        .map(|n| format!("/call ui_update {}", json!({ "card": "c1", "data": { "n": n } })))
        .collect();
    tab.say(&calls.join("\n")).await;
    expect(card.get("#n"))
        .with_timeout(std::time::Duration::from_secs(20))
        .to_have_text("100")
        .await?;
    tab.idle().await;
    let seen: Vec<u32> = card.eval("seen").await;
    assert!(seen.is_sorted_by(|a, b| a < b), "in order: {seen:?}");
    assert_eq!(seen.len(), 100);
    assert_eq!(tab.loads(), 1);
    assert_eq!(card.get("#i").input_value(None).await?, "half a sen");

    // A page that comes later gets the latest, and only that.
    tab.reload().await;
    card.is_drawn().await;
    expect(card.get("#n")).to_have_text("100").await?;
    assert_eq!(card.eval::<Vec<u32>>("seen").await, [100]);
    Ok(())
}

#[tokio::test]
async fn posted_data_arrives_as_it_is_whatever_stands_in_it() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<p id=p></p><button id=b onclick=\"pithagoras.emit('echo', self.got)\">Echo</button>
        <script>pithagoras.onData((data) => { self.got = data; p.textContent = data.t; });</script>";
    let card = tab.show(html, &json!([{ "name": "echo", "debounceMs": 0 }])).await;
    let text = "</ScRiPt><img src=x onerror=document.title='pwned'><!--<script> \u{2028}\u{2029}\
        \u{feff}\u{200f}\u{0001}😀 \" & &amp; '";
    tab.call("ui_update", &json!({ "card": "c1", "data": { "t": text } })).await;
    for _ in 0..2 {
        until("the text", async || {
            (card.eval::<Option<String>>("p.textContent").await.as_deref() == Some(text))
                .then_some(())
        })
        .await;
        tab.reload().await;
        card.is_drawn().await;
    }
    card.click("#b").await;
    card.line_is("next_message").await;
    assert_eq!(tab.sent()[0].data, json!({ "t": text }));
    assert_ne!(card.eval::<String>("document.title").await, "pwned");
    Ok(())
}

#[tokio::test]
async fn the_authors_html_is_in_the_card_as_it_was_written() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<p title=\"a &quot;b&quot; & c\">5 &lt; 6 &amp;amp; 'x'</p>
        <script>document.body.append(1<2&&\"ok\")</script>";
    let card = tab.show(html, &json!([])).await;
    assert_eq!(card.get("p").inner_text().await?, "5 < 6 &amp; 'x'");
    assert_eq!(card.get("p").get_attribute("title").await?.as_deref(), Some("a \"b\" & c"));
    assert!(card.get("body").inner_text().await?.ends_with("ok"));
    assert_eq!(card.eval::<String>("document.compatMode").await, "CSS1Compat");
    Ok(())
}

#[tokio::test]
async fn new_html_draws_the_card_afresh_and_untouched() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = |version: u32| {
        format!(
            "<p id=p>v{version}</p><button id=b onclick=\"pithagoras.emit('go', {version})\">Go</button>
             <script>pithagoras.onData((data) => {{ p.dataset.got = data; }});</script>"
        )
    };
    let card = tab.show(&html(1), &json!([{ "name": "go", "debounceMs": 0 }])).await;
    card.click("#b").await;
    card.line_is("next_message").await;
    tab.call("ui_update", &json!({ "card": "c1", "html": html(2), "title": "Second" })).await;
    expect(card.get("#p")).to_have_text("v2").await?;
    expect(card.part("header b")).to_have_text("Second").await?;
    tab.idle().await;
    assert_eq!(tab.loads(), 2);
    // The person has not touched this document.
    assert!(!card.eval::<bool>("pithagoras.emit('go', 0)").await);
    card.click("#b").await;
    card.line_is("next_message").await;
    let data: Vec<_> = tab.sent().into_iter().map(|sent| sent.data).collect();
    assert_eq!(data, [json!(1), json!(2)]);
    // Posts go to the document that is there.
    tab.call("ui_update", &json!({ "card": "c1", "data": "after" })).await;
    expect(card.get("#p")).to_have_attribute("data-got", "after").await?;
    Ok(())
}

#[tokio::test]
async fn a_card_that_the_agent_closed_stays_as_it_was_and_says_so() -> Outcome {
    let world = World::for_typing().await;
    let tab = world.tab().await;
    let html = "<p id=p>first</p><input id=i oninput=\"pithagoras.emit('typed', this.value)\">
        <script>pithagoras.onData((data) => { p.textContent = data; });</script>";
    let card = tab.show(html, &json!([{ "name": "typed", "debounceMs": 60_000 }])).await;
    card.click("#i").await;
    card.get("#i").press_sequentially("unsent", None).await?;
    tab.call("ui_update", &json!({ "card": "c1", "data": "posted" })).await;
    tab.call("ui_close", &json!({ "card": "c1" })).await;
    card.line_is("closed").await;
    let line = card.line().await;
    assert!(line.starts_with("Closed by the agent."), "{line}");
    assert!(line.contains("dropped"), "what was pending is told of: {line}");
    assert_eq!(tab.sent().len(), 0);
    tab.reload().await;
    card.is_drawn().await;
    card.line_is("closed").await;
    assert_eq!(card.line().await, "Closed by the agent.");
    expect(card.get("#p")).to_have_text("posted").await?;
    tab.call("ui_update", &json!({ "card": "c1", "data": "too late" })).await;
    tab.call_is(4, "failed").await;
    Ok(())
}

#[tokio::test]
async fn when_a_row_above_goes_the_cards_below_keep_what_was_typed_and_do_not_load_again() -> Outcome
{
    let world = World::for_typing().await;
    let tab = world.tab().await;
    tab.show("<p>above</p>", &json!([])).await;
    let below = tab.show("<input id=i aria-label=Text>", &json!([])).await;
    below.click("#i").await;
    below.get("#i").press_sequentially("keep", None).await?;
    let () = tab.eval("() => document.querySelector('li.call').remove()").await;
    expect(tab.page.locator("inline-ui-card")).to_have_count(1).await?;
    tab.call("ui_update", &json!({ "card": "c2", "title": "Still here" })).await;
    expect(below.part("header b")).to_have_text("Still here").await?;
    assert_eq!(below.get("#i").input_value(None).await?, "keep");
    assert_eq!(tab.loads(), 2);
    Ok(())
}
