//! `cryptobench run`: a run in lock-step, as a record.

use crate::{
    End,
    measuring::{Course, How, What, conclude, contests, participants, rounds, shared, told_apart},
    name::Name,
    output,
    session::{Session, Wanted},
    workspace::{Workspace, copy_file},
};
use anyhow::{Result, bail};
use clap::Args;
use cryptobench_report::units::count;
use cryptobench_results::record::Record;
use cryptobench_runner::{Outcome, Slices};
use cryptobench_schema::Scenario;
use std::path::PathBuf;

/// Measure backends against each other, in rounds of fresh processes, slice by slice in turn
#[derive(Debug, Args)]
#[command(after_help = "\
Example: cryptobench run --filter 'aes-256-gcm/(seal|open)' --save gcm

Ends with code 0 if all went well, 1 if a case failed its proof or while it was timed, 2 after an \
error, 130 if it was stopped. Ctrl-C stops at the next slice and keeps all finished contests.")]
pub(crate) struct Arguments {
    /// Keep the record as reports/records/NAME.json.zst
    #[arg(long, value_name = "NAME")]
    save: Option<Name>,
    /// Put it in the place of a record that has this name
    #[arg(long, requires = "save")]
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
    let Arguments { save, replace, course: Course { resume, rounds }, scenarios, mut what, how } =
        arguments;
    what.contests.scenarios = scenarios;
    let workspace = Workspace::find()?;
    // One that goes on was let replace it when it began.
    if let (Some(name), false) = (&save, resume) {
        new_record(&workspace, name, replace)?;
    }
    let command = saved("run", save.as_ref());
    let request = Request { save, rounds, what, how, command, duel: false };
    let Some(Done { record, path, lost }) = request.measure(&workspace, resume)? else {
        return Ok(End::Stopped);
    };
    workspace.tidy();
    say!("record: {}", path.display());
    output::print(&output::ranking::summary(&record))?;
    Ok(conclude(&record, &lost))
}

/// `command`, where its record is kept as `name`.
pub(crate) fn saved(command: &str, name: Option<&Name>) -> String {
    name.map_or_else(|| command.to_owned(), |name| format!("{command} --save {name}"))
}

/// Refuses a name that a record has, unless that is to be replaced.
pub(crate) fn new_record(workspace: &Workspace, name: &Name, replace: bool) -> Result<()> {
    match workspace.existing_record(name) {
        Some(path) if !replace => bail!(
            "there is a record `{name}` already ({}); choose another name, or --replace it",
            path.display()
        ),
        _ => Ok(()),
    }
}

/// A run that is wanted.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) save: Option<Name>,
    pub(crate) rounds: Option<u32>,
    pub(crate) what: What,
    pub(crate) how: How,
    /// The words after `cryptobench` that go on with it, but for `--resume`.
    pub(crate) command: String,
    /// Whether only contests are wanted that all backends of `what` have, each of them once.
    pub(crate) duel: bool,
}

/// A run that is done.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) record: Record,
    /// Where it is.
    pub(crate) path: PathBuf,
    /// What is to be said of programs that should have taken part and could not.
    pub(crate) lost: Vec<String>,
}

impl Request {
    /// Measures; nothing where the user stopped it.
    pub(crate) fn measure(mut self, workspace: &Workspace, resume: bool) -> Result<Option<Done>> {
        self.how = self.how.patient_with(&self.what.contests);
        let Self { save, what, how, command, .. } = &self;
        let path = save.as_ref().map_or_else(|| workspace.latest(), |name| workspace.record(name));
        let named = save.is_some();
        let wanted = Wanted { workspace, command, path: path.clone(), named, what, how };
        let (session, begun) = Session::open(wanted, resume, |variables, stop| {
            participants(workspace, how, variables, stop)
        })?;
        let mut contests = contests(&session.participants, &session.what)?;
        if self.duel {
            contests = shared(contests, &session.participants, &session.what.backends)?;
        } else {
            told_apart(&session.participants);
        }
        let mut run = session.run(begun, &contests, rounds(self.rounds, &session.what, how), 0)?;
        let settings = run.record().header.settings.clone();
        let cases: usize = contests.iter().map(|it| it.sides.len()).sum();
        say!(
            "{} in {}, {} of fresh processes",
            count(cases, "case"),
            count(contests.len(), "contest"),
            count(settings.rounds as usize, "round"),
        );
        match run.measure(&contests, 0..settings.rounds, Slices::of(&settings))? {
            Outcome::Stopped => {
                run.interrupt();
                Ok(None)
            }
            Outcome::Finished if run.record().measured.is_empty() => {
                conclude(run.record(), &session.lost);
                run.discard()?;
                bail!("every case failed, and no record was made")
            }
            Outcome::Finished => {
                let record = run.finish()?;
                let latest = workspace.latest();
                // What was kept is the last run too.
                if path != latest
                    && let Err(error) = copy_file(&path, &latest)
                {
                    say!("warning: {error:#}; `cryptobench rank` without a name shows another run");
                }
                Ok(Some(Done { record, path, lost: session.lost }))
            }
        }
    }
}
