#[path = "../../tests/program/registry.rs"]
pub(crate) mod registry;

mod hostile;
mod lifecycle;

use super::*;
use crate::chat::tests::bench::until;
use crate::extension::HostState;
use crate::extension::fake::profile;
use registry::{Publication, Registry as Stub};
use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// An extension of a few lines. It notes each life in its data folder, with its version.
const PROGRAM: &str = r#"#!/bin/sh
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\),"method".*/\1/')
  case "$line" in
    *'"method":"initialize"'*)
      data=$(printf '%s' "$line" | sed 's/.*"dataDir":"\([^"]*\)".*/\1/')
      mkdir -p "$data" && echo 'VERSION' >> "$data/lives"
      printf '{"jsonrpc":"2.0","id":%s,"result":{"protocol":1,"extension":{"name":"NAME","version":"VERSION"},"tools":[{"name":"NAME_start","title":"Start","description":"","inputSchema":{}}],"http":{"address":"127.0.0.1:1","token":"t"},"page":{"module":"page/it.js","element":"a-card"},"settingsSchema":{}}}\n' "$id" ;;
    *'"method":"shutdown"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":null}\n' "$id"
      exit 0 ;;
  esac
done
"#;

fn manifest(name: &str, version: &str) -> Value {
    json!({
        "name": name, "title": name, "version": version, "description": "A test", "license": "MIT",
        "homepage": "", "protocol": 1, "server": { "command": ["run"] },
        "page": { "module": "page/it.js", "element": "a-card" },
        "tools": [{ "name": format!("{name}_start"), "title": "Start" }],
        "settings": { "type": "object", "properties": {} }, "asks": { "network": "none" },
    })
}

fn program(name: &str, version: &str) -> (String, Vec<u8>, u32) {
    let text = PROGRAM.replace("NAME", name).replace("VERSION", version);
    ("bin/run".to_owned(), text.into_bytes(), 0o755)
}

/// A package with its program in it.
fn extension(name: &str, version: &str) -> Publication {
    with_manifest(&manifest(name, version))
}

fn with_manifest(manifest: &Value) -> Publication {
    let (name, version) =
        (manifest["name"].as_str().unwrap(), manifest["version"].as_str().unwrap());
    Publication {
        package: json!({ "name": name, "version": version, "keywords": [KEYWORD] }),
        files: vec![
            ("manifest.json".to_owned(), manifest.to_string().into_bytes(), 0o644),
            program(name, version),
        ],
    }
}

use super::registry::KEYWORD;

/// A portal's packages on a folder, and the registry.
struct Shelf {
    packages: Packages,
    hosts: Hosts,
    store: Arc<Store>,
    stub: Stub,
    root: TempDir,
    stop: tokio_util::sync::DropGuard,
}

impl Shelf {
    async fn new() -> Self {
        let stub = Stub::start().await;
        Self::over(tempfile::tempdir().unwrap(), stub).await
    }

    async fn over(root: TempDir, stub: Stub) -> Self {
        let store = Arc::new(Store::open(&root.path().join("portal.sqlite3")).unwrap());
        let hosts = Hosts::new(Arc::clone(&store));
        let (stall, whole) = (Duration::from_millis(300), Duration::from_secs(3));
        let limits = FetchLimits { packument: 1 << 20, tarball: 1 << 20, stall, whole };
        let config = RegistryConfig { address: stub.address.clone(), tarball_hosts: vec![] };
        let fetcher = Fetcher {
            registry: Registry::new(&config, limits).unwrap(),
            folders: Folders::new(root.path().to_owned()),
            platform: Platform::here(),
            limits: UnpackLimits::default(),
        };
        let built_in = root.path().join("built-in");
        std::fs::write(&built_in, program("inline-ui", "0.0.0").1).unwrap();
        let command = ExtensionCommand { program: "/bin/sh".into(), args: vec![built_in.into()] };
        let built_in = BuiltIn { profile: profile(), command };
        let stop = CancellationToken::new();
        let (ready, _) = mpsc::channel(1);
        let token = stop.clone();
        let around =
            |data| Surroundings { data, origins: vec![], frame_origin: None, ready, stop: token };
        let packages = Packages::over(fetcher, built_in, Arc::clone(&store), hosts.clone(), around);
        packages.start().await.unwrap();
        Self { packages, hosts, store, stub, root, stop: stop.drop_guard() }
    }

    /// Ends it without putting anything in order, and starts another on the same folder.
    async fn killed(self) -> Self {
        self.store.close().await;
        let Self { root, stub, stop, .. } = self;
        drop(stop);
        Self::over(root, stub).await
    }

    /// The code of the refusal, and that it left nothing.
    async fn refused(&self, source: &str) -> &'static str {
        let before = self.folders();
        let code = match self.packages.install(source).await {
            Ok(_) => "installed",
            Err(error) => {
                assert!(error.text.ends_with('.') && error.text.len() > 15, "{}", error.text);
                error.code
            }
        };
        if code != "installed" {
            assert_eq!(self.folders(), before, "{code}");
            assert!(self.store.packages().await.unwrap().is_empty());
        }
        code
    }

    /// Every package's versions that lie in the data folder, and what is under way.
    fn folders(&self) -> Vec<String> {
        let list = |path: &std::path::Path| -> Vec<PathBuf> {
            std::fs::read_dir(path).into_iter().flatten().flatten().map(|it| it.path()).collect()
        };
        let all = list(&self.root.path().join("extensions")).into_iter().flat_map(|it| list(&it));
        let mut all: Vec<String> = all
            .map(|it| it.strip_prefix(self.root.path()).unwrap().display().to_string())
            .collect();
        all.sort();
        all
    }

    async fn runs(&self, name: &str, version: &str) {
        until(async || {
            let host = self.hosts.named(name);
            host.is_some_and(|host| {
                host.profile().version == version && *host.state().borrow() == HostState::Running
            })
        })
        .await;
    }

    /// The versions of its lives, from its own data folder.
    fn lives(&self, name: &str) -> Vec<String> {
        let path = self.root.path().join("extension-data").join(name).join("lives");
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    fn tools(&self) -> Vec<String> {
        self.hosts.tools().into_iter().map(|tool| tool.name).collect()
    }
}
