//! What the suite's bench targets say they ran, and which cases and settings of a record follow from that.
//! Criterion's own files are in `files`.

use super::{Difference, ImportError, LeftOut, Problem, files};
use crate::record::{FailedSide, Settings};
use cryptobench_schema::{BenchRun, CaseId, Environment};
use serde::Deserialize;
use serde_json::Value;
use std::{
    collections::{BTreeMap, HashMap, HashSet},
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// The targets of one `cargo bench` run one right after another; more time than this between them, and they
/// are of several.
const TOGETHER: Duration = Duration::from_secs(600);
/// Most characters of a value in a message: a list of flags would fill a screen.
const SHOWN: usize = 80;

/// One bench target.
pub(super) struct Run {
    /// Its file.
    pub(super) path: PathBuf,
    /// What the file says.
    pub(super) run: BenchRun,
    /// When it began.
    pub(super) started: SystemTime,
    /// When it ended, if it did.
    pub(super) ended: Option<SystemTime>,
}

/// A case that a target ran.
pub(super) struct Wanted {
    /// The case.
    pub(super) id: CaseId,
    /// Index of the target that ran it last.
    pub(super) run: usize,
    /// What a reader of its numbers should know.
    pub(super) note: Option<String>,
}

/// What became of the cases of all targets: each case once, as the last target has it that names it.
pub(super) struct Selection {
    /// Those that ran, in order.
    pub(super) wanted: Vec<Wanted>,
    /// Those that did not.
    pub(super) failed: Vec<FailedSide>,
}

/// The targets whose files in `directory` can be used, the first to begin first.
pub(super) fn read(directory: &Path, left_out: &mut Vec<LeftOut>) -> Result<Vec<Run>, ImportError> {
    let path = directory.join(files::RUNS);
    let listed = fs::read_dir(&path).and_then(|entries| {
        entries.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<PathBuf>>>()
    });
    let mut paths = match listed {
        Ok(paths) => paths,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(source) => return Err(ImportError::Directory { path, source }),
    };
    paths.retain(|path| path.extension() == Some(OsStr::new("json")));
    if paths.is_empty() {
        // Without the directory itself, that is what is wrong.
        return Err(match fs::read_dir(directory) {
            Ok(_) => ImportError::NoRuns { path },
            Err(source) => ImportError::Directory { path: directory.into(), source },
        });
    }
    paths.sort();
    let mut runs = Vec::new();
    for path in paths {
        match run(path.clone()) {
            Ok(run) => runs.push(run),
            Err(problem) => left_out.push(LeftOut { path, id: None, problem }),
        }
    }
    if runs.is_empty() {
        return Err(ImportError::NoneReadable { left_out: std::mem::take(left_out) });
    }
    // Stable, so that of targets that began in the same second the first by name comes first.
    runs.sort_by_key(|it| it.started);
    Ok(runs)
}

fn run(path: PathBuf) -> Result<Run, Problem> {
    #[derive(Deserialize)]
    struct Versioned {
        format: u32,
    }
    let (bytes, _) = files::bytes(&path)?;
    // First, since another format may have other fields.
    let Versioned { format: found } = serde_json::from_slice(&bytes)?;
    if found != BenchRun::FORMAT {
        return Err(Problem::Format { found });
    }
    let run: BenchRun = serde_json::from_slice(&bytes)?;
    if path.file_stem() != Some(OsStr::new(&run.target)) {
        return Err(Problem::Renamed { target: run.target });
    }
    let time = |text: &String| {
        humantime::parse_rfc3339(text).map_err(|_| Problem::Time { text: text.clone() })
    };
    let started = time(&run.started)?;
    let ended = run.ended.as_ref().map(time).transpose()?;
    Ok(Run { path, run, started, ended })
}

/// The environment of all `runs`, which must be one but for the load.
///
/// # Errors
///
/// The first difference between the first run and another: the machine's before the program's.
pub(super) fn environment(runs: &[Run]) -> Result<Environment, ImportError> {
    // A target that was interrupted before its first case brings nothing that could be mixed.
    let counts = |it: &&Run| !it.run.ran.is_empty() || !it.run.failed.is_empty();
    let any = runs.iter().any(|it| counts(&it));
    let mut counting = runs.iter().filter(|it| !any || counts(it));
    let Some(first) = counting.next() else { return Ok(Environment::default()) };
    for second in counting {
        let [one, other] = [first, second].map(|it| {
            let mut environment = it.run.environment.clone();
            environment.host.load = None;
            environment
        });
        if one != other {
            return Err(differing(first, second, &one, &other));
        }
    }
    Ok(first.run.environment.clone())
}

/// The error about two environments that are not the same.
fn differing(first: &Run, second: &Run, one: &Environment, other: &Environment) -> ImportError {
    let [one, other] = [one, other].map(|it| serde_json::to_value(it).unwrap_or_default());
    // Which processor it is says more than what follows from that.
    let (machine, difference) =
        ["/host/cpu/model", "/host/cpu/signature", "/host/cpu/flags", "/host", ""]
            .iter()
            .find_map(|pointer| {
                let field = pointer.trim_start_matches('/').replace('/', ".");
                let [one, other] = [&one, &other].map(|it| it.pointer(pointer));
                let machine = !pointer.is_empty();
                Some((machine, difference(field, one, other)?))
            })
            .unwrap_or_default();
    let (field, one, other) = difference;
    let difference = Box::new(Difference {
        first: first.path.clone(),
        second: second.path.clone(),
        field,
        one,
        other,
    });
    if machine { ImportError::Machines(difference) } else { ImportError::Programs(difference) }
}

/// The first field at or below `field` in which `one` and `other` differ, and both its values.
fn difference(
    field: String,
    one: Option<&Value>,
    other: Option<&Value>,
) -> Option<(String, String, String)> {
    if one == other {
        return None;
    }
    match (one, other) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let mut names: Vec<&String> = one.keys().chain(other.keys()).collect();
            names.sort();
            let dot = if field.is_empty() { "" } else { "." };
            names.into_iter().find_map(|name| {
                difference(format!("{field}{dot}{name}"), one.get(name), other.get(name))
            })
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => (0..one.len().max(other.len()))
            .find_map(|index| {
                difference(format!("{field}[{index}]"), one.get(index), other.get(index))
            }),
        _ => Some((field, shown(one), shown(other))),
    }
}

fn shown(value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => return "not there".to_owned(),
        Some(Value::String(text)) => format!("`{text}`"),
        Some(other) => other.to_string(),
    };
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// The cases that `runs` name.
pub(super) fn selection(runs: &[Run], left_out: &mut Vec<LeftOut>) -> Selection {
    /// A case as one target has it.
    struct Named<'a> {
        id: CaseId,
        run: usize,
        /// Its note, or why it failed.
        outcome: Result<Option<&'a str>, &'a str>,
    }
    let mut named = Vec::new();
    for (index, it) in runs.iter().enumerate() {
        let ran = it.run.ran.iter().map(|case| (&case.id, Ok(case.note.as_deref())));
        let failed = it.run.failed.iter().map(|case| (&case.id, Err(&*case.reason)));
        // Failures last, so that they count where both are said of a case.
        for (id, outcome) in ran.chain(failed) {
            match id.parse() {
                Ok(id) => named.push(Named { id, run: index, outcome }),
                Err(error) => left_out.push(LeftOut {
                    path: it.path.clone(),
                    id: Some(id.clone()),
                    problem: Problem::Id(error),
                }),
            }
        }
    }
    let last: HashMap<CaseId, (usize, bool)> =
        named.iter().map(|it| (it.id.clone(), (it.run, it.outcome.is_ok()))).collect();
    let mut taken = HashSet::new();
    let mut selection = Selection { wanted: Vec::new(), failed: Vec::new() };
    for Named { id, run, outcome } in named {
        if last.get(&id) != Some(&(run, outcome.is_ok())) || !taken.insert(id.clone()) {
            continue;
        }
        match outcome {
            Ok(note) => selection.wanted.push(Wanted { id, run, note: note.map(str::to_owned) }),
            Err(reason) => selection.failed.push(FailedSide {
                id,
                program: 0,
                round: 0,
                reason: reason.to_owned(),
            }),
        }
    }
    selection
}

/// When the first of `runs` began.
pub(super) fn started(runs: &[Run]) -> String {
    runs.first().map(|it| it.run.started.clone()).unwrap_or_default()
}

/// When the last of `runs` ended, or began where it did not.
pub(super) fn ended(runs: &[Run]) -> String {
    let end = |it: &Run| {
        let ended = it.ended.zip(it.run.ended.clone());
        ended.unwrap_or_else(|| (it.started, it.run.started.clone()))
    };
    runs.iter().map(end).max().map(|(_, text)| text).unwrap_or_default()
}

/// How `runs` measured, as far as a record of the other engine would say it. What Criterion decides for each
/// case by itself is 0.
pub(super) fn settings(
    runs: &[Run],
    variables: &BTreeMap<String, String>,
    most: usize,
    fewest: usize,
    quick: bool,
) -> Settings {
    let count = |samples: usize| u32::try_from(samples).unwrap_or(u32::MAX);
    let backends = variables.get("CRYPTOBENCH_BACKENDS").into_iter().flat_map(|it| it.split(','));
    Settings {
        rounds: 1,
        screening: 0,
        slices: count(most),
        fewest_slices: count(fewest),
        slice_ns: 0,
        burst_ns: 0,
        burst_operations: 0,
        budget_ns: 0,
        fewest_keys: count(fewest),
        key_budget_ns: 0,
        cpu: None,
        // What ran of them, the ids say.
        scenarios: Vec::new(),
        document: None,
        filter: filter(runs).unwrap_or_default(),
        backends: backends.filter_map(|it| it.trim().parse().ok()).collect(),
        sizes: variables.get("CRYPTOBENCH_SIZES").cloned(),
        rsa_bits: variables.get("CRYPTOBENCH_RSA_BITS").cloned(),
        quick: quick || runs.iter().any(|it| Arguments::of(&it.run.arguments).has("--quick")),
    }
}

/// What a reader of the record should know of how `runs` came to be.
pub(super) fn warnings(runs: &[Run]) -> Vec<String> {
    let mut warnings = Vec::new();
    for it in runs.iter().filter(|it| it.ended.is_none()) {
        warnings.push(format!(
            "{} did not end: it was interrupted, or still runs; of its cases only those of the groups that \
             it had finished are here",
            it.run.target
        ));
    }
    for pair in runs.windows(2) {
        let [before, after] = pair else { continue };
        let until = before.ended.unwrap_or(before.started);
        if let Ok(between) = after.started.duration_since(until)
            && between > TOGETHER
        {
            warnings.push(format!(
                "not one run: {} began {} after {} {}",
                after.run.target,
                humantime::format_duration(Duration::from_secs(between.as_secs())),
                before.run.target,
                if before.ended.is_some() { "had ended" } else { "had begun" },
            ));
        }
    }
    if filter(runs).is_none() {
        let all: Vec<String> = runs
            .iter()
            .map(|it| {
                let filter = Arguments::of(&it.run.arguments).filter();
                let filter = filter.map_or_else(|| "all".to_owned(), |it| format!("`{it}`"));
                format!("{filter} of {}", it.run.target)
            })
            .collect();
        warnings.push(format!("different cases were asked for: {}", all.join(", ")));
    }
    if runs.windows(2).any(|pair| pair[0].run.seed != pair[1].run.seed) {
        let all: Vec<String> =
            runs.iter().map(|it| format!("{} of {}", it.run.seed, it.run.target)).collect();
        warnings.push(format!("different seeds: {}", all.join(", ")));
    }
    warnings
}

/// The filter of all `runs`; `None` where they had different ones.
fn filter(runs: &[Run]) -> Option<Option<String>> {
    let mut filters = runs.iter().map(|it| Arguments::of(&it.run.arguments).filter());
    let first = filters.next()?;
    filters.all(|it| it == first).then_some(first)
}

/// A bench target's command line, as Criterion reads it.
struct Arguments<'a> {
    flags: Vec<&'a str>,
    filter: Option<&'a str>,
}

impl<'a> Arguments<'a> {
    /// Criterion's options that have a value, which may be the argument that follows.
    const LONG: [&'static str; 17] = [
        "--baseline",
        "--baseline-lenient",
        "--color",
        "--colour",
        "--confidence-level",
        "--format",
        "--load-baseline",
        "--measurement-time",
        "--noise-threshold",
        "--nresamples",
        "--output-format",
        "--plotting-backend",
        "--profile-time",
        "--sample-size",
        "--save-baseline",
        "--significance-level",
        "--warm-up-time",
    ];
    /// Their short forms, which may follow others in one argument: `-nb`.
    const SHORT: [char; 3] = ['b', 'c', 's'];

    fn of(arguments: &'a [String]) -> Self {
        let mut it = Self { flags: Vec::new(), filter: None };
        let mut arguments = arguments.iter().map(String::as_str);
        while let Some(argument) = arguments.next() {
            if argument == "--" {
                it.filter = it.filter.or(arguments.next());
                break;
            }
            if !argument.starts_with('-') || argument == "-" {
                it.filter = it.filter.or(Some(argument));
                continue;
            }
            it.flags.push(argument);
            // One that ends with the letter; after it in the same argument, the value stands there.
            let short = !argument.starts_with("--")
                && argument.find(Self::SHORT).is_some_and(|at| at + 1 == argument.len());
            if short || Self::LONG.contains(&argument) {
                arguments.next();
            }
        }
        it
    }

    fn has(&self, flag: &str) -> bool {
        self.flags.contains(&flag)
    }

    /// The regular expression that selects what these arguments select.
    fn filter(&self) -> Option<String> {
        let filter = self.filter?;
        if !self.has("--exact") {
            return Some(filter.to_owned());
        }
        let mut escaped = String::from("^");
        for character in filter.chars() {
            if character.is_ascii_punctuation() && !matches!(character, '/' | '-' | '_') {
                escaped.push('\\');
            }
            escaped.push(character);
        }
        escaped.push('$');
        Some(escaped)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_is_the_argument_that_is_no_option() {
        for (arguments, filter) in [
            ("--bench", None),
            ("aes-256 --bench", Some("aes-256")),
            ("--sample-size 10 seal --bench", Some("seal")),
            ("--sample-size=10 seal --bench", Some("seal")),
            ("--warm-up-time 1 --bench", None),
            ("-b old seal", Some("seal")),
            ("-bold seal", Some("seal")),
            ("-nb old seal", Some("seal")),
            ("-n seal", Some("seal")),
            ("--quick -- --seal", Some("--seal")),
            ("--exact aes-256-gcm/seal/a+b.c/16", Some(r"^aes-256-gcm/seal/a\+b\.c/16$")),
        ] {
            let arguments: Vec<String> = arguments.split(' ').map(str::to_owned).collect();
            assert_eq!(Arguments::of(&arguments).filter().as_deref(), filter, "{arguments:?}");
        }
    }

    #[test]
    fn the_first_difference_is_named() {
        let [one, other] = [r#"{"a": {"b": ["x", "y"]}}"#, r#"{"a": {"b": ["x"]}}"#]
            .map(|text| serde_json::from_str::<Value>(text).expect("JSON"));
        let named = difference(String::new(), Some(&one), Some(&other));
        let expected = ("a.b[1]".to_owned(), "`y`".to_owned(), "not there".to_owned());
        assert_eq!(named, Some(expected));
        assert_eq!(difference(String::new(), Some(&one), Some(&one)), None);
        let long = Value::String("é".repeat(1000));
        assert_eq!(shown(Some(&long)).chars().count(), SHOWN + 1);
    }
}
