//! Adapter: the harness measuring itself: an empty call, a copy, a nonce, random bytes.
//! No cryptography: what it costs is the floor under the numbers of the others.

use cryptobench_harness::{
    Backend, Failure, Scope, copy_exact, inputs::CountingNonce, operations::control::Procedure,
};
use cryptobench_schema::{Operation, Provenance};

/// The backend `harness`.
#[must_use]
pub fn backend() -> Backend {
    let mut harness = Backend::new("harness", Provenance::of_crates(&["getrandom"]));
    harness.control::<Empty>(&[Operation::Empty]);
    harness.control::<Copy>(&[Operation::Copy]);
    harness
        .control::<Nonce>(&[Operation::Nonce])
        .note("12 bytes, copied out of the counter once, as the proof has to see them");
    harness.control::<Random>(&[Operation::Random]);
    harness.plain_documents();
    harness.unsupported(Scope::Otherwise, "the harness computes no cryptography");
    #[cfg(feature = "planted")]
    harness.planted();
    harness
}

/// Nothing.
struct Empty;

impl Procedure for Empty {
    fn new() -> Self {
        Self
    }

    #[inline]
    fn call(&mut self, _: &[u8], _: &mut [u8]) -> Result<(), Failure> {
        Ok(())
    }
}

/// A copy of the message.
struct Copy;

impl Procedure for Copy {
    fn new() -> Self {
        Self
    }

    #[inline]
    fn call(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Failure> {
        copy_exact(output, input)
    }
}

/// Bytes of the nonce that most AEADs take.
const NONCE_LEN: usize = 12;

/// The harness's nonce.
struct Nonce(CountingNonce<NONCE_LEN>);

impl Procedure for Nonce {
    fn new() -> Self {
        Self(CountingNonce::new())
    }

    #[inline]
    fn call(&mut self, _: &[u8], output: &mut [u8]) -> Result<(), Failure> {
        copy_exact(&mut output[..NONCE_LEN], &self.0.advance())
    }
}

/// The operating system's random source.
struct Random;

impl Procedure for Random {
    fn new() -> Self {
        Self
    }

    #[inline]
    fn call(&mut self, _: &[u8], output: &mut [u8]) -> Result<(), Failure> {
        getrandom::fill(output).map_err(Failure::library("getrandom::fill"))
    }
}
