//! What a shown card's code throws goes to the agent with what the person does, or with the result of a
//! call that waits. It never starts a turn, and of one document each error is told once.

use super::Chat;
use crate::card::CardRecord;
use crate::effect::{PageEvent, Write};
use crate::ids::{CardId, EventId};
use crate::input::{Accepted, ErrorReport};
use crate::limits;
use crate::outbox::{Entry, Subject};
use crate::refusal::Refusal;
use crate::thrown::CardError;
use crate::time::Now;

impl Chat {
    pub(super) fn failed(&mut self, now: Now, report: ErrorReport) -> Result<Accepted, Refusal> {
        let id = report.card;
        let card = self.card_mut(id)?;
        if !report.load.is_of(card.record.revision) {
            return Err(Refusal::StaleLoad);
        }
        if !card.record.is_open() {
            return Ok(Accepted::Done);
        }
        let is_stuck = report.stuck.unwrap_or(card.record.stuck);
        let changed = is_stuck != card.record.stuck;
        let thrown =
            report.errors.into_iter().take(limits::CARD_ERRORS_PER_LOAD).map(CardError::read);
        let stuck = (changed && is_stuck).then(CardError::stuck);
        let mut news: Vec<CardError> = Vec::new();
        for error in thrown.chain(stuck) {
            let known = card.record.errors.len() + news.len();
            if known < limits::CARD_ERRORS_PER_DOCUMENT
                && !card.record.errors.contains(&error)
                && !news.contains(&error)
            {
                news.push(error);
            }
        }
        if news.is_empty() && !changed {
            return Ok(Accepted::Done);
        }
        let record = card.record_mut();
        record.stuck = is_stuck;
        record.errors.extend(news.iter().cloned());
        let record = CardRecord::clone(&card.record);
        self.write(Write::Card(record.clone()));
        if !news.is_empty() {
            self.queue_failures(&record, news);
        }
        if changed {
            self.tell_card(now, id, PageEvent::Changed);
        }
        Ok(Accepted::Done)
    }

    /// Those that are queued already are told with these, not in place of them.
    fn queue_failures(&mut self, record: &CardRecord, news: Vec<CardError>) {
        let mut errors = self.forget_failures(record.id);
        errors.extend(news);
        let entry = Entry {
            seq: self.outbox.next_seq(),
            card: record.id,
            title: record.title.clone(),
            subject: Subject::Errors,
            id: errors_id(record),
            count: errors.len() as u64,
            data: serde_json::to_string(&errors).unwrap_or_default().into(),
            wake: false,
            gave_back: Vec::new(),
        };
        let replaced = self.outbox.queue(entry);
        self.write_queued(replaced);
    }

    /// What the card threw and the agent was not told, taken out of the outbox.
    pub(super) fn forget_failures(&mut self, card: CardId) -> Vec<CardError> {
        let Some(entry) = self.outbox.unqueue(card, &Subject::Errors) else { return Vec::new() };
        self.write(Write::RemoveEntry(entry.seq));
        serde_json::from_str(&entry.data).unwrap_or_default()
    }
}

/// Another one each time that a document has more of them.
fn errors_id(record: &CardRecord) -> EventId {
    EventId::parse(&format!("errors-{}-{}-{}", record.id, record.revision, record.errors.len()))
        .unwrap_or_else(|_| unreachable!("a short plain text is an id"))
}
