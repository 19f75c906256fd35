//! Diffie-Hellman on elliptic curves: `keygen`, `derive`, `ephemeral`.

use super::{Proof, Proved, most, refused, unanimous};
use crate::{
    Failure, Placement, Timed, guarded,
    inputs::{POOL, Pair},
    region::repeated,
    stored::Digest,
};
use cryptobench_schema::{Curve, Operation};
use std::{hint::black_box, marker::PhantomData, time::Duration};

/// Bytes of the longest public key, a point on P-521.
const LONGEST_PUBLIC_KEY: usize = 133;
/// Bytes of the longest shared secret.
const LONGEST_SECRET: usize = 66;

/// A key pair made for one agreement.
pub trait EphemeralKey: Sized + 'static {
    /// Generates a key pair from the library's usual random source.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn generate() -> Result<Self, Failure>;

    /// Writes the public key: an uncompressed point (SEC 1, 2.3.3), or 32 bytes for X25519. `out` has
    /// exactly that length.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn public_key(&self, out: &mut [u8]) -> Result<(), Failure>;

    /// Parses and checks the peer's public key, given in the same form, and writes the shared secret.
    /// `secret` has exactly its length.
    ///
    /// # Errors
    ///
    /// Whatever the library reports; [`Failure::Refused`] for a key that is not on the curve.
    fn agree(self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure>;
}

/// A private key that lasts for many agreements.
pub trait StaticKey: 'static {
    /// Takes the scalar, big-endian and as long as the curve's order, or the 32 bytes of an X25519 key.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn new(scalar: &[u8]) -> Result<Self, Failure>
    where
        Self: Sized;

    /// As [`EphemeralKey::agree`], the key being good for more.
    ///
    /// # Errors
    ///
    /// Whatever the library reports; [`Failure::Refused`] for a key that is not on the curve.
    fn agree(&mut self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure>;
}

/// An [`EphemeralKey`] with its type erased.
#[derive(Debug, Clone, Copy)]
pub struct EphemeralImplementation {
    exchange: fn(Curve, &[u8]) -> Result<Exchange, Failure>,
    handshake: fn(Curve) -> Result<[Vec<u8>; 2], Failure>,
    timed: fn(Curve, Operation) -> Result<Box<dyn Timed>, Failure>,
}

/// A generated public key and the secret that its private key agreed on.
#[derive(Debug)]
struct Exchange {
    public: Vec<u8>,
    secret: Vec<u8>,
}

impl EphemeralImplementation {
    /// The implementation that `K` is.
    #[must_use]
    pub fn of<K: EphemeralKey>() -> Self {
        Self { exchange: exchange::<K>, handshake: handshake::<K>, timed: timed_ephemeral::<K> }
    }

    pub(crate) fn timed(
        &self,
        curve: Curve,
        operation: Operation,
    ) -> Result<Box<dyn Timed>, Failure> {
        (self.timed)(curve, operation)
    }
}

/// A [`StaticKey`] with its type erased.
#[derive(Debug, Clone, Copy)]
pub struct StaticImplementation {
    new: fn(&[u8]) -> Result<Box<dyn StaticKey>, Failure>,
    timed: fn(Curve) -> Result<Box<dyn Timed>, Failure>,
}

impl StaticImplementation {
    /// The implementation that `K` is.
    #[must_use]
    pub fn of<K: StaticKey>() -> Self {
        Self { new: |scalar| Ok(Box::new(K::new(scalar)?)), timed: timed_derive::<K> }
    }

    /// The secret shared by the private key `scalar` and the public key `peer`, untimed.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    pub fn derive(&self, curve: Curve, scalar: &[u8], peer: &[u8]) -> Result<Vec<u8>, Failure> {
        let mut secret = vec![0; curve.scalar_len()];
        (self.new)(scalar)?.agree(peer, &mut secret)?;
        Ok(secret)
    }

    pub(crate) fn timed(&self, curve: Curve) -> Result<Box<dyn Timed>, Failure> {
        (self.timed)(curve)
    }
}

fn exchange<K: EphemeralKey>(curve: Curve, peer: &[u8]) -> Result<Exchange, Failure> {
    let key = K::generate()?;
    let mut public = vec![0; curve.public_key_len()];
    key.public_key(&mut public)?;
    let mut secret = vec![0; curve.scalar_len()];
    key.agree(peer, &mut secret)?;
    Ok(Exchange { public, secret })
}

/// Both sides of a handshake by one implementation: the secrets that they arrive at.
fn handshake<K: EphemeralKey>(curve: Curve) -> Result<[Vec<u8>; 2], Failure> {
    let (one, other) = (K::generate()?, K::generate()?);
    let mut publics = [vec![0; curve.public_key_len()], vec![0; curve.public_key_len()]];
    one.public_key(&mut publics[0])?;
    other.public_key(&mut publics[1])?;
    if publics[0] == publics[1] {
        return Err(Failure::wrong("the same key pair was generated twice"));
    }
    let mut secrets = [vec![0; curve.scalar_len()], vec![0; curve.scalar_len()]];
    one.agree(&publics[1], &mut secrets[0])?;
    other.agree(&publics[0], &mut secrets[1])?;
    Ok(secrets)
}

fn timed_ephemeral<K: EphemeralKey>(
    curve: Curve,
    operation: Operation,
) -> Result<Box<dyn Timed>, Failure> {
    match operation {
        Operation::Keygen => Ok(Box::new(Keygen { curve, key: PhantomData::<K> })),
        Operation::Ephemeral => {
            let peers = Pair::pool(curve).into_iter().map(|pair| pair.public).collect();
            Ok(Box::new(Ephemeral { curve, peers, turn: 0, key: PhantomData::<K> }))
        }
        other => Err(Failure::unsupported(format!("key pairs have no operation `{other}`"))),
    }
}

fn timed_derive<K: StaticKey>(curve: Curve) -> Result<Box<dyn Timed>, Failure> {
    let pool = Pair::pool(curve);
    let keys = pool.iter().map(|pair| K::new(&pair.scalar)).collect::<Result<_, _>>()?;
    let peers = pool.into_iter().map(|pair| pair.public).collect();
    Ok(Box::new(Derive::<K> { curve, keys, peers, turn: 0 }))
}

struct Keygen<K> {
    curve: Curve,
    key: PhantomData<K>,
}

impl<K: EphemeralKey> Timed for Keygen<K> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        let mut public = [0; LONGEST_PUBLIC_KEY];
        let public = &mut public[..self.curve.public_key_len()];
        repeated(iterations, placement, || {
            let key = K::generate()?;
            black_box(&key).public_key(public)?;
            black_box(&*public);
            Ok(())
        })
    }
}

struct Ephemeral<K> {
    curve: Curve,
    peers: Vec<Vec<u8>>,
    turn: usize,
    key: PhantomData<K>,
}

impl<K: EphemeralKey> Timed for Ephemeral<K> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        let mut public = [0; LONGEST_PUBLIC_KEY];
        let public = &mut public[..self.curve.public_key_len()];
        let mut secret = [0; LONGEST_SECRET];
        let secret = &mut secret[..self.curve.scalar_len()];
        repeated(iterations, placement, || {
            self.turn = (self.turn + 1) % POOL;
            let key = K::generate()?;
            key.public_key(public)?;
            black_box(&*public);
            key.agree(black_box(&self.peers[self.turn]), secret)?;
            black_box(&*secret);
            Ok(())
        })
    }
}

struct Derive<K> {
    curve: Curve,
    keys: Vec<K>,
    peers: Vec<Vec<u8>>,
    turn: usize,
}

impl<K: StaticKey> Timed for Derive<K> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        let mut secret = [0; LONGEST_SECRET];
        let secret = &mut secret[..self.curve.scalar_len()];
        repeated(iterations, placement, || {
            // Each private key meets the next one's public key, so that none meets its own.
            self.turn = (self.turn + 1) % POOL;
            let peer = &self.peers[(self.turn + 1) % POOL];
            black_box(&mut self.keys[self.turn]).agree(black_box(peer), secret)?;
            black_box(&*secret);
            Ok(())
        })
    }
}

/// Proves implementations of `derive` against each other over the whole pool.
pub(crate) fn prove_static(
    curve: Curve,
    implementations: &[&StaticImplementation],
    stored: Option<Digest>,
) -> Vec<Proved> {
    unanimous("shared secrets", &static_outputs(curve, implementations), stored)
}

/// What each of `implementations` computes in its proof.
pub(crate) fn static_outputs(
    curve: Curve,
    implementations: &[&StaticImplementation],
) -> Vec<Result<Vec<u8>, Failure>> {
    let pool = Pair::pool(curve);
    implementations
        .iter()
        .map(|implementation| guarded(|| derive_transcript(curve, &pool, implementation)))
        .collect()
}

/// Public keys that must be refused: a point that is not on the curve and one that is no point, or for
/// X25519 the key of small order that gives an all-zero secret (RFC 7748, 6.1).
fn bad_peers(curve: Curve) -> Vec<Vec<u8>> {
    if curve == Curve::X25519 {
        return vec![vec![0; curve.public_key_len()]];
    }
    let mut off_curve = Pair::pool(curve).swap_remove(0).public;
    *off_curve.last_mut().expect("public keys are not empty") ^= 1;
    vec![off_curve, vec![0; curve.public_key_len()]]
}

fn derive_transcript(
    curve: Curve,
    pool: &[Pair],
    implementation: &StaticImplementation,
) -> Result<Vec<u8>, Failure> {
    let mut all = Vec::new();
    let mut keys = pool
        .iter()
        .map(|pair| (implementation.new)(&pair.scalar))
        .collect::<Result<Vec<_>, _>>()?;
    for turn in 0..pool.len() {
        let next = (turn + 1) % pool.len();
        let mut secret = vec![0; curve.scalar_len()];
        keys[turn].agree(&pool[next].public, &mut secret)?;
        let mut from_the_other_side = vec![0; curve.scalar_len()];
        keys[next].agree(&pool[turn].public, &mut from_the_other_side)?;
        if secret != from_the_other_side {
            return Err(Failure::wrong("two sides of an agreement arrive at different secrets"));
        }
        all.extend_from_slice(&secret);
    }
    for bad in bad_peers(curve) {
        let mut secret = vec![0; curve.scalar_len()];
        refused("a bad public key", keys[0].agree(&bad, &mut secret))?;
    }
    Ok(all)
}

/// Proves implementations of key generation: two sides of a handshake by one implementation agree, and
/// so does a generated key with a stored one through each of `witnesses`, by majority.
pub(crate) fn prove_ephemeral(
    curve: Curve,
    implementations: &[&EphemeralImplementation],
    witnesses: &[&StaticImplementation],
) -> Vec<Proof> {
    implementations
        .iter()
        .map(|implementation| {
            guarded(|| {
                for bad in bad_peers(curve) {
                    refused("a bad public key", (implementation.exchange)(curve, &bad))?;
                }
                let [one, other] = (implementation.handshake)(curve)?;
                if one != other {
                    return Err(Failure::wrong("two sides of a handshake arrive at different secrets"));
                }
                let mut generated = Vec::new();
                for stored in Pair::pool(curve).iter().take(4) {
                    let Exchange { public, secret } = (implementation.exchange)(curve, &stored.public)?;
                    let answers = witnesses.iter().map(|witness| {
                        guarded(|| witness.derive(curve, &stored.scalar, &public)).as_ref() == Ok(&secret)
                    });
                    let agreeing = answers.filter(|agrees| *agrees).count();
                    if generated.contains(&public) {
                        return Err(Failure::wrong("the same key pair was generated twice"));
                    }
                    generated.push(public.clone());
                    if !most(agreeing, witnesses.len()) {
                        return Err(Failure::wrong(format!(
                            "only {agreeing} of {} implementations arrive at the secret of a generated key",
                            witnesses.len()
                        )));
                    }
                }
                Ok(())
            })
        })
        .collect()
}
