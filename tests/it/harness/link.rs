use super::within;
use serde_json::{Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

/// One end of a link: lines go out, and what comes in is sorted.
pub(crate) struct Link {
    out: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    lines: mpsc::UnboundedReceiver<String>,
    answers: BTreeMap<u64, Answer>,
    /// Answers that name no request of ours.
    strays: VecDeque<Value>,
    hints: Vec<(String, String)>,
    next: u64,
}

/// What a request was answered with.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    /// The line, to the byte.
    pub(crate) line: String,
    pub(crate) result: Result<Value, Refused>,
}

/// A JSON-RPC error.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Refused {
    pub(crate) code: i64,
    pub(crate) message: String,
}

/// A request that was sent and not answered yet.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
#[must_use]
pub(crate) struct Pending(u64);

impl Link {
    pub(crate) fn new(
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Self {
        let (sender, lines) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut input = BufReader::new(input);
            let mut line = String::new();
            // What a killed program wrote of its last line is none.
            while input.read_line(&mut line).await.is_ok() && line.ends_with('\n') {
                line.pop();
                if sender.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        Self {
            out: Some(Box::new(output)),
            lines,
            answers: BTreeMap::new(),
            strays: VecDeque::new(),
            hints: Vec::new(),
            next: 1,
        }
    }

    /// Sends bytes as they are.
    pub(crate) async fn raw(&mut self, bytes: &[u8]) {
        let out = self.out.as_mut().unwrap();
        within("room on the link", async {
            out.write_all(bytes).await?;
            out.flush().await
        })
        .await
        .unwrap();
    }

    /// Sends a request. Its answer may come later than those of others.
    pub(crate) async fn send(&mut self, method: &str, params: Value) -> Pending {
        let (line, pending) = self.line(method, params);
        self.raw(line.as_bytes()).await;
        pending
    }

    /// The line of a request, for who sends several at once.
    pub(crate) fn line(&mut self, method: &str, params: Value) -> (String, Pending) {
        let id = self.next;
        self.next += 1;
        let mut line = json!({ "jsonrpc": "2.0", "id": id, "method": method });
        line["params"] = params;
        (format!("{line}\n"), Pending(id))
    }

    pub(crate) async fn answer(&mut self, pending: &Pending) -> Answer {
        within("an answer", async {
            loop {
                if let Some(answer) = self.answers.remove(&pending.0) {
                    return answer;
                }
                self.take_line().await;
            }
        })
        .await
    }

    /// A request to a link that may be closed: none when it is.
    pub(crate) async fn try_request(
        &mut self,
        method: &str,
        params: Value,
    ) -> Option<Result<Value, Refused>> {
        let (line, pending) = self.line(method, params);
        self.out.as_mut()?.write_all(line.as_bytes()).await.ok()?;
        within("an answer or the link's end", async {
            loop {
                if let Some(answer) = self.answers.remove(&pending.0) {
                    return Some(answer.result);
                }
                let line = self.lines.recv().await?;
                self.sort(line);
            }
        })
        .await
    }

    /// Sends a request over a link that may be closed: none when it is.
    pub(crate) async fn try_send(&mut self, method: &str, params: Value) -> Option<Pending> {
        let (line, pending) = self.line(method, params);
        self.out.as_mut()?.write_all(line.as_bytes()).await.ok()?;
        Some(pending)
    }

    /// Says something over a link that may be closed: none when it is.
    pub(crate) async fn try_notify(&mut self, method: &str, params: Value) -> Option<()> {
        self.out.as_mut()?.write_all(notification(method, params).as_bytes()).await.ok()
    }

    /// The next answer, whatever request it is to; none when the link is closed. Nothing is lost when
    /// this is dropped.
    pub(crate) async fn any_answer(&mut self) -> Option<(Pending, Answer)> {
        loop {
            if let Some((id, answer)) = self.answers.pop_first() {
                return Some((Pending(id), answer));
            }
            let line = self.lines.recv().await?;
            self.sort(line);
        }
    }

    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Result<Value, Refused> {
        let pending = self.send(method, params).await;
        self.answer(&pending).await.result
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.raw(notification(method, params).as_bytes()).await;
    }

    /// Whether the answer is still not there after that long.
    pub(crate) async fn is_open_after(&mut self, pending: &Pending, time: Duration) -> bool {
        let answered = async {
            while !self.answers.contains_key(&pending.0) {
                self.take_line().await;
            }
        };
        tokio::time::timeout(time, answered).await.is_err()
    }

    /// Waits until every line before this one was taken up.
    pub(crate) async fn flush(&mut self) {
        let refused = self.request("test/no-such-method", json!({})).await.unwrap_err();
        assert_eq!(refused.code, -32601);
    }

    /// The next error that answers no request of ours: its id and what it says.
    pub(crate) async fn stray(&mut self) -> (Value, Refused) {
        within("an error for no request", async {
            loop {
                if let Some(line) = self.strays.pop_front() {
                    return (line["id"].clone(), refused(&line["error"]));
                }
                self.take_line().await;
            }
        })
        .await
    }

    /// Waits for `outbox/ready` about the chat at that moment, and takes it off.
    pub(crate) async fn hint(&mut self, chat: &str, at: &str) {
        within(&format!("a hint at {at}"), async {
            loop {
                if let Some(found) = self
                    .hints
                    .iter()
                    .position(|hint| (hint.0.as_str(), hint.1.as_str()) == (chat, at))
                {
                    self.hints.remove(found);
                    return;
                }
                self.take_line().await;
            }
        })
        .await;
    }

    /// The hints about the chat so far, taken off.
    pub(crate) async fn hints(&mut self, chat: &str) -> Vec<String> {
        // A hint goes out when no line is to be read: after the first answer, before the second.
        self.flush().await;
        self.flush().await;
        let (mine, others) =
            std::mem::take(&mut self.hints).into_iter().partition(|hint| hint.0 == chat);
        self.hints = others;
        let mine: Vec<(String, String)> = mine;
        mine.into_iter().map(|hint| hint.1).collect()
    }

    /// Closes our end. What comes in still can be read.
    pub(crate) fn close(&mut self) {
        drop(self.out.take());
    }

    /// Whether the other end closes.
    pub(crate) async fn ended(&mut self) {
        within("the link's end", async {
            while let Some(line) = self.lines.recv().await {
                self.sort(line);
            }
        })
        .await;
    }

    async fn take_line(&mut self) {
        let line = self.lines.recv().await.expect("the program closed the link");
        self.sort(line);
    }

    fn sort(&mut self, line: String) {
        let value: Value =
            serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(value["jsonrpc"], "2.0", "{line}");
        if let Some(method) = value["method"].as_str() {
            assert_eq!(method, "outbox/ready", "{line}");
            let text = |key: &str| value["params"][key].as_str().unwrap().to_owned();
            self.hints.push((text("chat"), text("at")));
            return;
        }
        let result = match value.get("error") {
            Some(error) => Err(refused(error)),
            None => Ok(value["result"].clone()),
        };
        match value["id"].as_u64() {
            Some(id) => drop(self.answers.insert(id, Answer { line, result })),
            None => self.strays.push_back(value),
        }
    }
}

/// The line of a notification.
pub(crate) fn notification(method: &str, params: Value) -> String {
    let mut line = json!({ "jsonrpc": "2.0", "method": method });
    line["params"] = params;
    format!("{line}\n")
}

fn refused(error: &Value) -> Refused {
    Refused {
        code: error["code"].as_i64().unwrap(),
        message: error["message"].as_str().unwrap().to_owned(),
    }
}
