//! Bulk data in small pieces, in words. Which backend is how fast is computed in the results.

use super::{
    Answer, NONE, Past, RATIOS, Reasons, Row, Said, Table, Teller, UNSURE, absent_rows, number,
    ratio, said, side,
};
use crate::units;
use cryptobench_results::scenario::{
    bulk::{Beside, Bulk, Streamed, answer as numbers},
    then::then,
};
use cryptobench_schema::{Algorithm, BlockMode, Contest, Operation, PIECES_MESSAGE, Scenario};

pub(super) fn answer(teller: &Teller) -> Option<Answer> {
    let bulk = numbers(&teller.record)?;
    let group = |it: &Streamed| (it.contest.algorithm, it.contest.operation);
    let mut tables: Vec<Table> = bulk
        .contests
        .chunk_by(|one, other| group(one) == group(other))
        .map(|contests| times(teller, contests))
        .collect();
    if !bulk.beside.is_empty() {
        tables.insert(usize::from(!tables.is_empty()), beside(teller, &bulk.beside));
    }
    let mut notes = vec![
        RATIOS.to_owned(),
        "times are of the whole message of 32 MiB, GB are 10⁹ bytes; times as fast: as the slowest of the same piece, \
         with the 95 % interval"
            .to_owned(),
    ];
    notes.extend(teller.notes(true));
    Some(Answer {
        scenario: Scenario::Bulk,
        sentence: sentence(teller, &bulk),
        tables,
        then: past(),
        notes,
    })
}

fn sentence(teller: &Teller, bulk: &Bulk) -> String {
    let message = units::bytes(PIECES_MESSAGE);
    let Some(extremes) = bulk.extremes() else {
        return format!(
            "This record does not have two backends that encrypt {message} in 1 KiB pieces with AES-256-CBC."
        );
    };
    let piece = units::bytes(extremes.contest.size.unwrap_or_default());
    let (fast, slow) = (teller.label(&extremes.fastest), teller.label(&extremes.slowest));
    match said(&extremes.ratio) {
        Said::Differs(times) => format!(
            "{fast} encrypts {message} in {piece} pieces {times} times as fast as {slow} on this machine (AES-256-CBC)."
        ),
        Said::Level(times) => format!(
            "Between {fast} and {slow}, the fastest and the slowest to encrypt {message} in {piece} pieces with AES-256-CBC, there is no \
             difference that this run could tell: the 95 % interval of their ratio is {times}."
        ),
        Said::Unsure(times) => format!(
            "{fast} encrypts {message} in {piece} pieces {times} times as fast as {slow} on this machine (AES-256-CBC); {UNSURE}."
        ),
    }
}

/// One algorithm and direction.
fn times(teller: &Teller, contests: &[Streamed]) -> Table {
    let Contest { algorithm, operation, .. } = contests[0].contest;
    let fastest =
        contests.iter().flat_map(|it| &it.sides).map(|it| it.time_ns).fold(f64::INFINITY, f64::min);
    let unit = units::unit(fastest);
    let piece = |contest: Contest| contest.size.map_or_else(String::new, units::bytes);
    let mut rows = Vec::new();
    for it in contests {
        for stream in &it.sides {
            let label = teller.label(&stream.key);
            rows.push(Row {
                cells: vec![
                    piece(it.contest),
                    label.clone(),
                    units::scaled(stream.time_ns, unit),
                    units::throughput(PIECES_MESSAGE, stream.time_ns, fastest),
                    if it.sides.len() > 1 && stream.over_slowest.is_none() {
                        units::factor(0.0)
                    } else {
                        ratio(stream.over_slowest)
                    },
                ],
                side: Some(label),
            });
        }
    }
    let mut reasons = Reasons::default();
    let all: Vec<Contest> = contests.iter().map(|it| it.contest).collect();
    rows.extend(absent_rows(teller, &all, &mut reasons, piece, 3));
    let mut reasons = reasons.lines();
    if contests.iter().any(|it| it.sides.len() == 1) {
        reasons.push(format!("{NONE} no other backend to compare with"));
    }
    let cbc = algorithm == Algorithm::BlockMode(BlockMode::Aes256Cbc);
    Table {
        caption: format!("{algorithm}, {}, 32 MiB", direction(operation)),
        main: cbc && operation == Operation::EncryptPieces,
        columns: vec![
            number("piece"),
            side("backend"),
            number("time"),
            number("throughput"),
            number("times as fast"),
        ],
        rows,
        reasons,
    }
}

const fn direction(operation: Operation) -> &'static str {
    match operation {
        Operation::DecryptPieces => "decrypting",
        _ => "encrypting",
    }
}

/// Modes that can work in parallel beside one that cannot.
fn beside(teller: &Teller, all: &[Beside]) -> Table {
    let row = |it: &Beside| {
        let label = teller.label(&it.key);
        let mut cells = vec![units::bytes(it.piece), label.clone()];
        cells.extend(it.gains.iter().map(|gain| ratio(*gain)));
        Row { side: Some(label), cells }
    };
    let missing = all.iter().any(|it| it.gains.contains(&None));
    Table {
        caption: "Times as fast as CBC encryption, which cannot run in parallel".to_owned(),
        main: true,
        columns: vec![
            number("piece"),
            side("backend"),
            number("CBC decryption"),
            number("CTR encryption"),
            number("GCM encryption"),
        ],
        rows: all.iter().map(row).collect(),
        reasons: if missing {
            vec![format!(
                "{NONE} the backend lacks it, or it was not measured together with CBC encryption"
            )]
        } else {
            Vec::new()
        },
    }
}

fn past() -> Past {
    let then = &then().bulk_cbc;
    Past {
        sentences: vec![format!(
            "{}: {} was {} to {} times as fast as {}.",
            then.workload, then.fast_side, then.speedup_low, then.speedup_high, then.slow_side
        )],
        tables: Vec::new(),
        source: then.source.clone(),
    }
}
