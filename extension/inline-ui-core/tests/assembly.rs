//! The assembled document, read again by a browser's parser: it holds what the author wrote, and
//! nothing of the author's comes before the bridge.

use html5ever::tendril::TendrilSink;
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{ParseOpts, parse_document};
use inline_ui_core::CardId;
use inline_ui_core::document::{Bridge, BridgeEvent, Mode, Theme, card_document};
use markup5ever_rcdom::{Handle, NodeData, RcDom};
use proptest::prelude::*;

/// Of the head's nodes: two metas, the bridge, the theme, the base.
const OURS: [&str; 5] = ["meta", "meta", "script", "style", "style"];

fn assembled(html: &str) -> String {
    let events = vec![BridgeEvent { name: "pick", action: true }];
    let bridge = Bridge { nonce: "n0nce", card: CardId(1), title: "T", events, open: true };
    card_document(html, &bridge, &Theme::of(Mode::Light))
}

fn parsed(document: &str) -> RcDom {
    let opts = ParseOpts {
        tree_builder: TreeBuilderOpts { iframe_srcdoc: true, ..TreeBuilderOpts::default() },
        ..ParseOpts::default()
    };
    parse_document(RcDom::default(), opts).one(document)
}

/// What a tree says, one line a node; comments are told apart, because where one stands before the
/// author's `<html>` is ours to say.
#[derive(Debug, Default, PartialEq, Eq)]
struct Told {
    head: Vec<String>,
    rest: Vec<String>,
    comments: Vec<String>,
}

fn told(dom: &RcDom) -> Told {
    let mut told = Told::default();
    tell(&dom.document, 0, false, &mut told);
    told
}

fn tell(node: &Handle, depth: usize, in_head: bool, told: &mut Told) {
    let mut inside_head = in_head;
    let line = match &node.data {
        NodeData::Element { name, attrs, template_contents, .. } => {
            let mut attrs: Vec<String> = attrs
                .borrow()
                .iter()
                .map(|attr| format!("{}={:?}", &*attr.name.local, &*attr.value))
                .collect();
            attrs.sort();
            inside_head |= depth == 2 && &*name.local == "head";
            if let Some(contents) = template_contents.borrow().as_ref() {
                for child in contents.children.borrow().iter() {
                    tell(child, depth + 1, in_head, told);
                }
            }
            Some(format!("{depth} <{} {}>", &*name.local, attrs.join(" ")))
        }
        NodeData::Text { contents } => {
            let text = contents.borrow();
            let blank = text.chars().all(|c| c.is_ascii_whitespace());
            (!(blank && in_head)).then(|| format!("{depth} {text:?}"))
        }
        NodeData::Comment { contents } => {
            told.comments.push(contents.to_string());
            None
        }
        _ => None,
    };
    let lines = if in_head { &mut told.head } else { &mut told.rest };
    lines.extend(line);
    for child in node.children.borrow().iter() {
        tell(child, depth + 1, inside_head, told);
    }
}

/// Takes our own nodes out of what is told of the head, with the text in them, and gives the bridge's.
fn without_ours(told: &mut Told) -> String {
    let mut bridge = String::new();
    for name in OURS {
        assert!(told.head[0].starts_with(&format!("3 <{name} ")), "{:?}", told.head[0]);
        told.head.remove(0);
        if told.head.first().is_some_and(|line| line.starts_with("4 ")) {
            let text = told.head.remove(0);
            if name == "script" {
                bridge = text;
            }
        }
    }
    bridge
}

fn holds(html: &str) -> Result<(), TestCaseError> {
    let document = assembled(html);
    let (before, after) = document.split_at(document.len() - html.len());
    let plain = |text: &str| text.to_ascii_lowercase().replace("shadowrootmode", "shadowrootnone");
    prop_assert_eq!(plain(after), plain(html), "the author's text is unchanged");
    prop_assert!(!after.to_ascii_lowercase().contains("shadowrootmode"));

    let body = if before.ends_with("<body>") { "<body>" } else { "" };
    let alone = told(&parsed(&format!("<!doctype html>{body}{after}")));
    let mut together = told(&parsed(&document));
    let bridge = without_ours(&mut together);
    prop_assert!(bridge.contains("n0nce"), "the bridge is the first script");
    prop_assert_eq!(together, alone);
    Ok(())
}

#[test]
fn every_card_of_the_bank_is_held_unchanged() {
    for folder in ["good", "bad"] {
        let path = format!("{}/../../tests/cards/{folder}", env!("CARGO_MANIFEST_DIR"));
        for entry in std::fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "html") {
                holds(&std::fs::read_to_string(&path).unwrap()).unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_pieces_of_markup_are_held_unchanged(
        html in "(<!doctype html>|<html lang=en>|<head>|</head>|<body class=a>|</body>|</html>|<!-- c -->|<!--|<p>|</p>|<script>|</script>|<style>|</style>|<svg>|</svg>|<template shadowrootmode=open>|<template>|</template>|<title>|</title>|<table>|<td>|<select>|<textarea>|<frameset>|<noscript>|<plaintext>|<base href=x>|<meta charset=utf-8>|<link>|<b a='|'|\"|>| |\n|\r\n|&lt;|&amp|\u{feff}|\u{0}|x|é){0,24}"
    ) {
        holds(&html)?;
    }

    #[test]
    fn any_text_is_held_unchanged(html in "\\PC{0,200}") {
        holds(&html)?;
    }
}
