use super::Web;
use crate::chat::tests::bench::{Piece, text};
use axum::body::BodyDataStream;
use futures_util::StreamExt;
use std::time::Duration;

/// What the stream brings until it has said `last`.
async fn until(stream: &mut BodyDataStream, last: &str) -> String {
    let mut all = String::new();
    while !all.contains(last) {
        let next = tokio::time::timeout(Duration::from_secs(5), stream.next()).await;
        let Ok(Some(Ok(bytes))) = next else { panic!("{last} did not come after {all}") };
        all.push_str(std::str::from_utf8(&bytes).unwrap());
    }
    all
}

#[tokio::test]
async fn a_page_hears_of_items_deltas_and_the_agent_and_can_go_on_where_it_was() {
    let turn = vec![text("one "), text("two"), Piece::Hangs];
    let mut web = Web::with(None, vec![vec![text("x")], turn]).await;
    let chat = web.bench.hub.create("go".to_owned()).await.unwrap();
    web.bench.turn().await;
    web.bench.settled(&chat).await;
    let after = web.bench.hub.snapshot(&chat).await.unwrap().after;
    let path = format!("/api/chats/{chat}/stream?after={after}");
    let response = web.get(&path).await;
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut stream = response.into_body().into_data_stream();
    assert!(until(&mut stream, "\n\n").await.starts_with(": open"));
    web.bench.hub.say(&chat, "more").await.unwrap();
    let said = until(&mut stream, "event: delta\ndata: {\"id\":4,\"text\":\"two\"}\n\n").await;
    assert!(said.contains("event: item\ndata: {\"item\":{\"id\":3,"), "{said}");
    assert!(said.contains("event: agent\ndata: {\"agent\":\"working\"}\nid: "), "{said}");
    assert!(said.contains("\"text\":\"one \",\"streaming\":true"), "{said}");

    let mut late = web.get(&path).await.into_body().into_data_stream();
    let caught_up = until(&mut late, "one two").await;
    assert!(caught_up.contains("\"text\":\"more\""), "{caught_up}");
    let stale = format!("/api/chats/{chat}/stream?after=00000000-1");
    let mut stale = web.get(&stale).await.into_body().into_data_stream();
    until(&mut stale, "event: resync").await;

    web.bench.hub.delete(&chat).await.unwrap();
    until(&mut stream, "event: deleted").await;
    let rest = tokio::time::timeout(Duration::from_secs(5), stream.next()).await;
    assert!(rest.is_ok_and(|rest| rest.is_none()), "the stream of a deleted chat goes on");
}

#[tokio::test]
async fn a_portal_that_stops_ends_its_streams() {
    let mut web = Web::new().await;
    let chat = web.bench.hub.create("go".to_owned()).await.unwrap();
    web.bench.turn().await;
    let response = web.get(&format!("/api/chats/{chat}/stream")).await;
    let mut stream = response.into_body().into_data_stream();
    until(&mut stream, "\n\n").await;
    web.stopping.cancel();
    let end = async { while stream.next().await.is_some() {} };
    tokio::time::timeout(Duration::from_secs(5), end).await.unwrap();
}
