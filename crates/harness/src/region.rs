//! The timed region: the one place where a clock is read around an operation, and what it costs to read.

use crate::{Failure, Placement, placement::PlacedBuffer};
use std::{
    hint::black_box,
    sync::OnceLock,
    time::{Duration, Instant},
};

/// A case made ready: verified by others, warmed by calling it, and timed for as many iterations as
/// asked.
pub trait Timed {
    /// Runs the operation `iterations` times at `placement` and returns what they took together, less
    /// the cost of reading the clock.
    ///
    /// # Errors
    ///
    /// The first failure of the operation; the time is then meaningless.
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure>;

    /// After timing: whether the key that was timed still computes what a fresh one does.
    ///
    /// # Errors
    ///
    /// [`Failure::Wrong`] where it does not.
    fn check(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}

/// What one pair of clock readings costs. Measured once per process: the smallest of many pairs of
/// adjacent readings, which is what every region contains at the least.
#[must_use]
pub fn clock_cost() -> Duration {
    static COST: OnceLock<Duration> = OnceLock::new();
    *COST.get_or_init(|| {
        let pairs = (0..10_000).map(|_| Instant::now().elapsed());
        pairs.min().unwrap_or_default()
    })
}

/// Time since `start`, less the clock's own cost, and never nothing: a reader of times divides by them.
#[inline]
fn since(start: Instant) -> Duration {
    start.elapsed().saturating_sub(clock_cost()).max(Duration::from_nanos(1))
}

/// `black_box` for a thin reference, which stays in a register. A slice, two words, is written to memory and
/// read back with vector instructions; after a library's wide ones that costs up to 100 ns on some
/// processors. Bind the result before passing it on, or it is inferred to be a slice.
#[inline(always)]
pub(crate) fn opaque<T>(it: &T) -> &T {
    black_box(it)
}

/// Times `iterations` of `body` between one pair of clock readings.
#[inline]
pub(crate) fn repeated(
    iterations: u64,
    placement: Placement,
    mut body: impl FnMut() -> Result<(), Failure>,
) -> Result<Duration, Failure> {
    let _ = clock_cost();
    placement.on_stack(|| {
        let start = Instant::now();
        for _ in 0..iterations {
            body()?;
        }
        Ok(since(start))
    })
}

/// Times `iterations` of `body` one by one, each after `before`, which is not timed.
#[inline]
pub(crate) fn each<S>(
    iterations: u64,
    placement: Placement,
    state: &mut S,
    mut before: impl FnMut(&mut S) -> Result<(), Failure>,
    mut body: impl FnMut(&mut S) -> Result<(), Failure>,
) -> Result<Duration, Failure> {
    let _ = clock_cost();
    placement.on_stack(|| {
        let mut total = Duration::ZERO;
        for _ in 0..iterations {
            before(state)?;
            let start = Instant::now();
            body(state)?;
            total += since(start);
        }
        Ok(total)
    })
}

/// Copies of one input for an operation that destroys it.
pub(crate) struct Slots {
    input: Vec<u8>,
    buffer: PlacedBuffer,
    stride: usize,
    count: usize,
}

/// As much input as is laid out at once.
const SLOTS_BYTES: usize = 64 * 1024;

impl Slots {
    /// Slots for copies of `input`, each followed by `slack` bytes that the operation may use: as many
    /// as fit 64 KiB together, at least one.
    pub(crate) fn new(input: Vec<u8>, slack: usize) -> Self {
        // Whole multiples of 16, so that every slot lies at the drawn offset.
        let stride = (input.len() + slack).next_multiple_of(16).max(16);
        let count = (SLOTS_BYTES / stride).max(1);
        Self { buffer: PlacedBuffer::new(stride * count), input, stride, count }
    }

    /// The input that each slot is a copy of.
    pub(crate) fn input(&self) -> &[u8] {
        &self.input
    }

    /// Times `iterations` of `body`, each on a fresh copy. The clock is read once before and once after
    /// a pass over all slots; filling them is not timed.
    #[inline]
    pub(crate) fn consumed(
        &mut self,
        iterations: u64,
        placement: Placement,
        mut body: impl FnMut(&mut [u8]) -> Result<(), Failure>,
    ) -> Result<Duration, Failure> {
        let _ = clock_cost();
        let slots = self.buffer.at(placement);
        placement.on_stack(|| {
            let mut total = Duration::ZERO;
            let mut remaining = iterations;
            while remaining > 0 {
                let pass = self.count.min(usize::try_from(remaining).unwrap_or(usize::MAX));
                for slot in slots.chunks_exact_mut(self.stride).take(pass) {
                    slot[..self.input.len()].copy_from_slice(&self.input);
                }
                let start = Instant::now();
                for slot in slots.chunks_exact_mut(self.stride).take(pass) {
                    body(slot)?;
                }
                total += since(start);
                remaining -= pass as u64;
            }
            Ok(total)
        })
    }
}
