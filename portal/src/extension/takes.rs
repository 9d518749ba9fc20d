use super::take::{HostTake, HostTakes};
use super::{Hosts, Taken};
use portal_link::TakeAt;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

/// The takes of one chat, from every extension that runs.
#[derive(Debug, Clone)]
pub(crate) struct Takes {
    hosts: Hosts,
    chat: String,
    /// By the extension's name. One that was started again is another.
    of: Arc<Mutex<BTreeMap<String, HostTakes>>>,
}

impl Takes {
    pub(crate) fn new(hosts: Hosts, chat: String) -> Self {
        Self { hosts, chat, of: Arc::default() }
    }

    /// Asks the first extension at once, and each other when the one before it has nothing. `None`
    /// when all are away.
    pub(crate) fn ask(&self, at: TakeAt) -> Option<Take> {
        let mut rest: VecDeque<HostTakes> = self.all().into();
        let under_way = next(&mut rest, at)?;
        Some(Take { under_way: Some(under_way), rest, at, silent: false })
    }

    pub(crate) fn hinted(&self) {
        for takes in self.all() {
            takes.hinted();
        }
    }

    /// Whether another take may find what the last ones missed. Waits a moment for it to go back.
    pub(crate) async fn may_have_missed(&self) -> bool {
        let all = self.all();
        let missed = futures_util::future::join_all(all.iter().map(HostTakes::may_have_missed));
        missed.await.contains(&true)
    }

    fn all(&self) -> Vec<HostTakes> {
        let running = self.hosts.running();
        let mut of = self.of.lock().unwrap_or_else(PoisonError::into_inner);
        of.retain(|_, takes| running.iter().any(|host| takes.are_of(host)));
        let takes = |host: &super::Host| {
            let new = || HostTakes::new(host.clone(), self.chat.clone());
            of.entry(host.profile().name.clone()).or_insert_with(new).clone()
        };
        running.iter().map(takes).collect()
    }
}

/// A take under way. Dropping it returns what it still brings.
#[derive(Debug)]
pub(crate) struct Take {
    under_way: Option<HostTake>,
    rest: VecDeque<HostTakes>,
    at: TakeAt,
    /// One of them did not answer.
    silent: bool,
}

impl Take {
    /// Can be dropped and called again until it has returned.
    pub(crate) async fn taken(&mut self) -> Taken {
        while let Some(take) = &mut self.under_way {
            match take.taken().await {
                Taken::Message(offer) => return Taken::Message(offer),
                Taken::Nothing => {}
                Taken::NoAnswer => self.silent = true,
            }
            self.under_way = next(&mut self.rest, self.at);
        }
        if self.silent { Taken::NoAnswer } else { Taken::Nothing }
    }
}

fn next(rest: &mut VecDeque<HostTakes>, at: TakeAt) -> Option<HostTake> {
    while let Some(takes) = rest.pop_front() {
        if let Some(take) = takes.ask(at) {
            return Some(take);
        }
    }
    None
}
