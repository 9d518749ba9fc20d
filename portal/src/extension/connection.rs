use futures_util::{SinkExt, StreamExt};
use portal_link::{Incoming, LineCodec, MAX_LINE, Ready, Reply, error_code, method};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{mpsc, oneshot};
use tokio_util::codec::{FramedRead, FramedWrite};
use tokio_util::sync::{CancellationToken, DropGuard};

/// Lines that may wait for the extension to read them. One that leaves so many unread is stuck, and
/// its connection is ended.
const UNREAD_LINES: usize = 4096;

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LinkError {
    #[error("the extension is not running: {0}")]
    Away(String),
    #[error("the extension stopped before it answered")]
    Closed,
    #[error("the line would have {0} bytes and may have {MAX_LINE}")]
    TooLong(usize),
    #[error("{0}")]
    Refused(String),
    #[error("the extension's answer is not understood: {0}")]
    Malformed(String),
}

type Waiting = Arc<Mutex<HashMap<u64, oneshot::Sender<Reply>>>>;

/// One life of the link. Lines leave in the order they were given.
#[derive(Debug)]
pub(crate) struct Connection {
    lines: mpsc::Sender<String>,
    waiting: Waiting,
    next: AtomicU64,
    ended: CancellationToken,
    _end: DropGuard,
}

impl Connection {
    /// Speaks over a child's output and input, or over whatever a test puts there. Hints go to `ready`.
    pub(crate) fn open(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        ready: mpsc::Sender<Ready>,
    ) -> Arc<Self> {
        let (lines, unread) = mpsc::channel(UNREAD_LINES);
        let waiting = Waiting::default();
        let ended = CancellationToken::new();
        let reading = read(reader, Arc::clone(&waiting), lines.clone(), ready, ended.clone());
        tokio::spawn(reading);
        tokio::spawn(write(writer, unread, ended.clone()));
        let end = ended.clone().drop_guard();
        Arc::new(Self { lines, waiting, next: AtomicU64::new(1), ended, _end: end })
    }

    /// Resolves once the link is of no more use.
    pub(crate) async fn ended(&self) {
        self.ended.cancelled().await;
    }

    pub(crate) fn end(&self) {
        self.ended.cancel();
    }

    pub(crate) fn notify(&self, method: &str, params: &impl Serialize) -> Result<(), LinkError> {
        let line = portal_link::notification(method, params)
            .map_err(|e| LinkError::Malformed(e.to_string()))?;
        self.send(line)
    }

    /// The request has left, in its order, when this returns; only its answer is waited for.
    pub(crate) fn request<R: DeserializeOwned, P: Serialize>(
        self: &Arc<Self>,
        method: &str,
        params: &P,
    ) -> Result<impl Future<Output = Result<R, LinkError>> + Send + use<R, P>, LinkError> {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let line = portal_link::request(id, method, params)
            .map_err(|e| LinkError::Malformed(e.to_string()))?;
        let (answer, reply) = oneshot::channel();
        let entry = Entry { id, waiting: Arc::clone(&self.waiting) };
        lock(&self.waiting).insert(id, answer);
        self.send(line)?;
        let (connection, ended) = (Arc::clone(self), self.ended.clone());
        Ok(async move {
            // Keeps the connection open as long as somebody waits for it.
            let (_entry, _connection) = (entry, connection);
            let reply = tokio::select! {
                biased;
                reply = reply => reply.map_err(|_| LinkError::Closed)?,
                () = ended.cancelled() => return Err(LinkError::Closed),
            };
            let result = reply.map_err(|error| LinkError::Refused(error.message))?;
            serde_json::from_str(result.get()).map_err(|e| LinkError::Malformed(e.to_string()))
        })
    }

    fn send(&self, line: String) -> Result<(), LinkError> {
        if line.len() > MAX_LINE {
            return Err(LinkError::TooLong(line.len()));
        }
        if self.ended.is_cancelled() {
            return Err(LinkError::Closed);
        }
        self.lines.try_send(line).map_err(|_| {
            tracing::error!("extension does not read its input, link ended");
            self.ended.cancel();
            LinkError::Closed
        })
    }
}

/// Takes an abandoned request off the list.
struct Entry {
    id: u64,
    waiting: Waiting,
}

impl Drop for Entry {
    fn drop(&mut self) {
        lock(&self.waiting).remove(&self.id);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn write(
    writer: impl AsyncWrite + Unpin,
    mut unread: mpsc::Receiver<String>,
    ended: CancellationToken,
) {
    let mut out = FramedWrite::new(writer, LineCodec::default());
    loop {
        let line = tokio::select! {
            biased;
            () = ended.cancelled() => break,
            line = unread.recv() => line,
        };
        let Some(line) = line else { break };
        let sent = tokio::select! {
            () = ended.cancelled() => break,
            sent = out.send(line) => sent,
        };
        if let Err(error) = sent {
            tracing::debug!(%error, "link not writable");
            break;
        }
    }
    ended.cancel();
}

async fn read(
    reader: impl AsyncRead + Unpin,
    waiting: Waiting,
    lines: mpsc::Sender<String>,
    ready: mpsc::Sender<Ready>,
    ended: CancellationToken,
) {
    let mut input = FramedRead::new(reader, LineCodec::default());
    loop {
        let line = tokio::select! {
            () = ended.cancelled() => break,
            line = input.next() => line,
        };
        let refusal = match line {
            None => break,
            Some(Err(error)) => {
                tracing::debug!(%error, "link not readable");
                break;
            }
            Some(Ok(Err(error))) => Some(portal_link::response_error(
                &Value::Null,
                error_code::PARSE,
                &error.to_string(),
            )),
            Some(Ok(Ok(line))) => take_in(&line, &waiting, &ready),
        };
        if let Some(refusal) = refusal {
            tracing::warn!("extension sent a line that is no message of the link");
            let _ = lines.try_send(refusal);
        }
    }
    ended.cancel();
}

/// Returns what to answer to a line that cannot be used.
fn take_in(line: &[u8], waiting: &Waiting, ready: &mpsc::Sender<Ready>) -> Option<String> {
    match Incoming::read(line) {
        Ok(Incoming::Response { id, reply }) => {
            let asked = id.as_u64().and_then(|id| lock(waiting).remove(&id));
            match (asked, reply) {
                (Some(asked), reply) => drop(asked.send(reply)),
                // Nobody's answer: a line of ours was refused.
                (None, Err(error)) => {
                    tracing::warn!(code = error.code, error = %error.message, "extension refused a line");
                }
                (None, Ok(_)) => {}
            }
            None
        }
        Ok(Incoming::Notification { method, params }) => {
            if method == method::OUTBOX_READY
                && let Ok(hint) = serde_json::from_str::<Ready>(params.get())
            {
                // A hint that finds no room is lost, which hints may be.
                let _ = ready.try_send(hint);
            }
            None
        }
        Ok(Incoming::Request { id, method, .. }) => Some(portal_link::response_error(
            &id,
            error_code::METHOD_NOT_FOUND,
            &format!("this portal has no method {method:?}"),
        )),
        Err(error) => Some(portal_link::response_error(&error.id, error.code, &error.message)),
    }
}
