use super::{Store, StoreError};
use rusqlite::{Connection, OptionalExtension, params};
use serde::Serialize;

/// A notification that an extension must have although it is away, or dies before it reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owed {
    pub(crate) n: i64,
    pub(crate) extension: String,
    pub(crate) method: String,
    pub(crate) params: String,
}

impl Owed {
    /// The chat that it changes.
    pub(crate) fn chat(&self) -> Option<String> {
        #[derive(serde::Deserialize)]
        struct About {
            #[serde(alias = "to")]
            chat: String,
        }
        serde_json::from_str::<About>(&self.params).ok().map(|about| about.chat)
    }
}

/// Written with what it tells of.
pub(super) fn owe(
    connection: &Connection,
    extensions: &[String],
    method: &str,
    params: &impl Serialize,
) -> rusqlite::Result<Vec<Owed>> {
    let params = serde_json::to_string(params)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    let sql = "INSERT INTO owed (extension, method, params) VALUES (?1, ?2, ?3)";
    let mut insert = connection.prepare_cached(sql)?;
    let owe = |extension: &String| {
        insert.execute(params![extension, method, params])?;
        let n = connection.last_insert_rowid();
        let (extension, method) = (extension.clone(), method.to_owned());
        Ok(Owed { n, extension, method, params: params.clone() })
    };
    extensions.iter().map(owe).collect()
}

impl Store {
    /// Every (chat, id) that is in a transcript and that the extension may not know of.
    pub(crate) async fn acks(
        &self,
        extension: String,
    ) -> Result<Vec<(String, String)>, StoreError> {
        self.run(move |c| {
            let sql = "SELECT chat, id FROM acks WHERE extension = ?1 ORDER BY chat, id";
            c.prepare_cached(sql)?
                .query_map([extension], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
        .await
    }

    pub(crate) async fn confirm_acks(
        &self,
        extension: String,
        chat: String,
        ids: Vec<String>,
    ) -> Result<(), StoreError> {
        self.run(move |c| {
            let sql = "DELETE FROM acks WHERE chat = ?1 AND extension = ?2 AND id = ?3";
            let mut delete = c.prepare_cached(sql)?;
            for id in ids {
                delete.execute(params![chat, extension, id])?;
            }
            Ok(())
        })
        .await
    }

    pub(crate) async fn owed(&self, extension: String) -> Result<Vec<Owed>, StoreError> {
        self.run(move |c| {
            let sql = "SELECT n, method, params FROM owed WHERE extension = ?1 ORDER BY n";
            c.prepare_cached(sql)?
                .query_map([&extension], |row| {
                    let (n, method, params) = (row.get(0)?, row.get(1)?, row.get(2)?);
                    Ok(Owed { n, extension: extension.clone(), method, params })
                })?
                .collect()
        })
        .await
    }

    pub(crate) async fn forget_owed(&self, n: i64) -> Result<(), StoreError> {
        self.run(move |c| c.execute("DELETE FROM owed WHERE n = ?1", [n]).map(|_| ())).await
    }

    /// What an admin set for an extension, as JSON text.
    pub(crate) async fn settings(&self, extension: String) -> Result<Option<String>, StoreError> {
        self.run(move |c| {
            c.prepare_cached("SELECT body FROM settings WHERE extension = ?1")?
                .query_row([extension], |row| row.get(0))
                .optional()
        })
        .await
    }

    /// Reads, changes and writes in one go, so that two changes at once do not undo each other.
    pub(crate) async fn change_settings<T, E>(
        &self,
        extension: String,
        change: impl FnOnce(Option<String>) -> Result<(String, T), E> + Send + 'static,
    ) -> Result<Result<T, E>, StoreError>
    where
        T: Send + 'static,
        E: Send + 'static,
    {
        self.run(move |c| {
            let set = c
                .prepare_cached("SELECT body FROM settings WHERE extension = ?1")?
                .query_row([&extension], |row| row.get(0))
                .optional()?;
            let (body, value) = match change(set) {
                Ok(changed) => changed,
                Err(error) => return Ok(Err(error)),
            };
            c.prepare_cached(
                "INSERT INTO settings (extension, body) VALUES (?1, ?2)
                 ON CONFLICT (extension) DO UPDATE SET body = excluded.body",
            )?
            .execute(params![extension, body])?;
            Ok(Ok(value))
        })
        .await
    }

    /// The sessions made at `since` (milliseconds) or later; older ones are deleted.
    pub(crate) async fn sessions(&self, since: i64) -> Result<Vec<(String, i64)>, StoreError> {
        self.run(move |c| {
            c.execute("DELETE FROM sessions WHERE at < ?1", [since])?;
            c.prepare_cached("SELECT id, at FROM sessions")?
                .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
                .collect()
        })
        .await
    }

    pub(crate) async fn add_session(&self, id: String, at: i64) -> Result<(), StoreError> {
        self.run(move |c| {
            c.execute("INSERT INTO sessions (id, at) VALUES (?1, ?2)", params![id, at]).map(|_| ())
        })
        .await
    }

    pub(crate) async fn end_all_sessions(&self) -> Result<(), StoreError> {
        self.run(|c| c.execute("DELETE FROM sessions", []).map(|_| ())).await
    }

    pub(crate) async fn end_session(&self, id: String) -> Result<(), StoreError> {
        self.run(move |c| c.execute("DELETE FROM sessions WHERE id = ?1", [id]).map(|_| ())).await
    }
}
