//! Adapter: OpenSSL 3 by the openssl crate, vendored or the system's. What the library can do is asked
//! when the program starts, because the system's version decides; calls are in the modules.

mod aead;
mod agreement;
mod block_mode;
mod cipher;
mod ec;
mod pieces;
mod random;
mod rsa;
mod x25519;

use cryptobench_harness::{Backend, Failure};
use cryptobench_schema::{Aead, BlockMode, Curve, Linkage, Provenance, RsaScheme};
use openssl::version;
use openssl_sys as ffi;
use std::{
    collections::BTreeMap,
    ffi::{CStr, c_int},
};

use aead::{Ccm, GcmSiv, Streamed};
use block_mode::WholeMessage;
use cipher::{Named, fetched};
use ec::{EphemeralEcKey, Named as NamedCurve, P256, P384, P521, StaticEcKey};
use pieces::{Authenticated, Unauthenticated};
use rsa::{KeyPair, Pkcs1, Pss, Signer, Verifier};
use x25519::{EphemeralX25519Key, StaticX25519Key};

/// Whether OpenSSL was configured with that option: `yes`, `no` or `unknown`; see the build script.
const EC_NISTP_64_GCC_128: &str = env!("EC_NISTP_64_GCC_128");

/// Versions as OpenSSL numbers them.
const VERSION_3_0: i64 = 0x3000_0000;
const VERSION_3_2: i64 = 0x3020_0000;
const VERSION_3_4: i64 = 0x3040_0000;

/// Everything that the linked OpenSSL can do, and why it cannot do the rest.
#[must_use]
pub fn backend() -> Backend {
    openssl::init();
    let mut backend = Backend::new("openssl", provenance());
    backend.initialise(check_version);
    block_modes(&mut backend);
    aeads(&mut backend);
    pieces(&mut backend);
    rsa(&mut backend);
    ecdh(&mut backend);
    backend
}

fn block_modes(backend: &mut Backend) {
    backend.block_mode::<WholeMessage<fetched::Aes128Ecb>>(BlockMode::Aes128Ecb);
    backend.block_mode::<WholeMessage<fetched::Aes256Ecb>>(BlockMode::Aes256Ecb);
    backend.block_mode::<WholeMessage<fetched::Aes128Cbc>>(BlockMode::Aes128Cbc);
    backend.block_mode::<WholeMessage<fetched::Aes256Cbc>>(BlockMode::Aes256Cbc);
    backend.block_mode::<WholeMessage<fetched::Aes128Ctr>>(BlockMode::Aes128Ctr);
    backend.block_mode::<WholeMessage<fetched::Aes256Ctr>>(BlockMode::Aes256Ctr);
    backend.block_mode::<WholeMessage<fetched::Aes128Xts>>(BlockMode::Aes128Xts);
    backend.block_mode::<WholeMessage<fetched::Aes256Xts>>(BlockMode::Aes256Xts);
}

fn aeads(backend: &mut Backend) {
    backend.aead::<Streamed<fetched::Aes128Gcm>>(Aead::Aes128Gcm);
    backend.aead::<Streamed<fetched::Aes256Gcm>>(Aead::Aes256Gcm);
    if fetched::Aes128GcmSiv::cipher().is_ok() && fetched::Aes256GcmSiv::cipher().is_ok() {
        let note = "by EVP_CIPHER_fetch: the openssl crate has no name for it";
        backend.aead::<GcmSiv<fetched::Aes128GcmSiv>>(Aead::Aes128GcmSiv).note(note);
        backend.aead::<GcmSiv<fetched::Aes256GcmSiv>>(Aead::Aes256GcmSiv).note(note);
    } else {
        let reason = format!("{} has no AES-GCM-SIV; 3.2 and later have", short_version());
        backend.unsupported(Aead::Aes128GcmSiv, reason.clone());
        backend.unsupported(Aead::Aes256GcmSiv, reason);
    }
    backend.aead::<Streamed<fetched::ChaCha20Poly1305>>(Aead::ChaCha20Poly1305);
    backend.unsupported(Aead::XChaCha20Poly1305, "OpenSSL has no XChaCha20-Poly1305");
    backend.aead::<Ccm<fetched::Aes128Ccm>>(Aead::Aes128Ccm);
    backend.aead::<Ccm<fetched::Aes256Ccm>>(Aead::Aes256Ccm);
}

fn pieces(backend: &mut Backend) {
    backend.stream::<Unauthenticated<fetched::Aes256Cbc>>(BlockMode::Aes256Cbc);
    backend.stream::<Unauthenticated<fetched::Aes256Ctr>>(BlockMode::Aes256Ctr);
    backend.stream::<Authenticated<fetched::Aes256Gcm>>(Aead::Aes256Gcm);
}

fn rsa(backend: &mut Backend) {
    backend.rsa_keygen::<KeyPair>();
    backend.rsa_keygen_seeded::<KeyPair>().sizes(1024..=1024).note(
        "a seed always gives the same key, drawn by RAND_set_rand_method instead of from OpenSSL's generator, whose \
         cost is left out; but other libraries make other candidates of the same bytes. OpenSSL: 64 bytes, the first \
         ones the highest, count up by twos as far as the next number without a factor among the first 63 odd primes; \
         for each that is composite 64 new ones; the bases of Miller-Rabin, 64 rounds for a prime, 64 bytes each",
    );
    backend.rsa_keygen_seeded::<KeyPair>().sizes(2048..=4096).note(
        "a seed always gives the same key, drawn by RAND_set_rand_method instead of from OpenSSL's generator, whose \
         cost is left out; but other libraries make other candidates of the same bytes. OpenSSL from 2048 bits on: \
         two auxiliary primes for each prime, and candidates twice their product apart (FIPS 186); the bases \
         of Miller-Rabin are drawn too, 38 to 44 rounds for an auxiliary prime and 4 or 5 for a prime",
    );
    backend.rsa_sign::<Signer<Pkcs1>>(RsaScheme::Pkcs1Sha256);
    backend.rsa_verify::<Verifier<Pkcs1>>(RsaScheme::Pkcs1Sha256);
    backend.rsa_sign::<Signer<Pss>>(RsaScheme::PssSha256);
    backend.rsa_verify::<Verifier<Pss>>(RsaScheme::PssSha256);
}

fn ecdh(backend: &mut Backend) {
    nist_curve::<P256>(backend, Curve::P256);
    nist_curve::<P384>(backend, Curve::P384);
    nist_curve::<P521>(backend, Curve::P521);
    backend.ephemeral::<EphemeralX25519Key>(Curve::X25519);
    backend.static_key::<StaticX25519Key>(Curve::X25519);
}

fn nist_curve<C: NamedCurve>(backend: &mut Backend, curve: Curve) {
    let note = curve_note(curve);
    backend.ephemeral::<EphemeralEcKey<C>>(curve).note(note.clone());
    backend.static_key::<StaticEcKey<C>>(curve).note(note);
}

/// What a reader of the numbers of a NIST curve should know.
fn curve_note(curve: Curve) -> String {
    let mut note =
        "EVP_PKEY with encoded points, as in libssl; the openssl crate's EcKey is slower"
            .to_owned();
    // P-256 has assembly code of its own.
    match curve {
        Curve::P384 | Curve::P521 if EC_NISTP_64_GCC_128 == "no" => {
            note += "; built without ec_nistp_64_gcc_128: several times slower on this curve";
        }
        Curve::P384 if version::number() < VERSION_3_2 => {
            note += "; before 3.2 OpenSSL has no 64-bit code for this curve: several times slower";
        }
        _ => {}
    }
    if version::number() < VERSION_3_4 {
        note += "; before 3.4 OpenSSL checks a peer by another scalar multiplication";
    }
    note
}

/// What OpenSSL says of itself, by its own functions, and what its headers said.
fn provenance() -> Provenance {
    let packages: &[&str] = if cfg!(built_from_crate) {
        &["openssl", "openssl-sys", "openssl-src"]
    } else {
        &["openssl", "openssl-sys"]
    };
    let mut details =
        BTreeMap::from([("ec_nistp_64_gcc_128".to_owned(), EC_NISTP_64_GCC_128.to_owned())]);
    // Each says what it is: `compiler: gcc …`, `platform: …`, `CPUINFO: OPENSSL_ia32cap=…`.
    for line in [version::c_flags(), version::platform(), &cpu_info()] {
        if let Some((name, text)) = line.split_once(": ") {
            details.insert(name.to_owned(), text.to_owned());
        }
    }
    Provenance {
        packages: packages.iter().map(|&name| name.to_owned()).collect(),
        linkage: if cfg!(built_from_crate) { Linkage::Crate } else { Linkage::System },
        version: Some(version::version().to_owned()),
        details,
    }
}

/// The mask of the processor's capabilities that OpenSSL chooses its code by.
fn cpu_info() -> String {
    /// `OPENSSL_CPU_INFO`, which openssl-sys does not name.
    const CPU_INFO: c_int = 9;
    // SAFETY: any number may be asked for, and the answer is a string that is never freed.
    let text = unsafe { CStr::from_ptr(ffi::OpenSSL_version(CPU_INFO)) };
    text.to_string_lossy().into_owned()
}

/// The adapter's calls are those of OpenSSL 3, where ciphers are fetched.
fn check_version() -> Result<(), Failure> {
    openssl::init();
    if version::number() >= VERSION_3_0 {
        return Ok(());
    }
    Err(Failure::Library {
        call: "OpenSSL_version_num",
        error: format!("{} is linked; 3.0 or later is needed", version::version()),
    })
}

/// `OpenSSL 3.0.19`, without the date.
fn short_version() -> String {
    version::version().split(' ').take(2).collect::<Vec<_>>().join(" ")
}
