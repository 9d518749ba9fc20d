use super::server::{Answer, Server, finish, text};
use super::{KEY, Provider, Remote, asked, turn, turns};
use serde_json::json;
use std::time::{Duration, Instant};

fn done() -> Answer {
    Answer::stream(&[text("Done."), finish("stop")])
}

fn busy(seconds: &'static str) -> Answer {
    Answer::refusal(429, "slow down").with_header("retry-after", seconds)
}

#[tokio::test]
async fn a_busy_model_is_asked_again_after_the_time_it_names_and_the_chat_says_so() {
    let begun = Instant::now();
    let said = turn(vec![busy("1"), Answer::refusal(529, "overloaded"), done()]).await;
    let again = "notice The model is busy, trying again in 1 s.";
    assert_eq!(said, [again, again, "Done."]);
    assert!(begun.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_model_that_stays_busy_is_given_up_and_one_that_wants_a_long_rest_at_once() {
    let mut server = Server::start(vec![Answer::refusal(500, "no"); 6]).await;
    let said = turns(&super::remote(Provider::OpenAi, &server)).await;
    let last = super::short(said.last().unwrap());
    assert_eq!(
        last,
        "failed The model is busy and did not answer after 6 tries. Send a message to try again."
    );
    assert_eq!(said.len(), 6);
    for _ in 0..6 {
        server.request().await;
    }
    assert!(server.asked.try_recv().is_err());

    let said = turn(vec![busy("61"), done()]).await;
    assert_eq!(
        said,
        ["failed The model is busy and wants to be left alone for 61 s. Send a message then."]
    );
}

#[tokio::test]
async fn the_pauses_grow() {
    let server = Server::start(vec![Answer::refusal(503, "no"); 6]).await;
    let asked = asked(Provider::OpenAi, "m", Some(KEY), &server.address);
    let begun = Instant::now();
    turns(&Remote::new(asked, Duration::from_millis(10)).unwrap()).await;
    // 10 + 20 + 40 + 80 + 160 ms.
    assert!(begun.elapsed() >= Duration::from_millis(310), "{:?}", begun.elapsed());
}

#[tokio::test]
async fn an_overload_before_the_first_word_is_tried_again_and_one_after_it_ends_the_turn() {
    let overload = json!({ "error": { "type": "overloaded_error", "message": "Overloaded" } });
    let said = turn(vec![Answer::unfinished(std::slice::from_ref(&overload)), done()]).await;
    assert_eq!(said, ["notice The model is busy, trying again in 1 s.", "Done."]);
    let said = turn(vec![Answer::unfinished(&[text("So"), overload]), done()]).await;
    assert_eq!(said, ["So", "failed The model's answer broke off. Its server says: Overloaded"]);
}

#[tokio::test]
async fn what_trying_again_does_not_mend_is_said_at_once_in_plain_words() {
    let quota = r#"{"error":{"message":"Add credit.","code":"insufficient_quota"}}"#;
    let cases = [
        (
            401,
            "Incorrect API key",
            "The model's key is not accepted: set OPENAI_API_KEY and start the portal again.",
        ),
        (403, "no", "The model's key in OPENAI_API_KEY may not use m. Its server says: no"),
        (
            404,
            "no m",
            "The model's server has no model m, or its address is wrong. Choose another in Settings, Model. It says: no m",
        ),
        (400, "too long", "The model's server refused the request (400). It says: too long"),
        (307, "", "The model's server sends the request elsewhere: its address is wrong."),
    ];
    for (status, message, want) in cases {
        let said = turn(vec![Answer::refusal(status, message), done()]).await;
        assert_eq!(said, [format!("failed {want}")]);
    }
    let quota = Answer::raw(quota).with_status(429);
    let want =
        "failed The account of the model's key has nothing left to spend. It says: Add credit.";
    assert_eq!(turn(vec![quota, done()]).await, [want]);
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_without_trying_again() {
    let server = Server::start(vec![]).await;
    let address = server.address.clone();
    drop(server);
    let asked = asked(Provider::OpenAi, "m", Some(KEY), &address);
    let said = turns(&Remote::new(asked, Duration::from_millis(1)).unwrap()).await;
    let want = format!(
        "failed The model's server at {address}/ cannot be reached. Is it running, and is its address right?"
    );
    assert_eq!(said.iter().map(super::short).collect::<Vec<_>>(), [want]);
}

#[tokio::test]
async fn the_key_goes_into_the_request_alone_even_when_the_server_quotes_it() {
    let echo = format!("bad key {KEY} in your request");
    let mut server = Server::start(vec![Answer::refusal(400, &echo)]).await;
    let model = super::remote(Provider::OpenAi, &server);
    let said = format!("{:?} {model:?}", turns(&model).await);
    assert!(said.contains("bad key [key] in your request"), "{said}");
    assert!(!said.contains(KEY));
    assert_eq!(server.request().await.authorization.unwrap(), format!("Bearer {KEY}"));
}
