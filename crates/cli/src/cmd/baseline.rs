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
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    how: How,
}

pub(crate) fn run(arguments: Arguments) -> Result<End> {
    let Arguments { name, replace, course: Course { resume, rounds }, what, how } = arguments;
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
