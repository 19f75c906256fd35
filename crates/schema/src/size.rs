//! Which sizes exist, for which operation, and which of them a default run takes.

use crate::{Algorithm, BlockMode, Contest, Family, Operation};

/// What a size counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Bytes of message.
    Bytes,
    /// Bytes of each piece of a message of [`PIECES_MESSAGE`].
    PieceBytes,
    /// Bits of RSA modulus.
    ModulusBits,
}

/// Bytes of the message that `encrypt-pieces` and `decrypt-pieces` handle, whatever the pieces: 32 MiB.
pub const PIECES_MESSAGE: u64 = 32 << 20;

/// The sizes of one operation of one algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// What the numbers count.
    pub unit: Unit,
    /// Measured by default.
    pub default: &'static [u64],
    /// Everything that can be asked for.
    pub all: &'static [u64],
}

/// Every message size in bytes: 1350 is a packet, 16384 a TLS record.
const MESSAGES: &[u64] = &[16, 64, 128, 256, 1024, 1350, 4096, 8192, 16384, 65536, 1_048_576];
/// The same for modes that take whole blocks only.
const WHOLE_BLOCKS: &[u64] = &[16, 64, 128, 256, 1024, 4096, 8192, 16384, 65536, 1_048_576];
const MODULI: &[u64] = &[1024, 2048, 3072, 4096];
/// The last is the whole message.
const PIECES: &[u64] = &[64, 1024, 16384, PIECES_MESSAGE];
/// Documents that are in memory: 28 KiB, 1 MiB, 64 MiB.
const DOCUMENTS: &[u64] = &[28 << 10, 1 << 20, 64 << 20];
/// Documents that are in a file, and never as a whole in memory.
const DOCUMENT_FILES: &[u64] = &[28 << 10, 1 << 20, 64 << 20, 1 << 30];
/// Whatever is counted in bytes, of any operation.
const BYTES: &[u64] = &[
    16,
    64,
    128,
    256,
    1024,
    1350,
    4096,
    8192,
    16384,
    28 << 10,
    65536,
    1_048_576,
    PIECES_MESSAGE,
    64 << 20,
    1 << 30,
];

/// The sizes of `operation` of `algorithm`, or `None` where it has no size.
#[must_use]
pub const fn sizes(algorithm: Algorithm, operation: Operation) -> Option<Sizes> {
    match operation {
        Operation::Keygen | Operation::KeygenSeeded | Operation::Sign | Operation::Verify => {
            match algorithm.family() {
                Family::Rsa => {
                    Some(Sizes { unit: Unit::ModulusBits, default: MODULI, all: MODULI })
                }
                _ => None,
            }
        }
        Operation::Encrypt | Operation::Decrypt => Some(Sizes {
            unit: Unit::Bytes,
            default: &[16, 128, 1024, 4096, 8192, 16384, 65536],
            all: match algorithm {
                Algorithm::BlockMode(
                    BlockMode::Aes128Ecb
                    | BlockMode::Aes256Ecb
                    | BlockMode::Aes128Xts
                    | BlockMode::Aes256Xts,
                ) => WHOLE_BLOCKS,
                _ => MESSAGES,
            },
        }),
        Operation::Seal | Operation::Open | Operation::Copy => Some(Sizes {
            unit: Unit::Bytes,
            default: &[16, 128, 1024, 1350, 4096, 8192, 16384, 65536],
            all: MESSAGES,
        }),
        Operation::SealFreshKey => {
            Some(Sizes { unit: Unit::Bytes, default: &[64, 1024], all: MESSAGES })
        }
        Operation::Reject => Some(Sizes { unit: Unit::Bytes, default: &[1024], all: MESSAGES }),
        // A key or scalar, and a prime candidate of RSA-2048 and larger.
        Operation::Random => Some(Sizes { unit: Unit::Bytes, default: &[16, 1024], all: MESSAGES }),
        Operation::EncryptPieces | Operation::DecryptPieces => {
            Some(Sizes { unit: Unit::PieceBytes, default: PIECES, all: PIECES })
        }
        Operation::Whole | Operation::Fields | Operation::FieldsFreshKey => {
            Some(Sizes { unit: Unit::Bytes, default: DOCUMENTS, all: DOCUMENTS })
        }
        Operation::WholeFile | Operation::FieldsFile | Operation::FieldsFreshKeyFile => {
            Some(Sizes { unit: Unit::Bytes, default: DOCUMENTS, all: DOCUMENT_FILES })
        }
        Operation::KeySetup
        | Operation::Derive
        | Operation::Ephemeral
        | Operation::Empty
        | Operation::Nonce => None,
    }
}

impl Unit {
    /// Every size of this unit that any operation has, in ascending order. Messages and pieces are both chosen by their
    /// bytes.
    #[must_use]
    pub const fn all_sizes(self) -> &'static [u64] {
        match self {
            Self::Bytes | Self::PieceBytes => BYTES,
            Self::ModulusBits => MODULI,
        }
    }
}

impl Contest {
    /// Bytes that one operation gets through, where that is what it is about: what throughput is computed from.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        match sizes(self.algorithm, self.operation)?.unit {
            Unit::Bytes => self.size,
            Unit::PieceBytes => Some(PIECES_MESSAGE),
            Unit::ModulusBits => None,
        }
    }
}

/// Which of an operation's sizes are wanted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SizeChoice {
    /// The default ones.
    #[default]
    Default,
    /// Everything that can be asked for.
    All,
    /// These, as far as the operation has them.
    Only(Vec<u64>),
}

impl SizeChoice {
    /// Whether a case that exists is wanted at `size`, which is one of `sizes` or of somebody's own document.
    #[must_use]
    pub fn admits(&self, sizes: Sizes, size: u64) -> bool {
        match self {
            Self::Default => sizes.default.contains(&size) || !sizes.all.contains(&size),
            Self::All => true,
            Self::Only(chosen) => chosen.contains(&size),
        }
    }

    /// The sizes chosen from `all`, of which `default` are measured by default.
    #[must_use]
    pub fn of(&self, default: &[u64], all: &[u64]) -> Vec<u64> {
        match self {
            Self::Default => default.to_vec(),
            Self::All => all.to_vec(),
            Self::Only(chosen) => {
                all.iter().copied().filter(|size| chosen.contains(size)).collect()
            }
        }
    }
}
