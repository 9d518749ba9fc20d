use super::body::{self, SMALL};
use super::problem::Problem;
use super::view::{self, CardJson};
use crate::server::Server;
use axum::Json;
use axum::body::Body;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use inline_ui_core::{CardId, ChatId, Input};
use inline_ui_store::Store;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// A chat named in the address.
#[derive(Debug)]
pub(crate) struct InChat(pub(crate) ChatId);

/// A card of a chat named in the address.
#[derive(Debug)]
pub(crate) struct OfCard(pub(crate) ChatId, pub(crate) CardId);

impl<S: Send + Sync> FromRequestParts<S> for InChat {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Path(chat) =
            Path::<String>::from_request_parts(parts, state).await.map_err(|e| bad_address(&e))?;
        Ok(Self(ChatId::parse(&chat)?))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for OfCard {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Path((chat, card)) = Path::<(String, String)>::from_request_parts(parts, state)
            .await
            .map_err(|e| bad_address(&e))?;
        let id = CardId::parse(&card).ok_or_else(|| Problem::unknown_card(&card))?;
        Ok(Self(ChatId::parse(&chat)?, id))
    }
}

fn bad_address(error: &axum::extract::rejection::PathRejection) -> Problem {
    Problem::new(StatusCode::BAD_REQUEST, "bad_request", error.body_text())
}

pub(crate) async fn list<S: Store>(
    State(server): State<Arc<Server<S>>>,
    InChat(chat): InChat,
) -> Result<Json<Value>, Problem> {
    let listing = server.cards(&chat).await?;
    let cards: Vec<CardJson<'_>> = listing.cards.iter().map(CardJson::from).collect();
    let settings = view::settings(server.settings().now());
    Ok(Json(json!({ "cards": cards, "after": listing.after, "settings": settings })))
}

pub(crate) async fn close<S: Store>(
    State(server): State<Arc<Server<S>>>,
    OfCard(chat, card): OfCard,
) -> Result<Json<Value>, Problem> {
    server.handle(&chat, Input::PersonCloses(card)).await?;
    let view =
        server.card(&chat, card).await?.ok_or_else(|| Problem::unknown_card(&card.to_string()))?;
    Ok(Json(json!(CardJson::from(&view))))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Size {
    width: f64,
    height: f64,
}

pub(crate) async fn height<S: Store>(
    State(server): State<Arc<Server<S>>>,
    OfCard(chat, card): OfCard,
    body: Body,
) -> Result<Json<Value>, Problem> {
    let Size { width, height } = body::json(body, SMALL).await?;
    let (Some(width), Some(height)) = (pixels(width), pixels(height)) else {
        let detail = "width and height are CSS pixels, from 0 to 1000000";
        return Err(Problem::new(StatusCode::BAD_REQUEST, "bad_request", detail));
    };
    server.handle(&chat, Input::Height { card, width, height }).await?;
    Ok(Json(json!({})))
}

/// Whole pixels, rounded up: a fraction less would show a scroll bar.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "checked to be in range"
)]
fn pixels(given: f64) -> Option<u32> {
    (0.0..=1_000_000.0).contains(&given).then(|| given.ceil() as u32)
}

pub(crate) async fn activity<S: Store>(
    State(server): State<Arc<Server<S>>>,
    OfCard(chat, card): OfCard,
) -> Result<Json<Value>, Problem> {
    server.handle(&chat, Input::Activity(card)).await?;
    Ok(Json(json!({})))
}
