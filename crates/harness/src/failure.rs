//! What can go wrong in a library's call.

use std::{borrow::Cow, fmt::Display};
use thiserror::Error;

/// Why a call of a library did not do what was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Failure {
    /// The message, signature or key was refused as not authentic or not valid: the right answer to a
    /// forgery.
    #[error("refused as not authentic")]
    Refused,
    /// The library cannot do this (a nonce length, a key size), and says so or is known not to.
    #[error("unsupported: {0}")]
    Unsupported(Cow<'static, str>),
    /// The library reported an error.
    #[error("{call}: {error}")]
    Library {
        /// The call that failed.
        call: &'static str,
        /// The library's own words.
        error: String,
    },
    /// The library answered, and the answer is wrong.
    #[error("wrong result: {0}")]
    Wrong(String),
    /// The library panicked.
    #[error("panicked: {0}")]
    Panicked(String),
}

impl Failure {
    /// For `map_err`: the library's error with the name of the call.
    pub fn library<E: Display>(call: &'static str) -> impl FnOnce(E) -> Self {
        // Out of line, so that the code for errors does not keep a call from being inlined into the timed
        // region, as a user's would be.
        move |error| library_error(call, &error)
    }

    /// Something the library cannot do.
    pub fn unsupported(what: impl Into<Cow<'static, str>>) -> Self {
        Self::Unsupported(what.into())
    }

    /// An answer that is wrong.
    pub fn wrong(what: impl Into<String>) -> Self {
        Self::Wrong(what.into())
    }
}

/// Copies a library's output into the harness's buffer of the same length.
///
/// # Errors
///
/// [`Failure::Wrong`] where the lengths differ.
#[inline]
pub fn copy_exact(to: &mut [u8], from: &[u8]) -> Result<(), Failure> {
    if to.len() != from.len() {
        return Err(wrong_length(to.len(), from.len()));
    }
    to.copy_from_slice(from);
    Ok(())
}

/// Takes exactly `N` bytes, as libraries with arrays in their interface want them.
///
/// # Errors
///
/// [`Failure::Unsupported`] where there are more or fewer.
#[inline]
pub fn exactly<'a, const N: usize>(
    what: &'static str,
    bytes: &'a [u8],
) -> Result<&'a [u8; N], Failure> {
    bytes.try_into().map_err(|_| wrong_input(what, N, bytes.len()))
}

#[cold]
#[inline(never)]
fn library_error(call: &'static str, error: &dyn Display) -> Failure {
    Failure::Library { call, error: error.to_string() }
}

#[cold]
#[inline(never)]
fn wrong_length(expected: usize, found: usize) -> Failure {
    Failure::Wrong(format!("{found} bytes instead of {expected}"))
}

#[cold]
#[inline(never)]
fn wrong_input(what: &'static str, takes: usize, given: usize) -> Failure {
    Failure::Unsupported(format!("{what} of {given} bytes; takes {takes}").into())
}
