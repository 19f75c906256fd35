//! AES modes: NIST SP 800-38A for ECB, CBC and CTR, the Wycheproof sets for CBC with padding and for XTS.

use crate::{Tally, call, run};
use cryptobench_harness::{
    Failure, Implementation, Role,
    operations::block_mode::{BlockModeImplementation, IV_LEN, ROOM},
};
use cryptobench_schema::{BlockMode, Operation};
use serde::Deserialize;
use wycheproof_ng_core::TestResult;
use wycheproof_ng_symmetric::cipher::{TestName, TestSet};

fn encrypt(
    implementation: &BlockModeImplementation,
    key: &[u8],
    iv: &[u8; IV_LEN],
    message: &[u8],
) -> Result<Vec<u8>, Failure> {
    let mut buffer = message.to_vec();
    buffer.resize(message.len() + ROOM, 0);
    let written =
        implementation.key(key, Role::Encrypt)?.encrypt(iv, &mut buffer, message.len())?;
    buffer.truncate(written);
    Ok(buffer)
}

fn decrypt(
    implementation: &BlockModeImplementation,
    key: &[u8],
    iv: &[u8; IV_LEN],
    ciphertext: &[u8],
) -> Result<Vec<u8>, Failure> {
    let mut buffer = ciphertext.to_vec();
    buffer.resize(ciphertext.len() + ROOM, 0);
    let written =
        implementation.key(key, Role::Decrypt)?.decrypt(iv, &mut buffer, ciphertext.len())?;
    buffer.truncate(written);
    Ok(buffer)
}

fn of<'a>(id: &str, implementation: &'a Implementation) -> &'a BlockModeImplementation {
    match implementation {
        Implementation::BlockMode(it) => it,
        other => panic!("{id} registers a block mode as {other:?}"),
    }
}

/// The initial vector: shorter tweaks of XTS are numbers, least significant byte first (IEEE 1619, 5.1).
fn iv(bytes: &[u8]) -> [u8; IV_LEN] {
    let mut iv = [0; IV_LEN];
    iv[..bytes.len()].copy_from_slice(bytes);
    iv
}

#[derive(Deserialize)]
struct Published {
    mode: String,
    key_bits: usize,
    key: String,
    iv: Option<String>,
    pt: String,
    ct: String,
}

/// The vectors of SP 800-38A, appendix F, for one mode and key size: one each.
fn sp800_38a(mode: BlockMode, name: &str) {
    let all: Vec<Published> =
        serde_json::from_str(include_str!("data/sp800_38a.json")).expect("the vectors read");
    run(mode, Operation::Encrypt, Some(64), Tally::of(1, 0, 0), &[], |id, implementation| {
        let implementation = of(id, implementation);
        let mut tally = Tally::default();
        for vector in &all {
            if vector.mode != name || vector.key_bits != mode.key_len() * 8 {
                continue;
            }
            let bytes = |text: &str| hex::decode(text).expect("hexadecimal");
            let (key, plaintext, expected) =
                (bytes(&vector.key), bytes(&vector.pt), bytes(&vector.ct));
            let iv = iv(&vector.iv.as_deref().map(bytes).unwrap_or_default());
            let what = format!("SP 800-38A {name} with {} bits by {id}", vector.key_bits);
            let ciphertext = call(&what, || encrypt(implementation, &key, &iv, &plaintext));
            let ciphertext = ciphertext.unwrap_or_else(|failure| panic!("{what}: {failure}"));
            // The publication has no padding; with it one more block follows.
            assert_eq!(ciphertext[..expected.len()], expected, "{what}");
            assert_eq!(ciphertext.len(), mode.ciphertext_len(plaintext.len()), "{what}");
            let back = call(&what, || decrypt(implementation, &key, &iv, &ciphertext));
            assert_eq!(back, Ok(plaintext), "{what}: decrypted");
            tally.valid += 1;
        }
        tally
    });
}

fn wycheproof(mode: BlockMode, name: TestName, expected: Tally) {
    let set = TestSet::load(name).expect("the set reads");
    run(mode, Operation::Encrypt, Some(64), expected, &[], |id, implementation| {
        let implementation = of(id, implementation);
        let mut tally = Tally::default();
        for group in set.test_groups.iter().filter(|it| it.key_size == mode.key_len() * 8) {
            for test in &group.tests {
                // Whole blocks only, where the suite holds the mode to them.
                if !test.pt.len().is_multiple_of(mode.unit()) {
                    continue;
                }
                let what = format!("{name:?} vector {} by {id}", test.tc_id);
                let iv = iv(&test.nonce);
                let decrypted = call(&what, || decrypt(implementation, &test.key, &iv, &test.ct));
                match test.result {
                    TestResult::Valid => {
                        let encrypted =
                            call(&what, || encrypt(implementation, &test.key, &iv, &test.pt));
                        assert_eq!(encrypted.as_deref(), Ok(&test.ct[..]), "{what}: encrypted");
                        assert_eq!(decrypted.as_deref(), Ok(&test.pt[..]), "{what}: decrypted");
                        tally.valid += 1;
                    }
                    TestResult::Invalid => {
                        assert_eq!(decrypted, Err(Failure::Refused), "{what}");
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
fn ecb() {
    sp800_38a(BlockMode::Aes128Ecb, "ECB");
    sp800_38a(BlockMode::Aes256Ecb, "ECB");
}

#[test]
fn cbc() {
    sp800_38a(BlockMode::Aes128Cbc, "CBC");
    sp800_38a(BlockMode::Aes256Cbc, "CBC");
    wycheproof(BlockMode::Aes128Cbc, TestName::AesCbcPkcs5, Tally::of(24, 0, 48));
    wycheproof(BlockMode::Aes256Cbc, TestName::AesCbcPkcs5, Tally::of(24, 0, 48));
}

#[test]
fn ctr() {
    sp800_38a(BlockMode::Aes128Ctr, "CTR");
    sp800_38a(BlockMode::Aes256Ctr, "CTR");
}

#[test]
fn xts() {
    wycheproof(BlockMode::Aes128Xts, TestName::AesXts, Tally::of(21, 0, 0));
    wycheproof(BlockMode::Aes256Xts, TestName::AesXts, Tally::of(21, 0, 0));
}
