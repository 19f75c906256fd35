//! `cryptobench import`: what `cargo bench` measured last, as a record.

use crate::{End, cmd::run::new_record, name::Name, output::legible, workspace::Workspace};
use anyhow::{Result, bail};
use clap::Args;
use cryptobench_environment::warnings;
use cryptobench_report::units::count;
use cryptobench_results::{
    criterion::{self, LeftOut},
    record::{Record, keep},
};
use std::{collections::BTreeMap, path::PathBuf};

/// Data left out for one reason that are told one by one.
const FEW: usize = 3;

/// Keep what `cargo bench` measured last as a record
#[derive(Debug, Args)]
#[command(after_help = "\
Example: cargo bench && cryptobench import --save before

Criterion measures one case after another in one process, so such a record has an order but no \
ranks, and comparing with it confirms nothing; `cryptobench run` measures in rounds.

Ends with code 0 if all that ran was taken, 1 if some of it was left out or failed, 2 after an error.")]
pub(crate) struct Arguments {
    /// Criterion's directory; by default the one of this checkout, target/criterion
    directory: Option<PathBuf>,
    /// Keep the record as reports/records/NAME.json.zst
    #[arg(long, value_name = "NAME", default_value = "criterion")]
    save: Name,
    /// Put it in the place of a record that has this name
    #[arg(long)]
    replace: bool,
}

pub(crate) fn run(arguments: Arguments) -> Result<End> {
    let workspace = Workspace::find()?;
    new_record(&workspace, &arguments.save, arguments.replace)?;
    let directory = arguments.directory.unwrap_or_else(|| workspace.criterion());
    if !directory.is_dir() {
        bail!(
            "there is no directory {}; run `cargo bench` first, or name the one that Criterion wrote to",
            directory.display()
        );
    }
    let criterion::Imported { mut record, left_out } = criterion::import(&directory)?;
    for line in grouped(&left_out) {
        say!("left out: {}", legible(&line));
    }
    for failed in &record.failed {
        say!("FAILED {}: {}", failed.id, legible(&failed.reason));
    }
    if record.measured.is_empty() {
        bail!("nothing in {} can be used; run `cargo bench` again", directory.display());
    }
    warn(&mut record);
    let path = workspace.record(&arguments.save);
    keep(&record, &path)?;
    let cases: usize = record.measured.iter().map(|it| it.sides.len()).sum();
    say!("record: {} ({})", path.display(), count(cases, "case"));
    Ok(if left_out.is_empty() && record.failed.is_empty() { End::Well } else { End::Failed })
}

/// Adds to `record` what spoke against its machine and build.
fn warn(record: &mut Record) {
    let header = &mut record.header;
    for program in &header.programs {
        for warning in warnings(&program.environment) {
            let warning = warning.to_string();
            if !header.warnings.contains(&warning) {
                header.warnings.push(warning);
            }
        }
    }
    for warning in &header.warnings {
        say!("warning: {}", legible(warning));
    }
}

/// A line for each of `left_out`, or where many share a reason one for all of them.
fn grouped(left_out: &[LeftOut]) -> Vec<String> {
    let mut by_reason: BTreeMap<String, Vec<&LeftOut>> = BTreeMap::new();
    for it in left_out {
        by_reason.entry(it.problem.to_string()).or_default().push(it);
    }
    let mut lines = Vec::new();
    for (reason, those) in by_reason {
        if those.len() <= FEW {
            lines.extend(those.iter().map(ToString::to_string));
        } else {
            let cases = if those.iter().all(|it| it.id.is_some()) { "cases" } else { "places" };
            let first = those[0];
            let first = first.id.clone().unwrap_or_else(|| first.path.display().to_string());
            lines.push(format!("{} {cases}: {reason} (the first: {first})", those.len()));
        }
    }
    lines
}
