use crate::limits;
use crate::time::{InputClock, Instant};
use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

type Limiter = RateLimiter<
    NotKeyed,
    InMemoryState,
    InputClock,
    NoOpMiddleware<<InputClock as Clock>::Instant>,
>;

/// How many events a card or a chat may still send.
///
/// Clones share what is left: an event that is refused further on has spent its token all the same.
#[derive(Debug, Clone)]
pub(crate) struct Rate {
    clock: InputClock,
    limiter: Arc<Limiter>,
    /// How long a token takes to come back.
    refill: Duration,
}

/// How long a limiter takes from empty to full.
const LONGEST: Duration = {
    let card = limits::CARD_BURST.div_ceil(limits::CARD_PER_SECOND);
    let chat = limits::CHAT_BURST.div_ceil(limits::CHAT_PER_SECOND);
    Duration::from_secs(if card > chat { card as u64 } else { chat as u64 })
};

impl Rate {
    pub(crate) fn of_card(clock: &InputClock) -> Self {
        Self::new(clock, limits::CARD_PER_SECOND, limits::CARD_BURST)
    }

    pub(crate) fn of_chat(clock: &InputClock) -> Self {
        Self::new(clock, limits::CHAT_PER_SECOND, limits::CHAT_BURST)
    }

    fn new(clock: &InputClock, per_second: u32, burst: u32) -> Self {
        let at_least_one = |n| NonZeroU32::new(n).unwrap_or(NonZeroU32::MIN);
        let quota = Quota::per_second(at_least_one(per_second)).allow_burst(at_least_one(burst));
        Self {
            clock: clock.clone(),
            limiter: Arc::new(RateLimiter::direct_with_clock(quota, clock.clone())),
            refill: quota.replenish_interval(),
        }
    }

    /// Spends one token, or says how long there is none.
    pub(crate) fn spend(&self, now: Instant) -> Result<(), Duration> {
        self.clock.set(now);
        self.limiter.check().map_err(|until| {
            until.wait_time_from(self.clock.now()).max(Duration::from_millis(1))
        })?;
        self.clock.spent(self.refill, LONGEST);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_sends_20_at_once_and_then_5_a_second() {
        let rate = Rate::of_card(&InputClock::default());
        let start = Instant::at(Duration::from_secs(100));
        for _ in 0..20 {
            assert!(rate.spend(start).is_ok());
        }
        let wait = rate.spend(start).unwrap_err();
        assert!(wait <= Duration::from_millis(200), "{wait:?}");
        assert!(rate.spend(start + Duration::from_millis(199)).is_err());
        assert!(rate.spend(start + Duration::from_millis(201)).is_ok());
        let later = start + Duration::from_mins(1);
        assert_eq!((0..100).filter(|_| rate.spend(later).is_ok()).count(), 20);
    }

    #[test]
    fn a_chat_sends_60_at_once_and_then_10_a_second() {
        let rate = Rate::of_chat(&InputClock::default());
        let start = Instant::at(Duration::ZERO);
        assert_eq!((0..100).filter(|_| rate.spend(start).is_ok()).count(), 60);
        let second = start + Duration::from_millis(1_001);
        assert_eq!((0..100).filter(|_| rate.spend(second).is_ok()).count(), 10);
    }
}
