//! As much of a stylesheet as the check needs: its declarations, and what it imports.

use std::ops::Range;

/// A declaration or an `@import`, with the places of its parts in the stylesheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Declaration {
    /// In lower case; `@import` for one.
    pub(super) property: String,
    pub(super) value: Range<usize>,
    /// The rule it stands in: declarations of one rule have one number.
    pub(super) rule: usize,
    /// Whether that is `@font-face`.
    pub(super) of_font: bool,
}

/// Reads a stylesheet, or with `in_rule` the value of a `style` attribute.
pub(super) fn declarations(css: &str, in_rule: bool) -> Vec<Declaration> {
    let bytes = without_comments(css);
    let mut found = Vec::new();
    let mut rules = 0;
    // Whether each open rule is `@font-face`, with its number.
    let mut open: Vec<(usize, bool)> = if in_rule { vec![(0, false)] } else { Vec::new() };
    let (mut start, mut at, mut parens) = (0, 0, 0_usize);
    while at <= bytes.len() {
        match bytes.get(at) {
            Some(quote @ (b'"' | b'\'')) => at = string_end(&bytes, at, *quote),
            Some(b'(') => parens += 1,
            Some(b')') => parens = parens.saturating_sub(1),
            Some(b'{') if parens == 0 => {
                rules += 1;
                let font = css[start..at].trim().eq_ignore_ascii_case("@font-face");
                open.push((rules, font));
                start = at + 1;
            }
            None | Some(b';' | b'}') if parens == 0 || at >= bytes.len() => {
                let (rule, of_font) = open.last().copied().unwrap_or_default();
                found.extend(declaration(&bytes, start..at.min(bytes.len()), rule, of_font));
                if bytes.get(at) == Some(&b'}') {
                    open.pop();
                }
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// What stands in each `url(...)` of a value, without quotes, with its place in the stylesheet.
pub(super) fn urls(css: &str, value: Range<usize>) -> Vec<(usize, &str)> {
    let text = &css[value.clone()];
    let lower = text.to_ascii_lowercase();
    lower
        .match_indices("url(")
        .filter_map(|(at, opens)| {
            let from = at + opens.len();
            let inside = &text[from..];
            let trimmed = inside.trim_start();
            let skipped = inside.len() - trimmed.len();
            let (url, quote) = match trimmed.chars().next()? {
                quote @ ('"' | '\'') => (trimmed[1..].split(quote).next()?, 1),
                _ => (trimmed.split(')').next()?.trim_end(), 0),
            };
            Some((value.start + from + skipped + quote, url))
        })
        .collect()
}

/// What an `@import` names, with its place in the stylesheet.
pub(super) fn imported(css: &str, value: Range<usize>) -> Option<(usize, &str)> {
    let text = &css[value.clone()];
    match text.chars().next()? {
        quote @ ('"' | '\'') => Some((value.start + 1, text[1..].split(quote).next()?)),
        _ => urls(css, value).into_iter().next(),
    }
}

fn declaration(
    bytes: &[u8],
    part: Range<usize>,
    rule: usize,
    of_font: bool,
) -> Option<Declaration> {
    let text = std::str::from_utf8(&bytes[part.clone()]).ok()?;
    let lead = text.len() - text.trim_start().len();
    let trimmed = text.trim();
    let (property, after) = match trimmed.get(..7) {
        Some(word) if word.eq_ignore_ascii_case("@import") => ("@import", &trimmed[7..]),
        _ => trimmed.split_once(':')?,
    };
    let value = after.trim();
    let from = part.start
        + lead
        + (trimmed.len() - after.len())
        + (after.len() - after.trim_start().len());
    Some(Declaration {
        property: property.trim().to_ascii_lowercase(),
        value: from..from + value.len(),
        rule,
        of_font,
    })
}

/// The same bytes with spaces for comments.
fn without_comments(css: &str) -> Vec<u8> {
    let mut bytes = css.as_bytes().to_vec();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            quote @ (b'"' | b'\'') => at = string_end(&bytes, at, quote),
            b'(' if bytes[at.saturating_sub(3)..at].eq_ignore_ascii_case(b"url") => {
                at += bytes[at..].iter().position(|byte| *byte == b')').unwrap_or(bytes.len() - at);
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                let rest = &css.as_bytes()[at + 2..];
                let end = rest.windows(2).position(|pair| pair == b"*/");
                let end = end.map_or(bytes.len(), |n| at + 2 + n + 2);
                bytes[at..end].fill(b' ');
                at = end;
                continue;
            }
            _ => {}
        }
        at += 1;
    }
    bytes
}

/// The last byte of a string: its closing quote, or the end of its line.
fn string_end(bytes: &[u8], from: usize, quote: u8) -> usize {
    let mut at = from + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'\n' => return at,
            byte if byte == quote => return at,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(css: &str, in_rule: bool) -> Vec<(String, &str, usize)> {
        let all = declarations(css, in_rule);
        all.into_iter().map(|d| (d.property, &css[d.value], d.rule)).collect()
    }

    #[test]
    fn declarations_are_found_with_their_values_and_rules() {
        let css = "@import 'a.css' screen;\n/* p{color:red} */ a:hover { color : red ; background:url(data:x;y,{}) }\n@media (min-width:1px) { b { content: '};' ; height:1px } }";
        let expected = [
            ("@import".to_owned(), "'a.css' screen", 0),
            ("color".to_owned(), "red", 1),
            ("background".to_owned(), "url(data:x;y,{})", 1),
            ("content".to_owned(), "'};'", 3),
            ("height".to_owned(), "1px", 3),
        ];
        assert_eq!(read(css, false), expected);
        assert_eq!(
            read("color:red;height:2px", true),
            [("color".to_owned(), "red", 0), ("height".to_owned(), "2px", 0)]
        );
    }

    #[test]
    fn addresses_are_found_where_they_stand() {
        let css = "a{b:url( 'x.png' ) , URL(y.png)}@font-face{src:url(\"f.woff2\")}";
        let all = declarations(css, false);
        let urls: Vec<_> = all.iter().flat_map(|d| urls(css, d.value.clone())).collect();
        assert_eq!(urls, [(10, "x.png"), (25, "y.png"), (52, "f.woff2")]);
        assert!(all[1].of_font && !all[0].of_font);
    }

    #[test]
    fn what_is_cut_off_or_no_css_ends() {
        for css in ["a{b:'", "a{b:url(", "/*", "}}}", "a{b:c", "((((", "@import", "é{ü:ö\\"] {
            declarations(css, false);
            declarations(css, true);
        }
    }
}
