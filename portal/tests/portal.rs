//! The whole portal with a child process that is a few lines of shell.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "these are tests, helpers and all")]

use inline_ui_portal::{
    ExtensionCommand, ModelAccess, Portal, PortalConfig, PortalError, RegistryConfig,
};
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

/// Answers `initialize`; `$1` is what it does then, `$2` its own folder.
const EXTENSION: &str = r#"
answer() { printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"; }
[ "$1" = deaf ] && { while :; do sleep 1; done; }
printf x >> "$2/starts"
env > "$2/environment"
while IFS= read -r line; do
  id=$(printf '%s' "$line" | sed 's/.*"id":\([0-9]*\),"method".*/\1/')
  case "$line" in
    *'"method":"initialize"'*)
      printf '%s' "$line" > "$2/initialize"
      answer "$id" '{"protocol":1,"extension":{"name":"x","version":"1"},"tools":[],"http":{"address":"127.0.0.1:1","token":"t"},"page":{"module":"page/host.js","element":"x-card"},"settingsSchema":{}}'
      [ "$1" = dies ] && { echo 'first words' >&2; printf '\033[1mlast words\n\n' >&2; exit 1; }
      [ "$1" = once ] && [ "$(wc -c < "$2/starts")" -lt 2 ] && exit 3 ;;
    *'"method":"shutdown"'*)
      [ "$1" = stubborn ] && { trap '' TERM; while :; do sleep 1; done; }
      printf y > "$2/flushed"
      answer "$id" null
      exit 0 ;;
  esac
done
"#;

fn config(folder: &Path, behaviour: &str) -> PortalConfig {
    let manifest = serde_json::json!({
        "name": "x", "title": "X", "version": "1", "description": "A test",
        "page": { "module": "page/host.js", "element": "x-card" },
        "tools": [], "settings": { "type": "object", "properties": {} }, "asks": {},
    });
    let folder_text = folder.display().to_string();
    let args = ["-c", EXTENSION, "extension", behaviour, &folder_text];
    PortalConfig {
        listen: "127.0.0.1:0".parse().unwrap(),
        data: folder.join("data"),
        model: None,
        access: ModelAccess::default(),
        cards: None,
        password: None,
        origins: vec![],
        frame_origin: None,
        registry: RegistryConfig::default(),
        extension: ExtensionCommand {
            program: "/bin/sh".into(),
            args: args.iter().map(Into::into).collect(),
        },
        manifest,
    }
}

struct Running {
    address: String,
    shutdown: CancellationToken,
    served: JoinHandle<Result<(), PortalError>>,
}

async fn serve(config: PortalConfig) -> Running {
    let portal = Portal::start(config).await.unwrap();
    let address = portal.url().strip_prefix("http://").unwrap().to_owned();
    let shutdown = CancellationToken::new();
    let served = tokio::spawn(portal.serve(shutdown.clone()));
    Running { address, shutdown, served }
}

impl Running {
    async fn get(&self, host: &str, path: &str) -> String {
        let mut stream = TcpStream::connect(host).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    async fn shows(&self, state: &str) {
        let want = format!("\"state\":\"{state}\"");
        let shown = async {
            while !self.get(&self.address, "/api/extensions").await.contains(&want) {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(Duration::from_secs(10), shown).await.unwrap();
    }

    async fn stop(self) -> Duration {
        let begun = Instant::now();
        self.shutdown.cancel();
        self.served.await.unwrap().unwrap();
        begun.elapsed()
    }
}

#[tokio::test]
async fn the_extension_is_introduced_and_asked_to_end_when_the_portal_does() {
    let folder = tempfile::tempdir().unwrap();
    let portal = serve(config(folder.path(), "well")).await;
    portal.shows("running").await;
    let said = std::fs::read_to_string(folder.path().join("initialize")).unwrap();
    let said: serde_json::Value = serde_json::from_str(&said).unwrap();
    let params = &said["params"];
    assert_eq!(params["origins"], serde_json::json!([format!("http://{}", portal.address)]));
    let port = portal.address.rsplit(':').next().unwrap().to_owned();
    assert_eq!(params["frameOrigin"], format!("http://localhost:{port}"));
    assert_eq!(params["basePath"], "/ext/x");
    assert!(params["dataDir"].as_str().unwrap().ends_with("data/extension-data/x"));
    portal.stop().await;
    assert!(folder.path().join("flushed").exists());
    let environment = std::fs::read_to_string(folder.path().join("environment")).unwrap();
    assert!(environment.contains("PATH="), "{environment}");
    // Cargo sets it for this test, as an admin may set a password or a key.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    assert!(!environment.contains("CARGO_MANIFEST_DIR"), "{environment}");
}

#[tokio::test]
async fn an_extension_that_fails_is_started_again() {
    let folder = tempfile::tempdir().unwrap();
    let portal = serve(config(folder.path(), "once")).await;
    portal.shows("running").await;
    let twice = async {
        while std::fs::read(folder.path().join("starts")).unwrap().len() < 2 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(Duration::from_secs(10), twice).await.unwrap();
    portal.shows("running").await;
    portal.stop().await;
}

#[tokio::test]
async fn an_extension_that_dies_over_and_over_is_started_less_and_less_and_its_last_words_are_shown()
 {
    let folder = tempfile::tempdir().unwrap();
    let portal = serve(config(folder.path(), "dies")).await;
    let begun = Instant::now();
    let starts = || std::fs::read(folder.path().join("starts")).unwrap().len();
    portal.shows("failed").await;
    let shown = portal.get(&portal.address, "/api/extensions").await;
    let want = "it stopped (exit status: 1); its last words were: [1mlast words\"";
    assert!(shown.contains(want), "{shown}");
    while starts() < 4 {
        assert!(begun.elapsed() < Duration::from_secs(10));
        sleep(Duration::from_millis(20)).await;
    }
    // The pauses before the 2nd to the 4th: 200, 400 and 800 ms.
    assert!(begun.elapsed() > Duration::from_millis(1300), "{:?}", begun.elapsed());
    portal.shows("failed").await;
    portal.stop().await;
}

#[tokio::test]
async fn an_extension_that_cannot_be_started_is_shown_as_failed_and_the_page_works() {
    let folder = tempfile::tempdir().unwrap();
    let mut config = config(folder.path(), "well");
    config.extension.program = folder.path().join("missing");
    let portal = serve(config).await;
    portal.shows("failed").await;
    assert!(portal.get(&portal.address, "/").await.starts_with("HTTP/1.1 200"));
    portal.stop().await;
}

#[tokio::test]
async fn an_extension_that_does_not_end_when_it_is_asked_to_is_killed() {
    is_killed("stubborn").await;
}

#[tokio::test]
async fn an_extension_that_never_answered_is_killed_too() {
    is_killed("deaf").await;
}

async fn is_killed(behaviour: &str) {
    let folder = tempfile::tempdir().unwrap();
    let portal = serve(config(folder.path(), behaviour)).await;
    let taken = portal.stop().await;
    assert!(taken < Duration::from_secs(5), "{taken:?}");
    assert!(!folder.path().join("flushed").exists());
}

#[tokio::test]
async fn localhost_leads_to_the_portal_on_both_loopbacks() {
    let folder = tempfile::tempdir().unwrap();
    let portal = serve(config(folder.path(), "well")).await;
    let port = portal.address.rsplit(':').next().unwrap();
    let answer = portal.get(&format!("localhost:{port}"), "/chats/a").await;
    assert!(answer.starts_with("HTTP/1.1 307"), "{answer}");
    assert!(answer.contains(&format!("location: http://{}/chats/a", portal.address)), "{answer}");
    portal.stop().await;
}

#[tokio::test]
async fn what_cannot_be_served_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let good = || config(folder.path(), "well");
    let portal = serve(good()).await;
    let taken = portal.address.parse().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let cases = [
        (PortalConfig { listen: taken, ..good() }, "another program listens there"),
        (good(), "another portal is using it"),
        (
            PortalConfig { listen: "0.0.0.0:0".parse().unwrap(), ..good() },
            "put a proxy with TLS in front",
        ),
        (
            PortalConfig {
                listen: "0.0.0.0:0".parse().unwrap(),
                password: Some("a".to_owned()),
                ..good()
            },
            "needs an origin",
        ),
        (
            PortalConfig { origins: vec!["https://a.example".to_owned()], ..good() },
            "needs a password",
        ),
        (
            PortalConfig { origins: vec!["http://127.0.0.1:1/a".to_owned()], ..good() },
            "is no origin",
        ),
        (PortalConfig { frame_origin: Some("a.example".to_owned()), ..good() }, "is no origin"),
        (
            PortalConfig { model: Some("openai".to_owned()), ..good() },
            "cannot be used: OPENAI_API_KEY is not set",
        ),
        (
            PortalConfig { model: Some("gpt-5".to_owned()), ..good() },
            "there are demo, openai, anthropic and gemini",
        ),
        (
            PortalConfig { data: folder.path().join("file"), ..good() },
            "cannot write to the data folder",
        ),
        (
            PortalConfig { cards: Some(folder.path().join("none")), ..good() },
            "cannot read the cards folder",
        ),
        (PortalConfig { manifest: serde_json::json!({}), ..good() }, "manifest is not usable"),
    ];
    for (config, want) in cases {
        let error = Portal::start(config).await.unwrap_err().to_string();
        assert!(error.contains(want), "{error} lacks {want}");
    }
    portal.stop().await;
}
