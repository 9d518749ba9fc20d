//! What is read in a card's HTML before a person sees it: mended, refused, or noted.
//!
//! [`check`] parses the markup as a browser does and every script as an engine does. What cannot work
//! is refused, so that the agent writes it again; what can be put right is, and said; what will
//! disappoint is noted. A finding that is not sure is not made: models write many odd cards that are fine.

mod attributes;
mod css;
mod events;
mod external;
mod finding;
mod handlers;
mod labels;
mod page;
mod place;
mod script;
mod scripts;
mod tall;
mod wrapping;

pub use events::Emitted;
pub use finding::Finding;
pub use place::Place;

use attributes::attributes;
use finding::in_order;
use page::Page;
use place::Source;
use std::fmt::Write as _;
use std::ops::Range;

/// What the check made of an author's HTML.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The HTML to keep, repaired.
    pub html: String,
    /// Repairs and notes that need no knowledge of the card's events, in the order of the text.
    pub notes: Vec<Finding>,
    /// Why the HTML is not taken: the first such place, with the others named.
    pub refusal: Option<Finding>,
    /// What it emits, for [`Emitted::notes_with`].
    pub emitted: Emitted,
}

/// Reads a card's HTML. It never fails: what it cannot read it lets through.
pub fn check(html: &str) -> Checked {
    let (source, mut notes) = wrapping::unwrapped(html);
    let text = source.text();
    let page = Page::read(text);
    let pieces = scripts::pieces(&page, text);
    let facts = script::read(&scripts::sources(&pieces)).unwrap_or_default();
    let read = scripts::Read::new(&page, &source, &pieces, &facts);
    let mut removed = repairs(&page, &source, &mut notes);
    notes.extend(external::in_tags(&page, &source));
    notes.extend(styles(&page, &source));
    notes.extend(labels::notes(&page, &source, &scripts::code(&pieces)));
    notes.extend(read.notes());
    removed.sort_by_key(|part| part.start);
    Checked {
        html: lines_before(&source) + &without(text, &removed),
        notes: in_order(notes),
        refusal: first(in_order(read.refusals())),
        emitted: read.emitted(),
    }
}

/// What goes out of the markup.
fn repairs(page: &Page, source: &Source<'_>, notes: &mut Vec<Finding>) -> Vec<Range<usize>> {
    let mut removed = Vec::new();
    for tag in &page.tags {
        let refreshes = || {
            let what = tag.attribute("http-equiv").unwrap_or_default().trim();
            what.eq_ignore_ascii_case("refresh")
        };
        if tag.is("meta") && refreshes() {
            let words = "<meta http-equiv=refresh> was removed: a card does not reload itself; send new data with ui_update";
            notes.push(Finding::at("refresh_removed", source, tag.at.start, words));
            removed.push(tag.at.clone());
        }
        // In a card it does nothing, but in Firefox it opens a connection before the bridge sees it.
        if tag.is("link") && hints_at_a_connection(tag) {
            removed.push(tag.at.clone());
        }
        if tag.is("template") && tag.attribute("shadowrootmode").is_some() {
            for one in attributes(&source.text()[tag.at.clone()]) {
                if one.name.eq_ignore_ascii_case("shadowrootmode") {
                    let start = tag.at.start + one.whole.start;
                    let words = "shadowrootmode was removed, and the template stays a template: call attachShadow in a script";
                    notes.push(Finding::at("shadow_root_removed", source, start + 1, words));
                    removed.push(start..tag.at.start + one.whole.end);
                }
            }
        }
    }
    removed
}

fn hints_at_a_connection(tag: &page::Tag) -> bool {
    let rel = tag.attribute("rel").unwrap_or_default();
    let hints = ["preconnect", "dns-prefetch"];
    rel.split_ascii_whitespace()
        .any(|word| hints.iter().any(|hint| word.eq_ignore_ascii_case(hint)))
}

fn styles(page: &Page, source: &Source<'_>) -> Vec<Finding> {
    let text = source.text();
    let mut found = Vec::new();
    for tag in page.tags.iter().filter(|tag| tag.element.is_some() || tag.is("body")) {
        if tag.is("style")
            && let Some(raw) = &tag.raw
        {
            let sheet = &text[raw.clone()];
            let all = css::declarations(sheet, false);
            let place = |at| raw.start + at;
            found.extend(external::in_css(sheet, &all, place, source));
            found.extend(tall::notes(sheet, &all, place, source));
        }
        if let Some(style) = tag.attribute("style") {
            let all = css::declarations(style, true);
            let start = external::value_at(tag, "style", source);
            let written = &text[start..tag.at.end];
            let place = |at| start + attributes::written_offset(written, style, at);
            found.extend(external::in_css(style, &all, place, source));
            found.extend(tall::notes(style, &all, place, source));
        }
    }
    found
}

/// Empty lines for those that were cut off before the markup: what the card throws has the lines of the
/// author's own text.
fn lines_before(source: &Source<'_>) -> String {
    "\n".repeat(source.place(0).line - 1)
}

/// The text without those parts, but for their line breaks.
fn without(text: &str, removed: &[Range<usize>]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut from = 0;
    for part in removed {
        if part.start >= from {
            kept.push_str(&text[from..part.start]);
            kept.extend(text[part.clone()].chars().filter(|c| matches!(c, '\n' | '\r')));
            from = part.end;
        }
    }
    kept.push_str(&text[from..]);
    kept
}

/// One refusal that says where the others are.
fn first(refusals: Vec<Finding>) -> Option<Finding> {
    const OTHERS: usize = 3;
    let mut all = refusals.into_iter();
    let mut first = all.next()?;
    let others: Vec<String> = all
        .take(OTHERS)
        .filter_map(|other| other.at.map(|at| format!("{} at {at}", other.code)))
        .collect();
    if !others.is_empty() {
        let _ = write!(first.text, "; also {}", others.join(", "));
    }
    Some(first)
}

#[cfg(test)]
mod tests;
