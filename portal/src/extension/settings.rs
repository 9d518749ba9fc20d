use serde_json::{Map, Value};

/// The JSON Schema of an extension's settings: an object of plain values.
#[derive(Debug, Clone)]
pub(crate) struct SettingsSchema(Value);

/// A value that a setting does not take.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {reason}")]
pub(crate) struct BadSetting {
    pub(crate) field: String,
    pub(crate) reason: String,
}

impl SettingsSchema {
    pub(crate) fn new(schema: Value) -> Self {
        Self(schema)
    }

    pub(crate) fn as_value(&self) -> &Value {
        &self.0
    }

    /// What is in force: what was set, and the defaults for the rest. What was set once and does not
    /// hold any more, after an update, gives way to the default.
    pub(crate) fn in_force(&self, set: &Map<String, Value>) -> Map<String, Value> {
        let properties = self.0["properties"].as_object().cloned().unwrap_or_default();
        let value = |(name, schema): (String, Value)| {
            let set = set.get(&name).filter(|value| check(&schema, value).is_ok());
            let value = set.or_else(|| schema.get("default"))?.clone();
            Some((name, value))
        };
        properties.into_iter().filter_map(value).collect()
    }

    /// Puts `changed` over `set`, if every value holds. Null takes a setting back to its default.
    pub(crate) fn change(
        &self,
        set: &mut Map<String, Value>,
        changed: &Map<String, Value>,
    ) -> Result<(), BadSetting> {
        for (field, value) in changed {
            let bad = |reason: String| BadSetting { field: field.clone(), reason };
            let Some(schema) = self.0["properties"].get(field) else {
                return Err(bad("there is no such setting".to_owned()));
            };
            if !value.is_null() {
                check(schema, value).map_err(bad)?;
            }
        }
        for (field, value) in changed {
            if value.is_null() {
                set.remove(field);
            } else {
                set.insert(field.clone(), value.clone());
            }
        }
        Ok(())
    }
}

fn check(schema: &Value, value: &Value) -> Result<(), String> {
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind],
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !kinds.is_empty() && !kinds.iter().any(|kind| is_of(kind, value)) {
        return Err(format!("it must be of the type {}", kinds.join(" or ")));
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        let allowed: Vec<_> = allowed.iter().map(Value::to_string).collect();
        return Err(format!("it must be one of {}", allowed.join(", ")));
    }
    if let Some(number) = value.as_f64() {
        let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        if least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most) {
            return Err(match (least, most) {
                (Some(least), Some(most)) => format!("it must be from {least} to {most}"),
                (Some(least), None) => format!("it must be at least {least}"),
                (_, most) => format!("it must be at most {}", most.unwrap_or_default()),
            });
        }
    }
    if let (Some(text), Some(most)) = (value.as_str(), schema["maxLength"].as_u64())
        && text.chars().count() as u64 > most
    {
        return Err(format!("it must be at most {most} characters long"));
    }
    Ok(())
}

fn is_of(kind: &str, value: &Value) -> bool {
    match kind {
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn schema() -> SettingsSchema {
        SettingsSchema::new(json!({ "type": "object", "properties": {
            "debounceMs": { "type": "integer", "minimum": 0, "maximum": 60000, "default": 400 },
            "wake": { "type": "boolean", "default": true },
            "look": { "enum": ["a", "b"] },
        }}))
    }

    fn change(changed: &Value) -> Result<Map<String, Value>, BadSetting> {
        let mut set = Map::new();
        schema().change(&mut set, changed.as_object().unwrap()).map(|()| set)
    }

    #[test]
    fn a_value_at_the_bound_is_taken_and_one_past_it_names_its_field() {
        assert!(change(&json!({ "debounceMs": 60000, "wake": false, "look": "b" })).is_ok());
        let error = change(&json!({ "wake": false, "debounceMs": 60001 })).unwrap_err();
        assert_eq!(error.to_string(), "debounceMs: it must be from 0 to 60000");
    }

    #[test]
    fn wrong_types_unknown_names_and_values_outside_a_list_are_refused() {
        let field = |changed: Value| change(&changed).unwrap_err().field;
        assert_eq!(field(json!({ "wake": "yes" })), "wake");
        assert_eq!(field(json!({ "debounceMs": 1.5 })), "debounceMs");
        assert_eq!(field(json!({ "debounceMS": 1 })), "debounceMS");
        assert_eq!(field(json!({ "look": "c" })), "look");
    }

    #[test]
    fn null_and_what_holds_no_more_give_way_to_the_default() {
        let mut set = change(&json!({ "debounceMs": 10 })).unwrap();
        assert_eq!(schema().in_force(&set)["debounceMs"], 10);
        schema().change(&mut set, json!({ "debounceMs": null }).as_object().unwrap()).unwrap();
        assert_eq!(schema().in_force(&set)["debounceMs"], 400);
        set.insert("debounceMs".to_owned(), json!("old"));
        assert_eq!(schema().in_force(&set)["debounceMs"], 400);
    }
}
