use crate::ids::{CallId, CardId, EventName};
use crate::limits;
use crate::thrown::CardError;
use crate::time::{Instant, Now};
use std::time::Duration;

/// What a `ui_show` call asks to wait for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitFor {
    /// Any of these answers it.
    pub events: Vec<EventName>,
    /// How long, the time the person is active not counted.
    pub length: Duration,
}

/// An open wait.
#[derive(Debug, Clone)]
pub(crate) struct Wait {
    pub(crate) call: CallId,
    pub(crate) card: CardId,
    pub(crate) events: Vec<EventName>,
    started: Now,
    deadline: Instant,
    active_until: Option<Instant>,
}

/// How a wait ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The person sent what it waited for.
    Answered {
        /// Which of the names.
        name: EventName,
        /// The data, as JSON.
        data: std::sync::Arc<str>,
    },
    /// The time passed.
    Timeout,
    /// The time passed and no page ever fetched the card's frame.
    Unseen,
    /// The card was closed, dropped, or its chat deleted.
    Closed,
    /// The call was aborted.
    Cancelled,
}

impl Outcome {
    /// The outcome's name in an answer.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Answered { .. } => "answered",
            Self::Timeout => "timeout",
            Self::Unseen => "unseen",
            Self::Closed => "closed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A wait that ended, for the call that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledWait {
    /// The call to answer.
    pub call: CallId,
    /// Its card.
    pub card: CardId,
    /// How it ended.
    pub outcome: Outcome,
    /// Wall time since the call, in milliseconds.
    pub waited_ms: u64,
    /// What the card threw meanwhile and nobody was told.
    pub errors: Vec<CardError>,
}

impl Wait {
    pub(crate) fn new(call: CallId, card: CardId, asked: WaitFor, now: Now) -> Self {
        let deadline = now.mono + asked.length;
        Self { call, card, events: asked.events, started: now, deadline, active_until: None }
    }

    pub(crate) fn wants(&self, name: &EventName) -> bool {
        self.events.contains(name)
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.deadline
    }

    /// The clock stands still until a while after this, within the longest a wait may be.
    pub(crate) fn active(&mut self, now: Instant) {
        // Its time is over, and only its end was not carried out yet.
        if self.deadline <= now {
            return;
        }
        let until = now + limits::ACTIVE_FOR;
        let stood_until = self.active_until.filter(|active| *active > now).unwrap_or(now);
        self.deadline =
            (self.deadline + until.since(stood_until)).min(self.started.mono + limits::WAIT_MAX);
        self.active_until = Some(until);
    }

    pub(crate) fn settle(self, outcome: Outcome, errors: Vec<CardError>, now: Now) -> SettledWait {
        let waited_ms = u64::try_from(now.wall_ms - self.started.wall_ms).unwrap_or(0);
        SettledWait { call: self.call, card: self.card, outcome, waited_ms, errors }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Now {
        Now {
            mono: Instant::at(Duration::from_secs(seconds)),
            wall_ms: i64::try_from(seconds).unwrap() * 1_000,
        }
    }

    fn wait(length: u64) -> Wait {
        let asked = WaitFor {
            events: vec![EventName::parse("ok").unwrap()],
            length: Duration::from_secs(length),
        };
        Wait::new(CallId::parse("t1").unwrap(), CardId(1), asked, at(100))
    }

    #[test]
    fn without_activity_it_ends_after_its_length() {
        assert_eq!(wait(60).deadline(), at(160).mono);
    }

    #[test]
    fn each_stretch_of_activity_adds_itself_and_30_seconds() {
        let mut wait = wait(60);
        wait.active(at(110).mono);
        assert_eq!(wait.deadline(), at(190).mono);
        wait.active(at(120).mono);
        assert_eq!(
            wait.deadline(),
            at(200).mono,
            "only the ten seconds more that the clock stands still"
        );
        wait.active(at(170).mono);
        assert_eq!(wait.deadline(), at(230).mono, "a new stretch");
    }

    #[test]
    fn activity_never_makes_a_wait_longer_than_a_day() {
        let mut wait = wait(86_400);
        wait.active(at(200).mono);
        assert_eq!(wait.deadline(), at(100 + 86_400).mono);
    }

    #[test]
    fn the_time_waited_is_wall_time() {
        let mut end = at(170);
        end.wall_ms += 3_600_000;
        assert_eq!(wait(60).settle(Outcome::Timeout, Vec::new(), end).waited_ms, 3_670_000);
    }
}
