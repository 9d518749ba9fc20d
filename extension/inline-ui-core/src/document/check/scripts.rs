//! The scripts of a card, and what is wrong with them.

use super::events::Emitted;
use super::finding::{Finding, quoted};
use super::handlers::{self, Handler};
use super::page::{Page, Tag};
use super::place::Source;
use super::script::{Binding, Facts, Kind, Looks, SyntaxError};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A piece of script, and where it stands.
#[derive(Debug)]
pub(super) enum Piece<'p> {
    Script { kind: Kind, code: &'p str, at: Range<usize>, closed: bool },
    Handler(Handler<'p>),
}

impl Piece<'_> {
    fn kind(&self) -> Kind {
        match self {
            Self::Script { kind, .. } => *kind,
            Self::Handler(_) => Kind::Handler,
        }
    }

    fn code(&self) -> &str {
        match self {
            Self::Script { code, .. } => code,
            Self::Handler(handler) => handler.code,
        }
    }

    fn place(&self, offset: usize, text: &str) -> usize {
        match self {
            Self::Script { at, .. } => at.start + offset,
            Self::Handler(handler) => handler.place(offset, text),
        }
    }
}

/// Everything that an engine would run, in the order of the text.
pub(super) fn pieces<'p>(page: &'p Page, text: &'p str) -> Vec<Piece<'p>> {
    let mut found = Vec::new();
    for tag in page.tags.iter().filter(|tag| tag.element.is_some() || tag.is("body")) {
        found.extend(handlers::of(tag, text).into_iter().map(Piece::Handler));
        if let (Some(kind), Some(at)) = (kind(tag), &tag.raw)
            && source_address(tag).is_none()
            && !in_template(page, tag)
        {
            let closed = at.end < text.len();
            found.push(Piece::Script { kind, code: &text[at.clone()], at: at.clone(), closed });
        }
    }
    found
}

pub(super) fn sources<'p>(pieces: &'p [Piece<'_>]) -> Vec<(Kind, &'p str)> {
    pieces.iter().map(|piece| (piece.kind(), piece.code())).collect()
}

/// All of it as one text, to look for words in.
pub(super) fn code(pieces: &[Piece<'_>]) -> String {
    pieces.iter().map(Piece::code).collect::<Vec<_>>().join("\n")
}

/// Types of scripts that are run and are no modules.
const CLASSIC: [&str; 6] = [
    "",
    "text/javascript",
    "application/javascript",
    "application/x-javascript",
    "text/ecmascript",
    "application/ecmascript",
];

/// How a script element is run, if it is.
fn kind(tag: &Tag) -> Option<Kind> {
    if !tag.is("script") || tag.attribute("nomodule").is_some() {
        return None;
    }
    let given = match (tag.attribute("type"), tag.attribute("language")) {
        (Some(given), _) => given.trim().to_ascii_lowercase(),
        (None, Some(language)) if !language.is_empty() => {
            format!("text/{}", language.to_ascii_lowercase())
        }
        (None, _) => String::new(),
    };
    match given.as_str() {
        "module" => Some(Kind::Module),
        given if CLASSIC.contains(&given) => Some(Kind::Classic),
        given if given.starts_with("text/javascript1.") => Some(Kind::Classic),
        _ => None,
    }
}

fn source_address(tag: &Tag) -> Option<&str> {
    tag.attribute("src")
}

fn in_template(page: &Page, tag: &Tag) -> bool {
    let Some(element) = tag.element else { return false };
    page.ancestors(element).any(|(_, element)| &*element.name.local == "template")
}

/// The scripts with what was read in them.
pub(super) struct Read<'r, 'p> {
    page: &'r Page,
    source: &'r Source<'r>,
    all: Vec<(&'r Piece<'p>, &'r Facts)>,
}

impl<'r, 'p> Read<'r, 'p> {
    pub(super) fn new(
        page: &'r Page,
        source: &'r Source<'r>,
        pieces: &'r [Piece<'p>],
        facts: &'r [Facts],
    ) -> Self {
        Self { page, source, all: pieces.iter().zip(facts).collect() }
    }

    /// Everything that is refused.
    pub(super) fn refusals(&self) -> Vec<Finding> {
        let mut found = self.external_scripts();
        let mut before: BTreeMap<&str, (&Binding, usize)> = BTreeMap::new();
        for (piece, facts) in &self.all {
            let at = |offset| piece.place(offset, self.source.text());
            if let Some(error) = facts.error.as_ref().filter(|_| facts.imports.is_empty()) {
                found.push(self.syntax(piece, error));
            }
            for (offset, module) in &facts.imports {
                found.push(self.import(at(*offset), module));
            }
            if piece.kind() != Kind::Classic {
                continue;
            }
            for binding in &facts.bindings {
                let place = at(binding.offset);
                if is_reserved(binding) {
                    found.push(self.reserved(place, binding));
                } else if let Some((other, there)) = before.get(binding.name.as_str())
                    && (is_lexical(binding) || is_lexical(other))
                {
                    found.push(self.redeclared(place, binding, *there));
                }
                before.entry(&binding.name).or_insert((binding, place));
            }
        }
        found.extend(self.hidden_functions());
        found
    }

    /// Notes about what the scripts use.
    pub(super) fn notes(&self) -> Vec<Finding> {
        let own = self.globals();
        let mut found = Vec::new();
        for (piece, facts) in &self.all {
            let at = |offset| piece.place(offset, self.source.text());
            for (offset, name) in
                facts.dialogs.iter().filter(|(_, name)| !own.contains(name.as_str()))
            {
                let words = match name.as_str() {
                    "alert" => "alert() shows nothing in a card: write the message into the page",
                    "confirm" => {
                        "confirm() shows nothing and is false: ask with two buttons in the card"
                    }
                    _ => "prompt() shows nothing and is null: ask with an input in the card",
                };
                found.push(Finding::at("dialog", self.source, at(*offset), words));
            }
            for (offset, name) in
                facts.storage.iter().filter(|(_, name)| !own.contains(name.as_str()))
            {
                let fails = if name.ends_with("Storage") {
                    "keeps nothing beyond this load of the card"
                } else {
                    "does not work in a card"
                };
                let words =
                    format!("{name} {fails}: emit what must last, and get it back with onData");
                found.push(Finding::at("storage", self.source, at(*offset), &words));
            }
        }
        found
    }

    pub(super) fn emitted(&self) -> Emitted {
        let mut emitted = Emitted { more: self.page.cut, ..Emitted::default() };
        for (piece, facts) in &self.all {
            emitted.more |= facts.emits_more || facts.error.is_some();
            emitted.more |= facts.shares_emit && self.all.len() > 1;
            for (offset, name) in &facts.emits {
                let at = piece.place(*offset, self.source.text());
                emitted.names.push((self.source.place(at), name.clone()));
            }
        }
        for tag in &self.page.tags {
            // Blocks of data and links may hold code.
            let data = tag.raw.clone().filter(|_| tag.is("script") && kind(tag).is_none());
            emitted.more |= data.is_some_and(|at| self.source.text()[at].contains("emit("));
            let href = tag.attribute("href").unwrap_or_default().trim_start();
            emitted.more |= href.get(..11).is_some_and(|s| s.eq_ignore_ascii_case("javascript:"));
            if let Some(name) = tag.attribute("data-event") {
                emitted.marked.push(name.to_owned());
                if tag.is("form") {
                    let at = super::external::value_at(tag, "data-event", self.source);
                    emitted.forms.push((self.source.place(at), name.to_owned()));
                }
            }
        }
        emitted
    }

    fn external_scripts(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        for tag in self.page.tags.iter().filter(|tag| tag.is("script")) {
            let map = tag
                .attribute("type")
                .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("importmap"));
            if map {
                let words = "an import map loads nothing in a card: write the code of the library into the script, or do without it";
                found.push(Finding::at("import_map", self.source, tag.at.start, words));
            } else if kind(tag).is_some()
                && let Some(address) = source_address(tag).filter(|src| !src.trim().is_empty())
            {
                let words = format!(
                    "the script {} never loads, a card has no network: {}",
                    quoted(address),
                    instead(address)
                );
                found.push(Finding::at("external_script", self.source, tag.at.start, &words));
            }
        }
        found
    }

    fn syntax(&self, piece: &Piece<'_>, error: &SyntaxError) -> Finding {
        let (what, handler, closed) = match piece {
            Piece::Script { closed, .. } => ("the script", false, *closed),
            Piece::Handler(handler) => (handler.name, true, true),
        };
        let instead = match error.looks {
            _ if handler && piece.code().trim_start().starts_with('{') => {
                "write plain JavaScript in quotes, no { } around it".to_owned()
            }
            Looks::Dialect(dialect) => format!("it is {dialect}: write plain JavaScript"),
            Looks::Module => "it needs <script type=\"module\">".to_owned(),
            Looks::BrokenString => "a string in quotes ends on its line: use `…` or \\n".to_owned(),
            Looks::CutOff if handler => {
                "its own quotes may end it: use ' inside \"…\", or addEventListener".to_owned()
            }
            Looks::CutOff if !closed => "the html ends inside it: send it whole".to_owned(),
            Looks::CutOff => "it ends too early; inside a string write <\\/script>".to_owned(),
            Looks::Broken => "mend it and send the html again".to_owned(),
        };
        let words = format!("{what} does not parse ({}): {instead}", error.what);
        let at = piece.place(error.offset, self.source.text());
        Finding::at("script_syntax", self.source, at, &words)
    }

    fn import(&self, at: usize, module: &str) -> Finding {
        let words = format!(
            "the module {} never loads, a card has no network: {}",
            quoted(module),
            instead(module)
        );
        Finding::at("module_import", self.source, at, &words)
    }

    fn reserved(&self, at: usize, binding: &Binding) -> Finding {
        let Binding { name, by, .. } = binding;
        let does = if *by == "var" { "leaves the card" } else { "stops the whole script" };
        let words = format!(
            "`{by} {name}` at the top of a script {does}, the name is the browser's: give it another, or put the code in {{ }}"
        );
        Finding::at("reserved_name", self.source, at, &words)
    }

    fn redeclared(&self, at: usize, binding: &Binding, there: usize) -> Finding {
        let words = format!(
            "the script does not run: {} is declared at {} already; use that one, or another name",
            quoted(&binding.name),
            self.source.place(there)
        );
        Finding::at("script_syntax", self.source, at, &words)
    }

    /// Handlers that call what only a module declares.
    fn hidden_functions(&self) -> Vec<Finding> {
        if self.all.iter().any(|(_, facts)| facts.assigns_more || facts.error.is_some()) {
            return Vec::new();
        }
        let own = self.globals();
        let modules = self.all.iter().filter(|(piece, _)| piece.kind() == Kind::Module);
        let hidden: BTreeSet<&str> = modules
            .flat_map(|(_, facts)| facts.bindings.iter().map(|binding| binding.name.as_str()))
            .filter(|name| !own.contains(name))
            .collect();
        let mut found = Vec::new();
        for (piece, facts) in &self.all {
            let Piece::Handler(handler) = piece else { continue };
            let call = facts.calls.iter().find(|(_, name)| hidden.contains(name.as_str()));
            if let Some((offset, name)) = call {
                let words = format!(
                    "{} calls {}, which only a module has: use addEventListener in the module, or make it a property of window there",
                    handler.name,
                    quoted(name)
                );
                let at = handler.place(*offset, self.source.text());
                found.push(Finding::at("handler_sees_no_module", self.source, at, &words));
            }
        }
        found
    }

    /// Names that scripts make global.
    fn globals(&self) -> BTreeSet<&str> {
        let mut names = BTreeSet::new();
        for (piece, facts) in &self.all {
            names.extend(facts.assigns.iter().map(String::as_str));
            if piece.kind() == Kind::Classic {
                names.extend(facts.bindings.iter().map(|binding| binding.name.as_str()));
            }
        }
        names
    }
}

fn is_lexical(binding: &Binding) -> bool {
    matches!(binding.by, "const" | "let" | "class")
}

/// Names of the window that a script cannot declare, or that take the card away when it does.
fn is_reserved(binding: &Binding) -> bool {
    const FIXED: [&str; 5] = ["top", "location", "window", "document", "undefined"];
    let name = binding.name.as_str();
    (is_lexical(binding) && FIXED.contains(&name)) || (binding.by == "var" && name == "location")
}

/// What to write for a library.
fn instead(address: &str) -> &'static str {
    let address = address.to_ascii_lowercase();
    let of = |names: &[&str]| names.iter().any(|name| address.contains(name));
    if of(&["tailwind", "bootstrap", "bulma"]) {
        "style with CSS in a <style> and the card's variables"
    } else if of(&["chart", "d3", "plotly", "echarts", "highcharts", "apexcharts", "recharts"]) {
        "draw with inline <svg> or on a <canvas>"
    } else if of(&[
        "react", "vue", "svelte", "preact", "alpine", "jquery", "htmx", "babel", "angular",
    ]) {
        "use plain DOM code in an inline <script>"
    } else {
        "write the code inline in a <script>"
    }
}
