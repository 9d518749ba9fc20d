//! What an agent may call, and how its arguments are read.

use crate::card::DeclaredEvent;
use crate::document::check::{Checked, Emitted, Finding, check};
use crate::ids::{CardId, EventName};
use crate::input::{Show, Update};
use crate::json::{JsonBound, compact};
use crate::limits;
use crate::refusal::Refusal;
use crate::wait::WaitFor;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::time::Duration;

/// A tool as an agent sees it.
#[derive(Debug, Clone)]
pub struct Tool {
    /// What it is called.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// For the model.
    pub description: &'static str,
    /// JSON Schema of the arguments, self-contained.
    pub input_schema: Value,
}

const SHOW: &str = "Show the person an interactive card (HTML with inline CSS and JS) in the chat. Use it when something is \
clearer seen or done than read (chart, picker, form, preview), or to collect structured input. The card has no network: everything \
inline, no CDN, images as data: URLs. In its script: pithagoras.emit(name, data) sends a declared event; pithagoras.onData(fn) gets \
what ui_update posts; pithagoras.theme, .card, .events. Style with the CSS variables --canvas --surface --raised --line --fg \
--fg-muted --accent --accent-fg --ok --warn --danger (also --accent-rgb etc.); text, buttons (class=\"primary\"), inputs and tables \
are styled already. Send small payloads. Use `wait` for a question you cannot go on without; otherwise events reach you at your next \
step or with the person's next message. debounceMs: 0 for buttons that submit; wake: true for an event you must act on at once.";
const UPDATE: &str = "Change a shown card: post `data` to its onData, give it another `title`, or draw it afresh with new `html`. \
Prefer data: it keeps what the person typed.";
const CLOSE: &str =
    "Close a card: it stays visible as it last was, takes no more input and sends nothing.";

/// All tools, in the order they are shown.
pub fn tools() -> Vec<Tool> {
    vec![
        Tool {
            name: "ui_show",
            title: "Show a card",
            description: SHOW,
            input_schema: schema::<ShowArgs>(),
        },
        Tool {
            name: "ui_update",
            title: "Update a card",
            description: UPDATE,
            input_schema: schema::<UpdateArgs>(),
        },
        Tool {
            name: "ui_close",
            title: "Close a card",
            description: CLOSE,
            input_schema: schema::<CloseArgs>(),
        },
    ]
}

/// A call's arguments, read and bounded.
#[derive(Debug)]
pub enum ToolInput {
    /// `ui_show`, and what the check of its HTML says.
    Show(Box<Show>, Vec<Finding>),
    /// `ui_update`, and what the check of its new HTML says, if it has one.
    Update(Box<Update>, Option<Redrawn>),
    /// `ui_close`.
    Close(CardId),
}

/// What the check says of a card's new HTML; what the card declares is not known here.
#[derive(Debug)]
pub struct Redrawn {
    notes: Vec<Finding>,
    emitted: Emitted,
}

impl Redrawn {
    /// All notes, for a card that declares these events.
    pub fn notes(self, declared: &[DeclaredEvent]) -> Vec<Finding> {
        self.emitted.notes_with(self.notes, declared)
    }
}

/// Reads the arguments of the tool called `name`, and checks the HTML in them. What comes out holds
/// the HTML repaired.
pub fn read(name: &str, arguments: &RawValue) -> Result<ToolInput, Refusal> {
    match name {
        "ui_show" => {
            let (show, notes) = arguments_of::<ShowArgs>(arguments)?.read()?;
            Ok(ToolInput::Show(Box::new(show), notes))
        }
        "ui_update" => {
            let (update, redrawn) = arguments_of::<UpdateArgs>(arguments)?.read()?;
            Ok(ToolInput::Update(Box::new(update), redrawn))
        }
        "ui_close" => Ok(ToolInput::Close(card(&arguments_of::<CloseArgs>(arguments)?.card)?)),
        other => Err(Refusal::UnknownTool { name: crate::ids::shortened(other) }),
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(inline)]
struct ShowArgs {
    /// What the card is about, for its head.
    #[schemars(length(min = 1, max = limits::TITLE_CHARS))]
    title: String,
    /// The card's markup, a fragment or a document.
    html: String,
    /// What the card may send.
    #[schemars(length(max = limits::EVENTS_PER_CARD))]
    events: Option<Vec<EventArgs>>,
    /// Answer this call only when the person sends such an event.
    wait: Option<WaitArgs>,
    /// Text for those who cannot see the card.
    #[schemars(length(max = limits::FALLBACK_CHARS))]
    fallback: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "an object such as {\"name\": \"pick\"}"
)]
#[schemars(inline)]
struct EventArgs {
    #[schemars(regex(pattern = "^[A-Za-z][A-Za-z0-9_.:-]{0,63}$"))]
    name: String,
    description: Option<String>,
    /// Pause before it is sent; 0 sends at once.
    #[serde(default)]
    #[schemars(schema_with = "debounce_schema")]
    debounce_ms: Option<serde_json::Number>,
    /// May start your turn.
    wake: Option<bool>,
    /// Taken only once.
    once: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(
    rename_all = "camelCase",
    deny_unknown_fields,
    expecting = "an object such as {\"event\": \"pick\"}"
)]
#[schemars(inline)]
struct WaitArgs {
    /// A name or a list of names.
    #[schemars(schema_with = "names_schema")]
    event: Value,
    /// Default 600.
    #[serde(default)]
    #[schemars(schema_with = "timeout_schema")]
    timeout_seconds: Option<serde_json::Number>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct UpdateArgs {
    /// For example c1.
    card: String,
    /// Any JSON but null.
    #[serde(default)]
    #[schemars(schema_with = "any_schema")]
    data: Option<Box<RawValue>>,
    #[schemars(length(min = 1, max = limits::TITLE_CHARS))]
    title: Option<String>,
    html: Option<String>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
struct CloseArgs {
    card: String,
}

fn debounce_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "integer", "minimum": 0, "maximum": limits::DEBOUNCE_MAX_MS })
}

fn names_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": ["string", "array"], "items": { "type": "string" } })
}

fn timeout_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "number", "exclusiveMinimum": 0, "maximum": limits::WAIT_MAX.as_secs() })
}

fn any_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({})
}

impl ShowArgs {
    fn read(self) -> Result<(Show, Vec<Finding>), Refusal> {
        let title = title(&self.title)?;
        html_fits(&self.html)?;
        let fallback = self.fallback.filter(|text| !text.is_empty());
        if let Some(chars) =
            fallback.as_ref().map(|t| t.chars().count()).filter(|n| *n > limits::FALLBACK_CHARS)
        {
            return Err(Refusal::FallbackTooLong { chars });
        }
        let mut events: Vec<DeclaredEvent> = Vec::new();
        for given in self.events.unwrap_or_default() {
            let event = given.read()?;
            if events.iter().any(|other| other.name == event.name) {
                return Err(Refusal::DuplicateEvent { name: event.name });
            }
            events.push(event);
        }
        let wait = self.wait.map(WaitArgs::read).transpose()?;
        for name in wait.iter().flat_map(|wait| &wait.events) {
            if !events.iter().any(|event| event.name == *name) {
                events.push(DeclaredEvent::action(name.clone()));
            }
        }
        if events.len() > limits::EVENTS_PER_CARD {
            return Err(Refusal::TooManyEvents { count: events.len() });
        }
        let checked = checked(&self.html)?;
        let notes = checked.emitted.notes_with(checked.notes, &events);
        let fallback = fallback.map(Into::into);
        Ok((Show { title, html: checked.html.into(), events, wait, fallback }, notes))
    }
}

impl EventArgs {
    fn read(self) -> Result<DeclaredEvent, Refusal> {
        let name = EventName::parse(&self.name)?;
        let debounce_ms = match &self.debounce_ms {
            None => None,
            Some(given) => {
                match whole(given).filter(|ms| *ms <= u64::from(limits::DEBOUNCE_MAX_MS)) {
                    Some(ms) => u32::try_from(ms).ok(),
                    None => return Err(Refusal::BadDebounce { name, given: given.to_string() }),
                }
            }
        };
        Ok(DeclaredEvent {
            name,
            description: self.description.filter(|text| !text.is_empty()).map(Into::into),
            debounce_ms,
            wake: self.wake.unwrap_or(false),
            once: self.once.unwrap_or(false),
            spent: false,
        })
    }
}

/// A whole number, also when it is written as `400.0`.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be whole and small"
)]
fn whole(number: &serde_json::Number) -> Option<u64> {
    number.as_u64().or_else(|| {
        number.as_f64().filter(|n| n.fract() == 0.0 && (0.0..1e9).contains(n)).map(|n| n as u64)
    })
}

impl WaitArgs {
    fn read(self) -> Result<WaitFor, Refusal> {
        let names = match self.event {
            Value::String(name) => vec![name],
            Value::Array(list) => list
                .into_iter()
                .map(|name| match name {
                    Value::String(name) => Ok(name),
                    other => Err(Refusal::BadArguments {
                        what: format!(
                            "wait.event lists names, and {} is none",
                            brief(&other.to_string())
                        ),
                    }),
                })
                .collect::<Result<_, _>>()?,
            other => {
                return Err(Refusal::BadArguments {
                    what: format!(
                        "wait.event is a name or a list of names, not {}",
                        brief(&other.to_string())
                    ),
                });
            }
        };
        let mut events = Vec::new();
        for name in &names {
            let name = EventName::parse(name)?;
            if !events.contains(&name) {
                events.push(name);
            }
        }
        if events.is_empty() {
            return Err(Refusal::WaitForNothing);
        }
        let length = match self.timeout_seconds {
            None => limits::WAIT_DEFAULT,
            Some(given) => given
                .as_f64()
                .filter(|seconds| *seconds > 0.0 && *seconds <= limits::WAIT_MAX.as_secs_f64())
                .map(Duration::from_secs_f64)
                .ok_or_else(|| Refusal::BadTimeout { given: given.to_string() })?,
        };
        Ok(WaitFor { events, length })
    }
}

impl UpdateArgs {
    fn read(self) -> Result<(Update, Option<Redrawn>), Refusal> {
        let card = card(&self.card)?;
        let title = self.title.as_deref().map(title).transpose()?;
        if let Some(html) = &self.html {
            html_fits(html)?;
        }
        let data = match self.data {
            None => None,
            Some(data) => Some(match compact(data.get(), limits::POST_BYTES, limits::DATA_DEPTH) {
                Ok(data) => data.into(),
                Err(JsonBound::TooLarge) => return Err(Refusal::PostTooLarge),
                Err(JsonBound::TooDeep) => return Err(Refusal::DataTooDeep),
            }),
        };
        if data.is_none() && title.is_none() && self.html.is_none() {
            return Err(Refusal::NothingToUpdate);
        }
        let (html, redrawn) = match self.html {
            None => (None, None),
            Some(html) => {
                let Checked { html, notes, emitted, .. } = checked(&html)?;
                (Some(html.into()), Some(Redrawn { notes, emitted }))
            }
        };
        Ok((Update { card, data, title, html }, redrawn))
    }
}

fn title(given: &str) -> Result<std::sync::Arc<str>, Refusal> {
    let title = given.trim();
    let chars = title.chars().count();
    if (1..=limits::TITLE_CHARS).contains(&chars) {
        Ok(title.into())
    } else {
        Err(Refusal::BadTitle { chars })
    }
}

fn html_fits(html: &str) -> Result<(), Refusal> {
    match html.len() {
        0 => Err(Refusal::HtmlEmpty),
        bytes if bytes > limits::HTML_BYTES => Err(Refusal::HtmlTooLarge { bytes }),
        _ if html.trim().is_empty() => Err(Refusal::HtmlEmpty),
        _ => Ok(()),
    }
}

fn checked(html: &str) -> Result<Checked, Refusal> {
    let mut checked = check(html);
    match checked.refusal.take() {
        Some(finding) => Err(Refusal::Html(Box::new(finding))),
        None => Ok(checked),
    }
}

fn card(id: &str) -> Result<CardId, Refusal> {
    CardId::parse(id).ok_or_else(|| Refusal::UnknownCard { card: crate::ids::shortened(id) })
}

/// Reads an object of arguments. What does not fit is named by its place and told in the words of JSON.
fn arguments_of<T: DeserializeOwned>(arguments: &RawValue) -> Result<T, Refusal> {
    if !arguments.get().trim_start().starts_with('{') {
        return Err(Refusal::BadArguments { what: "they are a JSON object".to_owned() });
    }
    let mut json = serde_json::Deserializer::from_str(arguments.get());
    serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let place = error.path().to_string();
        let what = error.inner().to_string();
        let what =
            what.split(" at line ").next().unwrap_or_default().replace("a sequence", "a list");
        let unknown = what.starts_with("unknown field");
        let place = match place.rsplit_once('.') {
            // The path ends at the unknown field itself, which the words name.
            Some((parent, _)) if unknown => format!("{parent}: "),
            _ if unknown || place == "." => String::new(),
            _ => format!("{place}: "),
        };
        let what = brief(&format!("{place}{what}"));
        if unknown { Refusal::UnknownField { what } } else { Refusal::BadArguments { what } }
    })
}

/// The two ends of what may quote a whole card: what stood there, and what was expected.
fn brief(what: &str) -> String {
    const END: usize = 90;
    let chars = what.chars().count();
    if chars <= 2 * END {
        return what.to_owned();
    }
    let start: String = what.chars().take(END).collect();
    let end: String = what.chars().skip(chars - END).collect();
    format!("{start}…{end}")
}

fn schema<T: JsonSchema>() -> Value {
    let generator = schemars::generate::SchemaSettings::draft2020_12()
        .with(|settings| {
            settings.inline_subschemas = true;
            settings.meta_schema = None;
        })
        .into_generator();
    let mut schema = generator.into_root_schema_for::<T>().to_value();
    trim(&mut schema);
    schema
}

/// Takes out what costs a model tokens and tells it nothing: titles made from type names, and null
/// as a second type of what is optional anyway (a null is still taken).
fn trim(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.retain(|key, value| key != "default" || !value.is_null());
            if object.contains_key("type") || object.contains_key("properties") {
                object.retain(|key, value| key != "title" || !value.is_string());
            }
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|one| one != "null");
                if let [one] = types.as_slice() {
                    let one = one.clone();
                    object.insert("type".to_owned(), one);
                }
            }
            if let Some(Value::Array(any)) = object.get_mut("anyOf") {
                any.retain(|one| one["type"] != "null");
                if let [Value::Object(one)] = any.as_slice() {
                    let one = one.clone();
                    object.remove("anyOf");
                    for (key, value) in one {
                        object.entry(key).or_insert(value);
                    }
                }
            }
            object.values_mut().for_each(trim);
        }
        Value::Array(list) => list.iter_mut().for_each(trim),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;
    use serde_json::json;

    fn code(tool: &str, arguments: &Value) -> Option<&'static str> {
        let raw = RawValue::from_string(arguments.to_string()).unwrap();
        read(tool, &raw).err().map(|refusal| refusal.code())
    }

    fn show(change: &Value) -> Option<&'static str> {
        let mut arguments = json!({ "title": "T", "html": "<p>x</p>" });
        for (key, value) in change.as_object().unwrap() {
            arguments[key] = value.clone();
        }
        code("ui_show", &arguments)
    }

    fn names(count: usize) -> Value {
        (0..count).map(|n| json!({ "name": format!("e{n}") })).collect()
    }

    #[rstest]
    #[case(json!({}), None)]
    #[case(json!({ "events": null, "wait": null, "fallback": null }), None)]
    #[case(json!({ "title": "t".repeat(200) }), None)]
    #[case(json!({ "title": "é".repeat(201) }), Some("bad_title"))]
    #[case(json!({ "title": " " }), Some("bad_title"))]
    #[case(json!({ "title": 1 }), Some("bad_arguments"))]
    #[case(json!({ "html": "x".repeat(262_144) }), None)]
    #[case(json!({ "html": "x".repeat(262_145) }), Some("html_too_large"))]
    #[case(json!({ "html": "  " }), Some("html_empty"))]
    #[case(json!({ "fallback": "f".repeat(2_000) }), None)]
    #[case(json!({ "fallback": "f".repeat(2_001) }), Some("fallback_too_long"))]
    #[case(json!({ "events": names(20) }), None)]
    #[case(json!({ "events": names(21) }), Some("too_many_events"))]
    #[case(json!({ "events": names(20), "wait": { "event": "e3" } }), None)]
    #[case(json!({ "events": names(20), "wait": { "event": "new" } }), Some("too_many_events"))]
    #[case(json!({ "events": [{ "name": "a" }, { "name": "a" }] }), Some("duplicate_event"))]
    #[case(json!({ "events": [{ "name": "a b" }] }), Some("bad_event_name"))]
    #[case(json!({ "events": [{ "name": "a", "debounceMs": 60_000 }] }), None)]
    #[case(json!({ "events": [{ "name": "a", "debounceMs": 60_001 }] }), Some("bad_debounce"))]
    #[case(json!({ "events": [{ "name": "a", "debounceMs": -1 }] }), Some("bad_debounce"))]
    #[case(json!({ "events": [{ "name": "a", "debounceMs": 0.5 }] }), Some("bad_debounce"))]
    #[case(json!({ "events": [{ "name": "a", "debounceMs": 400.0 }] }), None)]
    #[case(json!({ "events": [{ "name": "a", "debounce": 5 }] }), Some("unknown_field"))]
    #[case(json!({ "event": [] }), Some("unknown_field"))]
    #[case(json!({ "wait": { "event": ["a", "b", "a"] } }), None)]
    #[case(json!({ "wait": { "event": [] } }), Some("wait_for_nothing"))]
    #[case(json!({ "wait": { "event": [1] } }), Some("bad_arguments"))]
    #[case(json!({ "wait": {} }), Some("bad_arguments"))]
    #[case(json!({ "wait": { "event": "a", "timeoutSeconds": 86_400 } }), None)]
    #[case(json!({ "wait": { "event": "a", "timeoutSeconds": 86_401 } }), Some("bad_timeout"))]
    #[case(json!({ "wait": { "event": "a", "timeoutSeconds": 0 } }), Some("bad_timeout"))]
    #[case(json!({ "wait": { "event": "a", "timeoutMs": 5 } }), Some("unknown_field"))]
    fn ui_show_takes_what_is_within_its_limits(
        #[case] change: Value,
        #[case] refused: Option<&str>,
    ) {
        assert_eq!(show(&change), refused);
    }

    #[rstest]
    #[case(json!({ "card": "c1", "data": 1 }), None)]
    #[case(json!({ "card": "c1" }), Some("nothing_to_update"))]
    #[case(json!({ "card": "1", "data": 1 }), Some("unknown_card"))]
    #[case(json!({ "card": "c1", "data": "x".repeat(65_534) }), None)]
    #[case(json!({ "card": "c1", "data": "x".repeat(65_535) }), Some("data_too_large"))]
    #[case(json!({ "card": "c1", "title": "" }), Some("bad_title"))]
    #[case(json!({ "card": "c1", "html": "" }), Some("html_empty"))]
    fn ui_update_takes_what_is_within_its_limits(
        #[case] arguments: Value,
        #[case] refused: Option<&str>,
    ) {
        assert_eq!(code("ui_update", &arguments), refused);
    }

    #[rstest]
    #[case(64, None)]
    #[case(65, Some("data_too_deep"))]
    #[case(5_000, Some("data_too_deep"))]
    fn a_post_nests_64_deep(#[case] depth: usize, #[case] refused: Option<&str>) {
        let arguments =
            format!(r#"{{"card":"c1","data":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
        let read = read("ui_update", &RawValue::from_string(arguments).unwrap());
        assert_eq!(read.err().map(|refusal| refusal.code()), refused);
    }

    #[test]
    fn an_unknown_field_or_tool_is_named_and_a_limit_stands_in_digits() {
        let raw =
            RawValue::from_string(json!({ "title": "T", "html": "x", "colour": 1 }).to_string())
                .unwrap();
        assert!(read("ui_show", &raw).unwrap_err().to_string().contains("colour"));
        assert!(read("ui_draw", &raw).unwrap_err().to_string().contains("ui_draw"));
        assert!(Refusal::HtmlTooLarge { bytes: 300_000 }.to_string().contains("262144"));
    }

    #[rstest]
    #[case(json!({ "title": 5, "html": "x" }), "title: invalid type: integer `5`, expected a string")]
    #[case(json!({ "title": "T", "html": "x", "events": ["pick"] }), "events[0]: invalid type: string \"pick\", expected an object such as {\"name\": \"pick\"}")]
    #[case(json!({ "title": "T", "html": "x", "events": "pick" }), "events: invalid type: string \"pick\", expected a list")]
    #[case(json!({ "title": "T", "html": "x", "events": [{ "name": "a" }, {}] }), "events[1]: missing field `name`")]
    #[case(json!({ "title": "T", "html": "x", "events": [{ "name": "a", "wake": "yes" }] }), "events[0].wake: invalid type: string \"yes\", expected a boolean")]
    #[case(json!({ "title": "T", "html": "x", "events": [{ "name": "a", "ms": 1 }] }), "events[0]: unknown field `ms`")]
    #[case(json!({ "title": "T", "html": "x", "wait": "ok" }), "wait: invalid type: string \"ok\", expected an object such as {\"event\": \"pick\"}")]
    #[case(json!({ "html": "x" }), "missing field `title`")]
    #[case(json!({ "title": "T", "html": "x", "colour": 1 }), "unknown field `colour`")]
    #[case(json!(["T", "x", null, null, null]), "they are a JSON object")]
    fn what_does_not_fit_is_named_by_its_place_in_the_words_of_json(
        #[case] arguments: Value,
        #[case] words: &str,
    ) {
        let raw = RawValue::from_string(arguments.to_string()).unwrap();
        let told = read("ui_show", &raw).unwrap_err().to_string();
        assert!(told.contains(&format!(": {words}")), "{told}");
        assert!(!told.contains("Args"), "{told}");
    }

    #[test]
    fn the_descriptions_and_schemas_together_cost_less_than_900_tokens() {
        let tools: Vec<_> = tools()
            .into_iter()
            .map(|tool| (tool.name, tool.description, tool.input_schema.to_string()))
            .collect();
        let text = format!("{tools:?}");
        let tokens = tiktoken_rs::o200k_base().unwrap().encode_ordinary(&text).len();
        assert!(tokens < 900, "{tokens}");
    }

    #[test]
    fn only_what_must_be_there_is_required() {
        let required = |n: usize| tools()[n].input_schema["required"].clone();
        assert_eq!(
            [required(0), required(1), required(2)],
            [json!(["title", "html"]), json!(["card"]), json!(["card"])]
        );
    }

    #[test]
    fn schemas_are_self_contained_and_stay_as_they_are() {
        let tools: Vec<Value> = tools()
            .into_iter()
            .map(|tool| json!({ "name": tool.name, "description": tool.description, "inputSchema": tool.input_schema }))
            .collect();
        let text = serde_json::to_string_pretty(&tools).unwrap();
        assert!(!text.contains("$ref"));
        insta::assert_snapshot!(text);
    }
}
