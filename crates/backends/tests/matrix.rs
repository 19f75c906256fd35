//! The matrix has no unexplained cell, no reason that explains nothing, and stands in the README.

use cryptobench_backends::suite;
use cryptobench_harness::{Cell, every_contest};
use cryptobench_schema::Family;

#[test]
fn every_cell_is_filled_or_has_its_reason() {
    let suite = suite();
    let mut unexplained = Vec::new();
    for backend in suite.backends() {
        for contest in every_contest() {
            if (contest.algorithm.family() == Family::Control) != backend.is_control() {
                continue;
            }
            if matches!(backend.cell(&contest), Cell::Unexplained) {
                unexplained.push(contest.case(backend.id().clone()).to_string());
            }
        }
    }
    assert!(unexplained.is_empty(), "neither registered nor explained: {unexplained:#?}");
}

#[test]
fn every_reason_explains_something() {
    for backend in suite().backends() {
        assert_eq!(backend.idle_reasons(), Vec::<&str>::new(), "of {}", backend.id());
    }
}

#[test]
fn every_case_has_an_id_by_the_grammar() {
    let mut ids = std::collections::HashSet::new();
    for backend in suite().backends() {
        for contest in every_contest() {
            if backend.registration(&contest).is_some() {
                let case = contest.case(backend.id().clone());
                assert_eq!(case.to_string().parse().as_ref(), Ok(&case));
                assert!(ids.insert(case.to_string()), "{case} twice");
            }
        }
    }
}

/// Every package that a backend says it is made of is in Cargo.lock, so that a record has its version.
#[test]
fn every_backend_is_in_the_lock() {
    let backends: Vec<_> = suite()
        .backends()
        .iter()
        .map(|backend| (backend.id().clone(), backend.provenance().clone()))
        .collect();
    for record in cryptobench_environment::capture(&backends).implementations {
        let found: Vec<&String> = record.packages.iter().map(|package| &package.name).collect();
        assert_eq!(found, record.provenance.packages.iter().collect::<Vec<_>>());
    }
}

/// With the default backends, README.md has the matrix, and docs/scenarios/README.md that of the scenarios, as `cargo bench -- --matrix` prints it.
#[test]
#[cfg(all(
    feature = "rustcrypto",
    feature = "dalek",
    feature = "ring",
    feature = "aws-lc",
    feature = "openssl",
    feature = "graviola",
    target_arch = "x86_64"
))]
fn the_readme_has_the_matrix() {
    let readme = include_str!("../../../README.md");
    let scenarios = include_str!("../../../docs/scenarios/README.md");
    for (name, text, family) in [
        ("README.md", readme, Family::BlockModes),
        ("README.md", readme, Family::Aeads),
        ("README.md", readme, Family::Rsa),
        ("README.md", readme, Family::Ecdh),
        ("docs/scenarios/README.md", scenarios, Family::Scenarios),
    ] {
        let matrix = cryptobench_backends::matrix(&suite(), family);
        assert!(
            text.contains(&matrix),
            "{name} has not the matrix of {}; it should read:\n\n{matrix}",
            family.title()
        );
    }
}
