//! A long message in pieces: all backends that stream pass the proof at every size of piece, and a faulty one among
//! them is named.
#![cfg(all(feature = "rustcrypto", feature = "aws-lc", feature = "openssl"))]

use cryptobench_backends::suite;
use cryptobench_harness::{
    Backend, Failure, Implementation, Role, Suite,
    operations::pieces::{ROOM, StreamImplementation, StreamKey},
    prove,
};
use cryptobench_schema::{
    Aead, Algorithm, BackendId, BlockMode, Contest, Operation, PIECES_MESSAGE, Provenance, sizes,
};

const CBC: Algorithm = Algorithm::BlockMode(BlockMode::Aes256Cbc);
const CTR: Algorithm = Algorithm::BlockMode(BlockMode::Aes256Ctr);
const GCM: Algorithm = Algorithm::Aead(Aead::Aes256Gcm);

/// Who streams each algorithm.
const STREAMING: [(Algorithm, &[&str]); 3] = [
    (CBC, &["aws-lc", "openssl", "rustcrypto"]),
    (CTR, &["aws-lc", "openssl", "rustcrypto"]),
    (GCM, &["aws-lc", "openssl"]),
];

fn contest(algorithm: Algorithm, operation: Operation, piece: u64) -> Contest {
    Contest { algorithm, operation, size: Some(piece) }
}

fn pieces_of(algorithm: Algorithm) -> &'static [u64] {
    sizes(algorithm, Operation::EncryptPieces).expect("pieces have sizes").all
}

/// Who was proved, sorted, and who of them failed how.
fn proved(suite: &Suite, contest: Contest) -> (Vec<String>, Vec<(String, Failure)>) {
    let all: Vec<BackendId> = suite.backends().iter().map(|it| it.id().clone()).collect();
    let proofs = prove(suite, &contest, &all);
    let mut names: Vec<String> = proofs.iter().map(|(id, _)| id.to_string()).collect();
    names.sort();
    let failures =
        proofs.into_iter().filter_map(|(id, proof)| Some((id.to_string(), proof.err()?))).collect();
    (names, failures)
}

fn stream_of(suite: &Suite, backend: &str, algorithm: Algorithm) -> StreamImplementation {
    let contest = contest(algorithm, Operation::EncryptPieces, 64);
    let backend = suite.backends().iter().find(|it| it.id().to_string() == backend);
    let registration = backend.expect("compiled in").registration(&contest).expect("registered");
    match registration.implementation() {
        Implementation::Stream(it) => *it,
        other => panic!("{algorithm} is registered as {other:?}"),
    }
}

#[test]
fn every_backend_that_streams_passes_in_pieces_of_every_size() {
    let suite = suite();
    for (algorithm, who) in STREAMING {
        assert_eq!(pieces_of(algorithm), [64, 1024, 16_384, PIECES_MESSAGE]);
        for operation in [Operation::EncryptPieces, Operation::DecryptPieces] {
            for &piece in pieces_of(algorithm) {
                let contest = contest(algorithm, operation, piece);
                let (names, failures) = proved(&suite, contest);
                assert_eq!(names, who, "{contest}");
                assert_eq!(failures, [], "{contest}");
            }
        }
    }
}

/// What a key makes of `message` under `iv`, all but `left` bytes of it in pieces of `piece` bytes.
fn streamed(
    key: &mut dyn StreamKey,
    iv: &[u8],
    message: &[u8],
    piece: usize,
    left: usize,
) -> Result<Vec<u8>, Failure> {
    let (body, rest) = message.split_at(message.len() - left);
    let mut output = vec![0; message.len() + ROOM];
    key.begin(iv)?;
    let mut written = 0;
    for piece in body.chunks(piece) {
        let room = written + piece.len() + ROOM;
        written += key.update(piece, &mut output[written..room])?;
    }
    written += key.finish(rest, &mut output[written..][..ROOM])?;
    output.truncate(written);
    Ok(output)
}

#[test]
fn a_message_may_be_left_unfinished_or_be_refused_and_have_any_length() {
    let suite = suite();
    for (algorithm, who) in STREAMING {
        let iv = &[7; 16][..if algorithm == GCM { 12 } else { 16 }];
        for length in [0, 1, 15, 16, 17, 31, 32, 33, 100, 127, 128, 129] {
            let message: Vec<u8> = (0..length).map(|at| at as u8).collect();
            let mut all = Vec::new();
            for name in who {
                let stream = stream_of(&suite, name, algorithm);
                let mut encrypting = stream.key(&[3; 32], Role::Encrypt).expect("a key");
                let mut decrypting = stream.key(&[3; 32], Role::Decrypt).expect("a key");
                let left = if algorithm == CBC { length % 16 } else { 0 };
                let end = if algorithm == CTR { 0 } else { 16 };
                for piece in [16, 48, 1024] {
                    for unfinished in [16, 48] {
                        encrypting.begin(iv).expect("begins");
                        let mut output = [0; 48 + ROOM];
                        encrypting.update(&[1; 48][..unfinished], &mut output).expect("a piece");
                        decrypting.begin(iv).expect("begins");
                        decrypting.update(&[1; 48][..unfinished], &mut output).expect("a piece");

                        let sealed = streamed(&mut *encrypting, iv, &message, piece, left);
                        let sealed = sealed.expect("encrypts");
                        if end > 0 {
                            let (mut iv, mut forged) = (iv.to_vec(), sealed.clone());
                            // Of GCM the tag; of CBC what is before the padding: a block, or the IV.
                            let last = forged.len() - 1;
                            match (algorithm == CBC, last.checked_sub(16)) {
                                (false, _) => forged[last] ^= 0x80,
                                (true, Some(before)) => forged[before] ^= 0x80,
                                (true, None) => iv[15] ^= 0x80,
                            }
                            let answer = streamed(&mut *decrypting, &iv, &forged, piece, end);
                            assert_eq!(answer, Err(Failure::Refused), "{name} {length}");
                        }
                        let back = streamed(&mut *decrypting, iv, &sealed, piece, end);
                        assert_eq!(back.as_deref(), Ok(&message[..]), "{name} {length} {piece}");
                        all.push(sealed);
                    }
                }
            }
            assert!(all.iter().all(|it| *it == all[0]), "{algorithm} {length}");
        }
    }
}

fn with_faulty<K: StreamKey>(algorithm: Algorithm) -> Suite {
    let mut faulty = Backend::new("faulty", Provenance::of_crates(&[]));
    faulty.stream::<K>(algorithm);
    let mut suite = suite();
    suite.add(faulty);
    suite
}

/// That `faulty` takes part in the proof in pieces of `piece` bytes, and only it fails, with `words` in what is said.
fn only_faulty_fails(suite: &Suite, algorithm: Algorithm, piece: u64, words: &str) {
    let (names, failures) = proved(suite, contest(algorithm, Operation::DecryptPieces, piece));
    assert!(names.iter().any(|name| name == "faulty"), "{names:?}");
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].0, "faulty");
    assert!(failures[0].1.to_string().contains(words), "{}", failures[0].1);
}

fn nobody_fails(suite: &Suite, algorithm: Algorithm, piece: u64) {
    let (names, failures) = proved(suite, contest(algorithm, Operation::EncryptPieces, piece));
    assert!(names.iter().any(|name| name == "faulty"), "{names:?}");
    assert_eq!(failures, [], "{piece}");
}

/// What is wrong with a key that is otherwise another backend's.
trait Fault: Default + 'static {
    const ALGORITHM: Algorithm;
    const BACKEND: &str;

    fn begin(&mut self, key: &mut dyn StreamKey, iv: &[u8]) -> Result<(), Failure> {
        key.begin(iv)
    }

    fn update(
        &mut self,
        key: &mut dyn StreamKey,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, Failure> {
        key.update(input, output)
    }

    fn finish(
        &mut self,
        key: &mut dyn StreamKey,
        rest: &[u8],
        output: &mut [u8],
    ) -> Result<usize, Failure> {
        key.finish(rest, output)
    }
}

struct Faulty<F> {
    key: Box<dyn StreamKey>,
    fault: F,
}

impl<F: Fault> StreamKey for Faulty<F> {
    fn new(key: &[u8], role: Role) -> Result<Self, Failure> {
        let key = stream_of(&suite(), F::BACKEND, F::ALGORITHM).key(key, role)?;
        Ok(Self { key, fault: F::default() })
    }

    fn begin(&mut self, iv: &[u8]) -> Result<(), Failure> {
        self.fault.begin(&mut *self.key, iv)
    }

    fn update(&mut self, input: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        self.fault.update(&mut *self.key, input, output)
    }

    fn finish(&mut self, rest: &[u8], output: &mut [u8]) -> Result<usize, Failure> {
        self.fault.finish(&mut *self.key, rest, output)
    }
}

/// Holds each piece back until the next one is there, and forgets the last block of the last one, where pieces are of
/// 64 bytes.
#[derive(Default)]
struct ForgetsTheLastBlock {
    held: Vec<u8>,
    of_64: bool,
}

impl Fault for ForgetsTheLastBlock {
    const ALGORITHM: Algorithm = GCM;
    const BACKEND: &str = "openssl";

    fn begin(&mut self, key: &mut dyn StreamKey, iv: &[u8]) -> Result<(), Failure> {
        self.held.clear();
        key.begin(iv)
    }

    fn update(
        &mut self,
        key: &mut dyn StreamKey,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, Failure> {
        if self.held.is_empty() {
            self.of_64 = input.len() == 64;
        }
        let written = key.update(&self.held, output)?;
        self.held.clear();
        self.held.extend_from_slice(input);
        Ok(written)
    }

    fn finish(
        &mut self,
        key: &mut dyn StreamKey,
        rest: &[u8],
        output: &mut [u8],
    ) -> Result<usize, Failure> {
        let known = self.held.len() - if self.of_64 { 16 } else { 0 };
        let written = key.update(&self.held[..known], output)?;
        Ok(written + key.finish(rest, &mut output[written..])?)
    }
}

#[test]
fn a_block_forgotten_in_pieces_of_64_bytes_is_caught_there_and_only_there() {
    let suite = with_faulty::<Faulty<ForgetsTheLastBlock>>(GCM);
    only_faulty_fails(&suite, GCM, 64, "bytes instead of");
    for piece in [1024, 16_384, PIECES_MESSAGE] {
        nobody_fails(&suite, GCM, piece);
    }
}

/// Takes every end for a right one: of GCM, where `BLOCK_MODE` is 0, of CBC where it is 1.
#[derive(Default)]
struct Gullible<const BLOCK_MODE: usize>;

impl<const BLOCK_MODE: usize> Fault for Gullible<BLOCK_MODE> {
    const ALGORITHM: Algorithm = [GCM, CBC][BLOCK_MODE];
    const BACKEND: &str = "openssl";

    fn finish(
        &mut self,
        key: &mut dyn StreamKey,
        rest: &[u8],
        output: &mut [u8],
    ) -> Result<usize, Failure> {
        key.finish(rest, output).or_else(|failure| match failure {
            Failure::Refused => Ok(0),
            other => Err(other),
        })
    }
}

#[test]
fn a_forged_end_accepted_is_caught() {
    let gcm = with_faulty::<Faulty<Gullible<0>>>(GCM);
    let cbc = with_faulty::<Faulty<Gullible<1>>>(CBC);
    for (algorithm, suite) in [(GCM, gcm), (CBC, cbc)] {
        for &piece in pieces_of(algorithm) {
            only_faulty_fails(&suite, algorithm, piece, "a forged end was accepted");
        }
    }
}

/// Begins anew with every piece, which deciphers what it enciphered: CBC, where `MODE` is 0, CTR where it is 1.
#[derive(Default)]
struct BeginsAnew<const MODE: usize> {
    iv: Vec<u8>,
}

impl<const MODE: usize> Fault for BeginsAnew<MODE> {
    const ALGORITHM: Algorithm = [CBC, CTR][MODE];
    const BACKEND: &str = "rustcrypto";

    fn begin(&mut self, key: &mut dyn StreamKey, iv: &[u8]) -> Result<(), Failure> {
        self.iv = iv.to_vec();
        key.begin(iv)
    }

    fn update(
        &mut self,
        key: &mut dyn StreamKey,
        input: &[u8],
        output: &mut [u8],
    ) -> Result<usize, Failure> {
        key.begin(&self.iv)?;
        key.update(input, output)
    }
}

#[test]
fn beginning_anew_with_every_piece_is_caught_where_there_is_more_than_one() {
    let cbc = with_faulty::<Faulty<BeginsAnew<0>>>(CBC);
    let ctr = with_faulty::<Faulty<BeginsAnew<1>>>(CTR);
    for (algorithm, suite) in [(CBC, cbc), (CTR, ctr)] {
        for piece in [64, 1024, 16_384] {
            only_faulty_fails(&suite, algorithm, piece, "differs from the");
        }
        nobody_fails(&suite, algorithm, PIECES_MESSAGE);
    }
}
