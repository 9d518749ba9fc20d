use super::App;
use super::input::{Json, Named};
use super::problem::Problem;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// A person's message, in bytes of UTF-8.
const LONGEST_TEXT: usize = 262_144;
const LONGEST_TITLE: usize = 200;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Text {
    text: String,
}

impl Text {
    fn checked(self) -> Result<String, Problem> {
        if self.text.len() > LONGEST_TEXT {
            return Err(Problem::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "text_too_large",
                format!(
                    "A message may have {LONGEST_TEXT} bytes; this one has {}.",
                    self.text.len()
                ),
            ));
        }
        if self.text.trim().is_empty() {
            return Err(Problem::new(StatusCode::BAD_REQUEST, "no_text", "The message is empty."));
        }
        Ok(self.text)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Title {
    title: String,
}

pub(super) async fn list(State(app): State<Arc<App>>) -> Result<Response, Problem> {
    let chats = app.hub.store().chats().await?;
    let chats: Vec<_> = chats
        .into_iter()
        .map(|chat| {
            let agent = app.hub.hosts().agent_of(&chat.id);
            json!({ "id": chat.id, "title": chat.title, "at": chat.at, "agent": agent })
        })
        .collect();
    Ok(axum::Json(json!({ "chats": chats })).into_response())
}

/// A page may name the chat that it begins, so that it looks at it before the first message is sent.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewChat {
    #[serde(default)]
    id: Option<String>,
    text: String,
}

pub(super) async fn create(
    State(app): State<Arc<App>>,
    Json(NewChat { id, text }): Json<NewChat>,
) -> Result<Response, Problem> {
    let plain = |id: &String| {
        (16..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    if id.as_ref().is_some_and(|id| !plain(id)) {
        let detail = "A chat's id is 16 to 64 letters, digits and hyphens.";
        return Err(Problem::new(StatusCode::BAD_REQUEST, "bad_id", detail));
    }
    let text = Text { text }.checked()?;
    let id = match id {
        None => app.hub.create(text).await?,
        Some(id) => app.hub.create_as(id, text).await?,
    };
    Ok((StatusCode::CREATED, axum::Json(json!({ "id": id }))).into_response())
}

pub(super) async fn read(
    State(app): State<Arc<App>>,
    Named(chat): Named,
) -> Result<Response, Problem> {
    #[derive(serde::Serialize)]
    struct Chat<'a> {
        id: &'a str,
        title: &'a str,
        agent: portal_link::AgentState,
        items: Vec<&'a crate::chat::Item>,
        after: &'a str,
    }
    let snapshot = app.hub.snapshot(&chat).await?;
    let body = Chat {
        id: &chat,
        title: &snapshot.title,
        agent: snapshot.agent,
        items: snapshot.items.iter().map(Arc::as_ref).collect(),
        after: &snapshot.after,
    };
    Ok(axum::Json(body).into_response())
}

pub(super) async fn say(
    State(app): State<Arc<App>>,
    Named(chat): Named,
    Json(text): Json<Text>,
) -> Result<Response, Problem> {
    #[derive(serde::Serialize)]
    struct Said<'a> {
        item: &'a crate::chat::Item,
        queued: bool,
    }
    let said = app.hub.say(&chat, &text.checked()?).await?;
    let body = Said { item: &said.item, queued: said.queued };
    Ok((StatusCode::ACCEPTED, axum::Json(body)).into_response())
}

pub(super) async fn stop(
    State(app): State<Arc<App>>,
    Named(chat): Named,
) -> Result<StatusCode, Problem> {
    app.hub.stop(&chat).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn fork(
    State(app): State<Arc<App>>,
    Named(chat): Named,
) -> Result<Response, Problem> {
    let id = app.hub.fork(&chat).await?;
    Ok((StatusCode::CREATED, axum::Json(json!({ "id": id }))).into_response())
}

pub(super) async fn rename(
    State(app): State<Arc<App>>,
    Named(chat): Named,
    Json(Title { title }): Json<Title>,
) -> Result<Response, Problem> {
    let title = title.trim();
    if title.is_empty() || title.chars().count() > LONGEST_TITLE {
        let detail = format!("A title has 1 to {LONGEST_TITLE} characters.");
        return Err(Problem::new(StatusCode::BAD_REQUEST, "bad_title", detail));
    }
    app.hub.rename(&chat, title).await?;
    Ok(axum::Json(json!({ "title": title })).into_response())
}

pub(super) async fn delete(
    State(app): State<Arc<App>>,
    Named(chat): Named,
) -> Result<StatusCode, Problem> {
    app.hub.delete(&chat).await?;
    Ok(StatusCode::NO_CONTENT)
}
