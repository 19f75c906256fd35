//! The digest of a directory of source, by names and contents of its files. Run by the build script; here
//! for its tests. Which directories is in build.rs, what the digests are for in code.rs.

use crate::digest::Digest;
use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Directories of a package that its library is not compiled from.
const NOT_COMPILED: [&str; 4] = ["target", "tests", "benches", "examples"];

/// SHA-256 over the paths in `root`, with `/` and sorted, and what is in each file. Line ends count as they
/// are: the compiler reads them so.
///
/// # Errors
///
/// What cannot be read, or is neither file nor directory nor a link to a file.
pub(crate) fn sha256(root: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    for (name, path) in entries(root)? {
        if !NOT_COMPILED.contains(&name.as_str()) {
            collect(name, path, &mut files)?;
        }
    }
    // By bytes, whatever the system's separator.
    files.sort();
    let mut digest = Digest::default();
    for (name, path) in files {
        digest.part(name);
        digest.part(fs::read(path)?);
    }
    Ok(digest.finish())
}

/// Adds `path`, or the files in it, to `files`, each by its name from the root.
fn collect(name: String, path: PathBuf, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    // Without following links: one to a directory could lead in a circle, and fails as a file.
    if !path.symlink_metadata()?.is_dir() {
        files.push((name, path));
        return Ok(());
    }
    for (entry, path) in entries(&path)? {
        collect(format!("{name}/{entry}"), path, files)?;
    }
    Ok(())
}

/// Names and paths in `directory`, without what editors and systems leave there.
fn entries(directory: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !is_litter(&name) {
            entries.push((name, entry.path()));
        }
    }
    Ok(entries)
}

/// Hidden files, among them the locks and swap files of editors, and backups.
fn is_litter(name: &str) -> bool {
    name.starts_with(['.', '#'])
        || [".swp", ".bak", ".orig", ".rej", "~"].iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    fn package() -> TempDir {
        let package = tempfile::tempdir().expect("a temporary directory");
        write(&package, "Cargo.toml", "[package]");
        write(&package, "src/lib.rs", "mod aead;");
        write(&package, "src/aead.rs", "// GCM");
        package
    }

    fn write(package: &TempDir, name: &str, text: &str) {
        let path = package.path().join(name);
        fs::create_dir_all(path.parent().expect("a file is in a directory")).expect("created");
        fs::write(path, text).expect("written");
    }

    fn digest(package: &TempDir) -> String {
        sha256(package.path()).expect("it can be read")
    }

    #[test]
    fn equal_trees_have_equal_digests() {
        let (one, other) = (package(), package());
        assert_eq!(digest(&one), digest(&other));
        assert_eq!(digest(&one), digest(&one));
        assert_eq!(digest(&one).len(), 64);
    }

    #[test]
    fn contents_and_names_count() {
        let package = package();
        let mut seen = vec![digest(&package)];
        let mut now_differs = |what: &str| {
            let digest = digest(&package);
            assert!(!seen.contains(&digest), "{what}");
            seen.push(digest);
        };
        write(&package, "src/aead.rs", "// CCM");
        now_differs("content");
        write(&package, "src/aead.rs", "// CCM\r");
        now_differs("line ends");
        fs::rename(package.path().join("src/aead.rs"), package.path().join("src/ccm.rs"))
            .expect("renamed");
        now_differs("name");
        write(&package, "src/aead/tests/target.rs", "");
        now_differs("an empty file, deep down");
        fs::remove_file(package.path().join("src/ccm.rs")).expect("removed");
        now_differs("a file less");
        write(&package, "build.rs", "fn main() {}");
        now_differs("a build script");
    }

    #[test]
    fn what_is_not_compiled_does_not_count() {
        let package = package();
        let before = digest(&package);
        for name in [
            "src/aead.rs~",
            "src/.#aead.rs",
            "src/#aead.rs#",
            "src/.aead.rs.swp",
            "src/aead.rs.orig",
            "src/.DS_Store",
            "target/debug/libaead.rlib",
            "tests/proof.rs",
        ] {
            write(&package, name, "leftover");
            assert_eq!(digest(&package), before, "{name}");
        }
    }

    #[test]
    fn what_is_not_there_has_no_digest() {
        let package = package();
        assert!(sha256(&package.path().join("absent")).is_err());
    }
}
