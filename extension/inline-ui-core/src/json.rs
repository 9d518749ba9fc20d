//! Bounds on JSON that somebody else wrote.

use std::borrow::Cow;

/// Why a piece of JSON is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JsonBound {
    /// It has more bytes than allowed, white space between tokens not counted.
    TooLarge,
    /// Its arrays and objects nest deeper than allowed.
    TooDeep,
}

/// Well-formed JSON without the white space between its tokens, held to its bounds.
///
/// Numbers, escapes and the order of members stay as their author wrote them: nothing is parsed, so
/// nothing is rounded, and depth costs no stack.
pub fn compact(json: &str, max_bytes: usize, max_depth: usize) -> Result<Cow<'_, str>, JsonBound> {
    let mut out = String::new();
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    let mut from = 0;
    for (at, byte) in json.bytes().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => {
                depth += 1;
                if depth > max_depth {
                    return Err(JsonBound::TooDeep);
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b' ' | b'\t' | b'\n' | b'\r' => {
                out.push_str(&json[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    let kept = if from == 0 {
        Cow::Borrowed(json)
    } else {
        out.push_str(&json[from..]);
        Cow::Owned(out)
    };
    if kept.len() > max_bytes { Err(JsonBound::TooLarge) } else { Ok(kept) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[test]
    fn white_space_goes_and_nothing_else() {
        let given = "{ \"a b\" : [ 1.0e400 ,\n\t\"\\\" x\" ] }";
        assert_eq!(compact(given, 100, 64).unwrap(), "{\"a b\":[1.0e400,\"\\\" x\"]}");
    }

    #[test]
    fn the_size_limit_counts_what_is_kept() {
        assert!(compact("[1,   2]", 5, 64).is_ok());
        assert_eq!(compact("[1,   2]", 4, 64), Err(JsonBound::TooLarge));
    }

    #[test]
    fn depth_is_counted_outside_strings() {
        let nested = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        assert!(compact(&nested(64), 1000, 64).is_ok());
        assert_eq!(compact(&nested(65), 1000, 64), Err(JsonBound::TooDeep));
        assert!(compact("\"[[[[\"", 1000, 1).is_ok());
    }

    proptest! {
        #[test]
        fn what_is_kept_says_the_same(text in "\\PC{0,40}", n in any::<i64>()) {
            let value = serde_json::json!({ "t": text, "n": [n, null, { "x": text }] });
            let pretty = serde_json::to_string_pretty(&value).unwrap();
            let kept = compact(&pretty, 100_000, 64).unwrap();
            prop_assert_eq!(&kept, &value.to_string());
            prop_assert_eq!(serde_json::from_str::<Value>(&kept).unwrap(), value);
        }
    }
}
