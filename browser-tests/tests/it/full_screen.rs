//! A card that fills the window, and the page it comes back to.

use crate::browser::{Card, Look, Outcome, Tab, World, until};
use playwright_rs::expect;
use serde_json::json;

const HTML: &str = "<p id=top>top</p><input id=i aria-label=Text>
    <button id=b onclick=\"pithagoras.emit('go')\">Go</button><div style='height:300px'></div><script>
    self.keys = [];
    addEventListener('keydown', (event) => { keys.push(event.key); event.preventDefault(); event.stopImmediatePropagation(); }, true);
    </script>";

async fn fills(tab: &Tab, card: &Card) -> bool {
    let area = "section => { const area = section.getBoundingClientRect();
        return [area.left, area.top, area.width, area.height]; }";
    let area: Vec<f64> = card.part("section").evaluate(area, None::<()>).await.unwrap();
    let window: Vec<f64> =
        tab.eval("() => [0, 0, document.documentElement.clientWidth, innerHeight]").await;
    area == window
}

async fn focused(tab: &Tab) -> String {
    let ask = "() => { let at = document.activeElement;
        while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
        return at.getAttribute('aria-label') ?? at.id; }";
    tab.eval(ask).await
}

#[tokio::test]
async fn a_card_fills_the_window_and_comes_back_to_where_it_was_with_all_that_is_in_it() -> Outcome
{
    let world = World::for_typing().await;
    for width in [1200, 320] {
        let tab = world.tab_with(&Look { width, height: 700, ..Look::default() }).await;
        tab.show("<div style='height:400px'>above</div>", &json!([])).await;
        let card = tab.show_as(&json!({ "title": "A card whose title is longer than there is room for", "html": HTML,
            "events": [{ "name": "go", "debounceMs": 0 }] })).await;
        tab.show("<div style='height:700px'>below</div>", &json!([])).await;
        card.click("#i").await;
        let () = card.eval("i.value = 'kept', self.mark = 'same', undefined").await;
        let height = card.settled_height().await;
        let button = card.own_button("Full screen");
        button.scroll_into_view_if_needed().await?;
        let scrolled: f64 = tab.eval("() => scrollY").await;

        button.click(None).await?;
        until("the card to fill the window", async || fills(&tab, &card).await.then_some(())).await;
        let stage = "section => section.querySelector('iframe').clientHeight - section.querySelector('.stage').clientHeight";
        until("the frame to fill its room", async || {
            let gap: f64 = card.part("section").evaluate(stage, None::<()>).await.ok()?;
            (gap == 0.).then_some(())
        })
        .await;
        expect(card.own_button("Full screen")).to_have_count(0).await?;
        expect(card.own_button("Leave full screen")).to_be_visible().await?;
        let sideways: bool =
            tab.eval("() => document.documentElement.scrollWidth <= innerWidth").await;
        assert!(sideways, "nothing sticks out at {width} px");
        // What lies behind is out of reach, for the mouse, for Tab, and for a reader.
        let behind = "() => { document.querySelector('#message').focus(); return document.activeElement.id; }";
        assert_ne!(tab.eval::<String>(behind).await, "message");

        // In the card, which holds every key.
        card.click("#i").await;
        tab.page.keyboard().press("Escape", None).await?;
        expect(card.own_button("Full screen")).to_be_visible().await?;
        assert_eq!(focused(&tab).await, "Full screen");
        assert_eq!(card.settled_height().await, height);
        assert_eq!(tab.eval::<f64>("() => scrollY").await, scrolled);
        assert_eq!(tab.eval::<u32>("() => document.querySelectorAll('[inert]').length").await, 0);

        // And from the head.
        tab.page.keyboard().press("Enter", None).await?;
        until("the card to fill the window", async || fills(&tab, &card).await.then_some(())).await;
        tab.page.keyboard().press("Escape", None).await?;
        expect(card.own_button("Full screen")).to_be_visible().await?;
        tab.composer().focus().await?;
        assert_eq!(focused(&tab).await, "message");

        let (text, mark): (String, String) = card.eval("[i.value, self.mark]").await;
        assert_eq!((text.as_str(), mark.as_str(), tab.loads()), ("kept", "same", 3));
        card.click("#b").await;
        card.line_is("next_message").await;
    }
    Ok(())
}

#[tokio::test]
async fn a_card_that_goes_while_it_fills_the_window_leaves_the_page_usable() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let card = tab.show(HTML, &json!([])).await;
    card.own_button("Full screen").click(None).await?;
    until("the card to fill the window", async || fills(&tab, &card).await.then_some(())).await;
    card.own_button("Close").click(None).await?;
    card.line_is("closed").await;
    card.own_button("Leave full screen").click(None).await?;
    card.own_button("Full screen").click(None).await?;
    until("the card to fill the window", async || fills(&tab, &card).await.then_some(())).await;
    let () = tab.eval("() => document.querySelector('inline-ui-card').remove()").await;
    tab.say("hello").await;
    tab.agent_says("demo").await;
    Ok(())
}

#[tokio::test]
async fn escape_pressed_twice_leads_out_of_a_card_that_holds_every_key() -> Outcome {
    let world = World::for_typing().await;
    let tab = world.tab().await;
    let card = tab.show(HTML, &json!([])).await;
    card.click("#i").await;
    let keyboard = tab.page.keyboard();
    keyboard.press("Tab", None).await?;
    keyboard.press("Escape", None).await?;
    until("the keys", async || {
        (card.eval::<Vec<String>>("keys").await == ["Tab", "Escape"]).then_some(())
    })
    .await;
    assert!(card.has_focus("#i").await, "once is the card's own");
    keyboard.press("Escape", None).await?;
    keyboard.press("Escape", None).await?;
    until("the focus behind the card", async || {
        let ask =
            "() => document.querySelector('inline-ui-card').shadowRoot.activeElement?.className";
        (tab.eval::<Option<String>>(ask).await.as_deref() == Some("end")).then_some(())
    })
    .await;
    keyboard.press("Tab", None).await?;
    until("the focus in the page", async || {
        tab.eval::<bool>("() => document.activeElement.localName !== 'inline-ui-card'")
            .await
            .then_some(())
    })
    .await;
    Ok(())
}
