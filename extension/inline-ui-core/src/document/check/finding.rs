use super::place::{Place, Source};
use serde::Serialize;
use std::fmt::Write as _;

/// One thing that the check has to say: a repair, a refusal or a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its name for programs. It never changes without a major version.
    pub code: &'static str,
    /// Where, if it is at one place.
    #[serde(flatten)]
    pub at: Option<Place>,
    /// What is wrong and what to write instead, with the place in it.
    pub text: String,
}

impl Finding {
    /// At a byte of the text that was read. `words` follow the place.
    pub(super) fn at(code: &'static str, source: &Source<'_>, offset: usize, words: &str) -> Self {
        let place = source.place(offset);
        Self { code, at: Some(place), text: format!("at {place} {words}") }
    }

    /// About the card as a whole.
    pub(super) fn of_the_card(code: &'static str, text: String) -> Self {
        Self { code, at: None, text }
    }
}

/// What an author wrote, short enough to be quoted.
pub(super) fn quoted(text: &str) -> String {
    const CHARS: usize = 48;
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(CHARS) {
        None => format!("`{line}`"),
        Some((end, _)) => format!("`{}…`", &line[..end]),
    }
}

/// In the order of the text, at most `EACH` of a kind; the last one says how many more there are.
pub(super) fn in_order(mut findings: Vec<Finding>) -> Vec<Finding> {
    const EACH: usize = 3;
    findings.sort_by_key(|finding| (finding.at.is_none(), finding.at));
    let mut kept: Vec<Finding> = Vec::new();
    let mut left: Vec<(&'static str, usize)> = Vec::new();
    for finding in findings {
        let same = kept.iter().filter(|other| other.code == finding.code).count();
        if same < EACH {
            kept.push(finding);
        } else if let Some((_, more)) = left.iter_mut().find(|(code, _)| *code == finding.code) {
            *more += 1;
        } else {
            left.push((finding.code, 1));
        }
    }
    for (code, more) in left {
        if let Some(last) = kept.iter_mut().rev().find(|finding| finding.code == code) {
            let _ = write!(last.text, " ({more} more like this)");
        }
    }
    kept
}
