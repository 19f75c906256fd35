//! Record against record: the same cases measured at another time, with no program at hand to take turns with.
//! How verdicts follow from the estimates is in `judge`.

use super::{
    Comparison, Method, Row, Rules, Verdict,
    judge::{Basis, Pending, judge, settle_by_chance},
    log_margin,
    sameness::{Key, Known, On, comparable, differences, key, unchanged},
};
use crate::{
    keygen,
    log_ratio::is_time,
    record::{Engine, Measured, Record, SideKey},
    statistics::{Estimate, Prior, Variance, mean},
};
use cryptobench_schema::{CaseId, Environment};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The smallest relative margin between records. Two sessions differ by a drift that no interval within a session
/// shows: the spread from run to run of unchanged cases was measured as 0.7 to 3.1 % (standard deviation).
pub const LEAST_MARGIN_BETWEEN_RECORDS: f64 = 0.05;

/// What one record says of its last program.
struct Side<'a> {
    program: usize,
    known: Known<'a>,
    cases: HashMap<Key<'a>, Times<'a>>,
    /// How many rounds the program took part in.
    rounds: usize,
    engine: Engine,
    environment: Option<&'a Environment>,
}

/// The rounds of one case.
#[derive(Default)]
struct Times<'a> {
    /// The round and the logarithm of its nanoseconds, in rising order, each round once.
    logs: Vec<(u32, f64)>,
    /// The rounds themselves, where slices are wanted.
    measured: Vec<&'a Measured>,
}

impl Times<'_> {
    fn values(&self) -> Vec<f64> {
        self.logs.iter().map(|it| it.1).collect()
    }
}

impl<'a> Side<'a> {
    fn of(record: &'a Record) -> Self {
        let program = record.header.programs.len().saturating_sub(1);
        let mut cases: HashMap<Key<'a>, Times<'a>> = HashMap::new();
        let mut rounds = BTreeSet::new();
        for measured in &record.measured {
            for side in measured.sides.iter().filter(|side| side.program == program) {
                rounds.insert(measured.round);
                if !is_time(side.time_ns) {
                    continue;
                }
                let times = cases.entry((measured.contest, &side.backend)).or_default();
                times.logs.push((measured.round, side.time_ns.ln()));
                if keygen::by_chance(measured.contest) {
                    times.measured.push(measured);
                }
            }
        }
        for times in cases.values_mut() {
            times.logs.sort_by_key(|it| it.0);
            times.logs.dedup_by_key(|it| it.0);
        }
        Self {
            program,
            known: Known::of(record, program),
            cases,
            rounds: rounds.len(),
            engine: record.header.engine,
            environment: record.header.programs.last().map(|it| &it.environment),
        }
    }
}

/// One case on both sides: nothing on a side that did not measure it.
struct Both {
    old: Vec<f64>,
    new: Vec<f64>,
}

impl Both {
    /// The pooled variance of a round's logarithm; `None` for one round on either side.
    fn variance(&self) -> Option<Variance> {
        if self.old.len() < 2 || self.new.len() < 2 {
            return None;
        }
        let squares = |values: &[f64]| {
            let mean = mean(values)?;
            Some(values.iter().map(|value| (value - mean).powi(2)).sum::<f64>())
        };
        let degrees = (self.old.len() + self.new.len() - 2) as f64;
        Some(Variance { value: (squares(&self.old)? + squares(&self.new)?) / degrees, degrees })
    }

    fn log_ratio(&self) -> Option<f64> {
        Some(mean(&self.new)? - mean(&self.old)?)
    }
}

/// Compares the last program of each record, in the cases that are `selected`.
///
/// A round's value for a case is the logarithm of its time; the estimate is the difference of their means. Its
/// variance is pooled over both sides, then raised where the other cases say that it is too small to be true
/// ([`Prior::raise`]). The margin is at least [`LEAST_MARGIN_BETWEEN_RECORDS`]. With one round or Criterion's
/// data on either side nothing is more than suspect; with another processor or other flags all is incomparable.
#[must_use]
pub fn records(
    old: &Record,
    new: &Record,
    selected: &dyn Fn(&CaseId) -> bool,
    rules: Rules,
) -> Comparison {
    // `max` of NaN and a number is the number.
    let margin = rules.margin.max(LEAST_MARGIN_BETWEEN_RECORDS);
    let delta = log_margin(margin);
    let (old, new) = (Side::of(old), Side::of(new));
    let nothing = Environment::default();
    let (old_environment, new_environment) =
        (old.environment.unwrap_or(&nothing), new.environment.unwrap_or(&nothing));
    let differences = differences(old_environment, new_environment);
    let incomparable = (!differences.is_empty()).then(|| differences.join("; "));
    let unchanged = unchanged(old_environment, new_environment);
    let only_suspect = if [old.engine, new.engine].contains(&Engine::Criterion) {
        Some("Criterion's data")
    } else if old.rounds.min(new.rounds) < 2 {
        Some("one round")
    } else {
        None
    };

    let mut rows = Vec::new();
    for (contest, backend) in cases(&old, &new) {
        let case = (contest, backend);
        let id = contest.case(backend.clone());
        if !selected(&id) {
            continue;
        }
        let by_chance = keygen::by_chance(contest);
        let times = |side: &Side<'_>| side.cases.get(&case).map(Times::values).unwrap_or_default();
        let both = Both { old: times(&old), new: times(&new) };
        let on = On { old: !both.old.is_empty(), new: !both.new.is_empty() };
        let settled = match comparable(case, on, &old.known, &new.known) {
            Err(None) => continue,
            Err(Some(settled)) => Some(settled),
            Ok(()) => incomparable.clone().map(|why| (Verdict::Incomparable, Some(why))),
        };
        let mut row = Row::bare(id, Verdict::Inconclusive, None);
        row.old_ns = mean(&both.old).map(f64::exp).filter(|&it| is_time(it));
        row.new_ns = mean(&both.new).map(f64::exp).filter(|&it| is_time(it));
        row.rounds = both.old.len().min(both.new.len());
        if let Some((verdict, reason)) = settled {
            row.verdict = verdict;
            row.reason = reason;
            rows.push((row, None));
            continue;
        }
        row.unchanged = unchanged.contains(backend);
        if by_chance {
            let pooled = |side: &Side<'_>, median_ns: Option<f64>| {
                let measured = side.cases.get(&case).map(|it| it.measured.as_slice());
                let measured = measured.unwrap_or_default().iter().copied();
                let side = SideKey { program: side.program, backend: backend.clone() };
                let times = keygen::pooled(measured, &side);
                if times.is_empty() { median_ns.into_iter().collect() } else { times }
            };
            let ratio = keygen::median_ratio(&pooled(&old, row.old_ns), &pooled(&new, row.new_ns));
            settle_by_chance(&mut row, ratio, delta);
        } else {
            row.log_ratio = both.log_ratio();
        }
        if let Some(why) = only_suspect.or((!by_chance && row.rounds < 2).then_some("one round")) {
            row.verdict = Verdict::Suspect;
            row.reason = Some(why.to_owned());
            rows.push((row, None));
        } else if by_chance {
            rows.push((row, None));
        } else {
            rows.push((row, both.variance()));
        }
    }

    let variances: Vec<Variance> = rows.iter().filter_map(|(_, variance)| *variance).collect();
    let prior = Prior::fit(&variances);
    let pending = rows.into_iter().map(|(row, own)| pend(row, own, &old, &new, prior)).collect();
    Comparison::new(Method::Records, rules, margin, judge(pending, delta, rules.alpha))
}

/// A row with its estimate, where it has a variance of its own.
fn pend(
    mut row: Row,
    own: Option<Variance>,
    old: &Side<'_>,
    new: &Side<'_>,
    prior: Option<Prior>,
) -> Pending {
    let Some((own, log_ratio)) = own.zip(row.log_ratio) else {
        return Pending { row, basis: Basis::Settled };
    };
    let rounds = |side: &Side<'_>| side.cases.get(&key(&row.case)).map_or(0, |it| it.logs.len());
    let (old, new) = (rounds(old), rounds(new));
    let used = prior.map_or(own, |prior| prior.raise(own));
    let squared_error = used.value * ((old as f64).recip() + (new as f64).recip());
    // Of one round against one round.
    row.spread = Some((2.0 * own.value).sqrt()).filter(|it| it.is_finite());
    let basis = Estimate::new(log_ratio, squared_error, used.degrees, old + new)
        .map_or(Basis::Settled, Basis::Deciding);
    Pending { row, basis }
}

/// The cases of either side in the order of tables, also those that only failed.
fn cases<'a>(old: &Side<'a>, new: &Side<'a>) -> Vec<Key<'a>> {
    let keys: HashSet<Key<'a>> =
        old.cases.keys().chain(new.cases.keys()).chain(new.known.failed.keys()).copied().collect();
    let mut cases: Vec<Key<'a>> = keys.into_iter().collect();
    cases.sort_unstable();
    cases
}
