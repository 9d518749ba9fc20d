//! A server on loopback that remembers who connected, and plain HTTP requests to the portal.

use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Every connection is counted, whether a request follows or not; every request is answered with
/// the page it was given.
#[derive(Clone)]
pub(crate) struct Sink {
    pub(crate) port: u16,
    /// One entry a connection: the path asked for, empty while none is.
    connections: Arc<Mutex<Vec<String>>>,
}

impl Sink {
    pub(crate) async fn open(page: impl Fn(u16) -> String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(Mutex::new(Vec::new()));
        let (seen, page) = (connections.clone(), page(port));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, seen.clone(), page.clone()));
            }
        });
        Self { port, connections }
    }

    /// The paths asked for so far, with an empty one for a connection that asked nothing.
    pub(crate) fn paths(&self) -> Vec<String> {
        self.connections.lock().unwrap().clone()
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

async fn answer(mut stream: TcpStream, seen: Arc<Mutex<Vec<String>>>, page: String) {
    let at = {
        let mut seen = seen.lock().unwrap();
        seen.push(String::new());
        seen.len() - 1
    };
    let mut head = Vec::new();
    let mut buffer = [0; 4096];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut buffer).await {
            Ok(length) if length > 0 => head.extend_from_slice(&buffer[..length]),
            _ => return,
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let path = head.split_whitespace().nth(1).unwrap_or_default();
    path.clone_into(&mut seen.lock().unwrap()[at]);
    let answer = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\naccess-control-allow-origin: *\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n{page}",
        page.len()
    );
    let _ = stream.write_all(answer.as_bytes()).await;
}

/// The whole answer to `GET path` with that Host, head and body.
pub(crate) async fn get(port: u16, host: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let head = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    let read = stream.read_to_end(&mut answer);
    let _ = tokio::time::timeout(Duration::from_secs(5), read).await;
    String::from_utf8_lossy(&answer).into_owned()
}
