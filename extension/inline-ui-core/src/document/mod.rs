//! The card as a document: how its HTML is put into the two frames, and what those frames may do.

pub mod check;
mod policy;
mod shell;
mod theme;

pub use policy::{FrameHeader, frame_headers};
pub use shell::{Bridge, BridgeEvent, card_document, outer_document};
pub use theme::{COLORS, Mode, Theme, ThemeError};
