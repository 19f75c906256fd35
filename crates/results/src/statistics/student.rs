//! Student's t with any positive degrees of freedom, infinitely many included: tail and quantile.
//! The incomplete beta function behind it is statrs'.

use statrs::distribution::{ContinuousCDF as _, Normal, StudentsT};

/// From how many degrees on t is taken as a transformed normal: statrs' continued fraction stops after 140
/// terms, and takes about the square root of half the degrees.
const MANY: f64 = 2_000.0;

/// Fewer degrees than this count as none: quantiles would be beyond what an f64 holds.
const LEAST: f64 = 0.1;

/// The probability that Student's t with `degrees` of freedom exceeds `t`. 1 where that means nothing (NaN, or
/// less than a tenth of a degree), so that a test which cannot be made never rejects.
#[must_use]
pub fn upper_tail(t: f64, degrees: f64) -> f64 {
    if t.is_nan() || degrees.is_nan() || degrees < LEAST {
        return 1.0;
    }
    if t.is_infinite() {
        return if t > 0.0 { 0.0 } else { 1.0 };
    }
    if degrees > MANY {
        return normal_upper_tail(normalised(t, degrees));
    }
    StudentsT::new(0.0, 1.0, degrees).map_or(1.0, |student| student.sf(t)).clamp(0.0, 1.0)
}

/// What Student's t with `degrees` of freedom exceeds with probability `tail`. Infinite for a `tail` of 0 or
/// less, negative infinite for 1 or more; without degrees of freedom (or with NaN) infinite, so that an
/// interval without degrees is unbounded.
#[must_use]
pub fn upper_quantile(tail: f64, degrees: f64) -> f64 {
    if degrees.is_nan() || degrees < LEAST || tail.is_nan() || tail <= 0.0 {
        return f64::INFINITY;
    }
    if tail >= 1.0 {
        return f64::NEG_INFINITY;
    }
    if tail > 0.5 {
        return -upper_quantile(1.0 - tail, degrees);
    }
    // Bisection, because it ends whatever the tail.
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    while upper_tail(high, degrees) > tail {
        low = high;
        high *= 2.0;
        if high.is_infinite() {
            return f64::INFINITY;
        }
    }
    while high - low > 1e-14 * high {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            break;
        }
        if upper_tail(middle, degrees) > tail {
            low = middle;
        } else {
            high = middle;
        }
    }
    low + (high - low) / 2.0
}

/// The normal deviate with the tail of `t` (Wallace 1959, Bounds on normal approximations to Student's and the
/// chi-square distributions): the error in it falls with the square of the degrees.
fn normalised(t: f64, degrees: f64) -> f64 {
    if degrees.is_infinite() {
        return t;
    }
    let eighth = (8.0 * degrees).recip();
    let z = (degrees * (t * t / degrees).ln_1p()).sqrt() * (1.0 + eighth) / (1.0 + 3.0 * eighth);
    z.copysign(t)
}

fn normal_upper_tail(z: f64) -> f64 {
    Normal::new(0.0, 1.0).map_or(1.0, |normal| normal.sf(z)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_means_nothing_never_rejects() {
        assert_eq!(upper_tail(f64::NAN, 3.0), 1.0);
        assert_eq!(upper_tail(9.0, 0.0), 1.0);
        assert_eq!(upper_tail(9.0, f64::NAN), 1.0);
        assert_eq!(upper_tail(f64::INFINITY, 3.0), 0.0);
        assert_eq!(upper_tail(f64::NEG_INFINITY, f64::INFINITY), 1.0);
        for degrees in [0.0, -1.0, f64::NAN] {
            assert_eq!(upper_quantile(0.05, degrees), f64::INFINITY);
        }
        assert_eq!(upper_quantile(0.0, 3.0), f64::INFINITY);
        assert_eq!(upper_quantile(1.0, 3.0), f64::NEG_INFINITY);
    }

    #[test]
    fn every_tail_has_a_quantile_and_it_ends() {
        for degrees in [0.1, 0.3, 1.0, 2.0, 1_999.0, 2_001.0, 1e300, f64::INFINITY] {
            for tail in [1e-300, 1e-30, 1e-5, 0.025, 0.5, 0.9, 1.0 - 1e-10] {
                let t = upper_quantile(tail, degrees);
                assert!(!t.is_nan(), "{tail} {degrees}");
                if t.is_finite() && tail > 1e-10 {
                    let back = upper_tail(t, degrees);
                    assert!((back / tail - 1.0).abs() < 1e-6, "{tail} {degrees}: {back}");
                }
            }
        }
    }

    #[test]
    fn the_two_formulae_meet() {
        for t in [-4.0, -0.5, 0.0, 0.1, 1.0, 2.5, 5.0] {
            let (below, above) = (upper_tail(t, MANY), upper_tail(t, MANY + 1e-9));
            assert!((below / above - 1.0).abs() < 1e-5, "{t}: {below} {above}");
        }
    }
}
