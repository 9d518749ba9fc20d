//! A card is as tall as its content, up to the setting.

use crate::browser::{Outcome, World, until};
use playwright_rs::{Viewport, expect};
use serde_json::json;
use std::ops::RangeInclusive;

/// What it is, the card, and how tall its frame may be.
const CASES: &[(&str, &str, RangeInclusive<u32>)] = &[
    (
        "a box of 100% with a border",
        "<style>html,body{height:100%;margin:0}
         #a{height:100%;border:1px solid;box-sizing:content-box}</style><div id=a>fills</div>",
        20..=480,
    ),
    (
        "a page of 100vh with padding",
        "<style>main{min-height:100vh;background:#eee;padding:20px}</style><main>one line</main>",
        40..=120,
    ),
    ("a child of 100% in nothing", "<div style='height:100%'>x</div>", 20..=60),
    ("one line", "<p style='margin:0'>Done. <b>42</b></p>", 18..=48),
    ("margins", "<p style='margin:50px 0'>spaced</p>", 110..=150),
    (
        "an absolute box",
        "<div style='position:absolute;top:0;height:230px;width:9px'></div>",
        230..=260,
    ),
    (
        "no ResizeObserver and no listener",
        "<script>window.ResizeObserver=undefined;document.body.onresize=null</script>
         <div style='height:310px;background:linear-gradient(red,blue)'></div>",
        310..=345,
    ),
    ("taller than the cap", "<div style='height:900px'></div>", 480..=480),
];

#[tokio::test]
async fn every_card_settles_at_the_height_of_its_content() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let call = |html: &str| format!("/call ui_show {}", json!({ "title": "A card", "html": html }));
    let calls: Vec<_> = CASES.iter().map(|(_, html, _)| call(html)).collect();
    tab.say(&calls.join("\n")).await;
    tab.idle().await;
    for (n, (what, _, fits)) in CASES.iter().enumerate() {
        let card = tab.card(n + 1);
        card.is_drawn().await;
        let height = card.settled_height().await;
        assert!(
            (f64::from(*fits.start())..=f64::from(*fits.end())).contains(&height),
            "{what}: {height} is not in {fits:?}"
        );
        let stage: f64 =
            card.part("[part=stage]").evaluate("stage => stage.clientHeight", None::<()>).await?;
        assert!((stage - height).abs() < 1., "{what}: a gap below the frame, {stage} for {height}");
    }
    Ok(())
}

#[tokio::test]
async fn a_card_follows_content_that_grows_and_shrinks() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<button id=b onclick='d.hidden = !d.hidden'>Fold</button>
        <div id=d style='height:250px'>long</div>";
    let card = tab.show(html, &json!([])).await;
    let open = card.settled_height().await;
    card.click("#b").await;
    let folded = card.settled_height().await;
    assert!((open - folded - 250.).abs() <= 20., "{open} and folded {folded}");
    card.click("#b").await;
    assert!((card.settled_height().await - open).abs() < 1.);
    Ok(())
}

#[tokio::test]
async fn a_card_that_changes_its_height_for_ever_is_held_at_the_tallest_until_it_keeps_still()
-> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<p style='margin:0'>flips</p><div id=d style='height:100px'></div><script>
        const timer = setInterval(() => { d.hidden = !d.hidden; }, 250);
        </script><button id=b onclick='clearInterval(timer); d.hidden = true'>Stop</button>";
    let card = tab.show(html, &json!([])).await;
    let held = card.settled_height().await;
    let long = "async () => {
        const frame = document.querySelector('inline-ui-card').shadowRoot.querySelector('iframe');
        const seen = new Set();
        for (let i = 0; i < 60; i++) {
            seen.add(frame.getBoundingClientRect().height);
            await new Promise((done) => setTimeout(done, 50));
        }
        return [...seen];
    }";
    assert_eq!(tab.eval::<Vec<f64>>(long).await, [held], "it does not flicker");
    let content = "[document.body.scrollHeight <= innerHeight, d.hidden]";
    until("all of it to be seen at its tallest", async || {
        (card.eval::<(bool, bool)>(content).await == (true, false)).then_some(())
    })
    .await;
    card.click("#b").await;
    until("the room to be given back", async || (card.height().await < held - 90.).then_some(()))
        .await;
    Ok(())
}

#[tokio::test]
async fn a_card_over_the_cap_scrolls_inside_and_show_all_shows_it() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<div style='height:1000px'>top</div><p id=end>end</p>";
    let card = tab.show(html, &json!([])).await;
    assert_eq!(card.settled_height().await, 480.);
    let frame = card.frame().bounding_box().await?.ok_or("no frame")?;
    tab.page.mouse().move_to(frame.x + 50., frame.y + 100., None).await?;
    until("the wheel to scroll the card", async || {
        tab.page.mouse().wheel(0., 400.).await.ok()?;
        (card.eval::<f64>("scrollY").await > 100.).then_some(())
    })
    .await;
    card.own_button("Show all").click(None).await?;
    let all = card.settled_height().await;
    assert!((1000. ..1100.).contains(&all), "{all}");
    assert!(card.eval::<bool>("document.documentElement.scrollHeight <= innerHeight").await);
    card.own_button("Show less").click(None).await?;
    assert_eq!(card.settled_height().await, 480.);
    assert_eq!(tab.loads(), 1);

    // Nothing to show where all of it is seen.
    let small = tab.show("<p>small</p>", &json!([])).await;
    expect(small.own_button("Show all")).to_be_hidden().await?;
    Ok(())
}

#[tokio::test]
async fn a_card_is_as_wide_as_its_column_and_measured_when_it_comes_into_view() -> Outcome {
    let world = World::start().await;
    let tab = world.tab().await;
    let html = "<div style='width:100%;background:#cde'>some words that break into lines when the
        column is narrow, and stand in one or two where it is wide enough for all of them</div>";
    let card = tab.show(html, &json!([])).await;
    let wide = (card.settled_height().await, card.eval::<f64>("innerWidth").await);
    tab.page.set_viewport_size(Viewport { width: 420, height: 900 }).await?;
    let narrow = (card.settled_height().await, card.eval::<f64>("innerWidth").await);
    assert!(narrow.1 < 420. && narrow.0 > wide.0, "{wide:?} and then {narrow:?}");
    tab.page.set_viewport_size(Viewport { width: 1200, height: 900 }).await?;
    until("the width to come back", async || {
        (card.eval::<f64>("innerWidth").await == wide.1).then_some(())
    })
    .await;
    assert_eq!(card.settled_height().await, wide.0);

    // Shown while its place is hidden, it is measured when that is seen.
    let hide = "() => { document.querySelector('ol.transcript').style.display = 'none'; }";
    let () = tab.page.evaluate(hide, None::<&()>).await?;
    tab.call("ui_show", &json!({ "title": "Late", "html": "<p>late</p>" })).await;
    let late = tab.card(2);
    expect(late.frame()).to_have_count(1).await?;
    tab.idle().await;
    crate::browser::pause(1000).await;
    let show = "() => { document.querySelector('ol.transcript').style.display = ''; }";
    let () = tab.page.evaluate(show, None::<&()>).await?;
    late.is_drawn().await;
    let height = late.settled_height().await;
    assert!((20. ..80.).contains(&height), "{height}");
    Ok(())
}
