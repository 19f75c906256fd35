//! One contest in one round: every side made ready, then slices of all sides in turn. Which contests, which
//! rounds and what becomes of a side that fails is decided elsewhere.

use crate::{PlannedContest, Worker, WorkerError};
use cryptobench_results::{
    record::{CaseInfo, Measured, Settings, Side, SideKey, median_log_ratio, operation_times},
    statistics::median,
};
use cryptobench_schema::{
    Algorithm,
    protocol::{Dropped, Handle, Prepared, Slice, Timing},
};
use std::collections::BTreeMap;

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
/// More iterations than this are in no slice: for an operation of one cycle they take a second.
const MOST_ITERATIONS: u64 = 1 << 32;
/// Every so many turns, each side is asked for [`RUN`] slices in a row.
const RUN_EVERY: u32 = 10;
/// Slices in a row, the last of which is far from the neighbours.
const RUN: usize = 4;

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

/// A side made ready.
struct Ready {
    program: usize,
    handle: Handle,
    /// Nanoseconds of one operation, roughly.
    operation_ns: f64,
    iterations: u64,
    burst: u64,
}

/// Measures `planned` once. `workers` are by program; those of its sides are running. What is learnt about the
/// cases, also where they fail, is added to `cases`.
pub(crate) fn measure(
    workers: &mut [Option<Worker<'_>>],
    planned: &PlannedContest,
    round: u32,
    slices: Slices,
    draw: &mut fastrand::Rng,
    cases: &mut Vec<CaseInfo>,
) -> Result<Measured, Trouble> {
    let mut contest = InHand { workers, ready: Vec::new() };
    // How many draws the pace takes depends on the times; what is drawn for the slices must not.
    let mut pacing = draw.fork();
    let taken = contest
        .prepare(planned, slices, &mut pacing, cases)
        .and_then(|()| contest.take(planned, slices, draw));
    let lost = match &taken {
        Err(Trouble::Worker(position, _)) => Some(planned.sides[*position].program),
        _ => None,
    };
    // Also after trouble: workers that live keep no cases of contests that are over.
    let let_go = contest.let_go(lost);
    let turns = taken?;
    let_go?;
    Ok(turns.measured(planned, round, &contest.ready))
}

/// A contest while it is measured.
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
        planned: &PlannedContest,
        slices: Slices,
        draw: &mut fastrand::Rng,
        cases: &mut Vec<CaseInfo>,
    ) -> Result<(), Trouble> {
        let mut digests: Vec<Option<String>> = Vec::new();
        let mut failed = Vec::new();
        let keygen = planned.contest.algorithm == Algorithm::Rsa;
        for (position, side) in planned.sides.iter().enumerate() {
            let case = planned.case(side);
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
            failed = differing(&planned.sides, &digests);
        }
        if !failed.is_empty() {
            return Err(Trouble::Cases(failed));
        }
        let mut order: Vec<usize> = (0..planned.sides.len()).collect();
        draw.shuffle(&mut order);
        for position in order {
            self.pace(position, keygen, slices, draw)?;
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
            let operations =
                if operation_ns > SLOW_NS { 1 } else { u64::from(slices.burst_operations) };
            ready.iterations = ((slice_ns / operation_ns).round() as u64).max(1);
            ready.burst = ((slices.burst_ns as f64 / operation_ns).ceil() as u64).max(operations);
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
        planned: &PlannedContest,
        slices: Slices,
        draw: &mut fastrand::Rng,
    ) -> Result<Turns, Trouble> {
        let slowest = self.ready.iter().map(|ready| ready.operation_ns).fold(0.0, f64::max);
        let slow = slowest > slices.slice_ns as f64;
        let turns = if slow {
            let affordable = (slices.budget_ns as f64 / slowest) as u32;
            affordable.clamp(slices.fewest.min(slices.most), slices.most)
        } else {
            slices.most
        };
        let mut taken = Turns::new(planned.sides.len());
        let mut order: Vec<usize> = (0..planned.sides.len()).collect();
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

/// The slices of a contest, by side.
struct Turns {
    slices: Vec<Vec<u64>>,
    /// Logarithms of the first slice's time over the last's, of slices in a row.
    runs: Vec<Vec<f64>>,
}

impl Turns {
    fn new(sides: usize) -> Self {
        Self { slices: vec![Vec::new(); sides], runs: vec![Vec::new(); sides] }
    }

    fn measured(self, planned: &PlannedContest, round: u32, ready: &[Ready]) -> Measured {
        // Every turn is one value of each side.
        let times: Vec<Vec<f64>> = self
            .slices
            .iter()
            .zip(ready)
            .map(|(slices, ready)| operation_times(slices, &[ready.iterations]))
            .collect();
        let mut log_ratios = Vec::new();
        for (first, one) in times.iter().enumerate() {
            for other in &times[first + 1..] {
                log_ratios.push(median_log_ratio(other, one).unwrap_or_default());
            }
        }
        let sides = planned
            .sides
            .iter()
            .zip(ready)
            .zip(times.iter().zip(&self.runs))
            .map(|((side, ready), (times, runs))| Side {
                program: side.program,
                backend: side.backend.clone(),
                time_ns: median(times).unwrap_or_default(),
                iterations: vec![ready.iterations],
                interference: median(runs),
            })
            .collect();
        Measured { contest: planned.contest, round, sides, log_ratios, slices: self.slices }
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
