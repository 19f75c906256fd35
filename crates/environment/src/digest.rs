//! SHA-256 over several parts, in hexadecimal. Part of the build script too, which so hashes as the crate
//! does; what is hashed is said in tree.rs, code.rs and lock.rs.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// A digest in the making.
#[derive(Default)]
pub(crate) struct Digest(Sha256);

impl Digest {
    /// Adds a part, with its length, so that none runs into the next.
    pub(crate) fn part(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.update(u64::try_from(part.len()).unwrap_or(u64::MAX).to_le_bytes());
        self.0.update(part);
    }

    /// SHA-256 of all parts.
    pub(crate) fn finish(self) -> String {
        hexadecimal(&self.0.finalize())
    }
}

/// `bytes` as digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
