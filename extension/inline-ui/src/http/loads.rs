use super::body::{self, SMALL};
use super::cards::OfCard;
use super::frames::Ticket;
use super::problem::Problem;
use super::view::CardJson;
use crate::server::Server;
use axum::Json;
use axum::body::Body;
use axum::extract::State;
use inline_ui_core::document::{Mode, Theme};
use inline_ui_core::{CardId, ChatId, LoadCheck};
use inline_ui_store::Store;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LoadBody {
    #[serde(default)]
    theme: Option<Theme>,
}

pub(crate) async fn load<S: Store>(
    State(server): State<Arc<Server<S>>>,
    OfCard(chat, card): OfCard,
    body: Body,
) -> Result<Json<Value>, Problem> {
    let LoadBody { theme } = body::json(body, SMALL).await?;
    let unknown = || Problem::unknown_card(&card.to_string());
    let view = server.card(&chat, card).await?.ok_or_else(unknown)?;
    let post = server.document(&chat, card).await?.ok_or_else(unknown)?.post;
    let load =
        LoadName { boot: server.boot, chat: name_of(&chat), card, revision: view.record.revision }
            .to_string();
    let nonce = format!("{:032x}", rand::random::<u128>());
    let ticket = Ticket {
        chat,
        card,
        revision: view.record.revision,
        nonce: nonce.clone(),
        theme: theme.unwrap_or_else(|| Theme::of(Mode::Light)),
    };
    let key = server.frames.issue(ticket);
    let site = server.site();
    let frame = format!(
        "{}{}/frames/{key}",
        site.frame_origin.as_deref().unwrap_or_default(),
        site.base_path
    );
    let mut answer =
        json!({ "load": load, "frame": frame, "nonce": nonce, "card": CardJson::from(&view) });
    if let Some(post) = post.and_then(|post| RawValue::from_string(post).ok()) {
        answer["post"] = json!({ "n": view.record.posts, "data": post });
    }
    Ok(Json(answer))
}

/// The name of a load: which process made it, and which document it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LoadName {
    boot: u64,
    chat: u32,
    card: CardId,
    revision: u32,
}

impl std::fmt::Display for LoadName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { boot, chat, card, revision } = self;
        write!(f, "{boot:016x}.{chat:08x}.{card}.{revision}.{:08x}", rand::random::<u32>())
    }
}

impl LoadName {
    /// What a load's name says of the card it came with.
    pub(crate) fn check(text: &str, chat: &ChatId, card: CardId, boot: u64) -> LoadCheck {
        match Self::parse(text) {
            Some(load) if load.chat != name_of(chat) || load.card != card => LoadCheck::Foreign,
            Some(load) if load.boot == boot => LoadCheck::Revision(load.revision),
            Some(_) => LoadCheck::Earlier,
            None => LoadCheck::Foreign,
        }
    }

    fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let load = Self {
            boot: u64::from_str_radix(parts.next()?, 16).ok()?,
            chat: u32::from_str_radix(parts.next()?, 16).ok()?,
            card: CardId::parse(parts.next()?)?,
            revision: parts.next()?.parse().ok()?,
        };
        let _random = u32::from_str_radix(parts.next()?, 16).ok()?;
        parts.next().is_none().then_some(load)
    }
}

/// A short name of a chat, the same in every process.
fn name_of(chat: &ChatId) -> u32 {
    let mut hasher = DefaultHasher::new();
    chat.as_str().hash(&mut hasher);
    let [_, _, _, _, a, b, c, d] = hasher.finish().to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_load_is_of_one_card_of_one_chat_and_of_one_document() {
        let (chat, other) = (ChatId::parse("a").unwrap(), ChatId::parse("b").unwrap());
        let name =
            LoadName { boot: 7, chat: name_of(&chat), card: CardId(2), revision: 3 }.to_string();
        assert_eq!(LoadName::check(&name, &chat, CardId(2), 7), LoadCheck::Revision(3));
        assert_eq!(LoadName::check(&name, &chat, CardId(2), 8), LoadCheck::Earlier);
        assert_eq!(LoadName::check(&name, &chat, CardId(1), 7), LoadCheck::Foreign);
        assert_eq!(LoadName::check(&name, &other, CardId(2), 7), LoadCheck::Foreign);
        assert_eq!(LoadName::check("load-1", &chat, CardId(2), 7), LoadCheck::Foreign);
        assert_eq!(LoadName::check("", &chat, CardId(2), 7), LoadCheck::Foreign);
    }
}
