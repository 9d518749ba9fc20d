use super::StoreError;
use rusqlite::Connection;
use std::path::Path;
use std::time::Duration;

/// Step `n` brings a database from version `n` to `n + 1`. A step that has been released never changes.
const MIGRATIONS: &[&str] = &[FIRST, SECOND];

pub(super) const FIRST: &str = "
    CREATE TABLE chats (
        id TEXT PRIMARY KEY,
        title TEXT NOT NULL,
        at INTEGER NOT NULL,
        working INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    -- A queued message has no position yet: it stands after everything that has one.
    CREATE TABLE items (
        chat TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
        id INTEGER NOT NULL,
        position INTEGER,
        at INTEGER NOT NULL,
        kind TEXT NOT NULL,
        body TEXT NOT NULL,
        PRIMARY KEY (chat, id)
    ) STRICT;
    -- What the transcript has and the extension may not know of yet.
    CREATE TABLE acks (
        chat TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
        id TEXT NOT NULL,
        PRIMARY KEY (chat, id)
    ) STRICT;
    CREATE TABLE owed (n INTEGER PRIMARY KEY, method TEXT NOT NULL, params TEXT NOT NULL) STRICT;
    CREATE TABLE settings (extension TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
    CREATE TABLE sessions (id TEXT PRIMARY KEY, at INTEGER NOT NULL) STRICT;
";

const SECOND: &str = "
    -- Until here there was one extension; it is named when the portal starts.
    ALTER TABLE owed ADD COLUMN extension TEXT NOT NULL DEFAULT '';
    CREATE TABLE acks_of (
        chat TEXT NOT NULL REFERENCES chats (id) ON DELETE CASCADE,
        extension TEXT NOT NULL,
        id TEXT NOT NULL,
        PRIMARY KEY (chat, extension, id)
    ) STRICT;
    INSERT INTO acks_of (chat, extension, id) SELECT chat, '', id FROM acks;
    DROP TABLE acks;
    ALTER TABLE acks_of RENAME TO acks;
    CREATE TABLE packages (
        name TEXT PRIMARY KEY,
        -- As it was asked for: npm:NAME, npm:NAME@RANGE or path:/FOLDER.
        source TEXT NOT NULL,
        -- Those of a folder are in it.
        version TEXT,
        previous TEXT,
        enabled INTEGER NOT NULL DEFAULT 0,
        -- What was agreed to when it was enabled; a change of it is shown first.
        agreed TEXT,
        -- It is being removed; 2 with its data.
        leaving INTEGER NOT NULL DEFAULT 0
    ) STRICT;
";

#[expect(clippy::cast_possible_truncation, reason = "a few")]
const KNOWN: u32 = MIGRATIONS.len() as u32;

pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_millis(500))?;
    // The lock is held as long as the portal runs: two of them on one folder would each think that
    // it owns the chats.
    connection.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    migrate(&connection)?;
    Ok(connection)
}

fn migrate(connection: &Connection) -> Result<(), StoreError> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let version = version as usize;
    if version > KNOWN as usize {
        return Err(StoreError::Newer { found: version, known: KNOWN as usize });
    }
    connection.execute_batch("BEGIN EXCLUSIVE")?;
    for step in &MIGRATIONS[version..] {
        connection.execute_batch(step)?;
    }
    connection.pragma_update(None, "user_version", KNOWN)?;
    connection.execute_batch("COMMIT")?;
    Ok(())
}
