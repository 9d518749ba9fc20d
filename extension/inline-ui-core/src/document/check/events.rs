//! What a card emits, against what it declares.

use super::finding::{Finding, in_order, quoted};
use super::place::Place;
use crate::card::DeclaredEvent;

/// What the markup emits, as far as it can be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Emitted {
    /// Names that stand in the scripts, with their places.
    pub(super) names: Vec<(Place, String)>,
    /// Names of forms: those are emitted by the bridge.
    pub(super) forms: Vec<(Place, String)>,
    /// Names that any element's `data-event` has.
    pub(super) marked: Vec<String>,
    /// It may emit other names as well.
    pub(super) more: bool,
}

impl Emitted {
    /// All repairs and notes of a card that declares these events, in the order of the text.
    pub fn notes_with(&self, mut notes: Vec<Finding>, declared: &[DeclaredEvent]) -> Vec<Finding> {
        notes.extend(self.against(declared));
        in_order(notes)
    }

    /// Notes about names emitted and not declared, and about names declared and never emitted.
    fn against(&self, declared: &[DeclaredEvent]) -> Vec<Finding> {
        let is_declared = |name: &str| declared.iter().any(|event| event.name.as_str() == name);
        let forms = self.forms.iter().filter(|_| !self.more);
        let mut found: Vec<Finding> = Vec::new();
        for (place, name) in self.names.iter().chain(forms) {
            if !is_declared(name) {
                found.push(undeclared(*place, name, declared));
            }
        }
        for event in declared.iter().filter(|_| !self.more) {
            let name = event.name.as_str();
            let here = self.names.iter().any(|(_, emitted)| emitted == name);
            if !here && !self.marked.iter().any(|marked| marked == name) {
                let text = format!(
                    "the html never emits the declared event {}: call pithagoras.emit with it, or do not declare it",
                    quoted(name)
                );
                found.push(Finding::of_the_card("never_emitted", text));
            }
        }
        found
    }
}

fn undeclared(at: Place, name: &str, declared: &[DeclaredEvent]) -> Finding {
    let names: Vec<&str> = declared.iter().map(|event| event.name.as_str()).collect();
    let instead = match nearest(name, &names) {
        Some(near) => format!("did you mean {}? Emit that, or declare it in events", quoted(near)),
        None if names.is_empty() => {
            "the card declares no events; add it to events of ui_show".to_owned()
        }
        None => {
            let few: Vec<_> = names.iter().take(4).map(|name| quoted(name)).collect();
            let rest = if names.len() > few.len() { ", …" } else { "" };
            format!("declared are {}{rest}; emit one of them, or declare it", few.join(", "))
        }
    };
    let text = format!(
        "at {at} the event {} is emitted and not declared, so it is never sent: {instead}",
        quoted(name)
    );
    Finding { code: "undeclared_emit", at: Some(at), text }
}

/// The declared name that a slip of the pen away from `name`.
fn nearest<'n>(name: &str, names: &[&'n str]) -> Option<&'n str> {
    let plain = |name: &str| -> Vec<char> {
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let given = plain(name);
    let near = names.iter().map(|other| {
        let other_plain = plain(other);
        let distance = distance(&given, &other_plain);
        let prefix = !given.is_empty()
            && !other_plain.is_empty()
            && (given.starts_with(&other_plain) || other_plain.starts_with(&given));
        (distance, prefix, given.len().max(other_plain.len()), *other)
    });
    near.filter(|(distance, prefix, longest, _)| *prefix || *distance <= 1.max(longest / 3))
        .min_by_key(|(distance, ..)| *distance)
        .map(|(.., other)| other)
}

/// Letters to put in, take out, change, or swap with the next. Names are at most 64 characters; longer
/// ones are cut.
fn distance(a: &[char], b: &[char]) -> usize {
    let (a, b) = (&a[..a.len().min(64)], &b[..b.len().min(64)]);
    let mut rows = vec![(0..=b.len()).collect::<Vec<_>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = change.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("pikc", Some("pick"))]
    #[case("picked", Some("pick"))]
    #[case("date_selected", Some("dateSelected"))]
    #[case("submit", None)]
    #[case("", None)]
    fn the_nearest_declared_name_is_one_that_could_be_meant(
        #[case] name: &str,
        #[case] near: Option<&str>,
    ) {
        assert_eq!(nearest(name, &["cancel", "pick", "dateSelected"]), near);
    }
}
