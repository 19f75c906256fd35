//! Criterion's files as it writes them: how they are found, read and dated. What their numbers mean is in
//! `sample`, which of them count in `runs`.

use super::{LeftOut, Problem, SLACK};
use serde::{Deserialize, de::DeserializeOwned};
use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
    time::SystemTime,
};

/// Most bytes that are read of a file. A sample has some 40 for each of at most a few thousand times, so this
/// only keeps what is no such file out of memory.
const MOST_BYTES: u64 = 64 << 20;

/// The directory with what the suite's bench targets say they ran.
pub(super) const RUNS: &str = "cryptobench";
/// The directory with the last measurement of a case, beside those of baselines.
const NEW: &str = "new";
/// Which case it is. Written last, after the plots.
const BENCHMARK: &str = "benchmark.json";
/// The times. Written before the estimates.
pub(super) const SAMPLE: &str = "sample.json";
/// What Criterion makes of the times.
pub(super) const ESTIMATES: &str = "estimates.json";

/// `benchmark.json`.
#[derive(Deserialize)]
struct Benchmark {
    full_id: String,
}

/// `sample.json`.
#[derive(Deserialize)]
pub(super) struct Sample {
    /// Iterations of each sample.
    pub(super) iters: Vec<f64>,
    /// Nanoseconds of each sample, all iterations together.
    pub(super) times: Vec<f64>,
}

/// `estimates.json`.
#[derive(Deserialize)]
pub(super) struct Estimates {
    /// Nanoseconds of one iteration.
    pub(super) median: Estimate,
}

/// One of them.
#[derive(Deserialize)]
pub(super) struct Estimate {
    pub(super) point_estimate: f64,
}

/// A directory with a whole `benchmark.json`.
pub(super) struct Found {
    /// The directory.
    pub(super) directory: PathBuf,
    /// `full_id` of the case.
    pub(super) id: String,
    /// When `benchmark.json` was written.
    pub(super) written: SystemTime,
}

impl Found {
    /// The path of `benchmark.json`.
    pub(super) fn benchmark(&self) -> PathBuf {
        self.directory.join(BENCHMARK)
    }

    /// The path of `sample.json`, where that is of a later measurement than the rest.
    pub(super) fn interrupted(&self) -> Option<PathBuf> {
        let path = self.directory.join(SAMPLE);
        let modified = path.symlink_metadata().and_then(|it| it.modified()).ok()?;
        modified.duration_since(self.written).is_ok_and(|later| later > SLACK).then_some(path)
    }
}

/// The cases of which Criterion has data in `root`. Paths mean nothing: Criterion shortens and numbers them.
///
/// # Errors
///
/// If `root` itself cannot be listed; anything below it that cannot is `left_out`.
pub(super) fn find(root: &Path, left_out: &mut Vec<LeftOut>) -> io::Result<Vec<Found>> {
    let mut found = Vec::new();
    let mut pending = entries(root, left_out)?;
    pending.retain(|directory| directory.file_name() != Some(OsStr::new(RUNS)));
    // A list instead of recursion, so that no depth is too deep.
    while let Some(directory) = pending.pop() {
        match entries(&directory, left_out) {
            Ok(below) => pending.extend(below),
            Err(error) => {
                left_out.push(LeftOut { path: directory, id: None, problem: error.into() });
                continue;
            }
        }
        if directory.file_name() == Some(OsStr::new(NEW)) {
            match candidate(directory) {
                Ok(it) => found.extend(it),
                Err((path, problem)) => left_out.push(LeftOut { path, id: None, problem }),
            }
        }
    }
    // The order in which a file system lists is no order.
    found.sort_by(|one, other| one.directory.cmp(&other.directory));
    Ok(found)
}

/// The directories in `directory`.
fn entries(directory: &Path, left_out: &mut Vec<LeftOut>) -> io::Result<Vec<PathBuf>> {
    let mut directories = Vec::new();
    for entry in fs::read_dir(directory)? {
        match entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))) {
            // Not of a link's target, so that no loop is entered.
            Ok((path, kind)) if kind.is_dir() => directories.push(path),
            Ok(_) => {}
            Err(error) => {
                let path = directory.into();
                left_out.push(LeftOut { path, id: None, problem: error.into() });
                // What fails once may fail for ever.
                break;
            }
        }
    }
    Ok(directories)
}

/// What a directory called `new` has, or what is the matter with which of its files.
fn candidate(directory: PathBuf) -> Result<Option<Found>, (PathBuf, Problem)> {
    let path = directory.join(BENCHMARK);
    match read::<Benchmark>(&path) {
        Ok((Benchmark { full_id: id }, written)) => Ok(Some(Found { directory, id, written })),
        Err(Problem::Missing) => {
            let sample = directory.join(SAMPLE);
            // A part of an id may be `new` too.
            if sample.symlink_metadata().is_ok() {
                Err((sample, Problem::Unfinished))
            } else {
                Ok(None)
            }
        }
        Err(problem) => Err((path, problem)),
    }
}

/// What a file says, and when it was written.
pub(super) fn read<T: DeserializeOwned>(path: &Path) -> Result<(T, SystemTime), Problem> {
    let (bytes, modified) = bytes(path)?;
    Ok((serde_json::from_slice(&bytes)?, modified))
}

/// The bytes of a file, at least one, and when it was written.
pub(super) fn bytes(path: &Path) -> Result<(Vec<u8>, SystemTime), Problem> {
    let missing = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => Problem::Missing,
        _ => Problem::Unreadable(error),
    };
    // Before opening it: opening a pipe waits for whoever writes to it.
    if !path.symlink_metadata().map_err(missing)?.is_file() {
        return Err(Problem::NotAFile);
    }
    let file = File::open(path).map_err(missing)?;
    let metadata = file.metadata()?;
    if metadata.len() > MOST_BYTES {
        return Err(Problem::TooLarge { bytes: metadata.len() });
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    if bytes.is_empty() {
        return Err(Problem::Empty);
    }
    Ok((bytes, metadata.modified()?))
}
