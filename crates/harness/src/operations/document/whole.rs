//! A document encrypted as a whole, in pieces, so that memory does not grow with it: as one CBC stream, or in segments
//! that are sealed one by one.

use super::{
    Of,
    media::{Output, PIECE, Reader},
};
use crate::{
    Failure,
    operations::{
        Role,
        aead::{AeadKey, TAG_LEN},
        pieces::{END_LEN, Ivs, ROOM, StreamKey, key_bytes},
        refused,
    },
};
use cryptobench_schema::Algorithm;
use std::io::Write;

/// A way to encrypt a whole document.
pub(super) trait Whole: 'static {
    /// A key ready for use.
    type Key: 'static;

    /// Makes the key of `algorithm` ready.
    fn key(algorithm: Algorithm, role: Role) -> Result<Self::Key, Failure>;

    /// Encrypts everything that `input` gives. The IV is counted up.
    fn encrypt(
        key: &mut Self::Key,
        ivs: &mut Ivs,
        input: &mut Reader<'_>,
        output: &mut Output,
    ) -> Result<(), Failure>;

    /// The inverse. Not timed.
    fn decrypt(
        key: &mut Self::Key,
        input: &mut Reader<'_>,
        output: &mut dyn Write,
    ) -> Result<(), Failure>;

    /// Whether what may not be accepted of `encrypted`, which may be changed, is refused.
    fn forgeries(key: &mut Self::Key, encrypted: &mut [u8]) -> Result<(), Failure>;
}

/// A write of something that was decrypted.
fn put(output: &mut dyn Write, bytes: &[u8]) -> Result<(), Failure> {
    output.write_all(bytes).map_err(Failure::library("writing what was decrypted"))
}

/// The STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár: "Online Authenticated-Encryption and its Nonce-Reuse
/// Misuse-Resistance", 2015): segments of 64 KiB under a nonce of 7 bytes for the document, 4 bytes that count the
/// segments, and one that says which is the last. In front of them are the 7 bytes.
pub(super) struct Segments<K>(Of<K>);

const PREFIX_LEN: usize = 7;

fn segment_nonce(prefix: &[u8; PREFIX_LEN], number: u32, last: bool) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[..PREFIX_LEN].copy_from_slice(prefix);
    nonce[PREFIX_LEN..11].copy_from_slice(&number.to_be_bytes());
    nonce[11] = u8::from(last);
    nonce
}

impl<K: AeadKey> Whole for Segments<K> {
    type Key = K;

    fn key(algorithm: Algorithm, role: Role) -> Result<K, Failure> {
        K::new(&key_bytes(algorithm)?, role)
    }

    #[inline]
    fn encrypt(
        key: &mut K,
        ivs: &mut Ivs,
        input: &mut Reader<'_>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let iv = ivs.advance();
        // The bytes in which it counts.
        let prefix = iv.as_slice().last_chunk().expect("an IV has more bytes");
        output.room(PREFIX_LEN)?[..PREFIX_LEN].copy_from_slice(prefix);
        output.commit(PREFIX_LEN);
        for number in 0.. {
            let room = output.room(PIECE + TAG_LEN)?;
            let len = input.read_into(&mut room[..PIECE])?;
            let (text, behind) = room.split_at_mut(len);
            let tag = behind.first_chunk_mut().expect("room for a tag");
            let last = input.is_at_end();
            key.seal(&segment_nonce(prefix, number, last), &[], text, tag)?;
            output.commit(len + TAG_LEN);
            if last {
                break;
            }
        }
        Ok(())
    }

    fn decrypt(key: &mut K, input: &mut Reader<'_>, output: &mut dyn Write) -> Result<(), Failure> {
        let prefix = *input.piece(PREFIX_LEN)?.first_chunk().ok_or(Failure::Refused)?;
        for number in 0.. {
            let mut segment = input.piece(PIECE + TAG_LEN)?.to_vec();
            let last = input.is_at_end();
            let tag: [u8; TAG_LEN] = *segment.last_chunk().ok_or(Failure::Refused)?;
            segment.truncate(segment.len() - TAG_LEN);
            key.open(&segment_nonce(&prefix, number, last), &[], &mut segment, &tag)?;
            put(output, &segment)?;
            if last {
                break;
            }
        }
        Ok(())
    }

    fn forgeries(key: &mut K, encrypted: &mut [u8]) -> Result<(), Failure> {
        let mut open =
            |bytes: &[u8]| Self::decrypt(key, &mut Reader::of_bytes(bytes)?, &mut std::io::sink());
        for at in [0, PREFIX_LEN, encrypted.len() / 2, encrypted.len() - 1] {
            encrypted[at] ^= 1;
            refused("a document with a flipped bit", open(encrypted))?;
            encrypted[at] ^= 1;
        }
        refused("a document without its last byte", open(&encrypted[..encrypted.len() - 1]))
    }
}

/// One stream in pieces of 64 KiB, its IV in front.
pub(super) struct Streams<K>(Of<K>);

impl<K: StreamKey> Whole for Streams<K> {
    type Key = K;

    fn key(algorithm: Algorithm, role: Role) -> Result<K, Failure> {
        K::new(&key_bytes(algorithm)?, role)
    }

    #[inline]
    fn encrypt(
        key: &mut K,
        ivs: &mut Ivs,
        input: &mut Reader<'_>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        let iv = ivs.advance();
        let iv = iv.as_slice();
        output.room(iv.len())?[..iv.len()].copy_from_slice(iv);
        output.commit(iv.len());
        key.begin(iv)?;
        loop {
            let piece = input.piece(PIECE)?;
            let (blocks, rest) = piece.split_at(piece.len() - piece.len() % END_LEN);
            let written = key.update(blocks, output.room(PIECE + ROOM)?)?;
            output.commit(written);
            // Only the last piece has a rest.
            if piece.len() < PIECE {
                let written = key.finish(rest, output.room(ROOM)?)?;
                output.commit(written);
                return Ok(());
            }
        }
    }

    fn decrypt(key: &mut K, input: &mut Reader<'_>, output: &mut dyn Write) -> Result<(), Failure> {
        key.begin(input.piece(END_LEN)?)?;
        let mut buffer = vec![0; PIECE + ROOM];
        // What has been read and may be the last block.
        let mut held: Vec<u8> = Vec::new();
        loop {
            held.extend_from_slice(input.piece(PIECE - END_LEN)?);
            let body = held.len().checked_sub(END_LEN).ok_or(Failure::Refused)?;
            let written = key.update(&held[..body], &mut buffer)?;
            put(output, &buffer[..written])?;
            held.drain(..body);
            if input.is_at_end() {
                let written = key.finish(&held, &mut buffer)?;
                return put(output, &buffer[..written]);
            }
        }
    }

    fn forgeries(key: &mut K, encrypted: &mut [u8]) -> Result<(), Failure> {
        // CBC knows of padding alone: of the last block, which the one before it turns over.
        let at = encrypted.len() - END_LEN - 1;
        encrypted[at] ^= 0x80;
        let mut input = Reader::of_bytes(encrypted)?;
        refused("wrong padding", Self::decrypt(key, &mut input, &mut std::io::sink()))
    }
}

/// A copy.
pub(super) struct NoWhole;

impl Whole for NoWhole {
    type Key = ();

    fn key(_: Algorithm, _: Role) -> Result<(), Failure> {
        Ok(())
    }

    #[inline]
    fn encrypt(
        (): &mut (),
        _: &mut Ivs,
        input: &mut Reader<'_>,
        output: &mut Output,
    ) -> Result<(), Failure> {
        while !input.is_at_end() {
            let len = input.read_into(&mut output.room(PIECE)?[..PIECE])?;
            output.commit(len);
        }
        Ok(())
    }

    fn decrypt((): &mut (), input: &mut Reader<'_>, output: &mut dyn Write) -> Result<(), Failure> {
        while !input.is_at_end() {
            put(output, input.piece(PIECE)?)?;
        }
        Ok(())
    }

    fn forgeries((): &mut (), _: &mut [u8]) -> Result<(), Failure> {
        Ok(())
    }
}
