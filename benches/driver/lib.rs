//! What the bench targets share: from arguments and settings to proved cases, Criterion, and the file that
//! says what ran. What is timed, and how, is the harness's.

mod listing;
mod measure;
mod record;
mod settings;

pub use listing::{ListError, Mode, listed};
pub use measure::{MeasureError, Outcome, Timing, measure};
pub use record::{RecordError, criterion_directory, write as write_record};
pub use settings::{Settings, SettingsError, VARIABLES};

use criterion::Criterion;
use cryptobench_environment::{capture, unoptimised, warnings};
use cryptobench_harness::{Suite, clock_cost};
use cryptobench_schema::{BenchRun, Clock, Family};
use std::{
    env,
    ffi::OsString,
    io::{self, Write as _},
    process::ExitCode,
    time::{Duration, SystemTime},
};
use thiserror::Error;

/// Exit code of a run in which a backend failed.
pub const FAILED: u8 = 1;
/// Exit code of a run that could not be done as asked.
pub const ERROR: u8 = 2;

/// The suite's version.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Seed of the drawn placements: the same for every run, so that two runs draw the same.
const SEED: u64 = 0x6372_7970_746f;

/// An argument that is not text.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("argument {0:?} is not valid UTF-8")]
pub struct ArgumentError(OsString);

/// The arguments of this process.
///
/// # Errors
///
/// The first that is not text.
pub fn arguments() -> Result<Vec<String>, ArgumentError> {
    env::args_os().skip(1).map(|it| it.into_string().map_err(ArgumentError)).collect()
}

/// The whole of a bench target: `name` is the target's, `family` what it measures.
#[must_use]
pub fn main(name: &str, family: Family) -> ExitCode {
    let suite = cryptobench_backends::suite();
    let code = arguments()
        .map_err(|error| error.to_string())
        .and_then(|arguments| run(name, family, &suite, &arguments));
    match code {
        Ok(code) => code,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(ERROR)
        }
    }
}

fn run(
    name: &str,
    family: Family,
    suite: &Suite,
    arguments: &[String],
) -> Result<ExitCode, String> {
    let mode = Mode::of(arguments);
    // Before the settings, since it says what they are.
    match mode {
        Mode::Help => {
            print(help(name, family).as_bytes())?;
            // Prints Criterion's help, and exits.
            drop(configured());
            return Ok(ExitCode::SUCCESS);
        }
        Mode::Version => return print(format!("cryptobench {VERSION}\n").as_bytes()),
        _ => {}
    }
    let settings = Settings::from_variables(env::vars_os(), suite).map_err(|e| e.to_string())?;
    let contests = settings.contests(suite, family);
    match mode {
        Mode::Matrix if family == Family::Control => return Ok(ExitCode::SUCCESS),
        Mode::Matrix => {
            let matrix = cryptobench_backends::matrix(suite, family);
            return print(format!("### {}\n\n{matrix}\n", family.title()).as_bytes());
        }
        Mode::List if listing::is_asked() => {
            listing::list(&mut configured(), &contests);
            return Ok(ExitCode::SUCCESS);
        }
        // Asked only whether Criterion takes the arguments.
        Mode::Profile if listing::is_asked() => {
            drop(configured());
            return Ok(ExitCode::SUCCESS);
        }
        _ => {}
    }
    let listing = match mode {
        Mode::List => listing::ask(arguments).map(Listing::Verbatim),
        // The listing is without `--profile-time`, whose value Criterion may refuse as well.
        Mode::Profile => listing::ask(arguments).and_then(|_| listed(arguments)).map(Listing::Ids),
        _ => listed(arguments).map(Listing::Ids),
    };
    let listed = match listing {
        Ok(Listing::Verbatim(text)) => return print(&text),
        Ok(Listing::Ids(ids)) => ids,
        Err(ListError::Said(words)) => {
            eprint!("{words}");
            return Ok(ExitCode::from(ERROR));
        }
        Err(error) => return Err(error.to_string()),
    };
    if mode == Mode::Selected {
        let lines: String = listed.iter().map(|id| format!("{id}\n")).collect();
        return print(lines.as_bytes());
    }
    let cases: usize = contests.iter().map(|(_, backends)| backends.len()).sum();
    let selected = listing::select(contests, &listed);
    if selected.is_empty() {
        eprintln!("{name}: {}", nothing_selected(cases));
        return Ok(ExitCode::SUCCESS);
    }

    let provenances: Vec<_> = suite
        .backends()
        .iter()
        .filter(|backend| !backend.is_control())
        .map(|backend| (backend.id().clone(), backend.provenance().clone()))
        .collect();
    let environment = capture(&provenances);
    if matches!(mode, Mode::Measure | Mode::Profile)
        && let Some(why) = unoptimised(&environment.build)
    {
        return Err(format!(
            "{why}, and times of such a build mislead. Run `cargo bench` with its default profile; \
             `cargo bench -- --test` runs every case once without timing it, in any build"
        ));
    }
    measure::announce(name, &environment, &selected, suite);
    for warning in warnings(&environment) {
        eprintln!("warning: {warning}");
    }

    let mut run = BenchRun {
        format: BenchRun::FORMAT,
        target: name.to_owned(),
        arguments: arguments.to_vec(),
        started: now(),
        ended: None,
        clock: Clock { cost_ns: u64::try_from(clock_cost().as_nanos()).unwrap_or(u64::MAX) },
        seed: SEED,
        ran: Vec::new(),
        failed: Vec::new(),
        environment,
    };
    let directory = criterion_directory();
    let keep = |run: &BenchRun| -> Result<(), RecordError> {
        if mode == Mode::Measure { write_record(&directory, run) } else { Ok(()) }
    };
    let mut criterion = configured().output_directory(&directory);
    let timing = measure::Timing::of(arguments);
    let outcome =
        measure(&mut criterion, &directory, suite, &selected, SEED, &timing, &mut |outcome| {
            run.ran.clone_from(&outcome.ran);
            run.failed.clone_from(&outcome.failed);
            keep(&run)
        })
        .map_err(|error| error.to_string())?;
    criterion.final_summary();
    run.ended = Some(now());
    keep(&run).map_err(|error| error.to_string())?;
    let results = (mode == Mode::Measure).then_some(directory.as_path());
    Ok(measure::conclude(name, &outcome, results))
}

/// What Criterion said about the cases.
enum Listing {
    /// For the user, as it is.
    Verbatim(Vec<u8>),
    /// For this program.
    Ids(Vec<String>),
}

/// Why nothing runs, in a target of which the settings leave `cases` cases.
fn nothing_selected(cases: usize) -> String {
    match cases {
        0 => "no compiled-in backend has any of its cases under these settings".to_owned(),
        1 => "its 1 case under these settings is not selected; `cargo bench -- --list` shows all \
              cases"
            .to_owned(),
        _ => format!(
            "none of its {cases} cases under these settings is selected; `cargo bench -- --list` \
             shows all cases"
        ),
    }
}

/// What Criterion's help does not say.
fn help(name: &str, family: Family) -> String {
    let variables: String =
        VARIABLES.iter().map(|(name, what)| format!("  {name:<24}{what}\n")).collect();
    format!(
        "cryptobench {VERSION}, target `{name}`: {title}

All targets: cargo bench -- [OPTIONS] [FILTER]
This one:    cargo bench --bench {name} -- [OPTIONS] [FILTER]
FILTER is a regular expression on a case's id: algorithm/operation/backend/size.

Options of this suite:
      --list      Print the cases that FILTER selects, and run none
      --selected  Print the ids alone of the cases that the other arguments select, whatever these are,
                  and run none
      --matrix    Print what each compiled-in library can do, and why not, and run nothing
  -V, --version   Print the suite's version

Environment variables:
{variables}
Criterion's help:

",
        title = family.title(),
    )
}

/// Writes `text` to standard output. A reader that has read enough, such as `head`, is no error.
fn print(text: &[u8]) -> Result<ExitCode, String> {
    let mut output = io::stdout().lock();
    match output.write_all(text).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(format!("cannot write to standard output: {error}"))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Criterion with the suite's settings, then those of the command line.
fn configured() -> Criterion {
    Criterion::default()
        .sample_size(measure::SAMPLES)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(measure::MEASUREMENT)
        .nresamples(10_000)
        .configure_from_args()
}

fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
