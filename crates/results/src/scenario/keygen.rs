//! RSA key generation: all keys of a backend pooled, by size of the modulus. Which times chance spreads, and how their
//! medians are compared, is in `keygen` above.

use super::{CONFIDENCE, Extremes};
use crate::{
    keygen::{median_ratio, pooled},
    ranking::Ratio,
    record::{Record, SideKey},
    statistics::{Interval, mean, mean_estimate, median, p95, quantile_interval},
};
use cryptobench_schema::{Contest, Operation, Scenario};
use std::collections::BTreeSet;

/// The modulus of the sentence, in bits.
const BITS: u64 = 2048;

/// What a record says of RSA keys.
#[derive(Debug, Clone, PartialEq)]
pub struct Keygen {
    /// Each backend's usual random source first, then the same bytes for all; by size of the modulus.
    pub contests: Vec<Keys>,
}

/// One size of modulus, from one kind of random source.
#[derive(Debug, Clone, PartialEq)]
pub struct Keys {
    /// What was measured; its size is the modulus, in bits.
    pub contest: Contest,
    /// The smallest median first.
    pub sides: Vec<KeysOfSide>,
}

/// The keys of one backend, of all rounds together. Times are nanoseconds of one key.
#[derive(Debug, Clone, PartialEq)]
pub struct KeysOfSide {
    /// Program and backend.
    pub key: SideKey,
    /// How many.
    pub keys: usize,
    /// Their median.
    pub median_ns: f64,
    /// Where that lies with 95 %, by order statistics; `None` for fewer than 6 keys.
    pub median_interval: Option<Interval>,
    /// Their mean.
    pub mean_ns: f64,
    /// Where that lies with 95 %, by Student's t over keys; `None` for one key.
    ///
    /// Over keys, and not over the means of rounds: each key is found in a search of its own, and that spreads its time
    /// by about half of it, where processes differ by a few per cent. So keys are as good as independent, and seven
    /// rounds would be the same with six degrees of freedom. From some 60 keys on their mean is near enough to normal.
    pub mean_interval: Option<Interval>,
    /// The 95th percentile; `None` for fewer than 60 keys.
    pub p95_ns: Option<f64>,
    /// Its median over that of the fastest, with the interval that order statistics give; `None` for the fastest itself.
    pub over_fastest: Option<Ratio>,
}

impl Keygen {
    /// The fastest and the slowest at 2048 bits, or where these were not measured at the smallest modulus that was, by
    /// the usual random source where that was measured. `None` where there are not two.
    #[must_use]
    pub fn extremes(&self) -> Option<Extremes> {
        let several = |it: &&Keys| it.sides.len() > 1;
        let usual = |it: &&Keys| it.contest.size == Some(BITS) && several(it);
        let keys =
            self.contests.iter().find(usual).or_else(|| self.contests.iter().find(several))?;
        let [fastest, .., slowest] = keys.sides.as_slice() else { return None };
        Some(Extremes {
            contest: keys.contest,
            fastest: fastest.key.clone(),
            slowest: slowest.key.clone(),
            ratio: slowest.over_fastest?,
        })
    }
}

/// What `record` says of RSA keys; `None` where it has none.
#[must_use]
pub fn answer(record: &Record) -> Option<Keygen> {
    let mut contests: Vec<Keys> = record
        .contests()
        .into_iter()
        .filter(|(contest, _)| Scenario::Keygen.has(contest))
        .filter_map(|(contest, mut rounds)| {
            rounds.sort_by_key(|it| it.round);
            rounds.dedup_by_key(|it| it.round);
            let keys: BTreeSet<SideKey> = rounds
                .iter()
                .flat_map(|it| &it.sides)
                .map(|it| SideKey { program: it.program, backend: it.backend.clone() })
                .collect();
            let sides = keys
                .into_iter()
                .map(|key| (pooled(rounds.iter().copied(), &key), key))
                .filter_map(|(times, key)| Some((of_side(key, &times)?, times)))
                .collect();
            against_fastest(contest, sides)
        })
        .collect();
    contests.sort_by_key(|it| (it.contest.operation != Operation::Keygen, it.contest));
    (!contests.is_empty()).then_some(Keygen { contests })
}

fn of_side(key: SideKey, times: &[f64]) -> Option<KeysOfSide> {
    Some(KeysOfSide {
        key,
        keys: times.len(),
        median_ns: median(times)?,
        median_interval: quantile_interval(times, 0.5, CONFIDENCE),
        mean_ns: mean(times)?,
        mean_interval: mean_estimate(times)
            .map(|it| it.interval(CONFIDENCE))
            .filter(Interval::is_bounded)
            // Of a few keys it reaches below nothing, where no time is.
            .map(|it| Interval { low: it.low.max(0.0), ..it }),
        p95_ns: p95(times),
        over_fastest: None,
    })
}

/// In order, with ratios to the first.
fn against_fastest(contest: Contest, mut sides: Vec<(KeysOfSide, Vec<f64>)>) -> Option<Keys> {
    sides.sort_by(|one, other| one.0.median_ns.total_cmp(&other.0.median_ns));
    let ((_, fastest), others) = sides.split_first_mut()?;
    for (side, times) in others {
        side.over_fastest = median_ratio(fastest, times).map(|it| Ratio {
            log_ratio: it.log_ratio + 0.0,
            interval: it.interval,
            // Quantiles are not tested.
            p_slower: None,
        });
    }
    Some(Keys { contest, sides: sides.into_iter().map(|it| it.0).collect() })
}
