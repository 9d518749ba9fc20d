use super::theme::{Mode, Theme};
use crate::ids::CardId;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;

const BRIDGE: &str = concat!(
    "(() => {\n",
    include_str!("../../../../bridge-js/errors.js"),
    include_str!("../../../../bridge-js/card.js"),
    "})();\n",
    include_str!("../../../../bridge-js/standins.js")
);
const BASE_CSS: &str = include_str!("../../../../bridge-js/base.css");
const CONFIG: &str = "__INLINE_UI_CONFIG__";

/// What the bridge is told about its load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bridge<'a> {
    /// Buys the page's end of one port.
    pub nonce: &'a str,
    /// The card.
    pub card: CardId,
    /// Its title.
    pub title: &'a str,
    /// What it may send.
    pub events: Vec<BridgeEvent<'a>>,
    /// Whether it may send at all.
    pub open: bool,
}

/// An event as the bridge knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct BridgeEvent<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether it is sent at once.
    pub action: bool,
}

#[derive(Serialize)]
struct Config<'a> {
    nonce: &'a str,
    card: ConfigCard<'a>,
    events: &'a [BridgeEvent<'a>],
    theme: ConfigTheme,
    open: bool,
    author: ConfigAuthor,
}

/// Where the author's text begins in the document, from 1: what an engine says of its places is of the whole.
#[derive(Serialize)]
struct ConfigAuthor {
    line: usize,
    column: usize,
}

#[derive(Serialize)]
struct ConfigCard<'a> {
    id: CardId,
    title: &'a str,
}

#[derive(Serialize)]
struct ConfigTheme {
    mode: &'static str,
    colors: BTreeMap<&'static str, String>,
}

/// The inner frame's document: DNS prefetching off, the bridge, the theme, the base stylesheet, and
/// then the author's HTML.
///
/// The parts before it stay in the document's head, so that an author's whole document merges into
/// this one (its doctype and second `<html>` and `<head>` are ignored, its attributes are kept), and
/// a fragment begins in the body, where its scripts expect to run. A line break before it makes columns of its
/// first line easy to tell.
pub fn card_document(html: &str, bridge: &Bridge<'_>, theme: &Theme) -> String {
    let body = if is_document(html) { "" } else { "<body>" };
    let before = [BRIDGE, BASE_CSS].map(|text| text.matches('\n').count());
    let config = Config {
        nonce: bridge.nonce,
        card: ConfigCard { id: bridge.card, title: bridge.title },
        events: &bridge.events,
        theme: ConfigTheme { mode: theme.mode().as_str(), colors: theme.colors() },
        open: bridge.open,
        author: ConfigAuthor { line: before[0] + before[1] + 2, column: body.len() + 1 },
    };
    let script = BRIDGE.replacen(CONFIG, &script_json(&config), 1);
    format!(
        "<!doctype html><meta http-equiv=\"x-dns-prefetch-control\" content=\"off\"><meta charset=\"utf-8\">\
         <script>{script}</script><style>:root{{{}}}</style><style>{BASE_CSS}</style>\n{body}{}",
        theme.css(),
        without_shadow_roots(html),
    )
}

/// The outer frame's document: no script, and the card as its one child.
///
/// Both frames and both documents are of one colour scheme, that of the load: a frame whose scheme
/// differs from its element's is painted opaque. When the theme changes, only the card's body follows.
pub fn outer_document(card: &str, mode: Mode) -> String {
    let scheme = mode.as_str();
    let srcdoc = card.replace('&', "&amp;").replace('"', "&quot;");
    format!(
        "<!doctype html><meta charset=\"utf-8\"><title>card</title>\
         <style>:root{{color-scheme:{scheme}}}html,body{{margin:0;height:100%;overflow:hidden;background:transparent}}\
         iframe{{display:block;border:0;width:100%;height:100%}}</style>\
         <iframe title=\"card\" sandbox=\"allow-scripts allow-forms\" srcdoc=\"{srcdoc}\"></iframe>"
    )
}

/// JSON that cannot end the script it stands in.
fn script_json(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned());
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// Whether the author wrote a document of their own rather than a fragment of one.
fn is_document(html: &str) -> bool {
    let mut rest = html.trim_start_matches(['\u{feff}', ' ', '\t', '\n', '\r', '\u{c}']);
    while let Some(comment) = rest.strip_prefix("<!--") {
        let Some(end) = comment.find("-->") else { return false };
        rest = comment[end + 3..].trim_start();
    }
    ["<!doctype", "<html", "<head", "<body"].iter().any(|tag| {
        let Some(start) = rest.get(..tag.len()) else { return false };
        let ends = rest[tag.len()..]
            .starts_with(|c: char| c.is_ascii_whitespace() || c == '>' || c == '/');
        start.eq_ignore_ascii_case(tag) && ends
    })
}

/// Writes another word of the same length for `shadowrootmode`, wherever it stands: an attribute's name has
/// no other spelling, and where a tag begins and ends need not be known. A shadow root made by the
/// parser could hold frames that the bridge does not see.
fn without_shadow_roots(html: &str) -> Cow<'_, str> {
    const NAME: &str = "shadowrootmode";
    let lower = html.to_ascii_lowercase();
    if !lower.contains(NAME) {
        return html.into();
    }
    let mut out = String::with_capacity(html.len());
    let mut copied = 0;
    for (at, _) in lower.match_indices(NAME) {
        out.push_str(&html[copied..at]);
        out.push_str("shadowrootnone");
        copied = at + NAME.len();
    }
    out.push_str(&html[copied..]);
    out.into()
}

#[cfg(test)]
mod tests;
