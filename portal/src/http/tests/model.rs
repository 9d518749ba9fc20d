use super::{Web, is, json, refusal};
use axum::http::StatusCode;
use serde_json::json as value;

async fn choose(web: &Web, model: &str) -> axum::http::Response<axum::body::Body> {
    web.post("PUT", "/api/model", value!({ "model": model }).to_string()).await
}

#[tokio::test(start_paused = true)]
async fn a_model_is_chosen_without_a_restart_and_stays_chosen_after_one() {
    let web = Web::new().await;
    let shown = json(web.get("/api/model").await).await;
    assert_eq!(shown["model"], "scripted");
    assert_eq!(shown["providers"][0]["address"], "http://127.0.0.1:1/v1/");
    let chosen = choose(&web, " openai:llama3.1:8b ").await;
    assert_eq!(chosen.status(), StatusCode::OK);
    assert_eq!(json(chosen).await, value!({ "model": "openai:llama3.1:8b" }));
    for path in ["/api/model", "/api/me"] {
        assert_eq!(json(web.get(path).await).await["model"], "openai:llama3.1:8b", "{path}");
    }
    let stored = web.models().stored(&web.bench.store).await.unwrap();
    assert_eq!(stored.name(), "openai:llama3.1:8b");

    assert_eq!(choose(&web, "demo").await.status(), StatusCode::OK);
    assert_eq!(json(web.get("/api/me").await).await["model"], "scripted");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_answer_cannot_be_chosen_and_nothing_changes() {
    let web = Web::new().await;
    for model in ["", "gpt-5", "gemini", "openai:a b", "demo:1"] {
        assert_eq!(refusal(choose(&web, model).await).await, is(422, "bad_model"), "{model}");
    }
    let refused = json(choose(&web, "gemini").await).await;
    assert!(refused["detail"].as_str().unwrap().contains("GEMINI_API_KEY is not set"));
    assert_eq!(refused["field"], "model");
    assert_eq!(json(web.get("/api/me").await).await["model"], "scripted");
    assert_eq!(choose(&web, "anthropic").await.status(), StatusCode::OK);
}

#[tokio::test(start_paused = true)]
async fn no_answer_has_a_key_in_it() {
    let web = Web::new().await;
    let chosen = json(choose(&web, "anthropic:x").await).await;
    let shown = json(web.get("/api/model").await).await;
    assert_eq!(shown["providers"][1]["keySet"], true);
    assert_eq!(shown["providers"][2]["keySet"], false);
    assert!(!format!("{chosen}{shown}").contains("sk-of-anthropic"));
}
