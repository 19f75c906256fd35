//! RSA: by aws-lc-rs from 2048 bits on; what it refuses below, by the C interface, whose calls are in
//! `evp`. Which sizes are asked for is registered elsewhere.

use crate::evp::rsa::{Digest, PrivateKey, PublicKey};
use aws_lc_rs::{
    digest::{SHA256, digest},
    encoding::{AsDer, Pkcs8V1Der},
    rand::SystemRandom,
    rsa::KeySize,
    signature::{
        KeyPair as _, RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, RSA_PKCS1_2048_8192_SHA256,
        RSA_PKCS1_SHA256, RSA_PSS_2048_8192_SHA256, RSA_PSS_SHA256, RsaEncoding, RsaKeyPair,
        RsaParameters, UnparsedPublicKey,
    },
};
use cryptobench_harness::{
    Failure, exactly,
    operations::rsa::{self, RsaSigner, RsaVerifier},
};
use std::marker::PhantomData;

/// A scheme that aws-lc-rs signs under, and how a key too short for it signs.
pub(crate) trait Signs: 'static {
    const ENCODING: &'static dyn RsaEncoding;
    fn sign_short(key: &PrivateKey, digest: &Digest, signature: &mut [u8]) -> Result<(), Failure>;
}

/// A scheme that aws-lc-rs verifies under, and from which key size on.
pub(crate) trait Verifies: 'static {
    const PARAMETERS: &'static RsaParameters;
}

/// PKCS#1 v1.5.
pub(crate) struct Pkcs1;
impl Signs for Pkcs1 {
    const ENCODING: &'static dyn RsaEncoding = &RSA_PKCS1_SHA256;

    fn sign_short(key: &PrivateKey, digest: &Digest, signature: &mut [u8]) -> Result<(), Failure> {
        key.sign_pkcs1(digest, signature)
    }
}
impl Verifies for Pkcs1 {
    const PARAMETERS: &'static RsaParameters = &RSA_PKCS1_2048_8192_SHA256;
}

/// PKCS#1 v1.5 with keys of 1024 bits and more.
pub(crate) struct LegacyPkcs1;
impl Verifies for LegacyPkcs1 {
    const PARAMETERS: &'static RsaParameters = &RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY;
}

/// PSS.
pub(crate) struct Pss;
impl Signs for Pss {
    const ENCODING: &'static dyn RsaEncoding = &RSA_PSS_SHA256;

    fn sign_short(key: &PrivateKey, digest: &Digest, signature: &mut [u8]) -> Result<(), Failure> {
        key.sign_pss(digest, signature)
    }
}
impl Verifies for Pss {
    const PARAMETERS: &'static RsaParameters = &RSA_PSS_2048_8192_SHA256;
}

/// A key pair of 2048 bits or more.
pub(crate) struct KeyPair(RsaKeyPair);

impl rsa::RsaKeyPair for KeyPair {
    fn generate(bits: u64) -> Result<Self, Failure> {
        let size = match bits {
            2048 => KeySize::Rsa2048,
            3072 => KeySize::Rsa3072,
            4096 => KeySize::Rsa4096,
            8192 => KeySize::Rsa8192,
            _ => return Err(Failure::unsupported(format!("RSA keys of {bits} bits"))),
        };
        RsaKeyPair::generate(size).map(Self).map_err(Failure::library("RsaKeyPair::generate"))
    }

    fn public_key(&self) -> Result<Vec<u8>, Failure> {
        Ok(self.0.public_key().as_ref().to_vec())
    }

    fn private_key(&self) -> Result<Vec<u8>, Failure> {
        let der: Pkcs8V1Der<'_> =
            self.0.as_der().map_err(Failure::library("RsaKeyPair::as_der"))?;
        Ok(der.as_ref().to_vec())
    }
}

/// A key pair of any size.
pub(crate) struct ShortKeyPair(PrivateKey);

impl rsa::RsaKeyPair for ShortKeyPair {
    fn generate(bits: u64) -> Result<Self, Failure> {
        PrivateKey::generate(bits).map(Self)
    }

    fn public_key(&self) -> Result<Vec<u8>, Failure> {
        self.0.public_key()
    }

    fn private_key(&self) -> Result<Vec<u8>, Failure> {
        self.0.to_pkcs8()
    }
}

/// A private key of 2048 bits or more.
pub(crate) struct Signer<S> {
    key: RsaKeyPair,
    modulus_len: usize,
    scheme: PhantomData<S>,
}

impl<S: Signs> RsaSigner for Signer<S> {
    fn new(pkcs8: &[u8]) -> Result<Self, Failure> {
        let key =
            RsaKeyPair::from_pkcs8(pkcs8).map_err(Failure::library("RsaKeyPair::from_pkcs8"))?;
        let modulus_len = key.public_modulus_len();
        Ok(Self { key, modulus_len, scheme: PhantomData })
    }

    #[inline]
    fn sign(&mut self, message: &[u8], signature: &mut [u8]) -> Result<(), Failure> {
        // aws-lc-rs would panic.
        if signature.len() != self.modulus_len {
            return Err(Failure::unsupported("a signature of another length than the modulus"));
        }
        // The random source is there for likeness to ring and ignored.
        self.key
            .sign(S::ENCODING, &SystemRandom::new(), message, signature)
            .map_err(Failure::library("RsaKeyPair::sign"))
    }
}

/// A private key of any size.
pub(crate) struct ShortSigner<S> {
    key: PrivateKey,
    scheme: PhantomData<S>,
}

impl<S: Signs> RsaSigner for ShortSigner<S> {
    fn new(pkcs8: &[u8]) -> Result<Self, Failure> {
        Ok(Self { key: PrivateKey::from_pkcs8(pkcs8)?, scheme: PhantomData })
    }

    #[inline]
    fn sign(&mut self, message: &[u8], signature: &mut [u8]) -> Result<(), Failure> {
        let digest = digest(&SHA256, message);
        S::sign_short(&self.key, exactly("a digest", digest.as_ref())?, signature)
    }
}

/// Verification by aws-lc-rs.
pub(crate) struct Verifier<S>(PhantomData<S>);

impl<S: Verifies> RsaVerifier for Verifier<S> {
    #[inline]
    fn verify(public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        // aws-lc-rs does not tell an unusable key from a signature that does not fit.
        UnparsedPublicKey::new(S::PARAMETERS, public_key)
            .verify(message, signature)
            .map_err(|_| Failure::Refused)
    }
}

/// Verification under PSS with keys of any size.
pub(crate) struct ShortPssVerifier;

impl RsaVerifier for ShortPssVerifier {
    #[inline]
    fn verify(public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let digest = digest(&SHA256, message);
        PublicKey::from_pkcs1(public_key)?
            .verify_pss(exactly("a digest", digest.as_ref())?, signature)
    }
}
