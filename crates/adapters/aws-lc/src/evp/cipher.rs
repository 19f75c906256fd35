//! `EVP_CIPHER_CTX`: ECB, XTS, CCM, and GCM in pieces, one context for every message under a key in one direction.
//! CBC and CTR are not here: aws-lc-rs has them.

use super::{check, last_error, wrong_length};
use aws_lc_sys::{
    EVP_CIPHER, EVP_CIPHER_CTX, EVP_CIPHER_CTX_ctrl, EVP_CIPHER_CTX_free, EVP_CIPHER_CTX_new,
    EVP_CIPHER_CTX_set_padding, EVP_CTRL_AEAD_GET_TAG, EVP_CTRL_AEAD_SET_IVLEN,
    EVP_CTRL_AEAD_SET_TAG, EVP_CipherFinal_ex, EVP_CipherInit_ex, EVP_CipherUpdate,
    EVP_aes_128_ccm, EVP_aes_128_ecb, EVP_aes_256_ccm, EVP_aes_256_ecb, EVP_aes_256_gcm,
    EVP_aes_256_xts,
};
use cryptobench_harness::{Failure, Role};
use std::{
    ffi::c_int,
    marker::PhantomData,
    ptr::{NonNull, null, null_mut},
};

/// Bytes of tag of CCM and GCM.
pub(crate) const TAG_LEN: usize = 16;

/// How a cipher authenticates, and so which calls it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Authentication {
    None,
    Ccm,
    Gcm,
}

/// A cipher and its lengths, on which the soundness of [`Context`] rests.
///
/// # Safety
///
/// The lengths are those of `EVP`; `UNIT` bytes in, and every multiple, give as many out at once; `AUTHENTICATION` is
/// that of its mode.
pub(crate) unsafe trait Cipher: 'static {
    const EVP: unsafe extern "C" fn() -> *const EVP_CIPHER;
    const KEY_LEN: usize;
    const IV_LEN: usize;
    const UNIT: usize;
    const AUTHENTICATION: Authentication;
}

macro_rules! cipher {
    ($name:ident, $evp:ident, key $key:literal, iv $iv:literal, unit $unit:literal, $authentication:ident) => {
        pub(crate) struct $name;
        // SAFETY: lengths as in SP 800-38A (ECB), SP 800-38E (XTS, two keys), for GCM as AWS-LC's default is, and for
        // CCM as `Context::new` sets them.
        unsafe impl Cipher for $name {
            const EVP: unsafe extern "C" fn() -> *const EVP_CIPHER = $evp;
            const KEY_LEN: usize = $key;
            const IV_LEN: usize = $iv;
            const UNIT: usize = $unit;
            const AUTHENTICATION: Authentication = Authentication::$authentication;
        }
    };
}

cipher!(Aes128Ecb, EVP_aes_128_ecb, key 16, iv 0, unit 16, None);
cipher!(Aes256Ecb, EVP_aes_256_ecb, key 32, iv 0, unit 16, None);
cipher!(Aes256Xts, EVP_aes_256_xts, key 64, iv 16, unit 16, None);
cipher!(Aes128Ccm, EVP_aes_128_ccm, key 16, iv 12, unit 1, Ccm);
cipher!(Aes256Ccm, EVP_aes_256_ccm, key 32, iv 12, unit 1, Ccm);
cipher!(Aes256Gcm, EVP_aes_256_gcm, key 32, iv 12, unit 1, Gcm);

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
        if C::AUTHENTICATION == Authentication::Ccm {
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

    /// Encrypts or decrypts `input` to `output` and returns how many bytes that gave: as many.
    #[inline]
    pub(crate) fn update_to(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        let length = self.updatable(input)?;
        let output = output.get_mut(..input.len()).ok_or_else(no_room)?;
        // SAFETY: `input` is `length` bytes, a multiple of the unit, and so is `output`, which is apart from it.
        if !unsafe { self.raw_update(output.as_mut_ptr(), input.as_ptr(), length) } {
            return Err(last_error("EVP_CipherUpdate"));
        }
        Ok(input.len())
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
        self.only_in(Authentication::Ccm)?;
        self.set_iv(nonce)?;
        self.announce(message.len(), aad)?;
        self.update(message)?;
        self.write_tag(tag)
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
        self.only_in(Authentication::Ccm)?;
        self.set_iv(nonce)?;
        self.set_tag(tag)?;
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

    /// Ends a message that was encrypted by updates, and writes its tag.
    #[inline]
    pub(crate) fn seal_end(&mut self, tag: &mut [u8; TAG_LEN]) -> Result<(), Failure> {
        self.only_in(Authentication::Gcm)?;
        if !self.finish() {
            return Err(last_error("EVP_CipherFinal_ex"));
        }
        self.write_tag(tag)
    }

    /// Ends a message that was decrypted by updates, whose tag is to be `tag`.
    #[inline]
    pub(crate) fn open_end(&mut self, tag: &[u8; TAG_LEN]) -> Result<(), Failure> {
        self.only_in(Authentication::Gcm)?;
        self.set_tag(tag)?;
        if self.finish() { Ok(()) } else { Err(Failure::Refused) }
    }

    /// `EVP_CipherFinal_ex`: whether it succeeded. Only called where it writes nothing.
    #[inline]
    fn finish(&mut self) -> bool {
        let mut written = 0;
        // SAFETY: the context is valid; GCM, the only mode that this is called in, makes or checks its tag here and
        // has no bytes to write.
        unsafe { EVP_CipherFinal_ex(self.raw.as_ptr(), null_mut(), &mut written) == 1 }
    }

    #[inline]
    fn write_tag(&mut self, tag: &mut [u8; TAG_LEN]) -> Result<(), Failure> {
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

    #[inline]
    fn set_tag(&mut self, tag: &[u8; TAG_LEN]) -> Result<(), Failure> {
        // SAFETY: this command reads `TAG_LEN` bytes from the tag and writes nothing there.
        check("EVP_CIPHER_CTX_ctrl(SET_TAG)", unsafe {
            EVP_CIPHER_CTX_ctrl(
                self.raw.as_ptr(),
                EVP_CTRL_AEAD_SET_TAG,
                TAG_LEN as c_int,
                tag.as_ptr().cast_mut().cast(),
            )
        })
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
    fn only_in(&self, mode: Authentication) -> Result<(), Failure> {
        if C::AUTHENTICATION == mode { Ok(()) } else { Err(other_mode()) }
    }
}

#[inline]
fn length(bytes: usize) -> Result<c_int, Failure> {
    c_int::try_from(bytes).map_err(|_| Failure::unsupported("a message longer than a C int"))
}

#[cold]
fn no_room() -> Failure {
    Failure::unsupported("a piece without room for what comes out")
}

#[cold]
fn other_mode() -> Failure {
    Failure::unsupported("a cipher that authenticates otherwise, or not")
}
