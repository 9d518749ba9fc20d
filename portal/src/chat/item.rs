use crate::extension::gateway;
use crate::store::Row;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// One entry of a transcript, as pages get it.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Item {
    /// Its number in the chat.
    pub(crate) id: i64,
    /// Milliseconds since 1970.
    pub(crate) at: i64,
    #[serde(flatten)]
    pub(crate) kind: Kind,
}

#[derive(Debug, Clone, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Kind {
    Person(Person),
    Assistant(Assistant),
    Call(Call),
    Events(Events),
    Notice(Notice),
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Person {
    pub(crate) text: String,
    /// Waits for the run to end; it starts the next one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) queued: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Assistant {
    pub(crate) text: String,
    /// More text comes.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) streaming: bool,
    /// The portal was killed while it came.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) interrupted: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(clippy::struct_field_names, reason = "the wire's name for a call's id")]
pub(crate) struct Call {
    pub(crate) call: String,
    pub(crate) name: String,
    /// As the model wrote them, byte for byte.
    pub(crate) arguments: Box<RawValue>,
    pub(crate) status: CallStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) result: Option<CallAnswer>,
    /// Made in the same turn as the call before it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) beside: bool,
    /// What the model's provider wants back with the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) signatures: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum CallStatus {
    Running,
    Done,
    Failed,
    Cancelled,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct CallAnswer {
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) structured: Option<Value>,
}

impl Call {
    /// The id under which an extension knows it.
    pub(crate) fn link_id(&self) -> String {
        gateway::link_id(&self.name, &self.call)
    }
}

impl CallAnswer {
    /// Whether a wait ended because the person did something: the extension waits to hear that the
    /// transcript has it.
    pub(crate) fn is_answered_wait(&self) -> bool {
        self.structured.as_ref().is_some_and(|s| s["outcome"] == "answered")
    }
}

/// A message of an extension's outbox.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Events {
    pub(crate) message: String,
    pub(crate) summary: String,
    pub(crate) text: String,
    /// Taken with the person's message above it, which the model reads after it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub(crate) with_prompt: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Notice {
    pub(crate) level: Level,
    pub(crate) text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    Info,
    Error,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

impl Item {
    pub(crate) fn is_queued(&self) -> bool {
        matches!(&self.kind, Kind::Person(person) if person.queued)
    }

    /// Made by the model, rather than for it to read.
    pub(crate) fn is_models(&self) -> bool {
        matches!(self.kind, Kind::Assistant(_) | Kind::Call(_))
    }

    pub(crate) fn to_row(&self, position: Option<i64>) -> serde_json::Result<Row> {
        let (kind, body) = match &self.kind {
            Kind::Person(it) => ("person", serde_json::to_string(it)?),
            Kind::Assistant(it) => ("assistant", serde_json::to_string(it)?),
            Kind::Call(it) => ("call", serde_json::to_string(it)?),
            Kind::Events(it) => ("events", serde_json::to_string(it)?),
            Kind::Notice(it) => ("notice", serde_json::to_string(it)?),
        };
        Ok(Row { id: self.id, position, at: self.at, kind: kind.to_owned(), body })
    }

    /// Reads each kind from its own text, because an internally tagged enum cannot hold raw JSON.
    pub(crate) fn from_row(row: &Row) -> serde_json::Result<Self> {
        let body = row.body.as_str();
        let kind = match row.kind.as_str() {
            "person" => Kind::Person(serde_json::from_str(body)?),
            "assistant" => Kind::Assistant(serde_json::from_str(body)?),
            "call" => Kind::Call(serde_json::from_str(body)?),
            "events" => Kind::Events(serde_json::from_str(body)?),
            "notice" => Kind::Notice(serde_json::from_str(body)?),
            other => {
                return Err(serde::de::Error::custom(format_args!(
                    "unknown kind of item {other:?}"
                )));
            }
        };
        Ok(Self { id: row.id, at: row.at, kind })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: &str) -> Item {
        Item {
            id: 4,
            at: 5,
            kind: Kind::Call(Call {
                call: "k".to_owned(),
                name: "ui_show".to_owned(),
                arguments: RawValue::from_string(arguments.to_owned()).unwrap(),
                status: CallStatus::Done,
                result: Some(CallAnswer { text: "t".to_owned(), structured: None }),
                beside: false,
                signatures: vec![],
            }),
        }
    }

    #[test]
    fn an_item_is_flat_and_leaves_out_what_is_not_so() {
        let person = Person { text: "hi".to_owned(), queued: false };
        let item = Item { id: 1, at: 2, kind: Kind::Person(person) };
        assert_eq!(
            serde_json::to_string(&item).unwrap(),
            r#"{"id":1,"at":2,"kind":"person","text":"hi"}"#
        );
        let person = Person { text: "hi".to_owned(), queued: true };
        let item = Item { id: 1, at: 2, kind: Kind::Person(person) };
        assert!(serde_json::to_string(&item).unwrap().contains(r#""queued":true"#));
    }

    #[test]
    fn arguments_keep_their_very_bytes_through_the_database() {
        let arguments = r#"{"n":1e400, "a":1,"a":2}"#;
        let row = call(arguments).to_row(Some(1)).unwrap();
        let back = Item::from_row(&row).unwrap();
        let Kind::Call(back_call) = &back.kind else { panic!("not a call") };
        assert_eq!(back_call.arguments.get(), arguments);
        assert!(serde_json::to_string(&back).unwrap().contains(arguments));
    }

    #[test]
    fn arguments_nested_deeper_than_a_parser_dares_are_kept_too() {
        let deep = format!("{}{}", "[".repeat(4000), "]".repeat(4000));
        assert!(Item::from_row(&call(&deep).to_row(None).unwrap()).is_ok());
    }

    #[test]
    fn only_an_answered_wait_is_acknowledged_by_its_call() {
        let answer = |outcome: &str| CallAnswer {
            text: String::new(),
            structured: Some(serde_json::json!({ "outcome": outcome })),
        };
        assert!(answer("answered").is_answered_wait());
        assert!(!answer("timeout").is_answered_wait());
        assert!(!CallAnswer { text: String::new(), structured: None }.is_answered_wait());
    }
}
