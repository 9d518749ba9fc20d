use super::{OWN, Web, is, refusal, request};
use axum::body::Body;
use axum::http::{Request, StatusCode};

fn to(host: &str, method: &str, path: &str) -> Request<Body> {
    let builder = Request::builder().method(method).uri(path).header("host", host);
    builder.header("origin", OWN).body(Body::empty()).unwrap()
}

#[tokio::test]
async fn nothing_is_answered_under_a_name_that_is_not_the_portals() {
    let web = Web::new().await;
    for host in ["evil.example:8787", "127.0.0.1", "127.0.0.1:8788", "localhost:1", ""] {
        for path in ["/", "/api/me", "/ext/inline-ui/frames/abc", "/assets/app.js"] {
            let response = web.send(to(host, "GET", path)).await;
            assert_eq!(refusal(response).await, is(421, "misdirected"), "{host} {path}");
        }
    }
    assert_eq!(web.send(to("127.0.0.1:8787", "GET", "/")).await.status(), StatusCode::OK);
    let nameless = Request::builder().uri("/").body(Body::empty()).unwrap();
    assert_eq!(refusal(web.send(nameless).await).await, is(421, "misdirected"));
}

#[tokio::test]
async fn localhost_serves_frames_only_and_leads_to_the_portal() {
    let web = Web::new().await;
    for path in
        ["/chats/a?b=c", "/api/chats", "/ext/inline-ui/frames/a/b", "/ext/inline-ui/frames/"]
    {
        let response = web.send(to("localhost:8787", "GET", path)).await;
        assert!(response.status().is_redirection(), "{path}");
        assert_eq!(response.headers()["location"], format!("{OWN}{path}"));
    }
    let response = web.send(to("localhost:8787", "POST", "/api/chats")).await;
    assert_eq!(refusal(response).await, is(421, "misdirected"));
    // The extension is away, which shows that the frame was let through to it.
    let response = web.send(to("localhost:8787", "GET", "/ext/inline-ui/frames/aB-_9")).await;
    assert_eq!(refusal(response).await, is(502, "extension_away"));
}

#[tokio::test]
async fn a_change_is_taken_only_from_the_portals_own_pages() {
    let web = Web::new().await;
    let create = |headers: &[(&str, &str)]| {
        let mut builder = request("POST", "/api/chats");
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        web.send(builder.body(Body::from(r#"{"text":"hi"}"#)).unwrap())
    };
    let foreign: [&[(&str, &str)]; 6] = [
        &[],
        &[("origin", "null")],
        &[("origin", "http://localhost:8787")],
        &[("origin", "https://evil.example"), ("sec-fetch-site", "same-origin")],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
    ];
    for headers in foreign {
        assert_eq!(
            refusal(create(headers).await).await,
            is(403, "forbidden_origin"),
            "{headers:?}"
        );
    }
    let own: [&[(&str, &str)]; 2] = [&[("origin", OWN)], &[("sec-fetch-site", "same-origin")]];
    for headers in own {
        assert_eq!(create(headers).await.status(), StatusCode::CREATED, "{headers:?}");
    }
}

#[tokio::test]
async fn every_answer_has_its_security_headers() {
    let web = Web::new().await;
    let paths = ["/", "/assets/app.js", "/api/me", "/api/nowhere", "/nowhere", "/ext/none/a"];
    let frame = "/ext/inline-ui/frames/abc";
    for path in paths.into_iter().chain([frame]) {
        let response = web.get(path).await;
        let headers = response.headers();
        assert_eq!(headers["x-content-type-options"], "nosniff", "{path}");
        assert_eq!(headers["referrer-policy"], "no-referrer", "{path}");
        assert_eq!(headers["cross-origin-resource-policy"], "same-origin", "{path}");
        let policy = headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("frame-ancestors 'none'"), "{path}: {policy}");
        assert_eq!(policy.starts_with("default-src 'none'"), path.starts_with("/ext/"), "{path}");
        assert_eq!(headers.contains_key("x-frame-options"), !path.starts_with("/ext/"), "{path}");
    }
    let misdirected = web.send(to("evil.example", "GET", "/")).await;
    assert_eq!(misdirected.headers()["x-frame-options"], "DENY");
}
