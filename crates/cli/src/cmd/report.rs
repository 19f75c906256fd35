//! `cryptobench report`: records as one page, and their answer in short as Markdown.

use crate::{
    End,
    cmd::{compare::percent, scenario::all_fields},
    output,
    workspace::{self, Workspace},
};
use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use cryptobench_report::{
    facts::quoted,
    markdown,
    page::{Input, Options, page},
    splice::splice,
};
use cryptobench_results::{
    comparison::Rules,
    criterion,
    record::{Depth, Record},
};
use cryptobench_schema::{BackendId, CaseId};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::{
    collections::BTreeMap,
    fs,
    path::{Component, Path, PathBuf, absolute},
};

/// Make the page that shows records: which backend, how it grows, how sure, what ran, what changed, where
#[derive(Debug, Args)]
#[command(after_help = "\
Example: cryptobench report
         cryptobench report before after --output change.html
         cryptobench report full --markdown=README.md

The page is one file that loads nothing, to be kept and passed on. Its numbers are the last record's; with several, it also \
says what changed from the first to the last, and where they are of several machines, it shows their ratios side by side.")]
pub(crate) struct Arguments {
    /// The records: names or files, the oldest first; without any the last run
    records: Vec<String>,
    /// Write the page to this file instead of reports/index.html
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Ratios to this backend when the page is opened, instead of to the fastest of each contest
    #[arg(long, value_name = "BACKEND")]
    reference: Option<BackendId>,
    /// A change up to so many per cent does not matter
    #[arg(long, value_name = "PERCENT", default_value = "2", value_parser = percent)]
    margin: f64,
    /// Also put a summary between the markers in this file; README.md without a value
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "README.md")]
    markdown: Option<PathBuf>,
    /// Link cases to their pages in Criterion's report in this directory; target/criterion without a value
    #[arg(long, value_name = "DIRECTORY", num_args = 0..=1, require_equals = true)]
    criterion: Option<Option<PathBuf>>,
}

pub(crate) fn run(arguments: Arguments) -> Result<End> {
    let inputs = inputs(&arguments.records)?;
    let last = inputs.last().ok_or_else(|| anyhow!("no record"))?;
    if nothing(&last.record) {
        bail!("{} has no times to show: every case failed", last.name);
    }
    if let Some(reference) = &arguments.reference {
        let takes_part = |it: &Input| {
            it.record
                .measured
                .iter()
                .flat_map(|it| &it.sides)
                .any(|side| side.backend == *reference)
        };
        if !inputs.iter().any(takes_part) {
            bail!("no record has times of a backend `{reference}`");
        }
    }
    let output = match &arguments.output {
        Some(output) => output.clone(),
        None => {
            let page = Workspace::find()?.page();
            if let Some(directory) = page.parent() {
                fs::create_dir_all(directory)
                    .with_context(|| format!("cannot make {}", directory.display()))?;
            }
            page
        }
    };
    let command = command(&arguments);
    let criterion = match &arguments.criterion {
        Some(directory) => addresses(directory.as_deref(), &output)?,
        None => BTreeMap::new(),
    };
    let summary = match &arguments.markdown {
        Some(path) => Some((path, spliced(path, &markdown::summary(last, &command))?)),
        None => None,
    };
    let options = Options {
        reference: arguments.reference.clone(),
        rules: Rules { margin: arguments.margin, ..Rules::default() },
        criterion,
        fields: inputs.iter().flat_map(|it| all_fields(&it.record)).collect(),
        command,
    };
    let page = page(&inputs, &options);
    let mut files: Vec<(&Path, &str)> = vec![(&output, &page)];
    files.extend(summary.as_ref().map(|(path, text)| (path.as_path(), text.as_str())));
    output::file::write_all(&files)?;
    say!("page: {}", output.display());
    if let Some((path, _)) = summary {
        say!("summary: {}", path.display());
    }
    Ok(End::Well)
}

/// Whether `record` has no time that counts.
fn nothing(record: &Record) -> bool {
    if record.failed.is_empty() {
        return record.measured.is_empty();
    }
    let mut record = record.clone();
    record.leave_out_failed();
    record.measured.is_empty()
}

/// The records that the user means by `texts`.
fn inputs(texts: &[String]) -> Result<Vec<Input>> {
    let read = |path: PathBuf| -> Result<Input> {
        // The slices of key generation are read all the same.
        let record = Record::read(&path, Depth::Summary)?;
        Ok(Input { name: Workspace::name_of(&path), record })
    };
    if texts.is_empty() {
        return Ok(vec![read(Workspace::record_or_latest(None)?)?]);
    }
    texts.iter().map(|text| read(Workspace::find_record(text)?)).collect()
}

/// The command that makes this page again.
fn command(arguments: &Arguments) -> String {
    let mut command = "cryptobench report".to_owned();
    for record in &arguments.records {
        command.push_str(&format!(" {}", quoted(record)));
    }
    if let Some(reference) = &arguments.reference {
        command.push_str(&format!(" --reference {reference}"));
    }
    if arguments.margin != Rules::default().margin {
        let percent = (arguments.margin * 1e6).round() / 1e4;
        command.push_str(&format!(" --margin {percent}"));
    }
    if let Some(directory) = &arguments.criterion {
        command.push_str(" --criterion");
        if let Some(directory) = directory {
            command.push_str(&format!("={}", quoted(&directory.to_string_lossy())));
        }
    }
    if let Some(path) = &arguments.markdown {
        command.push_str(&format!(" --markdown={}", quoted(&path.to_string_lossy())));
    }
    command
}

/// The file at `path` with `part` between its markers.
pub(crate) fn spliced(path: &Path, part: &str) -> Result<String> {
    // Anything else may be read for ever.
    let kind =
        path.metadata().with_context(|| format!("cannot read {}", path.display()))?.file_type();
    if !kind.is_file() {
        bail!("{} is {}, not a file", path.display(), workspace::kind(kind));
    }
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    splice(&text, part).map_err(|error| anyhow!("{} {error}", path.display()))
}

/// The addresses of Criterion's pages, from the page at `output`.
fn addresses(directory: Option<&Path>, output: &Path) -> Result<BTreeMap<CaseId, String>> {
    let directory = match directory {
        Some(directory) => directory.to_owned(),
        None => Workspace::find()?.criterion(),
    };
    let pages = criterion::pages(&directory)
        .with_context(|| format!("cannot list {}", directory.display()))?;
    if pages.is_empty() {
        bail!(
            "{} has no page of any case; `cargo bench` makes them, unless it is told --noplot",
            directory.display()
        );
    }
    let from = absolute(output)?;
    let from = from.parent().unwrap_or(&from);
    pages.into_iter().map(|(id, page)| Ok((id, address(from, &absolute(page)?)))).collect()
}

/// What a segment of an address may not have as it is (RFC 3986).
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The address of `to` for a page in the directory `from`; both paths are absolute.
fn address(from: &Path, to: &Path) -> String {
    let shared =
        from.components().zip(to.components()).take_while(|(one, other)| one == other).count();
    let up = from.components().skip(shared).map(|_| "..".to_owned());
    let down = to.components().skip(shared).map(|it: Component<'_>| {
        utf8_percent_encode(&it.as_os_str().to_string_lossy(), ESCAPED).to_string()
    });
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_from_the_page() {
        let address = |from, to| address(Path::new(from), Path::new(to));
        assert_eq!(address("/a/reports", "/a/target/x/index.html"), "../target/x/index.html");
        assert_eq!(address("/a", "/a/b c#d/100%.html"), "b%20c%23d/100%25.html");
        assert_eq!(address("/", "/é"), "%C3%A9");
    }
}
