//! Where documents are: generated ones and somebody's own, in memory and in files; and where what becomes of them goes.
//! Nothing here encrypts.

use crate::{Failure, shared};
use cryptobench_catalogue::{Survey, examine, write_catalogue};
use cryptobench_schema::{
    Operation, Sizes,
    protocol::{DOCUMENT, ELEMENT},
};
use std::{
    env,
    fs::File,
    io::{self, BufRead, BufReader, BufWriter, Read, Seek as _, Write},
    path::PathBuf,
    rc::Rc,
    sync::OnceLock,
};

/// The element of generated documents whose content is a field.
pub const AUTHOR: &str = "author";

/// Bytes that are read, encrypted and written at a time.
pub(super) const PIECE: usize = 64 << 10;

/// The largest document that is ever in memory as a whole, in bytes.
const LARGEST_IN_MEMORY: u64 = 64 << 20;

/// The document with which it is checked that a key is still good, in bytes.
const SMALL: u64 = 28 << 10;

/// Whether a document of `size` bytes may be in memory.
pub(super) const fn fits_memory(size: u64) -> bool {
    size <= LARGEST_IN_MEMORY
}

/// Somebody's own document.
#[derive(Debug)]
pub struct Own {
    path: PathBuf,
    element: String,
    survey: Survey,
}

impl Own {
    /// The document that the environment names, read and found to be fit, once per process.
    ///
    /// # Errors
    ///
    /// What is the matter with it, with the variable and the path.
    pub fn of_environment() -> Result<Option<&'static Self>, Failure> {
        static OWN: OnceLock<Result<Option<Own>, Failure>> = OnceLock::new();
        OWN.get_or_init(Self::read).as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    fn read() -> Result<Option<Self>, Failure> {
        let Some(path) = env::var_os(DOCUMENT).map(PathBuf::from) else { return Ok(None) };
        let unfit = |why: String| {
            let error = format!("{}: {why}", path.display());
            Failure::Library { call: DOCUMENT, error }
        };
        let element = match env::var(ELEMENT) {
            Ok(element) => element,
            Err(env::VarError::NotPresent) => AUTHOR.to_owned(),
            Err(error) => return Err(Failure::Library { call: ELEMENT, error: error.to_string() }),
        };
        // Anything else may be read for ever.
        if path.metadata().is_ok_and(|it| !it.is_file()) {
            return Err(unfit("is not a file".to_owned()));
        }
        let file = File::open(&path).map_err(|error| unfit(format!("cannot open it: {error}")))?;
        let survey = examine(BufReader::with_capacity(PIECE, file), &element)
            .map_err(|error| unfit(error.to_string()))?;
        Ok(Some(Self { path, element, survey }))
    }

    /// Bytes of it.
    #[must_use]
    pub const fn size(&self) -> u64 {
        self.survey.bytes
    }
}

/// The sizes that `operation` has in this process: of a document of one's own that alone, where there is one and it
/// fits the memory or stays in its file; none where it cannot be used.
#[must_use]
pub fn sizes_here(operation: Operation, sizes: Sizes) -> (Vec<u64>, Vec<u64>) {
    let usual = Ok(None);
    let own = if operation.is_of_document() { Own::of_environment() } else { usual };
    let Ok(own) = own else { return (Vec::new(), Vec::new()) };
    match own {
        Some(own) if operation.is_from_file_to_file() || fits_memory(own.size()) => {
            (vec![own.size()], vec![own.size()])
        }
        Some(_) => (Vec::new(), Vec::new()),
        None => (sizes.default.to_vec(), sizes.all.to_vec()),
    }
}

/// A document that is there to be encrypted.
#[derive(Debug)]
pub(super) struct Subject {
    input: Input,
    size: u64,
    element: String,
}

#[derive(Debug)]
enum Input {
    Memory(Rc<Made<Vec<u8>>>),
    File(Rc<Made<File>>),
}

/// A document that cases share, and how many fields it has.
#[derive(Debug)]
struct Made<T> {
    content: T,
    fields: u64,
}

impl Subject {
    /// The document of `size`, in memory or in a file: somebody's own of that size, or a generated one.
    pub(super) fn of(size: u64, in_files: bool) -> Result<Self, Failure> {
        match Own::of_environment()? {
            Some(own) if own.size() == size => Self::own(own, in_files),
            _ => Self::generated(size, in_files),
        }
    }

    fn generated(size: u64, in_files: bool) -> Result<Self, Failure> {
        let input = if in_files {
            Input::File(shared::input(&format!("document/{size}/file"), || {
                let file = temporary()?;
                let mut writer = BufWriter::with_capacity(PIECE, &file);
                let fields = write_catalogue(size, &mut writer)
                    .and_then(|fields| writer.flush().map(|()| fields))
                    .map_err(|error| in_temporary("writing the document", &error))?;
                drop(writer);
                Ok(Made { content: file, fields })
            })?)
        } else {
            Input::Memory(shared::input(&format!("document/{size}"), || {
                let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
                let fields = write_catalogue(size, &mut bytes)
                    .map_err(Failure::library("making the document"))?;
                Ok(Made { content: bytes, fields })
            })?)
        };
        Ok(Self { input, size, element: AUTHOR.to_owned() })
    }

    fn own(own: &Own, in_files: bool) -> Result<Self, Failure> {
        let open = || {
            File::open(&own.path).map_err(|error| Failure::Library {
                call: DOCUMENT,
                error: format!("{}: cannot open it: {error}", own.path.display()),
            })
        };
        let input = if in_files {
            Input::File(shared::input("document/own/file", || {
                Ok(Made { content: open()?, fields: own.survey.fields })
            })?)
        } else {
            Input::Memory(shared::input("document/own", || {
                let mut bytes = Vec::new();
                open()?
                    .read_to_end(&mut bytes)
                    .map_err(Failure::library("reading the document"))?;
                Ok(Made { content: bytes, fields: own.survey.fields })
            })?)
        };
        Ok(Self { input, size: own.size(), element: own.element.clone() })
    }

    /// A generated document that is small, in the same medium.
    pub(super) fn small(&self) -> Result<Self, Failure> {
        Self::generated(SMALL, self.in_files())
    }

    pub(super) const fn in_files(&self) -> bool {
        matches!(self.input, Input::File(_))
    }

    pub(super) fn element(&self) -> &str {
        &self.element
    }

    /// How many fields it has.
    pub(super) fn fields(&self) -> u64 {
        match &self.input {
            Input::Memory(made) => made.fields,
            Input::File(made) => made.fields,
        }
    }

    /// From its beginning.
    pub(super) fn reader(&self) -> Result<Reader<'_>, Failure> {
        Reader::new(
            match &self.input {
                Input::Memory(made) => Place::Memory(&made.content),
                Input::File(made) => Place::File(&made.content),
            },
            self.size,
        )
    }
}

/// Where something is that is to be read.
#[derive(Clone, Copy)]
enum Place<'a> {
    Memory(&'a [u8]),
    File(&'a File),
}

/// Reads a document, or what became of it.
pub(super) struct Reader<'a> {
    source: Source<'a>,
    /// Bytes to come.
    left: u64,
}

enum Source<'a> {
    Memory(&'a [u8]),
    File { file: BufReader<&'a File>, piece: Vec<u8> },
}

impl<'a> Reader<'a> {
    /// Of `bytes`.
    pub(super) fn of_bytes(bytes: &'a [u8]) -> Result<Self, Failure> {
        Self::new(Place::Memory(bytes), bytes.len() as u64)
    }

    fn new(place: Place<'a>, size: u64) -> Result<Self, Failure> {
        let source = match place {
            Place::Memory(bytes) => Source::Memory(bytes),
            Place::File(mut file) => {
                file.rewind().map_err(Failure::library("rewinding the document"))?;
                Source::File { file: BufReader::with_capacity(PIECE, file), piece: Vec::new() }
            }
        };
        Ok(Self { source, left: size })
    }

    /// Whether nothing is to come.
    #[inline]
    pub(super) const fn is_at_end(&self) -> bool {
        self.left == 0
    }

    /// The next `most` bytes, or all that are to come, where they are if they are in memory.
    #[inline]
    pub(super) fn piece(&mut self, most: usize) -> Result<&[u8], Failure> {
        let len = self.next_len(most);
        self.left -= len as u64;
        match &mut self.source {
            Source::Memory(bytes) => {
                let (piece, rest) = bytes.split_at(len.min(bytes.len()));
                *bytes = rest;
                Ok(piece)
            }
            Source::File { file, piece } => {
                piece.resize(len, 0);
                file.read_exact(piece).map_err(shorter)?;
                Ok(piece)
            }
        }
    }

    /// Copies the next bytes to `buffer`, as many as fit or are to come, and returns how many.
    #[inline]
    pub(super) fn read_into(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        let len = self.next_len(buffer.len());
        self.left -= len as u64;
        let buffer = &mut buffer[..len];
        match &mut self.source {
            Source::Memory(bytes) => bytes.read_exact(buffer).map_err(shorter)?,
            Source::File { file, .. } => file.read_exact(buffer).map_err(shorter)?,
        }
        Ok(len)
    }

    #[inline]
    fn next_len(&self, most: usize) -> usize {
        usize::try_from(self.left).map_or(most, |left| left.min(most))
    }
}

#[cold]
fn shorter(error: io::Error) -> Failure {
    Failure::library("reading the document, which may have been changed meanwhile")(error)
}

impl Read for Reader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.source {
            Source::Memory(bytes) => bytes.read(buffer),
            Source::File { file, .. } => file.read(buffer),
        }?;
        self.left = self.left.saturating_sub(read as u64);
        Ok(read)
    }
}

impl BufRead for Reader<'_> {
    #[inline]
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match &mut self.source {
            Source::Memory(bytes) => Ok(bytes),
            Source::File { file, .. } => file.fill_buf(),
        }
    }

    #[inline]
    fn consume(&mut self, len: usize) {
        self.left = self.left.saturating_sub(len as u64);
        match &mut self.source {
            Source::Memory(bytes) => bytes.consume(len),
            Source::File { file, .. } => file.consume(len),
        }
    }
}

/// Where what becomes of a document goes: to memory, or by way of a buffer to a file.
#[derive(Debug)]
pub(super) struct Output {
    /// Written up to `filled`; what is behind that has been, and may be again.
    bytes: Vec<u8>,
    filled: usize,
    file: Option<File>,
    /// Bytes that are in the file already.
    written: u64,
}

/// The output in memory, one for the process, since one case at a time writes to it.
struct InMemory(Output);
/// The output in a file, likewise.
struct InFile(Output);

impl Output {
    fn new(file: Option<File>) -> Self {
        Self { bytes: vec![0; 4 * PIECE], filled: 0, file, written: 0 }
    }

    /// Lends the process's output, in a file or in memory, to `f`. To be cleared first.
    pub(super) fn with<T>(
        in_file: bool,
        f: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        if in_file {
            let mut output = match shared::left_over::<InFile>() {
                Some(output) => output,
                None => Box::new(InFile(Self::new(Some(temporary()?)))),
            };
            let result = f(&mut output.0);
            // Room on a disk is not kept, also after trouble.
            let cleared = output.0.clear();
            shared::put_back(output);
            result.and_then(|it| cleared.map(|()| it))
        } else {
            let mut output = shared::scratch(|| InMemory(Self::new(None)));
            let result = f(&mut output.0);
            shared::put_back(output);
            result
        }
    }

    /// Nothing is in it any more.
    pub(super) fn clear(&mut self) -> Result<(), Failure> {
        self.filled = 0;
        self.written = 0;
        if let Some(file) = &mut self.file {
            file.set_len(0)
                .and_then(|()| file.rewind())
                .map_err(|error| in_temporary("emptying the result", &error))?;
        }
        Ok(())
    }

    /// At least `len` bytes to write to, of which those count that are then told to [`Output::commit`].
    #[inline]
    pub(super) fn room(&mut self, len: usize) -> Result<&mut [u8], Failure> {
        if self.bytes.len() - self.filled < len {
            self.make_room(len)?;
        }
        Ok(&mut self.bytes[self.filled..])
    }

    #[cold]
    fn make_room(&mut self, len: usize) -> Result<(), Failure> {
        self.flush().map_err(|error| in_temporary("writing the result", &error))?;
        if self.bytes.len() - self.filled < len {
            let least = self.filled + len;
            self.bytes.resize(least.max(self.bytes.len() * 2), 0);
        }
        Ok(())
    }

    /// Counts the next `len` bytes as written.
    #[inline]
    pub(super) const fn commit(&mut self, len: usize) {
        self.filled += len;
    }

    /// Nothing is left in the buffer of a file.
    pub(super) fn finish(&mut self) -> Result<(), Failure> {
        self.flush().map_err(|error| in_temporary("writing the result", &error))
    }

    /// Bytes of it.
    pub(super) const fn len(&self) -> u64 {
        self.written + self.filled as u64
    }

    /// What is in memory of it: everything, where there is no file.
    pub(super) fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.filled]
    }

    /// From its beginning, when it is finished.
    pub(super) fn reader(&self) -> Result<Reader<'_>, Failure> {
        let place = match &self.file {
            Some(file) => Place::File(file),
            None => Place::Memory(&self.bytes[..self.filled]),
        };
        Reader::new(place, self.len())
    }
}

impl Write for Output {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.room(bytes.len()).map_err(io::Error::other)?[..bytes.len()].copy_from_slice(bytes);
        self.commit(bytes.len());
        Ok(bytes.len())
    }

    /// To the file, where there is one.
    fn flush(&mut self) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            file.write_all(&self.bytes[..self.filled])?;
            self.written += self.filled as u64;
            self.filled = 0;
        }
        Ok(())
    }
}

/// A file without a name, which is gone with the process however that ends.
fn temporary() -> Result<File, Failure> {
    tempfile::tempfile().map_err(|error| in_temporary("making a file", &error))
}

/// `error` with the directory in which temporary files are.
#[cold]
fn in_temporary(what: &'static str, error: &io::Error) -> Failure {
    let directory = env::temp_dir();
    let error = format!("in {} (TMPDIR names another directory): {error}", directory.display());
    Failure::Library { call: what, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_in_memory_and_in_files() {
        let bytes: Vec<u8> = (0..3 * PIECE + 5).map(|it| it as u8).collect();
        for in_file in [false, true] {
            let read = Output::with(in_file, |output| {
                output.clear()?;
                output.write_all(&bytes[..7]).expect("written");
                let room = output.room(5 * PIECE)?;
                assert!(room.len() >= 5 * PIECE);
                room[..bytes.len() - 7].copy_from_slice(&bytes[7..]);
                output.commit(bytes.len() - 7);
                output.finish()?;
                assert_eq!(output.len(), bytes.len() as u64);
                let mut reader = output.reader()?;
                let mut read = reader.piece(3)?.to_vec();
                let mut buffer = vec![0; PIECE];
                while !reader.is_at_end() {
                    let len = reader.read_into(&mut buffer)?;
                    read.extend_from_slice(&buffer[..len]);
                }
                Ok(read)
            });
            assert_eq!(read, Ok(bytes.clone()), "{in_file}");
        }
    }

    #[test]
    fn nothing_is_left_of_what_went_before() {
        for in_file in [false, true] {
            for len in [100, 3] {
                let read = Output::with(in_file, |output| {
                    output.clear()?;
                    output.write_all(&vec![len; usize::from(len)]).expect("written");
                    output.finish()?;
                    let mut read = Vec::new();
                    output.reader()?.read_to_end(&mut read).expect("read");
                    Ok(read)
                });
                assert_eq!(read, Ok(vec![len; usize::from(len)]));
            }
        }
    }

    #[test]
    fn generated_documents_are_the_same_in_memory_and_in_files() {
        let [memory, file] = [false, true].map(|in_files| {
            let subject = Subject::generated(SMALL, in_files).expect("a document");
            let mut bytes = Vec::new();
            subject.reader().expect("a reader").read_to_end(&mut bytes).expect("read");
            (subject.fields(), bytes)
        });
        assert_eq!(memory.1.len() as u64, SMALL);
        assert!(memory.0 > 50, "{} fields", memory.0);
        assert_eq!(memory, file);
    }
}
