//! Verdicts: did a case become slower? What is compared with what, and what is said of it.
//! How the values of a live run become estimates is in `live`, those of two records in `records`; `judge` decides.

mod judge;
mod live;
mod records;
mod sameness;

pub use live::{live, undecided};
pub use records::{LEAST_MARGIN_BETWEEN_RECORDS, records};

use crate::{keygen, statistics};
use cryptobench_schema::{BackendId, CaseId, Operation};
use statistics::Interval;
use std::{collections::BTreeMap, fmt, str::FromStr};
use thiserror::Error;

/// What counts as a change, and how sure one must be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rules {
    /// The relative change that does not matter: 0.02 for 2 %. In logarithms it is ln(1 + margin) either way,
    /// so that a change and its reverse are judged alike. What is negative or NaN counts as 0.
    pub margin: f64,
    /// The probability of one or more false slow-downs in a comparison, and apart from that of false speed-ups.
    pub alpha: f64,
}

impl Default for Rules {
    fn default() -> Self {
        Self { margin: 0.02, alpha: 0.05 }
    }
}

/// The logarithm of a relative margin.
fn log_margin(margin: f64) -> f64 {
    margin.max(0.0).ln_1p()
}

/// What is said of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verdict {
    /// Slower by more than the margin: the adjusted p-value is below alpha.
    Slower,
    /// Faster by more than the margin: the adjusted p-value is below alpha.
    Faster,
    /// Within the margin: both one-sided tests say so.
    Same,
    /// Beyond the margin, but nothing that computes it changed: where code lies in memory.
    Layout,
    /// None of these; [`Row::detectable`] says what could have been seen.
    Inconclusive,
    /// One round, Criterion's data, or a time that chance spreads: never a regression.
    Suspect,
    /// Only on the new side.
    New,
    /// Only on the old side, or failed on the new one.
    Missing,
    /// Measured on another CPU, with other flags, or with another meaning.
    Incomparable,
}

impl Verdict {
    /// Every verdict, in the order of tables.
    pub const ALL: [Self; 9] = [
        Self::Slower,
        Self::Faster,
        Self::Same,
        Self::Layout,
        Self::Inconclusive,
        Self::Suspect,
        Self::New,
        Self::Missing,
        Self::Incomparable,
    ];

    /// The word for it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Slower => "slower",
            Self::Faster => "faster",
            Self::Same => "same",
            Self::Layout => "layout",
            Self::Inconclusive => "inconclusive",
            Self::Suspect => "suspect",
            Self::New => "new",
            Self::Missing => "missing",
            Self::Incomparable => "incomparable",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// No verdict has that name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "unknown verdict `{0}`: slower, faster, same, layout, inconclusive, suspect, new, missing or incomparable"
)]
pub struct UnknownVerdict(pub String);

impl FromStr for Verdict {
    type Err = UnknownVerdict;

    fn from_str(text: &str) -> Result<Self, UnknownVerdict> {
        Self::ALL
            .into_iter()
            .find(|verdict| verdict.name() == text)
            .ok_or_else(|| UnknownVerdict(text.to_owned()))
    }
}

/// One case compared. Logarithms are natural, of the new time over the old: above 0 is slower.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// The case.
    pub case: CaseId,
    /// Nanoseconds on the old side: live the median over the rounds used, between records the geometric mean over
    /// rounds, of RSA keygen the median over all keys. `None` where it was not measured.
    pub old_ns: Option<f64>,
    /// The same on the new side.
    pub new_ns: Option<f64>,
    /// How much the time changed. Live it comes from slices taken in turn, so it is not exactly the ratio of the
    /// two times.
    pub log_ratio: Option<f64>,
    /// Where that lies with 95 %; `None` where nothing bounds it. Apart from other rows: with many of them some
    /// will miss.
    pub interval: Option<Interval>,
    /// Standard deviation between rounds of the log ratio of one round, new against old.
    pub spread: Option<f64>,
    /// The p-value, adjusted over the comparison, against the hypothesis that it is not slower by more than the
    /// margin; `None` where the row is not among those tested.
    pub p_slower: Option<f64>,
    /// The same for faster.
    pub p_faster: Option<f64>,
    /// The smallest change, up or down, that would have been found with a probability of 95 % if all the
    /// others were the same.
    pub detectable: Option<f64>,
    /// How many rounds the estimate uses; between records, of the side that has fewer.
    pub rounds: usize,
    /// Whether both sides are the same code, compiled and run the same way.
    pub unchanged: bool,
    /// What is said of it.
    pub verdict: Verdict,
    /// Why, where the numbers do not say.
    pub reason: Option<String>,
}

impl Row {
    /// A row of which nothing is known but the verdict.
    fn bare(case: CaseId, verdict: Verdict, reason: Option<String>) -> Self {
        Self {
            case,
            old_ns: None,
            new_ns: None,
            log_ratio: None,
            interval: None,
            spread: None,
            p_slower: None,
            p_faster: None,
            detectable: None,
            rounds: 0,
            unchanged: false,
            verdict,
            reason,
        }
    }
}

/// How the two sides met.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Both programs took turns in the same contests.
    Live,
    /// Two records, measured at different times: the drift between the sessions is in no interval.
    Records,
}

/// How far the whole suite moved: where every case moves alike, it is the machine that changed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shift {
    /// The median of the rows' log ratios, RSA keygen apart.
    pub log_ratio: f64,
    /// Over how many rows.
    pub rows: usize,
    /// Whether that is beyond the margin.
    pub beyond_margin: bool,
}

/// The geometric mean of the ratios of one operation of one backend.
#[derive(Debug, Clone, PartialEq)]
pub struct Mean {
    /// The backend.
    pub backend: BackendId,
    /// The operation; RSA keygen is not in it.
    pub operation: Operation,
    /// Its logarithm.
    pub log_ratio: f64,
    /// Over how many cases.
    pub cases: usize,
}

/// How far rows spread of which nothing changed: the run's own null distribution.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LayoutSpread {
    /// The standard deviation of their log ratios.
    pub standard_deviation: f64,
    /// Over how many rows.
    pub rows: usize,
}

/// A comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// How the two sides met.
    pub method: Method,
    /// The rules as given.
    pub rules: Rules,
    /// The relative margin that was applied: between records at least [`LEAST_MARGIN_BETWEEN_RECORDS`].
    pub margin: f64,
    /// How many rows were tested together, slower and faster apart.
    pub family: usize,
    /// The cases, in the order of tables.
    pub rows: Vec<Row>,
    /// How far the suite as a whole moved; `None` where no row has a ratio.
    pub shift: Option<Shift>,
    /// By backend and operation.
    pub means: Vec<Mean>,
    /// How far rows spread of which nothing changed; `None` for fewer than two.
    pub layout_spread: Option<LayoutSpread>,
}

/// What a comparison means to the program that asked for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing of what it was to fail on, and everything could be compared.
    Clean,
    /// At least one row has a verdict to fail on.
    Confirmed,
    /// None has, but rows are missing or cannot be compared.
    Incomparable,
}

impl Comparison {
    fn new(method: Method, rules: Rules, margin: f64, judged: judge::Judged) -> Self {
        let judge::Judged { rows, family } = judged;
        let ratios: Vec<f64> = compared(&rows).map(|(_, log_ratio)| log_ratio).collect();
        let shift = statistics::median(&ratios).map(|log_ratio| Shift {
            log_ratio,
            rows: ratios.len(),
            beyond_margin: log_ratio.abs() > log_margin(margin),
        });
        let mut sums: BTreeMap<(&BackendId, Operation), (f64, usize)> = BTreeMap::new();
        for (row, log_ratio) in compared(&rows) {
            let sum = sums.entry((&row.case.backend, row.case.contest.operation)).or_default();
            *sum = (sum.0 + log_ratio, sum.1 + 1);
        }
        let means = sums
            .into_iter()
            .map(|((backend, operation), (sum, cases))| Mean {
                backend: backend.clone(),
                operation,
                log_ratio: sum / cases as f64,
                cases,
            })
            .collect();
        let unchanged: Vec<f64> = compared(&rows)
            .filter(|(row, _)| row.unchanged)
            .map(|(_, log_ratio)| log_ratio)
            .collect();
        let layout_spread = statistics::standard_deviation(&unchanged)
            .map(|standard_deviation| LayoutSpread { standard_deviation, rows: unchanged.len() });
        Self { method, rules, margin, family, rows, shift, means, layout_spread }
    }

    /// How many rows have each verdict, in the order of tables.
    #[must_use]
    pub fn counts(&self) -> [(Verdict, usize); Verdict::ALL.len()] {
        let mut counts = Verdict::ALL.map(|verdict| (verdict, 0));
        for row in &self.rows {
            counts[row.verdict as usize].1 += 1;
        }
        counts
    }

    /// What it means where `fail_on` are the verdicts to fail on (usually `slower` alone). A confirmed one comes
    /// before what could not be compared.
    #[must_use]
    pub fn outcome(&self, fail_on: &[Verdict]) -> Outcome {
        let has =
            |verdicts: &[Verdict]| self.rows.iter().any(|row| verdicts.contains(&row.verdict));
        if has(fail_on) {
            Outcome::Confirmed
        } else if has(&[Verdict::Incomparable, Verdict::Missing]) {
            Outcome::Incomparable
        } else {
            Outcome::Clean
        }
    }
}

/// The rows with a ratio that is not one of chance.
fn compared(rows: &[Row]) -> impl Iterator<Item = (&Row, f64)> {
    rows.iter()
        .filter(|row| !keygen::by_chance(row.case.contest))
        .filter_map(|row| Some((row, row.log_ratio?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_read_back() {
        for (index, verdict) in Verdict::ALL.into_iter().enumerate() {
            assert_eq!(verdict as usize, index);
            assert_eq!(verdict.to_string().parse(), Ok(verdict));
        }
        let error = "slow".parse::<Verdict>().unwrap_err().to_string();
        for verdict in Verdict::ALL {
            assert!(error.contains(verdict.name()), "{error}");
        }
    }

    #[test]
    fn margins_that_mean_nothing_are_none() {
        for margin in [0.0, -0.5, -7.0, f64::NAN] {
            assert_eq!(log_margin(margin), 0.0);
        }
        assert!((log_margin(0.02) - 1.02_f64.ln()).abs() < 1e-15);
    }
}
