use super::problem::Problem;
use crate::server::Server;
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use inline_ui_core::document::{
    Bridge, BridgeEvent, Theme, card_document, frame_headers, outer_document,
};
use inline_ui_core::limits::FRAME_KEY_FOR;
use inline_ui_core::{CardId, ChatId, Input};
use inline_ui_store::Store;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Addresses given out and not used yet, at most. Past that all are dropped: a page whose frame does
/// not load asks for another one.
const OPEN_KEYS: usize = 10_000;

/// What a frame's address stands for.
#[derive(Debug, Clone)]
pub(crate) struct Ticket {
    pub(crate) chat: ChatId,
    pub(crate) card: CardId,
    pub(crate) revision: u32,
    pub(crate) nonce: String,
    pub(crate) theme: Theme,
}

/// One-time addresses of frames.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrameKeys {
    // Held for one map operation, never across an await.
    tickets: Arc<Mutex<HashMap<u128, Ticket>>>,
}

impl FrameKeys {
    /// A new address, good once and for a minute.
    pub(crate) fn issue(&self, ticket: Ticket) -> String {
        let key: u128 = rand::random();
        let mut tickets = self.lock();
        if tickets.len() >= OPEN_KEYS {
            tickets.clear();
        }
        tickets.insert(key, ticket);
        drop(tickets);
        let keys = self.clone();
        tokio::spawn(async move {
            tokio::time::sleep(FRAME_KEY_FOR).await;
            keys.lock().remove(&key);
        });
        format!("{key:032x}")
    }

    fn spend(&self, key: &str) -> Option<Ticket> {
        let key = u128::from_str_radix(key, 16).ok().filter(|_| key.len() == 32)?;
        self.lock().remove(&key)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u128, Ticket>> {
        self.tickets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) async fn frame<S: Store>(
    State(server): State<Arc<Server<S>>>,
    Path(key): Path<String>,
) -> Result<Response, Problem> {
    let spent = || {
        Problem::new(
            StatusCode::NOT_FOUND,
            "unknown_frame",
            "this frame's address was used or is over",
        )
    };
    let Ticket { chat, card, revision, nonce, theme } =
        server.frames.spend(&key).ok_or_else(spent)?;
    let document = server.document(&chat, card).await?.ok_or_else(spent)?;
    // Read after the document: a card drawn afresh meanwhile has another revision.
    let view = server
        .card(&chat, card)
        .await?
        .filter(|view| view.record.revision == revision)
        .ok_or_else(spent)?;
    server.handle(&chat, Input::Seen(card)).await?;
    let settings = server.settings().now();
    let record = &view.record;
    let events = record
        .events
        .iter()
        .filter(|event| !event.spent)
        .map(|event| BridgeEvent {
            name: event.name.as_str(),
            action: event.debounce_ms.unwrap_or(settings.debounce_ms) == 0,
        })
        .collect();
    let bridge =
        Bridge { nonce: &nonce, card, title: &record.title, events, open: record.is_open() };
    let page = outer_document(&card_document(&document.html, &bridge, &theme), theme.mode());
    let mut response = page.into_response();
    for header in frame_headers(&server.site().origins) {
        if let Ok(value) = HeaderValue::from_str(&header.value) {
            response.headers_mut().insert(HeaderName::from_static(header.name), value);
        }
    }
    Ok(response)
}
