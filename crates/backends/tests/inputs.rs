//! The stored inputs are what they say: every backend that can agrees with them.

use cryptobench_backends::suite;
use cryptobench_harness::{
    Implementation,
    inputs::{self, POOL, Pair, RsaKey},
    operations::rsa::modulus_bits,
};
use cryptobench_schema::{Algorithm, Contest, Curve, Operation, RsaScheme};

#[test]
fn public_keys_belong_to_their_scalars() {
    for curve in Curve::ALL {
        let pool = Pair::pool(curve);
        assert_eq!(pool.len(), POOL);
        let contest =
            Contest { algorithm: Algorithm::Ecdh(curve), operation: Operation::Derive, size: None };
        for backend in suite().backends() {
            let Some(registration) = backend.registration(&contest) else { continue };
            let Implementation::Static(implementation) = registration.implementation() else {
                panic!("{} registers derive as something else", backend.id());
            };
            for (one, other) in pool.iter().zip(pool.iter().skip(1)) {
                assert_eq!(one.public.len(), curve.public_key_len());
                let there = implementation.derive(curve, &one.scalar, &other.public);
                let back = implementation.derive(curve, &other.scalar, &one.public);
                assert_eq!(there.expect("derives"), back.expect("derives"), "{}", backend.id());
            }
        }
    }
}

#[test]
fn stored_keys_and_signatures_fit() {
    for bits in [1024, 2048, 3072, 4096] {
        let key = RsaKey::stored(bits).expect("stored");
        assert_eq!(modulus_bits(key.public), Ok(bits));
        for scheme in RsaScheme::ALL {
            assert_eq!(key.signatures(scheme).len(), POOL);
            let contest = Contest {
                algorithm: Algorithm::RsaSignature(scheme),
                operation: Operation::Verify,
                size: Some(bits),
            };
            for backend in suite().backends() {
                let Some(registration) = backend.registration(&contest) else { continue };
                let Implementation::RsaVerify(implementation) = registration.implementation()
                else {
                    panic!("{} registers verify as something else", backend.id());
                };
                for (number, signature) in key.signatures(scheme).enumerate() {
                    let message = inputs::message(number);
                    let answer = implementation.verify(key.public, &message, signature);
                    assert_eq!(answer, Ok(()), "{} {scheme:?} {bits} {number}", backend.id());
                }
            }
        }
    }
}

/// All backends together still compute what is stored. (Slow: every proof at every size.)
#[test]
#[cfg(all(feature = "rustcrypto", feature = "aws-lc", feature = "openssl", feature = "dalek"))]
fn stored_outputs_are_what_the_backends_agree_on() {
    let stored = include_str!("../../harness/fixtures/outputs.sha256");
    let now = cryptobench_harness::outputs_to_store(&suite()).expect("agreement");
    assert_eq!(now, stored, "see examples/outputs.rs");
}
