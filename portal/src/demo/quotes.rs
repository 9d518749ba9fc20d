use crate::chat::{Call, CallStatus};
use serde_json::Value;
use serde_json::value::RawValue;

/// What the person did, from the text the model got: each event with its name and its data as JSON.
/// A message without any is quoted by its summary.
pub(super) fn message(text: &str, summary: &str) -> String {
    let said: Vec<String> = text.lines().filter_map(event_line).collect();
    if said.is_empty() { format!("I got this: {summary}.") } else { said.join("\n\n") }
}

fn event_line(line: &str) -> Option<String> {
    let line = line.trim();
    if !line.starts_with('{') {
        return None;
    }
    match serde_json::from_str::<Event>(line).ok()? {
        Event { name: Some(name), count, data } => {
            Some(did(&name, count, data.map_or("null", RawValue::get)))
        }
        Event { name: None, .. } => Some(format!("I got this: {}", code(line))),
    }
}

/// What matters of a line, its data as it was written.
#[derive(serde::Deserialize)]
struct Event<'a> {
    name: Option<String>,
    count: Option<u64>,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

fn did(name: &str, count: Option<u64>, data: &str) -> String {
    if (name, data) == ("closed", r#"{"closedBy":"person"}"#) {
        return format!("You closed the card: {}", code(data));
    }
    if name == "errors" && data.starts_with(r#"[{"kind":"#) {
        return format!("The card failed, errors: {}", code(data));
    }
    let times = match count {
        Some(count) if count > 1 => format!(" ×{count}"),
        _ => String::new(),
    };
    format!("You did {name}{times}: {}", code(data))
}

/// What came of a call. `closing` is what is said of a card that stands and waits for nothing.
pub(super) fn result(call: &Call, closing: Option<&str>) -> String {
    let name = code(&call.name);
    let Some(answer) = &call.result else {
        return format!("{name} has no result.");
    };
    if call.status == CallStatus::Failed {
        return format!("{name} failed: {}", answer.text);
    }
    let structured = answer.structured.as_ref().unwrap_or(&Value::Null);
    let Some(outcome) = structured["outcome"].as_str() else {
        return closing.map_or_else(|| format!("{name} answered: {}", answer.text), str::to_owned);
    };
    let event = &structured["event"];
    let what = match outcome {
        "answered" => {
            let event_name = event["name"].as_str().unwrap_or_default();
            did(event_name, event["count"].as_u64(), &event["data"].to_string())
        }
        "timeout" => "You did not answer in time.".to_owned(),
        "closed" => "The card was closed, so there is no answer.".to_owned(),
        "unseen" => "The time passed and no page showed the card.".to_owned(),
        _ => answer.text.clone(),
    };
    format!("{name} ended with the outcome {}. {what}", code(outcome))
}

/// Text as it is, in a run of backticks longer than any inside it.
pub(super) fn code(text: &str) -> String {
    let mut longest = 0;
    let mut run = 0;
    for character in text.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence}{text}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_event_is_quoted_with_its_count_and_its_data() {
        let text = "What the person did.\n```json\n\
            {\"card\":\"c1\",\"title\":\"Pick\",\"name\":\"change\",\"count\":3,\"data\":{\"z\":1,\"a\":2}}\n\
            {\"card\":\"c1\",\"title\":\"Pick\",\"name\":\"pick\",\"count\":1,\"data\":null}\n```\n";
        assert_eq!(
            message(text, "UI: Pick"),
            "You did change ×3: `{\"z\":1,\"a\":2}`\n\nYou did pick: `null`"
        );
        let failed = r#"{"card":"c1","title":"T","name":"errors","count":1,"data":[{"kind":"error","text":"x"}]}"#;
        assert_eq!(
            message(failed, "UI: T · errors"),
            r#"The card failed, errors: `[{"kind":"error","text":"x"}]`"#
        );
        assert_eq!(message("Pick was closed.", "UI: Pick closed"), "I got this: UI: Pick closed.");
    }

    #[test]
    fn data_with_backticks_stays_inside_its_fence() {
        assert_eq!(code("a``b"), "```a``b```");
    }
}
