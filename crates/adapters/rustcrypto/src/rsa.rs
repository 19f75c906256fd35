//! RSA by the crate `rsa`, through the methods that its front page shows.
//! They sign blinded with the operating system's random source, and salt PSS with the digest's length.

use cryptobench_harness::{
    Failure, copy_exact,
    inputs::SeededRandom,
    operations::rsa::{RsaKeyPair, RsaSigner, RsaVerifier, SeededRsaKeyPair},
};
use getrandom::SysRng;
use rsa::{
    PrivateKey, PublicKey,
    pkcs1::{DecodeRsaPublicKey, EncodeRsaPublicKey},
    pkcs8::{DecodePrivateKey, EncodePrivateKey},
    rand_core::{TryCryptoRng, TryRng},
    sha2::Sha256,
};
use std::{convert::Infallible, marker::PhantomData};

/// A generated key pair.
pub(crate) struct KeyPair(PrivateKey);

impl KeyPair {
    #[inline]
    fn drawn_from(bits: u64, random: &mut impl TryCryptoRng) -> Result<Self, Failure> {
        let bits =
            usize::try_from(bits).map_err(|_| Failure::unsupported("a modulus of this size"))?;
        PrivateKey::new(random, bits).map(Self).map_err(Failure::library("PrivateKey::new"))
    }
}

impl RsaKeyPair for KeyPair {
    #[inline]
    fn generate(bits: u64) -> Result<Self, Failure> {
        Self::drawn_from(bits, &mut SysRng)
    }

    #[inline]
    fn public_key(&self) -> Result<Vec<u8>, Failure> {
        self.0
            .as_public_key()
            .to_pkcs1_der()
            .map(|der| der.into_vec())
            .map_err(Failure::library("PublicKey::to_pkcs1_der"))
    }

    fn private_key(&self) -> Result<Vec<u8>, Failure> {
        self.0
            .to_pkcs8_der()
            .map(|der| der.as_bytes().to_vec())
            .map_err(Failure::library("PrivateKey::to_pkcs8_der"))
    }
}

impl SeededRsaKeyPair for KeyPair {
    #[inline]
    fn generate_from(bits: u64, random: &mut SeededRandom) -> Result<Self, Failure> {
        Self::drawn_from(bits, &mut Seeded(random))
    }
}

/// The harness's source as the crate wants one. It is not what `TryCryptoRng` promises: who knows the seed knows the
/// key, which is for benchmarks alone.
struct Seeded<'a>(&'a mut SeededRandom);

impl TryRng for Seeded<'_> {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    #[inline]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        self.0.fill(bytes);
        Ok(())
    }
}

impl TryCryptoRng for Seeded<'_> {}

/// A signature scheme with SHA-256.
pub(crate) trait Scheme: 'static {
    /// Signs the message.
    fn sign(key: &PrivateKey, message: &[u8]) -> rsa::Result<Vec<u8>>;
    /// Checks the signature.
    fn verify(key: &PublicKey, message: &[u8], signature: &[u8]) -> rsa::Result<()>;
}

/// RSASSA-PKCS1-v1_5.
pub(crate) struct Pkcs1;

impl Scheme for Pkcs1 {
    #[inline]
    fn sign(key: &PrivateKey, message: &[u8]) -> rsa::Result<Vec<u8>> {
        key.pkcs1v15_sign::<Sha256>(message)
    }

    #[inline]
    fn verify(key: &PublicKey, message: &[u8], signature: &[u8]) -> rsa::Result<()> {
        key.pkcs1v15_verify::<Sha256>(message, signature)
    }
}

/// RSASSA-PSS. Both methods take the digest's length, 32 bytes, for the salt's.
pub(crate) struct Pss;

impl Scheme for Pss {
    #[inline]
    fn sign(key: &PrivateKey, message: &[u8]) -> rsa::Result<Vec<u8>> {
        key.pss_sign::<Sha256>(message)
    }

    #[inline]
    fn verify(key: &PublicKey, message: &[u8], signature: &[u8]) -> rsa::Result<()> {
        key.pss_verify::<Sha256>(message, signature)
    }
}

/// A private key that signs under `S`.
pub(crate) struct Signer<S>(PrivateKey, PhantomData<S>);

impl<S: Scheme> RsaSigner for Signer<S> {
    fn new(pkcs8: &[u8]) -> Result<Self, Failure> {
        PrivateKey::from_pkcs8_der(pkcs8)
            .map(|key| Self(key, PhantomData))
            .map_err(Failure::library("PrivateKey::from_pkcs8_der"))
    }

    #[inline]
    fn sign(&mut self, message: &[u8], signature: &mut [u8]) -> Result<(), Failure> {
        let made = S::sign(&self.0, message).map_err(Failure::library("PrivateKey::…_sign"))?;
        copy_exact(signature, &made)
    }
}

/// Verification under `S`.
pub(crate) struct Verifier<S>(PhantomData<S>);

impl<S: Scheme> RsaVerifier for Verifier<S> {
    #[inline]
    fn verify(public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let key = PublicKey::from_pkcs1_der(public_key)
            .map_err(Failure::library("PublicKey::from_pkcs1_der"))?;
        S::verify(&key, message, signature).map_err(|_| Failure::Refused)
    }
}
