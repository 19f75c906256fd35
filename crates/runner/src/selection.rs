//! From what workers have and what the user wants to the contests of a run. In which order and how they are
//! measured is decided elsewhere.

use crate::{Program, Unknown, Worker, WorkerError};
use cryptobench_results::{
    by_chance,
    record::{SideKey, UnsupportedCase},
};
use cryptobench_schema::{
    Algorithm, BackendId, CaseId, Contest, Environment, Heat, Scenario, SizeChoice, Unit,
    protocol::{Prepared, backends_of},
    sizes,
};
use regex::Regex;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::AtomicBool,
};

/// From what a selection is made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Extent {
    /// Everything but the operations that are there for a scenario alone; and without a filter not RSA key generation,
    /// whose times are spread by chance.
    #[default]
    Usual,
    /// The contests of these scenarios, measured together where one is held against the other.
    Scenarios(Vec<Scenario>),
    /// Whatever there is.
    Everything,
}

/// What the user wants.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// From what the rest selects.
    pub extent: Extent,
    /// Matches a part of the id.
    pub filter: Option<Regex>,
    /// Some backends, or none for all.
    pub backends: Vec<BackendId>,
    /// Message sizes.
    pub bytes: SizeChoice,
    /// RSA moduli.
    pub bits: SizeChoice,
}

impl Selection {
    /// Whether `case` is wanted.
    #[must_use]
    pub fn selects(&self, case: &CaseId) -> bool {
        let CaseId { contest, backend } = case;
        let Contest { algorithm, operation, size } = *contest;
        let sized = match (sizes(algorithm, operation), size) {
            (Some(sizes), Some(size)) => {
                let choice = match sizes.unit {
                    Unit::Bytes | Unit::PieceBytes => &self.bytes,
                    Unit::ModulusBits => &self.bits,
                };
                choice.admits(sizes, size)
            }
            _ => true,
        };
        let asked = match self.extent {
            Extent::Usual => {
                !operation.is_of_scenario() && (self.filter.is_some() || !by_chance(*contest))
            }
            Extent::Scenarios(_) => self.scenario(contest).is_some(),
            Extent::Everything => true,
        };
        sized
            && asked
            && (self.backends.is_empty() || self.backends.contains(backend))
            && self.filter.as_ref().is_none_or(|filter| filter.is_match(&case.to_string()))
    }

    /// The scenario for which `contest` is wanted.
    fn scenario(&self, contest: &Contest) -> Option<Scenario> {
        let Extent::Scenarios(scenarios) = &self.extent else { return None };
        scenarios.iter().copied().find(|scenario| scenario.has(contest))
    }
}

/// What a program is and has.
#[derive(Debug, Clone)]
pub struct Survey {
    /// The protocol version that it speaks.
    pub protocol: u32,
    /// Machine, system and build.
    pub environment: Environment,
    /// Its cases.
    pub cases: Vec<CaseId>,
    /// What it lists besides, where there is something.
    pub unknown: Option<Unknown>,
}

/// Asks `program` what it is and has.
///
/// # Errors
///
/// Whatever goes wrong with it.
pub fn survey(program: &Program, stop: &AtomicBool) -> Result<Survey, WorkerError> {
    let mut worker = Worker::start(program, stop)?;
    let (protocol, environment) = worker.hello()?;
    let (cases, unknown) = worker.list()?;
    Ok(Survey { protocol, environment, cases, unknown })
}

/// A contest and who takes part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedContest {
    /// The contest.
    pub contest: Contest,
    /// Its sides, by program and then as the program lists them.
    pub sides: Vec<SideKey>,
    /// It is measured together with the contests of which this is the same; `None` where it is measured alone.
    pub heat: Option<Heat>,
}

impl PlannedContest {
    /// The case of `side`.
    #[must_use]
    pub fn case(&self, side: &SideKey) -> CaseId {
        self.contest.case(side.backend.clone())
    }
}

/// The contests that `selection` leaves of what the programs have, in the order of tables. `cases` are those of
/// each program, in the order of the programs.
#[must_use]
pub fn plan(cases: &[Vec<CaseId>], selection: &Selection) -> Vec<PlannedContest> {
    let mut contests: BTreeMap<Contest, Vec<SideKey>> = BTreeMap::new();
    for (program, cases) in cases.iter().enumerate() {
        for case in cases.iter().filter(|case| selection.selects(case)) {
            let side = SideKey { program, backend: case.backend.clone() };
            let sides = contests.entry(case.contest).or_default();
            // A worker may list a case twice.
            if !sides.contains(&side) {
                sides.push(side);
            }
        }
    }
    contests
        .into_iter()
        .map(|(contest, sides)| {
            let heat = selection.scenario(&contest).map(|it| it.heat(&contest));
            PlannedContest { contest, sides, heat }
        })
        .collect()
}

/// The selected cases of `contests` that a backend of `program` does not have, with its reason: what a table
/// shows in an empty cell. `number` is the program's among the programs, `cases` are all that it has.
///
/// # Errors
///
/// Whatever goes wrong with the program.
pub fn unsupported(
    program: &Program,
    number: usize,
    cases: &[CaseId],
    contests: &[PlannedContest],
    selection: &Selection,
    stop: &AtomicBool,
) -> Result<Vec<UnsupportedCase>, WorkerError> {
    let has: BTreeSet<&CaseId> = cases.iter().collect();
    let mut worker = Worker::start(program, stop)?;
    worker.hello()?;
    let mut all = Vec::new();
    for backend in backends_of(cases) {
        let only_controls = has
            .iter()
            .filter(|case| case.backend == backend)
            .all(|case| case.contest.algorithm == Algorithm::Control);
        for planned in contests {
            let case = planned.contest.case(backend.clone());
            // That a library is no control, and a control no library, needs no reason.
            let apart = only_controls || planned.contest.algorithm == Algorithm::Control;
            if apart || has.contains(&case) || !selection.selects(&case) {
                continue;
            }
            if let Prepared::Unsupported(reason) | Prepared::Failed(reason) =
                worker.prepare(&case)?
            {
                all.push(UnsupportedCase { id: case, program: number, reason });
            }
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(id: &str) -> CaseId {
        id.parse().expect("a case")
    }

    #[test]
    fn by_default_everything_is_selected_but_rsa_key_generation() {
        let selection = Selection::default();
        assert!(selection.selects(&case("aes-256-gcm/seal/ring/1350")));
        assert!(!selection.selects(&case("aes-256-gcm/seal/ring/64")));
        assert!(!selection.selects(&case("rsa/keygen/openssl/2048")));
        assert!(selection.selects(&case("x25519/keygen/ring")));
        assert!(selection.selects(&case("rsa-pss-sha256/sign/ring/2048")));
        assert!(!selection.selects(&case("aes-256-cbc/encrypt-pieces/openssl/1024")));
        assert!(!selection.selects(&case("rsa/keygen-seeded/openssl/2048")));
    }

    #[test]
    fn a_scenario_selects_its_contests_and_says_which_are_measured_together() {
        let of = |scenarios: &[Scenario]| Extent::Scenarios(scenarios.to_vec());
        let mut selection = Selection { extent: of(&[Scenario::GcmSiv]), ..Selection::default() };
        let cases = [
            "aes-256-gcm/seal/ring/1024",
            "aes-256-gcm-siv/seal/openssl/1024",
            "aes-256-gcm/open/ring/1024",
            "aes-256-gcm/seal/ring/16",
            "aes-256-gcm/fields/ring/28672",
            "rsa/keygen/openssl/2048",
        ];
        let planned = plan(&[cases.map(case).to_vec()], &selection);
        let [seal, open, siv] = &planned[..] else { panic!("three contests: {planned:?}") };
        assert_eq!(seal.heat, siv.heat);
        assert_ne!(seal.heat, open.heat);
        selection.extent = of(&[Scenario::GcmSiv, Scenario::Keygen]);
        assert!(selection.selects(&case("rsa/keygen/openssl/2048")));
        selection.filter = Some(Regex::new("/ring/").expect("a pattern"));
        assert!(!selection.selects(&case("rsa/keygen/openssl/2048")));
        assert!(selection.selects(&case("aes-256-gcm/seal/ring/1024")));
    }

    #[test]
    fn a_document_of_ones_own_is_selected_by_its_size() {
        let mut selection = Selection {
            extent: Extent::Scenarios(vec![Scenario::Document]),
            ..Selection::default()
        };
        assert!(selection.selects(&case("aes-256-gcm/fields/ring/28672")));
        assert!(!selection.selects(&case("aes-256-gcm/fields-file/ring/1073741824")));
        selection.bytes = SizeChoice::Only(vec![12_345]);
        assert!(selection.selects(&case("aes-256-gcm/fields/ring/12345")));
        assert!(!selection.selects(&case("aes-256-gcm/fields/ring/28672")));
    }

    #[test]
    fn a_filter_selects_what_it_matches() {
        let selection = Selection {
            filter: Some(Regex::new("keygen|seal/ring").expect("a pattern")),
            ..Selection::default()
        };
        assert!(selection.selects(&case("rsa/keygen/openssl/2048")));
        assert!(selection.selects(&case("aes-256-gcm/seal/ring/16")));
        assert!(!selection.selects(&case("aes-256-gcm/seal/openssl/16")));
        assert!(!selection.selects(&case("aes-256-gcm/seal/ring/64")));
    }

    #[test]
    fn sizes_and_backends_are_chosen() {
        let selection = Selection {
            backends: vec![BackendId::fixed("ring")],
            bytes: SizeChoice::Only(vec![64]),
            bits: SizeChoice::Only(vec![4096]),
            ..Selection::default()
        };
        assert!(selection.selects(&case("aes-256-gcm/seal/ring/64")));
        assert!(!selection.selects(&case("aes-256-gcm/seal/ring/1024")));
        assert!(!selection.selects(&case("aes-256-gcm/seal/openssl/64")));
        assert!(selection.selects(&case("aes-256-gcm/key-setup/ring")));
        assert!(selection.selects(&case("rsa-pss-sha256/sign/ring/4096")));
        assert!(!selection.selects(&case("rsa-pss-sha256/sign/ring/2048")));
    }

    #[test]
    fn sides_of_one_contest_come_together() {
        let ours = ["x25519/derive/openssl", "aes-256-gcm/seal/ring/16", "x25519/derive/dalek"];
        let theirs = ["x25519/derive/dalek", "x25519/derive/dalek"];
        let cases = [ours.map(case).to_vec(), theirs.map(case).to_vec()];
        let contests = plan(&cases, &Selection::default());
        let told: Vec<(String, Vec<String>)> = contests
            .iter()
            .map(|it| {
                let sides =
                    it.sides.iter().map(|side| format!("{}:{}", side.program, side.backend));
                (it.contest.to_string(), sides.collect())
            })
            .collect();
        assert_eq!(
            told,
            [
                ("aes-256-gcm/seal/16".to_owned(), vec!["0:ring".to_owned()]),
                (
                    "x25519/derive".to_owned(),
                    ["0:openssl", "0:dalek", "1:dalek"].map(str::to_owned).to_vec()
                ),
            ]
        );
    }
}
