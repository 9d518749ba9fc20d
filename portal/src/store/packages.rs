use super::{Store, StoreError};
use rusqlite::{OptionalExtension, Row, params};

/// An installed package as it lies in the database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackageRow {
    pub(crate) name: String,
    /// As it was asked for.
    pub(crate) source: String,
    /// None for a folder, whose manifest says it.
    pub(crate) version: Option<String>,
    /// The version before, to go back to.
    pub(crate) previous: Option<String>,
    pub(crate) enabled: bool,
    /// What it asked for when it was enabled.
    pub(crate) agreed: Option<String>,
    pub(crate) leaving: Leaving,
}

/// Whether it is being removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaving {
    No,
    KeepsData,
    WithData,
}

const COLUMNS: &str = "name, source, version, previous, enabled, agreed, leaving";

impl Store {
    pub(crate) async fn packages(&self) -> Result<Vec<PackageRow>, StoreError> {
        self.run(|c| {
            c.prepare_cached(&format!("SELECT {COLUMNS} FROM packages ORDER BY name"))?
                .query_map([], read)?
                .collect()
        })
        .await
    }

    pub(crate) async fn package(&self, name: String) -> Result<Option<PackageRow>, StoreError> {
        self.run(move |c| {
            c.prepare_cached(&format!("SELECT {COLUMNS} FROM packages WHERE name = ?1"))?
                .query_row([name], read)
                .optional()
        })
        .await
    }

    pub(crate) async fn put_package(&self, row: PackageRow) -> Result<(), StoreError> {
        self.run(move |c| {
            let leaving = match row.leaving {
                Leaving::No => 0,
                Leaving::KeepsData => 1,
                Leaving::WithData => 2,
            };
            c.prepare_cached(
                "INSERT OR REPLACE INTO packages
                 (name, source, version, previous, enabled, agreed, leaving)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                row.name,
                row.source,
                row.version,
                row.previous,
                row.enabled,
                row.agreed,
                leaving
            ])
            .map(|_| ())
        })
        .await
    }

    /// Forgets a package and, unless its data stays for the next one of that name, what is kept for it.
    pub(crate) async fn forget_package(&self, name: String, all: bool) -> Result<(), StoreError> {
        self.run(move |c| {
            c.execute("DELETE FROM packages WHERE name = ?1", [&name])?;
            if all {
                for table in ["acks", "owed", "settings"] {
                    c.execute(&format!("DELETE FROM {table} WHERE extension = ?1"), [&name])?;
                }
            }
            Ok(())
        })
        .await
    }

    /// Gives what is owed since before there were several extensions to the one there was.
    pub(crate) async fn name_first_extension(&self, name: String) -> Result<(), StoreError> {
        self.run(move |c| {
            c.execute("UPDATE owed SET extension = ?1 WHERE extension = ''", [&name])?;
            c.execute("UPDATE acks SET extension = ?1 WHERE extension = ''", [&name])?;
            Ok(())
        })
        .await
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<PackageRow> {
    Ok(PackageRow {
        name: row.get(0)?,
        source: row.get(1)?,
        version: row.get(2)?,
        previous: row.get(3)?,
        enabled: row.get(4)?,
        agreed: row.get(5)?,
        leaving: match row.get(6)? {
            0 => Leaving::No,
            1 => Leaving::KeepsData,
            _ => Leaving::WithData,
        },
    })
}
