//! RSA key generation, in words. How keys are pooled and compared is in the results.

use super::{
    Answer, NONE, Past, Reasons, Row, Said, Table, Teller, UNSURE, absent_rows, number, said, side,
    times_in, words,
};
use crate::units;
use cryptobench_results::{
    scenario::{
        keygen::{Keygen, Keys, KeysOfSide, answer as numbers},
        then::{RsaKeygenRow, then},
    },
    statistics::FEWEST_FOR_P95,
};
use cryptobench_schema::{Contest, Operation, Scenario};

pub(super) fn answer(teller: &Teller) -> Option<Answer> {
    let keygen = numbers(&teller.record)?;
    let tables = keygen
        .contests
        .chunk_by(|one, other| one.contest.operation == other.contest.operation)
        .map(|contests| times(teller, contests))
        .collect();
    let mut notes = vec![
        "the search for primes takes as many candidates as it takes, so times are spread by chance: medians with the interval that \
         order statistics give, means with Student's t over keys, p95 from 60 keys on; the ratio is that of the medians, to the \
         fastest; intervals are of 95 %"
            .to_owned(),
    ];
    if keygen.contests.iter().any(|it| it.contest.operation == Operation::KeygenSeeded) {
        notes.push(
            "the same random bytes take luck out within one library: its versions and builds search the same candidates. Between \
             libraries they do not, since each makes candidates of its own of them, so this table ranks them no better than the other"
                .to_owned(),
        );
    }
    notes.extend(teller.notes(false));
    Some(Answer {
        scenario: Scenario::Keygen,
        sentence: sentence(teller, &keygen),
        tables,
        then: past(),
        notes,
    })
}

fn sentence(teller: &Teller, keygen: &Keygen) -> String {
    let Some(extremes) = keygen.extremes() else {
        return "This record does not have two backends that make RSA keys of one size.".to_owned();
    };
    let bits = extremes.contest.size.unwrap_or_default();
    let seeded = match extremes.contest.operation {
        Operation::KeygenSeeded => " from the same random bytes",
        _ => "",
    };
    let (fast, slow) = (teller.label(&extremes.fastest), teller.label(&extremes.slowest));
    match said(&extremes.ratio) {
        Said::Differs(times) => format!(
            "{slow} takes {times} times as long as {fast} to make an RSA key of {bits} bits{seeded} (medians)."
        ),
        Said::Level(times) => format!(
            "Between {fast} and {slow}, the fastest and the slowest to make RSA keys of {bits} bits{seeded}, there is no difference that \
             this run could tell: the 95 % interval of the ratio of their medians is {times}."
        ),
        Said::Unsure(times) => format!(
            "{slow} takes {times} times as long as {fast} to make an RSA key of {bits} bits{seeded} (medians); {UNSURE}."
        ),
    }
}

/// One kind of random source.
fn times(teller: &Teller, contests: &[Keys]) -> Table {
    let sides = || contests.iter().flat_map(|it| &it.sides);
    let unit = units::unit_among(sides().map(|it| it.median_ns));
    let bits = |contest: Contest| contest.size.map_or_else(String::new, |it| it.to_string());
    let row = |contest: Contest, it: &KeysOfSide, several: bool| {
        let label = teller.label(&it.key);
        let time = |it: Option<f64>| it.map_or_else(|| NONE.to_owned(), |it| units::bare(it, unit));
        let between = |it: Option<_>| {
            it.map_or_else(String::new, |it| format!(" {}", units::bare_interval(it, unit)))
        };
        Row {
            cells: vec![
                bits(contest),
                label.clone(),
                it.keys.to_string(),
                format!("{}{}", time(Some(it.median_ns)), between(it.median_interval)),
                format!("{}{}", time(Some(it.mean_ns)), between(it.mean_interval)),
                time(it.p95_ns),
                units::number(1e9 / it.mean_ns),
                if several && it.over_fastest.is_none() {
                    units::times_as_fast(0.0)
                } else {
                    it.over_fastest.map_or_else(
                        || NONE.to_owned(),
                        |it| {
                            let interval = it.interval.map_or_else(String::new, |it| {
                                format!(" {}", units::times_interval(it))
                            });
                            format!("{}{interval}", units::times_as_fast(it.log_ratio))
                        },
                    )
                },
            ],
            side: Some(label),
        }
    };
    let mut rows: Vec<Row> = contests
        .iter()
        .flat_map(|it| it.sides.iter().map(|side| row(it.contest, side, it.sides.len() > 1)))
        .collect();
    let mut reasons = Reasons::default();
    let all: Vec<Contest> = contests.iter().map(|it| it.contest).collect();
    rows.extend(absent_rows(teller, &all, &mut reasons, bits, 6));
    let mut reasons = reasons.lines();
    if rows.iter().flat_map(|it| &it.cells).any(|it| it == NONE) {
        reasons.push(format!(
            "{NONE} the 95th percentile takes {FEWEST_FOR_P95} keys, a ratio two backends"
        ));
    }
    Table {
        caption: match contests[0].contest.operation {
            Operation::KeygenSeeded => "RSA keys from the same random bytes for every backend",
            _ => "RSA keys, each backend with its usual random source",
        }
        .to_owned(),
        main: true,
        columns: vec![
            number("bits"),
            side("backend"),
            number("keys"),
            times_in("median", unit),
            times_in("mean", unit),
            times_in("p95", unit),
            number("keys/s"),
            number("ratio"),
        ],
        rows,
        reasons,
    }
}

fn past() -> Past {
    let then = &then().rsa_keygen_ms;
    let row = |it: &RsaKeygenRow| {
        let time = |milliseconds: f64| format!("{milliseconds} ms");
        let times = [it.bits_1024, it.bits_2048, it.bits_3072].map(time);
        Row { side: None, cells: [vec![it.system.clone()], times.to_vec()].concat() }
    };
    Past {
        sentences: vec![format!("The claim: {}.", then.claim)],
        tables: vec![Table {
            caption: "An RSA key, then".to_owned(),
            main: false,
            columns: vec![
                words("system"),
                number("1024 bits"),
                number("2048 bits"),
                number("3072 bits"),
            ],
            rows: then.rows.iter().map(row).collect(),
            reasons: Vec::new(),
        }],
        source: then.source.clone(),
    }
}
