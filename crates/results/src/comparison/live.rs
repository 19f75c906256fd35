//! One record in which the baseline's program (0) and the current one (1) took turns in the same contests.
//! How verdicts follow from its estimates is in `judge`.

use super::{
    Comparison, Method, Row, Rules, Verdict,
    judge::{Basis, Pending, judge, screened_out, settle_by_chance},
    log_margin,
    sameness::{Key, Known, On, comparable, unchanged},
};
use crate::{
    keygen,
    log_ratio::{is_time, of_times, possible},
    record::{Engine, Measured, Record, SideKey},
    statistics::{cut_for, mean_estimate, median, standard_deviation, trimmed_mean},
};
use cryptobench_schema::CaseId;
use std::collections::{BTreeSet, HashMap, HashSet};

/// The program that is the baseline, and the one held against it.
const OLD: usize = 0;
const NEW: usize = 1;

/// One round of one case in which both programs took part.
struct Round {
    round: u32,
    old_ns: f64,
    new_ns: f64,
    /// The logarithm of the new time over the old.
    log_ratio: f64,
}

/// A case of either program, with its rounds in rising order, each once.
struct Case<'a> {
    key: Key<'a>,
    sides: [SideKey; 2],
    measured: Vec<&'a Measured>,
}

impl<'a> Case<'a> {
    fn id(&self) -> CaseId {
        let (contest, backend) = self.key;
        contest.case(backend.clone())
    }

    fn on(&self) -> On {
        let on = |side: &SideKey| self.measured.iter().any(|it| it.position(side).is_some());
        On { old: on(&self.sides[OLD]), new: on(&self.sides[NEW]) }
    }

    /// The median time of a side over all rounds in which it took part.
    fn time(&self, program: usize) -> Option<f64> {
        let times: Vec<f64> = self
            .measured
            .iter()
            .filter_map(|it| Some(it.sides[it.position(&self.sides[program])?].time_ns))
            .filter(|&time| is_time(time))
            .collect();
        median(&times)
    }

    /// The rounds in which both took part. Slices taken in turn give the ratio; where `turns` says that there are
    /// none, the times do.
    fn rounds(&self, turns: bool) -> Vec<Round> {
        let [old, new] = &self.sides;
        let round = |it: &&Measured| {
            let old_ns = it.sides[it.position(old)?].time_ns;
            let new_ns = it.sides[it.position(new)?].time_ns;
            let log_ratio = if turns { it.log_ratio(new, old)? } else { of_times(new_ns, old_ns) };
            (possible(log_ratio) && is_time(old_ns) && is_time(new_ns)).then_some(Round {
                round: it.round,
                old_ns,
                new_ns,
                log_ratio,
            })
        };
        self.measured.iter().filter_map(round).collect()
    }
}

/// The cases of both programs in the order of tables, also those that only failed.
fn cases<'a>(record: &'a Record, new: &Known<'a>) -> Vec<Case<'a>> {
    let mut cases: HashMap<Key<'a>, Vec<&'a Measured>> = HashMap::new();
    for measured in &record.measured {
        for side in measured.sides.iter().filter(|side| side.program <= NEW) {
            cases.entry((measured.contest, &side.backend)).or_default().push(measured);
        }
    }
    for &key in new.failed.keys() {
        cases.entry(key).or_default();
    }
    let mut cases: Vec<(Key<'a>, Vec<&'a Measured>)> = cases.into_iter().collect();
    cases.sort_unstable_by_key(|it| it.0);
    cases
        .into_iter()
        .map(|(key, mut measured)| {
            // Both sides put the contest there, and a round counts once.
            measured.sort_by_key(|it| it.round);
            measured.dedup_by_key(|it| it.round);
            let side = |program| SideKey { program, backend: key.1.clone() };
            Case { key, sides: [side(OLD), side(NEW)], measured }
        })
        .collect()
}

/// Compares the programs 0 (old) and 1 (new) of a record. Where the record has only one of them, every case is
/// missing or new.
///
/// A round's value for a case is the logarithm of the new side's time over the old side's, as of slices taken in
/// turn; rounds that only one side has are not used. Rounds after the first `settings.screening` decide, their
/// values trimmed by [`cut_for`]. A case without such rounds was screened: it is the same where the plain 95 %
/// interval of its screening rounds lies within the margin. Deciding rounds are fresh, so having been chosen
/// for them by the screening does not bias them.
#[must_use]
pub fn live(record: &Record, rules: Rules) -> Comparison {
    let delta = log_margin(rules.margin);
    let known = [OLD, NEW].map(|program| Known::of(record, program));
    let unchanged = match record.header.programs.as_slice() {
        [old, new, ..] => unchanged(&old.environment, &new.environment),
        _ => HashSet::new(),
    };
    let turns = record.header.engine == Engine::LockStep;
    let all_rounds: BTreeSet<u32> = record.measured.iter().map(|it| it.round).collect();
    let only_suspect = if !turns {
        Some("Criterion's data")
    } else if all_rounds.len() < 2 {
        Some("one round")
    } else {
        None
    };
    let pending = cases(record, &known[NEW])
        .iter()
        .filter_map(|case| {
            let row = match comparable(case.key, case.on(), &known[OLD], &known[NEW]) {
                Ok(()) => Row::bare(case.id(), Verdict::Inconclusive, None),
                Err(None) => return None,
                Err(Some((verdict, reason))) => {
                    let mut row = Row::bare(case.id(), verdict, reason);
                    row.old_ns = case.time(OLD);
                    row.new_ns = case.time(NEW);
                    return Some(Pending { row, basis: Basis::Settled });
                }
            };
            let row = Row { unchanged: unchanged.contains(case.key.1), ..row };
            Some(pend(case, row, record.header.settings.screening, turns, only_suspect, delta))
        })
        .collect();
    let margin = rules.margin.max(0.0);
    Comparison::new(Method::Live, rules, margin, judge(pending, delta, rules.alpha))
}

/// A case that both programs have.
fn pend(
    case: &Case<'_>,
    mut row: Row,
    screening: u32,
    turns: bool,
    only_suspect: Option<&str>,
    delta: f64,
) -> Pending {
    let rounds = case.rounds(turns);
    let deciding = rounds.iter().any(|it| it.round >= screening);
    let used: Vec<&Round> = rounds.iter().filter(|it| !deciding || it.round >= screening).collect();
    let column = |of: fn(&Round) -> f64| used.iter().map(|it| of(it)).collect::<Vec<f64>>();
    let log_ratios = column(|it| it.log_ratio);
    row.old_ns = median(&column(|it| it.old_ns)).or_else(|| case.time(OLD));
    row.new_ns = median(&column(|it| it.new_ns)).or_else(|| case.time(NEW));
    row.rounds = used.len();

    if keygen::by_chance(case.key.0) {
        // All rounds: of chance there is never too much.
        let [old, new] = case.sides.each_ref().map(|side| {
            let times = keygen::pooled(case.measured.iter().copied(), side);
            if times.is_empty() { case.time(side.program).into_iter().collect() } else { times }
        });
        row.rounds = rounds.len();
        settle_by_chance(&mut row, keygen::median_ratio(&old, &new), delta);
        if let Some(why) = only_suspect {
            row.verdict = Verdict::Suspect;
            row.reason = Some(why.to_owned());
        }
        return Pending { row, basis: Basis::Settled };
    }
    row.spread = standard_deviation(&log_ratios);
    let suspect = match log_ratios.len() {
        _ if only_suspect.is_some() => only_suspect,
        1 => Some("one round"),
        _ => None,
    };
    if let Some(why) = suspect {
        row.log_ratio = median(&log_ratios);
        row.verdict = Verdict::Suspect;
        row.reason = Some(why.to_owned());
        return Pending { row, basis: Basis::Settled };
    }
    let estimate = if deciding {
        trimmed_mean(&log_ratios, cut_for(log_ratios.len())).map(Basis::Deciding)
    } else {
        mean_estimate(&log_ratios).map(Basis::Screening)
    };
    let basis = estimate.unwrap_or_else(|| {
        row.reason = Some("both sides never took part in the same round".into());
        Basis::Settled
    });
    Pending { row, basis }
}

/// The cases that the screening rounds of a live comparison leave open, in the order of tables: those whose
/// interval there does not lie within the margin. Only what can have a verdict: not RSA keygen, and neither what
/// one side lacks nor what means something else there. Without screening rounds all are open.
#[must_use]
pub fn undecided(record: &Record, rules: Rules) -> Vec<CaseId> {
    let delta = log_margin(rules.margin);
    let known = [OLD, NEW].map(|program| Known::of(record, program));
    cases(record, &known[NEW])
        .iter()
        .filter(|case| {
            comparable(case.key, case.on(), &known[OLD], &known[NEW]).is_ok()
                && !keygen::by_chance(case.key.0)
        })
        .filter(|case| {
            let screened: Vec<f64> = case
                .rounds(true)
                .iter()
                .filter(|it| it.round < record.header.settings.screening)
                .map(|it| it.log_ratio)
                .collect();
            !mean_estimate(&screened).is_some_and(|it| screened_out(&it, delta))
        })
        .map(Case::id)
        .collect()
}
