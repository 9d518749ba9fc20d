//! What a body may be: each mistake has its code, and the process goes on.

use crate::harness::{Card, ORIGIN, Page, Portal, within};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

async fn card() -> (Portal, Card) {
    let (portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    let card = page.open("c1").await;
    (portal, card)
}

fn event(card: &Card, change: &Value) -> Value {
    let mut body =
        json!({ "id": crate::harness::event_id(), "load": card.load, "name": "a", "data": 1 });
    for (key, value) in change.as_object().unwrap() {
        if value == "(absent)" {
            body.as_object_mut().unwrap().remove(key);
        } else {
            body[key] = value.clone();
        }
    }
    body
}

#[tokio::test]
async fn a_body_that_is_no_json_is_bad_json() {
    let (_portal, card) = card().await;
    let sound = event(&card, &json!({})).to_string();
    let broken = [
        &sound[..sound.len() - 1],
        &format!("{sound} more"),
        &sound.replace(':', "="),
        "{",
        "no json",
    ];
    for body in broken {
        card.event(body).await.refused(400, "bad_json");
    }
    card.emit("a", json!(1)).await.accepted();
}

#[tokio::test]
async fn a_body_that_is_not_utf8_is_bad_json() {
    let (_portal, card) = card().await;
    let sound = event(&card, &json!({ "data": "MARK" })).to_string();
    let broken = sound
        .replace("MARK", "\u{1}")
        .into_bytes()
        .into_iter()
        .map(|byte| if byte == 1 { 0xff } else { byte });
    card.event(broken.collect::<Vec<u8>>().as_slice()).await.refused(400, "bad_json");
    card.event(sound).await.accepted();
}

#[tokio::test]
async fn an_unknown_field_is_refused_by_name_on_every_route() {
    let (_portal, card) = card().await;
    let refused = card.event(event(&card, &json!({ "colour": 1 }))).await;
    refused.refused(400, "unknown_field");
    assert!(refused.json()["detail"].as_str().unwrap().contains("colour"));
    card.page.post("c1", "loads", json!({ "colour": 1 })).await.refused(400, "unknown_field");
    card.page
        .post("c1", "height", json!({ "width": 1, "height": 1, "depth": 1 }))
        .await
        .refused(400, "unknown_field");
    card.event(event(&card, &json!({}))).await.accepted();
}

#[tokio::test]
async fn a_field_that_is_missing_or_of_another_type_is_a_bad_request() {
    let (_portal, card) = card().await;
    for change in [
        json!({ "id": "(absent)" }),
        json!({ "load": "(absent)" }),
        json!({ "name": "(absent)" }),
        json!({ "id": 7 }),
        json!({ "load": null }),
        json!({ "name": ["a"] }),
    ] {
        card.event(event(&card, &change)).await.refused(400, "bad_request");
    }
    for body in ["[]", "7", "\"text\"", "null", ""] {
        let (status, code) = card.event(body).await.problem();
        assert!(
            status == 400 && ["bad_request", "bad_json"].contains(&code.as_str()),
            "{body}: {code}"
        );
    }
    card.event(event(&card, &json!({ "data": "(absent)" }))).await.accepted();
}

#[tokio::test]
async fn an_events_id_has_1_to_128_characters() {
    let (_portal, card) = card().await;
    for id in ["x".repeat(129), String::new(), "a\nb".to_owned()] {
        card.event(event(&card, &json!({ "id": id }))).await.refused(400, "bad_event_id");
    }
    card.event(event(&card, &json!({ "id": "é".repeat(128) }))).await.accepted();
}

#[tokio::test]
async fn a_name_that_is_none_is_refused_with_words() {
    let (_portal, card) = card().await;
    for name in ["", "a b", "9", &"x".repeat(65)] {
        let reply = card.event(event(&card, &json!({ "name": name }))).await;
        assert!(reply.status.is_client_error(), "{name}: {reply:?}");
        reply.problem();
    }
}

#[tokio::test]
async fn a_height_is_two_numbers_of_pixels() {
    let (_portal, card) = card().await;
    let post = async |body: Value| card.page.post("c1", "height", body).await;
    for body in [
        json!({ "width": -1, "height": 10 }),
        json!({ "width": 10, "height": 1_000_001 }),
        json!({ "width": "10", "height": 10 }),
        json!({ "width": 10 }),
        json!({}),
    ] {
        post(body.clone()).await.refused(400, "bad_request");
    }
    assert_eq!(post(json!({ "width": 300.5, "height": 120.2 })).await.ok(), json!({}));
    assert_eq!(card.page.card("c1").await["heights"], json!([[2, 121]]));
}

#[tokio::test]
async fn a_height_is_kept_once_in_two_seconds_and_by_width_class() {
    let (mut portal, card) = card().await;
    let post = async |width: u32, height: u32| {
        card.page.post("c1", "height", json!({ "width": width, "height": height })).await.ok()
    };
    post(320, 100).await;
    post(320, 200).await;
    assert_eq!(
        card.page.card("c1").await["heights"],
        json!([[2, 100]]),
        "too soon after the first"
    );
    tokio::time::sleep(std::time::Duration::from_millis(2_050)).await;
    post(321, 300).await;
    assert_eq!(card.page.card("c1").await["heights"], json!([[2, 100], [3, 300]]));
    portal.kill_and_restart().await;
    assert_eq!(portal.page("chat-1").card("c1").await["heights"], json!([[2, 100], [3, 300]]));
}

#[tokio::test]
async fn a_body_over_its_limit_is_refused_and_one_within_it_is_taken() {
    let (_portal, card) = card().await;
    let padded = |bytes: usize| format!("{}{{}}", " ".repeat(bytes - 2));
    let post = async |what: &str, body: String| {
        card.page.http.post(&card.page.path(&format!("cards/c1/{what}")), body).await
    };
    assert_eq!(post("loads", padded(16_384)).await.status, 200);
    post("loads", padded(16_385)).await.refused(413, "body_too_large");
    post("height", padded(16_385)).await.refused(413, "body_too_large");
    post("events", padded(2_000_000)).await.refused(413, "data_too_large");
    card.emit("a", json!(1)).await.accepted();
}

#[tokio::test]
async fn a_body_over_its_limit_is_cut_off_while_it_is_read() {
    let (portal, card) = card().await;
    for (what, declared) in [("loads", true), ("loads", false), ("events", true), ("events", false)]
    {
        let answer = endless(&portal, &card.page, what, declared).await;
        assert!(answer.starts_with("HTTP/1.1 413"), "{what}: {answer}");
    }
    card.emit("a", json!(1)).await.accepted();
}

/// Sends a body that never ends, and reads what comes back meanwhile.
async fn endless(portal: &Portal, page: &Page, what: &str, declared: bool) -> String {
    let (mut input, mut output) =
        TcpStream::connect(&portal.http.address).await.unwrap().into_split();
    let length = if declared { "content-length: 1000000000" } else { "transfer-encoding: chunked" };
    let head = format!(
        "POST {} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\norigin: {ORIGIN}\r\n{length}\r\n\r\n",
        page.path(&format!("cards/c1/{what}")),
        portal.http.token
    );
    output.write_all(head.as_bytes()).await.unwrap();
    let writing = tokio::spawn(async move {
        let chunk = if declared {
            " ".repeat(0x2000)
        } else {
            format!("2000\r\n{}\r\n", " ".repeat(0x2000))
        };
        while output.write_all(chunk.as_bytes()).await.is_ok() {}
    });
    let mut answer = vec![0; 256];
    let read = within("an answer before the body's end", input.read(&mut answer)).await.unwrap();
    writing.abort();
    String::from_utf8_lossy(&answer[..read]).into_owned()
}
