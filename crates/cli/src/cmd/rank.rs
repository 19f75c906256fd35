//! `cryptobench rank`: which backend of a record is fastest, contest by contest.

use crate::{
    End,
    cmd::compare::percent,
    output::{self, ranking::Shown, table::Format},
    workspace::Workspace,
};
use anyhow::{Result, bail};
use clap::Args;
use cryptobench_report::Labels;
use cryptobench_results::{
    ranking::{Entrants, Options, rank},
    record::{Depth, Record},
};
use cryptobench_schema::BackendId;
use regex::Regex;
use std::collections::BTreeSet;

/// Which backend is fastest: the order in each contest of a record, with ties, and the means
#[derive(Debug, Args)]
#[command(after_help = "\
Example: cryptobench rank gcm --filter 'seal/.*/(16|1024)$' --reference openssl

A rank is 1 + the number of backends that are significantly faster (5 % a contest, Holm's \
adjustment). Those who share one tie and are shown as `2=`; where only the fastest is certain to be \
faster than some, `1= 1= 2= 2=` can be. A ratio is this backend's time over the reference's, from \
slices taken in turn, so it is not exactly the quotient of the two times; its interval, for itself \
alone, holds it with 95 %. GB are 10⁹ bytes.")]
pub(crate) struct Arguments {
    /// The record: its name or a file; without it the last run
    record: Option<String>,
    /// Only cases whose id matches this regular expression, `algorithm/operation/backend[/size]`
    #[arg(long, value_name = "REGEX")]
    filter: Option<Regex>,
    /// Only this backend; may be repeated
    #[arg(long = "backend", value_name = "NAME")]
    backends: Vec<BackendId>,
    /// Ratios to this backend instead of the fastest of each contest
    #[arg(long, value_name = "BACKEND")]
    reference: Option<BackendId>,
    /// Backends that differ by no more than this tie
    #[arg(long, value_name = "PERCENT", default_value = "0", value_parser = percent)]
    margin: f64,
    /// The backends of all programs of a comparison, not only of its last one
    #[arg(long)]
    all_programs: bool,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(crate) fn run(arguments: Arguments) -> Result<End> {
    let path = Workspace::record_or_latest(arguments.record.as_deref())?;
    let mut record = Record::read(&path, Depth::Summary)?;
    let last = record.header.programs.len().saturating_sub(1);
    record.leave_out_failed();
    // Programs of a run take part side by side; those of a comparison are old and new.
    let all_programs = arguments.all_programs || record.header.settings.screening == 0;
    if !all_programs {
        record.retain(|program, _| program == last);
    }
    let has = backends(&record);
    for asked in arguments.backends.iter().chain(&arguments.reference) {
        if !has.contains(asked) {
            bail!("{} has no times of a backend `{asked}`; it has {}", path.display(), names(&has));
        }
    }
    if let (false, Some(reference)) = (arguments.backends.is_empty(), &arguments.reference)
        && !arguments.backends.contains(reference)
    {
        bail!("the reference `{reference}` is not shown; add --backend {reference}");
    }
    record.retain(|_, id| {
        (arguments.backends.is_empty() || arguments.backends.contains(&id.backend))
            && arguments.filter.as_ref().is_none_or(|filter| filter.is_match(&id.to_string()))
    });
    if record.measured.is_empty() && record.failed.is_empty() {
        bail!("nothing of {} is selected; it has times of {}", path.display(), names(&has));
    }
    let options = Options {
        // Of those that were kept.
        entrants: Entrants::AllPrograms,
        reference: arguments.reference,
        margin: arguments.margin,
        ..Options::default()
    };
    let ranking = rank(&record, &options);
    let mut notes = Vec::new();
    if last > 0 && !all_programs {
        notes.push(format!(
            "only the program `{}` of {}; --all-programs shows all",
            output::visible(&record.header.programs[last].name),
            last + 1
        ));
    }
    let labels = Labels::new(&record, all_programs);
    let shown = Shown { record: &record, ranking: &ranking, options: &options, labels, notes };
    output::print(&shown.render(arguments.format)?)?;
    Ok(End::Well)
}

/// The backends that `record` has times of.
fn backends(record: &Record) -> BTreeSet<BackendId> {
    record.measured.iter().flat_map(|it| &it.sides).map(|it| it.backend.clone()).collect()
}

fn names(backends: &BTreeSet<BackendId>) -> String {
    let names: Vec<&str> = backends.iter().map(BackendId::as_str).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}
