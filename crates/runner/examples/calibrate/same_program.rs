//! One program against itself: how often something is said to have changed, and how wide the intervals are.

use crate::{
    report::{
        Bound::AtMost,
        Quantity::{Count, LogRatio},
        Target, percent, table, targets,
    },
    session::{Run, Session, Subject, pinned, programs},
};
use anyhow::Result;
use cryptobench_results::{
    comparison::{Comparison, Rules, Verdict, live, undecided},
    record::Settings,
    statistics::quantile,
};
use cryptobench_runner::{PlannedContest, Slices};
use cryptobench_schema::CaseId;

/// Rounds that screen, and slices of each.
const SCREENING: u32 = 3;
const SCREENING_SLICES: u32 = 30;
/// Rounds that decide.
const DECIDING: u32 = 12;
/// Rounds for the width of intervals: those of a run.
const ROUNDS: u32 = 7;

/// The worker, twice.
fn twice(session: &Session<'_>) -> Result<[Subject; 2]> {
    let again = |name| Subject::new(name, &session.worker.program.path, &[]);
    Ok([again("one")?, again("the same")?])
}

pub(crate) fn verdicts(session: &Session<'_>) -> Result<String> {
    let subjects = twice(session)?;
    let contests = session.contests(&subjects)?;
    let rules = Rules::default();
    let settings = Settings {
        rounds: SCREENING + session.rounds(DECIDING),
        screening: SCREENING,
        ..Settings::default()
    };
    let slices = Slices::of(&settings);
    let programs = programs(&subjects);
    let (comparison, open) = pinned(|| {
        let mut run = Run::begin(&subjects, &programs, settings.clone(), session.seed);
        run.measure(&contests, 0..SCREENING, Slices { most: SCREENING_SLICES, ..slices })?;
        let open = undecided(&run.record, rules);
        eprintln!("{} cases are open after the screening", open.len());
        run.measure(&only(&contests, &open), SCREENING..settings.rounds, slices)?;
        Ok((live(&run.record, rules), open.len()))
    })?;
    let mut text = format!(
        "The same program as both sides, {} cases in {} contests, margin {}. {SCREENING} rounds of {SCREENING_SLICES} \
         slices left {open} cases open; these had {} rounds of {} slices. The sides' code is left out of the record: \
         as the same code, a false alarm would be called `layout`.\n\n{}\n",
        comparison.rows.len(),
        contests.len(),
        percent(rules.margin.ln_1p()),
        settings.rounds - SCREENING,
        settings.slices,
        counts(&comparison),
    );
    let alarms = comparison.rows.iter().filter(|row| !quiet(row.verdict));
    text.push_str(&targets(&[Target::new(
        "verdicts other than `same` and `inconclusive`",
        AtMost(Count(0)),
        Count(alarms.clone().count()),
    )]));
    for row in alarms {
        text.push_str(&format!(
            "\n- {}: {}, {}",
            row.case,
            row.verdict,
            row.log_ratio.map_or_else(|| "no ratio".to_owned(), percent)
        ));
    }
    Ok(text)
}

pub(crate) fn intervals(session: &Session<'_>) -> Result<String> {
    let subjects = twice(session)?;
    let contests = session.contests(&subjects)?;
    let settings = Settings { rounds: session.rounds(ROUNDS), ..Settings::default() };
    let programs = programs(&subjects);
    let comparison = pinned(|| {
        let mut run = Run::begin(&subjects, &programs, settings.clone(), session.seed);
        run.measure(&contests, 0..settings.rounds, Slices::of(&settings))?;
        Ok(live(&run.record, Rules::default()))
    })?;
    let halves: Vec<f64> = comparison
        .rows
        .iter()
        .filter_map(|row| row.interval)
        .map(|interval| (interval.high - interval.low) / 2.0)
        .collect();
    let missed = comparison
        .rows
        .iter()
        .filter_map(|row| row.interval)
        .filter(|interval| interval.low > 0.0 || interval.high < 0.0)
        .count();
    let at = |what, share, bound: f64| Target {
        what: format!("half-width of the 95 % interval, {what}"),
        bound: AtMost(LogRatio(bound.ln_1p())),
        seen: quantile(&halves, share).map(LogRatio),
    };
    Ok(format!(
        "The same program as both sides, {} cases, {} rounds of {} slices.\n\n{}\n\
         {missed} of {} intervals do not hold 0, where one in twenty is expected.\n\n{}",
        comparison.rows.len(),
        settings.rounds,
        settings.slices,
        targets(&[
            at("median over cases", 0.5, 0.002),
            at("90th percentile over cases", 0.9, 0.006)
        ]),
        halves.len(),
        widest(&comparison),
    ))
}

const fn quiet(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Same | Verdict::Inconclusive)
}

fn counts(comparison: &Comparison) -> String {
    let rows = comparison
        .counts()
        .into_iter()
        .filter(|(verdict, count)| *count > 0 || quiet(*verdict) || *verdict <= Verdict::Faster)
        .map(|(verdict, count)| vec![verdict.to_string(), count.to_string()]);
    table(&["verdict", "cases"], rows)
}

/// The cases whose intervals are the widest.
fn widest(comparison: &Comparison) -> String {
    let mut rows: Vec<(f64, &CaseId)> = comparison
        .rows
        .iter()
        .filter_map(|row| Some((row.interval?.high - row.interval?.low, &row.case)))
        .collect();
    rows.sort_by(|a, b| b.0.total_cmp(&a.0));
    let worst = rows.iter().take(5);
    table(
        &["widest", "half-width"],
        worst.map(|(width, case)| vec![case.to_string(), percent(width / 2.0)]),
    )
}

/// Of `contests` the sides whose cases are among `cases`.
fn only(contests: &[PlannedContest], cases: &[CaseId]) -> Vec<PlannedContest> {
    contests
        .iter()
        .map(|planned| {
            let mut planned = planned.clone();
            let contest = planned.contest;
            planned.sides.retain(|side| cases.contains(&contest.case(side.backend.clone())));
            planned
        })
        .filter(|planned| !planned.sides.is_empty())
        .collect()
}
