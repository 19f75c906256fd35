//! `cryptobench compare`: did it change? A baseline's program against the current one, taking turns; or two records.

use crate::{
    End,
    cmd::run::{Done, Request, saved},
    measuring::{How, What, contests, current, participant},
    name::Name,
    output::{self, comparison::Shown, table::Format},
    session::{Session, Wanted},
    workspace::Workspace,
};
use anyhow::{Result, bail};
use clap::Args;
use cryptobench_report::units::count;
use cryptobench_results::{
    comparison::{self, Comparison, Outcome as Judgement, Rules, Verdict},
    record::{Depth, Record},
};
use cryptobench_runner::{Outcome, PlannedContest, Slices};
use cryptobench_schema::CaseId;
use std::{collections::BTreeSet, path::PathBuf};

/// Rounds that only screen, and the slices of each case in them.
const SCREENING: u32 = 3;
const SCREENING_SLICES: u32 = 30;
/// Fresh rounds that decide about what screening left.
const DECIDING: u32 = 12;

/// Did it change? The program of a baseline against the current one, or one record against another
#[derive(Debug, Args)]
#[command(after_help = "\
Example: cryptobench compare baseline --filter 'aes-256-gcm'
         cryptobench compare before after --format md

With one name, the worker program kept by `cryptobench baseline` and the current one take turns in \
the same contests: ratios as good as within one run. Every case is screened in 3 short rounds; what \
these do not show to be the same gets fresh rounds (--rounds), and only they decide. With two names or \
files, records are compared: the drift between two sessions is in no interval, so the margin is 5 % \
at the least.

Ends with code 0 if nothing is slower, 1 if a slow-down is confirmed, 2 after an error, 3 if cases \
are missing or cannot be compared; 130 if it was stopped.")]
pub(crate) struct Arguments {
    /// A baseline, or the record of the old side
    old: String,
    /// The record of the new side
    new: Option<String>,
    /// A change up to so many per cent does not matter
    #[arg(long, value_name = "PERCENT", default_value = "2", value_parser = percent)]
    margin: f64,
    /// The probability of one or more false slow-downs in the whole comparison
    #[arg(long, value_name = "PROBABILITY", default_value = "0.05", value_parser = probability)]
    alpha: f64,
    /// The verdicts to end with code 1 for, comma-separated, or `none`
    #[arg(long, value_name = "VERDICTS", default_value = "slower", value_parser = fail_on)]
    fail_on: FailOn,
    /// Print every case, not only those that changed
    #[arg(long)]
    all: bool,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Keep the record of the comparison as reports/records/NAME.json.zst
    #[arg(long, value_name = "NAME", conflicts_with = "new")]
    save: Option<Name>,
    /// Go on with a comparison that was stopped
    #[arg(long, conflicts_with_all = ["new", "rounds"])]
    resume: bool,
    /// Rounds that decide; 12, or 4 with --quick
    #[arg(long, value_name = "NUMBER", conflicts_with = "new", value_parser = clap::value_parser!(u32).range(2..=1000))]
    rounds: Option<u32>,
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    how: How,
}

/// Verdicts to fail on.
#[derive(Debug, Clone)]
struct FailOn(Vec<Verdict>);

fn fail_on(text: &str) -> Result<FailOn, String> {
    if text == "none" {
        return Ok(FailOn(Vec::new()));
    }
    text.split(',')
        .map(|word| word.trim().parse::<Verdict>().map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()
        .map(FailOn)
}

pub(crate) fn percent(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if (0.0..=1000.0).contains(&number) {
        Ok(number / 100.0)
    } else {
        Err("a margin is 0 to 1000 per cent".to_owned())
    }
}

fn probability(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    if number > 0.0 && number < 1.0 {
        Ok(number)
    } else {
        Err("a probability here is above 0 and below 1".to_owned())
    }
}

pub(crate) fn run(arguments: Arguments) -> Result<End> {
    if !arguments.how.also.is_empty() {
        bail!("a comparison is between two programs; --also is for `run`");
    }
    let How { quick, strict, seed, cpu, features, worker, .. } = &arguments.how;
    let measuring = *quick || *strict || seed.is_some() || cpu.is_some() || worker.is_some();
    if arguments.new.is_some() && (measuring || !features.is_empty()) {
        bail!("nothing is measured between two records: leave out the options that say how");
    }
    match &arguments.new {
        Some(new) => between(&arguments, &arguments.old, new),
        None => against(arguments),
    }
}

impl Arguments {
    const fn rules(&self) -> Rules {
        Rules { margin: self.margin, alpha: self.alpha }
    }

    /// Prints the comparison, and says how the program ends.
    fn tell(&self, shown: &Shown<'_>, incomplete: bool) -> Result<End> {
        output::print(&shown.render(self.format, self.all)?)?;
        let nothing = shown.comparison.rows.iter().all(|row| row.log_ratio.is_none());
        Ok(match shown.comparison.outcome(&self.fail_on.0) {
            Judgement::Confirmed => End::Failed,
            Judgement::Incomparable => End::Incomplete,
            // Where nothing could be compared, nothing is known to be well.
            Judgement::Clean if incomplete || nothing => End::Incomplete,
            Judgement::Clean => End::Well,
        })
    }
}

/// Two records.
fn between(arguments: &Arguments, old: &str, new: &str) -> Result<End> {
    let [one, other] = [old, new].map(|it| Workspace::read_record(it, Depth::Summary));
    told(arguments, &arguments.what, (old, &one?), (new, &other?))
}

fn told(
    arguments: &Arguments,
    what: &What,
    (old, one): (&str, &Record),
    (new, other): (&str, &Record),
) -> Result<End> {
    let selects = what.selects();
    let comparison = comparison::records(one, other, &selects, arguments.rules());
    if comparison.rows.is_empty() {
        bail!("neither {old} nor {new} has a case that is selected");
    }
    let (Some(from), Some(to)) = (one.header.programs.last(), other.header.programs.last()) else {
        bail!("a record without a program");
    };
    let shown = Shown {
        comparison: &comparison,
        old: (old, &one.header.started, &from.environment),
        new: (new, &other.header.started, &to.environment),
    };
    arguments.tell(&shown, false)
}

/// A baseline.
fn against(mut arguments: Arguments) -> Result<End> {
    let workspace = Workspace::find()?;
    let name: Name = match arguments.old.parse() {
        Ok(name) => name,
        Err(error) => {
            bail!("`{}` is no baseline: {error}. To compare two records, name both", arguments.old)
        }
    };
    let worker = workspace.baseline_worker(&name);
    let record = workspace
        .existing_record(&name)
        .map(|path| Record::read(&path, Depth::Summary))
        .transpose()?;
    let Some(record) = record else {
        if worker.is_file() {
            bail!(
                "the record of baseline `{name}` is gone from {}; make the baseline anew: cryptobench baseline {name}",
                workspace.records().display()
            );
        }
        bail!("there is no baseline `{name}`; make one: cryptobench baseline {name}");
    };
    let kept = record.header.programs.first().and_then(|program| program.sha256.clone());
    arguments.what = arguments.what.or(&record.header.settings)?;
    arguments.how = arguments.how.patient_with(&arguments.what.contests);
    if !worker.is_file() {
        say!(
            "warning: the worker program of baseline `{name}` is gone ({}); measuring the current one and comparing \
             records, which sees less",
            worker.display()
        );
        return by_record(&arguments, &workspace, &name, &record);
    }
    let recorded = record.header.started;
    let live = Live { workspace: &workspace, name: &name, worker, kept, recorded };
    live.compare(&arguments)
}

/// The baseline's record against a new one.
fn by_record(
    arguments: &Arguments,
    workspace: &Workspace,
    name: &Name,
    baseline: &Record,
) -> Result<End> {
    let request = Request {
        save: None,
        rounds: arguments.rounds.or(Some(baseline.header.settings.rounds)),
        what: arguments.what.clone(),
        how: arguments.how.clone(),
        command: format!("compare {name}"),
        duel: false,
    };
    let Some(Done { record: current, .. }) = request.measure(workspace, arguments.resume)? else {
        return Ok(End::Stopped);
    };
    told(arguments, &arguments.what, (name.as_str(), baseline), ("current", &current))
}

/// A baseline whose program is there.
struct Live<'a> {
    workspace: &'a Workspace,
    name: &'a Name,
    worker: PathBuf,
    /// The program's digest, as in the baseline's record.
    kept: Option<String>,
    /// When that record was begun.
    recorded: String,
}

impl Live<'_> {
    fn compare(&self, arguments: &Arguments) -> Result<End> {
        let Self { workspace, name, .. } = *self;
        let Arguments { how, what, save, resume, .. } = arguments;
        let command = &saved(&format!("compare {name}"), save.as_ref());
        let path = match save {
            Some(name) => {
                if let Some(path) = workspace.existing_record(name) {
                    bail!(
                        "there is a record `{name}` already ({}); choose another name",
                        path.display()
                    );
                }
                workspace.record(name)
            }
            None => workspace.latest_comparison(),
        };
        let wanted = Wanted { workspace, command, path, named: save.is_some(), what, how };
        let (session, begun) = Session::open(wanted, *resume, |variables, stop| {
            let old = participant(workspace, name.as_str(), &self.worker, how, variables, stop)?;
            if self.kept.as_ref().is_some_and(|kept| *kept != old.sha256) {
                bail!(
                    "{} is not the program that the record of baseline `{name}` was made with; make the baseline anew",
                    self.worker.display(),
                );
            }
            Ok((vec![old, current(workspace, how, variables, stop)?], Vec::new()))
        })?;
        if begun.is_some()
            && self.kept.as_ref().is_some_and(|kept| *kept != session.participants[0].sha256)
        {
            bail!(
                "baseline `{name}` was made anew since this comparison began; begin that anew, too"
            );
        }
        let mut contests = contests(&session.participants, &session.what)?;
        // Old is held against new of each case, and no contest against another.
        contests.iter_mut().for_each(|it| it.heat = None);
        let deciding = arguments.rounds.unwrap_or(if how.quick { 4 } else { DECIDING });
        let mut run = session.run(begun, &contests, SCREENING + deciding, SCREENING)?;
        let settings = run.record().header.settings.clone();
        let cases = run_cases(&contests);
        say!(
            "{} in {}: screening in {}",
            count(cases, "case"),
            count(contests.len(), "contest"),
            count(settings.screening as usize, "round")
        );
        let slices = Slices::of(&settings);
        let short = Slices { most: slices.most.min(SCREENING_SLICES), ..slices };
        let mut outcome = run.measure(&contests, 0..settings.screening, short)?;
        if outcome == Outcome::Finished {
            let open = comparison::undecided(run.record(), arguments.rules());
            if !open.is_empty() {
                say!(
                    "{} not shown to be the same: {} that decide",
                    count(open.len(), "case"),
                    count((settings.rounds - settings.screening) as usize, "fresh round"),
                );
                let contests = only(&contests, &open);
                outcome = run.measure(&contests, settings.screening..settings.rounds, slices)?;
            }
        }
        let record = match outcome {
            Outcome::Finished => {
                let record = run.finish()?;
                workspace.tidy();
                record
            }
            // A verdict is of the whole.
            Outcome::Stopped => {
                run.interrupt();
                return Ok(End::Stopped);
            }
        };
        let comparison = comparison::live(&record, arguments.rules());
        self.tell(arguments, &record, &comparison)
    }

    fn tell(&self, arguments: &Arguments, record: &Record, comparison: &Comparison) -> Result<End> {
        let [old, new] = record.header.programs.as_slice() else {
            bail!("the record of the comparison does not have two programs");
        };
        let shown = Shown {
            comparison,
            old: (&old.name, &self.recorded, &old.environment),
            new: (&new.name, &record.header.started, &new.environment),
        };
        arguments.tell(&shown, !record.failed.is_empty())
    }
}

/// Cases, whichever program has them.
fn run_cases(contests: &[PlannedContest]) -> usize {
    let cases: BTreeSet<CaseId> = contests
        .iter()
        .flat_map(|planned| planned.sides.iter().map(|side| planned.case(side)))
        .collect();
    cases.len()
}

/// What of `contests` is about the cases in `open`, which are in order.
fn only(contests: &[PlannedContest], open: &[CaseId]) -> Vec<PlannedContest> {
    contests
        .iter()
        .map(|planned| PlannedContest {
            contest: planned.contest,
            sides: planned
                .sides
                .iter()
                .filter(|side| open.binary_search(&planned.case(side)).is_ok())
                .cloned()
                .collect(),
            heat: planned.heat.clone(),
        })
        .filter(|planned| !planned.sides.is_empty())
        .collect()
}
