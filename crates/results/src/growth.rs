//! How time grows with the size of a message: the line through the times of one side, and where one side overtakes
//! another. Which side is faster at one size is in `ranking`.

use crate::{log_ratio::is_time, ranking::RankedContest, record::SideKey};
use std::collections::BTreeSet;

/// A time of `fixed_ns` + `per_byte_ns` × bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Nanoseconds that every operation takes, whatever its size; not negative.
    pub fixed_ns: f64,
    /// Nanoseconds that each byte adds; not negative.
    pub per_byte_ns: f64,
    /// Which share of the (weighted) spread of times about their mean the line explains: 1 where it meets all of
    /// them, 0 where it is no better than one time for all sizes.
    pub r_squared: f64,
    /// The largest relative distance of the line from a time: 0.02 where it is up to 2 % off.
    pub worst: f64,
    /// Through how many times.
    pub points: usize,
}

/// The line through `points` (bytes, nanoseconds) with the least squares of relative errors, Σ ((a + b n) / t - 1)²
/// with a and b not negative: otherwise the largest message alone would say where the line begins. That is weighted
/// least squares with weights 1 / t² (Tofallis 2008, Least squares percentage regression). Where the line would begin
/// below 0 it goes through the origin; where it would fall, it is level: in two dimensions that is where the smallest
/// sum within the bounds lies.
///
/// `None` for fewer than three different sizes, for a time that is none (not finite, not above 0), and for numbers so
/// far apart that their weights vanish.
#[must_use]
pub fn line(points: &[(u64, f64)]) -> Option<Line> {
    let sizes: BTreeSet<u64> = points.iter().map(|it| it.0).collect();
    if sizes.len() < 3 || !points.iter().all(|it| is_time(it.1)) {
        return None;
    }
    // In units of the largest size and the smallest time, so that nothing overflows.
    let size_unit = *sizes.last()? as f64;
    let time_unit = points.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
    let scaled: Vec<(f64, f64)> =
        points.iter().map(|&(n, t)| (n as f64 / size_unit, t / time_unit)).collect();
    let sum = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
        scaled.iter().map(|&(n, t)| term(n, t) / t / t).sum()
    };
    let weight = sum(&|_, _| 1.0);
    let mean_size = sum(&|n, _| n) / weight;
    let mean_time = sum(&|_, t| t) / weight;
    let slope = sum(&|n, t| (n - mean_size) * (t - mean_time))
        / sum(&|n, _| (n - mean_size) * (n - mean_size));
    let start = mean_time - slope * mean_size;
    let (fixed, per_size) = if !(slope.is_finite() && start.is_finite()) {
        return None;
    } else if slope < 0.0 {
        (mean_time, 0.0)
    } else if start < 0.0 {
        (0.0, sum(&|n, t| n * t) / sum(&|n, _| n * n))
    } else {
        (start, slope)
    };
    let off = |n: f64, t: f64| (fixed + per_size * n - t).powi(2);
    let (left, all) = (sum(&off), sum(&|_, t| (t - mean_time).powi(2)));
    let level = scaled.iter().all(|it| it.1 == scaled[0].1);
    let line = Line {
        fixed_ns: fixed * time_unit,
        per_byte_ns: per_size * time_unit / size_unit,
        // Of equal times there is no spread to explain, and the line meets them.
        r_squared: if level { 1.0 } else { (1.0 - left / all).clamp(0.0, 1.0) },
        worst: scaled
            .iter()
            .map(|&(n, t)| ((fixed + per_size * n) / t - 1.0).abs())
            .fold(0.0, f64::max),
        points: points.len(),
    };
    [line.fixed_ns, line.per_byte_ns, line.r_squared, line.worst]
        .iter()
        .all(|it| it.is_finite())
        .then_some(line)
}

/// Two sides whose order is another for large messages than for small ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Overtake {
    /// The faster one for smaller messages.
    pub below: SideKey,
    /// The faster one for larger messages.
    pub above: SideKey,
    /// The sizes between which that changes, in bytes: the nearest at which it is certain which of them is faster.
    pub between: (u64, u64),
    /// At how many bytes both would take the same time, if time grew evenly between these sizes.
    pub at: f64,
}

/// Where sides overtake one another, by size.
///
/// `contests` are those of one algorithm and operation; those without a size say nothing. A size counts where the
/// interval of the pair's ratio does not hold 1, and the ranks say the same: so a tie is no overtaking.
#[must_use]
pub fn overtakes(contests: &[RankedContest]) -> Vec<Overtake> {
    let mut sized: Vec<(u64, &RankedContest)> =
        contests.iter().filter_map(|it| Some((it.contest.size?, it))).collect();
    sized.sort_by_key(|it| it.0);
    sized.dedup_by_key(|it| it.0);
    let keys: Vec<&SideKey> = sized
        .iter()
        .flat_map(|it| &it.1.sides)
        .map(|it| &it.key)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    let mut found = Vec::new();
    for (index, first) in keys.iter().enumerate() {
        for second in &keys[index + 1..] {
            let apart: Vec<Apart> =
                sized.iter().filter_map(|it| Apart::of(it.0, it.1, first, second)).collect();
            for (low, high) in apart.iter().zip(apart.iter().skip(1)) {
                if (low.log_ratio > 0.0) == (high.log_ratio > 0.0) {
                    continue;
                }
                let (below, above) =
                    if low.log_ratio > 0.0 { (first, second) } else { (second, first) };
                found.push(Overtake {
                    below: (*below).clone(),
                    above: (*above).clone(),
                    between: (low.size, high.size),
                    at: crossing(low, high),
                });
            }
        }
    }
    found.sort_by(|a, b| a.at.total_cmp(&b.at));
    found
}

/// A size at which two sides certainly differ.
struct Apart {
    size: u64,
    /// Of the second's time over the first's; not 0.
    log_ratio: f64,
    /// The logarithm of the geometric mean of both times.
    log_mean: f64,
}

impl Apart {
    fn of(size: u64, contest: &RankedContest, first: &SideKey, second: &SideKey) -> Option<Self> {
        let ratio = contest
            .ratio(second, first)
            .filter(|it| it.log_ratio != 0.0)
            .filter(|it| it.interval.is_some_and(|interval| interval.beyond(0.0)))?;
        let rank = |key: &SideKey| {
            contest.sides.iter().find(|side| side.key == *key).and_then(|it| it.rank)
        };
        let order = rank(second)?.cmp(&rank(first)?);
        if order != ratio.log_ratio.total_cmp(&0.0) {
            return None;
        }
        let log_time = |key: &SideKey| {
            contest.sides.iter().find(|side| side.key == *key).map(|side| side.time_ns.ln())
        };
        let log_mean = (log_time(first)? + log_time(second)?) / 2.0;
        Some(Self { size, log_ratio: ratio.log_ratio, log_mean })
    }

    /// The logarithm of how many nanoseconds lie between the two. Their times are taken to have the ratio that
    /// slices taken in turn gave, r in logarithms, about the geometric mean m that they have: m e^(r/2) and
    /// m e^(-r/2), which are m e^(r/2) (1 - e^(-r)) apart. Left as they are they may have the other order.
    fn log_distance(&self) -> f64 {
        let ratio = self.log_ratio.abs();
        self.log_mean + ratio / 2.0 + (-(-ratio).exp_m1()).ln()
    }
}

/// Where two lines cross whose distances at `low` and `high` have opposite signs.
fn crossing(low: &Apart, high: &Apart) -> f64 {
    let share = (1.0 + (high.log_distance() - low.log_distance()).exp()).recip();
    let (from, to) = (low.size as f64, high.size as f64);
    (from + (to - from) * share).clamp(from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(ours: f64, theirs: f64) {
        assert!((ours - theirs).abs() <= 1e-9 * theirs.abs().max(1e-3), "{ours} is not {theirs}");
    }

    /// Against SciPy 1.17.1, `optimize.nnls` of the columns 1/t and n/t against ones, and NumPy's sums for the rest.
    #[test]
    fn lines_are_those_of_scipy() {
        let rising =
            line(&[(16, 61.3), (128, 105.2), (1024, 490.8), (8192, 3310.0), (65536, 26500.0)])
                .unwrap();
        near(rising.fixed_ns, 54.612_434_232_437_72);
        near(rising.per_byte_ns, 0.406_212_416_517_523_05);
        near(rising.r_squared, 0.999_138_734_692_248_8);
        near(rising.worst, 0.041_210_373_377_381_09);
        assert_eq!(rising.points, 5);

        // Free, it would begin at -5.02.
        let origin = line(&[(16, 4.0), (128, 60.0), (1024, 600.0), (8192, 5000.0)]).unwrap();
        assert_eq!(origin.fixed_ns, 0.0);
        near(origin.per_byte_ns, 0.362_487_988_319_102_7);
        near(origin.r_squared, 0.802_134_045_326_848_6);
        near(origin.worst, 0.449_951_953_276_410_9);

        // Free, it would fall by 0.0004 a byte.
        let level = line(&[(16, 103.0), (128, 101.0), (1024, 99.0), (8192, 98.0)]).unwrap();
        near(level.fixed_ns, 100.177_017_614_616_4);
        assert_eq!(level.per_byte_ns, 0.0);
        assert!(level.r_squared < 1e-12);
        near(level.worst, 0.027_407_595_974_598_076);

        let repeated = line(&[(4096, 1010.0), (16, 54.0), (1024, 300.0), (16, 50.0)]).unwrap();
        near(repeated.fixed_ns, 48.091_090_835_641_77);
        near(repeated.per_byte_ns, 0.239_438_146_354_602_45);
        near(repeated.r_squared, 0.997_572_775_393_719_4);
        near(repeated.worst, 0.038_479_607_827_492_38);
    }

    #[test]
    fn what_is_a_line_is_found() {
        // 20 ns and a quarter of one for each byte.
        let exact = line(&[(0, 20.0), (16, 24.0), (1024, 276.0), (1 << 20, 262_164.0)]).unwrap();
        near(exact.fixed_ns, 20.0);
        near(exact.per_byte_ns, 0.25);
        near(exact.r_squared, 1.0);
        assert!(exact.worst < 1e-12);

        let level = line(&[(16, 0.3), (64, 0.3), (256, 0.3)]).unwrap();
        near(level.fixed_ns, 0.3);
        assert!(level.per_byte_ns.abs() < 1e-15 && level.worst < 1e-12);
        assert_eq!(level.r_squared, 1.0);
    }

    #[test]
    fn what_has_no_line_has_none() {
        assert_eq!(line(&[]), None);
        assert_eq!(line(&[(16, 1.0), (64, 2.0)]), None);
        assert_eq!(line(&[(16, 1.0), (64, 2.0), (64, 2.1), (16, 1.1)]), None);
        for bad in [f64::NAN, f64::INFINITY, 0.0, -1.0] {
            assert_eq!(line(&[(16, 1.0), (64, bad), (256, 4.0), (1024, 5.0)]), None);
        }
        // The same number as f64.
        let most = u64::MAX;
        assert_eq!(line(&[(most, 1.0), (most - 1, 2.0), (most - 2, 3.0)]), None);
    }

    #[test]
    fn no_line_holds_what_is_no_number() {
        let times = [5e-324, f64::MIN_POSITIVE, 1e-9, 1.0, 1e9, 1e300, f64::MAX];
        let mut found = 0;
        for index in 0..times.len().pow(4) {
            let time = |place: u32| times[index / times.len().pow(place) % times.len()];
            for sizes in [[0, 1, 2, 3], [0, 16, 1 << 53, u64::MAX]] {
                let points: Vec<(u64, f64)> = sizes.into_iter().zip((0..4).map(time)).collect();
                let Some(line) = line(&points) else { continue };
                found += 1;
                let numbers = [line.fixed_ns, line.per_byte_ns, line.r_squared, line.worst];
                assert!(numbers.iter().all(|it| it.is_finite() && *it >= 0.0), "{points:?}");
                assert!(line.r_squared <= 1.0);
            }
        }
        // Those at least whose times are from 1e-9 to 1e9.
        assert!(found >= 2 * 3_usize.pow(4), "{found}");
    }
}
