//! AES-GCM-SIV beside AES-GCM, in words, and in the layout of BenchmarkDotNet's tables. The numbers are computed in the
//! results.

use super::{
    Answer, NONE, Past, RATIOS, Row, Said, Table, Teller, UNSURE, number, ratio, said, side, words,
};
use crate::{absent::Absent, units};
use cryptobench_results::{
    scenario::{
        gcm_siv::{GcmSiv, Pair, answer as numbers},
        then::{GcmSivRow, then},
    },
    statistics::Interval,
    summary::CaseSummary,
};
use cryptobench_schema::{Aead, Algorithm, Contest, Scenario};

pub(super) fn answer(teller: &Teller) -> Option<Answer> {
    let numbers = numbers(&teller.record)?;
    let group = |it: &Pair| (it.contest().algorithm, it.contest().operation);
    let tables: Vec<Table> = numbers
        .pairs
        .chunk_by(|one, other| group(one) == group(other))
        .map(|pairs| times(teller, pairs))
        .collect();
    let mut notes = vec![
        RATIOS.to_owned(),
        "Mean: of the rounds' medians, for one message; Error: half of its 99.9 % interval (Student's t); StdDev: their standard \
         deviation; Ratio: to AES-GCM of the same backend, from slices taken in turn, with its 95 % interval; Gbit/s: 10⁹ bits of \
         message a second on one core"
            .to_owned(),
    ];
    notes
        .extend(left_out(teller, &numbers).lines().into_iter().map(|it| format!("left out: {it}")));
    notes.extend(teller.notes(true));
    Some(Answer {
        scenario: Scenario::GcmSiv,
        sentence: sentence(teller, &numbers),
        tables,
        then: past(),
        notes,
    })
}

fn sentence(teller: &Teller, numbers: &GcmSiv) -> String {
    let pairs = numbers.sealing();
    let (Some(first), Some(last)) = (pairs.first(), pairs.last()) else {
        return "This record has no backend that seals with both AES-256-GCM and AES-256-GCM-SIV."
            .to_owned();
    };
    let size = first.contest().size.map_or_else(String::new, units::bytes);
    let each: Vec<String> = pairs
        .iter()
        .map(|it| {
            let may_be_none = match said(&it.ratio) {
                Said::Level(_) => ", no difference that this run could tell",
                Said::Differs(_) | Said::Unsure(_) => "",
            };
            format!(
                "{} {}{may_be_none}",
                teller.label(it.key()),
                units::factor_between(it.ratio.log_ratio, it.ratio.interval)
            )
        })
        .collect();
    let each = each.join("; ");
    if pairs.iter().all(|it| matches!(said(&it.ratio), Said::Level(_))) {
        return format!(
            "To seal {size} there is no difference that this run could tell between AES-256-GCM-SIV and AES-256-GCM, by backend: {}.",
            each.replace(", no difference that this run could tell", "")
        );
    }
    let times = match first.ratio.interval.filter(|_| pairs.len() == 1) {
        Some(interval) => units::times(interval),
        None if pairs.len() == 1 => units::times_as_fast(first.ratio.log_ratio),
        None => units::times(Interval { low: first.ratio.log_ratio, high: last.ratio.log_ratio }),
    };
    let unsure = pairs.iter().any(|it| matches!(said(&it.ratio), Said::Unsure(_)));
    let unsure = if unsure { format!("; {UNSURE}") } else { String::new() };
    format!(
        "AES-256-GCM-SIV takes {times} times as long as AES-256-GCM to seal {size}, by backend: {each}{unsure}."
    )
}

/// One length of key and operation, in nanoseconds as the tables of then.
fn times(teller: &Teller, pairs: &[Pair]) -> Table {
    let contest = pairs[0].contest();
    let row = |it: &CaseSummary, of: String| {
        let label = teller.label(&it.side);
        let time = |it: Option<f64>| {
            it.map_or_else(|| NONE.to_owned(), |it| units::scaled(it, units::NANOSECONDS))
        };
        let speed = it.contest.size.zip(it.mean);
        Row {
            cells: vec![
                method(it.contest),
                it.contest.size.map_or_else(String::new, units::bytes),
                label.clone(),
                time(it.mean),
                time(it.error),
                time(it.standard_deviation),
                of,
                speed.map_or_else(|| NONE.to_owned(), |(size, mean)| units::gigabits(size, mean)),
            ],
            side: Some(label),
        }
    };
    let both = |it: &Pair| [row(&it.gcm, units::factor(0.0)), row(&it.siv, ratio(Some(it.ratio)))];
    let wanted = Algorithm::Aead(Aead::Aes256GcmSiv);
    Table {
        caption: format!("{}, {}", contest.algorithm, contest.operation),
        main: contest.algorithm == wanted,
        columns: vec![
            words("Method"),
            number("Size"),
            side("Backend"),
            number("Mean"),
            number("Error"),
            number("StdDev"),
            number("Ratio"),
            number("Gbit/s"),
        ],
        rows: pairs.iter().flat_map(both).collect(),
        reasons: Vec::new(),
    }
}

/// The algorithm, as it is written elsewhere.
fn method(contest: Contest) -> String {
    contest.algorithm.to_string().to_uppercase()
}

/// The backends that have one of the two only.
fn left_out(teller: &Teller, numbers: &GcmSiv) -> Absent {
    let mut absent = Absent::default();
    for (contest, key) in &numbers.alone {
        let label = teller.label(key);
        let Some(lacking) = fellow(*contest) else { continue };
        let reason =
            teller.reason(lacking, &label).unwrap_or("not measured together with its fellow");
        absent.add(label, reason, &lacking.case(key.backend.clone()));
    }
    absent
}

/// The same with or without SIV.
fn fellow(contest: Contest) -> Option<Contest> {
    let fellow = match contest.algorithm {
        Algorithm::Aead(Aead::Aes128Gcm) => Aead::Aes128GcmSiv,
        Algorithm::Aead(Aead::Aes128GcmSiv) => Aead::Aes128Gcm,
        Algorithm::Aead(Aead::Aes256Gcm) => Aead::Aes256GcmSiv,
        Algorithm::Aead(Aead::Aes256GcmSiv) => Aead::Aes256Gcm,
        _ => return None,
    };
    Some(Contest { algorithm: fellow.into(), ..contest })
}

fn past() -> Past {
    let then = &then().gcm_siv_ns;
    let row = |it: &GcmSivRow| {
        let time = |nanoseconds| units::scaled(nanoseconds, units::NANOSECONDS);
        Row {
            side: None,
            cells: vec![
                it.algorithm.clone(),
                it.operation.clone(),
                units::bytes(it.size),
                time(it.mean_ns),
                time(it.error_ns),
                time(it.stddev_ns),
                format!("{:.2}", it.scaled),
                units::gigabits(it.size, it.mean_ns),
            ],
        }
    };
    let table = |machine: &str, rows: &[GcmSivRow]| Table {
        caption: format!("Then, {machine}"),
        main: false,
        columns: vec![
            words("Method"),
            words("Operation"),
            number("Size"),
            number("Mean"),
            number("Error"),
            number("StdDev"),
            number("Scaled"),
            number("Gbit/s"),
        ],
        rows: rows.iter().map(row).collect(),
        reasons: Vec::new(),
    };
    Past {
        sentences: vec![format!(
            "The claim: {}. The speeds in the tables are computed from their means.",
            then.claim
        )],
        tables: vec![
            table("Windows, Intel Core i7-4800MQ", &then.windows_i7_4800mq),
            table("macOS, Intel Core i7-5557U", &then.macos_i7_5557u),
        ],
        source: then.source.clone(),
    }
}
