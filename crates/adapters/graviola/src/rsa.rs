//! RSA: key generation, and signatures by `SigningKey` and `VerifyingKey`.
//! Which sizes are registered is in the root of the crate.

use cryptobench_harness::{
    Failure,
    operations::rsa::{RsaKeyPair, RsaSigner, RsaVerifier},
};
use graviola::{
    Error,
    signing::rsa::{KeySize, SigningKey, VerifyingKey},
};
use std::marker::PhantomData;

/// Bytes that hold any key of up to 4096 bits in DER: PKCS#8 takes 2375 of them.
const ENCODED_KEY: usize = 4096;

/// A generated key.
pub(crate) struct KeyPair(SigningKey);

impl RsaKeyPair for KeyPair {
    fn generate(bits: u64) -> Result<Self, Failure> {
        let size = usize::try_from(bits)
            .ok()
            .and_then(|bits| KeySize::try_from(bits).ok())
            .ok_or_else(|| Failure::unsupported(format!("graviola has no RSA-{bits}")))?;
        SigningKey::generate(size).map(Self).map_err(Failure::library("SigningKey::generate"))
    }

    fn public_key(&self) -> Result<Vec<u8>, Failure> {
        self.0
            .public_key()
            .to_pkcs1_der(&mut [0; ENCODED_KEY])
            .map(<[u8]>::to_vec)
            .map_err(Failure::library("VerifyingKey::to_pkcs1_der"))
    }

    fn private_key(&self) -> Result<Vec<u8>, Failure> {
        self.0
            .to_pkcs8_der(&mut [0; ENCODED_KEY])
            .map(<[u8]>::to_vec)
            .map_err(Failure::library("SigningKey::to_pkcs8_der"))
    }
}

/// A signature scheme, which graviola has as methods.
pub(crate) trait Scheme: 'static {
    fn sign(key: &SigningKey, message: &[u8], signature: &mut [u8]) -> Result<usize, Error>;
    fn verify(key: &VerifyingKey, message: &[u8], signature: &[u8]) -> Result<(), Error>;
}

/// PKCS#1 v1.5.
pub(crate) struct Pkcs1;

impl Scheme for Pkcs1 {
    #[inline]
    fn sign(key: &SigningKey, message: &[u8], signature: &mut [u8]) -> Result<usize, Error> {
        key.sign_pkcs1_sha256(signature, message).map(<[u8]>::len)
    }

    #[inline]
    fn verify(key: &VerifyingKey, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        key.verify_pkcs1_sha256(signature, message)
    }
}

/// PSS.
pub(crate) struct Pss;

impl Scheme for Pss {
    #[inline]
    fn sign(key: &SigningKey, message: &[u8], signature: &mut [u8]) -> Result<usize, Error> {
        key.sign_pss_sha256(signature, message).map(<[u8]>::len)
    }

    #[inline]
    fn verify(key: &VerifyingKey, message: &[u8], signature: &[u8]) -> Result<(), Error> {
        key.verify_pss_sha256(signature, message)
    }
}

/// A private key.
pub(crate) struct Signer<S> {
    key: SigningKey,
    scheme: PhantomData<S>,
}

impl<S: Scheme> RsaSigner for Signer<S> {
    fn new(pkcs8: &[u8]) -> Result<Self, Failure> {
        let key = SigningKey::from_pkcs8_der(pkcs8)
            .map_err(Failure::library("SigningKey::from_pkcs8_der"))?;
        Ok(Self { key, scheme: PhantomData })
    }

    #[inline]
    fn sign(&mut self, message: &[u8], signature: &mut [u8]) -> Result<(), Failure> {
        let written = S::sign(&self.key, message, signature)
            .map_err(Failure::library("SigningKey::sign_*_sha256"))?;
        if written == signature.len() { Ok(()) } else { Err(short(written, signature.len())) }
    }
}

#[cold]
fn short(written: usize, expected: usize) -> Failure {
    Failure::wrong(format!("a signature of {written} bytes instead of {expected}"))
}

/// Verification.
pub(crate) struct Verifier<S>(PhantomData<S>);

impl<S: Scheme> RsaVerifier for Verifier<S> {
    #[inline]
    fn verify(public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let key = VerifyingKey::from_pkcs1_der(public_key)
            .map_err(Failure::library("VerifyingKey::from_pkcs1_der"))?;
        S::verify(&key, message, signature).map_err(|error| match error {
            Error::BadSignature => Failure::Refused,
            other => Failure::library("VerifyingKey::verify_*_sha256")(other),
        })
    }
}
