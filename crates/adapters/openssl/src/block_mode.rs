//! AES modes without authentication: a context per key and role, to which a message brings only its IV.

use crate::cipher::{Context, Named, fetched};
use cryptobench_harness::{
    Failure, Role,
    operations::block_mode::{BlockModeKey, IV_LEN},
};
use std::marker::PhantomData;

/// A mode of AES.
pub(crate) trait Mode: Named {
    /// Whether OpenSSL pads messages (PKCS#7), which is its default; CTR and XTS know no padding.
    const PADDED: bool = false;
}

impl Mode for fetched::Aes128Ecb {}
impl Mode for fetched::Aes256Ecb {}
impl Mode for fetched::Aes128Cbc {
    const PADDED: bool = true;
}
impl Mode for fetched::Aes256Cbc {
    const PADDED: bool = true;
}
impl Mode for fetched::Aes128Ctr {}
impl Mode for fetched::Aes256Ctr {}
impl Mode for fetched::Aes128Xts {}
impl Mode for fetched::Aes256Xts {}

/// A key for whole messages: one initialisation with the IV, one update, one final call.
pub(crate) struct WholeMessage<M> {
    context: Context,
    mode: PhantomData<M>,
}

impl<M: Mode> BlockModeKey for WholeMessage<M> {
    fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        let mut context = Context::new::<M>(key, role)?;
        // Outlasts the messages to come.
        context.settings().set_padding(M::PADDED);
        Ok(Self { context, mode: PhantomData })
    }

    #[inline]
    fn encrypt(
        &mut self,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        let written = self.transform(Role::Encrypt, iv, buffer, length)?;
        let rest = self
            .context
            .finish(&mut buffer[written..])
            .map_err(Failure::library("EVP_CipherFinal"))?;
        Ok(written + rest)
    }

    #[inline]
    fn decrypt(
        &mut self,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        let written = self.transform(Role::Decrypt, iv, buffer, length)?;
        // All that is checked here is the padding.
        let rest = self.context.finish(&mut buffer[written..]).map_err(|_| Failure::Refused)?;
        Ok(written + rest)
    }
}

impl<M> WholeMessage<M> {
    #[inline]
    fn transform(
        &mut self,
        role: Role,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        // None of it for ECB.
        let iv = &iv[..self.context.iv_len()];
        self.context.start(role, iv)?;
        self.context.update_in_place(buffer, length).map_err(Failure::library("EVP_CipherUpdate"))
    }
}
