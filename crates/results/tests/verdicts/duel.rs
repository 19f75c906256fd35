//! Two sides over all contests, cases over all rounds, and parts of a record. Values come from `made_up`.

use crate::made_up::{backend, failed, keys, measured, record};
use cryptobench_results::{
    duel::mean_ratio,
    record::{Engine, Record, SideKey},
    summary::summarise,
};

fn key(name: &str) -> SideKey {
    SideKey { program: 0, backend: backend(name) }
}

/// `slow` takes twice as long at 16 bytes and eight times at 1024, give or take what both share in a round.
fn two(rounds: u32) -> Record {
    let mut record = record(&[None], 0);
    for round in 0..rounds {
        let off = 1.0 + f64::from(round) / 1000.0;
        for (contest, factor) in [("aes-256-gcm/seal/16", 2.0), ("aes-256-gcm/seal/1024", 8.0)] {
            let sides = [(0, "quick", 100.0), (0, "slow", 100.0 * factor * off)];
            record.measured.push(measured(contest, round, &sides));
        }
    }
    record
}

#[test]
fn the_mean_is_geometric_and_rounds_are_its_values() {
    let record = two(7);
    let mean = mean_ratio(&record, &key("slow"), &key("quick")).expect("a mean");
    assert_eq!((mean.contests, mean.rounds), (2, 7));
    // 4 times the middle round.
    assert!((mean.log_ratio - (4.0_f64 * 1.003).ln()).abs() < 1e-6, "{mean:?}");
    let interval = mean.interval.expect("an interval");
    assert!(interval.low < mean.log_ratio && mean.log_ratio < interval.high);
    let reverse = mean_ratio(&record, &key("quick"), &key("slow")).expect("a mean");
    assert!((reverse.log_ratio + mean.log_ratio).abs() < 1e-12);
    assert_eq!(mean_ratio(&two(1), &key("slow"), &key("quick")).expect("a mean").interval, None);
}

#[test]
fn what_a_round_lacks_and_key_generation_are_not_in_the_mean() {
    let mut record = two(7);
    record.measured.pop();
    record.measured.push(keys(0, &[(0, "quick", vec![7; 9]), (0, "slow", vec![700; 9])]));
    let mean = mean_ratio(&record, &key("slow"), &key("quick")).expect("a mean");
    assert_eq!(mean.contests, 1);
    assert!((mean.log_ratio - (2.0_f64 * 1.003).ln()).abs() < 1e-6, "{mean:?}");
    assert_eq!(mean_ratio(&record, &key("slow"), &key("other")), None);
    record.header.engine = Engine::Criterion;
    assert_eq!(mean_ratio(&record, &key("slow"), &key("quick")), None);
}

#[test]
fn a_case_is_summarised_over_its_rounds() {
    let mut record = record(&[None], 0);
    for (round, time) in [(0, 1.0), (1, 3.0)] {
        let mut measured = measured("x25519/derive", round, &[(0, "ring", time)]);
        measured.sides[0].iterations = vec![5];
        measured.slices = vec![vec![5, 5, 5]];
        record.measured.push(measured);
    }
    record.measured.push(keys(0, &[(0, "ring", (1..=60).collect())]));
    let [keygen, derive] = &summarise(&record)[..] else { panic!("two cases") };
    assert_eq!((derive.rounds, derive.values, derive.slices, derive.operations), (2, 2, 6, 30));
    assert_eq!((derive.median, derive.mean, derive.min, derive.max), (2.0, Some(2.0), 1.0, 3.0));
    assert_eq!(derive.standard_deviation, Some(2.0_f64.sqrt()));
    // The 99.95th percentile of t with one degree of freedom, times a standard error of 1.
    assert!((derive.error.expect("an error") - 636.619).abs() < 0.001, "{derive:?}");
    assert_eq!((derive.median_interval, derive.p95), (None, None));
    assert_eq!((keygen.rounds, keygen.values, keygen.median), (1, 60, 30.5));
    assert!(keygen.p95.is_some() && keygen.median_interval.is_some());
}

#[test]
fn one_value_has_no_error() {
    let mut record = record(&[None], 0);
    record.measured.push(measured("x25519/derive", 0, &[(0, "ring", 5.0)]));
    let [only] = &summarise(&record)[..] else { panic!("one case") };
    assert_eq!((only.mean, only.error, only.standard_deviation), (Some(5.0), None, None));
    assert_eq!((only.slices, only.operations), (0, 0));
}

#[test]
fn what_failed_has_no_times_but_its_reason() {
    let mut record = two(7);
    record.failed.push(failed("aes-256-gcm/seal/slow/16", 0, 6));
    record.leave_out_failed();
    assert_eq!(record.failed.len(), 1);
    let sides: Vec<usize> = record.measured.iter().take(2).map(|it| it.sides.len()).collect();
    assert_eq!(sides, [1, 2]);
    assert!(record.measured[0].log_ratios.is_empty());
    record.retain(|_, id| id.backend == backend("slow"));
    assert_eq!(record.measured.len(), 7);
    assert_eq!(record.failed.len(), 1);
}
