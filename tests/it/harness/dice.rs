/// A small generator, so that a failure's seed tells its whole story.
#[derive(Debug, Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, sides: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    /// One of them.
    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[usize::try_from(self.below(from.len() as u64)).unwrap()].clone()
    }

    /// Dice of their own for a task that runs beside this one.
    pub(crate) fn apart(&mut self) -> Self {
        Self(self.below(u64::from(u32::MAX)) << 16 | self.below(1 << 16))
    }
}
