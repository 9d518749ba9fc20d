use super::told;
use crate::StoreError;
use rusqlite::Connection;
use std::path::Path;

/// Each brings the schema one version up; the version is how many were run.
const MIGRATIONS: &[&str] = &[include_str!("v1.sql")];

/// Brings the database to the newest schema, each step in a transaction of its own.
pub(super) fn migrate(connection: &Connection, path: &Path) -> Result<(), StoreError> {
    let told = |error: rusqlite::Error| told(path, &error);
    let found: u32 =
        connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(told)?;
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    if found > known {
        return Err(StoreError::Newer { path: path.display().to_string(), found, known });
    }
    for (version, step) in (1_u32..).zip(MIGRATIONS).skip(found as usize) {
        let script = format!("BEGIN IMMEDIATE; {step} PRAGMA user_version = {version}; COMMIT;");
        connection.execute_batch(&script).map_err(told)?;
    }
    Ok(())
}
