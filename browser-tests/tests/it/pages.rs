//! Two pages on one chat.

use crate::browser::{Card, Outcome, Tab, World, pause, until};
use playwright_rs::expect;
use serde_json::json;

const CARD: &str = "<button id=b onclick=\"pithagoras.emit('go')\">Go</button>
    <p id=p>nothing</p><script>pithagoras.onData((data) => { p.textContent = data; });</script>";

/// A real click where the button is, whatever lies over it.
async fn click_at(tab: &Tab, card: &Card) {
    // The host: nothing moves in a frame that is out of sight, and the driver would wait for it.
    card.host.scroll_into_view_if_needed().await.unwrap();
    let area = card.get("#b").bounding_box().await.unwrap().unwrap();
    let (x, y) = (area.x + area.width / 2., area.y + area.height / 2.);
    tab.page.mouse().click(x, y, None).await.unwrap();
}

#[tokio::test]
async fn pages_of_one_profile_and_of_two_say_the_same_under_a_card() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let events = json!([{ "name": "go", "debounceMs": 0, "wake": true }]);
    let first = tab.show(CARD, &events).await;
    let (beside, elsewhere) = (world.page_beside(&tab).await, world.second_page(&tab).await);
    let cards = [first, beside.card(1), elsewhere.card(1)];
    for card in &cards {
        card.is_drawn().await;
    }
    // Each page in turn sends, and all of them say the same of it.
    for (n, card) in cards.iter().enumerate() {
        card.page.bring_to_front().await?;
        card.click("#b").await;
        if n > 0 {
            let words = async |card: &Card| {
                let line = card.line().await;
                line.starts_with("The agent starts on this in ").then_some(())
            };
            for card in &cards {
                until("the line to say when", async || words(card).await).await;
            }
        }
        for card in &cards {
            card.says("delivered", "The agent has this.").await;
        }
        tab.idle().await;
    }
    assert_eq!(tab.events_read().await, ["go ×1: null", "go ×1: null", "go ×1: null"]);
    Ok(())
}

#[tokio::test]
async fn two_pages_show_the_same_card_and_both_see_it_closed() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let events = json!([{ "name": "go", "debounceMs": 0 }]);
    let card = tab.show(CARD, &events).await;
    let second = world.second_page(&tab).await;
    let twin = second.card(1);
    twin.is_drawn().await;
    let shown = tab.show(CARD, &events).await;
    assert_eq!(tab.call_result(2).await["pages"], 2);
    second.card(2).is_drawn().await;

    // What the one page sends, the other one tells of; what the agent posts, both get.
    click_at(&second, &twin).await;
    twin.line_is("next_message").await;
    card.line_is("next_message").await;
    tab.call("ui_update", &json!({ "card": "c1", "data": "posted" })).await;
    expect(card.get("#p")).to_have_text("posted").await?;
    expect(twin.get("#p")).to_have_text("posted").await?;
    card.line_is("delivered").await;
    twin.line_is("delivered").await;

    card.own_button("Close").click(None).await?;
    for card in [&card, &twin] {
        card.line_is("closed").await;
        assert_eq!(card.line().await, "Closed by you.");
        expect(card.own_button("Close")).to_be_hidden().await?;
    }
    // Closed, it takes no input in either; the other card does.
    let before = (tab.sent().len(), second.sent().len());
    for (tab, card) in [(&tab, &card), (&second, &twin)] {
        click_at(tab, card).await;
        assert!(!card.eval::<bool>("pithagoras.emit('go')").await);
    }
    pause(500).await;
    assert_eq!((tab.sent().len(), second.sent().len()), before);
    shown.click("#b").await;
    until("the other card's event", async || (tab.sent().len() > before.0).then_some(())).await;

    // And it is so for a page that comes later, which still has what was posted.
    let third = world.second_page(&tab).await;
    let late = third.card(1);
    late.is_drawn().await;
    late.line_is("closed").await;
    expect(late.get("#p")).to_have_text("posted").await?;
    Ok(())
}
