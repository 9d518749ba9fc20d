use crate::limits;
use crate::refusal::Refusal;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident, $what:literal, $max:expr) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(Arc<str>);

        impl $name {
            /// Takes 1 to the limit's number of characters, none of them a control character.
            pub fn parse(text: &str) -> Result<Self, Refusal> {
                let fits = !text.is_empty() && text.chars().take($max + 1).count() <= $max;
                if !fits || text.chars().any(char::is_control) {
                    return Err(Refusal::BadId { what: $what, max: $max });
                }
                Ok(Self(text.into()))
            }

            /// The text as it was given.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl TryFrom<String> for $name {
            type Error = Refusal;

            fn try_from(text: String) -> Result<Self, Refusal> {
                Self::parse(&text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.0.as_ref().to_owned()
            }
        }
    };
}

text_id! {
    /// One conversation, as the portal names it.
    ChatId, "a chat's id", limits::CHAT_ID_CHARS
}
text_id! {
    /// One tool call, as the portal names it.
    CallId, "a call's id", limits::CALL_ID_CHARS
}
text_id! {
    /// One event, as the page named it. The same id is the same event.
    EventId, "an event's id", limits::EVENT_ID_CHARS
}

/// A card of a chat: `c1`, `c2` and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CardId(pub u32);

impl CardId {
    /// Reads `c` and a number from 1 without leading zeros.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('c')?;
        if digits.starts_with('0') || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        digits.parse().ok().map(Self)
    }
}

impl fmt::Display for CardId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c{}", self.0)
    }
}

impl TryFrom<String> for CardId {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        Self::parse(&text).ok_or(Refusal::UnknownCard { card: text })
    }
}

impl From<CardId> for String {
    fn from(id: CardId) -> Self {
        id.to_string()
    }
}

/// The name of an event: 1 to 64 of `A-Z a-z 0-9 _ . : -`, a letter first.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct EventName(Arc<str>);

impl EventName {
    /// Refuses with [`Refusal::BadEventName`].
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let sound = text.len() <= limits::EVENT_NAME_CHARS
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.:-".contains(&b));
        if sound {
            Ok(Self(text.into()))
        } else {
            Err(Refusal::BadEventName { name: shortened(text) })
        }
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl TryFrom<String> for EventName {
    type Error = Refusal;

    fn try_from(text: String) -> Result<Self, Refusal> {
        Self::parse(&text)
    }
}

impl From<EventName> for String {
    fn from(name: EventName) -> Self {
        name.0.as_ref().to_owned()
    }
}

/// At most 80 characters of somebody's text, for an error that quotes it.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(80) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("change", true)]
    #[case("A.b:c-d_9", true)]
    #[case(&"x".repeat(64), true)]
    #[case(&"x".repeat(65), false)]
    #[case("", false)]
    #[case("9lives", false)]
    #[case("_x", false)]
    #[case("a b", false)]
    #[case("né", false)]
    fn event_names_follow_their_grammar(#[case] name: &str, #[case] sound: bool) {
        assert_eq!(EventName::parse(name).is_ok(), sound);
    }

    #[rstest]
    #[case("c1", Some(CardId(1)))]
    #[case("c200", Some(CardId(200)))]
    #[case("c01", None)]
    #[case("c0", None)]
    #[case("c", None)]
    #[case("1", None)]
    #[case("c+1", None)]
    #[case("c99999999999", None)]
    fn card_ids_are_read_strictly(#[case] text: &str, #[case] id: Option<CardId>) {
        assert_eq!(CardId::parse(text), id);
    }

    #[test]
    fn a_chat_id_may_have_128_characters_of_any_script_and_not_one_more() {
        assert!(ChatId::parse(&"é".repeat(128)).is_ok());
        assert!(ChatId::parse(&"é".repeat(129)).is_err());
        assert!(ChatId::parse("").is_err());
        assert!(ChatId::parse("a\nb").is_err());
    }
}
