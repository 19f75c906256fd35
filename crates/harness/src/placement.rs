//! The state of the machine in which an operation is timed: where stack and buffers lie, and clean vector
//! registers.
//!
//! Placement moves results by more than most differences people argue about, so it is drawn at random,
//! the same for every side of a contest, and averaged over.

use crate::inputs::SeededRandom;
use std::{hint::black_box, mem::MaybeUninit};

/// A drawn placement: an offset of the stack and one of the message buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Bytes, a multiple of 16 below 4096.
    stack: usize,
    /// Bytes from the beginning of a page: 0, 16, 32 or 48.
    buffer: usize,
    seed: u64,
}

/// The size of a page, as far as placement goes.
const PAGE: usize = 4096;
const LARGEST_BUFFER_OFFSET: usize = 48;

impl Placement {
    /// The placement that `seed` draws. Neighbouring seeds draw independent placements.
    #[must_use]
    pub fn drawn(seed: u64) -> Self {
        // Spreads consecutive seeds.
        let mut drawn = [0; 2];
        SeededRandom::new(seed).fill(&mut drawn);
        Self { stack: usize::from(drawn[0]) * 16, buffer: usize::from(drawn[1] % 4) * 16, seed }
    }

    /// What it was drawn from: the same for every side of a contest in one slice, and another in the next.
    #[must_use]
    pub const fn seed(self) -> u64 {
        self.seed
    }

    /// Runs `f` with the stack moved by the drawn offset and with clean vector registers.
    #[inline]
    pub fn on_stack<R>(self, f: impl FnOnce() -> R) -> R {
        let mut f = Some(f);
        let mut result = None;
        let mut call = || {
            clean_vector_registers();
            result = f.take().map(|f| f());
        };
        // A frame for each binary digit of the offset, empty where the digit is 0, so that the frames'
        // own cost is the same for every offset.
        descend::<2048>(self.stack, &mut |rest| {
            descend::<1024>(rest, &mut |rest| {
                descend::<512>(rest, &mut |rest| {
                    descend::<256>(rest, &mut |rest| {
                        descend::<128>(rest, &mut |rest| {
                            descend::<64>(rest, &mut |rest| {
                                descend::<32>(rest, &mut |rest| {
                                    descend::<16>(rest, &mut |_| call());
                                });
                            });
                        });
                    });
                });
            });
        });
        result.expect("every descent calls its argument once")
    }
}

/// Leaves the vector registers as a program finds them that has not used wide ones.
///
/// Some library code returns with the upper halves of the vector registers in use (OpenSSL's short
/// ChaCha20 on x86-64, for one), and on some processors everything that uses the lower halves is slower
/// from then on: AES-128-CCM `open` of 16 bytes took 240 ns instead of 127 when ChaCha20 had run before it in
/// the process. Whoever does that pays for it within its own case, and nobody else in the next. Where there
/// are wide registers, memchr searches with them, and the compiler ends its function with `vzeroupper`.
fn clean_vector_registers() {
    let haystack = black_box([0u8; 256]);
    black_box(memchr::memchr(1, &haystack));
}

/// Calls `next` with `BYTES` more on the stack where `offset` has that digit.
fn descend<const BYTES: usize>(offset: usize, next: &mut dyn FnMut(usize)) {
    if offset & BYTES == 0 { frame::<0>(offset, next) } else { frame::<BYTES>(offset, next) }
}

#[inline(never)]
fn frame<const BYTES: usize>(offset: usize, next: &mut dyn FnMut(usize)) {
    let mut space = [const { MaybeUninit::<u8>::uninit() }; BYTES];
    black_box(&mut space);
    next(offset);
    // Still in use after the call, so that it is not a tail call without the frame.
    black_box(&mut space);
}

/// A buffer that can be put at a drawn offset from a page.
#[derive(Debug)]
pub struct PlacedBuffer {
    bytes: Vec<u8>,
    len: usize,
}

impl PlacedBuffer {
    /// A buffer of `len` bytes.
    #[must_use]
    pub fn new(len: usize) -> Self {
        // Written, not only reserved: its pages exist before anything is timed.
        Self { bytes: vec![0x5a; len + PAGE + LARGEST_BUFFER_OFFSET], len }
    }

    /// The buffer at `placement`. Its content after a change of placement is unspecified.
    pub fn at(&mut self, placement: Placement) -> &mut [u8] {
        let start = self.bytes.as_ptr().align_offset(PAGE) + placement.buffer;
        &mut self.bytes[start..start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The address of something on the stack at the bottom of `placement`.
    fn depth(placement: Placement) -> usize {
        placement.on_stack(|| {
            let here = 0u8;
            std::ptr::from_ref(black_box(&here)).addr()
        })
    }

    #[test]
    fn the_stack_moves_by_the_offset() {
        let base = depth(Placement { stack: 0, buffer: 0, seed: 0 });
        for stack in (0..PAGE).step_by(16) {
            let moved = base.abs_diff(depth(Placement { stack, buffer: 0, seed: 0 }));
            assert_eq!(moved, stack);
        }
    }

    #[test]
    fn buffers_begin_at_the_offset_from_a_page() {
        let mut buffer = PlacedBuffer::new(100);
        for offset in [0, 16, 32, 48] {
            let at = buffer.at(Placement { stack: 0, buffer: offset, seed: 0 });
            assert_eq!(at.len(), 100);
            assert_eq!(at.as_ptr().addr() % PAGE, offset);
        }
    }

    #[test]
    fn draws_cover_every_offset_evenly() {
        let mut stack = [0u32; 256];
        let mut buffer = [0u32; 4];
        for seed in 0..25_600 {
            let placement = Placement::drawn(seed);
            stack[placement.stack / 16] += 1;
            buffer[placement.buffer / 16] += 1;
        }
        assert!(stack.iter().all(|&n| (50..=160).contains(&n)), "{stack:?}");
        assert!(buffer.iter().all(|&n| (6_000..=6_800).contains(&n)), "{buffer:?}");
    }
}
