//! How the program was compiled: what build.rs found, and whether that is fit to be measured.
//! Which versions were compiled is in lock.rs.

use crate::lock;
use cryptobench_schema::Build;
use std::collections::BTreeMap;
use thiserror::Error;

/// How this program was compiled.
#[must_use]
pub fn build() -> Build {
    Build {
        suite: env!("CARGO_PKG_VERSION").to_owned(),
        rustc: env!("CRYPTOBENCH_BUILD_RUSTC").to_owned(),
        c_compiler: Some(env!("CRYPTOBENCH_BUILD_C_COMPILER").to_owned())
            .filter(|version| !version.is_empty()),
        target: env!("CRYPTOBENCH_BUILD_TARGET").to_owned(),
        profile: env!("CRYPTOBENCH_BUILD_PROFILE").to_owned(),
        opt_level: env!("CRYPTOBENCH_BUILD_OPT_LEVEL").to_owned(),
        debug_assertions: cfg!(debug_assertions),
        // As Cargo encodes them, so that flags with spaces stay whole.
        rustflags: listed(env!("CRYPTOBENCH_BUILD_RUSTFLAGS"), '\x1f'),
        variables: assigned(env!("CRYPTOBENCH_BUILD_VARIABLES")),
        target_features: listed(env!("CRYPTOBENCH_BUILD_TARGET_FEATURES"), ','),
        lock_sha256: lock::sha256(),
    }
}

fn listed(text: &str, separator: char) -> Vec<String> {
    text.split(separator).filter(|item| !item.is_empty()).map(str::to_owned).collect()
}

/// Names and values of `name=value`, separated by U+001F. A value may contain `=` and may be empty.
pub(crate) fn assigned(text: &str) -> BTreeMap<String, String> {
    listed(text, '\x1f')
        .iter()
        .filter_map(|assignment| assignment.split_once('='))
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect()
}

/// Why a build must not be measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Unoptimised {
    /// AES without optimisation is slower by a factor of hundreds.
    #[error("the program was compiled without optimisation (opt-level 0)")]
    OptLevel,
    /// Overflow checks and the libraries' own assertions run in every operation.
    #[error("the program was compiled with debug assertions")]
    DebugAssertions,
}

/// Why `build` must not be measured, where that is so.
#[must_use]
pub fn unoptimised(build: &Build) -> Option<Unoptimised> {
    if build.opt_level == "0" {
        Some(Unoptimised::OptLevel)
    } else if build.debug_assertions {
        Some(Unoptimised::DebugAssertions)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_build_is_described() {
        let build = build();
        assert!(build.rustc.starts_with("rustc 1."), "{}", build.rustc);
        assert!(build.rustc.contains("LLVM "), "{}", build.rustc);
        assert!(build.target.contains('-'), "{}", build.target);
        assert!(!build.profile.is_empty() && !build.profile.contains(['/', '\\']));
        assert!(["0", "1", "2", "3", "s", "z"].contains(&build.opt_level.as_str()));
        assert_eq!(build.lock_sha256.len(), 64);
        assert!(build.target_features.iter().all(|feature| !feature.is_empty()));
        if build.target.starts_with("x86_64-") {
            assert!(build.target_features.contains(&"sse2".to_owned()));
        }
    }

    #[test]
    fn flags_with_spaces_stay_whole() {
        assert_eq!(listed("", '\x1f'), Vec::<String>::new());
        assert_eq!(
            listed("--cfg\x1faes_backend=\"so ft\"\x1f-Ctarget-cpu=native", '\x1f'),
            ["--cfg", "aes_backend=\"so ft\"", "-Ctarget-cpu=native"]
        );
    }

    #[test]
    fn variables_keep_their_values_whole() {
        assert_eq!(assigned(""), BTreeMap::new());
        let expected = [
            ("CARGO_PROFILE_RELEASE_LTO", "fat"),
            ("CFLAGS_x86_64-unknown-linux-gnu", "-O3 -march=native"),
            ("CXX", ""),
        ];
        assert_eq!(
            assigned(
                "CXX=\x1fCARGO_PROFILE_RELEASE_LTO=fat\x1f\
                 CFLAGS_x86_64-unknown-linux-gnu=-O3 -march=native"
            ),
            BTreeMap::from(expected.map(|(name, value)| (name.to_owned(), value.to_owned())))
        );
    }

    #[test]
    fn only_optimised_builds_may_be_measured() {
        let with = |opt_level: &str, debug_assertions| Build {
            opt_level: opt_level.to_owned(),
            debug_assertions,
            ..build()
        };
        assert_eq!(unoptimised(&with("3", false)), None);
        assert_eq!(unoptimised(&with("2", false)), None);
        assert_eq!(unoptimised(&with("0", false)), Some(Unoptimised::OptLevel));
        assert_eq!(unoptimised(&with("0", true)), Some(Unoptimised::OptLevel));
        assert_eq!(unoptimised(&with("3", true)), Some(Unoptimised::DebugAssertions));
    }
}
