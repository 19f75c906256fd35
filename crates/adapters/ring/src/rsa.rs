//! RSA signatures by `RsaKeyPair` and `UnparsedPublicKey`, which parses the key with every signature.
//! No key generation: ring has none.

use cryptobench_harness::{
    Failure,
    operations::rsa::{RsaSigner, RsaVerifier},
};
use ring::{
    rand::SystemRandom,
    signature::{
        RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, RSA_PKCS1_2048_8192_SHA256,
        RSA_PKCS1_SHA256, RSA_PSS_2048_8192_SHA256, RSA_PSS_SHA256, RsaEncoding, RsaKeyPair,
        RsaParameters, UnparsedPublicKey,
    },
};
use std::marker::PhantomData;

/// A scheme that ring signs under.
pub(crate) trait Signs: 'static {
    const ENCODING: &'static dyn RsaEncoding;
}

/// A scheme that ring verifies under, and from which key size on.
pub(crate) trait Verifies: 'static {
    const PARAMETERS: &'static RsaParameters;
}

/// PKCS#1 v1.5, keys of 2048 bits and more.
pub(crate) struct Pkcs1;
impl Signs for Pkcs1 {
    const ENCODING: &'static dyn RsaEncoding = &RSA_PKCS1_SHA256;
}
impl Verifies for Pkcs1 {
    const PARAMETERS: &'static RsaParameters = &RSA_PKCS1_2048_8192_SHA256;
}

/// PKCS#1 v1.5, keys of 1024 bits and more.
pub(crate) struct LegacyPkcs1;
impl Verifies for LegacyPkcs1 {
    const PARAMETERS: &'static RsaParameters = &RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY;
}

/// PSS, keys of 2048 bits and more.
pub(crate) struct Pss;
impl Signs for Pss {
    const ENCODING: &'static dyn RsaEncoding = &RSA_PSS_SHA256;
}
impl Verifies for Pss {
    const PARAMETERS: &'static RsaParameters = &RSA_PSS_2048_8192_SHA256;
}

/// A private key.
pub(crate) struct Signer<S> {
    key: RsaKeyPair,
    // ring asks for a random source with every signature, though only PSS salts draw from it.
    random: SystemRandom,
    scheme: PhantomData<S>,
}

impl<S: Signs> RsaSigner for Signer<S> {
    fn new(pkcs8: &[u8]) -> Result<Self, Failure> {
        let key =
            RsaKeyPair::from_pkcs8(pkcs8).map_err(Failure::library("RsaKeyPair::from_pkcs8"))?;
        Ok(Self { key, random: SystemRandom::new(), scheme: PhantomData })
    }

    #[inline]
    fn sign(&mut self, message: &[u8], signature: &mut [u8]) -> Result<(), Failure> {
        self.key
            .sign(S::ENCODING, &self.random, message, signature)
            .map_err(Failure::library("RsaKeyPair::sign"))
    }
}

/// Verification.
pub(crate) struct Verifier<S>(PhantomData<S>);

impl<S: Verifies> RsaVerifier for Verifier<S> {
    #[inline]
    fn verify(public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        // Ring does not tell an unusable key from a signature that does not fit.
        UnparsedPublicKey::new(S::PARAMETERS, public_key)
            .verify(message, signature)
            .map_err(|_| Failure::Refused)
    }
}
