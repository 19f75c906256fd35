//! `cryptobench list`: the records that are kept, whatever state they are in.

use crate::{
    End,
    name::Name,
    output::{
        self,
        records::{Facts, Fate, Listed, State},
    },
    workspace::{self, Workspace},
};
use anyhow::{Context as _, Result};
use clap::{Args, ValueEnum};
use cryptobench_results::record::{Depth, Record};
use cryptobench_runner::Program;
use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Duration,
};

/// The records in reports/records, the oldest first, with unfinished and unreadable ones
#[derive(Debug, Args)]
#[command(after_help = "\
Example: cryptobench list --format json | jq -r '.[].name'

A baseline is a record whose worker program is beside it for `cryptobench compare`; where that is \
gone (`cargo clean`), the record itself is compared.")]
pub(crate) struct Arguments {
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: ListFormat,
}

/// How a list is printed.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum ListFormat {
    #[default]
    Text,
    Json,
}

pub(crate) fn run(arguments: Arguments) -> Result<End> {
    let workspace = Workspace::find()?;
    let mut all: Vec<Listed> =
        files(&workspace.records())?.iter().filter_map(|path| listed(&workspace, path)).collect();
    all.sort_by(|one, other| {
        let key = |it: &Listed| {
            let started = it.facts.as_ref().map(|facts| facts.started.clone());
            // What has no date, last.
            (started.is_none(), started, it.name.clone())
        };
        key(one).cmp(&key(other))
    });
    if all.is_empty() {
        say!(
            "no records in {}; `cryptobench run --save NAME` makes one",
            workspace.records().display()
        );
    }
    match arguments.format {
        ListFormat::Text if all.is_empty() => {}
        ListFormat::Text => output::print(&output::records::text(&all))?,
        ListFormat::Json => output::print(&output::records::json(&all)?)?,
    }
    Ok(End::Well)
}

/// What is in `directory`, which need not be there.
fn files(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        other => other.with_context(|| format!("cannot list {}", directory.display()))?,
    };
    entries
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<_>>()
        .with_context(|| format!("cannot list {}", directory.display()))
}

/// The file at `path`, unless it has not the name of a record.
fn listed(workspace: &Workspace, path: &Path) -> Option<Listed> {
    let file = path.file_name()?.to_string_lossy().into_owned();
    let journal = file.strip_suffix(".json.partial");
    let name = journal
        .or_else(|| file.strip_suffix(".json.zst"))
        .or_else(|| file.strip_suffix(".json"))?
        .to_owned();
    // Those of editors and of whoever was writing a file.
    if name.starts_with('.') {
        return None;
    }
    let mut listed = Listed {
        name,
        file: file.clone(),
        state: State::Unreadable,
        reason: None,
        baseline_program: None,
        facts: None,
    };
    let record = match read(path, journal.is_some()) {
        Ok(record) => record,
        Err(why) => return Some(Listed { reason: Some(why), ..listed }),
    };
    listed.facts = Some(Facts::of(&record));
    if journal.is_some() {
        return Some(Listed { state: State::Unfinished, ..listed });
    }
    listed.state = State::Finished;
    match listed.name.parse::<Name>() {
        Ok(name) => {
            let meant = workspace.existing_record(&name);
            if meant.is_some_and(|it| it != path) {
                listed.reason = Some(format!("hidden by {name}.json.zst"));
            } else {
                listed.baseline_program = kept(&workspace.baseline_worker(&name), &record);
            }
        }
        Err(_) => listed.reason = Some("its name is none that commands take".to_owned()),
    }
    Some(listed)
}

/// Reads a record, or what there is of one; or says why not.
fn read(path: &Path, journal: bool) -> Result<Record, String> {
    let kind = path.metadata().map_err(|error| error.to_string())?.file_type();
    // Anything else may never end.
    if !kind.is_file() {
        return Err(workspace::kind(kind).to_owned());
    }
    let why = |error: cryptobench_results::record::RecordError| {
        let place = error.line.map_or_else(String::new, |line| format!("line {line}: "));
        format!("{place}{}", error.problem)
    };
    if journal {
        let bytes = fs::read(path).map_err(|error| error.to_string())?;
        return Record::parse_interrupted(&bytes, path, Depth::Summary)
            .map(|(record, _)| record)
            .map_err(why);
    }
    Record::read(path, Depth::Summary).map_err(why)
}

/// What has become of the worker program of `record`, where that is a baseline.
fn kept(worker: &Path, record: &Record) -> Option<Fate> {
    if !worker.parent().is_some_and(Path::is_dir) {
        return None;
    }
    if !worker.is_file() {
        return Some(Fate::Gone);
    }
    let program = Program {
        name: String::new(),
        path: worker.to_owned(),
        variables: Vec::new(),
        deadline: Duration::ZERO,
    };
    let same = program.sha256().ok() == record.header.programs.first()?.sha256;
    Some(if same { Fate::Kept } else { Fate::Replaced })
}
