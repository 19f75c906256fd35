//! The rounds of a run: fresh workers, every contest once, in an order drawn from the seed; and what becomes
//! of cases and workers that fail. How one contest is measured is decided elsewhere.

use crate::{
    PlannedContest, Program, Slices, Worker, WorkerError,
    contest::{Known, Lap, Trouble, measure},
};
use cryptobench_results::record::{
    CaseInfo, FailedSide, JournalError, Line, Measured, Record, SideKey,
};
use cryptobench_results::statistics::mean_estimate;
use cryptobench_schema::{CaseId, Contest};
use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
    sync::atomic::{AtomicBool, Ordering},
};
use thiserror::Error;

/// A worker that was lost so often is not started again.
const MOST_LOSSES: u32 = 10;
/// What slices of other sides may cost a side's own before its contest gets longer ones.
const INTERFERENCE: f64 = 0.005;
/// Rounds before that is judged.
const INTERFERENCE_ROUNDS: usize = 3;
/// How improbable it must be that it is nothing: hundreds of contests are judged, again after each round.
const INTERFERENCE_ALPHA: f64 = 0.0001;

/// Who is told how a run goes on.
pub trait Progress {
    /// A contest of round `round` is about to be measured.
    fn begins(&mut self, _contest: &Contest, _round: u32) {}
    /// One contest of one round is done, or there is nothing left of it to do.
    fn done(&mut self, _contest: &Contest, _round: u32) {}
    /// A case failed and is left out from now on.
    fn failed(&mut self, _failed: &FailedSide) {}
    /// The sides of a contest disturb each other: slices right after another side's are `share` slower than
    /// those after their own.
    fn interference(&mut self, _contest: &Contest, _share: f64) {}
}

/// Nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {}

/// Why a run could not go on.
#[derive(Debug, Error)]
pub enum RunError {
    /// The record cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Every contest of every round is done, apart from what failed.
    Finished,
    /// The user stopped it.
    Stopped,
}

/// A run while it goes on: what has been done, and what has failed.
#[derive(Debug)]
pub struct Rounds<'a> {
    programs: &'a [Program],
    seed: u64,
    stop: &'a AtomicBool,
    done: BTreeSet<(Contest, u32)>,
    known: Known,
    failed: BTreeSet<(usize, CaseId)>,
    losses: Vec<Losses>,
    interference: BTreeMap<(Contest, SideKey), Vec<f64>>,
    /// Contests whose sides disturb each other.
    disturbed: BTreeSet<Contest>,
    /// The number of the next heat.
    next_heat: u64,
}

/// How often a worker was lost.
#[derive(Debug, Clone, Default)]
struct Losses {
    count: u32,
    /// How, the last time.
    last: String,
}

impl<'a> Rounds<'a> {
    /// A run of `programs` that has done nothing yet. While `stop` is set it ends at the next slice.
    #[must_use]
    pub fn new(programs: &'a [Program], seed: u64, stop: &'a AtomicBool) -> Self {
        Self {
            programs,
            seed,
            stop,
            done: BTreeSet::new(),
            known: Known::default(),
            failed: BTreeSet::new(),
            losses: vec![Losses::default(); programs.len()],
            interference: BTreeMap::new(),
            disturbed: BTreeSet::new(),
            next_heat: 0,
        }
    }

    /// Counts what `record` holds as done.
    pub fn resume(&mut self, record: &Record) {
        for measured in &record.measured {
            self.done.insert((measured.contest, measured.round));
            self.judge_interference(measured);
            self.known.learn(measured);
            self.next_heat = self.next_heat.max(measured.heat.map_or(0, |it| it + 1));
        }
        for case in &record.cases {
            self.known.meet(case);
        }
        self.failed.extend(record.failed.iter().map(|it| (it.program, it.id.clone())));
    }

    /// How many contests of `rounds` there are still to do.
    #[must_use]
    pub fn left(&self, contests: &[PlannedContest], rounds: Range<u32>) -> usize {
        rounds
            .map(|round| {
                let done = |it: &&PlannedContest| !self.done.contains(&(it.contest, round));
                contests.iter().filter(done).count()
            })
            .sum()
    }

    /// Measures `contests` in each of `rounds`, handing every line to `keep`.
    ///
    /// # Errors
    ///
    /// Those of `keep`. What fails in a worker is a line.
    pub fn run(
        &mut self,
        contests: &[PlannedContest],
        rounds: Range<u32>,
        slices: Slices,
        keep: &mut dyn FnMut(&Line) -> Result<(), JournalError>,
        progress: &mut dyn Progress,
    ) -> Result<Outcome, RunError> {
        for round in rounds {
            let mut order = heats(contests);
            drawn(self.seed, round, "order").shuffle(&mut order);
            let mut workers: Vec<Option<Worker<'_>>> = self.programs.iter().map(|_| None).collect();
            for mut heat in order {
                heat.retain(|it| !self.done.contains(&(it.contest, round)));
                let Some(first) = heat.first() else { continue };
                progress.begins(&first.contest, round);
                if !self.once(&mut workers, &heat, round, slices, keep, progress)? {
                    return Ok(Outcome::Stopped);
                }
                for planned in heat {
                    progress.done(&planned.contest, round);
                }
            }
        }
        Ok(Outcome::Finished)
    }

    /// Measures the contests of `heat` with all of their sides that have not failed; where one fails meanwhile, again
    /// without it. Returns whether to go on.
    fn once(
        &mut self,
        workers: &mut Vec<Option<Worker<'a>>>,
        heat: &[&PlannedContest],
        round: u32,
        slices: Slices,
        keep: &mut dyn FnMut(&Line) -> Result<(), JournalError>,
        progress: &mut dyn Progress,
    ) -> Result<bool, RunError> {
        let mut restarted: BTreeSet<usize> = BTreeSet::new();
        loop {
            let attempt: Vec<PlannedContest> =
                heat.iter().filter_map(|it| self.left_of(it)).collect();
            let Some(first) = heat.first() else { return Ok(true) };
            // Anew for each attempt: who is left is drawn the same, whoever took part before.
            let mut draw = drawn(self.seed, round, &first.contest.to_string());
            if self.stop.load(Ordering::Relaxed) {
                return Ok(false);
            }
            if attempt.is_empty() {
                return Ok(true);
            }
            let disturbed = heat.iter().any(|it| self.disturbed.contains(&it.contest));
            let slices = if disturbed { slices.longer() } else { slices };
            let lap = Lap { round, heat: (attempt.len() > 1).then_some(self.next_heat) };
            let mut cases = Vec::new();
            let before: Vec<Option<u64>> =
                workers.iter().map(|it| it.as_ref().map(Worker::answered)).collect();
            let result = self.start(workers, &attempt).and_then(|()| {
                measure(workers, &attempt, lap, slices, &self.known, &mut draw, &mut cases)
            });
            for case in cases {
                self.learn(case, keep)?;
            }
            let sides: Vec<(CaseId, usize)> = attempt
                .iter()
                .flat_map(|it| it.sides.iter().map(|side| (it.case(side), side.program)))
                .collect();
            let failed = match result {
                Ok(all) => {
                    for measured in all {
                        let contest = measured.contest;
                        if self.judge_interference(&measured)
                            && let Some(share) = self.disturbance(&contest)
                        {
                            progress.interference(&contest, share);
                        }
                        self.known.learn(&measured);
                        keep(&Line::Contest(measured))?;
                        self.done.insert((contest, round));
                    }
                    self.next_heat += u64::from(lap.heat.is_some());
                    return Ok(true);
                }
                Err(Trouble::Stopped) => return Ok(false),
                Err(Trouble::Cases(failed)) => failed,
                Err(Trouble::Worker(position, error)) => {
                    let (_, program) = sides[position];
                    let worker = workers[program].take();
                    let reason = error.to_string();
                    let losses = &mut self.losses[program];
                    losses.last.clone_from(&reason);
                    // It has answered nothing since the contest before, or the attempt before, which this
                    // case had no part in.
                    let earlier = worker.is_some_and(|it| before[program] == Some(it.answered()));
                    let lost =
                        matches!(error, WorkerError::Ended { .. } | WorkerError::Unasked { .. });
                    if earlier && lost {
                        losses.count += 1;
                        restarted.insert(program);
                        continue;
                    }
                    // Where it was this case after all, that was one loss.
                    losses.count += u32::from(!restarted.remove(&program));
                    vec![(position, reason)]
                }
            };
            for (position, reason) in failed {
                let (id, program) = sides[position].clone();
                self.failed.insert((program, id.clone()));
                let failed = FailedSide { id, program, round, reason };
                progress.failed(&failed);
                keep(&Line::Failed(failed))?;
            }
        }
    }

    /// `planned` without the sides that have failed; nothing where none is left.
    fn left_of(&self, planned: &PlannedContest) -> Option<PlannedContest> {
        let left = |side: &&SideKey| !self.failed.contains(&(side.program, planned.case(side)));
        let sides: Vec<SideKey> = planned.sides.iter().filter(left).cloned().collect();
        (!sides.is_empty()).then(|| PlannedContest { sides, ..planned.clone() })
    }

    /// Starts the workers that the sides of `contests` need.
    fn start(
        &self,
        workers: &mut [Option<Worker<'a>>],
        contests: &[PlannedContest],
    ) -> Result<(), Trouble> {
        for (position, side) in contests.iter().flat_map(|it| &it.sides).enumerate() {
            if workers[side.program].is_some() {
                continue;
            }
            let Losses { count, last } = &self.losses[side.program];
            if *count >= MOST_LOSSES {
                let reason = format!(
                    "its worker was lost {count} times and is not started again; the last time: {last}"
                );
                return Err(Trouble::Cases(vec![(position, reason)]));
            }
            let start = || -> Result<Worker<'a>, WorkerError> {
                let mut worker = Worker::start(&self.programs[side.program], self.stop)?;
                worker.hello()?;
                Ok(worker)
            };
            match start() {
                Ok(worker) => workers[side.program] = Some(worker),
                Err(WorkerError::Stopped) => return Err(Trouble::Stopped),
                Err(error) => return Err(Trouble::Worker(position, error)),
            }
        }
        Ok(())
    }

    fn learn(
        &mut self,
        case: CaseInfo,
        keep: &mut dyn FnMut(&Line) -> Result<(), JournalError>,
    ) -> Result<(), JournalError> {
        if self.known.meet(&case) {
            keep(&Line::Case(case))?;
        }
        Ok(())
    }

    /// Whether `measured` is what shows that the sides of its contest disturb each other.
    fn judge_interference(&mut self, measured: &Measured) -> bool {
        for side in &measured.sides {
            if let Some(interference) = side.interference {
                let key = SideKey { program: side.program, backend: side.backend.clone() };
                self.interference.entry((measured.contest, key)).or_default().push(interference);
            }
        }
        self.disturbance(&measured.contest).is_some() && self.disturbed.insert(measured.contest)
    }

    /// How much the sides of `contest` disturb one of them, where that is certain.
    fn disturbance(&self, contest: &Contest) -> Option<f64> {
        self.interference
            .iter()
            .filter(|((of, _), values)| of == contest && values.len() >= INTERFERENCE_ROUNDS)
            .filter_map(|(_, values)| mean_estimate(values))
            .filter(|estimate| estimate.p_above(INTERFERENCE) < INTERFERENCE_ALPHA)
            .map(|estimate| estimate.value)
            .max_by(f64::total_cmp)
    }
}

/// `contests` by what is measured together, in their order: most of them alone.
fn heats(contests: &[PlannedContest]) -> Vec<Vec<&PlannedContest>> {
    let mut heats: Vec<Vec<&PlannedContest>> = Vec::new();
    for planned in contests {
        let mine = planned.heat.as_ref().and_then(|heat| {
            heats.iter_mut().find(|it| it.iter().any(|other| other.heat.as_ref() == Some(heat)))
        });
        match mine {
            Some(heat) => heat.push(planned),
            None => heats.push(vec![planned]),
        }
    }
    heats
}

/// A source of draws for one purpose in one round, so that a run that is resumed draws what it would have drawn.
fn drawn(seed: u64, round: u32, purpose: &str) -> fastrand::Rng {
    // FNV-1a.
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in format!("{seed}/{round}/{purpose}").bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    fastrand::Rng::with_seed(hash)
}
