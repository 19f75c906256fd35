//! AWS-LC's C interface by aws-lc-sys, for what aws-lc-rs lacks: contexts and keys that own what they
//! point to, safe to call. All `unsafe` of the crate is in here; what is registered with it is not.

pub(crate) mod aead;
pub(crate) mod cipher;
pub(crate) mod rsa;

use aws_lc_sys::{
    CRYPTO_has_asm, ERR_clear_error, ERR_error_string_n, ERR_peek_last_error, EVP_has_aes_hardware,
    FIPS_is_entropy_cpu_jitter,
};
use cryptobench_harness::Failure;
use std::ffi::{CStr, c_int};

/// Whether the library was built with its assembly code.
pub(crate) fn has_assembly() -> bool {
    // SAFETY: takes nothing and reads a constant of the library.
    unsafe { CRYPTO_has_asm() == 1 }
}

/// Whether the library found instructions for AES and carry-less multiplication that it uses.
pub(crate) fn has_aes_hardware() -> bool {
    // SAFETY: takes nothing; the CPU's features are detected before any function is called.
    unsafe { EVP_has_aes_hardware() == 1 }
}

/// Whether the random source is seeded from CPU jitter.
pub(crate) fn has_jitter_entropy() -> bool {
    // SAFETY: takes nothing; the entropy source is chosen once, under a lock of the library's.
    unsafe { FIPS_is_entropy_cpu_jitter() == 1 }
}

/// The answer of a C function that answers 1 where it succeeded.
#[inline]
fn check(call: &'static str, answer: c_int) -> Result<(), Failure> {
    if answer == 1 { Ok(()) } else { Err(last_error(call)) }
}

/// The newest error in the thread's queue, which is emptied so that no later failure is blamed on it.
#[cold]
fn last_error(call: &'static str) -> Failure {
    // SAFETY: reads the calling thread's queue.
    let error = unsafe { ERR_peek_last_error() };
    if error == 0 {
        return Failure::library(call)("failed without a reason given");
    }
    // SAFETY: empties the calling thread's queue, of which nothing is borrowed.
    unsafe { ERR_clear_error() };
    let mut text = [0; 256];
    // SAFETY: the buffer has the length that is passed; what is written ends with a zero byte.
    unsafe { ERR_error_string_n(error, text.as_mut_ptr().cast(), text.len()) };
    let text = CStr::from_bytes_until_nul(&text).unwrap_or_default();
    Failure::library(call)(text.to_string_lossy())
}

#[cold]
fn wrong_length(what: &str, takes: usize, given: usize) -> Failure {
    Failure::unsupported(format!("{what} of {given} bytes; takes {takes}"))
}
