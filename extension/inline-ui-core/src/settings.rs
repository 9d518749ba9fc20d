use crate::limits;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What an admin sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Settings {
    /// Milliseconds of debounce for an event whose card says none.
    pub debounce_ms: u32,
    /// CSS pixels a card is drawn tall before it scrolls inside.
    pub max_height: u32,
    /// Whether a wake event may start the agent's turn.
    pub wake: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            debounce_ms: limits::DEBOUNCE_DEFAULT_MS,
            max_height: limits::HEIGHT_DEFAULT_PX,
            wake: true,
        }
    }
}

/// A settings value that is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "each variant's text says what it is")]
pub enum SettingsError {
    #[error("settings are a JSON object")]
    NotAnObject,
    #[error("settings.{key} is {given}; it is a whole number from {min} to {max}")]
    NotInRange { key: &'static str, given: String, min: u32, max: u32 },
    #[error("settings.wake is {given}; it is true or false")]
    NotABoolean { given: String },
}

impl Settings {
    /// Reads a settings object. An absent or null key has its default; an unknown key is ignored.
    pub fn read(value: &Value) -> Result<Self, SettingsError> {
        let object = match value {
            Value::Null => return Ok(Self::default()),
            Value::Object(object) => object,
            _ => return Err(SettingsError::NotAnObject),
        };
        let default = Self::default();
        let whole = |key, default, min, max| match object.get(key) {
            None | Some(Value::Null) => Ok(default),
            Some(value) => value
                .as_u64()
                .and_then(|n| u32::try_from(n).ok())
                .filter(|n| (min..=max).contains(n))
                .ok_or_else(|| SettingsError::NotInRange {
                    key,
                    given: value.to_string(),
                    min,
                    max,
                }),
        };
        Ok(Self {
            debounce_ms: whole("debounceMs", default.debounce_ms, 0, limits::DEBOUNCE_MAX_MS)?,
            max_height: whole(
                "maxHeight",
                default.max_height,
                limits::HEIGHT_MIN_PX,
                limits::HEIGHT_MAX_PX,
            )?,
            wake: match object.get("wake") {
                None | Some(Value::Null) => default.wake,
                Some(Value::Bool(wake)) => *wake,
                Some(other) => return Err(SettingsError::NotABoolean { given: other.to_string() }),
            },
        })
    }

    /// The JSON Schema that a portal's settings page draws.
    pub fn schema() -> Value {
        json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "additionalProperties": false,
            "properties": {
                "debounceMs": {
                    "type": "integer",
                    "title": "Pause before an event is sent",
                    "description": "Milliseconds without another one, for an event whose card says none.",
                    "minimum": 0,
                    "maximum": limits::DEBOUNCE_MAX_MS,
                    "default": limits::DEBOUNCE_DEFAULT_MS
                },
                "maxHeight": {
                    "type": "integer",
                    "title": "Tallest a card is drawn",
                    "description": "In pixels; a taller card scrolls inside, and its head can show all of it.",
                    "minimum": limits::HEIGHT_MIN_PX,
                    "maximum": limits::HEIGHT_MAX_PX,
                    "default": limits::HEIGHT_DEFAULT_PX
                },
                "wake": {
                    "type": "boolean",
                    "title": "Cards may start the agent",
                    "description": "Off, an event that would start the agent's turn waits for your next message.",
                    "default": true
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[test]
    fn absent_keys_have_their_defaults() {
        assert_eq!(Settings::read(&json!(null)), Ok(Settings::default()));
        let some = Settings::read(&json!({ "wake": false, "other": 1 })).unwrap();
        assert_eq!(some, Settings { wake: false, ..Settings::default() });
    }

    #[rstest]
    #[case("debounceMs", 0, true)]
    #[case("debounceMs", 60_000, true)]
    #[case("debounceMs", 60_001, false)]
    #[case("maxHeight", 80, true)]
    #[case("maxHeight", 79, false)]
    #[case("maxHeight", 4_000, true)]
    #[case("maxHeight", 4_001, false)]
    fn numbers_are_taken_up_to_their_limits(
        #[case] key: &str,
        #[case] value: i64,
        #[case] taken: bool,
    ) {
        assert_eq!(Settings::read(&json!({ key: value })).is_ok(), taken);
    }

    #[rstest]
    #[case(json!({ "debounceMs": -1 }))]
    #[case(json!({ "debounceMs": 1.5 }))]
    #[case(json!({ "maxHeight": "480" }))]
    #[case(json!({ "wake": "no" }))]
    #[case(json!([]))]
    fn values_of_another_kind_are_refused(#[case] value: Value) {
        assert!(Settings::read(&value).is_err());
    }
}
