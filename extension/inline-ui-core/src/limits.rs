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
/// An event's description, in characters.
pub const EVENT_DESCRIPTION_CHARS: usize = 500;
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
pub const WAIT_DEFAULT: Duration = Duration::from_secs(600);
/// The longest wait, the time the person was active included.
pub const WAIT_MAX: Duration = Duration::from_secs(86_400);
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
pub const FRAME_KEY_FOR: Duration = Duration::from_secs(60);
/// A height is kept once per card within this time.
pub const HEIGHT_EVERY: Duration = Duration::from_secs(2);
/// Widths of one class share a remembered height: a class is this many CSS pixels wide.
pub const WIDTH_CLASS_PX: u32 = 160;
/// The widest class of [`WIDTH_CLASS_PX`].
pub const WIDTH_CLASS_MAX: u32 = 25;
