use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

const CARDS: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/cards.rs"));

/// What it says to anything it has no script for.
pub(super) const HONEST: &str = "I am a scripted demo without a language model, so I only know a few \
     requests. Try “Pick a colour”, “Show me a form”, “Show me sliders”, “Show me a chart”, “Play a \
     game” or “Ask me for an approval”.\n\nFor a card of your own, write `/call ui_show {\"title\": \
     \"Hello\", \"html\": \"<p>Hello</p>\"}`.";

/// A card that a plain request brings.
#[derive(Debug)]
pub(super) struct DemoCard {
    words: &'static [&'static str],
    file: &'static str,
    title: &'static str,
    events: &'static [DemoEvent],
    /// The call waits for one of its events.
    waits: bool,
    pub(super) opening: &'static str,
    /// Said once the card stands, when the call did not wait.
    pub(super) closing: &'static str,
}

#[derive(Debug)]
struct DemoEvent {
    name: &'static str,
    description: &'static str,
    /// Sent at once, rather than when the person pauses.
    action: bool,
    wake: bool,
}

const fn action(name: &'static str, description: &'static str) -> DemoEvent {
    DemoEvent { name, description, action: true, wake: true }
}

static DEMO_CARDS: &[DemoCard] = &[
    DemoCard {
        words: &["colour", "colours", "color", "colors"],
        file: "colour.html",
        title: "Pick a colour",
        events: &[
            action("pick", "the colour the person chose"),
            DemoEvent {
                name: "change",
                description: "the colour the person is trying out",
                action: false,
                wake: false,
            },
        ],
        waits: false,
        opening: "Here are some colours to choose from.",
        closing: "Choose one, or mix your own: I hear what you pick at once.",
    },
    DemoCard {
        words: &["form", "forms"],
        file: "form.html",
        title: "Sign up",
        events: &[action("submit", "the form as it was sent")],
        waits: false,
        opening: "Here is a form that checks itself before it is sent.",
        closing: "Fill it in and send it, and I get what you wrote.",
    },
    DemoCard {
        words: &["slider", "sliders"],
        file: "sliders.html",
        title: "Set the light",
        events: &[DemoEvent {
            name: "change",
            description: "where the sliders stand",
            action: false,
            wake: true,
        }],
        waits: false,
        opening: "Here are three sliders with a preview.",
        closing: "Move them as you like: I hear of it when you pause.",
    },
    DemoCard {
        words: &["chart", "charts", "graph"],
        file: "chart.html",
        title: "Visitors in a week",
        events: &[action("select", "the bar the person chose")],
        waits: false,
        opening: "Here is a week of visitors as a chart.",
        closing: "Choose a bar to talk about it.",
    },
    DemoCard {
        words: &["game", "games", "play"],
        file: "game.html",
        title: "Noughts and crosses",
        events: &[action("finish", "how the game ended")],
        waits: false,
        opening: "Let us play noughts and crosses.",
        closing: "It is your move: I hear how it ends.",
    },
    DemoCard {
        words: &["approval", "approvals", "approve"],
        file: "approval.html",
        title: "Send version 2.4.0 out?",
        events: &[
            action("approve", "the person agrees"),
            action("decline", "the person does not agree"),
        ],
        waits: true,
        opening: "I need your approval before I go on, and wait for it.",
        closing: "The card is there, but nobody waits for it.",
    },
];

/// The card that a plain request is about, by its first word that names one.
pub(super) fn asked_for(text: &str) -> Option<&'static DemoCard> {
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    words.find_map(|word| DEMO_CARDS.iter().find(|card| card.words.contains(&word)))
}

impl DemoCard {
    /// What `ui_show` is called with, or why it cannot be.
    pub(super) fn arguments(&self) -> Result<Box<RawValue>, String> {
        let html = CARDS.iter().find(|(name, _)| *name == self.file);
        let html = html.and_then(|(_, html)| std::str::from_utf8(html).ok());
        let html = html.ok_or_else(|| format!("This build lacks the card {}.", self.file))?;
        let events: Vec<_> = self.events.iter().map(DemoEvent::declaration).collect();
        let mut arguments = json!({ "title": self.title, "html": html, "events": events });
        if self.waits {
            let names: Vec<_> = self.events.iter().map(|event| event.name).collect();
            arguments["wait"] = json!({ "event": names });
        }
        to_raw_value(&arguments).map_err(|e| e.to_string())
    }
}

impl DemoEvent {
    fn declaration(&self) -> serde_json::Value {
        let mut declaration = json!({ "name": self.name, "description": self.description });
        if self.action {
            declaration["debounceMs"] = json!(0);
        }
        if self.wake {
            declaration["wake"] = json!(true);
        }
        declaration
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::demo::show::emitted;
    use std::collections::BTreeSet;

    #[test]
    fn every_card_is_there_and_declares_just_what_it_emits() {
        for card in DEMO_CARDS {
            let arguments: serde_json::Value =
                serde_json::from_str(card.arguments().unwrap().get()).unwrap();
            let emitted: BTreeSet<_> =
                emitted(arguments["html"].as_str().unwrap()).into_iter().collect();
            let declared: BTreeSet<_> = card.events.iter().map(|it| it.name.to_owned()).collect();
            assert_eq!(emitted, declared, "{}", card.file);
        }
    }

    #[test]
    fn a_request_is_known_by_a_whole_word() {
        assert_eq!(asked_for("Please, pick a COLOR!").unwrap().file, "colour.html");
        assert_eq!(asked_for("Show me a form").unwrap().file, "form.html");
        assert!(asked_for("inform me of the platform").is_none());
    }
}
