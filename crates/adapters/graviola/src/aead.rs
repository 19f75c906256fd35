//! AEADs: graviola's `encrypt` and `decrypt`, in place, tag apart. They cannot fail but by a panic or a
//! tag that does not fit. What a key is called in the suite is not here.

use cryptobench_harness::{
    Failure, Role, exactly,
    operations::aead::{AeadKey, TAG_LEN},
};
use graviola::aead;

/// AES-GCM with a key of `KEY_LEN` bytes, which its constructor takes from the length.
pub(crate) struct AesGcm<const KEY_LEN: usize>(aead::AesGcm);

impl<const KEY_LEN: usize> AesGcm<KEY_LEN> {
    #[inline(always)]
    fn ready(key: &[u8; KEY_LEN]) -> Self {
        Self(aead::AesGcm::new(key))
    }
}

/// ChaCha20-Poly1305.
pub(crate) struct ChaCha20Poly1305(aead::ChaCha20Poly1305);

impl ChaCha20Poly1305 {
    #[inline(always)]
    fn ready(key: &[u8; 32]) -> Self {
        Self(aead::ChaCha20Poly1305::new(*key))
    }
}

/// XChaCha20-Poly1305.
pub(crate) struct XChaCha20Poly1305(aead::XChaCha20Poly1305);

impl XChaCha20Poly1305 {
    #[inline(always)]
    fn ready(key: &[u8; 32]) -> Self {
        Self(aead::XChaCha20Poly1305::new(*key))
    }
}

/// The three types have no trait in common; their methods differ in the nonce's length alone.
macro_rules! aead_key {
    ([$($generics:tt)*] $key:ty) => {
        impl<$($generics)*> AeadKey for $key {
            #[inline(always)]
            fn new(key: &[u8], _: Role) -> Result<Self, Failure> {
                // Its length checked here, since graviola panics at others.
                Ok(Self::ready(exactly("a key", key)?))
            }

            // A key of AES-GCM is two kilobytes here; a copy of it takes 3 % of making it.
            #[inline(always)]
            fn fresh(
                key: &[u8],
                then: impl FnOnce(&mut Self) -> Result<(), Failure>,
            ) -> Result<(), Failure> {
                then(&mut Self::ready(exactly("a key", key)?))
            }

            #[inline(always)]
            fn seal(
                &mut self,
                nonce: &[u8],
                aad: &[u8],
                message: &mut [u8],
                tag: &mut [u8; TAG_LEN],
            ) -> Result<(), Failure> {
                self.0.encrypt(exactly("a nonce", nonce)?, aad, message, tag);
                Ok(())
            }

            #[inline(always)]
            fn open(
                &mut self,
                nonce: &[u8],
                aad: &[u8],
                message: &mut [u8],
                tag: &[u8; TAG_LEN],
            ) -> Result<(), Failure> {
                self.0
                    .decrypt(exactly("a nonce", nonce)?, aad, message, tag)
                    .map_err(|_| Failure::Refused)
            }
        }
    };
}

aead_key!([const KEY_LEN: usize] AesGcm<KEY_LEN>);
aead_key!([] ChaCha20Poly1305);
aead_key!([] XChaCha20Poly1305);
