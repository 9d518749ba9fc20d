use crate::chat::{Call, CallStatus, Item, Kind};
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::Arc;

/// In bytes of JSON: an entry that is larger is named and left out.
const LARGEST_ENTRY: usize = 16_384;
/// Of all entries together; the newest are shown.
const LARGEST: usize = 65_536;

/// An entry as the model gets it.
#[derive(Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
enum Entry<'a> {
    Person { text: &'a str },
    Assistant { text: &'a str },
    Events { text: &'a str },
    Notice { text: &'a str },
    Call(Called<'a>),
}

#[derive(Serialize)]
struct Called<'a> {
    name: &'a str,
    arguments: &'a RawValue,
    status: CallStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    structured: Option<&'a Value>,
}

/// The whole context of a turn as JSON in a block of code, one entry a line.
pub(super) fn quoted(context: &[Arc<Item>]) -> String {
    let mut lines = Vec::new();
    let mut bytes = 0;
    for item in context.iter().rev() {
        let line = line(item);
        bytes += line.len();
        if bytes > LARGEST {
            break;
        }
        lines.push(line);
    }
    lines.reverse();
    let left_out = match context.len() - lines.len() {
        0 => String::new(),
        older => format!(" It is too long: {older} older entries are left out."),
    };
    let json = lines.join(",\n");
    // A fence inside the JSON would end the block, and stands in its strings only.
    let json = json.replace("```", r"\u0060\u0060\u0060");
    format!("This is what I was given.{left_out}\n\n```json\n[\n{json}\n]\n```")
}

fn line(item: &Item) -> String {
    let entry = entry(item);
    let line = serde_json::to_string(&entry).unwrap_or_default();
    // Arguments stand as they were written, on several lines perhaps.
    let line = line.replace(['\n', '\r'], " ");
    if line.len() <= LARGEST_ENTRY {
        return line;
    }
    serde_json::json!({ "role": role(item), "leftOutBytes": line.len() }).to_string()
}

fn entry(item: &Item) -> Entry<'_> {
    match &item.kind {
        Kind::Person(it) => Entry::Person { text: &it.text },
        Kind::Assistant(it) => Entry::Assistant { text: &it.text },
        Kind::Events(it) => Entry::Events { text: &it.text },
        Kind::Notice(it) => Entry::Notice { text: &it.text },
        Kind::Call(it) => Entry::Call(called(it)),
    }
}

fn called(call: &Call) -> Called<'_> {
    let Call { name, arguments, status, result, .. } = call;
    Called {
        name,
        arguments,
        status: *status,
        text: result.as_ref().map(|it| it.text.as_str()),
        structured: result.as_ref().and_then(|it| it.structured.as_ref()),
    }
}

fn role(item: &Item) -> &'static str {
    match item.kind {
        Kind::Person(_) => "person",
        Kind::Assistant(_) => "assistant",
        Kind::Events(_) => "events",
        Kind::Notice(_) => "notice",
        Kind::Call(_) => "call",
    }
}
