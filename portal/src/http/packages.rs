use super::App;
use super::input::{Json, Named};
use super::problem::Problem;
use crate::packages::{Installed, Kind, PackageError};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// Of a search, in characters.
const LONGEST_WORDS: usize = 100;

#[derive(Debug, Deserialize)]
pub(super) struct Words {
    #[serde(default)]
    text: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ToInstall {
    source: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct ToRemove {
    #[serde(default)]
    delete_data: bool,
}

/// What the registry has, by words.
pub(super) async fn search(
    State(app): State<Arc<App>>,
    Query(Words { text }): Query<Words>,
) -> Result<Response, Problem> {
    let words: String = text.chars().take(LONGEST_WORDS).collect();
    let hits = app.packages.search(&words).await?;
    Ok(axum::Json(json!({ "packages": hits })).into_response())
}

/// Newer versions of what is installed.
pub(super) async fn updates(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let updates = app.packages.updates().await?;
    Ok(axum::Json(json!({ "updates": updates })).into_response())
}

pub(super) async fn install(
    State(app): State<Arc<App>>,
    Json(ToInstall { source }): Json<ToInstall>,
) -> Result<Response, Problem> {
    let installed = app.packages.install(&source).await?;
    Ok((StatusCode::CREATED, shown(&installed)).into_response())
}

pub(super) async fn enable(
    State(app): State<Arc<App>>,
    Named(name): Named,
) -> Result<Response, Problem> {
    Ok(shown(&app.packages.enable(name).await?))
}

pub(super) async fn disable(
    State(app): State<Arc<App>>,
    Named(name): Named,
) -> Result<Response, Problem> {
    Ok(shown(&app.packages.disable(name).await?))
}

pub(super) async fn update(
    State(app): State<Arc<App>>,
    Named(name): Named,
) -> Result<Response, Problem> {
    Ok(shown(&app.packages.update(name).await?))
}

pub(super) async fn roll_back(
    State(app): State<Arc<App>>,
    Named(name): Named,
) -> Result<Response, Problem> {
    Ok(shown(&app.packages.roll_back(name).await?))
}

pub(super) async fn remove(
    State(app): State<Arc<App>>,
    Named(name): Named,
    Json(ToRemove { delete_data }): Json<ToRemove>,
) -> Result<StatusCode, Problem> {
    app.packages.remove(name, delete_data).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn shown(installed: &Installed) -> Response {
    axum::Json(json!({ "extension": Value::from(installed) })).into_response()
}

impl From<PackageError> for Problem {
    fn from(error: PackageError) -> Self {
        let status = match error.kind {
            Kind::Asked => StatusCode::BAD_REQUEST,
            Kind::Missing => StatusCode::NOT_FOUND,
            Kind::Conflict => StatusCode::CONFLICT,
            Kind::Refused => StatusCode::UNPROCESSABLE_ENTITY,
            Kind::Registry => StatusCode::BAD_GATEWAY,
            Kind::Machine => StatusCode::SERVICE_UNAVAILABLE,
        };
        Self::new(status, error.code, error.text)
    }
}
