//! What was measured where: the environment that goes with every run, as written to files.

use crate::BackendId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Machine, system and build of one program that times. Fields that a system does not tell are `None`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Environment {
    /// The machine and its system.
    pub host: Host,
    /// How the program was compiled.
    pub build: Build,
    /// The source it was compiled from, where that is a git checkout, as it was when captured.
    pub revision: Option<Revision>,
    /// Variables that change what libraries or the harness do, as set: `OPENSSL_ia32cap`,
    /// `CRYPTOBENCH_*` and the like.
    pub variables: BTreeMap<String, String>,
    /// The backends in the program.
    pub implementations: Vec<ImplementationRecord>,
}

/// The machine and its system.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Host {
    /// Operating system, distribution and version.
    pub system: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// The processor.
    pub cpu: Cpu,
    /// Bytes of memory.
    pub memory_bytes: Option<u64>,
    /// Load average over one minute when captured.
    pub load: Option<f64>,
    /// Whether the machine runs on battery.
    pub on_battery: Option<bool>,
}

/// The processor.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cpu {
    /// Model name as the system gives it; of Arm cores on Linux, which gives none, by their numbers.
    pub model: Option<String>,
    /// What the processor is even where the name is a hypervisor's: family, model and stepping
    /// (`6/143/8`); on Arm implementer, part and revision (`0x41/0xd40/r1p1`); of Apple's, its family.
    pub signature: Option<String>,
    /// Microcode revision.
    pub microcode: Option<String>,
    /// Feature flags as the system lists them, sorted.
    pub flags: Vec<String>,
    /// Logical processors that are online.
    pub logical: u32,
    /// Whether cores run more than one thread.
    pub smt: Option<bool>,
    /// The hypervisor, where there is one: its own name, or what it calls the machine.
    pub hypervisor: Option<String>,
    /// Frequency governor: `performance`, `powersave`, …
    pub governor: Option<String>,
    /// Whether the frequency may exceed the nominal one.
    pub boost: Option<bool>,
}

/// How the program was compiled.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Build {
    /// Version of the suite.
    pub suite: String,
    /// `rustc --version`, with commit and LLVM.
    pub rustc: String,
    /// The C compiler by the first line of its `--version`, as found when the program was compiled.
    pub c_compiler: Option<String>,
    /// Target triple.
    pub target: String,
    /// Cargo profile directory: `release`, `debug` or a profile's name.
    pub profile: String,
    /// `opt-level` of the suite's own crates.
    pub opt_level: String,
    /// Whether debug assertions are compiled in.
    pub debug_assertions: bool,
    /// RUSTFLAGS as compiled, one flag an element.
    pub rustflags: Vec<String>,
    /// Variables that change how Rust or C code is compiled, as set when the program was compiled:
    /// `CARGO_PROFILE_*`, `CC`, `CFLAGS` and the like.
    pub variables: BTreeMap<String, String>,
    /// Target features that the compiler was allowed to use everywhere.
    pub target_features: Vec<String>,
    /// SHA-256 of Cargo.lock, hexadecimal.
    pub lock_sha256: String,
}

/// A git revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// Commit id.
    pub commit: String,
    /// Whether tracked files differ from it.
    pub dirty: bool,
}

/// A backend and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImplementationRecord {
    /// The backend.
    pub backend: BackendId,
    /// The crates that implement it, from the Cargo.lock the program was compiled with.
    pub packages: Vec<Package>,
    /// What the library says of itself.
    pub provenance: Provenance,
    /// SHA-256 over everything its code is compiled from: the source of the adapter and of the harness, Cargo's
    /// configuration, the features and profiles in the workspace's manifest, and names, versions, sources
    /// and checksums of all packages that the adapter depends on; hexadecimal. Compiler, flags and variables
    /// are in [`Build`]. `None` where some of it cannot be pinned: a library of the system, a package from a path.
    #[serde(default)]
    pub code_sha256: Option<String>,
}

/// One package of Cargo.lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// SHA-256 of its archive, hexadecimal; `None` for a path or git dependency.
    pub checksum: Option<String>,
}

/// How the implementation got into the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Linkage {
    /// Compiled from the source of its crate.
    Crate,
    /// A library of the system.
    System,
}

/// What a backend says of itself, by the library's own functions where it has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// Names of the packages that implement it.
    pub packages: Vec<String>,
    /// How it got into the program.
    pub linkage: Linkage,
    /// The linked library's version, by its own version function.
    pub version: Option<String>,
    /// Build options, compiler flags and the code path taken, as far as they can be known, by name.
    pub details: BTreeMap<String, String>,
}

impl Provenance {
    /// An implementation compiled from the crates `packages`, of which nothing else is known.
    #[must_use]
    pub fn of_crates(packages: &[&str]) -> Self {
        Self {
            packages: packages.iter().map(|&name| name.to_owned()).collect(),
            linkage: Linkage::Crate,
            version: None,
            details: BTreeMap::new(),
        }
    }
}
