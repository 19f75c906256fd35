//! Diffie-Hellman by `EphemeralPrivateKey`, good for one agreement.
//! No lasting private keys: ring neither imports nor keeps them.

use cryptobench_harness::{Failure, copy_exact, operations::ecdh::EphemeralKey};
use ring::{
    agreement::{self, Algorithm, ECDH_P256, ECDH_P384, EphemeralPrivateKey, UnparsedPublicKey},
    rand::SystemRandom,
};
use std::marker::PhantomData;

/// One of ring's curves.
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

pub(crate) struct X25519;
impl Agreement for X25519 {
    const ALGORITHM: &'static Algorithm = &agreement::X25519;
}

/// A private key, its public key computed when asked for.
pub(crate) struct KeyPair<A> {
    key: EphemeralPrivateKey,
    curve: PhantomData<A>,
}

impl<A: Agreement> EphemeralKey for KeyPair<A> {
    #[inline]
    fn generate() -> Result<Self, Failure> {
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
        agreement::agree_ephemeral(self.key, &peer, |shared| copy_exact(secret, shared))
            .map_err(|_| Failure::Refused)?
    }
}
