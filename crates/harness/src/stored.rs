//! Digests of the right outputs, made when several implementations agreed on them: a witness for
//! implementations that are alone in their build.

use sha2::Digest as _;
use std::fmt;

/// SHA-256 over everything that an implementation computes in its proof.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl Digest {
    /// The digest of `output`.
    pub(crate) fn of(output: &[u8]) -> Self {
        Self(sha2::Sha256::digest(output).into())
    }

    /// The digest of everything that `reader` gives.
    pub(crate) fn of_reader(reader: &mut impl std::io::Read) -> std::io::Result<Self> {
        let mut hash = sha2::Sha256::new();
        let mut buffer = vec![0; 64 << 10];
        loop {
            match reader.read(&mut buffer)? {
                0 => return Ok(Self(hash.finalize().into())),
                len => hash.update(&buffer[..len]),
            }
        }
    }

    /// Its bytes.
    pub(crate) const fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The stored digest of the proof called `name`: an algorithm, and the size where it has one.
    pub(crate) fn stored(name: &str) -> Option<Self> {
        include_str!("../fixtures/outputs.sha256")
            .lines()
            .filter_map(|line| line.split_once(' '))
            .find(|(_, stored)| *stored == name)
            .and_then(|(digest, _)| hex::decode(digest).ok()?.try_into().ok())
            .map(Self)
    }
}

/// In hexadecimal.
impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}
