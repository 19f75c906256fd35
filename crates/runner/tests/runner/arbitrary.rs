//! Whatever a worker answers, a run comes to its end, and what it kept is a record. Two seconds, or `FUZZ_SECONDS`.

#[path = "../../../schema/tests/for_a_while/mod.rs"]
mod for_a_while;

use crate::trial::Trial;
use cryptobench_runner::Outcome;
use for_a_while::for_a_while;
use proptest::{
    collection::vec,
    prelude::any,
    prop_assert, prop_assert_eq, prop_oneof,
    sample::select,
    strategy::{BoxedStrategy, Just, Strategy},
};
use std::fs;

/// Answers, some of which fit some requests.
const FIXED: &[&str] =
    &["ok", "failed ", "unsupported it cannot", "failed it cannot", "", "0", "1"];

/// An answer of any kind, or of none.
fn answer() -> BoxedStrategy<Vec<u8>> {
    let digest = "0123456789abcdef".repeat(4);
    prop_oneof![
        4 => (0_u32..3).prop_map(move |handle| format!("ok {handle} {digest}").into_bytes()),
        2 => (0_u32..3).prop_map(|handle| format!("ok {handle} - a note").into_bytes()),
        8 => prop_oneof![1_u64..10_000, 1..=u64::MAX].prop_map(|it| it.to_string().into_bytes()),
        2 => select(FIXED).prop_map(|it| it.as_bytes().to_vec()),
        1 => Just(b"cryptobench-worker 1 {}".to_vec()),
        1 => vec(any::<u8>(), 0..40),
    ]
    .boxed()
}

/// All answers of a process: mostly one that can at least greet, prepare two cases and time them.
fn answers() -> BoxedStrategy<Vec<Vec<u8>>> {
    let lines = |text: &str| text.lines().map(|it| it.as_bytes().to_vec()).collect::<Vec<_>>();
    let greeted = lines("cryptobench-worker 1 {}");
    let ready = lines("cryptobench-worker 1 {}\nok 0 -\nok 1 -\n9000\n9000\n");
    let begun = prop_oneof![1 => Just(vec![]), 3 => Just(greeted), 6 => Just(ready)];
    (begun, vec(answer(), 0..60)).prop_map(|(begun, more)| [begun, more].concat()).boxed()
}

#[test]
fn a_worker_that_answers_anything() {
    for_a_while(8, answers(), |answers| {
        let mut trial = Trial::of(&[&[]]);
        let path = trial.path("answers");
        fs::write(&path, answers.join(&b'\n')).expect("written");
        let variable = ("ANSWERS".to_owned(), path.display().to_string());
        trial.programs[0].variables.push(variable);
        // What is kept is checked as it is written.
        let ran = trial.run();
        prop_assert_eq!(ran.outcome, Outcome::Finished);
        for case in crate::trial::CASES {
            let rounds = ran.rounds(0).get(case).copied().unwrap_or_default();
            let failed = ran.failed(0).contains_key(case);
            prop_assert!(failed || rounds == trial.rounds, "{} in {} rounds", case, rounds);
        }
        Ok(())
    });
}
