//! X25519 by EVP_PKEY, the peer's key from its 32 bytes.

use crate::agreement::{agree, ready};
use cryptobench_harness::{
    Failure, copy_exact,
    operations::ecdh::{EphemeralKey, StaticKey},
};
use openssl::{
    pkey::{Id, PKey, Private, Public},
    pkey_ctx::PkeyCtx,
};

/// A generated key pair.
pub(crate) struct EphemeralX25519Key(PKey<Private>);

impl EphemeralKey for EphemeralX25519Key {
    #[inline]
    fn generate() -> Result<Self, Failure> {
        PKey::generate_x25519().map(Self).map_err(Failure::library("EVP_PKEY_keygen"))
    }

    #[inline]
    fn public_key(&self, out: &mut [u8]) -> Result<(), Failure> {
        let bytes =
            self.0.raw_public_key().map_err(Failure::library("EVP_PKEY_get_raw_public_key"))?;
        copy_exact(out, &bytes)
    }

    #[inline]
    fn agree(self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure> {
        agree(&mut *ready(&self.0)?, &*parsed(peer)?, secret)
    }
}

/// A private key with a context of its own, reused for every agreement.
pub(crate) struct StaticX25519Key(PkeyCtx<Private>);

impl StaticKey for StaticX25519Key {
    fn new(scalar: &[u8]) -> Result<Self, Failure> {
        let key = PKey::private_key_from_raw_bytes(scalar, Id::X25519)
            .map_err(Failure::library("EVP_PKEY_new_raw_private_key"))?;
        Ok(Self(ready(&key)?))
    }

    #[inline]
    fn agree(&mut self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure> {
        agree(&mut self.0, &*parsed(peer)?, secret)
    }
}

#[inline]
fn parsed(peer: &[u8]) -> Result<PKey<Public>, Failure> {
    PKey::public_key_from_raw_bytes(peer, Id::X25519).map_err(|_| Failure::Refused)
}
