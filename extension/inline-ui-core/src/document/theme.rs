use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The portal's colours by name: each is a CSS variable in a card, and a second one, `--NAME-rgb`,
/// has its three numbers.
pub const COLORS: [&str; 13] = [
    "canvas",
    "surface",
    "raised",
    "line",
    "fg",
    "fg-muted",
    "fg-subtle",
    "fg-faint",
    "accent",
    "accent-fg",
    "ok",
    "warn",
    "danger",
];

const LIGHT: [&str; 13] = [
    "#ffffff", "#f7f7f8", "#ffffff", "#dcdce1", "#1b1b1f", "#4d4d57", "#63636e", "#8f8f99",
    "#3557d6", "#ffffff", "#1a7340", "#8a5a00", "#b3261e",
];
const DARK: [&str; 13] = [
    "#17171a", "#1f1f23", "#28282d", "#3a3a41", "#ececf0", "#b9b9c3", "#a0a0ab", "#72727d",
    "#8ea6ff", "#10142b", "#6fcf97", "#e5b454", "#ff8a80",
];

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Dark text on a light ground.
    #[default]
    Light,
    /// Light text on a dark ground.
    Dark,
}

impl Mode {
    /// As it stands in `pithagoras.theme.mode` and in CSS.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// The colours a card is drawn with: all of [`COLORS`], each `#rrggbb`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "GivenTheme")]
pub struct Theme {
    mode: Mode,
    colors: BTreeMap<&'static str, Color>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Color([u8; 3]);

/// A theme that is not taken: it goes into the card's document, so only plain colours do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("theme.colors.{name} is {given:?}; a colour is written #rrggbb")]
pub struct ThemeError {
    name: String,
    given: String,
}

#[derive(Deserialize)]
struct GivenTheme {
    #[serde(default)]
    mode: Mode,
    #[serde(default)]
    colors: BTreeMap<String, String>,
}

impl TryFrom<GivenTheme> for Theme {
    type Error = ThemeError;

    /// A colour that is not given is the built-in one of the mode; an unknown name is ignored.
    fn try_from(given: GivenTheme) -> Result<Self, ThemeError> {
        let mut theme = Self::of(given.mode);
        for (name, text) in given.colors {
            let Some(known) = COLORS.iter().find(|known| **known == name) else { continue };
            let Some(color) = Color::parse(&text) else {
                return Err(ThemeError { name, given: text.chars().take(40).collect() });
            };
            theme.colors.insert(known, color);
        }
        Ok(theme)
    }
}

impl Color {
    fn parse(text: &str) -> Option<Self> {
        let digits = text
            .strip_prefix('#')
            .filter(|d| d.len() == 6 && d.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let value = u32::from_str_radix(digits, 16).ok()?;
        let [_, r, g, b] = value.to_be_bytes();
        Some(Self([r, g, b]))
    }

    fn hex(self) -> String {
        let Self([r, g, b]) = self;
        format!("#{r:02x}{g:02x}{b:02x}")
    }
}

impl Theme {
    /// The built-in colours, for a page that tells none.
    pub fn of(mode: Mode) -> Self {
        let palette = match mode {
            Mode::Light => LIGHT,
            Mode::Dark => DARK,
        };
        let colors = COLORS
            .into_iter()
            .zip(palette)
            .filter_map(|(name, text)| Some((name, Color::parse(text)?)));
        Self { mode, colors: colors.collect() }
    }

    /// Light or dark.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The colours as `#rrggbb`, by name.
    pub fn colors(&self) -> BTreeMap<&'static str, String> {
        self.colors.iter().map(|(name, color)| (*name, color.hex())).collect()
    }

    /// The declarations for `:root`.
    pub(super) fn css(&self) -> String {
        let mut css = format!("color-scheme:{};", self.mode.as_str());
        for name in COLORS {
            let Some(color) = self.colors.get(name) else { continue };
            let Color([r, g, b]) = *color;
            let _ = write!(css, "--{name}:{};--{name}-rgb:{r} {g} {b};", color.hex());
        }
        css
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn luminance(color: Color) -> f64 {
        let [r, g, b] = color.0.map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }

    fn contrast(a: Color, b: Color) -> f64 {
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[rstest]
    #[case(Mode::Light)]
    #[case(Mode::Dark)]
    fn text_has_a_contrast_of_at_least_4_5_on_every_ground(#[case] mode: Mode) {
        let theme = Theme::of(mode);
        for ground in ["canvas", "surface", "raised"] {
            for text in ["fg", "fg-muted", "fg-subtle", "accent", "ok", "warn", "danger"] {
                let ratio = contrast(theme.colors[text], theme.colors[ground]);
                assert!(ratio >= 4.5, "{text} on {ground} in {mode:?}: {ratio:.2}");
            }
        }
        assert!(contrast(theme.colors["accent-fg"], theme.colors["accent"]) >= 4.5);
    }

    #[test]
    fn every_colour_is_a_variable_and_three_numbers() {
        let css = Theme::of(Mode::Light).css();
        assert!(css.contains("--accent:#3557d6;--accent-rgb:53 87 214;"), "{css}");
        for name in COLORS {
            assert!(css.contains(&format!("--{name}:")) && css.contains(&format!("--{name}-rgb:")));
        }
    }

    #[rstest]
    #[case("#12345", false)]
    #[case("red", false)]
    #[case("#ffffff;}</style>", false)]
    #[case("#FFaa00", true)]
    fn only_plain_colours_are_taken(#[case] text: &str, #[case] taken: bool) {
        let given =
            serde_json::json!({ "mode": "dark", "colors": { "accent": text, "unknown": "x" } });
        assert_eq!(serde_json::from_value::<Theme>(given).is_ok(), taken);
    }
}
