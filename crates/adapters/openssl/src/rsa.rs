//! RSA: key generation, signatures by contexts set up once per key, verification from PKCS#1 bytes.

use crate::random::Lending;
use cryptobench_harness::{
    Failure,
    inputs::SeededRandom,
    operations::rsa::{RsaKeyPair, RsaSigner, RsaVerifier, SeededRsaKeyPair},
};
use openssl::{
    error::ErrorStack,
    md::Md,
    pkey::{PKey, Private},
    pkey_ctx::{PkeyCtx, PkeyCtxRef},
    rsa::{Padding, Rsa},
    sha::Sha256,
    sign::RsaPssSaltlen,
};
use std::marker::PhantomData;

/// A generated key pair.
pub(crate) struct KeyPair(Rsa<Private>);

impl RsaKeyPair for KeyPair {
    fn generate(bits: u64) -> Result<Self, Failure> {
        let bits = u32::try_from(bits)
            .map_err(|_| Failure::unsupported(format!("an RSA key of {bits} bits")))?;
        Rsa::generate(bits).map(Self).map_err(Failure::library("RSA_generate_key_ex"))
    }

    fn public_key(&self) -> Result<Vec<u8>, Failure> {
        self.0.public_key_to_der_pkcs1().map_err(Failure::library("i2d_RSAPublicKey"))
    }

    fn private_key(&self) -> Result<Vec<u8>, Failure> {
        PKey::from_rsa(self.0.clone())
            .and_then(|key| key.private_key_to_pkcs8())
            .map_err(Failure::library("i2d_PKCS8PrivateKey_bio"))
    }
}

impl SeededRsaKeyPair for KeyPair {
    fn generate_from(bits: u64, random: &mut SeededRandom) -> Result<Self, Failure> {
        let _lending = Lending::new(random)?;
        Self::generate(bits)
    }
}

/// A signature scheme with SHA-256.
pub(crate) trait Scheme: 'static {
    /// Sets up a context that has been initialised to sign or verify.
    fn configure<T>(context: &mut PkeyCtxRef<T>) -> Result<(), ErrorStack>;
}

/// PKCS#1 v1.5, OpenSSL's default padding.
pub(crate) struct Pkcs1;

impl Scheme for Pkcs1 {
    fn configure<T>(context: &mut PkeyCtxRef<T>) -> Result<(), ErrorStack> {
        context.set_signature_md(Md::sha256())
    }
}

/// PSS; MGF1 takes the digest of the signature by default.
pub(crate) struct Pss;

impl Scheme for Pss {
    fn configure<T>(context: &mut PkeyCtxRef<T>) -> Result<(), ErrorStack> {
        context.set_rsa_padding(Padding::PKCS1_PSS)?;
        context.set_signature_md(Md::sha256())?;
        // By default salts are as long as the key allows when signing, and of any length when verifying.
        context.set_rsa_pss_saltlen(RsaPssSaltlen::DIGEST_LENGTH)
    }
}

/// A private key with a context set up to sign under one scheme. Digests are made apart from it, because
/// `EVP_DigestSign` would have to be set up anew for every message.
pub(crate) struct Signer<S> {
    context: PkeyCtx<Private>,
    scheme: PhantomData<S>,
}

impl<S: Scheme> RsaSigner for Signer<S> {
    fn new(pkcs8: &[u8]) -> Result<Self, Failure> {
        let key = PKey::private_key_from_pkcs8(pkcs8)
            .map_err(Failure::library("d2i_PKCS8_PRIV_KEY_INFO"))?;
        let mut context = PkeyCtx::new(&key).map_err(Failure::library("EVP_PKEY_CTX_new"))?;
        context.sign_init().map_err(Failure::library("EVP_PKEY_sign_init"))?;
        S::configure(&mut context).map_err(Failure::library("EVP_PKEY_CTX_set_params"))?;
        Ok(Self { context, scheme: PhantomData })
    }

    #[inline]
    fn sign(&mut self, message: &[u8], signature: &mut [u8]) -> Result<(), Failure> {
        let length = signature.len();
        let written = self
            .context
            .sign(&digest(message), Some(signature))
            .map_err(Failure::library("EVP_PKEY_sign"))?;
        if written == length {
            return Ok(());
        }
        Err(Failure::wrong(format!("a signature of {written} bytes instead of {length}")))
    }
}

/// Verification under one scheme.
pub(crate) struct Verifier<S>(PhantomData<S>);

impl<S: Scheme> RsaVerifier for Verifier<S> {
    #[inline]
    fn verify(public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<(), Failure> {
        let key = Rsa::public_key_from_der_pkcs1(public_key)
            .and_then(PKey::from_rsa)
            .map_err(Failure::library("d2i_RSAPublicKey"))?;
        let mut context = PkeyCtx::new(&key).map_err(Failure::library("EVP_PKEY_CTX_new"))?;
        context.verify_init().map_err(Failure::library("EVP_PKEY_verify_init"))?;
        S::configure(&mut context).map_err(Failure::library("EVP_PKEY_CTX_set_params"))?;
        match context.verify(&digest(message), signature) {
            Ok(true) => Ok(()),
            // OpenSSL puts an error on its stack for signatures that do not fit, too.
            Ok(false) | Err(_) => Err(Failure::Refused),
        }
    }
}

/// SHA-256 by `SHA256_Init` and its like, 55 ns for 32 bytes, where `openssl::sha::sha256` takes 220: it
/// fetches the digest each time.
#[inline]
fn digest(message: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(message);
    hash.finish()
}
