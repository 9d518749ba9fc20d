use super::{OWN, Web, is, json, refusal, request};
use crate::chat::now;
use crate::chat::tests::bench::Bench;
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

const CHAT: &str = "https://chat.example";

/// A portal behind a proxy with TLS.
async fn public() -> Web {
    Web::over(Bench::new(vec![]).await, Some("secret"), &[CHAT.to_owned()]).await
}

/// A try that the proxy says is from there.
async fn tried(web: &Web, from: &str, password: &str) -> axum::http::Response<Body> {
    let request = axum::http::Request::builder().method("POST").uri("/api/sign-in");
    let request = request.header("host", "chat.example").header("origin", CHAT);
    let request = request.header("x-forwarded-for", from);
    web.send(request.body(value!({ "password": password }).to_string().into()).unwrap()).await
}

#[tokio::test(start_paused = true)]
async fn behind_a_proxy_each_address_has_its_own_tries_whatever_it_says_of_itself() {
    let web = public().await;
    for n in 0..10 {
        let refused = tried(&web, &format!("10.9.9.{n}, 10.0.0.1"), "wrong").await;
        assert_eq!(refusal(refused).await, is(401, "wrong_password"));
    }
    let refused = tried(&web, "10.9.9.99, 10.0.0.1", "secret").await;
    assert_eq!(refusal(refused).await, is(429, "too_many_tries"));
    assert_eq!(tried(&web, "10.0.0.1, 10.0.0.2", "secret").await.status(), StatusCode::NO_CONTENT);
}

#[tokio::test(start_paused = true)]
async fn without_a_proxy_nobody_is_believed_about_where_they_are() {
    let web = Web::with(Some("secret"), vec![]).await;
    let tried = async |from: &str| {
        let request = request("POST", "/api/sign-in").header("origin", OWN);
        let request = request.header("x-forwarded-for", from);
        web.send(request.body(Body::from(r#"{"password":"wrong"}"#)).unwrap()).await
    };
    for n in 0..10 {
        assert_eq!(tried(&format!("10.0.0.{n}")).await.status(), StatusCode::UNAUTHORIZED);
    }
    assert_eq!(tried("10.0.0.11").await.status(), StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test(start_paused = true)]
async fn over_tls_the_cookie_is_secure_and_of_this_host_only() {
    let web = public().await;
    let signed_in = tried(&web, "10.0.0.1", "secret").await;
    let cookie = signed_in.headers()["set-cookie"].to_str().unwrap();
    assert!(cookie.starts_with("__Host-portal_session_8787="), "{cookie}");
    assert!(cookie.ends_with("; HttpOnly; SameSite=Strict; Secure"), "{cookie}");
}

fn cookie_of(response: &axum::http::Response<Body>) -> String {
    let cookie = response.headers()["set-cookie"].to_str().unwrap();
    cookie.split(';').next().unwrap().to_owned()
}

async fn chats(web: &Web, cookie: &str) -> StatusCode {
    let asked = request("GET", "/api/chats").header("cookie", cookie).body(Body::empty());
    web.send(asked.unwrap()).await.status()
}

#[tokio::test(start_paused = true)]
async fn a_session_outlives_a_restart_but_not_another_password_and_only_its_hash_is_kept() {
    let web = Web::with(Some("secret"), vec![]).await;
    let cookie = cookie_of(&sign_in(&web, "secret").await);
    let token = cookie.split_once('=').unwrap().1;
    let kept = web.bench.store.sessions(0).await.unwrap();
    assert_eq!(kept.len(), 1);
    assert_ne!(kept[0].0, token);
    let stolen = format!("portal_session_8787={}", kept[0].0);
    assert_eq!(chats(&web, &stolen).await, StatusCode::UNAUTHORIZED);

    let folder = web.bench.kill().await;
    let again = Web::over(Bench::over(folder, vec![]).await, Some("secret"), &[]).await;
    assert_eq!(chats(&again, &cookie).await, StatusCode::OK);
    let folder = again.bench.kill().await;
    let other = Web::over(Bench::over(folder, vec![]).await, Some("changed"), &[]).await;
    assert_eq!(chats(&other, &cookie).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test(start_paused = true)]
async fn a_session_ends_after_thirty_days_and_when_its_person_signs_out() {
    let web = Web::with(Some("secret"), vec![]).await;
    let cookie = cookie_of(&sign_in(&web, "secret").await);
    let kept = web.bench.store.sessions(0).await.unwrap().remove(0).0;
    web.bench.store.end_session(kept.clone()).await.unwrap();
    let day = 24 * 60 * 60 * 1000;
    let mut bench = web.bench;
    for (age, want) in [(29, StatusCode::OK), (31, StatusCode::UNAUTHORIZED)] {
        bench.store.end_all_sessions().await.unwrap();
        bench.store.add_session(kept.clone(), now() - age * day).await.unwrap();
        let folder = bench.kill().await;
        let web = Web::over(Bench::over(folder, vec![]).await, Some("secret"), &[]).await;
        assert_eq!(chats(&web, &cookie).await, want, "{age} days");
        bench = web.bench;
    }
    let web = Web::over(bench, Some("secret"), &[]).await;
    let cookie = cookie_of(&sign_in(&web, "secret").await);
    let out = request("POST", "/api/sign-out").header("origin", OWN).header("cookie", &cookie);
    web.send(out.body(Body::empty()).unwrap()).await;
    assert_eq!(chats(&web, &cookie).await, StatusCode::UNAUTHORIZED);
    assert!(web.bench.store.sessions(0).await.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_sign_in_and_a_sign_out_from_another_origin_are_refused() {
    let web = Web::with(Some("secret"), vec![]).await;
    for path in ["/api/sign-in", "/api/sign-out", "/api/model", "/ext/inline-ui/chats/c/cards"] {
        for foreign in [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")] {
            let asked = request("POST", path).header(foreign.0, foreign.1);
            let body = Body::from(r#"{"password":"secret"}"#);
            let refused = web.send(asked.body(body).unwrap()).await;
            assert_eq!(refusal(refused).await, is(403, "forbidden_origin"), "{path}");
        }
    }
    assert_eq!(sign_in(&web, "secret").await.status(), StatusCode::NO_CONTENT);
}
