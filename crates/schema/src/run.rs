//! What one bench target did, written beside Criterion's data so that a reader knows which of the many
//! files in that directory belong to the last run.

use crate::Environment;
use serde::{Deserialize, Serialize};

/// One run of one bench target.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BenchRun {
    /// Version of this format.
    pub format: u32,
    /// Name of the bench target.
    pub target: String,
    /// Command-line arguments.
    pub arguments: Vec<String>,
    /// When it began, RFC 3339, UTC.
    pub started: String,
    /// When it ended; `None` while it runs, and for ever where it was interrupted.
    pub ended: Option<String>,
    /// The clock that timed it.
    pub clock: Clock,
    /// Seed of the drawn placements.
    pub seed: u64,
    /// Cases proved and handed to Criterion.
    pub ran: Vec<RanCase>,
    /// Cases left out because their backend failed.
    pub failed: Vec<FailedCase>,
    /// Machine, system and build.
    pub environment: Environment,
}

impl BenchRun {
    /// The format written by this version of the suite.
    pub const FORMAT: u32 = 1;
}

/// The clock of the timed region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Clock {
    /// Nanoseconds that one pair of readings costs, subtracted from every timed region.
    pub cost_ns: u64,
}

/// A case that was measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RanCase {
    /// Its id.
    pub id: String,
    /// What a reader of its number should know: which interface of the library, and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A case that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedCase {
    /// Its id.
    pub id: String,
    /// Why.
    pub reason: String,
}
