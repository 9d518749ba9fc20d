//! A card's scripts as an engine reads them: whether they parse, and what they use.

mod syntax;
mod uses;

use oxc_allocator::Allocator;
use std::collections::BTreeSet;

/// How a piece of script is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Classic,
    Module,
    /// The value of a handler attribute: the body of a function.
    Handler,
}

/// A name that a script declares at its top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Binding {
    pub(super) name: String,
    pub(super) offset: usize,
    /// `const`, `let`, `class`, `var`, `function` or `import`.
    pub(super) by: &'static str,
}

/// Why a script does not parse.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SyntaxError {
    pub(super) offset: usize,
    pub(super) what: String,
    pub(super) looks: Looks,
}

/// What a script that does not parse may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looks {
    Broken,
    /// A string in quotes goes over its line.
    BrokenString,
    /// It ends before it is complete.
    CutOff,
    /// JSX or TypeScript.
    Dialect(&'static str),
    /// It would be right with `type="module"`.
    Module,
}

/// What one script declares and uses. Offsets are bytes of its source.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    pub(super) error: Option<SyntaxError>,
    pub(super) bindings: Vec<Binding>,
    /// Modules that it imports.
    pub(super) imports: Vec<(usize, String)>,
    /// Names it emits.
    pub(super) emits: Vec<(usize, String)>,
    /// It emits, or may emit, what cannot be read from it.
    pub(super) emits_more: bool,
    /// Other scripts can emit by a name that this one gave.
    pub(super) shares_emit: bool,
    /// Functions called that it does not declare.
    pub(super) calls: Vec<(usize, String)>,
    /// Names that it makes global by assignment.
    pub(super) assigns: BTreeSet<String>,
    /// It may make any name global.
    pub(super) assigns_more: bool,
    /// `alert`, `confirm`, `prompt`.
    pub(super) dialogs: Vec<(usize, String)>,
    /// `localStorage` and its like.
    pub(super) storage: Vec<(usize, String)>,
}

/// Stack for one byte of source. The parser and the walks over its tree recurse, at worst with every
/// byte; stack that is not touched costs no memory.
const STACK_PER_BYTE: usize = 6 * 1024;
const STACK_LEAST: usize = 1024 * 1024;

/// Reads each script. `None` when that could not be done.
pub(super) fn read(scripts: &[(Kind, &str)]) -> Option<Vec<Facts>> {
    let longest = scripts.iter().map(|(_, source)| source.len()).max()?;
    let stack = STACK_LEAST + longest * STACK_PER_BYTE;
    std::thread::scope(|scope| {
        let reader = std::thread::Builder::new().name("script-check".to_owned()).stack_size(stack);
        let read = || scripts.iter().map(|(kind, source)| read_one(*kind, source)).collect();
        reader.spawn_scoped(scope, read).ok()?.join().ok()
    })
}

fn read_one(kind: Kind, source: &str) -> Facts {
    let allocator = Allocator::default();
    match syntax::parse(&allocator, kind, source) {
        Err(failed) => Facts::failed(failed),
        Ok(program) => match syntax::semantic(kind, &program) {
            Err(failed) => Facts::failed(failed),
            Ok(semantic) => uses::of(&semantic),
        },
    }
}

impl Facts {
    fn failed(failed: syntax::Failed) -> Self {
        Self { error: Some(failed.error), imports: failed.imports, ..Self::default() }
    }
}
