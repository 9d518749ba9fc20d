use super::*;
use proptest::prelude::*;
use rstest::rstest;

fn document(html: &str) -> String {
    let events = vec![BridgeEvent { name: "pick", action: true }];
    let bridge =
        Bridge { nonce: "n0nce", card: CardId(1), title: "T </script><!--", events, open: true };
    card_document(html, &bridge, &Theme::of(Mode::Dark))
}

/// The value of the one `srcdoc` as a browser's parser reads it.
fn srcdoc(outer: &str) -> String {
    let start = outer.find("srcdoc=\"").unwrap() + 8;
    let value = &outer[start..start + outer[start..].find('"').unwrap()];
    value.replace("&quot;", "\"").replace("&amp;", "&")
}

#[test]
fn the_document_begins_with_the_dns_meta_then_the_bridge_then_the_author() {
    let document = document("<p>hello</p>");
    let meta =
        document.find("<meta http-equiv=\"x-dns-prefetch-control\" content=\"off\">").unwrap();
    let bridge = document.find("<script>").unwrap();
    let author = document.find("<p>hello</p>").unwrap();
    assert_eq!(meta, "<!doctype html>".len());
    assert!(meta < bridge && bridge < author);
    assert!(document.ends_with("<body><p>hello</p>"));
}

#[rstest]
#[case("<p>fragment</p>\n<p>second</p>")]
#[case("<!doctype html><body>whole")]
fn the_bridge_knows_where_the_authors_text_begins(#[case] html: &str) {
    let document = document(html);
    let place = document.split(r#""author":{"line":"#).nth(1).unwrap();
    let (line, rest) = place.split_once(r#","column":"#).unwrap();
    let column = rest.split_once('}').unwrap().0;
    let at: [usize; 2] = [line, column].map(|number| number.parse().unwrap());
    let first = document.lines().nth(at[0] - 1).unwrap();
    assert_eq!(&first[at[1] - 1..], html.lines().next().unwrap());
    assert!(document.ends_with(html));
}

#[test]
fn a_title_cannot_leave_the_bridges_script() {
    let document = document("<p>hello</p>");
    assert_eq!(document.matches("</script>").count(), 1);
    assert!(document.contains("T \\u003c/script>\\u003c!--"));
}

#[rstest]
#[case("<!DOCTYPE html><html lang=en><head><title>T</title></head><body class=dark>x", true)]
#[case("  \n<!-- made by a model -->\n<HTML>", true)]
#[case("\u{feff}<body>x", true)]
#[case("<head><style></style></head>", true)]
#[case("<header>x</header>", false)]
#[case("<script>document.body.append(1)</script>", false)]
#[case("text", false)]
#[case("<!-- open", false)]
#[case("<héad", false)]
fn a_document_is_told_from_a_fragment(#[case] html: &str, #[case] whole: bool) {
    assert_eq!(is_document(html), whole);
    assert_eq!(document(html).contains("</style>\n<body>"), !whole);
}

#[rstest]
#[case("<template shadowrootmode=open>x</template>", "<template shadowrootnone=open>x</template>")]
#[case("<TEMPLATE a='>' ShadowRootMode='closed'>", "<TEMPLATE a='>' shadowrootnone='closed'>")]
#[case("<template =\" b=\">\" shadowrootmode=open>", "<template =\" b=\">\" shadowrootnone=open>")]
#[case("<template/shadowrootmode=open>", "<template/shadowrootnone=open>")]
#[case("shadowrootshadowrootmodemode", "shadowrootshadowrootnonemode")]
#[case("<template id=t>", "<template id=t>")]
fn a_shadow_root_is_not_made_by_the_parser(#[case] html: &str, #[case] safe: &str) {
    assert_eq!(without_shadow_roots(html), safe);
}

#[test]
fn the_outer_document_has_no_script_of_its_own_and_one_sandboxed_frame() {
    let card =
        document("<p title=\"a &quot;b&quot; & c\">5 &lt; 6</p><script>1<2&&\"ok\"</script>");
    let outer = outer_document(&card, Mode::Dark);
    let around = outer.replace(&outer[outer.find("srcdoc=").unwrap()..], "");
    assert!(!around.contains("<script"));
    assert_eq!(around.matches("<iframe").count(), 1);
    assert!(around.contains("sandbox=\"allow-scripts allow-forms\""));
}

proptest! {
    #[test]
    fn the_card_inside_the_attribute_is_byte_for_byte_what_was_assembled(html in "[<>&\"'a-z0-9;#=\\PC]{0,300}") {
        let card = document(&html);
        prop_assert_eq!(srcdoc(&outer_document(&card, Mode::Dark)), card);
    }

    #[test]
    fn taking_shadow_roots_out_keeps_everything_else(html in "(<template|shadowrootmode|=|'|\"|>| |[a-z]|é){0,40}") {
        let safe = without_shadow_roots(&html);
        prop_assert!(!safe.contains("shadowrootmode"));
        prop_assert_eq!(safe.replace("shadowrootnone", "shadowrootmode"), html);
    }
}
