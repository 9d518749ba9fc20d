//! The floor: a process like ours whose one route reads an event's body and answers.

use crate::harness::Http;
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Json, Router};
use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// The argument that makes this program the floor.
pub(crate) const MODE: &str = "floor";

/// The same fields as the route's own.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EventBody {
    id: String,
    load: String,
    name: String,
    #[serde(default)]
    data: Option<Box<RawValue>>,
}

pub(crate) struct Floor {
    pub(crate) http: Http,
    child: Child,
}

impl Floor {
    pub(crate) async fn start() -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .arg(MODE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = lines.next_line().await.unwrap().unwrap();
        Self { http: Http::new(address, "none"), child }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id().unwrap()
    }
}

pub(crate) fn serve() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.spawn(async {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("{}", listener.local_addr().unwrap());
        std::io::stdout().flush().unwrap();
        let router = Router::new().route("/chats/{chat}/cards/{card}/events", post(event));
        axum::serve(listener, router).await.unwrap();
    });
    // Until whoever started this is gone.
    let _ = std::io::stdin().read(&mut [0]);
}

async fn event(body: Bytes) -> (StatusCode, Json<Value>) {
    let EventBody { id, load, name, data } = serde_json::from_slice(&body).unwrap();
    let read = (id.len(), load.len(), name.len(), data.map(|data| data.get().len()));
    std::hint::black_box(read);
    (StatusCode::ACCEPTED, Json(json!({ "state": "next_message" })))
}
