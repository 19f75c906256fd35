//! One case over all rounds of its run, in the numbers that tables elsewhere have: mean, error, standard
//! deviation. Which side is faster is in `ranking`.

use crate::{
    keygen,
    record::{Measured, Record, SideKey},
    statistics::{
        Interval, mean, mean_estimate, median, p95, quantile_interval, standard_deviation,
    },
};
use cryptobench_schema::Contest;
use std::collections::BTreeSet;

/// A case of one program over all its rounds. Times are nanoseconds of one operation.
#[derive(Debug, Clone, PartialEq)]
pub struct CaseSummary {
    /// What was measured.
    pub contest: Contest,
    /// Program and backend.
    pub side: SideKey,
    /// In how many rounds it took part.
    pub rounds: usize,
    /// How many values the numbers below are of: a round's median is one; of RSA keygen, whose times are spread by
    /// chance, each key is.
    pub values: usize,
    /// Slices in all rounds together; 0 where they were not kept.
    pub slices: usize,
    /// Timed operations in all rounds together; 0 where slices were not kept.
    pub operations: u64,
    /// The median of the values.
    pub median: f64,
    /// Their arithmetic mean.
    pub mean: Option<f64>,
    /// Half of the mean's 99.9 % interval by Student's t; `None` for fewer than two values.
    pub error: Option<f64>,
    /// Their standard deviation; `None` for fewer than two.
    pub standard_deviation: Option<f64>,
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// Of RSA keygen: where the median lies with 95 %, by order statistics.
    pub median_interval: Option<Interval>,
    /// Of RSA keygen: the 95th percentile, from 60 keys on.
    pub p95: Option<f64>,
}

/// Every case that `record` has times of, contests in the order of tables, in each the sides by program and
/// name.
#[must_use]
pub fn summarise(record: &Record) -> Vec<CaseSummary> {
    let mut all = Vec::new();
    for (contest, rounds) in record.contests() {
        let sides: BTreeSet<SideKey> = rounds
            .iter()
            .flat_map(|it| &it.sides)
            .map(|side| SideKey { program: side.program, backend: side.backend.clone() })
            .collect();
        all.extend(sides.into_iter().filter_map(|side| case(contest, &rounds, side)));
    }
    all
}

fn case(contest: Contest, rounds: &[&Measured], side: SideKey) -> Option<CaseSummary> {
    let mut times = Vec::new();
    let (mut slices, mut operations) = (0, 0_u64);
    for round in rounds {
        let Some(position) = round.position(&side) else { continue };
        times.push(round.sides[position].time_ns);
        let count = round.slices.get(position).map_or(0, Vec::len);
        slices += count;
        let iterations = &round.sides[position].iterations;
        let timed = match iterations.as_slice() {
            [every] => every.saturating_mul(count as u64),
            each => each.iter().take(count).fold(0, |sum: u64, it| sum.saturating_add(*it)),
        };
        operations = operations.saturating_add(timed);
    }
    let by_chance = keygen::by_chance(contest);
    let rounds_of_it = times.len();
    let keys = if by_chance { keygen::pooled(rounds.iter().copied(), &side) } else { Vec::new() };
    let values = if keys.is_empty() { times } else { keys };
    let error = mean_estimate(&values).map(|it| it.interval(0.999)).filter(Interval::is_bounded);
    Some(CaseSummary {
        contest,
        side,
        rounds: rounds_of_it,
        values: values.len(),
        slices,
        operations,
        median: median(&values)?,
        mean: mean(&values),
        error: error.map(|it| (it.high - it.low) / 2.0),
        standard_deviation: standard_deviation(&values),
        min: values.iter().copied().min_by(f64::total_cmp)?,
        max: values.iter().copied().max_by(f64::total_cmp)?,
        median_interval: if by_chance { quantile_interval(&values, 0.5, 0.95) } else { None },
        p95: if by_chance { p95(&values) } else { None },
    })
}
