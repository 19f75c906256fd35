//! Order, ratios, ranks and means. Values come from `made_up`.

use crate::made_up::{backend, keys, measured, record};
use cryptobench_results::{
    ranking::{Entrants, Options, RankedContest, Ranking, rank},
    record::{Engine, Record},
};
use cryptobench_schema::Operation;

const SEAL: &str = "aes-256-gcm/seal/1024";

/// Adds seven rounds in which `sides` take their time, give or take a per mille apiece.
fn rounds(record: &mut Record, contest: &str, sides: &[(usize, &str, f64)]) {
    for round in 0..7 {
        let sides: Vec<(usize, &str, f64)> = sides
            .iter()
            .enumerate()
            .map(|(index, &(program, name, time))| {
                let off = ((round as usize * (index + 2) * 3) % 7) as f64 - 3.0;
                (program, name, time * (1.0 + off / 3000.0))
            })
            .collect();
        record.measured.push(measured(contest, round, &sides));
    }
}

fn ranks(contest: &RankedContest) -> Vec<(&str, Option<usize>)> {
    contest.sides.iter().map(|side| (side.key.backend.as_str(), side.rank)).collect()
}

fn default(record: &Record) -> Ranking {
    rank(record, &Options::default())
}

#[test]
fn the_fastest_comes_first_and_ties_are_ties() {
    let mut record = record(&[None], 0);
    rounds(
        &mut record,
        SEAL,
        &[(0, "openssl", 200.0), (0, "aws-lc", 100.0), (0, "ring", 100.01), (0, "dalek", 150.0)],
    );
    let ranking = default(&record);
    let contest = &ranking.contests[0];
    assert_eq!(
        ranks(contest),
        [("aws-lc", Some(1)), ("ring", Some(1)), ("dalek", Some(3)), ("openssl", Some(4))]
    );
    let fastest = &contest.sides[0];
    assert_eq!((fastest.log_ratio, fastest.interval, fastest.rounds), (Some(0.0), None, 7));
    assert_eq!(contest.reference.as_ref(), Some(&fastest.key));
    let slowest = &contest.sides[3];
    assert!((slowest.log_ratio.unwrap() - 2.0_f64.ln()).abs() < 1e-3);
    let interval = slowest.interval.unwrap();
    assert!(interval.low < 2.0_f64.ln() && 2.0_f64.ln() < interval.high && interval.low > 0.68);

    let wide = Options { margin: 1.0, ..Options::default() };
    assert!(ranks(&rank(&record, &wide).contests[0]).iter().all(|it| it.1 == Some(1)));
}

#[test]
fn equal_sides_tie() {
    let mut record = record(&[None], 0);
    for round in 0..7 {
        let sides = [(0, "ring", 100.0), (0, "aws-lc", 100.0), (0, "dalek", 100.0)];
        record.measured.push(measured(SEAL, round, &sides));
    }
    assert!(ranks(&default(&record).contests[0]).iter().all(|it| it.1 == Some(1)));
}

#[test]
fn ratios_are_to_the_reference() {
    let mut record = record(&[None], 0);
    rounds(&mut record, SEAL, &[(0, "openssl", 200.0), (0, "ring", 100.0)]);
    rounds(&mut record, "aes-256-ccm/seal/16", &[(0, "rustcrypto", 200.0), (0, "ring", 100.0)]);
    let options = Options { reference: Some(backend("openssl")), ..Options::default() };
    let ranking = rank(&record, &options);
    let seal = ranking.contests.iter().find(|it| it.reference.is_some()).unwrap();
    assert_eq!(ranks(seal), [("ring", Some(1)), ("openssl", Some(2))]);
    assert!((seal.sides[0].log_ratio.unwrap() - 0.5_f64.ln()).abs() < 1e-3);
    assert_eq!(seal.sides[1].log_ratio, Some(0.0));
    // Without the reference: still in order, but no ratio under another meaning.
    let other = ranking.contests.iter().find(|it| it.reference.is_none()).unwrap();
    assert_eq!(ranks(other), [("ring", Some(1)), ("rustcrypto", Some(2))]);
    assert_eq!(other.sides[1].log_ratio, None);
    assert_eq!((ranking.means[0].contests, ranking.means[0].sides.len()), (0, 0));
}

#[test]
fn one_round_and_criterion_have_no_ranks() {
    let mut one = record(&[None], 0);
    one.measured.push(measured(SEAL, 0, &[(0, "openssl", 200.0), (0, "ring", 100.0)]));
    let mut criterion = one.clone();
    criterion.header.engine = Engine::Criterion;
    criterion.measured[0].log_ratios.clear();
    let mut without = record(&[None], 0);
    rounds(&mut without, SEAL, &[(0, "openssl", 200.0), (0, "ring", 100.0)]);
    for measured in &mut without.measured {
        measured.log_ratios.clear();
    }
    for record in [one, criterion, without] {
        let contest = default(&record).contests.remove(0);
        assert_eq!(ranks(&contest), [("ring", None), ("openssl", None)]);
        assert!((contest.sides[1].log_ratio.unwrap() - 2.0_f64.ln()).abs() < 1e-3);
        assert_eq!(contest.sides[1].interval, None);
    }
}

#[test]
fn a_side_of_one_round_is_not_ranked() {
    let mut record = record(&[None], 0);
    rounds(&mut record, SEAL, &[(0, "openssl", 200.0), (0, "ring", 100.0)]);
    record.measured[0] =
        measured(SEAL, 0, &[(0, "openssl", 200.0), (0, "ring", 100.0), (0, "graviola", 300.0)]);
    assert_eq!(
        ranks(&default(&record).contests[0]),
        [("ring", Some(1)), ("openssl", Some(2)), ("graviola", None)]
    );
}

#[test]
fn alone_one_is_first() {
    let mut record = record(&[None], 0);
    rounds(&mut record, SEAL, &[(0, "ring", 100.0)]);
    assert_eq!(ranks(&default(&record).contests[0]), [("ring", Some(1))]);
}

#[test]
fn rsa_keygen_has_quantiles_and_no_ranks() {
    let mut record = record(&[None], 0);
    for round in 0..2_u64 {
        record.measured.push(keys(
            u32::try_from(round).unwrap(),
            &[
                (0, "openssl", (300..330).map(|it| it + 30 * round).collect()),
                (0, "ring", (100..129).map(|it| it + 30 * round).collect()),
            ],
        ));
    }
    let ranking = default(&record);
    let [ring, openssl] = ranking.contests[0].sides.as_slice() else { panic!() };
    let quantiles = openssl.quantiles.unwrap();
    assert_eq!((quantiles.values, quantiles.median), (60, 329.5));
    assert_eq!(quantiles.p95, Some(356.05));
    let interval = quantiles.median_interval.unwrap();
    assert!(interval.low > 315.0 && interval.high < 345.0);
    assert_eq!((ring.rank, openssl.rank), (None, None));
    assert_eq!(ring.quantiles.unwrap().p95, None);
    let (log_ratio, interval) = (openssl.log_ratio.unwrap(), openssl.interval.unwrap());
    assert!(interval.low < log_ratio && log_ratio < interval.high);
    assert_eq!((ring.time_ns, openssl.time_ns), (129.0, 329.5));
    assert!(ranking.means.is_empty());
}

#[test]
fn means_are_over_contests_that_all_share() {
    let mut record = record(&[None], 0);
    rounds(&mut record, SEAL, &[(0, "ring", 100.0), (0, "aws-lc", 200.0), (0, "openssl", 400.0)]);
    rounds(
        &mut record,
        "aes-128-gcm/seal/16",
        &[(0, "ring", 200.0), (0, "aws-lc", 100.0), (0, "openssl", 400.0)],
    );
    rounds(&mut record, "aes-256-ccm/seal/16", &[(0, "aws-lc", 100.0), (0, "openssl", 900.0)]);
    rounds(&mut record, "aes-256-gcm/open/16", &[(0, "ring", 100.0)]);
    rounds(&mut record, "aes-256-ccm/open/16", &[(0, "openssl", 100.0)]);
    let ranking = default(&record);
    let [seal, open] = ranking.means.as_slice() else { panic!("{:?}", ranking.means) };
    assert_eq!((seal.operation, seal.contests, seal.sides.len()), (Operation::Seal, 2, 3));
    assert_eq!(seal.sides[2].0.backend, backend("openssl"));
    assert!((seal.sides[2].1 - 4.0_f64.ln()).abs() < 1e-3);
    assert!((seal.sides[0].1 - 2.0_f64.ln() / 2.0).abs() < 1e-3);
    assert_eq!((open.operation, open.contests), (Operation::Open, 0));
    assert!(open.sides.is_empty());
}

#[test]
fn programs_are_told_apart() {
    let mut record = record(&[None, None], 0);
    rounds(
        &mut record,
        SEAL,
        &[(0, "ring", 300.0), (1, "ring", 100.0), (1, "openssl", 150.0), (0, "openssl", 150.0)],
    );
    assert_eq!(ranks(&default(&record).contests[0]), [("ring", Some(1)), ("openssl", Some(2))]);
    let options = Options {
        entrants: Entrants::AllPrograms,
        reference: Some(backend("ring")),
        ..Options::default()
    };
    let all = rank(&record, &options);
    assert_eq!(all.contests[0].sides.len(), 4);
    assert_eq!(all.contests[0].reference.as_ref().map(|it| it.program), Some(1));
    assert_eq!(all.contests[0].sides[3].rank, Some(4));
    assert_eq!(all.contests[0].sides[1].rank, all.contests[0].sides[2].rank);
    assert_eq!(all.means[0].sides.len(), 4);
}

#[test]
fn numbers_that_are_none_are_left_out() {
    let mut record = record(&[None], 0);
    rounds(&mut record, SEAL, &[(0, "ring", 100.0), (0, "openssl", 200.0)]);
    for bad in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        record.measured.push(measured(SEAL, 7, &[(0, "ring", bad), (0, "openssl", 200.0)]));
        record.measured.push(measured("aes-128-gcm/seal/16", 0, &[(0, "ring", bad)]));
        let ranking = default(&record);
        assert_eq!(ranking.contests.len(), 1);
        assert_eq!(ranks(&ranking.contests[0]), [("ring", Some(1)), ("openssl", Some(2))], "{bad}");
        record.measured.truncate(7);
    }
    assert!(default(&crate::made_up::record(&[], 0)).contests.is_empty());
}
