use super::App;
use super::input::{Json, Named};
use super::problem::Problem;
use crate::extension::HostState;
use crate::extension::gateway;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// What is installed, and how it is doing.
pub(super) async fn list(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let host = app.hub.host();
    let profile = host.profile();
    let schema = host.settings_schema();
    let set = app.hub.store().settings(profile.name.clone()).await?;
    let (state, error) = match &*host.state().borrow() {
        HostState::Starting => ("starting", None),
        HostState::Running => ("running", None),
        HostState::Failed(why) => ("failed", Some(why.clone())),
    };
    let mut extension = json!({
        "name": profile.name,
        "title": profile.title,
        "version": profile.version,
        "description": profile.description,
        "state": state,
        "base": host.base(),
        "page": profile.page,
        "tools": profile.tools,
        "settingsSchema": schema.as_value(),
        "settings": schema.in_force(&read(set)),
        "asks": profile.asks,
        "lazy": host.is_lazy(),
    });
    if let Some(error) = error {
        extension["error"] = error.into();
    }
    Ok(axum::Json(json!({ "extensions": [extension] })).into_response())
}

/// Changes some settings, all or none, and tells the extension.
pub(super) async fn change_settings(
    State(app): State<Arc<App>>,
    Named(name): Named,
    Json(changed): Json<Map<String, Value>>,
) -> Result<Response, Problem> {
    let host = app.hub.host();
    if name != host.profile().name {
        let detail = "There is no such extension.";
        return Err(Problem::new(StatusCode::NOT_FOUND, "unknown_extension", detail));
    }
    let schema = host.settings_schema();
    let change = move |text: Option<String>| {
        let mut set = read(text);
        schema.change(&mut set, &changed)?;
        let in_force = schema.in_force(&set);
        Ok((Value::Object(set).to_string(), in_force))
    };
    let changed = app.hub.store().change_settings(name, change).await?;
    let settings = changed.map_err(|bad: crate::extension::BadSetting| {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_setting", bad.to_string())
            .about(bad.field)
    })?;
    let settings = Value::Object(settings);
    host.settings_changed(settings.clone());
    Ok(axum::Json(json!({ "settings": settings })).into_response())
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Lazy {
    lazy: bool,
}

/// Whether the model is given an extension's tools, or the gateway to them, from its next turn on.
pub(super) async fn set_lazy(
    State(app): State<Arc<App>>,
    Named(name): Named,
    Json(Lazy { lazy }): Json<Lazy>,
) -> Result<Response, Problem> {
    let host = app.hub.host();
    if name != host.profile().name {
        let detail = "There is no such extension.";
        return Err(Problem::new(StatusCode::NOT_FOUND, "unknown_extension", detail));
    }
    gateway::set_lazy(app.hub.store(), &name, lazy).await?;
    host.set_lazy(lazy);
    Ok(axum::Json(json!({ "lazy": lazy })).into_response())
}

fn read(text: Option<String>) -> Map<String, Value> {
    text.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default()
}
