//! A run of scripted workers into a journal, as the command line makes one. What must come out is said by the
//! tests.

use cryptobench_results::record::{
    self, Engine, FORMAT, FailedSide, Header, Journal, Line, Measured, Record, Settings,
};
use cryptobench_runner::{
    Extent, Outcome, PlannedContest, Program, Progress, Rounds, Selection, Slices, plan,
};
use cryptobench_schema::{CaseId, Contest, Environment, Scenario};
use rustix::process::{Pid, test_kill_process};
use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    sync::atomic::AtomicBool,
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// What the scripted worker lists.
pub(crate) const CASES: [&str; 4] = [
    "aes-256-gcm/seal/quick/16",
    "aes-256-gcm/seal/slow/16",
    "x25519/derive/quick",
    "x25519/derive/slow",
];

/// Longer than any test.
pub(crate) const LONG: Duration = Duration::from_secs(100);

/// The scripted worker, which Cargo builds beside the tests.
pub(crate) fn worker() -> PathBuf {
    let tests = env::current_exe().expect("this program");
    let profile = tests.parent().and_then(Path::parent).expect("a directory of Cargo's");
    let worker = profile.join("examples/scripted-worker");
    assert!(
        worker.is_file(),
        "{} is missing: cargo build -p cryptobench-runner --example scripted-worker",
        worker.display()
    );
    worker
}

/// Whether `process` is there, and not only unwaited for.
fn is_running(process: Pid) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()));
    test_kill_process(process).is_ok() && !status.is_ok_and(|it| it.contains(") Z "))
}

/// Variables for a worker.
pub(crate) type Script<'a> = [(&'a str, &'a str)];

/// A run that is to be made.
pub(crate) struct Trial {
    directory: TempDir,
    pub(crate) programs: Vec<Program>,
    pub(crate) contests: Vec<PlannedContest>,
    pub(crate) rounds: u32,
    pub(crate) slices: Slices,
    pub(crate) seed: u64,
}

/// What came of it.
pub(crate) struct Ran {
    pub(crate) outcome: Outcome,
    pub(crate) record: Record,
    pub(crate) told: Told,
}

/// What the runner told while it ran.
#[derive(Default)]
pub(crate) struct Told {
    pub(crate) begun: Vec<(String, u32)>,
    pub(crate) done: Vec<(String, u32)>,
    pub(crate) failed: Vec<String>,
    pub(crate) disturbed: Vec<(String, f64)>,
}

impl Progress for Told {
    fn begins(&mut self, contest: &Contest, round: u32) {
        self.begun.push((contest.to_string(), round));
    }

    fn done(&mut self, contest: &Contest, round: u32) {
        self.done.push((contest.to_string(), round));
    }

    fn failed(&mut self, failed: &FailedSide) {
        self.failed.push(failed.id.to_string());
    }

    fn interference(&mut self, contest: &Contest, share: f64) {
        self.disturbed.push((contest.to_string(), share));
    }
}

impl Trial {
    /// A short run of a program for each of `scripts`, over all of their cases. Times are computed, unless a script
    /// says otherwise.
    pub(crate) fn of(scripts: &[&Script<'_>]) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let programs: Vec<Program> = scripts
            .iter()
            .enumerate()
            .map(|(number, script)| {
                let log = directory.path().join(format!("log-{number}"));
                let mut variables = vec![("LOG".to_owned(), log.display().to_string())];
                if !script.iter().any(|(name, _)| matches!(*name, "COMPUTED" | "SPUN")) {
                    variables.push(("COMPUTED".to_owned(), "2000".to_owned()));
                }
                let own = script.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
                variables.extend(own);
                let name = format!("program-{number}");
                Program { name, path: worker(), variables, deadline: LONG }
            })
            .collect();
        let cases = CASES.map(|case| case.parse::<CaseId>().expect("a case")).to_vec();
        let contests = plan(&vec![cases; programs.len()], &Selection::default());
        let slices = Slices {
            most: 12,
            fewest: 3,
            slice_ns: 20_000,
            burst_ns: 2_000,
            burst_operations: 3,
            budget_ns: 200_000,
            fewest_keys: 3,
            key_budget_ns: 200_000,
        };
        Self { directory, programs, contests, rounds: 2, slices, seed: 7 }
    }

    /// Other cases than the worker's own, in every program.
    pub(crate) fn with_cases(mut self, cases: &[&str]) -> Self {
        let cases: Vec<CaseId> = cases.iter().map(|case| case.parse().expect("a case")).collect();
        let selection = Selection {
            filter: Some(regex::Regex::new("").expect("a pattern")),
            bytes: cryptobench_schema::SizeChoice::All,
            ..Selection::default()
        };
        self.contests = plan(&vec![cases; self.programs.len()], &selection);
        self
    }

    /// The contests of `scenario` among `cases`, in every program.
    pub(crate) fn of_scenario(mut self, scenario: Scenario, cases: &[&str]) -> Self {
        let cases: Vec<CaseId> = cases.iter().map(|case| case.parse().expect("a case")).collect();
        let extent = Extent::Scenarios(vec![scenario]);
        let selection = Selection { extent, ..Selection::default() };
        self.contests = plan(&vec![cases; self.programs.len()], &selection);
        self
    }

    pub(crate) fn with_rounds(mut self, rounds: u32) -> Self {
        self.rounds = rounds;
        self
    }

    pub(crate) fn with_deadline(mut self, deadline: Duration) -> Self {
        self.programs.iter_mut().for_each(|it| it.deadline = deadline);
        self
    }

    fn header(&self) -> Header {
        let Slices {
            most,
            fewest,
            slice_ns,
            burst_ns,
            burst_operations,
            budget_ns,
            fewest_keys,
            key_budget_ns,
        } = self.slices;
        let settings = Settings {
            rounds: self.rounds,
            screening: 0,
            slices: most,
            fewest_slices: fewest,
            slice_ns,
            burst_ns,
            burst_operations,
            budget_ns,
            fewest_keys,
            key_budget_ns,
            ..Settings::default()
        };
        let programs = self.programs.iter().map(|program| record::Program {
            name: program.name.clone(),
            sha256: Some("0".repeat(64)),
            protocol: 1,
            environment: Environment::default(),
        });
        Header {
            format: FORMAT,
            engine: Engine::LockStep,
            started: "2026-01-01T00:00:00Z".to_owned(),
            seed: self.seed,
            settings,
            programs: programs.collect(),
            command: String::new(),
            warnings: Vec::new(),
        }
    }

    /// Runs it, and sees to it that nothing is left behind.
    pub(crate) fn run(&self) -> Ran {
        self.run_until(&AtomicBool::new(false), &mut |_| {})
    }

    /// The same until `stop` is set; `each` sees every line that is kept.
    pub(crate) fn run_until(&self, stop: &AtomicBool, each: &mut dyn FnMut(&Line)) -> Ran {
        let path = self.directory.path().join("record.json");
        let journal = Journal::create(&path, &self.header()).expect("a journal");
        self.go_on(journal, Record::new(self.header()), stop, each)
    }

    /// Goes on with what [`Self::run_until`] began.
    pub(crate) fn resume(&self, stop: &AtomicBool) -> Ran {
        let path = self.directory.path().join("record.json");
        let (journal, record) = Journal::resume(&path).expect("an interrupted run");
        self.go_on(journal, record, stop, &mut |_| {})
    }

    /// Writing to a journal also sees to it that the lines make a record.
    fn go_on(
        &self,
        mut journal: Journal,
        mut record: Record,
        stop: &AtomicBool,
        each: &mut dyn FnMut(&Line),
    ) -> Ran {
        let mut rounds = Rounds::new(&self.programs, self.seed, stop);
        rounds.resume(&record);
        let mut told = Told::default();
        let mut keep = |line: &Line| {
            journal.append(line)?;
            record.add(line.clone());
            each(line);
            Ok(())
        };
        let outcome = rounds
            .run(&self.contests, 0..self.rounds, self.slices, &mut keep, &mut told)
            .expect("a run");
        self.assert_nobody_left();
        Ran { outcome, record, told }
    }

    /// A file of this run.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// The log of a program: the requests that its processes were given, and their numbers.
    pub(crate) fn log(&self, program: usize) -> Vec<String> {
        let log = fs::read_to_string(self.directory.path().join(format!("log-{program}")));
        log.unwrap_or_default().lines().map(str::to_owned).collect()
    }

    /// The processes that were started.
    pub(crate) fn processes(&self, program: usize) -> Vec<Pid> {
        self.numbers(program, "pid ")
    }

    /// The processes that those started.
    pub(crate) fn inner_processes(&self, program: usize) -> Vec<Pid> {
        self.numbers(program, "inner ")
    }

    fn numbers(&self, program: usize, word: &str) -> Vec<Pid> {
        let number = |line: &String| line.strip_prefix(word)?.parse().ok();
        self.log(program).iter().filter_map(number).filter_map(Pid::from_raw).collect()
    }

    /// No process that was started is there any more, not even unwaited for.
    pub(crate) fn assert_nobody_left(&self) {
        for program in 0..self.programs.len() {
            for process in self.processes(program) {
                assert!(test_kill_process(process).is_err(), "{process:?} is left");
            }
            // Theirs are for init to wait for.
            for process in self.inner_processes(program) {
                let killed = Instant::now();
                while is_running(process) {
                    assert!(killed.elapsed() < LONG, "{process:?} is left");
                    thread::sleep(Duration::from_millis(1));
                }
            }
        }
    }
}

impl Ran {
    /// The cases that failed in `program`, with their reasons.
    pub(crate) fn failed(&self, program: usize) -> BTreeMap<String, String> {
        let failed = self.record.failed.iter().filter(|it| it.program == program);
        failed.map(|it| (it.id.to_string(), it.reason.clone())).collect()
    }

    /// In how many rounds each case of `program` was measured.
    pub(crate) fn rounds(&self, program: usize) -> BTreeMap<String, u32> {
        let mut rounds = BTreeMap::new();
        for measured in &self.record.measured {
            for side in measured.sides.iter().filter(|side| side.program == program) {
                let case = measured.contest.case(side.backend.clone()).to_string();
                *rounds.entry(case).or_default() += 1;
            }
        }
        rounds
    }

    /// Every contest of every round.
    pub(crate) fn measured(&self) -> BTreeMap<(String, u32), Measured> {
        let all = self.record.measured.iter();
        all.map(|it| ((it.contest.to_string(), it.round), it.clone())).collect()
    }
}
