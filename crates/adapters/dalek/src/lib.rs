//! Adapter: x25519-dalek, which computes X25519 and nothing else.
//! The secrets of an agreement with a point of small order are refused, as other libraries do unasked.

use cryptobench_harness::{
    Backend, Failure, Scope, copy_exact, exactly,
    operations::ecdh::{EphemeralKey, StaticKey},
};
use cryptobench_schema::{Curve, Provenance};
use x25519_dalek::{EphemeralSecret, PublicKey, SharedSecret, StaticSecret};

/// The backend `dalek`.
#[must_use]
pub fn backend() -> Backend {
    let mut dalek = Backend::new("dalek", provenance());
    dalek.ephemeral::<Ephemeral>(Curve::X25519).note(CONTRIBUTORY_NOTE);
    dalek.static_key::<Static>(Curve::X25519).note(CONTRIBUTORY_NOTE);
    dalek.unsupported(Scope::Otherwise, "x25519-dalek computes X25519 only");
    dalek
}

const CONTRIBUTORY_NOTE: &str = "with a call of `was_contributory`, the check for an all-zero secret that most other \
libraries make by themselves";

/// The crates report no version; Cargo.lock knows it.
fn provenance() -> Provenance {
    Provenance {
        details: overrides()
            .into_iter()
            .map(|(name, value)| (format!("cfg {name}"), value.to_owned()))
            .collect(),
        ..Provenance::of_crates(&["x25519-dalek", "curve25519-dalek"])
    }
}

/// The `--cfg` switches compiled in that make curve25519-dalek take another code path than its build
/// script would choose. They reach every crate of the build through RUSTFLAGS, this one too.
#[allow(unexpected_cfgs, reason = "the switches are those of the crate measured")]
fn overrides() -> Vec<(&'static str, &'static str)> {
    let switches = [
        ("curve25519_dalek_backend", "fiat", cfg!(curve25519_dalek_backend = "fiat")),
        ("curve25519_dalek_backend", "serial", cfg!(curve25519_dalek_backend = "serial")),
        ("curve25519_dalek_backend", "simd", cfg!(curve25519_dalek_backend = "simd")),
        ("curve25519_dalek_backend", "avx512", cfg!(curve25519_dalek_backend = "avx512")),
        ("curve25519_dalek_bits", "32", cfg!(curve25519_dalek_bits = "32")),
        ("curve25519_dalek_bits", "64", cfg!(curve25519_dalek_bits = "64")),
    ];
    switches.into_iter().filter(|(.., set)| *set).map(|(name, value, _)| (name, value)).collect()
}

#[inline]
fn parsed(peer: &[u8]) -> Result<PublicKey, Failure> {
    Ok(PublicKey::from(*exactly::<32>("a public key", peer)?))
}

#[inline]
fn checked(shared: &SharedSecret, secret: &mut [u8]) -> Result<(), Failure> {
    if !shared.was_contributory() {
        return Err(Failure::Refused);
    }
    copy_exact(secret, shared.as_bytes())
}

/// A key pair for one agreement.
struct Ephemeral(EphemeralSecret);

impl EphemeralKey for Ephemeral {
    #[inline]
    fn generate() -> Result<Self, Failure> {
        Ok(Self(EphemeralSecret::random()))
    }

    #[inline]
    fn public_key(&self, out: &mut [u8]) -> Result<(), Failure> {
        copy_exact(out, PublicKey::from(&self.0).as_bytes())
    }

    #[inline]
    fn agree(self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure> {
        checked(&self.0.diffie_hellman(&parsed(peer)?), secret)
    }
}

/// A private key for many agreements.
struct Static(StaticSecret);

impl StaticKey for Static {
    fn new(scalar: &[u8]) -> Result<Self, Failure> {
        Ok(Self(StaticSecret::from(*exactly::<32>("a private key", scalar)?)))
    }

    #[inline]
    fn agree(&mut self, peer: &[u8], secret: &mut [u8]) -> Result<(), Failure> {
        checked(&self.0.diffie_hellman(&parsed(peer)?), secret)
    }
}
