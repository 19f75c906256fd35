//! Writing records: the journal of a run as it goes, and whole records at once. What is there under a record's
//! name is always whole: the one before, or the new one. Reading is in `read`.

use super::{
    Depth, End, Header, Line, Record, RecordError,
    read::{Journaled, interrupted},
    rules::{Problem, Rules},
};
use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufReader, Seek as _, SeekFrom, Write},
    path::{Path, PathBuf},
};
use thiserror::Error;

/// Why a record, or its journal, was not written.
#[derive(Debug, Error)]
pub enum JournalError {
    /// A run of that name was interrupted.
    #[error(
        "{} holds an interrupted run; resume it, or remove that file to begin again",
        .journal.display()
    )]
    Exists {
        /// The journal.
        journal: PathBuf,
    },
    /// No run of that name was interrupted.
    #[error("there is no interrupted run {}; begin a new one", .journal.display())]
    Missing {
        /// The journal.
        journal: PathBuf,
    },
    /// A run of that name is going on.
    #[error(
        "another process is writing {}; wait until its run has ended, or choose another name",
        .journal.display()
    )]
    Busy {
        /// The journal.
        journal: PathBuf,
    },
    /// The journal cannot be read.
    #[error(transparent)]
    Read(#[from] RecordError),
    /// What was to be written is none of a record's lines.
    #[error(
        "{} would not be a record that can be read: {problem}; this is a bug of the program that measured: report it",
        .path.display()
    )]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is the matter with the line.
        problem: Problem,
    },
    /// The system did not let it be written. What was there under the record's name is as it was.
    #[error("cannot write {}: {source}; {}", .path.display(), advice(source, .kept.as_deref()))]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
        /// The journal, which holds whatever was appended before.
        kept: Option<PathBuf>,
    },
}

/// What to do when the system does not let a file be written.
fn advice(error: &io::Error, kept: Option<&Path>) -> String {
    use io::ErrorKind as Kind;
    let first = match error.kind() {
        Kind::StorageFull | Kind::QuotaExceeded | Kind::FileTooLarge => "make room there",
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => {
            "make its directory writable, or choose another"
        }
        Kind::NotFound | Kind::NotADirectory | Kind::IsADirectory => {
            "check that it is a file in a directory that exists"
        }
        _ => "check the disk",
    };
    kept.map_or_else(
        || first.to_owned(),
        |journal| {
            format!("{first}, then resume the run: {} holds what was measured", journal.display())
        },
    )
}

/// The journal of a run whose record is to be `path`: `NAME.json.partial` beside it.
#[must_use]
pub fn journal_of(path: &Path) -> PathBuf {
    let plain = if is_compressed(path) { path.with_extension("") } else { path.into() };
    let mut journal = plain.into_os_string();
    journal.push(".partial");
    journal.into()
}

/// Whether the record `path` is to be compressed.
fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "zst")
}

/// The record of a run that is going on. It is a file of whole lines at every moment between two calls; what a
/// killed process was writing is at its end, and [`Journal::resume`] cuts it off.
#[derive(Debug)]
pub struct Journal {
    /// Where the record will be.
    path: PathBuf,
    /// Where it is.
    journal: PathBuf,
    /// Locked, so that two runs cannot write one journal.
    file: File,
    rules: Rules,
    /// Bytes of whole lines.
    good: u64,
    /// Whether there may be more bytes than these.
    torn: bool,
}

impl Journal {
    /// Begins the journal of the record `path` with its header. Makes the directory if need be.
    ///
    /// # Errors
    ///
    /// If that journal is there already, the header is not valid, or the system does not let it be written;
    /// then no file is left.
    pub fn create(path: &Path, header: &Header) -> Result<Self, JournalError> {
        let journal = journal_of(path);
        let rules = Rules::new(header)
            .map_err(|problem| JournalError::Invalid { path: journal.clone(), problem })?;
        let failed = |source| JournalError::Write { path: journal.clone(), source, kept: None };
        make_directory(&journal).map_err(failed)?;
        let file = match OpenOptions::new().read(true).write(true).create_new(true).open(&journal) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(JournalError::Exists { journal });
            }
            Err(error) => return Err(failed(error)),
        };
        lock(&file, &journal)?;
        let mut this =
            Self { path: path.into(), journal: journal.clone(), file, rules, good: 0, torn: false };
        if let Err(error) = this.write(&Line::Header(Box::new(header.clone()))) {
            // A journal without a header would be in the way of the next run.
            _ = fs::remove_file(&journal);
            return Err(failed(error));
        }
        Ok(this)
    }

    /// Goes on with the interrupted run whose record is to be `path`, and gives what its journal holds,
    /// slices included. A line that breaks off at the end is cut off the file. A record that has its
    /// [`Record::end`] only lacks [`Journal::finish`].
    ///
    /// # Errors
    ///
    /// If there is no such journal, another process is writing it, or it cannot be read.
    pub fn resume(path: &Path) -> Result<(Self, Record), JournalError> {
        let journal = journal_of(path);
        let kept = Some(journal.clone());
        let failed = |source| JournalError::Write { path: journal.clone(), source, kept };
        let file = match OpenOptions::new().read(true).write(true).open(&journal) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(JournalError::Missing { journal });
            }
            Err(error) => return Err(failed(error)),
        };
        lock(&file, &journal)?;
        let Journaled { record, rules, good } =
            interrupted(BufReader::new(&file), &journal, Depth::Slices)?;
        let mut this =
            Self { path: path.into(), journal: journal.clone(), file, rules, good, torn: true };
        this.restore().map_err(failed)?;
        Ok((this, record))
    }

    /// Where the record is until it is finished.
    #[must_use]
    pub fn journal(&self) -> &Path {
        &self.journal
    }

    /// Appends a line. When this returns, the line is with the operating system, and no end of this process can
    /// lose it.
    ///
    /// # Errors
    ///
    /// If a record cannot have the line, or the system does not let it be written. Then the journal is as it was
    /// before, and the same line or another may be tried.
    pub fn append(&mut self, line: &Line) -> Result<(), JournalError> {
        self.rules
            .accept(line)
            .map_err(|problem| JournalError::Invalid { path: self.journal.clone(), problem })?;
        self.write(line).map_err(|source| {
            self.rules.forget(line);
            self.failed(&self.journal, source)
        })
    }

    /// Ends the record, unless it had its end already, and puts it in its final place, compressed if its name
    /// ends in `.zst`. It is on the disk when this returns.
    ///
    /// # Errors
    ///
    /// If the system does not let it be written. Then what was in the final place is still there, and the
    /// journal too, to be resumed.
    pub fn finish(mut self, end: End) -> Result<(), JournalError> {
        if !self.rules.ended() {
            self.append(&Line::End(end))?;
        }
        self.file.sync_all().map_err(|source| self.failed(&self.journal, source))?;
        let placed = if is_compressed(&self.path) {
            self.compress()
        } else {
            fs::rename(&self.journal, &self.path)
        };
        placed.map_err(|source| self.failed(&self.path, source))?;
        sync_directory(&self.path);
        if is_compressed(&self.path) {
            fs::remove_file(&self.journal).map_err(|source| self.failed(&self.journal, source))?;
        }
        Ok(())
    }

    /// Gives the run up: removes the journal.
    ///
    /// # Errors
    ///
    /// If the system does not let it be removed.
    pub fn discard(self) -> Result<(), JournalError> {
        fs::remove_file(&self.journal).map_err(|source| self.failed(&self.journal, source))
    }

    fn failed(&self, path: &Path, source: io::Error) -> JournalError {
        JournalError::Write { path: path.into(), source, kept: Some(self.journal.clone()) }
    }

    /// Writes a line, or nothing.
    fn write(&mut self, line: &Line) -> io::Result<()> {
        let bytes = serialized(line)?;
        self.restore()?;
        self.torn = true;
        let written = self.file.write_all(&bytes);
        if written.is_ok() {
            self.good += bytes.len() as u64;
            self.torn = false;
        } else {
            // Whatever becomes of it: the next line restores, too, before it is written.
            _ = self.restore();
        }
        written
    }

    /// Cuts off whatever follows the last whole line.
    fn restore(&mut self) -> io::Result<()> {
        if self.torn {
            self.file.set_len(self.good)?;
            self.file.seek(SeekFrom::Start(self.good))?;
            self.torn = false;
        }
        Ok(())
    }

    /// Writes the compressed journal to the final place.
    fn compress(&mut self) -> io::Result<()> {
        self.file.seek(SeekFrom::Start(0))?;
        let file = &mut self.file;
        replace(&self.path, |temporary| {
            let mut encoder = encoder(temporary)?;
            // Written into the frame, so that `zstd -l` and readers know it.
            encoder.set_pledged_src_size(Some(self.good))?;
            io::copy(file, &mut encoder)?;
            encoder.finish()?;
            Ok(())
        })
    }
}

/// Writes `record` to `path` at once, compressed if its name ends in `.zst`. Makes the directory if need be.
///
/// # Errors
///
/// If the record is not whole or not valid, or the system does not let it be written. Then what was there is
/// still there.
pub fn keep(record: &Record, path: &Path) -> Result<(), JournalError> {
    let invalid = |problem| JournalError::Invalid { path: path.into(), problem };
    let mut rules = Rules::new(&record.header).map_err(invalid)?;
    for line in record.lines().skip(1) {
        rules.accept(&line).map_err(invalid)?;
    }
    if !rules.ended() {
        return Err(invalid(Problem::Unfinished));
    }
    let write =
        |to: &mut dyn Write| record.lines().try_for_each(|line| to.write_all(&serialized(&line)?));
    make_directory(path)
        .and_then(|()| {
            replace(path, |temporary| {
                if is_compressed(path) {
                    let mut encoder = encoder(temporary)?;
                    write(&mut encoder)?;
                    encoder.finish()?;
                    return Ok(());
                }
                let mut buffer = io::BufWriter::new(temporary);
                write(&mut buffer)?;
                buffer.flush()
            })
        })
        .map_err(|source| JournalError::Write { path: path.into(), source, kept: None })?;
    sync_directory(path);
    Ok(())
}

impl Record {
    /// The lines of the record: header, cases, contests, failed and unsupported cases, resumptions, end.
    pub fn lines(&self) -> impl Iterator<Item = Line> {
        std::iter::once_with(|| Line::Header(Box::new(self.header.clone())))
            .chain(self.cases.iter().cloned().map(Line::Case))
            .chain(self.measured.iter().cloned().map(Line::Contest))
            .chain(self.failed.iter().cloned().map(Line::Failed))
            .chain(self.unsupported.iter().cloned().map(Line::Unsupported))
            .chain(self.resumed.iter().cloned().map(Line::Resumed))
            .chain(self.end.iter().cloned().map(Line::End))
    }
}

/// A line as it is in the file.
fn serialized(line: &Line) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// Takes the lock of the journal for this process, where the file system has locks.
fn lock(file: &File, journal: &Path) -> Result<(), JournalError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(JournalError::Busy { journal: journal.into() }),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Makes the directory of `path`.
fn make_directory(path: &Path) -> io::Result<()> {
    fs::create_dir_all(directory(path))
}

/// The directory of `path`.
fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}

/// A temporary file whose permissions are right for the file that it becomes: its own are for nobody else.
fn temporary() -> tempfile::Builder<'static, 'static> {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "no permissions to set"))]
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(fs::Permissions::from_mode(0o644));
    }
    builder
}

/// Puts what `write` writes in the place of `path`, whole or not at all. The temporary file is in the same
/// directory, since only within a file system can one file take another's place.
fn replace(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let mut file = temporary().tempfile_in(directory(path))?;
    write(file.as_file_mut())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}

/// An encoder for records. Its frames have checksums: without one, damage could pass as another number.
fn encoder(to: &mut File) -> io::Result<zstd::stream::write::Encoder<'_, &mut File>> {
    // Leaves 5.2 of 16.6 MiB within a second; level 19 would leave 4.2 after half a minute.
    const LEVEL: i32 = 9;
    let mut encoder = zstd::stream::write::Encoder::new(to, LEVEL)?;
    encoder.include_checksum(true)?;
    Ok(encoder)
}

/// Makes the directory of `path` remember the file's new name when power fails, where the system can: the file
/// is in its place already.
fn sync_directory(path: &Path) {
    #[cfg(unix)]
    if let Ok(directory) = File::open(directory(path)) {
        _ = directory.sync_all();
    }
    #[cfg(not(unix))]
    let _ = path;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_journal_is_beside_its_record() {
        for (record, journal) in [
            ("records/a.json", "records/a.json.partial"),
            ("records/a.json.zst", "records/a.json.partial"),
            ("/r/2026-01-01.machine.json", "/r/2026-01-01.machine.json.partial"),
            ("a", "a.partial"),
        ] {
            assert_eq!(journal_of(Path::new(record)), Path::new(journal));
        }
    }

    #[test]
    fn a_plain_name_is_in_this_directory() {
        assert_eq!(directory(Path::new("a.json")), Path::new("."));
        assert_eq!(directory(Path::new("records/a.json")), Path::new("records"));
    }
}
