//! What ends a run, or a chat, before its time.

use super::item::{Item, Kind, Level};
use super::now;
use super::task::ChatTask;
use crate::store::{Change, ChatEntry, StoreError};
use portal_link::AgentState;
use tokio::time::Instant;

impl ChatTask {
    /// Ends the run at once. Its calls are cancelled, and what it had taken but not kept goes back.
    pub(super) async fn stop(&mut self, why: &str) {
        let Some(run) = self.run.take() else { return };
        run.task.abort();
        drop(run.reports);
        let ends = self.loose_ends(why, Level::Info);
        let mut change = Change { working: Some(false), ..Change::default() };
        if let Err(error) = self.write_all(ends, &mut change).await {
            self.unkept(&error);
        }
        self.used = Instant::now();
        self.set_agent(AgentState::Idle);
    }

    /// What a run leaves unfinished, finished: text as far as it came, calls cancelled, and a line
    /// that says why.
    pub(super) fn loose_ends(&mut self, why: &str, level: Level) -> Vec<Item> {
        let mut ends: Vec<Item> = self.written().into_iter().collect();
        ends.extend(self.transcript.interrupted());
        let calls = self.transcript.cancelled_calls("Stopped before it was answered.");
        for item in &calls {
            if let Kind::Call(call) = &item.kind {
                self.hub.hosts().cancelled(&call.link_id());
            }
        }
        ends.extend(calls);
        ends.push(self.transcript.notice(now(), level, why));
        ends
    }

    /// Puts right what a killed portal left: nothing runs, so nothing may look as if it did.
    pub(super) async fn repair(&mut self) {
        let why = "The portal was restarted while the agent worked. Send a message to go on.";
        let ends = self.loose_ends(why, Level::Info);
        let mut change = Change { working: Some(false), ..Change::default() };
        if let Err(error) = self.write_all(ends, &mut change).await {
            self.unkept(&error);
        }
    }

    pub(super) async fn rename(&mut self, title: String) -> Result<(), StoreError> {
        let change = Change { title: Some(title.clone()), ..Change::default() };
        self.hub.store().save(self.id.clone(), change).await?;
        self.feed.title(&title);
        self.title = title;
        Ok(())
    }

    /// A copy of the transcript as it stands, under a new id. What still runs is cancelled in the copy.
    pub(super) async fn fork(&mut self) -> Result<String, StoreError> {
        let id = uuid::Uuid::now_v7().to_string();
        let cancelled = self.transcript.cancelled_calls("It was running when this copy was made.");
        let mut rows = Vec::new();
        for (position, item) in (1..).zip(self.transcript.unqueued().to_vec()) {
            if Some(item.id) == self.writing {
                continue;
            }
            let item = cancelled.iter().find(|call| call.id == item.id).unwrap_or(&item);
            let row = item.to_row(Some(position));
            rows.push(row.map_err(|e| StoreError::Failed(e.to_string()))?);
        }
        let title = format!("{} (copy)", self.title);
        let copy = ChatEntry { id: id.clone(), title, at: now() };
        let known = self.hub.hosts().known();
        let owed = self.hub.store().fork_chat(self.id.clone(), copy, rows, known).await?;
        self.hub.hosts().tell(owed);
        Ok(id)
    }

    pub(super) async fn delete(&mut self) -> Result<(), StoreError> {
        self.stop("Stopped.").await;
        let owed = self.hub.store().delete_chat(self.id.clone(), self.hub.hosts().known()).await?;
        self.hub.remove(&self.id);
        self.hub.hosts().forget_chat(&self.id);
        self.hub.hosts().tell(owed);
        self.feed.deleted();
        Ok(())
    }
}
