//! What both sides have in common and what they do not: cases, meanings, code, machines.
//! Times are not looked at here.

use super::Verdict;
use crate::record::Record;
use cryptobench_schema::{BackendId, Build, CaseId, Contest, Environment};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt::Display,
};

/// A case without owning its backend's name.
pub(super) type Key<'a> = (Contest, &'a BackendId);

/// The key of `id`.
pub(super) fn key(id: &CaseId) -> Key<'_> {
    (id.contest, &id.backend)
}

/// What a record knows of the cases of one program, beside their times.
pub(super) struct Known<'a> {
    /// Why cases failed: the first reason of each.
    pub(super) failed: HashMap<Key<'a>, &'a str>,
    unsupported: HashMap<Key<'a>, &'a str>,
    digests: HashMap<Key<'a>, &'a str>,
}

impl<'a> Known<'a> {
    pub(super) fn of(record: &'a Record, program: usize) -> Self {
        let mut known =
            Self { failed: HashMap::new(), unsupported: HashMap::new(), digests: HashMap::new() };
        for it in record.failed.iter().filter(|it| it.program == program) {
            known.failed.entry(key(&it.id)).or_insert(&it.reason);
        }
        for it in record.unsupported.iter().filter(|it| it.program == program) {
            known.unsupported.entry(key(&it.id)).or_insert(&it.reason);
        }
        for it in record.cases.iter().filter(|it| it.program == program) {
            if let Some(digest) = &it.digest {
                known.digests.insert(key(&it.id), digest);
            }
        }
        known
    }

    fn absence(&self, key: Key<'_>) -> Option<String> {
        let failed = self.failed.get(&key).map(|reason| format!("failed: {reason}"));
        failed.or_else(|| self.unsupported.get(&key).map(|reason| format!("unsupported: {reason}")))
    }
}

/// Which sides measured a case.
#[derive(Clone, Copy)]
pub(super) struct On {
    pub(super) old: bool,
    pub(super) new: bool,
}

/// The verdict on a case that cannot be compared by itself: one side does not have it, or has let it fail in any
/// round (what works now and then is not an implementation to be timed), or it means something else there.
/// `Ok` where it can be compared, `Err` with the verdict and its reason otherwise, and without one where
/// neither side has it.
pub(super) fn comparable(
    key: Key<'_>,
    on: On,
    old: &Known<'_>,
    new: &Known<'_>,
) -> Result<(), Option<(Verdict, Option<String>)>> {
    if new.failed.contains_key(&key) {
        return Err(Some((Verdict::Missing, new.absence(key))));
    }
    match on {
        On { old: false, new: false } => return Err(None),
        On { old: true, new: false } => {
            return Err(Some((Verdict::Missing, new.absence(key))));
        }
        On { old: false, new: true } => return Err(Some((Verdict::New, old.absence(key)))),
        On { old: true, new: true } => {}
    }
    if old.failed.contains_key(&key) {
        return Err(Some((Verdict::New, old.absence(key))));
    }
    match (old.digests.get(&key), new.digests.get(&key)) {
        (Some(old), Some(new)) if old != new => Err(Some((
            Verdict::Incomparable,
            Some("its output for the fixed inputs differs: it no longer means the same".into()),
        ))),
        _ => Ok(()),
    }
}

/// The backends of which nothing that computes them differs between two programs: the code by its digest, the
/// compiler and how it was used, what the library says of itself, and what it runs under. Only where the digest
/// is known.
pub(super) fn unchanged<'a>(old: &Environment, new: &'a Environment) -> HashSet<&'a BackendId> {
    // All of the build but what the digest of the code says better: the version of the suite, and the packages of
    // every backend together.
    let build = Build {
        suite: old.build.suite.clone(),
        lock_sha256: old.build.lock_sha256.clone(),
        ..new.build.clone()
    };
    // Between records the machine may have got other microcode or another kernel, and then something changed.
    let (old_cpu, new_cpu) = (&old.host.cpu, &new.host.cpu);
    if build != old.build
        || old_cpu.microcode != new_cpu.microcode
        || old.host.kernel != new.host.kernel
        || old.variables != new.variables
    {
        return HashSet::new();
    }
    new.implementations
        .iter()
        .filter(|new| {
            new.code_sha256.is_some()
                && old.implementations.iter().any(|old| {
                    old.backend == new.backend
                        && old.code_sha256 == new.code_sha256
                        && old.provenance == new.provenance
                })
        })
        .map(|new| &new.backend)
        .collect()
}

/// What forbids comparing times between two environments: another processor, or another way of compiling. A new
/// compiler or a new version of the library is not among it, since that is what one may want to compare.
pub(super) fn differences(old: &Environment, new: &Environment) -> Vec<String> {
    let mut found = Vec::new();
    let (old_cpu, new_cpu) = (&old.host.cpu, &new.host.cpu);
    let known = |it: &'_ Option<String>| it.clone().unwrap_or_else(|| "unknown".to_owned());
    named(&mut found, "CPU model", &known(&old_cpu.model), &known(&new_cpu.model));
    named(&mut found, "CPU signature", &known(&old_cpu.signature), &known(&new_cpu.signature));
    set(&mut found, "CPU flags", &old_cpu.flags, &new_cpu.flags);
    let (old_build, new_build) = (&old.build, &new.build);
    named(&mut found, "target", &old_build.target, &new_build.target);
    named(&mut found, "opt-level", &old_build.opt_level, &new_build.opt_level);
    named(&mut found, "debug assertions", &old_build.debug_assertions, &new_build.debug_assertions);
    let flags = |it: &[String]| if it.is_empty() { "none".to_owned() } else { it.join(" ") };
    named(&mut found, "RUSTFLAGS", &flags(&old_build.rustflags), &flags(&new_build.rustflags));
    set(&mut found, "target features", &old_build.target_features, &new_build.target_features);
    variables(&mut found, "variable when compiled", &old_build.variables, &new_build.variables);
    variables(&mut found, "variable when run", &old.variables, &new.variables);
    found
}

fn named<T: PartialEq + Display>(found: &mut Vec<String>, name: &str, old: &T, new: &T) {
    if old != new {
        found.push(format!("{name}: {old} then, {new} now"));
    }
}

fn set(found: &mut Vec<String>, name: &str, old: &[String], new: &[String]) {
    let (old, new): (BTreeSet<&String>, BTreeSet<&String>) =
        (old.iter().collect(), new.iter().collect());
    let only = |one: &BTreeSet<&String>, other: &BTreeSet<&String>| {
        one.difference(other).map(|it| it.as_str()).collect::<Vec<_>>().join(" ")
    };
    match (only(&old, &new), only(&new, &old)) {
        (gone, come) if gone.is_empty() && come.is_empty() => {}
        (gone, come) if gone.is_empty() => found.push(format!("{name}: {come} only now")),
        (gone, come) if come.is_empty() => found.push(format!("{name}: {gone} only then")),
        (gone, come) => found.push(format!("{name}: {gone} only then, {come} only now")),
    }
}

fn variables(
    found: &mut Vec<String>,
    name: &str,
    old: &BTreeMap<String, String>,
    new: &BTreeMap<String, String>,
) {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for variable in names {
        let set = |of: &BTreeMap<String, String>| {
            of.get(variable).map_or_else(|| "not set".to_owned(), |it| format!("`{it}`"))
        };
        named(found, &format!("{name} {variable}"), &set(old), &set(new));
    }
}
