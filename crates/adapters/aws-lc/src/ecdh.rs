//! Diffie-Hellman by aws-lc-rs's `agreement`, which parses and checks the peer's key in every agreement.
//! Which curves there are is registered elsewhere.

use aws_lc_rs::{
    agreement::{
        self, Algorithm, ECDH_P256, ECDH_P384, ECDH_P521, EphemeralPrivateKey, PrivateKey,
        UnparsedPublicKey,
    },
    rand::SystemRandom,
};
use cryptobench_harness::{
    Failure, copy_exact,
    operations::ecdh::{EphemeralKey, StaticKey},
};
use std::marker::PhantomData;

/// One of aws-lc-rs's curves.
pub(crate) trait Agreement: 'static {
    const ALGORITHM: &'static Algorithm;
}

pub(crate) struct P256;
impl Agreement for P256 {
    const ALGORITHM: &'static Algorithm = &ECDH_P256;
}

pub(crate) struct P384;
impl Agreement for P384 {
    const ALGORITHM: &'static Algorithm = &ECDH_P384;
}

pub(crate) struct P521;
impl Agreement for P521 {
    const ALGORITHM: &'static Algorithm = &ECDH_P521;
}

pub(crate) struct X25519;
impl Agreement for X25519 {
    const ALGORITHM: &'static Algorithm = &agreement::X25519;
}

/// A key pair, its public half computed when it is generated.
pub(crate) struct KeyPair<A> {
    key: EphemeralPrivateKey,
    curve: PhantomData<A>,
}

impl<A: Agreement> EphemeralKey for KeyPair<A> {
    #[inline]
    fn generate() -> Result<Self, Failure> {
        // The random source is there for likeness to ring and ignored.
        let key = EphemeralPrivateKey::generate(A::ALGORITHM, &SystemRandom::new())
            .map_err(Failure::library("EphemeralPrivateKey::generate"))?;
        Ok(Self { key, curve: PhantomData })
    }

    #[inline]
    fn public_key(&self, out: &mut [u8]) -> Result<(), Failure> {
        let public = self
            .key
            .compute_public_key()
            .map_err(Failure::library("EphemeralPrivateKey::compute_public_key"))?;
        copy_exact(out, public.as_ref())
    }

    #[inline]
    fn agree(self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure> {
        let peer = UnparsedPublicKey::new(A::ALGORITHM, peer);
        // Between two keys of one algorithm, only the peer's can be at fault.
        agreement::agree_ephemeral(self.key, peer, Failure::Refused, |shared| {
            copy_exact(secret, shared)
        })
    }
}

/// A private key that lasts.
pub(crate) struct Lasting<A> {
    key: PrivateKey,
    curve: PhantomData<A>,
}

impl<A: Agreement> StaticKey for Lasting<A> {
    fn new(scalar: &[u8]) -> Result<Self, Failure> {
        let key = PrivateKey::from_private_key(A::ALGORITHM, scalar)
            .map_err(Failure::library("PrivateKey::from_private_key"))?;
        Ok(Self { key, curve: PhantomData })
    }

    #[inline]
    fn agree(&mut self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure> {
        let peer = UnparsedPublicKey::new(A::ALGORITHM, peer);
        agreement::agree(&self.key, peer, Failure::Refused, |shared| copy_exact(secret, shared))
    }
}
