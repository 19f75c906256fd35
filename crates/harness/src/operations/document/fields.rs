//! The content of the chosen elements of a document encrypted, each by itself, and put back as base64: IV or nonce,
//! ciphertext, and the tag where there is one.

use super::{
    Of,
    media::{Output, Reader, Subject},
};
use crate::{
    Failure,
    operations::{
        Role,
        aead::{AeadKey, TAG_LEN},
        block_mode::{self, BlockModeKey},
        pieces::{Iv, Ivs, key_bytes},
        refused,
    },
};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use cryptobench_catalogue::{RewriteError, rewrite};
use cryptobench_schema::Algorithm;
use std::io::Write;

/// A way to encrypt a field.
pub(super) trait FieldCipher: 'static {
    /// A key ready for use.
    type Key: 'static;

    /// Makes the key of `algorithm` ready.
    fn key(algorithm: Algorithm, role: Role) -> Result<Self::Key, Failure>;

    /// Makes a key of raw `bytes`, hands it to `then` and drops it.
    fn fresh(
        bytes: &[u8],
        then: impl FnOnce(&mut Self::Key) -> Result<(), Failure>,
    ) -> Result<(), Failure>;

    /// Encrypts `content` under `iv` to `sealed`, which is empty: IV, ciphertext, tag.
    fn seal(
        key: &mut Self::Key,
        iv: Iv,
        content: &[u8],
        sealed: &mut Vec<u8>,
    ) -> Result<(), Failure>;

    /// The inverse. Not timed.
    fn open(key: &mut Self::Key, sealed: &[u8]) -> Result<Vec<u8>, Failure>;

    /// Whether a field that may not be accepted is refused, as far as the cipher can tell.
    fn forgery(key: &mut Self::Key, algorithm: Algorithm) -> Result<(), Failure> {
        let mut sealed = Vec::new();
        let iv = Ivs::of(algorithm).advance();
        // Seven bytes of padding, or a tag.
        Self::seal(
            &mut Self::key(algorithm, Role::Encrypt)?,
            iv,
            b"Ralls, Kim Pseud. 1 & 2",
            &mut sealed,
        )?;
        let at = sealed.len() - Self::FORGED_FROM_THE_END;
        sealed[at] ^= 0x80;
        refused("a forged field", Self::open(key, &sealed))
    }

    /// Which byte, counted from the end of a field, must not be changed.
    const FORGED_FROM_THE_END: usize;
}

/// The key of every field, or the bytes of which each has its own made.
pub(super) enum Keys<C: FieldCipher> {
    Ready(C::Key),
    Fresh(Vec<u8>),
}

impl<C: FieldCipher> Keys<C> {
    pub(super) fn ready(algorithm: Algorithm) -> Result<Self, Failure> {
        C::key(algorithm, Role::Encrypt).map(Self::Ready)
    }

    pub(super) fn fresh(algorithm: Algorithm) -> Result<Self, Failure> {
        match algorithm {
            Algorithm::Control => Ok(Self::Fresh(Vec::new())),
            algorithm => key_bytes(algorithm).map(Self::Fresh),
        }
    }
}

/// Encrypts the fields of `subject`. Returns how many there were.
#[inline]
pub(super) fn encrypt<C: FieldCipher>(
    keys: &mut Keys<C>,
    ivs: &mut Ivs,
    subject: &Subject,
    sealed: &mut Vec<u8>,
    output: &mut Output,
) -> Result<u64, Failure> {
    let field = |content: &[u8], replacement: &mut Vec<u8>| {
        sealed.clear();
        let iv = ivs.advance();
        match keys {
            Keys::Ready(key) => C::seal(key, iv, content, sealed)?,
            Keys::Fresh(bytes) => C::fresh(bytes, |key| C::seal(key, iv, content, sealed))?,
        }
        replacement.resize(sealed.len().div_ceil(3) * 4, 0);
        BASE64_STANDARD.encode_slice(&*sealed, replacement).map_err(Failure::library("base64"))?;
        Ok(())
    };
    rewrite(subject.reader()?, output, subject.element(), field).map_err(failure)
}

/// Decrypts the fields of what `encrypted` gives. Not timed.
pub(super) fn decrypt<C: FieldCipher>(
    key: &mut C::Key,
    encrypted: &mut Reader<'_>,
    element: &str,
    output: &mut impl Write,
) -> Result<u64, Failure> {
    let field = |content: &[u8], replacement: &mut Vec<u8>| {
        let sealed = BASE64_STANDARD.decode(content).map_err(Failure::library("base64"))?;
        replacement.extend(C::open(key, &sealed)?);
        Ok(())
    };
    rewrite(encrypted, output, element, field).map_err(failure)
}

#[cold]
fn failure(error: RewriteError<Failure>) -> Failure {
    match error {
        RewriteError::Change(failure) => failure,
        error => Failure::library("rewriting the document")(error),
    }
}

/// Each field a message of an AEAD, without AAD.
pub(super) struct AeadFields<K>(Of<K>);

const NONCE_LEN: usize = 12;

impl<K: AeadKey> FieldCipher for AeadFields<K> {
    type Key = K;

    const FORGED_FROM_THE_END: usize = 1;

    fn key(algorithm: Algorithm, role: Role) -> Result<K, Failure> {
        K::new(&key_bytes(algorithm)?, role)
    }

    #[inline]
    fn fresh(
        bytes: &[u8],
        then: impl FnOnce(&mut K) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        K::fresh(bytes, then)
    }

    #[inline]
    fn seal(key: &mut K, iv: Iv, content: &[u8], sealed: &mut Vec<u8>) -> Result<(), Failure> {
        let nonce = iv.as_slice();
        sealed.extend_from_slice(nonce);
        sealed.extend_from_slice(content);
        let mut tag = [0; TAG_LEN];
        key.seal(nonce, &[], &mut sealed[nonce.len()..], &mut tag)?;
        sealed.extend_from_slice(&tag);
        Ok(())
    }

    fn open(key: &mut K, sealed: &[u8]) -> Result<Vec<u8>, Failure> {
        let (nonce, rest) = sealed.split_at_checked(NONCE_LEN).ok_or(Failure::Refused)?;
        let (text, tag) = rest.split_last_chunk().ok_or(Failure::Refused)?;
        let mut text = text.to_vec();
        key.open(nonce, &[], &mut text, tag)?;
        Ok(text)
    }
}

/// Each field a message in CBC, padded.
pub(super) struct BlockFields<K>(Of<K>);

impl<K: BlockModeKey> FieldCipher for BlockFields<K> {
    type Key = K;

    /// The last byte of the block before the last, whose flipped bit flips one of the padding.
    const FORGED_FROM_THE_END: usize = 17;

    fn key(algorithm: Algorithm, role: Role) -> Result<K, Failure> {
        K::new(&key_bytes(algorithm)?, role)
    }

    #[inline]
    fn fresh(
        bytes: &[u8],
        then: impl FnOnce(&mut K) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        then(&mut K::new(bytes, Role::Encrypt)?)
    }

    #[inline]
    fn seal(key: &mut K, iv: Iv, content: &[u8], sealed: &mut Vec<u8>) -> Result<(), Failure> {
        let iv = iv.as_slice().first_chunk().ok_or(Failure::Refused)?;
        sealed.extend_from_slice(iv);
        sealed.extend_from_slice(content);
        sealed.resize(sealed.len() + block_mode::ROOM, 0);
        let written = key.encrypt(iv, &mut sealed[block_mode::IV_LEN..], content.len())?;
        sealed.truncate(block_mode::IV_LEN + written);
        Ok(())
    }

    fn open(key: &mut K, sealed: &[u8]) -> Result<Vec<u8>, Failure> {
        let (iv, text) = sealed.split_first_chunk().ok_or(Failure::Refused)?;
        let mut buffer = text.to_vec();
        buffer.resize(text.len() + block_mode::ROOM, 0);
        let written = key.decrypt(iv, &mut buffer, text.len())?;
        buffer.truncate(written);
        Ok(buffer)
    }
}

/// Each field as it is.
pub(super) struct NoFields;

impl FieldCipher for NoFields {
    type Key = ();

    const FORGED_FROM_THE_END: usize = 1;

    fn key(_: Algorithm, _: Role) -> Result<(), Failure> {
        Ok(())
    }

    #[inline]
    fn fresh(_: &[u8], then: impl FnOnce(&mut ()) -> Result<(), Failure>) -> Result<(), Failure> {
        then(&mut ())
    }

    #[inline]
    fn seal((): &mut (), _: Iv, content: &[u8], sealed: &mut Vec<u8>) -> Result<(), Failure> {
        sealed.extend_from_slice(content);
        Ok(())
    }

    fn open((): &mut (), sealed: &[u8]) -> Result<Vec<u8>, Failure> {
        Ok(sealed.to_vec())
    }

    fn forgery((): &mut (), _: Algorithm) -> Result<(), Failure> {
        Ok(())
    }
}
