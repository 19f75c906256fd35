//! Results put into files that the user names: whole or not at all, and never in the place of a record.

use crate::workspace::kind;
use anyhow::{Context as _, Result, bail};
use std::{
    fs::{File, Permissions},
    io::{self, Read as _, Write as _},
    path::{Path, PathBuf},
};
use tempfile::TempPath;

/// Puts `text` into the place of `path`, whole or not at all.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    write_all(&[(path, text)])
}

/// Puts each text into the place of its path. Where one cannot be written, none is.
pub(crate) fn write_all(files: &[(&Path, &str)]) -> Result<()> {
    let mut staged: Vec<(TempPath, PathBuf)> = Vec::new();
    for (path, text) in files {
        let (temporary, place) = stage(path, text)?;
        if staged.iter().any(|it| it.1 == place) {
            bail!("{} is to hold two things at once; choose two files", path.display());
        }
        staged.push((temporary, place));
    }
    for (temporary, place) in staged {
        temporary.persist(&place).with_context(|| format!("cannot write {}", place.display()))?;
    }
    Ok(())
}

/// Writes `text` beside the place that `path` means, and says which place that is.
fn stage(path: &Path, text: &str) -> Result<(TempPath, PathBuf)> {
    let permissions = free(path)?;
    // Where it is a link, what it leads to is meant.
    let place = match path.canonicalize() {
        Ok(place) => place,
        Err(_) if path.is_symlink() => {
            bail!("{} is a link that leads nowhere; choose another file", path.display())
        }
        Err(_) => std::path::absolute(path)
            .with_context(|| format!("cannot tell where {} is", path.display()))?,
    };
    let directory = place.parent().unwrap_or(&place);
    if !directory.is_dir() {
        bail!(
            "cannot write {}: there is no directory {}; make it, or choose another",
            path.display(),
            path.parent().unwrap_or(directory).display()
        );
    }
    let write = || -> io::Result<TempPath> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(".cryptobench-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // Less what the user's mask forbids, as for any file.
            builder.permissions(Permissions::from_mode(0o666));
        }
        // Its errors name a file that nobody asked for.
        let mut file = builder.tempfile_in(directory).map_err(|error| error.kind())?;
        file.as_file_mut().write_all(text.as_bytes())?;
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        file.as_file().sync_all()?;
        Ok(file.into_temp_path())
    };
    let temporary = write().with_context(|| format!("cannot write {}", path.display()))?;
    Ok((temporary, place))
}

/// Refuses a place that is a record's, whole or not, or where something is that is no file or is not to be written.
/// Otherwise the permissions of what is there.
fn free(path: &Path) -> Result<Option<Permissions>> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let is_ours = [".json.zst", ".json.partial"].iter().any(|it| name.ends_with(it));
    let Ok(there) = path.metadata() else {
        if is_ours {
            bail!("{} is the name of a record; choose another file", path.display());
        }
        return Ok(None);
    };
    if !there.is_file() {
        bail!("{} is {}, not a file; choose another", path.display(), kind(there.file_type()));
    }
    if is_ours || begins_as_record(path) {
        bail!("{} is a record, and this would take its place; choose another file", path.display());
    }
    if there.permissions().readonly() {
        bail!("{} is not to be written; choose another file", path.display());
    }
    Ok(Some(there.permissions()))
}

/// Whether the file begins as records do, plain or compressed: also one that is damaged, or of a later version.
fn begins_as_record(path: &Path) -> bool {
    let mut beginning = Vec::new();
    let read = File::open(path).and_then(|file| file.take(16).read_to_end(&mut beginning));
    read.is_ok()
        && [&b"{\"header\""[..], &[0x28, 0xb5, 0x2f, 0xfd]]
            .iter()
            .any(|it| beginning.starts_with(it))
}
