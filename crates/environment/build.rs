//! Hands the facts of the compilation to the crate, as variables that `env!` reads.
//! What they mean in a record is in src/compilation.rs.

use std::{
    env,
    ffi::OsStr,
    path::{Component, Path},
    process::Command,
};

/// Settings of a profile that change its code, as in `CARGO_PROFILE_RELEASE_LTO`.
const PROFILE_SETTINGS: [&str; 7] =
    ["LTO", "CODEGEN_UNITS", "OPT_LEVEL", "PANIC", "DEBUG_ASSERTIONS", "OVERFLOW_CHECKS", "DEBUG"];

/// What the build scripts of the C libraries read. For `CC` and `CFLAGS` there are also names with the
/// target.
const C_VARIABLES: [&str; 15] = [
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
    "RING_PREGENERATE_ASM",
];

/// What .cargo/config.toml sets where the environment does not: the build as it is meant to be.
const CONFIGURED: [(&str, &str); 1] = [("AWS_LC_SYS_USE_SYSTEM", "0")];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=RUSTC");
    // Cargo makes it from RUSTFLAGS and its configuration, and runs this again when it changes.
    println!("cargo:rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");

    fact("RUSTC", &compiler());
    fact("TARGET", &variable("TARGET"));
    fact("PROFILE", &profile());
    fact("OPT_LEVEL", &variable("OPT_LEVEL"));
    fact("RUSTFLAGS", &variable("CARGO_ENCODED_RUSTFLAGS"));
    fact("TARGET_FEATURES", &variable("CARGO_CFG_TARGET_FEATURE"));
    fact("VARIABLES", &variables(&variable("TARGET")));
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
            (!CONFIGURED.contains(&(&name, &value))).then(|| format!("{name}={value}"))
        })
        .collect::<Vec<_>>()
        .join("\x1f")
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
