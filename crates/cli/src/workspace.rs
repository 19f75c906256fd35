//! Where things are: the checkout, its records and baselines, and the worker program that Cargo builds from it.

use crate::name::Name;
use anyhow::{Context as _, Result, anyhow, bail};
use cryptobench_results::record::{Depth, Record, journal_of};
use std::{
    env, fs,
    io::{self, BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// A checkout of this suite.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

/// Of the worker, in Cargo.toml.
const WORKER: &str = "cryptobench-worker";

impl Workspace {
    /// The checkout that the current directory is in.
    pub(crate) fn find() -> Result<Self> {
        let here = env::current_dir().context("cannot tell the current directory")?;
        let root = here
            .ancestors()
            .find(|directory| directory.join("crates/worker/Cargo.toml").is_file())
            .ok_or_else(|| {
                anyhow!(
                    "{} is not in a checkout of Cryptobench; change to one, whose records and worker are meant",
                    here.display()
                )
            })?;
        let target = env::var_os("CARGO_TARGET_DIR")
            .filter(|it| !it.is_empty())
            .map_or_else(|| root.join("target"), |it| here.join(it));
        Ok(Self { root: root.to_owned(), target })
    }

    /// Where records are kept.
    pub(crate) fn records(&self) -> PathBuf {
        self.root.join("reports/records")
    }

    /// Where the record called `name` is kept from now on.
    pub(crate) fn record(&self, name: &Name) -> PathBuf {
        self.records().join(format!("{name}.json.zst"))
    }

    /// The record called `name`, where there is one.
    pub(crate) fn existing_record(&self, name: &Name) -> Option<PathBuf> {
        let compressed = self.record(name);
        let plain = compressed.with_extension("");
        [compressed, plain].into_iter().find(|it| it.is_file())
    }

    /// The last run: the only file of one that was not kept, a copy of one that was.
    pub(crate) fn latest(&self) -> PathBuf {
        self.target.join("cryptobench/latest.json")
    }

    /// The last comparison that was not kept.
    pub(crate) fn latest_comparison(&self) -> PathBuf {
        self.target.join("cryptobench/latest-comparison.json")
    }

    /// Held by whoever measures.
    pub(crate) fn lock(&self) -> PathBuf {
        self.target.join("cryptobench/lock")
    }

    /// Removes the worker programs of runs that are over, unless one that was stopped may still need its own.
    pub(crate) fn tidy(&self) {
        let unfinished = |directory: &Path| {
            let mut files = fs::read_dir(directory).into_iter().flatten().flatten();
            files.any(|file| file.path().extension().is_some_and(|it| it == "partial"))
        };
        let ours = self.target.join("cryptobench");
        if !unfinished(&self.records()) && !unfinished(&ours) {
            // What stays takes room and does no harm.
            let _ = fs::remove_dir_all(ours.join("workers"));
        }
    }

    /// Where Criterion keeps what `cargo bench` measures.
    pub(crate) fn criterion(&self) -> PathBuf {
        env::var_os("CRITERION_HOME")
            .filter(|it| !it.is_empty())
            .map_or_else(|| self.target.join("criterion"), PathBuf::from)
    }

    /// The worker program of the baseline called `name`, whether it is there or not.
    pub(crate) fn baseline_worker(&self, name: &Name) -> PathBuf {
        self.target.join("cryptobench/baselines").join(name.as_str()).join(WORKER)
    }

    /// Where the worker program with this digest stays while it is used: Cargo may build another one in the
    /// meantime, and a run that is resumed needs the one that it began with.
    pub(crate) fn running_worker(&self, sha256: &str) -> PathBuf {
        self.target.join("cryptobench/workers").join(sha256).join(WORKER)
    }

    /// The file that the user means by `text`: the name of a record, or a path.
    pub(crate) fn find_record(text: &str) -> Result<PathBuf> {
        let path = Path::new(text);
        if path.is_file() {
            return Ok(path.to_owned());
        }
        if text.contains('/') || text.ends_with(".json") || text.ends_with(".zst") {
            bail!("there is no file {text}");
        }
        let name: Name =
            text.parse().map_err(|error| anyhow!("`{text}` names no record: {error}"))?;
        let workspace = Self::find()?;
        if let Some(path) = workspace.existing_record(&name) {
            return Ok(path);
        }
        let partial = journal_of(&workspace.record(&name));
        if partial.exists() {
            bail!(
                "the record `{name}` is not finished; go on with it by `cryptobench {} --resume`",
                began(&partial, &name)
            );
        }
        bail!(
            "there is no record `{name}` in {}; `cryptobench list` shows them",
            workspace.records().display()
        )
    }

    /// The record that the user means by `text`, or without that the last run.
    pub(crate) fn record_or_latest(text: Option<&str>) -> Result<PathBuf> {
        if let Some(text) = text {
            return Self::find_record(text);
        }
        let latest = Self::find()?.latest();
        if latest.is_file() {
            return Ok(latest);
        }
        if journal_of(&latest).exists() {
            bail!("the last run is not finished; go on with it by `cryptobench run --resume`");
        }
        bail!(
            "nothing has been run here yet ({} is not there): measure by `cryptobench run`, or name a record of \
             `cryptobench list`",
            latest.display()
        )
    }

    /// Reads the record that the user means by `text`.
    pub(crate) fn read_record(text: &str, depth: Depth) -> Result<Record> {
        Ok(Record::read(&Self::find_record(text)?, depth)?)
    }

    /// Builds the worker with optimisation, and with `features` instead of all backends where there are any.
    /// What Cargo says goes to standard error.
    pub(crate) fn build_worker(&self, features: &[String]) -> Result<PathBuf> {
        let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        command
            .args([
                "build",
                "--release",
                "--package",
                WORKER,
                "--message-format=json-render-diagnostics",
            ])
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", &self.target)
            .stdin(Stdio::null())
            .stderr(Stdio::inherit());
        if !features.is_empty() {
            command.args(["--no-default-features", "--features", &features.join(",")]);
        }
        let output = command.output().context("cannot start Cargo to build the worker")?;
        if !output.status.success() {
            bail!("the worker cannot be built; Cargo says why above");
        }
        String::from_utf8_lossy(&output.stdout)
            .lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter(|message| message["target"]["name"] == WORKER)
            .filter_map(|message| message["executable"].as_str().map(PathBuf::from))
            .next_back()
            .ok_or_else(|| anyhow!("Cargo does not say where it put the worker"))
    }
}

/// The command that began the run of `journal`, as far as it says; otherwise the usual one.
fn began(journal: &Path, name: &Name) -> String {
    let first = || -> Option<String> {
        let line = BufReader::new(fs::File::open(journal).ok()?).lines().next()?.ok()?;
        let line: serde_json::Value = serde_json::from_str(&line).ok()?;
        Some(line["header"]["command"].as_str()?.to_owned())
    };
    first().unwrap_or_else(|| format!("run --save {name}"))
}

/// Makes `to` lead to the program at `from`, by its absolute path.
pub(crate) fn link_file(from: &Path, to: &Path) -> Result<()> {
    let link = || -> io::Result<()> {
        let from = from.canonicalize()?;
        let directory = to.parent().ok_or_else(|| io::Error::other("no directory"))?;
        fs::create_dir_all(directory)?;
        match fs::remove_file(to) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        std::os::unix::fs::symlink(&from, to)
    };
    link().with_context(|| format!("cannot link {} to {}", to.display(), from.display()))
}

/// Copies the program or record at `from` to `to`, whole or not at all.
pub(crate) fn copy_file(from: &Path, to: &Path) -> Result<()> {
    let copy = || -> io::Result<()> {
        let directory = to.parent().ok_or_else(|| io::Error::other("no directory"))?;
        fs::create_dir_all(directory)?;
        let temporary = tempfile::Builder::new().tempfile_in(directory)?.into_temp_path();
        // With its permissions: a program is to be executed.
        fs::copy(from, &temporary)?;
        temporary.persist(to)?;
        Ok(())
    };
    copy().with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}
