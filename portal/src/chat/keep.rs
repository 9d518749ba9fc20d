//! How things get into a transcript: disk first, then memory, then the pages.

use super::item::{Assistant, Call, CallAnswer, CallStatus, Events, Item, Kind, Level};
use super::now;
use super::task::ChatTask;
use crate::extension::Offer;
use crate::store::{Ack, Change, StoreError};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The most that a kill takes away from an answer that is being written.
pub(super) const SAVE_TEXT_AFTER: Duration = Duration::from_secs(1);

impl ChatTask {
    /// Streams text that goes to disk a little later: at the latest when the answer is complete.
    pub(super) fn write_text(&mut self, text: &str) {
        self.save_text_at.get_or_insert_with(|| Instant::now() + SAVE_TEXT_AFTER);
        let Some(id) = self.writing else {
            let assistant =
                Assistant { text: text.to_owned(), streaming: true, interrupted: false };
            let item = self.transcript.make(now(), Kind::Assistant(assistant));
            self.writing = Some(item.id);
            let item = self.transcript.put(item);
            self.feed.item(&item);
            return;
        };
        self.transcript.append_text(id, text);
        self.feed.delta(id, text);
    }

    /// Keeps what a kill would lose. Nobody waits for it, and the complete answer is written anyway.
    pub(super) async fn save_text(&mut self) {
        self.save_text_at = None;
        let Some(id) = self.writing else { return };
        let Some(item) = self.transcript.items().iter().rev().find(|item| item.id == id).cloned()
        else {
            return;
        };
        let saved = match self.transcript.row(&item) {
            Ok(row) => {
                let change = Change { rows: vec![row], ..Change::default() };
                self.hub.store().save(self.id.clone(), change).await
            }
            Err(error) => Err(StoreError::Failed(error.to_string())),
        };
        if let Err(error) = saved {
            tracing::warn!(%error, "text so far not written");
        }
    }

    /// The answer that was being written, complete as far as it came.
    pub(super) fn written(&mut self) -> Option<Item> {
        self.save_text_at = None;
        let id = self.writing.take()?;
        let item = self.transcript.items().iter().rev().find(|item| item.id == id)?;
        let Kind::Assistant(assistant) = &item.kind else { return None };
        let text = assistant.text.clone();
        let kind = Kind::Assistant(Assistant { text, streaming: false, interrupted: false });
        Some(Item { id, at: item.at, kind })
    }

    pub(super) async fn end_text(&mut self) -> Result<(), StoreError> {
        let Some(item) = self.written() else { return Ok(()) };
        self.write(item, Change::default()).await.map(|_| ())
    }

    pub(super) async fn end_call(
        &mut self,
        call: &str,
        status: CallStatus,
        answer: CallAnswer,
    ) -> Result<(), StoreError> {
        let Some((item, running)) = self.transcript.call(call) else { return Ok(()) };
        let answered = answer.is_answered_wait();
        let kind = Kind::Call(Call { status, result: Some(answer), ..running.clone() });
        let item = Item { id: item.id, at: item.at, kind };
        let id = running.link_id();
        let extension = self.hub.hosts().of_call(&id).filter(|_| answered);
        let ack = extension.map(|extension| Ack { extension, id });
        self.write(item, Change { ack: ack.clone(), ..Change::default() }).await?;
        if let Some(Ack { extension, id }) = ack {
            self.hub.hosts().delivered(&extension, &self.id, &id);
        }
        Ok(())
    }

    /// Whether it was new. Only what is on disk is acknowledged; what cannot be kept goes back.
    pub(super) async fn keep_message(
        &mut self,
        offer: Offer,
        with_prompt: bool,
        working: Option<bool>,
    ) -> Result<bool, StoreError> {
        let message = offer.message();
        if self.transcript.has_message(&message.id) {
            offer.deliver();
            return Ok(false);
        }
        let events = Events {
            message: message.id.clone(),
            summary: message.summary.clone(),
            text: message.text.clone(),
            with_prompt,
        };
        let (extension, id) = (offer.extension().to_owned(), message.id.clone());
        let ack = Some(Ack { extension, id });
        let item = self.transcript.make(now(), Kind::Events(events));
        self.write(item, Change { ack, working, ..Change::default() }).await?;
        offer.deliver();
        Ok(true)
    }

    /// Disk first, then the transcript, then the pages.
    pub(super) async fn write(
        &mut self,
        item: Item,
        mut change: Change,
    ) -> Result<Arc<Item>, StoreError> {
        let row = self.transcript.row(&item).map_err(|e| StoreError::Failed(e.to_string()))?;
        change.rows.push(row);
        self.hub.store().save(self.id.clone(), change).await?;
        let item = self.transcript.put(item);
        self.feed.item(&item);
        Ok(item)
    }

    /// Ends are shown even when the disk does not take them: what is over is over.
    pub(super) async fn write_all(
        &mut self,
        items: Vec<Item>,
        change: &mut Change,
    ) -> Result<(), StoreError> {
        for item in &items {
            let row = self.transcript.row(item).map_err(|e| StoreError::Failed(e.to_string()))?;
            change.rows.push(row);
        }
        let saved = self.hub.store().save(self.id.clone(), std::mem::take(change)).await;
        for item in items {
            let item = self.transcript.put(item);
            self.feed.item(&item);
        }
        saved
    }

    /// Says in the chat that the disk did not take something, although that cannot be kept either.
    pub(super) fn unkept(&mut self, error: &StoreError) {
        tracing::error!(%error, "transcript not written");
        let text = format!("The portal could not write to its database: {error}.");
        let notice = self.transcript.notice(now(), Level::Error, &text);
        let notice = self.transcript.put(notice);
        self.feed.item(&notice);
    }
}
