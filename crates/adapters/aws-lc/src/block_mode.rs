//! Block modes: CBC and CTR by aws-lc-rs's `cipher`, ECB and XTS by the C interface, whose calls are in
//! `evp`. No padding of our own: PKCS#7 is put on and taken off by the library.

use crate::evp::cipher::{Aes256Xts, Cipher, Context};
use aws_lc_rs::{
    cipher::{
        AES_128, AES_256, Algorithm, DecryptingKey, DecryptionContext, EncryptingKey,
        EncryptionContext, PaddedBlockDecryptingKey, PaddedBlockEncryptingKey, UnboundCipherKey,
    },
    iv::FixedLength,
};
use cryptobench_harness::{
    Failure, Role,
    operations::block_mode::{BlockModeKey, IV_LEN},
};
use std::marker::PhantomData;

const BLOCK_LEN: usize = 16;

/// AES with one key size.
pub(crate) trait Aes: 'static {
    const ALGORITHM: &'static Algorithm;
}

pub(crate) struct Aes128;
impl Aes for Aes128 {
    const ALGORITHM: &'static Algorithm = &AES_128;
}

pub(crate) struct Aes256;
impl Aes for Aes256 {
    const ALGORITHM: &'static Algorithm = &AES_256;
}

fn unbound<A: Aes>(key: &[u8]) -> Result<UnboundCipherKey, Failure> {
    UnboundCipherKey::new(A::ALGORITHM, key).map_err(Failure::library("UnboundCipherKey::new"))
}

/// A key for one direction.
enum Directed<E, D> {
    Encrypting(E),
    Decrypting(D),
}

#[cold]
fn other_direction() -> Failure {
    Failure::unsupported("a key made for the other direction")
}

/// CBC with PKCS#7 padding.
pub(crate) struct Cbc<A> {
    key: Directed<PaddedBlockEncryptingKey, PaddedBlockDecryptingKey>,
    aes: PhantomData<A>,
}

impl<A: Aes> BlockModeKey for Cbc<A> {
    fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        let key = unbound::<A>(key)?;
        let key = match role {
            Role::Encrypt => PaddedBlockEncryptingKey::cbc_pkcs7(key).map(Directed::Encrypting),
            Role::Decrypt => PaddedBlockDecryptingKey::cbc_pkcs7(key).map(Directed::Decrypting),
        }
        .map_err(Failure::library("PaddedBlockEncryptingKey::cbc_pkcs7"))?;
        Ok(Self { key, aes: PhantomData })
    }

    #[inline]
    fn encrypt(
        &mut self,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        let Directed::Encrypting(key) = &self.key else { return Err(other_direction()) };
        let mut message = Extendable::new(buffer, length)?;
        key.less_safe_encrypt(&mut message, EncryptionContext::Iv128(FixedLength::from(iv)))
            .map_err(Failure::library("PaddedBlockEncryptingKey::less_safe_encrypt"))?;
        Ok(message.length)
    }

    #[inline]
    fn decrypt(
        &mut self,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        let Directed::Decrypting(key) = &self.key else { return Err(other_direction()) };
        let ciphertext = message(buffer, length)?;
        let message = key
            .decrypt(ciphertext, DecryptionContext::Iv128(FixedLength::from(iv)))
            .map_err(|_| Failure::Refused)?;
        Ok(message.len())
    }
}

/// A message in a buffer with room for a block of padding behind it: what aws-lc-rs wants to append that
/// to, without a `Vec` that might allocate.
struct Extendable<'a> {
    buffer: &'a mut [u8],
    length: usize,
}

impl<'a> Extendable<'a> {
    #[inline]
    fn new(buffer: &'a mut [u8], length: usize) -> Result<Self, Failure> {
        if buffer.len() < length.saturating_add(BLOCK_LEN) {
            return Err(no_room());
        }
        Ok(Self { buffer, length })
    }
}

impl AsMut<[u8]> for Extendable<'_> {
    #[inline]
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.buffer[..self.length]
    }
}

impl<'b> Extend<&'b u8> for Extendable<'_> {
    #[inline]
    fn extend<I: IntoIterator<Item = &'b u8>>(&mut self, bytes: I) {
        // Never more than the block that there is room for.
        for (room, byte) in self.buffer[self.length..].iter_mut().zip(bytes) {
            *room = *byte;
            self.length += 1;
        }
    }
}

/// CTR, the counter 128 bits big-endian.
pub(crate) struct Ctr<A> {
    key: Directed<EncryptingKey, DecryptingKey>,
    aes: PhantomData<A>,
}

impl<A: Aes> BlockModeKey for Ctr<A> {
    fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        let key = unbound::<A>(key)?;
        let key = match role {
            Role::Encrypt => EncryptingKey::ctr(key).map(Directed::Encrypting),
            Role::Decrypt => DecryptingKey::ctr(key).map(Directed::Decrypting),
        }
        .map_err(Failure::library("EncryptingKey::ctr"))?;
        Ok(Self { key, aes: PhantomData })
    }

    #[inline]
    fn encrypt(
        &mut self,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        let Directed::Encrypting(key) = &self.key else { return Err(other_direction()) };
        let iv = EncryptionContext::Iv128(FixedLength::from(iv));
        key.less_safe_encrypt(message(buffer, length)?, iv)
            .map_err(Failure::library("EncryptingKey::less_safe_encrypt"))?;
        Ok(length)
    }

    #[inline]
    fn decrypt(
        &mut self,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        let Directed::Decrypting(key) = &self.key else { return Err(other_direction()) };
        let iv = DecryptionContext::Iv128(FixedLength::from(iv));
        let message = key
            .decrypt(message(buffer, length)?, iv)
            .map_err(Failure::library("DecryptingKey::decrypt"))?;
        Ok(message.len())
    }
}

/// ECB with the key size of `C`.
pub(crate) struct Ecb<C>(Context<C>);

impl<C: Cipher> Ecb<C> {
    #[inline]
    fn apply(&mut self, buffer: &mut [u8], length: usize) -> Result<usize, Failure> {
        // Without an IV, and with nothing left over from the last message, there is nothing to begin.
        self.0.update(message(buffer, length)?)?;
        Ok(length)
    }
}

impl<C: Cipher> BlockModeKey for Ecb<C> {
    fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        Context::new(key, role).map(Self)
    }

    #[inline]
    fn encrypt(
        &mut self,
        _: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        self.apply(buffer, length)
    }

    #[inline]
    fn decrypt(
        &mut self,
        _: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        self.apply(buffer, length)
    }
}

/// XTS with AES-256, the only one that AWS-LC has.
pub(crate) struct Xts(Context<Aes256Xts>);

impl Xts {
    #[inline]
    fn apply(
        &mut self,
        tweak: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        self.0.set_iv(tweak)?;
        self.0.update(message(buffer, length)?)?;
        Ok(length)
    }
}

impl BlockModeKey for Xts {
    fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        Context::new(key, role).map(Self)
    }

    #[inline]
    fn encrypt(
        &mut self,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        self.apply(iv, buffer, length)
    }

    #[inline]
    fn decrypt(
        &mut self,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        self.apply(iv, buffer, length)
    }
}

#[inline]
fn message(buffer: &mut [u8], length: usize) -> Result<&mut [u8], Failure> {
    buffer.get_mut(..length).ok_or_else(no_room)
}

#[cold]
fn no_room() -> Failure {
    Failure::unsupported("a message without room in its buffer")
}
