//! Diffie-Hellman: `PrivateKey`, good for one agreement, and `StaticPrivateKey`, good for many.
//! X25519 is called a little differently from the NIST curves, which are called alike.

use cryptobench_harness::{
    Failure, copy_exact,
    operations::ecdh::{EphemeralKey, StaticKey},
};
use graviola::key_agreement::{p256, p384, x25519};

/// The keys of both curves are types apart, without a trait in common.
macro_rules! nist_curve {
    ($curve:ident, $ephemeral:ident, $static:ident) => {
        /// A private key for one agreement, its public key computed when asked for.
        pub(crate) struct $ephemeral($curve::PrivateKey);

        impl EphemeralKey for $ephemeral {
            #[inline]
            fn generate() -> Result<Self, Failure> {
                $curve::PrivateKey::new_random()
                    .map(Self)
                    .map_err(Failure::library("PrivateKey::new_random"))
            }

            #[inline]
            fn public_key(&self, out: &mut [u8]) -> Result<(), Failure> {
                copy_exact(out, &self.0.public_key_uncompressed())
            }

            #[inline]
            fn agree(self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure> {
                let peer = $curve::PublicKey::from_x962_uncompressed(peer)
                    .map_err(|_| Failure::Refused)?;
                let shared = self
                    .0
                    .diffie_hellman(&peer)
                    .map_err(Failure::library("PrivateKey::diffie_hellman"))?;
                copy_exact(secret, &shared.0)
            }
        }

        /// A private key for many agreements.
        pub(crate) struct $static($curve::StaticPrivateKey);

        impl StaticKey for $static {
            fn new(scalar: &[u8]) -> Result<Self, Failure> {
                $curve::StaticPrivateKey::from_bytes(scalar)
                    .map(Self)
                    .map_err(Failure::library("StaticPrivateKey::from_bytes"))
            }

            #[inline]
            fn agree(&mut self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure> {
                let peer = $curve::PublicKey::from_x962_uncompressed(peer)
                    .map_err(|_| Failure::Refused)?;
                let shared = self
                    .0
                    .diffie_hellman(&peer)
                    .map_err(Failure::library("StaticPrivateKey::diffie_hellman"))?;
                copy_exact(secret, &shared.0)
            }
        }
    };
}

nist_curve!(p256, EphemeralP256, StaticP256);
nist_curve!(p384, EphemeralP384, StaticP384);

/// A private key for one agreement on X25519.
pub(crate) struct EphemeralX25519(x25519::PrivateKey);

impl EphemeralKey for EphemeralX25519 {
    #[inline]
    fn generate() -> Result<Self, Failure> {
        x25519::PrivateKey::new_random()
            .map(Self)
            .map_err(Failure::library("PrivateKey::new_random"))
    }

    #[inline]
    fn public_key(&self, out: &mut [u8]) -> Result<(), Failure> {
        copy_exact(out, &self.0.public_key().as_bytes())
    }

    #[inline]
    fn agree(self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure> {
        let shared = self.0.diffie_hellman(&x25519_peer(peer)?).map_err(|_| Failure::Refused)?;
        copy_exact(secret, &shared.0)
    }
}

/// A private key for many agreements on X25519.
pub(crate) struct StaticX25519(x25519::StaticPrivateKey);

impl StaticKey for StaticX25519 {
    fn new(scalar: &[u8]) -> Result<Self, Failure> {
        x25519::StaticPrivateKey::try_from_slice(scalar)
            .map(Self)
            .map_err(Failure::library("StaticPrivateKey::try_from_slice"))
    }

    #[inline]
    fn agree(&mut self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure> {
        // The only error is a shared secret of zero, the peer's doing (RFC 7748, 6.1).
        let shared = self.0.diffie_hellman(&x25519_peer(peer)?).map_err(|_| Failure::Refused)?;
        copy_exact(secret, &shared.0)
    }
}

/// Any 32 bytes are a public key.
#[inline]
fn x25519_peer(peer: &[u8]) -> Result<x25519::PublicKey, Failure> {
    x25519::PublicKey::try_from_slice(peer).map_err(|_| Failure::Refused)
}
