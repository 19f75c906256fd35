//! AEADs: by `LessSafeKey`, aws-lc-rs's interface for a nonce that the caller chooses, where it has them;
//! CCM and XChaCha20-Poly1305 by the C interface, whose calls are in `evp`.

use crate::evp::{
    self,
    cipher::{Cipher, Context},
};
use aws_lc_rs::aead::{
    AES_128_GCM, AES_128_GCM_SIV, AES_256_GCM, AES_256_GCM_SIV, Aad, Algorithm, CHACHA20_POLY1305,
    LessSafeKey, Nonce, UnboundKey,
};
use cryptobench_harness::{
    Failure, Role, copy_exact, exactly,
    operations::aead::{AeadKey, TAG_LEN},
};
use std::marker::PhantomData;

/// One of aws-lc-rs's AEADs.
pub(crate) trait Aead: 'static {
    const ALGORITHM: &'static Algorithm;
}

pub(crate) struct Aes128Gcm;
impl Aead for Aes128Gcm {
    const ALGORITHM: &'static Algorithm = &AES_128_GCM;
}

pub(crate) struct Aes256Gcm;
impl Aead for Aes256Gcm {
    const ALGORITHM: &'static Algorithm = &AES_256_GCM;
}

pub(crate) struct Aes128GcmSiv;
impl Aead for Aes128GcmSiv {
    const ALGORITHM: &'static Algorithm = &AES_128_GCM_SIV;
}

pub(crate) struct Aes256GcmSiv;
impl Aead for Aes256GcmSiv {
    const ALGORITHM: &'static Algorithm = &AES_256_GCM_SIV;
}

pub(crate) struct ChaCha20Poly1305;
impl Aead for ChaCha20Poly1305 {
    const ALGORITHM: &'static Algorithm = &CHACHA20_POLY1305;
}

/// A key of aws-lc-rs that seals and opens.
pub(crate) struct Key<A> {
    key: LessSafeKey,
    aead: PhantomData<A>,
}

impl<A: Aead> AeadKey for Key<A> {
    #[inline]
    fn new(key: &[u8], _: Role) -> Result<Self, Failure> {
        let key =
            UnboundKey::new(A::ALGORITHM, key).map_err(Failure::library("UnboundKey::new"))?;
        Ok(Self { key: LessSafeKey::new(key), aead: PhantomData })
    }

    #[inline]
    fn seal(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &mut [u8; TAG_LEN],
    ) -> Result<(), Failure> {
        let nonce = Nonce::assume_unique_for_key(*exactly("a nonce", nonce)?);
        let sealed = self
            .key
            .seal_in_place_separate_tag(nonce, Aad::from(aad), message)
            .map_err(Failure::library("LessSafeKey::seal_in_place_separate_tag"))?;
        copy_exact(tag, sealed.as_ref())
    }

    #[inline]
    fn open(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Failure> {
        let nonce = Nonce::assume_unique_for_key(*exactly("a nonce", nonce)?);
        self.key
            .open_in_place_separate_tag(nonce, Aad::from(aad), tag, message)
            .map_err(|_| Failure::Refused)?;
        Ok(())
    }
}

/// AES-CCM with the key size of `C`.
pub(crate) struct Ccm<C>(Context<C>);

impl<C: Cipher> AeadKey for Ccm<C> {
    #[inline]
    fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        Context::new(key, role).map(Self)
    }

    #[inline]
    fn seal(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &mut [u8; TAG_LEN],
    ) -> Result<(), Failure> {
        self.0.seal(nonce, aad, message, tag)
    }

    #[inline]
    fn open(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Failure> {
        self.0.open(nonce, aad, message, tag)
    }
}

/// XChaCha20-Poly1305.
pub(crate) struct XChaCha20Poly1305(evp::aead::XChaCha20Poly1305);

impl AeadKey for XChaCha20Poly1305 {
    #[inline]
    fn new(key: &[u8], _: Role) -> Result<Self, Failure> {
        evp::aead::XChaCha20Poly1305::new(key).map(Self)
    }

    #[inline]
    fn seal(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &mut [u8; TAG_LEN],
    ) -> Result<(), Failure> {
        self.0.seal(exactly("a nonce", nonce)?, aad, message, tag)
    }

    #[inline]
    fn open(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Failure> {
        self.0.open(exactly("a nonce", nonce)?, aad, message, tag)
    }
}
