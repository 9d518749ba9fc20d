//! The packages of `npm/build`, installed by name; and an install that is killed.

use crate::chat::{Chat, received, show};
use crate::program::{Options, Program, binary, until};
use crate::registry::{Publication, Registry, Served};
use flate2::read::GzDecoder;
use hyper::Method;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Runs `npm/build`; the tarballs by their names.
fn build(binary: &Path, out: &Path) -> Vec<(String, Vec<u8>)> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../npm/build");
    let mut command = Command::new("node");
    command.arg(script).arg("--binary").arg(binary).arg("--out").arg(out);
    let built = command.output().expect("node is missing: it builds the packages");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let files = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path());
    let mut tarballs: Vec<_> = files
        .map(|path| {
            (path.file_name().unwrap().to_str().unwrap().to_owned(), std::fs::read(path).unwrap())
        })
        .collect();
    tarballs.sort();
    tarballs
}

/// Its files' paths and modes, and its `package.json`.
fn contents(tarball: &[u8]) -> (Vec<(String, u32)>, Value) {
    let mut archive = tar::Archive::new(GzDecoder::new(tarball));
    let (mut files, mut package) = (Vec::new(), Value::Null);
    for entry in archive.entries().unwrap() {
        let mut entry = entry.unwrap();
        let path = entry.path().unwrap().display().to_string();
        if path == "package/package.json" {
            let mut text = String::new();
            entry.read_to_string(&mut text).unwrap();
            package = serde_json::from_str(&text).unwrap();
        }
        files.push((path, entry.header().mode().unwrap()));
    }
    (files, package)
}

#[tokio::test]
async fn our_own_packages_are_installed_by_name_and_a_card_is_shown_over_them() {
    let out = tempfile::tempdir().unwrap();
    let tarballs = build(&binary(), out.path());
    let registry = Registry::start().await;
    for (name, tarball) in &tarballs {
        let (files, package) = contents(tarball);
        assert!(files.iter().all(|(path, _)| path.starts_with("package/")));
        let programs: Vec<_> = files.iter().filter(|(_, mode)| mode & 0o111 != 0).collect();
        let is_main = package["name"] == "inline-ui";
        assert_eq!(programs.len(), usize::from(!is_main), "{name}: {files:?}");
        assert!(package.get("scripts").is_none() && package.get("dependencies").is_none());
        registry.publish_tarball(&package, tarball.clone(), |_| {});
    }
    let portal = Program::start_with(Options::of(&["--registry", &registry.address])).await;
    portal.runs().await;
    let installed = portal.post("/api/packages", json!({ "source": "npm:inline-ui" })).await.ok();
    assert_eq!(installed["extension"]["enabled"], false);
    assert_eq!(installed["extension"]["asks"]["network"], "none");
    portal.post("/api/packages/inline-ui/enable", Value::Null).await.ok();
    portal.runs().await;
    assert_eq!(portal.shown().await["package"]["source"], "npm:inline-ui");
    let program = std::fs::read_link(format!("/proc/{}/exe", portal.extension().await)).unwrap();
    assert!(program.starts_with(portal.folder.path().join("extensions/inline-ui")), "{program:?}");

    let chat = Chat::begin(&portal, &show(&json!({ "events": [{ "name": "pick" }] }))).await;
    chat.idle().await;
    let load = chat.load("c1").await;
    let frame = load["frame"].as_str().unwrap().strip_prefix("http://").unwrap();
    let (host, path) = frame.split_once("/ext/").unwrap();
    let frame = crate::http::ask(host, Method::GET, &format!("/ext/{path}"), &Value::Null).await;
    let frame = String::from_utf8(frame.unwrap().body.to_vec()).unwrap();
    assert!(frame.contains("srcdoc="), "{frame}");
    chat.emit("c1", "e1", "pick", json!("teal")).await.ok();
    chat.asks("hello").await;
    assert_eq!(received(&chat.items().await), [("c1".to_owned(), "pick".to_owned(), 1)]);

    // The built-in one has the same data.
    portal.ask(Method::DELETE, "/api/packages/inline-ui", json!({})).await.ok();
    portal.runs().await;
    assert!(portal.shown().await.get("package").is_none());
    assert_eq!(chat.cards().await.len(), 1);
}

#[test]
fn the_same_files_give_the_same_tarballs() {
    let folder = tempfile::tempdir().unwrap();
    // The head of the program says what it runs on.
    let head = folder.path().join("head");
    let mut start = vec![0; 65_536];
    std::fs::File::open(binary()).unwrap().read_exact(&mut start).unwrap();
    std::fs::write(&head, start).unwrap();
    let first = build(&head, &folder.path().join("first"));
    assert_eq!(first.len(), 2);
    assert!(build(&head, &folder.path().join("second")) == first);
}

/// An extension that answers what it must, from a shell.
fn tea(version: &str) -> Publication {
    let manifest = json!({
        "name": "tea", "title": "Tea", "version": version, "description": "", "license": "MIT",
        "homepage": "", "protocol": 1, "server": { "command": ["run"] },
        "page": { "module": "page/it.js", "element": "a-card" }, "tools": [], "settings": {}, "asks": {},
    });
    let introduced = json!({
        "protocol": 1, "extension": { "name": "tea", "version": version }, "tools": [],
        "http": { "address": "127.0.0.1:1", "token": "t" },
        "page": { "module": "page/it.js", "element": "a-card" }, "settingsSchema": {},
    });
    let program = format!(
        r#"#!/bin/sh
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\),"method".*/\1/')
  case "$line" in
    *'"method":"initialize"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":{introduced}}}\n' "$id" ;;
    *'"method":"shutdown"'*) printf '{{"jsonrpc":"2.0","id":%s,"result":null}}\n' "$id"; exit 0 ;;
  esac
done
"#
    );
    Publication {
        package: json!({ "name": "tea", "version": version }),
        files: vec![
            ("manifest.json".to_owned(), manifest.to_string().into_bytes(), 0o644),
            ("bin/run".to_owned(), program.into_bytes(), 0o755),
        ],
    }
}

/// Every version that lies in the data folder.
fn versions(portal: &Program) -> BTreeSet<String> {
    let entries = std::fs::read_dir(portal.folder.path().join("extensions/tea"));
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name();
    entries.into_iter().flatten().map(|it| name(it).to_str().unwrap().to_owned()).collect()
}

/// `INLINE_UI_KILLS=300` is a longer run.
#[tokio::test]
async fn whatever_is_under_way_when_the_portal_is_killed_what_is_installed_stays_whole() {
    let kills = std::env::var("INLINE_UI_KILLS").ok().and_then(|it| it.parse().ok()).unwrap_or(15);
    let registry = Registry::start().await;
    let mut portal = Program::start_with(Options::of(&["--registry", &registry.address])).await;
    let mut state = std::process::id();
    let mut below = |n: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) % n
    };
    let mut done = 0;
    for round in 0..kills {
        registry.publish(&tea(&format!("1.{round}.0")));
        let address = portal.address.clone();
        let busy = tokio::spawn(async move {
            let ways =
                ["", "/tea/enable", "/tea/update", "/tea/roll-back", "/tea/update", "/tea/disable"];
            let mut done = 0;
            for way in ways {
                let path = format!("/api/packages{way}");
                let body = json!({ "source": "npm:tea" });
                let reply = crate::http::ask(&address, Method::POST, &path, &body).await;
                done += usize::from(reply.is_some_and(|it| it.status < 300));
            }
            crate::http::ask(&address, Method::DELETE, "/api/packages/tea", &json!({})).await;
            done
        });
        tokio::time::sleep(Duration::from_millis(below(400).into())).await;
        portal.kill_and_restart().await;
        done += busy.await.unwrap();
        let list = portal.get("/api/extensions").await;
        let mut kept = BTreeSet::new();
        for installed in list["installed"].as_array().unwrap() {
            assert!(installed.get("error").is_none(), "{installed}");
            let named =
                ["version", "previous"].map(|key| installed[key].as_str().map(str::to_owned));
            kept.extend(named.into_iter().flatten());
            if installed["enabled"] == true {
                until("the enabled one", async || {
                    let list = portal.get("/api/extensions").await;
                    let tea = list["extensions"][1].clone();
                    (tea["state"] == "running" && tea["version"] == installed["version"])
                        .then_some(())
                })
                .await;
            }
        }
        assert_eq!(versions(&portal), kept, "round {round}");
    }
    eprintln!("{kills} kills, {done} changes were answered");
    assert!(done > 0);
}

#[tokio::test]
async fn an_install_that_is_killed_leaves_nothing_and_can_be_made_again() {
    let registry = Registry::start().await;
    let tea = tea("1.0.0");
    registry.publish(&tea);
    registry.put("/tea/-/1.0.0.tgz", Served::Stalls);
    let mut portal = Program::start_with(Options::of(&["--registry", &registry.address])).await;
    let address = portal.address.clone();
    let source = json!({ "source": "npm:tea" });
    let install = tokio::spawn({
        let source = source.clone();
        async move { crate::http::ask(&address, Method::POST, "/api/packages", &source).await }
    });
    until("a download", async || {
        registry.asked().contains(&"/tea/-/1.0.0.tgz".to_owned()).then_some(())
    })
    .await;
    let under_way = portal.folder.path().join("extensions/.new");
    assert_eq!(std::fs::read_dir(&under_way).unwrap().count(), 1);
    portal.kill_and_restart().await;
    assert!(install.await.unwrap().is_none());
    assert!(!under_way.exists());
    assert_eq!(portal.get("/api/extensions").await["installed"], json!([]));
    registry.publish(&tea);
    portal.post("/api/packages", source).await.ok();
    assert_eq!(portal.get("/api/extensions").await["installed"][0]["name"], "tea");
}
