//! Cards as they are written for people, in `browser-tests/screenshots/`: a card is to look as if the portal's own designers drew it.

use crate::browser::{Outcome, World};
use playwright_rs::{ScreenshotClip, ScreenshotOptions, Viewport, expect};
use serde_json::json;
use std::path::Path;
use std::time::Duration;

const CARDS: usize = 12;
/// A frame out of sight is not drawn, so the window is as tall as all of them.
const TALL: u32 = 7000;

fn cards() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cards/gallery");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read = |path: std::path::PathBuf| {
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        (name, std::fs::read_to_string(path).unwrap())
    };
    let mut cards: Vec<_> = files.map(read).collect();
    cards.sort();
    cards
}

#[tokio::test]
async fn twelve_cards_in_light_and_dark_wide_and_narrow() -> Outcome {
    let world = World::start().await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("screenshots");
    std::fs::create_dir_all(&folder)?;
    let cards = cards();
    assert_eq!(cards.len(), CARDS);
    let events = json!([{ "name": "join", "debounceMs": 0 }]);
    let call = |(name, html): &(String, String)| {
        format!("/call ui_show {}", json!({ "title": name, "html": html, "events": events }))
    };
    let tab = world.tab().await;
    tab.say(&cards.iter().map(call).collect::<Vec<_>>().join("\n")).await;
    let shown = tab.page.locator("inline-ui-card iframe.shown");
    expect(shown).with_timeout(Duration::from_secs(40)).to_have_count(CARDS).await?;
    tab.idle().await;
    for dark in [false, true] {
        tab.dark(dark).await;
        for width in [1200, 360] {
            tab.page.set_viewport_size(Viewport { width, height: TALL }).await?;
            tab.card(CARDS).settled_height().await;
            for (n, (name, _)) in cards.iter().enumerate() {
                let card = tab.card(n + 1);
                let inside = "document.documentElement.scrollWidth <= innerWidth";
                assert!(card.eval::<bool>(inside).await, "{name} scrolls sideways at {width} px");
                let area = card.host.bounding_box().await?.ok_or("no card")?;
                let clip =
                    ScreenshotClip { x: area.x, y: area.y, width: area.width, height: area.height };
                let picture =
                    tab.page.screenshot(ScreenshotOptions::builder().clip(clip).build()).await?;
                let mode = if dark { "dark" } else { "light" };
                std::fs::write(folder.join(format!("card-{name}-{width}-{mode}.png")), picture)?;
            }
        }
    }
    assert_eq!(tab.loads(), CARDS);
    Ok(())
}
