use governor::clock::{Clock, Reference};
use governor::nanos::Nanos;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A monotonic moment: the time since some moment the caller chose at its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Instant(Duration);

impl Instant {
    /// The moment this long after the caller's start.
    pub const fn at(since_start: Duration) -> Self {
        Self(since_start)
    }

    /// How long after `earlier` this is; zero when it is not after it.
    pub fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

impl std::ops::Add<Duration> for Instant {
    type Output = Self;

    fn add(self, by: Duration) -> Self {
        Self(self.0.saturating_add(by))
    }
}

impl std::ops::Sub<Duration> for Instant {
    type Output = Self;

    /// Stops at the caller's start.
    fn sub(self, by: Duration) -> Self {
        Self(self.0.saturating_sub(by))
    }
}

/// The present, as the caller reads it: once for every input, so that a rule sees one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Now {
    /// For distances, rates and waits.
    pub mono: Instant,
    /// For what people are told, in milliseconds since 1970.
    pub wall_ms: i64,
}

/// The clock of a chat's rate limiters: it stands where the last input put it.
#[derive(Debug, Clone, Default)]
pub(crate) struct InputClock(Arc<Moments>);

#[derive(Debug, Default)]
struct Moments {
    now: AtomicU64,
    full: AtomicU64,
}

impl InputClock {
    pub(crate) fn set(&self, now: Instant) {
        self.0.now.store(nanos(now.0), Ordering::Relaxed);
    }

    /// A limiter of this clock spent a token, which takes `refill` to come back. `longest` is how long
    /// the slowest limiter takes from empty to full.
    pub(crate) fn spent(&self, refill: Duration, longest: Duration) {
        let now = self.0.now.load(Ordering::Relaxed);
        let full = self.0.full.load(Ordering::Relaxed).max(now).saturating_add(nanos(refill));
        self.0.full.store(full.min(now.saturating_add(nanos(longest))), Ordering::Relaxed);
    }

    /// From when on every limiter of this clock is full; it may be sooner.
    pub(crate) fn full_at(&self) -> Instant {
        Instant(Duration::from_nanos(self.0.full.load(Ordering::Relaxed)))
    }
}

impl Clock for InputClock {
    type Instant = Reading;

    fn now(&self) -> Reading {
        Reading(self.0.now.load(Ordering::Relaxed))
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

/// Nanoseconds since the caller's start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reading(u64);

impl std::ops::Add<Nanos> for Reading {
    type Output = Self;

    fn add(self, by: Nanos) -> Self {
        Self(self.0.saturating_add(by.as_u64()))
    }
}

impl Reference for Reading {
    fn duration_since(&self, earlier: Self) -> Nanos {
        Nanos::new(self.0.saturating_sub(earlier.0))
    }

    fn saturating_sub(&self, by: Nanos) -> Self {
        Self(self.0.saturating_sub(by.as_u64()))
    }
}
