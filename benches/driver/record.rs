//! The file that says what a bench target ran, beside Criterion's data.

use cryptobench_schema::BenchRun;
use serde_json::Value;
use std::{
    env, io,
    io::Write as _,
    path::{Path, PathBuf},
    process::Command,
};
use thiserror::Error;

/// Why the file was not written.
#[derive(Debug, Error)]
#[error("cannot write {path}: {source}", path = path.display())]
pub struct RecordError {
    /// The file.
    path: PathBuf,
    /// What the system said.
    source: io::Error,
}

/// Criterion's directory: `CRITERION_HOME`, or `criterion` in Cargo's target directory, as Criterion has
/// it; except that a relative `CARGO_TARGET_DIR` means what Cargo takes it for, and not a directory below
/// this package, in which Cargo runs the benches. A variable set to nothing counts as unset.
#[must_use]
pub fn criterion_directory() -> PathBuf {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty());
    if let Some(home) = variable("CRITERION_HOME") {
        return home.into();
    }
    let executable = env::current_exe().unwrap_or_default();
    variable("CARGO_TARGET_DIR")
        .map(|directory| ours(Path::new(&directory), &executable))
        .or_else(target_directory)
        .or_else(|| above_profile(&executable))
        .unwrap_or_else(|| "target".into())
        .join("criterion")
}

/// The target directory `given`, which is somewhere above `executable` where that is relative.
fn ours(given: &Path, executable: &Path) -> PathBuf {
    let above = || executable.ancestors().find(|ancestor| ancestor.ends_with(given));
    if given.is_absolute() { given.into() } else { above().unwrap_or(given).into() }
}

/// Cargo's target directory, as Cargo reports it.
fn target_directory() -> Option<PathBuf> {
    let output = Command::new(env::var_os("CARGO")?)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .output()
        .ok()?;
    let metadata: Value = serde_json::from_slice(&output.stdout).ok()?;
    metadata["target_directory"].as_str().map(PathBuf::from)
}

/// The directory above `<profile>/deps/`, where Cargo puts `executable`; for a program that is run without
/// Cargo.
fn above_profile(executable: &Path) -> Option<PathBuf> {
    let deps = executable.parent().filter(|directory| directory.ends_with("deps"))?;
    let target = deps.parent()?.parent()?;
    (!target.as_os_str().is_empty()).then(|| target.into())
}

/// A temporary file whose permissions are right for the file that it becomes: its own are for nobody else.
fn temporary() -> tempfile::Builder<'static, 'static> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "no permissions to set"))]
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(std::fs::Permissions::from_mode(0o644));
    }
    builder
}

/// Writes `run` as `cryptobench/<target>.json` in Criterion's `directory`: whole or not at all.
///
/// # Errors
///
/// What the system says, with the path.
pub fn write(directory: &Path, run: &BenchRun) -> Result<(), RecordError> {
    let directory = directory.join("cryptobench");
    let path = directory.join(format!("{}.json", run.target));
    let whole = || -> io::Result<()> {
        std::fs::create_dir_all(&directory)?;
        let mut file = temporary().tempfile_in(&directory)?;
        serde_json::to_writer_pretty(&mut file, run)?;
        file.write_all(b"\n")?;
        file.persist(&path)?;
        Ok(())
    };
    whole().map_err(|source| RecordError { path: path.clone(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relative_target_directory_is_found_above_the_program() {
        let program = Path::new("/home/user/suite/out/release/deps/aead-0123");
        assert_eq!(ours(Path::new("out"), program), Path::new("/home/user/suite/out"));
        assert_eq!(ours(Path::new("suite/out"), program), Path::new("/home/user/suite/out"));
        assert_eq!(ours(Path::new("/elsewhere"), program), Path::new("/elsewhere"));
        assert_eq!(ours(Path::new("other"), program), Path::new("other"));
    }

    #[test]
    fn the_target_directory_is_above_the_profile() {
        let above = |program: &str| above_profile(Path::new(program));
        let out = Some(PathBuf::from("/home/user/suite/out"));
        assert_eq!(above("/home/user/suite/out/release/deps/aead-0123"), out);
        assert_eq!(above("/usr/bin/aead"), None);
        assert_eq!(above("release/deps/aead"), None);
        assert_eq!(above("/deps/aead"), None);
        assert_eq!(above(""), None);
    }

    #[cfg(unix)]
    #[test]
    fn others_may_read_the_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let directory = tempfile::tempdir().expect("a temporary directory");
        let mode = |file: &std::fs::File| {
            file.metadata().expect("its metadata").permissions().mode() & 0o777
        };
        // Has all permissions but those that the umask of whoever runs this takes.
        let plain = std::fs::File::create(directory.path().join("plain")).expect("created");
        let ours = temporary().tempfile_in(directory.path()).expect("a temporary file");
        assert_eq!(mode(ours.as_file()), mode(&plain) & 0o644);
    }
}
