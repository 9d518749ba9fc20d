//! Every number of the contract, named once. The README's table of limits is held against this file.

use std::time::Duration;

/// A card's HTML, in bytes of UTF-8.
pub const HTML_BYTES: usize = 262_144;
/// An event's data, in bytes as JSON without white space between tokens.
pub const EVENT_DATA_BYTES: usize = 32_768;
/// Data posted by `ui_update`, in bytes as JSON without white space between tokens.
pub const POST_BYTES: usize = 65_536;
/// How deep arrays and objects may nest in an event's data and in a post.
pub const DATA_DEPTH: usize = 64;
/// A title, in characters. The least is 1.
pub const TITLE_CHARS: usize = 200;
/// A fallback text, in characters.
pub const FALLBACK_CHARS: usize = 2_000;
/// Events a card may declare, those it waits for included.
pub const EVENTS_PER_CARD: usize = 20;
/// An event's name, in characters.
pub const EVENT_NAME_CHARS: usize = 64;
/// An event's id, in characters.
pub const EVENT_ID_CHARS: usize = 128;
/// A chat's id, in characters.
pub const CHAT_ID_CHARS: usize = 128;
/// A call's id, in characters.
pub const CALL_ID_CHARS: usize = 256;
/// Cards kept in a chat; the oldest go first.
pub const CARDS_PER_CHAT: usize = 200;
/// Events accepted from one card at once.
pub const CARD_BURST: u32 = 20;
/// Events accepted from one card a second, after the burst.
pub const CARD_PER_SECOND: u32 = 5;
/// Events accepted in one chat at once.
pub const CHAT_BURST: u32 = 60;
/// Events accepted in one chat a second, after the burst.
pub const CHAT_PER_SECOND: u32 = 10;
/// The least time between two turns of a chat that wake events started.
pub const WAKE_DISTANCE: Duration = Duration::from_secs(10);
/// How often a due wake that nobody took is hinted again.
pub const WAKE_HINT_EVERY: Duration = Duration::from_secs(5);
/// Debounce of an event whose card says none, in milliseconds, before Settings.
pub const DEBOUNCE_DEFAULT_MS: u32 = 400;
/// The longest debounce, in milliseconds.
pub const DEBOUNCE_MAX_MS: u32 = 60_000;
/// The tallest a card is drawn before it scrolls inside, in CSS pixels, before Settings.
pub const HEIGHT_DEFAULT_PX: u32 = 480;
/// The least that Settings take for that height, in CSS pixels.
pub const HEIGHT_MIN_PX: u32 = 80;
/// The most that Settings take for that height, in CSS pixels.
pub const HEIGHT_MAX_PX: u32 = 4_000;
/// A wait's length when the call says none.
pub const WAIT_DEFAULT: Duration = Duration::from_mins(10);
/// The longest wait, the time the person was active included.
pub const WAIT_MAX: Duration = Duration::from_hours(24);
/// A wait's clock stands still until this long after the person was last active in the card.
pub const ACTIVE_FOR: Duration = Duration::from_secs(30);
/// One message to the agent, in bytes as a line of the link.
pub const MESSAGE_BYTES: usize = 262_144;
/// Accepted event ids remembered of one card.
pub const EVENT_IDS_PER_CARD: usize = 256;
/// Loads a card may start by itself within [`SELF_LOADS_WITHIN`]; after them it stands stopped.
pub const SELF_LOADS: u32 = 3;
/// See [`SELF_LOADS`].
pub const SELF_LOADS_WITHIN: Duration = Duration::from_secs(10);
/// How long the one-time address of a frame is good.
pub const FRAME_KEY_FOR: Duration = Duration::from_mins(1);
/// A height is kept once per card within this time.
pub const HEIGHT_EVERY: Duration = Duration::from_secs(2);
/// Widths of one class share a remembered height: a class is this many CSS pixels wide.
pub const WIDTH_CLASS_PX: u32 = 160;
/// The widest class of [`WIDTH_CLASS_PX`].
pub const WIDTH_CLASS_MAX: u32 = 25;

/// Errors of one load of a card that are told.
pub const CARD_ERRORS_PER_LOAD: usize = 3;
/// Different errors of one document of a card that are told, whatever its loads.
pub const CARD_ERRORS_PER_DOCUMENT: usize = 16;
/// The text of a card's error, in characters.
pub const CARD_ERROR_CHARS: usize = 500;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browsers_half_has_the_same_numbers() {
        let bridge = include_str!("../../../bridge-js/card.js");
        let present = include_str!("../../../bridge-js/present.js");
        let height = include_str!("../../../bridge-js/height.js");
        for (file, line) in [
            (bridge, format!("const EVENT_BYTES = {EVENT_DATA_BYTES};")),
            (bridge, format!("const EVENT_DEPTH = {DATA_DEPTH};")),
            (height, format!("const WIDTH_CLASS = {WIDTH_CLASS_PX};")),
            (present, format!("const LOADS = {SELF_LOADS};")),
            (present, format!("const LOADS_MS = {}_000;", SELF_LOADS_WITHIN.as_secs())),
            (
                present,
                format!("{{ debounceMs: {DEBOUNCE_DEFAULT_MS}, maxHeight: {HEIGHT_DEFAULT_PX} }}"),
            ),
        ] {
            assert!(file.contains(&line), "{line}");
        }
    }

    #[test]
    fn the_readmes_table_says_these_numbers() {
        let readme = include_str!("../../../README.md");
        let secs = |length: Duration| length.as_secs();
        let rows: [(&str, u64); 25] = [
            ("a card's HTML", HTML_BYTES as u64),
            ("an event's data", EVENT_DATA_BYTES as u64),
            ("data posted by `ui_update`", POST_BYTES as u64),
            ("nesting of either", DATA_DEPTH as u64),
            ("a title", TITLE_CHARS as u64),
            ("a fallback text", FALLBACK_CHARS as u64),
            ("events a card declares", EVENTS_PER_CARD as u64),
            ("an event's name", EVENT_NAME_CHARS as u64),
            ("cards kept in a chat", CARDS_PER_CHAT as u64),
            ("events accepted from one card at once", CARD_BURST.into()),
            ("events accepted from one card a second, after that", CARD_PER_SECOND.into()),
            ("events accepted in one chat at once", CHAT_BURST.into()),
            ("events accepted in one chat a second, after that", CHAT_PER_SECOND.into()),
            ("seconds between turns that wake events start", secs(WAKE_DISTANCE)),
            ("debounce when a card says none", DEBOUNCE_DEFAULT_MS.into()),
            ("the longest debounce", DEBOUNCE_MAX_MS.into()),
            ("height before a card scrolls inside", HEIGHT_DEFAULT_PX.into()),
            ("a wait's length when the call says none", secs(WAIT_DEFAULT)),
            ("the longest wait", secs(WAIT_MAX)),
            ("one message to the agent", MESSAGE_BYTES as u64),
            ("accepted event ids remembered of a card", EVENT_IDS_PER_CARD as u64),
            ("loads a card may start by itself in 10 s", SELF_LOADS.into()),
            ("errors told of one load of a card", CARD_ERRORS_PER_LOAD as u64),
            ("different errors told of one document", CARD_ERRORS_PER_DOCUMENT as u64),
            ("an error's text", CARD_ERROR_CHARS as u64),
        ];
        let table =
            readme.split("## Limits").nth(1).and_then(|rest| rest.split("##").next()).unwrap();
        assert_eq!(
            table.lines().filter(|line| line.starts_with("| ")).count(),
            rows.len() + 1,
            "one row a limit"
        );
        for (what, number) in rows {
            let row = table
                .lines()
                .find_map(|line| line.strip_prefix(&format!("| {what} | ")))
                .unwrap_or_else(|| {
                    panic!("the README has no row for {what}");
                });
            let digits: String = row
                .chars()
                .take_while(|c| c.is_ascii_digit() || *c == ',')
                .filter(char::is_ascii_digit)
                .collect();
            assert_eq!(digits, number.to_string(), "{what}");
        }
        let ceiling = "every max(4 × `debounceMs`, 1,000 ms)";
        assert!(table.contains(ceiling) && SELF_LOADS_WITHIN == Duration::from_secs(10));
    }
}
