mod rows;
mod schema;

use crate::{Document, Store, StoreError};
use inline_ui_core::{CardId, ChatId, Snapshot, Write};
use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::sync::oneshot;

/// Writes of several chats that came while the disk was busy share a transaction, this many at most.
const GROUP: usize = 256;

/// Pages of the write-ahead log before it is carried into the database. That flushes twice more, while
/// everybody waits: seldom enough that fewer than one event in a hundred meets it.
const WAL_PAGES: i64 = 4_096;
/// What the log may keep of the disk once it was carried over, after one large transaction, too.
const WAL_BYTES: i64 = 16_777_216;
/// Pages of the database that are kept in memory, in kibibytes.
const CACHE_KIB: i64 = 8_192;

/// Keeps chats in `inline-ui.db` of a folder, by one writer thread.
///
/// Writes that queue up behind a transaction go together in the next one, so that many chats share
/// the cost of one flush to disk.
#[derive(Debug)]
pub struct SqliteStore {
    jobs: Option<mpsc::Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

type Answer<T> = oneshot::Sender<Result<T, StoreError>>;

enum Job {
    Commit(ChatId, Vec<Write>, Answer<()>),
    Load(ChatId, Answer<Snapshot>),
    Document(ChatId, CardId, Answer<Option<Document>>),
    Waking(Answer<Vec<ChatId>>),
}

impl SqliteStore {
    /// Opens or makes the database in that folder, which is made if it is missing, and migrates it.
    ///
    /// Blocks for as long as the disk takes.
    pub fn open(folder: &Path) -> Result<Self, StoreError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| StoreError::ReadOnly(format!("{}: {error}", folder.display())))?;
        let path = folder.join("inline-ui.db");
        let connection = connect(&path).map_err(|error| told(&path, &error))?;
        schema::migrate(&connection, &path)?;
        let (jobs, inbox) = mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || Writer { connection, path }.run(&inbox))
            .map_err(|error| StoreError::Other(error.to_string()))?;
        Ok(Self { jobs: Some(jobs), thread: Some(thread) })
    }

    async fn ask<T>(&self, job: impl FnOnce(Answer<T>) -> Job) -> Result<T, StoreError> {
        let gone = || StoreError::Other("its thread ended".to_owned());
        let (answer, answered) = oneshot::channel();
        self.jobs.as_ref().ok_or_else(gone)?.send(job(answer)).map_err(|_| gone())?;
        answered.await.map_err(|_| gone())?
    }
}

impl Drop for SqliteStore {
    /// Waits until what was sent is on disk.
    fn drop(&mut self) {
        drop(self.jobs.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::error!("the store's thread panicked");
        }
    }
}

impl Store for SqliteStore {
    async fn commit(&self, chat: ChatId, writes: Vec<Write>) -> Result<(), StoreError> {
        self.ask(|answer| Job::Commit(chat, writes, answer)).await
    }

    async fn load(&self, chat: ChatId) -> Result<Snapshot, StoreError> {
        self.ask(|answer| Job::Load(chat, answer)).await
    }

    async fn document(&self, chat: ChatId, card: CardId) -> Result<Option<Document>, StoreError> {
        self.ask(|answer| Job::Document(chat, card, answer)).await
    }

    async fn waking(&self) -> Result<Vec<ChatId>, StoreError> {
        self.ask(Job::Waking).await
    }
}

struct Writer {
    connection: Connection,
    path: PathBuf,
}

impl Writer {
    fn run(mut self, inbox: &mpsc::Receiver<Job>) {
        while let Ok(first) = inbox.recv() {
            let mut group = Vec::new();
            let mut next = Some(first);
            while let Some(job) = next.take() {
                if let Job::Commit(chat, writes, answer) = job {
                    group.push((chat, writes, answer));
                    next = if group.len() < GROUP { inbox.try_recv().ok() } else { None };
                } else {
                    // A read sees what was sent before it.
                    self.commit(std::mem::take(&mut group));
                    self.read(job);
                    next = inbox.try_recv().ok();
                }
            }
            self.commit(group);
        }
    }

    fn commit(&mut self, group: Vec<(ChatId, Vec<Write>, Answer<()>)>) {
        if group.is_empty() {
            return;
        }
        let together =
            self.transact(group.iter().map(|(chat, writes, _)| (chat, writes.as_slice())));
        if together.is_ok() || group.len() == 1 {
            for (_, _, answer) in group {
                let _ = answer.send(together.clone());
            }
            return;
        }
        // One chat's failure is not another's.
        for (chat, writes, answer) in group {
            let _ = answer.send(self.transact(std::iter::once((&chat, writes.as_slice()))));
        }
    }

    fn transact<'a>(
        &mut self,
        group: impl Iterator<Item = (&'a ChatId, &'a [Write])>,
    ) -> Result<(), StoreError> {
        let write = |connection: &mut Connection| {
            let transaction = Transaction::new(connection, TransactionBehavior::Immediate)?;
            for (chat, writes) in group {
                for write in writes {
                    rows::write(&transaction, chat, write)?;
                }
            }
            transaction.commit()
        };
        write(&mut self.connection).map_err(|error| told(&self.path, &error))
    }

    fn read(&mut self, job: Job) {
        let told = |error: rusqlite::Error| told(&self.path, &error);
        match job {
            Job::Commit(..) => {}
            Job::Load(chat, answer) => {
                drop(answer.send(rows::snapshot(&self.connection, &chat).map_err(told)));
            }
            Job::Document(chat, card, answer) => {
                drop(answer.send(rows::document(&self.connection, &chat, card).map_err(told)));
            }
            Job::Waking(answer) => drop(answer.send(rows::waking(&self.connection).map_err(told))),
        }
    }
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // What was acknowledged survives a power cut, too: every commit is flushed.
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "wal_autocheckpoint", WAL_PAGES)?;
    connection.pragma_update(None, "journal_size_limit", WAL_BYTES)?;
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

fn told(path: &Path, error: &rusqlite::Error) -> StoreError {
    let why = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::Full,
        Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
            StoreError::ReadOnly(format!("{}: {why}", path.display()))
        }
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Damaged { path: path.display().to_string(), why }
        }
        _ => StoreError::Other(why),
    }
}
