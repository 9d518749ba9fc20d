use super::refusal::PackageError;
use nodejs_semver::Version;
use portal_link::PROTOCOL;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// In bytes. A manifest is read whole.
pub(super) const LARGEST_MANIFEST: u64 = 262_144;

/// `manifest.json`: what a portal reads to install, show and start an extension, before it runs any of
/// its code.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(title = "An extension of an agent portal", extend("$id" = "manifest.schema.json"))]
pub(crate) struct Manifest {
    /// The extension's name and its package's; it stands in addresses and names its folders.
    pub(crate) name: Name,
    /// What people see.
    pub(crate) title: Title,
    /// The extension's version and its package's.
    pub(crate) version: VersionText,
    /// What it is for, in a sentence or two.
    pub(crate) description: Description,
    /// An SPDX expression.
    pub(crate) license: Title,
    /// Where to read more.
    pub(crate) homepage: Address,
    /// The version of the portal link that it speaks.
    pub(crate) protocol: Protocol,
    /// How its server half is started.
    pub(crate) server: Server,
    /// Its page half.
    pub(crate) page: Page,
    /// What an agent may call.
    #[schemars(length(max = 64))]
    pub(crate) tools: Vec<Tool>,
    /// JSON Schema of its settings: an object of plain values.
    pub(crate) settings: Map<String, Value>,
    /// What an admin is told before enabling it, in plain words.
    pub(crate) asks: BTreeMap<String, Description>,
}

/// How the server half is started: it speaks the portal link on its standard input and output.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Server {
    /// The program, looked up in the package, then in the platform's package, then on PATH; and its arguments.
    pub(crate) command: Command,
}

/// The page half, below the extension's own address.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Page {
    /// The module that the portal's page loads.
    pub(crate) module: FilePath,
    /// The custom element that it defines.
    pub(crate) element: Element,
}

/// A tool, as a person is shown it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub(crate) struct Tool {
    /// What the agent calls.
    pub(crate) name: ToolName,
    /// What people see.
    pub(crate) title: Title,
}

/// A text of a certain form: the schema's pattern says what the check does.
macro_rules! text {
    ($(#[$about:meta])* $name:ident, $least:literal to $most:literal, $pattern:literal, $is:expr, $form:literal) => {
        $(#[$about])*
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        #[serde(try_from = "String")]
        #[schemars(inline, extend("pattern" = $pattern, "minLength" = $least, "maxLength" = $most))]
        pub(crate) struct $name(String);

        impl TryFrom<String> for $name {
            type Error = String;

            fn try_from(text: String) -> Result<Self, String> {
                let fits: fn(&str) -> bool = $is;
                let length = text.chars().count();
                if !($least..=$most).contains(&length) || !fits(&text) {
                    return Err(format!("it must be {}, of {} to {} characters", $form, $least, $most));
                }
                Ok(Self(text))
            }
        }

        impl std::ops::Deref for $name {
            type Target = str;

            fn deref(&self) -> &str {
                &self.0
            }
        }
    };
}

text!(Name, 1 to 64, "^[a-z0-9]+(-[a-z0-9]+)*$", is_name, "a-z and 0-9, with single hyphens inside");
text!(Title, 1 to 200, "^[^\\u0000-\\u001f\\u007f]*$", is_one_line, "one line of text");
text!(Description, 0 to 2000, "^[^\\u0000-\\u001f\\u007f]*$", is_one_line, "one line of text");
text!(VersionText, 1 to 100,
    "^[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?(\\+[0-9A-Za-z.-]+)?$", is_version, "a version like 1.2.3");
text!(Address, 0 to 2000, "^(https?://[!-~]+)?$", is_address, "an address that begins with https://");
text!(FilePath, 1 to 200, "^[A-Za-z0-9_-][A-Za-z0-9._-]*(/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$", is_file_path,
    "a path of plain names inside the package");
text!(Element, 3 to 64, "^[a-z][a-z0-9]*(-[a-z0-9]+)+$", is_element, "a custom element's name, with a hyphen");
text!(ToolName, 1 to 64, "^[A-Za-z0-9_-]+$", is_tool_name, "letters, digits, _ and -");

/// The one version of the link that there is.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "u32")]
#[schemars(inline, extend("const" = PROTOCOL))]
pub(crate) struct Protocol(u32);

impl TryFrom<u32> for Protocol {
    type Error = String;

    fn try_from(version: u32) -> Result<Self, String> {
        if version == PROTOCOL {
            return Ok(Self(version));
        }
        Err(format!("this portal speaks version {PROTOCOL} of the link, and this is for {version}"))
    }
}

/// A program of the package, and its arguments.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "Vec<String>")]
#[schemars(inline, extend("minItems" = 1, "maxItems" = 64))]
pub(crate) struct Command(Vec<String>);

impl TryFrom<Vec<String>> for Command {
    type Error = String;

    fn try_from(words: Vec<String>) -> Result<Self, String> {
        let Some(program) = words.first() else { return Err("it names no program".to_owned()) };
        if !is_file_path(program) {
            return Err(format!(
                "the program {program:?} is not a plain name or a path inside the package"
            ));
        }
        if words.len() > 64 || words.iter().any(|word| word.len() > 4096 || word.contains('\0')) {
            return Err("it has too many or too long arguments".to_owned());
        }
        Ok(Self(words))
    }
}

impl Command {
    pub(crate) fn program(&self) -> &str {
        self.0.first().map_or("", String::as_str)
    }

    pub(crate) fn arguments(&self) -> &[String] {
        self.0.get(1..).unwrap_or_default()
    }

    pub(crate) fn words(&self) -> &[String] {
        &self.0
    }
}

impl Manifest {
    /// Names the field that is wrong, and why.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, PackageError> {
        let refuse = |why: String| PackageError::refused("bad_manifest", why);
        let mut deserializer = serde_json::Deserializer::from_slice(bytes);
        let manifest: Self =
            serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
                let field = error.path().to_string();
                let why = error.inner().to_string();
                let why = why.split(" at line ").next().unwrap_or(&why);
                refuse(match field.as_str() {
                    "." => format!("manifest.json is not taken: {why}."),
                    field => format!("manifest.json is not taken: {field}: {why}."),
                })
            })?;
        deserializer
            .end()
            .map_err(|_| refuse("manifest.json goes on after its end.".to_owned()))?;
        if manifest.tools.len() > 64 {
            return Err(refuse("manifest.json is not taken: tools: more than 64.".to_owned()));
        }
        let mut names: Vec<&str> = manifest.tools.iter().map(|tool| &*tool.name).collect();
        names.sort_unstable();
        if let Some([twice, _]) = names.array_windows().find(|[a, b]| a == b) {
            let why = format!("manifest.json is not taken: tools: {twice:?} stands there twice.");
            return Err(refuse(why));
        }
        Ok(manifest)
    }

    /// Its JSON Schema, as it is published.
    #[cfg(test)]
    fn schema() -> Value {
        schemars::schema_for!(Manifest).to_value()
    }
}

pub(crate) fn is_name(text: &str) -> bool {
    let plain = |part: &str| {
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    text.split('-').all(plain)
}

fn is_one_line(text: &str) -> bool {
    !text.bytes().any(|b| b < 0x20 || b == 0x7f)
}

fn is_version(text: &str) -> bool {
    text.as_bytes().first().is_some_and(u8::is_ascii_digit)
        && Version::parse(text).is_ok_and(|version| version.to_string() == text)
}

fn is_address(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    text.is_empty()
        || rest.is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_graphic()))
}

fn is_file_path(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
    text.split('/')
        .all(|part| !part.is_empty() && !part.starts_with('.') && part.bytes().all(plain))
}

fn is_element(text: &str) -> bool {
    text.contains('-') && text.starts_with(|c: char| c.is_ascii_lowercase()) && is_name(text)
}

fn is_tool_name(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

#[cfg(test)]
mod tests;
