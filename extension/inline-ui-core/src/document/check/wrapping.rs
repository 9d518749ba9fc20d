//! What stands around the markup of a card, or over all of it, and is not meant to be seen.

use super::finding::Finding;
use super::place::Source;
use std::ops::Range;

/// Markup may be escaped inside a fence, or twice; more than this nobody has sent.
const LAYERS: usize = 3;

/// The markup alone, and what was taken off.
pub(super) fn unwrapped(author: &str) -> (Source<'_>, Vec<Finding>) {
    let mut source = Source::new(author);
    let mut found: Vec<Finding> = Vec::new();
    for _ in 0..LAYERS {
        if let Some((fence, inside)) = fenced(source.text()) {
            let words = "a Markdown fence stood around the markup; it was removed, with the text outside it: send the markup alone";
            found.push(Finding::at("fence_removed", &source, fence, words));
            source = source.cut(inside);
        } else if let Some(first) = escaped(source.text()) {
            if !found.iter().any(|finding| finding.code == "unescaped") {
                let words =
                    "the markup was escaped (`&lt;`) and was unescaped: send it as it is, with `<`";
                found.push(Finding::at("unescaped", &source, first, words));
            }
            let parts = entities(source.text());
            source = source.replaced(parts);
        } else {
            break;
        }
    }
    (source, found)
}

/// Where the fence begins and what is inside it, when everything outside it is prose.
fn fenced(text: &str) -> Option<(usize, Range<usize>)> {
    let lines: Vec<(usize, &str)> = lines(text).collect();
    let open = lines.iter().position(|(_, line)| mark(line).is_some())?;
    let (at, line) = *lines.get(open)?;
    let fence = mark(line)?;
    if has_tag(&text[..at]) {
        return None;
    }
    let after = at + line.len();
    let one_line = line.trim_start().trim_start_matches(fence).trim_end();
    if let Some(inside) = one_line.strip_suffix(fence_of(fence).as_str())
        && has_tag(inside)
    {
        let start = text[at..].find('<').map(|tag| at + tag)?;
        let end = text[..after].rfind(fence_of(fence).as_str())?;
        return (start < end && !has_tag(&text[after..])).then_some((at, start..end));
    }
    let inside_from = lines.get(open + 1)?.0;
    let closing = |line: &str| line.trim() == fence_of(fence) || is_longer(line.trim(), fence);
    let inner = &lines[open + 1..];
    // Several blocks under each other are no one card.
    let last_language = inner.iter().rposition(|(_, line)| names_language(line));
    let first_end = inner.iter().position(|(_, line)| closing(line));
    if first_end.is_some_and(|end| last_language.is_some_and(|language| language > end)) {
        return None;
    }
    let close = inner.iter().rev().find(|(_, line)| closing(line));
    let (end, rest) = match close {
        Some((end, line)) => (*end, end + line.len()),
        None => (text.len(), text.len()),
    };
    let inside = &text[inside_from..end];
    let markup = has_tag(inside) || escaped(inside).is_some();
    let fits = markup && !has_tag(&text[rest..]);
    fits.then_some((at, inside_from..end))
}

/// Whether a line is a fence that opens a block of a language.
fn names_language(line: &str) -> bool {
    mark(line).is_some_and(|fence| {
        let language = line.trim().trim_start_matches(fence);
        !language.is_empty() && language.chars().all(|c| c.is_ascii_alphanumeric())
    })
}

/// The character of the fence that a line begins with.
fn mark(line: &str) -> Option<char> {
    let line = line.trim_start();
    let fence = ['`', '~'].into_iter().find(|fence| line.starts_with(fence_of(*fence).as_str()))?;
    let language = line.trim_start_matches(fence);
    let word = language.split([' ', '\t', '<']).next().unwrap_or_default();
    word.trim_end().chars().all(|c| c.is_ascii_alphanumeric()).then_some(fence)
}

fn fence_of(mark: char) -> String {
    mark.to_string().repeat(3)
}

fn is_longer(line: &str, fence: char) -> bool {
    line.len() > 3 && line.chars().all(|c| c == fence)
}

fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

fn has_tag(text: &str) -> bool {
    tags_after(text, "<") > 0
}

/// How many tags begin in the text, when `opens` is what a tag begins with.
fn tags_after(text: &str, opens: &str) -> usize {
    let begins = |rest: &str| {
        let rest = rest.strip_prefix(['/', '!']).unwrap_or(rest);
        rest.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    text.match_indices(opens).filter(|(at, _)| begins(&text[at + opens.len()..])).count()
}

/// Where escaped markup begins, when the text is nothing else.
fn escaped(text: &str) -> Option<usize> {
    let trimmed = text.trim();
    let opens = ["&lt;", "&amp;lt;"].into_iter().find(|opens| trimmed.starts_with(opens))?;
    let closes = opens.replace("lt;", "gt;");
    let whole = trimmed.ends_with(&closes)
        && tags_after(&trimmed[..opens.len() + 2], opens) == 1
        && tags_after(trimmed, opens) >= 2
        && !has_tag(trimmed);
    whole.then(|| text.len() - text.trim_start().len())
}

/// What an escaper writes, one layer of it.
fn entities(text: &str) -> Vec<(Range<usize>, &'static str)> {
    const ENTITIES: [(&str, &str); 14] = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&amp;", "&"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&#39;", "'"),
        ("&#039;", "'"),
        ("&#x27;", "'"),
        ("&#34;", "\""),
        ("&#x22;", "\""),
        ("&#x2F;", "/"),
        ("&#47;", "/"),
        ("&#x60;", "`"),
        ("&#x3D;", "="),
    ];
    text.match_indices('&')
        .filter_map(|(at, _)| {
            let rest = &text.as_bytes()[at..];
            let (entity, by) = ENTITIES.iter().find(|(entity, _)| {
                rest.get(..entity.len())
                    .is_some_and(|start| start.eq_ignore_ascii_case(entity.as_bytes()))
            })?;
            Some((at..at + entity.len(), *by))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("```html\n<p>x</p>\n```", "<p>x</p>\n")]
    #[case("```\n<p>x</p>\n```\n", "<p>x</p>\n")]
    #[case("~~~html\n<p>x</p>\n~~~", "<p>x</p>\n")]
    #[case("  ```HTML\r\n<p>x</p>\r\n  ```", "<p>x</p>\r\n")]
    #[case("Here is the card:\n\n```html\n<p>x</p>\n```\nLet me know!", "<p>x</p>\n")]
    #[case("```html\n<p>cut off", "<p>cut off")]
    #[case("```html <p>x</p> ```", "<p>x</p> ")]
    #[case("````html\n<p>x</p>\n```\n<p>y</p>\n````", "<p>x</p>\n```\n<p>y</p>\n")]
    #[case("&lt;p&gt;x&lt;/p&gt;", "<p>x</p>")]
    #[case(
        "&lt;p title=&quot;a&quot;&gt;1 &amp;lt; 2&lt;/p&gt;\n",
        "<p title=\"a\">1 &lt; 2</p>\n"
    )]
    #[case("&amp;lt;p&amp;gt;x&amp;lt;/p&amp;gt;", "<p>x</p>")]
    #[case("```html\n&lt;p&gt;x&lt;/p&gt;\n```", "<p>x</p>\n")]
    fn what_is_around_or_over_the_markup_is_taken_off(#[case] author: &str, #[case] markup: &str) {
        let (source, found) = unwrapped(author);
        assert_eq!(source.text(), markup);
        assert!(!found.is_empty());
    }

    #[rstest]
    #[case("<p>x</p>")]
    #[case("<pre>\n```html\n&lt;p>\n```\n</pre>")]
    #[case("<script>\nconst md = `\n```js\nx\n```\n`;\n</script>")]
    #[case("Use &lt;b&gt; and &lt;i&gt; to stress a word.")]
    #[case("&lt;b&gt;")]
    #[case("&lt;b&gt; is <b>bold</b>, &lt;i&gt;")]
    #[case("```html\n<p>x</p>\n```\n```css\np{}\n```\n```js\nlet x;\n```")]
    #[case("```js\nlet x = 1;\n```")]
    #[case("a < b and c > d")]
    fn what_may_be_meant_is_left_as_it_is(#[case] author: &str) {
        let (source, found) = unwrapped(author);
        assert_eq!((source.text(), found), (author, vec![]));
    }
}
