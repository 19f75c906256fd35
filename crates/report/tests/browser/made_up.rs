//! Records with one of everything that a page shows, and with words that would run or break out where they could. No
//! test is in it.

use cryptobench_report::page::Input;
use cryptobench_results::{
    record::{
        CaseInfo, End, Engine, FORMAT, FailedSide, Header, Measured, Program, Record, Settings,
        Side, UnsupportedCase, median_log_ratio, operation_times,
    },
    statistics::median,
};
use cryptobench_schema::{
    BackendId, Build, CaseId, Contest, Cpu, Environment, Host, ImplementationRecord, Package,
    Provenance,
};

/// Runs, breaks out of its element or turns the direction of writing where it is not escaped.
pub(crate) const HOSTILE: &str = "\"'></script><script>window.hacked=1</script><!-- &amp;\u{202e}\u{7}\n\
     <img src=x onerror=window.hacked=1>";

const SIZES: [u64; 5] = [16, 256, 1024, 8192, 65536];
const ROUNDS: u32 = 7;

/// A backend and its nanoseconds.
type Time = (&'static str, f64);

/// The record of a machine called `cpu`, on which ring takes `ring` times as long to seal.
pub(crate) fn input(name: &str, cpu: &str, ring: f64) -> Input {
    Input { name: name.to_owned(), record: record(cpu, ring) }
}

/// A record of at least `count` cases: many sizes of many operations.
#[allow(dead_code, reason = "for the tests without a browser")]
pub(crate) fn of_cases(count: usize) -> Input {
    let mut measured = Vec::new();
    let algorithms = ["aes-128-gcm", "aes-256-gcm", "chacha20-poly1305", "aes-256-gcm-siv"];
    let operations = ["seal", "open", "reject", "seal-fresh-key"];
    for index in 0..count.div_ceil(5) {
        let (algorithm, operation) = (algorithms[index % 4], operations[index / 4 % 4]);
        let size = 16 << (index / 16);
        let mut times = seals(size).to_vec();
        times.push(("graviola", 50.0 + size as f64 / 7.0));
        measured.extend(rounds(&format!("{algorithm}/{operation}/{size}"), &times));
    }
    Input { name: "large".to_owned(), record: around("Some CPU", measured) }
}

/// The times of `seal`: ring overtaken by aws-lc between 256 and 1024 bytes.
fn seals(size: u64) -> [Time; 4] {
    let size = size as f64;
    [
        ("aws-lc", 80.0 + 0.2 * size),
        ("ring", 60.0 + 0.25 * size),
        ("openssl", 250.0 + 0.21 * size),
        ("rustcrypto", 150.0 + 1.5 * size),
    ]
}

fn record(cpu: &str, ring: f64) -> Record {
    let mut measured = Vec::new();
    for size in SIZES {
        let mut seal = seals(size).to_vec();
        seal[1].1 *= ring;
        measured.extend(rounds(&format!("chacha20-poly1305/seal/{size}"), &seal));
        if size > 16 {
            seal.push(("graviola", 300.0 + 0.3 * size as f64));
        }
        measured.extend(rounds(&format!("aes-256-gcm/seal/{size}"), &seal));
        let tie = 70.0 + 0.22 * size as f64;
        let open = [("ring", tie), ("aws-lc", tie), ("openssl", 2.0 * tie)];
        measured.extend(rounds(&format!("aes-256-gcm/open/{size}"), &open));
        let copy = [("control", 3.0 + size as f64 / 4.8)];
        measured.extend(rounds(&format!("control/copy/{size}"), &copy));
    }
    measured.extend(rounds("aes-256-gcm/key-setup", &[("ring", 90.0), ("aws-lc", 120.0)]));
    measured.extend(rounds("x25519/derive", &[("ring", 40e3), ("aws-lc", 31e3), ("openssl", 1.0)]));
    measured.extend(rounds("ecdh-p256/derive", &[("ring", 60e3), ("aws-lc", 55e3)]));
    for bits in [2048_u32, 3072, 4096] {
        let cubed = (f64::from(bits) / 2048.0).powi(3);
        let sign = [("aws-lc", 5e5 * cubed), ("rustcrypto", 2e6 * cubed)];
        measured.extend(rounds(&format!("rsa-pkcs1-sha256/sign/{bits}"), &sign));
    }
    measured.extend((0..ROUNDS).map(keys));
    let mut record = around(cpu, measured);
    // Other times are of other code.
    for it in &mut record.header.programs[0].environment.implementations {
        it.code_sha256 = Some(format!("{:064x}", ring.to_bits()));
    }
    record
}

/// Rounds of one contest that differ by a per mille or so.
fn rounds(contest: &str, times: &[Time]) -> Vec<Measured> {
    let off = |round: u32, index: usize| {
        let step = [1, 5, 2, 3, 4][index];
        1.0 + f64::from(round * step % ROUNDS) / 2000.0
    };
    let each = (0..ROUNDS).map(|round| {
        let times: Vec<Time> = times
            .iter()
            .enumerate()
            .map(|(index, &(name, time))| (name, time * off(round, index)))
            .collect();
        let mut log_ratios = Vec::new();
        for (index, first) in times.iter().enumerate() {
            log_ratios.extend(times[index + 1..].iter().map(|second| (second.1 / first.1).ln()));
        }
        Measured {
            contest: contest.parse().expect("a contest"),
            round,
            heat: None,
            sides: times.iter().map(|&(name, time)| side(name, time, 1000)).collect(),
            log_ratios,
            slices: times.iter().map(|it| vec![(it.1 * 1000.0) as u64; 3]).collect(),
        }
    });
    each.collect()
}

fn side(name: &'static str, time_ns: f64, iterations: u64) -> Side {
    Side {
        program: 0,
        backend: BackendId::fixed(name),
        time_ns,
        iterations: vec![iterations],
        interference: None,
    }
}

/// A round of RSA keys, whose times chance spreads.
fn keys(round: u32) -> Measured {
    let slices: Vec<Vec<u64>> = [3, 7]
        .iter()
        .map(|step| {
            let time =
                |key: u64| 40_000_000 + step * 1_000_000 * ((key * 7 + u64::from(round) * 5) % 31);
            (0..12).map(time).collect()
        })
        .collect();
    let times: Vec<Vec<f64>> = slices.iter().map(|it| operation_times(it, &[1])).collect();
    let middle = |index: usize| median(&times[index]).expect("keys");
    Measured {
        contest: "rsa/keygen/2048".parse().expect("a contest"),
        round,
        heat: None,
        sides: vec![side("aws-lc", middle(0), 1), side("openssl", middle(1), 1)],
        log_ratios: median_log_ratio(&times[1], &times[0]).into_iter().collect(),
        slices,
    }
}

/// What belongs to a record beside its measurements.
fn around(cpu: &str, measured: Vec<Measured>) -> Record {
    let case = |contest: Contest, side: &Side| CaseInfo {
        id: contest.case(side.backend.clone()),
        program: 0,
        digest: None,
        note: (side.backend.as_str() == "ring").then(|| HOSTILE.to_owned()),
    };
    let mut cases = Vec::new();
    for it in measured.iter().filter(|it| it.round == 0) {
        cases.extend(it.sides.iter().map(|side| case(it.contest, side)));
    }
    let id = |text: &str| text.parse::<CaseId>().expect("a case");
    let unsupported = |text: &str, reason: &str| UnsupportedCase {
        id: id(text),
        program: 0,
        reason: reason.to_owned(),
    };
    Record {
        header: header(cpu),
        cases,
        failed: vec![FailedSide {
            id: id("x25519/derive/openssl"),
            program: 0,
            round: 3,
            reason: format!("wrong secret {HOSTILE}"),
        }],
        unsupported: vec![
            unsupported("aes-256-gcm/seal/graviola/16", HOSTILE),
            unsupported("aes-256-gcm/key-setup/rustcrypto", "keys are set up with each message"),
            unsupported("rsa-pkcs1-sha256/sign/ring/4096", "ring signs with up to 3072 bits"),
        ],
        measured,
        resumed: Vec::new(),
        end: Some(End { ended: "2026-01-02T03:14:05Z".to_owned() }),
    }
}

fn header(cpu: &str) -> Header {
    let environment = Environment {
        host: Host {
            system: Some(HOSTILE.to_owned()),
            cpu: Cpu {
                model: Some(cpu.to_owned()),
                signature: Some("6/143/8".to_owned()),
                hypervisor: Some(HOSTILE.to_owned()),
                flags: vec!["aes".to_owned(), "avx512_vpopcntdq".to_owned(), HOSTILE.to_owned()],
                ..Cpu::default()
            },
            ..Host::default()
        },
        build: Build { rustc: "rustc 1.95.0".to_owned(), ..Build::default() },
        implementations: ["aws-lc", "control", "graviola", "openssl", "ring", "rustcrypto"]
            .map(implementation)
            .to_vec(),
        ..Environment::default()
    };
    Header {
        format: FORMAT,
        engine: Engine::LockStep,
        started: "2026-01-02T03:04:05Z".to_owned(),
        seed: 1,
        settings: Settings {
            rounds: ROUNDS,
            screening: 0,
            slices: 3,
            filter: Some(HOSTILE.to_owned()),
            ..Settings::default()
        },
        programs: vec![Program {
            name: HOSTILE.to_owned(),
            sha256: Some("ab".repeat(32)),
            protocol: 1,
            environment,
        }],
        command: format!("run {HOSTILE}"),
        warnings: vec!["the machine is busy".to_owned(), HOSTILE.to_owned()],
    }
}

fn implementation(name: &'static str) -> ImplementationRecord {
    let mut provenance = Provenance::of_crates(&[name]);
    provenance.version = Some(format!("1.2.3 {HOSTILE}"));
    provenance.details.insert("code path".to_owned(), "AES-NI and VPCLMULQDQ".to_owned());
    provenance.details.insert(HOSTILE.to_owned(), HOSTILE.to_owned());
    ImplementationRecord {
        backend: BackendId::fixed(name),
        packages: vec![Package {
            name: name.to_owned(),
            version: format!("1.2.3{HOSTILE}"),
            checksum: None,
        }],
        provenance,
        code_sha256: Some("cd".repeat(32)),
    }
}

/// Two programs side by side, their names no better than the rest.
pub(crate) fn duel() -> Input {
    let mut measured = Vec::new();
    for size in SIZES {
        let time = 100.0 + size as f64;
        measured.extend(rounds(
            &format!("aes-256-gcm/seal/{size}"),
            &[("ring", time), ("ring", 1.2 * time)],
        ));
    }
    for it in &mut measured {
        it.sides[1].program = 1;
    }
    let mut record = around("Some CPU", measured);
    let mut other = record.header.programs[0].clone();
    other.name = "it's, 100 % \\ ]{}".to_owned();
    record.header.programs.push(other);
    record.failed.clear();
    record.unsupported.clear();
    Input { name: HOSTILE.to_owned(), record }
}

/// Rounds in which all of `contests` are one heat: slices drift together, and differ by a per mille or so beside.
fn heats(rounds: u32, first: u64, contests: &[(String, Vec<Time>)]) -> Vec<Measured> {
    const ITERATIONS: u64 = 100;
    let mut all = Vec::new();
    for round in 0..rounds {
        for (place, (contest, times)) in contests.iter().enumerate() {
            let slice = |time: f64, index: usize, slice: u32| {
                let step = index as u32 + 3 * place as u32 + 1;
                let off = f64::from((round * step + slice * 5) % 11) / 4000.0;
                let drift = 1.0 + f64::from(slice + round) / 50.0;
                (time * (1.0 + off) * drift * ITERATIONS as f64) as u64
            };
            let slices: Vec<Vec<u64>> = times
                .iter()
                .enumerate()
                .map(|(index, it)| (0..5).map(|number| slice(it.1, index, number)).collect())
                .collect();
            let each: Vec<Vec<f64>> =
                slices.iter().map(|it| operation_times(it, &[ITERATIONS])).collect();
            let mut log_ratios = Vec::new();
            for (index, one) in each.iter().enumerate() {
                log_ratios
                    .extend(each[index + 1..].iter().filter_map(|it| median_log_ratio(it, one)));
            }
            let sides = times.iter().zip(&each);
            all.push(Measured {
                contest: contest.parse().expect("a contest"),
                round,
                heat: Some(first + u64::from(round)),
                sides: sides
                    .map(|(it, each)| side(it.0, median(each).expect("slices"), ITERATIONS))
                    .collect(),
                log_ratios,
                slices,
            });
        }
    }
    all
}

/// A record of all scenarios, in so many rounds.
#[allow(dead_code, reason = "for the tests of scenarios")]
pub(crate) fn scenarios(rounds: u32) -> Input {
    let mut measured = Vec::new();
    let mut next = 0;
    let mut heat = |contests: &[(String, Vec<Time>)]| {
        measured.extend(heats(rounds, next, contests));
        next += u64::from(rounds);
    };
    for piece in [64_u64, 1024, 16384, 33_554_432] {
        // A call for each piece, and 32 MiB at so many nanoseconds a byte.
        let calls = (33_554_432 / piece) as f64;
        let time = |call: f64, byte: f64| calls * call + 33_554_432.0 * byte;
        let of = |algorithm: &str, operation: &str, times: &[Time]| {
            (format!("{algorithm}/{operation}/{piece}"), times.to_vec())
        };
        heat(&[
            of(
                "aes-256-cbc",
                "encrypt-pieces",
                &[
                    ("aws-lc", time(60.0, 0.72)),
                    ("openssl", time(80.0, 0.71)),
                    ("rustcrypto", time(20.0, 1.5)),
                ],
            ),
            of(
                "aes-256-cbc",
                "decrypt-pieces",
                &[
                    ("aws-lc", time(60.0, 0.12)),
                    ("openssl", time(80.0, 0.11)),
                    ("rustcrypto", time(20.0, 0.3)),
                ],
            ),
            of(
                "aes-256-ctr",
                "encrypt-pieces",
                &[("openssl", time(70.0, 0.1)), ("rustcrypto", time(15.0, 0.3))],
            ),
            of("aes-256-gcm", "encrypt-pieces", &[("openssl", time(75.0, 0.11))]),
        ]);
    }
    for (bytes, fields) in [(28_672, 170.0), (1_048_576, 6200.0)] {
        for file in ["", "-file"] {
            let (size, xml) = (f64::from(bytes), if file.is_empty() { 2.2 } else { 2.6 });
            let copy = if file.is_empty() { 0.03 } else { 0.4 };
            let of = |algorithm: &str, operation: &str, times: &[Time]| {
                (format!("{algorithm}/{operation}{file}/{bytes}"), times.to_vec())
            };
            let whole = |byte: f64| 300.0 + size * (copy + byte);
            let each = |field: f64| size * xml + fields * field;
            heat(&[
                of("control", "whole", &[("control", whole(0.0))]),
                of("control", "fields", &[("control", each(0.0))]),
                of("aes-256-cbc", "whole", &[("openssl", whole(0.72)), ("rustcrypto", whole(1.5))]),
                of(
                    "aes-256-cbc",
                    "fields",
                    &[("openssl", each(210.0)), ("rustcrypto", each(60.0))],
                ),
                of(
                    "aes-256-cbc",
                    "fields-fresh-key",
                    &[("openssl", each(560.0)), ("rustcrypto", each(130.0))],
                ),
                of("aes-256-gcm", "whole", &[("openssl", whole(0.14)), ("ring", whole(0.13))]),
                of("aes-256-gcm", "fields", &[("openssl", each(290.0)), ("ring", each(95.0))]),
                of("aes-256-gcm", "fields-fresh-key", &[("ring", each(260.0))]),
            ]);
        }
    }
    for bits in [128, 256] {
        for (operation, more) in [("seal", 0.0), ("open", 15.0)] {
            for bytes in [128_u32, 1024, 4096, 8192] {
                let time = |fixed: f64, byte: f64| fixed + more + f64::from(bytes) * byte;
                heat(&[
                    (
                        format!("aes-{bits}-gcm/{operation}/{bytes}"),
                        vec![
                            ("openssl", time(250.0, 0.12)),
                            ("ring", time(60.0, 0.13)),
                            ("rustcrypto", time(150.0, 0.8)),
                        ],
                    ),
                    (
                        format!("aes-{bits}-gcm-siv/{operation}/{bytes}"),
                        vec![("openssl", time(420.0, 0.12)), ("rustcrypto", time(320.0, 0.79))],
                    ),
                ]);
            }
        }
    }
    for round in 0..rounds {
        let keys = keys(round);
        measured.push(Measured {
            contest: "rsa/keygen-seeded/2048".parse().expect("a contest"),
            ..keys.clone()
        });
        measured.push(keys);
    }
    let mut record = around("Some CPU", measured);
    record.header.settings.rounds = rounds;
    record.failed.clear();
    let unsupported = |text: &str, reason: &str| UnsupportedCase {
        id: text.parse().expect("a case"),
        program: 0,
        reason: reason.to_owned(),
    };
    record.unsupported = Vec::new();
    for piece in [64, 1024, 16384, 33_554_432] {
        let case = |backend: &str| format!("aes-256-cbc/encrypt-pieces/{backend}/{piece}");
        record.unsupported.push(unsupported(&case("ring"), "ring exposes no block modes"));
        if piece > 64 {
            record.unsupported.push(unsupported(&case("graviola"), HOSTILE));
        }
    }
    for bytes in [28_672, 1_048_576] {
        for operation in ["whole", "fields", "fields-fresh-key"] {
            let case = format!("aes-256-cbc/{operation}/ring/{bytes}");
            record.unsupported.push(unsupported(&case, "ring exposes no block modes"));
        }
        let case = format!("aes-256-gcm/fields-fresh-key/openssl/{bytes}");
        record.unsupported.push(unsupported(&case, HOSTILE));
    }
    let case = "aes-256-gcm-siv/seal/ring/8192";
    record.unsupported.push(unsupported(case, "ring has no AES-GCM-SIV"));
    Input { name: "scenarios".to_owned(), record }
}
