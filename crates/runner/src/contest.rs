//! One contest in one round, or the several of a heat: every side made ready, then slices of all sides in turn. Which
//! contests, which rounds and what becomes of a side that fails is decided elsewhere.

use crate::{PlannedContest, Worker, WorkerError};
use cryptobench_results::{
    record::{CaseInfo, Measured, Settings, Side, SideKey, median_log_ratio, operation_times},
    statistics::median,
};
use cryptobench_schema::{
    CaseId,
    protocol::{Dropped, Handle, Prepared, Slice, Timing},
};
use std::{collections::BTreeMap, mem, ops::Range};

/// How many slices of which length a contest gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slices {
    /// Most of them.
    pub most: u32,
    /// Fewest of them, for slow operations.
    pub fewest: u32,
    /// Nanoseconds of one, or one operation where that takes longer.
    pub slice_ns: u64,
    /// Nanoseconds of untimed operation before each, or `burst_operations` where these take longer.
    pub burst_ns: u64,
    /// Operations before each.
    pub burst_operations: u32,
    /// Nanoseconds of slices that a case may take before it gets fewer of them.
    pub budget_ns: u64,
    /// Fewest slices where each is a key.
    pub fewest_keys: u32,
    /// `budget_ns` where slices are keys.
    pub key_budget_ns: u64,
}

impl Slices {
    /// As `settings` say.
    #[must_use]
    pub const fn of(settings: &Settings) -> Self {
        Self {
            most: settings.slices,
            fewest: settings.fewest_slices,
            slice_ns: settings.slice_ns,
            burst_ns: settings.burst_ns,
            burst_operations: settings.burst_operations,
            budget_ns: settings.budget_ns,
            fewest_keys: settings.fewest_keys,
            key_budget_ns: settings.key_budget_ns,
        }
    }

    /// Slices of twelve times the length, and a quarter of their number, for contests whose sides disturb each other.
    pub(crate) fn longer(self) -> Self {
        Self {
            slice_ns: self.slice_ns * LONGER,
            most: (self.most / 4).max(self.fewest.min(self.most)),
            ..self
        }
    }
}

/// 250 µs becomes 3 ms.
const LONGER: u64 = 12;
/// An operation slower than this gets one operation before each slice: what the sides before it cost, a few
/// microseconds, is nothing to it.
const SLOW_NS: f64 = 1e6;
/// One slower than this gets none: it goes through more memory than any cache keeps for it.
const SLOWEST_NS: f64 = 1e7;
/// More iterations than this are in no slice: for an operation of one cycle they take a second.
const MOST_ITERATIONS: u64 = 1 << 32;
/// Why a case fails whose digest is another one than before.
const CHANGED: &str = "its output is not what it was in an earlier round: something that it works on was changed meanwhile";
/// Every so many turns, each side is asked for [`RUN`] slices in a row.
const RUN_EVERY: u32 = 10;
/// Slices in a row, the last of which is far from the neighbours.
const RUN: usize = 4;

/// In which round contests are measured, and as which heat, where they are several.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lap {
    pub(crate) round: u32,
    pub(crate) heat: Option<u64>,
}

/// Who takes part in a heat: the sides of its contests, one after another.
struct Field<'p> {
    contests: &'p [PlannedContest],
    /// Of each, the contest's place and the side.
    sides: Vec<(usize, &'p SideKey)>,
}

impl<'p> Field<'p> {
    fn of(contests: &'p [PlannedContest]) -> Self {
        let sides = contests
            .iter()
            .enumerate()
            .flat_map(|(place, planned)| planned.sides.iter().map(move |side| (place, side)))
            .collect();
        Self { contests, sides }
    }

    fn case(&self, position: usize) -> CaseId {
        let (place, side) = self.sides[position];
        self.contests[place].case(side)
    }

    /// Where the sides of each contest are among all.
    fn ranges(&self) -> impl Iterator<Item = (&'p PlannedContest, Range<usize>)> {
        let mut start = 0;
        self.contests.iter().map(move |planned| {
            let range = start..start + planned.sides.len();
            start = range.end;
            (planned, range)
        })
    }
}

/// Why a contest could not be measured with the sides that it has.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// Cases that failed, by their position among the sides, in workers that live.
    Cases(Vec<(usize, String)>),
    /// A worker that is lost, and the side at which that happened.
    Worker(usize, WorkerError),
    /// The user wants to stop.
    Stopped,
}

impl Trouble {
    fn of(side: usize, error: WorkerError) -> Self {
        match error {
            WorkerError::Stopped => Self::Stopped,
            error => Self::Worker(side, error),
        }
    }
}

/// What earlier rounds told of cases, by program.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// Nanoseconds of one operation where that is so long that it is a slice, without any before it.
    paces: BTreeMap<(usize, CaseId), f64>,
    /// The digest of what is computed.
    digests: BTreeMap<(usize, CaseId), Option<String>>,
}

impl Known {
    /// What `measured` says of its sides.
    pub(crate) fn learn(&mut self, measured: &Measured) {
        for side in &measured.sides {
            if side.time_ns > SLOWEST_NS && side.iterations == [1] {
                let case = measured.contest.case(side.backend.clone());
                self.paces.entry((side.program, case)).or_insert(side.time_ns);
            }
        }
    }

    /// Takes note of `case`; returns whether it was not known.
    pub(crate) fn meet(&mut self, case: &CaseInfo) -> bool {
        let key = (case.program, case.id.clone());
        let new = !self.digests.contains_key(&key);
        self.digests.entry(key).or_insert_with(|| case.digest.clone());
        new
    }

    /// Whether a case computes what it computed in the rounds before.
    fn is_as_before(&self, case: &CaseInfo) -> bool {
        self.digests
            .get(&(case.program, case.id.clone()))
            .is_none_or(|before| *before == case.digest)
    }
}

/// A side made ready.
struct Ready {
    program: usize,
    handle: Handle,
    /// Nanoseconds of one operation, roughly.
    operation_ns: f64,
    iterations: u64,
    burst: u64,
}

/// Measures `contests` once, slices of all of them in turn. `workers` are by program; those of the sides are running.
/// What is learnt about the cases, also where they fail, is added to `cases`. Positions in what went wrong count the
/// sides of all contests, one contest after another.
pub(crate) fn measure(
    workers: &mut [Option<Worker<'_>>],
    contests: &[PlannedContest],
    lap: Lap,
    slices: Slices,
    known: &Known,
    draw: &mut fastrand::Rng,
    cases: &mut Vec<CaseInfo>,
) -> Result<Vec<Measured>, Trouble> {
    let field = Field::of(contests);
    let mut in_hand = InHand { workers, ready: Vec::new() };
    // How many draws the pace takes depends on the times; what is drawn for the slices must not.
    let mut pacing = draw.fork();
    let taken = in_hand
        .prepare(&field, slices, known, &mut pacing, cases)
        .and_then(|()| in_hand.take(&field, slices, draw));
    let lost = match &taken {
        Err(Trouble::Worker(position, _)) => Some(field.sides[*position].1.program),
        _ => None,
    };
    // Also after trouble: workers that live keep no cases of contests that are over.
    let let_go = in_hand.let_go(lost);
    let turns = taken?;
    let_go?;
    Ok(turns.measured(&field, lap, &in_hand.ready))
}

/// A heat while it is measured.
struct InHand<'a, 'w> {
    workers: &'a mut [Option<Worker<'w>>],
    ready: Vec<Ready>,
}

impl<'w> InHand<'_, 'w> {
    fn worker(&mut self, side: usize, program: usize) -> Result<&mut Worker<'w>, Trouble> {
        self.workers[program]
            .as_mut()
            .ok_or_else(|| Trouble::Cases(vec![(side, "its worker is not running".to_owned())]))
    }

    /// Makes every side ready, in random order, since the first may find colder caches than the last.
    fn prepare(
        &mut self,
        field: &Field<'_>,
        slices: Slices,
        known: &Known,
        draw: &mut fastrand::Rng,
        cases: &mut Vec<CaseInfo>,
    ) -> Result<(), Trouble> {
        let mut digests: Vec<Option<String>> = Vec::new();
        let mut failed = Vec::new();
        for (position, (_, side)) in field.sides.iter().enumerate() {
            let case = field.case(position);
            let prepared = self
                .worker(position, side.program)?
                .prepare(&case)
                .map_err(|error| Trouble::of(position, error))?;
            match prepared {
                Prepared::Ready { handle, .. } if self.has(side.program, handle) => {
                    let reason = format!("its worker calls it {} like another case", handle.0);
                    failed.push((position, reason));
                }
                Prepared::Ready { handle, digest, note } => {
                    let info =
                        CaseInfo { id: case, program: side.program, digest: digest.clone(), note };
                    if !known.is_as_before(&info) {
                        failed.push((position, CHANGED.to_owned()));
                    }
                    cases.push(info);
                    digests.push(digest);
                    let ready = Ready {
                        program: side.program,
                        handle,
                        operation_ns: 0.0,
                        iterations: 1,
                        burst: 0,
                    };
                    self.ready.push(ready);
                }
                Prepared::Unsupported(reason) => {
                    failed.push((position, format!("listed, but unsupported: {reason}")));
                }
                Prepared::Failed(reason) => failed.push((position, reason)),
            }
        }
        if failed.is_empty() {
            failed = field
                .ranges()
                .flat_map(|(planned, range)| {
                    let start = range.start;
                    let differing = differing(&planned.sides, &digests[range]);
                    differing.into_iter().map(move |(position, why)| (start + position, why))
                })
                .collect();
        }
        if !failed.is_empty() {
            return Err(Trouble::Cases(failed));
        }
        let mut order: Vec<usize> = (0..field.sides.len()).collect();
        draw.shuffle(&mut order);
        for position in order {
            let (place, side) = field.sides[position];
            match known.paces.get(&(side.program, field.case(position))) {
                // One is a slice, as it was in the rounds before: nothing more is to be found out.
                Some(&operation_ns) => self.ready[position].operation_ns = operation_ns,
                None => {
                    let keygen = field.contests[place].contest.makes_rsa_key();
                    self.pace(position, keygen, slices, draw)?;
                }
            }
        }
        Ok(())
    }

    /// Whether `program` calls a case of this contest `handle` already.
    fn has(&self, program: usize, handle: Handle) -> bool {
        self.ready.iter().any(|ready| ready.program == program && ready.handle == handle)
    }

    /// Finds out how many iterations make a slice of a side.
    fn pace(
        &mut self,
        position: usize,
        keygen: bool,
        slices: Slices,
        draw: &mut fastrand::Rng,
    ) -> Result<(), Trouble> {
        let slice_ns = slices.slice_ns as f64;
        let mut iterations = 1;
        let operation_ns = loop {
            let answer = self.time(position, 0, iterations, draw.u64(..))?;
            let time = answer as f64;
            if keygen || time * 4.0 >= slice_ns {
                break time / iterations as f64;
            }
            if iterations > MOST_ITERATIONS {
                let reason = format!(
                    "its worker answers {answer} ns for {iterations} iterations: its clock stands still, or nothing is \
                     computed"
                );
                return Err(Trouble::Cases(vec![(position, reason)]));
            }
            // Towards half a slice, by at most a hundredfold, since the first calls may be slow.
            let more = (slice_ns / 2.0 / time).clamp(2.0, 100.0);
            iterations = (iterations as f64 * more) as u64;
        };
        let ready = &mut self.ready[position];
        ready.operation_ns = operation_ns;
        if !keygen {
            let operations = match operation_ns {
                it if it > SLOWEST_NS => 0,
                it if it > SLOW_NS => 1,
                _ => u64::from(slices.burst_operations),
            };
            ready.iterations = ((slice_ns / operation_ns).round() as u64).max(1);
            let filling = (slices.burst_ns as f64 / operation_ns).ceil() as u64;
            ready.burst = if operations == 0 { 0 } else { filling.max(operations) };
        }
        Ok(())
    }

    /// Nanoseconds of one slice.
    fn time(
        &mut self,
        position: usize,
        untimed: u64,
        iterations: u64,
        placement: u64,
    ) -> Result<u64, Trouble> {
        let Ready { program, handle, .. } = self.ready[position];
        let slice = Slice { handle, untimed, iterations, placement };
        match self.worker(position, program)?.time(slice) {
            Ok(Timing::Nanoseconds(time)) => Ok(time),
            Ok(Timing::Failed(reason)) => Err(Trouble::Cases(vec![(position, reason)])),
            Err(error) => Err(Trouble::of(position, error)),
        }
    }

    /// Slices of all sides in turn.
    fn take(
        &mut self,
        field: &Field<'_>,
        slices: Slices,
        draw: &mut fastrand::Rng,
    ) -> Result<Turns, Trouble> {
        let slowest = self.ready.iter().map(|ready| ready.operation_ns).fold(0.0, f64::max);
        let slow = slowest > slices.slice_ns as f64;
        let turns = if slow {
            let keys = field.contests.iter().any(|it| it.contest.makes_rsa_key());
            let (budget, fewest) = if keys {
                (slices.key_budget_ns, slices.fewest_keys)
            } else {
                (slices.budget_ns, slices.fewest)
            };
            let affordable = (budget as f64 / slowest) as u32;
            affordable.clamp(fewest.min(slices.most), slices.most)
        } else {
            slices.most
        };
        let mut taken = Turns::new(field.sides.len());
        let mut order: Vec<usize> = (0..field.sides.len()).collect();
        for turn in 0..turns {
            draw.shuffle(&mut order);
            // The same for every side.
            let placement = draw.u64(..);
            // A slow operation does not notice its neighbours.
            let in_a_row = !slow && turn % RUN_EVERY == RUN_EVERY / 2;
            for &position in &order {
                let Ready { iterations, burst, .. } = self.ready[position];
                let first = self.time(position, burst, iterations, placement)?;
                taken.slices[position].push(first);
                if in_a_row {
                    let mut last = first;
                    for _ in 1..RUN {
                        last = self.time(position, 0, iterations, placement)?;
                    }
                    taken.runs[position].push((first as f64 / last as f64).ln());
                }
            }
        }
        Ok(taken)
    }

    /// Lets go of all cases but those of the program that is `gone`.
    fn let_go(&mut self, gone: Option<usize>) -> Result<(), Trouble> {
        let mut failed = Vec::new();
        let mut lost: Option<(usize, Trouble)> = None;
        for (position, ready) in self.ready.iter().enumerate() {
            if gone == Some(ready.program)
                || lost.as_ref().is_some_and(|(program, _)| *program == ready.program)
            {
                continue;
            }
            let Some(worker) = self.workers[ready.program].as_mut() else { continue };
            match worker.let_go(ready.handle) {
                Ok(Dropped::Done) => {}
                Ok(Dropped::Failed(reason)) => {
                    failed.push((position, format!("after timing: {reason}")));
                }
                Err(error) => lost = Some((ready.program, Trouble::of(position, error))),
            }
        }
        match lost {
            Some((_, lost)) => Err(lost),
            None if failed.is_empty() => Ok(()),
            None => Err(Trouble::Cases(failed)),
        }
    }
}

/// The sides whose output is not that of the others, with the reason. Sides whose output is random have none
/// to differ.
fn differing(sides: &[SideKey], digests: &[Option<String>]) -> Vec<(usize, String)> {
    let mut votes: BTreeMap<&str, usize> = BTreeMap::new();
    for digest in digests.iter().flatten() {
        *votes.entry(digest).or_default() += 1;
    }
    if votes.len() < 2 {
        return Vec::new();
    }
    let voters: usize = votes.values().sum();
    let winner = votes.iter().find(|(_, votes)| **votes * 2 > voters).map(|(digest, _)| *digest);
    let several = sides.iter().any(|side| side.program != sides[0].program);
    let whom = if several { "other programs and backends" } else { "the other backends" };
    digests
        .iter()
        .enumerate()
        .filter_map(|(position, digest)| match (digest.as_deref(), winner) {
            (None, _) => None,
            (Some(digest), Some(winner)) if digest == winner => None,
            (Some(_), Some(_)) => {
                Some((position, format!("its output differs from that of most of {whom}")))
            }
            (Some(_), None) => Some((
                position,
                format!(
                    "its output differs from that of {whom}, and no majority says which is right"
                ),
            )),
        })
        .collect()
}

/// The slices of a heat, by side.
struct Turns {
    slices: Vec<Vec<u64>>,
    /// Logarithms of the first slice's time over the last's, of slices in a row.
    runs: Vec<Vec<f64>>,
}

impl Turns {
    fn new(sides: usize) -> Self {
        Self { slices: vec![Vec::new(); sides], runs: vec![Vec::new(); sides] }
    }

    fn measured(
        mut self,
        field: &Field<'_>,
        Lap { round, heat }: Lap,
        ready: &[Ready],
    ) -> Vec<Measured> {
        // Every turn is one value of each side.
        let times: Vec<Vec<f64>> = self
            .slices
            .iter()
            .zip(ready)
            .map(|(slices, ready)| operation_times(slices, &[ready.iterations]))
            .collect();
        let side = |position: usize| {
            let (_, key) = field.sides[position];
            Side {
                program: key.program,
                backend: key.backend.clone(),
                time_ns: median(&times[position]).unwrap_or_default(),
                iterations: vec![ready[position].iterations],
                interference: median(&self.runs[position]),
            }
        };
        let mut all: Vec<Measured> = field
            .ranges()
            .map(|(planned, range)| {
                let mut log_ratios = Vec::new();
                for first in range.clone() {
                    for other in first + 1..range.end {
                        let ratio = median_log_ratio(&times[other], &times[first]);
                        log_ratios.push(ratio.unwrap_or_default());
                    }
                }
                Measured {
                    contest: planned.contest,
                    round,
                    heat,
                    sides: range.map(side).collect(),
                    log_ratios,
                    slices: Vec::new(),
                }
            })
            .collect();
        for (measured, (_, range)) in all.iter_mut().zip(field.ranges()) {
            measured.slices = range.map(|it| mem::take(&mut self.slices[it])).collect();
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cryptobench_schema::BackendId;

    fn sides(programs: &[usize]) -> Vec<SideKey> {
        programs
            .iter()
            .map(|program| SideKey { program: *program, backend: BackendId::fixed("ring") })
            .collect()
    }

    #[test]
    fn the_side_with_another_output_is_found() {
        let found = |digests: &[&str]| -> Vec<usize> {
            let digests: Vec<Option<String>> = digests
                .iter()
                .map(|digest| (*digest != "-").then(|| (*digest).to_owned()))
                .collect();
            let sides = sides(&vec![0; digests.len()]);
            differing(&sides, &digests).into_iter().map(|(position, _)| position).collect()
        };
        assert_eq!(found(&["a", "a", "a"]), [0; 0]);
        assert_eq!(found(&["-", "-"]), [0; 0]);
        assert_eq!(found(&["-", "a", "-"]), [0; 0]);
        assert_eq!(found(&["a", "b", "a"]), [1]);
        assert_eq!(found(&["b", "-", "a", "a"]), [0]);
        assert_eq!(found(&["a", "b"]), [0, 1]);
        assert_eq!(found(&["a", "a", "b", "b", "-"]), [0, 1, 2, 3]);
    }

    #[test]
    fn between_programs_the_reason_says_so() {
        let digests = [Some("a".to_owned()), Some("b".to_owned())];
        let [(_, reason), _] = &differing(&sides(&[0, 1]), &digests)[..] else {
            panic!("two differ")
        };
        assert!(reason.contains("other programs"), "{reason}");
    }
}
