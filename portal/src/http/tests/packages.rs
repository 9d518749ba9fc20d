use super::{Web, is, json, refusal};
use axum::http::StatusCode;
use serde_json::json as j;

/// An extension in a folder, whose program only has to be there.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let manifest = j!({
        "name": "tea", "title": "Tea", "version": "1.0.0", "description": "Times tea.",
        "license": "MIT", "homepage": "", "protocol": 1, "server": { "command": ["run", "it"] },
        "page": { "module": "page/it.js", "element": "a-card" },
        "tools": [{ "name": "tea_start", "title": "Start" }], "settings": {},
        "asks": { "network": "none" },
    });
    std::fs::write(folder.path().join("manifest.json"), manifest.to_string()).unwrap();
    std::fs::write(folder.path().join("run"), "").unwrap();
    folder
}

#[tokio::test]
async fn a_package_is_installed_shown_enabled_disabled_and_removed() {
    let web = Web::new().await;
    let folder = folder();
    let source = format!("path:{}", folder.path().display());
    let made = web.post("POST", "/api/packages", j!({ "source": source }).to_string()).await;
    assert_eq!(made.status(), StatusCode::CREATED);
    let made = json(made).await["extension"].clone();
    let want = j!({
        "name": "tea", "source": source, "version": "1.0.0", "previous": null, "enabled": false,
        "title": "Tea", "description": "Times tea.", "license": "MIT", "homepage": "",
        "command": ["run", "it"], "tools": [{ "name": "tea_start", "title": "Start" }],
        "asks": { "network": "none" }, "scripts": [],
    });
    assert_eq!(made, want);
    let list = json(web.get("/api/extensions").await).await;
    assert_eq!(list["installed"], j!([want]));
    assert_eq!(list["extensions"].as_array().unwrap().len(), 1);

    let enabled = web.post("POST", "/api/packages/tea/enable", "").await;
    assert_eq!(json(enabled).await["extension"]["enabled"], true);
    let list = json(web.get("/api/extensions").await).await;
    assert_eq!(list["extensions"][1]["name"], "tea");
    assert_eq!(list["extensions"][1]["package"]["source"], source);
    let disabled = web.post("POST", "/api/packages/tea/disable", "").await;
    assert_eq!(json(disabled).await["extension"]["enabled"], false);

    let removed = web.post("DELETE", "/api/packages/tea", j!({ "deleteData": true }).to_string());
    assert_eq!(removed.await.status(), StatusCode::NO_CONTENT);
    let list = json(web.get("/api/extensions").await).await;
    assert_eq!(list["installed"], j!([]));
    assert_eq!(list["extensions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_is_not_done_is_refused_in_words_with_a_code() {
    let web = Web::new().await;
    let install = async |source: &str| {
        let body = j!({ "source": source }).to_string();
        refusal(web.post("POST", "/api/packages", body).await).await
    };
    assert_eq!(install("inline-ui").await, is(400, "bad_source"));
    assert_eq!(install("npm:@a/b").await, is(400, "bad_name"));
    assert_eq!(install("path:/nowhere/at/all").await, is(422, "no_manifest"));
    for path in ["enable", "disable", "update", "roll-back"] {
        let path = format!("/api/packages/none/{path}");
        let answer = web.post("POST", &path, "").await;
        assert_eq!(refusal(answer).await, is(404, "unknown_extension"), "{path}");
    }
    let folder = folder();
    let source = format!("path:{}", folder.path().display());
    web.post("POST", "/api/packages", j!({ "source": source }).to_string()).await;
    assert_eq!(install(&source).await, is(409, "name_taken"));
    let updated = web.post("POST", "/api/packages/tea/update", "").await;
    assert_eq!(refusal(updated).await, is(409, "not_from_registry"));
}

#[tokio::test]
async fn only_somebody_who_has_signed_in_changes_what_is_installed() {
    let web = Web::with(Some("secret"), vec![]).await;
    for (method, path) in [
        ("POST", "/api/packages"),
        ("DELETE", "/api/packages/tea"),
        ("POST", "/api/packages/tea/enable"),
    ] {
        let answer = web.post(method, path, "{}").await;
        assert_eq!(refusal(answer).await, is(401, "unauthorized"), "{path}");
    }
    assert_eq!(
        refusal(web.get("/api/packages/search?text=a").await).await,
        is(401, "unauthorized")
    );
}
