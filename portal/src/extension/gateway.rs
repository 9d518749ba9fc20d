//! The way to tools that the model is not given: of a lazy extension it gets none, but two tools of the
//! portal's own, one that finds them and one that calls them.

use super::Host;
use crate::store::{Store, StoreError};
use portal_link::{CallResult, Content, Tool};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

pub(crate) const FIND: &str = "extension_tools";
pub(crate) const CALL: &str = "extension_call";

/// Where it stands among the settings which extensions are lazy; no extension has such a name.
const STORED_AS: &str = "portal:lazy";

/// What a model is given: the tools of those that are not lazy, of two with one name the one of the
/// extension that was started first, and the gateway when one is lazy.
pub(crate) fn given(hosts: &[Host]) -> Vec<Tool> {
    let mut names = BTreeSet::new();
    let eager = hosts.iter().filter(|host| !host.is_lazy()).flat_map(Host::tools);
    let mut tools: Vec<Tool> = eager.filter(|tool| names.insert(tool.name.clone())).collect();
    if hosts.iter().any(Host::is_lazy) {
        tools.extend(gateway());
    }
    tools
}

fn gateway() -> [Tool; 2] {
    let find = Tool {
        name: FIND.to_owned(),
        title: "Find tools of extensions".to_owned(),
        description: "Finds tools that are not listed here: gives their names, what they do and their \
                      input schemas. Without a query it gives all of them. Look here before you say that \
                      something cannot be done, for example to show a person an interface."
            .to_owned(),
        input_schema: json!({
            "type": "object",
            "properties": { "query": { "type": "string", "description": "Words of what is wanted." } },
            "additionalProperties": false,
        }),
    };
    let call = Tool {
        name: CALL.to_owned(),
        title: "Call a tool of an extension".to_owned(),
        description: format!("Calls a tool that {FIND} found, and gives its answer."),
        input_schema: json!({
            "type": "object",
            "properties": {
                "extension": { "type": "string", "description": "Whose tool it is, when several have one of that name." },
                "tool": { "type": "string" },
                "arguments": { "type": "object", "description": "What the tool's own schema asks for." },
            },
            "required": ["tool", "arguments"],
            "additionalProperties": false,
        }),
    };
    [find, call]
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    #[serde(default)]
    query: Option<String>,
}

/// What [`FIND`] answers.
pub(crate) fn find(hosts: &[Host], arguments: &RawValue) -> CallResult {
    let wanted: Wanted = match serde_json::from_str(arguments.get()) {
        Ok(wanted) => wanted,
        Err(error) => {
            return refusal("bad_arguments", format!("{FIND} takes {{ query? }}: {error}."));
        }
    };
    let words = wanted.query.unwrap_or_default().to_lowercase();
    let words: Vec<&str> = words.split_whitespace().collect();
    let mut all: Vec<(usize, Value)> = Vec::new();
    for host in hosts {
        for tool in host.tools() {
            let about = format!(
                "{} {} {} {} {}",
                host.profile().name,
                host.profile().title,
                tool.name,
                tool.title,
                tool.description
            );
            let about = about.to_lowercase();
            let hits = words.iter().filter(|word| about.contains(**word)).count();
            all.push((hits, entry(host, &tool)));
        }
    }
    let best = all.iter().map(|(hits, _)| *hits).max().unwrap_or_default();
    let note = match (all.is_empty(), words.is_empty(), best) {
        (true, _, _) => "No extension that runs has a tool.",
        (false, false, 0) => "Nothing has these words; these are all there are.",
        (false, _, _) => "Call one with extension_call.",
    };
    if best > 0 {
        all.retain(|(hits, _)| *hits > 0);
        all.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    }
    let tools: Vec<Value> = all.into_iter().map(|(_, tool)| tool).collect();
    let lines: Vec<String> = tools.iter().map(Value::to_string).collect();
    let text =
        if lines.is_empty() { note.to_owned() } else { format!("{note}\n{}", lines.join("\n")) };
    CallResult {
        content: vec![Content::Text { text }],
        structured: Some(json!({ "tools": tools })),
        is_error: None,
    }
}

fn entry(host: &Host, tool: &Tool) -> Value {
    json!({
        "extension": host.profile().name,
        "tool": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": tool.input_schema,
    })
}

/// What [`CALL`] leads to.
#[derive(Debug)]
pub(crate) struct Through {
    pub(crate) host: Host,
    pub(crate) tool: String,
    pub(crate) arguments: Box<RawValue>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    #[serde(default)]
    extension: Option<String>,
    tool: String,
    #[serde(default)]
    arguments: Option<Box<RawValue>>,
}

/// Reads the arguments of [`CALL`], or answers why they lead nowhere.
pub(crate) fn through(hosts: &[Host], arguments: &RawValue) -> Result<Through, Box<CallResult>> {
    let refuse = |code, text| Err(Box::new(refusal(code, text)));
    let asked: Asked = match serde_json::from_str(arguments.get()) {
        Ok(asked) => asked,
        Err(error) => {
            let text = format!("{CALL} takes {{ extension?, tool, arguments }}: {error}.");
            return refuse("bad_arguments", text);
        }
    };
    let Asked { extension, tool, arguments } = asked;
    let is_meant = |host: &&Host| extension.as_ref().is_none_or(|it| host.profile().name == *it);
    let meant: Vec<&Host> = hosts.iter().filter(is_meant).collect();
    if let (Some(extension), true) = (&extension, meant.is_empty()) {
        let names: Vec<_> = hosts.iter().map(|host| host.profile().name.as_str()).collect();
        let text = format!("there is no extension {extension:?}; there are: {}", names.join(", "));
        return refuse("unknown_extension", text);
    }
    let has = |host: &&&Host| host.promises(&tool);
    let Some(host) = meant.iter().find(has) else {
        let text = format!("no extension has a tool {tool:?}; find what there is with {FIND}");
        return refuse("unknown_tool", text);
    };
    let arguments = match arguments {
        Some(arguments) => arguments,
        None => RawValue::from_string("{}".to_owned()).unwrap_or_default(),
    };
    Ok(Through { host: (*host).clone(), tool, arguments })
}

fn refusal(code: &str, text: String) -> CallResult {
    CallResult {
        content: vec![Content::Text { text }],
        structured: Some(json!({ "code": code })),
        is_error: Some(true),
    }
}

/// The id under which an extension knows a call. A gateway's own is the anchor of what is drawn.
pub(crate) fn link_id(tool: &str, call: &str) -> String {
    if tool == CALL { format!("{call}-1") } else { call.to_owned() }
}

/// Whether an admin made that extension lazy.
pub(crate) async fn is_lazy(store: &Store, extension: &str) -> Result<bool, StoreError> {
    let stored = store.settings(STORED_AS.to_owned()).await?;
    Ok(read(stored).get(extension) == Some(&Value::Bool(true)))
}

pub(crate) async fn set_lazy(store: &Store, extension: &str, lazy: bool) -> Result<(), StoreError> {
    let extension = extension.to_owned();
    let change = move |stored: Option<String>| {
        let mut all = read(stored);
        if lazy {
            all.insert(extension, true.into());
        } else {
            all.remove(&extension);
        }
        Ok::<_, std::convert::Infallible>((Value::Object(all).to_string(), ()))
    };
    store.change_settings(STORED_AS.to_owned(), change).await.map(|_| ())
}

fn read(stored: Option<String>) -> Map<String, Value> {
    stored.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}
