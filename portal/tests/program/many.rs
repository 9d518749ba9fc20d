//! A hundred chats at once.

use crate::chat::{Chat, show};
use crate::program::{Program, until};
use serde_json::json;
use std::time::{Duration, Instant};

const CHATS: usize = 100;

/// Resident memory of a process, in MiB.
fn resident(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().split(' ').next().unwrap().parse::<u64>().unwrap() / 1024
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_chats_with_runs_at_once_leave_the_portal_quick_to_answer() {
    let portal = Program::start().await;
    portal.runs().await;
    let began = Instant::now();
    let card = show(&json!({ "events": [{ "name": "a" }] }));
    let mut chats = Vec::new();
    for _ in 0..CHATS {
        let chat = Chat::begin(&portal, "/work 6").await;
        chat.say(&card).await;
        chats.push(chat);
    }
    // While all of them run, another chat begins, and has its card.
    let another = Instant::now();
    let late = Chat::begin(&portal, &card).await;
    until("its card", async || (!late.cards().await.is_empty()).then_some(())).await;
    let first_card = another.elapsed();
    let mut slowest = Duration::ZERO;
    let mut working = 0;
    for _ in 0..20 {
        let asked = Instant::now();
        let listed = portal.get("/api/chats").await;
        slowest = slowest.max(asked.elapsed());
        let of = listed["chats"].as_array().unwrap();
        working = working.max(of.iter().filter(|chat| chat["agent"] == "working").count());
    }
    let memory = (resident(portal.pid()), resident(portal.extension().await));
    eprintln!(
        "{working} chats at work at once: a card of another one after {first_card:?}, the list within {slowest:?}, \
         {} MiB the portal, {} MiB the extension",
        memory.0, memory.1
    );
    assert!(working >= CHATS / 2, "{working} at once");
    assert!(first_card < Duration::from_secs(3), "{first_card:?}");
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
    for chat in &chats {
        chat.idle().await;
        assert_eq!(chat.cards().await.len(), 1);
    }
    eprintln!("all done after {:?}", began.elapsed());
}
