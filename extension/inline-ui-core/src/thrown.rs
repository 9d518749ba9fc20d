use crate::limits;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Something that the code of a shown card threw, as its bridge reported it. A card can make it up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CardError {
    /// What kind it is of.
    pub kind: CardErrorKind,
    /// One line of at most [`limits::CARD_ERROR_CHARS`] characters, once it is [read](CardError::read).
    pub text: Arc<str>,
    /// The line in the author's HTML, from 1, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The column in that line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
}

/// A kind of [`CardError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CardErrorKind {
    /// An exception that nothing caught.
    Error,
    /// A promise that was rejected, and nothing handled it.
    Rejection,
    /// Something that a card's policy does not let it load or do.
    Policy,
    /// It does not answer: it loops, or waits for ever while it loads.
    Stuck,
}

impl CardError {
    /// What a page reported, within its bounds and on one line.
    #[must_use]
    pub fn read(self) -> Self {
        let text: String = one_line(&self.text).chars().take(limits::CARD_ERROR_CHARS).collect();
        Self { text: text.into(), ..self }
    }

    pub(crate) fn stuck() -> Self {
        let text = "it did not answer for 5 s: does its code loop, or wait in a loop?".into();
        Self { kind: CardErrorKind::Stuck, text, line: None, column: None }
    }
}

impl std::fmt::Display for CardError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)?;
        match (self.line, self.column) {
            (Some(line), Some(column)) => write!(f, " at {line}:{column}"),
            (Some(line), None) => write!(f, " at line {line}"),
            _ => Ok(()),
        }
    }
}

/// The text with its line breaks and runs of white space as single spaces.
pub(crate) fn one_line(text: &str) -> String {
    text.split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_one_line_within_its_bounds() {
        let text = format!("a\n\u{2028} b\u{0}{}", "ä".repeat(600));
        let error = CardError { text: text.into(), ..CardError::stuck() }.read();
        assert!(error.text.starts_with("a b ä"));
        assert_eq!(error.text.chars().count(), limits::CARD_ERROR_CHARS);
    }

    #[test]
    fn its_place_stands_behind_it() {
        let at = |line, column| {
            CardError { text: "x".into(), line, column, ..CardError::stuck() }.to_string()
        };
        assert_eq!(
            [at(Some(3), Some(14)), at(Some(3), None), at(None, Some(1))],
            ["x at 3:14", "x at line 3", "x"]
        );
    }
}
