//! The inputs, the same for every backend and every process: keys, nonces, messages, pools of peers and
//! signatures. Nothing here is secret.

use crate::Failure;
use cryptobench_schema::{Curve, RsaScheme};
use sha2::{Digest, Sha256};

/// Bytes of associated data with every message: what TLS 1.2 authenticates with a record.
pub const AAD_LEN: usize = 13;

/// How many keys, peers, messages or signatures an operation on them cycles through, so that branch
/// predictors do not learn one.
pub const POOL: usize = 64;

/// The `len` bytes that `label` names: SHA-256 over `cryptobench/<label>/<counter>`, counter 0, 1, … in
/// decimal, concatenated.
#[must_use]
pub fn bytes(label: &str, len: usize) -> Vec<u8> {
    let mut all = Vec::with_capacity(len + 32);
    for counter in 0.. {
        if all.len() >= len {
            break;
        }
        all.extend_from_slice(&Sha256::digest(format!("cryptobench/{label}/{counter}")));
    }
    all.truncate(len);
    all
}

/// The associated data.
#[must_use]
pub fn aad() -> [u8; AAD_LEN] {
    let mut aad = [0; AAD_LEN];
    aad.copy_from_slice(&bytes("aad", AAD_LEN));
    aad
}

/// The 32-byte message with this number in the pool that RSA signs.
#[must_use]
pub fn message(number: usize) -> [u8; 32] {
    let mut message = [0; 32];
    message.copy_from_slice(&bytes(&format!("message/{number}"), 32));
    message
}

/// A nonce or IV of `N` bytes that is counted up: fixed bytes, then a 64-bit big-endian counter.
#[derive(Debug, Clone)]
pub struct CountingNonce<const N: usize> {
    first: [u8; N],
    counter: u64,
}

impl<const N: usize> CountingNonce<N> {
    const FIXED: usize = N - 8;

    /// A nonce before its first.
    #[must_use]
    pub fn new() -> Self {
        let mut first = [0; N];
        first[..Self::FIXED].copy_from_slice(&bytes("nonce", Self::FIXED));
        Self { first, counter: 0 }
    }

    /// The next nonce. By value and with its length in its type, so that it can stay in registers where
    /// the library's code is Rust, as a user's would.
    #[inline(always)]
    pub fn advance(&mut self) -> [u8; N] {
        self.counter += 1;
        let mut nonce = self.first;
        nonce[Self::FIXED..].copy_from_slice(&self.counter.to_be_bytes());
        nonce
    }
}

impl<const N: usize> Default for CountingNonce<N> {
    fn default() -> Self {
        Self::new()
    }
}

/// A random source that gives the same bytes to everyone who begins at the same seed: SplitMix64 (Steele, Lea, Flood
/// 2014). For benchmarks alone; nothing that it gives is secret.
#[derive(Debug, Clone)]
pub struct SeededRandom {
    state: u64,
    /// Bytes of the last number that nobody has had yet, the lowest first.
    left: [u8; 8],
    /// How many of them.
    many: usize,
}

impl SeededRandom {
    /// A source at its beginning.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self { state: seed, left: [0; 8], many: 0 }
    }

    /// The next bytes, as many as fit `bytes`, however they are asked for: one by one, or all at once.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for byte in bytes {
            if self.many == 0 {
                self.left = self.next().to_le_bytes();
                self.many = 8;
            }
            *byte = self.left[8 - self.many];
            self.many -= 1;
        }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// A stored RSA key. Made once with OpenSSL for this suite; published, so good for nothing else.
#[derive(Debug, Clone, Copy)]
pub struct RsaKey {
    /// Bits of the modulus.
    pub bits: u64,
    /// The key as PKCS#8 DER (RFC 5208).
    pub private: &'static [u8],
    /// The public half as PKCS#1 `RSAPublicKey` DER (RFC 8017, A.1.1).
    pub public: &'static [u8],
    pkcs1_signatures: &'static [u8],
    pss_signatures: &'static [u8],
}

macro_rules! rsa_key {
    ($bits:literal) => {
        RsaKey {
            bits: $bits,
            private: include_bytes!(concat!("../fixtures/rsa-", $bits, ".pkcs8.der")),
            public: include_bytes!(concat!("../fixtures/rsa-", $bits, ".pkcs1.pub.der")),
            pkcs1_signatures: include_bytes!(concat!(
                "../fixtures/rsa-",
                $bits,
                ".pkcs1-sha256.sigs"
            )),
            pss_signatures: include_bytes!(concat!("../fixtures/rsa-", $bits, ".pss-sha256.sigs")),
        }
    };
}

static RSA_KEYS: [RsaKey; 4] = [rsa_key!(1024), rsa_key!(2048), rsa_key!(3072), rsa_key!(4096)];

impl RsaKey {
    /// The stored key of `bits`.
    ///
    /// # Errors
    ///
    /// [`Failure::Unsupported`] where none is stored.
    pub fn stored(bits: u64) -> Result<&'static Self, Failure> {
        RSA_KEYS
            .iter()
            .find(|key| key.bits == bits)
            .ok_or_else(|| Failure::unsupported(format!("no RSA key of {bits} bits is stored")))
    }

    /// The stored signatures over [`message`] 0, 1, …, [`POOL`] of them.
    pub fn signatures(&self, scheme: RsaScheme) -> impl ExactSizeIterator<Item = &'static [u8]> {
        let all = match scheme {
            RsaScheme::Pkcs1Sha256 => self.pkcs1_signatures,
            RsaScheme::PssSha256 => self.pss_signatures,
        };
        all.chunks_exact(self.modulus_len())
    }

    /// Bytes of the modulus, and so of a signature.
    #[must_use]
    pub const fn modulus_len(&self) -> usize {
        (self.bits / 8) as usize
    }
}

/// A stored key pair for Diffie-Hellman.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The scalar, big-endian, or the 32 bytes of an X25519 private key.
    pub scalar: Vec<u8>,
    /// The public key: an uncompressed point (SEC 1, 2.3.3), or 32 bytes for X25519.
    pub public: Vec<u8>,
}

impl Pair {
    /// The private key with this number: bytes from the seed, made a valid scalar by clearing the
    /// topmost bits (P-521 has 521 of 528) and, for the other NIST curves, the topmost one.
    #[must_use]
    pub fn scalar(curve: Curve, number: usize) -> Vec<u8> {
        let mut scalar = bytes(
            &format!("{}/{number}", cryptobench_schema::Algorithm::Ecdh(curve)),
            curve.scalar_len(),
        );
        match curve {
            Curve::P256 | Curve::P384 => scalar[0] &= 0x7f,
            // Below 2^520, and so below the order.
            Curve::P521 => scalar[0] = 0,
            Curve::X25519 => {}
        }
        scalar
    }

    /// The stored pool of [`POOL`] pairs.
    #[must_use]
    pub fn pool(curve: Curve) -> Vec<Self> {
        let publics = match curve {
            Curve::P256 => include_str!("../fixtures/ecdh-p256.public.hex"),
            Curve::P384 => include_str!("../fixtures/ecdh-p384.public.hex"),
            Curve::P521 => include_str!("../fixtures/ecdh-p521.public.hex"),
            Curve::X25519 => include_str!("../fixtures/x25519.public.hex"),
        };
        publics
            .lines()
            .enumerate()
            .map(|(number, line)| Self {
                scalar: Self::scalar(curve, number),
                public: hex::decode(line).expect("fixtures are hexadecimal"),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seeded_source_gives_the_same_bytes_however_they_are_asked_for() {
        let mut at_once = [0; 41];
        SeededRandom::new(7).fill(&mut at_once);
        let mut source = SeededRandom::new(7);
        let mut one_by_one = Vec::new();
        for len in [1, 2, 3, 0, 16, 19] {
            let mut part = vec![0; len];
            source.fill(&mut part);
            one_by_one.extend(part);
        }
        assert_eq!(at_once[..], one_by_one[..]);
        let mut other = [0; 41];
        SeededRandom::new(8).fill(&mut other);
        assert_ne!(at_once, other);
    }

    #[test]
    fn the_seeded_source_is_splitmix64() {
        // The first numbers after the seed 1234567, as published with other implementations.
        let mut bytes = [0; 16];
        SeededRandom::new(1_234_567).fill(&mut bytes);
        let numbers = [6_457_827_717_110_365_317_u64, 3_203_168_211_198_807_973];
        assert_eq!(bytes[..8], numbers[0].to_le_bytes());
        assert_eq!(bytes[8..], numbers[1].to_le_bytes());
    }
}
