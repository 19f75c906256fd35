//! RSA: `keygen`, `keygen-seeded`, `sign`, `verify`.

use super::{Proof, Proved, most, refused, same, unanimous};
use crate::{
    Failure, Placement, Timed, guarded,
    inputs::{self, POOL, RsaKey, SeededRandom},
    region::repeated,
};
use cryptobench_schema::RsaScheme;
use std::{hint::black_box, marker::PhantomData, time::Duration};

/// A generated key pair.
pub trait RsaKeyPair: Sized + 'static {
    /// Generates a key of `bits` from the library's usual random source, with its usual checks and its
    /// usual public exponent.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn generate(bits: u64) -> Result<Self, Failure>;

    /// The public key as PKCS#1 `RSAPublicKey` DER (RFC 8017, A.1.1).
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn public_key(&self) -> Result<Vec<u8>, Failure>;

    /// The private key as PKCS#8 DER (RFC 5208).
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn private_key(&self) -> Result<Vec<u8>, Failure>;
}

/// A key pair of a library whose interface lets the random source be chosen.
pub trait SeededRsaKeyPair: RsaKeyPair {
    /// Generates a key of `bits` as [`RsaKeyPair::generate`] does, but drawing every random byte from `random`.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn generate_from(bits: u64, random: &mut SeededRandom) -> Result<Self, Failure>;
}

/// A private key ready to sign under one scheme.
pub trait RsaSigner: 'static {
    /// Parses a private key in PKCS#8 DER.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn new(pkcs8: &[u8]) -> Result<Self, Failure>
    where
        Self: Sized;

    /// Signs `message`, hashing it with SHA-256. `signature` is exactly as long as the modulus.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn sign(&mut self, message: &[u8], signature: &mut [u8]) -> Result<(), Failure>;
}

/// Signature verification under one scheme, the public key given as bytes.
pub trait RsaVerifier: 'static {
    /// Parses `public_key` (PKCS#1 `RSAPublicKey` DER) and checks `signature` over `message`, hashing it
    /// with SHA-256; PSS with a salt of exactly 32 bytes.
    ///
    /// # Errors
    ///
    /// [`Failure::Refused`] where the signature does not fit; other failures where the key is unusable.
    fn verify(public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure>;
}

/// An [`RsaKeyPair`] with its type erased.
#[derive(Debug, Clone, Copy)]
pub struct RsaKeygenImplementation {
    generate: fn(u64) -> Result<GeneratedKey, Failure>,
    timed: fn(u64) -> Box<dyn Timed>,
}

/// A generated key as bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedKey {
    /// PKCS#1 `RSAPublicKey` DER.
    pub public: Vec<u8>,
    /// PKCS#8 DER.
    pub private: Vec<u8>,
}

impl RsaKeygenImplementation {
    /// The implementation that `K` is.
    #[must_use]
    pub fn of<K: RsaKeyPair>() -> Self {
        Self {
            generate: |bits| {
                let key = K::generate(bits)?;
                Ok(GeneratedKey { public: key.public_key()?, private: key.private_key()? })
            },
            timed: |bits| Box::new(Keygen { bits, key: PhantomData::<K> }),
        }
    }

    /// A key of `bits`, untimed.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    pub fn generate(&self, bits: u64) -> Result<GeneratedKey, Failure> {
        (self.generate)(bits)
    }

    pub(crate) fn timed(&self, bits: u64) -> Box<dyn Timed> {
        (self.timed)(bits)
    }
}

/// A [`SeededRsaKeyPair`] with its type erased.
#[derive(Debug, Clone, Copy)]
pub struct RsaSeededImplementation {
    /// As of its usual source.
    usual: RsaKeygenImplementation,
    generate: fn(u64, u64) -> Result<GeneratedKey, Failure>,
    timed: fn(u64) -> Box<dyn Timed>,
}

impl RsaSeededImplementation {
    /// The implementation that `K` is.
    #[must_use]
    pub fn of<K: SeededRsaKeyPair>() -> Self {
        Self {
            usual: RsaKeygenImplementation::of::<K>(),
            generate: |bits, seed| {
                let key = K::generate_from(bits, &mut SeededRandom::new(seed))?;
                Ok(GeneratedKey { public: key.public_key()?, private: key.private_key()? })
            },
            timed: |bits| Box::new(KeygenSeeded { bits, key: PhantomData::<K> }),
        }
    }

    /// The key of `bits` that comes of `seed`, untimed.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    pub fn generate(&self, bits: u64, seed: u64) -> Result<GeneratedKey, Failure> {
        (self.generate)(bits, seed)
    }

    pub(crate) fn timed(&self, bits: u64) -> Box<dyn Timed> {
        (self.timed)(bits)
    }
}

/// An [`RsaSigner`] with its type erased.
#[derive(Debug, Clone, Copy)]
pub struct RsaSignImplementation {
    new: fn(&[u8]) -> Result<Box<dyn RsaSigner>, Failure>,
    timed: fn(&'static RsaKey) -> Result<Box<dyn Timed>, Failure>,
}

impl RsaSignImplementation {
    /// The implementation that `S` is.
    #[must_use]
    pub fn of<S: RsaSigner>() -> Self {
        Self {
            new: |pkcs8| Ok(Box::new(S::new(pkcs8)?)),
            timed: |key| {
                Ok(Box::new(Sign {
                    signer: S::new(key.private)?,
                    messages: (0..POOL).map(inputs::message).collect(),
                    turn: 0,
                    signature: vec![0; key.modulus_len()],
                }))
            },
        }
    }

    /// A signer for untimed use.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    pub fn signer(&self, pkcs8: &[u8]) -> Result<Box<dyn RsaSigner>, Failure> {
        (self.new)(pkcs8)
    }

    pub(crate) fn timed(&self, bits: u64) -> Result<Box<dyn Timed>, Failure> {
        (self.timed)(RsaKey::stored(bits)?)
    }
}

/// An [`RsaVerifier`] with its type erased.
#[derive(Debug, Clone, Copy)]
pub struct RsaVerifyImplementation {
    verify: fn(&[u8], &[u8], &[u8]) -> Result<(), Failure>,
    timed: fn(&'static RsaKey, RsaScheme) -> Box<dyn Timed>,
}

impl RsaVerifyImplementation {
    /// The implementation that `V` is.
    #[must_use]
    pub fn of<V: RsaVerifier>() -> Self {
        Self {
            verify: V::verify,
            timed: |key, scheme| {
                Box::new(Verify {
                    public: key.public,
                    signed: key
                        .signatures(scheme)
                        .enumerate()
                        .map(|(number, signature)| (inputs::message(number), signature))
                        .collect(),
                    turn: 0,
                    verifier: PhantomData::<V>,
                })
            },
        }
    }

    /// One verification, untimed; parameters as of [`RsaVerifier::verify`].
    ///
    /// # Errors
    ///
    /// As [`RsaVerifier::verify`].
    pub fn verify(
        &self,
        public_key: &[u8],
        message: &[u8],
        signature: &[u8],
    ) -> Result<(), Failure> {
        (self.verify)(public_key, message, signature)
    }

    pub(crate) fn timed(&self, scheme: RsaScheme, bits: u64) -> Result<Box<dyn Timed>, Failure> {
        Ok((self.timed)(RsaKey::stored(bits)?, scheme))
    }
}

struct Keygen<K> {
    bits: u64,
    key: PhantomData<K>,
}

impl<K: RsaKeyPair> Timed for Keygen<K> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        repeated(iterations, placement, || {
            let key = K::generate(black_box(self.bits))?;
            black_box(key.public_key()?);
            Ok(())
        })
    }
}

struct KeygenSeeded<K> {
    bits: u64,
    key: PhantomData<K>,
}

impl<K: SeededRsaKeyPair> Timed for KeygenSeeded<K> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        let mut seed = placement.seed();
        repeated(iterations, placement, || {
            let mut random = SeededRandom::new(seed);
            seed = seed.wrapping_add(1);
            let key = K::generate_from(black_box(self.bits), &mut random)?;
            black_box(key.public_key()?);
            Ok(())
        })
    }
}

struct Sign<S> {
    signer: S,
    messages: Vec<[u8; 32]>,
    turn: usize,
    signature: Vec<u8>,
}

impl<S: RsaSigner> Timed for Sign<S> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        repeated(iterations, placement, || {
            self.turn = (self.turn + 1) % POOL;
            let message = black_box(&self.messages[self.turn]);
            black_box(&mut self.signer).sign(message, &mut self.signature)?;
            black_box(&self.signature);
            Ok(())
        })
    }
}

struct Verify<V> {
    public: &'static [u8],
    signed: Vec<([u8; 32], &'static [u8])>,
    turn: usize,
    verifier: PhantomData<V>,
}

impl<V: RsaVerifier> Timed for Verify<V> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        repeated(iterations, placement, || {
            self.turn = (self.turn + 1) % POOL;
            let (message, signature) = black_box(&self.signed[self.turn]);
            V::verify(black_box(self.public), message, signature)
        })
    }
}

/// Proves implementations of `sign` at `bits`: with PKCS#1 v1.5 all give the same bytes; under both
/// schemes a majority of `witnesses` accepts every signature.
pub(crate) fn prove_sign(
    scheme: RsaScheme,
    bits: u64,
    implementations: &[&RsaSignImplementation],
    witnesses: &[&RsaVerifyImplementation],
) -> Vec<Proved> {
    let signatures: Vec<_> = implementations
        .iter()
        .map(|implementation| {
            guarded(|| {
                let key = RsaKey::stored(bits)?;
                let mut signer = implementation.signer(key.private)?;
                let mut all = Vec::new();
                for number in 0..4 {
                    let message = inputs::message(number);
                    let mut signature = vec![0; key.modulus_len()];
                    signer.sign(&message, &mut signature)?;
                    accepted_by_most(key.public, &message, &signature, witnesses)?;
                    let mut again = vec![0; key.modulus_len()];
                    signer.sign(&message, &mut again)?;
                    if (again == signature) != (scheme == RsaScheme::Pkcs1Sha256) {
                        return Err(Failure::wrong(
                            "PSS must salt anew, PKCS#1 v1.5 must give the same signature again",
                        ));
                    }
                    all.extend_from_slice(&signature);
                }
                Ok(all)
            })
        })
        .collect();
    match scheme {
        RsaScheme::Pkcs1Sha256 => {
            // The stored signatures vote too: with one implementation selected it still has a witness.
            let mut outputs = signatures;
            outputs.push(
                RsaKey::stored(bits)
                    .map(|key| key.signatures(scheme).take(4).flatten().copied().collect()),
            );
            let mut proofs = unanimous("signatures", &outputs, None);
            proofs.pop();
            proofs
        }
        RsaScheme::PssSha256 => {
            signatures.into_iter().map(|signatures| signatures.map(|_| None)).collect()
        }
    }
}

fn accepted_by_most(
    public: &[u8],
    message: &[u8],
    signature: &[u8],
    witnesses: &[&RsaVerifyImplementation],
) -> Proof {
    let accepting = witnesses
        .iter()
        .filter(|witness| guarded(|| witness.verify(public, message, signature)).is_ok())
        .count();
    if !most(accepting, witnesses.len()) {
        return Err(Failure::wrong(format!(
            "a signature was accepted by only {accepting} of {} implementations",
            witnesses.len()
        )));
    }
    Ok(())
}

/// Proves implementations of `verify` at `bits`: the stored signatures are accepted, forged ones refused.
pub(crate) fn prove_verify(
    scheme: RsaScheme,
    bits: u64,
    implementations: &[&RsaVerifyImplementation],
) -> Vec<Proof> {
    implementations
        .iter()
        .map(|implementation| {
            guarded(|| {
                let key = RsaKey::stored(bits)?;
                for (number, signature) in key.signatures(scheme).enumerate() {
                    let message = inputs::message(number);
                    implementation.verify(key.public, &message, signature)?;
                    let mut forged = signature.to_vec();
                    *forged.last_mut().expect("signatures are not empty") ^= 1;
                    refused(
                        "a flipped bit in the signature",
                        implementation.verify(key.public, &message, &forged),
                    )?;
                    refused(
                        "a signature over another message",
                        implementation.verify(key.public, &inputs::message(number + 1), signature),
                    )?;
                }
                Ok(())
            })
        })
        .collect()
}

/// Proves implementations of `keygen` at `bits`: the modulus has that size, two keys differ, and what a
/// generated key signs is accepted by a majority of the implementations that verify.
pub(crate) fn prove_keygen(
    bits: u64,
    implementations: &[&RsaKeygenImplementation],
    signers: &[&RsaSignImplementation],
    witnesses: &[&RsaVerifyImplementation],
) -> Vec<Proof> {
    let mut seen: Vec<Vec<u8>> = Vec::new();
    implementations
        .iter()
        .map(|implementation| {
            let key = guarded(|| {
                let key = implementation.generate(bits)?;
                // A second of these takes seconds; the others' keys differ, too.
                if bits <= SECOND_KEY && implementation.generate(bits)?.public == key.public {
                    return Err(Failure::wrong("the same key was generated twice"));
                }
                Ok(key)
            })?;
            if seen.contains(&key.public) {
                return Err(Failure::wrong("the same key was generated twice"));
            }
            prove_key(bits, &key, signers, witnesses)?;
            seen.push(key.public);
            Ok(())
        })
        .collect()
}

/// The largest modulus, in bits, at which a proof generates one key more than it needs.
const SECOND_KEY: u64 = 2048;

/// Proves a generated key: its modulus has `bits`, and what most of `signers` sign with it, most of `witnesses` accept.
fn prove_key(
    bits: u64,
    key: &GeneratedKey,
    signers: &[&RsaSignImplementation],
    witnesses: &[&RsaVerifyImplementation],
) -> Proof {
    let found = guarded(|| modulus_bits(&key.public))?;
    if found != bits {
        return Err(Failure::wrong(format!("a modulus of {found} bits instead of {bits}")));
    }
    let message = inputs::message(0);
    let signs = |signer: &RsaSignImplementation| {
        guarded(|| {
            let mut signature = vec![0; key_len(bits)];
            signer.signer(&key.private)?.sign(&message, &mut signature)?;
            accepted_by_most(&key.public, &message, &signature, witnesses)
        })
    };
    let attempts: Vec<Proof> = signers.iter().map(|signer| signs(signer)).collect();
    let failures: Vec<&Failure> = attempts.iter().filter_map(|it| it.as_ref().err()).collect();
    if most(attempts.len() - failures.len(), attempts.len()) {
        return Ok(());
    }
    Err(failures[0].clone())
}

/// Proves implementations of `keygen-seeded` at `bits`: a seed gives one key, another seed another, and what holds of a
/// key of `keygen` holds of it.
pub(crate) fn prove_seeded(
    bits: u64,
    implementations: &[&RsaSeededImplementation],
    signers: &[&RsaSignImplementation],
    witnesses: &[&RsaVerifyImplementation],
) -> Vec<Proof> {
    implementations
        .iter()
        .map(|it| {
            guarded(|| {
                let key = it.generate(bits, 1)?;
                same("the key that a seed gives again", &key, &it.generate(bits, 1)?)?;
                if bits <= SECOND_KEY {
                    if it.generate(bits, 2)?.public == key.public {
                        return Err(Failure::wrong("two seeds give the same key"));
                    }
                    // The usual source is in its place again.
                    if it.usual.generate(bits)?.public == it.usual.generate(bits)?.public {
                        return Err(Failure::wrong("the same key was generated twice"));
                    }
                }
                prove_key(bits, &key, signers, witnesses)
            })
        })
        .collect()
}

const fn key_len(bits: u64) -> usize {
    (bits / 8) as usize
}

/// Bits of the modulus in a PKCS#1 `RSAPublicKey`.
///
/// # Errors
///
/// [`Failure::Wrong`] where the bytes are no such key.
pub fn modulus_bits(public_key: &[u8]) -> Result<u64, Failure> {
    let key = pkcs1::RsaPublicKeyRef::try_from(public_key)
        .map_err(|error| Failure::wrong(format!("no PKCS#1 public key: {error}")))?;
    let modulus = key.modulus.as_bytes();
    let leading = modulus.first().map_or(0, |first| first.leading_zeros());
    Ok(modulus.len() as u64 * 8 - u64::from(leading))
}
