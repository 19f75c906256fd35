//! AES in pieces, from one buffer to another: a context per key and role, to which a message brings only its IV.

use crate::{
    block_mode::Mode,
    cipher::{Context, Named},
};
use cryptobench_harness::{
    Failure, Role, exactly,
    operations::{aead::TAG_LEN, pieces::StreamKey},
};
use std::marker::PhantomData;

/// A mode without authentication.
pub(crate) struct Unauthenticated<M> {
    context: Context,
    role: Role,
    mode: PhantomData<M>,
}

impl<M: Mode> StreamKey for Unauthenticated<M> {
    fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        let mut context = Context::new::<M>(key, role)?;
        // Outlasts the messages to come.
        context.settings().set_padding(M::PADDED);
        Ok(Self { context, role, mode: PhantomData })
    }

    #[inline]
    fn begin(&mut self, iv: &[u8]) -> Result<(), Failure> {
        self.context.start(self.role, iv)
    }

    #[inline]
    fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        self.context.update(input, output).map_err(Failure::library("EVP_CipherUpdate"))
    }

    #[inline]
    fn finish(&mut self, rest: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        let written = self.update(rest, output)?;
        let ended = self.context.finish(&mut output[written..]);
        let ended = match self.role {
            Role::Encrypt => ended.map_err(Failure::library("EVP_CipherFinal"))?,
            // All that is checked here is the padding.
            Role::Decrypt => ended.map_err(|_| Failure::Refused)?,
        };
        Ok(written + ended)
    }
}

/// GCM. The tag is told at the end, as who reads a stream comes by it.
pub(crate) struct Authenticated<C> {
    context: Context,
    role: Role,
    cipher: PhantomData<C>,
}

impl<C: Named> StreamKey for Authenticated<C> {
    fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        Ok(Self { context: Context::new::<C>(key, role)?, role, cipher: PhantomData })
    }

    #[inline]
    fn begin(&mut self, iv: &[u8]) -> Result<(), Failure> {
        self.context.start(self.role, iv)
    }

    #[inline]
    fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        self.context.update(input, output).map_err(Failure::library("EVP_CipherUpdate"))
    }

    #[inline]
    fn finish(&mut self, rest: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        match self.role {
            Role::Encrypt => {
                let written = self.update(rest, output)?;
                let tag = output[written..].first_chunk_mut::<TAG_LEN>().ok_or_else(no_room)?;
                self.context.finish(&mut []).map_err(Failure::library("EVP_CipherFinal"))?;
                self.context
                    .settings()
                    .tag(tag)
                    .map_err(Failure::library("EVP_CTRL_AEAD_GET_TAG"))?;
                Ok(written + TAG_LEN)
            }
            Role::Decrypt => {
                let tag = exactly::<TAG_LEN>("a tag", rest)?;
                self.context
                    .settings()
                    .set_tag(tag)
                    .map_err(Failure::library("EVP_CTRL_AEAD_SET_TAG"))?;
                self.context.finish(&mut []).map_err(|_| Failure::Refused)
            }
        }
    }
}

#[cold]
fn no_room() -> Failure {
    Failure::unsupported("an end of a message without room for the tag")
}
