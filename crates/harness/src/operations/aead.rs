//! Authenticated encryption: `seal`, `open`, `reject`, `key-setup`, `seal-fresh-key`.

use super::{Proved, Role, refused, same, unanimous};
use crate::{
    Failure, Placement, Timed, guarded,
    inputs::{self, CountingNonce},
    placement::PlacedBuffer,
    region::{Slots, opaque, repeated},
    stored::Digest,
};
use cryptobench_schema::{Aead, Algorithm, Operation};
use std::{hint::black_box, marker::PhantomData, time::Duration};

/// Bytes of tag.
pub const TAG_LEN: usize = 16;

/// One AEAD key of one implementation, ready for use.
pub trait AeadKey: 'static {
    /// Makes raw key bytes ready for `role`.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn new(key: &[u8], role: Role) -> Result<Self, Failure>
    where
        Self: Sized;

    /// Makes a key for [`Role::Encrypt`], hands it to `then` and drops it. Only to be overridden where keys
    /// are so large that taking one out of its `Result` shows in the time, and only to avoid that copy.
    ///
    /// # Errors
    ///
    /// Those of [`AeadKey::new`] and of `then`.
    #[inline(always)]
    fn fresh(key: &[u8], then: impl FnOnce(&mut Self) -> Result<(), Failure>) -> Result<(), Failure>
    where
        Self: Sized,
    {
        match &mut Self::new(key, Role::Encrypt) {
            Ok(key) => then(key),
            Err(failure) => Err(failure.clone()),
        }
    }

    /// Encrypts `message` in place and writes its tag. Only called on keys made for [`Role::Encrypt`].
    ///
    /// # Errors
    ///
    /// [`Failure::Unsupported`] for a nonce of a length that the implementation does not take.
    fn seal(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &mut [u8; TAG_LEN],
    ) -> Result<(), Failure>;

    /// Decrypts `message` in place and checks its tag. Only called on keys made for
    /// [`Role::Decrypt`]. After a refusal the key is still good, the content of `message` is not.
    ///
    /// # Errors
    ///
    /// [`Failure::Refused`] where the tag does not fit.
    fn open(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Failure>;
}

/// A message and what goes with it.
struct Message<'a> {
    nonce: &'a [u8],
    aad: &'a [u8],
    text: Vec<u8>,
    tag: [u8; TAG_LEN],
}

/// An [`AeadKey`] with its type erased.
#[derive(Debug, Clone, Copy)]
pub struct AeadImplementation {
    new: fn(&[u8], Role) -> Result<Box<dyn AeadKey>, Failure>,
    seal_fresh: fn(&[u8], &mut Message<'_>) -> Result<(), Failure>,
    timed: fn(Aead, Operation, usize) -> Result<Box<dyn Timed>, Failure>,
}

impl AeadImplementation {
    /// The implementation that `K` is.
    #[must_use]
    pub fn of<K: AeadKey>() -> Self {
        Self {
            new: |key, role| Ok(Box::new(K::new(key, role)?)),
            seal_fresh: |key, it| {
                K::fresh(key, |key| key.seal(it.nonce, it.aad, &mut it.text, &mut it.tag))
            },
            timed: timed::<K>,
        }
    }

    /// A key for untimed use.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    pub fn key(&self, key: &[u8], role: Role) -> Result<Box<dyn AeadKey>, Failure> {
        (self.new)(key, role)
    }

    /// `operation` on messages of `size` bytes, made ready.
    ///
    /// # Errors
    ///
    /// Whatever the library reports while its key is made and its message sealed.
    pub(crate) fn timed(
        &self,
        aead: Aead,
        operation: Operation,
        size: usize,
    ) -> Result<Box<dyn Timed>, Failure> {
        (self.timed)(aead, operation, size)
    }
}

fn key_bytes(aead: Aead) -> Vec<u8> {
    inputs::bytes(&format!("{}/key", Algorithm::Aead(aead)), aead.key_len())
}

fn timed<K: AeadKey>(
    aead: Aead,
    operation: Operation,
    size: usize,
) -> Result<Box<dyn Timed>, Failure> {
    match aead.nonce_len() {
        12 => timed_with_nonce::<K, 12>(aead, operation, size),
        24 => timed_with_nonce::<K, 24>(aead, operation, size),
        other => Err(Failure::unsupported(format!("a nonce of {other} bytes"))),
    }
}

fn timed_with_nonce<K: AeadKey, const N: usize>(
    aead: Aead,
    operation: Operation,
    size: usize,
) -> Result<Box<dyn Timed>, Failure> {
    let sealing = || Sealing::<N> {
        key_bytes: key_bytes(aead),
        nonce: CountingNonce::new(),
        aad: inputs::aad(),
        message: PlacedBuffer::new(size),
        size,
        tag: [0; TAG_LEN],
    };
    Ok(match operation {
        Operation::Seal => {
            Box::new(Seal { key: K::new(&key_bytes(aead), Role::Encrypt)?, with: sealing() })
        }
        Operation::SealFreshKey => {
            Box::new(SealFreshKey { with: sealing(), key: PhantomData::<K> })
        }
        Operation::KeySetup => {
            Box::new(KeySetup { key_bytes: key_bytes(aead), key: PhantomData::<K> })
        }
        Operation::Open | Operation::Reject => {
            let mut message = inputs::bytes("plaintext", size);
            let nonce = CountingNonce::<N>::new().advance();
            let aad = inputs::aad();
            let mut tag = [0; TAG_LEN];
            K::new(&key_bytes(aead), Role::Encrypt)?.seal(&nonce, &aad, &mut message, &mut tag)?;
            let key = K::new(&key_bytes(aead), Role::Decrypt)?;
            let open = Open { key, nonce, aad, tag, size, slots: Slots::new(message, 0) };
            if operation == Operation::Open { Box::new(open) } else { Box::new(Reject::new(open)) }
        }
        other => return Err(Failure::unsupported(format!("AEADs have no operation `{other}`"))),
    })
}

/// What sealing needs beside a key.
struct Sealing<const N: usize> {
    key_bytes: Vec<u8>,
    nonce: CountingNonce<N>,
    aad: [u8; inputs::AAD_LEN],
    message: PlacedBuffer,
    size: usize,
    tag: [u8; TAG_LEN],
}

struct Seal<K, const N: usize> {
    key: K,
    with: Sealing<N>,
}

impl<K: AeadKey, const N: usize> Timed for Seal<K, N> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        let Sealing { nonce, aad, message, tag, .. } = &mut self.with;
        let message = message.at(placement);
        repeated(iterations, placement, || {
            let nonce = nonce.advance();
            let (aad, message) = (opaque(aad), black_box(&mut *message));
            black_box(&mut self.key).seal(&nonce, aad, message, tag)?;
            black_box(&*tag);
            Ok(())
        })
    }

    fn check(&mut self) -> Result<(), Failure> {
        let Sealing { key_bytes, nonce, aad, size, .. } = &mut self.with;
        let nonce = nonce.advance();
        let mut sealed = [(); 2].map(|()| (inputs::bytes("plaintext", *size), [0; TAG_LEN]));
        let [used, fresh] = &mut sealed;
        self.key.seal(&nonce, aad, &mut used.0, &mut used.1)?;
        K::new(key_bytes, Role::Encrypt)?.seal(&nonce, aad, &mut fresh.0, &mut fresh.1)?;
        same("a message under the key that was timed", used, fresh)
    }
}

struct SealFreshKey<K, const N: usize> {
    with: Sealing<N>,
    key: PhantomData<K>,
}

impl<K: AeadKey, const N: usize> Timed for SealFreshKey<K, N> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        let Sealing { key_bytes, nonce, aad, message, tag, .. } = &mut self.with;
        let message = message.at(placement);
        repeated(iterations, placement, || {
            let (key_bytes, aad) = (opaque(key_bytes), opaque(aad));
            K::fresh(key_bytes, |key| {
                let nonce = nonce.advance();
                key.seal(&nonce, aad, black_box(&mut *message), tag)?;
                black_box(&*tag);
                Ok(())
            })
        })
    }
}

struct KeySetup<K> {
    key_bytes: Vec<u8>,
    key: PhantomData<K>,
}

impl<K: AeadKey> Timed for KeySetup<K> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        repeated(iterations, placement, || {
            let key_bytes = opaque(&self.key_bytes);
            K::fresh(key_bytes, |key| {
                black_box(key);
                Ok(())
            })
        })
    }
}

struct Open<K, const N: usize> {
    key: K,
    nonce: [u8; N],
    aad: [u8; inputs::AAD_LEN],
    tag: [u8; TAG_LEN],
    size: usize,
    slots: Slots,
}

impl<K: AeadKey, const N: usize> Timed for Open<K, N> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        self.slots.consumed(iterations, placement, |slot| {
            let message = black_box(&mut slot[..self.size]);
            let (nonce, aad, tag) = (opaque(&self.nonce), opaque(&self.aad), opaque(&self.tag));
            black_box(&mut self.key).open(nonce, aad, message, tag)?;
            black_box(message);
            Ok(())
        })
    }

    fn check(&mut self) -> Result<(), Failure> {
        let mut message = self.slots.input().to_vec();
        self.key.open(&self.nonce, &self.aad, &mut message, &self.tag)?;
        same("a message opened", &message, &inputs::bytes("plaintext", self.size))
    }
}

struct Reject<K, const N: usize>(Open<K, N>);

impl<K, const N: usize> Reject<K, N> {
    fn new(mut open: Open<K, N>) -> Self {
        open.tag[0] ^= 1;
        Self(open)
    }
}

impl<K: AeadKey, const N: usize> Timed for Reject<K, N> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        let Open { key, nonce, aad, tag, size, slots } = &mut self.0;
        slots.consumed(iterations, placement, |slot| {
            let message = black_box(&mut slot[..*size]);
            let (nonce, aad, tag) = (opaque(nonce), opaque(aad), opaque(tag));
            refused("a forged tag", black_box(&mut *key).open(nonce, aad, message, tag))
        })
    }
}

/// Proves `implementations` of `aead` against each other, at `size` bytes and one byte more and less.
pub(crate) fn prove(
    aead: Aead,
    size: usize,
    implementations: &[&AeadImplementation],
    stored: Option<Digest>,
) -> Vec<Proved> {
    unanimous("sealed messages", &outputs(aead, size, implementations), stored)
}

/// What each of `implementations` computes in its proof.
pub(crate) fn outputs(
    aead: Aead,
    size: usize,
    implementations: &[&AeadImplementation],
) -> Vec<Result<Vec<u8>, Failure>> {
    let lengths = [size.saturating_sub(1), size, size + 1];
    implementations
        .iter()
        .map(|implementation| guarded(|| transcript(aead, &lengths, implementation)))
        .collect()
}

/// Bytes of the longest nonce, XChaCha20's.
const LONGEST_NONCE: usize = 24;

/// Everything that `implementation` seals for `lengths`, after it has proved to itself that it opens
/// what it sealed and refuses forgeries, one key being used throughout.
fn transcript(
    aead: Aead,
    lengths: &[usize],
    implementation: &AeadImplementation,
) -> Result<Vec<u8>, Failure> {
    let mut sealer = implementation.key(&key_bytes(aead), Role::Encrypt)?;
    let mut opener = implementation.key(&key_bytes(aead), Role::Decrypt)?;
    let mut nonces = CountingNonce::<LONGEST_NONCE>::new();
    let aad = inputs::aad();
    let mut all = Vec::new();
    for &length in lengths {
        let message = inputs::bytes("plaintext", length);
        let nonce = nonces.advance();
        // The last bytes, in which it counts.
        let nonce = &nonce[LONGEST_NONCE - aead.nonce_len()..];
        let mut sealed = message.clone();
        let mut tag = [0; TAG_LEN];
        sealer.seal(nonce, &aad, &mut sealed, &mut tag)?;
        let mut fresh = Message { nonce, aad: &aad, text: message.clone(), tag: [0; TAG_LEN] };
        (implementation.seal_fresh)(&key_bytes(aead), &mut fresh)?;
        same("a message under a fresh key", &(fresh.text, fresh.tag), &(sealed.clone(), tag))?;
        all.extend_from_slice(&sealed);
        all.extend_from_slice(&tag);

        let mut open = |aad: &[u8], sealed: &[u8], tag: &[u8; TAG_LEN]| {
            let mut buffer = sealed.to_vec();
            opener.open(nonce, aad, &mut buffer, tag).map(|()| buffer)
        };
        // Every bit of the tag; where the message is long, a few.
        for bit in (0..TAG_LEN * 8).step_by(if length > 2048 { 31 } else { 1 }) {
            let mut forged = tag;
            forged[bit / 8] ^= 1 << (bit % 8);
            refused("a flipped bit in the tag", open(&aad, &sealed, &forged))?;
        }
        if length > 0 {
            for at in [0, length / 2, length - 1] {
                let mut forged = sealed.clone();
                forged[at] ^= 0x80;
                refused("a flipped bit in the ciphertext", open(&aad, &forged, &tag))?;
            }
        }
        let mut other_aad = aad;
        other_aad[0] ^= 1;
        refused("a flipped bit in the AAD", open(&other_aad, &sealed, &tag))?;
        // Last, so that the key is known to survive refusals.
        if open(&aad, &sealed, &tag)? != message {
            return Err(Failure::wrong(format!("{length} bytes sealed do not open to themselves")));
        }
    }
    Ok(all)
}
