//! Order, ratios, ranks and means. Values come from `made_up`.

use crate::made_up::{backend, keys, measured, record};
use cryptobench_results::{
    ranking::{Entrants, Options, RankedContest, Ranking, Ratio, rank},
    record::{Engine, Record, SideKey},
    statistics::Interval,
};
use cryptobench_schema::Operation;

const SEAL: &str = "aes-256-gcm/seal/1024";

/// Rounds in which each of three sides is faster than the next, by pairs: ring over aws-lc by 1 %, aws-lc over openssl by 3 %,
/// openssl over ring by 1 %.
fn circle() -> Record {
    let mut record = record(&[None], 0);
    for round in 0..7 {
        let times = [(0, "ring", 100.0), (0, "aws-lc", 100.0), (0, "openssl", 100.0)];
        let mut measured = measured(SEAL, round, &times);
        let off = f64::from(round) * 1e-5;
        measured.log_ratios = vec![0.01 + off, -0.01 + off, 0.03 - off];
        record.measured.push(measured);
    }
    record
}

#[test]
fn there_is_one_order_whatever_the_reference() {
    let record = circle();
    let order = |reference: Option<&str>| -> Vec<String> {
        let options = Options { reference: reference.map(backend), ..Options::default() };
        let contest = rank(&record, &options).contests.remove(0);
        let lead = contest.lead().expect("sides");
        assert_eq!(lead.winners.first().unwrap_or(&contest.sides[0].key), &contest.sides[0].key);
        contest.sides.iter().map(|it| it.key.backend.to_string()).collect()
    };
    // Means over all three: aws-lc (0.01 - 0.03) / 3, ring (-0.01 + 0.01) / 3, openssl (-0.01 + 0.03) / 3.
    assert_eq!(order(None), ["aws-lc", "ring", "openssl"]);
    for reference in ["ring", "aws-lc", "openssl", "dalek"] {
        assert_eq!(order(Some(reference)), order(None), "{reference}");
    }
    let contest = default(&record).contests.remove(0);
    assert_eq!(contest.reference.as_ref(), Some(&contest.sides[0].key));
}

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

fn key(name: &str) -> SideKey {
    SideKey { program: 0, backend: backend(name) }
}

#[track_caller]
fn near(ours: f64, theirs: f64) {
    assert!((ours - theirs).abs() <= 1e-9 * theirs.abs(), "{ours} is not {theirs}");
}

/// Intervals by NumPy 2.4.6 from the formulae of Tukey and McLaughlin, Student's t by SciPy 1.17.1.
#[test]
fn times_and_pairs_have_intervals() {
    let mut record = record(&[None], 0);
    let ring = [100.0, 101.5, 99.2, 100.7, 98.8, 107.0, 100.1];
    let openssl = [131.0, 128.4, 130.2, 129.9, 133.3, 130.6, 120.0];
    for round in (0..7_u32).rev() {
        let at = round as usize;
        let sides =
            [(0, "ring", ring[at]), (0, "openssl", openssl[at]), (0, "dalek", 10.0 * ring[at])];
        record.measured.push(measured(SEAL, round, &sides));
    }
    let contest = default(&record).contests.remove(0);
    let first = &contest.sides[0];
    assert_eq!((first.times_ns.as_slice(), first.time_ns), (&ring[..], 100.1));
    assert!(first.keys_ns.is_empty());
    let interval = first.interval_ns.unwrap();
    near(interval.low, 98.841_032_729_656_82);
    near(interval.high, 101.774_559_312_003_94);

    let ratio = contest.ratio(&key("openssl"), &key("ring")).unwrap();
    near(ratio.log_ratio, 0.246_196_390_360_636_2);
    let interval = ratio.interval.unwrap();
    near(interval.low, 0.196_453_513_117_170_9);
    near(interval.high, 0.295_939_267_604_101_5);
    let inverse = contest.ratio(&key("ring"), &key("openssl")).unwrap();
    let Interval { low, high } = interval;
    let mirrored = Interval { low: -high, high: -low };
    let p_slower = ratio.p_slower.map(|it| 1.0 - it);
    assert_eq!(inverse, Ratio { log_ratio: -ratio.log_ratio, interval: Some(mirrored), p_slower });

    // One that no side is the reference of.
    let ratio = contest.ratio(&key("dalek"), &key("openssl")).unwrap();
    near(ratio.log_ratio, 10.0_f64.ln() - 0.246_196_390_360_636_2);
    for side in &contest.sides {
        let ratio = contest.ratio(&side.key, &first.key).unwrap();
        assert_eq!((Some(ratio.log_ratio), ratio.interval), (side.log_ratio, side.interval));
        let itself = contest.ratio(&side.key, &side.key).unwrap();
        assert_eq!((itself.log_ratio, itself.interval), (0.0, None));
    }
    assert_eq!(contest.ratio(&key("ring"), &key("graviola")), None);
    assert_eq!(contest.ratio(&key("graviola"), &key("graviola")), None);
}

#[test]
fn without_rounds_taken_in_turn_there_are_ratios_and_no_intervals() {
    let mut criterion = record(&[None], 0);
    rounds(&mut criterion, SEAL, &[(0, "openssl", 200.0), (0, "ring", 100.0)]);
    let mut one = criterion.clone();
    one.measured.truncate(1);
    criterion.header.engine = Engine::Criterion;
    for record in [criterion, one] {
        let contest = default(&record).contests.remove(0);
        let ratio = contest.ratio(&key("openssl"), &key("ring")).unwrap();
        assert!((ratio.log_ratio - 2.0_f64.ln()).abs() < 0.01 && ratio.interval.is_none());
        assert!(contest.sides.iter().all(|it| it.interval_ns.is_none()));
        let lead = contest.lead().unwrap();
        assert_eq!((lead.winners, lead.certain), (vec![key("ring")], false));
        assert_eq!(lead.next, Some((key("openssl"), ratio)));
    }
}

#[test]
fn who_leads_and_who_comes_after() {
    let mut record = record(&[None], 0);
    rounds(
        &mut record,
        SEAL,
        &[(0, "openssl", 200.0), (0, "aws-lc", 100.0), (0, "ring", 100.01), (0, "dalek", 150.0)],
    );
    let mut contest = default(&record).contests.remove(0);
    let lead = contest.lead().unwrap();
    assert_eq!((lead.winners, lead.certain), (vec![key("aws-lc"), key("ring")], true));
    let (next, ratio) = lead.next.unwrap();
    assert_eq!(next, key("dalek"));
    assert!((ratio.log_ratio - 1.5_f64.ln()).abs() < 1e-3 && ratio.interval.is_some());

    // Who takes sides out keeps the ratios of the others.
    contest.sides.retain(|it| it.key != key("aws-lc") && it.key != key("dalek"));
    let lead = contest.lead().unwrap();
    assert_eq!(lead.winners, [key("ring")]);
    let (next, ratio) = lead.next.unwrap();
    assert_eq!(next, key("openssl"));
    assert!((ratio.log_ratio - (200.0_f64 / 100.01).ln()).abs() < 1e-3);
    contest.sides.truncate(1);
    assert_eq!(contest.lead().unwrap().next, None);
    contest.sides.clear();
    assert_eq!(contest.lead(), None);
}

#[test]
fn who_took_part_once_does_not_lead() {
    let mut record = record(&[None], 0);
    rounds(&mut record, SEAL, &[(0, "openssl", 200.0), (0, "ring", 100.0)]);
    let sides = [(0, "openssl", 200.0), (0, "ring", 100.0), (0, "graviola", 50.0)];
    record.measured[0] = measured(SEAL, 0, &sides);
    let lead = default(&record).contests[0].lead().unwrap();
    assert_eq!((lead.winners, lead.certain), (vec![key("graviola")], false));
    assert_eq!(lead.next.unwrap().0, key("ring"));
}

#[test]
fn keys_of_all_rounds_in_rising_order() {
    let mut record = record(&[None], 0);
    record.measured.push(keys(0, &[(0, "ring", (100..130).rev().collect())]));
    let one = default(&record).contests.remove(0);
    assert_eq!(one.sides[0].rank, None);
    assert_eq!(one.sides[0].interval_ns, None);
    record.measured.push(keys(1, &[(0, "ring", (130..160).rev().collect())]));
    let contest = default(&record).contests.remove(0);
    let side = &contest.sides[0];
    assert_eq!(side.keys_ns, (100..160).map(f64::from).collect::<Vec<_>>());
    assert_eq!((side.times_ns.as_slice(), side.rank), (&[129.0, 159.0][..], None));
    // The 22nd and the 39th of 60: the binomial distribution has 1.4 % up to 21 below (and 2.6 % up to 22).
    let expected = Interval { low: 121.0, high: 138.0 };
    assert_eq!(side.interval_ns, Some(expected));
    assert_eq!(side.quantiles.unwrap().median_interval, Some(expected));
    assert!(!contest.lead().unwrap().certain);
}
