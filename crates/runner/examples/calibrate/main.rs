//! Holds this suite's promises against this machine, and prints what came out in Markdown, for METHODOLOGY.md, which
//! says what each part measures. Data go to standard output, talk to standard error. `just calibrate` builds what it
//! needs and runs it. One file per part; what the parts share is in `session` and `report`.

mod criterion;
mod placement;
mod planted;
mod report;
mod round_trip;
mod same_program;
mod session;
mod speed;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use cryptobench_schema::{SizeChoice, Unit};
use regex::Regex;
use session::Session;
use std::{path::PathBuf, process::ExitCode};

/// Hold this suite's promises against this machine
#[derive(Debug, Parser)]
#[command(name = "calibrate", max_term_width = 100)]
struct Arguments {
    /// The parts to do; without any, all but `full`
    parts: Vec<Part>,
    /// The worker program as it is measured with
    #[arg(long, value_name = "FILE")]
    worker: PathBuf,
    /// The same with the feature `planted`
    #[arg(long, value_name = "FILE")]
    planted_worker: PathBuf,
    /// The program `cryptobench`, for the parts `speed` and `full`
    #[arg(long, value_name = "FILE")]
    cryptobench: PathBuf,
    /// Of `a/a`, `a/a-intervals` and `criterion`: only cases whose id matches this regular expression
    #[arg(long, value_name = "REGEX")]
    filter: Option<Regex>,
    /// Of the same parts: message sizes in bytes, comma-separated, or `all`
    #[arg(long, value_parser = sizes)]
    sizes: Option<SizeChoice>,
    /// Rounds that decide, in place of those that each part has
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(2..=1000))]
    rounds: Option<u32>,
    /// Repetitions in `planted`, and processes in `placement`
    #[arg(long, value_name = "NUMBER", default_value = "20", value_parser = clap::value_parser!(u32).range(2..=1000))]
    repetitions: u32,
    /// Of `criterion`: the directory that `cargo bench` wrote to
    #[arg(long, value_name = "DIRECTORY", overrides_with = "criterion")]
    criterion: Option<PathBuf>,
    /// Of `criterion`: a record to hold against it, instead of measuring now
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Seed of all draws
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
}

/// What can be held against the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// What a request costs beside what it times
    RoundTrip,
    /// One program against itself, judged as `cryptobench compare` does
    #[value(name = "a/a")]
    SameProgram,
    /// The width of the intervals of one program against itself
    #[value(name = "a/a-intervals")]
    Intervals,
    /// Times against Criterion's of the same cases
    Criterion,
    /// Whether planted slow-downs are found
    Planted,
    /// How far processes differ, with drawn placements and with a fixed one
    Placement,
    /// How long a contest takes, and a look at everything
    Speed,
    /// How long a run of everything takes; only where it is asked for
    Full,
}

impl Part {
    fn measure(self, session: &Session<'_>) -> Result<String> {
        match self {
            Self::RoundTrip => round_trip::measure(session),
            Self::SameProgram => same_program::verdicts(session),
            Self::Intervals => same_program::intervals(session),
            Self::Criterion => criterion::measure(session),
            Self::Planted => planted::measure(session),
            Self::Placement => placement::measure(session),
            Self::Speed => speed::short(session),
            Self::Full => speed::full(session),
        }
    }
}

fn sizes(text: &str) -> Result<SizeChoice, String> {
    if text == "all" {
        return Ok(SizeChoice::All);
    }
    let known = Unit::Bytes.all_sizes();
    let one = |word: &str| {
        let size = word.trim().parse().ok().filter(|size| known.contains(size));
        size.ok_or_else(|| format!("`{word}` is none of {known:?}, and not `all`"))
    };
    Ok(SizeChoice::Only(text.split(',').map(one).collect::<Result<_, _>>()?))
}

/// Whether all parts could be measured.
fn run(mut arguments: Arguments) -> Result<bool> {
    if arguments.parts.is_empty() {
        arguments.parts = Part::value_variants().to_vec();
        arguments.parts.retain(|part| *part != Part::Full);
    }
    let session = Session::open(&arguments)?;
    println!("{}", session.head());
    let mut whole = true;
    for part in &arguments.parts {
        let name = part.to_possible_value().map_or_else(String::new, |it| it.get_name().to_owned());
        eprintln!("{name}");
        // At once, and a part that fails stops no other: some of them take long.
        let text = part.measure(&session).unwrap_or_else(|error| {
            whole = false;
            eprintln!("error: {name}: {error:#}");
            format!("Failed: {error:#}\n")
        });
        println!("#### `{name}`\n\n{text}");
    }
    Ok(whole)
}

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        // Also where a target is not met: this measures, it does not test.
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(2),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
