//! The Cargo.lock that the program was compiled with: which versions of the packages that implement a
//! backend. What a backend says of itself comes from its adapter.

use crate::{code::Sources, digest::hexadecimal};
use cryptobench_schema::{BackendId, ImplementationRecord, Package, Provenance};
use serde::Deserialize;
use sha2::{Digest, Sha256};
use std::collections::{HashSet, VecDeque};

/// As it was when this was compiled, whatever became of it since.
const TEXT: &str = include_str!("../../../Cargo.lock");

/// SHA-256 of Cargo.lock, hexadecimal.
pub(crate) fn sha256() -> String {
    hexadecimal(&Sha256::digest(TEXT))
}

/// A record of each of `backends`, with the packages found in the lock and the digest of its code.
pub(crate) fn implementations(backends: &[(BackendId, Provenance)]) -> Vec<ImplementationRecord> {
    let lock = Lock::parse(TEXT);
    let sources = Sources::compiled();
    backends
        .iter()
        .map(|(backend, provenance)| ImplementationRecord {
            backend: backend.clone(),
            packages: lock.packages_of(backend, &provenance.packages),
            provenance: provenance.clone(),
            code_sha256: sources.sha256(&lock, backend, provenance.linkage),
        })
        .collect()
}

/// The packages of a Cargo.lock.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Lock {
    #[serde(default, rename = "package")]
    entries: Vec<Entry>,
}

/// A package as the lock has it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Where it is from; `None` for a package of the workspace or from another path.
    pub(crate) source: Option<String>,
    pub(crate) checksum: Option<String>,
    /// `name`, or where that names several entries `name version`, or `name version (source)`.
    #[serde(default)]
    pub(crate) dependencies: Vec<String>,
}

impl Entry {
    /// Whether it is from `source`, as a dependency names it: without the commit of a git source.
    fn has_source(&self, source: &str) -> bool {
        self.source.as_deref().is_some_and(|own| {
            own.strip_prefix(source).is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
        })
    }

    fn package(&self) -> Package {
        Package {
            name: self.name.clone(),
            version: self.version.clone(),
            checksum: self.checksum.clone(),
        }
    }
}

/// Packages of the suite itself. They have versions of their own of what a backend is made of: the
/// harness hashes with a crate that may be a backend's too.
const OWN: &str = "cryptobench-";

/// The backend whose adapter has another name, since `cryptobench-harness` is what it measures: as backend
/// and as package.
const CONTROL: (&str, &str) = ("harness", "control");

impl Lock {
    /// An unreadable lock has no entries.
    pub(crate) fn parse(text: &str) -> Self {
        toml::from_str(text).unwrap_or_default()
    }

    /// The entries called `names`, as far as there are any, in the versions that `backend` uses.
    fn packages_of(&self, backend: &BackendId, names: &[String]) -> Vec<Package> {
        let near = self.reached_from(&self.adapter(backend), |entry| !entry.name.starts_with(OWN));
        names
            .iter()
            .filter_map(|name| {
                near.iter()
                    .copied()
                    .find(|entry| entry.name == *name)
                    .or_else(|| self.entries.iter().find(|entry| entry.name == *name))
            })
            .map(Entry::package)
            .collect()
    }

    /// The adapter of `backend` and everything that it depends on, the suite's own packages too; nothing
    /// where no adapter is found.
    pub(crate) fn closure(&self, backend: &BackendId) -> Vec<&Entry> {
        let mut closure = self.adapter(backend);
        closure.extend(self.reached_from(&closure, |_| true));
        closure
    }

    /// The adapter's package: a variant is another build of the same adapter.
    fn adapter(&self, backend: &BackendId) -> Vec<&Entry> {
        let id = backend.as_str();
        let base = id.split_once('+').map_or(id, |(base, _variant)| base);
        let base = if base == CONTROL.0 { CONTROL.1 } else { base };
        let name = format!("{OWN}{base}");
        self.entries.iter().filter(|entry| entry.name == name).collect()
    }

    /// What `roots` depend on through entries that `counts`, the nearest first.
    fn reached_from<'a>(
        &'a self,
        roots: &[&'a Entry],
        counts: impl Fn(&Entry) -> bool,
    ) -> Vec<&'a Entry> {
        let mut reached = Vec::new();
        let mut seen = HashSet::new();
        let mut queue: VecDeque<&Entry> = roots.iter().copied().collect();
        while let Some(entry) = queue.pop_front() {
            for dependency in entry.dependencies.iter().filter_map(|it| self.resolve(it)) {
                if counts(dependency)
                    && seen.insert((&dependency.name, &dependency.version, &dependency.source))
                {
                    reached.push(dependency);
                    queue.push_back(dependency);
                }
            }
        }
        reached
    }

    /// The entry that a dependency of another one names.
    pub(crate) fn resolve(&self, dependency: &str) -> Option<&Entry> {
        let mut parts = dependency.splitn(3, ' ');
        let name = parts.next()?;
        let version = parts.next();
        let source = parts.next().map(|it| it.trim_start_matches('(').trim_end_matches(')'));
        self.entries.iter().find(|entry| {
            entry.name == name
                && version.is_none_or(|version| entry.version == version)
                && source.is_none_or(|source| entry.has_source(source))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4

[[package]]
name = "aes"
version = "0.8.4"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "aa08"

[[package]]
name = "aes"
version = "0.9.4"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "aa09"

[[package]]
name = "aes-gcm"
version = "0.11.1"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "6c11"
dependencies = ["aes 0.9.4", "polyval 0.7.1"]

[[package]]
name = "cryptobench-control"
version = "0.1.0"
dependencies = ["aes 0.9.4"]

[[package]]
name = "cryptobench-harness"
version = "0.1.0"
dependencies = ["sha2 0.10.9"]

[[package]]
name = "cryptobench-old"
version = "0.1.0"
dependencies = ["aes 0.8.4", "cryptobench-harness"]

[[package]]
name = "cryptobench-rustcrypto"
version = "0.1.0"
dependencies = ["cryptobench-harness", "aes 0.9.4", "aes-gcm", "rsa"]

[[package]]
name = "forked"
version = "1.0.0"
source = "git+https://example.org/forked#0123"

[[package]]
name = "forked"
version = "1.0.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "f0"

[[package]]
name = "cryptobench-forks"
version = "0.1.0"
dependencies = ["forked 1.0.0 (git+https://example.org/forked)"]

[[package]]
name = "polyval"
version = "0.6.2"
checksum = "b06"

[[package]]
name = "polyval"
version = "0.7.1"
checksum = "b07"

[[package]]
name = "rsa"
version = "0.10.0"
checksum = "45a"
dependencies = ["sha2 0.11.1"]

[[package]]
name = "sha2"
version = "0.10.9"
checksum = "5210"

[[package]]
name = "sha2"
version = "0.11.1"
checksum = "5211"
"#;

    fn found(backend: &'static str, names: &[&str]) -> Vec<String> {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        Lock::parse(LOCK)
            .packages_of(&BackendId::fixed(backend), &names)
            .iter()
            .map(|it| {
                format!("{} {} {}", it.name, it.version, it.checksum.as_deref().unwrap_or("-"))
            })
            .collect()
    }

    #[test]
    fn the_version_is_the_one_that_the_adapter_uses() {
        assert_eq!(
            found("rustcrypto", &["aes", "aes-gcm"]),
            ["aes 0.9.4 aa09", "aes-gcm 0.11.1 6c11"]
        );
        assert_eq!(found("old", &["aes"]), ["aes 0.8.4 aa08"]);
        assert_eq!(found("rustcrypto+soft", &["aes"]), ["aes 0.9.4 aa09"]);
        assert_eq!(found("harness", &["aes"]), ["aes 0.9.4 aa09"]);
    }

    #[test]
    fn dependencies_of_dependencies_count_but_not_the_suite_s() {
        assert_eq!(
            found("rustcrypto", &["polyval", "sha2"]),
            ["polyval 0.7.1 b07", "sha2 0.11.1 5211"]
        );
    }

    #[test]
    fn sources_tell_equal_versions_apart() {
        assert_eq!(found("forks", &["forked"]), ["forked 1.0.0 -"]);
    }

    #[test]
    fn without_an_adapter_any_entry_will_do() {
        assert_eq!(found("unheard-of", &["rsa"]), ["rsa 0.10.0 45a"]);
    }

    #[test]
    fn a_package_that_is_not_locked_is_left_out() {
        assert_eq!(found("rustcrypto", &["libcrypto", "aes"]), ["aes 0.9.4 aa09"]);
        assert_eq!(Lock::parse("not = [toml").entries, []);
        assert_eq!(Lock::parse("").entries, []);
    }

    #[test]
    fn the_suite_s_own_lock_is_read() {
        assert!(!Lock::parse(TEXT).entries.is_empty());
        let provenance = Provenance::of_crates;
        let records = implementations(&[
            (BackendId::fixed("ring"), provenance(&["ring"])),
            (BackendId::fixed("aws-lc"), provenance(&["aws-lc-rs", "aws-lc-sys"])),
            (BackendId::fixed("openssl"), provenance(&["openssl", "openssl-sys"])),
            (BackendId::fixed("rustcrypto"), provenance(&["aes", "aes-gcm", "rsa", "p256"])),
            (BackendId::fixed("dalek"), provenance(&["x25519-dalek", "curve25519-dalek"])),
            (BackendId::fixed("graviola"), provenance(&["graviola"])),
            (BackendId::fixed("harness"), provenance(&["getrandom"])),
        ]);
        let digests: HashSet<_> = records.iter().map(|it| it.code_sha256.clone()).collect();
        assert!(!digests.contains(&None), "{records:#?}");
        assert_eq!(digests.len(), records.len());
        for record in records {
            assert_eq!(record.packages.len(), record.provenance.packages.len());
            for package in record.packages {
                let checksum = package.checksum.expect("registry packages have one");
                assert_eq!(checksum.len(), 64, "{}", package.name);
            }
        }
    }

    #[test]
    fn digests_are_hexadecimal() {
        assert_eq!(
            hexadecimal(&Sha256::digest("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(sha256(), hexadecimal(&Sha256::digest(TEXT)));
    }
}
