//! Times that are known beforehand: what is made of them is known too. And times that were spent: only that they
//! are such.

use crate::trial::{Ran, Trial};
use cryptobench_results::record::{Measured, Side};
use cryptobench_runner::Outcome;
use cryptobench_schema::Scenario;

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
        // And beyond ten none is needed.
        ("10000000", 3, [1, 0]),
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
            let expected = if burst == 0 { Vec::new() } else { vec![burst; slices] };
            assert!(bursts.map(|it| it.0).eq(expected), "{operation}: {requests:?}");
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
fn keys_have_a_least_number_and_a_budget_of_their_own() {
    for (fewest, budget, expected) in [(7, 200_000, 7), (3, 4_400_000, 10)] {
        let mut trial = Trial::of(&[&[("COMPUTED", "400000"), ("EVERYTHING", "1")]])
            .with_cases(&["rsa/keygen/quick/2048", "rsa/keygen/slow/2048", "x25519/derive/quick"])
            .with_rounds(1);
        trial.slices.fewest_keys = fewest;
        trial.slices.key_budget_ns = budget;
        let ran = trial.run();
        for measured in &ran.record.measured {
            let keys = measured.contest.to_string() == "rsa/keygen/2048";
            assert_eq!(measured.slices[0].len(), if keys { expected } else { 3 });
        }
    }
}

/// Two contests that are held against each other, a third that is not, and one of the sides has one of them alone.
const HEATS: [&str; 5] = [
    "aes-256-gcm/seal/quick/1024",
    "aes-256-gcm/seal/slow/1024",
    "aes-256-gcm-siv/seal/slow/1024",
    "aes-256-gcm/open/quick/1024",
    "aes-256-gcm/open/slow/1024",
];

#[test]
fn contests_of_a_heat_are_measured_in_turn_and_have_lines_of_their_own() {
    let trial =
        Trial::of(&[&[("EVERYTHING", "1")]]).of_scenario(Scenario::GcmSiv, &HEATS).with_rounds(2);
    let ran = trial.run();
    assert_eq!(ran.outcome, Outcome::Finished);
    let [gcm, siv, open] =
        ["aes-256-gcm/seal/1024", "aes-256-gcm-siv/seal/1024", "aes-256-gcm/open/1024"]
            .map(|contest| rounds(&ran, contest));
    assert_eq!([gcm.len(), siv.len(), open.len()], [2, 2, 2]);
    for (gcm, siv) in gcm.iter().zip(&siv) {
        assert!(gcm.heat.is_some() && gcm.heat == siv.heat, "{:?} {:?}", gcm.heat, siv.heat);
        assert_eq!(
            gcm.sides,
            [side("quick", 2000.0, 10, Some(0.0)), side("slow", 2200.0, 9, Some(0.0))]
        );
        assert_eq!(siv.sides, [side("slow", 2200.0, 9, Some(0.0))]);
        assert_eq!(gcm.log_ratios, [1.1_f64.ln()]);
        assert!(siv.log_ratios.is_empty());
        assert_eq!(gcm.slices, [vec![20_000; 12], vec![19_800; 12]]);
        assert_eq!(siv.slices, [vec![19_800; 12]]);
    }
    assert_ne!(gcm[0].heat, gcm[1].heat, "of another round");
    assert!(open.iter().all(|it| it.heat.is_none()), "alone");
    // Slices of all three sides in each turn: no case is asked twice before all have been asked once.
    let log = trial.log(0);
    let prepared = |line: &&String| line.starts_with("prepare ");
    let start = log.windows(3).position(|it| it.iter().filter(prepared).count() == 3);
    let start = start.expect("three sides are prepared one after another");
    let slices: Vec<&str> = log[start + 3..]
        .iter()
        .take_while(|line| !line.starts_with("drop "))
        // With a burst: neither pacing nor slices in a row.
        .filter_map(|line| {
            line.strip_prefix("time ").filter(|it| it.split(' ').nth(1) == Some("3"))
        })
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(slices.len(), 36);
    for turn in slices.chunks(3) {
        let different: std::collections::BTreeSet<_> = turn.iter().collect();
        assert_eq!(different.len(), 3, "{slices:?}");
    }
}

#[test]
fn a_side_that_fails_leaves_its_heat_and_nobody_else_does() {
    let trial = Trial::of(&[&[
        ("EVERYTHING", "1"),
        ("FAULT", "failed"),
        ("PLACE", "time aes-256-gcm-siv/seal/slow/1024"),
    ]])
    .of_scenario(Scenario::GcmSiv, &HEATS)
    .with_rounds(2);
    let ran = trial.run();
    let failed: Vec<String> = ran.record.failed.iter().map(|it| it.id.to_string()).collect();
    assert_eq!(failed, ["aes-256-gcm-siv/seal/slow/1024"]);
    assert!(rounds(&ran, "aes-256-gcm-siv/seal/1024").is_empty());
    let gcm = rounds(&ran, "aes-256-gcm/seal/1024");
    assert_eq!(gcm.len(), 2);
    assert!(gcm.iter().all(|it| it.sides.len() == 2 && it.heat.is_none()));
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
