//! Results put into a file that the user names: whole or not at all, and never in the place of a record.

use crate::workspace::kind;
use anyhow::{Context as _, Result, bail};
use cryptobench_results::record::{Depth, Record};
use std::{
    io::{self, Write as _},
    path::Path,
};

/// Puts `text` into the place of `path`, whole or not at all.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    free(path)?;
    // Where it is a link, what it leads to is meant.
    let place = path.canonicalize();
    let place = place.as_deref().unwrap_or(path);
    let directory = match place.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !directory.is_dir() {
        bail!(
            "cannot write {}: there is no directory {}; make it, or choose another",
            path.display(),
            directory.display()
        );
    }
    let write = || -> io::Result<()> {
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            // Less what the user's mask forbids, as for any file.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        // Its errors name a file that nobody asked for.
        let mut file = builder.tempfile_in(directory).map_err(|error| error.kind())?;
        file.as_file_mut().write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(place)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Refuses a place that is a record's, or where something is that is no file.
fn free(path: &Path) -> Result<()> {
    let Ok(there) = path.metadata() else { return Ok(()) };
    if !there.is_file() {
        bail!("{} is {}, not a file; choose another", path.display(), kind(there.file_type()));
    }
    if Record::read(path, Depth::Summary).is_ok() {
        bail!("{} is a record, and this would take its place; choose another file", path.display());
    }
    Ok(())
}
