//! Settings → Extensions, by keyboard.

use crate::access::page_faults;
use crate::browser::{Look, Outcome, Tab, World, named};
use crate::portal::Portal;
use playwright_rs::{AriaRole, Locator, expect};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use tempfile::TempDir;

const PROGRAM: &str = r#"#!/bin/sh
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\),"method".*/\1/')
  case "$line" in
    *'"method":"initialize"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"protocol":1,"extension":{"name":"tea","version":"1.0.0"},"tools":[],"http":{"address":"127.0.0.1:1","token":"t"},"page":{"module":"page/it.js","element":"a-card"},"settingsSchema":{}}}\n' "$id" ;;
    *'"method":"shutdown"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":null}\n' "$id"
      exit 0 ;;
  esac
done
"#;

/// An extension in a folder.
fn tea() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest = json!({
        "name": "tea", "title": "Tea timer", "version": "1.0.0", "description": "Times tea.",
        "license": "MIT", "homepage": "", "protocol": 1, "server": { "command": ["run"] },
        "page": { "module": "page/it.js", "element": "a-card" },
        "tools": [{ "name": "tea_start", "title": "Start" }], "settings": {},
        "asks": { "network": "The clock of a server." },
    });
    std::fs::write(folder.path().join("manifest.json"), manifest.to_string()).unwrap();
    let run = folder.path().join("run");
    std::fs::write(&run, PROGRAM).unwrap();
    std::fs::set_permissions(&run, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    folder
}

/// A registry that has one package to find and none to give.
fn registry() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { break };
            let mut request = [0; 4096];
            let read = stream.read(&mut request).unwrap_or_default();
            let (status, body) = if request[..read].starts_with(b"GET /-/v1/search") {
                let package = json!({ "name": "cup", "version": "2.0.0", "description": "Holds tea.",
                    "keywords": ["agent-portal-extension"], "publisher": { "username": "ann" } });
                (200, json!({ "objects": [{ "package": package }] }).to_string())
            } else {
                (404, String::new())
            };
            let length = body.len();
            let head =
                format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close");
            let _ = write!(stream, "{head}\r\n\r\n{body}");
        }
    });
    address
}

fn button(tab: &Tab, name: &str) -> Locator {
    tab.page.get_by_role(AriaRole::Button, Some(named(name)))
}

async fn settings(world: &World, look: &Look) -> Result<Tab, Box<dyn std::error::Error>> {
    let tab = world.blank_tab(look).await;
    tab.open(&format!("{}/settings", world.portal.url())).await;
    expect(tab.page.get_by_role(AriaRole::Article, Some(named("Inline UI"))))
        .to_be_visible()
        .await?;
    Ok(tab)
}

#[tokio::test]
async fn an_extension_is_installed_read_enabled_disabled_and_removed_by_keyboard() -> Outcome {
    let world = World::around(Portal::with_registry(&registry())).await;
    let folder = tea();
    let tab = settings(&world, &Look::default()).await?;
    let source = tab.page.get_by_label("Install by name", true);
    source.fill("nonsense", None).await?;
    source.press("Enter", None).await?;
    let refused = tab.page.get_by_text("Write npm:NAME, npm:NAME@VERSION or path:/FOLDER.", true);
    expect(refused).to_be_visible().await?;
    source.fill(&format!("path:{}", folder.path().display()), None).await?;
    source.press("Enter", None).await?;

    let panel = tab.page.get_by_role(AriaRole::Article, Some(named("Tea timer")));
    expect(panel.locator(".state")).to_have_text("not enabled").await?;
    expect(panel.get_by_text("The clock of a server.", true)).to_be_visible().await?;
    let focused = "() => document.activeElement.textContent";
    assert_eq!(tab.eval::<String>(focused).await, "Tea timer");
    let said: String = tab.eval("() => document.getElementById('announcer').textContent").await;
    assert_eq!(said, "Tea timer is installed. Read what it asks for, then enable it.");

    // On from its heading with nothing but Tab and Enter.
    for (first, state) in [("Enable", "running"), ("Disable", "not enabled")] {
        // What can be set of one that runs comes before it.
        for _ in 0..3 {
            if tab.eval::<String>(focused).await != first {
                tab.page.keyboard().press("Tab", None).await?;
            }
        }
        assert_eq!(tab.eval::<String>(focused).await, first);
        tab.page.keyboard().press("Enter", None).await?;
        expect(panel.locator(".state")).to_have_text(state).await?;
        assert_eq!(tab.eval::<String>(focused).await, "Tea timer");
    }
    button(&tab, "Remove…").press("Enter", None).await?;
    expect(tab.page.get_by_text("Delete its data too", true)).to_be_visible().await?;
    button(&tab, "Cancel").press("Enter", None).await?;
    expect(panel.clone()).to_be_visible().await?;
    button(&tab, "Remove…").press("Enter", None).await?;
    tab.page.get_by_role(AriaRole::Button, Some(named("Remove"))).press("Enter", None).await?;
    expect(panel).to_be_hidden().await?;
    assert!(Path::new(folder.path()).join("run").exists());
    // The browser's own line about the one refusal.
    let complaints = tab.complaints();
    assert!(complaints.len() == 1 && complaints[0].contains("400 (Bad Request)"), "{complaints:?}");
    Ok(())
}

#[tokio::test]
async fn what_is_found_is_listed_and_what_cannot_be_had_is_said_and_axe_has_nothing_against_it()
-> Outcome {
    let world = World::around(Portal::with_registry(&registry())).await;
    let folder = tea();
    for dark in [false, true] {
        let tab = settings(&world, &Look { dark, ..Look::default() }).await?;
        if !dark {
            let source = tab.page.get_by_label("Install by name", true);
            source.fill(&format!("path:{}", folder.path().display()), None).await?;
            source.press("Enter", None).await?;
        }
        expect(tab.page.get_by_role(AriaRole::Article, Some(named("Tea timer"))))
            .to_be_visible()
            .await?;
        let words = tab.page.get_by_label("Discover", true);
        words.press("Enter", None).await?;
        expect(tab.page.get_by_text("1 extension.", true)).to_be_visible().await?;
        button(&tab, "Install cup").press("Enter", None).await?;
        expect(tab.page.get_by_text("The registry has no cup.", true)).to_be_visible().await?;
        assert_eq!(page_faults(&tab).await, Vec::<String>::new(), "dark: {dark}");
        let state: Value = tab.eval("() => document.querySelectorAll('.found li').length").await;
        assert_eq!(state, json!(1));
    }
    Ok(())
}
