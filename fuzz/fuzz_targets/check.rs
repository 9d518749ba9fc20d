#![no_main]

//! The check never crashes, and what it says holds: places are inside the text, and what it repaired
//! needs no second repair.

use inline_ui_core::document::check::check;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|html: &str| {
    let checked = check(html);
    let lines = html.split('\n').flat_map(|line| line.split('\r')).count();
    for finding in checked.notes.iter().chain(&checked.refusal) {
        if let Some(at) = finding.at {
            assert!(at.line >= 1 && at.line <= lines && at.column >= 1);
            assert!(finding.text.contains(&at.to_string()));
        }
    }
    // The text of a card in a fence may begin with a fence of its own.
    if checked.refusal.is_none() && checked.notes.is_empty() {
        assert_eq!(checked.html, html);
    }
});
