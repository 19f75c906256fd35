//! Hands the facts of the compilation to the crate, as variables that `env!` reads.
//! What they mean in a record is in src/compilation.rs.

#[path = "src/digest.rs"]
mod digest;
#[path = "src/tree.rs"]
mod tree;

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Component, Path, PathBuf},
    process::Command,
};

/// Settings of a profile that change its code, as in `CARGO_PROFILE_RELEASE_LTO`.
const PROFILE_SETTINGS: [&str; 7] =
    ["LTO", "CODEGEN_UNITS", "OPT_LEVEL", "PANIC", "DEBUG_ASSERTIONS", "OVERFLOW_CHECKS", "DEBUG"];

/// What the build scripts of the C libraries read. For `CC` and `CFLAGS` there are also names with the
/// target.
const C_VARIABLES: [&str; 16] = [
    "CC",
    "CFLAGS",
    "CXX",
    "CXXFLAGS",
    "TARGET_CC",
    "TARGET_CFLAGS",
    "HOST_CC",
    "AWS_LC_SYS_CFLAGS",
    "AWS_LC_SYS_NO_ASM",
    "AWS_LC_SYS_CMAKE_BUILDER",
    "AWS_LC_SYS_NO_PREGENERATED_SRC",
    "AWS_LC_SYS_USE_SYSTEM",
    "OPENSSL_NO_VENDOR",
    "OPENSSL_DIR",
    "OPENSSL_SRC_PERL",
    "RING_PREGENERATE_ASM",
];

/// What .cargo/config.toml sets where the environment does not: the build as it is meant to be.
/// Cargo makes the path absolute.
const CONFIGURED: [(&str, &str); 2] = [
    ("AWS_LC_SYS_USE_SYSTEM", "0"),
    ("OPENSSL_SRC_PERL", "crates/adapters/openssl/configure-perl"),
];

/// The directories of the suite's own packages that every backend is compiled from.
const SHARED: [&str; 3] = ["../catalogue", "../harness", "../schema"];

/// The directory of those of one backend each.
const ADAPTERS: &str = "../adapters";

/// Cargo's configuration, which sets what the builds of C libraries read.
const CONFIGURATION: &str = "../../.cargo";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=RUSTC");
    // Cargo makes it from RUSTFLAGS and its configuration, and runs this again when it changes.
    println!("cargo:rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");

    fact("RUSTC", &compiler());
    fact("C_COMPILER", &c_compiler());
    fact("TARGET", &variable("TARGET"));
    fact("PROFILE", &profile());
    fact("OPT_LEVEL", &variable("OPT_LEVEL"));
    fact("RUSTFLAGS", &variable("CARGO_ENCODED_RUSTFLAGS"));
    fact("TARGET_FEATURES", &variable("CARGO_CFG_TARGET_FEATURE"));
    fact("VARIABLES", &variables(&variable("TARGET")));
    fact("SOURCES", &sources());
}

fn fact(name: &str, value: &str) {
    // A line break would end the directive.
    println!("cargo:rustc-env=CRYPTOBENCH_BUILD_{name}={}", value.replace(['\r', '\n'], " "));
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// The variables that change how Rust or C code is compiled: `name=value`, separated by U+001F.
fn variables(target: &str) -> String {
    let profiles = ["RELEASE", "BENCH"].into_iter().flat_map(|profile| {
        PROFILE_SETTINGS.map(|setting| format!("CARGO_PROFILE_{profile}_{setting}"))
    });
    let of_target = ["CC", "CFLAGS"].into_iter().flat_map(|name| {
        [format!("{name}_{target}"), format!("{name}_{}", target.replace('-', "_"))]
    });
    profiles
        .chain(C_VARIABLES.map(str::to_owned))
        .chain(of_target)
        .filter_map(|name| {
            println!("cargo:rerun-if-env-changed={name}");
            let value = env::var_os(&name)?.to_string_lossy().replace('\x1f', " ");
            let configured = CONFIGURED
                .iter()
                .any(|(known, usual)| name == *known && Path::new(&value).ends_with(usual));
            (!configured).then(|| format!("{name}={value}"))
        })
        .collect::<Vec<_>>()
        .join("\x1f")
}

/// SHA-256 of every directory that code of backends is compiled from: `name=digest`, separated by U+001F. The
/// name is the package's, by the convention that `NAME` holds `cryptobench-NAME`, or `.cargo`. What is not
/// there or cannot be read is left out.
fn sources() -> String {
    // The adapters as one, so that another one is noticed.
    for directory in SHARED.into_iter().chain([ADAPTERS, CONFIGURATION]) {
        // Cargo takes what is not there for changed, each time.
        if Path::new(directory).exists() {
            println!("cargo:rerun-if-changed={directory}");
        }
    }
    let adapters = fs::read_dir(ADAPTERS).into_iter().flatten().flatten().map(|it| it.path());
    let mut sources: Vec<String> = adapters
        .chain(SHARED.map(PathBuf::from))
        .filter_map(|path| {
            let name = path.file_name()?.to_string_lossy();
            Some(format!("cryptobench-{name}={}", tree::sha256(&path).ok()?))
        })
        .collect();
    let configuration = tree::sha256(Path::new(CONFIGURATION)).ok();
    sources.extend(configuration.map(|digest| format!(".cargo={digest}")));
    // Directories are listed in any order; the variable should have one.
    sources.sort();
    sources.join("\x1f")
}

/// `rustc -vV` in a line: `rustc 1.95.0 (59807616e 2026-04-14), LLVM 22.1.2`.
fn compiler() -> String {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let verbose = Command::new(rustc)
        .arg("-vV")
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    let version = verbose.lines().next().unwrap_or("rustc of unknown version");
    match verbose.lines().find_map(|line| line.strip_prefix("LLVM version: ")) {
        Some(llvm) => format!("{version}, LLVM {llvm}"),
        None => version.to_owned(),
    }
}

/// The first line of `cc --version`, for the libraries that are C, or nothing.
fn c_compiler() -> String {
    println!("cargo:rerun-if-env-changed=CC");
    let cc = env::var_os("CC").filter(|cc| !cc.is_empty()).unwrap_or_else(|| "cc".into());
    Command::new(cc)
        .arg("--version")
        .output()
        .ok()
        .and_then(|output| {
            String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
        })
        .unwrap_or_default()
}

/// The directory of the profile in the target directory: Cargo's PROFILE is `release` or `debug` for
/// profiles of other names too. OUT_DIR is `…/<profile>/build/<package>-<hash>/out`.
fn profile() -> String {
    let out = variable("OUT_DIR");
    let parts: Vec<&OsStr> = Path::new(&out)
        .components()
        .filter_map(|component| match component {
            Component::Normal(part) => Some(part),
            _ => None,
        })
        .collect();
    parts
        .iter()
        .rposition(|part| *part == "build")
        .and_then(|build| parts[..build].last())
        .map_or_else(|| variable("PROFILE"), |part| part.to_string_lossy().into_owned())
}
