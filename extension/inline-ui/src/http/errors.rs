use super::body::{self, SMALL};
use super::cards::OfCard;
use super::loads::LoadName;
use super::problem::Problem;
use crate::server::Server;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use inline_ui_core::{CardError, ErrorReport, Input};
use inline_ui_store::Store;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// What a page tells of a load: no event, for nobody did anything.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ErrorsBody {
    load: String,
    #[serde(default)]
    errors: Vec<CardError>,
    #[serde(default)]
    stuck: Option<bool>,
}

pub(crate) async fn errors<S: Store>(
    State(server): State<Arc<Server<S>>>,
    OfCard(chat, card): OfCard,
    body: Body,
) -> Result<Json<Value>, Problem> {
    let ErrorsBody { load, errors, stuck } = body::json(body, SMALL).await?;
    let load = LoadName::check(&load, &chat, card, server.boot);
    server.handle(&chat, Input::Errors(ErrorReport { card, load, errors, stuck })).await?;
    Ok(Json(json!({})))
}
