use super::cards::InChat;
use super::problem::Problem;
use super::view;
use crate::feed::{FeedEvent, Subscription};
use crate::server::Server;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::{Stream, StreamExt, stream};
use inline_ui_core::{ChatId, Settings};
use inline_ui_store::Store;
use serde::Deserialize;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast;
use tokio_stream::wrappers::errors::BroadcastStreamRecvError;
use tokio_stream::wrappers::{BroadcastStream, WatchStream};

/// A comment this often keeps proxies from ending a silent stream.
const COMMENT_EVERY: Duration = Duration::from_secs(15);

#[derive(Deserialize)]
pub(crate) struct After {
    after: Option<String>,
}

pub(crate) async fn stream<S: Store>(
    State(server): State<Arc<Server<S>>>,
    InChat(chat): InChat,
    Query(After { after }): Query<After>,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Problem> {
    // A browser that reconnects by itself says where it was; its address still has the older place.
    let last = headers.get("last-event-id").and_then(|id| id.to_str().ok()).map(str::to_owned);
    let after = last.or(after).filter(|id| !id.is_empty());
    let subscription = server.subscribe(&chat, after).await.ok_or_else(Problem::internal)?;
    let stop = server.stop.clone();
    let settings = server.settings().changes();
    let events = events(&chat, subscription, settings).take_until(stop.cancelled_owned()).map(Ok);
    let keep_alive = KeepAlive::new().interval(COMMENT_EVERY).text("");
    Ok(Sse::new(events).keep_alive(keep_alive))
}

fn events(
    chat: &ChatId,
    subscription: Subscription,
    settings: tokio::sync::watch::Receiver<Settings>,
) -> impl Stream<Item = Event> + use<> {
    tracing::debug!(%chat, "page looks");
    let Subscription { missed, live, at } = subscription;
    let first = stream::iter([Event::default().comment("")]);
    let missed = match missed {
        Some(events) => events.iter().map(|event| to_sse(event)).collect(),
        None => vec![resync(&at)],
    };
    let live = live_events(live);
    let settings = WatchStream::from_changes(settings).map(|settings| {
        Event::default().event("settings").data(view::settings(settings).to_string())
    });
    first.chain(stream::iter(missed)).chain(stream::select(live, settings))
}

fn live_events(live: broadcast::Receiver<Arc<FeedEvent>>) -> impl Stream<Item = Event> {
    BroadcastStream::new(live).map(|event| match event {
        Ok(event) => to_sse(&event),
        // It was too slow: it lists the cards again, and the stream goes on from here.
        Err(BroadcastStreamRecvError::Lagged(_)) => Event::default().event("resync").data("{}"),
    })
}

fn to_sse(event: &FeedEvent) -> Event {
    let (name, data) = view::stream_event(&event.event);
    Event::default().id(event.id()).event(name).data(data)
}

fn resync(at: &str) -> Event {
    Event::default().id(at).event("resync").data("{}")
}
