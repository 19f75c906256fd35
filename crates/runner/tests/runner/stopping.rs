//! Runs that are stopped and go on: what was finished is kept, and the rest is as it would have been.

use crate::trial::{Script, Trial};
use cryptobench_results::record::Line;
use cryptobench_runner::{Outcome, WorkerError, survey, unsupported};
use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

/// Workers whose times tell where stack and buffers were asked to lie.
const SCRIPT: &Script<'_> = &[("JITTER", "1000")];

#[test]
fn a_run_is_drawn_from_its_seed() {
    let one = Trial::of(&[SCRIPT, SCRIPT]).with_rounds(3);
    let other = Trial::of(&[SCRIPT, SCRIPT]).with_rounds(3);
    let (first, second) = (one.run(), other.run());
    assert_eq!(first.record.measured, second.record.measured);
    let mut another = Trial::of(&[SCRIPT, SCRIPT]).with_rounds(3);
    another.seed = 8;
    assert_ne!(first.measured(), another.run().measured());
}

#[test]
fn what_is_drawn_does_not_depend_on_how_long_it_takes() {
    // A worker ten times as slow is paced in other steps, and yet has the same placements.
    let placements = |script: &Script<'_>| {
        let trial = Trial::of(&[script]);
        trial.run();
        let log = trial.log(0);
        let words = log.iter().map(|line| line.split(' ').collect::<Vec<_>>());
        // Slices after a burst are those of the turns.
        let turns = words.filter(|it| it[0] == "time" && it[2] != "0");
        turns.map(|it| (it[1].to_owned(), it[4].to_owned())).collect::<Vec<_>>()
    };
    let (quick, slow) = (placements(&[]), placements(&[("COMPUTED", "150")]));
    assert_eq!(quick, slow);
}

#[test]
fn a_stopped_run_goes_on_as_it_would_have() {
    let whole = Trial::of(&[SCRIPT, SCRIPT]).with_rounds(3).run();
    assert_eq!(whole.record.measured.len(), 6);
    for stop_after in 0..6 {
        let trial = Trial::of(&[SCRIPT, SCRIPT]).with_rounds(3);
        let stop = AtomicBool::new(stop_after == 0);
        let mut finished = 0;
        let begun = trial.run_until(&stop, &mut |line| {
            finished += u32::from(matches!(line, Line::Contest(_)));
            stop.store(finished >= stop_after, Ordering::Relaxed);
        });
        // After the last there is nothing left to stop.
        assert_eq!(begun.outcome, Outcome::Stopped);
        assert_eq!(begun.record.measured.len() as u32, stop_after);
        let resumed = trial.resume(&AtomicBool::new(false));
        assert_eq!(resumed.outcome, Outcome::Finished);
        // In the same order, and so each once.
        assert_eq!(resumed.record.measured, whole.record.measured, "stopped after {stop_after}");
        assert_eq!(resumed.record.cases.len(), 8, "what is known of a case is written once");
    }
}

#[test]
fn a_resumed_run_knows_who_disturbs_whom_and_who_failed() {
    let scripts: [&Script<'_>; 2] = [
        &[("NEIGHBOURS", "2")],
        &[("NEIGHBOURS", "2"), ("FAULT", "failed"), ("PLACE", "time x25519/derive/slow")],
    ];
    let whole = Trial::of(&scripts).with_rounds(5).run();
    let trial = Trial::of(&scripts).with_rounds(5);
    let stop = AtomicBool::new(false);
    let mut finished = 0;
    trial.run_until(&stop, &mut |line| {
        finished += u32::from(matches!(line, Line::Contest(_)));
        stop.store(finished >= 7, Ordering::Relaxed);
    });
    let resumed = trial.resume(&AtomicBool::new(false));
    assert_eq!(resumed.record.measured, whole.record.measured);
    assert_eq!(resumed.record.failed, whole.record.failed);
    assert_eq!(resumed.record.failed.len(), 1);
}

/// Stops `trial` from another thread once its log's last line is `enough`.
fn stop_when(trial: &Trial, enough: impl Fn(&str) -> bool + Sync) {
    let stop = AtomicBool::new(false);
    thread::scope(|threads| {
        threads.spawn(|| {
            while !trial.log(0).last().is_some_and(|line| enough(line)) {
                thread::sleep(Duration::from_millis(1));
            }
            stop.store(true, Ordering::Relaxed);
        });
        // The deadline is far away: that this ends at all is because it was stopped.
        assert_eq!(trial.run_until(&stop, &mut |_| {}).outcome, Outcome::Stopped);
    });
}

#[test]
fn a_run_is_stopped_in_the_middle_of_anything() {
    for place in ["hello", "prepare", "time x25519/derive/quick", "drop"] {
        let trial = Trial::of(&[&[("FAULT", "hang"), ("PLACE", place)]]);
        let word = place.split(' ').next().unwrap_or(place);
        // Where it hangs, no further line follows.
        stop_when(&trial, |line| {
            line.starts_with(word) && {
                thread::sleep(Duration::from_millis(20));
                trial.log(0).last().is_some_and(|last| last == line)
            }
        });
    }
}

#[test]
fn a_run_is_stopped_during_a_slice() {
    // Enough rounds that it is not over before.
    let trial = Trial::of(&[&[("SPUN", "1")]]).with_rounds(500);
    stop_when(&trial, |line| line.starts_with("time 2 "));
    let stopped = trial.resume(&AtomicBool::new(true));
    assert_eq!(stopped.outcome, Outcome::Stopped);
    assert!(!stopped.record.measured.is_empty(), "the first contest had been finished");
}

#[test]
fn nobody_is_asked_anything_after_a_stop() {
    let trial = Trial::of(&[&[]]);
    let stop = AtomicBool::new(true);
    assert_eq!(trial.run_until(&stop, &mut |_| {}).outcome, Outcome::Stopped);
    assert_eq!(trial.log(0), [""; 0]);
    let error = survey(&trial.programs[0], &stop).expect_err("stopped");
    assert!(matches!(error, WorkerError::Stopped), "{error}");
    trial.assert_nobody_left();
    let error =
        unsupported(&trial.programs[0], 0, &[], &trial.contests, &Default::default(), &stop);
    assert!(matches!(error, Err(WorkerError::Stopped)));
}

#[test]
fn cases_that_a_program_lacks_have_its_reason() {
    let trial = Trial::of(&[&[]]).with_cases(&["aes-256-gcm/seal/quick/64", "x25519/derive/slow"]);
    let stop = AtomicBool::new(false);
    let surveyed = survey(&trial.programs[0], &stop).expect("a survey");
    let selection = cryptobench_runner::Selection {
        bytes: cryptobench_schema::SizeChoice::All,
        ..Default::default()
    };
    let lacking =
        unsupported(&trial.programs[0], 0, &surveyed.cases, &trial.contests, &selection, &stop)
            .expect("answers");
    let told: Vec<(String, &str)> =
        lacking.iter().map(|it| (it.id.to_string(), it.reason.as_str())).collect();
    assert_eq!(
        told,
        ["quick", "slow"]
            .map(|backend| (format!("aes-256-gcm/seal/{backend}/64"), "it has four cases"))
    );
    trial.assert_nobody_left();
}

#[test]
fn a_case_that_computes_something_else_than_before_fails() {
    let trial = Trial::of(&[&[]]);
    let stop = AtomicBool::new(false);
    let mut contests = 0;
    trial.run_until(&stop, &mut |line| {
        contests += u32::from(matches!(line, Line::Contest(_)));
        // After the first round.
        stop.store(contests == 2, Ordering::Relaxed);
    });
    let journal = trial.path("record.json.partial");
    let text = fs::read_to_string(&journal).expect("a journal");
    let digest = |case: &str| {
        let line = text.lines().find(|it| it.contains(&format!("\"id\":\"{case}\"")));
        line.expect("its line").to_owned()
    };
    let before = digest("x25519/derive/slow");
    let changed = before.replace("5feceb66", "00000000");
    assert_ne!(before, changed);
    fs::write(&journal, text.replace(&before, &changed)).expect("written");
    let resumed = trial.resume(&AtomicBool::new(false));
    let failed: Vec<(String, &str)> =
        resumed.record.failed.iter().map(|it| (it.id.to_string(), &*it.reason)).collect();
    let [(id, reason)] = &failed[..] else { panic!("one fails: {failed:?}") };
    assert_eq!(id, "x25519/derive/slow");
    assert!(reason.contains("not what it was in an earlier round"), "{reason}");
}
