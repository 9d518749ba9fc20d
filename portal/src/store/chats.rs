use super::rest::{Owed, owe};
use super::{Store, StoreError};
use portal_link::{ChatDeleted, ChatForked, method};
use rusqlite::{Connection, OptionalExtension, params};

/// An item of a transcript as it lies in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) id: i64,
    /// Its place in the transcript; none keeps the place it has, or leaves a new one queued.
    pub(crate) position: Option<i64>,
    /// Milliseconds since 1970.
    pub(crate) at: i64,
    pub(crate) kind: String,
    pub(crate) body: String,
}

/// What changes in one chat, all or nothing.
#[derive(Debug, Clone, Default)]
pub(crate) struct Change {
    pub(crate) rows: Vec<Row>,
    pub(crate) ack: Option<Ack>,
    /// Whether a run is under way, so that a restart can tell that it was broken off.
    pub(crate) working: Option<bool>,
    pub(crate) title: Option<String>,
    /// When the person last said something, in milliseconds since 1970.
    pub(crate) at: Option<i64>,
}

/// An id to acknowledge to an extension: it is remembered until the extension surely has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ack {
    pub(crate) extension: String,
    pub(crate) id: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChatEntry {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) at: i64,
}

/// A chat as it lies in the database, its rows in their order.
#[derive(Debug, Clone)]
pub(crate) struct Loaded {
    pub(crate) title: String,
    pub(crate) working: bool,
    pub(crate) rows: Vec<Row>,
}

impl Store {
    /// Makes a chat with its first rows, or says that there is one of that id.
    pub(crate) async fn create_chat(
        &self,
        chat: ChatEntry,
        rows: Vec<Row>,
    ) -> Result<bool, StoreError> {
        self.run(move |c| create(c, &chat, &rows)).await
    }

    /// Makes a chat that is the copy of another, with what the extensions are to be told of it.
    pub(crate) async fn fork_chat(
        &self,
        from: String,
        chat: ChatEntry,
        rows: Vec<Row>,
        extensions: Vec<String>,
    ) -> Result<Vec<Owed>, StoreError> {
        self.run(move |c| {
            create(c, &chat, &rows)?;
            owe(c, &extensions, method::CHAT_FORKED, &ChatForked { from, to: chat.id })
        })
        .await
    }

    /// Newest first.
    pub(crate) async fn chats(&self) -> Result<Vec<ChatEntry>, StoreError> {
        self.run(|c| {
            c.prepare_cached("SELECT id, title, at FROM chats ORDER BY at DESC, id DESC")?
                .query_map([], |row| {
                    Ok(ChatEntry { id: row.get(0)?, title: row.get(1)?, at: row.get(2)? })
                })?
                .collect()
        })
        .await
    }

    pub(crate) async fn has_chat(&self, chat: String) -> Result<bool, StoreError> {
        self.run(move |c| c.prepare_cached("SELECT 1 FROM chats WHERE id = ?1")?.exists([chat]))
            .await
    }

    /// The chats that a restart has work in: a run that was broken off, or a message still queued.
    pub(crate) async fn unfinished_chats(&self) -> Result<Vec<String>, StoreError> {
        self.run(|c| {
            c.prepare_cached(
                "SELECT id FROM chats WHERE working = 1
                 UNION SELECT chat FROM items WHERE position IS NULL",
            )?
            .query_map([], |row| row.get(0))?
            .collect()
        })
        .await
    }

    pub(crate) async fn load_chat(&self, chat: String) -> Result<Option<Loaded>, StoreError> {
        self.run(move |c| {
            let head = c
                .prepare_cached("SELECT title, working FROM chats WHERE id = ?1")?
                .query_row([&chat], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let Some((title, working)) = head else {
                return Ok(None);
            };
            let rows = c
                .prepare_cached(
                    "SELECT id, position, at, kind, body FROM items WHERE chat = ?1
                     ORDER BY position IS NULL, position, id",
                )?
                .query_map([&chat], |row| {
                    Ok(Row {
                        id: row.get(0)?,
                        position: row.get(1)?,
                        at: row.get(2)?,
                        kind: row.get(3)?,
                        body: row.get(4)?,
                    })
                })?
                .collect::<rusqlite::Result<_>>()?;
            Ok(Some(Loaded { title, working, rows }))
        })
        .await
    }

    pub(crate) async fn save(&self, chat: String, change: Change) -> Result<(), StoreError> {
        self.run(move |c| {
            change.rows.iter().try_for_each(|row| put(c, &chat, row))?;
            if let Some(Ack { extension, id }) = change.ack {
                let sql = "INSERT OR IGNORE INTO acks (chat, extension, id) VALUES (?1, ?2, ?3)";
                c.prepare_cached(sql)?.execute(params![chat, extension, id])?;
            }
            c.prepare_cached(
                "UPDATE chats SET working = COALESCE(?2, working), title = COALESCE(?3, title),
                 at = COALESCE(?4, at) WHERE id = ?1",
            )?
            .execute(params![chat, change.working, change.title, change.at])?;
            Ok(())
        })
        .await
    }

    /// Deletes a chat, with what the extensions are to be told of it.
    pub(crate) async fn delete_chat(
        &self,
        chat: String,
        extensions: Vec<String>,
    ) -> Result<Vec<Owed>, StoreError> {
        self.run(move |c| {
            c.execute("DELETE FROM chats WHERE id = ?1", [&chat])?;
            owe(c, &extensions, method::CHAT_DELETED, &ChatDeleted { chat })
        })
        .await
    }
}

fn create(connection: &Connection, chat: &ChatEntry, rows: &[Row]) -> rusqlite::Result<bool> {
    let sql = "INSERT INTO chats (id, title, at) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    if connection.prepare_cached(sql)?.execute(params![chat.id, chat.title, chat.at])? == 0 {
        return Ok(false);
    }
    rows.iter().try_for_each(|row| put(connection, &chat.id, row))?;
    Ok(true)
}

fn put(connection: &Connection, chat: &str, row: &Row) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO items (chat, id, position, at, kind, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
             ON CONFLICT (chat, id) DO UPDATE SET
             position = COALESCE(excluded.position, position), body = excluded.body",
        )?
        .execute(params![chat, row.id, row.position, row.at, row.kind, row.body])?;
    Ok(())
}
