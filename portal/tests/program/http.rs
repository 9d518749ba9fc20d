use http_body_util::{BodyExt, Full};
use hyper::Method;
use hyper::body::Bytes;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(10);

/// A response, read to its end.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert!((200..300).contains(&self.status), "{self:?}");
        if self.body.is_empty() { Value::Null } else { self.json() }
    }

    pub(crate) fn refusal(&self) -> (u16, String) {
        (self.status, self.json()["code"].as_str().unwrap_or_default().to_owned())
    }
}

/// A request as the portal's own page sends it. `None` when no whole answer came.
pub(crate) async fn ask(address: &str, method: Method, path: &str, body: &Value) -> Option<Reply> {
    timeout(PATIENCE, exchange(address, method, path, body)).await.ok()?
}

async fn exchange(address: &str, method: Method, path: &str, body: &Value) -> Option<Reply> {
    let stream = TcpStream::connect(address).await.ok()?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.ok()?;
    let connection = tokio::spawn(connection);
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let request = hyper::Request::builder()
        .method(method)
        .uri(path)
        .header("host", address)
        .header("origin", format!("http://{address}"))
        .header("content-type", "application/json")
        .body(Full::new(Bytes::from(body)))
        .unwrap();
    let response = sender.send_request(request).await.ok()?;
    let status = response.status().as_u16();
    let body = response.into_body().collect().await.ok()?.to_bytes();
    connection.abort();
    Some(Reply { status, body })
}
