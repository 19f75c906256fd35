//! AEADs by the trait that all of RustCrypto's implement, in place with the tag apart.
//! Which type is which algorithm is said where they are registered.

use aes_gcm::aead::{
    AeadInOut, KeyInit, Nonce,
    consts::{U12, U16},
};
use cryptobench_harness::{
    Failure, Role,
    operations::aead::{AeadKey, TAG_LEN},
};

/// CCM as the suite has it: a 16-byte tag, a 12-byte nonce.
pub(crate) type Ccm<C> = ccm::Ccm<C, U16, U12>;

/// A key of the AEAD `A`, good for both roles.
pub(crate) struct Key<A>(A);

impl<A: AeadInOut<TagSize = U16> + KeyInit + 'static> AeadKey for Key<A> {
    #[inline(always)]
    fn new(key: &[u8], _: Role) -> Result<Self, Failure> {
        // Not `new_from_slice`, whose `Result` would be one more copy of the key.
        let key = key.try_into().map_err(|_| Failure::unsupported("a key of this length"))?;
        Ok(Self(A::new(key)))
    }

    #[inline(always)]
    fn seal(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &mut [u8; TAG_LEN],
    ) -> Result<(), Failure> {
        let made = self
            .0
            .encrypt_inout_detached(this_nonce::<A>(nonce)?, aad, message.into())
            .map_err(Failure::library("AeadInOut::encrypt_inout_detached"))?;
        *tag = made.into();
        Ok(())
    }

    #[inline(always)]
    fn open(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &[u8; TAG_LEN],
    ) -> Result<(), Failure> {
        self.0
            .decrypt_inout_detached(this_nonce::<A>(nonce)?, aad, message.into(), tag.into())
            .map_err(|_| Failure::Refused)
    }
}

#[inline(always)]
fn this_nonce<A: AeadInOut>(nonce: &[u8]) -> Result<&Nonce<A>, Failure> {
    nonce.try_into().map_err(|_| Failure::unsupported("a nonce of this length"))
}
