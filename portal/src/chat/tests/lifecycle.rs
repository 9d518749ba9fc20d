use super::bench::{Bench, Piece, call, text, until};
use crate::chat::keep::SAVE_TEXT_AFTER;
use crate::chat::task::LET_GO_AFTER;
use crate::chat::{ChatError, Hub};
use crate::extension::fake::PATIENCE;
use crate::model::Turn;
use portal_link::AgentState;
use std::time::Duration;
use tokio::time::timeout;

#[tokio::test(start_paused = true)]
async fn messages_sent_while_the_agent_works_start_the_next_runs_in_order() {
    let mut bench = Bench::new(vec![vec![text("a"), Piece::Hangs]]).await;
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    bench.turn().await;
    assert!(bench.hub.say(&chat, "two").await.unwrap().queued);
    assert!(bench.hub.say(&chat, "three").await.unwrap().queued);
    assert_eq!(bench.items(&chat).await[2..], ["queued two", "queued three"]);
    bench.hub.stop(&chat).await.unwrap();
    let ends = |turn: Vec<String>| turn.last().cloned().unwrap();
    assert_eq!(ends(bench.turn().await), "person two");
    assert_eq!(ends(bench.turn().await), "person three");
    bench.settled(&chat).await;
    let want = [
        "person one",
        "assistant a",
        "notice Stopped.",
        "person two",
        "assistant done",
        "person three",
        "assistant done",
    ];
    assert_eq!(bench.items(&chat).await, want);
    assert_eq!(bench.on_disk(&chat).await, want);
}

#[tokio::test(start_paused = true)]
async fn stop_keeps_the_text_so_far_and_hangs_up_on_the_model() {
    let mut bench = Bench::new(vec![vec![text("half "), text("way"), Piece::Hangs]]).await;
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    bench.turn().await;
    let streams = async || bench.items(&chat).await.last().unwrap() == "assistant half way…";
    until(streams).await;
    assert_eq!(bench.on_disk(&chat).await, ["person one"]);
    bench.hub.stop(&chat).await.unwrap();
    let want = ["person one", "assistant half way", "notice Stopped."];
    assert_eq!(bench.items(&chat).await, want);
    assert_eq!(bench.on_disk(&chat).await, want);
    timeout(PATIENCE, bench.hung_up.recv()).await.unwrap().unwrap();
    bench.hub.stop(&chat).await.unwrap();
    tokio::time::sleep(SAVE_TEXT_AFTER).await;
    assert_eq!(bench.on_disk(&chat).await, want);
    assert_eq!(bench.items(&chat).await, want, "a stop of nothing says nothing");
}

#[tokio::test(start_paused = true)]
async fn an_agent_nobody_uses_for_20_minutes_is_let_go_and_not_before() {
    let mut bench = Bench::new(vec![]).await;
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    bench.turn().await;
    bench.settled(&chat).await;
    tokio::time::sleep(LET_GO_AFTER.saturating_sub(Duration::from_secs(1))).await;
    assert_eq!(bench.hub.hosts().agent_of(&chat), AgentState::Idle);
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert_eq!(bench.hub.hosts().agent_of(&chat), AgentState::Gone);
    bench.hub.say(&chat, "two").await.unwrap();
    assert_eq!(bench.agent(&chat).await, AgentState::Working);
}

#[tokio::test(start_paused = true)]
async fn a_chat_that_left_memory_is_the_same_when_it_is_asked_again() {
    let mut bench = Bench::new(vec![]).await;
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    bench.turn().await;
    bench.settled(&chat).await;
    let before = (bench.items(&chat).await, position(&bench.hub, &chat).await);
    tokio::time::sleep(LET_GO_AFTER * 2).await;
    let after = (bench.items(&chat).await, position(&bench.hub, &chat).await);
    assert_eq!(before.0, after.0);
    assert_ne!(before.1, after.1, "the task was not started afresh, so this showed nothing");
}

async fn position(hub: &Hub, chat: &str) -> String {
    hub.snapshot(chat).await.unwrap().after.split('-').next().unwrap().to_owned()
}

#[tokio::test(start_paused = true)]
async fn a_kill_leaves_no_call_running_and_a_restart_says_what_happened() {
    let mut bench = Bench::new(vec![vec![text("a"), call("ui_show")]]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", None).await;
    bench.turn().await;
    fake.next().await;
    bench.hub.say(&chat, "two").await.unwrap();
    let folder = bench.kill().await;

    let mut bench = Bench::over(folder, vec![]).await;
    assert_eq!(bench.on_disk(&chat).await[2..], ["call ui_show Running", "queued two"]);
    bench.hub.resume().await.unwrap();
    let turn = bench.turn().await;
    assert_eq!(turn[..3], ["person one", "assistant a", "call ui_show Cancelled"]);
    assert!(turn[3].starts_with("notice The portal was restarted"), "{turn:?}");
    assert_eq!(turn[4], "person two");
}

#[tokio::test(start_paused = true)]
async fn a_kill_takes_at_most_a_second_of_an_answer_and_what_is_kept_is_marked() {
    let mut bench = Bench::new(vec![vec![text("half "), text("way"), Piece::Hangs]]).await;
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    bench.turn().await;
    let streams = async || bench.items(&chat).await.last().unwrap() == "assistant half way…";
    until(streams).await;
    assert_eq!(bench.on_disk(&chat).await, ["person one"], "not for every word");
    tokio::time::sleep(SAVE_TEXT_AFTER).await;
    until(async || bench.on_disk(&chat).await.len() == 2).await;
    assert_eq!(bench.on_disk(&chat).await[1], "assistant half way…");
    let folder = bench.kill().await;

    let bench = Bench::over(folder, vec![]).await;
    bench.hub.resume().await.unwrap();
    let snapshot = bench.hub.snapshot(&chat).await.unwrap();
    let kept = serde_json::to_value(&snapshot.items[1].kind).unwrap();
    assert_eq!(
        kept,
        serde_json::json!({ "kind": "assistant", "text": "half way", "interrupted": true })
    );
    assert!(bench.items(&chat).await[2].starts_with("notice The portal was restarted"));
    assert_eq!(bench.on_disk(&chat).await, bench.items(&chat).await);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_saved_on_the_way_is_complete_in_the_end_and_unmarked() {
    let more = Piece::Is(Turn::More);
    let pause = Piece::Pauses(SAVE_TEXT_AFTER * 3);
    let mut bench = Bench::new(vec![vec![text("one "), pause, text("two"), more]]).await;
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    bench.turn().await;
    until(async || bench.on_disk(&chat).await.len() == 2).await;
    assert_eq!(bench.on_disk(&chat).await[1], "assistant one …");
    bench.settled(&chat).await;
    assert_eq!(bench.on_disk(&chat).await, ["person one", "assistant one two", "assistant done"]);
}

#[tokio::test(start_paused = true)]
async fn a_restart_without_anything_under_way_adds_nothing() {
    let mut bench = Bench::new(vec![]).await;
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    bench.turn().await;
    bench.settled(&chat).await;
    let before = bench.items(&chat).await;
    let folder = bench.kill().await;
    let bench = Bench::over(folder, vec![]).await;
    bench.hub.resume().await.unwrap();
    assert_eq!(bench.items(&chat).await, before);
    assert_eq!(bench.agent(&chat).await, AgentState::Gone);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_chat_is_unknown_and_its_run_is_over() {
    let mut bench = Bench::new(vec![vec![Piece::Hangs]]).await;
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    bench.turn().await;
    bench.hub.delete(&chat).await.unwrap();
    assert!(matches!(bench.hub.snapshot(&chat).await, Err(ChatError::Unknown)));
    assert!(matches!(bench.hub.delete(&chat).await, Err(ChatError::Unknown)));
    assert_eq!(bench.store.chats().await.unwrap(), []);
}

#[tokio::test(start_paused = true)]
async fn a_fork_has_what_was_finished_and_runs_nothing() {
    let mut bench = Bench::new(vec![vec![text("a"), call("ui_show")]]).await;
    let mut fake = bench.connect();
    let chat = bench.hub.create("one".to_owned()).await.unwrap();
    fake.next().await;
    fake.gives("prompt", None).await;
    bench.turn().await;
    fake.next().await;
    bench.hub.say(&chat, "queued").await.unwrap();
    let copy = bench.hub.fork(&chat).await.unwrap();
    fake.sees("chat/forked", serde_json::json!({ "from": chat, "to": copy })).await;
    assert_eq!(bench.items(&copy).await, ["person one", "assistant a", "call ui_show Cancelled"]);
    assert_eq!(bench.items(&chat).await[2], "call ui_show Running");
    assert_eq!(bench.agent(&copy).await, AgentState::Gone);
}

#[tokio::test(start_paused = true)]
async fn a_page_that_connects_in_the_middle_of_an_answer_gets_it_whole_and_then_what_follows() {
    let mut bench = Bench::new(vec![vec![text("one "), Piece::Hangs]]).await;
    let chat = bench.hub.create("go".to_owned()).await.unwrap();
    bench.turn().await;
    let after = loop {
        let snapshot = bench.hub.snapshot(&chat).await.unwrap();
        if snapshot.items.len() == 2 {
            break snapshot.after;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    };
    let mut page = bench.hub.subscribe(&chat, Some(&after)).await.unwrap();
    assert_eq!(page.missed.len(), 1);
    assert!(page.missed[0].data.contains("\"text\":\"one \",\"streaming\":true"));
    bench.hub.stop(&chat).await.unwrap();
    let next = page.live.recv().await.unwrap();
    assert!(next.data.contains("\"text\":\"one \"}"), "{}", next.data);
}
