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
