//! Which cases Criterion's arguments select. Criterion alone knows what its filter means, so it is asked:
//! this program runs itself with `--list`.

use crate::settings::LISTING;
use criterion::{Bencher, BenchmarkGroup, BenchmarkId, Criterion, measurement::WallTime};
use cryptobench_schema::{BackendId, CaseId, Contest};
use std::{
    collections::HashSet,
    env, io,
    process::{Command, Stdio},
};
use thiserror::Error;

/// What the arguments ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Print how to use this: `--help`, `-h`.
    Help,
    /// Print the suite's version: `--version`, `-V`.
    Version,
    /// Print the capability matrix: `--matrix`.
    Matrix,
    /// Print the ids of cases: `--list`.
    List,
    /// Print the ids that the other arguments select, whatever they are: `--selected`.
    Selected,
    /// Run every case once: `--test`, or no `--bench`, as `cargo test --benches` does.
    Test,
    /// Run each case for a profiler: `--profile-time`.
    Profile,
    /// Analyse old samples again: `--load-baseline`.
    Load,
    /// Time.
    Measure,
}

impl Mode {
    /// The mode that `arguments` ask for, with Criterion's precedence.
    #[must_use]
    pub fn of(arguments: &[String]) -> Self {
        let (flags, _) = split(arguments);
        let has = |flag: &str| {
            flags.iter().any(|argument| {
                argument == flag
                    || argument.strip_prefix(flag).is_some_and(|rest| rest.starts_with('='))
            })
        };
        if has("--help") || has("-h") {
            Self::Help
        } else if has("--version") || has("-V") {
            Self::Version
        } else if has("--matrix") {
            Self::Matrix
        } else if has("--selected") {
            Self::Selected
        } else if has("--list") {
            Self::List
        } else if has("--test") || !has("--bench") {
            Self::Test
        } else if has("--profile-time") {
            Self::Profile
        } else if has("--load-baseline") {
            Self::Load
        } else {
            Self::Measure
        }
    }
}

/// `arguments` before the first `--`, which are flags and their values, and the others, which are none.
fn split(arguments: &[String]) -> (&[String], &[String]) {
    let end = arguments.iter().position(|argument| argument == "--");
    arguments.split_at(end.unwrap_or(arguments.len()))
}

/// Why the selection is not known.
#[derive(Debug, Error)]
pub enum ListError {
    /// Criterion panicked over the arguments, with this message.
    #[error("Criterion refuses these arguments: {0}")]
    Refused(String),
    /// Criterion refused the arguments in these words, which are a whole report of their own.
    #[error("{0}")]
    Said(String),
    /// This program could not be run again.
    #[error("this program cannot run itself with --list to learn which cases are selected: {0}")]
    Spawn(#[from] io::Error),
}

/// The ids that Criterion selects by `arguments`.
///
/// # Errors
///
/// If it refuses them, or if this program cannot be run again.
pub fn listed(arguments: &[String]) -> Result<Vec<String>, ListError> {
    let listing = ask(&listing_arguments(arguments))?;
    Ok(String::from_utf8_lossy(&listing)
        .lines()
        .filter_map(|line| line.strip_suffix(": benchmark"))
        .map(str::to_owned)
        .collect())
}

/// What Criterion prints by `arguments`, which have `--list`, or whether it takes them if they have
/// `--profile-time`. In a process of its own, since it panics where it does not like them, and where nobody
/// reads what it prints.
///
/// # Errors
///
/// If it refuses them, or if this program cannot be run again.
pub(crate) fn ask(arguments: &[String]) -> Result<Vec<u8>, ListError> {
    let output = Command::new(env::current_exe()?)
        .args(arguments)
        .env(LISTING, "1")
        // Under cargo-criterion, the listing is none of its business.
        .env_remove("CARGO_CRITERION_PORT")
        // A user does not want Criterion's frames in the message.
        .env("RUST_BACKTRACE", "0")
        .stdin(Stdio::null())
        .output()?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // Without a code it was a signal, as where panics abort.
    let panicked = matches!(output.status.code(), None | Some(PANICKED));
    Err(match panic_message(&said).filter(|_| panicked) {
        Some(message) => ListError::Refused(message),
        None if said.trim().is_empty() => {
            ListError::Refused(format!("it says no more than {}", output.status))
        }
        None => ListError::Said(said),
    })
}

/// Exit code of a Rust program that panicked.
const PANICKED: i32 = 101;

/// Whether this process is one that [`ask`] runs.
pub(crate) fn is_asked() -> bool {
    env::var_os(LISTING).is_some()
}

/// The message of the first panic in what a program printed on standard error.
fn panic_message(stderr: &str) -> Option<String> {
    let is_panic = |line: &str| line.contains("panicked at ") && line.ends_with(':');
    let mut lines = stderr.lines().skip_while(|line| !is_panic(line));
    lines.next()?;
    let message: Vec<&str> = lines
        .take_while(|line| !line.starts_with("note: run with `RUST_BACKTRACE") && !is_panic(line))
        .collect();
    let message = message.join("\n").trim().to_owned();
    Some(message).filter(|message| !message.is_empty())
}

/// `arguments` with `--list`, without what Criterion does not take beside it.
fn listing_arguments(arguments: &[String]) -> Vec<String> {
    let (flags, rest) = split(arguments);
    let mut kept = vec!["--list".to_owned()];
    let mut flags = flags.iter();
    while let Some(flag) = flags.next() {
        match flag.as_str() {
            // Criterion takes a flag once.
            "--list" | "--test" | "--selected" => {}
            "--profile-time" => {
                flags.next();
            }
            other if other.starts_with("--profile-time=") => {}
            _ => kept.push(flag.clone()),
        }
    }
    kept.extend_from_slice(rest);
    kept
}

/// Hands `case` to Criterion in its group.
pub(crate) fn bench(
    group: &mut BenchmarkGroup<'_, WallTime>,
    case: &CaseId,
    body: impl FnMut(&mut Bencher<'_>),
) {
    match case.contest.size {
        Some(size) => group.bench_function(BenchmarkId::new(case.backend.as_str(), size), body),
        None => group.bench_function(case.backend.as_str(), body),
    };
}

/// Lets Criterion print the ids it selects.
pub(crate) fn list(criterion: &mut Criterion, contests: &[(Contest, Vec<BackendId>)]) {
    for group in contests.chunk_by(|(one, _), (other, _)| one.group() == other.group()) {
        let mut criterion_group = criterion.benchmark_group(group[0].0.group());
        for (contest, backends) in group {
            for backend in backends {
                bench(&mut criterion_group, &contest.case(backend.clone()), |_| {});
            }
        }
        criterion_group.finish();
    }
}

/// The cases of `contests` whose ids are in `listed`.
pub(crate) fn select(
    contests: Vec<(Contest, Vec<BackendId>)>,
    listed: &[String],
) -> Vec<(Contest, Vec<BackendId>)> {
    let listed: HashSet<&str> = listed.iter().map(String::as_str).collect();
    contests
        .into_iter()
        .map(|(contest, mut backends)| {
            backends.retain(|id| listed.contains(contest.case(id.clone()).to_string().as_str()));
            (contest, backends)
        })
        .filter(|(_, backends)| !backends.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn modes() {
        for (arguments, mode) in [
            ("--bench", Mode::Measure),
            ("seal --bench", Mode::Measure),
            ("--bench --test", Mode::Test),
            ("", Mode::Test),
            ("--list --bench", Mode::List),
            ("--list", Mode::List),
            ("--bench --profile-time 5", Mode::Profile),
            ("--bench --profile-time=5", Mode::Profile),
            ("--bench --baseline a --load-baseline b", Mode::Load),
            ("--matrix --bench", Mode::Matrix),
            ("--selected seal --test --bench", Mode::Selected),
            ("--selected --list --bench", Mode::Selected),
            ("--bench --help --matrix", Mode::Help),
            ("-h", Mode::Help),
            ("--version --bench", Mode::Version),
            ("--list -V", Mode::Version),
            ("--bench -- --list", Mode::Measure),
            ("--bench -- -h", Mode::Measure),
            ("--test --bench -- --matrix --list", Mode::Test),
            ("-- --bench", Mode::Test),
        ] {
            assert_eq!(Mode::of(&words(arguments)), mode, "{arguments}");
        }
    }

    #[test]
    fn listing_drops_only_what_conflicts() {
        assert_eq!(
            listing_arguments(&words("seal --profile-time 5 --exact --test --bench")),
            words("--list seal --exact --bench")
        );
        assert_eq!(
            listing_arguments(&words("--profile-time=5 --save-baseline x")),
            words("--list --save-baseline x")
        );
        assert_eq!(listing_arguments(&words("--selected --list --bench")), words("--list --bench"));
        assert_eq!(
            listing_arguments(&words("--test --bench -- --test")),
            words("--list --bench -- --test")
        );
        assert_eq!(
            listing_arguments(&words("-- --profile-time")),
            words("--list -- --profile-time")
        );
    }

    #[test]
    fn the_message_of_a_panic() {
        let note =
            "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n";
        let one = "\nthread 'main' (71) panicked at /criterion/src/lib.rs:1094:13:\n\
                   assertion failed: num_size >= 10\n";
        let message = "assertion failed: num_size >= 10";
        assert_eq!(panic_message(&format!("{one}{note}")).as_deref(), Some(message));
        assert_eq!(panic_message(one).as_deref(), Some(message));
        assert_eq!(panic_message(&format!("warning\n{one}{one}{note}")).as_deref(), Some(message));
        let lines = "thread 'main' panicked at lib.rs:1007:21:\n\
                     Unable to parse '[': regex parse error:\n    [\n    ^\nerror: unclosed\n";
        assert_eq!(
            panic_message(&format!("{lines}{note}")).as_deref(),
            Some("Unable to parse '[': regex parse error:\n    [\n    ^\nerror: unclosed")
        );
        assert_eq!(panic_message("error: unexpected argument '--bogus' found\n"), None);
        assert_eq!(panic_message("thread 'main' panicked at lib.rs:1:1:\n"), None);
        assert_eq!(panic_message(""), None);
    }
}
