//! RSA with SHA-256: the Wycheproof sets for signing and verifying. Key generation has no vectors; the
//! in-process proof checks its modulus and has what it signs verified by every other backend.

use crate::{Tally, call, run};
use cryptobench_harness::{Failure, Implementation};
use cryptobench_schema::{Operation, RsaScheme};
use wycheproof_ng_core::TestResult;
use wycheproof_ng_rsa_signature::{rsa_pkcs1_sig_gen, rsa_pkcs1_verify, rsa_pss_verify};

/// 2^16 + 1 as the sets write it.
const F4: &str = "010001";

fn sign(
    bits: u64,
    name: rsa_pkcs1_sig_gen::TestName,
    expected: Tally,
    exceptions: &[(&str, Tally)],
) {
    let set = rsa_pkcs1_sig_gen::TestSet::load(name).expect("the set reads");
    let scheme = RsaScheme::Pkcs1Sha256;
    run(scheme, Operation::Sign, Some(bits), expected, exceptions, |id, implementation| {
        let Implementation::RsaSign(implementation) = implementation else {
            panic!("{id} registers signing as something else");
        };
        let mut tally = Tally::default();
        for group in &set.test_groups {
            if format!("{:?}", group.hash) != "Sha2_256" {
                continue;
            }
            // ring refuses signing keys with e = 3; graviola panics on them with debug assertions.
            let small_exponent = hex::encode(&group.private_key.e[..]) != F4;
            if small_exponent && matches!(id, "ring" | "graviola") {
                tally.skipped += group.tests.len();
                continue;
            }
            for test in &group.tests {
                let what = format!("{name:?} vector {} by {id}", test.tc_id);
                let signature = call(&what, || {
                    let mut signature = vec![0; test.sig.len()];
                    implementation
                        .signer(&group.private_key_pkcs8)?
                        .sign(&test.msg, &mut signature)?;
                    Ok(signature)
                });
                match (test.result, signature) {
                    (TestResult::Valid, signature) => {
                        assert_eq!(signature.as_deref(), Ok(&test.sig[..]), "{what}");
                        tally.valid += 1;
                    }
                    // Acceptable are a small modulus and a small exponent. Whoever takes the key must
                    // sign right; who does not is counted apart.
                    (TestResult::Acceptable, Ok(signature)) => {
                        assert_eq!(signature, test.sig[..], "{what}");
                        tally.acceptable += 1;
                    }
                    (TestResult::Acceptable, Err(failure)) => {
                        assert!(matches!(failure, Failure::Library { .. }), "{what}: {failure}");
                        tally.skipped += 1;
                    }
                    (TestResult::Invalid, _) => panic!("{what}: this set has no such vectors"),
                }
            }
        }
        tally
    });
}

#[test]
fn pkcs1_sign() {
    use rsa_pkcs1_sig_gen::TestName::{RsaSigGen1024, RsaSigGen2048, RsaSigGen3072, RsaSigGen4096};
    // Keys with e = 3, one or two in each set, are refused by these when they are imported, or skipped above.
    let without = |tally: Tally, skipped: usize| {
        ["rustcrypto", "ring", "graviola"].map(|id| (id, tally.skipping(skipped)))
    };
    sign(1024, RsaSigGen1024, Tally::of(0, 9, 0), &without(Tally::of(0, 8, 0), 1));
    sign(2048, RsaSigGen2048, Tally::of(8, 2, 0), &without(Tally::of(8, 0, 0), 2));
    sign(3072, RsaSigGen3072, Tally::of(8, 1, 0), &without(Tally::of(8, 0, 0), 1));
    sign(4096, RsaSigGen4096, Tally::of(8, 0, 0), &[]);
}

/// One vector of either verification set.
struct Signed<'a> {
    number: usize,
    public_key: &'a [u8],
    message: &'a [u8],
    signature: &'a [u8],
    result: TestResult,
}

fn verify(scheme: RsaScheme, bits: u64, expected: Tally, vectors: &[Signed<'_>]) {
    run(scheme, Operation::Verify, Some(bits), expected, &[], |id, implementation| {
        let Implementation::RsaVerify(implementation) = implementation else {
            panic!("{id} registers verification as something else");
        };
        let mut tally = Tally::default();
        for vector in vectors {
            let what = format!("{scheme:?} {bits} vector {} by {id}", vector.number);
            let answer = call(&what, || {
                implementation.verify(vector.public_key, vector.message, vector.signature)
            });
            match vector.result {
                TestResult::Valid => {
                    assert_eq!(answer, Ok(()), "{what}");
                    tally.valid += 1;
                }
                TestResult::Acceptable => {
                    assert!(matches!(answer, Ok(()) | Err(Failure::Refused)), "{what}: {answer:?}");
                    tally.acceptable += 1;
                }
                TestResult::Invalid => {
                    assert_eq!(answer, Err(Failure::Refused), "{what}");
                    tally.invalid += 1;
                }
            }
        }
        tally
    });
}

/// Runs the set `$name` of `$module`; the modules have the same fields in types of their own.
macro_rules! verify_set {
    ($scheme:expr, $bits:literal, $module:ident :: $name:ident, $expected:expr) => {{
        let set = $module::TestSet::load($module::TestName::$name).expect("the set reads");
        let vectors: Vec<Signed<'_>> = set
            .test_groups
            .iter()
            .flat_map(|group| group.tests.iter().map(move |test| (group, test)))
            .map(|(group, test)| Signed {
                number: test.tc_id,
                public_key: &group.asn_key,
                message: &test.msg,
                signature: &test.sig,
                result: test.result,
            })
            .collect();
        verify($scheme, $bits, $expected, &vectors);
    }};
}

#[test]
fn pkcs1_verify() {
    let scheme = RsaScheme::Pkcs1Sha256;
    verify_set!(scheme, 2048, rsa_pkcs1_verify::Rsa2048Sha256, Tally::of(9, 1, 249));
    verify_set!(scheme, 3072, rsa_pkcs1_verify::Rsa3072Sha256, Tally::of(8, 1, 250));
    verify_set!(scheme, 4096, rsa_pkcs1_verify::Rsa4096Sha256, Tally::of(7, 1, 250));
}

#[test]
fn pss_verify() {
    let scheme = RsaScheme::PssSha256;
    let expected = Tally::of(63, 0, 45);
    verify_set!(scheme, 2048, rsa_pss_verify::RsaPss2048Sha256Mgf1SaltLen32, expected);
    verify_set!(scheme, 3072, rsa_pss_verify::RsaPss3072Sha256Mgf1SaltLen32, expected);
    verify_set!(scheme, 4096, rsa_pss_verify::RsaPss4096Sha256Mgf1SaltLen32, expected);
}
