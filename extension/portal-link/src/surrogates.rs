use std::borrow::Cow;

/// Replaces every unpaired `\uD800`..`\uDFFF` escape in JSON text by `\uFFFD`.
///
/// A browser's `JSON.stringify` writes a lone surrogate as such an escape, and `serde_json` refuses
/// it; a person's event must not be lost over that. Text without such an escape is borrowed as it is.
pub fn repair_surrogates(json: &str) -> Cow<'_, str> {
    let bytes = json.as_bytes();
    let mut fixed: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            at += 1;
            continue;
        }
        match unit(bytes, at) {
            None => at += 2,
            Some(0xD800..=0xDBFF) if matches!(unit(bytes, at + 6), Some(0xDC00..=0xDFFF)) => {
                at += 12;
            }
            Some(0xD800..=0xDFFF) => {
                let out = fixed.get_or_insert_with(|| String::with_capacity(json.len()));
                out.push_str(&json[copied..at]);
                out.push_str("\\uFFFD");
                at += 6;
                copied = at;
            }
            Some(_) => at += 6,
        }
    }
    match fixed {
        None => Cow::Borrowed(json),
        Some(mut out) => {
            out.push_str(&json[copied..]);
            Cow::Owned(out)
        }
    }
}

/// The UTF-16 unit of the `\uXXXX` escape that starts at `at`, if one does.
fn unit(bytes: &[u8], at: usize) -> Option<u32> {
    let escape = bytes.get(at..at + 6)?;
    if &escape[..2] != b"\\u" {
        return None;
    }
    escape[2..].iter().try_fold(0, |sum, b| Some(sum * 16 + char::from(*b).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lone_surrogate_becomes_the_replacement_character() {
        for (given, want) in [
            (r#""\ud800""#, r#""\uFFFD""#),
            (r#""a\uDC00b""#, r#""a\uFFFDb""#),
            (r#""\ud800\ud800\udc00""#, r#""\uFFFD\ud800\udc00""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\\ud800""#, r#""\\ud800""#),
            (r#""\\\ud800""#, r#""\\\uFFFD""#),
            (r#""\u00e9 é \ud800é""#, r#""\u00e9 é \uFFFDé""#),
            (r#""\ud80""#, r#""\ud80""#),
            ("\"\\", "\"\\"),
        ] {
            assert_eq!(repair_surrogates(given), want, "given {given}");
        }
    }

    #[test]
    fn sound_text_is_not_copied() {
        assert!(matches!(repair_surrogates(r#"{"a":"\n\u0041"}"#), Cow::Borrowed(_)));
    }
}
