//! A portal that does not read, or does not say what it did: it costs a bounded amount of memory,
//! and nobody else anything.

use crate::harness::{
    CHAT, Http, ORIGIN, Portal, Program, eventually, initialize_params, notification, terminate,
};
use serde_json::{Value, json};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout};

/// Memory that a flood may add, in KiB.
const BOUND: u64 = 32_768;

/// A portal that reads when it is told to.
struct Silent {
    program: Program,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    http: Http,
    _data: TempDir,
}

impl Silent {
    async fn start() -> Self {
        let data = tempfile::tempdir().unwrap();
        let mut program = Program::start(&["serve", "--stdio"]);
        let (mut input, output) = program.pipes();
        let params = initialize_params(data.path(), &json!({}));
        input.write_all(request(0, "initialize", &params).as_bytes()).await.unwrap();
        let mut lines = BufReader::new(output).lines();
        let answer: Value =
            serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
        let http = Http::of(&answer["result"]["http"]);
        Self { program, input, lines, http, _data: data }
    }

    /// Writes lines until the program reads no more of them, at most so many. How many went out whole,
    /// and what did not of the last one.
    async fn flood(&mut self, most: u64, line: impl Fn(u64) -> String) -> (u64, Vec<u8>) {
        for n in 0..most {
            let line = line(n).into_bytes();
            let mut sent = 0;
            while sent < line.len() {
                let write = self.input.write(&line[sent..]);
                match tokio::time::timeout(Duration::from_secs(2), write).await {
                    Ok(written) => sent += written.unwrap(),
                    Err(_) => return (n, line[sent..].to_vec()),
                }
            }
        }
        panic!("the program went on reading from a portal that reads nothing: {most} lines");
    }

    async fn answer(&mut self) -> Value {
        loop {
            let line = crate::harness::within("an answer", self.lines.next_line()).await;
            let line: Value = serde_json::from_str(&line.unwrap().unwrap()).unwrap();
            if line.get("method").is_none() {
                return line;
            }
        }
    }
}

fn request(id: u64, method: &str, params: &Value) -> String {
    let mut line = json!({ "jsonrpc": "2.0", "id": id, "method": method });
    line["params"] = params.clone();
    format!("{line}\n")
}

/// A tool call, each about another of 500 chats, that is refused in many words.
fn refused_call(n: u64) -> String {
    let params = json!({ "chat": format!("chat-{}", n % 500), "call": format!("call-{n}"), "name": "ui_update",
        "arguments": { "card": "c9", "data": n } });
    request(n + 1, "tools/call", &params)
}

#[tokio::test]
async fn calls_of_a_portal_that_never_reads_pile_up_nowhere_and_all_are_answered_once_it_does() {
    let mut portal = Silent::start().await;
    let before = portal.program.resident();
    let (sent, rest) = portal.flood(200_000, refused_call).await;
    let grown = portal.program.resident().saturating_sub(before);
    println!("{sent} calls were read, {grown} KiB more");
    assert!(grown < BOUND, "{grown} KiB for {sent} calls");
    // What the pages ask is answered all the same.
    assert_eq!(portal.http.get("/healthz").await.status, 200);
    portal.http.get(&format!("/chats/{CHAT}/cards")).await.ok();
    let mut answered = std::collections::BTreeSet::new();
    // The rest goes out as room comes.
    let mut rest = rest.as_slice();
    while answered.len() as u64 <= sent {
        tokio::select! {
            written = portal.input.write(rest), if !rest.is_empty() => rest = &rest[written.unwrap()..],
            line = portal.lines.next_line() => {
                let line: Value = serde_json::from_str(&line.unwrap().unwrap()).unwrap();
                assert_eq!(line["result"]["structured"]["code"], "unknown_card");
                assert!(answered.insert(line["id"].as_u64().unwrap()), "answered twice");
            }
        }
    }
}

#[tokio::test]
async fn takes_and_words_of_a_portal_that_never_reads_pile_up_nowhere() {
    let mut portal = Silent::start().await;
    let before = portal.program.resident();
    let (sent, _) = portal
        .flood(200_000, |n| {
            let chat = format!("chat-{}", n % 500);
            let idle = notification("chat/agent", json!({ "chat": chat, "state": "idle" }));
            idle + &request(n + 1, "outbox/take", &json!({ "chat": chat, "at": "prompt" }))
        })
        .await;
    let grown = portal.program.resident().saturating_sub(before);
    println!("{sent} takes were read, {grown} KiB more");
    assert!(grown < BOUND, "{grown} KiB for {sent} takes");
}

#[tokio::test]
async fn a_portal_that_never_reads_does_not_hold_up_the_end() {
    let mut portal = Silent::start().await;
    portal.flood(200_000, refused_call).await;
    terminate(&portal.program).await;
    assert_eq!(portal.program.ended().await.code(), Some(0));
}

#[tokio::test]
async fn hints_that_nobody_reads_are_dropped_and_events_are_taken_all_the_same() {
    let mut portal = Silent::start().await;
    let chats = 100;
    for n in 0..chats {
        let params = json!({ "chat": format!("chat-{n}"), "call": format!("call-{n}"), "name": "ui_show",
            "arguments": { "title": "T", "html": "<p>x</p>", "events": [{ "name": "a" }] } });
        portal.input.write_all(request(n + 1, "tools/call", &params).as_bytes()).await.unwrap();
        assert_eq!(portal.answer().await["result"]["structured"]["card"], "c1");
    }
    let before = portal.program.resident();
    for n in 0..chats {
        let page = crate::harness::Page::new(portal.http.clone(), &format!("chat-{n}"));
        page.open("c1").await.emit("a", json!(n)).await.accepted();
    }
    // Each state of an agent gives its chat's hint again, in more bytes than a pipe holds.
    for n in 0..chats * 80 {
        let state = ["working", "idle"][usize::try_from(n / chats % 2).unwrap()];
        let agent = json!({ "chat": format!("chat-{}", n % chats), "state": state });
        portal.input.write_all(notification("chat/agent", agent).as_bytes()).await.unwrap();
    }
    let grown = portal.program.resident().saturating_sub(before);
    println!("{} hints for nobody, {grown} KiB more", chats * 80);
    assert!(grown < BOUND, "{grown} KiB");
    let take = json!({ "chat": "chat-7", "at": "prompt" });
    portal.input.write_all(request(9_999, "outbox/take", &take).as_bytes()).await.unwrap();
    let taken = portal.answer().await;
    assert!(taken["result"]["message"]["text"].as_str().unwrap().contains("\"data\":7"), "{taken}");
}

#[tokio::test]
async fn a_link_has_4096_open_questions_at_most_and_one_more_when_one_ends() {
    let mut portal = Portal::start().await;
    let before = portal.program.resident();
    let ask = |n: usize| {
        json!({ "chat": format!("chat-{}", n % 64), "call": format!("ask-{n}"), "name": "ui_show",
            "arguments": { "title": "Q", "html": "<p>x</p>", "wait": { "event": "ok" } } })
    };
    let mut open = Vec::new();
    for n in 0..4_096 {
        open.push(portal.send("tools/call", ask(n)).await);
    }
    let further = portal.send("tools/call", ask(4_096)).await;
    let refused = portal.result(&further).await;
    assert_eq!(refused.code(), Some("too_many_questions"));
    assert!(refused.text.contains("4096"), "{}", refused.text);
    let page = portal.page("chat-0");
    assert_eq!(page.cards().await.len(), 64, "no card was shown for it");
    println!("4096 open questions, {} KiB more", portal.program.resident() - before);
    portal.cancel("ask-0").await;
    assert_eq!(portal.result(&open[0]).await.structured["outcome"], "cancelled");
    let next = portal.send("tools/call", ask(4_097)).await;
    assert!(portal.is_open_after(&next, Duration::from_millis(300)).await, "it waits");
    assert!(!portal.tool(CHAT, "ui_show", json!({ "title": "T", "html": "x" })).await.is_error);
}

#[tokio::test]
async fn a_portal_that_takes_and_never_says_what_it_did_leaves_one_entry_a_card_and_name() {
    let names = ["a", "b", "c"];
    let events = json!(names.map(|name| json!({ "name": name })));
    let mut portal = Portal::start().await;
    for _ in 0..3 {
        portal.show(CHAT, json!({ "events": events })).await;
    }
    let page = portal.page(CHAT);
    let mut first = Value::Null;
    for id in ["c1", "c2", "c3"] {
        let card = page.open(id).await;
        for n in 0..18 {
            card.emit(names[n % 3], json!(n)).await.accepted();
            let taken = portal.take(CHAT, ["prompt", "step"][n % 2]).await;
            if first.is_null() {
                first = taken;
            } else {
                assert!(taken.is_null(), "one message is out: {taken}");
            }
        }
    }
    assert_eq!(first["details"]["events"].as_array().unwrap().len(), 1);
    portal.agent(CHAT, "idle").await;
    let mut had = Vec::new();
    let messages = portal.collect(CHAT, "prompt", &mut had).await;
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0], first);
    let rest = messages[1]["details"]["events"].as_array().unwrap();
    assert_eq!(rest.len(), 9, "three cards of three names: {rest:?}");
    let count = |event: &Value| event["count"].as_u64().unwrap();
    assert_eq!(rest.iter().map(count).sum::<u64>(), 3 * 18 - 1);
}

#[tokio::test]
async fn a_page_that_breaks_off_its_posts_costs_nobody_anything() {
    let (mut portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    let card = page.open("c1").await;
    let address = portal.http.address.clone();
    let head = format!(
        "POST /chats/{CHAT}/cards/c1/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\norigin: {ORIGIN}\r\n\
         content-type: application/json\r\ncontent-length: 60000\r\n\r\n{{\"id\":\"half\",",
        portal.http.token
    );
    let mut halves = Vec::new();
    for _ in 0..200 {
        let mut half = tokio::net::TcpStream::connect(&address).await.unwrap();
        half.write_all(head.as_bytes()).await.unwrap();
        halves.push(half);
    }
    card.emit("a", json!("whole")).await.accepted();
    drop(halves);
    let message = portal.take(CHAT, "prompt").await;
    assert_eq!(message["details"]["events"].as_array().unwrap().len(), 1);
    let files = format!("/proc/{}/fd", portal.program.pid());
    eventually("the broken connections gone", async || {
        std::fs::read_dir(&files).unwrap().count() < 100
    })
    .await;
}
