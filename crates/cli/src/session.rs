//! A run in hand: begun, or gone on with where it was stopped, up to its record. Which programs take part and what
//! the options mean is in `measuring`; what is measured when, the commands say.

use crate::{
    measuring::{
        How, Participant, Processor, Variables, What, announce, participant, settings, twins,
        variables,
    },
    progress::Terminal,
    workspace::{Workspace, began},
};
use anyhow::{Context as _, Result, anyhow, bail};
use cryptobench_results::record::{
    self, Document, Engine, Header, Journal, JournalError, Line, Record, Settings, journal_of,
};
use cryptobench_runner::{
    Outcome, PlannedContest, Program, Rounds, Selection, Slices, pin, unsupported,
};
use std::{
    fs::{self, File, TryLockError},
    io,
    ops::Range,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::SystemTime,
};

/// Set when the user wants to stop.
static STOP: AtomicBool = AtomicBool::new(false);

/// The flag that an interrupt sets. A second interrupt ends the program at once.
fn stop_flag() -> Result<&'static AtomicBool> {
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

/// What is wanted: to measure something, or to go on with that.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) workspace: &'a Workspace,
    /// The words after `cryptobench` that begin it; with `--resume` they go on with it.
    pub(crate) command: &'a str,
    /// Where its record will be.
    pub(crate) path: PathBuf,
    /// Whether the user named that.
    pub(crate) named: bool,
    pub(crate) what: &'a What,
    pub(crate) how: &'a How,
}

/// What a run that was stopped left.
type Begun = (Journal, Record);

/// Everything that a run needs. No other one can be had until it is dropped.
#[derive(Debug)]
pub(crate) struct Session<'a> {
    wanted: Wanted<'a>,
    pub(crate) participants: Vec<Participant>,
    programs: Vec<Program>,
    /// What is measured: as wanted, or as it was begun.
    pub(crate) what: What,
    /// The user's own document that is encrypted.
    document: Option<Document>,
    /// What is to be said of programs that should take part and cannot.
    pub(crate) lost: Vec<String>,
    warnings: Vec<String>,
    stop: &'static AtomicBool,
    _lock: File,
}

impl<'a> Session<'a> {
    /// Of the programs that `fresh` gives, with what is to be said of those that cannot take part; or with `resume`
    /// of those that the run began with, and then also what it left.
    pub(crate) fn open(
        wanted: Wanted<'a>,
        resume: bool,
        fresh: impl FnOnce(&Variables, &AtomicBool) -> Result<(Vec<Participant>, Vec<String>)>,
    ) -> Result<(Self, Option<Begun>)> {
        let Wanted { workspace, command, ref path, named, what, how } = wanted;
        let stop = stop_flag()?;
        let lock = alone(workspace)?;
        let begun = if resume { Some(left_of(path, workspace)?) } else { None };
        let (participants, lost, what, document) = match &begun {
            Some((_, record)) => {
                begun_by(record, command)?;
                let what = What::default().or(&record.header.settings)?;
                let document = what.contests.own_document()?;
                if document != record.header.settings.document {
                    bail!("the document is not what it was when the run began; start anew");
                }
                let variables = variables(document.as_ref())?;
                let participants = participants_of(record, workspace, how, &variables, stop)?;
                (participants, Vec::new(), what, document)
            }
            None => {
                let journal = journal_of(path);
                // Before anything is built.
                if named && journal.exists() {
                    bail!(
                        "{} holds what was stopped; go on with it by `cryptobench {} --resume`, or remove it to begin again",
                        journal.display(),
                        began(&journal).as_deref().unwrap_or(command)
                    );
                }
                let document = what.contests.own_document()?;
                let (participants, lost) = fresh(&variables(document.as_ref())?, stop)?;
                (participants, lost, what.clone(), document)
            }
        };
        let mut warnings = announce(&participants, how.strict)?;
        warnings.extend(twins(&participants));
        warnings.extend(lost.iter().map(|program| format!("left out: {program}")));
        let programs = participants.iter().map(|it| it.program.clone()).collect();
        let session = Self {
            wanted,
            participants,
            programs,
            what,
            document,
            lost,
            warnings,
            stop,
            _lock: lock,
        };
        Ok((session, begun))
    }

    /// Goes on with what was `begun`, or begins `rounds`, of which `screening` only screen. What of `contests` a
    /// backend does not have is in the record from then on.
    pub(crate) fn run(
        &self,
        begun: Option<Begun>,
        contests: &[PlannedContest],
        rounds: u32,
        screening: u32,
    ) -> Result<Run<'_>> {
        let Wanted { command, path, named, how, .. } = &self.wanted;
        let goes_on = begun.is_some();
        let mut settings = match &begun {
            Some((_, record)) => record.header.settings.clone(),
            None => settings(&self.what, how, self.document.clone(), rounds, screening),
        };
        settle(&mut settings, how)?;
        let (journal, record) = match begun {
            Some(begun) => begun,
            None => {
                if !named {
                    forget_unfinished(path)?;
                }
                let header = self.header(command, settings);
                (Journal::create(path, &header)?, Record::new(header))
            }
        };
        let mut rounds = Rounds::new(&self.programs, record.header.seed, self.stop);
        rounds.resume(&record);
        let mut run = Run { journal, record, rounds, stop: self.stop };
        // One that has its end was only not put into its place.
        if run.record.end.is_none() {
            if goes_on {
                run.keep(Line::Resumed(record::Resumed { at: now() }))?;
            }
            run.explain(&self.participants, contests, &self.what.selection())?;
        }
        Ok(run)
    }

    fn header(&self, command: &str, settings: Settings) -> Header {
        let program = |it: &Participant| record::Program {
            name: it.program.name.clone(),
            sha256: Some(it.sha256.clone()),
            protocol: it.survey.protocol,
            environment: it.survey.environment.clone(),
        };
        Header {
            format: record::FORMAT,
            engine: Engine::LockStep,
            started: now(),
            command: command.to_owned(),
            seed: seed(self.wanted.how),
            settings,
            programs: self.participants.iter().map(program).collect(),
            warnings: self.warnings.clone(),
        }
    }
}

/// What the run of the record at `path` left when it was stopped.
fn left_of(path: &Path, workspace: &Workspace) -> Result<Begun> {
    match Journal::resume(path) {
        Err(JournalError::Missing { journal }) => {
            let unfinished = workspace.unfinished();
            let instead = if unfinished.is_empty() {
                "nothing else is unfinished here either: leave out --resume to begin".to_owned()
            } else {
                format!("unfinished are:\n  {}", unfinished.join("\n  "))
            };
            bail!("there is no interrupted run {}; {instead}", journal.display())
        }
        other => Ok(other?),
    }
}

/// A run in hand: what has been measured goes to its journal and is kept here, without slices.
pub(crate) struct Run<'a> {
    journal: Journal,
    record: Record,
    rounds: Rounds<'a>,
    stop: &'a AtomicBool,
}

impl Run<'_> {
    /// What has been measured so far.
    pub(crate) const fn record(&self) -> &Record {
        &self.record
    }

    /// Writes down which of the selected cases a backend does not have, and why, unless that has been done.
    fn explain(
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
        let end = self.record.end.get_or_insert_with(|| record::End { ended: now() });
        self.journal.finish(end.clone())?;
        Ok(self.record)
    }

    /// Throws the record away, which holds nothing.
    pub(crate) fn discard(self) -> Result<()> {
        Ok(self.journal.discard()?)
    }

    /// Leaves the journal to be resumed, and says how.
    pub(crate) fn interrupt(self) {
        say!(
            "stopped; what is finished is in {}; go on by: cryptobench {} --resume",
            self.journal.journal().display(),
            self.record.header.command
        );
    }
}

/// Refuses to go on with `record` where something else than `command` began it.
fn begun_by(record: &Record, command: &str) -> Result<()> {
    let began = &record.header.command;
    if began == command {
        return Ok(());
    }
    bail!(
        "what was stopped was begun by `cryptobench {began}`; go on with it by `cryptobench {began} --resume`"
    )
}

/// The programs of the unfinished `record`, as they were when it began.
fn participants_of(
    record: &Record,
    workspace: &Workspace,
    how: &How,
    variables: &Variables,
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
        let again = participant(workspace, &it.name, &path, how, variables, stop)?;
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

/// One measurement at a time: two would disturb each other. Held until it is dropped.
fn alone(workspace: &Workspace) -> Result<File> {
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

/// Throws away what an unfinished run left of a record that nobody named.
fn forget_unfinished(path: &Path) -> Result<()> {
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

/// Pins this thread and what it starts to the processor of `settings`. Where that cannot be, and the user did not
/// ask for it, the run goes on without.
fn settle(settings: &mut Settings, how: &How) -> Result<()> {
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

/// The seed that the options say, or one of now.
fn seed(how: &How) -> u64 {
    how.seed.unwrap_or_else(|| {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |it| it.as_secs())
    })
}

/// Now, as in records.
fn now() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}
