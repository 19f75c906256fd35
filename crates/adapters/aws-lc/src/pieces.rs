//! AES-256 in pieces, from one buffer to another: CBC and CTR by aws-lc-rs's streaming keys, GCM by the C interface,
//! whose calls are in `evp`.

use crate::evp::cipher::{Aes256Gcm, Context, TAG_LEN};
use aws_lc_rs::{
    cipher::{
        AES_256, DecryptionContext, EncryptionContext, StreamingDecryptingKey,
        StreamingEncryptingKey, UnboundCipherKey,
    },
    error::Unspecified,
    iv::FixedLength,
};
use cryptobench_harness::{Failure, Role, exactly, operations::pieces::StreamKey};
use std::marker::PhantomData;

/// How a streaming key of a mode is made.
pub(crate) trait Mode: 'static {
    fn encrypting(
        key: UnboundCipherKey,
        iv: EncryptionContext,
    ) -> Result<StreamingEncryptingKey, Unspecified>;

    fn decrypting(
        key: UnboundCipherKey,
        iv: DecryptionContext,
    ) -> Result<StreamingDecryptingKey, Unspecified>;
}

/// CBC with PKCS#7 padding.
pub(crate) struct Cbc;
impl Mode for Cbc {
    #[inline]
    fn encrypting(
        key: UnboundCipherKey,
        iv: EncryptionContext,
    ) -> Result<StreamingEncryptingKey, Unspecified> {
        StreamingEncryptingKey::less_safe_cbc_pkcs7(key, iv)
    }

    #[inline]
    fn decrypting(
        key: UnboundCipherKey,
        iv: DecryptionContext,
    ) -> Result<StreamingDecryptingKey, Unspecified> {
        StreamingDecryptingKey::cbc_pkcs7(key, iv)
    }
}

/// Counter mode.
pub(crate) struct Ctr;
impl Mode for Ctr {
    #[inline]
    fn encrypting(
        key: UnboundCipherKey,
        iv: EncryptionContext,
    ) -> Result<StreamingEncryptingKey, Unspecified> {
        StreamingEncryptingKey::less_safe_ctr(key, iv)
    }

    #[inline]
    fn decrypting(
        key: UnboundCipherKey,
        iv: DecryptionContext,
    ) -> Result<StreamingDecryptingKey, Unspecified> {
        StreamingDecryptingKey::ctr(key, iv)
    }
}

/// A streaming key, which is for one message and used up by its end.
enum Message {
    Encrypting(StreamingEncryptingKey),
    Decrypting(StreamingDecryptingKey),
}

/// The bytes of a key, of which each message makes a streaming key: no interface gives one a new IV.
pub(crate) struct Streaming<M> {
    key: [u8; 32],
    role: Role,
    message: Option<Message>,
    mode: PhantomData<M>,
}

impl<M: Mode> StreamKey for Streaming<M> {
    fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        Ok(Self { key: *exactly::<32>("a key", key)?, role, message: None, mode: PhantomData })
    }

    #[inline]
    fn begin(&mut self, iv: &[u8]) -> Result<(), Failure> {
        let iv = FixedLength::from(exactly::<16>("an IV", iv)?);
        let key = UnboundCipherKey::new(&AES_256, &self.key)
            .map_err(Failure::library("UnboundCipherKey::new"))?;
        let message = match self.role {
            Role::Encrypt => {
                M::encrypting(key, EncryptionContext::Iv128(iv)).map(Message::Encrypting)
            }
            Role::Decrypt => {
                M::decrypting(key, DecryptionContext::Iv128(iv)).map(Message::Decrypting)
            }
        };
        self.message = Some(message.map_err(Failure::library("StreamingEncryptingKey::new"))?);
        Ok(())
    }

    #[inline]
    fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        match self.message.as_mut().ok_or_else(not_begun)? {
            Message::Encrypting(key) => key.update(input, output),
            Message::Decrypting(key) => key.update(input, output),
        }
        .map(|update| update.written().len())
        .map_err(Failure::library("StreamingEncryptingKey::update"))
    }

    #[inline]
    fn finish(&mut self, rest: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        let written = self.update(rest, output)?;
        let output = &mut output[written..];
        let ended = match self.message.take().ok_or_else(not_begun)? {
            Message::Encrypting(key) => key
                .finish(output)
                .map(|(_, update)| update.written().len())
                .map_err(Failure::library("StreamingEncryptingKey::finish"))?,
            // All that is checked here is the padding.
            Message::Decrypting(key) => key
                .finish(output)
                .map(|update| update.written().len())
                .map_err(|_| Failure::Refused)?,
        };
        Ok(written + ended)
    }
}

#[cold]
fn not_begun() -> Failure {
    Failure::unsupported("a piece of no message")
}

/// GCM.
pub(crate) struct Gcm {
    context: Context<Aes256Gcm>,
    role: Role,
}

impl StreamKey for Gcm {
    fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        Ok(Self { context: Context::new(key, role)?, role })
    }

    #[inline]
    fn begin(&mut self, iv: &[u8]) -> Result<(), Failure> {
        self.context.set_iv(iv)
    }

    #[inline]
    fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        self.context.update_to(input, output)
    }

    #[inline]
    fn finish(&mut self, rest: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        match self.role {
            Role::Encrypt => {
                let written = self.context.update_to(rest, output)?;
                let tag = output[written..].first_chunk_mut::<TAG_LEN>().ok_or_else(no_room)?;
                self.context.seal_end(tag)?;
                Ok(written + TAG_LEN)
            }
            Role::Decrypt => {
                self.context.open_end(exactly::<TAG_LEN>("a tag", rest)?)?;
                Ok(0)
            }
        }
    }
}

#[cold]
fn no_room() -> Failure {
    Failure::unsupported("an end of a message without room for the tag")
}
