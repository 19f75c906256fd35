//! The worker for calibration: it measures like the other one, and what was planted into it is part of what it
//! says of itself. That the share is burnt is tested where it is burnt.

use cryptobench_schema::{
    Environment,
    protocol::{Greeting, Prepared, Timing},
};
use std::{
    io::Write as _,
    process::{Command, Output, Stdio},
};

/// What the worker answers to `requests` where `share` is planted.
fn answers(share: &str, requests: &str) -> Output {
    let mut worker = Command::new(env!("CARGO_BIN_EXE_cryptobench-worker"))
        .env("PLANTED_SHARE", share)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the worker starts");
    // It may have ended already, which is what one of the tests wants.
    let _ = worker.stdin.take().expect("a pipe").write_all(requests.as_bytes());
    worker.wait_with_output().expect("it ends")
}

#[test]
fn the_share_is_recorded_and_the_case_is_timed() {
    let output = answers(
        "0.25",
        "hello 1\nprepare control/copy/harness/1024\ntime 0 1 10 7\ndrop 0\nquit\n",
    );
    assert!(output.status.success(), "{output:?}");
    let said = String::from_utf8(output.stdout).expect("text");
    let [hello, prepared, time, dropped] = said.lines().collect::<Vec<_>>()[..] else {
        panic!("{said}");
    };
    let greeting: Greeting = hello.parse().expect("a greeting");
    let environment: Environment = serde_json::from_str(&greeting.environment).expect("JSON");
    assert_eq!(environment.variables["PLANTED_SHARE"], "0.25");
    assert!(matches!(prepared.parse(), Ok(Prepared::Ready { .. })), "{prepared}");
    assert!(matches!(time.parse(), Ok(Timing::Nanoseconds(_))), "{time}");
    assert_eq!(dropped, "ok");
}

#[test]
fn a_share_that_is_none_ends_the_worker() {
    for share in ["much", "-0.01", "1.5", "NaN"] {
        let output = answers(share, "hello 1\n");
        assert!(!output.status.success(), "{share}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(&format!("PLANTED_SHARE={share}")), "{said}");
    }
}
