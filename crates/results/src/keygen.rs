//! RSA key generation, whose times are spread by chance: all keys of a run pooled, and their quantiles.
//! Which verdict follows, if any, is in `comparison`.

use crate::{
    log_ratio::of_times,
    record::{Measured, SideKey},
    statistics::{Interval, median, quantile_interval},
};
use cryptobench_schema::{Contest, Operation};

/// The confidence of each of two intervals that together hold a ratio with 95 %, whatever their dependence
/// (Bonferroni).
const HALF_OF_95: f64 = 0.975;

/// Whether the times of `contest` are spread by chance: the search for primes takes as many candidates as it
/// takes, and where nobody chose the random source, every side has candidates of its own. ECDH keys are not searched for.
#[must_use]
pub fn by_chance(contest: Contest) -> bool {
    contest.makes_rsa_key() && contest.operation == Operation::Keygen
}

/// The nanoseconds of each of `side`'s slices, for one operation, over all `rounds`. Slices that say nothing (no
/// iterations, no time) are left out.
pub(crate) fn pooled<'a>(
    rounds: impl IntoIterator<Item = &'a Measured>,
    side: &SideKey,
) -> Vec<f64> {
    let mut times = Vec::new();
    for measured in rounds {
        let Some(position) = measured.position(side) else { continue };
        let Some(slices) = measured.slices.get(position) else { continue };
        let iterations = &measured.sides[position].iterations;
        for (index, &slice) in slices.iter().enumerate() {
            let count = match iterations.as_slice() {
                [every] => Some(every),
                each => each.get(index),
            };
            if let Some(&count) = count
                && count > 0
                && slice > 0
            {
                times.push(slice as f64 / count as f64);
            }
        }
    }
    times
}

/// The natural logarithm of `new`'s median over `old`'s.
pub(crate) struct MedianRatio {
    /// The median of `old`.
    pub(crate) old: f64,
    /// The median of `new`.
    pub(crate) new: f64,
    /// The logarithm of their ratio.
    pub(crate) log_ratio: f64,
    /// Where that lies with at least 95 %: from the lower end of one median's order-statistic interval at
    /// 97.5 % over the upper end of the other's, to the reverse. `None` for fewer than 7 keys of either.
    pub(crate) interval: Option<Interval>,
}

/// The ratio of the medians of two sets of times; `None` where one is empty.
pub(crate) fn median_ratio(old: &[f64], new: &[f64]) -> Option<MedianRatio> {
    let (old_median, new_median) = (median(old)?, median(new)?);
    let log_ratio = of_times(new_median, old_median);
    let interval = quantile_interval(old, 0.5, HALF_OF_95)
        .zip(quantile_interval(new, 0.5, HALF_OF_95))
        .map(|(old, new)| Interval {
            low: of_times(new.low, old.high),
            high: of_times(new.high, old.low),
        })
        .filter(Interval::is_bounded);
    log_ratio.is_finite().then_some(MedianRatio {
        old: old_median,
        new: new_median,
        log_ratio,
        interval,
    })
}
