//! Workers that die, hang, answer something else or are no programs: their cases are failed with the reason, the
//! others have all of their rounds, and no process is left.

use crate::trial::{CASES, LONG, Ran, Script, Trial, worker};
use cryptobench_results::record::Line;
use cryptobench_runner::{Outcome, WorkerError, survey};
use cryptobench_schema::protocol::AnswerError;
use rustix::process::{Signal, kill_process, test_kill_process};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    thread,
    time::Duration,
};

/// The case that fails where only one does.
const ONE: &str = "aes-256-gcm/seal/slow/16";
/// Its neighbour.
const OTHER: &str = "aes-256-gcm/seal/quick/16";
/// The deadline of workers that hang. Others answer in a thousandth of it.
const SHORT: Duration = Duration::from_millis(800);

/// Asserts which cases of `program` failed for which reason, and that all others have all of their rounds.
fn assert_failed(ran: &Ran, trial: &Trial, program: usize, expected: &[(&str, &str)], of: &str) {
    assert_eq!(ran.outcome, Outcome::Finished, "{of}");
    let failed = ran.failed(program);
    let names: Vec<&str> = failed.keys().map(String::as_str).collect();
    let mut expected_names: Vec<&str> = expected.iter().map(|(case, _)| *case).collect();
    expected_names.sort_unstable();
    assert_eq!(names, expected_names, "{of}: {failed:#?}");
    for (case, reason) in expected {
        assert!(failed[*case].contains(reason), "{of}: {case}: {}", failed[*case]);
        assert!(!failed[*case].contains(char::is_control), "{of}");
    }
    let well: BTreeMap<String, u32> = CASES
        .into_iter()
        .filter(|case| !expected_names.contains(case))
        .map(|case| (case.to_owned(), trial.rounds))
        .collect();
    assert_eq!(ran.rounds(program), well, "{of}");
    assert_eq!(ran.told.failed.len(), ran.record.failed.len(), "{of}");
    // Every contest of every round is begun and done, whatever becomes of its sides.
    let all = trial.contests.len() * trial.rounds as usize;
    assert_eq!((ran.told.begun.len(), ran.told.done.len()), (all, all), "{of}");
}

/// Every case at `places` fails for `reason`.
fn each_fails(fault: &str, places: &[(&str, &str)]) {
    for (place, reason) in places {
        let hangs = matches!(fault, "hang" | "trickle");
        let trial = Trial::of(&[&[("FAULT", fault), ("PLACE", place)]]).with_deadline(if hangs {
            SHORT
        } else {
            LONG
        });
        let expected: Vec<(&str, &str)> = match *place {
            "hello" | "prepare" | "time" | "drop" => CASES.map(|case| (case, *reason)).to_vec(),
            _ => vec![(ONE, *reason)],
        };
        let of = format!("{fault} at {place}");
        assert_failed(&trial.run(), &trial, 0, &expected, &of);
    }
}

const PREPARE: &str = "prepare aes-256-gcm/seal/slow/16";
const TIME: &str = "time aes-256-gcm/seal/slow/16";
const DROP: &str = "drop aes-256-gcm/seal/slow/16";

/// What each answer should have been.
const GREETING: &str = "instead of `cryptobench-worker VERSION {environment as JSON}`";
const PREPARED: &str = "instead of `ok HANDLE DIGEST`, `unsupported REASON` or `failed REASON`";
const TIMING: &str = "instead of a number of nanoseconds or `failed REASON`";
const DROPPED: &str = "instead of `ok` or `failed REASON`";

#[test]
fn a_worker_that_dies() {
    each_fails(
        "die",
        &[
            (
                "hello",
                "the worker ended (exit status: 3) when asked `hello 1`; it said: something broke",
            ),
            ("prepare", "(exit status: 3) when asked `prepare "),
            (PREPARE, "when asked `prepare aes-256-gcm/seal/slow/16`; it said: something broke"),
            (TIME, "(exit status: 3) when asked `time 1 "),
            ("time", "(exit status: 3) when asked `time "),
            (DROP, "(exit status: 3) when asked `drop 1`"),
            ("drop", "(exit status: 3) when asked `drop "),
        ],
    );
}

#[test]
fn a_worker_that_hangs() {
    // By the way: also one that says something all the time, but no line.
    thread::scope(|threads| {
        for fault in ["hang", "trickle"] {
            for place in ["hello", "prepare", PREPARE, TIME, DROP] {
                let request = place.split(' ').next().unwrap_or(place);
                threads.spawn(move || {
                    each_fails(fault, &[(place, &format!("did not answer `{request} "))]);
                });
            }
        }
    });
}

#[test]
fn a_worker_that_answers_something_else() {
    for fault in ["garbage", "lines", "newer", "no-json", "zero"] {
        let said = match fault {
            "garbage" => "answered ` [31mall is well` ",
            "lines" => "answered `tea` ",
            "newer" => "answered `cryptobench-worker 99 {}` ",
            "no-json" => "answered `cryptobench-worker 1 {` ",
            _ => "answered `0` ",
        };
        let [prepare, time, drop] = [PREPARED, TIMING, DROPPED].map(|it| format!("{said}{it}"));
        each_fails(
            fault,
            &[
                ("prepare", &prepare),
                (PREPARE, &prepare),
                ("time", &time),
                (TIME, &time),
                ("drop", &drop),
                (DROP, &drop),
            ],
        );
    }
    each_fails("garbage", &[("hello", GREETING)]);
    each_fails("zero", &[("hello", GREETING)]);
}

#[test]
fn a_worker_whose_times_cannot_be() {
    let ages = "the worker answered 18446744073709551615 ns, only ";
    each_fails("ages", &[("time", ages), (TIME, ages)]);
    // As if its clock had the steps of a coarser one, or the compiler had taken the operation away.
    let one = "its worker answers 1 ns for 10000000000 iterations: its clock stands still";
    each_fails("one", &[("time", one), (TIME, one)]);
}

#[test]
fn a_worker_that_belongs_to_another_version() {
    each_fails(
        "newer",
        &[("hello", "the worker speaks protocol version 99; this runner speaks 1 to 1")],
    );
    each_fails("no-json", &[("hello", "answered `{ (EOF while parsing")]);
}

#[test]
fn a_worker_whose_lines_are_no_text_or_never_end() {
    for (fault, reason) in
        [("binary", "instead of a line of UTF-8"), ("endless", "instead of a line of reasonable")]
    {
        let places = ["hello", "prepare", PREPARE, TIME, DROP];
        each_fails(fault, &places.map(|place| (place, reason)));
    }
}

#[test]
fn a_worker_that_says_more_than_it_was_asked() {
    each_fails(
        "talkative",
        &[
            ("hello", GREETING),
            ("prepare", PREPARED),
            (TIME, TIMING),
            // The first of its two lines is the answer.
            ("drop", "answered `ok ` instead of nothing after its answer"),
            (DROP, "answered `ok ` instead of nothing after its answer"),
        ],
    );
}

#[test]
fn a_worker_that_says_that_it_failed() {
    each_fails(
        "failed",
        &[
            ("hello", GREETING),
            ("prepare", "it cannot"),
            (PREPARE, "it cannot"),
            (TIME, "it cannot"),
            (DROP, "after timing: it cannot"),
        ],
    );
    each_fails("unsupported", &[(PREPARE, "listed, but unsupported: it cannot")]);
    each_fails("unsupported", &[(TIME, TIMING)]);
}

#[test]
fn one_wrong_output_of_two_fails_both() {
    let trial = Trial::of(&[&[("FAULT", "wrong"), ("PLACE", PREPARE)]]);
    let reason = "its output differs from that of the other backends, and no majority says which";
    assert_failed(&trial.run(), &trial, 0, &[(OTHER, reason), (ONE, reason)], "wrong");
    // Where all are wrong nobody can say so.
    let trial = Trial::of(&[&[("FAULT", "wrong"), ("PLACE", "prepare")]]);
    assert_failed(&trial.run(), &trial, 0, &[], "all wrong");
}

#[test]
fn two_cases_of_one_name_are_not_told_apart() {
    let trial = Trial::of(&[&[("FAULT", "same"), ("PLACE", PREPARE)]]);
    let reason = "its worker calls it 0 like another case";
    assert_failed(&trial.run(), &trial, 0, &[(ONE, reason)], "same");
}

#[test]
fn a_survey_says_what_is_wrong() {
    let asked = |script: &Script<'_>| {
        let trial = Trial::of(&[script]).with_deadline(SHORT);
        let surveyed = survey(&trial.programs[0], &AtomicBool::new(false));
        trial.assert_nobody_left();
        surveyed
    };
    let told = |fault: &str, place: &str| match asked(&[("FAULT", fault), ("PLACE", place)]) {
        Ok(survey) => panic!("{fault} at {place}: {survey:?}"),
        Err(error) => error.to_string(),
    };
    let well = asked(&[]).expect("a survey");
    assert_eq!(well.cases.iter().map(ToString::to_string).collect::<Vec<_>>(), CASES);
    assert_eq!(well.protocol, 1);
    let faults = [
        ("die", "ended (exit status: 3) when asked `list`; it said: something broke"),
        ("binary", "instead of a line of UTF-8"),
        ("endless", "instead of a line of reasonable length"),
        ("lines", "answered `more than 65536 lines` instead of a list of reasonable length"),
        // Lines that are no cases, and then nothing.
        ("hang", "did not answer `list` within 800ms, and was killed"),
        ("chatter", "did not answer `list` within 800ms, and was killed"),
        ("trickle", "did not answer `list` within 800ms, and was killed"),
        ("talkative", "did not answer `list` within 800ms, and was killed"),
    ];
    thread::scope(|threads| {
        for (fault, reason) in faults {
            threads.spawn(move || {
                let told = told(fault, "list");
                assert!(told.contains(reason), "{fault}: {told}");
            });
        }
    });
    assert!(told("newer", "hello").contains("speaks protocol version 99"));
    let newer = asked(&[("FAULT", "newer"), ("PLACE", "hello")]).expect_err("another version");
    assert!(
        matches!(newer, WorkerError::Answer { source: AnswerError::Version(99), .. }),
        "{newer}"
    );
}

#[test]
fn what_a_worker_started_ends_with_it() {
    // A script around a worker: what is killed is both.
    for script in [
        &[("WRAPPED", "1"), ("FAULT", "hang"), ("PLACE", TIME)][..],
        &[("WRAPPED", "1"), ("FAULT", "garbage"), ("PLACE", TIME)][..],
    ] {
        let trial = Trial::of(&[script]).with_deadline(SHORT);
        let ran = trial.run();
        assert_eq!(ran.failed(0).keys().collect::<Vec<_>>(), [ONE]);
        // In each round, and after the loss.
        assert_eq!((trial.processes(0).len(), trial.inner_processes(0).len()), (3, 3));
    }
}

#[test]
fn a_worker_that_leaves_between_contests_fails_nothing() {
    let trial = Trial::of(&[&[("FAULT", "leave"), ("PLACE", "drop")]]);
    // Whichever contest comes first, its first `drop` is the end: the second has no answer.
    let ran = trial.run();
    assert_eq!(ran.failed(0).len(), 2, "{:?}", ran.record.failed);
    let alone = Trial::of(&[&[("FAULT", "leave"), ("PLACE", "drop")]])
        .with_cases(&["aes-256-gcm/seal/quick/16", "x25519/derive/quick"])
        .with_rounds(4);
    let ran = alone.run();
    assert_eq!(ran.failed(0), BTreeMap::new());
    assert_eq!(ran.rounds(0).into_values().collect::<Vec<_>>(), [4, 4]);
    assert_eq!(alone.processes(0).len(), 8);
}

/// Cases enough that a worker can be lost more often than the runner puts up with.
const MANY: [&str; 12] = [
    "aes-256-gcm/seal/quick/16",
    "aes-256-gcm/seal/quick/64",
    "aes-256-gcm/seal/quick/128",
    "aes-256-gcm/seal/quick/256",
    "aes-256-gcm/seal/quick/1024",
    "aes-256-gcm/seal/quick/1350",
    "aes-256-gcm/seal/quick/4096",
    "aes-256-gcm/seal/quick/8192",
    "aes-256-gcm/seal/quick/16384",
    "aes-256-gcm/seal/quick/65536",
    "aes-256-gcm/seal/quick/1048576",
    "x25519/derive/quick",
];

#[test]
fn a_worker_is_given_up_after_ten_losses() {
    let trial = Trial::of(&[
        &[("FAULT", "die"), ("PLACE", "prepare"), ("EVERYTHING", "1")],
        &[("EVERYTHING", "1")],
    ])
    .with_cases(&MANY);
    let ran = trial.run();
    let reasons = ran.failed(0);
    assert_eq!(reasons.len(), MANY.len());
    let given_up =
        "its worker was lost 10 times and is not started again; the last time: the worker ended";
    assert_eq!(reasons.values().filter(|it| it.starts_with(given_up)).count(), 2);
    assert_eq!(reasons.values().filter(|it| it.starts_with("the worker ended")).count(), 10);
    assert_eq!(trial.processes(0).len(), 10);
    // The other program is no worse for it.
    assert_eq!(ran.failed(1), BTreeMap::new());
    assert_eq!(ran.rounds(1).into_values().collect::<Vec<_>>(), [trial.rounds; 12]);
    assert_eq!(trial.processes(1).len(), trial.rounds as usize);
}

#[test]
fn between_contests_losses_have_an_end_too() {
    let script: &Script<'_> = &[("FAULT", "leave"), ("PLACE", "drop"), ("EVERYTHING", "1")];
    let trial = Trial::of(&[script]).with_cases(&MANY).with_rounds(3);
    let ran = trial.run();
    assert_eq!(ran.outcome, Outcome::Finished);
    assert!(ran.failed(0).values().all(|it| it.contains("lost 10 times")), "{:?}", ran.failed(0));
    assert!(trial.processes(0).len() <= 13, "{}", trial.processes(0).len());
}

#[test]
fn what_is_no_program_fails_its_cases() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (path, reason) in [
        (sources.join("no such worker"), "No such file"),
        (sources.join("Cargo.toml"), "Permission denied"),
        (sources.to_owned(), "Permission denied"),
        // A program, but no worker: it says nothing, and ends.
        (PathBuf::from("/bin/true"), "the worker ended (exit status: 0) when asked `hello 1`"),
    ] {
        let mut trial = Trial::of(&[&[], &[]]);
        trial.programs[1].path = path;
        let ran = trial.run();
        assert_failed(&ran, &trial, 0, &[], "the program beside");
        let reasons = ran.failed(1);
        assert_eq!(reasons.len(), CASES.len());
        for reasons in reasons.values() {
            assert!(reasons.contains(reason), "{reasons}");
        }
    }
}

#[test]
fn of_two_programs_the_faulty_one_is_found() {
    let wrong: &Script<'_> = &[("FAULT", "wrong"), ("PLACE", PREPARE)];
    let trial = Trial::of(&[&[], wrong]);
    let ran = trial.run();
    assert_failed(&ran, &trial, 0, &[], "right");
    let reason = "its output differs from that of most of other programs and backends";
    // Which cases the faulty program has left, and for how many rounds, is `assert_failed`'s to see.
    assert_failed(&ran, &trial, 1, &[(ONE, reason)], "wrong");

    for (fault, place, reason) in
        [("die", TIME, "when asked `time 1 "), ("failed", DROP, "after timing: it cannot")]
    {
        let trial = Trial::of(&[&[("FAULT", fault), ("PLACE", place)], &[]]);
        let ran = trial.run();
        assert_failed(&ran, &trial, 0, &[(ONE, reason)], fault);
        assert_failed(&ran, &trial, 1, &[], fault);
    }
}

#[test]
fn a_worker_that_is_killed_from_outside() {
    let trial = Trial::of(&[&[], &[]]).with_rounds(4);
    let mut killed = 0;
    let ran = trial.run_until(&AtomicBool::new(false), &mut |line| {
        // In the middle of each of the first two rounds.
        if matches!(line, Line::Contest(_)) && killed < 2 {
            let worker = *trial.processes(0).last().expect("a process");
            if test_kill_process(worker).is_ok() {
                kill_process(worker, Signal::KILL).expect("killed");
                killed += 1;
            }
        }
    });
    assert_eq!(killed, 2);
    // Nothing had been asked of it: it is started again.
    assert_failed(&ran, &trial, 0, &[], "killed");
    assert_failed(&ran, &trial, 1, &[], "beside");
    assert!((5..=6).contains(&trial.processes(0).len()));
}

#[test]
fn a_worker_that_is_killed_while_it_is_asked() {
    let killed = "the worker ended (signal: 9 (SIGKILL)) when asked `";
    each_fails(
        "killed",
        &[
            ("hello", &format!("{killed}hello 1`")),
            (PREPARE, &format!("{killed}{PREPARE}`")),
            (TIME, &format!("{killed}time 1 ")),
            (DROP, &format!("{killed}drop 1`")),
        ],
    );
}

#[test]
fn a_program_that_is_gone_is_named() {
    let mut program = Trial::of(&[&[]]).programs.remove(0);
    assert_eq!(program.sha256().expect("a digest").len(), 64);
    program.path = worker().with_extension("gone");
    let error = program.sha256().expect_err("no file").to_string();
    assert!(error.starts_with("cannot read the worker program /"), "{error}");
}
