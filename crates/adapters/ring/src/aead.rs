//! AEADs by `LessSafeKey`, ring's interface for a nonce that the caller chooses, tag apart.
//! What a key is called in the suite is not here.

use cryptobench_harness::{
    Failure, Role, copy_exact, exactly,
    operations::aead::{AeadKey, TAG_LEN},
};
use ring::aead::{
    AES_128_GCM, AES_256_GCM, Aad, Algorithm, CHACHA20_POLY1305, LessSafeKey, Nonce, Tag,
    UnboundKey,
};
use std::marker::PhantomData;

/// One of ring's AEADs.
pub(crate) trait Cipher: 'static {
    const ALGORITHM: &'static Algorithm;
}

pub(crate) struct Aes128Gcm;
impl Cipher for Aes128Gcm {
    const ALGORITHM: &'static Algorithm = &AES_128_GCM;
}

pub(crate) struct Aes256Gcm;
impl Cipher for Aes256Gcm {
    const ALGORITHM: &'static Algorithm = &AES_256_GCM;
}

pub(crate) struct ChaCha20Poly1305;
impl Cipher for ChaCha20Poly1305 {
    const ALGORITHM: &'static Algorithm = &CHACHA20_POLY1305;
}

/// A key that seals and opens.
pub(crate) struct Key<C> {
    key: LessSafeKey,
    cipher: PhantomData<C>,
}

impl<C: Cipher> AeadKey for Key<C> {
    #[inline(always)]
    fn new(key: &[u8], _: Role) -> Result<Self, Failure> {
        let key =
            UnboundKey::new(C::ALGORITHM, key).map_err(Failure::library("UnboundKey::new"))?;
        Ok(Self { key: LessSafeKey::new(key), cipher: PhantomData })
    }

    #[inline(always)]
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

    #[inline(always)]
    fn open(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Failure> {
        let nonce = Nonce::assume_unique_for_key(*exactly("a nonce", nonce)?);
        self.key
            .open_in_place_separate_tag(nonce, Aad::from(aad), Tag::from(*tag), message, 0..)
            .map_err(|_| Failure::Refused)?;
        Ok(())
    }
}
