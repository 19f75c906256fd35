//! AES modes without authentication: `encrypt`, `decrypt`.

use super::{Proved, Role, refused, same, unanimous};
use crate::{
    Failure, Placement, Timed, guarded,
    inputs::{self, CountingNonce},
    placement::PlacedBuffer,
    region::{Slots, repeated},
    stored::Digest,
};
use cryptobench_schema::{Algorithm, BlockMode, Operation};
use std::{hint::black_box, time::Duration};

/// Bytes of IV, initial counter block or tweak.
pub const IV_LEN: usize = 16;

/// Bytes of room that a buffer has behind the message: one block for padding, and one more that some
/// libraries insist on.
pub const ROOM: usize = 32;

/// One key of one implementation in one mode, ready for use.
pub trait BlockModeKey: 'static {
    /// Makes raw key bytes ready for `role`; for XTS, both keys concatenated.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn new(key: &[u8], role: Role) -> Result<Self, Failure>
    where
        Self: Sized;

    /// Encrypts the first `length` bytes of `buffer` in place as one message and returns the length of
    /// the ciphertext. [`ROOM`] more bytes may be written to. CBC pads (PKCS#7); ECB ignores `iv`; CTR
    /// takes it as the initial counter block, counted up as 128 bits big-endian; XTS as the tweak.
    /// Only called on keys made for [`Role::Encrypt`].
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn encrypt(
        &mut self,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure>;

    /// Decrypts the first `length` bytes of `buffer` in place and returns the length of the message.
    /// Only called on keys made for [`Role::Decrypt`].
    ///
    /// # Errors
    ///
    /// [`Failure::Refused`] where the padding is wrong.
    fn decrypt(
        &mut self,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure>;
}

/// A [`BlockModeKey`] with its type erased.
#[derive(Debug, Clone, Copy)]
pub struct BlockModeImplementation {
    new: fn(&[u8], Role) -> Result<Box<dyn BlockModeKey>, Failure>,
    timed: fn(BlockMode, Operation, usize) -> Result<Box<dyn Timed>, Failure>,
}

impl BlockModeImplementation {
    /// The implementation that `K` is.
    #[must_use]
    pub fn of<K: BlockModeKey>() -> Self {
        Self { new: |key, role| Ok(Box::new(K::new(key, role)?)), timed: timed::<K> }
    }

    /// A key for untimed use.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    pub fn key(&self, key: &[u8], role: Role) -> Result<Box<dyn BlockModeKey>, Failure> {
        (self.new)(key, role)
    }

    /// `operation` on messages of `size` bytes, made ready.
    ///
    /// # Errors
    ///
    /// Whatever the library reports while its key is made and its message encrypted.
    pub(crate) fn timed(
        &self,
        mode: BlockMode,
        operation: Operation,
        size: usize,
    ) -> Result<Box<dyn Timed>, Failure> {
        (self.timed)(mode, operation, size)
    }
}

fn key_bytes(mode: BlockMode) -> Vec<u8> {
    inputs::bytes(&format!("{}/key", Algorithm::BlockMode(mode)), mode.key_len())
}

/// `length` bytes of plaintext with room behind them.
fn roomy(length: usize) -> Vec<u8> {
    let mut buffer = inputs::bytes("plaintext", length);
    buffer.resize(length + ROOM, 0);
    buffer
}

fn timed<K: BlockModeKey>(
    mode: BlockMode,
    operation: Operation,
    size: usize,
) -> Result<Box<dyn Timed>, Failure> {
    let ivs = CountingNonce::<IV_LEN>::new();
    let ciphertext_len = mode.ciphertext_len(size);
    Ok(match operation {
        Operation::Encrypt => Box::new(Encrypt {
            key_bytes: key_bytes(mode),
            key: K::new(&key_bytes(mode), Role::Encrypt)?,
            ivs,
            buffer: PlacedBuffer::new(size + ROOM),
            size,
            ciphertext_len,
        }),
        Operation::Decrypt => {
            let mut ivs = ivs;
            let iv = ivs.advance();
            let mut buffer = roomy(size);
            let mut encrypting = K::new(&key_bytes(mode), Role::Encrypt)?;
            let written = encrypting.encrypt(&iv, &mut buffer, size)?;
            check_length("ciphertext", ciphertext_len, written)?;
            buffer.truncate(written);
            Box::new(Decrypt {
                key: K::new(&key_bytes(mode), Role::Decrypt)?,
                iv,
                size,
                ciphertext_len,
                slots: Slots::new(buffer, ROOM),
            })
        }
        other => {
            return Err(Failure::unsupported(format!("block modes have no operation `{other}`")));
        }
    })
}

#[inline]
fn check_length(what: &str, expected: usize, found: usize) -> Result<(), Failure> {
    if expected == found {
        return Ok(());
    }
    Err(Failure::wrong(format!("{what} of {found} bytes instead of {expected}")))
}

struct Encrypt<K> {
    key_bytes: Vec<u8>,
    key: K,
    ivs: CountingNonce<IV_LEN>,
    buffer: PlacedBuffer,
    size: usize,
    ciphertext_len: usize,
}

impl<K: BlockModeKey> Timed for Encrypt<K> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        let buffer = self.buffer.at(placement);
        repeated(iterations, placement, || {
            let iv = self.ivs.advance();
            let written =
                black_box(&mut self.key).encrypt(&iv, black_box(&mut *buffer), self.size)?;
            check_length("ciphertext", self.ciphertext_len, written)
        })
    }

    fn check(&mut self) -> Result<(), Failure> {
        let iv = self.ivs.advance();
        let (mut used, mut fresh) = (roomy(self.size), roomy(self.size));
        self.key.encrypt(&iv, &mut used, self.size)?;
        K::new(&self.key_bytes, Role::Encrypt)?.encrypt(&iv, &mut fresh, self.size)?;
        used.truncate(self.ciphertext_len);
        fresh.truncate(self.ciphertext_len);
        same("a message under the key that was timed", &used, &fresh)
    }
}

struct Decrypt<K> {
    key: K,
    iv: [u8; IV_LEN],
    size: usize,
    ciphertext_len: usize,
    slots: Slots,
}

impl<K: BlockModeKey> Timed for Decrypt<K> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        self.slots.consumed(iterations, placement, |slot| {
            let iv = black_box(&self.iv);
            let written =
                black_box(&mut self.key).decrypt(iv, black_box(&mut *slot), self.ciphertext_len)?;
            black_box(slot);
            check_length("message", self.size, written)
        })
    }

    fn check(&mut self) -> Result<(), Failure> {
        let mut buffer = self.slots.input().to_vec();
        buffer.resize(self.ciphertext_len + ROOM, 0);
        let written = self.key.decrypt(&self.iv, &mut buffer, self.ciphertext_len)?;
        check_length("message", self.size, written)?;
        buffer.truncate(self.size);
        same("a message decrypted", &buffer, &inputs::bytes("plaintext", self.size))
    }
}

/// Proves `implementations` of `mode` against each other, at `size` bytes and one unit more and less.
pub(crate) fn prove(
    mode: BlockMode,
    size: usize,
    implementations: &[&BlockModeImplementation],
    stored: Option<Digest>,
) -> Vec<Proved> {
    unanimous("ciphertexts", &outputs(mode, size, implementations), stored)
}

/// What each of `implementations` computes in its proof.
pub(crate) fn outputs(
    mode: BlockMode,
    size: usize,
    implementations: &[&BlockModeImplementation],
) -> Vec<Result<Vec<u8>, Failure>> {
    let unit = mode.unit();
    let lengths: Vec<usize> = [size.saturating_sub(unit), size, size + unit]
        .into_iter()
        .filter(|length| *length > 0)
        .collect();
    implementations
        .iter()
        .map(|implementation| guarded(|| transcript(mode, &lengths, implementation)))
        .collect()
}

/// Everything that `implementation` encrypts for `lengths`, after it has decrypted it to itself, one key
/// being used throughout. Each length twice, under two IVs.
fn transcript(
    mode: BlockMode,
    lengths: &[usize],
    implementation: &BlockModeImplementation,
) -> Result<Vec<u8>, Failure> {
    let mut encrypting = implementation.key(&key_bytes(mode), Role::Encrypt)?;
    let mut decrypting = implementation.key(&key_bytes(mode), Role::Decrypt)?;
    let mut ivs = CountingNonce::<IV_LEN>::new();
    let mut all = Vec::new();
    for &length in lengths.iter().chain(lengths) {
        let iv = ivs.advance();
        let mut buffer = roomy(length);
        let written = encrypting.encrypt(&iv, &mut buffer, length)?;
        check_length("ciphertext", mode.ciphertext_len(length), written)?;
        all.extend_from_slice(&buffer[..written]);
        let back = decrypting.decrypt(&iv, &mut buffer, written)?;
        check_length("message", length, back)?;
        if buffer[..length] != inputs::bytes("plaintext", length) {
            return Err(Failure::wrong(format!(
                "{length} bytes encrypted do not decrypt to themselves"
            )));
        }
    }
    if mode.ciphertext_len(0) > 0 {
        // 8 bytes of padding, and then the last one is not 8, or the one before it is not.
        for (from_the_end, flip) in [(1, 0x80), (1, 0x18), (1, 0x08), (2, 0x01)] {
            let iv = ivs.advance();
            let mut buffer = roomy(40);
            let written = encrypting.encrypt(&iv, &mut buffer, 40)?;
            buffer[written - 16 - from_the_end] ^= flip;
            refused("wrong padding", decrypting.decrypt(&iv, &mut buffer, written))?;
        }
    }
    Ok(all)
}
