//! AES-256 in pieces, from one buffer to another: CBC and CTR. The AEAD crates take whole messages only.

use aes::Aes256;
use cbc::cipher::{
    Array, Block, BlockModeDecrypt, BlockModeEncrypt, InnerIvInit, IvState, KeyInit, StreamCipher,
    block_padding::Pkcs7, consts::U16,
};
use cryptobench_harness::{Failure, Role, exactly, operations::pieces::StreamKey};
use ctr::{Ctr128BE, CtrCore};

fn cipher(key: &[u8]) -> Result<Aes256, Failure> {
    Aes256::new_from_slice(key).map_err(Failure::library("KeyInit::new_from_slice"))
}

/// Cipher block chaining with PKCS#7 padding. The mode's object is used up by the end of a message, and so it is made
/// for each call, from the cipher that it is lent and the block that the one before it got to: nothing of the key is
/// copied.
pub(crate) struct Cbc {
    cipher: Aes256,
    role: Role,
    state: Block<Aes256>,
}

impl Cbc {
    #[inline]
    fn encryptor(&self) -> cbc::Encryptor<&Aes256> {
        cbc::Encryptor::inner_iv_init(&self.cipher, &self.state)
    }

    #[inline]
    fn decryptor(&self) -> cbc::Decryptor<&Aes256> {
        cbc::Decryptor::inner_iv_init(&self.cipher, &self.state)
    }
}

impl StreamKey for Cbc {
    fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        Ok(Self { cipher: cipher(key)?, role, state: Block::<Aes256>::default() })
    }

    #[inline]
    fn begin(&mut self, iv: &[u8]) -> Result<(), Failure> {
        self.state = (*exactly::<16>("an IV", iv)?).into();
        Ok(())
    }

    #[inline]
    fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        let (from, rest) = Array::<u8, U16>::slice_as_chunks(input);
        let to = output.get_mut(..input.len()).ok_or_else(no_room)?;
        let (to, _) = Array::<u8, U16>::slice_as_chunks_mut(to);
        if !rest.is_empty() {
            return Err(no_whole_blocks());
        }
        self.state = match self.role {
            Role::Encrypt => {
                let mut mode = self.encryptor();
                mode.encrypt_blocks_b2b(from, to)
                    .map_err(Failure::library("cbc::Encryptor::encrypt_blocks_b2b"))?;
                mode.iv_state()
            }
            Role::Decrypt => {
                let mut mode = self.decryptor();
                mode.decrypt_blocks_b2b(from, to)
                    .map_err(Failure::library("cbc::Decryptor::decrypt_blocks_b2b"))?;
                mode.iv_state()
            }
        };
        Ok(input.len())
    }

    #[inline]
    fn finish(&mut self, rest: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        match self.role {
            Role::Encrypt => self
                .encryptor()
                .encrypt_padded_b2b::<Pkcs7>(rest, output)
                .map(<[u8]>::len)
                .map_err(Failure::library("cbc::Encryptor::encrypt_padded_b2b")),
            Role::Decrypt => self
                .decryptor()
                .decrypt_padded_b2b::<Pkcs7>(rest, output)
                .map(<[u8]>::len)
                .map_err(|_| Failure::Refused),
        }
    }
}

/// Counter mode, the whole block counting big-endian: an object for each message, made of the ready cipher.
pub(crate) struct Ctr {
    cipher: Aes256,
    message: Option<Ctr128BE<Aes256>>,
}

impl StreamKey for Ctr {
    fn new(key: &[u8], _: Role) -> Result<Self, Failure> {
        Ok(Self { cipher: cipher(key)?, message: None })
    }

    #[inline]
    fn begin(&mut self, iv: &[u8]) -> Result<(), Failure> {
        let iv = exactly::<16>("an IV", iv)?;
        let core = CtrCore::inner_iv_init(self.cipher.clone(), iv.into());
        self.message = Some(Ctr128BE::from_core(core));
        Ok(())
    }

    #[inline]
    fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        let output = output.get_mut(..input.len()).ok_or_else(no_room)?;
        self.message
            .as_mut()
            .ok_or_else(not_begun)?
            .try_apply_keystream_b2b(input, output)
            .map_err(Failure::library("Ctr128BE::try_apply_keystream_b2b"))?;
        Ok(input.len())
    }

    #[inline]
    fn finish(&mut self, rest: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        let written = self.update(rest, output)?;
        self.message = None;
        Ok(written)
    }
}

#[cold]
fn no_room() -> Failure {
    Failure::unsupported("a piece without room for what comes out")
}

#[cold]
fn no_whole_blocks() -> Failure {
    Failure::unsupported("a piece that is not of whole blocks")
}

#[cold]
fn not_begun() -> Failure {
    Failure::unsupported("a piece of no message")
}
