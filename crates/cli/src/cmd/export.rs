//! `cryptobench export`: a record for other programs, and for a report.

use crate::{
    End,
    output::{self, export::Exported},
    workspace::Workspace,
};
use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use cryptobench_results::record::{Depth, Record};
use cryptobench_schema::{Algorithm, Operation};
use std::path::{Path, PathBuf};

/// Write a record as CSV or JSON with one row a case, or one operation as a Markdown table
#[derive(Debug, Args)]
#[command(after_help = "\
Example: cryptobench export gcm --output gcm.csv
         cryptobench export gcm --format md --group aes-256-gcm/seal

docs/export.md says what each column is.")]
pub(crate) struct Arguments {
    /// The record: its name or a file
    record: String,
    /// csv and json: everything; md: Mean, Error, StdDev and Ratio, as BenchmarkDotNet has them. By
    /// default what the name of --output ends in, otherwise csv
    #[arg(long, value_enum)]
    format: Option<ExportFormat>,
    /// Only this operation of this algorithm, which md needs where the record has several
    #[arg(long, value_name = "ALGORITHM/OPERATION", value_parser = group)]
    group: Option<(Algorithm, Operation)>,
    /// Write it to this file instead of standard output: all of it, or nothing
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

/// How a record is exported.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum ExportFormat {
    #[default]
    Csv,
    Json,
    Md,
}

impl ExportFormat {
    /// What the name of `output` ends in.
    fn of(output: &Path) -> Option<Self> {
        Self::from_str(output.extension()?.to_str()?, true).ok()
    }
}

fn group(text: &str) -> Result<(Algorithm, Operation), String> {
    let (algorithm, operation) =
        text.split_once('/').ok_or("a group is ALGORITHM/OPERATION, such as aes-256-gcm/seal")?;
    let algorithm: Algorithm = algorithm.parse().map_err(told)?;
    let operation: Operation = operation.parse().map_err(told)?;
    if algorithm.operations().contains(&operation) {
        Ok((algorithm, operation))
    } else {
        Err(format!("{algorithm} has no operation `{operation}`"))
    }
}

fn told(error: cryptobench_schema::ParseError) -> String {
    error.to_string()
}

pub(crate) fn run(arguments: Arguments) -> Result<End> {
    let path = Workspace::find_record(&arguments.record)?;
    let record = Record::read(&path, Depth::Slices)?;
    let name = Workspace::name_of(&path);
    let exported = Exported::new(&name, &record);
    let of_output = || arguments.output.as_deref().and_then(ExportFormat::of);
    let text = match arguments.format.or_else(of_output).unwrap_or_default() {
        ExportFormat::Csv => exported.csv(arguments.group)?,
        ExportFormat::Json => exported.json(arguments.group)?,
        ExportFormat::Md => exported.markdown(only_group(&exported, arguments.group)?),
    };
    match &arguments.output {
        Some(output) => output::file::write(output, &text)?,
        None => output::print(&text)?,
    }
    Ok(End::Well)
}

/// The one group of a table.
fn only_group(
    exported: &Exported<'_>,
    asked: Option<(Algorithm, Operation)>,
) -> Result<(Algorithm, Operation)> {
    let groups = exported.groups();
    let names: Vec<String> =
        groups.iter().map(|(algorithm, operation)| format!("{algorithm}/{operation}")).collect();
    let names = names.join(", ");
    match (asked, &groups[..]) {
        (_, []) => bail!("the record has no times"),
        (Some(asked), all) if all.contains(&asked) => Ok(asked),
        (Some((algorithm, operation)), _) => {
            bail!("the record has no times of {algorithm}/{operation}; it has {names}")
        }
        (None, [only]) => Ok(*only),
        (None, _) => bail!("a table is of one operation; name it by --group: {names}"),
    }
}
