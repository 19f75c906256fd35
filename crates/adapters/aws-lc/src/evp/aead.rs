//! `EVP_AEAD_CTX` for XChaCha20-Poly1305.
//! The AEADs that aws-lc-rs has are not here, nor CCM, which is a cipher to this library.

use super::{check, last_error};
use aws_lc_sys::{
    EVP_AEAD_CTX, EVP_AEAD_CTX_free, EVP_AEAD_CTX_new, EVP_AEAD_CTX_open_gather,
    EVP_AEAD_CTX_seal_scatter, EVP_aead_xchacha20_poly1305,
};
use cryptobench_harness::Failure;
use std::ptr::{NonNull, null};

const NONCE_LEN: usize = 24;
const TAG_LEN: usize = 16;

/// A context with its key, for both directions.
pub(crate) struct XChaCha20Poly1305(NonNull<EVP_AEAD_CTX>);

impl Drop for XChaCha20Poly1305 {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: made by `EVP_AEAD_CTX_new`, owned by this value alone and not used again.
        unsafe { EVP_AEAD_CTX_free(self.0.as_ptr()) };
    }
}

impl XChaCha20Poly1305 {
    #[inline]
    pub(crate) fn new(key: &[u8]) -> Result<Self, Failure> {
        // SAFETY: the AEAD is a constant of the library, which checks the length of the key it is passed
        // before it reads that; null is refused.
        let context = unsafe {
            EVP_AEAD_CTX_new(EVP_aead_xchacha20_poly1305(), key.as_ptr(), key.len(), TAG_LEN)
        };
        NonNull::new(context).map(Self).ok_or_else(|| last_error("EVP_AEAD_CTX_new"))
    }

    /// Seals `message` in place.
    #[inline]
    pub(crate) fn seal(
        &mut self,
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        message: &mut [u8],
        tag: &mut [u8; TAG_LEN],
    ) -> Result<(), Failure> {
        let length = message.len();
        let message = message.as_mut_ptr();
        let mut tag_len = 0;
        // SAFETY: every pointer is valid for the length beside it; output may be the input; without extra
        // input there is as much to write as is read, and the tag.
        check("EVP_AEAD_CTX_seal_scatter", unsafe {
            EVP_AEAD_CTX_seal_scatter(
                self.0.as_ptr(),
                message,
                tag.as_mut_ptr(),
                &mut tag_len,
                TAG_LEN,
                nonce.as_ptr(),
                NONCE_LEN,
                message,
                length,
                null(),
                0,
                aad.as_ptr(),
                aad.len(),
            )
        })
    }

    /// Opens `message` in place.
    #[inline]
    pub(crate) fn open(
        &mut self,
        nonce: &[u8; NONCE_LEN],
        aad: &[u8],
        message: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Failure> {
        let length = message.len();
        let message = message.as_mut_ptr();
        // SAFETY: every pointer is valid for the length beside it; output may be the input, and as much is
        // written as is read.
        let answer = unsafe {
            EVP_AEAD_CTX_open_gather(
                self.0.as_ptr(),
                message,
                nonce.as_ptr(),
                NONCE_LEN,
                message,
                length,
                tag.as_ptr(),
                TAG_LEN,
                aad.as_ptr(),
                aad.len(),
            )
        };
        if answer == 1 { Ok(()) } else { Err(Failure::Refused) }
    }
}
