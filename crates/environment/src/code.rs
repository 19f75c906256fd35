//! One digest over everything that the code of a backend is compiled from. Which packages those are is in
//! lock.rs, how the suite's own are hashed in tree.rs; compiler and flags are in compilation.rs.

use crate::{
    compilation::assigned,
    digest::Digest,
    lock::{Entry, Lock},
};
use cryptobench_schema::{BackendId, Linkage};
use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

/// The workspace's manifest when this was compiled.
const MANIFEST: &str = include_str!("../../../Cargo.toml");

/// Cargo's configuration, among the trees: it sets variables that the builds of C libraries read.
const CONFIGURATION: &str = ".cargo";

/// What the suite itself adds to a backend.
#[derive(Debug, Clone)]
pub(crate) struct Sources {
    /// SHA-256 of the directory of each package of the suite that a backend may be made of, by the package's
    /// name, and of Cargo's configuration.
    trees: BTreeMap<String, String>,
    /// The workspace's Cargo.toml, which has the features of the libraries and the profiles.
    manifest: Table,
}

impl Sources {
    /// As they were when this was compiled.
    pub(crate) fn compiled() -> Self {
        Self {
            trees: assigned(env!("CRYPTOBENCH_BUILD_SOURCES")),
            manifest: MANIFEST.parse().unwrap_or_default(),
        }
    }

    /// SHA-256 over everything that the code of `backend` is compiled from, or `None` where some of it
    /// could change without changing that.
    ///
    /// It errs towards a difference: what the adapter depends on only for its tests or for other systems
    /// counts. Not in it is which features other backends in the program turn on in a package that
    /// they share with this one, unless these add a dependency to it.
    pub(crate) fn sha256(
        &self,
        lock: &Lock,
        backend: &BackendId,
        linkage: Linkage,
    ) -> Option<String> {
        if linkage == Linkage::System {
            return None;
        }
        let mut packages = lock.closure(backend);
        if packages.is_empty() {
            return None;
        }
        packages.sort();
        let names: BTreeSet<&str> = packages.iter().map(|it| it.name.as_str()).collect();

        let mut digest = Digest::default();
        digest.part(self.trees.get(CONFIGURATION)?);
        digest.part(self.settings(&names));
        for package in packages {
            let identity = self.identity(package)?;
            let mut dependencies = package
                .dependencies
                .iter()
                .map(|it| self.identity(lock.resolve(it)?))
                .collect::<Option<Vec<_>>>()?;
            dependencies.sort();
            digest.part(identity);
            digest.part(dependencies.join("\n"));
        }
        Some(digest.finish())
    }

    /// What pins `package`; `None` where nothing does: the package of another path may change unseen.
    fn identity(&self, package: &Entry) -> Option<String> {
        let Entry { name, version, source, checksum, .. } = package;
        match (source.as_deref(), checksum) {
            (Some(source), Some(checksum)) => Some(format!("{name} {version} {source} {checksum}")),
            // A git source ends in `#` and its commit.
            (Some(source), None) if source.starts_with("git+") && source.contains('#') => {
                Some(format!("{name} {version} {source}"))
            }
            // Of the suite's own packages the version changes nothing.
            (None, None) => self.trees.get(name).map(|tree| format!("{name} {tree}")),
            _ => None,
        }
    }

    /// What the workspace's manifest says that changes how `packages` are compiled.
    fn settings(&self, packages: &BTreeSet<&str>) -> String {
        let workspace = |key: &str| self.manifest.get("workspace")?.get(key);
        let libraries: BTreeMap<&String, &Value> = workspace("dependencies")
            .and_then(Value::as_table)
            .into_iter()
            .flatten()
            .filter(|(key, dependency)| {
                let renamed = dependency.get("package").and_then(Value::as_str);
                packages.contains(renamed.unwrap_or(key))
            })
            .collect();
        let edition = workspace("package").and_then(|it| it.get("edition"));
        let profiles = self.manifest.get("profile");
        // The notation for debugging will do: another one in a later version of `toml` is a difference
        // where there is none, not the reverse.
        format!("{:?}", (workspace("resolver"), edition, profiles, libraries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4

[[package]]
name = "aes"
version = "0.9.4"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "aa09"
dependencies = ["cipher"]

[[package]]
name = "cipher"
version = "0.5.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "c105"

[[package]]
name = "cryptobench-control"
version = "0.1.0"
dependencies = ["cryptobench-harness"]

[[package]]
name = "cryptobench-harness"
version = "0.1.0"
dependencies = ["memchr"]

[[package]]
name = "cryptobench-forks"
version = "0.1.0"
dependencies = ["forked"]

[[package]]
name = "cryptobench-rustcrypto"
version = "0.1.0"
dependencies = ["aes", "cryptobench-harness"]

[[package]]
name = "forked"
version = "1.0.0"
source = "git+https://example.org/forked#0123"

[[package]]
name = "memchr"
version = "2.8.0"
source = "registry+https://github.com/rust-lang/crates.io-index"
checksum = "3e3c"
"#;

    const WORKSPACE: &str = r#"
[workspace]
resolver = "3"
members = []

[workspace.package]
version = "0.1.0"
edition = "2024"

[workspace.dependencies]
aes = "0.9.4"
forked = { git = "https://example.org/forked" }
memchr = { version = "2.8", features = [] }

[profile.release]
debug-assertions = false
"#;

    fn sources() -> Sources {
        let trees = [
            ".cargo",
            "cryptobench-control",
            "cryptobench-forks",
            "cryptobench-harness",
            "cryptobench-rustcrypto",
        ]
        .map(|name| (name.to_owned(), format!("digest of {name}")));
        Sources { trees: trees.into(), manifest: WORKSPACE.parse().expect("it is TOML") }
    }

    fn sha256(sources: &Sources, lock: &str, backend: &'static str) -> Option<String> {
        sources.sha256(&Lock::parse(lock), &BackendId::fixed(backend), Linkage::Crate)
    }

    /// The digests of RustCrypto and of the control where `old` is `new` in the lock.
    fn relocked(old: &str, new: &str) -> [Option<String>; 2] {
        assert!(LOCK.contains(old), "{old}");
        let lock = LOCK.replacen(old, new, 1);
        ["rustcrypto", "harness"].map(|backend| sha256(&sources(), &lock, backend))
    }

    fn unchanged() -> [Option<String>; 2] {
        relocked("", "")
    }

    #[test]
    fn the_same_is_the_same() {
        let [rustcrypto, control] = unchanged();
        assert_eq!(rustcrypto.as_ref().map(String::len), Some(64));
        assert_ne!(rustcrypto, control);
        assert_eq!(unchanged(), [rustcrypto.clone(), control]);
        assert_eq!(sha256(&sources(), LOCK, "rustcrypto+soft"), rustcrypto);
    }

    #[test]
    fn every_package_that_is_reached_counts() {
        let [rustcrypto, control] = unchanged();
        for (old, new) in [
            ("\"aa09\"", "\"aa10\""),
            ("\"0.9.4\"", "\"0.9.5\""),
            ("\"c105\"", "\"c106\""),
            // An optional dependency that a feature turned on, on what is there anyway.
            ("\"c105\"", "\"c105\"\ndependencies = [\"memchr\"]"),
        ] {
            let [changed, same] = relocked(old, new);
            assert!(changed.is_some() && changed != rustcrypto, "{old} {new}");
            assert_eq!(same, control, "{old} {new}");
        }
        // Through the harness.
        let changed = relocked("\"3e3c\"", "\"3e3d\"");
        assert!(changed[0].is_some() && changed[0] != rustcrypto);
        assert!(changed[1].is_some() && changed[1] != control);
    }

    #[test]
    fn what_is_not_reached_does_not_count() {
        assert_eq!(relocked("#0123", "#4567"), unchanged());
        // That the lock says more of a dependency, since another version is there, changes nothing.
        assert_eq!(relocked("[\"cipher\"]", "[\"cipher 0.5.0\"]"), unchanged());
        // Nor does a release of the suite.
        assert_eq!(LOCK.matches("\"0.1.0\"").count(), 4);
        let released = LOCK.replace("\"0.1.0\"", "\"0.2.0\"");
        assert_eq!(sha256(&sources(), &released, "rustcrypto"), unchanged()[0]);
    }

    #[test]
    fn the_suite_s_own_sources_count() {
        let before = unchanged();
        for (tree, changes) in [
            (".cargo", [true, true]),
            ("cryptobench-harness", [true, true]),
            ("cryptobench-rustcrypto", [true, false]),
            ("cryptobench-control", [false, true]),
            ("cryptobench-forks", [false, false]),
        ] {
            for digest in [Some("another"), None] {
                let mut sources = sources();
                sources.trees.remove(tree);
                sources.trees.extend(digest.map(|it| (tree.to_owned(), it.to_owned())));
                let after = ["rustcrypto", "harness"].map(|it| sha256(&sources, LOCK, it));
                for ((before, after), changes) in before.iter().zip(after).zip(changes) {
                    assert_eq!(*before != after, changes, "{tree}");
                    assert_eq!(after.is_none(), changes && digest.is_none(), "{tree}");
                }
            }
        }
    }

    #[test]
    fn features_and_profiles_count() {
        let before = unchanged();
        for (old, new, changes) in [
            ("aes = \"0.9.4\"", "aes = { version = \"0.9.4\", features = [\"zeroize\"] }", true),
            ("aes = \"0.9.4\"", "own = { version = \"0.9.4\", package = \"aes\" }", true),
            ("features = []", "features = [\"libc\"]", true),
            ("debug-assertions = false", "lto = true", true),
            ("edition = \"2024\"", "edition = \"2027\"", true),
            ("version = \"0.1.0\"", "version = \"0.2.0\"", false),
            ("members = []", "members = [\"benches\"]", false),
            ("forked = {", "forked = { features = [\"fast\"],", false),
            ("[profile.release]", "clap = \"4\"\n[profile.release]", false),
        ] {
            assert!(WORKSPACE.contains(old), "{old}");
            let manifest = WORKSPACE.replacen(old, new, 1).parse().expect(new);
            let after = sha256(&Sources { manifest, ..sources() }, LOCK, "rustcrypto");
            assert!(after.is_some());
            assert_eq!(after != before[0], changes, "{new}");
        }
    }

    #[test]
    fn what_is_not_pinned_has_no_digest() {
        let linked = |linkage| {
            sources().sha256(&Lock::parse(LOCK), &BackendId::fixed("rustcrypto"), linkage)
        };
        assert!(linked(Linkage::Crate).is_some());
        assert_eq!(linked(Linkage::System), None);
        assert_eq!(sha256(&sources(), LOCK, "unheard-of"), None);
        assert_eq!(sha256(&sources(), "", "rustcrypto"), None);

        // A package from a path, whether asked for or patched in.
        let registry = "source = \"registry+https://github.com/rust-lang/crates.io-index\"\n";
        let [path, control] = relocked(&format!("{registry}checksum = \"aa09\"\n"), "");
        assert_eq!((path, control), (None, unchanged()[1].clone()));
        // A source without a checksum, a dependency that is not there.
        assert_eq!(relocked("checksum = \"aa09\"\n", "")[0], None);
        assert_eq!(relocked("[\"cipher\"]", "[\"cipher\", \"absent\"]")[0], None);

        assert!(sha256(&sources(), LOCK, "forks").is_some());
        let elsewhere = LOCK.replacen("#0123", "", 1);
        assert_eq!(sha256(&sources(), &elsewhere, "forks"), None);
    }
}
