//! Location, spread and quantiles of values, and what order statistics say about quantiles.
//! Nothing here assumes a distribution.

use super::Interval;
use statrs::function::gamma::ln_gamma;

/// From how many values on [`p95`] exists: with 59 the largest is a 95 % upper confidence bound of the 95th
/// percentile (1 - 0.95^59 = 0.9515); with fewer, the values say nothing about how far that tail goes.
pub const FEWEST_FOR_P95: usize = 60;

/// `values` in rising order; `None` where there is none, or one is not finite.
pub(super) fn sorted(values: &[f64]) -> Option<Vec<f64>> {
    if values.is_empty() || !values.iter().all(|value| value.is_finite()) {
        return None;
    }
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Some(sorted)
}

/// The arithmetic mean. `None` without values, and where one or the sum is not finite.
#[must_use]
pub fn mean(values: &[f64]) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    mean.is_finite().then_some(mean)
}

/// The median: the middle value, or the mean of the two in the middle.
#[must_use]
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The quantile at `share` (0 to 1; outside, the nearer of the two), by definition 7 of Hyndman and Fan
/// (1996), which R and NumPy take: linear between the order statistics, the smallest at 0 and the largest at
/// 1.
#[must_use]
pub fn quantile(values: &[f64], share: f64) -> Option<f64> {
    if share.is_nan() {
        return None;
    }
    let sorted = sorted(values)?;
    let place = share.clamp(0.0, 1.0) * (sorted.len() - 1) as f64;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    if sorted[below] == sorted[above] {
        return Some(sorted[below]);
    }
    // Each end scaled apart: their difference may be beyond what an f64 holds.
    let part = place - below as f64;
    Some(sorted[below] * (1.0 - part) + sorted[above] * part)
}

/// The 95th percentile, as [`quantile`]; `None` for fewer than [`FEWEST_FOR_P95`] values.
#[must_use]
pub fn p95(values: &[f64]) -> Option<f64> {
    if values.len() < FEWEST_FOR_P95 { None } else { quantile(values, 0.95) }
}

/// The standard deviation with n - 1. `None` for fewer than two values.
#[must_use]
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    if values.len() < 2 {
        return None;
    }
    let mean = mean(values)?;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let deviation = (squares / (values.len() - 1) as f64).sqrt();
    deviation.is_finite().then_some(deviation)
}

/// Where the quantile at `share` of what the values were drawn from lies, whatever the distribution: two order
/// statistics that hold it between them with at least `confidence`, each tail at most half of what is left
/// (Conover, Practical Nonparametric Statistics, 3.2; the number of values below a quantile is binomial).
/// `None` where no two do: a median at 95 % takes 6 values, at 97.5 % 7.
#[must_use]
pub fn quantile_interval(values: &[f64], share: f64, confidence: f64) -> Option<Interval> {
    let sorted = sorted(values)?;
    if !(share > 0.0 && share < 1.0 && confidence > 0.0 && confidence < 1.0) {
        return None;
    }
    let tail = (1.0 - confidence) / 2.0;
    let below = order_statistic(sorted.len(), share, tail)?;
    let above = order_statistic(sorted.len(), 1.0 - share, tail)?;
    Some(Interval { low: sorted[below], high: sorted[sorted.len() - 1 - above] })
}

/// The index from 0 of the largest order statistic of `n` values that lies above the quantile at `share` with
/// a probability of at most `tail`.
fn order_statistic(n: usize, share: f64, tail: f64) -> Option<usize> {
    let all = n as f64;
    let mut probability = 0.0;
    let mut found = None;
    for successes in 0..n {
        let k = successes as f64;
        // At most this many values lie below the quantile.
        let ln_choose = ln_gamma(all + 1.0) - ln_gamma(k + 1.0) - ln_gamma(all - k + 1.0);
        probability += (ln_choose + k * share.ln() + (all - k) * (1.0 - share).ln()).exp();
        // A little more than `tail` is rounding: 7 values at 98.4375 % must not depend on it.
        if probability > tail * (1.0 + 1e-9) {
            break;
        }
        found = Some(successes);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_value_has_none() {
        for values in [&[][..], &[f64::NAN], &[1.0, f64::INFINITY], &[f64::MAX, f64::MAX, f64::NAN]]
        {
            assert_eq!(mean(values), None);
            assert_eq!(median(values), None);
            assert_eq!(standard_deviation(values), None);
            assert_eq!(quantile_interval(values, 0.5, 0.95), None);
        }
        assert_eq!(standard_deviation(&[1.0]), None);
        assert_eq!(standard_deviation(&[1.0, 1.0]), Some(0.0));
        assert_eq!(quantile(&[1.0], f64::NAN), None);
    }

    #[test]
    fn one_value_is_every_quantile() {
        for share in [-1.0, 0.0, 0.3, 1.0, 2.0] {
            assert_eq!(quantile(&[4.0], share), Some(4.0));
        }
        assert_eq!(median(&[f64::MAX, f64::MAX]), Some(f64::MAX));
        assert_eq!(median(&[-f64::MAX, f64::MAX]), Some(0.0));
        assert_eq!(median(&[5e-324, 5e-324]), Some(5e-324));
    }

    #[test]
    fn the_fewest_values_for_an_interval() {
        let values: Vec<f64> = (0..60_u32).map(f64::from).collect();
        assert_eq!(quantile_interval(&values[..5], 0.5, 0.95), None);
        assert_eq!(
            quantile_interval(&values[..6], 0.5, 0.95),
            Some(Interval { low: 0.0, high: 5.0 })
        );
        assert_eq!(quantile_interval(&values[..6], 0.5, 0.975), None);
        assert!(quantile_interval(&values[..7], 0.5, 0.975).is_some());
        // Exactly the coverage that seven values have.
        assert!(quantile_interval(&values[..7], 0.5, 1.0 - 2.0 / 128.0).is_some());
        assert_eq!(p95(&values[..59]), None);
        assert_eq!(p95(&values), Some(56.05));
    }
}
