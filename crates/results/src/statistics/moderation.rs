//! Variances of many cases, each from few rounds, moderated towards what they have in common (Smyth 2004, Linear
//! models and empirical Bayes methods for assessing differential expression; limma's fitFDist, squeezeVar).

use super::{mean, median};
use statrs::function::gamma::digamma;

/// A variance and the degrees of freedom it was estimated on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Variance {
    /// The variance.
    pub value: f64,
    /// Its degrees of freedom; infinite where it counts as known.
    pub degrees: f64,
}

/// What the variances of all cases have in common: they are spread as `variance` times `degrees` over a
/// chi-square with so many degrees of freedom.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// The prior variance.
    pub variance: f64,
    /// How many degrees of freedom it is worth; infinite where the cases' variances differ no more than by
    /// chance.
    pub degrees: f64,
    /// The degrees of freedom of all cases together, which no moderated variance can exceed.
    pub pooled: f64,
}

impl Prior {
    /// The prior that fits `variances` by the moments of their logarithms (Smyth 2004, section 6.2).
    ///
    /// Variances of 0 have no logarithm: they count as 1e-5 of the median, as in limma; where more than half
    /// are 0, the median of the others. Variances that are negative, infinite or without degrees of freedom
    /// are passed over. `None` where fewer than two are left, or all are 0.
    #[must_use]
    pub fn fit(variances: &[Variance]) -> Option<Self> {
        let usable: Vec<&Variance> = variances
            .iter()
            .filter(|it| {
                it.value >= 0.0
                    && it.value.is_finite()
                    && it.degrees > 0.0
                    && it.degrees.is_finite()
            })
            .collect();
        let values: Vec<f64> = usable.iter().map(|it| it.value).collect();
        let middle = median(&values).filter(|&middle| middle > 0.0).or_else(|| {
            let positive: Vec<f64> = values.iter().copied().filter(|&it| it > 0.0).collect();
            median(&positive)
        })?;
        let least = (1e-5 * middle).max(f64::MIN_POSITIVE);
        let mut logs = Vec::with_capacity(usable.len());
        let mut by_chance = 0.0;
        // Cases mostly have the same degrees, and the functions of them are not cheap.
        let mut last = (f64::NAN, 0.0, 0.0);
        for it in &usable {
            let half = it.degrees / 2.0;
            if last.0 != it.degrees {
                last = (it.degrees, digamma(half) - half.ln(), trigamma(half));
            }
            logs.push(it.value.max(least).ln() - last.1);
            by_chance += last.2;
        }
        if logs.len() < 2 {
            return None;
        }
        let centre = mean(&logs)?;
        let squares: f64 = logs.iter().map(|log| (log - centre).powi(2)).sum();
        let beyond_chance = squares / (logs.len() - 1) as f64 - by_chance / logs.len() as f64;
        let (variance, degrees) = if beyond_chance > 0.0 {
            let half = inverse_trigamma(beyond_chance);
            ((centre + digamma(half) - half.ln()).exp(), 2.0 * half)
        } else {
            (centre.exp(), f64::INFINITY)
        };
        let pooled = usable.iter().map(|it| it.degrees).sum();
        (variance.is_finite() && variance > 0.0).then_some(Self { variance, degrees, pooled })
    }

    /// A case's variance moderated: the mean of its own and the prior's, by degrees of freedom.
    #[must_use]
    pub fn moderate(&self, own: Variance) -> Variance {
        let total = self.degrees + own.degrees;
        let value = if total.is_infinite() {
            self.variance
        } else {
            (self.degrees * self.variance + own.degrees * own.value) / total
        };
        Variance { value, degrees: total.min(self.pooled.max(own.degrees)) }
    }

    /// The larger of a case's own variance and the moderated one, with the degrees of freedom of that one.
    ///
    /// Moderation may raise a variance that few rounds happened to show small; that is what it is for. It
    /// never lowers one: a case that really is noisier than the others would be drawn towards them and alarm
    /// falsely. (In the simulation in tests/verdicts, one of 400 cases ten times as noisy as the rest, lowering
    /// gives 2 false slow-downs in 100 comparisons of a suite with itself, and this none.)
    #[must_use]
    pub fn raise(&self, own: Variance) -> Variance {
        let moderated = self.moderate(own);
        if own.value > moderated.value { own } else { moderated }
    }
}

/// The derivative of digamma, for x > 0: its recurrence up to 12, then the asymptotic series (Abramowitz and
/// Stegun 6.4.6, 6.4.12).
fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 12.0 {
        sum += (x * x).recip();
        x += 1.0;
    }
    let r = x.recip();
    let s = r * r;
    let series = 1.0 / 6.0
        - s * (1.0 / 30.0
            - s * (1.0 / 42.0 - s * (1.0 / 30.0 - s * (5.0 / 66.0 - s * 691.0 / 2730.0))));
    sum + r + s / 2.0 + r * s * series
}

/// The x > 0 whose trigamma is `y` > 0, by bisection between the roots of its bounds
/// 1/x + 1/(2x²) < trigamma(x) < 1/x + 1/x².
fn inverse_trigamma(y: f64) -> f64 {
    let mut low = (1.0 + (1.0 + 2.0 * y).sqrt()) / (2.0 * y);
    let mut high = (1.0 + (1.0 + 4.0 * y).sqrt()) / (2.0 * y);
    if !high.is_finite() {
        return f64::INFINITY;
    }
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if trigamma(middle) > y {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variances(values: &[f64]) -> Vec<Variance> {
        values.iter().map(|&value| Variance { value, degrees: 8.0 }).collect()
    }

    #[test]
    fn trigamma_and_back() {
        // Abramowitz and Stegun 6.4.4, 6.4.2.
        let pi = std::f64::consts::PI;
        assert!((trigamma(0.5) - pi * pi / 2.0).abs() < 1e-13);
        assert!((trigamma(1.0) - pi * pi / 6.0).abs() < 1e-14);
        for x in [1e-6, 0.01, 0.5, 1.0, 4.0, 11.9, 12.1, 500.0, 1e6, 1e12] {
            assert!((inverse_trigamma(trigamma(x)) / x - 1.0).abs() < 1e-9, "{x}");
        }
        for y in [f64::MIN_POSITIVE, 1e-300, 1e300, f64::MAX] {
            assert!(!inverse_trigamma(y).is_nan());
        }
    }

    #[test]
    fn what_has_no_prior() {
        assert_eq!(Prior::fit(&[]), None);
        assert_eq!(Prior::fit(&variances(&[1.0])), None);
        assert_eq!(Prior::fit(&variances(&[0.0, 0.0, 0.0])), None);
        assert_eq!(Prior::fit(&variances(&[f64::NAN, -1.0, f64::INFINITY, 1.0])), None);
        assert_eq!(Prior::fit(&[Variance { value: 1.0, degrees: 0.0 }; 4]), None);
    }

    #[test]
    fn zeros_are_raised_and_break_nothing() {
        let some = Prior::fit(&variances(&[0.0, 1.0, 2.0, 1.5, 1.2])).unwrap();
        assert!(some.variance > 0.0 && some.degrees.is_finite());
        let most = Prior::fit(&variances(&[0.0, 0.0, 0.0, 1.5, 1.2])).unwrap();
        assert!(most.variance > 0.0);
        let raised = most.raise(Variance { value: 0.0, degrees: 8.0 });
        assert!(raised.value > 0.0 && raised.degrees > 8.0);
    }

    #[test]
    fn equal_variances_are_one() {
        let prior = Prior::fit(&variances(&[4.0; 50])).unwrap();
        assert_eq!(prior.degrees, f64::INFINITY);
        let moderated = prior.moderate(Variance { value: 4.0, degrees: 8.0 });
        assert_eq!(moderated.degrees, 400.0);
    }

    #[test]
    fn a_variance_is_never_lowered() {
        let mut values = vec![1.0, 1.1, 0.9, 1.05, 0.95, 1.2, 0.8, 1.0, 1.0, 100.0];
        let prior = Prior::fit(&variances(&values)).unwrap();
        values.push(0.01);
        for own in variances(&values) {
            let used = prior.raise(own);
            assert!(used.value >= own.value);
            assert!(used.degrees >= own.degrees);
        }
        let noisy = Variance { value: 100.0, degrees: 8.0 };
        assert_eq!(prior.raise(noisy), noisy);
        assert!(prior.moderate(noisy).value < 100.0);
    }
}
