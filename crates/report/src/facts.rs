//! What an environment says of machine, build and backends, as names and values that people read. Which of it matters to
//! a comparison is decided in the results.

use cryptobench_results::record::{Engine, Header, Settings};
use cryptobench_schema::{
    BackendId, Build, Environment, Host, ImplementationRecord, Linkage, Package,
};
use std::collections::BTreeMap;

/// A name and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// What it is here.
    pub value: String,
}

impl Fact {
    fn new(name: &str, value: impl Into<String>) -> Self {
        Self { name: name.to_owned(), value: value.into() }
    }
}

fn known(it: &Option<String>) -> String {
    it.clone().unwrap_or_else(|| "unknown".to_owned())
}

/// A text that a worker in another language may have left empty.
fn told(it: &str) -> &str {
    if it.is_empty() { "unknown" } else { it }
}

fn yes(it: Option<bool>) -> &'static str {
    match it {
        Some(true) => "yes",
        Some(false) => "no",
        None => "unknown",
    }
}

/// The processor of `host`, where it is known.
#[must_use]
pub fn machine_name(host: &Host) -> Option<String> {
    match (&host.cpu.model, &host.cpu.signature) {
        (Some(model), Some(signature)) => Some(format!("{model} ({signature})")),
        (one, other) => one.clone().or_else(|| other.clone()),
    }
}

/// The machine and its system.
#[must_use]
pub fn machine(host: &Host) -> Vec<Fact> {
    let cpu = &host.cpu;
    vec![
        Fact::new("processor", format!("{} ({})", known(&cpu.model), known(&cpu.signature))),
        Fact::new("system", format!("{}, {}", known(&host.system), known(&host.kernel))),
        Fact::new("processors", cpu.logical.to_string()),
        Fact::new("hypervisor", known(&cpu.hypervisor)),
        Fact::new("governor", known(&cpu.governor)),
        Fact::new("microcode", known(&cpu.microcode)),
    ]
}

/// What else is known of the machine.
#[must_use]
pub fn more_of_machine(host: &Host) -> Vec<Fact> {
    let cpu = &host.cpu;
    vec![
        Fact::new("boost", yes(cpu.boost)),
        Fact::new("threads share cores", yes(cpu.smt)),
        Fact::new(
            "memory",
            host.memory_bytes.map_or_else(
                || "unknown".to_owned(),
                |it| format!("{:.1} GiB", it as f64 / f64::from(1 << 30)),
            ),
        ),
        Fact::new(
            "load when it began",
            host.load.map_or_else(|| "unknown".to_owned(), |it| format!("{it:.2}")),
        ),
        Fact::new("processor flags", cpu.flags.join(" ")),
    ]
}

/// How the program was compiled, and what it ran under.
#[must_use]
pub fn build(environment: &Environment) -> Vec<Fact> {
    let assigned = |variables: &BTreeMap<String, String>| {
        let all: Vec<String> =
            variables.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if all.is_empty() { "none".to_owned() } else { all.join(" ") }
    };
    let Build { rustc, c_compiler, target, profile, opt_level, rustflags, variables, .. } =
        &environment.build;
    vec![
        Fact::new("compiler", told(rustc)),
        Fact::new("C compiler", known(c_compiler)),
        Fact::new(
            "build",
            format!(
                "{}, {}, opt-level {}, RUSTFLAGS {rustflags:?}",
                told(target),
                told(profile),
                told(opt_level)
            ),
        ),
        Fact::new("build variables", assigned(variables)),
        Fact::new("variables", assigned(&environment.variables)),
        Fact::new(
            "source",
            environment.revision.as_ref().map_or_else(
                || "unknown".to_owned(),
                |it| format!("{:.12}{}", it.commit, if it.dirty { " with changes" } else { "" }),
            ),
        ),
    ]
}

/// What else is known of the build.
#[must_use]
pub fn more_of_build(build: &Build) -> Vec<Fact> {
    vec![
        Fact::new("suite", &build.suite),
        Fact::new("target features", build.target_features.join(" ")),
        Fact::new("debug assertions", yes(Some(build.debug_assertions))),
        Fact::new("Cargo.lock", format!("SHA-256 {}", told(&build.lock_sha256))),
    ]
}

/// How a run measured.
#[must_use]
pub fn course(header: &Header) -> Vec<Fact> {
    let Settings { rounds, screening, slices, fewest_slices, slice_ns, cpu, .. } = &header.settings;
    if header.engine == Engine::Criterion {
        return vec![
            Fact::new("engine", "Criterion: one case after another, one process"),
            Fact::new("began", &header.started),
        ];
    }
    let mut facts = vec![
        Fact::new("engine", "lock-step: slices of all sides of a contest taken in turn"),
        Fact::new("began", &header.started),
        Fact::new(
            "rounds",
            if *screening > 0 {
                format!("{rounds}, of which {screening} screen")
            } else {
                rounds.to_string()
            },
        ),
        Fact::new(
            "slices in a round",
            format!("{fewest_slices} to {slices} of {} µs, or one operation", slice_ns / 1000),
        ),
        Fact::new(
            "pinned to processor",
            cpu.map_or_else(|| "not pinned".to_owned(), |it| it.to_string()),
        ),
        Fact::new("seed", header.seed.to_string()),
    ];
    for program in &header.programs {
        if let Some(sha256) = &program.sha256 {
            facts
                .push(Fact::new(&format!("program {}", program.name), format!("SHA-256 {sha256}")));
        }
    }
    facts
}

/// The rounds that a command takes without being told: fewer for a look, and of scenarios, whose operations are long.
#[must_use]
pub fn usual_rounds(quick: bool, of_scenarios: bool) -> u32 {
    match (quick, of_scenarios) {
        (true, _) => 3,
        (false, true) => 5,
        (false, false) => Settings::default().rounds,
    }
}

/// The command that measures the same again, as far as the record says.
#[must_use]
pub fn command(header: &Header) -> String {
    if header.engine == Engine::Criterion {
        return "cargo bench && cryptobench import".to_owned();
    }
    let Settings {
        rounds,
        screening,
        scenarios,
        document,
        filter,
        backends,
        sizes,
        rsa_bits,
        quick,
        ..
    } = &header.settings;
    // Under another name or none: the record is there already.
    let words = header.command.split(" --save ").next().filter(|it| !it.is_empty());
    let mut command = format!("cryptobench {}", words.unwrap_or("run"));
    if *quick {
        command.push_str(" --quick");
    }
    let mut option = |name: &str, value: &str| {
        command.push_str(&format!(" {name} {}", quoted(value)));
    };
    if *screening == 0 && *rounds != usual_rounds(*quick, !scenarios.is_empty()) {
        option("--rounds", &rounds.to_string());
    }
    if *screening == 0 {
        // The first is the checkout's own.
        for program in header.programs.iter().skip(1) {
            option("--also", &program.name);
        }
    }
    // `scenario` has them in its name.
    if !header.command.starts_with("scenario") {
        for scenario in scenarios {
            option("--scenario", scenario.name());
        }
    }
    if let Some(document) = document {
        option("--document", &document.path);
        option("--element", &document.element);
    }
    if let Some(filter) = filter {
        option("--filter", filter);
    }
    // A duel has its backends in its name.
    if !header.command.starts_with("duel") {
        for backend in backends {
            option("--backend", backend.as_str());
        }
    }
    if let Some(sizes) = sizes {
        option("--sizes", sizes);
    }
    if let Some(bits) = rsa_bits {
        option("--rsa-bits", bits);
    }
    command
}

/// `value` as one word of a POSIX shell.
#[must_use]
pub fn quoted(value: &str) -> String {
    let plain = |it: char| it.is_ascii_alphanumeric() || "-_./,=:+@%".contains(it);
    if !value.is_empty() && value.chars().all(plain) {
        value.to_owned()
    } else {
        format!("'{}'", value.replace('\'', "'\\''"))
    }
}

/// A backend: its libraries with their versions, and what it says of its code path.
#[must_use]
pub fn implementation(it: &ImplementationRecord) -> Vec<Fact> {
    let packages: Vec<String> = it
        .packages
        .iter()
        .map(|Package { name, version, .. }| format!("{name} {version}"))
        .collect();
    let mut facts = vec![Fact::new("packages", packages.join(", "))];
    if let Some(version) = &it.provenance.version {
        facts.insert(0, Fact::new("version", version));
    }
    if it.provenance.linkage == Linkage::System {
        facts.push(Fact::new("linked", "a library of the system"));
    }
    facts.extend(it.provenance.details.iter().map(|(name, value)| Fact::new(name, value)));
    facts.push(Fact::new(
        "code",
        it.code_sha256.as_ref().map_or_else(
            || "not pinned: some of it is not in Cargo.lock".to_owned(),
            |it| format!("SHA-256 {it}"),
        ),
    ));
    facts
}

/// Something that two environments say, the same or not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What it is.
    pub name: String,
    /// What the old one says.
    pub old: String,
    /// What the new one says.
    pub new: String,
}

impl Difference {
    /// Whether both say the same.
    #[must_use]
    pub fn is_none(&self) -> bool {
        self.old == self.new
    }
}

fn side_by_side(old: Vec<Fact>, new: Vec<Fact>) -> impl Iterator<Item = Difference> {
    old.into_iter().zip(new).map(|(old, new)| Difference {
        name: old.name,
        old: old.value,
        new: new.value,
    })
}

/// Facts of a machine that are worth a line even where they are the same: the first so many.
const ALWAYS: usize = 2;

/// Two environments side by side: machine, build, backends.
#[must_use]
pub fn differences(old: &Environment, new: &Environment) -> Vec<Difference> {
    let mut all = Vec::new();
    for (index, it) in side_by_side(machine(&old.host), machine(&new.host)).enumerate() {
        if index < ALWAYS || !it.is_none() {
            all.push(it);
        }
        if index + 1 == ALWAYS {
            all.extend(flags(&old.host.cpu.flags, &new.host.cpu.flags));
        }
    }
    all.extend(side_by_side(build(old), build(new)));
    all.extend(implementations(&old.implementations, &new.implementations));
    all
}

/// The flags that only one of two processors has.
fn flags(old: &[String], new: &[String]) -> Option<Difference> {
    let only = |some: &[String], others: &[String]| {
        let some: Vec<&str> =
            some.iter().filter(|it| !others.contains(it)).map(String::as_str).collect();
        if some.is_empty() { "no flags of its own".to_owned() } else { some.join(" ") }
    };
    (old != new).then(|| Difference {
        name: "processor flags".to_owned(),
        old: only(old, new),
        new: only(new, old),
    })
}

/// Backends: where nothing differs, their version; otherwise the packages that do.
fn implementations(old: &[ImplementationRecord], new: &[ImplementationRecord]) -> Vec<Difference> {
    let mut ids: Vec<&BackendId> = Vec::new();
    for it in old.iter().chain(new) {
        if !ids.contains(&&it.backend) {
            ids.push(&it.backend);
        }
    }
    ids.into_iter()
        .map(|id| {
            let find =
                |all: &'_ [ImplementationRecord]| all.iter().find(|it| it.backend == *id).cloned();
            let (old, new) = (find(old), find(new));
            let say = |one: &Option<ImplementationRecord>, other: &Option<ImplementationRecord>| {
                one.as_ref().map_or_else(|| "not there".to_owned(), |one| said(one, other.as_ref()))
            };
            Difference { name: id.to_string(), old: say(&old, &new), new: say(&new, &old) }
        })
        .collect()
}

/// Packages that are named where nothing differs.
const NAMED: usize = 3;

/// `one`, with what of it is not the same in `other`.
fn said(one: &ImplementationRecord, other: Option<&ImplementationRecord>) -> String {
    let name = |it: &&Package| format!("{} {}", it.name, it.version);
    let differing: Vec<String> = one
        .packages
        .iter()
        .filter(|it| other.is_some_and(|other| !other.packages.contains(it)))
        .map(|it| name(&it))
        .collect();
    let mut parts: Vec<String> = one.provenance.version.iter().cloned().collect();
    if differing.is_empty() {
        parts.extend(one.packages.iter().take(NAMED).map(|it| name(&it)));
        if one.packages.len() > NAMED {
            parts.push(format!("{} more", one.packages.len() - NAMED));
        }
    } else {
        parts.extend(differing);
    }
    // What they depend on and the suite's own code may differ where their versions do not.
    if other.is_some_and(|other| other.code_sha256 != one.code_sha256) {
        parts.push(one.code_sha256.as_ref().map_or_else(
            || "code that is not pinned".to_owned(),
            |code| format!("code {code:.8}"),
        ));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use cryptobench_schema::Scenario;

    fn header(command: &str, programs: &[&str], settings: Settings) -> Header {
        let program = |name: &&str| cryptobench_results::record::Program {
            name: (*name).to_owned(),
            sha256: None,
            protocol: 1,
            environment: Environment::default(),
        };
        Header {
            format: 1,
            engine: Engine::LockStep,
            started: String::new(),
            command: command.to_owned(),
            seed: 1,
            settings,
            programs: programs.iter().map(program).collect(),
            warnings: Vec::new(),
        }
    }

    #[test]
    fn commands_can_be_pasted() {
        let settings = |change: fn(&mut Settings)| {
            let mut settings = Settings::default();
            change(&mut settings);
            settings
        };
        for (header, command) in [
            (header("", &["current"], Settings::default()), "cryptobench run"),
            (header("run --save x", &["current"], Settings::default()), "cryptobench run"),
            (
                header(
                    "run",
                    &["current", "go worker"],
                    settings(|it| (it.quick, it.rounds) = (true, 3)),
                ),
                "cryptobench run --quick --also 'go worker'",
            ),
            (
                header("run", &["current"], settings(|it| it.quick = true)),
                "cryptobench run --quick --rounds 7",
            ),
            (
                header(
                    "scenario all --save scenarios",
                    &["current"],
                    settings(|it| (it.rounds, it.scenarios) = (5, Scenario::ALL.to_vec())),
                ),
                "cryptobench scenario all",
            ),
            (
                header(
                    "baseline b",
                    &["current"],
                    settings(|it| it.scenarios = vec![Scenario::Bulk]),
                ),
                "cryptobench baseline b --rounds 7 --scenario bulk",
            ),
            (
                header(
                    "baseline b",
                    &["current"],
                    settings(|it| {
                        it.rounds = 3;
                        it.filter = Some("it's/(a|b)".to_owned());
                    }),
                ),
                "cryptobench baseline b --rounds 3 --filter 'it'\\''s/(a|b)'",
            ),
            (
                header(
                    "compare b",
                    &["b", "current"],
                    settings(|it| {
                        it.screening = 3;
                        it.filter = Some(String::new());
                        it.sizes = Some("1024".to_owned());
                    }),
                ),
                "cryptobench compare b --filter '' --sizes 1024",
            ),
        ] {
            assert_eq!(super::command(&header), command);
        }
    }

    #[test]
    fn what_nobody_said_is_unknown() {
        let environment = Environment::default();
        for fact in build(&environment).iter().chain(&more_of_build(&environment.build)) {
            assert!(!fact.value.contains(", ,") && !fact.value.ends_with(' '), "{fact:?}");
        }
    }
}
