//! Which sizes exist, for which operation, and which of them a default run takes.

use crate::{Algorithm, BlockMode, Family, Operation};

/// What a size counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// Bytes of message.
    Bytes,
    /// Bits of RSA modulus.
    ModulusBits,
}

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

/// The sizes of `operation` of `algorithm`, or `None` where it has no size.
#[must_use]
pub const fn sizes(algorithm: Algorithm, operation: Operation) -> Option<Sizes> {
    match operation {
        Operation::Keygen | Operation::Sign | Operation::Verify => match algorithm.family() {
            Family::Rsa => Some(Sizes { unit: Unit::ModulusBits, default: MODULI, all: MODULI }),
            _ => None,
        },
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
        Operation::KeySetup
        | Operation::Derive
        | Operation::Ephemeral
        | Operation::Empty
        | Operation::Nonce => None,
    }
}

impl Unit {
    /// Every size of this unit that any operation has, in ascending order.
    #[must_use]
    pub const fn all_sizes(self) -> &'static [u64] {
        match self {
            Self::Bytes => MESSAGES,
            Self::ModulusBits => MODULI,
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
    /// The sizes chosen from `sizes`, in ascending order.
    #[must_use]
    pub fn of(&self, sizes: Sizes) -> Vec<u64> {
        match self {
            Self::Default => sizes.default.to_vec(),
            Self::All => sizes.all.to_vec(),
            Self::Only(chosen) => {
                sizes.all.iter().copied().filter(|size| chosen.contains(size)).collect()
            }
        }
    }
}
