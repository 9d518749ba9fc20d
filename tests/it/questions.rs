//! Many questions at once, long ones, and quick answers.

use crate::harness::{CHAT, Dice, Page, Pending, Portal};
use futures_util::future::join_all;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// One call that waits, and what is done about it.
struct Question {
    chat: String,
    call: String,
    pending: Pending,
    card: String,
    fate: Fate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Aborted,
    Answered,
    /// Both at the same moment.
    AnsweredAndAborted,
    ClosedByThePerson,
    ClosedByTheAgent,
}

const FATES: [Fate; 5] = [
    Fate::Aborted,
    Fate::Answered,
    Fate::AnsweredAndAborted,
    Fate::ClosedByThePerson,
    Fate::ClosedByTheAgent,
];
const CHATS: usize = 50;

impl Question {
    fn aborts(&self) -> bool {
        matches!(self.fate, Fate::Aborted | Fate::AnsweredAndAborted)
    }

    fn outcomes(&self) -> &[&str] {
        match self.fate {
            Fate::Aborted => &["cancelled"],
            Fate::Answered => &["answered"],
            Fate::AnsweredAndAborted => &["answered", "cancelled"],
            Fate::ClosedByThePerson | Fate::ClosedByTheAgent => &["closed"],
        }
    }
}

/// Asks a hundred questions in its chats.
async fn asked(portal: &mut Portal, dice: &mut Dice) -> Vec<Question> {
    let mut questions = Vec::new();
    for n in 0..100 {
        let chat = format!("chat-{}", n % CHATS);
        let arguments = json!({ "title": "Q", "html": "<p>x</p>", "wait": { "event": "ok" } });
        let (call, pending) = portal.call(&chat, "ui_show", arguments).await;
        let fate = dice.pick(&FATES);
        questions.push(Question { chat, call, pending, card: String::new(), fate });
    }
    portal.flush().await;
    for n in 0..CHATS {
        let chat = format!("chat-{n}");
        let cards = portal.page(&chat).cards().await;
        for question in questions.iter_mut().filter(|question| question.chat == chat) {
            let card = cards.iter().find(|card| card["call"] == *question.call).unwrap();
            card["id"].as_str().unwrap().clone_into(&mut question.card);
        }
    }
    questions
}

/// What the person does about it.
async fn meets_its_fate(page: Page, question: &Question) -> u64 {
    match question.fate {
        Fate::Answered | Fate::AnsweredAndAborted => {
            page.open(&question.card).await.emit("ok", json!(question.call)).await.accepted();
            return 1;
        }
        Fate::ClosedByThePerson => drop(page.close(&question.card).await.ok()),
        Fate::Aborted | Fate::ClosedByTheAgent => {}
    }
    0
}

#[tokio::test]
async fn a_thousand_questions_shown_aborted_closed_and_answered_at_random_leave_nobody_waiting() {
    let mut dice = Dice::new(91);
    let mut portal = Portal::start().await;
    let (mut accepted, mut kept) = (0, 0);
    for _ in 0..10 {
        let questions = asked(&mut portal, &mut dice).await;
        let pages: Vec<Page> =
            questions.iter().map(|question| portal.page(&question.chat)).collect();
        let fates = pages
            .into_iter()
            .zip(&questions)
            .map(|(page, question)| meets_its_fate(page, question));
        let speaking = async {
            for question in &questions {
                if question.aborts() {
                    let call = json!({ "call": question.call });
                    portal.notify("notifications/cancelled", call).await;
                } else if question.fate == Fate::ClosedByTheAgent {
                    let close = json!({ "card": question.card });
                    let _answered_later = portal.call(&question.chat, "ui_close", close).await;
                }
                tokio::task::yield_now().await;
            }
        };
        let (sent, ()) = tokio::join!(join_all(fates), speaking);
        accepted += sent.iter().sum::<u64>();
        for question in &questions {
            let result = portal.result(&question.pending).await.structured;
            let outcome = result["outcome"].as_str().unwrap();
            assert!(question.outcomes().contains(&outcome), "{:?}: {result}", question.fate);
            if outcome == "answered" && !question.aborts() {
                assert_eq!(result["event"]["data"], question.call.as_str());
                let told = json!({ "chat": question.chat, "id": question.call });
                portal.notify("outbox/delivered", told).await;
                kept += 1;
            }
        }
    }
    let (mut cards, mut ordinary) = (0, 0);
    for n in 0..CHATS {
        let chat = format!("chat-{n}");
        for card in portal.page(&chat).cards().await {
            assert!(card.get("waiting").is_none(), "{chat}: {card}");
            cards += 1;
        }
        for message in portal.collect(&chat, "prompt", &mut Vec::new()).await {
            let events = message["details"]["events"].as_array().unwrap();
            let count = |event: &Value| event["count"].as_u64().unwrap();
            ordinary += events.iter().filter(|event| event["name"] == "ok").map(count).sum::<u64>();
        }
        let (_, wait, card) = portal.ask(&chat, json!({ "event": "ok" })).await;
        portal.page(&chat).open(&card).await.emit("ok", json!("last")).await.accepted();
        assert_eq!(portal.result(&wait).await.structured["event"]["data"], "last");
    }
    assert_eq!(cards, 1_000);
    assert_eq!(accepted, kept + ordinary, "each answer is a result or an event, once");
}

#[tokio::test]
async fn an_answer_is_back_within_200_ms_of_the_click_whatever_the_calls_own_time() {
    let mut portal = Portal::start().await;
    let mut quickest = Duration::MAX;
    for _ in 0..5 {
        let (_, wait, id) = portal.ask(CHAT, json!({ "event": "ok", "timeoutSeconds": 60 })).await;
        let card = portal.page(CHAT).open(&id).await;
        let clicked = Instant::now();
        let (reply, result) = tokio::join!(card.emit("ok", json!(1)), portal.result(&wait));
        assert_eq!(reply.accepted(), "answered");
        assert_eq!(result.structured["outcome"], "answered");
        quickest = quickest.min(clicked.elapsed());
    }
    // Of several: one of them may meet a busy machine.
    assert!(quickest < Duration::from_millis(200), "{quickest:?}");
}

/// `INLINE_UI_WAIT_SECONDS=125` is its long form: longer than what transports cut off after.
#[tokio::test]
async fn a_question_waits_as_long_as_its_call_says_and_not_as_long_as_a_transport_likes() {
    let seconds = std::env::var("INLINE_UI_WAIT_SECONDS").ok();
    let seconds = seconds.map_or(4_u32, |text| text.parse().unwrap());
    let mut portal = Portal::start().await;
    let (_, wait, id) = portal.ask(CHAT, json!({ "event": "ok", "timeoutSeconds": 600 })).await;
    let card = portal.page(CHAT).open(&id).await;
    assert!(portal.is_open_after(&wait, Duration::from_secs(u64::from(seconds))).await);
    card.emit("ok", json!("at last")).await.accepted();
    let result = portal.result(&wait).await.structured;
    assert_eq!(result["event"]["data"], "at last");
    assert!(result["secondsWaited"].as_f64().unwrap() >= f64::from(seconds), "{result}");
}
