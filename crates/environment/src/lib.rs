//! What machine and build this is: capture, and warnings about what is no good place to measure.
//! The record itself is a type of `cryptobench-schema`; nothing here measures.

mod code;
mod compilation;
mod digest;
mod host;
mod lock;
mod revision;
#[cfg(test)]
mod tree;
mod variables;
mod warning;

pub use compilation::{Unoptimised, build, unoptimised};
pub use warning::{Warning, warnings};

use cryptobench_schema::{BackendId, Environment, Provenance};

/// The environment of this program, with the `backends` compiled into it.
///
/// Capturing never fails: what cannot be read, on this system or with these rights, is `None` or
/// missing from its list.
#[must_use]
pub fn capture(backends: &[(BackendId, Provenance)]) -> Environment {
    Environment {
        host: host::capture(),
        build: compilation::build(),
        revision: revision::capture(),
        variables: variables::recorded(std::env::vars_os()),
        implementations: lock::implementations(backends),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_captured() {
        let ring = Provenance::of_crates(&["ring"]);
        let control = Provenance::of_crates(&["getrandom"]);
        let environment = capture(&[
            (BackendId::fixed("ring"), ring.clone()),
            (BackendId::fixed("harness"), control.clone()),
        ]);
        assert!(environment.host.cpu.logical >= 1);
        let records = &environment.implementations;
        assert_eq!(records.len(), 2);
        for (record, provenance) in records.iter().zip([ring, control]) {
            assert_eq!(record.packages[0].name, provenance.packages[0]);
            assert_eq!(record.provenance, provenance);
            assert!(record.code_sha256.is_some());
        }
        // Of this machine nothing is known; only that none of it panics.
        for warning in warnings(&environment) {
            assert!(!warning.to_string().is_empty());
        }
    }
}
