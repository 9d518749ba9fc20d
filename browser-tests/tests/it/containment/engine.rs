//! A browser of either engine, with its own profile and, if wished, its own name server.

use playwright_rs::api::IgnoreDefaultArgs;
use playwright_rs::{
    Browser, BrowserContext, BrowserContextOptions, LaunchOptions, Playwright, Viewport,
};
use serde_json::json;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::net::Ipv4Addr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use tempfile::TempDir;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    Chromium,
    Firefox,
}

/// A browser; it ends when this is dropped.
pub(crate) struct Running {
    pub(crate) context: BrowserContext,
    _browser: Option<Browser>,
    _playwright: Playwright,
    _folder: TempDir,
}

impl Engine {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Chromium => "Chromium",
            Self::Firefox => "Firefox",
        }
    }

    fn executable(self) -> String {
        let (variable, usual) = match self {
            Self::Chromium => ("INLINE_UI_CHROMIUM", "/usr/bin/chromium"),
            Self::Firefox => ("INLINE_UI_FIREFOX", "/usr/bin/firefox-esr"),
        };
        std::env::var(variable).unwrap_or_else(|_| usual.to_owned())
    }

    /// A page's viewport is tall: what is out of sight is not drawn, and loads no images.
    pub(crate) async fn launch(self, name_server: Option<Ipv4Addr>) -> Running {
        let folder = tempfile::tempdir().unwrap();
        let executable = match name_server {
            Some(address) => with_name_server(&self.executable(), address, folder.path()),
            None => self.executable(),
        };
        let playwright = Playwright::launch().await.unwrap();
        let viewport = Viewport { width: 1000, height: 6000 };
        let (context, browser) = match self {
            Self::Chromium => {
                // In a profile that is off the record, Chromium ignores connection hints.
                let options = BrowserContextOptions::builder()
                    .viewport(viewport)
                    .executable_path(executable)
                    .args(["--disable-gpu", "--disable-sync"].map(String::from).to_vec())
                    .ignore_default_args(IgnoreDefaultArgs::Array(vec![
                        "--disable-background-networking".to_owned(),
                    ]))
                    .build();
                let profile = folder.path().join("profile").display().to_string();
                let chromium = playwright.chromium();
                let launch = chromium.launch_persistent_context_with_options(profile, options);
                (launch.await.unwrap(), None)
            }
            Self::Firefox => {
                // The driver switches off what a person's Firefox does, and its presses do not reach a
                // frame that is in a process of its own.
                let prefs = HashMap::from([
                    ("network.http.speculative-parallel-limit".to_owned(), json!(20)),
                    ("network.dns.disablePrefetch".to_owned(), json!(false)),
                    ("network.prefetch-next".to_owned(), json!(true)),
                    ("fission.webContentIsolationStrategy".to_owned(), json!(0)),
                ]);
                let options = LaunchOptions::new()
                    .channel("moz-firefox".to_owned())
                    .executable_path(executable)
                    .firefox_user_prefs(prefs);
                let browser = playwright.firefox().launch_with_options(options).await.unwrap();
                let options = BrowserContextOptions::builder().viewport(viewport).build();
                (browser.new_context_with_options(options).await.unwrap(), Some(browser))
            }
        };
        Running { context, _browser: browser, _playwright: playwright, _folder: folder }
    }
}

/// A program that runs the browser where `/etc/resolv.conf` names that server alone.
fn with_name_server(browser: &str, address: Ipv4Addr, folder: &Path) -> String {
    let config = folder.join("resolv.conf");
    std::fs::write(&config, format!("nameserver {address}\noptions timeout:2 attempts:2\n"))
        .unwrap();
    let mut script = "#!/bin/sh\n[ \"$(id -u)\" = 0 ] && own=-m || own=-rm\n".to_owned();
    let _ = writeln!(
        script,
        "exec unshare $own sh -c 'mount --bind {} /etc/resolv.conf && exec {browser} \"$@\"' -- \"$@\"",
        config.display()
    );
    let program = folder.join("browser");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    program.display().to_string()
}
