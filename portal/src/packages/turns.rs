use tokio::sync::{Semaphore, SemaphorePermit};

/// Lets one change be made at a time.
#[derive(Debug)]
pub(super) struct Turns(Semaphore);

impl Default for Turns {
    fn default() -> Self {
        Self(Semaphore::new(1))
    }
}

impl Turns {
    /// None only when nobody could wait for it any more.
    pub(super) async fn next(&self) -> Option<SemaphorePermit<'_>> {
        self.0.acquire().await.ok()
    }
}
