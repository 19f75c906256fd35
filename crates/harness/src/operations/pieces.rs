//! One long message through one streaming encryptor or decryptor: `encrypt-pieces`, `decrypt-pieces`. The same keys
//! encrypt whole documents in `document`.

use super::{Proved, Role, aead::AeadImplementation, block_mode::BlockModeImplementation};
use super::{refused, same, unanimous};
use crate::{
    Failure, Placement, Timed, guarded,
    inputs::{self, CountingNonce},
    placement::PlacedBuffer,
    region::repeated,
    shared::{self, Shared},
    stored::Digest,
};
use cryptobench_schema::{Aead, Algorithm, BlockMode, Operation, PIECES_MESSAGE};
use std::{hint::black_box, time::Duration};

/// Bytes that a buffer has to have beyond what goes in: a block held back, a block of padding or a tag, and a block
/// that some libraries insist on.
pub const ROOM: usize = 48;

/// Bytes that the end of a message adds: a block of padding, or a tag.
pub const END_LEN: usize = 16;

/// Bytes of a block.
const BLOCK_LEN: usize = 16;

/// Streaming encryption or decryption under one key, from one buffer to another: AES-CBC with PKCS#7 padding, AES-CTR,
/// or AES-GCM without AAD.
pub trait StreamKey: 'static {
    /// Makes raw key bytes ready for `role`.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn new(key: &[u8], role: Role) -> Result<Self, Failure>
    where
        Self: Sized;

    /// Begins a message under `iv`: 16 bytes, for GCM 12. A message before it may be unfinished.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn begin(&mut self, iv: &[u8]) -> Result<(), Failure>;

    /// Takes the next piece of the message and returns how many bytes were written to `output`, which has [`ROOM`] more
    /// bytes than `input`. A library may hold a block back. Pieces are whole blocks; in CTR and GCM, the last one need
    /// not be.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Failure>;

    /// Ends the message and returns how many bytes were written to `output`, which has [`ROOM`] bytes. `rest` is what
    /// the pieces left: encrypting with CBC, the bytes that fill no block (none up to 15); decrypting, the last block
    /// with the padding (CBC) or the tag (GCM); otherwise nothing. Encrypting with GCM, the tag is written.
    ///
    /// # Errors
    ///
    /// [`Failure::Refused`] where padding or tag are wrong.
    fn finish(&mut self, rest: &[u8], output: &mut [u8]) -> Result<usize, Failure>;
}

/// A [`StreamKey`] with its type erased.
#[derive(Debug, Clone, Copy)]
pub struct StreamImplementation {
    new: fn(&[u8], Role) -> Result<Box<dyn StreamKey>, Failure>,
    timed: fn(Algorithm, Operation, usize) -> Result<Box<dyn Timed>, Failure>,
}

impl StreamImplementation {
    /// The implementation that `K` is.
    #[must_use]
    pub fn of<K: StreamKey>() -> Self {
        Self { new: |key, role| Ok(Box::new(K::new(key, role)?)), timed: timed::<K> }
    }

    /// A key for untimed use.
    ///
    /// # Errors
    ///
    /// Whatever the library reports.
    pub fn key(&self, key: &[u8], role: Role) -> Result<Box<dyn StreamKey>, Failure> {
        (self.new)(key, role)
    }

    /// `operation` of `algorithm` in pieces of `piece` bytes, made ready.
    ///
    /// # Errors
    ///
    /// Whatever the library reports while its key is made and its message encrypted.
    pub(crate) fn timed(
        &self,
        algorithm: Algorithm,
        operation: Operation,
        piece: usize,
    ) -> Result<Box<dyn Timed>, Failure> {
        (self.timed)(algorithm, operation, piece)
    }
}

/// Raw key bytes of `algorithm`.
///
/// # Errors
///
/// [`Failure::Unsupported`] where it cannot be streamed.
pub(crate) fn key_bytes(algorithm: Algorithm) -> Result<Vec<u8>, Failure> {
    let len = match algorithm {
        Algorithm::BlockMode(mode) => mode.key_len(),
        Algorithm::Aead(aead) => aead.key_len(),
        other => return Err(Failure::unsupported(format!("{other} is no cipher"))),
    };
    Ok(inputs::bytes(&format!("{algorithm}/key"), len))
}

/// IVs of `algorithm`, counted up.
#[derive(Debug, Clone)]
pub(crate) struct Ivs {
    counter: CountingNonce<16>,
    /// Of the 16, which the IV is.
    skipped: usize,
}

impl Ivs {
    pub(crate) fn of(algorithm: Algorithm) -> Self {
        let len = match algorithm {
            Algorithm::Aead(aead) => aead.nonce_len(),
            _ => 16,
        };
        Self { counter: CountingNonce::new(), skipped: 16 - len }
    }

    /// The next, in the last bytes.
    #[inline]
    pub(crate) fn advance(&mut self) -> Iv {
        Iv { bytes: self.counter.advance(), skipped: self.skipped }
    }
}

/// One IV or nonce.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Iv {
    bytes: [u8; 16],
    skipped: usize,
}

impl Iv {
    #[inline]
    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.bytes[self.skipped..]
    }
}

/// Bytes that the end of a message under `algorithm` adds to `length` bytes of it.
pub(crate) const fn added(algorithm: Algorithm, length: usize) -> usize {
    match algorithm {
        Algorithm::BlockMode(mode) => mode.ciphertext_len(length) - length,
        Algorithm::Aead(_) => END_LEN,
        _ => 0,
    }
}

/// How many of the `length` bytes of a message are no pieces, but given to the end.
const fn rest(algorithm: Algorithm, role: Role, length: usize) -> usize {
    match (algorithm, role) {
        (Algorithm::BlockMode(BlockMode::Aes256Cbc), Role::Encrypt) => length % BLOCK_LEN,
        (Algorithm::BlockMode(BlockMode::Aes256Cbc) | Algorithm::Aead(_), Role::Decrypt) => END_LEN,
        _ => 0,
    }
}

/// One message under `iv` through `key`, in pieces of `piece` bytes, `rest` bytes being for the end. Returns the bytes
/// written.
#[inline]
fn stream<K: StreamKey + ?Sized>(
    key: &mut K,
    iv: &[u8],
    input: &[u8],
    piece: usize,
    rest: usize,
    output: &mut [u8],
) -> Result<usize, Failure> {
    let body = input
        .len()
        .checked_sub(rest)
        .ok_or_else(|| Failure::wrong(format!("{} bytes are no message", input.len())))?;
    let (body, rest) = input.split_at(body);
    key.begin(iv)?;
    let mut written = 0;
    for piece in body.chunks(piece) {
        written += key.update(piece, &mut output[written..])?;
    }
    Ok(written + key.finish(rest, &mut output[written..])?)
}

/// Bytes of the message.
const MESSAGE: usize = PIECES_MESSAGE as usize;

/// How much of the message shows afterwards that a key is still good, in bytes.
const CHECKED: usize = 1 << 20;

/// The message, one for all cases of the process.
fn message() -> Shared {
    shared::input("plaintext/pieces", || Ok(inputs::bytes("plaintext", MESSAGE)))
        .unwrap_or_default()
}

/// What a message of `length` bytes is under the first IV, as its first implementation has it.
fn ciphertext<K: StreamKey>(algorithm: Algorithm) -> Result<Shared, Failure> {
    shared::input(&format!("{algorithm}/pieces"), || {
        let message = message();
        let mut key = K::new(&key_bytes(algorithm)?, Role::Encrypt)?;
        let rest = rest(algorithm, Role::Encrypt, MESSAGE);
        let mut output = vec![0; MESSAGE + ROOM];
        let iv = Ivs::of(algorithm).advance();
        let written = stream(&mut key, iv.as_slice(), &message, MESSAGE, rest, &mut output)?;
        output.truncate(written);
        Ok(output)
    })
}

fn timed<K: StreamKey>(
    algorithm: Algorithm,
    operation: Operation,
    piece: usize,
) -> Result<Box<dyn Timed>, Failure> {
    let role = match operation {
        Operation::EncryptPieces => Role::Encrypt,
        Operation::DecryptPieces => Role::Decrypt,
        other => return Err(Failure::unsupported(format!("no stream is `{other}`"))),
    };
    let (input, length) = match role {
        Role::Encrypt => (message(), MESSAGE + added(algorithm, MESSAGE)),
        Role::Decrypt => (ciphertext::<K>(algorithm)?, MESSAGE),
    };
    Ok(Box::new(Pieces {
        algorithm,
        role,
        key: K::new(&key_bytes(algorithm)?, role)?,
        ivs: Ivs::of(algorithm),
        rest: rest(algorithm, role, input.len()),
        input,
        piece,
        length,
    }))
}

/// Where the cases of a process write to, one at a time.
struct Output(PlacedBuffer);

struct Pieces<K> {
    algorithm: Algorithm,
    role: Role,
    key: K,
    ivs: Ivs,
    input: Shared,
    piece: usize,
    rest: usize,
    /// Bytes that come out.
    length: usize,
}

impl<K> Pieces<K> {
    /// The IV of the next message: a new one, or the one under which the message is that there is to decrypt.
    fn iv(&mut self) -> Iv {
        match self.role {
            Role::Encrypt => self.ivs.advance(),
            Role::Decrypt => Ivs::of(self.algorithm).advance(),
        }
    }
}

impl<K: StreamKey> Timed for Pieces<K> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        let mut buffer = shared::scratch(|| Output(PlacedBuffer::new(MESSAGE + END_LEN + ROOM)));
        let output = buffer.0.at(placement);
        let time = repeated(iterations, placement, || {
            let iv = self.iv();
            let (piece, rest) = (self.piece, self.rest);
            let key = black_box(&mut self.key);
            let input = black_box(&*self.input);
            let written = stream(key, iv.as_slice(), input, piece, rest, black_box(&mut *output))?;
            check_length(self.length, written)
        });
        shared::put_back(buffer);
        time
    }

    fn check(&mut self) -> Result<(), Failure> {
        let algorithm = self.algorithm;
        let all = message();
        let message = &all[..CHECKED];
        let iv = self.ivs.advance();
        let piece = self.piece;
        let through = |key: &mut K, role: Role, input: &[u8]| {
            let mut output = vec![0; input.len() + ROOM];
            let rest = rest(algorithm, role, input.len());
            let written = stream(key, iv.as_slice(), input, piece, rest, &mut output)?;
            output.truncate(written);
            Ok(output)
        };
        let key = key_bytes(algorithm)?;
        let right = through(&mut K::new(&key, Role::Encrypt)?, Role::Encrypt, message)?;
        let (input, expected) = match self.role {
            Role::Encrypt => (message, &right[..]),
            Role::Decrypt => (&right[..], message),
        };
        let used = through(&mut self.key, self.role, input)?;
        same("a message under the key that was timed", &used[..], expected)
    }
}

#[inline]
fn check_length(expected: usize, found: usize) -> Result<(), Failure> {
    if expected == found {
        return Ok(());
    }
    Err(Failure::wrong(format!("{found} bytes instead of {expected}")))
}

/// Who else can say what the message is as ciphertext: implementations that take it as a whole.
#[derive(Debug)]
pub(crate) enum Witnesses<'a> {
    /// Of a block mode.
    BlockMode(BlockMode, Vec<&'a BlockModeImplementation>),
    /// Of an AEAD.
    Aead(Aead, Vec<&'a AeadImplementation>),
}

impl Witnesses<'_> {
    const fn algorithm(&self) -> Algorithm {
        match self {
            Self::BlockMode(mode, _) => Algorithm::BlockMode(*mode),
            Self::Aead(aead, _) => Algorithm::Aead(*aead),
        }
    }

    /// The ciphertexts of `messages`, each under the next IV, as each witness has them.
    fn outputs(&self, messages: &[&[u8]]) -> Vec<Result<Vec<u8>, Failure>> {
        let algorithm = self.algorithm();
        let each = |seal: &mut dyn FnMut(&[u8], &[u8]) -> Result<Vec<u8>, Failure>| {
            let mut ivs = Ivs::of(algorithm);
            messages
                .iter()
                .map(|message| seal(ivs.advance().as_slice(), message).map(|it| digest(&it)))
                .collect::<Result<Vec<_>, _>>()
                .map(|digests| digests.concat())
        };
        match self {
            Self::BlockMode(_, all) => all
                .iter()
                .map(|implementation| {
                    guarded(|| {
                        let mut key = implementation.key(&key_bytes(algorithm)?, Role::Encrypt)?;
                        each(&mut |iv, message| {
                            let mut buffer = message.to_vec();
                            buffer.resize(message.len() + super::block_mode::ROOM, 0);
                            let iv = iv.try_into().unwrap_or(&[0; 16]);
                            let written = key.encrypt(iv, &mut buffer, message.len())?;
                            buffer.truncate(written);
                            Ok(buffer)
                        })
                    })
                })
                .collect(),
            Self::Aead(_, all) => all
                .iter()
                .map(|implementation| {
                    guarded(|| {
                        let mut key = implementation.key(&key_bytes(algorithm)?, Role::Encrypt)?;
                        each(&mut |iv, message| {
                            let mut sealed = message.to_vec();
                            let mut tag = [0; END_LEN];
                            key.seal(iv, &[], &mut sealed, &mut tag)?;
                            sealed.extend_from_slice(&tag);
                            Ok(sealed)
                        })
                    })
                })
                .collect(),
        }
    }
}

fn digest(bytes: &[u8]) -> Vec<u8> {
    Digest::of(bytes).bytes().to_vec()
}

/// Proves `implementations` against each other and against `witnesses`, in pieces of `piece` bytes: the whole message,
/// and short ones that end a block later and a block earlier than a piece does, and within a block.
pub(crate) fn prove(
    piece: usize,
    implementations: &[&StreamImplementation],
    witnesses: &Witnesses<'_>,
) -> Vec<Proved> {
    let algorithm = witnesses.algorithm();
    let message = message();
    let near = (3 * piece.min(MESSAGE / 64)).max(3 * BLOCK_LEN);
    let messages = [
        &message[..near - BLOCK_LEN],
        &message[..near + BLOCK_LEN],
        &message[..near + 5],
        &message[..],
    ];
    let mut outputs: Vec<_> = implementations
        .iter()
        .map(|it| guarded(|| transcript(algorithm, piece, &messages, it)))
        .collect();
    outputs.extend(witnesses.outputs(&messages));
    let mut proofs = unanimous("digests of ciphertexts", &outputs, None);
    proofs.truncate(implementations.len());
    proofs
}

/// The digests of what `implementation` encrypts `messages` to, after it has decrypted them to themselves and refused
/// what was forged.
fn transcript(
    algorithm: Algorithm,
    piece: usize,
    messages: &[&[u8]],
    implementation: &StreamImplementation,
) -> Result<Vec<u8>, Failure> {
    let key = key_bytes(algorithm)?;
    let mut encrypting = implementation.key(&key, Role::Encrypt)?;
    let mut decrypting = implementation.key(&key, Role::Decrypt)?;
    let mut ivs = Ivs::of(algorithm);
    let mut digests = Vec::new();
    for message in messages {
        let iv = ivs.advance();
        let mut back = |sealed: &[u8]| {
            let mut output = vec![0; sealed.len() + ROOM];
            let rest = rest(algorithm, Role::Decrypt, sealed.len());
            let iv = iv.as_slice();
            let written = stream(&mut *decrypting, iv, sealed, piece, rest, &mut output)?;
            output.truncate(written);
            Ok(output)
        };
        let mut sealed = vec![0; message.len() + ROOM];
        let rest = rest(algorithm, Role::Encrypt, message.len());
        let iv = iv.as_slice();
        let written = stream(&mut *encrypting, iv, message, piece, rest, &mut sealed)?;
        check_length(message.len() + added(algorithm, message.len()), written)?;
        sealed.truncate(written);
        digests.extend(digest(&sealed));
        // Of the whole message that would take as long again.
        if added(algorithm, message.len()) > 0 && message.len() < MESSAGE {
            let mut forged = sealed.clone();
            let last = forged.len() - 1;
            // Of GCM the tag; of CBC the block before the padding, whose flipped bit flips one there.
            let at = if matches!(algorithm, Algorithm::Aead(_)) { last } else { last - BLOCK_LEN };
            forged[at] ^= 0x80;
            refused("a forged end", back(&forged))?;
        }
        // Last, so that the key is known to survive a refusal.
        if back(&sealed)? != *message {
            return Err(Failure::wrong(format!(
                "{} bytes encrypted in pieces of {piece} do not decrypt to themselves",
                message.len()
            )));
        }
    }
    Ok(digests)
}
