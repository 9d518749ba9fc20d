//! The page half's modules, and what operators ask for.

use crate::harness::{Portal, Reply};
use hyper::Method;
use serde_json::json;

async fn module(portal: &Portal, tag: &str) -> Reply {
    let mut request = portal.http.request(Method::GET, "/page/host.js", "");
    request.headers_mut().insert("if-none-match", tag.parse().unwrap());
    portal.http.send(request).await
}

#[tokio::test]
async fn the_module_that_initialize_names_is_served_as_a_script_with_a_strong_tag() {
    let portal = Portal::start().await;
    let path = format!("/{}", portal.initialized["page"]["module"].as_str().unwrap());
    let reply = portal.http.get(&path).await;
    assert_eq!(reply.status, 200);
    assert!(reply.header("content-type").unwrap().starts_with("text/javascript"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    let element = portal.initialized["page"]["element"].as_str().unwrap();
    assert!(reply.text().contains(element), "it defines {element}");
    let tag = reply.header("etag").unwrap();
    assert!(tag.starts_with('"') && tag.ends_with('"') && tag.len() > 10, "{tag}");
}

#[tokio::test]
async fn a_module_that_did_not_change_is_not_sent_again() {
    let portal = Portal::start().await;
    let tag = portal.http.get("/page/host.js").await.header("etag").unwrap().to_owned();
    for same in [tag.clone(), format!("\"other\", {tag}"), "*".to_owned()] {
        let reply = module(&portal, &same).await;
        assert_eq!((reply.status.as_u16(), reply.body.len()), (304, 0), "{same}");
        assert_eq!(reply.header("etag"), Some(tag.as_str()));
    }
    for other in ["\"other\"".to_owned(), tag.replace('"', "")] {
        assert_eq!(module(&portal, &other).await.status, 200, "{other}");
    }
}

#[tokio::test]
async fn a_tag_that_a_compressing_proxy_weakened_is_still_known() {
    let portal = Portal::start().await;
    let tag = portal.http.get("/page/host.js").await.header("etag").unwrap().to_owned();
    assert_eq!(module(&portal, &format!("W/{tag}")).await.status, 304);
}

#[tokio::test]
async fn every_module_that_a_module_imports_is_served() {
    let portal = Portal::start().await;
    let mut wanted = vec!["host.js".to_owned()];
    let mut at = 0;
    while at < wanted.len() {
        let reply = portal.http.get(&format!("/page/{}", wanted[at])).await;
        assert_eq!(reply.status, 200, "{}", wanted[at]);
        let imports = reply
            .text()
            .split("from \"./")
            .skip(1)
            .map(|rest| rest.split('"').next().unwrap().to_owned());
        for import in imports.collect::<Vec<_>>() {
            if !wanted.contains(&import) {
                wanted.push(import);
            }
        }
        at += 1;
    }
    assert!(wanted.len() > 1);
}

#[tokio::test]
async fn what_is_no_module_is_not_found() {
    let portal = Portal::start().await;
    for path in
        ["/page/nothing.js", "/page/..%2FCargo.toml", "/page/%2e%2e/", "/", "/chats", "/nothing"]
    {
        portal.http.get(path).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn health_is_one_request_and_names_the_version() {
    let portal = Portal::start().await;
    let health = portal.http.get("/healthz").await.ok();
    assert_eq!(health, json!({ "status": "ok", "version": env!("CARGO_PKG_VERSION") }));
}

#[tokio::test]
async fn metrics_count_what_was_taken_and_what_was_refused() {
    let (portal, page) = Portal::with_card(json!([{ "name": "a" }])).await;
    let card = page.open("c1").await;
    card.emit("a", json!("secret-data")).await.accepted();
    card.emit("b", json!(1)).await.refused(409, "undeclared_event");
    let reply = portal.http.get("/metrics").await;
    assert!(reply.header("content-type").unwrap().starts_with("text/plain; version=0.0.4"));
    let text = reply.text();
    assert!(text.contains("# TYPE"), "{text}");
    let count = |outcome: &str| {
        let line = text.lines().find(|line| line.contains("events") && line.contains(outcome));
        line.and_then(|line| line.rsplit(' ').next()).map(str::to_owned)
    };
    assert_eq!(count("accepted").as_deref(), Some("1"), "{text}");
    assert_eq!(count("undeclared_event").as_deref(), Some("1"), "{text}");
    assert!(!text.contains("secret-data") && !text.contains(&card.load));
}
