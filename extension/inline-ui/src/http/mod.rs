//! The routes, one file a family. The middleware stack is here and nowhere else.

mod body;
mod cards;
mod errors;
mod events;
mod frames;
mod guard;
mod loads;
mod ops;
mod page;
mod problem;
mod stream;
mod view;

pub(crate) use frames::FrameKeys;
pub(crate) use ops::install_metrics;

use crate::server::Server;
use axum::Router;
use axum::http::{HeaderValue, StatusCode, header};
use axum::middleware;
use axum::routing::{get, post};
use inline_ui_store::Store;
use problem::Problem;
use std::sync::Arc;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::trace::{DefaultMakeSpan, DefaultOnResponse, TraceLayer};
use tracing::Level;

/// Every route of the server half, at its root.
pub(crate) fn router<S: Store>(server: Arc<Server<S>>) -> Router {
    let guarded = Router::new()
        .route("/page/{file}", get(page::file))
        .route("/chats/{chat}/cards", get(cards::list::<S>))
        .route("/chats/{chat}/stream", get(stream::stream::<S>))
        .route("/chats/{chat}/cards/{card}/loads", post(loads::load::<S>))
        .route("/chats/{chat}/cards/{card}/events", post(events::event::<S>))
        .route("/chats/{chat}/cards/{card}/errors", post(errors::errors::<S>))
        .route("/chats/{chat}/cards/{card}/close", post(cards::close::<S>))
        .route("/chats/{chat}/cards/{card}/height", post(cards::height::<S>))
        .route("/chats/{chat}/cards/{card}/activity", post(cards::activity::<S>))
        .route("/healthz", get(ops::healthz))
        .route("/metrics", get(ops::metrics))
        .method_not_allowed_fallback(async || {
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "another method")
        })
        .fallback(async || {
            Problem::new(StatusCode::NOT_FOUND, "not_found", "there is no such route")
        })
        // Layers that are added together share one box a request.
        .layer((
            TraceLayer::new_for_http()
                .make_span_with(DefaultMakeSpan::new().level(Level::DEBUG))
                .on_response(DefaultOnResponse::new().level(Level::DEBUG)),
            middleware::from_fn_with_state(server.clone(), guard::portal_only::<S>),
        ));
    let nosniff = HeaderValue::from_static("nosniff");
    Router::new()
        // A frame's address is a secret of its own: it stands in no span and asks for no token.
        .route("/frames/{key}", get(frames::frame::<S>))
        .merge(guarded)
        .layer((
            CatchPanicLayer::custom(|_| {
                axum::response::IntoResponse::into_response(Problem::internal())
            }),
            SetResponseHeaderLayer::if_not_present(header::X_CONTENT_TYPE_OPTIONS, nosniff),
        ))
        .with_state(server)
}
