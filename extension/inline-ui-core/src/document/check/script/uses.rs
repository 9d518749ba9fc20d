use super::{Binding, Facts};
use oxc_ast::AstKind;
use oxc_ast::ast::{BindingPattern, Expression, ImportExpression};
use oxc_semantic::{NodeId, Semantic, SymbolFlags, SymbolId};
use oxc_span::{GetSpan, Span};

/// Other names of the window, as far as a card has them.
const WINDOWS: [&str; 4] = ["window", "globalThis", "self", "frames"];
const DIALOGS: [&str; 3] = ["alert", "confirm", "prompt"];
const STORAGE: [&str; 3] = ["localStorage", "sessionStorage", "indexedDB"];

pub(super) fn of(semantic: &Semantic<'_>) -> Facts {
    let mut reader = Reader { semantic, facts: Facts::default() };
    reader.bindings();
    for node in semantic.nodes().iter() {
        reader.node(node.id(), node.kind());
    }
    reader.facts
}

struct Reader<'s, 'a> {
    semantic: &'s Semantic<'a>,
    facts: Facts,
}

impl<'a> Reader<'_, 'a> {
    fn bindings(&mut self) {
        let scoping = self.semantic.scoping();
        for (_, symbol) in scoping.get_bindings(scoping.root_scope_id()) {
            let flags = scoping.symbol_flags(*symbol);
            let by = if flags.contains(SymbolFlags::Import) {
                "import"
            } else if flags.contains(SymbolFlags::Class) {
                "class"
            } else if flags.contains(SymbolFlags::Function) {
                "function"
            } else if flags.contains(SymbolFlags::ConstVariable) {
                "const"
            } else if flags.contains(SymbolFlags::BlockScopedVariable) {
                "let"
            } else {
                "var"
            };
            self.facts.bindings.push(Binding {
                name: scoping.symbol_name(*symbol).to_owned(),
                offset: scoping.symbol_span(*symbol).start as usize,
                by,
            });
        }
        self.facts.bindings.sort_by_key(|binding| binding.offset);
    }

    fn node(&mut self, id: NodeId, kind: AstKind<'a>) {
        match kind {
            AstKind::IdentifierReference(name) => {
                let reference = self.semantic.scoping().get_reference(name.reference_id());
                if reference.symbol_id().is_none() {
                    if reference.is_write() {
                        self.facts.assigns.insert(name.name.to_string());
                    }
                    self.global(id, &name.name, name.span);
                }
            }
            AstKind::ImportDeclaration(import) => self.import(&import.source),
            AstKind::ExportFromDeclaration(export) => self.import(&export.source),
            AstKind::ExportAllDeclaration(export) => self.import(&export.source),
            AstKind::ImportExpression(import) => self.dynamic_import(import),
            AstKind::StringLiteral(text) => self.text(&text.value),
            AstKind::TemplateElement(text) => self.text(&text.value.raw),
            // `element.dataset.event` written by the script makes a form that emits.
            AstKind::StaticMemberExpression(member) => {
                let of_dataset = |object: &Expression<'_>| matches!(object, Expression::StaticMemberExpression(object) if object.property.name == "dataset");
                if member.property.name == "event" && of_dataset(&member.object) {
                    self.facts.emits_more = true;
                }
            }
            _ => {}
        }
    }

    fn import(&mut self, source: &oxc_ast::ast::StringLiteral<'_>) {
        self.facts.imports.push((source.span.start as usize, source.value.to_string()));
    }

    fn dynamic_import(&mut self, import: &ImportExpression<'_>) {
        if let Some(names) = self.literals(&import.source, 0) {
            self.facts.imports.extend(names);
        }
    }

    /// Markup or code in a string may emit.
    fn text(&mut self, text: &str) {
        self.facts.emits_more |= text.contains("emit(") || text.contains("data-event");
    }

    /// A name that the script does not declare.
    fn global(&mut self, id: NodeId, name: &str, span: Span) {
        if WINDOWS.contains(&name) {
            self.window(id, span);
        }
        self.global_use(id, name, span);
    }

    fn global_use(&mut self, id: NodeId, name: &str, span: Span) {
        let at = span.start as usize;
        let parent = self.semantic.nodes().parent_kind(id);
        let called = matches!(parent, AstKind::CallExpression(call) if call.callee.span() == span);
        if called {
            self.facts.calls.push((at, name.to_owned()));
        }
        if called && DIALOGS.contains(&name) {
            self.facts.dialogs.push((at, name.to_owned()));
        }
        if STORAGE.contains(&name) {
            self.facts.storage.push((at, name.to_owned()));
        }
        match name {
            "document" => {
                if matches!(parent, AstKind::StaticMemberExpression(member) if member.property.name == "cookie")
                {
                    self.facts.storage.push((at, "document.cookie".to_owned()));
                }
            }
            "pithagoras" => self.emitter(id, span, 0),
            "eval" | "Function" => self.facts.emits_more = true,
            _ => {}
        }
    }

    /// The window itself: `window.name` is the global `name`.
    fn window(&mut self, id: NodeId, span: Span) {
        let nodes = self.semantic.nodes();
        let parent_id = nodes.parent_id(id);
        let (name, member) = match nodes.kind(parent_id) {
            AstKind::StaticMemberExpression(member) if member.object.span() == span => {
                (Some(member.property.name.to_string()), member.span)
            }
            AstKind::ComputedMemberExpression(member) if member.object.span() == span => {
                match &member.expression {
                    Expression::StringLiteral(text) => (Some(text.value.to_string()), member.span),
                    _ => (None, member.span),
                }
            }
            AstKind::CallExpression(call) => return self.window_given(&call.arguments),
            AstKind::BinaryExpression(_)
            | AstKind::UnaryExpression(_)
            | AstKind::LogicalExpression(_)
            | AstKind::IfStatement(_) => return,
            _ => (None, span),
        };
        let Some(name) = name else {
            self.facts.assigns_more = true;
            self.facts.emits_more = true;
            return;
        };
        if is_assigned(nodes.parent_kind(parent_id), member) {
            self.facts.assigns.insert(name);
        } else {
            self.global_use(parent_id, &name, member);
        }
    }

    /// `Object.assign(window, { name })` and whatever else a function does with it.
    fn window_given(&mut self, arguments: &[oxc_ast::ast::Argument<'_>]) {
        for argument in &arguments[1.min(arguments.len())..] {
            let Some(Expression::ObjectExpression(object)) = argument.as_expression() else {
                self.facts.assigns_more = true;
                continue;
            };
            for property in &object.properties {
                match property.as_property().and_then(|property| property.key.static_name()) {
                    Some(name) => drop(self.facts.assigns.insert(name.to_string())),
                    None => self.facts.assigns_more = true,
                }
            }
        }
    }

    /// What becomes of an expression that is `pithagoras`.
    fn emitter(&mut self, id: NodeId, span: Span, depth: usize) {
        let nodes = self.semantic.nodes();
        let parent_id = nodes.parent_id(id);
        match nodes.kind(parent_id) {
            AstKind::StaticMemberExpression(member) if member.object.span() == span => {
                if member.property.name == "emit" {
                    self.emit(parent_id, member.span, depth);
                }
            }
            AstKind::ChainExpression(chain) => self.emitter(parent_id, chain.span, depth + 1),
            AstKind::VariableDeclarator(declared) if depth < 4 => match &declared.id {
                BindingPattern::BindingIdentifier(name) => {
                    self.each_use(name.symbol_id(), |reader, id, span| {
                        reader.emitter(id, span, depth + 1);
                    });
                }
                BindingPattern::ObjectPattern(pattern) => {
                    self.facts.emits_more |= pattern.rest.is_some();
                    for property in &pattern.properties {
                        let key = property.key.static_name();
                        match (&property.value, key.as_deref()) {
                            (BindingPattern::BindingIdentifier(name), Some("emit")) => {
                                self.each_use(name.symbol_id(), |reader, id, span| {
                                    reader.emit(id, span, depth + 1);
                                });
                            }
                            (_, Some("emit") | None) => self.facts.emits_more = true,
                            _ => {}
                        }
                    }
                }
                _ => self.facts.emits_more = true,
            },
            AstKind::UnaryExpression(_)
            | AstKind::BinaryExpression(_)
            | AstKind::IfStatement(_) => {}
            AstKind::ConditionalExpression(choice) if choice.test.span() == span => {}
            AstKind::LogicalExpression(logical)
                if logical.operator.is_and() && logical.left.span() == span => {}
            _ => self.facts.emits_more = true,
        }
    }

    /// What becomes of an expression that is `pithagoras.emit`.
    fn emit(&mut self, id: NodeId, span: Span, depth: usize) {
        let nodes = self.semantic.nodes();
        let parent_id = nodes.parent_id(id);
        match nodes.kind(parent_id) {
            AstKind::CallExpression(call) if call.callee.span() == span => {
                let name = call.arguments.first().and_then(|argument| argument.as_expression());
                match name.and_then(|name| self.literals(name, 0)) {
                    Some(names) => self.facts.emits.extend(names),
                    None => self.facts.emits_more = true,
                }
            }
            AstKind::ChainExpression(chain) => self.emit(parent_id, chain.span, depth + 1),
            AstKind::VariableDeclarator(declared) if depth < 4 => match &declared.id {
                BindingPattern::BindingIdentifier(name) => {
                    self.each_use(name.symbol_id(), |reader, id, span| {
                        reader.emit(id, span, depth + 1);
                    });
                }
                _ => self.facts.emits_more = true,
            },
            AstKind::UnaryExpression(_) | AstKind::IfStatement(_) => {}
            AstKind::LogicalExpression(logical)
                if logical.operator.is_and() && logical.left.span() == span => {}
            _ => self.facts.emits_more = true,
        }
    }

    fn each_use(&mut self, symbol: SymbolId, see: impl Fn(&mut Self, NodeId, Span)) {
        // At the top of a classic script it is every script's.
        let scoping = self.semantic.scoping();
        let global = scoping.symbol_scope_id(symbol) == scoping.root_scope_id();
        self.facts.shares_emit |= global && self.semantic.source_type().is_script();
        let uses: Vec<_> = self
            .semantic
            .symbol_references(symbol)
            .map(|reference| (reference.node_id(), reference.is_write()))
            .collect();
        for (id, written) in uses {
            self.facts.emits_more |= written;
            see(self, id, self.semantic.nodes().kind(id).span());
        }
    }

    /// The strings that an expression may be, with their places; `None` when it may be others.
    fn literals(&self, expression: &Expression<'_>, depth: usize) -> Option<Vec<(usize, String)>> {
        let one = |span: Span, text: &str| Some(vec![(span.start as usize, text.to_owned())]);
        match expression {
            Expression::StringLiteral(text) => one(text.span, &text.value),
            Expression::TemplateLiteral(text) if text.expressions.is_empty() => {
                one(text.span, text.quasis.first()?.value.cooked.as_ref()?)
            }
            Expression::ConditionalExpression(choice) if depth < 8 => {
                let mut both = self.literals(&choice.consequent, depth + 1)?;
                both.extend(self.literals(&choice.alternate, depth + 1)?);
                Some(both)
            }
            Expression::Identifier(name) if depth < 8 => {
                let scoping = self.semantic.scoping();
                let symbol = scoping.get_reference(name.reference_id()).symbol_id()?;
                if !scoping.symbol_flags(symbol).contains(SymbolFlags::ConstVariable) {
                    return None;
                }
                match self.semantic.symbol_declaration(symbol).kind() {
                    AstKind::VariableDeclarator(declared)
                        if declared.id.is_binding_identifier() =>
                    {
                        self.literals(declared.init.as_ref()?, depth + 1)
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

fn is_assigned(parent: AstKind<'_>, span: Span) -> bool {
    match parent {
        AstKind::AssignmentExpression(assignment) => assignment.left.span() == span,
        AstKind::UpdateExpression(_) => true,
        _ => false,
    }
}
