//! The portal's HTTP: its page, its API, and the way to the extension's routes.

mod api;
mod assets;
mod extensions;
mod guard;
mod input;
mod model;
mod packages;
mod problem;
mod proxy;
mod sign_in;
mod stream;

pub(crate) use sign_in::SignIn;

use crate::chat::Hub;
use crate::model::Models;
use crate::packages::Packages;
use crate::site::Site;
use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{any, delete, get, post, put};
use problem::Problem;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;
use tower_http::catch_panic::CatchPanicLayer;

/// What every route has.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) hub: Hub,
    pub(crate) models: Models,
    pub(crate) packages: Packages,
    pub(crate) site: Site,
    pub(crate) sign_in: SignIn,
    /// Ends every stream.
    pub(crate) stopping: CancellationToken,
}

pub(crate) fn router(app: Arc<App>) -> Router {
    let api = Router::new()
        .route("/me", get(sign_in::me))
        .route("/sign-in", post(sign_in::sign_in))
        .route("/sign-out", post(sign_in::sign_out))
        .route("/chats", get(api::list).post(api::create))
        .route("/chats/{chat}", get(api::read).patch(api::rename).delete(api::delete))
        .route("/chats/{chat}/stream", get(stream::stream))
        .route("/chats/{chat}/messages", post(api::say))
        .route("/chats/{chat}/stop", post(api::stop))
        .route("/chats/{chat}/fork", post(api::fork))
        .route("/model", get(model::read).put(model::choose))
        .route("/extensions", get(extensions::list))
        .route("/extensions/{name}/settings", put(extensions::change_settings))
        .route("/extensions/{name}/lazy", put(extensions::set_lazy))
        .route("/packages", post(packages::install))
        .route("/packages/search", get(packages::search))
        .route("/packages/updates", get(packages::updates))
        .route("/packages/{name}", delete(packages::remove))
        .route("/packages/{name}/enable", post(packages::enable))
        .route("/packages/{name}/disable", post(packages::disable))
        .route("/packages/{name}/update", post(packages::update))
        .route("/packages/{name}/roll-back", post(packages::roll_back));
    Router::new()
        .nest("/api", api)
        .route("/ext/{*rest}", any(proxy::forward))
        .route("/", get(assets::page))
        .route("/chats/{chat}", get(assets::page))
        .route("/settings", get(assets::page))
        .route("/assets/{file}", get(assets::asset))
        .fallback(async || Problem::not_found())
        .method_not_allowed_fallback(async || {
            let detail = "This address does not take that method.";
            Problem::new(axum::http::StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", detail)
        })
        .layer(from_fn_with_state(Arc::clone(&app), guard::guard))
        .layer(CatchPanicLayer::new())
        .with_state(app)
}

#[cfg(test)]
mod tests;
