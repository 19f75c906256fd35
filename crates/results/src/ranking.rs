//! Which backend is fastest: the sides of each contest of one record in order, with ranks that leave ties ties.
//! Old against new is in `comparison`.

use crate::{
    keygen,
    log_ratio::{is_time, of_times, possible},
    record::{Engine, Measured, Record, SideKey, pair},
    statistics::{
        Estimate, Interval, cut_for, holm, median, p95, quantile_interval, trimmed_mean,
        upper_quantile,
    },
};
use cryptobench_schema::{BackendId, Contest, Operation};
use std::collections::{BTreeMap, BTreeSet, HashMap};

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
    pairs: Pairs,
}

/// One side's time over another's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// Its natural logarithm.
    pub log_ratio: f64,
    /// Where that lies with 95 %; `None` where the rounds do not bound it.
    pub interval: Option<Interval>,
    /// The one-sided p-value against the hypothesis that it is not slower, not adjusted; `None` where rounds cannot
    /// say.
    pub p_slower: Option<f64>,
}

impl Ratio {
    /// Of a side over itself.
    const ONE: Self = Self { log_ratio: 0.0, interval: None, p_slower: None };

    /// From its value in each of several rounds: their mean trimmed by [`cut_for`], with Yuen's interval. `None` without
    /// values, and where one is not finite.
    pub(crate) fn of_rounds(values: &[f64]) -> Option<Self> {
        let estimate = trimmed_mean(values, cut_for(values.len()))?;
        Some(Self::of(&estimate, &mut Intervals::default()))
    }

    fn of(estimate: &Estimate, intervals: &mut Intervals) -> Self {
        Self {
            log_ratio: estimate.value + 0.0,
            interval: intervals.of(estimate),
            p_slower: (estimate.values > 1).then(|| estimate.p_above(0.0)),
        }
    }

    /// Of the other over the one.
    pub(crate) fn inverse(self) -> Self {
        // Less, not the negative: nothing is -0.0, which would come before a reference's 0.
        Self {
            log_ratio: 0.0 - self.log_ratio,
            interval: self.interval.map(|it| Interval { low: 0.0 - it.high, high: 0.0 - it.low }),
            p_slower: self.p_slower.map(|it| 1.0 - it),
        }
    }
}

/// Which sides of a contest nobody beats, and who comes after them.
#[derive(Debug, Clone, PartialEq)]
pub struct Lead {
    /// All sides of rank 1, in the order of the contest's: more than one where they tie. Where `certain` is not
    /// set, the first side alone.
    pub winners: Vec<SideKey>,
    /// The first side that is not among them, with its time over that of the first of them. `None` where there is
    /// no other.
    pub next: Option<(SideKey, Ratio)>,
    /// Whether ranks say so. They do not where the first side has none (one round, Criterion's data, RSA keygen),
    /// or where each side is beaten by another.
    pub certain: bool,
}

impl RankedContest {
    /// The time of `of` over that of `over`, from slices taken in turn where there are such, otherwise from the
    /// times. 0 without an interval for a side over itself; `None` where one of them is not in the contest.
    #[must_use]
    pub fn ratio(&self, of: &SideKey, over: &SideKey) -> Option<Ratio> {
        let place = |key: &SideKey| self.pairs.keys.iter().position(|it| it == key);
        Some(self.pairs.ratio(place(of)?, place(over)?))
    }

    /// Who leads; `None` without sides.
    #[must_use]
    pub fn lead(&self) -> Option<Lead> {
        let first = self.sides.first()?;
        let ranked = |side: &&RankedSide| side.rank == Some(1);
        let certain = first.rank.is_some() && self.sides.iter().any(|it| ranked(&it));
        let winners: Vec<SideKey> = if certain {
            self.sides.iter().filter(ranked).map(|it| it.key.clone()).collect()
        } else {
            vec![first.key.clone()]
        };
        let next = self
            .sides
            .iter()
            .find(|it| !winners.contains(&it.key))
            .and_then(|it| Some((it.key.clone(), self.ratio(&it.key, winners.first()?)?)));
        Some(Lead { winners, next, certain })
    }
}

/// Every pair of sides of a contest. It has the sides' names itself, so that who shows only some of the sides may
/// take the others out.
#[derive(Debug, Clone, PartialEq)]
struct Pairs {
    /// Sorted.
    keys: Vec<SideKey>,
    /// Of the later over the earlier, in the order of [`pair`].
    ratios: Vec<Ratio>,
}

impl Pairs {
    fn ratio(&self, of: usize, over: usize) -> Ratio {
        let (first, second) = (of.min(over), of.max(over));
        if first == second {
            return Ratio::ONE;
        }
        let ratio = self.ratios[pair(first, second, self.keys.len())];
        if of == second { ratio } else { ratio.inverse() }
    }
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
    /// Nanoseconds of one operation in each of these rounds, in their order.
    pub times_ns: Vec<f64>,
    /// Where its time lies with 95 %, in nanoseconds: e to the ends of the interval of the trimmed mean ([`cut_for`])
    /// of the logarithms of `times_ns`, which seldom leaves out their median; of RSA keygen the interval of the
    /// median of all keys. `None` for fewer than two rounds, for Criterion's data, and where rounds or keys do not
    /// bound it. What slows all sides of a round is in it, so whether two sides differ is for
    /// [`RankedContest::ratio`] to say.
    pub interval_ns: Option<Interval>,
    /// Of RSA keygen: nanoseconds of every key, in rising order; empty where slices were not kept.
    pub keys_ns: Vec<f64>,
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
    let turns = record.header.engine == Engine::LockStep;
    let mut intervals = Intervals::default();
    let contests: Vec<RankedContest> = record
        .contests()
        .into_iter()
        .filter_map(|(contest, mut rounds)| {
            rounds.sort_by_key(|it| it.round);
            rounds.dedup_by_key(|it| it.round);
            let keys: BTreeSet<(usize, &BackendId)> = rounds
                .iter()
                .flat_map(|it| &it.sides)
                .filter(|side| options.entrants == Entrants::AllPrograms || side.program == last)
                .map(|side| (side.program, &side.backend))
                .collect();
            let entries: Vec<Entry> = keys
                .into_iter()
                .map(|(program, backend)| SideKey { program, backend: backend.clone() })
                .filter_map(|key| Entry::of(contest, &rounds, key))
                .collect();
            if entries.is_empty() {
                return None;
            }
            Some(ranked(contest, &rounds, turns, entries, &mut intervals, options))
        })
        .collect();
    let means = operation_means(&contests);
    Ranking { contests, means }
}

/// The intervals of estimates at [`CONFIDENCE`].
#[derive(Default)]
struct Intervals {
    /// Student's t by the bits of the degrees of freedom: looking one up takes longer than all else that a pair
    /// takes, and most pairs of a record have the same degrees.
    quantiles: HashMap<u64, f64>,
}

impl Intervals {
    fn of(&mut self, estimate: &Estimate) -> Option<Interval> {
        let quantile = *self
            .quantiles
            .entry(estimate.degrees.to_bits())
            .or_insert_with(|| upper_quantile((1.0 - CONFIDENCE) / 2.0, estimate.degrees));
        Some(estimate.interval_at(quantile)).filter(Interval::is_bounded)
    }
}

/// A side before it is ranked.
struct Entry {
    key: SideKey,
    time_ns: f64,
    /// Where it is among the sides of each round.
    positions: Vec<Option<usize>>,
    times: Vec<f64>,
    /// The times of all keys, of RSA keygen, in rising order.
    keys: Vec<f64>,
}

impl Entry {
    /// `None` where no time of it is one.
    fn of(contest: Contest, rounds: &[&Measured], key: SideKey) -> Option<Self> {
        let positions: Vec<Option<usize>> = rounds.iter().map(|it| it.position(&key)).collect();
        let times: Vec<f64> = rounds
            .iter()
            .zip(&positions)
            .filter_map(|(it, &position)| Some(it.sides[position?].time_ns))
            .filter(|&time| is_time(time))
            .collect();
        let mut keys = if keygen::by_chance(contest) {
            keygen::pooled(rounds.iter().copied(), &key)
        } else {
            Vec::new()
        };
        keys.sort_unstable_by(f64::total_cmp);
        let time_ns = median(&keys).or_else(|| median(&times))?;
        Some(Self { key, time_ns, positions, times, keys })
    }

    /// The times that chance spreads: the keys, or where slices were not kept the one median.
    fn spread(&self) -> &[f64] {
        if self.keys.is_empty() { std::slice::from_ref(&self.time_ns) } else { &self.keys }
    }

    /// Where its time lies.
    fn interval(
        &self,
        contest: Contest,
        turns: bool,
        intervals: &mut Intervals,
    ) -> Option<Interval> {
        if !turns || self.times.len() < 2 {
            return None;
        }
        if keygen::by_chance(contest) {
            return quantile_interval(&self.keys, 0.5, CONFIDENCE);
        }
        let logs: Vec<f64> = self.times.iter().map(|it| it.ln()).collect();
        let of_logs = intervals.of(&trimmed_mean(&logs, cut_for(logs.len()))?)?;
        let interval = Interval { low: of_logs.low.exp(), high: of_logs.high.exp() };
        (is_time(interval.low) && is_time(interval.high)).then_some(interval)
    }
}

/// What the rounds say of one side against another.
struct Against {
    ratio: Ratio,
    /// `None` where fewer than two rounds compare them.
    estimate: Option<Estimate>,
}

fn against(
    contest: Contest,
    rounds: &[&Measured],
    turns: bool,
    of: &Entry,
    over: &Entry,
    intervals: &mut Intervals,
) -> Against {
    let by_times = Ratio { log_ratio: of_times(of.time_ns, over.time_ns) + 0.0, ..Ratio::ONE };
    if keygen::by_chance(contest) {
        let ratio = keygen::median_ratio(over.spread(), of.spread()).map_or(by_times, |it| Ratio {
            log_ratio: it.log_ratio + 0.0,
            interval: it.interval,
            p_slower: None,
        });
        return Against { ratio, estimate: None };
    }
    let values: Vec<f64> = rounds
        .iter()
        .zip(of.positions.iter().zip(&over.positions))
        .filter(|_| turns)
        .filter_map(|(it, (of, over))| log_ratio(it, (*of)?, (*over)?))
        .filter(|&it| possible(it))
        .collect();
    let Some(estimate) = trimmed_mean(&values, cut_for(values.len())) else {
        return Against { ratio: by_times, estimate: None };
    };
    Against {
        ratio: Ratio::of(&estimate, intervals),
        estimate: Some(estimate).filter(|it| it.values > 1),
    }
}

/// [`Measured::log_ratio`] of two sides that have been found.
fn log_ratio(measured: &Measured, of: usize, over: usize) -> Option<f64> {
    let place = pair(of.min(over), of.max(over), measured.sides.len());
    let value = *measured.log_ratios.get(place)?;
    Some(if of > over { value } else { -value })
}

fn ranked(
    contest: Contest,
    rounds: &[&Measured],
    turns: bool,
    entries: Vec<Entry>,
    intervals: &mut Intervals,
    options: &Options,
) -> RankedContest {
    let mut ratios = Vec::new();
    let mut estimates = Vec::new();
    for (first, over) in entries.iter().enumerate() {
        for (second, of) in entries.iter().enumerate().skip(first + 1) {
            let Against { ratio, estimate } = against(contest, rounds, turns, of, over, intervals);
            ratios.push(ratio);
            estimates.extend(estimate.map(|it| (first, second, it)));
        }
    }
    let pairs = Pairs { keys: entries.iter().map(|it| it.key.clone()).collect(), ratios };
    let positions = positions(entries.len(), &pairs);
    let fastest =
        (0..entries.len()).min_by(|&one, &other| positions[one].total_cmp(&positions[other]));
    let reference = match &options.reference {
        None => fastest,
        // Sorted by program, so that the last is of the last program.
        Some(backend) => entries.iter().rposition(|entry| entry.key.backend == *backend),
    };
    let ranks = if turns && !keygen::by_chance(contest) {
        ranks(&entries, &estimates, options)
    } else {
        vec![None; entries.len()]
    };
    let mut sides: Vec<(f64, RankedSide)> = entries
        .into_iter()
        .zip(ranks)
        .enumerate()
        .map(|(index, (entry, rank))| {
            let ratio = reference.map(|it| pairs.ratio(index, it));
            let side = RankedSide {
                interval_ns: entry.interval(contest, turns, intervals),
                time_ns: entry.time_ns,
                rounds: entry.times.len(),
                log_ratio: ratio.map(|it| it.log_ratio),
                interval: ratio.and_then(|it| it.interval),
                rank,
                quantiles: quantiles(&entry.keys),
                key: entry.key,
                times_ns: entry.times,
                keys_ns: entry.keys,
            };
            (positions[index], side)
        })
        .collect();
    sides.sort_by(|a, b| a.0.total_cmp(&b.0));
    RankedContest {
        contest,
        reference: reference.map(|it| pairs.keys[it].clone()),
        sides: sides.into_iter().map(|it| it.1).collect(),
        pairs,
    }
}

/// Where each side stands: the mean of the logarithms of its time over those of all sides. One order for all, where
/// pairs alone may say that each of three is faster than the next; of two sides it is their ratio's.
fn positions(sides: usize, pairs: &Pairs) -> Vec<f64> {
    let mean = |of| {
        let sum: f64 = (0..sides).map(|over| pairs.ratio(of, over).log_ratio).sum();
        // What only the rounding of sums makes differ is equal.
        (sum / sides as f64 * 1e9).round() / 1e9
    };
    (0..sides).map(mean).collect()
}

/// The rank of each entry, from the estimates of the logarithm of the second's time over the first's.
fn ranks(
    entries: &[Entry],
    estimates: &[(usize, usize, Estimate)],
    options: &Options,
) -> Vec<Option<usize>> {
    let delta = options.margin.max(0.0).ln_1p();
    // Alone, a side has nobody to be slower than, and two rounds say so.
    let mut rankable: Vec<bool> =
        entries.iter().map(|it| entries.len() == 1 && it.times.len() > 1).collect();
    let mut faster: Vec<(usize, usize)> = Vec::new();
    let mut p_values = Vec::new();
    for &(first, second, ref estimate) in estimates {
        rankable[first] = true;
        rankable[second] = true;
        faster.push((first, second));
        p_values.push(estimate.p_above(delta));
        faster.push((second, first));
        p_values.push(estimate.p_below(-delta));
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
