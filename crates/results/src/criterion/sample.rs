//! What Criterion measured of one case, checked: a number that cannot be is a problem, never a result.
//! Finding the files is in `files`.

use super::{
    Problem, QUICK_SAMPLES, SLACK,
    files::{self, ESTIMATES, Estimates, Found, SAMPLE, Sample},
    runs::Run,
};
use crate::statistics::median;
use serde::de::DeserializeOwned;
use std::{path::PathBuf, time::SystemTime};

/// Up to here every whole number is itself as `f64`: 104 days in nanoseconds.
const EXACT: f64 = 9_007_199_254_740_992.0;
/// How far, relative to each other, Criterion's median and ours may be apart: both are sums of a few roundings.
const ROUNDING: f64 = 1e-9;

/// One case.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sampled {
    /// Nanoseconds of one operation: the median over samples.
    pub(super) time_ns: f64,
    /// Operations in a sample: one number where every sample has as many, otherwise one for each.
    pub(super) iterations: Vec<u64>,
    /// Nanoseconds of each sample.
    pub(super) slices: Vec<u64>,
}

/// What `found` has, which `run` lists; or which file is why there is nothing, and what is the matter with it.
pub(super) fn read(found: &Found, run: &Run) -> Result<Sampled, (PathBuf, Problem)> {
    if let Some(path) = found.interrupted() {
        return Err((path, Problem::Interrupted));
    }
    dated(run, found.written).map_err(|problem| (found.benchmark(), problem))?;
    let (path, sample): (_, Sample) = current(found, SAMPLE, run)?;
    let sampled = checked(&sample).map_err(|problem| (path, problem))?;
    let (path, estimates): (_, Estimates) = current(found, ESTIMATES, run)?;
    let criterion = estimates.median.point_estimate;
    // So that a NaN does not pass.
    if (criterion - sampled.time_ns).abs() <= ROUNDING * sampled.time_ns {
        Ok(sampled)
    } else {
        Err((path, Problem::Median { criterion, sample: sampled.time_ns }))
    }
}

/// The file `name` of `found`, if it is of `run`.
fn current<T: DeserializeOwned>(
    found: &Found,
    name: &str,
    run: &Run,
) -> Result<(PathBuf, T), (PathBuf, Problem)> {
    let path = found.directory.join(name);
    let read = files::read(&path).and_then(|(it, written)| dated(run, written).map(|()| it));
    match read {
        Ok(it) => Ok((path, it)),
        Err(problem) => Err((path, problem)),
    }
}

/// Whether what was `written` then can be of `run`.
fn dated(run: &Run, written: SystemTime) -> Result<(), Problem> {
    match run.started.duration_since(written) {
        Ok(earlier) if earlier > SLACK => Err(Problem::Older { started: run.run.started.clone() }),
        _ => Ok(()),
    }
}

/// `sample` as whole numbers, and their median.
fn checked(sample: &Sample) -> Result<Sampled, Problem> {
    let Sample { iters, times } = sample;
    if iters.len() != times.len() {
        return Err(Problem::Lengths { iterations: iters.len(), times: times.len() });
    }
    if times.len() < QUICK_SAMPLES {
        return Err(Problem::Samples { count: times.len() });
    }
    let mut iterations = each(iters, |index, value| {
        let whole = value.fract() == 0.0;
        whole.then(|| exact(value)).flatten().ok_or(Problem::Iterations { index, value })
    })?;
    let slices = each(times, |index, value| {
        exact(value.round()).ok_or(Problem::Nanoseconds { index, value })
    })?;
    if iterations.windows(2).all(|pair| pair[0] == pair[1]) {
        iterations.truncate(1);
    }
    let each: Vec<f64> = times.iter().zip(iters).map(|(time, count)| time / count).collect();
    // Fewer than two samples were refused above.
    let time_ns = median(&each).unwrap_or_default();
    Ok(Sampled { time_ns, iterations, slices })
}

/// All `values` as whole numbers, or the first problem.
fn each(
    values: &[f64],
    whole: impl Fn(usize, f64) -> Result<u64, Problem>,
) -> Result<Vec<u64>, Problem> {
    values.iter().enumerate().map(|(index, &value)| whole(index, value)).collect()
}

/// A whole number as what it is, if it is positive and none of it was lost.
fn exact(value: f64) -> Option<u64> {
    // Not of a NaN either.
    (1.0..=EXACT).contains(&value).then_some(value as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(iters: &[f64], times: &[f64]) -> Result<Sampled, Problem> {
        checked(&Sample { iters: iters.into(), times: times.into() })
    }

    #[test]
    fn iterations_are_one_number_where_they_are_the_same() {
        let flat = of(&[10.0, 10.0, 10.0], &[1000.4, 3000.6, 2000.0]).expect("a sample");
        assert_eq!(flat.iterations, [10]);
        assert_eq!(flat.slices, [1000, 3001, 2000]);
        assert_eq!(flat.time_ns.to_bits(), 200.0_f64.to_bits());
        let linear = of(&[1.0, 2.0, 3.0, 4.0], &[10.0, 22.0, 36.0, 52.0]).expect("a sample");
        assert_eq!(linear.iterations, [1, 2, 3, 4]);
        assert_eq!(linear.time_ns.to_bits(), 11.5_f64.to_bits());
    }

    #[test]
    fn numbers_that_cannot_be_are_named() {
        for value in [0.0, -1.0, 0.5, 1.5, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
            let problem = of(&[1.0, value], &[10.0, 10.0]).expect_err("no number of iterations");
            assert!(matches!(problem, Problem::Iterations { index: 1, .. }), "{value}: {problem}");
        }
        for value in [0.0, -0.0, 0.49, -5.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300] {
            let problem = of(&[1.0, 1.0], &[10.0, value]).expect_err("no time");
            assert!(matches!(problem, Problem::Nanoseconds { index: 1, .. }), "{value}: {problem}");
        }
        assert!(matches!(of(&[], &[]), Err(Problem::Samples { count: 0 })));
        assert!(matches!(of(&[1.0], &[1.0]), Err(Problem::Samples { count: 1 })));
        assert!(matches!(of(&[1.0, 1.0], &[1.0]), Err(Problem::Lengths { .. })));
    }

    #[test]
    fn half_a_nanosecond_is_one() {
        assert_eq!(of(&[1.0, 1.0], &[0.5, 0.5]).expect("a sample").slices, [1, 1]);
    }
}
