//! Generated values, checked for as long as is wanted. The tests of other crates have it from here, too; no test is
//! in it.

use proptest::{
    strategy::Strategy,
    test_runner::{Config, TestCaseResult, TestRunner},
};
use std::{
    env,
    time::{Duration, Instant},
};

/// Checks values of `strategy`, other ones each time, until two seconds or `FUZZ_SECONDS` are up; whether they are is
/// seen after each `cases` values. A failure is shown as its smallest example.
pub(crate) fn for_a_while<S: Strategy>(
    cases: u32,
    strategy: S,
    check: impl Fn(S::Value) -> TestCaseResult,
) {
    let seconds = env::var("FUZZ_SECONDS").map_or(2.0, |text| {
        text.parse().unwrap_or_else(|_| panic!("FUZZ_SECONDS={text} is not a number of seconds"))
    });
    let until = Instant::now() + Duration::from_secs_f64(seconds);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    while Instant::now() < until {
        TestRunner::new(config.clone())
            .run(&strategy, &check)
            .unwrap_or_else(|failure| panic!("{failure}"));
    }
}
