//! A small record with one of everything, for the tests here. No test is in it.
#![allow(dead_code, reason = "not every test uses everything")]

use cryptobench_results::record::{
    CaseInfo, End, Engine, FORMAT, FailedSide, Header, Line, Measured, Program, Record, Settings,
    Side, UnsupportedCase, median_log_ratio, operation_times,
};
use cryptobench_results::statistics::median;
use cryptobench_schema::{BackendId, Cpu, Environment, Host};

pub(crate) fn header() -> Header {
    let program = |name: &str| Program {
        name: name.into(),
        sha256: Some("ab".repeat(32)),
        protocol: 1,
        environment: Environment {
            host: Host {
                kernel: Some("6.12.1".into()),
                cpu: Cpu { model: Some("Some CPU".into()), logical: 8, ..Cpu::default() },
                load: Some(0.25),
                ..Host::default()
            },
            ..Environment::default()
        },
    };
    Header {
        format: FORMAT,
        engine: Engine::LockStep,
        started: "2026-01-01T00:00:00Z".into(),
        seed: u64::MAX,
        settings: Settings {
            rounds: 2,
            screening: 0,
            slices: 70,
            fewest_slices: 15,
            slice_ns: 250_000,
            burst_ns: 20_000,
            burst_operations: 3,
            budget_ns: 100_000_000,
            fewest_keys: 15,
            key_budget_ns: 35_000_000,
            scenarios: Vec::new(),
            document: None,
            cpu: Some(1),
            filter: Some("gcm|keygen".into()),
            backends: vec![BackendId::fixed("ring")],
            sizes: None,
            rsa_bits: None,
            quick: false,
        },
        programs: vec![program("current"), program("before")],
        command: "run".into(),
        warnings: vec!["a warning with a \"quotation\"\nand two lines".into()],
    }
}

/// A contest; each side is a program and a backend.
pub(crate) fn measured(
    contest: &str,
    round: u32,
    sides: &[(usize, &'static str)],
    slices: &[u64],
) -> Measured {
    let side = |(iterations, &(program, backend)): (u64, &(usize, &'static str))| Side {
        program,
        backend: BackendId::fixed(backend),
        time_ns: 0.0,
        iterations: vec![iterations],
        interference: (program == 0).then_some(-0.1 / 3.0),
    };
    let mut measured = Measured {
        contest: contest.parse().expect("a contest"),
        round,
        heat: None,
        // So that neither times nor log ratios have few digits.
        sides: (750..).zip(sides).map(side).collect(),
        log_ratios: vec![0.0; sides.len() * (sides.len() - 1) / 2],
        slices: vec![slices.to_vec(); sides.len()],
    };
    summarise(&mut measured);
    measured
}

/// Makes times and log ratios those of the slices, as far as it has any.
pub(crate) fn summarise(measured: &mut Measured) {
    let sides = measured.sides.iter().zip(&measured.slices);
    let times: Vec<Vec<f64>> =
        sides.map(|(side, slices)| operation_times(slices, &side.iterations)).collect();
    for (side, times) in measured.sides.iter_mut().zip(&times) {
        side.time_ns = median(times).expect("slices");
    }
    let pairs = times.iter().enumerate().flat_map(|(first, one)| {
        times[first + 1..].iter().map(move |other| median_log_ratio(other, one).expect("slices"))
    });
    measured.log_ratios.iter_mut().zip(pairs).for_each(|(value, median)| *value = median);
}

pub(crate) fn end() -> End {
    End { ended: "2026-01-01T01:00:00Z".into() }
}

/// Lines 1 to 14: header; cases 2 to 7; contests 8 to 11; failed 12; unsupported 13; end 14.
pub(crate) fn record() -> Record {
    let case = |id: &str, program| CaseInfo {
        id: id.parse().expect("a case"),
        program,
        digest: Some("cd".repeat(32)),
        note: (program == 1).then(|| "through the C interface".into()),
    };
    let seal = |round| {
        let sides = [(0, "ring"), (1, "ring"), (0, "openssl")];
        measured("aes-256-gcm/seal/1024", round, &sides, &[250_000, 250_100, 1])
    };
    let mut keygen =
        measured("rsa/keygen/2048", 0, &[(0, "openssl"), (0, "aws-lc")], &[7_000_000, 80_000_000]);
    keygen.sides[0].iterations = vec![1, 2];
    keygen.log_ratios = vec![];
    summarise(&mut keygen);
    Record {
        header: header(),
        cases: vec![
            case("aes-256-gcm/seal/ring/1024", 0),
            case("aes-256-gcm/seal/ring/1024", 1),
            case("aes-256-gcm/seal/openssl/1024", 0),
            case("rsa/keygen/openssl/2048", 0),
            case("rsa/keygen/aws-lc/2048", 0),
            case("x25519/derive/dalek", 1),
        ],
        measured: vec![
            seal(0),
            keygen,
            seal(1),
            measured("x25519/derive", 1, &[(1, "dalek")], &[99]),
        ],
        failed: vec![FailedSide {
            id: "x25519/derive/ring".parse().expect("a case"),
            program: 0,
            round: 1,
            reason: "wrong result: \u{1b}".into(),
        }],
        unsupported: vec![UnsupportedCase {
            id: "aes-256-gcm-siv/seal/ring/1024".parse().expect("a case"),
            program: 1,
            reason: "ring has no AES-GCM-SIV".into(),
        }],
        resumed: vec![],
        end: Some(end()),
    }
}

/// One line of the file, without its end.
pub(crate) fn text(line: &Line) -> String {
    serde_json::to_string(line).expect("a line")
}

/// The lines of the file.
pub(crate) fn lines(record: &Record) -> Vec<String> {
    record.lines().map(|line| text(&line)).collect()
}

/// The file.
pub(crate) fn bytes(record: &Record) -> Vec<u8> {
    (lines(record).join("\n") + "\n").into_bytes()
}
