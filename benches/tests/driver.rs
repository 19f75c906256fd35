//! The driver with the real Criterion: what fails is left out and named, everything else is measured, and
//! the run is written down.
#![cfg(feature = "rustcrypto")]

use aes_gcm::{Aes256Gcm, KeyInit as _, aead::AeadInOut as _};
use criterion::Criterion;
use cryptobench_backends::suite;
use cryptobench_benches::{Settings, Timing, measure, write_record};
use cryptobench_environment::capture;
use cryptobench_harness::{
    Backend, Failure, Role, Suite, exactly,
    operations::{aead::AeadKey, control::Procedure},
};
use cryptobench_schema::{
    Aead, Algorithm, BackendId, BenchRun, Clock, Contest, Family, Operation, Provenance,
};
use std::{collections::BTreeMap, ffi::OsString, path::Path, time::Duration};

fn settings(variables: &[(&str, &str)]) -> Result<Settings, String> {
    let variables = variables.iter().map(|(name, value)| (OsString::from(name), value.into()));
    Settings::from_variables(variables, &suite()).map_err(|error| error.to_string())
}

fn sizes(settings: &Settings, family: Family, operation: Operation) -> Vec<u64> {
    let mut sizes: Vec<u64> = settings
        .contests(&suite(), family)
        .into_iter()
        .filter(|(contest, _)| contest.operation == operation)
        .filter_map(|(contest, _)| contest.size)
        .collect();
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

#[test]
fn default_sizes_and_all_sizes() {
    let default = settings(&[]).expect("no settings are good settings");
    assert_eq!(
        sizes(&default, Family::Aeads, Operation::Seal),
        [16, 128, 1024, 1350, 4096, 8192, 16384, 65536]
    );
    assert_eq!(
        sizes(&default, Family::BlockModes, Operation::Decrypt),
        [16, 128, 1024, 4096, 8192, 16384, 65536]
    );
    assert_eq!(sizes(&default, Family::Aeads, Operation::SealFreshKey), [64, 1024]);
    assert_eq!(sizes(&default, Family::Aeads, Operation::Reject), [1024]);
    assert_eq!(sizes(&default, Family::Rsa, Operation::Verify), [1024, 2048, 3072, 4096]);
    let all = settings(&[("CRYPTOBENCH_SIZES", "all")]).expect("all is a setting");
    let every = [16, 64, 128, 256, 1024, 1350, 4096, 8192, 16384, 65536, 1_048_576];
    assert_eq!(sizes(&all, Family::Aeads, Operation::Seal), every);
    assert_eq!(sizes(&all, Family::Aeads, Operation::Reject), every);
}

#[test]
fn a_scenario_has_contests_of_other_targets_and_nothing_else_runs() {
    let usual = settings(&[]).expect("good settings");
    assert!(sizes(&usual, Family::Scenarios, Operation::Seal).is_empty());
    assert_eq!(sizes(&usual, Family::Scenarios, Operation::Whole), [28 << 10, 1 << 20, 64 << 20]);
    let scenario = settings(&[("CRYPTOBENCH_SCENARIO", "gcm-siv")]).expect("a good setting");
    assert_eq!(sizes(&scenario, Family::Scenarios, Operation::Seal), [128, 1024, 4096, 8192]);
    assert!(sizes(&scenario, Family::Scenarios, Operation::Whole).is_empty());
    for family in Family::ALL.into_iter().filter(|it| *it != Family::Scenarios) {
        assert!(scenario.contests(&suite(), family).is_empty(), "{}", family.title());
    }
}

#[test]
fn settings_narrow_a_run() {
    let narrow = settings(&[
        ("CRYPTOBENCH_ALGORITHMS", "aes-256-gcm, rsa"),
        ("CRYPTOBENCH_BACKENDS", "rustcrypto"),
        ("CRYPTOBENCH_SIZES", "64,1024"),
        ("CRYPTOBENCH_RSA_BITS", "2048"),
        ("PATH", "not ours"),
    ])
    .expect("good settings");
    assert_eq!(sizes(&narrow, Family::Aeads, Operation::Seal), [64, 1024]);
    assert_eq!(sizes(&narrow, Family::Rsa, Operation::Keygen), [2048]);
    assert!(narrow.contests(&suite(), Family::Ecdh).is_empty());
    let rustcrypto = [BackendId::fixed("rustcrypto")];
    for (contest, backends) in narrow.contests(&suite(), Family::Aeads) {
        assert_eq!(contest.algorithm, Algorithm::Aead(Aead::Aes256Gcm));
        assert_eq!(backends, rustcrypto);
    }
}

#[test]
fn bad_settings_are_named_with_what_exists() {
    for (name, value, words) in [
        ("CRYPTOBENCH_BACKENDS", "rustcrypto,boringssl", ["`boringssl`", "rustcrypto"]),
        ("CRYPTOBENCH_BACKENDS", "Ring", ["`Ring`", "rustcrypto"]),
        ("CRYPTOBENCH_BACKENDS", "", ["CRYPTOBENCH_BACKENDS is empty", "rustcrypto"]),
        ("CRYPTOBENCH_BACKENDS", "rustcrypto,", ["unknown backend ``", "rustcrypto"]),
        ("CRYPTOBENCH_ALGORITHMS", "aes-257-gcm", ["`aes-257-gcm`", "aes-256-gcm"]),
        ("CRYPTOBENCH_SIZES", "1000", ["`1000`", "1024"]),
        ("CRYPTOBENCH_SIZES", "-16", ["`-16`", "16, 64"]),
        ("CRYPTOBENCH_SIZES", "99999999999999999999999", ["99999999999999999999999", "1024"]),
        ("CRYPTOBENCH_RSA_BITS", "1025", ["`1025`", "2048"]),
        ("CRYPTOBENCH_SCENARIO", "everything", ["`everything`", "gcm-siv"]),
        ("CRYPTOBENCH_SCENARIO", "", ["``", "bulk"]),
        ("CRYPTOBENCH_SIZE", "16", ["CRYPTOBENCH_SIZE;", "CRYPTOBENCH_SIZES:"]),
        ("CRYPTOBENCH_BACKENDS", "<script>alert(1)</script>", ["<script>", "rustcrypto"]),
    ] {
        let error = settings(&[(name, value)]).expect_err(value);
        for words in words {
            assert!(error.contains(words), "{name}={value}: {error}");
        }
    }
}

/// AES-256-GCM that is right while it is proved and refuses everything after its first `GOOD` opens, and
/// that is wrong in one byte at 1024 bytes if `WRONG`.
struct Gcm<const GOOD: usize, const WRONG: bool> {
    cipher: Aes256Gcm,
    opened: usize,
}

impl<const GOOD: usize, const WRONG: bool> AeadKey for Gcm<GOOD, WRONG> {
    fn new(key: &[u8], _: Role) -> Result<Self, Failure> {
        Ok(Self { cipher: Aes256Gcm::new(exactly::<32>("key", key)?.into()), opened: 0 })
    }

    fn seal(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &mut [u8; 16],
    ) -> Result<(), Failure> {
        let nonce = exactly::<12>("nonce", nonce)?;
        let sealed = self.cipher.encrypt_inout_detached(nonce.into(), aad, (&mut *message).into());
        *tag = sealed.map_err(Failure::library("encrypt"))?.into();
        if WRONG && message.len() == 1024 {
            message[7] ^= 1;
        }
        Ok(())
    }

    fn open(
        &mut self,
        nonce: &[u8],
        aad: &[u8],
        message: &mut [u8],
        tag: &[u8; 16],
    ) -> Result<(), Failure> {
        self.opened += 1;
        if self.opened > GOOD {
            return Err(Failure::Refused);
        }
        if WRONG && message.len() == 1024 {
            message[7] ^= 1;
        }
        let nonce = exactly::<12>("nonce", nonce)?;
        let opened =
            self.cipher.decrypt_inout_detached(nonce.into(), aad, message.into(), tag.into());
        opened.map_err(|_| Failure::Refused)
    }
}

/// Three that are right, one that is wrong at one size, one that stops working while it is timed.
fn suite_with_faults() -> Suite {
    let mut suite = Suite::new();
    for name in ["one", "two", "three"] {
        let mut backend = Backend::new(name, Provenance::of_crates(&[]));
        backend.aead::<Gcm<{ usize::MAX }, false>>(Aead::Aes256Gcm).note("a note");
        suite.add(backend);
    }
    let mut wrong = Backend::new("wrong", Provenance::of_crates(&[]));
    wrong.aead::<Gcm<{ usize::MAX }, true>>(Aead::Aes256Gcm);
    suite.add(wrong);
    let mut tiring = Backend::new("tiring", Provenance::of_crates(&[]));
    tiring.aead::<Gcm<450, false>>(Aead::Aes256Gcm);
    suite.add(tiring);
    suite
}

/// As the command line would say it: short.
fn timing() -> Timing {
    let arguments = ["--bench", "--sample-size", "10", "--measurement-time=0.1"];
    Timing::of(&arguments.map(str::to_owned))
}

fn criterion(directory: &Path) -> Criterion {
    Criterion::default()
        .output_directory(directory)
        .without_plots()
        .sample_size(10)
        .nresamples(100)
        .warm_up_time(Duration::from_millis(5))
        .measurement_time(Duration::from_millis(20))
}

#[test]
fn what_fails_is_left_out_and_the_rest_is_measured() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let suite = suite_with_faults();
    let everyone: Vec<BackendId> = suite.backends().iter().map(|it| it.id().clone()).collect();
    let contest = |size| Contest {
        algorithm: Algorithm::Aead(Aead::Aes256Gcm),
        operation: Operation::Open,
        size: Some(size),
    };
    let selected = vec![(contest(16), everyone.clone()), (contest(1024), everyone)];
    let mut kept = Vec::new();
    let outcome = measure(
        &mut criterion(directory.path()),
        directory.path(),
        &suite,
        &selected,
        1,
        &timing(),
        &mut |outcome| {
            kept.push((outcome.ran.len(), outcome.failed.len()));
            Ok(())
        },
    )
    .expect("nothing is written here that could fail");

    let failed: BTreeMap<&str, &str> =
        outcome.failed.iter().map(|it| (it.id.as_str(), it.reason.as_str())).collect();
    let names: Vec<&str> = failed.keys().copied().collect();
    assert_eq!(
        names,
        [
            "aes-256-gcm/open/tiring/1024",
            "aes-256-gcm/open/tiring/16",
            "aes-256-gcm/open/wrong/1024"
        ]
    );
    assert!(failed["aes-256-gcm/open/wrong/1024"].contains("differs from the 5 others"));
    assert_eq!(failed["aes-256-gcm/open/tiring/16"], "refused as not authentic");

    let ran: Vec<&str> = outcome.ran.iter().map(|it| it.id.as_str()).collect();
    assert_eq!(ran.len(), 7, "{ran:?}");
    // Criterion keeps each under its id, the slash in the group's name made an underscore; a case that
    // failed while timed has left no estimate.
    let estimated = |id: &str| {
        let path = directory.path().join(id.replacen('/', "_", 1)).join("new/estimates.json");
        path.exists()
    };
    assert!(ran.iter().all(|id| estimated(id)), "{ran:?}");
    assert!(!failed.keys().any(|id| estimated(id)), "{failed:?}");
    assert_eq!(outcome.ran[0].note.as_deref(), Some("a note"));
    assert_eq!(kept, [(0, 0), (0, 1), (7, 3)]);
}

/// A procedure that panics in its second call.
struct Fragile(u32);

impl Procedure for Fragile {
    fn new() -> Self {
        Self(0)
    }

    fn call(&mut self, _: &[u8], output: &mut [u8]) -> Result<(), Failure> {
        self.0 += 1;
        assert!(self.0 < 50, "worn out");
        output[0] = output[0].wrapping_add(u8::try_from(self.0).unwrap_or(1));
        Ok(())
    }
}

#[test]
fn a_panic_while_timing_is_that_case_failed() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let mut backend = Backend::new("harness", Provenance::of_crates(&[]));
    backend.control::<Fragile>(&[Operation::Nonce]);
    let mut suite = Suite::new();
    suite.add(backend);
    let contest =
        Contest { algorithm: Algorithm::Control, operation: Operation::Nonce, size: None };
    let outcome = measure(
        &mut criterion(directory.path()),
        directory.path(),
        &suite,
        &[(contest, vec![BackendId::fixed("harness")])],
        1,
        &timing(),
        &mut |_| Ok(()),
    )
    .expect("nothing is written here that could fail");
    assert!(outcome.ran.is_empty());
    assert_eq!(outcome.failed[0].reason, "panicked: worn out");
}

#[test]
fn the_run_is_written_whole_and_reads_back() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let run = BenchRun {
        format: BenchRun::FORMAT,
        target: "aead".to_owned(),
        arguments: vec!["<script>".to_owned()],
        started: "2026-01-01T00:00:00Z".to_owned(),
        ended: None,
        clock: Clock { cost_ns: 20 },
        seed: 1,
        ran: Vec::new(),
        failed: Vec::new(),
        environment: capture(&[]),
    };
    write_record(directory.path(), &run).expect("written");
    let path = directory.path().join("cryptobench/aead.json");
    let text = std::fs::read_to_string(&path).expect("readable");
    assert_eq!(serde_json::from_str::<BenchRun>(&text).expect("reads back"), run);
    let files = std::fs::read_dir(path.parent().expect("a directory")).expect("readable");
    assert_eq!(files.count(), 1, "no temporary file is left");
}

#[test]
fn a_directory_that_cannot_be_written_is_named() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let in_the_way = directory.path().join("file");
    std::fs::write(&in_the_way, "").expect("written");
    let run: BenchRun = BenchRun {
        format: BenchRun::FORMAT,
        target: "aead".to_owned(),
        arguments: Vec::new(),
        started: String::new(),
        ended: None,
        clock: Clock { cost_ns: 0 },
        seed: 1,
        ran: Vec::new(),
        failed: Vec::new(),
        environment: capture(&[]),
    };
    let error = write_record(&in_the_way, &run).expect_err("a file is no directory").to_string();
    assert!(error.contains("file/cryptobench/aead.json"), "{error}");
}
