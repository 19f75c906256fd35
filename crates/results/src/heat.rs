//! Contests that were measured together, held against one another: the time of one side over that of another, whose
//! contest may be another too. Sides of one contest are ranked in `ranking`.

use crate::{
    log_ratio::{is_time, possible},
    ranking::Ratio,
    record::{Engine, Measured, Record, SideKey, median_log_ratio, operation_times},
};
use cryptobench_schema::Contest;
use std::collections::{BTreeMap, BTreeSet};

/// The time of `of` over that of `over`, which took their slices in turn: two sides of one contest, or of two contests
/// of one heat.
///
/// A round's value is the median, over slices of the same index, of the logarithm of one time over the other; so what
/// the machine does to both is in neither. Over rounds as in [`rank`](crate::ranking::rank): the trimmed mean and
/// Yuen's interval. A round counts where both took part in one heat and have slices; `None` where none does.
#[must_use]
pub fn ratio(record: &Record, of: (Contest, &SideKey), over: (Contest, &SideKey)) -> Option<Ratio> {
    Heats::new(record).ratio(of, over)
}

/// The rounds of a record, to be asked for several ratios.
pub(crate) struct Heats<'a> {
    /// By contest and number of the round; empty where slices were not taken in turn.
    rounds: BTreeMap<Contest, BTreeMap<u32, &'a Measured>>,
}

impl<'a> Heats<'a> {
    pub(crate) fn new(record: &'a Record) -> Self {
        let mut rounds: BTreeMap<Contest, BTreeMap<u32, &'a Measured>> = BTreeMap::new();
        if record.header.engine == Engine::LockStep {
            for it in &record.measured {
                // As in `ranking`, the first counts where a round is there twice.
                rounds.entry(it.contest).or_default().entry(it.round).or_insert(it);
            }
        }
        Self { rounds }
    }

    /// The contests, in the order of tables.
    pub(crate) fn contests(&self) -> impl Iterator<Item = Contest> {
        self.rounds.keys().copied()
    }

    /// Who took part in `contest`.
    pub(crate) fn sides(&self, contest: Contest) -> BTreeSet<SideKey> {
        self.rounds(contest)
            .flat_map(|it| &it.sides)
            .map(|it| SideKey { program: it.program, backend: it.backend.clone() })
            .collect()
    }

    /// Nanoseconds of one operation in each round.
    pub(crate) fn times(&self, contest: Contest, side: &SideKey) -> Vec<f64> {
        self.rounds(contest).filter_map(|it| time(it, side)).collect()
    }

    /// See [`ratio`].
    pub(crate) fn ratio(
        &self,
        of: (Contest, &SideKey),
        over: (Contest, &SideKey),
    ) -> Option<Ratio> {
        let others = self.rounds.get(&over.0)?;
        let values: Vec<f64> = self
            .rounds(of.0)
            .filter_map(|it| in_round((it, of.1), (others.get(&it.round)?, over.1)))
            .filter(|it| possible(*it))
            .collect();
        Ratio::of_rounds(&values)
    }

    /// Nanoseconds of one operation of each of `sides`, of every round in which all of them took part in one heat: of the
    /// last, its time; of the others, that times the median of their ratios to it slice by slice. So what the machine
    /// does to all of them in a turn is in no difference between two.
    pub(crate) fn together<const N: usize>(
        &self,
        sides: [(Contest, &SideKey); N],
    ) -> Vec<[f64; N]> {
        let Some((last, last_side)) = sides.last() else { return Vec::new() };
        let in_round = |one: &&'a Measured| {
            let unit = time(one, last_side)?;
            let mut times = [0.0; N];
            for (place, (contest, side)) in times.iter_mut().zip(sides) {
                let other = self.rounds.get(&contest)?.get(&one.round)?;
                let ratio = in_round((other, side), (one, last_side))?;
                *place = unit * ratio.exp();
            }
            times.iter().all(|it| is_time(*it)).then_some(times)
        };
        self.rounds.get(last).into_iter().flat_map(BTreeMap::values).filter_map(in_round).collect()
    }

    fn rounds(&self, contest: Contest) -> impl Iterator<Item = &'a Measured> {
        self.rounds.get(&contest).into_iter().flat_map(BTreeMap::values).copied()
    }
}

/// Whether slices of the same index belong together.
fn together(one: &Measured, other: &Measured) -> bool {
    one.contest == other.contest || (one.heat.is_some() && one.heat == other.heat)
}

fn time(measured: &Measured, side: &SideKey) -> Option<f64> {
    let time = measured.sides.get(measured.position(side)?)?.time_ns;
    is_time(time).then_some(time)
}

fn in_round(of: (&Measured, &SideKey), over: (&Measured, &SideKey)) -> Option<f64> {
    if of.0.contest == over.0.contest {
        return of.0.log_ratio(of.1, over.1);
    }
    if !together(of.0, over.0) {
        return None;
    }
    median_log_ratio(&slices(of.0, of.1)?, &slices(over.0, over.1)?)
}

/// Nanoseconds of one operation in each slice.
fn slices(measured: &Measured, side: &SideKey) -> Option<Vec<f64>> {
    let position = measured.position(side)?;
    let iterations = &measured.sides.get(position)?.iterations;
    Some(operation_times(measured.slices.get(position)?, iterations))
}
