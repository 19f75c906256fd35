//! A document encrypted as a whole, or only the content of some of its elements: `whole`, `fields`, `fields-fresh-key`,
//! in memory and from file to file. Where documents come from and go to is in `media`, how a whole one is encrypted in
//! `whole`, and a field in `fields`.

mod fields;
pub mod media;
mod whole;

use super::{
    Proved, Role, aead::AeadKey, block_mode::BlockModeKey, pieces::Ivs, pieces::StreamKey, same,
    unanimous,
};
use crate::{Failure, Placement, Timed, guarded, region, stored::Digest};
use cryptobench_catalogue::examine;
use cryptobench_schema::{Algorithm, Operation};
use fields::{AeadFields, BlockFields, FieldCipher, Keys, NoFields};
use media::{Output, Subject};
use std::{
    io::{self, BufRead, Read, Write},
    marker::PhantomData,
    time::Duration,
};
use whole::{NoWhole, Segments, Streams, Whole};

/// An implementation of `whole` and `whole-file` with its type erased.
#[derive(Debug, Clone, Copy)]
pub struct WholeImplementation {
    algorithm: Algorithm,
    timed: fn(Algorithm, Operation, u64) -> Result<Box<dyn Timed>, Failure>,
    transcript: fn(Algorithm, u64) -> Result<Vec<u8>, Failure>,
}

impl WholeImplementation {
    fn of<W: Whole>(algorithm: Algorithm) -> Self {
        Self { algorithm, timed: timed_whole::<W>, transcript: whole_transcript::<W> }
    }

    /// In segments, each sealed as a message of its own.
    pub(crate) fn segments<K: AeadKey>(algorithm: Algorithm) -> Self {
        Self::of::<Segments<K>>(algorithm)
    }

    /// As one stream.
    pub(crate) fn stream<K: StreamKey>(algorithm: Algorithm) -> Self {
        Self::of::<Streams<K>>(algorithm)
    }

    /// Copied.
    pub(crate) fn plain() -> Self {
        Self::of::<NoWhole>(Algorithm::Control)
    }

    pub(crate) fn timed(&self, operation: Operation, size: u64) -> Result<Box<dyn Timed>, Failure> {
        (self.timed)(self.algorithm, operation, size)
    }
}

/// An implementation of `fields`, `fields-fresh-key` and both from file to file, with its type erased.
#[derive(Debug, Clone, Copy)]
pub struct FieldsImplementation {
    algorithm: Algorithm,
    timed: fn(Algorithm, Operation, u64) -> Result<Box<dyn Timed>, Failure>,
    transcript: fn(Algorithm, u64) -> Result<Vec<u8>, Failure>,
}

impl FieldsImplementation {
    fn of<C: FieldCipher>(algorithm: Algorithm) -> Self {
        Self { algorithm, timed: timed_fields::<C>, transcript: fields_transcript::<C> }
    }

    /// Each field sealed.
    pub(crate) fn aead<K: AeadKey>(algorithm: Algorithm) -> Self {
        Self::of::<AeadFields<K>>(algorithm)
    }

    /// Each field encrypted in a block mode.
    pub(crate) fn block_mode<K: BlockModeKey>(algorithm: Algorithm) -> Self {
        Self::of::<BlockFields<K>>(algorithm)
    }

    /// Each field in base64 as it is.
    pub(crate) fn plain() -> Self {
        Self::of::<NoFields>(Algorithm::Control)
    }

    pub(crate) fn timed(&self, operation: Operation, size: u64) -> Result<Box<dyn Timed>, Failure> {
        (self.timed)(self.algorithm, operation, size)
    }
}

fn timed_whole<W: Whole>(
    algorithm: Algorithm,
    operation: Operation,
    size: u64,
) -> Result<Box<dyn Timed>, Failure> {
    let in_files = match operation {
        Operation::Whole => false,
        Operation::WholeFile => true,
        other => return Err(no_such(other)),
    };
    Ok(Box::new(WholeCase::<W> {
        algorithm,
        key: W::key(algorithm, Role::Encrypt)?,
        ivs: Ivs::of(algorithm),
        subject: Subject::of(size, in_files)?,
        length: None,
    }))
}

fn timed_fields<C: FieldCipher>(
    algorithm: Algorithm,
    operation: Operation,
    size: u64,
) -> Result<Box<dyn Timed>, Failure> {
    let (fresh, in_files) = match operation {
        Operation::Fields => (false, false),
        Operation::FieldsFreshKey => (true, false),
        Operation::FieldsFile => (false, true),
        Operation::FieldsFreshKeyFile => (true, true),
        other => return Err(no_such(other)),
    };
    let keys = if fresh { Keys::fresh(algorithm)? } else { Keys::ready(algorithm)? };
    Ok(Box::new(FieldsCase::<C> {
        algorithm,
        keys,
        ivs: Ivs::of(algorithm),
        subject: Subject::of(size, in_files)?,
        sealed: Vec::new(),
        length: None,
    }))
}

fn no_such(operation: Operation) -> Failure {
    Failure::unsupported(format!("documents have no operation `{operation}`"))
}

struct WholeCase<W: Whole> {
    algorithm: Algorithm,
    key: W::Key,
    ivs: Ivs,
    subject: Subject,
    /// Bytes that came out the first time.
    length: Option<u64>,
}

impl<W: Whole> Timed for WholeCase<W> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        let Self { key, ivs, subject, length, .. } = self;
        Output::with(subject.in_files(), |output| {
            region::each(iterations, placement, output, Output::clear, |output| {
                W::encrypt(key, ivs, &mut subject.reader()?, output)?;
                output.finish()?;
                as_before(length, output.len())
            })
        })
    }

    fn check(&mut self) -> Result<(), Failure> {
        let Self { algorithm, key, ivs, subject, .. } = self;
        let small = subject.small()?;
        Output::with(small.in_files(), |output| {
            output.clear()?;
            W::encrypt(key, ivs, &mut small.reader()?, output)?;
            output.finish()?;
            let mut fresh = W::key(*algorithm, Role::Decrypt)?;
            let mut back = Held { against: small.reader()?, same: true };
            W::decrypt(&mut fresh, &mut output.reader()?, &mut back)?;
            back.conclude("a document under the key that was timed")
        })
    }
}

struct FieldsCase<C: FieldCipher> {
    algorithm: Algorithm,
    keys: Keys<C>,
    ivs: Ivs,
    subject: Subject,
    /// Room for a field.
    sealed: Vec<u8>,
    /// Bytes that came out the first time.
    length: Option<u64>,
}

impl<C: FieldCipher> Timed for FieldsCase<C> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        let Self { keys, ivs, subject, sealed, length, .. } = self;
        Output::with(subject.in_files(), |output| {
            region::each(iterations, placement, output, Output::clear, |output| {
                let found = fields::encrypt(keys, ivs, subject, sealed, output)?;
                output.finish()?;
                same("the number of fields", &found, &subject.fields())?;
                as_before(length, output.len())
            })
        })
    }

    fn check(&mut self) -> Result<(), Failure> {
        let Self { algorithm, keys, ivs, subject, sealed, .. } = self;
        let small = subject.small()?;
        Output::with(small.in_files(), |output| {
            output.clear()?;
            fields::encrypt(keys, ivs, &small, sealed, output)?;
            output.finish()?;
            let mut fresh = C::key(*algorithm, Role::Decrypt)?;
            let mut back = Held { against: small.reader()?, same: true };
            fields::decrypt::<C>(&mut fresh, &mut output.reader()?, small.element(), &mut back)?;
            back.conclude("a document whose fields were encrypted under the key that was timed")
        })
    }
}

/// Every time the same number of bytes.
#[inline]
fn as_before(before: &mut Option<u64>, now: u64) -> Result<(), Failure> {
    match before {
        None => {
            *before = Some(now);
            Ok(())
        }
        Some(before) if *before == now => Ok(()),
        Some(before) => Err(Failure::wrong(format!("{now} bytes came out, and before {before}"))),
    }
}

/// Takes what is written and holds it against a document.
struct Held<R> {
    against: R,
    same: bool,
}

impl<R: BufRead> Held<R> {
    fn conclude(mut self, what: &str) -> Result<(), Failure> {
        let rest = self.against.fill_buf().map_err(Failure::library("reading the document"))?;
        if self.same && rest.is_empty() {
            return Ok(());
        }
        Err(Failure::wrong(format!("{what} does not decrypt to itself")))
    }
}

impl<R: BufRead> Write for Held<R> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let expected = self.against.fill_buf()?;
        let len = expected.len().min(bytes.len());
        self.same &= len > 0 && expected[..len] == bytes[..len];
        // Where there is more than expected, it has been noted, and the rest does not matter.
        self.against.consume(len);
        Ok(if len == 0 { bytes.len() } else { len })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Proves implementations of `whole` at `size` bytes, in files where the document is too large for memory.
pub(crate) fn prove_whole(size: u64, implementations: &[&WholeImplementation]) -> Vec<Proved> {
    let outputs: Vec<_> =
        implementations.iter().map(|it| guarded(|| (it.transcript)(it.algorithm, size))).collect();
    unanimous("digests of encrypted documents", &outputs, None)
}

/// Proves implementations of `fields` and `fields-fresh-key` at `size` bytes.
pub(crate) fn prove_fields(size: u64, implementations: &[&FieldsImplementation]) -> Vec<Proved> {
    let outputs: Vec<_> =
        implementations.iter().map(|it| guarded(|| (it.transcript)(it.algorithm, size))).collect();
    unanimous("digests of documents with encrypted fields", &outputs, None)
}

/// The digest of the document of `size` as it is encrypted, after it has been decrypted to itself and forgeries of a
/// small one were refused.
fn whole_transcript<W: Whole>(algorithm: Algorithm, size: u64) -> Result<Vec<u8>, Failure> {
    let subject = Subject::of(size, !media::fits_memory(size))?;
    let mut encrypting = W::key(algorithm, Role::Encrypt)?;
    let mut decrypting = W::key(algorithm, Role::Decrypt)?;
    let mut ivs = Ivs::of(algorithm);
    let small = subject.small()?;
    Output::with(false, |output| {
        output.clear()?;
        W::encrypt(&mut encrypting, &mut ivs, &mut small.reader()?, output)?;
        W::forgeries(&mut decrypting, output.bytes())
    })?;
    Output::with(subject.in_files(), |output| {
        output.clear()?;
        W::encrypt(&mut encrypting, &mut ivs, &mut subject.reader()?, output)?;
        output.finish()?;
        let mut back = Held { against: subject.reader()?, same: true };
        W::decrypt(&mut decrypting, &mut output.reader()?, &mut back)?;
        back.conclude("a document")?;
        digest(output.reader()?)
    })
}

/// The largest document that is examined again when its fields are encrypted, in bytes: larger ones are made in the
/// same way.
const EXAMINED: u64 = 1 << 20;

/// The digest of the document of `size` with its fields encrypted, after each was decrypted to itself, the whole was
/// found to be well-formed, and fresh keys gave the same.
fn fields_transcript<C: FieldCipher>(algorithm: Algorithm, size: u64) -> Result<Vec<u8>, Failure> {
    let subject = Subject::of(size, !media::fits_memory(size))?;
    let mut decrypting = C::key(algorithm, Role::Decrypt)?;
    let mut sealed = Vec::new();
    let mut digests = Vec::new();
    for mut keys in [Keys::<C>::ready(algorithm)?, Keys::fresh(algorithm)?] {
        Output::with(subject.in_files(), |output| {
            let mut ivs = Ivs::of(algorithm);
            output.clear()?;
            let found = fields::encrypt(&mut keys, &mut ivs, &subject, &mut sealed, output)?;
            output.finish()?;
            same("the number of fields", &found, &subject.fields())?;
            if digests.is_empty() {
                // What decrypts it parses it as well, but examines less, in a third of the time.
                if size <= EXAMINED {
                    let survey = examine(output.reader()?, subject.element())
                        .map_err(Failure::library("examine(encrypted document)"))?;
                    same("the number of encrypted fields", &survey.fields, &found)?;
                }
                let mut back = Held { against: subject.reader()?, same: true };
                let (reader, element) = (&mut output.reader()?, subject.element());
                let found = fields::decrypt::<C>(&mut decrypting, reader, element, &mut back)?;
                same("the number of encrypted fields", &found, &subject.fields())?;
                back.conclude("a document whose fields were encrypted")?;
            }
            digests.push(digest(output.reader()?)?);
            Ok(())
        })?;
    }
    same("the document encrypted under fresh keys", &digests[0], &digests[1])?;
    C::forgery(&mut decrypting, algorithm)?;
    Ok(digests.swap_remove(0))
}

fn digest(mut reader: impl Read) -> Result<Vec<u8>, Failure> {
    Digest::of_reader(&mut reader)
        .map(|it| it.bytes().to_vec())
        .map_err(Failure::library("reading what was encrypted"))
}

/// Keys of one implementation, by type alone.
struct Of<K>(PhantomData<K>);
