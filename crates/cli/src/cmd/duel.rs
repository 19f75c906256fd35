//! `cryptobench duel`: two backends, now: the quickest answer to which of them is faster.

use crate::{
    End,
    cmd::run::{Done, Request, new_record, saved},
    measuring::{How, Sizes, What, bits, bytes, conclude},
    name::Name,
    output,
    workspace::Workspace,
};
use anyhow::{Result, bail};
use clap::Args;
use cryptobench_schema::BackendId;
use regex::Regex;

/// Two backends, now: which of them is faster?
#[derive(Debug, Args)]
#[command(after_help = "\
Example: cryptobench duel ring openssl --filter 'aes-256-gcm/(seal|open)' --quick

Measures the contests that both have, prints one row for each and one sentence for all. A tie is
a contest in which neither is significantly faster (5 %), each judged alone as by `cryptobench
rank`. A ratio is the second's time over the first's: above 1 the first is faster. The interval
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
    /// Go on with the duel of that name, or with the last one without, where it was stopped
    #[arg(long, conflicts_with_all = [
        "filter", "sizes", "rsa_bits", "quick", "seed", "cpu", "features", "worker", "also", "rounds",
    ])]
    resume: bool,
    /// Rounds of fresh processes; 7, or 3 with --quick
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: Option<u32>,
    /// Only cases whose id matches this regular expression, `algorithm/operation/backend[/size]`. Without
    /// it, everything but RSA key generation, whose times are spread by chance
    #[arg(long, value_name = "REGEX", help_heading = "What is measured")]
    filter: Option<Regex>,
    /// Message sizes in bytes, comma-separated, or `all`
    #[arg(long, value_name = "SIZES", value_parser = bytes, help_heading = "What is measured")]
    sizes: Option<Sizes>,
    /// RSA moduli in bits, comma-separated, or `all`
    #[arg(long, value_name = "BITS", value_parser = bits, help_heading = "What is measured")]
    rsa_bits: Option<Sizes>,
    #[command(flatten)]
    how: How,
}

pub(crate) fn run(arguments: Arguments) -> Result<End> {
    let Arguments { first, second, save, replace, resume, rounds, filter, sizes, rsa_bits, how } =
        arguments;
    if first == second {
        bail!("a duel is between two backends, and `{first}` is one");
    }
    let workspace = Workspace::find()?;
    // One that goes on was let replace it when it began.
    if let (Some(name), false) = (&save, resume) {
        new_record(&workspace, name, replace)?;
    }
    let backends = vec![first.clone(), second.clone()];
    let what = What { filter, backends, sizes, rsa_bits };
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
