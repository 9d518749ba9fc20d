use super::{Connection, Host};
use futures_util::FutureExt;
use portal_link::{MessageRef, OutboxMessage, TakeAt, TakeParams, TakeResult, method};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};
use tokio::time::{Instant, timeout};

/// A slow extension holds up nothing for longer than this.
pub(crate) const LONGEST_TAKE: Duration = Duration::from_millis(300);
/// From here on an extension answers null although it has not looked.
const NULL_UNSEEN: Duration = Duration::from_millis(250);

/// The takes of one chat from one extension.
#[derive(Debug, Clone)]
pub(crate) struct HostTakes {
    host: Host,
    chat: String,
    late: Arc<Late>,
}

/// A message that comes late is out until it has gone back, and a take finds nothing meanwhile.
#[derive(Debug, Default)]
struct Late {
    /// A take was given up, or answered without a look.
    missed: AtomicBool,
    /// A message went back, or the extension hinted, since the last take was asked.
    freed: Notify,
}

impl HostTakes {
    pub(super) fn new(host: Host, chat: String) -> Self {
        Self { host, chat, late: Arc::default() }
    }

    pub(super) fn are_of(&self, host: &Host) -> bool {
        self.host.is(host)
    }

    /// Asks at once; `None` when the extension is away.
    pub(crate) fn ask(&self, at: TakeAt) -> Option<HostTake> {
        let connection = self.host.connection()?;
        let _before = self.late.freed.notified().now_or_never();
        HostTake::ask(self, &connection, at)
    }

    /// Whether the extension has looked at this chat since. Whatever that brings goes back.
    pub(super) async fn seen(&self, connection: &Arc<Connection>) -> bool {
        let asked = Instant::now();
        let Some(mut take) = HostTake::ask(self, connection, TakeAt::Wake) else { return false };
        match take.taken().await {
            Taken::Message(_) => true,
            Taken::Nothing => asked.elapsed() < NULL_UNSEEN,
            Taken::NoAnswer => false,
        }
    }

    pub(crate) fn hinted(&self) {
        self.late.freed.notify_one();
    }

    /// Whether another take may find what the last ones missed. Waits a moment for it to go back.
    pub(crate) async fn may_have_missed(&self) -> bool {
        if !self.late.missed.swap(false, Ordering::Relaxed) {
            return false;
        }
        let _ = timeout(LONGEST_TAKE, self.late.freed.notified()).await;
        true
    }
}

/// A message that was handed over. Unless it is delivered, it goes back: when it comes too late,
/// when the run was stopped meanwhile, when it could not be kept.
#[derive(Debug)]
pub(crate) struct Offer {
    chat: String,
    message: Arc<OutboxMessage>,
    connection: Arc<Connection>,
    host: Host,
    late: Arc<Late>,
    delivered: bool,
}

impl Offer {
    pub(crate) fn message(&self) -> &OutboxMessage {
        &self.message
    }

    /// Whose it is.
    pub(crate) fn extension(&self) -> &str {
        &self.host.profile().name
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
            self.late.freed.notify_one();
        }
    }
}

/// A take under way. Dropping it, or giving up on it, returns what it still brings.
#[derive(Debug)]
pub(crate) struct HostTake {
    answer: oneshot::Receiver<Option<Offer>>,
    until: Instant,
    late: Arc<Late>,
    answered: bool,
}

impl Drop for HostTake {
    fn drop(&mut self) {
        if !self.answered {
            self.late.missed.store(true, Ordering::Relaxed);
        }
    }
}

/// What a take brought.
#[derive(Debug)]
pub(crate) enum Taken {
    Message(Offer),
    Nothing,
    /// No answer in time, or the extension is away.
    NoAnswer,
}

impl HostTake {
    fn ask(takes: &HostTakes, connection: &Arc<Connection>, at: TakeAt) -> Option<Self> {
        let HostTakes { host, chat, late } = takes.clone();
        let sent = host.acks_sent(&chat, connection);
        let asked = Instant::now();
        let params = TakeParams { chat: chat.clone(), at };
        let answer = connection.request::<TakeResult, _>(method::OUTBOX_TAKE, &params).ok()?;
        let (give, given) = oneshot::channel();
        let (connection, of_chat) = (Arc::clone(connection), Arc::clone(&late));
        tokio::spawn(async move {
            let message = match answer.await {
                Ok(result) => result.message,
                Err(error) => {
                    tracing::debug!(%error, "take without an answer");
                    return;
                }
            };
            if message.is_some() || asked.elapsed() < NULL_UNSEEN {
                // The link keeps its order, so every acknowledgement before this take has arrived.
                host.acks_arrived(&chat, sent);
            } else {
                late.missed.store(true, Ordering::Relaxed);
            }
            let delivered = false;
            let offer =
                message.map(|message| Offer { chat, message, connection, host, late, delivered });
            let _ = give.send(offer);
        });
        let until = asked + LONGEST_TAKE;
        Some(Self { answer: given, until, late: of_chat, answered: false })
    }

    /// Can be dropped and called again until it has returned.
    pub(crate) async fn taken(&mut self) -> Taken {
        let answer = tokio::time::timeout_at(self.until, &mut self.answer).await;
        self.answered = matches!(answer, Ok(Ok(_)));
        match answer {
            Ok(Ok(Some(offer))) => Taken::Message(offer),
            Ok(Ok(None)) => Taken::Nothing,
            Ok(Err(_)) | Err(_) => Taken::NoAnswer,
        }
    }
}
