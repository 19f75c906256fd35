//! The proof with implementations made for the purpose: whoever is wrong is named, and nobody else is.

use cryptobench_harness::{
    Backend, Failure, Implementation, Role, Suite,
    operations::{aead::AeadKey, control::Procedure},
    prove,
};
use cryptobench_schema::{Aead, Algorithm, BackendId, Contest, Operation, Provenance};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// A cipher for tests: good for nothing else.
struct Toy<Fault> {
    key: Vec<u8>,
    seals: usize,
    fault: std::marker::PhantomData<Fault>,
}

/// What is wrong with a toy.
trait Fault: 'static {
    /// Whether a fresh key is made and used at all.
    const FRESH: bool = true;
    fn ciphertext(_message: &mut [u8], _seals: usize) {}
    fn accepts(given: &[u8; 16], right: &[u8; 16]) -> bool {
        given == right
    }
}

impl<F> Toy<F> {
    fn crypt(&self, nonce: &[u8], message: &mut [u8]) {
        for (at, block) in message.chunks_mut(32).enumerate() {
            let stream = Sha256::new()
                .chain_update(&self.key)
                .chain_update(nonce)
                .chain_update(at.to_be_bytes())
                .finalize();
            block.iter_mut().zip(stream).for_each(|(byte, pad)| *byte ^= pad);
        }
    }

    fn tag(&self, nonce: &[u8], aad: &[u8], sealed: &[u8]) -> [u8; 16] {
        let all = Sha256::new().chain_update(&self.key).chain_update(nonce).chain_update(aad);
        all.chain_update(sealed).finalize()[..16].try_into().expect("32 bytes have 16")
    }
}

impl<F: Fault> AeadKey for Toy<F> {
    fn new(key: &[u8], _: Role) -> Result<Self, Failure> {
        Ok(Self { key: key.to_vec(), seals: 0, fault: std::marker::PhantomData })
    }

    fn fresh(
        key: &[u8],
        then: impl FnOnce(&mut Self) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if F::FRESH { then(&mut Self::new(key, Role::Encrypt)?) } else { Ok(()) }
    }

    fn seal(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &mut [u8; 16],
    ) -> Result<(), Failure> {
        self.seals += 1;
        self.crypt(nonce, message);
        F::ciphertext(message, self.seals);
        *tag = self.tag(nonce, aad, message);
        Ok(())
    }

    fn open(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &[u8; 16],
    ) -> Result<(), Failure> {
        if !F::accepts(tag, &self.tag(nonce, aad, message)) {
            return Err(Failure::Refused);
        }
        // Undoes the fault too, so that the toy opens what it sealed: only others can tell.
        F::ciphertext(message, self.seals);
        self.crypt(nonce, message);
        Ok(())
    }
}

struct Right;
impl Fault for Right {}

/// One byte wrong, at 65,536 bytes only.
struct OneByte;
impl Fault for OneByte {
    fn ciphertext(message: &mut [u8], _: usize) {
        if message.len() == 65_536 {
            message[40_000] ^= 1;
        }
    }
}

/// One byte wrong at the same place in the neighbouring length.
struct OneMore;
impl Fault for OneMore {
    fn ciphertext(message: &mut [u8], _: usize) {
        if message.len() == 65_537 {
            message[65_536] ^= 1;
        }
    }
}

/// Looks at half the tag.
struct HalfTag;
impl Fault for HalfTag {
    fn accepts(given: &[u8; 16], right: &[u8; 16]) -> bool {
        given[..8] == right[..8]
    }
}

/// Accepts anything.
struct Gullible;
impl Fault for Gullible {
    fn accepts(_: &[u8; 16], _: &[u8; 16]) -> bool {
        true
    }
}

/// Refuses everything.
struct Stubborn;
impl Fault for Stubborn {
    fn accepts(_: &[u8; 16], _: &[u8; 16]) -> bool {
        false
    }
}

/// Makes no fresh key when asked for one.
struct Lazy;
impl Fault for Lazy {
    const FRESH: bool = false;
}

/// One byte wrong in messages shorter than a block.
struct ShortOnes;
impl Fault for ShortOnes {
    fn ciphertext(message: &mut [u8], _: usize) {
        if message.len() < 16 {
            message.iter_mut().take(1).for_each(|it| *it ^= 1);
        }
    }
}

/// Works for ten messages.
struct Tired;
impl Fault for Tired {
    fn ciphertext(message: &mut [u8], seals: usize) {
        if seals > 10 {
            message.fill(0);
        }
    }
}

struct Panicking;
impl Fault for Panicking {
    fn accepts(_: &[u8; 16], _: &[u8; 16]) -> bool {
        panic!("out of cheese")
    }
}

fn toy<F: Fault>(name: &'static str) -> Backend {
    let mut backend = Backend::new(name, Provenance::of_crates(&[]));
    backend.aead::<Toy<F>>(Aead::Aes256Gcm);
    backend
}

fn suite(backends: impl IntoIterator<Item = Backend>) -> Suite {
    let mut suite = Suite::new();
    suite.forget_stored_outputs();
    for backend in backends {
        suite.add(backend);
    }
    suite
}

fn contest(operation: Operation, size: Option<u64>) -> Contest {
    Contest { algorithm: Algorithm::Aead(Aead::Aes256Gcm), operation, size }
}

/// The failures of all backends of `suite`, by name.
fn failures(suite: &Suite, contest: &Contest) -> BTreeMap<String, String> {
    let all: Vec<BackendId> = suite.backends().iter().map(|it| it.id().clone()).collect();
    prove(suite, contest, &all)
        .into_iter()
        .filter_map(|(id, proof)| Some((id.to_string(), proof.err()?.to_string())))
        .collect()
}

/// Three toys of which only `wrong` may fail, at each size in `sizes` and at no other.
fn only_the_wrong_one_fails(wrong: impl Fn() -> Backend, fails_at: &[u64], words: &str) {
    let suite = suite([toy::<Right>("one"), wrong(), toy::<Right>("two")]);
    for size in [16, 64, 1024, 65_536, 262_144] {
        let failures = failures(&suite, &contest(Operation::Seal, Some(size)));
        if fails_at.contains(&size) {
            assert_eq!(failures.keys().collect::<Vec<_>>(), ["wrong"], "at {size}");
            assert!(failures["wrong"].contains(words), "{}", failures["wrong"]);
        } else {
            assert!(failures.is_empty(), "at {size}: {failures:?}");
        }
    }
}

#[test]
fn one_wrong_byte_at_one_size_is_caught_there() {
    let words = "in 17 of 196656 bytes, first at 105551";
    only_the_wrong_one_fails(|| toy::<OneByte>("wrong"), &[65_536], words);
}

#[test]
fn a_wrong_byte_at_a_neighbouring_length_is_caught() {
    only_the_wrong_one_fails(|| toy::<OneMore>("wrong"), &[65_536], "differs from the 2 others");
}

#[test]
fn an_accepted_forgery_is_caught_at_every_size() {
    let all = [16, 64, 1024, 65_536, 262_144];
    let words = "a flipped bit in the tag was accepted";
    only_the_wrong_one_fails(|| toy::<HalfTag>("wrong"), &all, words);
    only_the_wrong_one_fails(|| toy::<Gullible>("wrong"), &all, words);
}

#[test]
fn refusing_what_is_right_is_caught() {
    let all = [16, 64, 1024, 65_536, 262_144];
    only_the_wrong_one_fails(|| toy::<Stubborn>("wrong"), &all, "refused as not authentic");
}

#[test]
fn a_panic_is_a_failure() {
    let all = [16, 64, 1024, 65_536, 262_144];
    only_the_wrong_one_fails(|| toy::<Panicking>("wrong"), &all, "panicked: out of cheese");
}

#[test]
fn a_fresh_key_that_is_none_is_caught() {
    let all = [16, 64, 1024, 65_536, 262_144];
    only_the_wrong_one_fails(|| toy::<Lazy>("wrong"), &all, "a message under a fresh key");
}

#[test]
fn a_key_that_is_worn_out_by_timing_is_caught_afterwards() {
    let suite = suite([toy::<Tired>("wrong"), toy::<Right>("right")]);
    let contest = contest(Operation::Seal, Some(64));
    assert!(failures(&suite, &contest).is_empty(), "too few messages for the proof to notice");
    let placement = cryptobench_harness::Placement::drawn(1);
    let after_timing = |backend: usize| {
        let registration = suite.backends()[backend].registration(&contest).expect("registered");
        let mut timed = registration.timed(&contest).expect("a key");
        timed.time(20, placement).expect("timed");
        timed.check()
    };
    assert!(matches!(after_timing(0), Err(Failure::Wrong(_))));
    assert_eq!(after_timing(1), Ok(()));
}

/// Without other implementations, the stored output is the witness.
#[test]
fn a_backend_alone_is_held_against_what_is_stored() {
    let mut alone = Suite::new();
    alone.add(toy::<Right>("alone"));
    let failures = failures(&alone, &contest(Operation::Seal, Some(64)));
    assert!(failures["alone"].contains("differs from what is stored"), "{failures:?}");
}

const SMALL: u64 = 28 << 10;
const LARGE: u64 = 1 << 20;

/// Three toys of which only `wrong` may fail, at documents of the sizes and operations in `fails_at` and no others.
fn only_the_wrong_one_fails_at_documents(
    wrong: impl Fn() -> Backend,
    fails_at: &[(Operation, u64)],
    words: &str,
) {
    let suite = suite([toy::<Right>("one"), wrong(), toy::<Right>("two")]);
    for operation in [Operation::Whole, Operation::Fields] {
        for size in [SMALL, LARGE] {
            let failures = failures(&suite, &contest(operation, Some(size)));
            if fails_at.contains(&(operation, size)) {
                assert_eq!(failures.keys().collect::<Vec<_>>(), ["wrong"], "{operation} {size}");
                assert!(failures["wrong"].contains(words), "{}", failures["wrong"]);
            } else {
                assert!(failures.is_empty(), "{operation} {size}: {failures:?}");
            }
        }
    }
}

#[test]
fn what_is_wrong_with_documents_is_caught() {
    use Operation::{Fields, Whole};
    let everywhere = [(Whole, SMALL), (Whole, LARGE), (Fields, SMALL), (Fields, LARGE)];
    // Segments of 64 KiB are in the large one alone, and in no field.
    let segment = [(Whole, LARGE)];
    let differs = "digests of encrypted documents: differs from the 2 others";
    only_the_wrong_one_fails_at_documents(|| toy::<OneByte>("wrong"), &segment, differs);
    let fields = [(Fields, SMALL), (Fields, LARGE)];
    only_the_wrong_one_fails_at_documents(|| toy::<ShortOnes>("wrong"), &fields, "differs");
    only_the_wrong_one_fails_at_documents(
        || toy::<Stubborn>("wrong"),
        &everywhere,
        "refused as not authentic",
    );
    let accepted = "was accepted";
    only_the_wrong_one_fails_at_documents(|| toy::<Gullible>("wrong"), &everywhere, accepted);
}

#[test]
fn a_fresh_key_for_a_field_that_is_none_is_caught() {
    let suite = suite([toy::<Right>("one"), toy::<Lazy>("wrong"), toy::<Right>("two")]);
    for operation in [Operation::FieldsFreshKey, Operation::FieldsFreshKeyFile] {
        let failures = failures(&suite, &contest(operation, Some(SMALL)));
        assert_eq!(failures.keys().collect::<Vec<_>>(), ["wrong"], "{operation}");
    }
}

#[test]
fn a_key_that_is_worn_out_by_documents_is_caught_afterwards() {
    let suite = suite([toy::<Tired>("wrong"), toy::<Right>("right")]);
    for operation in
        [Operation::Whole, Operation::WholeFile, Operation::Fields, Operation::FieldsFile]
    {
        let contest = contest(operation, Some(SMALL));
        let after_timing = |backend: usize| {
            let registration =
                suite.backends()[backend].registration(&contest).expect("registered");
            let mut timed = registration.timed(&contest).expect("a key");
            let time = timed.time(20, cryptobench_harness::Placement::drawn(1));
            assert!(time.is_ok_and(|it| it > std::time::Duration::ZERO));
            timed.check()
        };
        assert!(
            matches!(after_timing(0), Err(Failure::Wrong(_) | Failure::Refused)),
            "{operation}"
        );
        assert_eq!(after_timing(1), Ok(()), "{operation}");
    }
}

#[test]
fn key_setup_is_proved_by_sealing() {
    let suite = suite([toy::<Right>("one"), toy::<Gullible>("wrong"), toy::<Right>("two")]);
    let failures = failures(&suite, &contest(Operation::KeySetup, None));
    assert_eq!(failures.keys().collect::<Vec<_>>(), ["wrong"]);
}

#[test]
fn without_a_majority_nobody_is_right() {
    let suite = suite([toy::<Right>("one"), toy::<OneByte>("wrong")]);
    let failures = failures(&suite, &contest(Operation::Seal, Some(65_536)));
    assert_eq!(failures.keys().collect::<Vec<_>>(), ["one", "wrong"]);
    assert!(failures["one"].contains("no majority"), "{failures:?}");
}

#[test]
fn a_backend_selected_alone_is_held_against_the_others() {
    let suite = suite([toy::<Right>("one"), toy::<OneByte>("wrong"), toy::<Right>("two")]);
    let contest = contest(Operation::Seal, Some(65_536));
    let proofs = prove(&suite, &contest, &[BackendId::fixed("wrong")]);
    assert!(matches!(proofs.as_slice(), [(_, Err(Failure::Wrong(_)))]), "{proofs:?}");
    // And another's fault is none of a backend's that is selected without it.
    let proofs = prove(&suite, &contest, &[BackendId::fixed("one")]);
    assert!(matches!(proofs.as_slice(), [(_, Ok(_))]), "{proofs:?}");
}

#[test]
fn a_library_that_does_not_initialise_fails_with_its_words_and_the_others_run() {
    let mut dead = toy::<Right>("dead");
    dead.initialise(|| {
        Err(Failure::Library { call: "TOY_init", error: "no entropy today".to_owned() })
    });
    let mut panicking = toy::<Right>("panicking");
    panicking.initialise(|| panic!("this CPU is not supported"));
    let suite = suite([toy::<Right>("one"), dead, panicking, toy::<Right>("two")]);
    let failures = failures(&suite, &contest(Operation::Open, Some(1024)));
    assert_eq!(failures.keys().collect::<Vec<_>>(), ["dead", "panicking"]);
    assert_eq!(failures["dead"], "TOY_init: no entropy today");
    assert_eq!(failures["panicking"], "panicked: this CPU is not supported");
}

#[test]
fn an_open_that_fails_while_timed_is_an_error() {
    let suite = suite([toy::<Stubborn>("wrong")]);
    let contest = contest(Operation::Open, Some(64));
    let registration = suite.backends()[0].registration(&contest).expect("registered");
    assert!(matches!(registration.implementation(), Implementation::Aead(_)));
    let mut timed = registration.timed(&contest).expect("sealing works");
    let placement = cryptobench_harness::Placement::drawn(1);
    assert_eq!(timed.time(3, placement), Err(Failure::Refused));
}

#[test]
fn a_reject_that_accepts_while_timed_is_an_error() {
    let suite = suite([toy::<Gullible>("wrong")]);
    let contest = contest(Operation::Reject, Some(64));
    let registration = suite.backends()[0].registration(&contest).expect("registered");
    let mut timed = registration.timed(&contest).expect("sealing works");
    let answer = timed.time(3, cryptobench_harness::Placement::drawn(1));
    assert!(matches!(answer, Err(Failure::Wrong(_))), "{answer:?}");
}

/// Calls itself a copy and is none.
struct NoCopy;
impl Procedure for NoCopy {
    fn new() -> Self {
        Self
    }
    fn call(&mut self, _: &[u8], _: &mut [u8]) -> Result<(), Failure> {
        Ok(())
    }
}

#[test]
fn a_control_that_is_not_what_it_says_is_caught() {
    let mut backend = Backend::new("harness", Provenance::of_crates(&[]));
    backend.control::<NoCopy>(&[Operation::Copy]);
    let suite = suite([backend]);
    let contest =
        Contest { algorithm: Algorithm::Control, operation: Operation::Copy, size: Some(1024) };
    assert_eq!(failures(&suite, &contest).len(), 1);
}
