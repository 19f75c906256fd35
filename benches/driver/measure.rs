//! Proof first, then Criterion: what happens to the selected cases.

use crate::{
    FAILED,
    listing::{Mode, bench},
    record::RecordError,
};
use criterion::{
    AxisScale, BenchmarkGroup, Criterion, PlotConfiguration, SamplingMode, Throughput,
    measurement::WallTime,
};
use cryptobench_harness::{
    Failure, Placement, Registration, Suite, Timed, guarded, panic_message, prove, proved_with,
};
use cryptobench_schema::{BackendId, CaseId, Contest, Environment, FailedCase, RanCase};
use std::{
    collections::{BTreeMap, BTreeSet},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::Path,
    process::ExitCode,
    time::{Duration, Instant, SystemTime},
};
use thiserror::Error;

/// Samples of a case.
pub(crate) const SAMPLES: usize = 50;
/// Time that all samples of a fast operation take together.
pub(crate) const MEASUREMENT: Duration = Duration::from_millis(600);
/// Operations that take longer than this for all samples get fewer of these.
const SLOW_BUDGET: Duration = Duration::from_secs(3);
/// As few as Criterion allows.
const FEWEST_SAMPLES: usize = 10;
/// Time that the generated keys of one case may take together.
const KEYGEN_BUDGET: Duration = Duration::from_secs(20);
/// Keys generated before measuring, to learn how long one takes, and the time they may take together.
const KEYGEN_TRIALS: usize = 10;
const KEYGEN_TRIAL_BUDGET: Duration = Duration::from_secs(2);
/// Fewest and most keys of a case. Criterion's analysis of more would take longer than the keys.
const KEYGEN_SAMPLES: (usize, usize) = (10, 1000);

/// What became of the selected cases.
#[derive(Debug, Default, Clone)]
pub struct Outcome {
    /// Proved and handed to Criterion, in order.
    pub ran: Vec<RanCase>,
    /// Left out.
    pub failed: Vec<FailedCase>,
}

/// Why a run could not be done as asked.
#[derive(Debug, Error)]
pub enum MeasureError {
    /// The file that says what ran could not be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Criterion gave up: a baseline that does not exist, say.
    #[error("Criterion gave up at {case}: {message}")]
    Criterion {
        /// The case at hand.
        case: CaseId,
        /// Its last words.
        message: String,
    },
}

/// What the command line says about samples and time, which then holds for slow operations too.
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// Whether anything will be timed, so that it pays to find out how long an operation takes.
    measuring: bool,
    /// Whether Criterion calls the operation at all.
    calling: bool,
    /// Whether Criterion keeps what it measures.
    keeping: bool,
    samples: Option<usize>,
    measurement: Option<Duration>,
}

impl Timing {
    /// As in `arguments`, which Criterion has accepted.
    #[must_use]
    pub fn of(arguments: &[String]) -> Self {
        let value = |flag: &str| {
            arguments.iter().enumerate().find_map(|(at, argument)| {
                let rest = argument.strip_prefix(flag)?;
                rest.strip_prefix('=')
                    .map(str::to_owned)
                    .or_else(|| arguments.get(at + 1).filter(|_| rest.is_empty()).cloned())
            })
        };
        let mode = Mode::of(arguments);
        Self {
            measuring: mode == Mode::Measure,
            calling: mode != Mode::Load,
            keeping: mode == Mode::Measure
                && !arguments.iter().any(|argument| argument == "--discard-baseline")
                // cargo-criterion keeps it elsewhere.
                && std::env::var_os("CARGO_CRITERION_PORT").is_none(),
            samples: value("--sample-size").and_then(|value| value.parse().ok()),
            measurement: value("--measurement-time")
                .and_then(|value| value.parse().ok())
                .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        }
    }
}

/// Says on standard error what is about to be measured, by which implementations, on which machine.
pub(crate) fn announce(
    name: &str,
    environment: &Environment,
    selected: &[(Contest, Vec<BackendId>)],
    suite: &Suite,
) {
    let cases: usize = selected.iter().map(|(_, backends)| backends.len()).sum();
    let backends: BTreeSet<&BackendId> = selected.iter().flat_map(|(_, them)| them).collect();
    let names: Vec<String> = backends
        .iter()
        .map(|id| {
            let record = environment.implementations.iter().find(|it| it.backend == **id);
            // The library's word for itself, or its crate's version where it is one crate.
            let version = record.and_then(|it| match (&it.provenance.version, &*it.packages) {
                (Some(version), _) => Some(version.clone()),
                (None, [package]) => Some(package.version.clone()),
                _ => None,
            });
            version.map_or_else(|| id.to_string(), |version| format!("{id} ({version})"))
        })
        .collect();
    let cpu = environment.host.cpu.model.as_deref().unwrap_or("unknown processor");
    // A hypervisor's name for a processor says little; family, model and stepping say which it is.
    let signature = environment.host.cpu.signature.as_deref().unwrap_or("unknown model");
    eprintln!("{name}: {cases} cases by {}", names.join(", "));
    eprintln!("{name}: on {cpu} ({signature}), {}", environment.build.rustc);
    let mut notes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (contest, backends) in selected {
        for id in backends {
            if let Some(note) = registration(suite, contest, id).and_then(Registration::its_note) {
                notes
                    .entry(format!("{id}: {note}"))
                    .or_default()
                    .insert(contest.algorithm.to_string());
            }
        }
    }
    for (note, algorithms) in notes {
        let algorithms: Vec<String> = algorithms.into_iter().collect();
        eprintln!("note: {} by {note}", algorithms.join(", "));
    }
}

fn registration<'a>(
    suite: &'a Suite,
    contest: &Contest,
    id: &BackendId,
) -> Option<&'a Registration> {
    suite.get(id)?.registration(contest)
}

/// Proves the `selected` cases, leaves out what fails, and hands the others to `criterion`, which writes to
/// `directory`. Before that, and after each group, `keep` is told what has become of the cases so far.
///
/// # Errors
///
/// Those of `keep`, and Criterion's. A backend that fails is no error here but an [`Outcome`].
pub fn measure(
    criterion: &mut Criterion,
    directory: &Path,
    suite: &Suite,
    selected: &[(Contest, Vec<BackendId>)],
    seed: u64,
    timing: &Timing,
    keep: &mut dyn FnMut(&Outcome) -> Result<(), RecordError>,
) -> Result<Outcome, MeasureError> {
    let mut outcome = Outcome::default();
    // Before the proof, so that a directory that cannot be written to is known at once.
    keep(&outcome)?;
    let proved = prove_all(suite, selected, &mut outcome);
    keep(&outcome)?;
    for group in proved.chunk_by(|one, other| one.contest.group() == other.contest.group()) {
        let mut criterion_group = criterion.benchmark_group(group[0].contest.group());
        criterion_group.sampling_mode(SamplingMode::Flat);
        criterion_group
            .plot_config(PlotConfiguration::default().summary_scale(AxisScale::Logarithmic));
        for case in group {
            let started = SystemTime::now();
            match measure_case(&mut criterion_group, suite, case, seed, timing) {
                Ok(ran) if !timing.keeping || kept(directory, case, started) => {
                    outcome.ran.push(ran)
                }
                Ok(_) => outcome.fail(case, &not_kept(directory)),
                Err(Stopped::Failed(failure)) => outcome.fail(case, &failure),
                Err(Stopped::Criterion(message)) => {
                    return Err(MeasureError::Criterion { case: case.clone(), message });
                }
            }
        }
        criterion_group.finish();
        keep(&outcome)?;
    }
    Ok(outcome)
}

impl Outcome {
    fn fail(&mut self, case: &CaseId, failure: &Failure) {
        eprintln!("FAILED {case}: {failure}");
        self.failed.push(FailedCase { id: case.to_string(), reason: failure.to_string() });
    }
}

fn prove_all(
    suite: &Suite,
    selected: &[(Contest, Vec<BackendId>)],
    outcome: &mut Outcome,
) -> Vec<CaseId> {
    let start = Instant::now();
    let all: Vec<BackendId> = suite.backends().iter().map(|it| it.id().clone()).collect();
    // Contests that are proved together are proved once.
    let mut proofs = BTreeMap::new();
    let mut proved = Vec::new();
    for (contest, backends) in selected {
        let proofs = proofs
            .entry(proved_with(contest))
            .or_insert_with_key(|contest| prove(suite, contest, &all));
        for (backend, proof) in proofs.iter().filter(|(backend, _)| backends.contains(backend)) {
            let case = contest.case(backend.clone());
            match proof {
                Ok(_) => proved.push(case),
                Err(failure) => outcome.fail(&case, failure),
            }
        }
    }
    eprintln!("proved {} cases in {:.1} s", proved.len(), start.elapsed().as_secs_f64());
    proved
}

/// Whether Criterion has written its estimates of `case` since `started`. It reports trouble with files, and
/// then goes on as if there had been none.
fn kept(directory: &Path, case: &CaseId, started: SystemTime) -> bool {
    let mut path = directory.join(case.contest.group().replace('/', "_"));
    path.push(case.backend.as_str());
    path.extend(case.contest.size.map(|size| size.to_string()));
    path.push("new/estimates.json");
    // File systems count time more coarsely than the clock.
    path.metadata()
        .and_then(|file| file.modified())
        .is_ok_and(|modified| modified + Duration::from_secs(2) >= started)
}

fn not_kept(directory: &Path) -> Failure {
    Failure::Library {
        call: "Criterion",
        error: format!("its results are not in {}; see its messages above", directory.display()),
    }
}

/// Why a case was not measured.
enum Stopped {
    /// The backend's doing.
    Failed(Failure),
    /// Criterion's.
    Criterion(String),
}

impl From<Failure> for Stopped {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// A failure while Criterion was timing: carried out of it by unwinding, since it has no other way out.
struct WhileTiming(Failure);

fn measure_case(
    group: &mut BenchmarkGroup<'_, WallTime>,
    suite: &Suite,
    case: &CaseId,
    seed: u64,
    timing: &Timing,
) -> Result<RanCase, Stopped> {
    let contest = &case.contest;
    let registration = registration(suite, contest, &case.backend)
        .ok_or_else(|| Failure::unsupported("not registered"))?;
    let mut timed = guarded(|| registration.timed(contest))?;
    // One untimed call: self-tests and processor detection of a library run in its first.
    guarded(|| timed.time(1, Placement::drawn(seed)))?;
    if timing.measuring {
        adapt(group, contest, timed.as_mut(), seed, timing)?;
    }
    if let Some(bytes) = contest.bytes() {
        group.throughput(Throughput::Bytes(bytes));
    }
    let mut turn = seed;
    let mut called = false;
    let criterion = || {
        bench(group, case, |bencher| {
            bencher.iter_custom(|iterations| {
                turn = turn.wrapping_add(1);
                called = true;
                guarded(|| timed.time(iterations, Placement::drawn(turn)))
                    .unwrap_or_else(|failure| resume_unwind(Box::new(WhileTiming(failure))))
            });
        });
    };
    if let Err(panic) = catch_unwind(AssertUnwindSafe(criterion)) {
        return Err(match panic.downcast::<WhileTiming>() {
            Ok(failure) => Stopped::Failed(failure.0),
            Err(panic) => Stopped::Criterion(panic_message(panic.as_ref())),
        });
    }
    if timing.calling && !called {
        return Err(Failure::unsupported("Criterion did not run it").into());
    }
    // What was timed still computes the right thing, or the time was for something else.
    guarded(|| timed.check())?;
    Ok(RanCase { id: case.to_string(), note: registration.its_note().map(str::to_owned) })
}

/// Sets samples and time for operations that are slow, and for key generation, one key a sample.
fn adapt(
    group: &mut BenchmarkGroup<'_, WallTime>,
    contest: &Contest,
    timed: &mut dyn Timed,
    seed: u64,
    timing: &Timing,
) -> Result<(), Failure> {
    let measurement = timing.measurement.unwrap_or(MEASUREMENT);
    let (samples, measurement) = if contest.makes_rsa_key() {
        let key = mean_key(timed, seed)?;
        let affordable = KEYGEN_BUDGET.as_nanos() / key.as_nanos().max(1);
        let samples = timing.samples.unwrap_or_else(|| {
            usize::try_from(affordable)
                .unwrap_or(usize::MAX)
                .clamp(KEYGEN_SAMPLES.0, KEYGEN_SAMPLES.1)
        });
        // Criterion divides this time by the number of samples and by its own estimate of one iteration,
        // and rounds up: a sixteenth of a key each makes that one iteration a sample, whatever the luck of
        // its warm-up.
        (samples, key * u32::try_from(samples).unwrap_or(u32::MAX) / 16)
    } else {
        // Time for one iteration a sample at least; asking for less makes Criterion warn.
        let once = guarded(|| timed.time(1, Placement::drawn(seed)))?;
        let affordable = SLOW_BUDGET.as_nanos() / once.as_nanos().max(1);
        let samples = timing.samples.unwrap_or_else(|| {
            usize::try_from(affordable).unwrap_or(usize::MAX).clamp(FEWEST_SAMPLES, SAMPLES)
        });
        let least = once * u32::try_from(samples).unwrap_or(u32::MAX) * 5 / 4;
        (samples, measurement.max(least))
    };
    group.sample_size(samples);
    group.measurement_time(measurement.max(Duration::from_nanos(1)));
    Ok(())
}

/// The mean time of a few keys.
fn mean_key(timed: &mut dyn Timed, seed: u64) -> Result<Duration, Failure> {
    let mut total = Duration::ZERO;
    let mut keys = 0;
    while keys < KEYGEN_TRIALS && (keys < 2 || total < KEYGEN_TRIAL_BUDGET) {
        total += guarded(|| timed.time(1, Placement::drawn(seed.wrapping_add(keys as u64))))?;
        keys += 1;
    }
    Ok(total / u32::try_from(keys).unwrap_or(1))
}

/// Says what failed and, where there are any, where the results are, and turns it into an exit code.
pub(crate) fn conclude(name: &str, outcome: &Outcome, results: Option<&Path>) -> ExitCode {
    if let Some(directory) = results {
        let report = directory.join("report/index.html");
        if report.exists() {
            eprintln!("{name}: report in {}", report.display());
        }
        let record = directory.join(format!("cryptobench/{name}.json"));
        eprintln!("{name}: what ran, on what machine, in {}", record.display());
    }
    if outcome.failed.is_empty() {
        eprintln!("{name}: {} cases done", outcome.ran.len());
        return ExitCode::SUCCESS;
    }
    eprintln!(
        "{name}: {} cases done, {} FAILED and left out:",
        outcome.ran.len(),
        outcome.failed.len()
    );
    for failed in &outcome.failed {
        eprintln!("  {}: {}", failed.id, failed.reason);
    }
    if results.is_some() {
        eprintln!("{name}: what the report shows of them is from an earlier run");
    }
    ExitCode::from(FAILED)
}
