//! `cryptobench scenario`: an old question measured and answered, or answered from a record.

use crate::{
    End,
    cmd::{
        report::spliced,
        run::{Done, Request, new_record, saved},
    },
    measuring::{Course, How, What, conclude},
    name::Name,
    output::{self, ranking::provenance, visible},
    workspace::Workspace,
};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use cryptobench_catalogue::write_catalogue;
use cryptobench_report::{
    facts::quoted,
    scenario::{Answer, answers, markdown},
};
use cryptobench_results::record::{Depth, Record};
use cryptobench_schema::Scenario;
use std::{collections::BTreeMap, io, path::PathBuf};

/// Measure an old question and answer it: data in pieces, RSA keys, a file or its fields, AES-GCM-SIV
#[derive(Debug, Args)]
#[command(after_help = "\
Example: cryptobench scenario bulk
         cryptobench scenario document --document books.xml --element author
         cryptobench scenario all --record scenarios --all

Prints one sentence and tables, and what was published before. A ratio is of slices taken in turn, with its 95 % \
interval; where that includes no difference, the sentence says so. With --record nothing is measured.")]
pub(crate) struct Arguments {
    /// Which question
    #[arg(value_name = "NAME")]
    name: Which,
    /// Measure nothing, and answer from this record: its name or a file
    #[arg(long, value_name = "RECORD", conflicts_with_all = MEASURING)]
    record: Option<String>,
    /// Every table, not only the main ones
    #[arg(long)]
    all: bool,
    /// How to print it; Markdown has every table
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Also put the answer between the markers in this file
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Keep the record as reports/records/NAME.json.zst
    #[arg(long, value_name = "NAME")]
    save: Option<Name>,
    /// Put it in the place of a record that has this name
    #[arg(long, requires = "save")]
    replace: bool,
    #[command(flatten)]
    course: Course,
    #[command(flatten)]
    what: What,
    #[command(flatten)]
    how: How,
}

/// A scenario, or all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    One(Scenario),
    All,
}

impl ValueEnum for Which {
    fn value_variants<'a>() -> &'a [Self] {
        const ALL: [Which; Scenario::ALL.len() + 1] = [
            Which::One(Scenario::ALL[0]),
            Which::One(Scenario::ALL[1]),
            Which::One(Scenario::ALL[2]),
            Which::One(Scenario::ALL[3]),
            Which::All,
        ];
        &ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.name()))
    }
}

impl Which {
    const fn name(self) -> &'static str {
        match self {
            Self::One(scenario) => scenario.name(),
            Self::All => "all",
        }
    }

    fn scenarios(self) -> Vec<Scenario> {
        match self {
            Self::One(scenario) => vec![scenario],
            Self::All => Scenario::ALL.to_vec(),
        }
    }
}

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Format {
    /// For a terminal.
    #[default]
    Table,
    /// Markdown, for a pull request.
    Md,
}

/// The options that say what is measured and how.
const MEASURING: [&str; 18] = [
    "save", "replace", "resume", "rounds", "document", "element", "filter", "sizes", "rsa_bits",
    "backends", "quick", "strict", "seed", "cpu", "deadline", "features", "worker", "also",
];

pub(crate) fn run(arguments: Arguments) -> Result<End> {
    let Arguments { name, record, format, markdown: file, .. } = &arguments;
    let (name, format) = (*name, *format);
    // Before minutes are spent.
    if let Some(file) = file {
        spliced(file, "")?;
    }
    let (record, path, lost) = match record {
        Some(record) => {
            let path = Workspace::find_record(record)?;
            // The slices of heats are read all the same.
            (Record::read(&path, Depth::Summary)?, path, None)
        }
        None => match measured(&arguments)? {
            Some(Done { record, path, lost }) => (record, path, Some(lost)),
            None => return Ok(End::Stopped),
        },
    };
    let fields = all_fields(&record);
    let answers = answers(&record, &name.scenarios(), |size| fields.get(&size).copied());
    if answers.is_empty() {
        let what = match name {
            Which::One(scenario) => format!("the scenario `{scenario}`"),
            Which::All => "any scenario".to_owned(),
        };
        bail!(
            "{} has nothing of {what} that was measured together; `cryptobench scenario {}` measures it",
            path.display(),
            name.name()
        );
    }
    let shown = match format {
        Format::Table => {
            document(&record, &answers, false, |it| output::scenario::text(it, arguments.all))
        }
        Format::Md => document(&record, &answers, true, markdown),
    };
    output::print(&shown)?;
    if let Some(file) = file {
        let made = format!(
            "cryptobench scenario {} --record {} --markdown {}",
            name.name(),
            quoted(&Workspace::name_of(&path)),
            quoted(&file.to_string_lossy())
        );
        let part = format!(
            "{}\nMade by `{}`.\n",
            document(&record, &answers, true, markdown),
            visible(&made).replace('`', "'")
        );
        output::file::write(file, &spliced(file, &part)?)?;
        say!("answer: {}", file.display());
    }
    Ok(lost.map_or(End::Well, |lost| conclude(&record, &lost)))
}

/// The scenario measured; nothing where the user stopped it.
fn measured(arguments: &Arguments) -> Result<Option<Done>> {
    let Arguments { name, save, replace, course, what, how, .. } = arguments;
    let workspace = Workspace::find()?;
    let Course { resume, rounds } = *course;
    if let (Some(name), false) = (save, resume) {
        new_record(&workspace, name, *replace)?;
    }
    let mut what = what.clone();
    what.contests.scenarios = name.scenarios();
    let command = saved(&format!("scenario {}", name.name()), save.as_ref());
    let (save, how) = (save.clone(), how.clone());
    let done =
        Request { save, rounds, what, how, command, duel: false }.measure(&workspace, resume)?;
    if let Some(Done { path, .. }) = &done {
        workspace.tidy();
        say!("record: {}", path.display());
    }
    Ok(done)
}

/// How many fields the document of `size` bytes has that `record` measured.
fn fields(record: &Record, size: u64) -> Option<u64> {
    match &record.header.settings.document {
        Some(own) if own.bytes == size => Some(own.fields),
        // It is made again, and not kept: of the suite's own sizes alone, whatever a record says.
        _ if Scenario::Document.contests().iter().any(|it| it.size == Some(size)) => {
            write_catalogue(size, &mut io::sink()).ok()
        }
        _ => None,
    }
}

/// The same for every document in `record`, by its bytes.
pub(crate) fn all_fields(record: &Record) -> BTreeMap<u64, u64> {
    let mut all = BTreeMap::new();
    let documents = record.measured.iter().filter(|it| it.contest.operation.is_of_document());
    for size in documents.filter_map(|it| it.contest.size) {
        if !all.contains_key(&size)
            && let Some(fields) = fields(record, size)
        {
            all.insert(size, fields);
        }
    }
    all
}

/// The answers below where they are from.
fn document(
    record: &Record,
    answers: &[Answer],
    markdown: bool,
    text_of: impl Fn(&Answer) -> String,
) -> String {
    let plain = |it: String| if markdown { output::table::escaped(&it) } else { it };
    let mut text = format!("{}\n", plain(provenance(record)));
    for warning in &record.header.warnings {
        let warning = plain(format!("warning: {}", visible(warning)));
        text.push_str(&format!("{}{warning}\n", if markdown { "\n" } else { "" }));
    }
    for it in answers {
        text.push('\n');
        text.push_str(&text_of(it));
    }
    text
}
