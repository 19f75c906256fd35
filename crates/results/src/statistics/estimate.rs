//! An estimate with its standard error, and what follows from it: intervals, one-sided tests, the smallest
//! change it could have shown. Where estimates come from is in `trimmed` and `moderation`.

use super::{upper_quantile, upper_tail};

/// A range of values, both ends included. The ends are infinite where nothing is known.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The smallest.
    pub low: f64,
    /// The largest.
    pub high: f64,
}

impl Interval {
    /// Everything: what one value says.
    pub const UNBOUNDED: Self = Self { low: f64::NEG_INFINITY, high: f64::INFINITY };

    /// Whether both ends are finite.
    #[must_use]
    pub const fn is_bounded(&self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// Whether it lies strictly between `-margin` and `margin`.
    #[must_use]
    pub fn within(&self, margin: f64) -> bool {
        -margin < self.low && self.high < margin
    }

    /// Whether it lies wholly on one side, strictly beyond `-margin` or beyond `margin`.
    #[must_use]
    pub fn beyond(&self, margin: f64) -> bool {
        self.low > margin || self.high < -margin
    }
}

/// An estimate that is distributed as Student's t about what it estimates.
///
/// Two cases have no t and are defined here. Without degrees of freedom (one value), the standard error is
/// infinite: the interval is unbounded and both p-values are 1. With a standard error of 0 (equal values) the
/// estimate counts as exact: the interval is one point, a p-value is 0 or 1, and 0.5 on the bound itself.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Its standard error; infinite where one value is all there is.
    pub standard_error: f64,
    /// Degrees of freedom of the standard error; 0 where there are none.
    pub degrees: f64,
    /// How many values it comes from.
    pub values: usize,
}

impl Estimate {
    /// An estimate as defined above; `None` where `value` is not finite.
    pub(crate) fn new(value: f64, variance: f64, degrees: f64, values: usize) -> Option<Self> {
        let known = degrees > 0.0 && variance.is_finite() && variance >= 0.0;
        value.is_finite().then_some(Self {
            value,
            standard_error: if known { variance.sqrt() } else { f64::INFINITY },
            degrees: if known { degrees } else { 0.0 },
            values,
        })
    }

    /// The two-sided interval at `confidence` (0.95 for 95 %).
    #[must_use]
    pub fn interval(&self, confidence: f64) -> Interval {
        self.interval_at(upper_quantile((1.0 - confidence) / 2.0, self.degrees))
    }

    /// The interval that is `quantile` standard errors wide each way, for one who has looked that up.
    pub(crate) fn interval_at(&self, quantile: f64) -> Interval {
        let half = self.width(quantile);
        let interval = Interval { low: self.value - half, high: self.value + half };
        if interval.low.is_nan() || interval.high.is_nan() { Interval::UNBOUNDED } else { interval }
    }

    /// `quantile` standard errors.
    fn width(&self, quantile: f64) -> f64 {
        if self.degrees > 0.0 && self.standard_error == 0.0 {
            // An infinite quantile of nothing is nothing.
            return 0.0;
        }
        let width = self.standard_error * quantile;
        if self.degrees > 0.0 && !width.is_nan() { width } else { f64::INFINITY }
    }

    /// The p-value against the hypothesis that what is estimated is at most `bound`: small where it is above.
    #[must_use]
    pub fn p_above(&self, bound: f64) -> f64 {
        self.p(self.value - bound)
    }

    /// The p-value against the hypothesis that what is estimated is at least `bound`: small where it is below.
    #[must_use]
    pub fn p_below(&self, bound: f64) -> f64 {
        self.p(bound - self.value)
    }

    fn p(&self, excess: f64) -> f64 {
        if excess.is_nan() || !self.standard_error.is_finite() || self.degrees <= 0.0 {
            return 1.0;
        }
        if self.standard_error == 0.0 {
            return if excess > 0.0 {
                0.0
            } else if excess == 0.0 {
                0.5
            } else {
                1.0
            };
        }
        upper_tail(excess / self.standard_error, self.degrees)
    }

    /// The smallest change that a test at level `alpha` of exceeding `margin` finds with probability `power`:
    /// margin + (t(1 - alpha) + t(power)) standard errors, the usual approximation to the noncentral t. Infinite
    /// where one value is all there is.
    #[must_use]
    pub fn detectable(&self, margin: f64, alpha: f64, power: f64) -> f64 {
        self.detectable_at(
            margin,
            upper_quantile(alpha, self.degrees) + upper_quantile(1.0 - power, self.degrees),
        )
    }

    /// The same where the two quantiles' sum has been looked up.
    pub(crate) fn detectable_at(&self, margin: f64, quantiles: f64) -> f64 {
        margin + self.width(quantiles)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_says_nothing() {
        let one = Estimate::new(3.0, f64::NAN, 0.0, 1).unwrap();
        assert_eq!(one.interval(0.95), Interval::UNBOUNDED);
        assert!(!one.interval(0.95).is_bounded());
        assert_eq!((one.p_above(0.0), one.p_below(0.0)), (1.0, 1.0));
        assert_eq!(one.detectable(0.02, 0.05, 0.95), f64::INFINITY);
    }

    #[test]
    fn equal_values_are_exact() {
        let equal = Estimate::new(3.0, 0.0, 4.0, 5).unwrap();
        assert_eq!(equal.interval(0.95), Interval { low: 3.0, high: 3.0 });
        assert_eq!(equal.interval(1.0), Interval { low: 3.0, high: 3.0 });
        assert_eq!((equal.p_above(2.0), equal.p_above(3.0), equal.p_above(4.0)), (0.0, 0.5, 1.0));
        assert_eq!((equal.p_below(2.0), equal.p_below(3.0), equal.p_below(4.0)), (1.0, 0.5, 0.0));
        assert_eq!(equal.detectable(0.02, 0.05, 0.95), 0.02);
    }

    #[test]
    fn nothing_is_nan() {
        let numbers = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            1e308,
            -1e308,
            5e-324,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        for value in numbers {
            assert_eq!(Estimate::new(value, 1.0, 1.0, 2).is_some(), value.is_finite());
            for standard_error in numbers {
                for degrees in numbers {
                    let estimate = Estimate { value, standard_error, degrees, values: 2 };
                    for bound in numbers {
                        assert!((0.0..=1.0).contains(&estimate.p_above(bound)));
                        assert!((0.0..=1.0).contains(&estimate.p_below(bound)));
                    }
                    for confidence in [0.0, 0.5, 0.95, 1.0, 2.0, f64::NAN] {
                        let interval = estimate.interval(confidence);
                        assert!(!interval.low.is_nan() && !interval.high.is_nan());
                    }
                    assert!(!estimate.detectable(0.02, 0.05, 0.95).is_nan());
                }
            }
        }
    }

    #[test]
    fn within_and_beyond_are_strict() {
        let interval = Interval { low: -0.01, high: 0.02 };
        assert!(interval.within(0.021) && !interval.within(0.02) && !interval.within(0.01));
        assert!(!interval.beyond(0.0));
        assert!(Interval { low: 0.021, high: 0.03 }.beyond(0.02));
        assert!(Interval { low: -0.03, high: -0.021 }.beyond(0.02));
        assert!(!Interval { low: 0.02, high: 0.03 }.beyond(0.02));
    }
}
