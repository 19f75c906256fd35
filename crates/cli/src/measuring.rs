//! What `run`, `baseline`, `compare` and `duel` have in common: the options that say what is measured and how, the
//! programs, and the way from there to a record.

use crate::{
    End,
    output::visible,
    progress::Terminal,
    workspace::{Workspace, copy_file, link_file},
};
use anyhow::{Context as _, Result, anyhow, bail};
use clap::Args;
use cryptobench_environment::{capture, unoptimised, warnings};
use cryptobench_results::record::{
    self, Engine, Header, Journal, Line, Record, Settings, journal_of,
};
use cryptobench_runner::{
    Outcome, PlannedContest, Program, Rounds, Selection, Slices, Survey, pin, plan,
    suggested_processor, survey, unsupported,
};
use cryptobench_schema::{BackendId, CaseId, Host, SizeChoice, Unit, protocol::backends_of};
use regex::Regex;
use std::{
    collections::BTreeSet,
    fs::{self, File, TryLockError},
    io::{self, Read as _},
    ops::Range,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, SystemTime},
};

/// Rounds of a look.
const QUICK_ROUNDS: u32 = 3;

/// What is measured.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "What is measured")]
pub(crate) struct What {
    /// Only cases whose id matches this regular expression, `algorithm/operation/backend[/size]`. Without
    /// it, everything but RSA key generation, whose times are spread by chance
    #[arg(long, value_name = "REGEX")]
    pub(crate) filter: Option<Regex>,
    /// Only this backend; may be repeated
    #[arg(long = "backend", value_name = "NAME")]
    pub(crate) backends: Vec<BackendId>,
    /// Message sizes in bytes, comma-separated, or `all`
    #[arg(long, value_name = "SIZES", value_parser = bytes)]
    pub(crate) sizes: Option<Sizes>,
    /// RSA moduli in bits, comma-separated, or `all`
    #[arg(long, value_name = "BITS", value_parser = bits)]
    pub(crate) rsa_bits: Option<Sizes>,
}

/// From where to where a run goes.
#[derive(Debug, Clone, Args)]
pub(crate) struct Course {
    /// Go on with the one of that name, or with the last one without, where it was stopped
    #[arg(long, conflicts_with_all = [
        "filter", "backends", "sizes", "rsa_bits", "quick", "seed", "cpu", "features", "worker", "also", "rounds",
    ])]
    pub(crate) resume: bool,
    /// Rounds of fresh processes; 7, or 3 with --quick
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: Option<u32>,
}

/// How it is measured.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "How it is measured")]
pub(crate) struct How {
    /// Fewer and shorter slices in three rounds: for a look, not for citing
    #[arg(long)]
    pub(crate) quick: bool,
    /// Refuse to measure where there is a warning about the machine or the build
    #[arg(long)]
    pub(crate) strict: bool,
    /// Seed of all draws, to repeat a run's order and placements
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// The logical processor that everything runs on, or `none`; by default the fastest, the last of equals
    #[arg(long, value_name = "NUMBER")]
    pub(crate) cpu: Option<Processor>,
    /// Seconds that a worker may take for one answer
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) deadline: u64,
    /// Build the worker with these backends alone, comma-separated (features of `cryptobench-worker`)
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "worker")]
    pub(crate) features: Vec<String>,
    /// This worker program instead of the one that Cargo builds
    #[arg(long, value_name = "FILE")]
    pub(crate) worker: Option<PathBuf>,
    /// Another worker program whose backends take part; may be repeated
    #[arg(long, value_name = "FILE")]
    pub(crate) also: Vec<PathBuf>,
}

/// Sizes as given: what they mean, and their text for the record.
#[derive(Debug, Clone)]
pub(crate) struct Sizes {
    choice: SizeChoice,
    text: String,
}

pub(crate) fn bytes(text: &str) -> Result<Sizes, String> {
    sizes(text, Unit::Bytes)
}

pub(crate) fn bits(text: &str) -> Result<Sizes, String> {
    sizes(text, Unit::ModulusBits)
}

fn sizes(text: &str, unit: Unit) -> Result<Sizes, String> {
    let choice = if text == "all" {
        SizeChoice::All
    } else {
        let known = unit.all_sizes();
        let one = |word: &str| {
            word.trim().parse().ok().filter(|size| known.contains(size)).ok_or_else(|| {
                let known: Vec<String> = known.iter().map(u64::to_string).collect();
                format!("`{word}` is none of {}, and not `all`", known.join(", "))
            })
        };
        SizeChoice::Only(text.split(',').map(one).collect::<Result<_, _>>()?)
    };
    Ok(Sizes { choice, text: text.to_owned() })
}

/// A choice of processor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Processor {
    Number(u32),
    None,
}

impl std::str::FromStr for Processor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "none" => Ok(Self::None),
            number => number
                .parse()
                .map(Self::Number)
                .map_err(|_| "a processor is a number, or `none`".to_owned()),
        }
    }
}

impl What {
    /// The selection that these options make.
    pub(crate) fn selection(&self) -> Selection {
        let choice = |sizes: &Option<Sizes>| {
            sizes.as_ref().map_or(SizeChoice::Default, |sizes| sizes.choice.clone())
        };
        Selection {
            filter: self.filter.clone(),
            backends: self.backends.clone(),
            bytes: choice(&self.sizes),
            bits: choice(&self.rsa_bits),
        }
    }

    /// Whether a case of a record is selected: sizes only where they are given, since a record has what it has.
    pub(crate) fn selects(&self) -> impl Fn(&CaseId) -> bool {
        let all = |sizes: &Option<Sizes>| {
            sizes.as_ref().map_or(SizeChoice::All, |sizes| sizes.choice.clone())
        };
        let everything = Regex::new("").ok();
        let selection = Selection {
            filter: self.filter.clone().or(everything),
            backends: self.backends.clone(),
            bytes: all(&self.sizes),
            bits: all(&self.rsa_bits),
        };
        move |case| selection.selects(case)
    }

    /// As `settings` have it, for what is not given here.
    pub(crate) fn or(mut self, settings: &Settings) -> Result<Self> {
        if self.filter.is_none() {
            self.filter = settings.filter.as_deref().map(Regex::new).transpose()?;
        }
        if self.backends.is_empty() {
            self.backends.clone_from(&settings.backends);
        }
        let read = |text: &Option<String>, unit| {
            text.as_deref().map(|text| sizes(text, unit)).transpose().map_err(|it| anyhow!(it))
        };
        if self.sizes.is_none() {
            self.sizes = read(&settings.sizes, Unit::Bytes)?;
        }
        if self.rsa_bits.is_none() {
            self.rsa_bits = read(&settings.rsa_bits, Unit::ModulusBits)?;
        }
        Ok(self)
    }
}

/// The settings of a run of `rounds`.
pub(crate) fn settings(what: &What, how: &How, rounds: u32, screening: u32) -> Settings {
    let text = |sizes: &Option<Sizes>| sizes.as_ref().map(|sizes| sizes.text.clone());
    let thorough = Settings {
        rounds,
        screening,
        cpu: match how.cpu {
            Some(Processor::Number(number)) => Some(number),
            Some(Processor::None) => None,
            None => suggested_processor(),
        },
        filter: what.filter.as_ref().map(ToString::to_string),
        backends: what.backends.clone(),
        sizes: text(&what.sizes),
        rsa_bits: text(&what.rsa_bits),
        quick: how.quick,
        ..Settings::default()
    };
    if how.quick {
        Settings {
            slices: 15,
            fewest_slices: 5,
            slice_ns: 100_000,
            budget_ns: 5_000_000,
            ..thorough
        }
    } else {
        thorough
    }
}

/// The rounds of a run: as asked, or what is usual.
pub(crate) fn rounds(asked: Option<u32>, how: &How) -> u32 {
    asked.unwrap_or_else(|| if how.quick { QUICK_ROUNDS } else { Settings::default().rounds })
}

/// Set when the user wants to stop.
static STOP: AtomicBool = AtomicBool::new(false);

/// The flag that an interrupt sets. A second interrupt ends the program at once.
pub(crate) fn stop_flag() -> Result<&'static AtomicBool> {
    static INSTALLED: std::sync::Once = std::sync::Once::new();
    let mut result = Ok(());
    INSTALLED.call_once(|| {
        result = ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
            say!("\nstopping after this slice; once more to stop at once");
        });
    });
    result.context("cannot be told of interrupts")?;
    Ok(&STOP)
}

/// A program that takes part, and what it is.
#[derive(Debug)]
pub(crate) struct Participant {
    pub(crate) program: Program,
    pub(crate) sha256: String,
    pub(crate) survey: Survey,
}

/// The worker that the options mean, built where that is to be done, and the others that take part; and what is
/// to be said of those that cannot.
pub(crate) fn participants(
    workspace: &Workspace,
    how: &How,
    stop: &AtomicBool,
) -> Result<(Vec<Participant>, Vec<String>)> {
    let mut all = vec![current(workspace, how, stop)?];
    let mut lost = Vec::new();
    for path in &how.also {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        match participant(workspace, &name, path, how, stop) {
            Ok(participant) => all.push(participant),
            // The others go on.
            Err(error) => lost.push(format!("{error:#}")),
        }
    }
    Ok((all, lost))
}

/// The worker that the options mean, built where that is to be done.
pub(crate) fn current(workspace: &Workspace, how: &How, stop: &AtomicBool) -> Result<Participant> {
    match &how.worker {
        Some(given) => participant(workspace, "current", given, how, stop),
        None => {
            let built = workspace.build_worker(&how.features)?;
            participant(workspace, "current", &built, how, stop)
        }
    }
}

/// The program at `path`, found from now on by its digest, and asked what it is.
pub(crate) fn participant(
    workspace: &Workspace,
    name: &str,
    path: &Path,
    how: &How,
    stop: &AtomicBool,
) -> Result<Participant> {
    let deadline = Duration::from_secs(how.deadline);
    let at =
        |path: PathBuf| Program { name: name.to_owned(), path, variables: Vec::new(), deadline };
    // Anything else may be read for ever.
    if !path.is_file() {
        bail!("the worker {} is no file", path.display());
    }
    let sha256 = at(path.to_owned()).sha256()?;
    let running = workspace.running_worker(&sha256);
    // What is there may be a link to what has changed since.
    if at(running.clone()).sha256().ok().as_ref() != Some(&sha256) {
        // A program may be built anew meanwhile; a script may need what lies beside it.
        if is_script(path)? { link_file(path, &running)? } else { copy_file(path, &running)? }
    }
    let program = at(running);
    let mut survey = survey(&program, stop)
        .with_context(|| format!("the worker `{name}` ({}) cannot be used", path.display()))?;
    // A worker in another language need not know the machine.
    if survey.environment.host == Host::default() {
        survey.environment.host = capture(&[]).host;
    }
    if let Some(why) = unoptimised(&survey.environment.build)
        // A worker in another language has no such level.
        && !survey.environment.build.rustc.is_empty()
    {
        bail!("{}: {why}, and times of such a build mislead", path.display());
    }
    Ok(Participant { program, sha256, survey })
}

/// Whether the file at `path` is for an interpreter.
fn is_script(path: &Path) -> Result<bool> {
    let mut start = [0; 2];
    let read = File::open(path).and_then(|mut file| file.read(&mut start));
    Ok(read.with_context(|| format!("cannot read {}", path.display()))? == 2 && start == *b"#!")
}

/// Says what is the matter with the machine and the builds. With `strict` that is an error.
pub(crate) fn announce(participants: &[Participant], strict: bool) -> Result<Vec<String>> {
    let mut told = BTreeSet::new();
    let mut all = Vec::new();
    for participant in participants {
        for warning in warnings(&participant.survey.environment) {
            let warning = warning.to_string();
            if told.insert(warning.clone()) {
                say!("warning: {}", visible(&warning));
                all.push(warning);
            }
        }
    }
    if let Some(environment) = participants.first().map(|it| &it.survey.environment) {
        let host = &environment.host;
        let unknown = || "unknown".to_owned();
        say!(
            "on {} ({}), {}, {}",
            visible(&host.cpu.model.clone().unwrap_or_else(unknown)),
            visible(&host.cpu.signature.clone().unwrap_or_else(unknown)),
            visible(&host.system.clone().unwrap_or_else(unknown)),
            visible(&environment.build.rustc),
        );
    }
    if strict && !all.is_empty() {
        bail!("there are warnings, and --strict refuses to measure with them");
    }
    Ok(all)
}

/// The seed that the options say, or one of now.
pub(crate) fn seed(how: &How) -> u64 {
    how.seed.unwrap_or_else(|| {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |it| it.as_secs())
    })
}

/// Now, as in records.
pub(crate) fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// Refuses to go on with `record` where something else than `command` began it.
pub(crate) fn begun_by(record: &Record, command: &str) -> Result<()> {
    let began = &record.header.command;
    if began == command {
        return Ok(());
    }
    bail!(
        "what was stopped was begun by `cryptobench {began}`; go on with it by `cryptobench {began} --resume`"
    )
}

/// The header of a run of `participants`.
pub(crate) fn header(
    command: &str,
    participants: &[Participant],
    settings: Settings,
    seed: u64,
    warnings: Vec<String>,
) -> Header {
    Header {
        format: record::FORMAT,
        engine: Engine::LockStep,
        started: now(),
        command: command.to_owned(),
        seed,
        settings,
        programs: participants
            .iter()
            .map(|it| record::Program {
                name: it.program.name.clone(),
                sha256: Some(it.sha256.clone()),
                protocol: it.survey.protocol,
                environment: it.survey.environment.clone(),
            })
            .collect(),
        warnings,
    }
}

/// One measurement at a time: two would disturb each other. Held until it is dropped.
pub(crate) fn alone(workspace: &Workspace) -> Result<File> {
    let path = workspace.lock();
    let open = || -> io::Result<File> {
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        File::options().create(true).truncate(false).write(true).open(&path)
    };
    let file = open().with_context(|| format!("cannot open {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            bail!(
                "another run is measuring here, and two disturb each other; wait for it, or stop it"
            )
        }
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock {}", path.display()))
        }
    }
}

/// A run in hand: what has been measured goes to its journal and is kept here, without slices.
pub(crate) struct Run<'a> {
    journal: Journal,
    record: Record,
    rounds: Rounds<'a>,
    stop: &'a AtomicBool,
}

impl<'a> Run<'a> {
    /// Begins the record at `path`, of `programs`, which are the header's.
    pub(crate) fn begin(
        path: &Path,
        header: Header,
        programs: &'a [Program],
        stop: &'a AtomicBool,
    ) -> Result<Self> {
        let journal = Journal::create(path, &header)?;
        let rounds = Rounds::new(programs, header.seed, stop);
        Ok(Self { journal, record: Record::new(header), rounds, stop })
    }

    /// Goes on with `record`, read from `journal`.
    pub(crate) fn resume(
        journal: Journal,
        record: Record,
        programs: &'a [Program],
        stop: &'a AtomicBool,
    ) -> Result<Self> {
        let mut rounds = Rounds::new(programs, record.header.seed, stop);
        rounds.resume(&record);
        let mut run = Self { journal, record, rounds, stop };
        // One that has its end was only not put into its place.
        if run.record.end.is_none() {
            run.keep(Line::Resumed(record::Resumed { at: now() }))?;
        }
        Ok(run)
    }

    /// What has been measured so far.
    pub(crate) const fn record(&self) -> &Record {
        &self.record
    }

    /// Writes down which of the selected cases a backend does not have, and why, unless that has been done.
    pub(crate) fn explain(
        &mut self,
        programs: &[Participant],
        contests: &[PlannedContest],
        selection: &Selection,
    ) -> Result<()> {
        if !self.record.unsupported.is_empty() {
            return Ok(());
        }
        for (number, it) in programs.iter().enumerate() {
            let cases = &it.survey.cases;
            match unsupported(&it.program, number, cases, contests, selection, self.stop) {
                Ok(all) => {
                    for case in all {
                        self.keep(Line::Unsupported(case))?;
                    }
                }
                // The rounds will find it out again, and say so for each case.
                Err(error) => say!("warning: {}: {error}", it.program.name),
            }
        }
        Ok(())
    }

    fn keep(&mut self, line: Line) -> Result<()> {
        self.journal.append(&line)?;
        self.record.add(line);
        Ok(())
    }

    /// Measures `contests` in `rounds`.
    pub(crate) fn measure(
        &mut self,
        contests: &[PlannedContest],
        rounds: Range<u32>,
        slices: Slices,
    ) -> Result<Outcome> {
        let Self { journal, record, rounds: state, .. } = self;
        let mut progress = Terminal::new(state.left(contests, rounds.clone()), rounds.end);
        let mut keep = |line: &Line| {
            journal.append(line)?;
            record.add(line.clone());
            Ok(())
        };
        let outcome = state.run(contests, rounds, slices, &mut keep, &mut progress);
        progress.finish();
        Ok(outcome?)
    }

    /// Ends the record and puts it into its place.
    pub(crate) fn finish(mut self) -> Result<Record> {
        let end = record::End { ended: now() };
        self.record.end = Some(end.clone());
        self.journal.finish(end)?;
        Ok(self.record)
    }

    /// Throws the record away, which holds nothing.
    pub(crate) fn discard(self) -> Result<()> {
        Ok(self.journal.discard()?)
    }

    /// Leaves the journal to be resumed, and says how.
    pub(crate) fn interrupt(self, how: &str) -> Record {
        say!(
            "stopped; what is finished is in {}; go on by: {how}",
            self.journal.journal().display()
        );
        self.record
    }
}

/// Throws away what an unfinished run left of a record that nobody named.
pub(crate) fn forget_unfinished(path: &Path) -> Result<()> {
    let journal = journal_of(path);
    match fs::remove_file(&journal) {
        Ok(()) => {
            say!("note: an unfinished run was thrown away; `--resume` would have gone on with it");
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot remove {}", journal.display())),
    }
}

/// The programs of the unfinished `record`, as they were when it began.
pub(crate) fn participants_of(
    workspace: &Workspace,
    record: &Record,
    how: &How,
    stop: &AtomicBool,
) -> Result<Vec<Participant>> {
    let mut all = Vec::new();
    for it in &record.header.programs {
        let sha256 = it
            .sha256
            .as_deref()
            .ok_or_else(|| anyhow!("the record has no worker to go on with"))?;
        let path = workspace.running_worker(sha256);
        if !path.is_file() {
            bail!(
                "the worker `{}` that the run began with is gone ({}); start anew",
                it.name,
                path.display()
            );
        }
        let again = participant(workspace, &it.name, &path, how, stop)?;
        if again.sha256 != sha256 {
            bail!("{} is not the worker that the run began with; start anew", path.display());
        }
        let (then, now) = (&it.environment.host.cpu, &again.survey.environment.host.cpu);
        if (&then.model, &then.signature, &then.flags) != (&now.model, &now.signature, &now.flags) {
            bail!("the run began on another machine; start anew");
        }
        all.push(again);
    }
    Ok(all)
}

/// Pins this thread and what it starts to the processor of `settings`. Where that cannot be, and the user did not
/// ask for it, the run goes on without.
pub(crate) fn settle(settings: &mut Settings, how: &How) -> Result<()> {
    let Some(processor) = settings.cpu else { return Ok(()) };
    match pin(processor) {
        Ok(()) => Ok(()),
        Err(error) if matches!(how.cpu, Some(Processor::Number(_))) => Err(error.into()),
        Err(error) => {
            say!("warning: {error}; measuring without pinning");
            settings.cpu = None;
            Ok(())
        }
    }
}

/// The contests that `what` selects of what the programs have.
pub(crate) fn contests(participants: &[Participant], what: &What) -> Result<Vec<PlannedContest>> {
    let cases: Vec<_> = participants.iter().map(|it| it.survey.cases.clone()).collect();
    for backend in &what.backends {
        if !cases.iter().flatten().any(|case| case.backend == *backend) {
            // Programs may have the same ones.
            let all: Vec<CaseId> = cases.iter().flatten().cloned().collect();
            let known: Vec<String> = backends_of(&all).iter().map(ToString::to_string).collect();
            bail!("there is no backend `{backend}`; there are {}", known.join(", "));
        }
    }
    let contests = plan(&cases, &what.selection());
    if contests.is_empty() {
        bail!("no case is selected; `cargo bench -- --list` shows the ids that --filter matches");
    }
    Ok(contests)
}

/// Those of `contests` that all `backends` have, each of them once: from the last program that has it.
pub(crate) fn shared(
    contests: Vec<PlannedContest>,
    backends: &[BackendId],
) -> Result<Vec<PlannedContest>> {
    let all = contests.len();
    let shared: Vec<PlannedContest> = contests
        .into_iter()
        .filter_map(|it| {
            let side = |backend: &BackendId| {
                it.sides.iter().rfind(|side| side.backend == *backend).cloned()
            };
            let sides = backends.iter().map(side).collect::<Option<_>>()?;
            Some(PlannedContest { contest: it.contest, sides })
        })
        .collect();
    let names: Vec<&str> = backends.iter().map(BackendId::as_str).collect();
    let names = names.join(" and ");
    if shared.is_empty() {
        bail!("{names} have none of the selected contests in common; select others by --filter");
    }
    if shared.len() < all {
        say!(
            "{} of {} left out, which {names} do not both have",
            all - shared.len(),
            count(all, "contest")
        );
    }
    Ok(shared)
}

/// Says what failed, cases and programs, and how the program ends.
pub(crate) fn conclude(record: &Record, lost: &[String]) -> End {
    if record.failed.is_empty() && lost.is_empty() {
        return End::Well;
    }
    if !record.failed.is_empty() {
        say!("{} FAILED and left out:", count(record.failed.len(), "case"));
    }
    for failed in &record.failed {
        say!("  {}: {}", failed.id, visible(&failed.reason));
    }
    for program in lost {
        say!("FAILED and left out: {}", visible(program));
    }
    End::Failed
}

/// `1 case`, `2 cases`.
pub(crate) fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}
