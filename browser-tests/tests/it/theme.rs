//! Light and dark, in a card that is in use.

use crate::browser::{Look, Outcome, World, pause, until};
use crate::pixels::brightest;
use playwright_rs::{EmulateMediaOptions, ForcedColors, ReducedMotion, expect};
use serde_json::json;
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_change_of_theme_keeps_what_is_typed_and_tells_the_card_once() -> Outcome {
    let world = World::for_typing().await;
    let tab = world.tab().await;
    let html = "<input id=i><script>self.told = 0;
        addEventListener('pithagoras:theme', () => { told++; });
        const canvas = () => getComputedStyle(document.documentElement).getPropertyValue('--canvas');
        </script>";
    let card = tab.show(html, &json!([])).await;
    card.click("#i").await;
    card.get("#i").press_sequentially("abc", None).await?;
    let light: String = card.eval("canvas()").await;
    for (mode, times) in [("dark", 1), ("light", 2)] {
        tab.dark(mode == "dark").await;
        until("the card's theme", async || {
            (card.eval::<String>("pithagoras.theme.mode").await == mode).then_some(())
        })
        .await;
        pause(300).await;
        assert_eq!(card.eval::<u32>("told").await, times);
        assert_eq!(card.get("#i").input_value(None).await?, "abc");
        assert!(card.has_focus("#i").await);
        assert_eq!(card.eval::<String>("canvas()").await == light, mode == "light");
        let style = "[canvas().trim(), getComputedStyle(document.body).colorScheme]";
        let (canvas, scheme): (String, String) = card.eval(style).await;
        assert_eq!(canvas, card.eval::<String>("pithagoras.theme.colors.canvas").await);
        assert_eq!(scheme, mode);
    }
    card.get("#i").press_sequentially("d", None).await?;
    assert_eq!(card.get("#i").input_value(None).await?, "abcd");
    assert_eq!(tab.loads(), 1);
    Ok(())
}

#[tokio::test]
async fn on_a_dark_page_no_card_is_white_neither_drawn_nor_while_it_loads() -> Outcome {
    let world = World::start().await;
    let tab = world.tab_with(&Look::dark()).await;
    let slowly = async |route: playwright_rs::protocol::Route| {
        tokio::time::sleep(Duration::from_millis(1500)).await;
        route.continue_(None).await
    };
    tab.page.route("**/frames/*", move |route| Box::pin(slowly(route))).await?;
    let html = "<meta name=color-scheme content='light dark'>
        <style>body { background: transparent; color: #444; }</style><p>over the chat colour</p>";
    tab.call("ui_show", &json!({ "title": "Dark", "html": html })).await;
    let card = tab.card(1);
    let stage = card.part("[part=stage]");
    expect(stage.clone()).to_have_count(1).await?;
    let end = Instant::now() + Duration::from_secs(12);
    let mut looks = 0;
    let mut drawn = None;
    while drawn.is_none_or(|at: Instant| at.elapsed() < Duration::from_millis(700)) {
        assert!(Instant::now() < end, "the card was never drawn");
        if let Ok(Some(area)) = stage.bounding_box().await
            && area.height > 1.
        {
            let light = brightest(&tab, &stage).await;
            assert!(light < 150., "look {looks}, drawn {drawn:?}: {light}");
            looks += 1;
        }
        if drawn.is_none() && card.part("iframe.shown").count().await? == 1 {
            drawn = Some(Instant::now());
        }
    }
    assert!(looks > 5, "{looks} looks");
    // The twin: in the light the same measurement finds white.
    tab.dark(false).await;
    until("a light card", async || (brightest(&tab, &stage).await > 240.).then_some(())).await;
    Ok(())
}

#[tokio::test]
async fn the_theme_chosen_in_settings_reaches_a_card_before_its_first_paint() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    tab.open(&format!("{}/settings", world.portal.url())).await;
    tab.page
        .locator("label")
        .filter(playwright_rs::FilterOptions::default().has_text("Dark"))
        .click(None)
        .await?;
    tab.open(&world.portal.url()).await;
    let html = "<p id=p>x</p><script>
        self.first = [pithagoras.theme.mode, getComputedStyle(document.body).color];</script>";
    let card = tab.show(html, &json!([])).await;
    let (mode, color): (String, String) = card.eval("first").await;
    assert_eq!(mode, "dark");
    assert_eq!(color, card.eval::<String>("getComputedStyle(document.body).color").await);
    assert_ne!(color, "rgb(0, 0, 0)");
    Ok(())
}

#[tokio::test]
async fn a_card_keeps_its_edges_in_forced_colours_and_stands_still_where_motion_is_reduced()
-> Outcome {
    let world = World::start().await;
    if world.engine.lacks("its driver emulates neither forced colours nor reduced motion") {
        return Ok(());
    }
    let tab = world.tab().await;
    let html = "<style>@keyframes turn { to { rotate: 1turn; } }
        #t { animation: turn 3s infinite; transition: all 2s; }</style>
        <div id=t>turns</div><button id=b>Button</button><button id=p class=primary>Main</button><input id=i>";
    let card = tab.show(html, &json!([])).await;
    let moves = "[getComputedStyle(t).animationDuration, getComputedStyle(t).transitionDuration]";
    assert_eq!(card.eval::<Vec<String>>(moves).await, ["3s", "2s"]);
    let options = EmulateMediaOptions::builder()
        .forced_colors(ForcedColors::Active)
        .reduced_motion(ReducedMotion::Reduce)
        .build();
    tab.page.emulate_media(Some(options)).await?;
    until("motion to be reduced", async || {
        card.eval::<Vec<String>>(moves).await.iter().all(|time| time == "1e-05s").then_some(())
    })
    .await;
    let edges = "['b', 'p', 'i'].map((id) => getComputedStyle(document.getElementById(id)))
        .map((style) => style.borderTopStyle === 'solid' && parseFloat(style.borderTopWidth) >= 1
            && style.borderTopColor !== style.backgroundColor)";
    assert_eq!(card.eval::<Vec<bool>>(edges).await, [true, true, true]);
    card.click("#b").await;
    tab.page.keyboard().press("Tab", None).await?;
    until("the focus to be seen", async || {
        card.eval::<bool>(
            "document.activeElement === p && getComputedStyle(p).outlineStyle === 'solid'",
        )
        .await
        .then_some(())
    })
    .await;
    let section = "section => { const style = getComputedStyle(section);
        return style.borderTopStyle === 'solid' && style.borderTopColor !== style.backgroundColor; }";
    assert!(card.part("section").evaluate::<bool, _>(section, None::<()>).await?);
    Ok(())
}
