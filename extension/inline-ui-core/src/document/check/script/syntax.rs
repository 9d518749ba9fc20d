use super::{Kind, Looks, SyntaxError};
use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, Statement};
use oxc_parser::{ParseOptions, Parser, ParserReturn};
use oxc_semantic::{Semantic, SemanticBuilder};
use oxc_span::SourceType;

/// A script that does not parse, and what it would import if it were a module.
pub(super) struct Failed {
    pub(super) error: SyntaxError,
    pub(super) imports: Vec<(usize, String)>,
}

pub(super) fn parse<'a>(
    allocator: &'a Allocator,
    kind: Kind,
    source: &'a str,
) -> Result<Program<'a>, Failed> {
    let source_type = match kind {
        Kind::Classic | Kind::Handler => SourceType::script(),
        Kind::Module => SourceType::mjs(),
    };
    let parsed = parse_as(allocator, source, source_type, kind);
    match first_error(parsed.diagnostics.errors()) {
        None if !parsed.panicked => Ok(parsed.program),
        error => {
            let (offset, what) = error.unwrap_or((0, "it does not parse".to_owned()));
            Err(failed(kind, source, offset, what))
        }
    }
}

/// The names of a program, after the checks that an engine makes before it runs anything.
pub(super) fn semantic<'a>(kind: Kind, program: &'a Program<'a>) -> Result<Semantic<'a>, Failed> {
    let built =
        SemanticBuilder::new().with_check_syntax_error(true).with_build_nodes(true).build(program);
    match first_error(built.diagnostics.errors()) {
        None => Ok(built.semantic),
        Some((offset, what)) => Err(failed(kind, program.source_text, offset, what)),
    }
}

fn parse_as<'a>(
    allocator: &'a Allocator,
    source: &'a str,
    source_type: SourceType,
    kind: Kind,
) -> ParserReturn<'a> {
    let options = ParseOptions {
        parse_regular_expression: true,
        allow_return_outside_function: kind == Kind::Handler,
        preserve_parens: false,
        ..ParseOptions::default()
    };
    Parser::new(allocator, source, source_type).with_options(options).parse()
}

fn failed(kind: Kind, source: &str, offset: usize, what: String) -> Failed {
    let parses = |source_type| {
        let allocator = Allocator::default();
        let parsed = parse_as(&allocator, source, source_type, kind);
        let clean = !parsed.panicked && !parsed.diagnostics.has_errors();
        clean.then(|| imports(&parsed.program))
    };
    let mjs = SourceType::mjs();
    let of_modules = kind == Kind::Classic && what.contains("module");
    let module = of_modules.then(|| parses(mjs)).flatten();
    let looks = if module.is_some() {
        Looks::Module
    } else if kind == Kind::Classic && parses(SourceType::script()).is_some() {
        Looks::Broken
    } else if parses(mjs.with_jsx(true)).is_some() {
        Looks::Dialect("JSX")
    } else if parses(SourceType::ts()).is_some() || parses(SourceType::tsx()).is_some() {
        Looks::Dialect("TypeScript")
    } else if what == "Unterminated string" && is_quoted_over_lines(&source[offset..]) {
        Looks::BrokenString
    } else if offset >= source.trim_end().len() || what.starts_with("Unterminated") {
        Looks::CutOff
    } else {
        Looks::Broken
    };
    Failed { error: SyntaxError { offset, what, looks }, imports: module.unwrap_or_default() }
}

fn is_quoted_over_lines(string: &str) -> bool {
    string.starts_with(['"', '\'']) && string.contains('\n')
}

fn imports(program: &Program<'_>) -> Vec<(usize, String)> {
    let import = |statement: &Statement<'_>| match statement {
        Statement::ImportDeclaration(import) => {
            Some((import.source.span.start as usize, import.source.value.to_string()))
        }
        _ => None,
    };
    program.body.iter().filter_map(import).collect()
}

/// The error that stands first, in few words.
fn first_error<'e>(
    errors: impl Iterator<Item = &'e oxc_diagnostics::OxcDiagnostic>,
) -> Option<(usize, String)> {
    errors
        .map(|error| {
            // Of a name that is declared twice, the second place.
            let twice = error.message.contains("already been declared");
            let label = if twice { error.labels.last() } else { error.labels.first() };
            let offset = label.map(|label| label.offset() as usize);
            let what = error.message.trim_end_matches('.').chars().take(120).collect();
            (offset.unwrap_or_default(), what)
        })
        .min_by_key(|(offset, _)| *offset)
}
