//! Adapter: graviola. What of graviola answers which operation, and why it lacks the others.
//! Empty on targets that graviola does not exist for; nothing is measured here.

#![cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]

mod aead;
mod ecdh;
mod rsa;

use cryptobench_harness::{Backend, Failure, Scope};
use cryptobench_schema::{Aead, Algorithm, Curve, Family, Operation, Provenance, RsaScheme};

/// The backend `graviola`.
#[must_use]
pub fn backend() -> Backend {
    let mut graviola = Backend::new("graviola", provenance());
    graviola.initialise(check_cpu);
    register_aeads(&mut graviola);
    register_rsa(&mut graviola);
    register_ecdh(&mut graviola);
    graviola.unsupported(Family::BlockModes, "graviola exposes no block modes");
    graviola
}

fn register_aeads(graviola: &mut Backend) {
    graviola.aead::<aead::AesGcm<16>>(Aead::Aes128Gcm);
    graviola.aead::<aead::AesGcm<32>>(Aead::Aes256Gcm);
    graviola.aead::<aead::ChaCha20Poly1305>(Aead::ChaCha20Poly1305);
    graviola.aead::<aead::XChaCha20Poly1305>(Aead::XChaCha20Poly1305);
    for gcm_siv in [Aead::Aes128GcmSiv, Aead::Aes256GcmSiv] {
        graviola.unsupported(gcm_siv, "graviola has no AES-GCM-SIV");
    }
    for operation in [Operation::EncryptPieces, Operation::DecryptPieces] {
        graviola.unsupported(
            Scope::Operation(Aead::Aes256Gcm.into(), operation),
            "graviola seals and opens whole messages only",
        );
    }
    for ccm in [Aead::Aes128Ccm, Aead::Aes256Ccm] {
        graviola.unsupported(ccm, "graviola has no AES-CCM");
    }
}

fn register_rsa(graviola: &mut Backend) {
    graviola
        .rsa_keygen::<rsa::KeyPair>()
        .sizes(2048..=4096)
        .note("not protected against side channels, as graviola's documentation says");
    graviola.rsa_sign::<rsa::Signer<rsa::Pkcs1>>(RsaScheme::Pkcs1Sha256).sizes(2048..=4096);
    graviola.rsa_sign::<rsa::Signer<rsa::Pss>>(RsaScheme::PssSha256).sizes(2048..=4096);
    graviola.rsa_verify::<rsa::Verifier<rsa::Pkcs1>>(RsaScheme::Pkcs1Sha256).sizes(2048..=4096);
    graviola.rsa_verify::<rsa::Verifier<rsa::Pss>>(RsaScheme::PssSha256).sizes(2048..=4096);
    graviola.unsupported(
        Scope::Operation(Algorithm::Rsa, Operation::KeygenSeeded),
        "graviola's random source cannot be chosen: SigningKey::generate takes none",
    );
    for (algorithm, operation) in [
        (Algorithm::Rsa, Operation::Keygen),
        (RsaScheme::Pkcs1Sha256.into(), Operation::Sign),
        (RsaScheme::Pkcs1Sha256.into(), Operation::Verify),
        (RsaScheme::PssSha256.into(), Operation::Sign),
        (RsaScheme::PssSha256.into(), Operation::Verify),
    ] {
        graviola.unsupported(
            Scope::Sizes(algorithm, operation, 1024..=1024),
            "graviola's RSA keys have 2048 to 8192 bits",
        );
    }
}

fn register_ecdh(graviola: &mut Backend) {
    graviola.ephemeral::<ecdh::EphemeralP256>(Curve::P256);
    graviola.ephemeral::<ecdh::EphemeralP384>(Curve::P384);
    graviola.ephemeral::<ecdh::EphemeralX25519>(Curve::X25519);
    graviola.static_key::<ecdh::StaticP256>(Curve::P256);
    graviola.static_key::<ecdh::StaticP384>(Curve::P384);
    graviola.static_key::<ecdh::StaticX25519>(Curve::X25519);
    graviola.unsupported(Curve::P521, "graviola has no P-521");
}

/// Graviola panics in every call on a CPU that lacks what its assembly is written in.
fn check_cpu() -> Result<(), Failure> {
    if graviola::util::is_cpu_supported() {
        return Ok(());
    }
    let needs = if cfg!(target_arch = "x86_64") {
        "ADX, AES-NI, AVX, AVX2, BMI1 and PCLMULQDQ"
    } else {
        "the extensions AES, NEON, PMULL and SHA2"
    };
    Err(Failure::Library {
        call: "util::is_cpu_supported",
        error: format!("graviola does not run on this CPU; it needs {needs}"),
    })
}

/// Graviola reports neither its version nor its code path; Cargo.lock knows the former, and the latter
/// follows from the CPU as its source (`low/*/cpu.rs`) chooses.
fn provenance() -> Provenance {
    Provenance {
        details: code_paths()
            .into_iter()
            .map(|(name, path)| (name.to_owned(), path.to_owned()))
            .collect(),
        ..Provenance::of_crates(&["graviola"])
    }
}

#[cfg(target_arch = "x86_64")]
fn code_paths() -> [(&'static str, &'static str); 2] {
    use std::arch::is_x86_feature_detected as detected;

    let avx512 = detected!("avx512f")
        && detected!("avx512bw")
        && detected!("avx512vl")
        && detected!("vpclmulqdq")
        && detected!("vaes");
    [
        ("aes-gcm", if avx512 { "AVX-512, VAES, VPCLMULQDQ" } else { "AVX, AES-NI, PCLMULQDQ" }),
        ("sha-256", if detected!("sha") { "SHA-NI" } else { "portable" }),
    ]
}

#[cfg(target_arch = "aarch64")]
fn code_paths() -> [(&'static str, &'static str); 2] {
    use std::arch::is_aarch64_feature_detected as detected;

    [
        ("aes-gcm", "AES, PMULL"),
        // A CPU state that graviola enters and leaves with every call.
        (
            "data-independent timing",
            if detected!("dit") { "DIT set in each call" } else { "no DIT" },
        ),
    ]
}
