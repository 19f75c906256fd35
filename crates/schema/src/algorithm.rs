//! What is computed. The ids here are the only spelling of an algorithm anywhere in the suite.

use crate::{Operation, ParseError};
use std::{fmt, str::FromStr};

/// Algorithms that share their operations, or operations that share a purpose; and one bench target each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Family {
    /// AES in a mode without authentication.
    BlockModes,
    /// Authenticated encryption with associated data.
    Aeads,
    /// RSA key generation and signatures.
    Rsa,
    /// Diffie-Hellman on elliptic curves.
    Ecdh,
    /// Whatever the algorithm, operations that are there for a [`Scenario`](crate::Scenario) alone: see
    /// [`Contest::family`](crate::Contest::family).
    Scenarios,
    /// The harness measuring itself.
    Control,
}

impl Family {
    /// Every family, in the order of tables.
    pub const ALL: [Self; 6] =
        [Self::BlockModes, Self::Aeads, Self::Rsa, Self::Ecdh, Self::Scenarios, Self::Control];

    /// Whether it is about algorithms, one against the other: neither the harness nor a scenario, whose contests are
    /// answered for together.
    #[must_use]
    pub const fn is_of_algorithms(self) -> bool {
        !matches!(self, Self::Scenarios | Self::Control)
    }

    /// The heading of the family in tables.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::BlockModes => "AES modes",
            Self::Aeads => "AEADs",
            Self::Rsa => "RSA",
            Self::Ecdh => "ECDH",
            Self::Scenarios => "Scenarios",
            Self::Control => "Control",
        }
    }
}

/// AES in a mode without authentication (NIST SP 800-38A; XTS: SP 800-38E and IEEE 1619).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the algorithms'")]
pub enum BlockMode {
    Aes128Ecb,
    Aes256Ecb,
    Aes128Cbc,
    Aes256Cbc,
    Aes128Ctr,
    Aes256Ctr,
    Aes128Xts,
    Aes256Xts,
}

impl BlockMode {
    /// Every mode, in the order of tables.
    pub const ALL: [Self; 8] = [
        Self::Aes128Ecb,
        Self::Aes256Ecb,
        Self::Aes128Cbc,
        Self::Aes256Cbc,
        Self::Aes128Ctr,
        Self::Aes256Ctr,
        Self::Aes128Xts,
        Self::Aes256Xts,
    ];

    const fn id(self) -> &'static str {
        match self {
            Self::Aes128Ecb => "aes-128-ecb",
            Self::Aes256Ecb => "aes-256-ecb",
            Self::Aes128Cbc => "aes-128-cbc",
            Self::Aes256Cbc => "aes-256-cbc",
            Self::Aes128Ctr => "aes-128-ctr",
            Self::Aes256Ctr => "aes-256-ctr",
            Self::Aes128Xts => "aes-128-xts",
            Self::Aes256Xts => "aes-256-xts",
        }
    }

    /// Bytes of key material; XTS takes two AES keys.
    #[must_use]
    pub const fn key_len(self) -> usize {
        match self {
            Self::Aes128Ecb | Self::Aes128Cbc | Self::Aes128Ctr => 16,
            Self::Aes256Ecb | Self::Aes256Cbc | Self::Aes256Ctr | Self::Aes128Xts => 32,
            Self::Aes256Xts => 64,
        }
    }

    /// The granularity of message lengths in bytes: 16 where the mode takes whole blocks only (XTS is
    /// held to whole blocks here, without ciphertext stealing), 1 otherwise.
    #[must_use]
    pub const fn unit(self) -> usize {
        match self {
            Self::Aes128Ecb | Self::Aes256Ecb | Self::Aes128Xts | Self::Aes256Xts => 16,
            Self::Aes128Cbc | Self::Aes256Cbc | Self::Aes128Ctr | Self::Aes256Ctr => 1,
        }
    }

    /// Bytes of ciphertext for `length` bytes of message: CBC adds PKCS#7 padding (RFC 5652, 6.3), the
    /// others nothing.
    #[must_use]
    pub const fn ciphertext_len(self, length: usize) -> usize {
        match self {
            Self::Aes128Cbc | Self::Aes256Cbc => (length / 16 + 1) * 16,
            _ => length,
        }
    }
}

/// Authenticated encryption with a 16-byte tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names are the algorithms'")]
pub enum Aead {
    Aes128Gcm,
    Aes256Gcm,
    Aes128GcmSiv,
    Aes256GcmSiv,
    ChaCha20Poly1305,
    XChaCha20Poly1305,
    Aes128Ccm,
    Aes256Ccm,
}

impl Aead {
    /// Every AEAD, in the order of tables. GCM: NIST SP 800-38D; GCM-SIV: RFC 8452; ChaCha20-Poly1305:
    /// RFC 8439; XChaCha20-Poly1305: draft-irtf-cfrg-xchacha; CCM: SP 800-38C with a 12-byte nonce.
    pub const ALL: [Self; 8] = [
        Self::Aes128Gcm,
        Self::Aes256Gcm,
        Self::Aes128GcmSiv,
        Self::Aes256GcmSiv,
        Self::ChaCha20Poly1305,
        Self::XChaCha20Poly1305,
        Self::Aes128Ccm,
        Self::Aes256Ccm,
    ];

    const fn id(self) -> &'static str {
        match self {
            Self::Aes128Gcm => "aes-128-gcm",
            Self::Aes256Gcm => "aes-256-gcm",
            Self::Aes128GcmSiv => "aes-128-gcm-siv",
            Self::Aes256GcmSiv => "aes-256-gcm-siv",
            Self::ChaCha20Poly1305 => "chacha20-poly1305",
            Self::XChaCha20Poly1305 => "xchacha20-poly1305",
            Self::Aes128Ccm => "aes-128-ccm",
            Self::Aes256Ccm => "aes-256-ccm",
        }
    }

    /// Bytes of key.
    #[must_use]
    pub const fn key_len(self) -> usize {
        match self {
            Self::Aes128Gcm | Self::Aes128GcmSiv | Self::Aes128Ccm => 16,
            _ => 32,
        }
    }

    /// Bytes of nonce.
    #[must_use]
    pub const fn nonce_len(self) -> usize {
        match self {
            Self::XChaCha20Poly1305 => 24,
            _ => 12,
        }
    }
}

/// A signature scheme with RSA and SHA-256 (RFC 8017).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RsaScheme {
    /// RSASSA-PKCS1-v1_5, section 8.2.
    Pkcs1Sha256,
    /// RSASSA-PSS with MGF1-SHA-256 and a 32-byte salt, section 8.1.
    PssSha256,
}

impl RsaScheme {
    /// Both schemes.
    pub const ALL: [Self; 2] = [Self::Pkcs1Sha256, Self::PssSha256];

    const fn id(self) -> &'static str {
        match self {
            Self::Pkcs1Sha256 => "rsa-pkcs1-sha256",
            Self::PssSha256 => "rsa-pss-sha256",
        }
    }
}

/// A curve for Diffie-Hellman.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Curve {
    /// NIST P-256 (SP 800-186), uncompressed points (SEC 1, 2.3.3).
    P256,
    /// NIST P-384.
    P384,
    /// NIST P-521.
    P521,
    /// X25519 (RFC 7748).
    X25519,
}

impl Curve {
    /// Every curve, in the order of tables.
    pub const ALL: [Self; 4] = [Self::P256, Self::P384, Self::P521, Self::X25519];

    const fn id(self) -> &'static str {
        match self {
            Self::P256 => "ecdh-p256",
            Self::P384 => "ecdh-p384",
            Self::P521 => "ecdh-p521",
            Self::X25519 => "x25519",
        }
    }

    /// Bytes of a scalar, and of the shared secret (the x-coordinate).
    #[must_use]
    pub const fn scalar_len(self) -> usize {
        match self {
            Self::P256 | Self::X25519 => 32,
            Self::P384 => 48,
            Self::P521 => 66,
        }
    }

    /// Bytes of an encoded public key: an uncompressed point, or 32 bytes for X25519.
    #[must_use]
    pub const fn public_key_len(self) -> usize {
        match self {
            Self::X25519 => 32,
            _ => 1 + 2 * self.scalar_len(),
        }
    }
}

/// What is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Algorithm {
    /// AES in a mode without authentication.
    BlockMode(BlockMode),
    /// Authenticated encryption.
    Aead(Aead),
    /// RSA key generation.
    Rsa,
    /// RSA signatures.
    RsaSignature(RsaScheme),
    /// Diffie-Hellman.
    Ecdh(Curve),
    /// The harness measuring itself.
    Control,
}

impl Algorithm {
    /// Every algorithm, in the order of tables.
    pub fn all() -> impl Iterator<Item = Self> {
        BlockMode::ALL
            .into_iter()
            .map(Self::BlockMode)
            .chain(Aead::ALL.into_iter().map(Self::Aead))
            .chain([Self::Rsa])
            .chain(RsaScheme::ALL.into_iter().map(Self::RsaSignature))
            .chain(Curve::ALL.into_iter().map(Self::Ecdh))
            .chain([Self::Control])
    }

    /// The id, the first part of every case id.
    #[must_use]
    pub const fn id(self) -> &'static str {
        match self {
            Self::BlockMode(mode) => mode.id(),
            Self::Aead(aead) => aead.id(),
            Self::Rsa => "rsa",
            Self::RsaSignature(scheme) => scheme.id(),
            Self::Ecdh(curve) => curve.id(),
            Self::Control => "control",
        }
    }

    /// The family, but for operations that are there for a scenario: see
    /// [`Contest::family`](crate::Contest::family).
    #[must_use]
    pub const fn family(self) -> Family {
        match self {
            Self::BlockMode(_) => Family::BlockModes,
            Self::Aead(_) => Family::Aeads,
            Self::Rsa | Self::RsaSignature(_) => Family::Rsa,
            Self::Ecdh(_) => Family::Ecdh,
            Self::Control => Family::Control,
        }
    }

    /// The operations that the algorithm has, in the order of tables.
    #[must_use]
    pub const fn operations(self) -> &'static [Operation] {
        match self {
            Self::BlockMode(BlockMode::Aes256Cbc) => &[
                Operation::Encrypt,
                Operation::Decrypt,
                Operation::EncryptPieces,
                Operation::DecryptPieces,
                Operation::Whole,
                Operation::Fields,
                Operation::FieldsFreshKey,
                Operation::WholeFile,
                Operation::FieldsFile,
                Operation::FieldsFreshKeyFile,
            ],
            Self::BlockMode(BlockMode::Aes256Ctr) => &[
                Operation::Encrypt,
                Operation::Decrypt,
                Operation::EncryptPieces,
                Operation::DecryptPieces,
            ],
            Self::BlockMode(_) => &[Operation::Encrypt, Operation::Decrypt],
            Self::Aead(Aead::Aes256Gcm) => &[
                Operation::Seal,
                Operation::Open,
                Operation::Reject,
                Operation::KeySetup,
                Operation::SealFreshKey,
                Operation::EncryptPieces,
                Operation::DecryptPieces,
                Operation::Whole,
                Operation::Fields,
                Operation::FieldsFreshKey,
                Operation::WholeFile,
                Operation::FieldsFile,
                Operation::FieldsFreshKeyFile,
            ],
            Self::Aead(_) => &[
                Operation::Seal,
                Operation::Open,
                Operation::Reject,
                Operation::KeySetup,
                Operation::SealFreshKey,
            ],
            Self::Rsa => &[Operation::Keygen, Operation::KeygenSeeded],
            Self::RsaSignature(_) => &[Operation::Sign, Operation::Verify],
            Self::Ecdh(_) => &[Operation::Keygen, Operation::Derive, Operation::Ephemeral],
            Self::Control => &[
                Operation::Empty,
                Operation::Copy,
                Operation::Nonce,
                Operation::Random,
                Operation::Whole,
                Operation::Fields,
                Operation::WholeFile,
                Operation::FieldsFile,
            ],
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

impl FromStr for Algorithm {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::all()
            .find(|algorithm| algorithm.id() == text)
            .ok_or_else(|| ParseError::Algorithm(text.to_owned()))
    }
}

impl From<BlockMode> for Algorithm {
    fn from(mode: BlockMode) -> Self {
        Self::BlockMode(mode)
    }
}

impl From<Aead> for Algorithm {
    fn from(aead: Aead) -> Self {
        Self::Aead(aead)
    }
}

impl From<RsaScheme> for Algorithm {
    fn from(scheme: RsaScheme) -> Self {
        Self::RsaSignature(scheme)
    }
}

impl From<Curve> for Algorithm {
    fn from(curve: Curve) -> Self {
        Self::Ecdh(curve)
    }
}
