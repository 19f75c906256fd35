//! Public test vectors through every compiled-in backend, with the number of vectors run asserted, so that a
//! set that quietly shrinks fails. Lengths beyond the vectors' (513 bytes at most) are the in-process
//! proof's.

mod aead;
mod block_mode;
mod ecdh;
mod rsa;

use cryptobench_backends::suite;
use cryptobench_harness::{Failure, Implementation, guarded};
use cryptobench_schema::{Algorithm, Contest, Operation};
use std::fmt;

/// How many vectors of a set a backend was held against, by what they expect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Tally {
    /// Must be computed.
    valid: usize,
    /// May be refused; if not, must be computed.
    acceptable: usize,
    /// Must be refused.
    invalid: usize,
    /// Left out, because the backend is known not to take them.
    skipped: usize,
}

impl Tally {
    const fn of(valid: usize, acceptable: usize, invalid: usize) -> Self {
        Self { valid, acceptable, invalid, skipped: 0 }
    }

    const fn skipping(self, skipped: usize) -> Self {
        Self { skipped, ..self }
    }
}

/// Runs a set through every backend that has the operation, and asserts how many vectors that were:
/// `expected`, unless `exceptions` has another number for a backend.
fn run(
    algorithm: impl Into<Algorithm>,
    operation: Operation,
    size: Option<u64>,
    expected: Tally,
    exceptions: &[(&str, Tally)],
    set: impl Fn(&str, &Implementation) -> Tally,
) {
    let contest = Contest { algorithm: algorithm.into(), operation, size };
    for backend in suite().backends() {
        let Some(registration) = backend.registration(&contest) else { continue };
        backend.ready().unwrap_or_else(|failure| panic!("{}: {failure}", backend.id()));
        let id = backend.id().as_str();
        let expected =
            exceptions.iter().find(|(name, _)| *name == id).map_or(expected, |(_, tally)| *tally);
        let tally = set(id, registration.implementation());
        assert_eq!(tally, expected, "vectors run by {id} for {contest}");
        println!("{contest} by {id}: {tally:?}");
    }
}

/// Runs one call, its panic being a failure of the test and not a refusal.
fn call<T>(what: &dyn fmt::Display, f: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    match guarded(f) {
        Err(Failure::Panicked(message)) => panic!("{what} panicked: {message}"),
        other => other,
    }
}
