//! Adapter: AWS-LC by aws-lc-rs, and by aws-lc-sys where that lacks an operation: what answers which, and
//! why one is lacking. How an operation is called is in the file of its kind; nothing is measured here.

mod aead;
mod block_mode;
mod ecdh;
mod evp;
mod pieces;
mod rsa;

use crate::{
    block_mode::{Aes128, Aes256},
    evp::cipher::{Aes128Ccm, Aes128Ecb, Aes256Ccm, Aes256Ecb},
};
use cryptobench_harness::{Backend, Scope};
use cryptobench_schema::{Aead, Algorithm, BlockMode, Curve, Operation, Provenance, RsaScheme};

/// The backend `aws-lc`.
#[must_use]
pub fn backend() -> Backend {
    let mut aws_lc = Backend::new("aws-lc", provenance());
    register_block_modes(&mut aws_lc);
    register_aeads(&mut aws_lc);
    register_pieces(&mut aws_lc);
    register_rsa(&mut aws_lc);
    register_ecdh(&mut aws_lc);
    aws_lc
}

fn register_block_modes(aws_lc: &mut Backend) {
    let block_by_block = "EVP through aws-lc-sys: aws-lc-rs makes one C call per block in ECB";
    aws_lc.block_mode::<block_mode::Ecb<Aes128Ecb>>(BlockMode::Aes128Ecb).note(block_by_block);
    aws_lc.block_mode::<block_mode::Ecb<Aes256Ecb>>(BlockMode::Aes256Ecb).note(block_by_block);
    aws_lc.block_mode::<block_mode::Cbc<Aes128>>(BlockMode::Aes128Cbc);
    aws_lc.block_mode::<block_mode::Cbc<Aes256>>(BlockMode::Aes256Cbc);
    aws_lc.block_mode::<block_mode::Ctr<Aes128>>(BlockMode::Aes128Ctr);
    aws_lc.block_mode::<block_mode::Ctr<Aes256>>(BlockMode::Aes256Ctr);
    aws_lc.unsupported(BlockMode::Aes128Xts, "AWS-LC has no AES-128-XTS");
    aws_lc
        .block_mode::<block_mode::Xts>(BlockMode::Aes256Xts)
        .note("EVP through aws-lc-sys: aws-lc-rs has no XTS");
}

fn register_aeads(aws_lc: &mut Backend) {
    aws_lc.aead::<aead::Key<aead::Aes128Gcm>>(Aead::Aes128Gcm);
    aws_lc.aead::<aead::Key<aead::Aes256Gcm>>(Aead::Aes256Gcm);
    aws_lc.aead::<aead::Key<aead::Aes128GcmSiv>>(Aead::Aes128GcmSiv);
    aws_lc.aead::<aead::Key<aead::Aes256GcmSiv>>(Aead::Aes256GcmSiv);
    aws_lc.aead::<aead::Key<aead::ChaCha20Poly1305>>(Aead::ChaCha20Poly1305);
    aws_lc
        .aead::<aead::XChaCha20Poly1305>(Aead::XChaCha20Poly1305)
        .note("EVP_AEAD through aws-lc-sys: aws-lc-rs has no XChaCha20-Poly1305");
    let no_ccm = "EVP through aws-lc-sys: aws-lc-rs has no AES-CCM";
    aws_lc.aead::<aead::Ccm<Aes128Ccm>>(Aead::Aes128Ccm).note(no_ccm);
    aws_lc.aead::<aead::Ccm<Aes256Ccm>>(Aead::Aes256Ccm).note(no_ccm);
}

fn register_pieces(aws_lc: &mut Backend) {
    let one_message = "a new StreamingEncryptingKey or StreamingDecryptingKey for each message, as the library has it";
    aws_lc.stream::<pieces::Streaming<pieces::Cbc>>(BlockMode::Aes256Cbc).note(one_message);
    aws_lc.stream::<pieces::Streaming<pieces::Ctr>>(BlockMode::Aes256Ctr).note(one_message);
    aws_lc
        .stream::<pieces::Gcm>(Aead::Aes256Gcm)
        .note("EVP through aws-lc-sys: aws-lc-rs seals and opens whole messages only");
}

fn register_rsa(aws_lc: &mut Backend) {
    aws_lc.unsupported(
        Scope::Operation(Algorithm::Rsa, Operation::KeygenSeeded),
        "AWS-LC's random source cannot be chosen: its RAND_set_rand_method does nothing",
    );
    aws_lc
        .rsa_keygen::<rsa::KeyPair>()
        .sizes(2048..=8192)
        .note("a new key is checked (RSA_check_key) before it is handed out");
    aws_lc.rsa_keygen::<rsa::ShortKeyPair>().sizes(1024..=1024).note(
        "through aws-lc-sys: aws-lc-rs generates no keys below 2048 bits; \
         a new key is checked (RSA_check_key) before it is handed out",
    );

    let signs_no_short_keys =
        "through aws-lc-sys: aws-lc-rs signs with keys of 2048 to 8192 bits only";
    aws_lc.rsa_sign::<rsa::Signer<rsa::Pkcs1>>(RsaScheme::Pkcs1Sha256).sizes(2048..=8192);
    aws_lc
        .rsa_sign::<rsa::ShortSigner<rsa::Pkcs1>>(RsaScheme::Pkcs1Sha256)
        .sizes(1024..=1024)
        .note(signs_no_short_keys);
    aws_lc.rsa_sign::<rsa::Signer<rsa::Pss>>(RsaScheme::PssSha256).sizes(2048..=8192);
    aws_lc
        .rsa_sign::<rsa::ShortSigner<rsa::Pss>>(RsaScheme::PssSha256)
        .sizes(1024..=1024)
        .note(signs_no_short_keys);

    aws_lc.rsa_verify::<rsa::Verifier<rsa::Pkcs1>>(RsaScheme::Pkcs1Sha256).sizes(2048..=8192);
    aws_lc
        .rsa_verify::<rsa::Verifier<rsa::LegacyPkcs1>>(RsaScheme::Pkcs1Sha256)
        .sizes(1024..=1024)
        .note("aws-lc-rs verifies with keys this short only under RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY");
    aws_lc.rsa_verify::<rsa::Verifier<rsa::Pss>>(RsaScheme::PssSha256).sizes(2048..=8192);
    aws_lc
        .rsa_verify::<rsa::ShortPssVerifier>(RsaScheme::PssSha256)
        .sizes(1024..=1024)
        .note("through aws-lc-sys: aws-lc-rs verifies RSA-PSS with keys of 2048 to 8192 bits only");
}

fn register_ecdh(aws_lc: &mut Backend) {
    aws_lc.ephemeral::<ecdh::KeyPair<ecdh::P256>>(Curve::P256);
    aws_lc.ephemeral::<ecdh::KeyPair<ecdh::P384>>(Curve::P384);
    aws_lc.ephemeral::<ecdh::KeyPair<ecdh::P521>>(Curve::P521);
    aws_lc.ephemeral::<ecdh::KeyPair<ecdh::X25519>>(Curve::X25519);
    aws_lc.static_key::<ecdh::Lasting<ecdh::P256>>(Curve::P256);
    aws_lc.static_key::<ecdh::Lasting<ecdh::P384>>(Curve::P384);
    aws_lc.static_key::<ecdh::Lasting<ecdh::P521>>(Curve::P521);
    aws_lc.static_key::<ecdh::Lasting<ecdh::X25519>>(Curve::X25519);
}

fn provenance() -> Provenance {
    let yes_or_no = |yes| if yes { "yes" } else { "no" };
    let details = [
        ("assembly (CRYPTO_has_asm)", evp::has_assembly()),
        ("AES-GCM in hardware (EVP_has_aes_hardware)", evp::has_aes_hardware()),
        ("CPU jitter entropy (FIPS_is_entropy_cpu_jitter)", evp::has_jitter_entropy()),
        ("FIPS mode (FIPS_mode)", aws_lc_rs::try_fips_mode().is_ok()),
    ];
    Provenance {
        version: Some(aws_lc_rs::awslc_version().to_owned()),
        details: details
            .map(|(name, yes)| (name.to_owned(), yes_or_no(yes).to_owned()))
            .into_iter()
            .collect(),
        ..Provenance::of_crates(&["aws-lc-rs", "aws-lc-sys"])
    }
}
