//! Adapter: ring. What of ring answers which operation, and why it lacks the others.
//! How an operation is called is in the file of its kind; nothing is measured here.

mod aead;
mod ecdh;
mod rsa;

use cryptobench_harness::{Backend, Scope};
use cryptobench_schema::{Aead, Algorithm, Curve, Family, Operation, Provenance, RsaScheme};

/// The backend `ring`.
#[must_use]
pub fn backend() -> Backend {
    let mut ring = Backend::new("ring", provenance());
    register_aeads(&mut ring);
    register_rsa(&mut ring);
    register_ecdh(&mut ring);
    ring.unsupported(Family::BlockModes, "ring exposes no block modes");
    #[cfg(feature = "planted")]
    ring.planted();
    ring
}

fn register_aeads(ring: &mut Backend) {
    ring.aead::<aead::Key<aead::Aes128Gcm>>(Aead::Aes128Gcm);
    ring.aead::<aead::Key<aead::Aes256Gcm>>(Aead::Aes256Gcm);
    ring.aead::<aead::Key<aead::ChaCha20Poly1305>>(Aead::ChaCha20Poly1305);
    for gcm_siv in [Aead::Aes128GcmSiv, Aead::Aes256GcmSiv] {
        ring.unsupported(gcm_siv, "ring has no AES-GCM-SIV");
    }
    for operation in [Operation::EncryptPieces, Operation::DecryptPieces] {
        ring.unsupported(
            Scope::Operation(Aead::Aes256Gcm.into(), operation),
            "ring seals and opens whole messages only",
        );
    }
    ring.unsupported(Aead::XChaCha20Poly1305, "ring has no XChaCha20-Poly1305");
    for ccm in [Aead::Aes128Ccm, Aead::Aes256Ccm] {
        ring.unsupported(ccm, "ring has no AES-CCM");
    }
}

fn register_rsa(ring: &mut Backend) {
    ring.unsupported(Algorithm::Rsa, "ring generates no RSA keys");

    ring.rsa_sign::<rsa::Signer<rsa::Pkcs1>>(RsaScheme::Pkcs1Sha256).sizes(2048..=4096);
    ring.rsa_sign::<rsa::Signer<rsa::Pss>>(RsaScheme::PssSha256).sizes(2048..=4096);
    for scheme in RsaScheme::ALL {
        ring.unsupported(
            Scope::Sizes(scheme.into(), Operation::Sign, 1024..=1024),
            "ring signs with RSA keys of 2048 to 4096 bits only",
        );
    }

    ring.rsa_verify::<rsa::Verifier<rsa::Pkcs1>>(RsaScheme::Pkcs1Sha256).sizes(2048..=4096);
    ring.rsa_verify::<rsa::Verifier<rsa::LegacyPkcs1>>(RsaScheme::Pkcs1Sha256)
        .sizes(1024..=1024)
        .note("ring verifies with keys this short only under RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY");
    ring.rsa_verify::<rsa::Verifier<rsa::Pss>>(RsaScheme::PssSha256).sizes(2048..=4096);
    ring.unsupported(
        Scope::Sizes(RsaScheme::PssSha256.into(), Operation::Verify, 1024..=1024),
        "ring verifies RSA-PSS with keys of 2048 to 8192 bits only",
    );
}

fn register_ecdh(ring: &mut Backend) {
    ring.ephemeral::<ecdh::KeyPair<ecdh::P256>>(Curve::P256);
    ring.ephemeral::<ecdh::KeyPair<ecdh::P384>>(Curve::P384);
    ring.ephemeral::<ecdh::KeyPair<ecdh::X25519>>(Curve::X25519);
    for curve in [Curve::P256, Curve::P384, Curve::X25519] {
        ring.unsupported(
            Scope::Operation(curve.into(), Operation::Derive),
            "ring's private keys are used up by one agreement",
        );
    }
    ring.unsupported(Curve::P521, "ring has no P-521");
}

/// Ring reports neither its version nor the code path it takes; Cargo.lock knows the former.
fn provenance() -> Provenance {
    Provenance::of_crates(&["ring"])
}
