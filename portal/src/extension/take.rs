use super::{Connection, Host};
use portal_link::{MessageRef, OutboxMessage, TakeAt, TakeParams, TakeResult, method};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// A slow extension holds up nothing for longer than this.
pub(crate) const LONGEST_TAKE: Duration = Duration::from_millis(300);

/// A message that was handed over. Unless it is delivered, it goes back: when it comes too late,
/// when the run was stopped meanwhile, when it could not be kept.
#[derive(Debug)]
pub(crate) struct Offer {
    chat: String,
    message: Arc<OutboxMessage>,
    connection: Arc<Connection>,
    host: Host,
    delivered: bool,
}

impl Offer {
    pub(crate) fn message(&self) -> &OutboxMessage {
        &self.message
    }

    /// The transcript has the message on disk.
    pub(crate) fn deliver(mut self) {
        self.delivered = true;
        self.host.delivered(&self.chat, &self.message.id);
    }
}

impl Drop for Offer {
    fn drop(&mut self) {
        if !self.delivered {
            let id = self.message.id.clone();
            let returned = MessageRef { chat: self.chat.clone(), id };
            let _ = self.connection.notify(method::OUTBOX_RETURNED, &returned);
        }
    }
}

/// A take under way. Dropping it, or giving up on it, returns what it still brings.
#[derive(Debug)]
pub(crate) struct Take {
    answer: oneshot::Receiver<Option<Offer>>,
    until: Instant,
}

/// What a take brought.
#[derive(Debug)]
pub(crate) enum Taken {
    Message(Offer),
    Nothing,
    /// No answer in time, or the extension is away.
    NoAnswer,
}

impl Take {
    /// Asks at once; `None` when the extension is away.
    pub(super) fn ask(
        host: &Host,
        connection: &Arc<Connection>,
        chat: &str,
        at: TakeAt,
    ) -> Option<Self> {
        let sent = host.acks_sent(chat, connection);
        let params = TakeParams { chat: chat.to_owned(), at };
        let asked = connection.request::<TakeResult, _>(method::OUTBOX_TAKE, &params).ok()?;
        let (give, answer) = oneshot::channel();
        let (host, connection, chat) = (host.clone(), Arc::clone(connection), chat.to_owned());
        tokio::spawn(async move {
            let result = match asked.await {
                Ok(result) => result,
                Err(error) => {
                    tracing::debug!(%error, "take without an answer");
                    return;
                }
            };
            // The link keeps its order, so every acknowledgement before this take has arrived.
            host.acks_arrived(&chat, sent);
            let offer = result.message.map(|message| Offer {
                chat,
                message,
                connection,
                host,
                delivered: false,
            });
            let _ = give.send(offer);
        });
        Some(Self { answer, until: Instant::now() + LONGEST_TAKE })
    }

    /// Can be dropped and called again until it has returned.
    pub(crate) async fn taken(&mut self) -> Taken {
        match tokio::time::timeout_at(self.until, &mut self.answer).await {
            Ok(Ok(Some(offer))) => Taken::Message(offer),
            Ok(Ok(None)) => Taken::Nothing,
            Ok(Err(_)) | Err(_) => Taken::NoAnswer,
        }
    }
}
