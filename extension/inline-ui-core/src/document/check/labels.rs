//! Controls and images that a screen reader can say nothing about.

use super::finding::{Finding, quoted};
use super::page::{Page, Tag};
use super::place::Source;
use std::collections::BTreeSet;

/// Notes about controls without a label and images without alt. `code` is all of the card's
/// scripts: what they may put in is not missed.
pub(super) fn notes(page: &Page, source: &Source<'_>, code: &str) -> Vec<Finding> {
    let mentions = |words: &[&str]| words.iter().any(|word| code.contains(word));
    let labelled_later =
        mentions(&["aria-label", "ariaLabel", "htmlFor", "<label", "'label'", "\"label\""]);
    let named_later =
        labelled_later || mentions(&[".alt", "'alt'", "\"alt\"", "alt:", ".title", "'title'"]);
    let labels = page.tags.iter().filter(|tag| tag.is("label"));
    let labelled: BTreeSet<&str> = labels.filter_map(|label| label.attribute("for")).collect();
    let mut hidden = Hidden::new(page);
    let mut found = Vec::new();
    for tag in &page.tags {
        let Some(element) = tag.element.filter(|at| page.elements[*at].is_html()) else { continue };
        if tag.is("img") && !named_later && !has_alt(tag) && !hidden.has(element) {
            let words =
                "the image has no alt: write alt=\"what it shows\", or alt=\"\" for decoration";
            found.push(Finding::at("missing_alt", source, tag.at.start, words));
        }
        let unlabelled = !labelled_later
            && is_control(page, tag, element)
            && !is_labelled(page, tag, element, &labelled)
            && !hidden.has(element);
        if unlabelled {
            let what = quoted(&source.text()[tag.at.clone()]);
            let instead = if tag.is("button") {
                "give it text, or aria-label"
            } else {
                "put it inside <label>, or give it aria-label"
            };
            let words = format!("the control {what} has no label: {instead}");
            found.push(Finding::at("missing_label", source, tag.at.start, &words));
        }
    }
    found
}

fn has_alt(tag: &Tag) -> bool {
    let decorative =
        tag.attribute("role").is_some_and(|role| matches!(role, "presentation" | "none"));
    decorative || tag.attribute("alt").is_some() || has_name(tag)
}

/// A name of its own. A placeholder is one, as browsers compute names.
fn has_name(tag: &Tag) -> bool {
    ["aria-label", "aria-labelledby", "title", "placeholder"]
        .iter()
        .any(|name| tag.attribute(name).is_some_and(|value| !value.trim().is_empty()))
}

fn is_control(page: &Page, tag: &Tag, element: usize) -> bool {
    match &*tag.name {
        "select" | "textarea" => true,
        "input" => {
            let kind = tag.attribute("type").unwrap_or_default().to_ascii_lowercase();
            !matches!(kind.as_str(), "hidden" | "submit" | "reset" | "button")
        }
        // A script may fill an empty button; one with a drawing and no text is as it will be.
        "button" => {
            let mut drawn = false;
            for inside in page.descendants(element) {
                let named = page.tag_of(inside).is_some_and(|tag| {
                    has_name(tag) || (tag.is("img") && tag.attribute("alt").is_some())
                });
                if inside.has_text || named {
                    return false;
                }
                drawn |= &*inside.name.local == "svg";
            }
            drawn && !page.elements[element].has_text
        }
        _ => false,
    }
}

fn is_labelled(page: &Page, tag: &Tag, element: usize, labelled: &BTreeSet<&str>) -> bool {
    let image_named = tag.is("input") && tag.attribute("alt").is_some_and(|alt| !alt.is_empty());
    let by_id = tag.attribute("id").is_some_and(|id| labelled.contains(id));
    let inside_label = || page.ancestors(element).any(|(_, other)| &*other.name.local == "label");
    image_named || has_name(tag) || by_id || inside_label()
}

/// Which elements are not shown, or stand in a template that a script fills.
struct Hidden<'p> {
    page: &'p Page,
    known: Vec<Option<bool>>,
}

impl<'p> Hidden<'p> {
    fn new(page: &'p Page) -> Self {
        Self { page, known: vec![None; page.elements.len()] }
    }

    fn has(&mut self, element: usize) -> bool {
        let mut unknown = Vec::new();
        let mut hidden = false;
        for (at, ancestor) in self.page.ancestors(element) {
            if let Some(known) = self.known[at] {
                hidden = known;
                break;
            }
            unknown.push(at);
            if self.page.tag_of(ancestor).is_some_and(hides) {
                hidden = true;
                break;
            }
        }
        for at in unknown {
            self.known[at] = Some(hidden);
        }
        hidden
    }
}

fn hides(tag: &Tag) -> bool {
    let style: String = tag.attribute("style").unwrap_or_default().split_whitespace().collect();
    tag.attribute("hidden").is_some()
        || tag.attribute("aria-hidden") == Some("true")
        || style.contains("display:none")
        || style.contains("visibility:hidden")
        || tag.is("template")
}
