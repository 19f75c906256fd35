//! The scenarios: questions that people asked before this suite was there, each as the contests that answer it, and
//! which of these are measured together. How an answer is computed is in `cryptobench-results`.

use crate::{Aead, Algorithm, BlockMode, Contest, Operation, ParseError, sizes};
use std::{fmt, str::FromStr};

/// A question that is answered by several contests together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scenario {
    /// How fast is much data in small pieces, through one streaming encryptor?
    Bulk,
    /// How long does an RSA key take?
    Keygen,
    /// Encrypt the whole document, or only the fields that need it?
    Document,
    /// What does AES-GCM-SIV cost over AES-GCM?
    GcmSiv,
}

/// The algorithms of [`Scenario::Bulk`].
const STREAMED: [Algorithm; 3] = [
    Algorithm::BlockMode(BlockMode::Aes256Cbc),
    Algorithm::BlockMode(BlockMode::Aes256Ctr),
    Algorithm::Aead(Aead::Aes256Gcm),
];

/// The algorithms of [`Scenario::Document`], and what the harness takes without one.
const DOCUMENT: [Algorithm; 3] = [
    Algorithm::BlockMode(BlockMode::Aes256Cbc),
    Algorithm::Aead(Aead::Aes256Gcm),
    Algorithm::Control,
];

/// The algorithms of [`Scenario::GcmSiv`].
const SIV: [Aead; 4] = [Aead::Aes128Gcm, Aead::Aes128GcmSiv, Aead::Aes256Gcm, Aead::Aes256GcmSiv];

/// The sizes of [`Scenario::GcmSiv`], in bytes.
const SIV_SIZES: [u64; 4] = [128, 1024, 4096, 8192];

impl Scenario {
    /// Every scenario, in the order of pages.
    pub const ALL: [Self; 4] = [Self::Bulk, Self::Keygen, Self::Document, Self::GcmSiv];

    /// The name by which it is asked for.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bulk => "bulk",
            Self::Keygen => "keygen",
            Self::Document => "document",
            Self::GcmSiv => "gcm-siv",
        }
    }

    /// The question, as a heading.
    #[must_use]
    pub const fn question(self) -> &'static str {
        match self {
            Self::Bulk => "Bulk data in small pieces",
            Self::Keygen => "RSA key generation",
            Self::Document => "Whole file or only the fields?",
            Self::GcmSiv => "Is misuse resistance free?",
        }
    }

    /// The contests that answer it, at every size that there is.
    #[must_use]
    pub fn contests(self) -> Vec<Contest> {
        let mut contests = Vec::new();
        let mut add = |algorithm: Algorithm, operation: Operation, sizes: &[u64]| {
            if algorithm.operations().contains(&operation) {
                let contest = |size: &u64| Contest { algorithm, operation, size: Some(*size) };
                contests.extend(sizes.iter().map(contest));
            }
        };
        match self {
            Self::Bulk => {
                for algorithm in STREAMED {
                    for operation in [Operation::EncryptPieces, Operation::DecryptPieces] {
                        add(algorithm, operation, all(algorithm, operation));
                    }
                }
            }
            Self::Keygen => {
                for operation in [Operation::Keygen, Operation::KeygenSeeded] {
                    add(Algorithm::Rsa, operation, all(Algorithm::Rsa, operation));
                }
            }
            Self::Document => {
                for algorithm in DOCUMENT {
                    for operation in Operation::ALL.into_iter().filter(|it| it.is_of_document()) {
                        add(algorithm, operation, all(algorithm, operation));
                    }
                }
            }
            Self::GcmSiv => {
                for aead in SIV {
                    for operation in [Operation::Seal, Operation::Open] {
                        add(aead.into(), operation, &SIV_SIZES);
                    }
                }
            }
        }
        contests
    }

    /// Whether `contest` is one of its contests. A document may have any size, since it may be somebody's own.
    #[must_use]
    pub fn has(self, contest: &Contest) -> bool {
        if self == Self::Document {
            return contest.operation.is_of_document();
        }
        self.contests().contains(contest)
    }

    /// What `contest`, one of its contests, is measured together with, slices of all of them in turn, since the answer
    /// holds them against each other: those for which this is the same.
    #[must_use]
    pub fn heat(self, contest: &Contest) -> Heat {
        let Contest { algorithm, operation, size } = *contest;
        Heat {
            size,
            key_len: match algorithm {
                Algorithm::Aead(aead) if self == Self::GcmSiv => aead.key_len(),
                _ => 0,
            },
            operation: match self {
                Self::Keygen | Self::GcmSiv => Some(operation),
                Self::Bulk | Self::Document => None,
            },
            in_files: operation.is_from_file_to_file(),
        }
    }
}

/// What contests have in common that are measured together: see [`Scenario::heat`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Heat {
    size: Option<u64>,
    key_len: usize,
    operation: Option<Operation>,
    in_files: bool,
}

/// The sizes of `operation` of `algorithm`.
fn all(algorithm: Algorithm, operation: Operation) -> &'static [u64] {
    sizes(algorithm, operation).map_or(&[], |it| it.all)
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Scenario {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::ALL
            .into_iter()
            .find(|scenario| scenario.name() == text)
            .ok_or_else(|| ParseError::Scenario(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_contest_of_a_scenario_exists() {
        for scenario in Scenario::ALL {
            let all = scenario.contests();
            let different: BTreeSet<_> = all.iter().collect();
            assert_eq!(different.len(), all.len(), "{scenario}");
            for contest in all {
                assert_eq!(contest.to_string().parse(), Ok(contest));
                let sizes = sizes(contest.algorithm, contest.operation).expect("sizes");
                assert!(contest.size.is_some_and(|it| sizes.all.contains(&it)), "{contest}");
                assert!(scenario.has(&contest), "{contest}");
            }
        }
    }

    #[test]
    fn every_operation_that_is_there_for_a_scenario_is_in_one() {
        let of_scenarios: BTreeSet<Operation> =
            Scenario::ALL.into_iter().flat_map(Scenario::contests).map(|it| it.operation).collect();
        for operation in Operation::ALL {
            assert!(
                of_scenarios.contains(&operation) || !operation.is_of_scenario(),
                "{operation}"
            );
        }
    }

    #[test]
    fn what_is_held_against_each_other_is_measured_together() {
        let contest = |id: &str| id.parse::<Contest>().expect("a contest");
        for (scenario, one, other, together) in [
            (
                Scenario::Bulk,
                "aes-256-cbc/encrypt-pieces/64",
                "aes-256-gcm/decrypt-pieces/64",
                true,
            ),
            (
                Scenario::Bulk,
                "aes-256-cbc/encrypt-pieces/64",
                "aes-256-cbc/encrypt-pieces/1024",
                false,
            ),
            (Scenario::Keygen, "rsa/keygen/2048", "rsa/keygen-seeded/2048", false),
            (Scenario::Document, "aes-256-cbc/whole/99", "aes-256-gcm/fields-fresh-key/99", true),
            (Scenario::Document, "aes-256-cbc/whole/99", "control/fields/99", true),
            (Scenario::Document, "aes-256-cbc/whole/99", "aes-256-cbc/whole-file/99", false),
            (Scenario::GcmSiv, "aes-256-gcm/seal/128", "aes-256-gcm-siv/seal/128", true),
            (Scenario::GcmSiv, "aes-256-gcm/seal/128", "aes-128-gcm-siv/seal/128", false),
            (Scenario::GcmSiv, "aes-256-gcm/seal/128", "aes-256-gcm-siv/open/128", false),
        ] {
            let [one, other] = [one, other].map(contest);
            assert!(scenario.has(&one) && scenario.has(&other), "{one} {other}");
            assert_eq!(scenario.heat(&one) == scenario.heat(&other), together, "{one} {other}");
        }
    }

    #[test]
    fn names_read_back() {
        for scenario in Scenario::ALL {
            assert_eq!(scenario.name().parse(), Ok(scenario));
        }
        let error = "everything".parse::<Scenario>().expect_err("no scenario").to_string();
        assert_eq!(
            error,
            "unknown scenario `everything`; there are: bulk, keygen, document, gcm-siv"
        );
    }
}
