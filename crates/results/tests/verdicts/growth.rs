//! Which side overtakes which, and at how many bytes. Lines are tested beside them.

use crate::made_up::{backend, measured, record};
use cryptobench_results::{
    growth::{Overtake, overtakes},
    ranking::{Options, RankedContest, rank},
    record::{Engine, Record, SideKey},
};

fn key(name: &str) -> SideKey {
    SideKey { program: 0, backend: backend(name) }
}

/// Adds three rounds at `size`, each with the same times.
fn steady(record: &mut Record, size: u64, sides: &[(usize, &str, f64)]) {
    for round in 0..3 {
        record.measured.push(measured(&format!("aes-256-gcm/seal/{size}"), round, sides));
    }
}

/// Adds three rounds at `size`, of which one has the other order.
fn tied(record: &mut Record, size: u64, first: &str, second: &str) {
    for (round, time) in [(0, 90.0), (1, 101.0), (2, 110.0)] {
        record.measured.push(measured(
            &format!("aes-256-gcm/seal/{size}"),
            round,
            &[(0, first, 100.0), (0, second, time)],
        ));
    }
}

fn ranked(record: &Record) -> Vec<RankedContest> {
    rank(record, &Options::default()).contests
}

fn shown(overtakes: &[Overtake]) -> Vec<(&str, &str, (u64, u64), f64)> {
    overtakes
        .iter()
        .map(|it| {
            let at = (it.at * 1e6).round() / 1e6;
            (it.below.backend.as_str(), it.above.backend.as_str(), it.between, at)
        })
        .collect()
}

#[test]
fn they_cross_where_lines_between_certain_sizes_do() {
    let mut record = record(&[None], 0);
    // 50 ns apart at 16 bytes and 300 the other way at 1024: 16 + 1008 × 50 / 350.
    steady(&mut record, 1024, &[(0, "ring", 1000.0), (0, "aws-lc", 700.0)]);
    tied(&mut record, 128, "ring", "aws-lc");
    steady(&mut record, 16, &[(0, "ring", 100.0), (0, "aws-lc", 150.0)]);
    steady(&mut record, 64, &[(0, "graviola", 5.0)]);
    let expected = [("ring", "aws-lc", (16, 1024), 160.0)];
    assert_eq!(shown(&overtakes(&ranked(&record))), expected);
    let mut backwards = ranked(&record);
    backwards.reverse();
    assert_eq!(shown(&overtakes(&backwards)), expected);

    // Certain now, and still as it was: 20 apart at 128, 300 at 1024.
    record.measured.retain(|it| it.contest.size != Some(128));
    steady(&mut record, 128, &[(0, "ring", 200.0), (0, "aws-lc", 220.0)]);
    assert_eq!(shown(&overtakes(&ranked(&record))), [("ring", "aws-lc", (128, 1024), 184.0)]);
}

#[test]
fn each_pair_and_each_change_by_where_it_is() {
    let mut record = record(&[None], 0);
    let three =
        |ring, aws_lc, openssl| [(0, "ring", ring), (0, "aws-lc", aws_lc), (0, "openssl", openssl)];
    steady(&mut record, 100, &three(10.0, 20.0, 25.0));
    steady(&mut record, 200, &three(40.0, 30.0, 26.0));
    steady(&mut record, 300, &three(50.0, 70.0, 27.0));
    // ring and aws-lc: 10 apart, 10, 20: at 150 and 233⅓. ring and openssl: 15, 14: 100 + 1500 / 29. aws-lc and
    // openssl: 5, 4: 100 + 500 / 9.
    assert_eq!(
        shown(&overtakes(&ranked(&record))),
        [
            ("ring", "aws-lc", (100, 200), 150.0),
            ("ring", "openssl", (100, 200), 151.724_138),
            ("aws-lc", "openssl", (100, 200), 155.555_556),
            ("aws-lc", "ring", (200, 300), 233.333_333),
        ]
    );
}

#[test]
fn what_slices_taken_in_turn_say_decides() {
    let mut record = record(&[None], 0);
    steady(&mut record, 16, &[(0, "ring", 100.0), (0, "aws-lc", 100.0)]);
    steady(&mut record, 1016, &[(0, "ring", 100.0), (0, "aws-lc", 100.0)]);
    for measured in &mut record.measured {
        let sign = if measured.contest.size == Some(16) { 1.0 } else { -1.0 };
        measured.log_ratios = vec![sign * 4.0_f64.ln()];
    }
    // 50 against 200 either way.
    assert_eq!(shown(&overtakes(&ranked(&record))), [("ring", "aws-lc", (16, 1016), 516.0)]);
}

#[test]
fn what_is_not_certain_is_no_overtaking() {
    assert!(overtakes(&[]).is_empty());
    let mut uncertain = record(&[None], 0);
    steady(&mut uncertain, 16, &[(0, "ring", 100.0), (0, "aws-lc", 150.0)]);
    tied(&mut uncertain, 128, "aws-lc", "ring");
    assert!(overtakes(&ranked(&uncertain)).is_empty());

    steady(&mut uncertain, 1024, &[(0, "ring", 1000.0), (0, "aws-lc", 700.0)]);
    assert_eq!(overtakes(&ranked(&uncertain)).len(), 1);
    let mut criterion = uncertain.clone();
    criterion.header.engine = Engine::Criterion;
    assert!(overtakes(&ranked(&criterion)).is_empty());
    let mut one = uncertain.clone();
    one.measured.retain(|it| it.round == 0);
    assert!(overtakes(&ranked(&one)).is_empty());

    // Twice the same size: the first counts.
    let mut contests = ranked(&uncertain);
    contests.retain(|it| it.contest.size != Some(128));
    contests[1].contest.size = Some(16);
    assert!(overtakes(&contests).is_empty());
    contests[0].contest.size = None;
    assert!(overtakes(&contests).is_empty());
}

#[test]
fn those_that_are_not_shown_overtake_nobody() {
    let mut record = record(&[None], 0);
    steady(&mut record, 16, &[(0, "ring", 100.0), (0, "aws-lc", 150.0), (0, "openssl", 120.0)]);
    steady(&mut record, 1024, &[(0, "ring", 1000.0), (0, "aws-lc", 700.0), (0, "openssl", 500.0)]);
    let mut contests = ranked(&record);
    assert_eq!(overtakes(&contests).len(), 2);
    for contest in &mut contests {
        contest.sides.retain(|it| it.key != key("ring"));
    }
    assert!(overtakes(&contests).is_empty());
}

#[test]
fn where_ranks_tie_nobody_overtakes() {
    let mut record = record(&[None], 0);
    // Alone 95 % certain, but not among the 12 tests of a contest of four.
    let barely = |record: &mut Record, size: u64, first: &str, second: &str| {
        for (round, off) in [1.0, 9.0, 5.0, 4.0, 6.0].into_iter().enumerate() {
            record.measured.push(measured(
                &format!("aes-256-gcm/seal/{size}"),
                u32::try_from(round).expect("few"),
                &[
                    (0, first, 100.0),
                    (0, second, 100.0 + off),
                    (0, "dalek", 500.0),
                    (0, "openssl", 900.0),
                ],
            ));
        }
    };
    barely(&mut record, 16, "ring", "aws-lc");
    barely(&mut record, 1024, "aws-lc", "ring");
    let contests = ranked(&record);
    for contest in &contests {
        let ratio = contest.ratio(&contest.sides[1].key, &contest.sides[0].key).expect("both");
        assert!(ratio.interval.expect("rounds").low > 0.0);
        assert_eq!([contest.sides[0].rank, contest.sides[1].rank], [Some(1), Some(1)]);
    }
    assert_eq!(overtakes(&contests), []);
}
