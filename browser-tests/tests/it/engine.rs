//! The browser that these tests run in.

use playwright_rs::{Browser, LaunchOptions, Playwright};
use serde_json::json;
use std::collections::HashMap;

/// Chosen by `INLINE_UI_BROWSER`: `chromium`, which is the default, or `firefox`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Chromium,
    Firefox,
}

impl Engine {
    pub(crate) fn chosen() -> Self {
        match std::env::var("INLINE_UI_BROWSER").as_deref() {
            Ok("firefox") => Self::Firefox,
            Ok("chromium") | Err(_) => Self::Chromium,
            Ok(other) => panic!("INLINE_UI_BROWSER is chromium or firefox, not {other}"),
        }
    }

    /// Says why a test, or the rest of one, is not for this engine, and whether that is so.
    pub(crate) fn lacks(self, reason: &str) -> bool {
        if self == Self::Firefox {
            let thread = std::thread::current();
            eprintln!("skipped in Firefox: {}: {reason}", thread.name().unwrap_or_default());
        }
        self == Self::Firefox
    }

    /// Firefox is told its colour scheme as it starts; Chromium can be told at any time. `typing`: keys are to reach cards,
    /// which the driver of Firefox can do only where cards share the page's process.
    pub(crate) async fn launch(self, playwright: &Playwright, dark: bool, typing: bool) -> Browser {
        let browser = match self {
            Self::Chromium => {
                let args = [
                    "--disable-gpu",
                    "--disable-quic",
                    "--disable-background-networking",
                    "--disable-component-update",
                    "--disable-sync",
                ];
                let chromium = std::env::var("INLINE_UI_CHROMIUM");
                let options = LaunchOptions::new()
                    .executable_path(chromium.unwrap_or_else(|_| "/usr/bin/chromium".to_owned()))
                    .args(args.map(String::from).to_vec());
                playwright.chromium().launch_with_options(options).await
            }
            Self::Firefox => {
                // Without the last two, a frame in another process gets no mouse.
                let prefs = [
                    ("layout.css.prefers-color-scheme.content-override", json!(i32::from(!dark))),
                    ("fission.autostart", json!(!typing)),
                    ("remote.events.async.mouse.enabled", json!(true)),
                    ("remote.events.async.wheel.enabled", json!(true)),
                ];
                let prefs = prefs.map(|(name, value)| (name.to_owned(), value));
                let options = LaunchOptions::new()
                    .channel("moz-firefox".to_owned())
                    .executable_path(concat!(env!("CARGO_MANIFEST_DIR"), "/firefox").to_owned())
                    .firefox_user_prefs(HashMap::from(prefs));
                playwright.firefox().launch_with_options(options).await
            }
        };
        browser.unwrap()
    }
}
