//! `frames/{key}`: the one route that needs no token, and what it answers with.

use crate::harness::{BASE, CHAT, ORIGIN, Portal};
use hyper::Method;
use serde_json::json;

const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; \
    font-src data:; media-src data: blob:; connect-src 'none'; form-action 'none'; base-uri 'none'; frame-src 'none'; \
    frame-ancestors https://chat.example";

#[tokio::test]
async fn a_frame_is_served_once_without_a_token() {
    let (_portal, page) = Portal::with_card(json!([])).await;
    let loaded = page.load("c1").await;
    let frame = page.frame(&loaded).await;
    assert_eq!(frame.status, 200);
    page.frame(&loaded).await.refused(404, "unknown_frame");
    assert_eq!(page.frame(&page.load("c1").await).await.status, 200);
}

#[tokio::test]
async fn a_key_that_was_never_given_out_is_not_found() {
    let (_portal, page) = Portal::with_card(json!([])).await;
    let loaded = page.load("c1").await;
    let key = loaded["frame"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    for wrong in [
        "0".repeat(32),
        format!("{key}0"),
        key[1..].to_owned(),
        key.to_uppercase() + "x",
        "..%2Fcards".to_owned(),
    ] {
        let request = page.http.bare(Method::GET, &format!("/frames/{wrong}"), "");
        page.http.send(request).await.refused(404, "unknown_frame");
    }
    assert_eq!(page.frame(&loaded).await.status, 200, "a wrong key spends no other");
}

#[tokio::test]
async fn a_frames_address_has_128_random_bits_and_names_neither_chat_nor_card() {
    let (_portal, page) = Portal::with_card(json!([])).await;
    let mut keys = Vec::new();
    for _ in 0..20 {
        let loaded = page.load("c1").await;
        let address = loaded["frame"].as_str().unwrap();
        let key = address.strip_prefix(&format!("{BASE}/frames/")).unwrap();
        assert!(key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit()), "{key}");
        assert_ne!(loaded["nonce"].as_str().unwrap(), key);
        keys.push(key.to_owned());
    }
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 20);
}

#[tokio::test]
async fn with_a_frame_origin_the_address_is_on_it() {
    let setup = json!({ "frameOrigin": "http://localhost:8787", "origins": ["http://127.0.0.1:8787"], "basePath": "/x/" });
    let mut portal = Portal::start_with(setup).await;
    portal.show(CHAT, json!({})).await;
    let path = "/chats/chat-1/cards/c1/loads";
    let mut request = portal.http.request(Method::POST, path, "{}");
    request.headers_mut().insert("origin", "http://127.0.0.1:8787".parse().unwrap());
    let loaded = portal.http.send(request).await.ok();
    assert!(
        loaded["frame"].as_str().unwrap().starts_with("http://localhost:8787/x/frames/"),
        "{loaded}"
    );
    let frame = portal.page(CHAT).frame(&loaded).await;
    assert!(
        frame
            .header("content-security-policy")
            .unwrap()
            .ends_with("; frame-ancestors http://127.0.0.1:8787")
    );
}

#[tokio::test]
async fn a_frame_has_every_header_of_the_contract() {
    let (_portal, page) = Portal::with_card(json!([])).await;
    let frame = page.frame(&page.load("c1").await).await;
    for (name, value) in [
        ("content-type", "text/html; charset=utf-8"),
        ("content-security-policy", POLICY),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        ("x-dns-prefetch-control", "off"),
        ("cross-origin-resource-policy", "same-origin"),
        ("cache-control", "no-store"),
        ("connection-allowlist", "()"),
    ] {
        assert_eq!(frame.header(name), Some(value), "{name}");
        assert_eq!(frame.headers.get_all(name).iter().count(), 1, "{name}");
    }
    let denied = frame.header("permissions-policy").unwrap();
    for feature in [
        "camera",
        "microphone",
        "geolocation",
        "fullscreen",
        "clipboard-read",
        "clipboard-write",
        "payment",
        "usb",
    ] {
        assert!(denied.split(", ").any(|item| item == format!("{feature}=()")), "{feature}");
    }
    assert!(denied.split(", ").all(|item| item.ends_with("=()")), "{denied}");
}

#[tokio::test]
async fn every_origin_of_the_portal_may_frame_it_and_without_any_nobody_may() {
    for (origins, ancestors) in [
        (json!([ORIGIN, "http://127.0.0.1:1"]), "https://chat.example http://127.0.0.1:1"),
        (json!([]), "'none'"),
    ] {
        let mut portal = Portal::start_with(json!({ "origins": origins })).await;
        portal.show(CHAT, json!({})).await;
        let mut request = portal.http.request(Method::POST, "/chats/chat-1/cards/c1/loads", "{}");
        request.headers_mut().remove("origin");
        request.headers_mut().insert("sec-fetch-site", "same-origin".parse().unwrap());
        let loaded = portal.http.send(request).await.ok();
        let frame = portal.page(CHAT).frame(&loaded).await;
        let policy = frame.header("content-security-policy").unwrap();
        assert!(policy.ends_with(&format!("; frame-ancestors {ancestors}")), "{policy}");
    }
}

#[tokio::test]
async fn a_frame_of_a_document_that_was_replaced_before_it_was_fetched_is_not_found() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    let loaded = page.load("c1").await;
    portal.tool(CHAT, "ui_update", json!({ "card": "c1", "html": "<p>new</p>" })).await;
    assert_eq!(page.frame(&loaded).await.status, 404);
    assert_eq!(page.frame(&page.load("c1").await).await.status, 200);
}

#[tokio::test]
async fn a_closed_card_still_loads() {
    let (mut portal, page) = Portal::with_card(json!([])).await;
    portal.tool(CHAT, "ui_close", json!({ "card": "c1" })).await;
    let card = page.open("c1").await;
    assert_eq!(card.loaded["card"]["open"], false);
    assert!(card.document().contains("\"open\":false"));
}

#[tokio::test]
async fn a_frame_asked_for_with_another_method_keeps_its_key() {
    let (_portal, page) = Portal::with_card(json!([])).await;
    let loaded = page.load("c1").await;
    let path = loaded["frame"].as_str().unwrap().strip_prefix(BASE).unwrap();
    let posted = page.http.send(page.http.request(Method::POST, path, "{}")).await;
    assert!(posted.status.is_client_error(), "{posted:?}");
    assert_eq!(page.frame(&loaded).await.status, 200);
}
