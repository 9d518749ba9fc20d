//! Where a chat's cards, posts and outbox are kept.
//!
//! A [`Store`] takes the [`Write`]s of one input as one unit: when [`Store::commit`] answers, all of
//! them survive a kill. [`SqliteStore`] is what runs; [`MemoryStore`] is its twin for tests, and both
//! pass the same tests.

mod memory;
mod sqlite;

pub use memory::MemoryStore;
pub use sqlite::SqliteStore;

use inline_ui_core::{CardId, ChatId, Snapshot, Write};
use std::sync::Arc;

/// Why the store did not do it. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The disk is full.
    #[error("the disk that holds the data folder is full")]
    Full,
    /// The folder or the file may not be written.
    #[error("the data folder cannot be written: {0}")]
    ReadOnly(String),
    /// The file is no database, or a damaged one.
    #[error(
        "the database {path} is damaged ({why}); move it away to start afresh, or restore a backup"
    )]
    Damaged {
        /// The file.
        path: String,
        /// What `SQLite` says.
        why: String,
    },
    /// A newer program made the file.
    #[error(
        "the database {path} has schema {found}, and this program knows up to {known}; run the newer program that made it"
    )]
    Newer {
        /// The file.
        path: String,
        /// Its schema version.
        found: u32,
        /// The newest this program knows.
        known: u32,
    },
    /// Anything else.
    #[error("the database failed: {0}")]
    Other(String),
}

/// A card's document and latest post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Document {
    /// The author's HTML as it came.
    pub html: String,
    /// The latest post as JSON, if there was one.
    pub post: Option<String>,
}

/// Keeps chats.
pub trait Store: Send + Sync + 'static {
    /// Makes all of it last, or none.
    fn commit(
        &self,
        chat: ChatId,
        writes: Vec<Write>,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;

    /// Everything kept of a chat but its documents; an empty snapshot for one nobody heard of.
    fn load(&self, chat: ChatId) -> impl Future<Output = Result<Snapshot, StoreError>> + Send;

    /// A card's document.
    fn document(
        &self,
        chat: ChatId,
        card: CardId,
    ) -> impl Future<Output = Result<Option<Document>, StoreError>> + Send;

    /// The chats that have something in the outbox that may start a turn.
    fn waking(&self) -> impl Future<Output = Result<Vec<ChatId>, StoreError>> + Send;
}

impl<S: Store> Store for Arc<S> {
    async fn commit(&self, chat: ChatId, writes: Vec<Write>) -> Result<(), StoreError> {
        S::commit(self, chat, writes).await
    }

    async fn load(&self, chat: ChatId) -> Result<Snapshot, StoreError> {
        S::load(self, chat).await
    }

    async fn document(&self, chat: ChatId, card: CardId) -> Result<Option<Document>, StoreError> {
        S::document(self, chat, card).await
    }

    async fn waking(&self) -> Result<Vec<ChatId>, StoreError> {
        S::waking(self).await
    }
}

#[cfg(test)]
mod tests;
