//! `serve --socket`: the link on a Unix socket, for a portal that comes and goes.

use crate::harness::{
    CHAT, Http, Link, Page, Program, eventually, initialize_params, run, terminate, within,
};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio::net::UnixStream;

struct Served {
    program: Program,
    folder: TempDir,
    socket: PathBuf,
}

async fn serve(http: &str) -> Served {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("link.sock");
    let http = http.replace("DIR", &folder.path().display().to_string());
    let program =
        Program::start(&["serve", "--socket", &socket.display().to_string(), "--http", &http]);
    eventually("the socket", async || socket.exists()).await;
    Served { program, folder, socket }
}

async fn connect(socket: &Path) -> Link {
    let (input, output) = UnixStream::connect(socket).await.unwrap().into_split();
    Link::new(input, output)
}

impl Served {
    fn parameters(&self) -> Value {
        initialize_params(&self.folder.path().join("data"), &json!({}))
    }

    /// Connects until the process has seen that the one before is gone.
    async fn initialized(&self) -> (Link, Http) {
        within("a link that is free", async {
            loop {
                let mut link = connect(&self.socket).await;
                if let Some(answer) = link.try_request("initialize", self.parameters()).await {
                    return (link, Http::of(&answer.unwrap()["http"]));
                }
                tokio::time::sleep(std::time::Duration::from_millis(20)).await;
            }
        })
        .await
    }
}

async fn ask(link: &mut Link, call: &str, arguments: Value) -> crate::harness::Pending {
    link.send(
        "tools/call",
        json!({ "chat": CHAT, "call": call, "name": "ui_show", "arguments": arguments }),
    )
    .await
}

#[tokio::test]
async fn only_its_user_may_open_the_socket_and_it_goes_with_the_process() {
    let mut served = serve("127.0.0.1:0").await;
    assert_eq!(fs::metadata(&served.socket).unwrap().permissions().mode() & 0o777, 0o600);
    terminate(&served.program).await;
    assert!(served.program.ended().await.success());
    assert!(!served.socket.exists());
}

#[tokio::test]
async fn a_second_portal_is_told_that_the_link_is_taken() {
    let served = serve("127.0.0.1:0").await;
    let (mut first, _) = served.initialized().await;
    let mut second = connect(&served.socket).await;
    let (id, refused) = second.stray().await;
    assert!(id.is_null() && refused.message.contains("another portal"), "{refused:?}");
    second.ended().await;
    assert!(first.request("outbox/take", json!({ "chat": CHAT, "at": "prompt" })).await.is_ok());
}

#[tokio::test]
async fn a_portal_that_comes_back_finds_the_same_process_and_waits_were_cancelled() {
    let mut served = serve("127.0.0.1:0").await;
    let (mut link, http) = served.initialized().await;
    let question = json!({ "title": "Q", "html": "<p>x</p>", "wait": { "event": "ok" } });
    let wait = ask(&mut link, "call-1", question).await;
    link.flush().await;
    let page = Page::new(http.clone(), CHAT);
    assert_eq!(page.card("c1").await["waiting"], json!(["ok"]));
    drop(link);
    drop(wait);
    eventually("the end of the wait", async || page.card("c1").await.get("waiting").is_none())
        .await;
    assert!(served.program.is_running());
    page.open("c1").await.emit("ok", json!("late")).await.accepted();
    let (mut link, again) = served.initialized().await;
    assert_eq!((&again.address, &again.token), (&http.address, &http.token));
    let message = link
        .request("outbox/take", json!({ "chat": CHAT, "at": "prompt" }))
        .await
        .unwrap()["message"]
        .clone();
    assert_eq!(message["details"]["events"][0]["name"], "ok");
}

#[tokio::test]
async fn a_link_that_closes_returns_what_was_out_with_its_bytes() {
    let served = serve("127.0.0.1:0").await;
    let (mut link, http) = served.initialized().await;
    let arguments = json!({ "title": "T", "html": "<p>x</p>", "events": [{ "name": "a" }] });
    let shown = ask(&mut link, "call-1", arguments).await;
    link.answer(&shown).await.result.unwrap();
    let card = Page::new(http, CHAT).open("c1").await;
    card.emit("a", json!(1)).await.accepted();
    let take = json!({ "chat": CHAT, "at": "step" });
    let message = link.request("outbox/take", take.clone()).await.unwrap();
    card.emit("a", json!(2)).await.accepted();
    drop(link);
    let (mut link, _) = served.initialized().await;
    assert_eq!(link.request("outbox/take", take).await.unwrap().to_string(), message.to_string());
}

#[tokio::test]
async fn an_answer_that_its_portal_did_not_keep_is_an_ordinary_event_after_it_comes_back() {
    let served = serve("127.0.0.1:0").await;
    let (mut link, http) = served.initialized().await;
    let wait = ask(
        &mut link,
        "call-1",
        json!({ "title": "Q", "html": "<p>x</p>", "wait": { "event": "ok" } }),
    )
    .await;
    link.flush().await;
    Page::new(http, CHAT).open("c1").await.emit("ok", json!(7)).await.accepted();
    assert_eq!(link.answer(&wait).await.result.unwrap()["structured"]["outcome"], "answered");
    drop(link);
    let (mut link, _) = served.initialized().await;
    let message = link
        .request("outbox/take", json!({ "chat": CHAT, "at": "prompt" }))
        .await
        .unwrap()["message"]
        .clone();
    assert_eq!(message["details"]["events"][0]["count"], 1);
}

#[tokio::test]
async fn another_folder_is_refused_as_long_as_the_process_serves_one() {
    let served = serve("127.0.0.1:0").await;
    let (mut link, _) = served.initialized().await;
    let other = initialize_params(&served.folder.path().join("other"), &json!({}));
    let refused = link.request("initialize", other).await.unwrap_err();
    assert!(
        refused.message.contains("other") && refused.message.contains("data"),
        "{}",
        refused.message
    );
    assert!(link.request("initialize", served.parameters()).await.is_ok());
}

#[tokio::test]
async fn shutdown_ends_a_socket_process_too() {
    let mut served = serve("127.0.0.1:0").await;
    let (mut link, _) = served.initialized().await;
    assert_eq!(link.request("shutdown", json!({})).await, Ok(Value::Null));
    assert_eq!(served.program.ended().await.code(), Some(0));
    assert!(!served.socket.exists());
}

#[tokio::test]
async fn a_socket_that_a_process_serves_is_not_taken_from_it_and_a_dead_ones_file_is() {
    let mut served = serve("127.0.0.1:0").await;
    let path = served.socket.display().to_string();
    let second = run(&["serve", "--socket", &path]).await;
    assert_eq!(second.status.code(), Some(1));
    let line = String::from_utf8(second.stderr).unwrap();
    assert!(line.contains(&path) && line.lines().count() == 1, "{line}");
    served.program.kill().await;
    assert!(served.socket.exists(), "a kill leaves the file");
    served.program = Program::start(&["serve", "--socket", &path]);
    eventually("somebody at the socket", async || {
        UnixStream::connect(&served.socket).await.is_ok()
    })
    .await;
    served.initialized().await;
}

#[tokio::test]
async fn the_routes_may_listen_on_a_socket_of_their_own() {
    let served = serve("unix:DIR/http.sock").await;
    let (mut link, http) = served.initialized().await;
    let path = served.folder.path().join("http.sock");
    assert_eq!(http.address, format!("unix:{}", path.display()));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let shown = ask(
        &mut link,
        "call-1",
        json!({ "title": "T", "html": "<p>x</p>", "events": [{ "name": "a" }] }),
    )
    .await;
    link.answer(&shown).await.result.unwrap();
    Page::new(http, CHAT).open("c1").await.emit("a", json!(1)).await.accepted();
}
