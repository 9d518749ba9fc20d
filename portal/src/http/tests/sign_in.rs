use super::{OWN, Web, is, json, refusal, request};
use axum::body::Body;
use axum::http::StatusCode;
use serde_json::json as value;

async fn sign_in(web: &Web, password: &str) -> axum::http::Response<Body> {
    web.post("POST", "/api/sign-in", value!({ "password": password }).to_string()).await
}

#[tokio::test(start_paused = true)]
async fn with_a_password_everything_but_the_page_and_frames_waits_for_a_sign_in() {
    let web = Web::with(Some("secret"), vec![]).await;
    let closed = ["/api/chats", "/api/extensions", "/api/nowhere", "/ext/inline-ui/page/host.js"];
    for path in closed {
        assert_eq!(refusal(web.get(path).await).await, is(401, "unauthorized"), "{path}");
    }
    for path in ["/", "/assets/icon.svg", "/api/me"] {
        assert_eq!(web.get(path).await.status(), StatusCode::OK, "{path}");
    }
    let frame = web.get("/ext/inline-ui/frames/abc").await;
    assert_eq!(refusal(frame).await, is(502, "extension_away"));
    let tricks = ["/ext/inline-ui/frames/..%2fcards", "/ext/inline-ui/frames/a/../../chats"];
    for path in tricks {
        assert_eq!(refusal(web.get(path).await).await, is(401, "unauthorized"), "{path}");
    }
    let posted = web.post("POST", "/ext/inline-ui/frames/abc", "").await;
    assert_eq!(refusal(posted).await, is(401, "unauthorized"));
}

#[tokio::test(start_paused = true)]
async fn the_right_password_opens_a_session_that_sign_out_ends() {
    let web = Web::with(Some("secret"), vec![]).await;
    assert_eq!(refusal(sign_in(&web, "Secret").await).await, is(401, "wrong_password"));
    assert_eq!(refusal(sign_in(&web, "secret ").await).await, is(401, "wrong_password"));
    let signed_in = sign_in(&web, "secret").await;
    assert_eq!(signed_in.status(), StatusCode::NO_CONTENT);
    let cookie = signed_in.headers()["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.starts_with("portal_session_8787="), "{cookie}");
    assert!(cookie.contains("; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    assert_eq!(cookie.len(), "portal_session_8787=".len() + 64);

    let me = |cookie: String| async {
        let asked = request("GET", "/api/me").header("cookie", cookie).body(Body::empty());
        json(web.send(asked.unwrap()).await).await
    };
    let mine = format!("other=1; {cookie}");
    assert_eq!(
        me(mine.clone()).await,
        value!({ "signedIn": true, "passwordNeeded": true, "model": "scripted",
                 "version": env!("CARGO_PKG_VERSION") })
    );
    assert_eq!(me(format!("{cookie}0")).await["signedIn"], false);
    let out = request("POST", "/api/sign-out").header("origin", OWN).header("cookie", &mine);
    let out = web.send(out.body(Body::empty()).unwrap()).await;
    assert_eq!(out.status(), StatusCode::NO_CONTENT);
    assert_eq!(me(mine).await["signedIn"], false);
}

#[tokio::test(start_paused = true)]
async fn ten_wrong_passwords_close_the_door_for_a_minute() {
    let web = Web::with(Some("secret"), vec![]).await;
    for _ in 0..10 {
        assert_eq!(refusal(sign_in(&web, "wrong").await).await, is(401, "wrong_password"));
    }
    let refused = sign_in(&web, "secret").await;
    assert!(refused.headers().contains_key("retry-after"));
    assert_eq!(refusal(refused).await, is(429, "too_many_tries"));
    tokio::time::sleep(std::time::Duration::from_mins(1)).await;
    assert_eq!(sign_in(&web, "secret").await.status(), StatusCode::NO_CONTENT);
}
