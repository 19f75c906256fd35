//! The reader of Criterion's files, against files that the pinned Criterion wrote and what can become of them.
//! Constant times stand for measured ones.

use cryptobench_results::{
    criterion::{ImportError, Imported, LeftOut, Problem, import},
    record::{Engine, Measured},
};
use cryptobench_schema::{
    BenchRun, Build, Clock, Cpu, Environment, FailedCase, Host, RanCase, Revision,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
    time::{Duration, SystemTime},
};
use tempfile::TempDir;

const RING: &str = "aes-256-gcm/seal/ring/1024";
const OPENSSL: &str = "aes-256-gcm/seal/openssl/1024";
const DERIVE: &str = "ecdh-p256/derive/ring";

const SAMPLES: usize = 10;

/// Criterion's warm-up goes by its own clock, and doubles the iterations until that has moved on.
fn warm_up() {
    std::thread::sleep(Duration::from_micros(20));
}

/// What Criterion writes of `ids`, one after another in one process.
fn bench(directory: &Path, ids: &[&str]) {
    bench_with(directory, ids, |it| it);
}

fn bench_with(
    directory: &Path,
    ids: &[&str],
    configure: impl FnOnce(criterion::Criterion) -> criterion::Criterion,
) {
    let mut criterion = configure(
        criterion::Criterion::default()
            .output_directory(directory)
            .without_plots()
            .sample_size(SAMPLES)
            .nresamples(1000)
            .warm_up_time(Duration::from_micros(10))
            .measurement_time(Duration::from_millis(10)),
    );
    for id in ids {
        let parts: Vec<&str> = id.split('/').collect();
        let mut group = criterion.benchmark_group(parts[..2].join("/"));
        group.sampling_mode(criterion::SamplingMode::Flat);
        let mut turn = 0;
        let mut function = |bencher: &mut criterion::Bencher<'_>| {
            bencher.iter_custom(|iterations| {
                turn += 1;
                warm_up();
                Duration::from_nanos(iterations * (100 + turn % 3))
            });
        };
        match parts[2..] {
            [backend, size] => {
                group.bench_function(criterion::BenchmarkId::new(backend, size), &mut function)
            }
            [backend] => group.bench_function(backend, &mut function),
            _ => panic!("{id} is of another shape"),
        };
        group.finish();
    }
}

/// The time `seconds` ago, as the driver writes it.
fn ago(seconds: u64) -> String {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    humantime::format_rfc3339_seconds(time).to_string()
}

/// A run of `target` in which `ids` ran, as the driver writes it. It began half a minute ago, so that what
/// was written before is of this run even where the machine is slow.
fn run(target: &str, ids: &[&str]) -> BenchRun {
    BenchRun {
        format: BenchRun::FORMAT,
        target: target.to_owned(),
        arguments: vec!["--bench".to_owned()],
        started: ago(30),
        ended: Some(ago(0)),
        clock: Clock { cost_ns: 20 },
        seed: 7,
        ran: ids.iter().map(|&id| RanCase { id: id.to_owned(), note: None }).collect(),
        failed: Vec::new(),
        environment: Environment {
            host: Host {
                cpu: Cpu {
                    model: Some("A processor".to_owned()),
                    flags: vec!["aes".to_owned(), "avx2".to_owned()],
                    ..Cpu::default()
                },
                load: Some(0.5),
                ..Host::default()
            },
            build: Build { rustc: "rustc 1.95.0".to_owned(), ..Build::default() },
            ..Environment::default()
        },
    }
}

/// Writes `run` into `directory`, and says where.
fn write(directory: &Path, run: &BenchRun) -> PathBuf {
    let path = directory.join("cryptobench").join(format!("{}.json", run.target));
    fs::create_dir_all(path.parent().expect("a directory")).expect("created");
    fs::write(&path, serde_json::to_vec_pretty(run).expect("JSON")).expect("written");
    path
}

/// A directory in which target `aead` ran [`RING`], [`OPENSSL`] and [`DERIVE`].
fn whole() -> TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    bench(directory.path(), &[RING, OPENSSL, DERIVE]);
    write(directory.path(), &run("aead", &[RING, OPENSSL, DERIVE]));
    directory
}

/// Criterion's directory of `id`'s last measurement.
fn new(directory: &Path, id: &str) -> PathBuf {
    let (algorithm, rest) = id.split_once('/').expect("an id");
    directory.join(format!("{algorithm}_{rest}")).join("new")
}

fn imported(directory: &TempDir) -> Imported {
    import(directory.path()).unwrap_or_else(|error| panic!("no record: {error}"))
}

/// The ids of a record's cases.
fn ids(imported: &Imported) -> Vec<String> {
    imported.record.cases.iter().map(|case| case.id.to_string()).collect()
}

/// The one thing that was left out.
fn only(imported: &Imported) -> &LeftOut {
    match &*imported.left_out {
        [only] => only,
        other => panic!("not one thing left out: {other:?}"),
    }
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).expect("a file")).expect("JSON")
}

fn write_json(path: &Path, value: &Value) {
    fs::write(path, value.to_string()).expect("written");
}

/// Makes `path` older by `seconds`.
fn age(path: &Path, seconds: u64) {
    let file = fs::File::options().append(true).open(path).expect("a file");
    let modified = file.metadata().and_then(|it| it.modified()).expect("its time");
    file.set_modified(modified - Duration::from_secs(seconds)).expect("aged");
}

#[test]
fn a_run_becomes_a_record() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    bench(directory.path(), &[RING, OPENSSL, DERIVE]);
    // Again, so that there is something to compare with, and a named baseline.
    bench(directory.path(), &[RING]);
    bench_with(directory.path(), &[DERIVE], |it| it.save_baseline("old".to_owned()));
    let mut run = run("aead", &[RING, OPENSSL, DERIVE]);
    run.ran[1].note = Some("through the C interface".to_owned());
    run.failed = vec![FailedCase {
        id: "aes-256-gcm/seal/graviola/1024".to_owned(),
        reason: "wrong tag".to_owned(),
    }];
    run.arguments = vec!["seal|derive".to_owned(), "--bench".to_owned()];
    write(directory.path(), &run);

    let imported = imported(&directory);
    assert!(imported.left_out.is_empty(), "{:?}", imported.left_out);
    let record = &imported.record;
    assert_eq!(record.header.engine, Engine::Criterion);
    assert_eq!((&record.header.started, record.header.seed), (&run.started, 7));
    assert_eq!(record.end.as_ref().map(|it| &it.ended), run.ended.as_ref());
    assert!(record.header.warnings.is_empty(), "{:?}", record.header.warnings);
    assert_eq!(record.header.settings.filter.as_deref(), Some("seal|derive"));
    assert_eq!((record.header.settings.slices, record.header.settings.quick), (10, false));
    let [program] = &*record.header.programs else { panic!("not one program") };
    assert_eq!((&*program.name, &program.sha256, program.protocol), ("criterion", &None, 0));
    assert_eq!(program.environment, run.environment);

    assert_eq!(ids(&imported), [RING, OPENSSL, DERIVE]);
    let notes: Vec<_> = record.cases.iter().map(|case| case.note.as_deref()).collect();
    assert_eq!(notes, [None, Some("through the C interface"), None]);
    assert_eq!(record.failed[0].id.to_string(), "aes-256-gcm/seal/graviola/1024");
    assert_eq!(record.failed[0].reason, "wrong tag");

    let [seal, derive] = &*record.measured else { panic!("not two contests") };
    assert_eq!(seal.contest.to_string(), "aes-256-gcm/seal/1024");
    assert_eq!(derive.contest.to_string(), "ecdh-p256/derive");
    let backends: Vec<&str> = seal.sides.iter().map(|side| side.backend.as_str()).collect();
    assert_eq!(backends, ["ring", "openssl"]);
    for Measured { round, sides, log_ratios, slices, .. } in [seal, derive] {
        assert_eq!((*round, log_ratios.is_empty()), (0, true));
        for (side, slices) in sides.iter().zip(slices) {
            assert_eq!((side.iterations.len(), slices.len()), (1, SAMPLES));
            assert!((100.0..=102.0).contains(&side.time_ns), "{}", side.time_ns);
            for slice in slices {
                assert!((100..=102).contains(&(slice / side.iterations[0])), "{slice}");
            }
        }
    }
    let estimates = json(&new(directory.path(), RING).join("estimates.json"));
    assert_eq!(estimates["median"]["point_estimate"].as_f64(), Some(seal.sides[0].time_ns));
    // What was made is a record that can be written.
    serde_json::to_string(&record.measured).expect("JSON");
}

#[test]
fn samples_of_rising_iterations_keep_them() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut criterion = criterion::Criterion::default()
        .output_directory(directory.path())
        .without_plots()
        .sample_size(SAMPLES)
        .nresamples(1000)
        .warm_up_time(Duration::from_micros(10))
        .measurement_time(Duration::from_millis(10));
    let mut group = criterion.benchmark_group("aes-256-gcm/seal");
    group.sampling_mode(criterion::SamplingMode::Linear);
    group.bench_function(criterion::BenchmarkId::new("ring", 1024), |bencher| {
        bencher.iter_custom(|iterations| {
            warm_up();
            Duration::from_nanos(iterations * 100)
        });
    });
    group.finish();
    write(directory.path(), &run("aead", &[RING]));
    let imported = imported(&directory);
    let measured = &imported.record.measured[0];
    assert_eq!(measured.sides[0].iterations.len(), SAMPLES);
    for (iterations, slice) in measured.sides[0].iterations.iter().zip(&measured.slices[0]) {
        assert_eq!(iterations * 100, *slice);
    }
}

/// Criterion cuts names of directories, and numbers those that are then the same.
#[test]
fn directories_are_not_read_for_ids() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let long = |last| format!("aes-256-gcm/seal/{}{last}/16", "a".repeat(64));
    let [one, other] = [long("one"), long("other")];
    bench(directory.path(), &[&one, &other]);
    write(directory.path(), &run("aead", &[&other, &one]));
    let imported = imported(&directory);
    assert!(imported.left_out.is_empty(), "{:?}", imported.left_out);
    assert_eq!(ids(&imported), [other, one]);
}

#[test]
fn what_no_run_lists_is_not_taken() {
    let directory = whole();
    bench(directory.path(), &["other/thing/entirely"]);
    write(directory.path(), &run("aead", &[OPENSSL]));
    let imported = imported(&directory);
    assert!(imported.left_out.is_empty(), "{:?}", imported.left_out);
    assert_eq!(ids(&imported), [OPENSSL]);
}

#[test]
fn two_samples_are_marked() {
    let directory = whole();
    let mut run = run("aead", &[RING, OPENSSL]);
    run.ran[0].note = Some("a note".to_owned());
    write(directory.path(), &run);
    for id in [RING, OPENSSL] {
        let new = new(directory.path(), id);
        // As `--quick` has it.
        let sample =
            json!({"sampling_mode": "Linear", "iters": [8.0, 16.0], "times": [800.0, 1632.0]});
        write_json(&new.join("sample.json"), &sample);
        let mut estimates = json(&new.join("estimates.json"));
        estimates["median"]["point_estimate"] = json!(101.0);
        write_json(&new.join("estimates.json"), &estimates);
    }
    let imported = imported(&directory);
    assert!(imported.left_out.is_empty(), "{:?}", imported.left_out);
    let notes: Vec<_> = imported.record.cases.iter().map(|it| it.note.as_deref()).collect();
    assert_eq!(notes, [Some("a note; two samples: --quick"), Some("two samples: --quick")]);
    assert!(imported.record.header.settings.quick);
    assert_eq!(imported.record.measured[0].sides[0].iterations, [8, 16]);
}

/// Spoils one file of [`RING`], and returns what is left out in consequence: the others never are.
fn spoiled(name: &str, spoil: impl FnOnce(&Path)) -> Vec<LeftOut> {
    let directory = whole();
    let path = new(directory.path(), RING).join(name);
    spoil(&path);
    let imported = imported(&directory);
    assert_eq!(ids(&imported), [OPENSSL, DERIVE]);
    assert_eq!(imported.record.measured.len(), 2);
    for left_out in &imported.left_out {
        let text = left_out.to_string();
        assert!(text.contains(directory.path().to_str().expect("text")), "{text}");
    }
    imported.left_out
}

/// The same where [`RING`] is known to be what was left out, because of that file.
fn spoiled_case(name: &str, spoil: impl FnOnce(&Path)) -> Problem {
    let mut left_out = spoiled(name, spoil);
    assert_eq!(left_out.len(), 1, "{left_out:?}");
    let LeftOut { path, id, problem } = left_out.remove(0);
    assert!(path.ends_with(Path::new("new").join(name)), "{}", path.display());
    assert_eq!(id.as_deref(), Some(RING));
    problem
}

fn truncate(path: &Path) {
    let bytes = fs::read(path).expect("a file");
    fs::write(path, &bytes[..bytes.len() / 2]).expect("written");
}

fn empty(path: &Path) {
    fs::write(path, b"").expect("written");
}

#[test]
fn bad_files_of_a_case_leave_it_out() {
    for name in ["sample.json", "estimates.json"] {
        let problem = spoiled_case(name, empty);
        assert!(matches!(problem, Problem::Empty), "{problem}");
        let problem = spoiled_case(name, truncate);
        assert!(matches!(problem, Problem::Corrupt(_)), "{problem}");
        let problem = spoiled_case(name, |path| fs::write(path, "[]").expect("written"));
        assert!(matches!(problem, Problem::Corrupt(_)), "{problem}");
        let problem = spoiled_case(name, |path| fs::write(path, b"\xff\0").expect("written"));
        assert!(matches!(problem, Problem::Corrupt(_)), "{problem}");
        let problem = spoiled_case(name, |path| fs::remove_file(path).expect("removed"));
        assert!(matches!(problem, Problem::Missing), "{problem}");
        let problem = spoiled_case(name, |path| {
            fs::remove_file(path).expect("removed");
            fs::create_dir(path).expect("created");
        });
        assert!(matches!(problem, Problem::NotAFile), "{problem}");
        let problem = spoiled_case(name, |path| {
            fs::File::options()
                .write(true)
                .open(path)
                .and_then(|file| file.set_len(1 << 40))
                .expect("a sparse file");
        });
        assert!(matches!(problem, Problem::TooLarge { .. }), "{problem}");
        let problem = spoiled_case(name, |path| age(path, 60));
        assert!(matches!(problem, Problem::Older { .. }), "{problem}");
    }
}

#[test]
fn numbers_that_cannot_be_leave_a_case_out() {
    let change = |field: &'static str, value: Value| {
        spoiled_case("sample.json", |path| {
            let mut sample = json(path);
            sample[field][3] = value;
            write_json(path, &sample);
        })
    };
    for value in [json!(0.0), json!(-5.0), json!(0.3), json!(1e300)] {
        let problem = change("times", value);
        assert!(matches!(problem, Problem::Nanoseconds { index: 3, .. }), "{problem}");
    }
    for value in [json!(0.0), json!(-5.0), json!(1.5), json!(1e300)] {
        let problem = change("iters", value);
        assert!(matches!(problem, Problem::Iterations { index: 3, .. }), "{problem}");
    }
    // How serde_json writes what is not finite.
    for field in ["times", "iters"] {
        let problem = change(field, Value::Null);
        assert!(matches!(problem, Problem::Corrupt(_)), "{problem}");
    }
    let problem = spoiled_case("sample.json", |path| {
        let text = json(path).to_string().replacen("[", "[1e999,", 1);
        fs::write(path, text).expect("written");
    });
    assert!(matches!(problem, Problem::Corrupt(_)), "{problem}");
    let problem = spoiled_case("sample.json", |path| {
        let mut sample = json(path);
        sample["times"].as_array_mut().expect("times").pop();
        write_json(path, &sample);
    });
    assert!(matches!(problem, Problem::Lengths { iterations: 10, times: 9 }), "{problem}");
    for count in [0, 1] {
        let problem = spoiled_case("sample.json", |path| {
            let mut sample = json(path);
            for field in ["times", "iters"] {
                sample[field].as_array_mut().expect("numbers").truncate(count);
            }
            write_json(path, &sample);
        });
        assert!(matches!(problem, Problem::Samples { .. }), "{problem}");
    }
    let problem = spoiled_case("estimates.json", |path| {
        let mut estimates = json(path);
        estimates["median"]["point_estimate"] = json!(107.0);
        write_json(path, &estimates);
    });
    assert!(matches!(problem, Problem::Median { .. }), "{problem}");
}

/// Then nothing says whose data they are; that the run has a case without data is known from the run.
#[test]
fn a_bad_benchmark_file_leaves_its_case_out() {
    let spoils: [(fn(&Path), fn(&Problem) -> bool); 5] = [
        (empty, |it| matches!(it, Problem::Empty)),
        (truncate, |it| matches!(it, Problem::Corrupt(_))),
        (
            |path| fs::write(path, "{\"full_id\": 5}").expect("written"),
            |it| matches!(it, Problem::Corrupt(_)),
        ),
        (
            |path| fs::write(path, b"{\"full_id\": \"\xff\"}").expect("written"),
            |it| matches!(it, Problem::Corrupt(_)),
        ),
        // As an interrupted first measurement leaves it.
        (|path| fs::remove_file(path).expect("removed"), |it| matches!(it, Problem::Unfinished)),
    ];
    for (spoil, is) in spoils {
        let left_out = spoiled("benchmark.json", spoil);
        let [file, case] = &*left_out else { panic!("{left_out:?}") };
        assert!(file.id.is_none() && is(&file.problem), "{file}");
        assert_eq!(case.id.as_deref(), Some(RING));
        assert!(matches!(case.problem, Problem::NoData), "{case}");
        assert!(case.path.ends_with("cryptobench/aead.json"), "{case}");
    }
}

#[test]
fn an_interrupted_case_is_reported() {
    // Listed, as when a second run of the same target was stopped before it wrote anything.
    let problem = spoiled("benchmark.json", |path| age(path, 10));
    let [LeftOut { path, id, problem }] = &*problem else { panic!("{problem:?}") };
    assert!(path.ends_with("new/sample.json"), "{}", path.display());
    assert_eq!(id.as_deref(), Some(RING));
    assert!(matches!(problem, Problem::Interrupted), "{problem}");
    // Not listed, which is usual; its data would be older than the run, too.
    let directory = whole();
    write(directory.path(), &run("aead", &[OPENSSL, DERIVE]));
    age(&new(directory.path(), RING).join("benchmark.json"), 10);
    let imported = imported(&directory);
    let left_out = only(&imported);
    assert_eq!(left_out.id.as_deref(), Some(RING));
    assert!(matches!(left_out.problem, Problem::Interrupted), "{left_out}");
}

#[test]
fn times_of_files_may_be_a_little_off() {
    let directory = whole();
    age(&new(directory.path(), RING).join("benchmark.json"), 1);
    assert!(imported(&directory).left_out.is_empty());
}

#[test]
fn data_of_an_earlier_run_are_left_out() {
    let directory = whole();
    let mut later = run("aead", &[RING, OPENSSL, DERIVE]);
    later.started =
        humantime::format_rfc3339_seconds(SystemTime::now() + Duration::from_secs(60)).to_string();
    write(directory.path(), &later);
    let imported = imported(&directory);
    assert!(imported.record.measured.is_empty());
    assert_eq!(imported.left_out.len(), 3);
    for left_out in &imported.left_out {
        assert!(matches!(left_out.problem, Problem::Older { .. }), "{left_out}");
        assert!(left_out.to_string().contains(&later.started), "{left_out}");
    }
}

#[test]
fn cases_without_data_and_what_is_no_case_are_reported() {
    let directory = whole();
    let absent = "aes-256-gcm/seal/graviola/1024";
    write(directory.path(), &run("aead", &[RING, absent, "scribble", RING]));
    let imported = imported(&directory);
    assert_eq!(ids(&imported), [RING]);
    let [one, other] = &*imported.left_out else { panic!("{:?}", imported.left_out) };
    assert!(one.id.as_deref() == Some(absent) && matches!(one.problem, Problem::NoData), "{one}");
    assert!(matches!(other.problem, Problem::Id(_)), "{other}");
}

/// What failed after it was measured has data too.
#[test]
fn a_case_that_failed_is_not_taken() {
    let directory = whole();
    let mut run = run("aead", &[RING, OPENSSL]);
    run.failed.push(FailedCase { id: RING.to_owned(), reason: "another tag".to_owned() });
    write(directory.path(), &run);
    let imported = imported(&directory);
    assert_eq!(ids(&imported), [OPENSSL]);
    assert_eq!(imported.record.failed.len(), 1);
}

#[test]
fn ids_that_collide_are_left_out() {
    let directory = whole();
    let copy = directory.path().join("copy");
    fs::create_dir_all(copy.join("new")).expect("created");
    for name in ["benchmark.json", "sample.json", "estimates.json"] {
        let from = new(directory.path(), RING).join(name);
        fs::copy(from, copy.join("new").join(name)).expect("copied");
    }
    let imported = imported(&directory);
    assert_eq!(ids(&imported), [OPENSSL, DERIVE]);
    let [one, other] = &*imported.left_out else { panic!("{:?}", imported.left_out) };
    for (left_out, partner) in [(one, other), (other, one)] {
        assert_eq!(left_out.id.as_deref(), Some(RING));
        let Problem::Collides { other } = &left_out.problem else { panic!("{left_out}") };
        assert_eq!(other, &partner.path);
    }
}

/// Criterion then copies each file onto itself, which on most systems empties it.
#[test]
fn a_baseline_called_new_gives_no_numbers_of_empty_files() {
    let directory = whole();
    bench_with(directory.path(), &[RING], |it| it.save_baseline("new".to_owned()));
    let empty = fs::read(new(directory.path(), RING).join("benchmark.json"))
        .is_ok_and(|bytes| bytes.is_empty());
    let imported = imported(&directory);
    assert_eq!(ids(&imported).contains(&RING.to_owned()), !empty);
    let reported = imported.left_out.iter().any(|it| matches!(it.problem, Problem::Empty));
    assert_eq!(reported, empty, "{:?}", imported.left_out);
}

#[test]
fn several_targets_are_one_program() {
    let directory = whole();
    let mut aead = run("aead", &[RING, OPENSSL]);
    aead.environment.host.load = Some(3.0);
    write(directory.path(), &aead);
    write(directory.path(), &run("ecdh", &[DERIVE]));
    let imported = imported(&directory);
    assert_eq!(ids(&imported), [RING, OPENSSL, DERIVE]);
    assert_eq!(imported.record.header.programs.len(), 1);
    assert!(imported.record.header.warnings.is_empty());
}

#[test]
fn what_was_not_one_run_is_said() {
    let directory = whole();
    let mut before = run("aead", &[RING, OPENSSL]);
    before.started = ago(7230);
    before.ended = Some(ago(7230));
    before.arguments.push("seal".to_owned());
    write(directory.path(), &before);
    let after = run("ecdh", &[DERIVE]);
    write(directory.path(), &after);
    let record = imported(&directory).record;
    assert_eq!(record.header.started, before.started);
    assert_eq!(record.end.map(|it| it.ended), after.ended);
    assert_eq!(record.header.settings.filter, None);
    let [gap, filter] = &*record.header.warnings else { panic!("{:?}", record.header.warnings) };
    assert!(gap.contains("ecdh began 2h after aead had ended"), "{gap}");
    assert!(filter.contains("`seal` of aead, all of ecdh"), "{filter}");
}

#[test]
fn an_interrupted_run_gives_what_it_finished() {
    let directory = whole();
    let mut run = run("aead", &[RING]);
    run.ended = None;
    write(directory.path(), &run);
    let imported = imported(&directory);
    assert_eq!(ids(&imported), [RING]);
    assert!(imported.left_out.is_empty());
    let [warning] = &*imported.record.header.warnings else { panic!("not one warning") };
    assert!(warning.contains("aead did not end"), "{warning}");
    assert_eq!(imported.record.end.map(|it| it.ended), Some(run.started));
}

#[test]
fn a_case_of_two_targets_is_the_later_ones() {
    let directory = whole();
    let mut before = run("aead-before", &[RING, OPENSSL]);
    before.started = "2020-01-01T00:00:00Z".to_owned();
    before.ran[0].note = Some("before".to_owned());
    write(directory.path(), &before);
    write(directory.path(), &run("aead", &[RING]));
    let imported = imported(&directory);
    assert_eq!(ids(&imported), [OPENSSL, RING]);
    assert!(imported.record.cases.iter().all(|case| case.note.is_none()));
}

/// What is the matter where another target's run has `change`.
fn mixed(change: impl FnOnce(&mut BenchRun)) -> String {
    let directory = whole();
    let mut other = run("ecdh", &[DERIVE]);
    change(&mut other);
    write(directory.path(), &other);
    let error = import(directory.path()).expect_err("no record");
    let text = error.to_string();
    assert!(text.contains("aead.json") && text.contains("ecdh.json"), "{text}");
    let machines = matches!(error, ImportError::Machines(_));
    assert!(machines || matches!(error, ImportError::Programs(_)), "{text}");
    assert_eq!(machines, text.contains("two machines"), "{text}");
    text
}

#[test]
fn two_machines_are_no_record() {
    let text = mixed(|run| {
        run.environment.host.cpu.boost = Some(true);
        run.environment.host.cpu.model = Some("Another".to_owned());
        run.environment.build.rustc = "rustc 1.96.0".to_owned();
    });
    assert!(text.contains("host.cpu.model is `A processor` in"), "{text}");
    let text = mixed(|run| drop(run.environment.host.cpu.flags.pop()));
    assert!(text.contains("host.cpu.flags[1]"), "{text}");
    let text = mixed(|run| run.environment.host.cpu.signature = Some("6/143/8".to_owned()));
    assert!(text.contains("host.cpu.signature"), "{text}");
    let text = mixed(|run| run.environment.host.cpu.governor = Some("powersave".to_owned()));
    assert!(text.contains("host.cpu.governor"), "{text}");
}

#[test]
fn two_builds_are_no_record() {
    let text = mixed(|run| run.environment.build.rustc = "rustc 1.96.0".to_owned());
    assert!(text.contains("two programs") && text.contains("build.rustc is `rustc 1.95.0`"));
    let text = mixed(|run| run.environment.build.lock_sha256 = "00".to_owned());
    assert!(text.contains("build.lock_sha256"), "{text}");
    let text = mixed(|run| run.environment.build.profile = "debug".to_owned());
    assert!(text.contains("build.profile"), "{text}");
    let text = mixed(|run| run.environment.build.rustflags = vec!["-Clto".to_owned()]);
    assert!(text.contains("build.rustflags[0] is not there"), "{text}");
    let text = mixed(|run| {
        run.environment.revision = Some(Revision { commit: "0".to_owned(), dirty: true });
    });
    assert!(text.contains("revision"), "{text}");
    let text = mixed(|run| {
        let variables = &mut run.environment.variables;
        variables.insert("OPENSSL_ia32cap".to_owned(), "0".to_owned());
    });
    assert!(text.contains("variables.OPENSSL_ia32cap is not there"), "{text}");
}

#[test]
fn a_target_stopped_before_its_first_case_mixes_nothing() {
    let directory = whole();
    let mut other = run("ecdh", &[]);
    other.ended = None;
    other.environment.build.rustc = "rustc 1.96.0".to_owned();
    write(directory.path(), &other);
    let imported = imported(&directory);
    assert_eq!(ids(&imported), [RING, OPENSSL, DERIVE]);
    assert_eq!(imported.record.header.programs[0].environment.build.rustc, "rustc 1.95.0");
    assert!(imported.record.header.warnings[0].contains("ecdh did not end"));
}

#[test]
fn a_bad_run_is_left_out_and_the_others_are_not() {
    let spoils: [(fn(&Path), fn(&Problem) -> bool); 8] = [
        (empty, |it| matches!(it, Problem::Empty)),
        (truncate, |it| matches!(it, Problem::Corrupt(_))),
        (
            |path| fs::write(path, b"\xff\xfe\0").expect("written"),
            |it| matches!(it, Problem::Corrupt(_)),
        ),
        (
            |path| fs::write(path, "[".repeat(1 << 20)).expect("written"),
            |it| matches!(it, Problem::Corrupt(_)),
        ),
        // Nothing but the format is what this version knows.
        (
            |path| fs::write(path, "{\"format\": 2}").expect("written"),
            |it| matches!(it, Problem::Format { found: 2 }),
        ),
        (
            |path| {
                fs::rename(path, path.with_file_name("copy of ecdh.json")).expect("renamed");
            },
            |it| matches!(it, Problem::Renamed { .. }),
        ),
        (
            |path| {
                let mut run = json(path);
                run["started"] = json!("yesterday");
                write_json(path, &run);
            },
            |it| matches!(it, Problem::Time { .. }),
        ),
        (
            |path| {
                fs::remove_file(path).expect("removed");
                fs::create_dir(path).expect("created");
            },
            |it| matches!(it, Problem::NotAFile),
        ),
    ];
    let directory = whole();
    for (spoil, is) in spoils {
        let _ = fs::remove_dir_all(directory.path().join("cryptobench"));
        write(directory.path(), &run("aead", &[RING]));
        spoil(&write(directory.path(), &run("ecdh", &[DERIVE])));
        let imported = imported(&directory);
        assert_eq!(ids(&imported), [RING]);
        let left_out = only(&imported);
        assert!(is(&left_out.problem), "{left_out}");
        assert!(left_out.to_string().contains("ecdh.json"), "{left_out}");

        // With no other there is nothing to go by.
        fs::remove_file(directory.path().join("cryptobench/aead.json")).expect("removed");
        let error = import(directory.path()).expect_err("no record");
        assert!(matches!(error, ImportError::NoneReadable { .. }), "{error}");
        assert!(error.to_string().contains("ecdh.json"), "{error}");
    }
}

#[test]
fn where_nothing_ran_is_said_what_to_do() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    bench(directory.path(), &[RING]);
    for _ in 0..2 {
        let error = import(directory.path()).expect_err("no record");
        assert!(matches!(error, ImportError::NoRuns { .. }), "{error}");
        assert!(error.to_string().contains("run `cargo bench` first"), "{error}");
        fs::create_dir_all(directory.path().join("cryptobench")).expect("created");
        fs::write(directory.path().join("cryptobench/.tmp123"), "{").expect("written");
    }
    for nowhere in ["nowhere", "cryptobench/.tmp123"] {
        let error = import(&directory.path().join(nowhere)).expect_err("no record");
        assert!(matches!(error, ImportError::Directory { .. }), "{error}");
        assert!(error.to_string().contains(nowhere), "{error}");
    }
}

#[test]
fn a_directory_of_thousands_is_read() {
    let directory = whole();
    let benchmark = json(&new(directory.path(), RING).join("benchmark.json"));
    for index in 0..3000 {
        let new = directory.path().join(format!("control_copy/other{index}/new"));
        fs::create_dir_all(&new).expect("created");
        let mut benchmark = benchmark.clone();
        benchmark["full_id"] = json!(format!("control/copy/other{index}/16"));
        write_json(&new.join("benchmark.json"), &benchmark);
    }
    let imported = imported(&directory);
    assert!(imported.left_out.is_empty());
    assert_eq!(ids(&imported), [RING, OPENSSL, DERIVE]);
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    #[test]
    fn links_are_not_followed() {
        let directory = whole();
        symlink(directory.path(), directory.path().join("loop")).expect("linked");
        symlink("new", new(directory.path(), OPENSSL).with_file_name("again")).expect("linked");
        let nowhere = new(directory.path(), RING).join("sample.json");
        fs::remove_file(&nowhere).expect("removed");
        symlink("sample.json", &nowhere).expect("linked");
        symlink("ecdh.json", directory.path().join("cryptobench/ecdh.json")).expect("linked");
        let imported = imported(&directory);
        assert_eq!(ids(&imported), [OPENSSL, DERIVE]);
        assert_eq!(imported.left_out.len(), 2);
        for left_out in &imported.left_out {
            assert!(matches!(left_out.problem, Problem::NotAFile), "{left_out}");
        }
    }

    #[test]
    fn a_directory_that_is_a_link_is_read() {
        let directory = whole();
        let elsewhere = tempfile::tempdir().expect("a temporary directory");
        let link = elsewhere.path().join("criterion");
        symlink(directory.path(), &link).expect("linked");
        assert_eq!(ids(&import(&link).expect("a record")), [RING, OPENSSL, DERIVE]);
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let path = |path: &Path| {
            fs::remove_file(path).expect("removed");
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.is_ok_and(|status| status.success()), "no pipe");
        };
        assert!(matches!(spoiled_case("sample.json", path), Problem::NotAFile));
    }

    #[test]
    fn an_unreadable_directory_is_reported() {
        let directory = whole();
        let closed = new(directory.path(), RING);
        let mode = |mode| {
            fs::set_permissions(&closed, fs::Permissions::from_mode(mode)).expect("changed");
        };
        mode(0o000);
        // A superuser reads it all the same; for that one there is the test of a path that is too long.
        if fs::read_dir(&closed).is_err() {
            let imported = imported(&directory);
            assert_eq!(ids(&imported), [OPENSSL, DERIVE]);
            assert_eq!(imported.left_out.len(), 2);
            assert!(imported.left_out.iter().any(|it| it.path == closed));
        }
        mode(0o755);
    }

    #[test]
    fn paths_longer_than_the_system_allows_are_reported() {
        let directory = whole();
        let deep = |name: &str| {
            let root = directory.path().join(name);
            let mut path = root.clone();
            for _ in 0..1500 {
                path.push("d");
            }
            fs::create_dir_all(&path).expect("created");
            (root, path)
        };
        let ((_, end), (other, _)) = (deep("one"), deep("other"));
        fs::rename(other, end.join("other")).expect("moved below");
        let imported = imported(&directory);
        assert_eq!(ids(&imported), [RING, OPENSSL, DERIVE]);
        let left_out = only(&imported);
        assert!(matches!(left_out.problem, Problem::Unreadable(_)), "{left_out}");
    }
}

/// What Criterion wrote of one case, to be spoilt over and over.
static FILES: LazyLock<Vec<(PathBuf, Vec<u8>)>> = LazyLock::new(|| {
    let directory = tempfile::tempdir().expect("a temporary directory");
    bench(directory.path(), &[RING]);
    let run = write(directory.path(), &run("aead", &[RING]));
    let new = new(directory.path(), RING);
    ["benchmark.json", "sample.json", "estimates.json"]
        .map(|name| new.join(name))
        .into_iter()
        .chain([run])
        .map(|path| {
            let bytes = fs::read(&path).expect("a file");
            (path.strip_prefix(directory.path()).expect("below").to_owned(), bytes)
        })
        .collect()
});

/// What `import` says where file `which` of [`FILES`] has `bytes`.
fn with(which: usize, bytes: &[u8]) -> Result<Imported, ImportError> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (index, (path, original)) in FILES.iter().enumerate() {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("created");
        fs::write(path, if index == which { bytes } else { original }).expect("written");
    }
    let result = import(directory.path());
    if let Ok(Imported { record, left_out }) = &result {
        // Whatever became of it, nothing vanishes without a word, and no number is impossible.
        let ran = record.cases.len() + record.failed.len() + left_out.len();
        assert!(ran > 0 || which == 3, "nothing was said");
        for measured in &record.measured {
            for (side, slices) in measured.sides.iter().zip(&measured.slices) {
                assert!(side.time_ns.is_finite() && side.time_ns > 0.0);
                assert!(slices.iter().chain(&side.iterations).all(|&it| it > 0));
                assert!(side.iterations.len() == 1 || side.iterations.len() == slices.len());
            }
        }
    }
    result
}

#[test]
fn files_as_they_were_are_a_record() {
    let imported = with(9, b"").expect("a record");
    assert_eq!(ids(&imported), [RING]);
}

proptest! {
    #[test]
    fn no_bytes_are_a_crash(which in 0_usize..4, bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let _ = with(which, &bytes);
    }

    #[test]
    fn no_change_of_bytes_is_a_crash(
        which in 0_usize..4,
        at in any::<prop::sample::Index>(),
        length in 0_usize..20,
        bytes in prop::collection::vec(any::<u8>(), 0..20),
    ) {
        let mut changed = FILES[which].1.clone();
        let start = at.index(changed.len());
        let end = (start + length).min(changed.len());
        changed.splice(start..end, bytes);
        let _ = with(which, &changed);
    }

    #[test]
    fn no_characters_of_json_are_a_crash(which in 0_usize..4, text in "[{}\\[\\]\",:0-9.eE+a-z_ -]{0,200}") {
        let _ = with(which, text.as_bytes());
    }

    #[test]
    fn no_numbers_are_a_crash(
        iters in prop::collection::vec(any::<f64>(), 0..5),
        times in prop::collection::vec(any::<f64>(), 0..5),
    ) {
        let _ = with(1, json!({"iters": iters, "times": times}).to_string().as_bytes());
    }

    #[test]
    fn no_texts_of_a_run_are_a_crash(
        started in "\\PC{0,30}|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{0,10})?Z",
        id in "\\PC{0,30}|[a-z0-9/-]{0,40}",
        arguments in prop::collection::vec("\\PC{0,8}|-[a-z-]{0,12}|--", 0..6),
    ) {
        let mut run = run("aead", &[RING, &id]);
        run.started = started;
        run.arguments = arguments;
        let _ = with(3, &serde_json::to_vec(&run).expect("JSON"));
    }
}
