//! The git revision of the suite's source, as git tells it when asked.
//! The program may be older than that: its Cargo.lock digest is of when it was compiled.

use cryptobench_schema::Revision;
use std::{path::Path, process::Command};

/// The revision of the source tree that this program was compiled from, as it is now.
pub(crate) fn capture() -> Option<Revision> {
    of(Path::new(env!("CARGO_MANIFEST_DIR")))
}

/// The revision of the repository that `directory` lies in.
fn of(directory: &Path) -> Option<Revision> {
    let commit = git(directory, &["rev-parse", "--verify", "HEAD"])?;
    let changes = git(directory, &["status", "--porcelain", "--untracked-files=no"])?;
    Some(Revision { commit, dirty: !changes.is_empty() })
}

fn git(directory: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(directory)
        // `status` would otherwise rewrite the index, under the feet of whoever works there.
        .env("GIT_OPTIONAL_LOCKS", "0")
        // Set inside hooks, where they name another repository.
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE")
        .output()
        .ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_repository_is_clean_or_dirty() {
        let repository = tempfile::tempdir().unwrap();
        let root = repository.path();
        if git(root, &["init", "--quiet"]).is_none() {
            eprintln!("skipped: no git");
            return;
        }
        assert_eq!(of(root), None, "no commit yet");

        fs::write(root.join("tracked"), "1").unwrap();
        git(root, &["add", "tracked"]).unwrap();
        let identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        let commit = ["-c", "commit.gpgsign=false", "commit", "--quiet", "--message=one"];
        git(root, &[&identity[..], &commit[..]].concat()).unwrap();
        fs::create_dir(root.join("inner")).unwrap();
        fs::write(root.join("untracked"), "1").unwrap();

        let clean = of(&root.join("inner")).unwrap();
        assert_eq!(clean.commit.len(), 40);
        assert!(!clean.dirty, "untracked files do not count");

        fs::write(root.join("tracked"), "22").unwrap();
        assert_eq!(of(root), Some(Revision { dirty: true, ..clean }));
    }

    #[test]
    fn without_a_repository_there_is_no_revision() {
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(of(directory.path()), None);
        assert_eq!(of(&directory.path().join("missing")), None);
    }
}
