use super::server::{Answer, Part, Server, text};
use super::{Model, Provider, Turn, hello, remote};
use futures_util::StreamExt;
use std::time::Duration;
use tokio::time::timeout;

#[tokio::test]
async fn a_turn_that_is_dropped_hangs_up_at_once() {
    let mut server =
        Server::start(vec![Answer::unfinished(&[text("One")]).then(Part::Hangs)]).await;
    let model = remote(Provider::OpenAi, &server);
    let mut turn = model.turn(hello());
    let Some(Turn::Text(first)) = turn.next().await else { panic!("no text") };
    assert_eq!(first, "One");
    assert!(timeout(Duration::from_millis(100), server.hung_up.recv()).await.is_err());
    drop(turn);
    timeout(Duration::from_secs(5), server.hung_up.recv()).await.expect("it goes on").unwrap();
}
