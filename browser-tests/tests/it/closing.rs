//! Cards that come to their end.

use crate::browser::{Outcome, World, until};
use playwright_rs::expect;
use serde_json::json;

const TYPED: &str = "<input id=i aria-label=Text oninput=\"pithagoras.emit('typed', this.value)\">";

#[tokio::test]
async fn what_is_pending_goes_before_the_person_closes_the_card() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(TYPED, &json!([{ "name": "typed", "debounceMs": 60_000 }])).await;
    card.click("#i").await;
    card.get("#i").press_sequentially("last words", None).await?;
    assert_eq!(tab.sent().len(), 0);
    card.own_button("Close").click(None).await?;
    card.says("closed", "Closed by you.").await;
    tab.say("hello").await;
    tab.agent_says("last words").await;
    tab.idle().await;
    let wanted = ["typed ×1: \"last words\"", "closed ×1: {\"closedBy\":\"person\"}"];
    assert_eq!(tab.events_read().await, wanted);
    Ok(())
}

#[tokio::test]
async fn what_is_pending_when_the_agent_closes_the_card_is_dropped_and_the_line_says_so() -> Outcome
{
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(TYPED, &json!([{ "name": "typed", "debounceMs": 60_000 }])).await;
    card.click("#i").await;
    card.get("#i").press_sequentially("too late", None).await?;
    tab.call("ui_close", &json!({ "card": "c1" })).await;
    card.says("closed", "Closed by the agent. What was not sent yet was dropped.").await;
    tab.say("hello").await;
    tab.idle().await;
    assert_eq!((tab.sent().len(), tab.summaries().await.len()), (0, 0));
    Ok(())
}

#[tokio::test]
async fn what_is_pending_when_the_agent_draws_the_card_afresh_is_told_to_be_lost() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(TYPED, &json!([{ "name": "typed", "debounceMs": 60_000 }])).await;
    card.click("#i").await;
    card.get("#i").press_sequentially("half", None).await?;
    tab.call("ui_update", &json!({ "card": "c1", "html": format!("<p id=p>new</p>{TYPED}") }))
        .await;
    expect(card.get("#p")).to_have_text("new").await?;
    card.says("refused", "Not sent: the agent changed the card meanwhile.").await;
    card.click("#i").await;
    card.get("#i").press_sequentially("again", None).await?;
    card.own_button("Close").click(None).await?;
    card.line_is("closed").await;
    tab.say("hello").await;
    tab.agent_says("again").await;
    tab.idle().await;
    assert_eq!(tab.events_read().await[0], "typed ×1: \"again\"");
    Ok(())
}

#[tokio::test]
async fn what_is_pending_when_a_card_leaves_its_document_goes_all_the_same() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = format!("{TYPED}<button id=r onclick='location.reload()'>Reload</button>");
    let card = tab.show(&html, &json!([{ "name": "typed", "debounceMs": 60_000 }])).await;
    card.click("#i").await;
    card.get("#i").press_sequentially("kept", None).await?;
    card.click("#r").await;
    until("a new load", async || (tab.loads() == 2).then_some(())).await;
    card.says("next_message", "The agent gets this with your next message.").await;
    tab.say("hello").await;
    tab.agent_quotes("typed", &json!("kept")).await;
    Ok(())
}

#[tokio::test]
async fn a_post_that_a_page_missed_across_a_restart_reaches_the_living_card() -> Outcome {
    let mut world = World::start().await;
    let tab = world.tab().await;
    let html = "<p id=p>nothing</p><input id=i aria-label=Text>
        <script>pithagoras.onData((data) => { p.textContent = data; });</script>";
    let card = tab.show(html, &json!([])).await;
    card.click("#i").await;
    card.get("#i").press_sequentially("half a sen", None).await?;
    tab.cut("**/inline-ui/chats/*/stream*").await;
    world.portal.kill();
    world.portal.start_again();
    let second = world.second_page(&tab).await;
    second.card(1).is_drawn().await;
    second.call("ui_update", &json!({ "card": "c1", "data": "posted" })).await;
    expect(second.card(1).get("#p")).to_have_text("posted").await?;
    assert_eq!(card.get("#p").inner_text().await?, "nothing");
    tab.page.unroute_all(None).await?;
    until("the post", async || (card.get("#p").inner_text().await.ok()? == "posted").then_some(()))
        .await;
    assert_eq!(card.get("#i").input_value(None).await?, "half a sen");
    Ok(())
}
