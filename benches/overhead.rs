//! What the harness and the adapters cost: `seal`, `key-setup` and `seal-fresh-key` of AES-GCM through the
//! harness against loops over the libraries written by hand, in slices taken in turn in one process.
//!
//! Both sides of a pair run at the same drawn placement, and each round makes both afresh, since where a
//! key lies in memory moves either side by more than what is looked for here.
#![cfg_attr(
    not(any(
        feature = "ring",
        feature = "rustcrypto",
        all(feature = "graviola", any(target_arch = "x86_64", target_arch = "aarch64"))
    )),
    allow(dead_code, unused_mut, reason = "none of its libraries is compiled in")
)]

use cryptobench_backends::suite;
use cryptobench_benches::{ERROR, Mode, arguments};
use cryptobench_environment::{build, unoptimised};
use cryptobench_harness::{Failure, Placement, Suite, Timed};
use cryptobench_schema::{Aead, Algorithm, BackendId, Contest, Operation};
use std::{process::ExitCode, time::Duration};

/// Rounds, and pairs of slices in each.
const ROUNDS: usize = 15;
const PAIRS: usize = 120;
/// Length of a slice.
const SLICE: Duration = Duration::from_micros(150);

/// Makes one loop over a library ready.
type Make = fn(usize) -> Result<Box<dyn Timed>, Failure>;

fn main() -> ExitCode {
    let arguments = match arguments() {
        Ok(arguments) => arguments,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(ERROR);
        }
    };
    let mode = Mode::of(&arguments);
    if matches!(mode, Mode::List | Mode::Selected | Mode::Matrix) {
        // It has no cases.
        return ExitCode::SUCCESS;
    }
    if arguments.iter().any(|argument| !matches!(argument.as_str(), "--bench" | "--test")) {
        // The filter and the flags of the other targets are none of this one's.
        eprintln!("overhead: not run, it takes no arguments: `cargo bench --bench overhead`");
        return ExitCode::SUCCESS;
    }
    let loops = loops();
    if loops.is_empty() {
        eprintln!(
            "overhead: not run, none of its libraries is compiled in (features `ring`, `graviola`, \
             `rustcrypto`)"
        );
        return ExitCode::SUCCESS;
    }
    let suite = suite();
    let measuring = mode == Mode::Measure;
    if measuring && let Some(why) = unoptimised(&build()) {
        eprintln!("error: {why}; run `cargo bench --bench overhead`");
        return ExitCode::from(ERROR);
    }
    let (rounds, pairs) = if measuring { (ROUNDS, PAIRS) } else { (1, 2) };
    println!(
        "The harness against loops written by hand: {rounds} rounds of {pairs} pairs of slices,"
    );
    println!("ratio of times (harness / by hand), median and range of rounds.\n");
    println!("| library | operation | bytes | by hand | harness | ratio | rounds |");
    println!("|---|---|--:|--:|--:|--:|---|");
    for by_hand in loops {
        match compare(&suite, &by_hand, rounds, pairs) {
            Ok(row) => println!("{row}"),
            Err(failure) => {
                eprintln!("error: {} {}: {failure}", by_hand.backend, by_hand.operation);
                return ExitCode::from(ERROR);
            }
        }
    }
    ExitCode::SUCCESS
}

/// A loop written by hand, and the case of the suite that it is.
struct Loop {
    backend: &'static str,
    aead: Aead,
    operation: Operation,
    size: usize,
    make: Make,
}

/// The loops written by hand, for the libraries that are compiled in.
fn loops() -> Vec<Loop> {
    let mut loops: Vec<Loop> = Vec::new();
    #[cfg(feature = "ring")]
    loops.extend(by_hand::all::<by_hand::Ring<16>, by_hand::Ring<32>>("ring"));
    #[cfg(all(feature = "graviola", any(target_arch = "x86_64", target_arch = "aarch64")))]
    loops.extend(by_hand::all::<by_hand::Graviola<16>, by_hand::Graviola<32>>("graviola"));
    #[cfg(feature = "rustcrypto")]
    loops.extend(by_hand::all::<aes_gcm::Aes128Gcm, aes_gcm::Aes256Gcm>("rustcrypto"));
    loops
}

fn compare(suite: &Suite, by_hand: &Loop, rounds: usize, pairs: usize) -> Result<String, Failure> {
    let Loop { backend, aead, operation, size, make } = *by_hand;
    let algorithm = Algorithm::Aead(aead);
    let sized = (operation != Operation::KeySetup).then_some(size as u64);
    let contest = Contest { algorithm, operation, size: sized };
    let registration = suite
        .get(&BackendId::fixed(backend))
        .and_then(|it| it.registration(&contest))
        .ok_or_else(|| Failure::unsupported("not compiled in"))?;
    let mut ratios = Vec::new();
    let (mut hand_ns, mut harness_ns) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        // Moves what is allocated next, for one side and then for the other.
        let _space = vec![0u8; 16 * (round * 5 % 16 + 1)];
        let mut hand = make(size)?;
        let _more = vec![0u8; 16 * (round * 7 % 16 + 1)];
        let mut harness = registration.timed(&contest)?;
        let iterations = iterations(hand.as_mut())?;
        let mut of_round = Vec::new();
        for pair in 0..pairs {
            let placement = Placement::drawn((round * pairs + pair) as u64);
            let slice = |timed: &mut dyn Timed| -> Result<f64, Failure> {
                // After a switch the caches are the other side's: the first part is not timed.
                timed.time(iterations / 4, placement)?;
                Ok(timed.time(iterations, placement)?.as_secs_f64() * 1e9 / iterations as f64)
            };
            // Who goes first alternates.
            let (by_hand, by_harness) = if pair % 2 == 0 {
                let first = slice(hand.as_mut())?;
                (first, slice(harness.as_mut())?)
            } else {
                let first = slice(harness.as_mut())?;
                (slice(hand.as_mut())?, first)
            };
            of_round.push(by_harness / by_hand);
            hand_ns.push(by_hand);
            harness_ns.push(by_harness);
        }
        ratios.push(median(&mut of_round));
    }
    let ratio = median(&mut ratios);
    Ok(format!(
        "| {backend} | {algorithm}/{operation} | {} | {:.1} ns | {:.1} ns | {ratio:.3} | {:.3} to {:.3} |",
        sized.map_or("–".to_owned(), |bytes| bytes.to_string()),
        median(&mut hand_ns),
        median(&mut harness_ns),
        ratios[0],
        ratios[ratios.len() - 1],
    ))
}

fn iterations(timed: &mut dyn Timed) -> Result<u64, Failure> {
    timed.time(1000, Placement::drawn(0))?;
    let thousand = timed.time(1000, Placement::drawn(0))?;
    let fitting = SLICE.as_nanos() * 1000 / thousand.as_nanos().max(1);
    Ok(u64::try_from(fitting).unwrap_or(u64::MAX).max(8))
}

/// The median; sorts.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}

/// The loops written by hand: what a user of each library would write, with a clock around it.
mod by_hand {
    use super::Loop;
    use cryptobench_harness::{Failure, PlacedBuffer, Placement, Timed, inputs};
    use cryptobench_schema::{Aead, Operation};
    use std::{
        hint::black_box,
        time::{Duration, Instant},
    };

    /// A library's AES-GCM with 12-byte nonces.
    pub(crate) trait Gcm: Sized + 'static {
        fn keyed(key: &[u8]) -> Self;
        fn seal(&self, nonce: [u8; 12], aad: &[u8; 13], message: &mut [u8]) -> [u8; 16];
        fn open(&self, nonce: [u8; 12], aad: &[u8; 13], message: &mut [u8], tag: [u8; 16]) -> bool;
    }

    /// The loops over one library, with its types of AES-128-GCM and AES-256-GCM. Both, since a program with
    /// one of them alone is compiled otherwise.
    pub(crate) fn all<G: Gcm, L: Gcm>(backend: &'static str) -> [Loop; 4] {
        let of = |aead, operation, size, make| Loop { backend, aead, operation, size, make };
        [
            of(Aead::Aes128Gcm, Operation::Seal, 16, |size| {
                Ok(Box::new(Sealing(State::<G>::new(16, size)?)))
            }),
            of(Aead::Aes128Gcm, Operation::KeySetup, 64, |size| {
                Ok(Box::new(KeySetup(State::<G>::new(16, size)?)))
            }),
            of(Aead::Aes128Gcm, Operation::SealFreshKey, 64, |size| {
                Ok(Box::new(Fresh(State::<G>::new(16, size)?)))
            }),
            of(Aead::Aes256Gcm, Operation::Seal, 16, |size| {
                Ok(Box::new(Sealing(State::<L>::new(32, size)?)))
            }),
        ]
    }

    struct State<G> {
        key_bytes: Vec<u8>,
        key: G,
        counter: u64,
        aad: [u8; 13],
        message: PlacedBuffer,
        size: usize,
    }

    impl<G: Gcm> State<G> {
        fn new(key_len: usize, size: usize) -> Result<Self, Failure> {
            let key_bytes = vec![7; key_len];
            let key = G::keyed(&key_bytes);
            // A loop over something that does not work proves nothing. Besides, a program that only seals
            // is compiled otherwise than one that also opens.
            let mut message = *b"sixteen bytes...";
            let tag = key.seal(nonce(0), &inputs::aad(), &mut message);
            if !key.open(nonce(0), &inputs::aad(), &mut message, tag)
                || message != *b"sixteen bytes..."
            {
                return Err(Failure::wrong("what the loop seals does not open"));
            }
            Ok(Self {
                key,
                key_bytes,
                counter: 0,
                aad: inputs::aad(),
                message: PlacedBuffer::new(size),
                size,
            })
        }
    }

    fn nonce(counter: u64) -> [u8; 12] {
        let mut nonce = [3; 12];
        nonce[4..].copy_from_slice(&counter.to_be_bytes());
        nonce
    }

    struct Sealing<G>(State<G>);

    impl<G: Gcm> Timed for Sealing<G> {
        fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
            let State { key, counter, aad, message, size, .. } = &mut self.0;
            let message = &mut message.at(placement)[..*size];
            placement.on_stack(|| {
                let start = Instant::now();
                for _ in 0..iterations {
                    *counter += 1;
                    let (aad, message) = (black_box(&*aad), black_box(&mut *message));
                    black_box(black_box(&*key).seal(nonce(*counter), aad, message));
                }
                Ok(start.elapsed())
            })
        }
    }

    struct KeySetup<G>(State<G>);

    impl<G: Gcm> Timed for KeySetup<G> {
        fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
            let key_bytes = &self.0.key_bytes;
            placement.on_stack(|| {
                let start = Instant::now();
                for _ in 0..iterations {
                    let key_bytes: &Vec<u8> = black_box(key_bytes);
                    let key = G::keyed(key_bytes);
                    black_box(&key);
                }
                Ok(start.elapsed())
            })
        }
    }

    struct Fresh<G>(State<G>);

    impl<G: Gcm> Timed for Fresh<G> {
        fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
            let State { key_bytes, counter, aad, message, size, .. } = &mut self.0;
            let message = &mut message.at(placement)[..*size];
            placement.on_stack(|| {
                let start = Instant::now();
                for _ in 0..iterations {
                    *counter += 1;
                    let key_bytes: &Vec<u8> = black_box(&*key_bytes);
                    let key = G::keyed(key_bytes);
                    let (aad, message) = (black_box(&*aad), black_box(&mut *message));
                    black_box(key.seal(nonce(*counter), aad, message));
                }
                Ok(start.elapsed())
            })
        }
    }

    #[cfg(feature = "ring")]
    pub(crate) struct Ring<const KEY_LEN: usize>(ring::aead::LessSafeKey);

    #[cfg(feature = "ring")]
    impl<const KEY_LEN: usize> Gcm for Ring<KEY_LEN> {
        #[inline]
        fn keyed(key: &[u8]) -> Self {
            use ring::aead::{AES_128_GCM, AES_256_GCM, LessSafeKey, UnboundKey};
            let algorithm = if KEY_LEN == 16 { &AES_128_GCM } else { &AES_256_GCM };
            Self(LessSafeKey::new(UnboundKey::new(algorithm, key).expect("its length")))
        }

        #[inline]
        fn seal(&self, nonce: [u8; 12], aad: &[u8; 13], message: &mut [u8]) -> [u8; 16] {
            use ring::aead::{Aad, Nonce};
            let nonce = Nonce::assume_unique_for_key(nonce);
            let tag = self.0.seal_in_place_separate_tag(nonce, Aad::from(aad), message);
            tag.expect("a short message").as_ref().try_into().expect("16 bytes")
        }

        #[inline]
        fn open(&self, nonce: [u8; 12], aad: &[u8; 13], message: &mut [u8], tag: [u8; 16]) -> bool {
            use ring::aead::{Aad, Nonce};
            let nonce = Nonce::assume_unique_for_key(nonce);
            let opened =
                self.0.open_in_place_separate_tag(nonce, Aad::from(aad), tag.into(), message, 0..);
            opened.is_ok()
        }
    }

    #[cfg(all(feature = "graviola", any(target_arch = "x86_64", target_arch = "aarch64")))]
    pub(crate) struct Graviola<const KEY_LEN: usize>(graviola::aead::AesGcm);

    #[cfg(all(feature = "graviola", any(target_arch = "x86_64", target_arch = "aarch64")))]
    impl<const KEY_LEN: usize> Gcm for Graviola<KEY_LEN> {
        #[inline]
        fn keyed(key: &[u8]) -> Self {
            Self(graviola::aead::AesGcm::new(key))
        }

        #[inline]
        fn seal(&self, nonce: [u8; 12], aad: &[u8; 13], message: &mut [u8]) -> [u8; 16] {
            let mut tag = [0; 16];
            self.0.encrypt(&nonce, aad, message, &mut tag);
            tag
        }

        #[inline]
        fn open(&self, nonce: [u8; 12], aad: &[u8; 13], message: &mut [u8], tag: [u8; 16]) -> bool {
            self.0.decrypt(&nonce, aad, message, &tag).is_ok()
        }
    }

    #[cfg(feature = "rustcrypto")]
    use aes_gcm::aead::{
        AeadInOut, KeyInit,
        consts::{U12, U16},
    };

    #[cfg(feature = "rustcrypto")]
    impl<A> Gcm for A
    where
        A: AeadInOut<NonceSize = U12, TagSize = U16> + KeyInit + 'static,
    {
        #[inline]
        fn keyed(key: &[u8]) -> Self {
            A::new(key.try_into().expect("its length"))
        }

        #[inline]
        fn seal(&self, nonce: [u8; 12], aad: &[u8; 13], message: &mut [u8]) -> [u8; 16] {
            let tag = self.encrypt_inout_detached(&nonce.into(), aad, message.into());
            tag.expect("a short message").into()
        }

        #[inline]
        fn open(&self, nonce: [u8; 12], aad: &[u8; 13], message: &mut [u8], tag: [u8; 16]) -> bool {
            self.decrypt_inout_detached(&nonce.into(), aad, message.into(), &tag.into()).is_ok()
        }
    }
}
