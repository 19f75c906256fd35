//! AEADs: a context per key and role, to which a message brings only its nonce. Where OpenSSL's AEADs
//! want to be called differently, they are types of their own.

use crate::cipher::{Context, Named};
use cryptobench_harness::{
    Failure, Role,
    operations::aead::{AeadKey, TAG_LEN},
};
use openssl::error::ErrorStack;
use std::marker::PhantomData;

/// Bytes of nonce of CCM, whose default is 7.
const CCM_NONCE_LEN: usize = 12;

/// GCM and ChaCha20-Poly1305; with `KEEPS_AAD` GCM-SIV, whose contexts keep the AAD of the message before.
pub(crate) struct Streamed<C, const KEEPS_AAD: bool = false> {
    context: Context,
    cipher: PhantomData<C>,
}

/// GCM-SIV.
pub(crate) type GcmSiv<C> = Streamed<C, true>;

impl<C, const KEEPS_AAD: bool> Streamed<C, KEEPS_AAD> {
    #[inline]
    fn authenticate(&mut self, aad: &[u8]) -> Result<(), Failure> {
        if KEEPS_AAD {
            // Kept even with the key given again, and new AAD is appended. An update without any bytes
            // clears it.
            authenticate(&mut self.context, &[])?;
            if aad.is_empty() {
                return Ok(());
            }
        }
        authenticate(&mut self.context, aad)
    }
}

impl<C: Named, const KEEPS_AAD: bool> AeadKey for Streamed<C, KEEPS_AAD> {
    #[inline]
    fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        Ok(Self { context: Context::new::<C>(key, role)?, cipher: PhantomData })
    }

    #[inline]
    fn seal(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &mut [u8; TAG_LEN],
    ) -> Result<(), Failure> {
        self.context.start(Role::Encrypt, nonce)?;
        self.authenticate(aad)?;
        transform(&mut self.context, message).map_err(Failure::library("EVP_CipherUpdate"))?;
        finish(&mut self.context).map_err(Failure::library("EVP_CipherFinal"))?;
        write_tag(&mut self.context, tag)
    }

    #[inline]
    fn open(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Failure> {
        self.context.start(Role::Decrypt, nonce)?;
        set_tag(&mut self.context, tag)?;
        self.authenticate(aad)?;
        transform(&mut self.context, message).map_err(Failure::library("EVP_CipherUpdate"))?;
        finish(&mut self.context).map_err(|_| Failure::Refused)
    }
}

/// CCM: the length first, the message in one update, which already checks the tag.
pub(crate) struct Ccm<C> {
    context: Context,
    cipher: PhantomData<C>,
}

impl<C: Named> AeadKey for Ccm<C> {
    #[inline]
    fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        let context = Context::with_lengths::<C>(key, role, CCM_NONCE_LEN, TAG_LEN)?;
        Ok(Self { context, cipher: PhantomData })
    }

    #[inline]
    fn seal(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &mut [u8; TAG_LEN],
    ) -> Result<(), Failure> {
        self.context.start(Role::Encrypt, nonce)?;
        announce(&mut self.context, message.len())?;
        authenticate(&mut self.context, aad)?;
        transform(&mut self.context, message).map_err(Failure::library("EVP_CipherUpdate"))?;
        write_tag(&mut self.context, tag)
    }

    #[inline]
    fn open(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Failure> {
        self.context.start(Role::Decrypt, nonce)?;
        set_tag(&mut self.context, tag)?;
        announce(&mut self.context, message.len())?;
        authenticate(&mut self.context, aad)?;
        transform(&mut self.context, message).map_err(|_| Failure::Refused)
    }
}

#[inline]
fn set_tag(context: &mut Context, tag: &[u8; TAG_LEN]) -> Result<(), Failure> {
    context.settings().set_tag(tag).map_err(Failure::library("EVP_CTRL_AEAD_SET_TAG"))
}

#[inline]
fn write_tag(context: &mut Context, tag: &mut [u8; TAG_LEN]) -> Result<(), Failure> {
    context.settings().tag(tag).map_err(Failure::library("EVP_CTRL_AEAD_GET_TAG"))
}

/// Tells CCM the length of the message, which it authenticates first.
#[inline]
fn announce(context: &mut Context, length: usize) -> Result<(), Failure> {
    context.settings().set_data_len(length).map_err(Failure::library("EVP_CipherUpdate"))
}

#[inline]
fn authenticate(context: &mut Context, aad: &[u8]) -> Result<(), Failure> {
    context.settings().cipher_update(aad, None).map_err(Failure::library("EVP_CipherUpdate"))?;
    Ok(())
}

#[inline]
fn transform(context: &mut Context, message: &mut [u8]) -> Result<(), ErrorStack> {
    let length = message.len();
    context.update_in_place(message, length).map(|_| ())
}

#[inline]
fn finish(context: &mut Context) -> Result<(), ErrorStack> {
    context.finish(&mut []).map(|_| ())
}
