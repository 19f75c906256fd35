//! `cryptobench baseline`: a run, and the worker program kept beside it, to compare with later.

use crate::{
    End,
    cmd::run::{Done, Request, new_record},
    measuring::{Course, How, What, conclude},
    name::Name,
    workspace::{Workspace, copy_file},
};
use anyhow::{Result, anyhow, bail};
use clap::Args;
use cryptobench_schema::Scenario;

/// Measure, and keep the record and the worker program to compare with later
#[derive(Debug, Args)]
#[command(after_help = "\
Example: cryptobench baseline
         cryptobench compare baseline     after a change, an upgrade, a new compiler")]
pub(crate) struct Arguments {
    /// What to call it; a baseline of that name is replaced
    #[arg(default_value = "baseline")]
    name: Name,
    /// Put it also in the place of a record of that name that is no baseline
    #[arg(long)]
    replace: bool,
    #[command(flatten)]
    course: Course,
    /// The contests of this scenario (bulk, keygen, document, gcm-siv), those that the answer holds against each other
    /// measured together; may be repeated. `scenario` also prints the answer
    #[arg(
        long = "scenario",
        value_name = "NAME",
        conflicts_with = "resume",
        help_heading = "What is measured"
    )]
    scenarios: Vec<Scenario>,
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    how: How,
}

pub(crate) fn run(arguments: Arguments) -> Result<End> {
    let Arguments { name, replace, course: Course { resume, rounds }, scenarios, mut what, how } =
        arguments;
    what.contests.scenarios = scenarios;
    let workspace = Workspace::find()?;
    if !how.also.is_empty() {
        bail!("a baseline is one program; --also is for `run`");
    }
    if !resume && !workspace.baseline_worker(&name).exists() {
        new_record(&workspace, &name, replace)?;
    }
    let command = format!("baseline {name}");
    let request = Request { save: Some(name.clone()), rounds, what, how, command, duel: false };
    let Some(Done { record, path, lost }) = request.measure(&workspace, resume)? else {
        return Ok(End::Stopped);
    };
    let sha256 = record
        .header
        .programs
        .first()
        .and_then(|program| program.sha256.as_deref())
        .ok_or_else(|| anyhow!("the run has no worker program"))?;
    copy_file(&workspace.running_worker(sha256), &workspace.baseline_worker(&name))?;
    workspace.tidy();
    say!("record: {}", path.display());
    say!("baseline `{name}` kept; after a change: just compare {name}");
    Ok(conclude(&record, &lost))
}
