//! Handler attributes.

use super::attributes::{attributes, written_offset};
use super::page::Tag;

/// A handler attribute's code.
#[derive(Debug)]
pub(super) struct Handler<'p> {
    pub(super) name: &'p str,
    pub(super) code: &'p str,
    /// Where the value stands in the text, as it is written.
    value: std::ops::Range<usize>,
}

impl Handler<'_> {
    /// Where a byte of the code stands in the text.
    pub(super) fn place(&self, offset: usize, text: &str) -> usize {
        self.value.start + written_offset(&text[self.value.clone()], self.code, offset)
    }
}

/// The handlers of a tag. Browsers take only these names for one.
pub(super) fn of<'p>(tag: &'p Tag, text: &str) -> Vec<Handler<'p>> {
    let all = tag.attributes.iter().filter(|a| a.name.local.starts_with("on"));
    let mut written = None;
    all.filter(|a| EVENTS.binary_search(&&a.name.local[2..]).is_ok())
        .filter_map(|a| {
            let written = written.get_or_insert_with(|| attributes(&text[tag.at.clone()]));
            let one = written.iter().find(|one| one.name.eq_ignore_ascii_case(&a.name.local))?;
            let value = tag.at.start + one.value.start..tag.at.start + one.value.end;
            Some(Handler { name: &a.name.local, code: &a.value, value })
        })
        .collect()
}

/// In alphabetical order, without `on`.
const EVENTS: &[&str] = &[
    "abort",
    "afterprint",
    "animationcancel",
    "animationend",
    "animationiteration",
    "animationstart",
    "auxclick",
    "beforeinput",
    "beforeprint",
    "beforetoggle",
    "beforeunload",
    "begin",
    "blur",
    "cancel",
    "canplay",
    "canplaythrough",
    "change",
    "click",
    "close",
    "contextmenu",
    "copy",
    "cuechange",
    "cut",
    "dblclick",
    "drag",
    "dragend",
    "dragenter",
    "dragleave",
    "dragover",
    "dragstart",
    "drop",
    "durationchange",
    "emptied",
    "end",
    "ended",
    "error",
    "focus",
    "focusin",
    "focusout",
    "formdata",
    "fullscreenchange",
    "gotpointercapture",
    "hashchange",
    "input",
    "invalid",
    "keydown",
    "keypress",
    "keyup",
    "load",
    "loadeddata",
    "loadedmetadata",
    "loadstart",
    "lostpointercapture",
    "message",
    "mousedown",
    "mouseenter",
    "mouseleave",
    "mousemove",
    "mouseout",
    "mouseover",
    "mouseup",
    "mousewheel",
    "offline",
    "online",
    "pagehide",
    "pageshow",
    "paste",
    "pause",
    "play",
    "playing",
    "pointercancel",
    "pointerdown",
    "pointerenter",
    "pointerleave",
    "pointermove",
    "pointerout",
    "pointerover",
    "pointerup",
    "popstate",
    "progress",
    "ratechange",
    "repeat",
    "reset",
    "resize",
    "scroll",
    "scrollend",
    "search",
    "seeked",
    "seeking",
    "select",
    "selectionchange",
    "selectstart",
    "slotchange",
    "stalled",
    "storage",
    "submit",
    "suspend",
    "timeupdate",
    "toggle",
    "touchcancel",
    "touchend",
    "touchmove",
    "touchstart",
    "transitioncancel",
    "transitionend",
    "transitionrun",
    "transitionstart",
    "unload",
    "volumechange",
    "waiting",
    "wheel",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_in_order_so_that_each_is_found() {
        assert!(EVENTS.is_sorted());
    }
}
