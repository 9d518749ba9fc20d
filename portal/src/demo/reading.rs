use super::commands;
use crate::chat::{Call, CallStatus, Events, Item, Kind};
use std::sync::Arc;

/// What a turn has to answer: everything that came since the model's last turn.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub(super) events: Vec<&'a Events>,
    pub(super) calls: Vec<&'a Call>,
    /// What the person said, if that is new.
    pub(super) person: Option<&'a str>,
    /// What the person said last, new or not.
    pub(super) asked: Option<&'a str>,
    /// Answers since then.
    answers: u32,
    /// The run that began then was broken off.
    broken_off: bool,
}

/// A step of `/work`, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) number: u32,
    pub(super) of: u32,
}

impl<'a> Reading<'a> {
    pub(super) fn of(context: &'a [Arc<Item>]) -> Self {
        let new = context.iter().rposition(|item| item.is_models()).map_or(0, |at| at + 1);
        let (old, tail) = context.split_at(new);
        let person = tail.iter().rev().find_map(|item| said(item));
        let at = context.iter().rposition(|item| said(item).is_some());
        let since = at.map_or(&context[..0], |at| &context[at..]);
        let answers = since.iter().filter(|item| matches!(item.kind, Kind::Assistant(_))).count();
        Self {
            events: tail.iter().filter_map(|item| events(item)).collect(),
            calls: unread(old),
            person,
            asked: since.first().and_then(|item| said(item)),
            answers: u32::try_from(answers).unwrap_or(u32::MAX),
            broken_off: since.iter().any(|item| matches!(item.kind, Kind::Notice(_))),
        }
    }

    /// The step that is due when the person's last message was a `/work` line.
    pub(super) fn work_step(&self) -> Option<Step> {
        let of = commands::work_alone(self.asked?)?;
        let due = self.answers < of && !self.broken_off;
        due.then_some(Step { number: self.answers + 1, of })
    }
}

/// The results of the last turn's calls, when nothing was said after them.
fn unread(old: &[Arc<Item>]) -> Vec<&Call> {
    let mut calls: Vec<&Call> = old
        .iter()
        .rev()
        .filter(|item| !matches!(item.kind, Kind::Notice(_)))
        .map_while(|item| match &item.kind {
            Kind::Call(call) => Some(call),
            _ => None,
        })
        .filter(|call| matches!(call.status, CallStatus::Done | CallStatus::Failed))
        .collect();
    calls.reverse();
    calls
}

fn said(item: &Item) -> Option<&str> {
    match &item.kind {
        Kind::Person(person) => Some(&person.text),
        _ => None,
    }
}

fn events(item: &Item) -> Option<&Events> {
    match &item.kind {
        Kind::Events(events) => Some(events),
        _ => None,
    }
}
