//! Diffie-Hellman: the Wycheproof sets, through every backend that takes a private key as bytes. Those that
//! only generate keys are proved against these.

use crate::{Tally, call, run};
use cryptobench_harness::Implementation;
use cryptobench_schema::{Algorithm, Curve, Operation};
use wycheproof_ng_core::TestResult;
use wycheproof_ng_dh::{ecdh, xdh};

struct Vector {
    number: usize,
    private: Vec<u8>,
    public: Vec<u8>,
    shared: Vec<u8>,
    result: TestResult,
}

fn bytes(value: &serde_json::Value) -> Vec<u8> {
    hex::decode(value.as_str().expect("a string")).expect("hexadecimal")
}

/// The scalar as long as the suite gives it: the sets have it with leading zeros, or without.
fn scalar(curve: Curve, bytes: &[u8]) -> Vec<u8> {
    let first = bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len());
    let digits = &bytes[first..];
    let mut scalar = vec![0; curve.scalar_len() - digits.len()];
    scalar.extend_from_slice(digits);
    scalar
}

fn all(curve: Curve, expected: Tally, vectors: &[Vector]) {
    run(curve, Operation::Derive, None, expected, &[], |id, implementation| {
        let Implementation::Static(implementation) = implementation else {
            panic!("{id} registers derive on {} as something else", Algorithm::Ecdh(curve));
        };
        let mut tally = Tally::default();
        for vector in vectors {
            let what = format!("{} vector {} by {id}", Algorithm::Ecdh(curve), vector.number);
            let secret =
                call(&what, || implementation.derive(curve, &vector.private, &vector.public));
            match vector.result {
                TestResult::Valid => {
                    assert_eq!(secret.as_deref(), Ok(&vector.shared[..]), "{what}");
                    tally.valid += 1;
                }
                TestResult::Acceptable => {
                    // Compressed points and, for X25519, an all-zero secret (RFC 7748, 6.1) may be
                    // refused. Other acceptable X25519 vectors are computed by everyone.
                    let zero = vector.shared.iter().all(|byte| *byte == 0);
                    match secret {
                        Ok(secret) => assert_eq!(secret, vector.shared, "{what}"),
                        Err(failure) => {
                            assert!(curve != Curve::X25519 || zero, "{what}: {failure}")
                        }
                    }
                    tally.acceptable += 1;
                }
                TestResult::Invalid => {
                    assert!(secret.is_err(), "{what} was accepted");
                    tally.invalid += 1;
                }
            }
        }
        tally
    });
}

fn nist(curve: Curve, name: ecdh::TestName, expected: Tally) {
    let set = ecdh::TestSet::load(name).expect("the set reads");
    let vectors: Vec<Vector> = set
        .test_groups
        .iter()
        .flat_map(|group| &group.tests)
        .map(|test| Vector {
            number: test.tc_id,
            private: scalar(curve, &bytes(&test.private_key)),
            public: bytes(&test.public_key),
            shared: test.shared_secret.to_vec(),
            result: test.result,
        })
        .collect();
    all(curve, expected, &vectors);
}

#[test]
fn p256() {
    nist(Curve::P256, ecdh::TestName::EcdhSecp256r1Ecpoint, Tally::of(330, 1, 24));
}

#[test]
fn p384() {
    nist(Curve::P384, ecdh::TestName::EcdhSecp384r1Ecpoint, Tally::of(771, 1, 18));
}

#[test]
fn p521() {
    nist(Curve::P521, ecdh::TestName::EcdhSecp521r1Ecpoint, Tally::of(632, 1, 28));
}

#[test]
fn x25519() {
    let set = xdh::TestSet::load(xdh::TestName::X25519).expect("the set reads");
    let vectors: Vec<Vector> = set
        .test_groups
        .iter()
        .flat_map(|group| &group.tests)
        .map(|test| Vector {
            number: test.tc_id,
            private: bytes(&test.private_key),
            public: bytes(&test.public_key),
            shared: test.shared_secret.to_vec(),
            result: test.result,
        })
        .collect();
    all(Curve::X25519, Tally::of(264, 254, 0), &vectors);
}
