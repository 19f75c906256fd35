//! Times that are known beforehand: what is made of them is known too. And times that were spent: only that they
//! are such.

use crate::trial::{Ran, Trial};
use cryptobench_results::record::{Measured, Side};
use cryptobench_runner::Outcome;

/// The rounds of a contest.
fn rounds<'a>(ran: &'a Ran, contest: &str) -> Vec<&'a Measured> {
    let all = ran.record.measured.iter();
    let mut rounds: Vec<&Measured> = all.filter(|it| it.contest.to_string() == contest).collect();
    rounds.sort_by_key(|it| it.round);
    rounds
}

/// The requests for slices that `program` was given for its case `handle` of a contest's first round.
fn requests(trial: &Trial, contest: &str, handle: u32) -> Vec<(u64, u64, u64)> {
    let log = trial.log(0);
    let backend = ["quick", "slow"][handle as usize];
    let (algorithm, rest) = contest.split_once('/').expect("a contest");
    let (operation, size) = rest
        .split_once('/')
        .map_or((rest, String::new()), |(operation, size)| (operation, format!("/{size}")));
    let prepare = format!("prepare {algorithm}/{operation}/{backend}{size}");
    let first = log.iter().position(|it| *it == prepare).expect("prepared");
    let prepared = |line: &String| line.starts_with("prepare ");
    let since_start = log[..first].iter().rev().take_while(|it| !it.starts_with("pid "));
    let handle = since_start.filter(|it| prepared(it)).count();
    let word = format!("time {handle} ");
    log[first..]
        .iter()
        .take_while(|line| !line.starts_with("drop "))
        .filter_map(|line| line.strip_prefix(&word))
        .map(|rest| {
            let numbers: Vec<u64> =
                rest.split(' ').map(|it| it.parse().expect("a number")).collect();
            (numbers[0], numbers[1], numbers[2])
        })
        .collect()
}

fn side(backend: &'static str, time_ns: f64, iterations: u64, interference: Option<f64>) -> Side {
    Side {
        program: 0,
        backend: backend.parse().expect("a backend"),
        time_ns,
        iterations: vec![iterations],
        interference,
    }
}

#[test]
fn medians_and_ratios_are_those_of_the_slices() {
    let trial = Trial::of(&[&[]]);
    let ran = trial.run();
    assert_eq!(ran.outcome, Outcome::Finished);
    for contest in ["aes-256-gcm/seal/16", "x25519/derive"] {
        let rounds = rounds(&ran, contest);
        assert_eq!(rounds.iter().map(|it| it.round).collect::<Vec<_>>(), [0, 1]);
        for measured in rounds {
            // Of 20,000 ns each: 10 of 2,000, and 9 of 2,200.
            assert_eq!(
                measured.sides,
                [side("quick", 2000.0, 10, Some(0.0)), side("slow", 2200.0, 9, Some(0.0))]
            );
            // The second's time over the first's: slower is positive.
            assert_eq!(measured.log_ratios, [1.1_f64.ln()]);
            assert_eq!(measured.slices, [vec![20_000; 12], vec![19_800; 12]]);
        }
    }
}

#[test]
fn requests_are_bursts_slices_and_now_and_then_four_in_a_row() {
    let trial = Trial::of(&[&[]]).with_rounds(1);
    trial.run();
    let [quick, slow] = [0, 1].map(|handle| requests(&trial, "aes-256-gcm/seal/16", handle));
    // One operation, then towards half a slice; 10,000 ns are enough to go by.
    let paced = |requests: &[(u64, u64, u64)]| -> Vec<(u64, u64)> {
        requests.iter().map(|it| (it.0, it.1)).take(2).collect()
    };
    assert_eq!(paced(&quick), [(0, 1), (0, 5)]);
    assert_eq!(paced(&slow), [(0, 1), (0, 4)]);
    let (quick, slow) = (&quick[2..], &slow[2..]);
    for (slices, iterations) in [(quick, 10), (slow, 9)] {
        // Twelve turns, and in one of them three more without a burst between.
        let mut expected = vec![(3, iterations); 12];
        expected.splice(6..6, [(0, iterations); 3]);
        assert_eq!(slices.iter().map(|it| (it.0, it.1)).collect::<Vec<_>>(), expected);
        let placements: std::collections::BTreeSet<u64> = slices.iter().map(|it| it.2).collect();
        assert_eq!(placements.len(), 12, "each turn has its own");
    }
    // And it is the same for all sides.
    let placements = |of: &[(u64, u64, u64)]| of.iter().map(|it| it.2).collect::<Vec<_>>();
    assert_eq!(placements(quick), placements(slow));
}

#[test]
fn slow_operations_get_as_many_slices_as_they_can_afford() {
    for (operation, slices, bursts) in [
        // Not slower than a slice: 18,000 and 19,800 ns.
        ("18000", 12, [3, 3]),
        // The slower of the two decides: 200,000 ns of 22,000, 33,000, 55,000 and 1,100,000.
        ("20000", 9, [3, 3]),
        ("30000", 6, [3, 3]),
        ("50000", 3, [3, 3]),
        // Beyond a millisecond one operation is burst enough.
        ("1000000", 3, [3, 1]),
    ] {
        let trial = Trial::of(&[&[("COMPUTED", operation)]]).with_rounds(1);
        let ran = trial.run();
        for measured in &ran.record.measured {
            let counts: Vec<usize> = measured.slices.iter().map(Vec::len).collect();
            assert_eq!(counts, [slices; 2], "{operation}");
            let iterations: Vec<_> = measured.sides.iter().map(|it| it.iterations[0]).collect();
            assert_eq!(iterations, [1, 1], "{operation}");
            let in_a_row = measured.sides.iter().all(|it| it.interference.is_some());
            assert_eq!(in_a_row, slices == 12, "slow ones do not notice their neighbours");
        }
        for (handle, burst) in [(0, bursts[0]), (1, bursts[1])] {
            let requests = requests(&trial, "x25519/derive", handle);
            let bursts = requests.iter().skip(1).filter(|it| it.0 > 0);
            assert!(bursts.map(|it| it.0).eq(vec![burst; slices]), "{operation}: {requests:?}");
        }
    }
}

#[test]
fn quick_operations_are_paced_in_steps() {
    let trial = Trial::of(&[&[("COMPUTED", "1")]]).with_rounds(1);
    let ran = trial.run();
    // A tenth of 1 is nothing: both take 1 ns.
    for measured in &ran.record.measured {
        assert_eq!(measured.log_ratios, [0.0]);
        assert!(measured.sides.iter().all(|it| it.time_ns == 1.0 && it.iterations == [20_000]));
    }
    // A hundredfold at the most, and then half a slice.
    let paced: Vec<u64> = requests(&trial, "x25519/derive", 0).iter().map(|it| it.1).collect();
    assert_eq!(paced[..3], [1, 100, 10_000]);
}

#[test]
fn keys_are_generated_one_a_slice() {
    let trial = Trial::of(&[&[("COMPUTED", "40000"), ("EVERYTHING", "1")]])
        .with_cases(&["rsa/keygen/quick/2048", "rsa/keygen/slow/2048"])
        .with_rounds(1);
    let ran = trial.run();
    let measured = &ran.record.measured[0];
    assert_eq!(measured.sides.iter().map(|it| it.iterations[0]).collect::<Vec<_>>(), [1, 1]);
    // 200,000 ns of 44,000.
    assert_eq!(measured.slices, [[40_000; 4], [44_000; 4]]);
    let requests = requests(&trial, "rsa/keygen/2048", 0);
    // One to know how slow they are; no bursts, which would be keys.
    assert!(requests.iter().map(|it| (it.0, it.1)).eq([(0, 1); 5]), "{requests:?}");
}

#[test]
fn sides_that_disturb_each_other_get_longer_slices() {
    let trial = Trial::of(&[&[("NEIGHBOURS", "2")]]).with_rounds(5);
    let ran = trial.run();
    let rounds = rounds(&ran, "aes-256-gcm/seal/16");
    let share = (20_400_f64 / 20_000.0).ln();
    for measured in &rounds[..3] {
        assert_eq!(measured.sides[0], side("quick", 2040.0, 10, Some(share)));
        assert_eq!(measured.slices[0], [20_400; 12]);
    }
    // Three rounds are certain: twelve times the length, a quarter of the number.
    for measured in &rounds[3..] {
        assert_eq!(measured.sides[0], side("quick", 2040.0, 120, None));
        assert_eq!(measured.slices[0], [244_800; 3]);
    }
    let told = &ran.told.disturbed;
    assert_eq!(told.len(), 2, "each contest once: {told:?}");
    assert!(told.iter().all(|(_, told)| (told - share).abs() < 1e-3), "{told:?}");
}

#[test]
fn programs_are_sides_of_one_contest() {
    let trial = Trial::of(&[&[], &[("COMPUTED", "3000")]]).with_rounds(1);
    let ran = trial.run();
    let measured = &rounds(&ran, "x25519/derive")[0];
    let sides: Vec<(usize, &str)> =
        measured.sides.iter().map(|it| (it.program, it.backend.as_str())).collect();
    assert_eq!(sides, [(0, "quick"), (0, "slow"), (1, "quick"), (1, "slow")]);
    let times: Vec<f64> = measured.sides.iter().map(|it| it.time_ns).collect();
    assert_eq!(times, [2000.0, 2200.0, 3000.0, 3300.0]);
    // (0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3): the later over the earlier.
    let expected = [1.1, 1.5, 1.65, 3000.0 / 2200.0, 1.5, 1.1].map(f64::ln);
    assert!(
        measured.log_ratios.iter().zip(expected).all(|(found, it)| (found - it).abs() < 1e-12),
        "{:?}",
        measured.log_ratios
    );
    assert_eq!(measured.log_ratios.len(), 6);
}

#[test]
fn times_that_were_spent_are_numbers() {
    let trial = Trial::of(&[&[("SPUN", "1")]]);
    let ran = trial.run();
    assert_eq!(ran.outcome, Outcome::Finished);
    assert_eq!(ran.record.measured.len(), 4);
    for measured in &ran.record.measured {
        assert_eq!((measured.sides.len(), measured.log_ratios.len()), (2, 1));
        for (side, slices) in measured.sides.iter().zip(&measured.slices) {
            assert!(side.time_ns.is_finite() && side.time_ns > 0.0);
            assert!(side.iterations[0] > 0);
            assert!(!slices.is_empty() && slices.iter().all(|it| *it > 0));
        }
        assert!(measured.log_ratios[0].is_finite());
    }
}
