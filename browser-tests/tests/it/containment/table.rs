//! What came of each vector, and SECURITY.md's table of it.

use super::engine::Engine;
use super::vectors::{Vector, known_open};
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};

const BEGIN: &str = "<!-- containment: written by the browser tests -->";
const END: &str = "<!-- end of containment -->";

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Result {
    /// Nothing came of the card, and something of its twin.
    Held,
    /// What came of the card.
    Open(Vec<String>),
    /// Nothing came of the twin either: the engine does not know this way.
    NotLive,
    /// The card's script did not reach its end, or nobody could press in it.
    NeverRan,
}

impl Result {
    pub(super) fn of(ran: bool, out: Vec<String>, live: bool) -> Self {
        match (out.is_empty(), live) {
            (false, _) => Self::Open(out),
            _ if !ran => Self::NeverRan,
            (true, true) => Self::Held,
            (true, false) => Self::NotLive,
        }
    }
}

impl fmt::Display for Result {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Held => "held",
            Self::Open(_) => "open",
            Self::NotLive => "not live",
            Self::NeverRan => "never ran",
        })
    }
}

/// An engine's column of SECURITY.md's table.
pub(super) struct Table {
    engine: Engine,
    /// What it says of each engine, by vector.
    cells: BTreeMap<String, [String; 2]>,
}

impl Table {
    pub(super) fn of(engine: Engine) -> Self {
        let table = security().1;
        let cells = table.lines().filter_map(|row| {
            let mut row = row.trim_matches('|').split('|').map(|cell| cell.trim().to_owned());
            Some((row.next()?, [row.next()?, row.next()?]))
        });
        Self { engine, cells: cells.collect() }
    }

    fn says(&self, vector: &Vector) -> Option<&str> {
        let cells = self.cells.get(vector.name)?;
        Some(&cells[self.engine as usize])
    }

    /// Whether something is to come of the vector's twin.
    pub(super) fn knows(&self, vector: &Vector) -> bool {
        self.says(vector) != Some(&Result::NotLive.to_string())
    }

    /// Whether a second look may show that something was only late.
    pub(super) fn doubts(&self, vector: &Vector, result: &Result) -> bool {
        match result {
            Result::Open(_) => false,
            Result::NeverRan => true,
            Result::Held | Result::NotLive => {
                self.says(vector).is_some_and(|said| said != result.to_string())
            }
        }
    }

    /// Writes the run's own account, and fails with every vector that is not as it is known to be.
    pub(super) fn judge(&self, results: &[(&Vector, Result)]) {
        let name = self.engine.name();
        self.write_down(results);
        let wrong: Vec<_> =
            results.iter().filter_map(|(v, result)| self.wrong(v, result)).collect();
        assert!(wrong.is_empty(), "in {name}:\n{}", wrong.join("\n"));
        let all = std::env::var_os("INLINE_UI_VECTORS").is_none();
        if all && std::env::var_os("INLINE_UI_BLESS").is_some() {
            return self.bless(results);
        }
        let other = results.iter().filter(|(v, result)| self.says(v) != Some(&result.to_string()));
        let other: Vec<_> = other.map(|(v, result)| format!("{}: {result}", v.name)).collect();
        assert!(
            other.is_empty(),
            "SECURITY.md says otherwise of {name}; INLINE_UI_BLESS=1 makes it say:\n{}",
            other.join("\n")
        );
    }

    fn wrong(&self, vector: &Vector, result: &Result) -> Option<String> {
        let name = vector.name;
        match (result, known_open(self.engine, name)) {
            (Result::Open(what), None) => Some(format!("{name}: got out: {}", what.join(", "))),
            (Result::NeverRan, _) => Some(format!("{name}: never ran")),
            (Result::Held | Result::NotLive, Some(why)) => {
                Some(format!("{name}: listed as open ({why}), but {result}"))
            }
            _ => None,
        }
    }

    /// What arrived, beside the test's program.
    fn write_down(&self, results: &[(&Vector, Result)]) {
        let name = self.engine.name();
        let mut text = format!(
            "# What gets out of a card in {name}\n\n| vector | result | what |\n|---|---|---|\n"
        );
        for (vector, result) in results {
            let what =
                if let Result::Open(what) = result { what.join(", ") } else { String::new() };
            let _ = writeln!(text, "| {} | {result} | {what} |", vector.name);
        }
        let program = std::env::current_exe().unwrap();
        let folder = program.parent().unwrap().parent().unwrap();
        let file = format!("containment-{}.md", name.to_lowercase());
        std::fs::write(folder.join(file), text).unwrap();
    }

    /// The other engine's column may have been written meanwhile.
    fn bless(&self, results: &[(&Vector, Result)]) {
        let newest = Self::of(self.engine);
        let (before, _, after) = security();
        let mut rows = "\n| vector | Chromium | Firefox |\n|---|---|---|\n".to_owned();
        for (vector, result) in results {
            let unknown = || ["?".to_owned(), "?".to_owned()];
            let mut cells = newest.cells.get(vector.name).cloned().unwrap_or_else(unknown);
            cells[self.engine as usize] = result.to_string();
            let _ = writeln!(rows, "| {} | {} |", vector.name, cells.join(" | "));
        }
        std::fs::write(path(), format!("{before}{BEGIN}{rows}{END}{after}")).unwrap();
    }
}

fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../SECURITY.md")
}

/// What stands before the table, the table, and what stands behind it.
fn security() -> (String, String, String) {
    let text = std::fs::read_to_string(path()).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (table, after) = rest.split_once(END).unwrap();
    (before.to_owned(), table.to_owned(), after.to_owned())
}
