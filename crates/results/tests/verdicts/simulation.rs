//! How often verdicts are right, on simulated runs from fixed seeds: so these tests are absolute.
//! Single verdicts are in `comparison`.

use crate::made_up::{Random, measured, record};
use cryptobench_results::{
    comparison::{Comparison, Row, Rules, Verdict, live, records},
    record::{Engine, Record},
};

const CASES: usize = 400;
const REPETITIONS: u64 = 100;

/// A run whose times are drawn anew: `CASES` cases, the contests in an order that is the same for each round.
fn blank(codes: &[Option<&str>], screening: u32, rounds: u32) -> Record {
    let mut record = record(codes, screening);
    for round in 0..rounds {
        for case in 0..CASES {
            let sides: Vec<(usize, &str, f64)> =
                (0..codes.len()).map(|program| (program, "ring", 100.0)).collect();
            record.measured.push(measured(
                &format!("aes-256-gcm/seal/{}", case + 1),
                round,
                &sides,
            ));
        }
    }
    record
}

/// Draws times: `log_time` and `spread` of each case.
fn draw(
    record: &mut Record,
    random: &mut Random,
    log_time: impl Fn(usize) -> f64,
    spread: impl Fn(usize) -> f64,
) {
    for (index, measured) in record.measured.iter_mut().enumerate() {
        let case = index % CASES;
        let noise = spread(case) * random.normal();
        measured.sides[0].time_ns = (4.0 + log_time(case) + noise).exp();
    }
}

/// In how many of the repetitions a case is wrongly slower, and how many of the planted ones are slower in all. The
/// old record's times are plain, the new one's have `change` by case.
fn record_against_record(
    rounds: u32,
    engine: Engine,
    change: impl Fn(usize) -> f64,
    spread: impl Fn(usize) -> f64,
) -> (usize, usize) {
    let mut old = blank(&[None], 0, rounds);
    let mut new = old.clone();
    new.header.engine = engine;
    let (mut false_alarms, mut found) = (0, 0);
    for seed in 0..REPETITIONS {
        let mut random = Random(seed);
        draw(&mut old, &mut random, |_| 0.0, &spread);
        draw(&mut new, &mut random, &change, &spread);
        let comparison = records(&old, &new, &|_| true, Rules::default());
        let slower = |planted: bool| {
            comparison
                .rows
                .iter()
                .filter(|row| row.verdict == Verdict::Slower)
                .filter(|row| (change(case_of(row)) > 1.05_f64.ln()) == planted)
                .count()
        };
        false_alarms += usize::from(slower(false) > 0);
        found += slower(true);
        if engine == Engine::Criterion || rounds == 1 {
            assert!(comparison.rows.iter().all(|row| row.verdict == Verdict::Suspect));
        }
    }
    (false_alarms, found)
}

fn case_of(row: &Row) -> usize {
    usize::try_from(row.case.contest.size.unwrap()).unwrap() - 1
}

#[test]
fn between_records_nothing_changed() {
    let (false_alarms, _) = record_against_record(5, Engine::LockStep, |_| 0.0, |_| 0.01);
    println!("false alarms: {false_alarms} of {REPETITIONS}");
    assert!(false_alarms <= 5);
}

#[test]
fn between_records_one_case_is_noisy() {
    let spread = |case| if case == 17 { 0.1 } else { 0.01 };
    let (false_alarms, _) = record_against_record(5, Engine::LockStep, |_| 0.0, spread);
    println!("false alarms: {false_alarms} of {REPETITIONS}");
    assert!(false_alarms <= 5);
}

#[test]
fn between_records_the_suite_drifted() {
    let (false_alarms, _) = record_against_record(5, Engine::LockStep, |_| 0.01, |_| 0.01);
    println!("false alarms: {false_alarms} of {REPETITIONS}");
    assert!(false_alarms <= 5);
}

#[test]
fn between_records_ten_cases_are_slower() {
    let change = |case| if case % 40 == 0 { 1.12_f64.ln() } else { 0.0 };
    let (false_alarms, found) = record_against_record(5, Engine::LockStep, change, |_| 0.01);
    println!("found: {found} of {}, false alarms: {false_alarms}", 10 * REPETITIONS);
    assert!(false_alarms <= 5);
    assert!(found >= 900);
}

#[test]
fn between_records_one_round_says_nothing() {
    let change = |case| if case % 40 == 0 { 1.12_f64.ln() } else { 0.0 };
    assert_eq!(record_against_record(1, Engine::LockStep, change, |_| 0.01), (0, 0));
}

#[test]
fn between_records_criterion_says_nothing() {
    let change = |case| if case % 40 == 0 { 1.12_f64.ln() } else { 0.0 };
    assert_eq!(record_against_record(2, Engine::Criterion, change, |_| 0.01), (0, 0));
}

/// Live comparisons of seven rounds, one process in two hundred standing out by 7 % either way: the verdicts.
fn taking_turns(
    rules: Rules,
    repetitions: u64,
    change: impl Fn(usize) -> f64,
    spread: f64,
    mut each: impl FnMut(&Comparison),
) {
    let mut record = blank(&[None, None], 0, 7);
    for seed in 0..repetitions {
        let mut random = Random(seed);
        for (index, measured) in record.measured.iter_mut().enumerate() {
            let mut value = change(index % CASES) + spread * random.normal();
            let stands_out = random.uniform();
            if stands_out < 0.005 {
                value += if stands_out < 0.0025 { 0.07 } else { -0.07 };
            }
            measured.log_ratios[0] = value;
        }
        each(&live(&record, rules));
    }
}

fn count(comparison: &Comparison, verdicts: &[Verdict], planted: impl Fn(usize) -> bool) -> usize {
    comparison
        .rows
        .iter()
        .filter(|row| planted(case_of(row)) && verdicts.contains(&row.verdict))
        .count()
}

#[test]
fn live_nothing_changed() {
    let (mut wrong, mut same) = (0, 0);
    taking_turns(
        Rules::default(),
        REPETITIONS,
        |_| 0.0,
        0.002,
        |comparison| {
            let changed = count(comparison, &[Verdict::Slower, Verdict::Faster], |_| true);
            wrong += usize::from(changed > 0);
            same += count(comparison, &[Verdict::Same], |_| true);
        },
    );
    println!("wrong: {wrong} of {REPETITIONS}; same: {same} of {}", 100 * CASES);
    assert!(wrong <= 2);
    assert!(same >= 99 * CASES);
}

#[test]
fn live_on_the_margin_nothing_is_same_or_slower() {
    // The hardest case of either test: each may be wrong with its level and not more. Spread without outliers would
    // be too easy for the trimmed mean, and with them it is not quite Student's.
    let delta = 1.02_f64.ln();
    let (mut alarms, mut same) = (0, 0);
    taking_turns(
        Rules::default(),
        REPETITIONS,
        |_| delta,
        0.002,
        |comparison| {
            alarms += usize::from(count(comparison, &[Verdict::Slower], |_| true) > 0);
            same += count(comparison, &[Verdict::Same], |_| true);
        },
    );
    println!("alarms: {alarms} of {REPETITIONS}; same: {same} of {}", 100 * CASES);
    assert!(alarms <= 15);
    assert!(same <= 6 * CASES);
}

#[test]
fn live_three_per_cent_against_a_margin_of_two() {
    let planted = |case: usize| case.is_multiple_of(40);
    let change = |case| if planted(case) { 1.03_f64.ln() } else { 0.0 };
    let (mut found, mut wrong) = (0, 0);
    taking_turns(Rules::default(), 20, change, 0.001, |comparison| {
        found += count(comparison, &[Verdict::Slower], planted);
        wrong += count(comparison, &[Verdict::Slower, Verdict::Faster], |case| !planted(case));
    });
    println!("found: {found} of 200; wrong: {wrong}");
    assert!(found >= 180);
    assert_eq!(wrong, 0);
}

#[test]
fn live_one_per_cent_against_a_margin_of_three_per_mille() {
    let planted = |case: usize| case.is_multiple_of(40);
    let change = |case| if planted(case) { 1.01_f64.ln() } else { 0.0 };
    let (mut found, mut wrong) = (0, 0);
    let rules = Rules { margin: 0.003, alpha: 0.05 };
    taking_turns(rules, 20, change, 0.0005, |comparison| {
        found += count(comparison, &[Verdict::Slower], planted);
        wrong += count(comparison, &[Verdict::Slower, Verdict::Faster], |case| !planted(case));
    });
    println!("found: {found} of 200; wrong: {wrong}");
    assert!(found >= 180);
    assert_eq!(wrong, 0);
}

#[test]
fn live_two_stages() {
    // As `compare` does it: three screening rounds, then twelve fresh ones for what they left open.
    let planted = |case: usize| case.is_multiple_of(40);
    let change = |case| if planted(case) { 1.03_f64.ln() } else { 0.0 };
    let whole = blank(&[None, None], 3, 15);
    let (mut found, mut wrong, mut open) = (0, 0, 0);
    for seed in 0..20 {
        let mut random = Random(seed);
        let mut record = whole.clone();
        for (index, measured) in record.measured.iter_mut().enumerate() {
            measured.log_ratios[0] = change(index % CASES) + 0.003 * random.normal();
        }
        let undecided = cryptobench_results::comparison::undecided(&record, Rules::default());
        record.measured.retain(|it| {
            it.round < 3
                || undecided.binary_search(&it.contest.case("ring".parse().unwrap())).is_ok()
        });
        open += undecided.len();
        let comparison = live(&record, Rules::default());
        assert_eq!(comparison.family, undecided.len());
        found += count(&comparison, &[Verdict::Slower], planted);
        wrong += count(&comparison, &[Verdict::Slower, Verdict::Faster], |case| !planted(case));
    }
    println!("found: {found} of 200; wrong: {wrong}; open: {open} of {}", 20 * CASES);
    assert!(found >= 180);
    assert_eq!(wrong, 0);
}
