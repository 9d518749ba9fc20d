//! `initialize`: what it answers, and what it refuses.

use crate::harness::{Portal, Refused, initialize_params, spawn};
use portal_link::error_code::{INVALID_PARAMS, NOT_READY};
use serde_json::{Value, json};

/// Tries `initialize` with that change, and then without: the program goes on after a refusal.
async fn try_initialize(change: Value) -> Result<Value, Refused> {
    let data = tempfile::tempdir().unwrap();
    let (_program, mut link) = spawn();
    let answer = link.request("initialize", initialize_params(data.path(), &change)).await;
    if answer.is_err() {
        let again = link.request("initialize", initialize_params(data.path(), &json!({}))).await;
        assert!(again.is_ok(), "after a refusal: {again:?}");
    }
    answer
}

async fn refusal(change: Value) -> String {
    let refused = try_initialize(change).await.unwrap_err();
    assert_eq!(refused.code, INVALID_PARAMS);
    refused.message
}

#[tokio::test]
async fn initialize_answers_with_every_field_a_portal_needs() {
    let portal = Portal::start().await;
    let answer = &portal.initialized;
    assert_eq!(answer["protocol"], 1);
    assert_eq!(answer["extension"]["name"], "inline-ui");
    assert!(
        answer["extension"]["version"]
            .as_str()
            .is_some_and(|version| version.split('.').count() == 3)
    );
    let tools = answer["tools"].as_array().unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["ui_show", "ui_update", "ui_close"]);
    for tool in tools {
        assert!(
            !tool["title"].as_str().unwrap().is_empty()
                && !tool["description"].as_str().unwrap().is_empty()
        );
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert!(!tool["inputSchema"].to_string().contains("$ref"), "self-contained");
    }
    let address: std::net::SocketAddr =
        answer["http"]["address"].as_str().unwrap().parse().unwrap();
    assert!(address.ip().is_loopback() && address.port() != 0);
    assert!(answer["http"]["token"].as_str().unwrap().len() >= 32);
    assert_eq!(answer["page"], json!({ "module": "page/host.js", "element": "inline-ui-card" }));
    assert_eq!(answer["settingsSchema"]["properties"]["debounceMs"]["default"], 400);
}

#[tokio::test]
async fn two_programs_have_different_tokens() {
    let (one, two) = (Portal::start().await, Portal::start().await);
    assert_ne!(one.http.token, two.http.token);
}

#[tokio::test]
async fn settings_may_be_partial_or_absent_and_have_their_defaults() {
    let portal = Portal::start_with(json!({ "settings": { "maxHeight": 900 } })).await;
    assert_eq!(
        portal.page("x").listing().await["settings"],
        json!({ "debounceMs": 400, "maxHeight": 900 })
    );
    let portal = Portal::start_with(json!({ "settings": null })).await;
    assert_eq!(
        portal.page("x").listing().await["settings"],
        json!({ "debounceMs": 400, "maxHeight": 480 })
    );
}

#[tokio::test]
async fn another_protocol_is_refused_with_the_supported_ones_named() {
    let why = refusal(json!({ "protocol": 2 })).await;
    assert!(why.contains('2') && why.contains("supported: [1]"), "{why}");
    assert!(try_initialize(json!({ "protocol": 1 })).await.is_ok());
}

#[tokio::test]
async fn what_is_no_origin_is_refused_and_named_and_an_origin_is_taken() {
    for bad in [
        "https://chat.example/",
        "chat.example",
        "*",
        "null",
        "https://a; script-src *",
        "javascript://a",
    ] {
        assert!(refusal(json!({ "origins": [bad] })).await.contains(bad), "{bad}");
    }
    assert!(
        refusal(json!({ "frameOrigin": "https://frames.example/x" }))
            .await
            .contains("frames.example")
    );
    let good = json!({ "origins": ["http://127.0.0.1:8787", "https://[::1]:8443"], "frameOrigin": "http://localhost:8787" });
    assert!(try_initialize(good).await.is_ok());
}

#[tokio::test]
async fn a_base_path_is_a_path() {
    for bad in ["ext", "//evil.example", "https://evil.example", "/a b"] {
        assert!(refusal(json!({ "basePath": bad })).await.contains("basePath"), "{bad}");
    }
    assert!(try_initialize(json!({ "basePath": "/ext/inline-ui" })).await.is_ok());
}

#[tokio::test]
async fn a_setting_is_taken_at_its_limits_and_refused_by_name_beyond_them() {
    for taken in [
        json!({ "debounceMs": 0 }),
        json!({ "debounceMs": 60_000 }),
        json!({ "maxHeight": 80 }),
        json!({ "maxHeight": 4_000 }),
        json!({ "wake": false }),
    ] {
        assert!(try_initialize(json!({ "settings": taken })).await.is_ok(), "{taken}");
    }
    for (key, value) in [
        ("debounceMs", json!(60_001)),
        ("debounceMs", json!(-1)),
        ("debounceMs", json!("400")),
        ("maxHeight", json!(79)),
        ("maxHeight", json!(4_001)),
        ("wake", json!("yes")),
    ] {
        let why = refusal(json!({ "settings": { key: value } })).await;
        assert!(why.contains(key) && why.contains(value.to_string().as_str()), "{why}");
    }
}

#[tokio::test]
async fn a_missing_parameter_or_one_of_another_type_is_refused_by_name() {
    let (_program, mut link) = spawn();
    let refused = link.request("initialize", json!({ "protocol": 1 })).await.unwrap_err();
    assert_eq!(refused.code, INVALID_PARAMS);
    assert!(refused.message.contains("portal"), "{}", refused.message);
    for change in [
        json!({ "origins": "https://chat.example" }),
        json!({ "dataDir": "" }),
        json!({ "protocol": "1" }),
    ] {
        refusal(change).await;
    }
}

#[tokio::test]
async fn nothing_but_initialize_is_answered_before_it() {
    let (_program, mut link) = spawn();
    let take = json!({ "chat": "a", "at": "prompt" });
    let call = json!({ "chat": "a", "call": "1", "name": "ui_show", "arguments": { "title": "T", "html": "<p>x</p>" } });
    for (method, params) in [("outbox/take", &take), ("tools/call", &call)] {
        let refused = link.request(method, params.clone()).await.unwrap_err();
        assert_eq!(refused.code, NOT_READY);
        assert!(refused.message.contains("initialize"), "{}", refused.message);
    }
    link.notify("chat/agent", json!({ "chat": "a", "state": "idle" })).await;
    let data = tempfile::tempdir().unwrap();
    link.request("initialize", initialize_params(data.path(), &json!({}))).await.unwrap();
    assert!(link.request("outbox/take", take).await.is_ok());
    assert!(link.request("tools/call", call).await.is_ok());
}

#[tokio::test]
async fn a_data_folder_that_is_missing_is_made() {
    let data = tempfile::tempdir().unwrap();
    let folder = data.path().join("a/b");
    let (_program, mut link) = spawn();
    link.request("initialize", initialize_params(&folder, &json!({}))).await.unwrap();
    assert!(folder.is_dir());
}

#[tokio::test]
async fn a_second_initialize_of_the_same_folder_keeps_the_routes_and_one_of_another_is_refused() {
    let mut portal = Portal::start().await;
    let again = portal
        .link
        .request("initialize", initialize_params(portal.data(), &json!({})))
        .await
        .unwrap();
    assert_eq!(again["http"], portal.initialized["http"]);
    let other = tempfile::tempdir().unwrap();
    let refused = portal
        .request("initialize", initialize_params(other.path(), &json!({})))
        .await
        .unwrap_err();
    assert!(refused.message.contains(&other.path().display().to_string()), "{}", refused.message);
}
