//! The answers that a record has to the questions of [`Scenario`], one file each, as numbers. Words and units are the
//! report's; what was measured anew is not here.

pub mod bulk;
pub mod document;
pub mod gcm_siv;
pub mod keygen;
pub mod then;

use crate::{
    ranking::Ratio,
    record::{Record, SideKey},
    statistics::{Interval, cut_for, trimmed_mean},
};
use cryptobench_schema::{Contest, Scenario};

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// The ends of an order.
#[derive(Debug, Clone, PartialEq)]
pub struct Extremes {
    /// What was measured.
    pub contest: Contest,
    /// Who takes the shortest.
    pub fastest: SideKey,
    /// Who takes the longest.
    pub slowest: SideKey,
    /// The slowest's time over the fastest's.
    pub ratio: Ratio,
}

/// A number, and where it lies with 95 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimated {
    /// The number.
    pub value: f64,
    /// `None` where nothing bounds it.
    pub interval: Option<Interval>,
}

/// Fewest rounds from which something that is not a ratio of two times has an interval.
const FEWEST_ROUNDS: usize = 3;

impl Estimated {
    /// From its value in each of several rounds: the mean trimmed by [`cut_for`], with an interval from three rounds on.
    /// `None` without values, and where one is not finite.
    fn of_rounds(values: &[f64]) -> Option<Self> {
        let estimate = trimmed_mean(values, cut_for(values.len()))?;
        let interval = (values.len() >= FEWEST_ROUNDS)
            .then(|| estimate.interval(CONFIDENCE))
            .filter(Interval::is_bounded);
        Some(Self { value: estimate.value, interval })
    }
}

/// What `record` measured of `scenario`.
fn part(record: &Record, scenario: Scenario) -> Record {
    let mut part = Record::new(record.header.clone());
    let contests = scenario.contests();
    let measured = record.measured.iter().filter(|it| contests.contains(&it.contest));
    part.measured = measured.cloned().collect();
    part
}
