//! A record with one of everything that commands show. No test is in it.

use cryptobench_results::record::{
    CaseInfo, End, Engine, FORMAT, FailedSide, Header, Measured, Program, Record, Settings, Side,
    UnsupportedCase, median_log_ratio, operation_times,
};
use cryptobench_results::statistics::median;
use cryptobench_schema::{
    BackendId, Build, CaseId, Cpu, Environment, Host, ImplementationRecord, Package, Provenance,
};

fn id(text: &str) -> CaseId {
    text.parse().expect("a case")
}

/// A program called `name`.
pub(crate) fn program(name: &str) -> Program {
    let implementation = |name: &'static str| ImplementationRecord {
        backend: BackendId::fixed(name),
        packages: vec![Package {
            name: name.to_owned(),
            version: "1.2.3".to_owned(),
            checksum: None,
        }],
        provenance: Provenance::of_crates(&[name]),
        code_sha256: None,
    };
    Program {
        name: name.to_owned(),
        sha256: Some("ab".repeat(32)),
        protocol: 1,
        environment: Environment {
            host: Host {
                system: Some("Some System".to_owned()),
                cpu: Cpu {
                    model: Some("Some CPU".to_owned()),
                    signature: Some("6/143/8".to_owned()),
                    ..Cpu::default()
                },
                ..Host::default()
            },
            build: Build {
                rustc: "rustc 1.95.0".to_owned(),
                opt_level: "3".to_owned(),
                ..Build::default()
            },
            implementations: vec![implementation("ring"), implementation("openssl")],
            ..Environment::default()
        },
    }
}

/// One round in which the sides take their times: program, backend, nanoseconds.
pub(crate) fn round(contest: &str, round: u32, sides: &[(usize, &'static str, f64)]) -> Measured {
    let mut log_ratios = Vec::new();
    for (index, first) in sides.iter().enumerate() {
        for second in &sides[index + 1..] {
            log_ratios.push((second.2 / first.2).ln());
        }
    }
    let side = |&(program, name, time_ns): &(usize, &'static str, f64)| Side {
        program,
        backend: BackendId::fixed(name),
        time_ns,
        iterations: vec![1000],
        interference: None,
    };
    Measured {
        contest: contest.parse().expect("a contest"),
        round,
        heat: None,
        sides: sides.iter().map(side).collect(),
        log_ratios,
        slices: sides.iter().map(|it| vec![(it.2 * 1000.0).round() as u64; 3]).collect(),
    }
}

/// A line for each case that takes part in the first round.
pub(crate) fn cases(measured: &[Measured]) -> Vec<CaseInfo> {
    let first = measured.iter().filter(|it| it.round == 0);
    let each = first.flat_map(|it| it.sides.iter().map(|side| (it.contest, side)));
    each.map(|(contest, side)| {
        let id = contest.case(side.backend.clone());
        let noted = id.to_string() == "aes-256-gcm/seal/ring/16" && side.program == 0;
        CaseInfo {
            id,
            program: side.program,
            digest: noted.then(|| "cd".repeat(32)),
            note: noted.then(|| "a \u{9b}31mnote".to_owned()),
        }
    })
    .collect()
}

/// Rounds that differ by a per mille or so: openssl slowest, ring and aws-lc alike, graviola fastest at 1024 bytes.
pub(crate) fn record() -> Record {
    let mut measured = Vec::new();
    for index in 0..7 {
        let off = |step: u32| 1.0 + f64::from((index * step) % 7) / 2000.0;
        let seal = [
            (0, "ring", 100.0 * off(1)),
            (0, "aws-lc", 100.0 * off(5)),
            (0, "openssl", 150.0 * off(2)),
        ];
        measured.push(round("aes-256-gcm/seal/16", index, &seal));
        let mut large = seal.map(|(program, name, time)| (program, name, time * 10.0)).to_vec();
        large.push((0, "graviola", 800.0 * off(3)));
        measured.push(round("aes-256-gcm/seal/1024", index, &large));
        measured.push(round("x25519/derive", index, &[(0, "ring", 40_000.0 * off(2))]));
        let mut keys = round("rsa/keygen/2048", index, &[(0, "openssl", 5e7), (0, "aws-lc", 9e7)]);
        for (side, slices) in keys.slices.iter_mut().enumerate() {
            *slices = (0..10)
                .map(|key| {
                    20_000_000 + 1_000_000 * (key * 7 + u64::from(index)) * (side as u64 + 1)
                })
                .collect();
            keys.sides[side].iterations = vec![1];
            let times = operation_times(slices, &[1]);
            keys.sides[side].time_ns = median(&times).expect("keys");
        }
        let [first, second] = [0, 1].map(|side: usize| operation_times(&keys.slices[side], &[1]));
        keys.log_ratios = median_log_ratio(&second, &first).into_iter().collect();
        measured.push(keys);
    }
    let unsupported = |id_: &str| UnsupportedCase {
        id: id(id_),
        program: 0,
        reason: "no small messages\u{1b}[31m".to_owned(),
    };
    Record {
        header: Header {
            format: FORMAT,
            engine: Engine::LockStep,
            started: "2026-01-02T03:04:05Z".to_owned(),
            seed: 1,
            settings: Settings {
                rounds: 7,
                screening: 0,
                slices: 3,
                fewest_slices: 3,
                slice_ns: 1000,
                burst_ns: 0,
                burst_operations: 0,
                budget_ns: 1000,
                ..Settings::default()
            },
            programs: vec![program("current")],
            command: "run".to_owned(),
            warnings: vec!["the machine is busy".to_owned()],
        },
        cases: cases(&measured),
        measured,
        failed: vec![FailedSide {
            id: id("x25519/derive/openssl"),
            program: 0,
            round: 3,
            reason: "wrong secret".to_owned(),
        }],
        unsupported: vec![
            unsupported("aes-256-gcm/seal/graviola/16"),
            unsupported("x25519/derive/graviola"),
        ],
        resumed: Vec::new(),
        end: Some(End { ended: "2026-01-02T03:14:05Z".to_owned() }),
    }
}

/// Two programs, one faster.
pub(crate) fn comparison() -> Record {
    let mut record = record();
    record.header.programs = vec![program("baseline"), program("current")];
    record.header.settings.screening = 3;
    record.failed.clear();
    record.unsupported.clear();
    record.measured = (0..7)
        .map(|index| {
            let off = 1.0 + f64::from(index) / 2000.0;
            round("aes-256-gcm/seal/16", index, &[(0, "ring", 100.0), (1, "ring", 90.0 * off)])
        })
        .collect();
    record.cases = cases(&record.measured);
    record
}
