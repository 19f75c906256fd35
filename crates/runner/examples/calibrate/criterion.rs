//! Times in lock-step against Criterion's of the same cases.

use crate::{
    report::{Bound::AtMost, Quantity::LogRatio, Target, percent, table, targets},
    session::{Run, Session, pinned, programs},
};
use anyhow::{Result, bail};
use cryptobench_results::{
    criterion,
    ranking::{Options, rank},
    record::{Depth, Record, Settings},
    statistics::quantile,
};
use cryptobench_runner::{Selection, Slices, plan};
use cryptobench_schema::{CaseId, SizeChoice};
use std::{collections::BTreeMap, slice};

/// Rounds where they are measured now.
const ROUNDS: u32 = 3;

pub(crate) fn measure(session: &Session<'_>) -> Result<String> {
    let Some(directory) = &session.arguments.criterion else {
        return Ok(
            "Not done: it needs what `cargo bench` measured on this machine (`--criterion DIRECTORY`).\n"
                .to_owned(),
        );
    };
    let imported = criterion::import(directory)?;
    for left_out in &imported.left_out {
        eprintln!("left out: {left_out}");
    }
    let mut theirs = times(&imported.record);
    theirs.retain(|case, _| {
        session.arguments.filter.as_ref().is_none_or(|it| it.is_match(&case.to_string()))
    });
    let (ours, how) = match &session.arguments.record {
        Some(path) => {
            (times(&Record::read(path, Depth::Summary)?), format!("the record {}", path.display()))
        }
        None => {
            let rounds = session.rounds(ROUNDS);
            (times(&now(session, &theirs, rounds)?), format!("{rounds} rounds measured now"))
        }
    };
    let mut compared: Vec<(f64, &CaseId, f64, f64)> = theirs
        .iter()
        .filter_map(|(case, theirs)| {
            let ours = ours.get(case)?;
            Some(((ours / theirs).ln(), case, *ours, *theirs))
        })
        .collect();
    if compared.is_empty() {
        bail!("no case was measured by both");
    }
    compared.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
    let differences: Vec<f64> = compared.iter().map(|it| it.0.abs()).collect();
    let rows = [Target {
        what: "difference, median over cases".to_owned(),
        bound: AtMost(LogRatio(0.03_f64.ln_1p())),
        seen: quantile(&differences, 0.5).map(LogRatio),
    }];
    let worst = compared.iter().take(5).map(|(difference, case, ours, theirs)| {
        let time = |ns: &f64| format!("{ns:.1} ns");
        vec![case.to_string(), time(ours), time(theirs), percent(*difference)]
    });
    Ok(format!(
        "{} cases: {how}, against Criterion's of {}.\n\n{}\n90th percentile {}. The largest:\n\n{}",
        compared.len(),
        imported.record.header.started,
        targets(&rows),
        quantile(&differences, 0.9).map_or_else(String::new, percent),
        table(&["case", "lock-step", "Criterion", "difference"], worst),
    ))
}

/// Nanoseconds of the cases of `record`, of its last program; not of RSA keys, whose times are spread by chance.
fn times(record: &Record) -> BTreeMap<CaseId, f64> {
    let mut times = BTreeMap::new();
    for ranked in rank(record, &Options::default()).contests {
        for side in ranked.sides.into_iter().filter(|side| side.quantiles.is_none()) {
            times.insert(ranked.contest.case(side.key.backend), side.time_ns);
        }
    }
    times
}

/// The cases of `theirs` that the worker has, measured now.
fn now(session: &Session<'_>, theirs: &BTreeMap<CaseId, f64>, rounds: u32) -> Result<Record> {
    let mut cases = session.worker.survey.cases.clone();
    cases.retain(|case| theirs.contains_key(case));
    let everything =
        Selection { bytes: SizeChoice::All, bits: SizeChoice::All, ..Selection::default() };
    let bytes = session.arguments.sizes.clone().unwrap_or(SizeChoice::All);
    let contests = plan(&[cases], &Selection { bytes, ..everything });
    let subjects = slice::from_ref(&session.worker);
    let programs = programs(subjects);
    let settings = Settings { rounds, ..Settings::default() };
    pinned(|| {
        let mut run = Run::begin(subjects, &programs, settings.clone(), session.seed);
        run.measure(&contests, 0..rounds, Slices::of(&settings))?;
        Ok(run.record)
    })
}
