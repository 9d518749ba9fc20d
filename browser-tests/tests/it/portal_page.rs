//! The portal's own page around the cards: for every width, colour scheme, and hand.

use crate::access::page_faults;
use crate::browser::{Look, Outcome, Tab, World, named, until};
use playwright_rs::{AriaRole, Locator, expect};
use serde_json::json;
use std::path::Path;

fn button(tab: &Tab, name: &str) -> Locator {
    tab.page.get_by_role(AriaRole::Button, Some(named(name)))
}

/// Takes a picture, and says what is wrong with what is seen.
async fn faults(tab: &Tab, name: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots");
    std::fs::create_dir_all(&folder).unwrap();
    let picture = tab.page.screenshot(None).await.unwrap();
    std::fs::write(folder.join(format!("page-{name}.png")), picture).unwrap();
    let mut faults = page_faults(tab).await;
    let sideways = "() => document.documentElement.scrollWidth - innerWidth";
    let over: i64 = tab.eval(sideways).await;
    if over > 0 {
        faults.push(format!("{over} px stick out"));
    }
    faults
}

#[tokio::test]
async fn axe_has_nothing_against_any_view_and_none_scrolls_sideways() -> Outcome {
    let world = World::start().await;
    for (dark, width) in [(false, 1200), (true, 1200), (false, 360), (true, 360)] {
        let tab = world.tab_with(&Look { dark, width, height: 800, ..Look::default() }).await;
        let mode = format!("{width}-{}", if dark { "dark" } else { "light" });
        let none: Vec<String> = Vec::new();
        expect(button(&tab, "Pick a colour Swatches, or one you mix")).to_be_visible().await?;
        assert_eq!(faults(&tab, &format!("home-{mode}")).await, none, "{mode}");
        tab.say("show me a chart").await;
        tab.card(1).is_drawn().await;
        tab.idle().await;
        assert_eq!(faults(&tab, &format!("chat-{mode}")).await, none, "{mode}");
        button(&tab, "Delete chat").click(None).await?;
        assert_eq!(faults(&tab, &format!("dialog-{mode}")).await, none, "{mode}");
        button(&tab, "Cancel").click(None).await?;
        if width < 960 {
            button(&tab, "Chats and settings").click(None).await?;
            assert_eq!(faults(&tab, &format!("side-{mode}")).await, none, "{mode}");
        }
        tab.open(&format!("{}/settings", world.portal.url())).await;
        expect(tab.page.locator("h1")).to_have_text("Settings").await?;
        expect(button(&tab, "Save").first()).to_be_visible().await?;
        assert_eq!(faults(&tab, &format!("settings-{mode}")).await, none, "{mode}");
    }
    Ok(())
}

#[tokio::test]
async fn a_chat_is_renamed_and_deleted_in_the_list_by_keyboard() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    tab.show("<p>one</p>", &json!([])).await;
    let rename = tab.page.locator("#side li button").first();
    rename.focus().await?;
    tab.page.keyboard().press("Enter", None).await?;
    let keyboard = tab.page.keyboard();
    keyboard.type_text("My <b>list</b>", None).await?;
    keyboard.press("Enter", None).await?;
    // The open chat has it too.
    expect(tab.page.locator("h1")).to_have_text("My <b>list</b>").await?;
    expect(tab.page.locator("#side .chat-title")).to_have_text("My <b>list</b>").await?;
    button(&tab, "Delete My <b>list</b>").focus().await?;
    keyboard.press("Enter", None).await?;
    keyboard.press("Escape", None).await?;
    expect(tab.page.locator("#side .chat-title")).to_have_count(1).await?;
    button(&tab, "Delete My <b>list</b>").focus().await?;
    keyboard.press("Enter", None).await?;
    button(&tab, "Delete").last().click(None).await?;
    expect(tab.page.locator("#side .chat-title")).to_have_count(0).await?;
    expect(tab.page.locator("h1")).to_have_text("This chat is not here any more.").await?;
    Ok(())
}

#[tokio::test]
async fn an_answer_is_copied_as_it_was_written() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let listen = "() => { self.copied = []; navigator.clipboard.writeText = async (text) => { copied.push(text); }; }";
    tab.say("hello").await;
    tab.idle().await;
    let () = tab.eval(listen).await;
    let answer = tab.page.locator("li.assistant").last();
    answer.hover(None).await?;
    button(&tab, "Copy this answer").last().click(None).await?;
    let copied: Vec<String> = until("the text", async || {
        let copied: Vec<String> = tab.eval("() => copied").await;
        (!copied.is_empty()).then_some(copied)
    })
    .await;
    assert!(copied[0].contains("demo") && !copied[0].contains("Agent"), "{copied:?}");
    Ok(())
}
