//! The bank of cards in `tests/cards/`: what models write, and what the check says to it.
//!
//! `UPDATE_CARDS=1` writes what is found into the expectations of the bad ones; read the difference.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a bank that is not there is a test that fails"
)]

use inline_ui_core::document::check::{Checked, Finding, check};
use inline_ui_core::{DeclaredEvent, tools};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cards").join(name)
}

fn cards(name: &str) -> Vec<(String, String, PathBuf)> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder(name))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "html"))
        .collect();
    files.sort();
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).unwrap(), path)
    };
    files.into_iter().map(read).collect()
}

/// What `ui_show` would be called with, from the comment that a good card has.
fn declared_in(html: &str) -> Value {
    let comment = html.split("<!-- {").nth(1).and_then(|rest| rest.split_once(" -->"));
    let (json, _) = comment.expect("a good card says in a comment what it declares");
    serde_json::from_str(&format!("{{{json}")).unwrap()
}

/// The events of a card as `ui_show` reads them, those waited for included.
fn events(declared: &Value) -> Vec<DeclaredEvent> {
    let mut arguments = json!({ "title": "T", "html": "<p>x</p>", "events": declared["events"] });
    arguments["wait"] = match &declared["wait"] {
        Value::Null => Value::Null,
        wait @ Value::Object(_) => wait.clone(),
        wait => json!({ "event": wait }),
    };
    let raw = RawValue::from_string(arguments.to_string()).unwrap();
    let Ok(tools::ToolInput::Show(show, _)) = tools::read("ui_show", &raw) else {
        panic!("not to be shown: {arguments}");
    };
    show.events
}

fn findings(html: &str, events: &[DeclaredEvent]) -> (Option<Finding>, Vec<Finding>, String) {
    let Checked { html, notes, refusal, emitted } = check(html);
    (refusal, emitted.notes_with(notes, events), html)
}

fn row(table: &mut String, name: &str, refusal: Option<&Finding>, notes: &[Finding]) {
    let all = refusal.iter().map(|f| ("refused", *f)).chain(notes.iter().map(|f| ("noted", f)));
    let mut said: Vec<String> =
        all.map(|(how, f)| format!("{how} {}: {}", f.code, f.text)).collect();
    if said.is_empty() {
        said.push("-".to_owned());
    }
    for (n, line) in said.iter().enumerate() {
        let _ = writeln!(table, "{:<28} {line}", if n == 0 { name } else { "" });
    }
}

#[test]
fn every_good_card_passes_without_a_finding_and_as_it_is() {
    let all = cards("good");
    assert!(all.len() >= 60, "{}", all.len());
    let mut table = String::new();
    let mut wrong = Vec::new();
    for (name, html, _) in &all {
        let (refusal, notes, kept) = findings(html, &events(&declared_in(html)));
        row(&mut table, name, refusal.as_ref(), &notes);
        if refusal.is_some() || !notes.is_empty() || kept != *html {
            wrong.push(name.as_str());
        }
    }
    println!("{table}");
    assert!(wrong.is_empty(), "{wrong:?}\n{table}");
}

#[test]
fn the_portals_own_cards_pass_too() {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../portal/cards");
    for entry in std::fs::read_dir(demo).unwrap() {
        let path = entry.unwrap().path();
        let html = std::fs::read_to_string(&path).unwrap();
        let checked = check(&html);
        assert_eq!(
            (checked.refusal, checked.notes, checked.html),
            (None, vec![], html),
            "{path:?}"
        );
    }
}

#[test]
fn every_bad_card_has_the_findings_that_are_written_beside_it() {
    let all = cards("bad");
    assert!(all.len() >= 80, "{}", all.len());
    let update = std::env::var_os("UPDATE_CARDS").is_some();
    let mut table = String::new();
    let mut wrong = Vec::new();
    for (name, html, path) in &all {
        let beside = path.with_extension("json");
        let expected: Value = std::fs::read_to_string(&beside)
            .map_or_else(|_| json!({}), |text| serde_json::from_str(&text).unwrap());
        let (refusal, notes, kept) = findings(html, &events(&expected));
        row(&mut table, name, refusal.as_ref(), &notes);
        let mut found = json!({});
        for key in ["events", "wait"] {
            if !expected[key].is_null() {
                found[key] = expected[key].clone();
            }
        }
        found["refusal"] = json!(refusal);
        found["notes"] = json!(notes);
        if kept != *html {
            found["html"] = json!(kept);
        }
        if update {
            std::fs::write(&beside, serde_json::to_string_pretty(&found).unwrap() + "\n").unwrap();
        } else if found != expected {
            wrong.push(format!("{name}: found {found:#}"));
        }
    }
    println!("{table}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_repaired_card_needs_no_second_repair() {
    for (name, html, _) in cards("bad") {
        let once = check(&html);
        if once.refusal.is_none() {
            let twice = check(&once.html);
            assert_eq!(twice.html, once.html, "{name}");
        }
    }
}

#[test]
fn every_finding_says_its_place_in_its_sentence() {
    for (name, html, path) in cards("bad") {
        let beside: Value =
            serde_json::from_str(&std::fs::read_to_string(path.with_extension("json")).unwrap())
                .unwrap();
        let (refusal, notes, _) = findings(&html, &events(&beside));
        for Finding { at, text, code } in refusal.into_iter().chain(notes) {
            if let Some(at) = at {
                assert!(text.contains(&at.to_string()), "{name}: {text}");
                let line = html.lines().nth(at.line - 1).unwrap_or_default();
                assert!(at.column <= line.chars().count() + 1, "{name}: {code} at {at}");
            }
        }
    }
}

#[test]
fn every_card_on_the_page_about_writing_them_passes_without_a_finding() {
    let page = include_str!("../../../docs/writing-cards.md");
    let cards: Vec<&str> =
        page.split("```html\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert!(cards.len() >= 5, "{}", cards.len());
    for html in cards {
        let Checked { html: kept, notes, refusal, .. } = check(html);
        assert_eq!((kept.as_str(), notes, refusal), (html, vec![], None));
    }
}
