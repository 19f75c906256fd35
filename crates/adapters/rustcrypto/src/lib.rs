//! Adapter: the RustCrypto crates. What of them answers which operation, and what is known of the build.
//! How an operation is called is in the file of its kind; X25519 is the adapter of x25519-dalek's.

mod aead;
mod block_mode;
mod ecdh;
mod pieces;
mod rsa;

use aes::{Aes128, Aes256};
use aes_gcm::{Aes128Gcm, Aes256Gcm};
use aes_gcm_siv::{Aes128GcmSiv, Aes256GcmSiv};
use chacha20poly1305::{ChaCha20Poly1305, XChaCha20Poly1305};
use cryptobench_harness::{Backend, Scope};
use cryptobench_schema::{Aead, BlockMode, Curve, Operation, Provenance, RsaScheme};
use p256::NistP256;
use p384::NistP384;
use p521::NistP521;
use std::collections::BTreeMap;

/// The backend `rustcrypto`.
#[must_use]
pub fn backend() -> Backend {
    let mut rustcrypto = Backend::new("rustcrypto", provenance());
    register_block_modes(&mut rustcrypto);
    register_aeads(&mut rustcrypto);
    register_pieces(&mut rustcrypto);
    register_rsa(&mut rustcrypto);
    register_ecdh(&mut rustcrypto);
    rustcrypto
}

fn register_block_modes(rustcrypto: &mut Backend) {
    rustcrypto.block_mode::<block_mode::Ecb<Aes128>>(BlockMode::Aes128Ecb);
    rustcrypto.block_mode::<block_mode::Ecb<Aes256>>(BlockMode::Aes256Ecb);
    rustcrypto.block_mode::<block_mode::Cbc<Aes128>>(BlockMode::Aes128Cbc);
    rustcrypto.block_mode::<block_mode::Cbc<Aes256>>(BlockMode::Aes256Cbc);
    rustcrypto.block_mode::<block_mode::Ctr<Aes128>>(BlockMode::Aes128Ctr);
    rustcrypto.block_mode::<block_mode::Ctr<Aes256>>(BlockMode::Aes256Ctr);
    rustcrypto.block_mode::<block_mode::Xts<Aes128>>(BlockMode::Aes128Xts).note(XTS_NOTE);
    rustcrypto.block_mode::<block_mode::Xts<Aes256>>(BlockMode::Aes256Xts).note(XTS_NOTE);
}

const XTS_NOTE: &str = "xts-mode hands one block at a time to the cipher, which chooses its code path anew for \
each unless the build fixes one";

fn register_aeads(rustcrypto: &mut Backend) {
    rustcrypto.aead::<aead::Key<Aes128Gcm>>(Aead::Aes128Gcm);
    rustcrypto.aead::<aead::Key<Aes256Gcm>>(Aead::Aes256Gcm);
    rustcrypto.aead::<aead::Key<Aes128GcmSiv>>(Aead::Aes128GcmSiv);
    rustcrypto.aead::<aead::Key<Aes256GcmSiv>>(Aead::Aes256GcmSiv);
    rustcrypto.aead::<aead::Key<ChaCha20Poly1305>>(Aead::ChaCha20Poly1305);
    rustcrypto.aead::<aead::Key<XChaCha20Poly1305>>(Aead::XChaCha20Poly1305);
    rustcrypto.aead::<aead::Key<aead::Ccm<Aes128>>>(Aead::Aes128Ccm).note(CCM_NOTE);
    rustcrypto.aead::<aead::Key<aead::Ccm<Aes256>>>(Aead::Aes256Ccm).note(CCM_NOTE);
}

const CCM_NOTE: &str = "ccm's CBC-MAC hands one block at a time to the cipher, which chooses its code path anew for \
each unless the build fixes one";

fn register_pieces(rustcrypto: &mut Backend) {
    rustcrypto.stream::<pieces::Cbc>(BlockMode::Aes256Cbc);
    rustcrypto.stream::<pieces::Ctr>(BlockMode::Aes256Ctr);
    for operation in [Operation::EncryptPieces, Operation::DecryptPieces] {
        rustcrypto.unsupported(
            Scope::Operation(Aead::Aes256Gcm.into(), operation),
            "aes-gcm seals and opens whole messages only",
        );
    }
}

fn register_rsa(rustcrypto: &mut Backend) {
    rustcrypto.rsa_keygen::<rsa::KeyPair>().note(
        "`PrivateKey::new` drawing from the operating system's random source, as `PrivateKey::generate` does \
         for its one size; the key is validated and its CRT values precomputed",
    );
    rustcrypto.rsa_keygen_seeded::<rsa::KeyPair>().note(
        "a seed always gives the same key, drawn from the seeded source instead of from the operating system's, whose \
         cost is left out; but other libraries make other candidates of the same bytes. RustCrypto: half the modulus's \
         bytes, the first ones the lowest, count up by twos until a prime, however many candidates that takes, those \
         with a factor among the first 2047 odd primes passed over; its tests, Miller-Rabin to base 2 and a Lucas \
         test, draw nothing",
    );
    rustcrypto.rsa_sign::<rsa::Signer<rsa::Pkcs1>>(RsaScheme::Pkcs1Sha256).note(BLINDING_NOTE);
    rustcrypto.rsa_sign::<rsa::Signer<rsa::Pss>>(RsaScheme::PssSha256).note(BLINDING_NOTE);
    rustcrypto.rsa_verify::<rsa::Verifier<rsa::Pkcs1>>(RsaScheme::Pkcs1Sha256);
    rustcrypto.rsa_verify::<rsa::Verifier<rsa::Pss>>(RsaScheme::PssSha256);
}

const BLINDING_NOTE: &str =
    "blinded anew for every signature from the operating system's random source, the default";

fn register_ecdh(rustcrypto: &mut Backend) {
    rustcrypto.ephemeral::<ecdh::Ephemeral<NistP256>>(Curve::P256);
    rustcrypto.static_key::<ecdh::Static<NistP256>>(Curve::P256);
    rustcrypto.ephemeral::<ecdh::Ephemeral<NistP384>>(Curve::P384);
    rustcrypto.static_key::<ecdh::Static<NistP384>>(Curve::P384);
    rustcrypto.ephemeral::<ecdh::Ephemeral<NistP521>>(Curve::P521);
    rustcrypto.static_key::<ecdh::Static<NistP521>>(Curve::P521);
    rustcrypto.unsupported(Curve::X25519, "X25519 is x25519-dalek's; see dalek");
}

/// The crates report no version; Cargo.lock knows it.
fn provenance() -> Provenance {
    let packages = [
        "aes",
        "aes-gcm",
        "aes-gcm-siv",
        "cbc",
        "ccm",
        "chacha20",
        "chacha20poly1305",
        "cipher",
        "crypto-bigint",
        "crypto-primes",
        "ctr",
        "ecb",
        "elliptic-curve",
        "ghash",
        "p256",
        "p384",
        "p521",
        "poly1305",
        "polyval",
        "primefield",
        "primeorder",
        "rsa",
        "sha2",
        "xts-mode",
    ];
    Provenance { details: details(), ..Provenance::of_crates(&packages) }
}

fn details() -> BTreeMap<String, String> {
    // The only one of the crates that can be asked; it says nothing of VAES.
    let aes = if aes::hardware_accelerated() { "AES instructions" } else { "software" };
    let mut details = BTreeMap::from([("aes".to_owned(), aes.to_owned())]);
    details.extend(
        overrides().into_iter().map(|(name, value)| (format!("cfg {name}"), value.to_owned())),
    );
    details
}

/// The `--cfg` switches compiled in that make a crate take another code path than it would choose. They
/// reach every crate of the build through RUSTFLAGS, this one too.
#[allow(unexpected_cfgs, reason = "the switches are those of the crates measured")]
fn overrides() -> Vec<(&'static str, &'static str)> {
    let switches = [
        ("aes_backend", "soft", cfg!(aes_backend = "soft")),
        ("aes_backend_soft", "compact", cfg!(aes_backend_soft = "compact")),
        ("chacha20_avx512", "set", cfg!(chacha20_avx512)),
        ("chacha20_backend", "avx2", cfg!(chacha20_backend = "avx2")),
        ("chacha20_backend", "avx512", cfg!(chacha20_backend = "avx512")),
        ("chacha20_backend", "soft", cfg!(chacha20_backend = "soft")),
        ("chacha20_backend", "sse2", cfg!(chacha20_backend = "sse2")),
        ("p384_backend", "bigint", cfg!(p384_backend = "bigint")),
        ("p384_backend", "fiat", cfg!(p384_backend = "fiat")),
        ("poly1305_backend", "soft", cfg!(poly1305_backend = "soft")),
        ("polyval_backend", "soft", cfg!(polyval_backend = "soft")),
        ("sha2_backend", "soft", cfg!(sha2_backend = "soft")),
        ("sha2_256_backend", "soft", cfg!(sha2_256_backend = "soft")),
        ("sha2_256_backend", "aarch64-sha2", cfg!(sha2_256_backend = "aarch64-sha2")),
        ("sha2_256_backend", "x86-sha", cfg!(sha2_256_backend = "x86-sha")),
    ];
    switches.into_iter().filter(|(.., set)| *set).map(|(name, value, _)| (name, value)).collect()
}
