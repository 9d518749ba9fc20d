use super::{OWN, Web, is, json, refusal, request};
use crate::extension::fake::Fake;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Response, StatusCode};
use futures_util::{StreamExt, stream};
use http_body_util::BodyExt;
use serde_json::{Value, json as value};
use std::time::Duration;
use tokio::net::{TcpListener, UnixListener};

/// An extension's HTTP that says what it was asked.
fn extension() -> Router {
    Router::new().fallback(async |request: Request| {
        let (parts, body) = request.into_parts();
        if parts.uri.path() == "/chats/a/stream" {
            let endless = stream::once(async { Ok::<_, std::io::Error>("data: one\n\n") })
                .chain(stream::pending());
            let response = Response::builder().header("content-type", "text/event-stream");
            return response.body(Body::from_stream(endless)).unwrap();
        }
        let header = |name: &str| parts.headers.get(name).and_then(|it| it.to_str().ok());
        let named: serde_json::Map<String, Value> =
            ["authorization", "cookie", "origin", "x-kept", "x-hop", "te", "connection"]
                .into_iter()
                .map(|name| (name.to_owned(), header(name).into()))
                .collect();
        let length = body.collect().await.unwrap().to_bytes().len();
        let uri = parts.uri.to_string();
        let said = value!({ "uri": uri, "method": parts.method.as_str(), "length": length, "headers": named });
        Response::builder()
            .status(StatusCode::IM_A_TEAPOT)
            .header("set-cookie", "a=b")
            .header("connection", "x-hop")
            .header("x-hop", "1")
            .header("x-kept", "1")
            .header("referrer-policy", "same-origin")
            .body(Body::from(said.to_string()))
            .unwrap()
    })
}

async fn over_tcp() -> (Web, Fake) {
    let web = Web::with(Some("secret"), vec![]).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, extension()).await });
    let fake = Fake::connect_with(&web.bench.host, &web.bench.hints, &address);
    (web, fake)
}

async fn signed_in(web: &Web) -> String {
    let response = web.post("POST", "/api/sign-in", r#"{"password":"secret"}"#).await;
    response.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_request_arrives_as_it_was_with_the_token_and_without_the_browsers_secrets() {
    let (web, _fake) = over_tcp().await;
    let cookie = signed_in(&web).await;
    let path = "/ext/inline-ui/chats/a%2Fb/%7e/?q=%20&r=a+b";
    let asked = request("POST", path)
        .header("cookie", cookie)
        .header("authorization", "Bearer forged")
        .header("origin", OWN)
        .header("connection", "keep-alive, x-hop")
        .header("x-hop", "1")
        .header("te", "trailers")
        .header("x-kept", "1")
        .body(Body::from("x".repeat(300_000)))
        .unwrap();
    let response = web.send(asked).await;
    assert_eq!(response.status(), StatusCode::IM_A_TEAPOT);
    assert_eq!(response.headers()["x-kept"], "1");
    for name in ["set-cookie", "connection", "x-hop"] {
        assert!(!response.headers().contains_key(name), "{name}");
    }
    // What the extension says itself stands, and what it does not say is the strictest.
    let policy = &response.headers()["content-security-policy"];
    assert_eq!(policy, "default-src 'none'; frame-ancestors 'none'");
    assert_eq!(response.headers()["referrer-policy"], "same-origin");
    assert_eq!(
        json(response).await,
        value!({
            "uri": "/chats/a%2Fb/%7e/?q=%20&r=a+b", "method": "POST", "length": 300_000,
            "headers": { "authorization": "Bearer the-token", "cookie": null, "origin": OWN,
                         "x-kept": "1", "x-hop": null, "te": null, "connection": null },
        })
    );
}

#[tokio::test]
async fn a_frame_passes_without_a_session_and_without_the_token() {
    let (web, _fake) = over_tcp().await;
    let forged = request("GET", "/ext/inline-ui/frames/abc").header("authorization", "Bearer x");
    let answer = json(web.send(forged.body(Body::empty()).unwrap()).await).await;
    assert_eq!(answer["uri"], "/frames/abc");
    assert_eq!(answer["headers"]["authorization"], Value::Null);
    let page =
        request("GET", "/ext/inline-ui/page/host.js").header("cookie", signed_in(&web).await);
    let answer = json(web.send(page.body(Body::empty()).unwrap()).await).await;
    assert_eq!(answer["headers"]["authorization"], "Bearer the-token");
}

#[tokio::test]
async fn events_are_passed_on_at_once_and_end_when_the_portal_stops() {
    let (web, _fake) = over_tcp().await;
    let asked =
        request("GET", "/ext/inline-ui/chats/a/stream").header("cookie", signed_in(&web).await);
    let response = web.send(asked.body(Body::empty()).unwrap()).await;
    let mut stream = response.into_body().into_data_stream();
    let first = tokio::time::timeout(Duration::from_secs(5), stream.next()).await.unwrap();
    assert_eq!(first.unwrap().unwrap(), "data: one\n\n");
    web.stopping.cancel();
    let end = tokio::time::timeout(Duration::from_secs(5), stream.next()).await.unwrap();
    assert!(end.is_none());
}

#[tokio::test]
async fn an_extension_may_serve_on_a_unix_socket() {
    let web = Web::new().await;
    let path = web.bench.folder.path().join("http.sock");
    let listener = UnixListener::bind(&path).unwrap();
    tokio::spawn(async move { axum::serve(listener, extension()).await });
    let address = format!("unix:{}", path.display());
    let _fake = Fake::connect_with(&web.bench.host, &web.bench.hints, &address);
    let answer = json(web.get("/ext/inline-ui/healthz").await).await;
    assert_eq!(answer["uri"], "/healthz");
}

#[tokio::test]
async fn an_extension_that_is_away_or_unknown_is_said_to_be() {
    let web = Web::new().await;
    let away = is(502, "extension_away");
    assert_eq!(refusal(web.get("/ext/inline-ui/page/host.js").await).await, away);
    let _fake = web.bench.connect();
    assert_eq!(refusal(web.get("/ext/inline-ui/page/host.js").await).await, away);
    for path in ["/ext/other/page/host.js", "/ext/inline-uix/a", "/ext/inline-ui"] {
        assert_eq!(refusal(web.get(path).await).await, is(404, "not_found"), "{path}");
    }
}
