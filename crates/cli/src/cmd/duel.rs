//! `cryptobench duel`: two backends, now: the quickest answer to which of them is faster.

use crate::{
    End,
    cmd::run::{Done, Request, new_record, saved},
    measuring::{Contests, Course, How, What, conclude},
    name::Name,
    output,
    workspace::Workspace,
};
use anyhow::{Result, bail};
use clap::Args;
use cryptobench_schema::BackendId;

/// Two backends, now: which of them is faster?
#[derive(Debug, Args)]
#[command(after_help = "\
Example: cryptobench duel ring openssl --filter 'gcm/(seal|open)' --quick

Measures the contests that both have, prints one row for each and one sentence for all. A tie is \
a contest in which neither is significantly faster (5 %), each judged alone as by `cryptobench \
rank`. A ratio is the second's time over the first's: above 1 the first is faster. The interval \
of the geometric mean is that of its values in each round.

Ends with code 0 if all went well, 1 if a case failed, 2 after an error, 130 if it was stopped.")]
pub(crate) struct Arguments {
    /// One
    first: BackendId,
    /// The other
    second: BackendId,
    /// Keep the record as reports/records/NAME.json.zst
    #[arg(long, value_name = "NAME")]
    save: Option<Name>,
    /// Put it in the place of a record that has this name
    #[arg(long, requires = "save")]
    replace: bool,
    #[command(flatten)]
    course: Course,
    #[command(flatten)]
    contests: Contests,
    #[command(flatten)]
    how: How,
}

pub(crate) fn run(arguments: Arguments) -> Result<End> {
    let Arguments { first, second, save, replace, course, contests, how } = arguments;
    let Course { resume, rounds } = course;
    if first == second {
        bail!("a duel is between two backends, and `{first}` is one");
    }
    let workspace = Workspace::find()?;
    // One that goes on was let replace it when it began.
    if let (Some(name), false) = (&save, resume) {
        new_record(&workspace, name, replace)?;
    }
    let backends = vec![first.clone(), second.clone()];
    let what = What { contests, backends };
    let command = saved(&format!("duel {first} {second}"), save.as_ref());
    let request = Request { save, rounds, what, how, command, duel: true };
    let Some(Done { record, path, lost }) = request.measure(&workspace, resume)? else {
        return Ok(End::Stopped);
    };
    workspace.tidy();
    say!("record: {}", path.display());
    output::print(&output::duel::text(&record, &first, &second))?;
    Ok(conclude(&record, &lost))
}
