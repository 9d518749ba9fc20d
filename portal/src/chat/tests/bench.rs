//! One portal without HTTP: a real database, a scripted model, and an extension in the test's hands.

use crate::chat::{Hub, Item, Kind};
use crate::extension::fake::{Fake, PATIENCE, profile};
use crate::extension::{Host, Hosts};
use crate::model::{Model, Turn, TurnRequest, Wanted};
use crate::store::{Owed, Store};
use futures_util::StreamExt;
use futures_util::stream::{self, BoxStream};
use portal_link::{AgentState, Ready};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

/// A piece of a scripted turn, a pause in it, or a turn that never ends.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    Is(Turn),
    Pauses(Duration),
    Hangs,
}

pub(crate) fn text(text: &str) -> Piece {
    Piece::Is(Turn::Text(text.to_owned()))
}

pub(crate) fn call(name: &str) -> Piece {
    call_with(name, "{\"a\":1}")
}

pub(crate) fn call_with(name: &str, arguments: &str) -> Piece {
    let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
    Piece::Is(Turn::Call(Wanted::new(name.to_owned(), arguments)))
}

#[derive(Debug)]
pub(crate) struct Scripted {
    turns: Mutex<VecDeque<Vec<Piece>>>,
    seen: mpsc::UnboundedSender<Vec<Arc<Item>>>,
    hung_up: mpsc::UnboundedSender<()>,
}

/// Says that a turn which would hang for ever was given up.
struct HungUp(mpsc::UnboundedSender<()>);

impl Drop for HungUp {
    fn drop(&mut self) {
        let _ = self.0.send(());
    }
}

impl Model for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn turn(&self, request: TurnRequest) -> BoxStream<'static, Turn> {
        let _ = self.seen.send(request.context);
        let pieces = self.turns.lock().unwrap().pop_front().unwrap_or_else(|| vec![text("done")]);
        let hung_up = self.hung_up.clone();
        stream::iter(pieces)
            .then(move |piece| {
                let hung_up = hung_up.clone();
                async {
                    match piece {
                        Piece::Is(turn) => turn,
                        Piece::Pauses(time) => {
                            tokio::time::sleep(time).await;
                            Turn::Text(String::new())
                        }
                        Piece::Hangs => {
                            let _hung_up = HungUp(hung_up);
                            std::future::pending().await
                        }
                    }
                }
            })
            .boxed()
    }
}

/// An item in a few words.
pub(crate) fn short(item: &Item) -> String {
    match &item.kind {
        Kind::Person(it) if it.queued => format!("queued {}", it.text),
        Kind::Person(it) => format!("person {}", it.text),
        Kind::Assistant(it) if it.streaming => format!("assistant {}…", it.text),
        Kind::Assistant(it) => format!("assistant {}", it.text),
        Kind::Call(it) => format!("call {} {:?}", it.name, it.status),
        Kind::Events(it) => format!("events {}", it.message),
        Kind::Notice(it) => format!("notice {}", it.text),
    }
}

fn whole(item: &Item) -> Value {
    match &item.kind {
        Kind::Person(it) => json!({ "person": it.text }),
        Kind::Assistant(it) => json!({ "assistant": it.text }),
        Kind::Call(it) => json!({ "call": it.name, "status": it.status, "result": it.result }),
        Kind::Events(it) => json!({ "events": it.text }),
        Kind::Notice(it) => json!({ "notice": it.text }),
    }
}

/// Waits for something that comes about by itself.
pub(crate) async fn until(is_so: impl AsyncFn() -> bool) {
    let so = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    timeout(PATIENCE, so).await.expect("it does not come about");
}

pub(crate) struct Bench {
    pub(crate) hub: Hub,
    pub(crate) host: Host,
    pub(crate) store: Arc<Store>,
    pub(crate) hints: mpsc::Sender<Ready>,
    pub(crate) turns: mpsc::UnboundedReceiver<Vec<Arc<Item>>>,
    pub(crate) hung_up: mpsc::UnboundedReceiver<()>,
    pub(crate) folder: TempDir,
    shutdown: CancellationToken,
}

impl Bench {
    pub(crate) async fn new(turns: Vec<Vec<Piece>>) -> Self {
        Self::over(tempfile::tempdir().unwrap(), turns).await
    }

    /// The same folder again, as after a restart.
    pub(crate) async fn over(folder: TempDir, script: Vec<Vec<Piece>>) -> Self {
        let store = Arc::new(Store::open(&folder.path().join("portal.sqlite3")).unwrap());
        let name = || profile().name;
        let acks = store.acks(name()).await.unwrap();
        let owed = store.owed(name()).await.unwrap();
        let host = Host::new(profile(), Arc::clone(&store), acks, owed);
        let (seen, turns) = mpsc::unbounded_channel();
        let (gave_up, hung_up) = mpsc::unbounded_channel();
        let model = Scripted { turns: Mutex::new(script.into()), seen, hung_up: gave_up };
        let model = Arc::new(model);
        let shutdown = CancellationToken::new();
        let hosts = Hosts::new(Arc::clone(&store));
        hosts.join(host.clone(), CancellationToken::new());
        let hub = Hub::new(Arc::clone(&store), hosts, model, shutdown.clone());
        let (hints, inbox) = mpsc::channel(16);
        let follower = hub.clone();
        tokio::spawn(async move { follower.follow(inbox).await });
        Self { hub, host, store, hints, turns, hung_up, folder, shutdown }
    }

    pub(crate) async fn acks(&self) -> Vec<(String, String)> {
        self.store.acks(profile().name).await.unwrap()
    }

    pub(crate) async fn owed(&self) -> Vec<Owed> {
        self.store.owed(profile().name).await.unwrap()
    }

    pub(crate) fn connect(&self) -> Fake {
        Fake::connect(&self.host, &self.hints)
    }

    /// What a turn's request held, in a few words.
    pub(crate) async fn turn(&mut self) -> Vec<String> {
        self.asked().await.iter().map(|item| short(item)).collect()
    }

    /// What a turn's request held, to the letter.
    pub(crate) async fn request(&mut self) -> Vec<Value> {
        self.asked().await.iter().map(|item| whole(item)).collect()
    }

    async fn asked(&mut self) -> Vec<Arc<Item>> {
        timeout(PATIENCE, self.turns.recv()).await.expect("the model is not asked").unwrap()
    }

    pub(crate) async fn items(&self, chat: &str) -> Vec<String> {
        let snapshot = self.hub.snapshot(chat).await.unwrap();
        snapshot.items.iter().map(|item| short(item)).collect()
    }

    /// The transcript as it lies in the file.
    pub(crate) async fn on_disk(&self, chat: &str) -> Vec<String> {
        let loaded = self.store.load_chat(chat.to_owned()).await.unwrap().unwrap();
        loaded.rows.iter().map(|row| short(&Item::from_row(row).unwrap())).collect()
    }

    pub(crate) async fn agent(&self, chat: &str) -> AgentState {
        self.hub.snapshot(chat).await.unwrap().agent
    }

    pub(crate) async fn settled(&self, chat: &str) {
        until(async || self.agent(chat).await != AgentState::Working).await;
    }

    /// Stops everything at once and gives the folder back, without putting anything in order.
    pub(crate) async fn kill(self) -> TempDir {
        self.store.close().await;
        self.shutdown.cancel();
        self.hub.stopped().await;
        self.folder
    }
}
