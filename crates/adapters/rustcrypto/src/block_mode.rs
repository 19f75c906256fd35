//! AES modes, each by the crate of its mode over the cipher of `aes`.
//! The cipher is made once and lent to the mode: no key schedule, nothing allocated per message.

// The cipher makes both halves of its schedule, as most users have it, whatever the role: a key that is
// one half or the other would be asked which for every message.

use cbc::cipher::{
    BlockCipherDecrypt, BlockCipherEncrypt, BlockModeDecrypt, BlockModeEncrypt, BlockSizeUser,
    InnerIvInit, KeyInit, StreamCipher,
    block_padding::{NoPadding, Pkcs7},
    common::InnerInit,
    consts::U16,
};
use cryptobench_harness::{
    Failure, Role,
    operations::block_mode::{BlockModeKey, IV_LEN},
};
use ctr::{Ctr128BE, CtrCore};
use xts_mode::Xts128;

/// AES with a key of some length.
pub(crate) trait Cipher:
    BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16> + KeyInit + 'static
{
}

impl<C> Cipher for C where
    C: BlockCipherEncrypt + BlockCipherDecrypt + BlockSizeUser<BlockSize = U16> + KeyInit + 'static
{
}

fn cipher<C: Cipher>(key: &[u8]) -> Result<C, Failure> {
    C::new_from_slice(key).map_err(Failure::library("KeyInit::new_from_slice"))
}

/// Electronic codebook.
pub(crate) struct Ecb<C>(C);

impl<C: Cipher> BlockModeKey for Ecb<C> {
    fn new(key: &[u8], _: Role) -> Result<Self, Failure> {
        cipher(key).map(Self)
    }

    #[inline]
    fn encrypt(
        &mut self,
        _: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        ecb::Encryptor::<&C>::inner_init(&self.0)
            .encrypt_padded::<NoPadding>(buffer, length)
            .map(<[u8]>::len)
            .map_err(Failure::library("ecb::Encryptor::encrypt_padded"))
    }

    #[inline]
    fn decrypt(
        &mut self,
        _: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        ecb::Decryptor::<&C>::inner_init(&self.0)
            .decrypt_padded::<NoPadding>(&mut buffer[..length])
            .map(<[u8]>::len)
            .map_err(Failure::library("ecb::Decryptor::decrypt_padded"))
    }
}

/// Cipher block chaining with PKCS#7 padding.
pub(crate) struct Cbc<C>(C);

impl<C: Cipher> BlockModeKey for Cbc<C> {
    fn new(key: &[u8], _: Role) -> Result<Self, Failure> {
        cipher(key).map(Self)
    }

    #[inline]
    fn encrypt(
        &mut self,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        cbc::Encryptor::<&C>::inner_iv_init(&self.0, iv.into())
            .encrypt_padded::<Pkcs7>(buffer, length)
            .map(<[u8]>::len)
            .map_err(Failure::library("cbc::Encryptor::encrypt_padded"))
    }

    #[inline]
    fn decrypt(
        &mut self,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        cbc::Decryptor::<&C>::inner_iv_init(&self.0, iv.into())
            .decrypt_padded::<Pkcs7>(&mut buffer[..length])
            .map(<[u8]>::len)
            .map_err(|_| Failure::Refused)
    }
}

/// Counter mode, the whole block counting big-endian.
pub(crate) struct Ctr<C>(C);

impl<C: Cipher> Ctr<C> {
    #[inline]
    fn apply(&self, iv: &[u8; IV_LEN], buffer: &mut [u8], length: usize) -> Result<usize, Failure> {
        Ctr128BE::<&C>::from_core(CtrCore::inner_iv_init(&self.0, iv.into()))
            .try_apply_keystream(&mut buffer[..length])
            .map_err(Failure::library("Ctr128BE::try_apply_keystream"))?;
        Ok(length)
    }
}

impl<C: Cipher> BlockModeKey for Ctr<C> {
    fn new(key: &[u8], _: Role) -> Result<Self, Failure> {
        cipher(key).map(Self)
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

/// XTS, a message being one sector.
pub(crate) struct Xts<C>(Xts128<C>);

impl<C: Cipher> BlockModeKey for Xts<C> {
    fn new(key: &[u8], _: Role) -> Result<Self, Failure> {
        let (data, tweak) = key.split_at(key.len() / 2);
        Ok(Self(Xts128::new(cipher(data)?, cipher(tweak)?)))
    }

    #[inline]
    fn encrypt(
        &mut self,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        self.0.encrypt_sector(&mut buffer[..length], (*iv).into());
        Ok(length)
    }

    #[inline]
    fn decrypt(
        &mut self,
        iv: &[u8; IV_LEN],
        buffer: &mut [u8],
        length: usize,
    ) -> Result<usize, Failure> {
        self.0.decrypt_sector(&mut buffer[..length], (*iv).into());
        Ok(length)
    }
}
