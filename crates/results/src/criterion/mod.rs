//! Criterion's directory as a record: which data belong to the last `cargo bench`, and what of them is left
//! out, and why. Nothing outside this module knows Criterion's files; nothing here measures or judges.

mod files;
mod runs;
mod sample;

use crate::record::{CaseInfo, End, Engine, FORMAT, Header, Measured, Program, Record, Side};
use cryptobench_schema::{CaseId, Contest, ParseError};
use files::Found;
use runs::{Run, Selection, Wanted};
use sample::Sampled;
use std::{
    collections::{BTreeMap, HashMap},
    fmt, io,
    path::{Path, PathBuf},
    time::Duration,
};
use thiserror::Error;

/// What a file's time may differ from the clock's, or from that of a file written with it: file systems count
/// time more coarsely, and archives more coarsely still.
const SLACK: Duration = Duration::from_secs(2);
/// Samples of a case that Criterion measured under `--quick`; otherwise it takes ten or more.
const QUICK_SAMPLES: usize = 2;
/// What is said of such a case.
const QUICK_NOTE: &str = "two samples: --quick";

/// A record made of Criterion's files, and what could not become part of it.
#[derive(Debug)]
pub struct Imported {
    /// Engine `criterion`, one round, one program.
    pub record: Record,
    /// In the order of paths.
    pub left_out: Vec<LeftOut>,
}

/// Data that are not in the record.
#[derive(Debug)]
pub struct LeftOut {
    /// The file or directory that is the reason.
    pub path: PathBuf,
    /// The case, where it is known.
    pub id: Option<String>,
    /// What is the matter.
    pub problem: Problem,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(id) = &self.id {
            write!(f, "{id}: ")?;
        }
        write!(f, "{}: {}", self.path.display(), self.problem)
    }
}

/// Why data are left out.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Problem {
    /// The system did not let it be read.
    #[error("cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    /// There is no such file.
    #[error("is missing")]
    Missing,
    /// A symbolic link, a directory, a pipe: none is followed or opened.
    #[error("is not a regular file")]
    NotAFile,
    /// Larger than anything that Criterion or the suite writes.
    #[error("has {bytes} bytes, more than such a file can have")]
    TooLarge {
        /// Its length.
        bytes: u64,
    },
    /// A file of no bytes: writing it was interrupted, or by `--save-baseline new` Criterion copied its files
    /// onto themselves.
    #[error("is empty")]
    Empty,
    /// Truncated, or not what Criterion or the suite writes.
    #[error("is not as it was written: {0}")]
    Corrupt(#[from] serde_json::Error),
    /// A run of a bench target in a format of another version of the suite.
    #[error("has format {found}; this version reads format {known}", known = cryptobench_schema::BenchRun::FORMAT)]
    Format {
        /// The version that it names.
        found: u32,
    },
    /// A run of a bench target in a file that is not named after it.
    #[error("is the run of `{target}`: a copy, which may be old")]
    Renamed {
        /// The target that it names.
        target: String,
    },
    /// A run of a bench target that began or ended at no time.
    #[error("`{text}` is not a time in RFC 3339, UTC")]
    Time {
        /// What stands there.
        text: String,
    },
    /// A run names a case that is none.
    #[error("lists what is no case: {0}")]
    Id(#[from] ParseError),
    /// The run names the case, but there are no data of it.
    #[error("says that it ran, but Criterion has no data of it")]
    NoData,
    /// Two directories have data of the case, and nothing says whose they are.
    #[error("{other} has data of the same id", other = other.display())]
    Collides {
        /// The other directory.
        other: PathBuf,
    },
    /// Written before the run that names the case.
    #[error("is older than the run that lists it, which began {started}")]
    Older {
        /// When the run began.
        started: String,
    },
    /// Criterion writes `benchmark.json` last, and this case has a newer sample.
    #[error("is newer than the benchmark.json beside it: the case was interrupted")]
    Interrupted,
    /// Criterion writes `benchmark.json` last, and this case has none.
    #[error("has no benchmark.json beside it: the case was interrupted")]
    Unfinished,
    /// Fewer samples than Criterion takes.
    #[error("has {count} samples; Criterion takes two at the least")]
    Samples {
        /// How many there are.
        count: usize,
    },
    /// Times without iterations, or the other way round.
    #[error("has {iterations} counts of iterations and {times} times")]
    Lengths {
        /// Counts of iterations.
        iterations: usize,
        /// Times.
        times: usize,
    },
    /// A number of iterations that is none.
    #[error("sample {index} has {value} iterations")]
    Iterations {
        /// Which sample, from 0.
        index: usize,
        /// The number.
        value: f64,
    },
    /// A time that is none.
    #[error("sample {index} took {value} ns")]
    Nanoseconds {
        /// Which sample, from 0.
        index: usize,
        /// The time.
        value: f64,
    },
    /// Criterion's median is not that of the sample: the two files are of different measurements.
    #[error(
        "has a median of {criterion} ns, but the sample.json beside it one of {sample} ns: they do not \
         belong together"
    )]
    Median {
        /// Criterion's.
        criterion: f64,
        /// That of the sample.
        sample: f64,
    },
}

/// Why there is no record.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The directory cannot be listed.
    #[error("cannot read Criterion's directory {path}: {source}", path = path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The directory has no file that says what ran.
    #[error(
        "no bench target of this suite has left word of a run in {path}: run `cargo bench` first, or name \
         the directory that Criterion wrote to, by default target/criterion",
        path = path.display()
    )]
    NoRuns {
        /// Where these files would be.
        path: PathBuf,
    },
    /// None of the files that say what ran can be used.
    #[error(
        "nothing says what ran: {}; run `cargo bench` again",
        left_out.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    )]
    NoneReadable {
        /// What is the matter with each.
        left_out: Vec<LeftOut>,
    },
    /// Bench targets that ran on different machines, or on one in different states.
    #[error("two machines, or one that changed, in one directory: {0}")]
    Machines(Box<Difference>),
    /// Bench targets of different builds or revisions, or run with different variables.
    #[error("two programs in one directory: {0}")]
    Programs(Box<Difference>),
}

/// Where the environments of two bench targets differ.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{field} is {one} in {first} and {other} in {second}; run `cargo bench` for all targets again, or \
     remove the file that should not count",
    first = first.display(),
    second = second.display()
)]
pub struct Difference {
    /// The file of the target that ran first.
    pub first: PathBuf,
    /// The file of another.
    pub second: PathBuf,
    /// The path of the first field that differs: `build.rustc`.
    pub field: String,
    /// Its value in `first`.
    pub one: String,
    /// Its value in `second`.
    pub other: String,
}

/// The last `cargo bench` in `directory`, Criterion's, as a record: of the engine `criterion`, with one round.
///
/// Only cases are taken that the suite's bench targets say they ran, and only data written since they began.
/// Everything else that should be there, and cannot be used, is in [`Imported::left_out`]. Symbolic links below
/// `directory` are not followed.
///
/// # Errors
///
/// If the directory cannot be read, if no usable file in it says what ran, or if its bench targets ran on
/// different machines or as different programs.
pub fn import(directory: &Path) -> Result<Imported, ImportError> {
    let mut left_out = Vec::new();
    let runs = runs::read(directory, &mut left_out)?;
    let environment = runs::environment(&runs)?;
    let Selection { wanted, failed } = runs::selection(&runs, &mut left_out);
    let found = files::find(directory, &mut left_out)
        .map_err(|source| ImportError::Directory { path: directory.into(), source })?;
    let mut sampled = sampled(&runs, &wanted, &found, &mut left_out);

    let taken: Vec<&Wanted> = wanted.iter().filter(|it| sampled.contains_key(&it.id)).collect();
    let counts = || sampled.values().map(|it| it.slices.len());
    let settings = runs::settings(
        &runs,
        &environment.variables,
        counts().max().unwrap_or(0),
        counts().min().unwrap_or(0),
        counts().any(|count| count == QUICK_SAMPLES),
    );
    let cases = taken.iter().map(|it| case(it, &sampled[&it.id])).collect();
    let ids = taken.iter().map(|it| &it.id);
    let measured = measured(ids, &mut sampled);
    left_out.sort_by(|one, other| (&one.path, &one.id).cmp(&(&other.path, &other.id)));

    let record = Record {
        header: Header {
            format: FORMAT,
            engine: Engine::Criterion,
            started: runs::started(&runs),
            seed: runs.first().map_or(0, |it| it.run.seed),
            settings,
            programs: vec![Program {
                name: "criterion".to_owned(),
                sha256: None,
                protocol: 0,
                environment,
            }],
            command: "import".to_owned(),
            warnings: runs::warnings(&runs),
        },
        cases,
        measured,
        failed,
        unsupported: Vec::new(),
        resumed: Vec::new(),
        end: Some(End { ended: runs::ended(&runs) }),
    };
    Ok(Imported { record, left_out })
}

/// The pages that Criterion's own report has of cases, in its directory `directory`; nothing where it has none. Where
/// directories share an id, the last of them.
///
/// # Errors
///
/// If the directory cannot be listed. What cannot be read below it has no page.
pub fn pages(directory: &Path) -> io::Result<BTreeMap<CaseId, PathBuf>> {
    let found = files::find(directory, &mut Vec::new())?;
    let page = |it: Found| {
        // Of `CASE/new`, which holds the data, `CASE/report/index.html`.
        let page = it.directory.parent()?.join("report/index.html");
        Some((it.id.parse().ok()?, page.is_file().then_some(page)?))
    };
    Ok(found.into_iter().filter_map(page).collect())
}

/// What Criterion measured of the `wanted` cases, as far as it can be used.
fn sampled(
    runs: &[Run],
    wanted: &[Wanted],
    found: &[Found],
    left_out: &mut Vec<LeftOut>,
) -> HashMap<CaseId, Sampled> {
    let mut directories: BTreeMap<&str, Vec<&Found>> = BTreeMap::new();
    for it in found {
        directories.entry(&it.id).or_default().push(it);
    }
    let mut sampled = HashMap::new();
    for it in wanted {
        let id = it.id.to_string();
        let run = &runs[it.run];
        let mut leave = |path: PathBuf, problem: Problem| {
            left_out.push(LeftOut { path, id: Some(id.clone()), problem });
        };
        match directories.remove(&*id).as_deref() {
            None => leave(run.path.clone(), Problem::NoData),
            Some([only]) => match sample::read(only, run) {
                Ok(sample) => {
                    sampled.insert(it.id.clone(), sample);
                }
                Err((path, problem)) => leave(path, problem),
            },
            Some(several) => {
                for (index, one) in several.iter().enumerate() {
                    // Of more than two, each names a neighbour.
                    let other = several[if index == 0 { 1 } else { index - 1 }].directory.clone();
                    leave(one.directory.clone(), Problem::Collides { other });
                }
            }
        }
    }
    // Cases that no run lists are an earlier run's, and none of this one's business; unless they are what was
    // measured when it was interrupted.
    for (id, several) in directories {
        if id.parse::<CaseId>().is_ok() {
            for path in several.into_iter().filter_map(Found::interrupted) {
                let problem = Problem::Interrupted;
                left_out.push(LeftOut { path, id: Some(id.to_owned()), problem });
            }
        }
    }
    sampled
}

fn case(wanted: &Wanted, sampled: &Sampled) -> CaseInfo {
    let quick = (sampled.slices.len() == QUICK_SAMPLES).then_some(QUICK_NOTE);
    let notes: Vec<&str> = wanted.note.as_deref().into_iter().chain(quick).collect();
    CaseInfo {
        id: wanted.id.clone(),
        program: 0,
        digest: None,
        note: (!notes.is_empty()).then(|| notes.join("; ")),
    }
}

/// The cases `ids` by contest, both in the order in which they first appear.
fn measured<'a>(
    ids: impl Iterator<Item = &'a CaseId>,
    sampled: &mut HashMap<CaseId, Sampled>,
) -> Vec<Measured> {
    let mut measured: Vec<Measured> = Vec::new();
    let mut places: HashMap<Contest, usize> = HashMap::new();
    for id in ids {
        let Some(sample) = sampled.remove(id) else { continue };
        let place = *places.entry(id.contest).or_insert_with(|| {
            measured.push(Measured {
                contest: id.contest,
                round: 0,
                heat: None,
                sides: Vec::new(),
                log_ratios: Vec::new(),
                slices: Vec::new(),
            });
            measured.len() - 1
        });
        measured[place].sides.push(Side {
            program: 0,
            backend: id.backend.clone(),
            time_ns: sample.time_ns,
            iterations: sample.iterations,
            interference: None,
        });
        measured[place].slices.push(sample.slices);
    }
    measured
}
