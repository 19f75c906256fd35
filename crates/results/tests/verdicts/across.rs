//! The fastest sides of several contests against one another. Values come from `made_up`.

use crate::made_up::{backend, keys, measured, record};
use cryptobench_results::{
    across::{Standing, across},
    ranking::{Options, rank},
    record::{Engine, Record},
};
use cryptobench_schema::Contest;

const AES_128: &str = "aes-128-gcm/seal/1024";
const AES_256: &str = "aes-256-gcm/seal/1024";
const CHACHA: &str = "chacha20-poly1305/seal/1024";

fn contests(names: &[&str]) -> Vec<Contest> {
    names.iter().map(|it| it.parse().unwrap()).collect()
}

/// One round for each of the times of `ring`; `openssl` takes twice as long.
fn times(record: &mut Record, contest: &str, times: &[f64]) {
    for (round, &time) in (0..).zip(times) {
        record.measured.push(measured(
            contest,
            round,
            &[(0, "openssl", 2.0 * time), (0, "ring", time)],
        ));
    }
}

fn standings(record: &Record, names: &[&str]) -> Vec<Standing> {
    across(&rank(record, &Options::default()), &contests(names))
}

fn three() -> Record {
    let mut record = record(&[None], 0);
    times(&mut record, AES_128, &[100.0, 101.5, 99.2, 100.7, 98.8, 107.0, 100.1]);
    times(&mut record, AES_256, &[131.0, 128.4, 130.2, 129.9, 133.3, 130.6, 120.0]);
    times(&mut record, CHACHA, &[127.0, 131.9, 129.0, 128.2]);
    record
}

/// Against SciPy 1.17.1: `stats.ttest_ind(ln b, ln a, equal_var=False, trim=0.15)` and its interval for the seven
/// rounds of each; by NumPy from Yuen's formulae for the four, of which none is cut.
#[test]
fn ratios_are_those_of_yuen() {
    let standings = standings(&three(), &[AES_256, CHACHA, "x25519/derive", AES_128, AES_256]);
    let [first, second, third] = standings.as_slice() else { panic!("{standings:?}") };
    assert_eq!((first.contest, first.time_ns), (contests(&[AES_128])[0], 100.1));
    assert_eq!((second.contest, second.time_ns), (contests(&[CHACHA])[0], 128.6));
    assert_eq!((third.contest, third.time_ns), (contests(&[AES_256])[0], 130.2));
    assert_eq!(first.over_best, None);
    for (standing, theirs) in [
        (third, [0.259_528_219_988_781_4, 0.243_182_140_781_665, 0.275_874_299_195_897_8]),
        (second, [0.251_772_276_796_233_8, 0.227_566_310_928_326_3, 0.275_978_242_664_141_34]),
    ] {
        let ratio = standing.over_best.unwrap();
        let interval = ratio.interval.unwrap();
        for (ours, theirs) in [ratio.log_ratio, interval.low, interval.high].iter().zip(theirs) {
            assert!((ours - theirs).abs() < 1e-9, "{ours} is not {theirs}");
        }
    }
    for standing in &standings {
        assert_eq!((&standing.side.backend, standing.tied.len()), (&backend("ring"), 0));
    }
}

#[test]
fn those_that_tie_are_named() {
    let mut record = three();
    record.measured.clear();
    for (round, time) in (0..).zip([100.0, 99.0, 101.5, 100.2, 98.5]) {
        let sides =
            [(0, "ring", 100.0), (0, "aws-lc", time), (0, "graviola", 99.9), (0, "openssl", 200.0)];
        record.measured.push(measured(AES_128, round, &sides));
    }
    let [standing] = standings(&record, &[AES_128]).try_into().unwrap();
    // One cut on each side, three are left: 99.73.
    assert_eq!((&standing.side.backend, standing.time_ns), (&backend("aws-lc"), 100.0));
    // ring takes 1.001 times as long as graviola in every round, which is certain.
    let tied: Vec<&str> = standing.tied.iter().map(|it| it.backend.as_str()).collect();
    assert_eq!(tied, ["graviola"]);
}

#[test]
fn one_round_and_criterion_bound_nothing() {
    let mut one = three();
    one.measured.retain(|it| it.round == 0);
    let mut criterion = one.clone();
    criterion.header.engine = Engine::Criterion;
    let mut rounds = three();
    rounds.header.engine = Engine::Criterion;
    for record in [one, criterion, rounds] {
        let standings = standings(&record, &[AES_128, CHACHA]);
        let ratio = standings[1].over_best.unwrap();
        assert!(ratio.log_ratio > 0.2 && ratio.interval.is_none());
        assert!(standings[0].tied.is_empty());
    }
    assert!(standings(&three(), &[]).is_empty());
    assert!(standings(&record(&[], 0), &[AES_128]).is_empty());
}

#[test]
fn keys_are_compared_by_their_medians() {
    let mut record = record(&[None], 0);
    for round in 0..2_u64 {
        for (size, scale) in [("2048", 1), ("3072", 4)] {
            let times = (100..130).map(|it| scale * (it + 30 * round)).collect();
            let round = u32::try_from(round).unwrap();
            let mut measured = keys(round, &[(0, "ring", times)]);
            measured.contest = format!("rsa/keygen/{size}").parse().unwrap();
            record.measured.push(measured);
        }
    }
    let standings = standings(&record, &["rsa/keygen/3072", "rsa/keygen/2048"]);
    let ratio = standings[1].over_best.unwrap();
    assert!((ratio.log_ratio - 4.0_f64.ln()).abs() < 1e-12);
    // Of 60 keys from 100 to 159 the 21st and the 40th hold the median with 97.5 % (binomial).
    let interval = ratio.interval.unwrap();
    assert!((interval.low - (4.0 * 120.0 / 139.0_f64).ln()).abs() < 1e-12);
    assert!((interval.high - (4.0 * 139.0 / 120.0_f64).ln()).abs() < 1e-12);
}
