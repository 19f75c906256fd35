//! The proof with the real backends: all of them pass it, and a faulty one among them is named.
#![cfg(feature = "rustcrypto")]

use aes_gcm::{Aes256Gcm, KeyInit as _, aead::AeadInOut as _};
use cryptobench_backends::suite;
use cryptobench_harness::{
    Backend, Failure, Role, Suite, every_contest, exactly,
    operations::{
        aead::AeadKey,
        rsa::{RsaKeyPair, RsaSigner},
    },
    prove,
};
use cryptobench_schema::{Aead, Algorithm, BackendId, Contest, Operation, Provenance, RsaScheme};
use rsa::{
    pkcs1::EncodeRsaPublicKey as _,
    pkcs8::{DecodePrivateKey as _, EncodePrivateKey as _},
    traits::PublicKeyParts as _,
};

fn faulty() -> Backend {
    Backend::new("faulty", Provenance::of_crates(&[]))
}

fn with(backend: Backend) -> Suite {
    let mut suite = suite();
    suite.add(backend);
    suite
}

/// Who fails `contest`, and how.
fn failures(suite: &Suite, contest: Contest) -> Vec<(String, Failure)> {
    let all: Vec<BackendId> = suite.backends().iter().map(|it| it.id().clone()).collect();
    prove(suite, &contest, &all)
        .into_iter()
        .filter_map(|(id, proof)| Some((id.to_string(), proof.err()?)))
        .collect()
}

#[test]
fn every_backend_passes_at_every_size() {
    let suite = suite();
    let mut proved = 0;
    for contest in every_contest() {
        // Large keys take seconds each to generate here; the benches prove them before timing them.
        if matches!(contest.operation, Operation::Keygen | Operation::KeygenSeeded)
            && contest.size.is_some_and(|bits| bits > 2048)
        {
            continue;
        }
        // As do large documents.
        if contest.operation.is_of_document() && contest.size.is_some_and(|bytes| bytes > 1 << 20) {
            continue;
        }
        // Pieces of 32 MiB take seconds each: see pieces.rs.
        if matches!(contest.operation, Operation::EncryptPieces | Operation::DecryptPieces) {
            continue;
        }
        assert_eq!(failures(&suite, contest), [], "{contest}");
        proved += suite.backends().iter().filter(|it| it.registration(&contest).is_some()).count();
    }
    println!("{proved} cases proved");
    assert!(proved > 200, "only {proved} cases");
}

/// AES-256-GCM with a fault.
struct Gcm<const WRONG_AT: usize, const GULLIBLE: bool>(Aes256Gcm);

impl<const WRONG_AT: usize, const GULLIBLE: bool> AeadKey for Gcm<WRONG_AT, GULLIBLE> {
    fn new(key: &[u8], _: Role) -> Result<Self, Failure> {
        Ok(Self(Aes256Gcm::new(exactly::<32>("key", key)?.into())))
    }

    fn seal(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &mut [u8; 16],
    ) -> Result<(), Failure> {
        let nonce = exactly::<12>("nonce", nonce)?;
        let sealed = self.0.encrypt_inout_detached(nonce.into(), aad, (&mut *message).into());
        *tag = sealed.map_err(Failure::library("encrypt"))?.into();
        if message.len() == WRONG_AT {
            message[WRONG_AT / 2] ^= 0x10;
        }
        Ok(())
    }

    fn open(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &[u8; 16],
    ) -> Result<(), Failure> {
        if message.len() == WRONG_AT {
            message[WRONG_AT / 2] ^= 0x10;
        }
        let nonce = exactly::<12>("nonce", nonce)?;
        let opened =
            self.0.decrypt_inout_detached(nonce.into(), aad, (&mut *message).into(), tag.into());
        if GULLIBLE { Ok(()) } else { opened.map_err(|_| Failure::Refused) }
    }
}

fn aes_256_gcm(operation: Operation, size: u64) -> Contest {
    Contest { algorithm: Algorithm::Aead(Aead::Aes256Gcm), operation, size: Some(size) }
}

#[test]
fn a_byte_wrong_at_65536_bytes_only_is_caught_there_and_only_there() {
    let mut backend = faulty();
    backend.aead::<Gcm<65_536, false>>(Aead::Aes256Gcm);
    let suite = with(backend);
    for size in [16, 128, 1024, 1350, 4096, 8192, 16_384, 1_048_576] {
        assert_eq!(failures(&suite, aes_256_gcm(Operation::Seal, size)), [], "{size}");
    }
    for operation in [Operation::Seal, Operation::Open, Operation::Reject] {
        let failures = failures(&suite, aes_256_gcm(operation, 65_536));
        assert_eq!(failures.len(), 1, "{failures:?}");
        assert_eq!(failures[0].0, "faulty");
        assert!(matches!(failures[0].1, Failure::Wrong(_)));
    }
}

#[test]
fn an_accepted_forgery_is_caught() {
    let mut backend = faulty();
    backend.aead::<Gcm<0, true>>(Aead::Aes256Gcm);
    let failures = failures(&with(backend), aes_256_gcm(Operation::Open, 1024));
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].0, "faulty");
    assert!(failures[0].1.to_string().contains("a flipped bit in the tag was accepted"));
}

/// Generates keys that are smaller than asked.
struct SmallKey(rsa::PrivateKey);

impl RsaKeyPair for SmallKey {
    fn generate(bits: u64) -> Result<Self, Failure> {
        let bits = usize::try_from(bits / 2).expect("few bits");
        let mut random = rsa::rand_core::UnwrapErr(getrandom::SysRng);
        let key = rsa::PrivateKey::new(&mut random, bits);
        Ok(Self(key.map_err(Failure::library("PrivateKey::new"))?))
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

#[test]
fn a_modulus_of_the_wrong_size_is_caught() {
    let mut backend = faulty();
    backend.rsa_keygen::<SmallKey>();
    let contest =
        Contest { algorithm: Algorithm::Rsa, operation: Operation::Keygen, size: Some(2048) };
    let failures = failures(&with(backend), contest);
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].0, "faulty");
    assert!(failures[0].1.to_string().contains("a modulus of 1024 bits instead of 2048"));
}

/// Signs with the right key, but hashes something else.
struct OtherMessage(rsa::pkcs1v15::SigningKey<rsa::sha2::Sha256>);

impl RsaSigner for OtherMessage {
    fn new(pkcs8: &[u8]) -> Result<Self, Failure> {
        let key = rsa::PrivateKey::from_pkcs8_der(pkcs8).map_err(Failure::library("parse"))?;
        assert_eq!(key.size() % 128, 0);
        Ok(Self(rsa::pkcs1v15::SigningKey::new(key)))
    }

    fn sign(&mut self, message: &[u8], signature: &mut [u8]) -> Result<(), Failure> {
        use rsa::signature::{SignatureEncoding as _, Signer as _};
        let signed = self.0.try_sign(&message[1..]).map_err(Failure::library("sign"))?;
        cryptobench_harness::copy_exact(signature, &signed.to_bytes())
    }
}

#[test]
fn a_signature_over_something_else_is_caught() {
    let mut backend = faulty();
    backend.rsa_sign::<OtherMessage>(RsaScheme::Pkcs1Sha256);
    let contest = Contest {
        algorithm: Algorithm::RsaSignature(RsaScheme::Pkcs1Sha256),
        operation: Operation::Sign,
        size: Some(2048),
    };
    let failures = failures(&with(backend), contest);
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].0, "faulty");
}
