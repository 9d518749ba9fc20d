use serde::Serialize;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;

/// A place in the author's own text. Both numbers begin at 1, and a column is one Unicode character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// Lines end with a line feed, a carriage return, or both.
    pub line: usize,
    /// Characters from the line's start, neither bytes nor UTF-16 units.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Where lines begin, and how many characters stand before every so many bytes.
#[derive(Debug, Clone)]
struct Lines {
    starts: Vec<usize>,
    chars: Vec<usize>,
}

impl Lines {
    const STEP: usize = 1024;

    fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(at, byte)| match byte {
            b'\n' => true,
            // A carriage return before a line feed ends its line there.
            b'\r' => bytes.get(at + 1) != Some(&b'\n'),
            _ => false,
        });
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        let mut count = 0;
        let mut chars = Vec::new();
        for chunk in bytes.chunks(Self::STEP) {
            chars.push(count);
            count += characters(chunk);
        }
        chars.push(count);
        Self { starts, chars }
    }

    /// The place of a byte of `text`, of which these are the lines.
    fn place(&self, text: &str, offset: usize) -> Place {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        Place { line, column: 1 + self.before(text, offset) - self.before(text, start) }
    }

    fn before(&self, text: &str, offset: usize) -> usize {
        let mark = offset / Self::STEP;
        self.chars[mark] + characters(&text.as_bytes()[mark * Self::STEP..offset])
    }
}

/// How many characters begin in these bytes.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xc0 != 0x80).count()
}

/// Text that was made from the author's, with the way back.
#[derive(Debug, Clone)]
pub(super) struct Source<'a> {
    author: &'a str,
    text: Cow<'a, str>,
    /// Where runs that were taken over unchanged begin, here and in the author's text.
    runs: Vec<(usize, usize)>,
    lines: OnceCell<Lines>,
}

impl<'a> Source<'a> {
    pub(super) fn new(author: &'a str) -> Self {
        Self { author, text: author.into(), runs: vec![(0, 0)], lines: OnceCell::new() }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn place(&self, offset: usize) -> Place {
        let lines = self.lines.get_or_init(|| Lines::of(self.author));
        lines.place(self.author, self.back(offset))
    }

    /// Only this part of it.
    pub(super) fn cut(self, part: Range<usize>) -> Self {
        let first = (0, self.back(part.start));
        let later = self.runs.iter().filter(|(here, _)| part.contains(here) && *here > part.start);
        let runs = std::iter::once(first)
            .chain(later.map(|(here, there)| (here - part.start, *there)))
            .collect();
        let text = self.text[part].to_owned().into();
        Self { author: self.author, text, runs, lines: self.lines }
    }

    /// With each of these parts replaced. They are in order and do not overlap.
    pub(super) fn replaced(
        self,
        parts: impl IntoIterator<Item = (Range<usize>, &'static str)>,
    ) -> Self {
        let mut text = String::with_capacity(self.text.len());
        let mut runs: Vec<(usize, usize)> = Vec::new();
        let mut copied = 0;
        let mut known = self.runs.iter().peekable();
        let mut copy = |text: &mut String, runs: &mut Vec<(usize, usize)>, part: Range<usize>| {
            runs.push((text.len(), self.back(part.start)));
            while let Some((here, there)) = known.next_if(|(here, _)| *here < part.end) {
                if *here > part.start {
                    runs.push((text.len() + here - part.start, *there));
                }
            }
            text.push_str(&self.text[part]);
        };
        for (part, by) in parts {
            copy(&mut text, &mut runs, copied..part.start);
            runs.push((text.len(), self.back(part.start)));
            text.push_str(by);
            copied = part.end;
        }
        copy(&mut text, &mut runs, copied..self.text.len());
        runs.dedup_by_key(|(here, _)| *here);
        Self { author: self.author, text: text.into(), runs, lines: self.lines }
    }

    fn back(&self, offset: usize) -> usize {
        let run = self.runs.partition_point(|(here, _)| *here <= offset).saturating_sub(1);
        let (here, there) = self.runs.get(run).copied().unwrap_or_default();
        let back = there + offset.saturating_sub(here);
        // Inside what replaced an escape there is no byte of its own.
        (0..=back.min(self.author.len()))
            .rev()
            .find(|at| self.author.is_char_boundary(*at))
            .unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("", 0, (1, 1))]
    #[case("abc", 2, (1, 3))]
    #[case("a\nbc", 2, (2, 1))]
    #[case("a\r\nbc", 4, (2, 2))]
    #[case("a\rbc", 3, (2, 2))]
    #[case("a\n\r\nb", 4, (3, 1))]
    #[case("é👍x", 6, (1, 3))]
    fn a_place_counts_lines_and_characters_from_1(
        #[case] text: &str,
        #[case] offset: usize,
        #[case] place: (usize, usize),
    ) {
        let Place { line, column } = Source::new(text).place(offset);
        assert_eq!((line, column), place);
    }

    #[test]
    fn a_place_far_in_a_long_line_is_found() {
        let text = "é".repeat(3_000) + "x";
        assert_eq!(Source::new(&text).place(6_000), Place { line: 1, column: 3_001 });
        assert_eq!(Source::new(&text).place(9_999), Place { line: 1, column: 3_002 });
    }

    #[test]
    fn a_place_in_changed_text_is_the_authors() {
        let author = "say:\n&lt;p&gt;a&lt;/p&gt; b";
        let source = Source::new(author).cut(5..author.len());
        let parts: Vec<_> = [("&lt;", "<"), ("&gt;", ">")]
            .into_iter()
            .flat_map(|(from, to)| {
                source
                    .text()
                    .match_indices(from)
                    .map(|(at, _)| (at..at + 4, to))
                    .collect::<Vec<_>>()
            })
            .collect();
        let mut parts = parts;
        parts.sort_by_key(|(range, _)| range.start);
        let source = source.replaced(parts);
        assert_eq!(source.text(), "<p>a</p> b");
        for (needle, column) in [("p", 5), ("a", 10), ("</p>", 11), ("b", 22)] {
            let at = source.text().find(needle).unwrap();
            assert_eq!(source.place(at), Place { line: 2, column }, "{needle}");
        }
    }
}
