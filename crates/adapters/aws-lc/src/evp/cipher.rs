//! `EVP_CIPHER_CTX`: ECB, XTS and CCM, one context for every message under a key in one direction.
//! CBC and CTR are not here: aws-lc-rs has them.

use super::{check, last_error, wrong_length};
use aws_lc_sys::{
    EVP_CIPHER, EVP_CIPHER_CTX, EVP_CIPHER_CTX_ctrl, EVP_CIPHER_CTX_free, EVP_CIPHER_CTX_new,
    EVP_CIPHER_CTX_set_padding, EVP_CTRL_AEAD_GET_TAG, EVP_CTRL_AEAD_SET_IVLEN,
    EVP_CTRL_AEAD_SET_TAG, EVP_CipherInit_ex, EVP_CipherUpdate, EVP_aes_128_ccm, EVP_aes_128_ecb,
    EVP_aes_256_ccm, EVP_aes_256_ecb, EVP_aes_256_xts,
};
use cryptobench_harness::{Failure, Role};
use std::{
    ffi::c_int,
    marker::PhantomData,
    ptr::{NonNull, null, null_mut},
};

const TAG_LEN: usize = 16;

/// A cipher and its lengths, on which the soundness of [`Context`] rests.
///
/// # Safety
///
/// The lengths are those of `EVP`; `UNIT` bytes in, and every multiple, give as many out at once; `CCM` is
/// true for ciphers in that mode and no others.
pub(crate) unsafe trait Cipher: 'static {
    const EVP: unsafe extern "C" fn() -> *const EVP_CIPHER;
    const KEY_LEN: usize;
    const IV_LEN: usize;
    const UNIT: usize;
    const CCM: bool;
}

macro_rules! cipher {
    ($name:ident, $evp:ident, key $key:literal, iv $iv:literal, unit $unit:literal, ccm $ccm:literal) => {
        pub(crate) struct $name;
        // SAFETY: lengths as in SP 800-38A (ECB), SP 800-38E (XTS, two keys) and, for CCM, as `Context::new`
        // sets them.
        unsafe impl Cipher for $name {
            const EVP: unsafe extern "C" fn() -> *const EVP_CIPHER = $evp;
            const KEY_LEN: usize = $key;
            const IV_LEN: usize = $iv;
            const UNIT: usize = $unit;
            const CCM: bool = $ccm;
        }
    };
}

cipher!(Aes128Ecb, EVP_aes_128_ecb, key 16, iv 0, unit 16, ccm false);
cipher!(Aes256Ecb, EVP_aes_256_ecb, key 32, iv 0, unit 16, ccm false);
cipher!(Aes256Xts, EVP_aes_256_xts, key 64, iv 16, unit 16, ccm false);
cipher!(Aes128Ccm, EVP_aes_128_ccm, key 16, iv 12, unit 1, ccm true);
cipher!(Aes256Ccm, EVP_aes_256_ccm, key 32, iv 12, unit 1, ccm true);

/// A context with its key, for one direction.
pub(crate) struct Context<C> {
    raw: NonNull<EVP_CIPHER_CTX>,
    cipher: PhantomData<C>,
}

impl<C> Drop for Context<C> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: made by `EVP_CIPHER_CTX_new`, owned by this value alone and not used again.
        unsafe { EVP_CIPHER_CTX_free(self.raw.as_ptr()) };
    }
}

impl<C: Cipher> Context<C> {
    #[inline]
    pub(crate) fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        if key.len() != C::KEY_LEN {
            return Err(wrong_length("a key", C::KEY_LEN, key.len()));
        }
        // SAFETY: takes nothing; null is refused.
        let raw = NonNull::new(unsafe { EVP_CIPHER_CTX_new() })
            .ok_or_else(|| last_error("EVP_CIPHER_CTX_new"))?;
        let context = Self { raw, cipher: PhantomData };
        let encrypt = match role {
            Role::Encrypt => 1,
            Role::Decrypt => 0,
        };
        // SAFETY: takes nothing and returns a constant of the library.
        let cipher = unsafe { (C::EVP)() };
        // SAFETY: the context and the cipher are valid; null leaves out engine, key and IV.
        check("EVP_CipherInit_ex", unsafe {
            EVP_CipherInit_ex(raw.as_ptr(), cipher, null_mut(), null(), null(), encrypt)
        })?;
        if C::CCM {
            // Before the key: CCM takes both lengths into its state with it.
            // SAFETY: the context has a cipher; this command reads its number only.
            check("EVP_CIPHER_CTX_ctrl(SET_IVLEN)", unsafe {
                let length = C::IV_LEN as c_int;
                EVP_CIPHER_CTX_ctrl(raw.as_ptr(), EVP_CTRL_AEAD_SET_IVLEN, length, null_mut())
            })?;
            // SAFETY: the same; null stands for a tag that is not known yet.
            check("EVP_CIPHER_CTX_ctrl(SET_TAG)", unsafe {
                let length = TAG_LEN as c_int;
                EVP_CIPHER_CTX_ctrl(raw.as_ptr(), EVP_CTRL_AEAD_SET_TAG, length, null_mut())
            })?;
        } else {
            // SAFETY: the context is valid.
            check("EVP_CIPHER_CTX_set_padding", unsafe {
                EVP_CIPHER_CTX_set_padding(raw.as_ptr(), 0)
            })?;
        }
        // SAFETY: the key is as long as the cipher's; null leaves cipher, engine and IV as they are.
        check("EVP_CipherInit_ex", unsafe {
            EVP_CipherInit_ex(raw.as_ptr(), null(), null_mut(), key.as_ptr(), null(), encrypt)
        })?;
        Ok(context)
    }

    /// Begins a message.
    #[inline]
    pub(crate) fn set_iv(&mut self, iv: &[u8]) -> Result<(), Failure> {
        if iv.len() != C::IV_LEN {
            return Err(wrong_length("an IV", C::IV_LEN, iv.len()));
        }
        // SAFETY: the IV is as long as the cipher's; null and -1 leave all else as it is.
        check("EVP_CipherInit_ex", unsafe {
            EVP_CipherInit_ex(self.raw.as_ptr(), null(), null_mut(), null(), iv.as_ptr(), -1)
        })
    }

    /// Encrypts or decrypts in place.
    #[inline]
    pub(crate) fn update(&mut self, data: &mut [u8]) -> Result<(), Failure> {
        let length = self.updatable(data)?;
        let data = data.as_mut_ptr();
        // SAFETY: `data` is `length` bytes, a multiple of the unit.
        if !unsafe { self.raw_update(data, data, length) } {
            return Err(last_error("EVP_CipherUpdate"));
        }
        Ok(())
    }

    #[inline]
    fn updatable(&self, data: &[u8]) -> Result<c_int, Failure> {
        if !data.len().is_multiple_of(C::UNIT) {
            return Err(Failure::unsupported("a message that is not of whole blocks"));
        }
        length(data.len())
    }

    /// `EVP_CipherUpdate`: whether it succeeded and took all of the input.
    ///
    /// # Safety
    ///
    /// `input` is valid for reads of `length` bytes and `output`, the same or apart, for writes, `length`
    /// being a multiple of the cipher's unit. In CCM mode alone, `output` or both may be null.
    #[inline]
    unsafe fn raw_update(&mut self, output: *mut u8, input: *const u8, length: c_int) -> bool {
        let mut written = 0;
        // SAFETY: the context is valid, the rest is the caller's promise. Where all messages are of whole
        // units, and there is no padding, nothing of them stays behind in the context.
        let answer =
            unsafe { EVP_CipherUpdate(self.raw.as_ptr(), output, &mut written, input, length) };
        answer == 1 && written == length
    }

    /// Seals `message` in place.
    #[inline]
    pub(crate) fn seal(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &mut [u8; TAG_LEN],
    ) -> Result<(), Failure> {
        self.only_in_ccm()?;
        self.set_iv(nonce)?;
        self.announce(message.len(), aad)?;
        self.update(message)?;
        // SAFETY: this command writes `TAG_LEN` bytes to the tag.
        check("EVP_CIPHER_CTX_ctrl(GET_TAG)", unsafe {
            EVP_CIPHER_CTX_ctrl(
                self.raw.as_ptr(),
                EVP_CTRL_AEAD_GET_TAG,
                TAG_LEN as c_int,
                tag.as_mut_ptr().cast(),
            )
        })
    }

    /// Opens `message` in place.
    #[inline]
    pub(crate) fn open(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Failure> {
        self.only_in_ccm()?;
        self.set_iv(nonce)?;
        // SAFETY: this command reads `TAG_LEN` bytes from the tag and writes nothing there.
        check("EVP_CIPHER_CTX_ctrl(SET_TAG)", unsafe {
            EVP_CIPHER_CTX_ctrl(
                self.raw.as_ptr(),
                EVP_CTRL_AEAD_SET_TAG,
                TAG_LEN as c_int,
                tag.as_ptr().cast_mut().cast(),
            )
        })?;
        self.announce(message.len(), aad)?;
        let length = self.updatable(message)?;
        let message = message.as_mut_ptr();
        // SAFETY: `message` is `length` bytes, and CCM has units of one byte.
        if unsafe { self.raw_update(message, message, length) } {
            Ok(())
        } else {
            Err(Failure::Refused)
        }
    }

    /// What CCM authenticates first: the length of the message and the associated data.
    #[inline]
    fn announce(&mut self, message_len: usize, aad: &[u8]) -> Result<(), Failure> {
        let message_len = length(message_len)?;
        let aad_len = length(aad.len())?;
        // SAFETY: with both pointers null, which only CCM takes, the length alone is read.
        if !unsafe { self.raw_update(null_mut(), null(), message_len) } {
            return Err(last_error("EVP_CipherUpdate(length)"));
        }
        // Also where there are no associated data: it is this call that discards what a refused message
        // left in the state.
        // SAFETY: `aad` is `aad_len` bytes; without an output, which only CCM takes, nothing is written.
        if !unsafe { self.raw_update(null_mut(), aad.as_ptr(), aad_len) } {
            return Err(last_error("EVP_CipherUpdate(AAD)"));
        }
        Ok(())
    }

    #[inline]
    fn only_in_ccm(&self) -> Result<(), Failure> {
        if C::CCM { Ok(()) } else { Err(Failure::unsupported("a cipher without authentication")) }
    }
}

#[inline]
fn length(bytes: usize) -> Result<c_int, Failure> {
    c_int::try_from(bytes).map_err(|_| Failure::unsupported("a message longer than a C int"))
}
