//! Pages that come back, that do not read, and a thousand of them.

use crate::harness::{CHAT, Page, Portal, Program, Stream, eventually};
use serde_json::{Value, json};

async fn resumed(page: &Page, last: Option<&str>) -> Stream {
    let mut request = page.stream_request("");
    if let Some(last) = last {
        request.headers_mut().insert("last-event-id", last.parse().unwrap());
    }
    let mut stream = page.http.stream(request).await;
    stream.comment().await;
    stream
}

async fn pages(portal: &mut Portal) -> Value {
    let updated = portal.tool(CHAT, "ui_update", json!({ "card": "c1", "title": "T" })).await;
    updated.structured["pages"].clone()
}

#[tokio::test]
async fn a_page_that_breaks_off_and_comes_back_while_much_happens_misses_nothing_and_sees_nothing_twice()
 {
    const POSTS: u64 = 240;
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let first = page.stream().await;
    let posting = async {
        let mut calls = Vec::new();
        for n in 1..=POSTS {
            calls.push(portal.call(CHAT, "ui_update", json!({ "card": "c1", "data": n })).await.1);
        }
        for call in &calls {
            assert!(!portal.result(call).await.is_error);
        }
    };
    let reading = async {
        let (mut stream, mut last, mut seen) = (first, None::<String>, Vec::new());
        while seen.last() != Some(&POSTS) {
            for _ in 0..7 {
                let told = stream.next().await;
                assert_eq!(told.event, "posted", "{told:?}");
                seen.push(told.data["n"].as_u64().unwrap());
                last = told.id;
                if seen.last() == Some(&POSTS) {
                    break;
                }
            }
            stream = resumed(&page, last.as_deref()).await;
        }
        seen
    };
    let ((), seen) = tokio::join!(posting, reading);
    assert_eq!(seen, (1..=POSTS).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_page_that_never_reads_costs_256_events_and_starts_over_when_it_reads_or_comes_back() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let mut never = page.stream().await;
    let mut reader = page.stream().await;
    let start = page.listing().await["after"].as_str().unwrap().to_owned();
    let data = "x".repeat(60_000);
    // 256 events of it are the backlog; what is measured comes after they are there.
    for _ in 0..300 {
        portal.tool(CHAT, "ui_update", json!({ "card": "c1", "data": data })).await;
        reader.event("posted").await;
    }
    let before = portal.program.resident();
    for _ in 0..300 {
        portal.tool(CHAT, "ui_update", json!({ "card": "c1", "data": data })).await;
        reader.event("posted").await;
    }
    let grown = portal.program.resident().saturating_sub(before);
    println!("300 posts of 60000 bytes to a page that does not read: {grown} KiB more");
    assert!(grown < 8_192, "{grown} KiB for 17 MiB nobody read");
    let mut told = never.next().await;
    let mut behind = 0;
    while told.event != "resync" {
        behind += 1;
        told = never.next().await;
    }
    assert!(behind < 500, "{behind} events were kept for it");
    assert_eq!(resumed(&page, Some(&start)).await.next().await.event, "resync");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_pages_of_a_chat_are_told_and_counted_and_gone_when_they_close() {
    const PAGES: usize = 1_000;
    rlimit::increase_nofile_limit(u64::MAX).unwrap();
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let before = portal.program.resident();
    let mut streams = Vec::new();
    for _ in 0..PAGES {
        streams.push(page.stream().await);
    }
    let open = portal.program.resident() - before;
    let posted = portal.tool(CHAT, "ui_update", json!({ "card": "c1", "data": "for all" })).await;
    assert_eq!(posted.structured["pages"], PAGES);
    for stream in &mut streams {
        assert_eq!(stream.event("posted").await["data"], "for all");
    }
    println!("{PAGES} pages: {open} KiB, {} bytes each", open * 1_024 / PAGES as u64);
    assert!(open < 100 * 1_024, "{open} KiB for {PAGES} pages");
    drop(streams);
    for left in (0..200).rev() {
        if pages(&mut portal).await == 0 {
            break;
        }
        assert!(left > 0, "closed streams still count");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_program_started_with_a_low_soft_limit_of_open_files_raises_it_to_the_hard_one() {
    rlimit::increase_nofile_limit(u64::MAX).unwrap();
    let mut portal =
        Portal::start_in(Program::start_with_files("256:4096", &["serve", "--stdio"])).await;
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", portal.program.pid())).unwrap();
    let line = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    let numbers: Vec<&str> =
        line.split_whitespace().filter(|word| word.parse::<u64>().is_ok()).collect();
    assert_eq!(numbers, ["4096", "4096"], "{line}");
    portal.show(CHAT, json!({})).await;
    let page = portal.page(CHAT);
    let mut streams = Vec::new();
    for _ in 0..400 {
        streams.push(page.stream().await);
    }
    assert_eq!(pages(&mut portal).await, 400);
    eventually("a page more", async || page.http.get("/healthz").await.status == 200).await;
}
