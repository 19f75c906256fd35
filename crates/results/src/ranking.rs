//! Which backend is fastest: the sides of each contest of one record in order, with ranks that leave ties ties.
//! Old against new is in `comparison`.

use crate::{
    keygen,
    log_ratio::{is_time, of_times, possible},
    record::{Engine, Measured, Record, SideKey},
    statistics::{Estimate, Interval, cut_for, holm, median, p95, quantile_interval, trimmed_mean},
};
use cryptobench_schema::{BackendId, Contest, Operation};
use std::collections::{BTreeMap, BTreeSet};

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// Whose sides are ranked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Entrants {
    /// Those of the record's last program.
    #[default]
    LastProgram,
    /// Those of all its programs; [`SideKey`] tells them apart.
    AllPrograms,
}

/// How contests are ranked.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Whose sides.
    pub entrants: Entrants,
    /// The backend that ratios are to, of the last program that has it; `None` for the fastest of each contest.
    pub reference: Option<BackendId>,
    /// The relative difference up to which sides tie whatever the tests say: 0 for none.
    pub margin: f64,
    /// The probability of one or more false orders in a contest.
    pub alpha: f64,
}

impl Default for Options {
    fn default() -> Self {
        Self { entrants: Entrants::LastProgram, reference: None, margin: 0.0, alpha: 0.05 }
    }
}

/// The contests of a record ranked.
#[derive(Debug, Clone, PartialEq)]
pub struct Ranking {
    /// In the order of tables.
    pub contests: Vec<RankedContest>,
    /// One for each operation that a ratio can be averaged of, in the order of tables.
    pub means: Vec<OperationMeans>,
}

/// One contest ranked.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedContest {
    /// What was measured.
    pub contest: Contest,
    /// The side that ratios are to; `None` where the reference asked for is not in the contest.
    pub reference: Option<SideKey>,
    /// The sides, the fastest first.
    pub sides: Vec<RankedSide>,
}

/// One side of a contest.
#[derive(Debug, Clone, PartialEq)]
pub struct RankedSide {
    /// Program and backend.
    pub key: SideKey,
    /// Nanoseconds of one operation: the median over rounds; of RSA keygen the median over all keys.
    pub time_ns: f64,
    /// In how many rounds it took part.
    pub rounds: usize,
    /// The natural logarithm of its time over the reference's: 0 for the reference, `None` where there is none.
    /// From slices taken in turn where there are such, otherwise from the times.
    pub log_ratio: Option<f64>,
    /// Where that lies with 95 %; `None` for the reference itself, and where the rounds do not bound it.
    pub interval: Option<Interval>,
    /// 1 + the number of sides that are significantly faster: equal ranks are ties. `None` where rounds cannot say:
    /// one round, Criterion's data, RSA keygen.
    pub rank: Option<usize>,
    /// Of RSA keygen, whose times are spread by chance.
    pub quantiles: Option<Quantiles>,
}

/// Quantiles of times, in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quantiles {
    /// Of how many keys.
    pub values: usize,
    /// The median.
    pub median: f64,
    /// Where that lies with 95 %, by order statistics; `None` for fewer than 6 keys.
    pub median_interval: Option<Interval>,
    /// The 95th percentile; `None` for fewer than 60 keys.
    pub p95: Option<f64>,
}

/// The geometric means of the ratios of one operation, over the contests that all its sides share, so that
/// nobody is better or worse for the contests of others. RSA keygen is not in it.
#[derive(Debug, Clone, PartialEq)]
pub struct OperationMeans {
    /// The operation.
    pub operation: Operation,
    /// Over how many contests; 0 where there is none that all share (with the reference, if one was asked for).
    pub contests: usize,
    /// Each side's mean logarithm of the ratio to the reference, or to the fastest of each contest, the smallest
    /// first. Empty where `contests` is 0.
    pub sides: Vec<(SideKey, f64)>,
}

/// Ranks the contests of `record`.
///
/// A pair's value in a round is the logarithm of one time over the other, as of slices taken in turn. Over
/// rounds: the mean trimmed by [`cut_for`] and its interval. For the ranks each side is tested against each
/// other for being faster, one-sided, adjusted by Holm over all these tests of the contest (with two tests a
/// pair, which for no margin is the same as one two-sided test a pair). A side without two rounds is not ranked.
#[must_use]
pub fn rank(record: &Record, options: &Options) -> Ranking {
    let last = record.header.programs.len().saturating_sub(1);
    let contests: Vec<RankedContest> = record
        .contests()
        .into_iter()
        .filter_map(|(contest, mut rounds)| {
            rounds.sort_by_key(|it| it.round);
            rounds.dedup_by_key(|it| it.round);
            let keys: BTreeSet<SideKey> = rounds
                .iter()
                .flat_map(|it| &it.sides)
                .filter(|side| options.entrants == Entrants::AllPrograms || side.program == last)
                .map(|side| SideKey { program: side.program, backend: side.backend.clone() })
                .collect();
            let entries: Vec<Entry> =
                keys.into_iter().filter_map(|key| Entry::of(contest, &rounds, key)).collect();
            if entries.is_empty() {
                return None;
            }
            let turns = record.header.engine == Engine::LockStep;
            Some(ranked(contest, &rounds, turns, entries, options))
        })
        .collect();
    let means = operation_means(&contests);
    Ranking { contests, means }
}

/// A side before it is ranked.
struct Entry {
    key: SideKey,
    time_ns: f64,
    rounds: usize,
    /// The times of all keys, of RSA keygen.
    keys: Vec<f64>,
}

impl Entry {
    /// `None` where no time of it is one.
    fn of(contest: Contest, rounds: &[&Measured], key: SideKey) -> Option<Self> {
        let times: Vec<f64> = rounds
            .iter()
            .filter_map(|it| Some(it.sides[it.position(&key)?].time_ns))
            .filter(|&time| is_time(time))
            .collect();
        let keys = if keygen::by_chance(contest) {
            keygen::pooled(rounds.iter().copied(), &key)
        } else {
            Vec::new()
        };
        let time_ns = median(&keys).or_else(|| median(&times))?;
        Some(Self { key, time_ns, rounds: times.len(), keys })
    }

    /// The times that chance spreads: the keys, or where slices were not kept the one median.
    fn spread(&self) -> Vec<f64> {
        if self.keys.is_empty() { vec![self.time_ns] } else { self.keys.clone() }
    }
}

/// What the rounds say of one side against another.
struct Against {
    /// The logarithm of its time over the other's.
    log_ratio: f64,
    interval: Option<Interval>,
    /// `None` where fewer than two rounds compare them.
    estimate: Option<Estimate>,
}

fn against(
    contest: Contest,
    rounds: &[&Measured],
    turns: bool,
    of: &Entry,
    over: &Entry,
) -> Against {
    let by_times = of_times(of.time_ns, over.time_ns);
    if keygen::by_chance(contest) {
        let ratio = keygen::median_ratio(&over.spread(), &of.spread());
        return Against {
            log_ratio: ratio.as_ref().map_or(by_times, |it| it.log_ratio),
            interval: ratio.and_then(|it| it.interval),
            estimate: None,
        };
    }
    let values: Vec<f64> = rounds
        .iter()
        .filter(|_| turns)
        .filter_map(|it| it.log_ratio(&of.key, &over.key))
        .filter(|&it| possible(it))
        .collect();
    let Some(estimate) = trimmed_mean(&values, cut_for(values.len())) else {
        return Against { log_ratio: by_times, interval: None, estimate: None };
    };
    Against {
        log_ratio: estimate.value,
        interval: Some(estimate.interval(CONFIDENCE)).filter(Interval::is_bounded),
        estimate: Some(estimate).filter(|_| values.len() > 1),
    }
}

fn ranked(
    contest: Contest,
    rounds: &[&Measured],
    turns: bool,
    entries: Vec<Entry>,
    options: &Options,
) -> RankedContest {
    let versus = |of: &Entry, over: &Entry| against(contest, rounds, turns, of, over);
    // Against the fastest by its times, which slices taken in turn may correct.
    let mut fastest = 0;
    for index in 1..entries.len() {
        if entries[index].time_ns < entries[fastest].time_ns {
            fastest = index;
        }
    }
    for _ in 0..entries.len() {
        let faster = (0..entries.len())
            .filter(|&index| index != fastest)
            .map(|index| (index, versus(&entries[index], &entries[fastest]).log_ratio))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .filter(|it| it.1 < 0.0);
        let Some((index, _)) = faster else { break };
        fastest = index;
    }
    let reference = match &options.reference {
        None => Some(fastest),
        // Sorted by program, so that the last is of the last program.
        Some(backend) => entries.iter().rposition(|entry| entry.key.backend == *backend),
    };
    let ranks = ranks(contest, turns, &entries, &versus, options);
    let order: Vec<f64> = entries
        .iter()
        .enumerate()
        .map(|(index, entry)| {
            let base = reference.unwrap_or(fastest);
            // Not -0.0, which would come before the reference.
            if index == base { 0.0 } else { versus(entry, &entries[base]).log_ratio + 0.0 }
        })
        .collect();
    let mut sides: Vec<(f64, RankedSide)> = entries
        .iter()
        .zip(ranks)
        .enumerate()
        .map(|(index, (entry, rank))| {
            let ratio = reference.filter(|&it| it != index).map(|it| versus(entry, &entries[it]));
            let side = RankedSide {
                key: entry.key.clone(),
                time_ns: entry.time_ns,
                rounds: entry.rounds,
                log_ratio: if reference == Some(index) {
                    Some(0.0)
                } else {
                    ratio.as_ref().map(|it| it.log_ratio)
                },
                interval: ratio.and_then(|it| it.interval),
                rank,
                quantiles: quantiles(&entry.keys),
            };
            (order[index], side)
        })
        .collect();
    sides.sort_by(|a, b| a.0.total_cmp(&b.0));
    RankedContest {
        contest,
        reference: reference.map(|it| entries[it].key.clone()),
        sides: sides.into_iter().map(|it| it.1).collect(),
    }
}

/// The rank of each entry.
fn ranks(
    contest: Contest,
    turns: bool,
    entries: &[Entry],
    versus: &dyn Fn(&Entry, &Entry) -> Against,
    options: &Options,
) -> Vec<Option<usize>> {
    if keygen::by_chance(contest) || !turns {
        return vec![None; entries.len()];
    }
    let delta = options.margin.max(0.0).ln_1p();
    // Alone, a side has nobody to be slower than, and two rounds say so.
    let mut rankable: Vec<bool> =
        entries.iter().map(|it| entries.len() == 1 && it.rounds > 1).collect();
    let mut faster: Vec<(usize, usize)> = Vec::new();
    let mut p_values = Vec::new();
    for first in 0..entries.len() {
        for second in first + 1..entries.len() {
            if let Some(estimate) = versus(&entries[second], &entries[first]).estimate {
                rankable[first] = true;
                rankable[second] = true;
                faster.push((first, second));
                p_values.push(estimate.p_above(delta));
                faster.push((second, first));
                p_values.push(estimate.p_below(-delta));
            }
        }
    }
    let mut ranks: Vec<Option<usize>> =
        rankable.into_iter().map(|rankable| rankable.then_some(1)).collect();
    for ((_, slower), p) in faster.into_iter().zip(holm(&p_values)) {
        if p < options.alpha
            && let Some(rank) = &mut ranks[slower]
        {
            *rank += 1;
        }
    }
    ranks
}

fn quantiles(keys: &[f64]) -> Option<Quantiles> {
    Some(Quantiles {
        values: keys.len(),
        median: median(keys)?,
        median_interval: quantile_interval(keys, 0.5, CONFIDENCE),
        p95: p95(keys),
    })
}

fn operation_means(contests: &[RankedContest]) -> Vec<OperationMeans> {
    let mut operations: BTreeMap<Operation, Vec<&RankedContest>> = BTreeMap::new();
    for contest in contests.iter().filter(|it| !keygen::by_chance(it.contest)) {
        operations.entry(contest.contest.operation).or_default().push(contest);
    }
    operations
        .into_iter()
        .map(|(operation, contests)| {
            let all: BTreeSet<&SideKey> =
                contests.iter().flat_map(|it| &it.sides).map(|side| &side.key).collect();
            let mut sums: BTreeMap<&SideKey, f64> = BTreeMap::new();
            let mut shared = 0;
            for contest in contests {
                let ratios: Vec<(&SideKey, f64)> = contest
                    .sides
                    .iter()
                    .filter_map(|side| Some((&side.key, side.log_ratio?)))
                    .collect();
                if ratios.len() == all.len() {
                    shared += 1;
                    for (key, log_ratio) in ratios {
                        *sums.entry(key).or_default() += log_ratio;
                    }
                }
            }
            let mut sides: Vec<(SideKey, f64)> =
                sums.into_iter().map(|(key, sum)| (key.clone(), sum / shared as f64)).collect();
            sides.sort_by(|a, b| a.1.total_cmp(&b.1));
            OperationMeans { operation, contests: shared, sides }
        })
        .collect()
}
