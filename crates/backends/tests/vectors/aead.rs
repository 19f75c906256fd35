//! AEADs: the Wycheproof sets, of which those with a 16-byte tag and the nonce length of the suite.

use crate::{Tally, call, run};
use cryptobench_harness::{Failure, Implementation, Role};
use cryptobench_schema::{Aead, Algorithm, Operation};
use wycheproof_ng_aead::aead::{TestName, TestSet};
use wycheproof_ng_core::TestResult;

fn wycheproof(aead: Aead, name: TestName, expected: Tally) {
    let set = TestSet::load(name).expect("the set reads");
    run(aead, Operation::Seal, Some(16), expected, &[], |id, implementation| {
        let Implementation::Aead(implementation) = implementation else {
            panic!("{id} registers {} as something else", Algorithm::Aead(aead));
        };
        let mut tally = Tally::default();
        for group in &set.test_groups {
            if group.key_size != aead.key_len() * 8
                || group.nonce_size != aead.nonce_len() * 8
                || group.tag_size != 128
            {
                continue;
            }
            for test in &group.tests {
                let what = format!("{} vector {} by {id}", Algorithm::Aead(aead), test.tc_id);
                let open = || -> Result<Vec<u8>, Failure> {
                    let mut key = implementation.key(&test.key, Role::Decrypt)?;
                    let mut buffer = test.ct.to_vec();
                    let tag = test.tag[..].try_into().expect("16 bytes of tag");
                    key.open(&test.nonce, &test.aad, &mut buffer, tag)?;
                    Ok(buffer)
                };
                let opened = call(&what, open);
                match test.result {
                    TestResult::Valid => {
                        let (sealed, tag) = call(&what, || {
                            let mut key = implementation.key(&test.key, Role::Encrypt)?;
                            let mut buffer = test.pt.to_vec();
                            let mut tag = [0; 16];
                            key.seal(&test.nonce, &test.aad, &mut buffer, &mut tag)?;
                            Ok((buffer, tag))
                        })
                        .unwrap_or_else(|failure| panic!("{what}: {failure}"));
                        assert_eq!(sealed, test.ct[..], "{what}: ciphertext");
                        assert_eq!(tag, test.tag[..], "{what}: tag");
                        assert_eq!(opened.as_deref(), Ok(&test.pt[..]), "{what}: opened");
                        tally.valid += 1;
                    }
                    TestResult::Invalid => {
                        assert_eq!(opened, Err(Failure::Refused), "{what}");
                        tally.invalid += 1;
                    }
                    TestResult::Acceptable => panic!("{what}: these sets have no such vectors"),
                }
            }
        }
        tally
    });
}

#[test]
fn aes_128_gcm() {
    wycheproof(Aead::Aes128Gcm, TestName::AesGcm, Tally::of(40, 0, 27));
}

#[test]
fn aes_256_gcm() {
    wycheproof(Aead::Aes256Gcm, TestName::AesGcm, Tally::of(39, 0, 27));
}

#[test]
fn aes_128_gcm_siv() {
    wycheproof(Aead::Aes128GcmSiv, TestName::AesGcmSiv, Tally::of(67, 0, 32));
}

#[test]
fn aes_256_gcm_siv() {
    wycheproof(Aead::Aes256GcmSiv, TestName::AesGcmSiv, Tally::of(69, 0, 34));
}

#[test]
fn chacha20_poly1305() {
    wycheproof(Aead::ChaCha20Poly1305, TestName::ChaCha20Poly1305, Tally::of(256, 0, 60));
}

#[test]
fn xchacha20_poly1305() {
    wycheproof(Aead::XChaCha20Poly1305, TestName::XChaCha20Poly1305, Tally::of(246, 0, 60));
}

#[test]
fn aes_128_ccm() {
    wycheproof(Aead::Aes128Ccm, TestName::AesCcm, Tally::of(51, 0, 27));
}

#[test]
fn aes_256_ccm() {
    wycheproof(Aead::Aes256Ccm, TestName::AesCcm, Tally::of(51, 0, 27));
}
