use super::App;
use super::input::Json;
use super::problem::Problem;
use crate::model::{Choice, Models, Unavailable};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Chosen {
    model: String,
}

/// Which model answers, and what there is to choose from.
pub(super) async fn read(State(app): State<Arc<App>>) -> Response {
    let (model, providers) = (app.hub.model(), app.models.providers());
    axum::Json(json!({ "model": model.name(), "providers": providers })).into_response()
}

/// Chooses the model of every run that begins from then on.
pub(super) async fn choose(
    State(app): State<Arc<App>>,
    Json(Chosen { model }): Json<Chosen>,
) -> Result<Response, Problem> {
    let choice: Choice = model.trim().parse().map_err(|bad| refused(&Unavailable::from(bad)))?;
    let model = app.models.get(&choice).map_err(|why| refused(&why))?;
    Models::store(&choice, app.hub.store()).await?;
    tracing::info!(model = model.name(), "model chosen");
    app.hub.set_model(Arc::clone(&model));
    Ok(axum::Json(json!({ "model": model.name() })).into_response())
}

fn refused(why: &Unavailable) -> Problem {
    let detail = format!("This model cannot be used: {why}.");
    Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "bad_model", detail).about("model".to_owned())
}
