//! What a card asks the network for. None of it comes.

use super::attributes::attributes;
use super::css;
use super::finding::{Finding, quoted};
use super::page::{Page, Tag};
use super::place::Source;

const STYLE: &str = "external_style";
const FONT: &str = "external_font";
const IMAGE: &str = "external_image";
const MEDIA: &str = "external_media";

/// Notes about everything that tags load.
pub(super) fn in_tags(page: &Page, source: &Source<'_>) -> Vec<Finding> {
    let live = page.tags.iter().filter(|tag| tag.element.is_some() || tag.is("body"));
    live.flat_map(|tag| loads(tag, source)).collect()
}

/// Notes about everything that a stylesheet loads. `place` finds a byte of it in the text.
pub(super) fn in_css(
    sheet: &str,
    all: &[css::Declaration],
    place: impl Fn(usize) -> usize,
    source: &Source<'_>,
) -> Vec<Finding> {
    let mut found = Vec::new();
    for declared in all {
        if declared.property == "@import" {
            let import = css::imported(sheet, declared.value.clone());
            found.extend(import.map(|(at, url)| (STYLE, at, url)));
            continue;
        }
        let code = if declared.of_font && declared.property == "src" { FONT } else { IMAGE };
        let urls = css::urls(sheet, declared.value.clone());
        let one = urls.into_iter().find(|(_, url)| is_external(url));
        found.extend(one.map(|(at, url)| (code, at, url)));
    }
    let external = found.into_iter().filter(|(_, _, url)| is_external(url));
    external.map(|(code, at, url)| note(code, source, place(at), url)).collect()
}

/// Whether an address is anything that is not in the card itself.
pub(super) fn is_external(address: &str) -> bool {
    let address = address.trim();
    if address.is_empty() || address.starts_with('#') {
        return false;
    }
    // What a script fills in is no address yet.
    if ["${", "{{", "<%"].iter().any(|opens| address.contains(opens)) {
        return false;
    }
    let scheme = address.split_once(':').map(|(scheme, _)| scheme).filter(|scheme| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    });
    let inside = ["data", "blob", "about", "javascript"];
    !scheme.is_some_and(|scheme| inside.iter().any(|one| scheme.eq_ignore_ascii_case(one)))
}

fn loads(tag: &Tag, source: &Source<'_>) -> Vec<Finding> {
    let list: &[(&str, &'static str)] = match &*tag.name {
        "link" => return link(tag, source),
        "img" => &[("src", IMAGE), ("srcset", IMAGE)],
        "image" | "feimage" | "feImage" => {
            &[("href", IMAGE), ("xlink:href", IMAGE), ("src", IMAGE)]
        }
        "use" => &[("href", IMAGE), ("xlink:href", IMAGE)],
        "input" if tag.attribute("type").is_some_and(|t| t.eq_ignore_ascii_case("image")) => {
            &[("src", IMAGE)]
        }
        "body" | "table" | "td" | "th" => &[("background", IMAGE)],
        "video" => &[("src", MEDIA), ("poster", IMAGE)],
        "audio" | "source" | "track" | "iframe" | "frame" | "embed" => {
            &[("src", MEDIA), ("srcset", IMAGE)]
        }
        "object" => &[("data", MEDIA)],
        _ => return Vec::new(),
    };
    let first = list.iter().find_map(|(name, code)| {
        let address = first_address(name, tag.attribute(name)?);
        is_external(address).then(|| note(code, source, value_at(tag, name, source), address))
    });
    first.into_iter().collect()
}

/// A `srcset` is a list with sizes.
fn first_address<'a>(attribute: &str, value: &'a str) -> &'a str {
    match attribute {
        "srcset" if !value.trim_start().starts_with("data:") => {
            value.split_whitespace().next().unwrap_or_default().trim_end_matches(',')
        }
        _ => value,
    }
}

fn link(tag: &Tag, source: &Source<'_>) -> Vec<Finding> {
    let (Some(rel), Some(href)) = (tag.attribute("rel"), tag.attribute("href")) else {
        return Vec::new();
    };
    let rel = rel.to_ascii_lowercase();
    let has = |word: &str| rel.split_ascii_whitespace().any(|one| one == word);
    let kind = tag.attribute("as").map(str::to_ascii_lowercase);
    let code = match kind.as_deref() {
        _ if has("stylesheet") => STYLE,
        Some("style") if has("preload") => STYLE,
        Some("font") if has("preload") => FONT,
        Some("image") if has("preload") => IMAGE,
        _ => return Vec::new(),
    };
    let external = is_external(href);
    external.then(|| note(code, source, value_at(tag, "href", source), href)).into_iter().collect()
}

/// Where an attribute's value stands in the text.
pub(super) fn value_at(tag: &Tag, name: &str, source: &Source<'_>) -> usize {
    let written = attributes(&source.text()[tag.at.clone()]);
    let one = written.iter().find(|attribute| attribute.name.eq_ignore_ascii_case(name));
    tag.at.start + one.map_or(0, |attribute| attribute.value.start)
}

fn note(code: &'static str, source: &Source<'_>, at: usize, address: &str) -> Finding {
    let (what, instead) = match code {
        STYLE => (
            "stylesheet",
            "write the rules in a <style>; text and controls have a base style already",
        ),
        FONT => ("font", "use system-ui, or a small font as a data: URL"),
        IMAGE => ("image", "draw it as inline <svg> or on a <canvas>, or use a data: URL"),
        _ => ("media", "use a data: URL, or link to it in words"),
    };
    let words =
        format!("the {what} {} never loads, a card has no network: {instead}", quoted(address));
    Finding::at(code, source, at, &words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("https://cdn.example/a.css", true)]
    #[case("//cdn.example/a.css", true)]
    #[case("a.png", true)]
    #[case("/img/a.png", true)]
    #[case("file:///a.png", true)]
    #[case(" DATA:image/png;base64,AAAA", false)]
    #[case("blob:null/1", false)]
    #[case("#gradient", false)]
    #[case("", false)]
    #[case("${src}", false)]
    #[case("{{ image }}", false)]
    fn an_address_is_external_unless_the_card_holds_it(
        #[case] address: &str,
        #[case] external: bool,
    ) {
        assert_eq!(is_external(address), external);
    }
}
