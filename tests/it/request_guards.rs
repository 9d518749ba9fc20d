//! Who may ask: the token on every route but a frame's, and the portal's own pages for a POST.

use crate::harness::{CHAT, ORIGIN, Portal, Request};
use hyper::Method;
use serde_json::json;

const GETS: [&str; 6] = [
    "/healthz",
    "/metrics",
    "/page/host.js",
    "/chats/chat-1/cards",
    "/chats/chat-1/stream",
    "/nothing",
];
const POSTS: [&str; 5] = [
    "/chats/chat-1/cards/c1/loads",
    "/chats/chat-1/cards/c1/events",
    "/chats/chat-1/cards/c1/close",
    "/chats/chat-1/cards/c1/height",
    "/chats/chat-1/cards/c1/activity",
];

fn with(mut request: Request, headers: &[(&'static str, &str)]) -> Request {
    for (name, value) in headers {
        request.headers_mut().append(*name, value.parse().unwrap());
    }
    request
}

#[tokio::test]
async fn every_route_but_a_frames_wants_the_token() {
    let (portal, page) = Portal::with_card(json!([])).await;
    let routes = GETS
        .map(|path| (Method::GET, path))
        .into_iter()
        .chain(POSTS.map(|path| (Method::POST, path)));
    for (method, path) in routes {
        let bare = || with(portal.http.bare(method.clone(), path, "{}"), &[("origin", ORIGIN)]);
        portal.http.send(bare()).await.refused(401, "unauthorized");
        let token = &portal.http.token;
        let (shorter, longer) = (token[1..].to_owned(), format!("{token}0"));
        for wrong in [
            "Bearer ",
            "Bearer nonsense",
            token,
            &format!("Basic {token}"),
            &format!("Bearer {shorter}"),
            &format!("Bearer {longer}"),
        ] {
            portal
                .http
                .send(with(bare(), &[("authorization", wrong)]))
                .await
                .refused(401, "unauthorized");
        }
    }
    assert_eq!(page.card("c1").await["open"], true, "nothing was done");
    for path in ["/healthz", "/metrics", "/page/host.js", "/chats/chat-1/cards"] {
        assert_eq!(portal.http.get(path).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn a_post_must_come_from_a_page_of_the_portal() {
    let (portal, page) = Portal::with_card(json!([])).await;
    let evil: [&[(&str, &str)]; 9] = [
        &[],
        &[("origin", "null")],
        &[("origin", "https://evil.example")],
        &[("origin", "https://chat.example.evil.example")],
        &[("origin", "http://chat.example")],
        &[("origin", "https://evil.example"), ("sec-fetch-site", "same-origin")],
        &[("origin", ORIGIN), ("origin", "https://evil.example")],
        &[("sec-fetch-site", "same-site")],
        &[("sec-fetch-site", "none")],
    ];
    for headers in evil {
        for path in POSTS {
            let mut request = portal.http.request(Method::POST, path, "{}");
            request.headers_mut().remove("origin");
            portal.http.send(with(request, headers)).await.refused(403, "forbidden_origin");
        }
    }
    assert_eq!(page.card("c1").await["open"], true, "nothing was done");
    let good: [&[(&str, &str)]; 3] = [
        &[("origin", ORIGIN)],
        &[("sec-fetch-site", "same-origin")],
        &[("origin", ORIGIN), ("sec-fetch-site", "cross-site")],
    ];
    for headers in good {
        let mut request = portal.http.request(Method::POST, POSTS[0], "{}");
        request.headers_mut().remove("origin");
        assert_eq!(portal.http.send(with(request, headers)).await.status, 200, "{headers:?}");
    }
}

#[tokio::test]
async fn the_token_is_asked_for_before_the_origin_and_both_before_anything_is_read() {
    let (portal, _) = Portal::with_card(json!([])).await;
    let request = portal.http.bare(Method::POST, POSTS[1], "no json");
    portal
        .http
        .send(with(request, &[("origin", "https://evil.example")]))
        .await
        .refused(401, "unauthorized");
    let mut request = portal.http.request(Method::POST, POSTS[1], "no json");
    request.headers_mut().insert("origin", "https://evil.example".parse().unwrap());
    portal.http.send(request).await.refused(403, "forbidden_origin");
}

#[tokio::test]
async fn a_get_needs_no_origin_and_changes_nothing() {
    let (portal, page) = Portal::with_card(json!([])).await;
    for path in POSTS {
        let reply = portal.http.get(path).await;
        assert_eq!(reply.status, 405, "{path}");
    }
    let request = with(
        portal.http.request(Method::GET, "/chats/chat-1/cards", ""),
        &[("origin", "https://evil.example")],
    );
    assert_eq!(portal.http.send(request).await.status, 200, "what a proxy lets through reads");
    assert_eq!(page.card("c1").await["open"], true);
}

#[tokio::test]
async fn other_methods_are_refused_too() {
    let (portal, page) = Portal::with_card(json!([])).await;
    for method in [Method::PUT, Method::DELETE, Method::PATCH, Method::OPTIONS] {
        let request =
            with(portal.http.request(method.clone(), POSTS[2], "{}"), &[("origin", ORIGIN)]);
        assert_eq!(portal.http.send(request).await.status, 405, "{method}");
        let request = portal.http.request(method.clone(), POSTS[2], "{}");
        assert_eq!(portal.http.send(request).await.status, 403, "{method}");
    }
    assert_eq!(page.card("c1").await["open"], true);
}

#[tokio::test]
async fn a_new_portals_origins_are_the_ones_in_force() {
    let (mut portal, _) = Portal::with_card(json!([])).await;
    let setup = json!({ "origins": ["https://moved.example"] });
    let params = crate::harness::initialize_params(portal.data(), &setup);
    portal.request("initialize", params).await.unwrap();
    let page = portal.page(CHAT);
    page.post("c1", "loads", json!({})).await.refused(403, "forbidden_origin");
    let mut request = portal.http.request(Method::POST, POSTS[0], "{}");
    request.headers_mut().insert("origin", "https://moved.example".parse().unwrap());
    assert_eq!(portal.http.send(request).await.status, 200);
}
