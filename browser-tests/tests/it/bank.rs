//! The bank of cards as a browser sees it: every good one, and every one that is good once it is repaired.

use crate::browser::{Outcome, Tab, World, pause};
use playwright_rs::expect;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// So many cards in one chat: with more than a page runs, those far away would rest.
const IN_A_CHAT: usize = 20;
/// A template whose `shadowrootmode` was removed stays one, as its note says, and shows nothing.
const REPAIRED: [&str; 3] = ["fence_removed", "unescaped", "refresh_removed"];

struct Banked {
    name: String,
    arguments: Value,
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/cards").join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        files.filter(|path| path.extension().is_some_and(|it| it == "html")).collect();
    files.sort();
    files
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

/// With what it declares in its comment. No call waits here: what it would wait for is an event.
fn good() -> Vec<Banked> {
    let read = |path: PathBuf| {
        let html = std::fs::read_to_string(&path).unwrap();
        let comment = html.split("<!-- {").nth(1).and_then(|rest| rest.split_once(" -->"));
        let declared: Value = serde_json::from_str(&format!("{{{}", comment.unwrap().0)).unwrap();
        let mut events = declared["events"].as_array().cloned().unwrap_or_default();
        let wait = declared["wait"].get("event").unwrap_or(&declared["wait"]);
        let asked = wait.as_array().cloned().unwrap_or_else(|| vec![wait.clone()]);
        for event in asked {
            if event.is_string() && !events.iter().any(|known| known["name"] == event) {
                events.push(json!({ "name": event }));
            }
        }
        let name = name(&path);
        Banked { arguments: json!({ "title": name, "html": html, "events": events }), name }
    };
    files("good").into_iter().map(read).collect()
}

/// Those of the bad ones of which the check says nothing but that it repaired them.
fn repaired() -> Vec<Banked> {
    let read = |path: PathBuf| {
        let found = std::fs::read_to_string(path.with_extension("json")).unwrap();
        let found: Value = serde_json::from_str(&found).unwrap();
        let notes = found["notes"].as_array().unwrap();
        let only = notes.iter().all(|note| REPAIRED.contains(&note["code"].as_str().unwrap()));
        (found["refusal"].is_null() && only).then(|| {
            let html = std::fs::read_to_string(&path).unwrap();
            let name = name(&path);
            let events = found["events"].as_array().cloned().unwrap_or_default();
            Banked { arguments: json!({ "title": name, "html": html, "events": events }), name }
        })
    };
    files("bad").into_iter().filter_map(read).collect()
}

async fn draw(world: &World, bank: &[Banked]) {
    for cards in bank.chunks(IN_A_CHAT) {
        let tab = world.tab().await;
        let call = |card: &Banked| format!("/call ui_show {}", card.arguments);
        tab.say(&cards.iter().map(call).collect::<Vec<_>>().join("\n")).await;
        let shown = tab.page.locator("inline-ui-card iframe.shown");
        let shown = expect(shown).with_timeout(Duration::from_mins(1));
        shown.to_have_count(cards.len()).await.unwrap();
        tab.idle().await;
        pause(500).await;
        for (n, card) in cards.iter().enumerate() {
            let drawn = tab.card(n + 1);
            let error = drawn.part("[part=error]").inner_text().await.unwrap_or_default();
            assert_eq!(error, "", "{}", card.name);
            let has_something: bool = drawn.eval("document.body.scrollHeight > 20").await;
            assert!(has_something, "{} is empty", card.name);
        }
        complains_of_nothing(&tab);
    }
}

fn complains_of_nothing(tab: &Tab) {
    let complaints = tab.complaints();
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[tokio::test]
async fn every_good_card_draws_and_throws_nothing() -> Outcome {
    let bank = good();
    assert!(bank.len() >= 60, "{}", bank.len());
    draw(&World::start().await, &bank).await;
    Ok(())
}

#[tokio::test]
async fn every_card_that_was_only_repaired_draws_and_throws_nothing() -> Outcome {
    let bank = repaired();
    assert!(bank.len() >= 4, "{}", bank.len());
    draw(&World::start().await, &bank).await;
    Ok(())
}
