//! The markup as a browser's parser reads it, with the place of every tag.
//!
//! The tokenizer keeps no offsets, so it is fed in pieces: one that begins with `<` goes up to the next
//! bracket, and while a tag may be open every `>` ends one. A `<` in a tag, or after text that is held
//! back, is fed by itself. Nothing is emitted between the `<` of a tag and its `>`: a tag token's
//! start is the first `<` since the last token, and its end is the end of what was fed.
//! What is read and dropped without a token is known by its text (`Reader::forget_dropped`).

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode};
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, EndTag, ParseError, TagToken, Token, TokenSink, TokenSinkResult, Tokenizer,
    TokenizerOpts,
};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};
use html5ever::{Attribute, LocalName, Namespace, QualName, TokenizerResult, ns};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

/// Browsers nest no deeper than this. Without bounds a small text can make a huge tree.
const DEPTH: u32 = 512;
const ELEMENTS: usize = 65_536;

/// A start tag, and the element it made.
#[derive(Debug)]
pub(super) struct Tag {
    pub(super) name: LocalName,
    pub(super) attributes: Vec<Attribute>,
    /// `<` to `>`.
    pub(super) at: Range<usize>,
    /// None when the parser ignored it, or merged it into an element that was there.
    pub(super) element: Option<usize>,
    /// What is between a script's or style's tags, as it is written.
    pub(super) raw: Option<Range<usize>>,
}

impl Tag {
    /// An attribute's value, entities decoded.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|a| &*a.name.local == name).map(|a| &*a.value)
    }

    pub(super) fn is(&self, name: &str) -> bool {
        &*self.name == name
    }
}

/// An element of the tree.
#[derive(Debug)]
pub(super) struct Element {
    pub(super) name: QualName,
    pub(super) parent: Option<usize>,
    /// Whether text that is not white space stands directly in it.
    pub(super) has_text: bool,
    /// The tag that made it; none for an implied element and for a copy.
    pub(super) tag: Option<usize>,
    depth: u32,
    children: Vec<usize>,
}

impl Element {
    pub(super) fn is_html(&self) -> bool {
        self.name.ns == ns!(html)
    }
}

/// What the markup says.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) tags: Vec<Tag>,
    pub(super) elements: Vec<Element>,
    /// It is nested so deep, or so large, that the rest was not read.
    pub(super) cut: bool,
}

impl Page {
    pub(super) fn read(text: &str) -> Self {
        let sink = Reader {
            builder: TreeBuilder::new(Tree::default(), TreeBuilderOpts::default()),
            tags: RefCell::default(),
            raw: Cell::default(),
            raw_begun: Cell::default(),
            open: Cell::default(),
            fed: Cell::default(),
        };
        let tokenizer = Tokenizer::new(sink, TokenizerOpts::default());
        let queue = BufferQueue::default();
        let whole = StrTendril::from_slice(text);
        let mut from = 0;
        while from < text.len() && !tokenizer.sink.builder.sink.cut.get() {
            let reader = &tokenizer.sink;
            let opens = text.as_bytes()[from] == b'<';
            let whole_tag = opens && reader.open.get().is_none() && !ends_in_reference(text, from);
            let to = match (whole_tag, opens) {
                (true, _) => piece_end(text, from + 1, true),
                (false, true) => from + 1,
                (false, false) => piece_end(text, from, reader.open.get().is_some()),
            };
            if whole_tag {
                reader.open.set(Some(from));
            }
            reader.fed.set(to);
            #[expect(clippy::cast_possible_truncation, reason = "a card has at most 262144 bytes")]
            queue.push_back(whole.subtendril(from as u32, (to - from) as u32));
            while !matches!(tokenizer.feed(&queue), TokenizerResult::Done) {}
            reader.forget_dropped(&text[..to]);
            if opens && !whole_tag && reader.open.get().is_none() {
                reader.open.set(Some(from));
            }
            from = if reader.raw_begun.take() { reader.raw_end(text, to) } else { to };
        }
        tokenizer.end();
        tokenizer.sink.page(text.len())
    }

    /// An element's ancestors, itself first.
    pub(super) fn ancestors(&self, element: usize) -> impl Iterator<Item = (usize, &Element)> {
        let with = |at: usize| self.elements.get(at).map(|element| (at, element));
        std::iter::successors(with(element), move |(_, element)| element.parent.and_then(with))
    }

    /// What is inside an element, itself not included.
    pub(super) fn descendants(&self, element: usize) -> impl Iterator<Item = &Element> {
        let mut left: Vec<usize> = self.elements[element].children.clone();
        std::iter::from_fn(move || {
            let element = &self.elements[left.pop()?];
            left.extend(&element.children);
            Some(element)
        })
    }

    pub(super) fn tag_of(&self, element: &Element) -> Option<&Tag> {
        element.tag.and_then(|tag| self.tags.get(tag))
    }
}

/// Up to the next `<`, or to just behind the next `>` while a tag may be open.
fn piece_end(text: &str, from: usize, in_tag: bool) -> usize {
    let rest = &text.as_bytes()[from..];
    let stop = rest.iter().position(|byte| *byte == b'<' || (in_tag && *byte == b'>'));
    stop.map_or(text.len(), |n| from + n + usize::from(rest[n] == b'>'))
}

/// Whether the text before is a character reference, or the start of one: the tokenizer holds it back
/// and gives it out when it has read the `<` that follows.
fn ends_in_reference(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let before = before.strip_suffix(';').unwrap_or(before);
    before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '#').ends_with('&')
}

struct Reader {
    builder: TreeBuilder<Handle, Tree>,
    tags: RefCell<Vec<Tag>>,
    /// The tag whose raw text is being read.
    raw: Cell<Option<usize>>,
    raw_begun: Cell<bool>,
    /// The first `<` since the last token.
    open: Cell<Option<usize>>,
    fed: Cell<usize>,
}

impl TokenSink for Reader {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        if matches!(token, ParseError(_)) {
            return self.builder.process_token(token, line);
        }
        let start = self.open.take();
        let TagToken(tag) = token else { return self.builder.process_token(token, line) };
        let at = start.unwrap_or_default()..self.fed.get();
        if tag.kind == EndTag {
            self.end_raw(at.start);
            return self.builder.process_token(TagToken(tag), line);
        }
        let (name, attributes) = (tag.name.clone(), tag.attrs.clone());
        let before = self.builder.sink.elements.borrow().len();
        let result = self.builder.process_token(TagToken(tag), line);
        let element = self.builder.sink.made_since(before, &name);
        let mut tags = self.tags.borrow_mut();
        if let Some(element) = element {
            self.builder.sink.elements.borrow_mut()[element].tag = Some(tags.len());
        }
        if matches!(result, TokenSinkResult::RawData(RawKind::ScriptData | RawKind::Rawtext)) {
            self.raw.set(Some(tags.len()));
            self.raw_begun.set(true);
        }
        tags.push(Tag { name, attributes, at, element, raw: None });
        result
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.adjusted_current_node_present_but_not_in_html_namespace()
    }
}

impl Reader {
    /// Two things are read and leave no token: `</>`, and a section of foreign text with nothing in it.
    fn forget_dropped(&self, fed: &str) {
        if let Some(open) = self.open.get()
            && matches!(&fed[open..], "</>" | "<![CDATA[]]>")
        {
            self.open.set(None);
        }
    }

    /// Where the text of a script or style that begins at `from` ends. No token in it matters, so the
    /// tokenizer need not see it; but in a script with `<!--` it alone knows which end tag is one.
    fn raw_end(&self, text: &str, from: usize) -> usize {
        let tags = self.tags.borrow();
        let Some(tag) = self.raw.get().and_then(|tag| tags.get(tag)) else { return from };
        let rest = &text.as_bytes()[from..];
        let name = tag.name.as_bytes();
        let ends = |at: &usize| {
            let after = rest.get(at + 2..).unwrap_or_default();
            rest.get(at + 1) == Some(&b'/')
                && after.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name))
                && after.get(name.len()).is_some_and(|byte| b" \t\n\r\x0c/>".contains(byte))
        };
        let end = text[from..].match_indices('<').map(|(at, _)| at).find(ends);
        let end = end.map_or(text.len(), |at| from + at);
        if tag.is("script") && text[from..end].contains("<!--") { from } else { end }
    }

    fn end_raw(&self, end: usize) {
        if let Some(tag) = self.raw.take()
            && let Some(tag) = self.tags.borrow_mut().get_mut(tag)
        {
            tag.raw = Some(tag.at.end..end);
        }
    }

    fn page(self, end: usize) -> Page {
        self.end_raw(end);
        let tree = self.builder.sink;
        Page {
            tags: self.tags.into_inner(),
            elements: tree.elements.into_inner(),
            cut: tree.cut.get(),
        }
    }
}

/// A node as the tree builder holds it. Only elements have a place in the tree that is kept.
#[derive(Debug, Clone)]
struct Handle(Rc<Node>);

#[derive(Debug)]
struct Node {
    element: Option<usize>,
    name: QualName,
}

#[derive(Debug)]
struct Name<'a>(&'a QualName);

impl ElemName for Name<'_> {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

/// Parents and names of elements; text and comments leave no node.
#[derive(Debug, Default)]
struct Tree {
    elements: RefCell<Vec<Element>>,
    cut: Cell<bool>,
}

impl Tree {
    /// The last of the elements that a tag made. Others were implied by it, or made again.
    fn made_since(&self, before: usize, tag: &LocalName) -> Option<usize> {
        let elements = self.elements.borrow();
        let of_tag = |element: &Element| {
            let made = &element.name.local;
            made.eq_ignore_ascii_case(tag) || (&**tag == "image" && &**made == "img")
        };
        elements.iter().enumerate().skip(before).rev().find(|(_, e)| of_tag(e)).map(|(at, _)| at)
    }

    fn other() -> Handle {
        Handle(Rc::new(Node { element: None, name: QualName::new(None, ns!(), "".into()) }))
    }

    fn attach(&self, parent: Option<usize>, child: &NodeOrText<Handle>) {
        let mut elements = self.elements.borrow_mut();
        match child {
            NodeOrText::AppendText(text) => {
                if let Some(parent) = parent.and_then(|at| elements.get_mut(at)) {
                    parent.has_text |= text.contains(|c: char| !c.is_whitespace());
                }
            }
            NodeOrText::AppendNode(node) => {
                let Some(child) = node.0.element else { return };
                let depth = parent.map_or(0, |at| elements[at].depth + 1);
                elements[child].parent = parent;
                elements[child].depth = depth;
                if let Some(parent) = parent {
                    elements[parent].children.push(child);
                }
                if depth > DEPTH {
                    self.cut.set(true);
                }
            }
        }
    }

    fn parent(&self, of: &Handle) -> Option<usize> {
        of.0.element.and_then(|at| self.elements.borrow()[at].parent)
    }
}

impl TreeSink for Tree {
    type Handle = Handle;
    type Output = Self;
    type ElemName<'a> = Name<'a>;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Self::other()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> Name<'a> {
        Name(&target.0.name)
    }

    fn create_element(&self, name: QualName, _: Vec<Attribute>, _: ElementFlags) -> Handle {
        let mut elements = self.elements.borrow_mut();
        if elements.len() >= ELEMENTS {
            self.cut.set(true);
        }
        elements.push(Element {
            name: name.clone(),
            parent: None,
            has_text: false,
            tag: None,
            depth: 0,
            children: Vec::new(),
        });
        Handle(Rc::new(Node { element: Some(elements.len() - 1), name }))
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        Self::other()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        Self::other()
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.attach(parent.0.element, &child);
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        previous: &Handle,
        child: NodeOrText<Handle>,
    ) {
        let parent = self.parent(element).or(previous.0.element);
        self.attach(parent, &child);
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    /// What is inside a template has it as its ancestor here.
    fn get_template_contents(&self, target: &Handle) -> Handle {
        target.clone()
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        Rc::ptr_eq(&x.0, &y.0)
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, new: NodeOrText<Handle>) {
        if let NodeOrText::AppendNode(node) = &new {
            self.remove_from_parent(node);
        }
        self.attach(self.parent(sibling), &new);
    }

    fn add_attrs_if_missing(&self, _: &Handle, _: Vec<Attribute>) {}

    fn remove_from_parent(&self, target: &Handle) {
        let Some(at) = target.0.element else { return };
        let mut elements = self.elements.borrow_mut();
        if let Some(parent) = elements[at].parent.take() {
            let children = &mut elements[parent].children;
            if let Some(last) = children.iter().rposition(|child| *child == at) {
                children.remove(last);
            }
        }
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        let (Some(from), to) = (node.0.element, new_parent.0.element) else { return };
        let moved = std::mem::take(&mut self.elements.borrow_mut()[from].children);
        for child in moved {
            let node = Handle(Rc::new(Node {
                element: Some(child),
                name: QualName::new(None, ns!(), "".into()),
            }));
            self.attach(to, &NodeOrText::AppendNode(node));
        }
    }

    /// A card's templates stay templates: the attribute is taken out of it.
    fn allow_declarative_shadow_roots(&self, _: &Handle) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn tags(text: &str) -> Vec<&str> {
        Page::read(text).tags.iter().map(|tag| &text[tag.at.clone()]).collect()
    }

    #[test]
    fn every_tag_is_found_where_it_stands() {
        let text = "<!doctype html>\n<!-- <i> --> 1 < 2 &lt <p class='a > b'\n>x <<b>y</b> <3 <br/></p\n><svg><Path d=\"<\"/><![CDATA[<u>]]></svg><s";
        let expected = ["<p class='a > b'\n>", "<b>", "<br/>", "<svg>", "<Path d=\"<\"/>"];
        assert_eq!(tags(text), expected);
    }

    #[test]
    fn the_text_of_scripts_and_styles_is_found_as_it_is_written() {
        let text = "<style>a > b { content: '</st' }</style><script>if (a</b>/.test(c)) x = '<p>' <!--\n</script ><p>x<script>open";
        let page = Page::read(text);
        let raw: Vec<_> =
            page.tags.iter().filter_map(|tag| tag.raw.clone()).map(|raw| &text[raw]).collect();
        let expected =
            ["a > b { content: '</st' }", "if (a</b>/.test(c)) x = '<p>' <!--\n", "open"];
        assert_eq!(raw, expected);
    }

    #[test]
    fn what_is_in_raw_text_is_no_tag() {
        let text = "<textarea><p></textarea><title><b></title><noscript><img></noscript><xmp><i></xmp><template><u></template>";
        assert_eq!(
            tags(text),
            ["<textarea>", "<title>", "<noscript>", "<xmp>", "<template>", "<u>"]
        );
    }

    #[test]
    fn a_tree_that_would_be_huge_is_not_built() {
        let many =
            (0..400).map(|n| n.to_string()).fold(String::new(), |all, n| all + "<b a" + &n + ">");
        for text in ["<div>".repeat(50_000), format!("<p>{many}</p>{}", "<p>x</p>".repeat(30_000))]
        {
            let page = Page::read(&text);
            let deepest = page.elements.iter().map(|element| element.depth).max();
            assert!(page.cut, "{} elements, {deepest:?} deep", page.elements.len());
            assert!(page.elements.len() < ELEMENTS + 1_000);
        }
        assert!(!Page::read(&"<div>".repeat(400)).cut);
    }

    #[test]
    fn tags_after_odd_text_are_found() {
        for text in
            ["<b <!T>&amp;<math>", "&am<b>", "</><b>", "<svg><![CDATA[]]><b>", "&#6<i><<b a=<>"]
        {
            let page = Page::read(text);
            let found: Vec<_> =
                page.tags.iter().map(|tag| (&*tag.name, &text[tag.at.clone()])).collect();
            for (name, written) in &found {
                assert!(written[1..].starts_with(name), "{text}: {found:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn a_tags_place_begins_and_ends_with_its_brackets(
            text in "(<|>|</|<!--|-->|<p|<script>|</script>|<svg>|<title>|<b |a='|\"|'|=|&lt|&#6|&|a|&amp;| |\n|\r\n|é|x|</>|<!|<!\\[CDATA\\[|\\]\\]>|</svg>|<textarea>|</textarea>|<math>|<table>|<select>|</p>|</b>|\u{0}){0,60}"
        ) {
            for tag in Page::read(&text).tags {
                let written = &text[tag.at.clone()];
                prop_assert!(written.starts_with('<') && written.ends_with('>'), "{written:?}");
                let name: String = written[1..].chars().take_while(|c| !c.is_ascii_whitespace() && !matches!(c, '/' | '>')).collect();
                prop_assert_eq!(name.replace('\u{0}', "\u{fffd}").to_ascii_lowercase(), &*tag.name);
                let names: Vec<_> = super::super::attributes::attributes(written).iter().map(|a| a.name.to_ascii_lowercase()).collect();
                for attribute in &tag.attributes {
                    prop_assert!(names.iter().any(|name| name.replace('\u{0}', "\u{fffd}") == *attribute.name.local), "{written:?}");
                }
            }
        }
    }
}
