//! RSA keys from a seed: the same seed gives the same key, nobody else's keys come of it, and the library's own source
//! is in its place again afterwards.
#![cfg(all(feature = "rustcrypto", feature = "openssl"))]

use cryptobench_backends::suite;
use cryptobench_harness::{
    Backend, Failure, Implementation, Suite,
    inputs::SeededRandom,
    operations::rsa::{
        GeneratedKey, RsaKeyPair, RsaKeygenImplementation, RsaSeededImplementation,
        SeededRsaKeyPair, modulus_bits,
    },
    prove,
};
use cryptobench_schema::{Algorithm, BackendId, Contest, Operation, Provenance};
use rsa::{pkcs1::EncodeRsaPublicKey as _, pkcs8::EncodePrivateKey as _};
use std::thread;

/// Who lets the random source be chosen.
const SEEDED: [&str; 2] = ["rustcrypto", "openssl"];

fn contest(operation: Operation, bits: u64) -> Contest {
    Contest { algorithm: Algorithm::Rsa, operation, size: Some(bits) }
}

/// What `backend` registers for keys of `bits`: from a seed, and as usual.
fn of(
    suite: &Suite,
    backend: &str,
    bits: u64,
) -> (RsaSeededImplementation, RsaKeygenImplementation) {
    let backend = suite.backends().iter().find(|it| it.id().to_string() == backend);
    let backend = backend.expect("compiled in");
    let its = |operation| {
        let registration = backend.registration(&contest(operation, bits)).expect("registered");
        *registration.implementation()
    };
    match (its(Operation::KeygenSeeded), its(Operation::Keygen)) {
        (Implementation::RsaSeeded(seeded), Implementation::RsaKeygen(usual)) => (seeded, usual),
        other => panic!("registered as {other:?}"),
    }
}

/// Who was proved, and who of them failed how.
fn proved(suite: &Suite, contest: Contest) -> (Vec<String>, Vec<(String, Failure)>) {
    let all: Vec<BackendId> = suite.backends().iter().map(|it| it.id().clone()).collect();
    let proofs = prove(suite, &contest, &all);
    let names = proofs.iter().map(|(id, _)| id.to_string()).collect();
    let failures =
        proofs.into_iter().filter_map(|(id, proof)| Some((id.to_string(), proof.err()?))).collect();
    (names, failures)
}

#[test]
fn both_backends_pass() {
    let suite = suite();
    for bits in [1024, 2048] {
        let (mut names, failures) = proved(&suite, contest(Operation::KeygenSeeded, bits));
        names.sort();
        assert_eq!(names, ["openssl", "rustcrypto"]);
        assert_eq!(failures, [], "{bits}");
    }
}

#[test]
fn a_seed_gives_one_key_and_the_usual_source_many() {
    let suite = suite();
    for bits in [1024, 2048] {
        let mut seen: Vec<GeneratedKey> = Vec::new();
        let mut is_new = |key: GeneratedKey| {
            assert_eq!(modulus_bits(&key.public), Ok(bits));
            assert!(!seen.iter().any(|other| other.public == key.public), "a key twice");
            seen.push(key);
        };
        for backend in SEEDED {
            let (seeded, usual) = of(&suite, backend, bits);
            for seed in [1, 2] {
                let first = seeded.generate(bits, seed).expect("generates");
                is_new(usual.generate(bits).expect("generates"));
                is_new(usual.generate(bits).expect("generates"));
                let again = seeded.generate(bits, seed).expect("generates");
                assert!(first == again, "{backend}: seed {seed} gives two keys of {bits} bits");
                is_new(first);
            }
        }
    }
}

#[test]
fn the_usual_source_is_back_after_a_failure() {
    let suite = suite();
    for backend in SEEDED {
        let (seeded, usual) = of(&suite, backend, 1024);
        let expected = seeded.generate(1024, 5).expect("generates");
        // No library generates keys this short.
        assert!(seeded.generate(256, 5).is_err(), "{backend}");
        let keys = [(); 2].map(|()| usual.generate(1024).expect("generates"));
        assert_ne!(keys[0].public, keys[1].public, "{backend}");
        assert!(!keys.contains(&expected), "{backend}");
        assert!(seeded.generate(1024, 5).expect("generates") == expected, "{backend}");
    }
}

/// Other threads have their own seeds, or the usual source.
#[test]
fn threads_do_not_draw_from_each_others_sources() {
    for backend in SEEDED {
        let expected: Vec<_> = (0..2)
            .map(|seed| of(&suite(), backend, 1024).0.generate(1024, seed).expect("generates"))
            .collect();
        let usual = thread::scope(|scope| {
            for (seed, expected) in (0..).zip(&expected) {
                scope.spawn(move || {
                    let (seeded, _) = of(&suite(), backend, 1024);
                    for _ in 0..5 {
                        let key = seeded.generate(1024, seed).expect("generates");
                        assert!(key == *expected, "{backend}: another key of seed {seed}");
                    }
                });
            }
            let usual = scope.spawn(|| {
                let (_, usual) = of(&suite(), backend, 1024);
                (0..10).map(|_| usual.generate(1024).expect("generates").public).collect::<Vec<_>>()
            });
            usual.join().expect("ends")
        });
        for (at, key) in usual.iter().enumerate() {
            assert!(!usual[..at].contains(key), "{backend}: the usual source gives a key twice");
            assert!(expected.iter().all(|other| other.public != *key), "{backend}");
        }
    }
}

/// Keys that are drawn from a source of their own, where `FORGETS`; otherwise the usual ones are drawn from a seed.
struct Faulty<const FORGETS: bool>(rsa::PrivateKey);

impl<const FORGETS: bool> Faulty<FORGETS> {
    fn drawn(bits: u64, random: &mut impl rsa::rand_core::TryCryptoRng) -> Result<Self, Failure> {
        let key = rsa::PrivateKey::new(random, usize::try_from(bits).expect("few bits"));
        Ok(Self(key.map_err(Failure::library("PrivateKey::new"))?))
    }
}

impl<const FORGETS: bool> RsaKeyPair for Faulty<FORGETS> {
    fn generate(bits: u64) -> Result<Self, Failure> {
        if FORGETS {
            return Self::drawn(bits, &mut getrandom::SysRng);
        }
        Self::drawn(bits, &mut Seeded(SeededRandom::new(7)))
    }

    fn public_key(&self) -> Result<Vec<u8>, Failure> {
        let der = self.0.to_public_key().to_pkcs1_der();
        Ok(der.map_err(Failure::library("to_pkcs1_der"))?.as_bytes().to_vec())
    }

    fn private_key(&self) -> Result<Vec<u8>, Failure> {
        let der = self.0.to_pkcs8_der();
        Ok(der.map_err(Failure::library("to_pkcs8_der"))?.as_bytes().to_vec())
    }
}

impl<const FORGETS: bool> SeededRsaKeyPair for Faulty<FORGETS> {
    fn generate_from(bits: u64, random: &mut SeededRandom) -> Result<Self, Failure> {
        if FORGETS {
            return Self::drawn(bits, &mut getrandom::SysRng);
        }
        Self::drawn(bits, &mut Seeded(random.clone()))
    }
}

struct Seeded(SeededRandom);

impl rsa::rand_core::TryRng for Seeded {
    type Error = std::convert::Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Self::Error> {
        let mut bytes = [0; 4];
        self.0.fill(&mut bytes);
        Ok(u32::from_le_bytes(bytes))
    }

    fn try_next_u64(&mut self) -> Result<u64, Self::Error> {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        Ok(u64::from_le_bytes(bytes))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Self::Error> {
        self.0.fill(bytes);
        Ok(())
    }
}

impl rsa::rand_core::TryCryptoRng for Seeded {}

fn only_faulty_fails<K: SeededRsaKeyPair>(words: &str) {
    let mut faulty = Backend::new("faulty", Provenance::of_crates(&[]));
    faulty.rsa_keygen_seeded::<K>();
    let mut suite = suite();
    suite.add(faulty);
    let (_, failures) = proved(&suite, contest(Operation::KeygenSeeded, 1024));
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].0, "faulty");
    assert!(failures[0].1.to_string().contains(words), "{}", failures[0].1);
}

#[test]
fn a_seed_that_is_not_used_is_caught() {
    only_faulty_fails::<Faulty<true>>("the key that a seed gives again is not what it should be");
}

#[test]
fn a_usual_source_that_is_seeded_is_caught() {
    only_faulty_fails::<Faulty<false>>("the same key was generated twice");
}
