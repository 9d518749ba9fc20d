use super::http::Connection;
use super::within;
use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::Incoming;
use serde_json::Value;

/// An open stream of server-sent events. Dropping it closes the connection.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) content_type: String,
    body: Incoming,
    buffer: String,
    _connection: Connection,
}

/// One event of a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Told {
    pub(crate) id: Option<String>,
    pub(crate) event: String,
    pub(crate) data: Value,
}

impl Stream {
    pub(crate) fn new(response: Response<Incoming>, connection: Connection) -> Self {
        let content_type = response.headers()["content-type"].to_str().unwrap().to_owned();
        Self {
            content_type,
            body: response.into_body(),
            buffer: String::new(),
            _connection: connection,
        }
    }

    /// The next block must be a comment.
    pub(crate) async fn comment(&mut self) {
        let block = self.block().await.expect("the stream ended");
        assert!(block.starts_with(':'), "{block}");
    }

    /// The next event. Comments are skipped.
    pub(crate) async fn next(&mut self) -> Told {
        within("an event of the stream", async {
            loop {
                let block = self.block().await.expect("the stream ended");
                if !block.starts_with(':') {
                    return Told::read(&block);
                }
            }
        })
        .await
    }

    /// The next event of that name. Others are skipped.
    pub(crate) async fn event(&mut self, name: &str) -> Value {
        within(&format!("{name} in the stream"), async {
            loop {
                let told = self.next().await;
                if told.event == name {
                    return told.data;
                }
            }
        })
        .await
    }

    /// The next state of a card's last event.
    pub(crate) async fn state(&mut self, state: &str) -> Value {
        let told = self.event("state").await;
        assert_eq!(told["state"], state, "{told}");
        told
    }

    /// Reads to the end.
    pub(crate) async fn ended(&mut self) {
        within("the stream's end", async { while self.block().await.is_some() {} }).await;
    }

    async fn block(&mut self) -> Option<String> {
        within("a block of the stream", async {
            loop {
                if let Some(end) = self.buffer.find("\n\n") {
                    let block = self.buffer[..end].to_owned();
                    self.buffer.drain(..end + 2);
                    return Some(block);
                }
                let data = self.body.frame().await?.ok()?.into_data().ok()?;
                self.buffer.push_str(std::str::from_utf8(&data).unwrap());
            }
        })
        .await
    }
}

impl Told {
    fn read(block: &str) -> Self {
        let field = |name: &str| {
            block
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':').map(str::trim_start))
        };
        Self {
            id: field("id").map(str::to_owned),
            event: field("event").unwrap().to_owned(),
            data: serde_json::from_str(field("data").unwrap()).unwrap(),
        }
    }
}
