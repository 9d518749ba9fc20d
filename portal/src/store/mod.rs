//! One database file, on one thread. Work that waits at the same time shares one transaction, and nobody hears
//! of success before it is committed.

mod chats;
mod packages;
mod rest;
mod schema;

pub(crate) use chats::{Ack, Change, ChatEntry, Loaded, Row};
pub(crate) use packages::{Leaving, PackageRow};
pub(crate) use rest::Owed;

use rusqlite::Connection;
use std::path::Path;
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use tokio::sync::oneshot;

const LARGEST_BATCH: usize = 64;

#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("it has version {found} and this program knows up to {known}: use a newer program")]
    Newer { found: usize, known: usize },
    #[error("another portal is using it")]
    Busy,
    #[error("{0}")]
    Failed(String),
    #[error("it is closed")]
    Closed,
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                Self::Busy
            }
            _ => Self::Failed(error.to_string()),
        }
    }
}

type Settle = Box<dyn FnOnce(Result<(), StoreError>)>;
type Job = Box<dyn FnOnce(Result<&Connection, StoreError>) -> Settle + Send>;

#[derive(Debug)]
pub(crate) struct Store {
    jobs: Mutex<Option<mpsc::Sender<Job>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Store {
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        let connection = schema::open(path)?;
        let (jobs, work) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("portal-store".to_owned())
            .spawn(move || write(&connection, &work))
            .map_err(|e| StoreError::Failed(e.to_string()))?;
        Ok(Self { jobs: Mutex::new(Some(jobs)), thread: Mutex::new(Some(thread)) })
    }

    /// Finishes what is queued and closes the file.
    pub(crate) async fn close(&self) {
        drop(self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take());
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let joined = tokio::task::spawn_blocking(move || thread.join()).await;
            tracing::debug!(clean = joined.is_ok(), "database closed");
        }
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (done, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let result = connection.and_then(|c| in_savepoint(c, work));
            Box::new(move |committed| {
                let _ = done.send(committed.and(result));
            })
        });
        let jobs = self.jobs.lock().unwrap_or_else(PoisonError::into_inner).clone();
        jobs.ok_or(StoreError::Closed)?.send(job).map_err(|_| StoreError::Closed)?;
        // A paused clock of a test must not run on while the thread works.
        #[cfg(test)]
        let answer = async {
            match tokio::task::spawn_blocking(move || answer.blocking_recv()).await {
                Ok(answer) => answer.ok(),
                Err(_) => None,
            }
            .ok_or(StoreError::Closed)
        };
        #[cfg(not(test))]
        let answer = async { answer.await.map_err(|_| StoreError::Closed) };
        answer.await?
    }
}

fn write(connection: &Connection, work: &mpsc::Receiver<Job>) {
    while let Ok(first) = work.recv() {
        let begun = connection.execute_batch("BEGIN IMMEDIATE").map_err(StoreError::from);
        let mut settles = Vec::new();
        let mut next = Some(first);
        while let Some(job) = next {
            settles.push(job(begun.clone().map(|()| connection)));
            next = if settles.len() < LARGEST_BATCH { work.try_recv().ok() } else { None };
        }
        let committed =
            begun.and_then(|()| connection.execute_batch("COMMIT").map_err(StoreError::from));
        if let Err(error) = &committed {
            tracing::error!(%error, "database write failed");
            if !connection.is_autocommit() {
                let _ = connection.execute_batch("ROLLBACK");
            }
        }
        for settle in settles {
            settle(committed.clone());
        }
    }
}

/// One job that fails takes back its own writes and leaves the batch standing.
fn in_savepoint<T>(
    connection: &Connection,
    work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> Result<T, StoreError> {
    connection.execute_batch("SAVEPOINT job")?;
    let result = work(connection);
    let end = if result.is_ok() { "RELEASE job" } else { "ROLLBACK TO job; RELEASE job" };
    connection.execute_batch(end)?;
    Ok(result?)
}

#[cfg(test)]
mod tests;
