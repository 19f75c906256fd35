//! `RSA` keys of any size: aws-lc-rs takes none below 2048 bits.
//! Hashing is the caller's, by aws-lc-rs.

use super::{check, last_error, wrong_length};
use aws_lc_sys::{
    CBB, CBB_cleanup, CBB_finish, CBB_init, CBS, CBS_init, EVP_PKEY, EVP_PKEY_CTX,
    EVP_PKEY_CTX_free, EVP_PKEY_CTX_new_id, EVP_PKEY_CTX_set_rsa_keygen_bits, EVP_PKEY_RSA,
    EVP_PKEY_free, EVP_PKEY_get0_RSA, EVP_PKEY_keygen, EVP_PKEY_keygen_init,
    EVP_marshal_private_key, EVP_parse_private_key, EVP_sha256, NID_sha256, OPENSSL_free, RSA,
    RSA_PSS_SALTLEN_DIGEST, RSA_free, RSA_public_key_from_bytes, RSA_public_key_to_bytes, RSA_sign,
    RSA_sign_pss_mgf1, RSA_size, RSA_verify_pss_mgf1,
};
use cryptobench_harness::Failure;
use std::{
    ffi::c_int,
    mem::MaybeUninit,
    ptr::{NonNull, null, null_mut},
};

/// A SHA-256 digest.
pub(crate) type Digest = [u8; 32];

/// A private key.
pub(crate) struct PrivateKey {
    key: NonNull<EVP_PKEY>,
    /// What `key` holds, and lives as long.
    rsa: NonNull<RSA>,
    modulus_len: usize,
}

impl Drop for PrivateKey {
    fn drop(&mut self) {
        // SAFETY: this value has the only reference and does not use it again.
        unsafe { EVP_PKEY_free(self.key.as_ptr()) };
    }
}

impl PrivateKey {
    /// Generates a key as aws-lc-rs does, who asks for none below 2048 bits.
    pub(crate) fn generate(bits: u64) -> Result<Self, Failure> {
        let bits = c_int::try_from(bits)
            .map_err(|_| Failure::unsupported(format!("RSA keys of {bits} bits")))?;
        let generator = Generator::new()?;
        // SAFETY: the generator is valid.
        check("EVP_PKEY_keygen_init", unsafe { EVP_PKEY_keygen_init(generator.0.as_ptr()) })?;
        // SAFETY: the generator is initialised and one of RSA keys.
        check("EVP_PKEY_CTX_set_rsa_keygen_bits", unsafe {
            EVP_PKEY_CTX_set_rsa_keygen_bits(generator.0.as_ptr(), bits)
        })?;
        let mut key = null_mut();
        // SAFETY: the generator is initialised; a new key is made where there is a null.
        check("EVP_PKEY_keygen", unsafe { EVP_PKEY_keygen(generator.0.as_ptr(), &mut key) })?;
        Self::owning(key, "EVP_PKEY_keygen")
    }

    /// Parses PKCS#8 DER.
    pub(crate) fn from_pkcs8(pkcs8: &[u8]) -> Result<Self, Failure> {
        let mut rest = MaybeUninit::<CBS>::uninit();
        // SAFETY: `pkcs8` is readable for its length and outlives `rest`, which is initialised by this.
        let mut rest = unsafe {
            CBS_init(rest.as_mut_ptr(), pkcs8.as_ptr(), pkcs8.len());
            rest.assume_init()
        };
        // SAFETY: `rest` is the bytes of `pkcs8`; null is refused.
        let key =
            Self::owning(unsafe { EVP_parse_private_key(&mut rest) }, "EVP_parse_private_key")?;
        if rest.len != 0 {
            return Err(Failure::unsupported("a key with more bytes behind it"));
        }
        Ok(key)
    }

    /// Takes over the one reference to `key`.
    fn owning(key: *mut EVP_PKEY, call: &'static str) -> Result<Self, Failure> {
        let key = NonNull::new(key).ok_or_else(|| last_error(call))?;
        // SAFETY: `key` is valid; of another kind of key, null comes back.
        let Some(rsa) = NonNull::new(unsafe { EVP_PKEY_get0_RSA(key.as_ptr()) }) else {
            // SAFETY: nobody else has the reference.
            unsafe { EVP_PKEY_free(key.as_ptr()) };
            return Err(last_error("EVP_PKEY_get0_RSA"));
        };
        // SAFETY: `rsa` lives as long as `key`.
        let modulus_len = unsafe { RSA_size(rsa.as_ptr()) } as usize;
        Ok(Self { key, rsa, modulus_len })
    }

    /// The public key in PKCS#1 DER.
    pub(crate) fn public_key(&self) -> Result<Vec<u8>, Failure> {
        let (mut bytes, mut length) = (null_mut(), 0);
        // SAFETY: the key is valid; both results are written where it succeeds.
        check("RSA_public_key_to_bytes", unsafe {
            RSA_public_key_to_bytes(&mut bytes, &mut length, self.rsa.as_ptr())
        })?;
        // SAFETY: `length` bytes at `bytes`, allocated by the call before and given to the caller.
        Ok(unsafe { taken(bytes, length) })
    }

    /// The private key in PKCS#8 DER.
    pub(crate) fn to_pkcs8(&self) -> Result<Vec<u8>, Failure> {
        let mut builder = MaybeUninit::<CBB>::uninit();
        // SAFETY: initialises the builder, also where it fails.
        check("CBB_init", unsafe { CBB_init(builder.as_mut_ptr(), 0) })?;
        let (mut bytes, mut length) = (null_mut(), 0);
        // SAFETY: the builder is initialised, the key valid.
        let mut answer =
            unsafe { EVP_marshal_private_key(builder.as_mut_ptr(), self.key.as_ptr()) };
        if answer == 1 {
            // SAFETY: the builder is initialised; both results are written where it succeeds.
            answer = unsafe { CBB_finish(builder.as_mut_ptr(), &mut bytes, &mut length) };
        }
        if answer != 1 {
            // SAFETY: the builder is initialised and not used again.
            unsafe { CBB_cleanup(builder.as_mut_ptr()) };
            return Err(last_error("EVP_marshal_private_key"));
        }
        // SAFETY: `length` bytes at `bytes`, allocated by the builder and given to the caller.
        Ok(unsafe { taken(bytes, length) })
    }

    /// Signs under PKCS#1 v1.5.
    pub(crate) fn sign_pkcs1(&self, digest: &Digest, signature: &mut [u8]) -> Result<(), Failure> {
        self.check_signature(signature)?;
        let mut written = 0;
        // SAFETY: `signature` is as long as the modulus, `digest` as long as it says. The key is changed
        // under a lock only (blinding).
        check("RSA_sign", unsafe {
            RSA_sign(
                NID_sha256,
                digest.as_ptr(),
                digest.len(),
                signature.as_mut_ptr(),
                &mut written,
                self.rsa.as_ptr(),
            )
        })
    }

    /// Signs under PSS with a salt as long as the digest.
    pub(crate) fn sign_pss(&self, digest: &Digest, signature: &mut [u8]) -> Result<(), Failure> {
        self.check_signature(signature)?;
        let mut written = 0;
        // SAFETY: the same; the length of `signature` is passed. Null stands for the same hash in MGF1.
        check("RSA_sign_pss_mgf1", unsafe {
            RSA_sign_pss_mgf1(
                self.rsa.as_ptr(),
                &mut written,
                signature.as_mut_ptr(),
                signature.len(),
                digest.as_ptr(),
                digest.len(),
                EVP_sha256(),
                null(),
                RSA_PSS_SALTLEN_DIGEST,
            )
        })
    }

    fn check_signature(&self, signature: &[u8]) -> Result<(), Failure> {
        if signature.len() == self.modulus_len {
            return Ok(());
        }
        Err(wrong_length("a signature", self.modulus_len, signature.len()))
    }
}

/// A public key.
pub(crate) struct PublicKey(NonNull<RSA>);

impl Drop for PublicKey {
    fn drop(&mut self) {
        // SAFETY: this value has the only reference and does not use it again.
        unsafe { RSA_free(self.0.as_ptr()) };
    }
}

impl PublicKey {
    /// Parses PKCS#1 DER.
    pub(crate) fn from_pkcs1(pkcs1: &[u8]) -> Result<Self, Failure> {
        // SAFETY: `pkcs1` is readable for its length; null is refused.
        let key = unsafe { RSA_public_key_from_bytes(pkcs1.as_ptr(), pkcs1.len()) };
        NonNull::new(key).map(Self).ok_or_else(|| last_error("RSA_public_key_from_bytes"))
    }

    /// Verifies under PSS with a salt as long as the digest.
    pub(crate) fn verify_pss(&self, digest: &Digest, signature: &[u8]) -> Result<(), Failure> {
        // SAFETY: both are readable for their lengths. Null stands for the same hash in MGF1.
        let answer = unsafe {
            RSA_verify_pss_mgf1(
                self.0.as_ptr(),
                digest.as_ptr(),
                digest.len(),
                EVP_sha256(),
                null(),
                RSA_PSS_SALTLEN_DIGEST,
                signature.as_ptr(),
                signature.len(),
            )
        };
        if answer == 1 { Ok(()) } else { Err(Failure::Refused) }
    }
}

/// What generates keys.
struct Generator(NonNull<EVP_PKEY_CTX>);

impl Generator {
    fn new() -> Result<Self, Failure> {
        // SAFETY: the kind is one that the library knows; null leaves out the engine, and is refused.
        let generator = unsafe { EVP_PKEY_CTX_new_id(EVP_PKEY_RSA, null_mut()) };
        NonNull::new(generator).map(Self).ok_or_else(|| last_error("EVP_PKEY_CTX_new_id"))
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        // SAFETY: made by `EVP_PKEY_CTX_new_id`, owned by this value alone and not used again.
        unsafe { EVP_PKEY_CTX_free(self.0.as_ptr()) };
    }
}

/// Copies bytes that the library allocated, and frees them.
///
/// # Safety
///
/// `bytes` is an allocation of the library's with `length` bytes written, and the caller's to free.
unsafe fn taken(bytes: *mut u8, length: usize) -> Vec<u8> {
    // SAFETY: the caller's promise.
    let copy = unsafe { std::slice::from_raw_parts(bytes, length) }.to_vec();
    // SAFETY: the same; the slice is gone.
    unsafe { OPENSSL_free(bytes.cast()) };
    copy
}
