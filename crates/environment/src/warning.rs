//! What makes a machine or a build a bad one to measure with, but not so bad as to refuse it.
//! Builds that are refused are told by `unoptimised`.

use cryptobench_schema::{Build, Environment, Host};
use std::fmt;

/// Something that disturbs measurements, or makes them unlike those of other machines.
#[derive(Debug, Clone, PartialEq)]
pub enum Warning {
    /// The frequency governor saves power.
    PowersaveGovernor,
    /// More than half of the processors are busy.
    Load {
        /// Load average over one minute.
        load: f64,
        /// Logical processors.
        logical: u32,
    },
    /// The machine runs on battery.
    Battery,
    /// The machine is virtual.
    Hypervisor(String),
    /// The processor has no AES instructions, or hides them.
    NoAesInstructions,
    /// A variable masks capabilities of the processor from some of the libraries.
    CapabilityMask {
        /// Its name.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// A configuration of OpenSSL other than the installed one is set: the value of `OPENSSL_CONF`.
    OpensslConf(String),
    /// A variable made the compilers generate other code than in a plain build.
    BuildVariable {
        /// Its name.
        variable: String,
        /// Its value.
        value: String,
    },
    /// The suite's own code is less optimised than users' release builds.
    OptLevel(String),
    /// Debug assertions are compiled in.
    DebugAssertions,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PowersaveGovernor => f.write_str(
                "the frequency governor is `powersave`: the clock follows the load, and times with it",
            ),
            Self::Load { load, logical } => write!(
                f,
                "the machine is busy: load {load:.1} on {logical} processors; expect more noise"
            ),
            Self::Battery => {
                f.write_str("the machine runs on battery: its clock may be held down")
            }
            Self::Hypervisor(name) => write!(
                f,
                "the machine is virtual ({name}): its neighbours and the hypervisor disturb measurements"
            ),
            Self::NoAesInstructions => f.write_str(
                "the processor shows no AES instructions: AES runs in software, if at all",
            ),
            Self::CapabilityMask { variable, value } => write!(
                f,
                "{variable}={value} is set: OpenSSL and AWS-LC may not use all of the processor, \
                 the other libraries do"
            ),
            Self::OpensslConf(value) => write!(
                f,
                "OPENSSL_CONF={value} is set: it can add, change or remove algorithms of OpenSSL"
            ),
            Self::BuildVariable { variable, value } => {
                write!(f, "the build is not the plain one: {variable}={value}")
            }
            Self::OptLevel(level) => {
                write!(f, "the program was compiled with opt-level {level} instead of 3")
            }
            Self::DebugAssertions => f.write_str("debug assertions are compiled in"),
        }
    }
}

/// What is the matter with `environment`, the machine first. That the frequency may exceed the nominal
/// one is no warning: users' machines are like that.
#[must_use]
pub fn warnings(environment: &Environment) -> Vec<Warning> {
    let mut all = of_host(&environment.host, &environment.build.target);
    for variable in ["OPENSSL_ia32cap", "OPENSSL_armcap"] {
        if let Some(value) = environment.variables.get(variable) {
            all.push(Warning::CapabilityMask { variable, value: value.clone() });
        }
    }
    if let Some(value) = environment.variables.get("OPENSSL_CONF") {
        all.push(Warning::OpensslConf(value.clone()));
    }
    all.extend(of_build(&environment.build));
    all
}

fn of_host(host: &Host, target: &str) -> Vec<Warning> {
    let cpu = &host.cpu;
    let mut all = Vec::new();
    if cpu.governor.as_deref() == Some("powersave") {
        all.push(Warning::PowersaveGovernor);
    }
    if let Some(load) = host.load
        && load > busy_from(cpu.logical)
    {
        all.push(Warning::Load { load, logical: cpu.logical });
    }
    if host.on_battery == Some(true) {
        all.push(Warning::Battery);
    }
    if let Some(name) = &cpu.hypervisor {
        all.push(Warning::Hypervisor(name.clone()));
    }
    // No flags at all: the system does not tell. Elsewhere AES goes by other names.
    if !cpu.flags.is_empty() && has_aes_flag(target) && !cpu.flags.iter().any(|it| is_aes(it)) {
        all.push(Warning::NoAesInstructions);
    }
    all
}

fn has_aes_flag(target: &str) -> bool {
    ["x86_64-", "i686-", "i586-", "aarch64-", "arm64"].iter().any(|it| target.starts_with(it))
}

/// `aes` on Linux, `AES` or `arm.FEAT_AES` on macOS.
fn is_aes(flag: &str) -> bool {
    flag.eq_ignore_ascii_case("aes") || flag.ends_with("FEAT_AES")
}

fn of_build(build: &Build) -> Vec<Warning> {
    let mut all = Vec::new();
    // 0 is refused, not warned of.
    // A worker in another language has none.
    if !matches!(build.opt_level.as_str(), "" | "0" | "3") {
        all.push(Warning::OptLevel(build.opt_level.clone()));
    }
    if build.debug_assertions {
        all.push(Warning::DebugAssertions);
    }
    for (variable, value) in &build.variables {
        if changes_code(variable) && !value.is_empty() {
            all.push(Warning::BuildVariable { variable: variable.clone(), value: value.clone() });
        }
    }
    all
}

/// Whether a variable of the build is about link-time optimisation, codegen units or flags of C code.
fn changes_code(variable: &str) -> bool {
    variable.ends_with("_LTO")
        || variable.ends_with("_CODEGEN_UNITS")
        || variable.contains("CFLAGS")
}

/// The load from which a machine counts as busy: half of its processors, and a quarter for what rounds up.
/// Never less than one processor, since a run's own earlier part is a load of one.
fn busy_from(logical: u32) -> f64 {
    (f64::from(logical) / 2.0).max(1.0) + 0.25
}

#[cfg(test)]
mod tests {
    use super::*;
    use cryptobench_schema::Cpu;
    use std::collections::BTreeMap;

    /// A machine and a build without fault.
    fn good() -> Environment {
        Environment {
            host: Host {
                system: None,
                kernel: None,
                cpu: Cpu {
                    model: None,
                    signature: None,
                    microcode: None,
                    flags: ["aes", "sse2"].map(str::to_owned).to_vec(),
                    logical: 8,
                    smt: Some(true),
                    hypervisor: None,
                    governor: Some("performance".to_owned()),
                    boost: Some(true),
                },
                memory_bytes: None,
                load: Some(0.3),
                on_battery: Some(false),
            },
            build: Build {
                suite: "0.1.0".to_owned(),
                rustc: "rustc 1.95.0".to_owned(),
                c_compiler: None,
                target: "x86_64-unknown-linux-gnu".to_owned(),
                profile: "release".to_owned(),
                opt_level: "3".to_owned(),
                debug_assertions: false,
                rustflags: Vec::new(),
                variables: BTreeMap::new(),
                target_features: Vec::new(),
                lock_sha256: String::new(),
            },
            revision: None,
            variables: BTreeMap::new(),
            implementations: Vec::new(),
        }
    }

    /// The warnings of a machine that `spoil` made worse.
    fn spoilt(spoil: impl FnOnce(&mut Environment)) -> Vec<Warning> {
        let mut environment = good();
        spoil(&mut environment);
        warnings(&environment)
    }

    #[test]
    fn a_good_machine_has_no_warnings() {
        assert_eq!(warnings(&good()), []);
    }

    #[test]
    fn what_is_not_known_is_no_warning() {
        let unknown = spoilt(|it| {
            it.host.cpu.flags.clear();
            it.host.cpu.governor = None;
            it.host.cpu.boost = None;
            it.host.load = None;
            it.host.on_battery = None;
        });
        assert_eq!(unknown, []);
    }

    #[test]
    fn each_fault_has_its_warning() {
        assert_eq!(
            spoilt(|it| it.host.cpu.governor = Some("powersave".to_owned())),
            [Warning::PowersaveGovernor]
        );
        assert_eq!(spoilt(|it| it.host.on_battery = Some(true)), [Warning::Battery]);
        assert_eq!(
            spoilt(|it| it.host.cpu.hypervisor = Some("KVM".to_owned())),
            [Warning::Hypervisor("KVM".to_owned())]
        );
        assert_eq!(
            spoilt(|it| it.host.cpu.flags.retain(|flag| flag != "aes")),
            [Warning::NoAesInstructions]
        );
        assert_eq!(
            spoilt(|it| it.build.opt_level = "s".to_owned()),
            [Warning::OptLevel("s".to_owned())]
        );
        assert_eq!(spoilt(|it| it.build.debug_assertions = true), [Warning::DebugAssertions]);
    }

    #[test]
    fn load_counts_from_half_of_the_processors_on() {
        assert_eq!(spoilt(|it| it.host.load = Some(4.25)), []);
        assert_eq!(
            spoilt(|it| it.host.load = Some(4.5)),
            [Warning::Load { load: 4.5, logical: 8 }]
        );
    }

    #[test]
    fn aes_goes_by_the_system_s_name() {
        let named = |name: &str, target: &str| {
            spoilt(|it| {
                it.host.cpu.flags = vec![name.to_owned()];
                it.build.target = target.to_owned();
            })
        };
        assert_eq!(named("AES", "x86_64-apple-darwin"), []);
        assert_eq!(named("arm.FEAT_AES", "aarch64-apple-darwin"), []);
        assert_eq!(named("aes", "aarch64-unknown-linux-gnu"), []);
        assert_eq!(named("asimd", "aarch64-unknown-linux-gnu"), [Warning::NoAesInstructions]);
        assert_eq!(named("rv64imafdc", "riscv64gc-unknown-linux-gnu"), []);
    }

    #[test]
    fn a_masked_processor_is_named_with_its_mask() {
        let masked = spoilt(|it| {
            it.variables.insert("OPENSSL_ia32cap".to_owned(), "~0x2".to_owned());
            it.variables.insert("RAYON_NUM_THREADS".to_owned(), "1".to_owned());
        });
        assert_eq!(
            masked,
            [Warning::CapabilityMask { variable: "OPENSSL_ia32cap", value: "~0x2".to_owned() }]
        );
        assert!(masked[0].to_string().starts_with("OPENSSL_ia32cap=~0x2 is set"));
    }

    #[test]
    fn a_configuration_of_openssl_is_named() {
        let configured = spoilt(|it| {
            it.variables.insert("OPENSSL_CONF".to_owned(), "/dev/null".to_owned());
            it.variables.insert("OPENSSL_MODULES".to_owned(), "/opt/modules".to_owned());
        });
        assert_eq!(configured, [Warning::OpensslConf("/dev/null".to_owned())]);
        assert_eq!(
            configured[0].to_string(),
            "OPENSSL_CONF=/dev/null is set: it can add, change or remove algorithms of OpenSSL"
        );
    }

    #[test]
    fn a_build_that_is_not_the_plain_one_is_named() {
        let built = spoilt(|it| {
            it.build.variables = [
                ("AWS_LC_SYS_CFLAGS", "-O1"),
                ("CARGO_PROFILE_BENCH_CODEGEN_UNITS", "1"),
                ("CARGO_PROFILE_RELEASE_DEBUG", "1"),
                ("CARGO_PROFILE_RELEASE_LTO", "fat"),
                ("CC", "clang"),
                ("CFLAGS", ""),
                ("CFLAGS_x86_64_unknown_linux_gnu", "-march=native"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into();
        });
        let told: Vec<String> = built.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "the build is not the plain one: AWS_LC_SYS_CFLAGS=-O1",
                "the build is not the plain one: CARGO_PROFILE_BENCH_CODEGEN_UNITS=1",
                "the build is not the plain one: CARGO_PROFILE_RELEASE_LTO=fat",
                "the build is not the plain one: CFLAGS_x86_64_unknown_linux_gnu=-march=native",
            ]
        );
    }

    #[test]
    fn an_unoptimised_build_is_left_to_the_refusal() {
        assert_eq!(spoilt(|it| it.build.opt_level = "0".to_owned()), []);
    }

    #[test]
    fn a_worker_in_another_language_has_no_level() {
        assert_eq!(spoilt(|it| it.build.opt_level = String::new()), []);
    }
}
