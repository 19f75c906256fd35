//! Makes results of any size, as records and as Criterion's files of the same cases, to see how fast they are
//! read and shown. No operation is measured here: all its times are made up.

use criterion::{
    AxisScale, BenchmarkId, Criterion, PlotConfiguration, PlottingBackend, SamplingMode, Throughput,
};
use cryptobench_results::{
    ranking::{Options, rank},
    record::{
        CaseInfo, Depth, End, Engine, FORMAT, Header, Journal, Line, Measured, Program, Record,
        Settings, Side, median_log_ratio, operation_times,
    },
    statistics::median,
};
use cryptobench_schema::{
    Algorithm, BackendId, Contest, Environment, ImplementationRecord, Provenance, Unit, sizes,
};
use serde_json::json;
use std::{
    error::Error,
    fs,
    path::Path,
    time::{Duration, Instant},
};

const USAGE: &str = "\
usage: synthetic record PATH CASES ROUNDS [SEED]
       synthetic criterion DIRECTORY BASELINE CASES [SEED]
       synthetic html|noplot DIRECTORY CASES OF
       synthetic read PATH
       synthetic rank PATH

record     writes a record of CASES cases (5 backends each) in ROUNDS rounds; compressed if PATH ends in .zst
criterion  writes the same cases as Criterion's baseline BASELINE (and as `new`) below DIRECTORY
html       has Criterion analyse made-up times of the first CASES or a few more of the OF cases and write its pages
           to DIRECTORY; prints of how many cases
noplot     the same without the pages
read       reads a record ten times at each depth and prints the fastest
rank       ranks the contests of a record ten times and prints the fastest";

const BACKENDS: [&str; 5] = ["rustcrypto", "ring", "aws-lc", "openssl", "graviola"];
const SLICES: usize = 70;
const SLICE_NS: f64 = 250_000.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let seed = |at: usize| arguments.get(at).map_or(Ok(1), |seed| seed.parse::<u64>());
    match arguments[..] {
        ["record", path, cases, rounds, ..] if arguments.len() <= 5 => {
            record(path.as_ref(), cases.parse()?, rounds.parse()?, seed(4)?)
        }
        ["criterion", directory, baseline, cases, ..] if arguments.len() <= 5 => {
            criterion(directory.as_ref(), baseline, cases.parse()?, seed(4)?)
        }
        [pages @ ("html" | "noplot"), directory, cases, of] => {
            run_criterion(directory.as_ref(), cases.parse()?, of.parse()?, pages == "html")
        }
        ["read", path] => read(path.as_ref()),
        ["rank", path] => rank_ten_times(path.as_ref()),
        _ => Err(USAGE.into()),
    }
}

/// Numbers that look random (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        it ^ (it >> 31)
    }

    /// A factor within `share` of 1.
    fn factor(&mut self, share: f64) -> f64 {
        1.0 + share * (self.next() as f64 / u64::MAX as f64 * 2.0 - 1.0)
    }
}

/// Contests of messages of ever more bytes, enough for `cases` cases.
fn contests(cases: usize) -> impl Iterator<Item = Contest> {
    (1..)
        .flat_map(|size| {
            Algorithm::all()
                .flat_map(|algorithm| algorithm.operations().iter().map(move |&it| (algorithm, it)))
                .filter(|&(algorithm, operation)| {
                    sizes(algorithm, operation).is_some_and(|sizes| sizes.unit == Unit::Bytes)
                })
                .map(move |(algorithm, operation)| Contest {
                    algorithm,
                    operation,
                    size: Some(size),
                })
        })
        .take(cases.div_ceil(BACKENDS.len()))
}

/// Nanoseconds of a case, before noise.
fn time_ns(contest: Contest, backend: usize) -> f64 {
    let bytes = contest.size.unwrap_or(1) as f64;
    (60.0 + bytes * 0.4) * (1.0 + backend as f64 / 10.0)
}

fn record(path: &Path, cases: usize, rounds: u32, seed: u64) -> Result<(), Box<dyn Error>> {
    let mut random = Random(seed);
    let backends = BACKENDS.map(BackendId::fixed);
    let mut journal = Journal::create(path, &header(rounds, seed))?;
    for contest in contests(cases) {
        for backend in &backends {
            journal.append(&Line::Case(CaseInfo {
                id: contest.case(backend.clone()),
                program: 0,
                digest: Some("5e".repeat(32)),
                note: None,
            }))?;
        }
    }
    for round in 0..rounds {
        for contest in contests(cases) {
            let mut sides = Vec::new();
            let mut slices = Vec::new();
            let mut operations: Vec<Vec<f64>> = Vec::new();
            for (index, backend) in backends.iter().enumerate() {
                let expected = time_ns(contest, index) * random.factor(0.005);
                let iterations = (SLICE_NS / expected).max(1.0) as u64;
                let times: Vec<u64> = (0..SLICES)
                    .map(|_| (expected * iterations as f64 * random.factor(0.01)) as u64)
                    .collect();
                let each = operation_times(&times, &[iterations]);
                sides.push(Side {
                    program: 0,
                    backend: backend.clone(),
                    time_ns: median(&each).unwrap_or_default(),
                    iterations: vec![iterations],
                    interference: Some(random.factor(0.001) - 1.0),
                });
                slices.push(times);
                operations.push(each);
            }
            let mut log_ratios = Vec::new();
            for (first, one) in operations.iter().enumerate() {
                for other in &operations[first + 1..] {
                    log_ratios.push(median_log_ratio(other, one).unwrap_or_default());
                }
            }
            journal.append(&Line::Contest(Measured {
                contest,
                round,
                heat: None,
                sides,
                log_ratios,
                slices,
            }))?;
        }
    }
    journal.finish(End { ended: "2026-01-01T01:00:00Z".into() })?;
    Ok(())
}

fn header(rounds: u32, seed: u64) -> Header {
    let implementations = BACKENDS
        .iter()
        .map(|&name| ImplementationRecord {
            backend: BackendId::fixed(name),
            packages: Vec::new(),
            provenance: Provenance::of_crates(&[name]),
            code_sha256: None,
        })
        .collect();
    Header {
        format: FORMAT,
        engine: Engine::LockStep,
        started: "2026-01-01T00:00:00Z".into(),
        seed,
        settings: Settings {
            rounds,
            screening: 0,
            slices: SLICES as u32,
            fewest_slices: 15,
            slice_ns: SLICE_NS as u64,
            burst_ns: 20_000,
            burst_operations: 3,
            budget_ns: 100_000_000,
            fewest_keys: 15,
            key_budget_ns: 35_000_000,
            scenarios: Vec::new(),
            document: None,
            cpu: Some(1),
            filter: None,
            backends: Vec::new(),
            sizes: None,
            rsa_bits: None,
            quick: false,
        },
        programs: vec![Program {
            name: "current".into(),
            sha256: Some("c0".repeat(32)),
            protocol: 1,
            environment: Environment { implementations, ..Environment::default() },
        }],
        command: String::new(),
        warnings: vec!["these results are made up".into()],
    }
}

/// Criterion's files as version 0.8 writes them (`report.rs`, `estimate.rs`, `analysis/mod.rs` there); what is
/// neither read by critcmp nor by this suite is left out.
fn criterion(
    directory: &Path,
    baseline: &str,
    cases: usize,
    seed: u64,
) -> Result<(), Box<dyn Error>> {
    const SAMPLES: u64 = 100;
    let mut random = Random(seed);
    for contest in contests(cases) {
        for (index, backend) in BACKENDS.map(BackendId::fixed).into_iter().enumerate() {
            let group = contest.group();
            let size = contest.size.map(|size| size.to_string()).unwrap_or_default();
            // What Criterion makes of a name that is to be a directory's.
            let place = format!("{}/{backend}/{size}", group.replace('/', "_"));
            let time = time_ns(contest, index) * random.factor(0.01);
            let per_sample = (50_000_000.0 / time / (SAMPLES * SAMPLES / 2) as f64).max(1.0) as u64;
            let iters: Vec<f64> =
                (1..=SAMPLES).map(|sample| (sample * per_sample) as f64).collect();
            let times: Vec<f64> =
                iters.iter().map(|iters| iters * time * random.factor(0.02)).collect();
            let estimate = |value: f64, error: f64| {
                json!({
                    "confidence_interval": {
                        "confidence_level": 0.95,
                        "lower_bound": value - 2.0 * error,
                        "upper_bound": value + 2.0 * error,
                    },
                    "point_estimate": value,
                    "standard_error": error,
                })
            };
            let benchmark = json!({
                "group_id": group,
                "function_id": backend.as_str(),
                "value_str": size,
                "throughput": { "Bytes": contest.size },
                "full_id": contest.case(backend.clone()).to_string(),
                "directory_name": place,
                "title": contest.case(backend).to_string(),
            });
            let estimates = json!({
                "mean": estimate(time, time / 1e3),
                "median": estimate(time, time / 1e3),
                "median_abs_dev": estimate(time / 1e2, time / 1e4),
                "slope": estimate(time, time / 1e3),
                "std_dev": estimate(time / 1e2, time / 1e4),
            });
            let sample = json!({ "sampling_mode": "Linear", "iters": iters, "times": times });
            for name in ["new", baseline] {
                let place = directory.join(&place).join(name);
                fs::create_dir_all(&place)?;
                // In Criterion's order: a benchmark.json older than its sample is an interrupted case.
                fs::write(place.join("sample.json"), sample.to_string())?;
                fs::write(place.join("estimates.json"), estimates.to_string())?;
                fs::write(place.join("benchmark.json"), benchmark.to_string())?;
            }
        }
    }
    Ok(())
}

/// Criterion itself, set as benches/driver sets it, over operations that take no time but what they say they took.
fn run_criterion(
    directory: &Path,
    cases: usize,
    of: usize,
    pages: bool,
) -> Result<(), Box<dyn Error>> {
    let mut random = Random(1);
    // Criterion's own choice would be gnuplot, where that is installed.
    let criterion = Criterion::default()
        .output_directory(directory)
        .plotting_backend(PlottingBackend::Plotters)
        .measurement_time(Duration::from_millis(600))
        // By the clock, which has nothing to see here.
        .warm_up_time(Duration::from_nanos(1))
        .sample_size(50)
        .nresamples(10_000);
    let mut criterion = if pages { criterion.with_plots() } else { criterion.without_plots() };
    let mut contests: Vec<Contest> = contests(of).collect();
    contests.sort();
    let mut done = 0;
    // Whole groups: their pages take longer the more there is in them.
    for contests in contests.chunk_by(|one, other| one.group() == other.group()) {
        if done >= cases {
            break;
        }
        let mut group = criterion.benchmark_group(contests[0].group());
        group
            .sampling_mode(SamplingMode::Flat)
            .plot_config(PlotConfiguration::default().summary_scale(AxisScale::Logarithmic));
        for contest in contests {
            let size = contest.size.unwrap_or(1);
            group.throughput(Throughput::Bytes(size));
            for (index, backend) in BACKENDS.iter().enumerate() {
                let time = time_ns(*contest, index);
                group.bench_function(BenchmarkId::new(*backend, size), |bencher| {
                    bencher.iter_custom(|iterations| {
                        Duration::from_secs_f64(
                            time * iterations as f64 * random.factor(0.02) / 1e9,
                        )
                    });
                });
                done += 1;
            }
        }
        group.finish();
    }
    criterion.final_summary();
    println!("{done}");
    Ok(())
}

fn read(path: &Path) -> Result<(), Box<dyn Error>> {
    for depth in [Depth::Summary, Depth::Slices] {
        let mut fastest = f64::INFINITY;
        let mut lines = 0;
        for _ in 0..10 {
            let start = Instant::now();
            let record = Record::read(path, depth)?;
            fastest = fastest.min(start.elapsed().as_secs_f64());
            lines = record.measured.len();
        }
        println!("{depth:?}: {lines} contests and rounds in {:.1} ms", fastest * 1e3);
    }
    Ok(())
}

fn rank_ten_times(path: &Path) -> Result<(), Box<dyn Error>> {
    let record = Record::read(path, Depth::Summary)?;
    let mut fastest = f64::INFINITY;
    let mut contests = 0;
    for _ in 0..10 {
        let start = Instant::now();
        contests = rank(&record, &Options::default()).contests.len();
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    println!("{contests} contests ranked in {:.1} ms", fastest * 1e3);
    Ok(())
}
