//! Section 10 as a proof: the program is killed again and again with everything under way, and what
//! was acknowledged is there, once, whatever the moment.
//!
//! `INLINE_UI_KILLS=500` is the long form. A failure names its seed; `INLINE_UI_SEED` runs it again
//! (the script is the same, the moment at which the kill meets the program is not).

mod agent;
mod ledger;
mod person;

use crate::harness::{Dice, Http, Link, initialize_params, spawn};
use agent::Agent;
use ledger::{Ledger, Shared};
use serde_json::{Value, json};
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tempfile::TempDir;
use tokio::sync::oneshot;

const CHATS: [&str; 3] = ["one", "two", "three"];
/// The longest life, where there is nothing left to do.
const LIFE: Duration = Duration::from_millis(500);
/// Kills on one data folder, before all of it is drained and compared.
const KILLS_A_FOLDER: u64 = 20;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_was_acknowledged_survives_kills_with_everything_under_way() {
    let kills = variable("INLINE_UI_KILLS").unwrap_or(KILLS_A_FOLDER);
    let mut seed = variable("INLINE_UI_SEED").unwrap_or_else(|| {
        u64::from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos())
    });
    let mut left = kills;
    while left > 0 {
        let here = left.min(KILLS_A_FOLDER);
        let folder = AssertUnwindSafe(Folder::new(seed).killed(here));
        if let Err(failure) = futures_util::FutureExt::catch_unwind(folder).await {
            eprintln!("seed {seed}: INLINE_UI_SEED={seed} INLINE_UI_KILLS={here} runs it again");
            std::panic::resume_unwind(failure);
        }
        left -= here;
        seed += 1;
    }
}

fn variable(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name} is a number, not {text:?}")))
}

/// One data folder, and everything that outlives the program that serves it.
struct Folder {
    seed: u64,
    dice: Dice,
    data: TempDir,
    ledger: Shared,
}

impl Folder {
    fn new(seed: u64) -> Self {
        let ledger = Arc::new(Mutex::new(Ledger::default()));
        Self { seed, dice: Dice::new(seed), data: tempfile::tempdir().unwrap(), ledger }
    }

    async fn killed(mut self, kills: u64) {
        for _ in 0..kills {
            self.life().await;
        }
        self.drain().await;
        let ledger = self.ledger.lock().unwrap();
        ledger.compare();
        println!("seed {}: {kills} kills, {}", self.seed, ledger.told());
        ledger.was_worth_it();
    }

    /// One life of the program, from its start to the kill.
    async fn life(&mut self) {
        let (mut program, mut link) = spawn();
        let (ready, started) = oneshot::channel();
        let early =
            (self.dice.below(8) == 0).then(|| Duration::from_micros(self.dice.below(20_000)));
        let moment = Duration::from_micros(self.dice.below(8_000));
        let acknowledged = self.dice.below(70);
        let mut progress = self.ledger.lock().unwrap().progress.subscribe();
        let killing = async {
            if let Some(early) = early {
                tokio::time::sleep(early).await;
            } else {
                let _ = started.await;
                let goal = *progress.borrow() + acknowledged;
                let reached = progress.wait_for(|n| *n >= goal);
                let _ = tokio::time::timeout(LIFE, reached).await;
                tokio::time::sleep(moment).await;
            }
            program.kill().await;
        };
        let living = async {
            let http = initialize(&mut link, &self.data).await?;
            let _ = ready.send(());
            let pages = CHATS.map(|chat| {
                tokio::spawn(person::looks(
                    http.clone(),
                    chat,
                    self.ledger.clone(),
                    self.dice.apart(),
                ))
            });
            Agent::new(&mut link, self.ledger.clone(), self.dice.apart()).works().await;
            for page in pages {
                page.await.unwrap();
            }
            Some(())
        };
        tokio::join!(killing, living);
    }

    /// A life without a kill, in which everything that is under way arrives.
    async fn drain(&mut self) {
        let (mut program, mut link) = spawn();
        let http = initialize(&mut link, &self.data).await.unwrap();
        for chat in CHATS {
            person::repeats(&http, chat, &self.ledger).await.unwrap();
        }
        Agent::new(&mut link, self.ledger.clone(), self.dice.apart()).takes_all().await;
        for chat in CHATS {
            person::reads_all(&http, chat, &self.ledger).await;
        }
        assert_eq!(link.request("shutdown", json!({})).await, Ok(Value::Null));
        assert!(program.ended().await.success());
    }
}

async fn initialize(link: &mut Link, data: &TempDir) -> Option<Http> {
    let params = initialize_params(data.path(), &json!({}));
    let initialized = link.try_request("initialize", params).await?.unwrap();
    Some(Http::of(&initialized["http"]))
}
