//! `cryptobench scenario`: the answer that a record has to an old question.

use crate::{
    End,
    output::{self, ranking::provenance, visible},
    workspace::Workspace,
};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use cryptobench_report::scenario::{Answer, answers};
use cryptobench_results::record::{Depth, Record};
use cryptobench_schema::Scenario;

/// Old questions: bulk data in pieces, RSA keys, a file or its fields, AES-GCM-SIV
#[derive(Debug, Args)]
#[command(after_help = "\
Example: cryptobench scenario gcm-siv --record scenarios
         cryptobench scenario all --format md

Prints what a record says to the question, in one sentence and in tables, and what was published \
before. A ratio is of slices taken in turn, with its 95 % interval; where that includes no \
difference, the sentence says so.")]
pub(crate) struct Arguments {
    /// Which question
    #[arg(value_name = "NAME")]
    name: Which,
    /// The record: its name or a file; without it the last run
    #[arg(long, value_name = "RECORD")]
    record: Option<String>,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
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

pub(crate) fn run(arguments: Arguments) -> Result<End> {
    let Arguments { name, record, format } = arguments;
    let path = Workspace::record_or_latest(record.as_deref())?;
    // The slices of heats are read all the same.
    let record = Record::read(&path, Depth::Summary)?;
    let scenarios = match name {
        Which::One(scenario) => vec![scenario],
        Which::All => Scenario::ALL.to_vec(),
    };
    let answers = answers(&record, &scenarios, |_| None);
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
    output::print(&document(&record, &answers, format == Format::Md))?;
    Ok(End::Well)
}

/// The answers below where they are from.
fn document(record: &Record, answers: &[Answer], markdown: bool) -> String {
    let plain = |it: String| if markdown { output::table::escaped(&it) } else { it };
    let mut text = format!("{}\n", plain(provenance(record)));
    for warning in &record.header.warnings {
        let warning = plain(format!("warning: {}", visible(warning)));
        text.push_str(&format!("{}{warning}\n", if markdown { "\n" } else { "" }));
    }
    for it in answers {
        text.push('\n');
        text.push_str(&output::scenario::text(it, markdown));
    }
    text
}
