use super::App;
use super::input::Named;
use super::problem::Problem;
use crate::chat::PageEvent;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt, stream};
use serde::Deserialize;
use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;
use tokio_stream::wrappers::BroadcastStream;

/// A silent stream says something this often, so that nothing between takes it for dead.
const COMMENT_EVERY: Duration = Duration::from_secs(15);

#[derive(Debug, Deserialize)]
pub(super) struct From {
    after: Option<String>,
}

/// Everything that happens in a chat, from `after` on.
pub(super) async fn stream(
    State(app): State<Arc<App>>,
    Named(chat): Named,
    from: Result<Query<From>, QueryRejection>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let Query(from) = from.map_err(|error| {
        Problem::new(StatusCode::BAD_REQUEST, "bad_request", format!("{error}."))
    })?;
    let last = headers.get("last-event-id").and_then(|it| it.to_str().ok()).map(str::to_owned);
    let after = last.or(from.after).filter(|after| !after.is_empty());
    let subscription = app.hub.subscribe(&chat, after.as_deref()).await?;
    let missed = stream::iter(subscription.missed).map(Some);
    // A page that fell behind reads the chat again.
    let live = BroadcastStream::new(subscription.live).map(Result::ok);
    let events = missed.chain(live).scan(false, |over, event| {
        if *over {
            return ready(None);
        }
        *over = event.as_ref().is_none_or(|event| event.name == "deleted");
        ready(Some(event))
    });
    let first = stream::once(ready(Event::default().comment("open")));
    let events = first
        .chain(events.map(|event| written(event.as_deref())))
        .map(Ok::<_, Infallible>)
        .take_until(app.stopping.clone().cancelled_owned());
    let keep = KeepAlive::new().interval(COMMENT_EVERY);
    let mut response = Sse::new(events).keep_alive(keep).into_response();
    // Proxies that gather what they pass on are told not to.
    response.headers_mut().insert("x-accel-buffering", axum::http::HeaderValue::from_static("no"));
    Ok(response)
}

fn written(event: Option<&PageEvent>) -> Event {
    let Some(event) = event else {
        return Event::default().event("resync").data("{}");
    };
    let written = Event::default().event(event.name).data(&event.data);
    match &event.id {
        Some(id) => written.id(id),
        None => written,
    }
}
