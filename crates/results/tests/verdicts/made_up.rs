//! Records with times as wanted, and normal numbers from a seed. Nothing here is tested.

use cryptobench_results::record::{
    CaseInfo, End, Engine, FORMAT, FailedSide, Header, Measured, Program, Record, Settings, Side,
    UnsupportedCase,
};
use cryptobench_schema::{
    BackendId, Build, CaseId, Cpu, Environment, Host, ImplementationRecord, Provenance,
};

/// SplitMix64 (Steele, Lea and Flood 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Between 0 and 1, neither included.
    pub(crate) fn uniform(&mut self) -> f64 {
        ((self.next() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Standard normal (Box and Muller 1958).
    pub(crate) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }
}

pub(crate) fn id(text: &str) -> CaseId {
    text.parse().unwrap()
}

pub(crate) fn backend(name: &str) -> BackendId {
    name.parse().unwrap()
}

/// An environment in which `ring` has the code `code`.
pub(crate) fn environment(code: Option<&str>) -> Environment {
    Environment {
        host: Host {
            cpu: Cpu {
                model: Some("Some CPU".into()),
                signature: Some("6/143/8".into()),
                flags: vec!["aes".into(), "avx2".into()],
                ..Cpu::default()
            },
            ..Host::default()
        },
        build: Build {
            rustc: "rustc 1.95.0".into(),
            target: "x86_64-unknown-linux-gnu".into(),
            profile: "release".into(),
            opt_level: "3".into(),
            ..Build::default()
        },
        implementations: vec![ImplementationRecord {
            backend: backend("ring"),
            packages: Vec::new(),
            provenance: Provenance::of_crates(&["ring"]),
            code_sha256: code.map(str::to_owned),
        }],
        ..Environment::default()
    }
}

/// A record of programs with the given code of `ring`, without measurements.
pub(crate) fn record(codes: &[Option<&str>], screening: u32) -> Record {
    let program = |(index, code): (usize, &Option<&str>)| Program {
        name: format!("program {index}"),
        sha256: None,
        protocol: 1,
        environment: environment(*code),
    };
    Record {
        header: Header {
            format: FORMAT,
            engine: Engine::LockStep,
            started: "2026-01-01T00:00:00Z".into(),
            seed: 1,
            settings: Settings {
                rounds: 7,
                screening,
                slices: 70,
                fewest_slices: 15,
                slice_ns: 250_000,
                burst_ns: 20_000,
                burst_operations: 3,
                budget_ns: 50_000_000,
                ..Settings::default()
            },
            programs: codes.iter().enumerate().map(program).collect(),
            command: String::new(),
            warnings: Vec::new(),
        },
        cases: Vec::new(),
        measured: Vec::new(),
        failed: Vec::new(),
        unsupported: Vec::new(),
        resumed: Vec::new(),
        end: Some(End { ended: "2026-01-01T01:00:00Z".into() }),
    }
}

/// One round of a contest among `sides`: program, backend and time. Slices taken in turn would have given just
/// the ratios of the times.
pub(crate) fn measured(contest: &str, round: u32, sides: &[(usize, &str, f64)]) -> Measured {
    let mut log_ratios = Vec::new();
    for (index, first) in sides.iter().enumerate() {
        for second in &sides[index + 1..] {
            log_ratios.push((second.2 / first.2).ln());
        }
    }
    Measured {
        contest: contest.parse().unwrap(),
        round,
        heat: None,
        sides: sides
            .iter()
            .map(|&(program, name, time_ns)| Side {
                program,
                backend: backend(name),
                time_ns,
                iterations: vec![1],
                interference: None,
            })
            .collect(),
        log_ratios,
        slices: Vec::new(),
    }
}

/// Rounds of RSA keygen: `keys` nanoseconds of each side in each round.
pub(crate) fn keys(round: u32, sides: &[(usize, &str, Vec<u64>)]) -> Measured {
    let medians: Vec<(usize, &str, f64)> =
        sides.iter().map(|(program, name, keys)| (*program, *name, keys[0] as f64)).collect();
    Measured {
        slices: sides.iter().map(|it| it.2.clone()).collect(),
        ..measured("rsa/keygen/2048", round, &medians)
    }
}

/// Adds rounds `from`.. of `ring` in two programs, the new one's time `exp(log ratio)` times the old one's 100 ns.
pub(crate) fn turns(record: &mut Record, contest: &str, from: u32, log_ratios: &[f64]) {
    for (round, log_ratio) in (from..).zip(log_ratios) {
        record.measured.push(measured(
            contest,
            round,
            &[(0, "ring", 100.0), (1, "ring", 100.0 * log_ratio.exp())],
        ));
    }
}

/// Adds rounds of `ring` in the one program of a record.
pub(crate) fn times(record: &mut Record, contest: &str, times: &[f64]) {
    for (round, &time) in (0..).zip(times) {
        record.measured.push(measured(contest, round, &[(0, "ring", time)]));
    }
}

pub(crate) fn failed(case: &str, program: usize, round: u32) -> FailedSide {
    FailedSide { id: id(case), program, round, reason: "the tag was wrong".into() }
}

pub(crate) fn unsupported(case: &str, program: usize) -> UnsupportedCase {
    UnsupportedCase { id: id(case), program, reason: "it has no CCM".into() }
}

pub(crate) fn digest(case: &str, program: usize, digest: &str) -> CaseInfo {
    CaseInfo { id: id(case), program, digest: Some(digest.into()), note: None }
}
