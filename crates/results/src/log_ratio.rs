//! Which numbers can be the logarithm of a ratio of two times. Files may hold others.
//! What ratios mean is in `comparison` and `ranking`.

/// Beyond what two times can have: ln(`f64::MAX` / `f64::MIN_POSITIVE`) is 1418.
const BEYOND: f64 = 1500.0;

/// Whether `value` can be one: so no sum of them overflows.
pub(crate) fn possible(value: f64) -> bool {
    value.abs() < BEYOND
}

/// Whether `nanoseconds` can be a time.
pub(crate) fn is_time(nanoseconds: f64) -> bool {
    nanoseconds.is_finite() && nanoseconds > 0.0
}

/// The logarithm of `of` over `over`, where both are times: their quotient may be beyond what an f64 holds.
pub(crate) fn of_times(of: f64, over: f64) -> f64 {
    of.ln() - over.ln()
}
