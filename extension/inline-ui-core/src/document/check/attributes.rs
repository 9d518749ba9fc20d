use std::ops::Range;

/// An attribute as it is written in a tag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written<'a> {
    pub(super) name: &'a str,
    /// With the white space before it, within the tag.
    pub(super) whole: Range<usize>,
    /// Without quotes, within the tag; empty where the attribute has no value.
    pub(super) value: Range<usize>,
}

/// The attributes of a tag, by the tokenizer's own rules. `tag` is one whole tag, `<` to `>`.
pub(super) fn attributes(tag: &str) -> Vec<Written<'_>> {
    let bytes = tag.as_bytes();
    let skip = |from: usize, while_is: fn(u8) -> bool| {
        bytes[from..].iter().position(|byte| !while_is(*byte)).map_or(bytes.len(), |n| from + n)
    };
    let mut found = Vec::new();
    let mut at = skip(1, |byte| !is_space(byte) && byte != b'/' && byte != b'>');
    loop {
        let start = at;
        at = skip(at, |byte| is_space(byte) || byte == b'/');
        if at >= bytes.len() || bytes[at] == b'>' {
            return found;
        }
        let name_from = at;
        // An equals sign in the first place belongs to the name.
        at = skip(at + 1, |byte| !is_space(byte) && !matches!(byte, b'/' | b'>' | b'='));
        let name = &tag[name_from..at];
        let equals = skip(at, is_space);
        let mut value = at..at;
        if bytes.get(equals) == Some(&b'=') {
            let from = skip(equals + 1, is_space);
            let quote = bytes.get(from).copied().filter(|byte| matches!(byte, b'"' | b'\''));
            value = match quote {
                Some(quote) => {
                    let end = bytes[from + 1..].iter().position(|byte| *byte == quote);
                    from + 1..end.map_or(bytes.len(), |n| from + 1 + n)
                }
                None => from..skip(from, |byte| !is_space(byte) && byte != b'>'),
            };
            at = (value.end + usize::from(quote.is_some())).min(bytes.len());
        }
        found.push(Written { name, whole: start..at, value });
    }
}

/// Where a byte of a decoded value stands in the value as it is written.
pub(super) fn written_offset(written: &str, decoded: &str, offset: usize) -> usize {
    let (mut here, mut there) = (0, 0);
    while there < offset && here < written.len() {
        let (rest, value) = (&written[here..], &decoded[there..]);
        let reference = rest.strip_prefix('&').and_then(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '#')?;
            (end > 0 && rest.as_bytes()[end] == b';').then_some(end + 2)
        });
        let plain = rest.chars().next().is_some_and(|c| value.starts_with(c));
        let step = match reference {
            Some(length) if !plain || rest.starts_with("&amp;") || rest.starts_with("&#38;") => {
                length
            }
            _ if rest.starts_with("\r\n") => 2,
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        here += step;
        there += value.chars().next().map_or(1, char::len_utf8);
    }
    here.min(written.len())
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0c)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("<p>", &[])]
    #[case("<p a=1 b='2 3' c=\"4>\" d>", &[("a", "1"), ("b", "2 3"), ("c", "4>"), ("d", "")])]
    #[case("<br/>", &[])]
    #[case("<img src=a/b.png/>", &[("src", "a/b.png/")])]
    #[case("<i a = '1'b=2>", &[("a", "1"), ("b", "2")])]
    #[case("<i =x y>", &[("=x", ""), ("y", "")])]
    #[case("<i a=>", &[("a", "")])]
    #[case("<i é='ü'>", &[("é", "ü")])]
    fn attributes_are_found_as_the_tokenizer_finds_them(
        #[case] tag: &str,
        #[case] expected: &[(&str, &str)],
    ) {
        let found = attributes(tag);
        let found: Vec<_> = found.iter().map(|a| (a.name, &tag[a.value.clone()])).collect();
        assert_eq!(found, expected);
    }

    #[rstest]
    #[case("f('x')", "f('x')", 2, 2)]
    #[case("f(&quot;x&quot;)", "f(\"x\")", 3, 8)]
    #[case("a &amp;&amp; b", "a && b", 5, 13)]
    #[case("a && b", "a && b", 5, 5)]
    #[case("&copy; é x", "© é x", 6, 10)]
    fn a_place_in_a_decoded_value_is_found_in_the_written_one(
        #[case] written: &str,
        #[case] decoded: &str,
        #[case] offset: usize,
        #[case] expected: usize,
    ) {
        assert_eq!(written_offset(written, decoded, offset), expected);
    }
}
