use super::{Web, is, json, refusal};
use crate::chat::tests::bench::{Piece, text};
use axum::http::StatusCode;
use serde_json::json as value;

async fn begun(web: &Web, text: &str) -> String {
    let created = web.post("POST", "/api/chats", value!({ "text": text }).to_string()).await;
    assert_eq!(created.status(), StatusCode::CREATED);
    json(created).await["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_chat_is_begun_read_renamed_listed_and_deleted() {
    let mut web = Web::new().await;
    let chat = begun(&web, "  Pick a colour\nplease").await;
    web.bench.turn().await;
    web.bench.settled(&chat).await;
    let path = format!("/api/chats/{chat}");
    let read = json(web.get(&path).await).await;
    assert_eq!((&read["title"], &read["agent"]), (&value!("Pick a colour"), &value!("idle")));
    assert_eq!(read["items"][0]["text"], "  Pick a colour\nplease");
    assert_eq!(read["items"][0].get("queued"), None);
    assert_eq!(read["items"][1]["kind"], "assistant");
    assert_eq!(
        json(web.post("PATCH", &path, r#"{"title":" Blue "}"#).await).await,
        value!({"title":"Blue"})
    );
    let listed = json(web.get("/api/chats").await).await;
    assert_eq!(listed["chats"][0]["title"], "Blue");
    assert_eq!(listed["chats"][0]["agent"], "idle");
    assert_eq!(web.post("DELETE", &path, "").await.status(), StatusCode::NO_CONTENT);
    assert_eq!(json(web.get("/api/chats").await).await["chats"], value!([]));
}

#[tokio::test]
async fn a_page_may_name_the_chat_it_begins_once() {
    let web = Web::new().await;
    let begin = async |id: &str| {
        let body = value!({ "id": id, "text": "hello" }).to_string();
        web.post("POST", "/api/chats", body).await
    };
    let id = "0123456789abcdef";
    assert_eq!(json(begin(id).await).await, value!({ "id": id }));
    assert_eq!(refusal(begin(id).await).await, is(409, "chat_exists"));
    for id in ["short", "0123456789abcde/", &"x".repeat(65)] {
        assert_eq!(begin(id).await.status(), StatusCode::BAD_REQUEST, "{id}");
    }
}

#[tokio::test]
async fn a_message_while_the_agent_works_is_queued_and_stop_lets_it_go() {
    let mut web = Web::with(None, vec![vec![text("a"), Piece::Hangs]]).await;
    let chat = begun(&web, "one").await;
    web.bench.turn().await;
    let said = web.post("POST", &format!("/api/chats/{chat}/messages"), r#"{"text":"two"}"#).await;
    assert_eq!(said.status(), StatusCode::ACCEPTED);
    let said = json(said).await;
    assert_eq!(said["queued"], true);
    assert_eq!(said["item"]["queued"], true);
    let stopped = web.post("POST", &format!("/api/chats/{chat}/stop"), "").await;
    assert_eq!(stopped.status(), StatusCode::NO_CONTENT);
    assert_eq!(web.bench.turn().await.last().unwrap(), "person two");
    let forked = web.post("POST", &format!("/api/chats/{chat}/fork"), "{}").await;
    assert_eq!(forked.status(), StatusCode::CREATED);
}

#[tokio::test]
async fn every_address_of_an_unknown_chat_says_so() {
    let web = Web::new().await;
    let unknown = is(404, "unknown_chat");
    assert_eq!(refusal(web.get("/api/chats/%ff").await).await, is(404, "not_found"));
    let twice = web.get("/api/chats/none/stream?after=a&after=b").await;
    assert_eq!(refusal(twice).await, is(400, "bad_request"));
    for path in ["/api/chats/none", "/api/chats/none/stream"] {
        assert_eq!(refusal(web.get(path).await).await, unknown, "{path}");
    }
    let posts = [
        ("POST", "/api/chats/none/messages", r#"{"text":"a"}"#),
        ("POST", "/api/chats/none/stop", ""),
        ("POST", "/api/chats/none/fork", ""),
        ("PATCH", "/api/chats/none", r#"{"title":"a"}"#),
        ("DELETE", "/api/chats/none", ""),
    ];
    for (method, path, body) in posts {
        assert_eq!(refusal(web.post(method, path, body).await).await, unknown, "{path}");
    }
}

#[tokio::test]
async fn bad_bodies_are_refused_in_words() {
    let web = Web::new().await;
    let create = |body: &[u8]| web.post("POST", "/api/chats", body.to_vec());
    let broken: [&[u8]; 6] =
        [b"", b"{", b"[]", br#"{"text":1}"#, br#"{"text":"a","more":1}"#, b"{\"text\":\"\xff\"}"];
    for body in broken {
        assert_eq!(refusal(create(body).await).await, is(400, "bad_json"), "{body:?}");
    }
    assert_eq!(refusal(create(br#"{"text":" \n"}"#).await).await, is(400, "no_text"));
    assert_eq!(create(br#"{"text":"\ud800"}"#).await.status(), StatusCode::CREATED);
}

#[tokio::test]
async fn a_text_at_the_limit_is_taken_and_one_byte_more_is_not() {
    let web = Web::new().await;
    let at = "ü".repeat(131_072);
    begun(&web, &at).await;
    let over = value!({ "text": format!("{at}a") }).to_string();
    let refused = web.post("POST", "/api/chats", over).await;
    assert_eq!(refusal(refused).await, is(413, "text_too_large"));
    let huge = value!({ "text": "a".repeat(3_000_000) }).to_string();
    let refused = web.post("POST", "/api/chats", huge).await;
    assert_eq!(refusal(refused).await, is(413, "body_too_large"));
}

#[tokio::test]
async fn a_title_has_1_to_200_characters() {
    let web = Web::new().await;
    let chat = begun(&web, "a").await;
    let path = format!("/api/chats/{chat}");
    let rename = |title: String| web.post("PATCH", &path, value!({ "title": title }).to_string());
    assert_eq!(rename("ü".repeat(200)).await.status(), StatusCode::OK);
    for title in ["ü".repeat(201), "  ".to_owned()] {
        assert_eq!(refusal(rename(title).await).await, is(400, "bad_title"));
    }
}

#[tokio::test]
async fn settings_are_changed_all_or_none_and_the_extension_hears_of_it() {
    let web = Web::new().await;
    let mut fake = web.bench.connect();
    let path = "/api/extensions/inline-ui/settings";
    let put = |body: &str| web.post("PUT", path, body.to_owned());
    let changed = json(put(r#"{"debounceMs":60000}"#).await).await;
    assert_eq!(changed, value!({ "settings": { "debounceMs": 60000, "wake": true } }));
    fake.sees("settings/changed", changed).await;
    let refused = put(r#"{"wake":false,"debounceMs":60001}"#).await;
    assert_eq!(refused.status(), StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(json(refused).await["field"], "debounceMs");
    assert_eq!(refusal(put("[1]").await).await, is(400, "bad_json"));
    let elsewhere = web.post("PUT", "/api/extensions/other/settings", "{}").await;
    assert_eq!(refusal(elsewhere).await, is(404, "unknown_extension"));
    let listed = json(web.get("/api/extensions").await).await;
    let extension = &listed["extensions"][0];
    assert_eq!(extension["settings"], value!({ "debounceMs": 60000, "wake": true }));
    assert_eq!(extension["state"], "running");
    assert_eq!(extension["base"], "/ext/inline-ui");
    assert_eq!(extension["page"]["element"], "inline-ui-card");
}
