//! How long whoever runs `cryptobench` waits, the start of its process included.

use crate::{
    report::{Bound::AtMost, Quantity::Seconds, Target, targets},
    session::Session,
};
use anyhow::{Context as _, Result, bail};
use std::{
    process::{Command, Stdio},
    time::Instant,
};

/// A contest of operations that take less than 100 µs.
const CONTEST: &str = "^aes-256-gcm/seal/[^/]+/1024$";

pub(crate) fn short(session: &Session<'_>) -> Result<String> {
    let contest = took(session, &["--filter", CONTEST])?;
    let everything = took(session, &["--quick"])?;
    let sides = session
        .worker
        .survey
        .cases
        .iter()
        .filter(|case| case.contest.to_string() == "aes-256-gcm/seal/1024")
        .count();
    Ok(targets(&[
        Target::new(
            format!("`cryptobench run --filter '{CONTEST}'`, {sides} backends"),
            AtMost(Seconds(3.0)),
            Seconds(contest),
        ),
        Target::new("`cryptobench run --quick`", AtMost(Seconds(60.0)), Seconds(everything)),
    ]))
}

pub(crate) fn full(session: &Session<'_>) -> Result<String> {
    let everything = took(session, &[])?;
    Ok(targets(&[Target::new("`cryptobench run`", AtMost(Seconds(480.0)), Seconds(everything))]))
}

/// Seconds that `cryptobench run` takes with `arguments`, the worker already built.
fn took(session: &Session<'_>, arguments: &[&str]) -> Result<f64> {
    // Not where the user's last run is.
    let target = tempfile::tempdir()?;
    let mut command = Command::new(&session.arguments.cryptobench);
    command
        .arg("run")
        .arg("--worker")
        .arg(&session.worker.program.path)
        .args(arguments)
        .env("CARGO_TARGET_DIR", target.path())
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    let start = Instant::now();
    let status = command.status().with_context(|| format!("cannot start {command:?}"))?;
    let took = start.elapsed().as_secs_f64();
    if !status.success() {
        bail!("{command:?} ended with {status}");
    }
    Ok(took)
}
