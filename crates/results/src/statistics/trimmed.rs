//! Trimmed means with their standard errors, of one sample and of two (Tukey and McLaughlin 1963; Yuen 1974).
//! Why rounds are trimmed: about one worker process in two hundred stands out by several per cent.

use super::{Estimate, descriptive::sorted};

/// How many of `n` rounds are cut on each side: none below 5, one from 5 to 9, two from 10 on. So 7 rounds lose
/// one each side, 12 lose two: as many processes may stand out the same way without moving the estimate, and
/// at least 3 values are left, so that the standard error has 2 degrees of freedom or more. It does not grow
/// further: processes that stand out are rare, whatever the number of rounds.
#[must_use]
pub const fn cut_for(n: usize) -> usize {
    match n {
        0..5 => 0,
        5..10 => 1,
        _ => 2,
    }
}

/// What is left of a sample after cutting.
struct Trimmed {
    mean: f64,
    /// The squared standard error: the winsorized sum of squares over h (h - 1), NaN for h = 1.
    variance: f64,
    /// How many values are left, h.
    kept: usize,
}

fn trimmed(values: &[f64], cut: usize) -> Option<Trimmed> {
    let mut sorted = sorted(values)?;
    let n = sorted.len();
    let kept = n.checked_sub(cut.checked_mul(2)?).filter(|&kept| kept > 0)?;
    // Winsorized: what is cut takes the value of its nearest neighbour that is not.
    let (low, high) = (sorted[cut], sorted[n - 1 - cut]);
    if low == high {
        // Exact, where the mean of equal values may be off by a rounding.
        return Some(Trimmed { mean: low, variance: if kept > 1 { 0.0 } else { f64::NAN }, kept });
    }
    let mean = sorted[cut..n - cut].iter().sum::<f64>() / kept as f64;
    sorted[..cut].fill(low);
    sorted[n - cut..].fill(high);
    let centre = sorted.iter().sum::<f64>() / n as f64;
    let squares: f64 = sorted.iter().map(|value| (value - centre).powi(2)).sum();
    Some(Trimmed { mean, variance: squares / (kept * (kept - 1)) as f64, kept })
}

/// The mean of what is left of `values` after the `cut` smallest and the `cut` largest, with the standard error
/// of Tukey and McLaughlin: the winsorized sum of squares over h (h - 1), h = n - 2 `cut`, on h - 1 degrees of
/// freedom. With `cut` 0 the ordinary mean and its t.
///
/// (Wilcox divides by h² (n - 1) / n instead, which is smaller. Of 7 normal values, a one-sided test at 5 % rejects
/// 5.4 % of true hypotheses with the one and 5.9 % with the other.)
///
/// `None` without values, where one is not finite, or where nothing is left. Where one value is left, the
/// standard error is infinite.
#[must_use]
pub fn trimmed_mean(values: &[f64], cut: usize) -> Option<Estimate> {
    let Trimmed { mean, variance, kept } = trimmed(values, cut)?;
    Estimate::new(mean, variance, (kept - 1) as f64, values.len())
}

/// The ordinary mean with its t: [`trimmed_mean`] that cuts nothing.
#[must_use]
pub fn mean_estimate(values: &[f64]) -> Option<Estimate> {
    trimmed_mean(values, 0)
}

/// The trimmed mean of `second` less that of `first`, `cut` values cut on each side of each: Yuen's test, with
/// Welch's degrees of freedom. `None` as for [`trimmed_mean`] of either.
#[must_use]
pub fn difference_of_trimmed_means(
    first: &[f64],
    second: &[f64],
    cut: (usize, usize),
) -> Option<Estimate> {
    let (a, b) = (trimmed(first, cut.0)?, trimmed(second, cut.1)?);
    let variance = a.variance + b.variance;
    let (a_degrees, b_degrees) = ((a.kept - 1) as f64, (b.kept - 1) as f64);
    let degrees = if a.kept == 1 || b.kept == 1 {
        0.0
    } else if variance == 0.0 {
        a_degrees + b_degrees
    } else {
        // As shares of the whole, which cannot underflow when squared.
        let (a_share, b_share) = (a.variance / variance, b.variance / variance);
        (a_share * a_share / a_degrees + b_share * b_share / b_degrees).recip()
    };
    Estimate::new(b.mean - a.mean, variance, degrees, first.len() + second.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seven_rounds_lose_one_and_twelve_lose_two() {
        assert_eq!([0, 1, 4, 5, 7, 9, 10, 12, 1000].map(cut_for), [0, 0, 0, 1, 1, 1, 2, 2, 2]);
        for n in 5..100 {
            assert!(n - 2 * cut_for(n) >= 3);
        }
    }

    #[test]
    fn outliers_do_not_move_it() {
        let quiet = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07];
        let with_one = [0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 9e9];
        assert_eq!(trimmed_mean(&quiet, 1), trimmed_mean(&with_one, 1));
    }

    #[test]
    fn degenerate_samples() {
        assert_eq!(trimmed_mean(&[], 0), None);
        assert_eq!(trimmed_mean(&[1.0, 2.0], 1), None);
        assert_eq!(trimmed_mean(&[1.0, 2.0], usize::MAX), None);
        assert_eq!(trimmed_mean(&[1.0, f64::NAN], 0), None);
        let one = trimmed_mean(&[1.0, 2.0, 3.0], 1).unwrap();
        assert_eq!((one.value, one.standard_error, one.degrees), (2.0, f64::INFINITY, 0.0));
        let equal = trimmed_mean(&[1.0, 1.0], 0).unwrap();
        assert_eq!((equal.value, equal.standard_error, equal.degrees), (1.0, 0.0, 1.0));
        let vast = trimmed_mean(&[1e308, -1e308, 1e308], 0).unwrap();
        assert_eq!(vast.standard_error, f64::INFINITY);

        let zero = difference_of_trimmed_means(&[1.0, 1.0], &[3.0, 3.0, 3.0], (0, 0)).unwrap();
        assert_eq!((zero.value, zero.standard_error, zero.degrees), (2.0, 0.0, 3.0));
        let single = difference_of_trimmed_means(&[1.0], &[3.0, 4.0], (0, 0)).unwrap();
        assert_eq!((single.value, single.degrees), (2.5, 0.0));
        assert_eq!(difference_of_trimmed_means(&[], &[3.0, 4.0], (0, 0)), None);
    }
}
