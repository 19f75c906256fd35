//! Where things are: the checkout, its records and baselines, and the worker program that Cargo builds from it.

use crate::{name::Name, output::visible};
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

    /// Where the page is put that is made of records.
    pub(crate) fn page(&self) -> PathBuf {
        self.root.join("reports/index.html")
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

    /// The runs that were stopped: what each would be, and the command that goes on with it.
    pub(crate) fn unfinished(&self) -> Vec<String> {
        let told = |journal: &Path| {
            let name = if *journal == journal_of(&self.latest()) {
                "the last run".into()
            } else if *journal == journal_of(&self.latest_comparison()) {
                "the last comparison".into()
            } else {
                let file = journal.file_name().unwrap_or_default().to_string_lossy().into_owned();
                file.strip_suffix(".json.partial").unwrap_or(&file).to_owned()
            };
            let how = match began(journal) {
                Some(command) => format!("cryptobench {command} --resume"),
                None => format!("{} cannot be read", journal.display()),
            };
            visible(&format!("{name}: {how}")).into_owned()
        };
        self.journals().iter().map(|it| told(it)).collect()
    }

    /// The journals of runs that were stopped.
    fn journals(&self) -> Vec<PathBuf> {
        let mut journals: Vec<PathBuf> = [self.records(), self.target.join("cryptobench")]
            .iter()
            .flat_map(fs::read_dir)
            .flatten()
            .filter_map(|file| Some(file.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|it| it == "partial"))
            .collect();
        journals.sort();
        journals
    }

    /// Removes the worker programs of runs that are over, unless one that was stopped may still need its own.
    pub(crate) fn tidy(&self) {
        if self.journals().is_empty() {
            // What stays takes room and does no harm.
            let _ = fs::remove_dir_all(self.target.join("cryptobench/workers"));
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

    /// What the record in the file `path` is called: the file's name without its types.
    pub(crate) fn name_of(path: &Path) -> String {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let plain = name.strip_suffix(".zst").unwrap_or(&name);
        plain.strip_suffix(".json").unwrap_or(plain).to_owned()
    }

    /// The file that the user means by `text`: the name of a record, or a path.
    pub(crate) fn find_record(text: &str) -> Result<PathBuf> {
        let path = Path::new(text);
        let what = match path.metadata() {
            Ok(it) if it.is_file() => return Ok(path.to_owned()),
            other => other.map(|it| kind(it.file_type())),
        };
        if text.contains('/') || text.ends_with(".json") || text.ends_with(".zst") {
            match what {
                Ok(what) => bail!("{text} is {what}, not a record"),
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    bail!("there is no file {text}")
                }
                Err(error) => return Err(error).with_context(|| format!("cannot read {text}")),
            }
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
                began(&partial).unwrap_or_else(|| format!("run --save {name}"))
            );
        }
        if let Ok(what) = what {
            bail!("{text} is {what}, not a record");
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
        let partial = journal_of(&latest);
        if partial.exists() {
            bail!(
                "the last run is not finished; go on with it by `cryptobench {} --resume`",
                began(&partial).as_deref().unwrap_or("run")
            );
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

/// The command that began the run of `journal`, as far as that says.
pub(crate) fn began(journal: &Path) -> Option<String> {
    // Anything else may be read for ever.
    if !journal.is_file() {
        return None;
    }
    let line = BufReader::new(fs::File::open(journal).ok()?).lines().next()?.ok()?;
    let line: serde_json::Value = serde_json::from_str(&line).ok()?;
    Some(line["header"]["command"].as_str()?.to_owned())
}

/// What a file is that is no regular one.
pub(crate) fn kind(kind: fs::FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt as _;
    if kind.is_dir() {
        "a directory"
    } else if kind.is_fifo() {
        "a pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
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
