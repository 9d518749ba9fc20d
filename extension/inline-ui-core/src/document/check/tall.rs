use super::css::Declaration;
use super::finding::Finding;
use super::place::Source;
use std::collections::BTreeSet;

/// Notes about boxes as tall as the viewport: a card's viewport is as tall as its content.
pub(super) fn notes(
    sheet: &str,
    all: &[Declaration],
    place: impl Fn(usize) -> usize,
    source: &Source<'_>,
) -> Vec<Finding> {
    // Out of the flow, a box may be as tall as what is there.
    let lifted: BTreeSet<usize> = all
        .iter()
        .filter(|d| d.property == "position")
        .filter(|d| ["fixed", "absolute"].iter().any(|one| sheet[d.value.clone()].starts_with(one)))
        .map(|d| d.rule)
        .collect();
    let tall = all.iter().filter(|d| {
        let heights = ["height", "min-height", "block-size", "min-block-size"];
        heights.contains(&d.property.as_str()) && !lifted.contains(&d.rule)
    });
    tall.filter_map(|d| {
        let at = d.value.start + viewport_height(&sheet[d.value.clone()])?;
        let words = "a height of 100vh is that of the card, which is as tall as its content: leave the height out, or give pixels";
        Some(Finding::at("viewport_height", source, place(at), words))
    })
    .collect()
}

fn viewport_height(value: &str) -> Option<usize> {
    let lower = value.to_ascii_lowercase();
    let whole = |at: usize, unit: &str| {
        let before = lower[..at].chars().next_back();
        let after = lower[at + unit.len()..].chars().next();
        !before.is_some_and(|c| c.is_ascii_digit() || c == '.')
            && !after.is_some_and(|c| c.is_ascii_alphanumeric())
    };
    ["100vh", "100dvh", "100svh", "100lvh"]
        .iter()
        .flat_map(|unit| lower.match_indices(unit))
        .find(|(at, unit)| whole(*at, unit))
        .map(|(at, _)| at)
}
