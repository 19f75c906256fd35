//! What the parts share: the programs, rounds of them into a record, and the processor. What is done with a record
//! is the parts' business.

use crate::Arguments;
use anyhow::{Context as _, Result, bail};
use cryptobench_environment::{unoptimised, warnings};
use cryptobench_results::record::{
    self, Engine, FORMAT, FailedSide, Header, JournalError, Line, Record, Settings,
};
use cryptobench_runner::{
    Outcome, PlannedContest, Program, Progress, Rounds, Selection, Slices, Survey, pin, plan,
    suggested_processor, survey,
};
use cryptobench_schema::{CaseId, Contest};
use std::{
    ops::Range,
    panic::resume_unwind,
    path::Path,
    sync::atomic::AtomicBool,
    thread,
    time::{Duration, Instant, SystemTime},
};

/// Nobody stops a calibration but by ending it.
pub(crate) static NEVER: AtomicBool = AtomicBool::new(false);
/// How long a worker may take for an answer.
const DEADLINE: Duration = Duration::from_secs(60);
/// How often it is said how far a run is.
const TELL: Duration = Duration::from_secs(15);

/// A program, and what it said it is.
#[derive(Debug, Clone)]
pub(crate) struct Subject {
    pub(crate) program: Program,
    pub(crate) survey: Survey,
    sha256: String,
}

impl Subject {
    /// The worker at `path`, with `variables` set for it.
    pub(crate) fn new(name: &str, path: &Path, variables: &[(&str, String)]) -> Result<Self> {
        let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        let program = Program {
            name: name.to_owned(),
            path: path.to_owned(),
            variables: variables.collect(),
            deadline: DEADLINE,
        };
        let sha256 = program.sha256()?;
        let survey = survey(&program, &NEVER)
            .with_context(|| format!("{} is no worker that can be used", path.display()))?;
        if let Some(why) = unoptimised(&survey.environment.build) {
            bail!("{}: {why}", path.display());
        }
        Ok(Self { program, survey, sha256 })
    }
}

/// A calibration: its options, and the worker that it is about.
pub(crate) struct Session<'a> {
    pub(crate) arguments: &'a Arguments,
    pub(crate) worker: Subject,
    pub(crate) seed: u64,
}

impl<'a> Session<'a> {
    pub(crate) fn open(arguments: &'a Arguments) -> Result<Self> {
        let worker = Subject::new("current", &arguments.worker, &[])?;
        let seed = arguments.seed.unwrap_or_else(|| {
            let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
            now.map_or(0, |it| it.as_secs())
        });
        Ok(Self { arguments, worker, seed })
    }

    /// Which machine and which build this is about.
    pub(crate) fn head(&self) -> String {
        let environment = &self.worker.survey.environment;
        let (host, build) = (&environment.host, &environment.build);
        let known = |it: &Option<String>| it.clone().unwrap_or_else(|| "unknown".to_owned());
        let revision = environment.revision.as_ref().map_or_else(
            || "no git revision".to_owned(),
            |it| format!("{}{}", it.commit, if it.dirty { ", with changes" } else { "" }),
        );
        let backends: Vec<String> =
            environment.implementations.iter().map(|it| it.backend.to_string()).collect();
        let mut text = format!(
            "{}, by `just calibrate`, seed {}.\n\n\
             - machine: {} ({}), {} logical processors, {}, kernel {}; everything but the unpinned round trip on \
             processor {}\n\
             - build: {}, profile {}, suite {} at {}, with {}\n\
             - worker: SHA-256 {}\n",
            humantime::format_rfc3339_seconds(SystemTime::now()),
            self.seed,
            known(&host.cpu.model),
            known(&host.cpu.signature),
            host.cpu.logical,
            known(&host.system),
            known(&host.kernel),
            suggested_processor().map_or_else(|| "any".to_owned(), |it| it.to_string()),
            build.rustc,
            build.profile,
            build.suite,
            revision,
            backends.join(", "),
            self.worker.sha256,
        );
        for warning in warnings(environment) {
            text.push_str(&format!("- warning: {warning}\n"));
        }
        text
    }

    /// The contests of `subjects` that the options select.
    pub(crate) fn contests(&self, subjects: &[Subject]) -> Result<Vec<PlannedContest>> {
        let selection = Selection {
            filter: self.arguments.filter.clone(),
            bytes: self.arguments.sizes.clone().unwrap_or_default(),
            ..Selection::default()
        };
        let cases: Vec<Vec<CaseId>> = subjects.iter().map(|it| it.survey.cases.clone()).collect();
        let contests = plan(&cases, &selection);
        if contests.is_empty() {
            bail!("no case is selected");
        }
        Ok(contests)
    }

    /// The rounds that were asked for, or `usual`.
    pub(crate) fn rounds(&self, usual: u32) -> u32 {
        self.arguments.rounds.unwrap_or(usual)
    }
}

/// Does `measure` pinned to the processor that a run would choose, as do the workers that it starts.
pub(crate) fn pinned<T: Send>(measure: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    // A thread of its own, since pinning is for a thread and for good.
    let thread = || {
        match suggested_processor().map(pin) {
            Some(Ok(())) => {}
            Some(Err(error)) => eprintln!("warning: {error}; measuring without pinning"),
            None => eprintln!("warning: this system has no pinning"),
        }
        measure()
    };
    thread::scope(|scope| scope.spawn(thread).join()).unwrap_or_else(|panic| resume_unwind(panic))
}

/// A run into a record that is kept in memory.
pub(crate) struct Run<'a> {
    rounds: Rounds<'a>,
    pub(crate) record: Record,
}

impl<'a> Run<'a> {
    /// A run of `subjects`, whose programs are `programs`.
    ///
    /// What code they are is left out of its record. The sides of a calibration are the same code, and where that is
    /// known every alarm is said to be the layout's, and none could be counted.
    pub(crate) fn begin(
        subjects: &[Subject],
        programs: &'a [Program],
        settings: Settings,
        seed: u64,
    ) -> Self {
        let header = Header {
            format: FORMAT,
            engine: Engine::LockStep,
            started: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            seed,
            settings: Settings { cpu: suggested_processor(), ..settings },
            programs: subjects.iter().map(without_code).collect(),
            command: String::new(),
            warnings: Vec::new(),
        };
        Self { rounds: Rounds::new(programs, seed, &NEVER), record: Record::new(header) }
    }

    /// Measures `contests` in `rounds`.
    pub(crate) fn measure(
        &mut self,
        contests: &[PlannedContest],
        rounds: Range<u32>,
        slices: Slices,
    ) -> Result<()> {
        let mut progress = Plain::new(self.rounds.left(contests, rounds.clone()));
        let mut keep = |line: &Line| -> Result<(), JournalError> {
            self.record.add(line.clone());
            Ok(())
        };
        match self.rounds.run(contests, rounds, slices, &mut keep, &mut progress)? {
            Outcome::Finished => Ok(()),
            Outcome::Stopped => bail!("stopped"),
        }
    }
}

fn without_code(subject: &Subject) -> record::Program {
    let mut environment = subject.survey.environment.clone();
    for implementation in &mut environment.implementations {
        implementation.code_sha256 = None;
    }
    record::Program {
        name: subject.program.name.clone(),
        sha256: Some(subject.sha256.clone()),
        protocol: subject.survey.protocol,
        environment,
    }
}

/// The programs of `subjects`.
pub(crate) fn programs(subjects: &[Subject]) -> Vec<Program> {
    subjects.iter().map(|it| it.program.clone()).collect()
}

/// Now and then a line on standard error.
struct Plain {
    steps: usize,
    done: usize,
    began: Instant,
    told: Instant,
}

impl Plain {
    fn new(steps: usize) -> Self {
        Self { steps, done: 0, began: Instant::now(), told: Instant::now() }
    }
}

impl Progress for Plain {
    fn done(&mut self, _: &Contest, round: u32) {
        self.done += 1;
        if self.told.elapsed() >= TELL {
            self.told = Instant::now();
            let left = self.steps.saturating_sub(self.done) as f64 / self.done as f64;
            eprintln!(
                "round {}: {} of {}, {:.0} s left",
                round + 1,
                self.done,
                self.steps,
                self.began.elapsed().as_secs_f64() * left
            );
        }
    }

    fn failed(&mut self, failed: &FailedSide) {
        eprintln!("FAILED {}: {}", failed.id, failed.reason);
    }

    fn interference(&mut self, contest: &Contest, share: f64) {
        eprintln!(
            "{contest}: {:.1} % slower right after another side; its slices are longer from now on",
            share.exp_m1() * 100.0
        );
    }
}
