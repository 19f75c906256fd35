//! Two sides over all contests that they share: how much faster is one of them on the whole, and how sure is
//! that. Each contest alone is in `ranking`.

use crate::{
    keygen,
    log_ratio::possible,
    record::{Engine, Record, SideKey},
    statistics::{Interval, cut_for, mean, trimmed_mean},
};
use std::collections::BTreeSet;

/// The geometric mean of one side's times over another's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanRatio {
    /// Its natural logarithm.
    pub log_ratio: f64,
    /// Where that lies with 95 %; `None` where the rounds do not bound it.
    pub interval: Option<Interval>,
    /// Over how many contests.
    pub contests: usize,
    /// Over how many rounds.
    pub rounds: usize,
}

/// The geometric mean of `of`'s times over `over`'s, over the contests in which both were in every round; RSA
/// keygen apart. `None` where there is none, or where slices were not taken in turn.
///
/// A round counts as one value, the mean over contests of the log ratios: all contests of a round share a
/// process, so they are not independent of one another, but rounds are. Over rounds as in a contest: the
/// trimmed mean and its interval.
#[must_use]
pub fn mean_ratio(record: &Record, of: &SideKey, over: &SideKey) -> Option<MeanRatio> {
    if record.header.engine != Engine::LockStep {
        return None;
    }
    let rounds: BTreeSet<u32> = record.measured.iter().map(|it| it.round).collect();
    let mut values = vec![Vec::new(); rounds.len()];
    let mut contests = 0;
    for (contest, mut measured) in record.contests() {
        if keygen::by_chance(contest) {
            continue;
        }
        measured.sort_by_key(|it| it.round);
        measured.dedup_by_key(|it| it.round);
        let ratios: Vec<f64> = measured
            .iter()
            .filter_map(|it| it.log_ratio(of, over))
            .filter(|&it| possible(it))
            .collect();
        if ratios.len() == rounds.len() {
            contests += 1;
            for (round, ratio) in values.iter_mut().zip(ratios) {
                round.push(ratio);
            }
        }
    }
    let means: Vec<f64> = values.iter().filter_map(|round| mean(round)).collect();
    let estimate = trimmed_mean(&means, cut_for(means.len()))?;
    Some(MeanRatio {
        log_ratio: estimate.value,
        interval: Some(estimate.interval(0.95)).filter(Interval::is_bounded),
        contests,
        rounds: means.len(),
    })
}
