//! The record: one run of one selection on one machine, as lines of JSON. Here are the lines as types, and the
//! run as a reader has it; reading is in `read`, writing in `journal`, what must hold of
//! them in `rules`, a part of one in `retain`. docs/record-format.md is for people.

mod journal;
mod read;
mod retain;
mod rules;

pub use journal::{Journal, JournalError, journal_of, keep};
pub use read::{Depth, RecordError};
pub use rules::Problem;

use crate::statistics::median;
use cryptobench_schema::{BackendId, CaseId, Contest, Environment, Scenario};
use serde::{Deserialize, Serialize};

/// The version of the format that this suite writes.
pub const FORMAT: u32 = 2;
/// The oldest version that is still read. What the newer ones added has the value that it had when it was not written.
pub const OLDEST_FORMAT: u32 = 1;

/// Which engine timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// Slices of all sides of a contest taken in turn, in rounds of fresh processes.
    LockStep,
    /// Criterion: one case after another, one process.
    Criterion,
}

/// One line of a record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Line {
    /// The first line.
    Header(Box<Header>),
    /// What is known of a case beside its times.
    Case(CaseInfo),
    /// One contest in one round.
    Contest(Measured),
    /// A case that was left out because its backend or its worker failed.
    Failed(FailedSide),
    /// A case that a backend of the run does not have.
    Unsupported(UnsupportedCase),
    /// The run was interrupted, and goes on.
    Resumed(Resumed),
    /// The last line of a whole record.
    End(End),
}

/// The run: when, how, with which programs, on which machine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Version of the format, [`OLDEST_FORMAT`] to [`FORMAT`].
    pub format: u32,
    /// What timed.
    pub engine: Engine,
    /// When it began, RFC 3339, UTC.
    pub started: String,
    /// The subcommand that began it, with the names it goes by: `run`, `baseline NAME`, `duel ONE OTHER`. What is
    /// interrupted is resumed by the same.
    #[serde(default)]
    pub command: String,
    /// Seed of the order of contests and slices, and of the placements.
    pub seed: u64,
    /// How it was measured.
    pub settings: Settings,
    /// The programs that timed; sides name them by their index.
    pub programs: Vec<Program>,
    /// What spoke against the machine or the build when the run began.
    pub warnings: Vec<String>,
}

/// How a run measures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Rounds of fresh processes.
    pub rounds: u32,
    /// How many of these, the first, only screen: cases that they show to be the same are in no later round,
    /// and the later ones alone decide about the others. 0 where every round counts.
    #[serde(default)]
    pub screening: u32,
    /// Most slices of a case in a round.
    pub slices: u32,
    /// Fewest slices of a case in a round, for slow operations.
    pub fewest_slices: u32,
    /// Nanoseconds that a slice takes, or one operation where that takes longer.
    pub slice_ns: u64,
    /// Nanoseconds of untimed operation before each slice, or `burst_operations` where these take longer.
    pub burst_ns: u64,
    /// Operations before each slice at the least.
    pub burst_operations: u32,
    /// Nanoseconds of slices that a case may take in a round before it gets fewer of them.
    pub budget_ns: u64,
    /// Fewest keys in a round, where RSA keys are generated.
    #[serde(default = "fewest_keys")]
    pub fewest_keys: u32,
    /// Nanoseconds of keys that a case may take in a round before it gets fewer of them.
    #[serde(default = "key_budget_ns")]
    pub key_budget_ns: u64,
    /// The logical processor that runner and workers share, where they were pinned to one.
    pub cpu: Option<u32>,
    /// The scenarios whose contests were selected, or none where the others were.
    #[serde(default, with = "texts", skip_serializing_if = "Vec::is_empty")]
    pub scenarios: Vec<Scenario>,
    /// The document of the user's own that was encrypted instead of generated ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<Document>,
    /// The regular expression that selected ids.
    pub filter: Option<String>,
    /// The backends that were selected, or none where all were.
    #[serde(default)]
    pub backends: Vec<BackendId>,
    /// Sizes that were selected instead of the default: numbers, or `all`.
    #[serde(default)]
    pub sizes: Option<String>,
    /// RSA moduli that were selected instead of the default: numbers, or `all`.
    #[serde(default)]
    pub rsa_bits: Option<String>,
    /// Whether this is a look rather than a measurement.
    #[serde(default)]
    pub quick: bool,
}

/// What is usual: seven rounds of 70 slices of a quarter of a millisecond, not pinned, of everything.
impl Default for Settings {
    fn default() -> Self {
        Self {
            rounds: 7,
            screening: 0,
            slices: 70,
            fewest_slices: 15,
            slice_ns: 250_000,
            burst_ns: 20_000,
            burst_operations: 3,
            budget_ns: 35_000_000,
            fewest_keys: fewest_keys(),
            key_budget_ns: key_budget_ns(),
            cpu: None,
            scenarios: Vec::new(),
            document: None,
            filter: None,
            backends: Vec::new(),
            sizes: None,
            rsa_bits: None,
            quick: false,
        }
    }
}

/// Somebody's own document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Where it was, as the user named it.
    pub path: String,
    /// The element whose content is a field.
    pub element: String,
    /// Bytes of it.
    pub bytes: u64,
    /// SHA-256 of them, hexadecimal.
    pub sha256: String,
    /// How many fields it has.
    pub fields: u64,
}

/// As many as other operations have slices at the least, also where the record is from before this was a setting.
const fn fewest_keys() -> u32 {
    15
}

/// The same as other operations.
const fn key_budget_ns() -> u64 {
    35_000_000
}

/// A worker program of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Program {
    /// What it is called: `current`, or the baseline it belongs to.
    pub name: String,
    /// SHA-256 of the program, hexadecimal; `None` where Criterion timed.
    pub sha256: Option<String>,
    /// The protocol version that it spoke; 0 where Criterion timed.
    pub protocol: u32,
    /// Machine, system and build as it reported them.
    pub environment: Environment,
}

/// What is known of a case beside its times.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CaseInfo {
    /// The case.
    #[serde(with = "text")]
    pub id: CaseId,
    /// Index of the program.
    #[serde(default)]
    pub program: usize,
    /// SHA-256 of its output for the fixed inputs, hexadecimal; `None` where the output is random.
    pub digest: Option<String>,
    /// What a reader of its numbers should know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// One contest in one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// What was measured.
    #[serde(with = "text")]
    pub contest: Contest,
    /// In which round, from 0.
    pub round: u32,
    /// The number of its heat, where slices were taken in turn with those of other contests: of all contests of this
    /// number, slices of the same index belong together. None has the number of another heat of the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heat: Option<u64>,
    /// Who took part.
    pub sides: Vec<Side>,
    /// For each pair of sides i < j, in the order (0, 1), (0, 2), …, (1, 2), …: the natural logarithm of
    /// j's time over i's, the median over slices of the same index. Empty where slices were not taken in turn.
    pub log_ratios: Vec<f64>,
    /// Nanoseconds of each side's slices, all iterations together. Last, so that a reader who needs only what
    /// is above can stop before it; empty where it did.
    #[serde(default)]
    pub slices: Vec<Vec<u64>>,
}

/// One side of a contest in one round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// Index of the program.
    #[serde(default)]
    pub program: usize,
    /// The backend.
    pub backend: BackendId,
    /// Nanoseconds of one operation: the median over slices.
    pub time_ns: f64,
    /// Operations in a slice: one number where every slice has as many, otherwise one for each slice.
    pub iterations: Vec<u64>,
    /// Of slices that followed one another without the others between: the natural logarithm of the first's
    /// time over the fourth's, the median. What the neighbours cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interference: Option<f64>,
}

/// A case that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FailedSide {
    /// The case.
    #[serde(with = "text")]
    pub id: CaseId,
    /// Index of the program.
    #[serde(default)]
    pub program: usize,
    /// In which round.
    pub round: u32,
    /// Why.
    pub reason: String,
}

/// A case that a backend does not have, though others of the run have it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UnsupportedCase {
    /// The case.
    #[serde(with = "text")]
    pub id: CaseId,
    /// Index of the program.
    #[serde(default)]
    pub program: usize,
    /// Why not.
    pub reason: String,
}

/// The end of a whole record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// When it ended, RFC 3339, UTC.
    pub ended: String,
}

/// That an interrupted run goes on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resumed {
    /// When, RFC 3339, UTC.
    pub at: String,
}

/// A run as read.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// When, how, with which programs, on which machine.
    pub header: Header,
    /// What is known of each case beside its times.
    pub cases: Vec<CaseInfo>,
    /// Contests by round, in the order in which they were measured.
    pub measured: Vec<Measured>,
    /// Cases left out.
    pub failed: Vec<FailedSide>,
    /// Cases that a backend does not have.
    pub unsupported: Vec<UnsupportedCase>,
    /// When it went on after an interruption.
    pub resumed: Vec<Resumed>,
    /// How it ended; `None` while it has not.
    pub end: Option<End>,
}

/// A side of a contest, whichever the round.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SideKey {
    /// Index of the program.
    pub program: usize,
    /// The backend.
    pub backend: BackendId,
}

impl Measured {
    /// The index of a side among those of this contest in this round.
    #[must_use]
    pub fn position(&self, key: &SideKey) -> Option<usize> {
        self.sides
            .iter()
            .position(|side| side.program == key.program && side.backend == key.backend)
    }

    /// The natural logarithm of `of`'s time over `over`'s in this round, where both took part and slices were
    /// taken in turn.
    #[must_use]
    pub fn log_ratio(&self, of: &SideKey, over: &SideKey) -> Option<f64> {
        let (of, over) = (self.position(of)?, self.position(over)?);
        if of == over {
            return Some(0.0);
        }
        let (first, second) = (of.min(over), of.max(over));
        let value = *self.log_ratios.get(pair(first, second, self.sides.len()))?;
        Some(if of > over { value } else { -value })
    }
}

/// Where the pair of sides `first` < `second` of `sides` lies among a round's log ratios.
#[must_use]
pub const fn pair(first: usize, second: usize, sides: usize) -> usize {
    first * sides - first * (first + 1) / 2 + (second - first - 1)
}

/// Nanoseconds of one operation in each of `slices`, which have `iterations`: one number for all, or one for each.
#[must_use]
pub fn operation_times(slices: &[u64], iterations: &[u64]) -> Vec<f64> {
    let each = iterations.iter().cycle();
    slices.iter().zip(each).map(|(ns, iterations)| *ns as f64 / *iterations as f64).collect()
}

/// What a record has as the log ratio of two sides: the natural logarithm of `of`'s time over `over`'s, the median
/// over slices of the same index. `None` without slices.
#[must_use]
pub fn median_log_ratio(of: &[f64], over: &[f64]) -> Option<f64> {
    let ratios: Vec<f64> = of.iter().zip(over).map(|(of, over)| (of / over).ln()).collect();
    median(&ratios)
}

impl Record {
    /// A run that has measured nothing yet.
    #[must_use]
    pub const fn new(header: Header) -> Self {
        Self {
            header,
            cases: Vec::new(),
            measured: Vec::new(),
            failed: Vec::new(),
            unsupported: Vec::new(),
            resumed: Vec::new(),
            end: None,
        }
    }

    /// Adds what `line` says.
    pub fn add(&mut self, line: Line) {
        match line {
            Line::Header(header) => self.header = *header,
            Line::Case(case) => self.cases.push(case),
            Line::Contest(measured) => self.measured.push(measured),
            Line::Failed(failed) => self.failed.push(failed),
            Line::Unsupported(case) => self.unsupported.push(case),
            Line::Resumed(resumed) => self.resumed.push(resumed),
            Line::End(end) => self.end = Some(end),
        }
    }

    /// The rounds of each contest, contests in the order of tables.
    #[must_use]
    pub fn contests(&self) -> std::collections::BTreeMap<Contest, Vec<&Measured>> {
        let mut contests: std::collections::BTreeMap<Contest, Vec<&Measured>> =
            std::collections::BTreeMap::new();
        for measured in &self.measured {
            contests.entry(measured.contest).or_default().push(measured);
        }
        contests
    }
}

/// Types that are written as text.
mod text {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};
    use std::{borrow::Cow, fmt::Display, str::FromStr};

    pub(super) fn serialize<T: Display, S: Serializer>(
        it: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(it)
    }

    pub(super) fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<T, D::Error> {
        Cow::<str>::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Several types that are written as text.
mod texts {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};
    use std::{fmt::Display, str::FromStr};

    pub(super) fn serialize<T: Display, S: Serializer>(
        all: &[T],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(all.iter().map(ToString::to_string))
    }

    pub(super) fn deserialize<'de, T: FromStr<Err: Display>, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<T>, D::Error> {
        Vec::<String>::deserialize(deserializer)?
            .iter()
            .map(|it| it.parse().map_err(D::Error::custom))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_places_of_their_own() {
        for sides in 2..7 {
            let mut places = Vec::new();
            for first in 0..sides {
                for second in first + 1..sides {
                    places.push(pair(first, second, sides));
                }
            }
            assert_eq!(places, (0..sides * (sides - 1) / 2).collect::<Vec<_>>());
        }
    }
}
