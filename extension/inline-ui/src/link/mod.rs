//! The portal's end of the link: who may speak, in what order lines take effect, what they answer.

mod answer;
mod calls;
mod session;
mod site;
mod transport;

pub(crate) use session::{Ended, serve};
pub(crate) use transport::{SocketFile, stdio};

use crate::chat_task::Clock;
use crate::http;
use crate::server::Server;
use inline_ui_core::{ChatId, TakeAt};
use inline_ui_store::{SqliteStore, StoreError};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Hints that wait for the link. Past that they are dropped: a hint is given again.
const HINTS: usize = 1_024;

/// Where the routes are to listen.
#[derive(Debug, Clone)]
pub(crate) enum HttpBind {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

impl std::str::FromStr for HttpBind {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(path) = text.strip_prefix("unix:") {
            return Ok(Self::Unix(path.into()));
        }
        let address: SocketAddr =
            text.parse().map_err(|_| "write 127.0.0.1:PORT or unix:PATH".to_owned())?;
        if !address.ip().is_loopback() {
            let why = "the routes listen on loopback or on a Unix socket only: the portal's proxy is their door";
            return Err(why.to_owned());
        }
        Ok(Self::Tcp(address))
    }
}

/// A process and what it serves, across the portals that come and go.
#[derive(Debug)]
pub(crate) struct Process {
    bind: HttpBind,
    clock: Clock,
    pub(crate) stop: CancellationToken,
    /// Ends when everything the process started has.
    pub(crate) tasks: TaskTracker,
    hints: mpsc::Sender<(ChatId, TakeAt)>,
    serving: Option<Serving>,
    /// Why the last portal that asked could not be served.
    failed: Option<StartError>,
}

#[derive(Debug, Clone)]
struct Serving {
    data: PathBuf,
    address: String,
    server: Arc<Server<SqliteStore>>,
}

/// Why a portal cannot be served.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the routes cannot listen on {address}: {error}")]
    Listen { address: String, error: std::io::Error },
    #[error("this process serves the data folder {serves}; start another one for {asked}")]
    OtherFolder { serves: String, asked: String },
}

impl Process {
    pub(crate) fn new(
        bind: HttpBind,
        clock: Clock,
        stop: CancellationToken,
    ) -> (Self, mpsc::Receiver<(ChatId, TakeAt)>) {
        let (hints, hinted) = mpsc::channel(HINTS);
        let tasks = TaskTracker::new();
        (Self { bind, clock, stop, tasks, hints, serving: None, failed: None }, hinted)
    }

    /// Why this process served nobody, if somebody asked and it could not.
    pub(crate) fn failure(&mut self) -> Option<StartError> {
        self.failed.take()
    }

    /// Like [`Process::open`], and remembers why it could not.
    async fn serving(&mut self, data: PathBuf) -> Result<Serving, String> {
        match self.open(data).await {
            Ok(serving) => {
                self.failed = None;
                Ok(serving)
            }
            Err(error) => {
                tracing::error!(%error, "a portal cannot be served");
                let told = error.to_string();
                if self.serving.is_none() {
                    self.failed = Some(error);
                }
                Err(told)
            }
        }
    }

    /// Opens the data folder and listens, or goes on with what an earlier portal of the same folder left.
    async fn open(&mut self, data: PathBuf) -> Result<Serving, StartError> {
        if let Some(serving) = &self.serving {
            if serving.data == data {
                return Ok(serving.clone());
            }
            let (serves, asked) = (serving.data.display().to_string(), data.display().to_string());
            return Err(StartError::OtherFolder { serves, asked });
        }
        let folder = data.clone();
        let opened = tokio::task::spawn_blocking(move || SqliteStore::open(&folder)).await;
        let store = opened.map_err(|error| StoreError::Other(error.to_string()))??;
        let server =
            Arc::new(Server::new(store, self.hints.clone(), self.clock, self.stop.clone()));
        let address = self.listen(&server).await?;
        tracing::info!(%address, "serving");
        let serving = Serving { data, address, server };
        self.serving = Some(serving.clone());
        Ok(serving)
    }

    async fn listen(&self, server: &Arc<Server<SqliteStore>>) -> Result<String, StartError> {
        let router = http::router(server.clone());
        let stop = self.stop.clone().cancelled_owned();
        match &self.bind {
            HttpBind::Tcp(address) => {
                let failed = |error| StartError::Listen { address: address.to_string(), error };
                let listener = TcpListener::bind(address).await.map_err(failed)?;
                let bound = listener.local_addr().map_err(failed)?;
                self.tasks.spawn(async move {
                    axum::serve(listener, router).with_graceful_shutdown(stop).await
                });
                Ok(bound.to_string())
            }
            HttpBind::Unix(path) => {
                let failed =
                    |error| StartError::Listen { address: path.display().to_string(), error };
                let (listener, file): (UnixListener, SocketFile) =
                    SocketFile::bind(path).map_err(failed)?;
                self.tasks.spawn(async move {
                    let _file = file;
                    axum::serve(listener, router).with_graceful_shutdown(stop).await
                });
                Ok(format!("unix:{}", path.display()))
            }
        }
    }
}
