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
mod tests;
