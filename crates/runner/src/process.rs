//! A worker as a process: started, spoken to with a deadline for each answer, and ended. What is asked of it
//! when is decided elsewhere.

use cryptobench_schema::{
    CaseId, Environment,
    protocol::{
        AnswerError, Dropped, Greeting, Handle, NEWEST, Prepared, Request, Slice, Timing, listed,
        one_line,
    },
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};
use sha2::{Digest as _, Sha256};
use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    str::FromStr,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};
use thiserror::Error;

/// A worker program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// What it is called in the record.
    pub name: String,
    /// The executable.
    pub path: PathBuf,
    /// Variables to set for it, beside those of this process.
    pub variables: Vec<(String, String)>,
    /// How long it may take to answer one request.
    pub deadline: Duration,
}

/// A program cannot be read.
#[derive(Debug, Error)]
#[error("cannot read the worker program {path}: {source}", path = path.display())]
pub struct ProgramError {
    path: PathBuf,
    source: io::Error,
}

impl Program {
    /// SHA-256 of the executable, hexadecimal.
    ///
    /// # Errors
    ///
    /// Where it cannot be read.
    pub fn sha256(&self) -> Result<String, ProgramError> {
        let digest = |path: &Path| -> io::Result<String> {
            let mut file = File::open(path)?;
            let mut hasher = Sha256::new();
            io::copy(&mut file, &mut Hashing(&mut hasher))?;
            Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
        };
        digest(&self.path).map_err(|source| ProgramError { path: self.path.clone(), source })
    }
}

/// A hasher as a writer.
struct Hashing<'a>(&'a mut Sha256);

impl io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Why a worker did not answer as it should.
#[derive(Debug, Error)]
pub enum WorkerError {
    /// The program cannot be started.
    #[error("cannot start the worker {path}: {source}", path = path.display())]
    Start {
        /// The executable.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It ended.
    #[error("the worker ended ({status}) when asked `{request}`{said}")]
    Ended {
        /// How.
        status: String,
        /// What it had been asked.
        request: String,
        /// Its last words on standard error.
        said: String,
    },
    /// It did not answer in time, and was killed.
    #[error("the worker did not answer `{request}` within {seconds} s, and was killed{said}")]
    Deadline {
        /// What it had been asked.
        request: String,
        /// The time that it had.
        seconds: u64,
        /// Its last words on standard error.
        said: String,
    },
    /// It answered something else.
    #[error("asked `{request}`: {source}")]
    Answer {
        /// What it had been asked.
        request: String,
        /// What is wrong with it.
        source: AnswerError,
    },
    /// The user wants to stop.
    #[error("stopped")]
    Stopped,
}

/// A line longer than this is no answer.
const LONGEST_LINE: usize = 4 << 20;
/// How often a wait looks whether the user wants to stop.
const LOOK: Duration = Duration::from_millis(100);
/// How long a worker that was told to quit may take.
const PATIENCE: Duration = Duration::from_millis(500);

/// A running worker.
#[derive(Debug)]
pub struct Worker<'a> {
    child: Child,
    input: Option<ChildStdin>,
    output: ChildStdout,
    /// What it said and nobody has read yet.
    pending: Vec<u8>,
    /// What it says on standard error.
    diagnostics: File,
    deadline: Duration,
    stop: &'a AtomicBool,
}

impl<'a> Worker<'a> {
    /// Starts `program` in a process group of its own, so that an interrupt at the terminal is the runner's to
    /// handle. While `stop` is set, every request ends with [`WorkerError::Stopped`].
    ///
    /// # Errors
    ///
    /// [`WorkerError::Start`].
    pub fn start(program: &Program, stop: &'a AtomicBool) -> Result<Self, WorkerError> {
        let start = || -> io::Result<Self> {
            let diagnostics = tempfile::tempfile()?;
            let mut command = Command::new(&program.path);
            command
                .envs(program.variables.iter().map(|(name, value)| (name, value)))
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(diagnostics.try_clone()?);
            #[cfg(unix)]
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
            let mut child = command.spawn()?;
            let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
                return Err(io::Error::other("no pipes to the process"));
            };
            Ok(Self {
                child,
                input: Some(input),
                output,
                pending: Vec::new(),
                diagnostics,
                deadline: program.deadline,
                stop,
            })
        };
        start().map_err(|source| WorkerError::Start { path: program.path.clone(), source })
    }

    /// Agrees on a protocol version, and learns what the worker is.
    ///
    /// # Errors
    ///
    /// Whatever goes wrong, [`AnswerError::Version`] among it.
    pub fn hello(&mut self) -> Result<(u32, Environment), WorkerError> {
        let request = Request::Hello(NEWEST);
        let Greeting { version, environment } = self.ask(&request)?;
        let environment = serde_json::from_str(&environment).map_err(|error| {
            let expected = "an environment as JSON";
            let found = format!("{} ({error})", one_line(&environment, 120));
            answer(&request, AnswerError::Garbage { answer: found, expected })
        })?;
        Ok((version, environment))
    }

    /// Every case of this suite's grammar that the worker has.
    ///
    /// # Errors
    ///
    /// Whatever goes wrong.
    pub fn list(&mut self) -> Result<Vec<CaseId>, WorkerError> {
        self.send(&Request::List)?;
        let mut cases = Vec::new();
        loop {
            let line = self.line(&Request::List)?;
            if line.is_empty() {
                return Ok(cases);
            }
            cases.extend(listed(&line));
        }
    }

    /// Has `case` proved and made ready.
    ///
    /// # Errors
    ///
    /// Whatever goes wrong with the worker; a case that it refuses is an answer.
    pub fn prepare(&mut self, case: &CaseId) -> Result<Prepared, WorkerError> {
        self.ask(&Request::Prepare(case.clone()))
    }

    /// Has a slice timed.
    ///
    /// # Errors
    ///
    /// Whatever goes wrong with the worker; an operation that fails is an answer.
    pub fn time(&mut self, slice: Slice) -> Result<Timing, WorkerError> {
        self.ask(&Request::Time(slice))
    }

    /// Lets go of a case.
    ///
    /// # Errors
    ///
    /// Whatever goes wrong with the worker; a key that is worn out is an answer.
    pub fn let_go(&mut self, handle: Handle) -> Result<Dropped, WorkerError> {
        self.ask(&Request::Drop(handle))
    }

    fn ask<T: FromStr<Err = AnswerError>>(&mut self, request: &Request) -> Result<T, WorkerError> {
        self.send(request)?;
        self.line(request)?.parse().map_err(|source| answer(request, source))
    }

    fn send(&mut self, request: &Request) -> Result<(), WorkerError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(WorkerError::Stopped);
        }
        if !self.pending.is_empty() {
            let said = String::from_utf8_lossy(&self.pending).into_owned();
            return Err(answer(
                request,
                AnswerError::garbage(&said, "nothing before it was asked"),
            ));
        }
        // A pipe that cannot be written to is a worker that has ended.
        let line = format!("{request}\n");
        match self.input.as_mut().map(|input| input.write_all(line.as_bytes())) {
            Some(Ok(())) => Ok(()),
            _ => Err(self.ended(request)),
        }
    }

    /// The next line that the worker says.
    fn line(&mut self, request: &Request) -> Result<String, WorkerError> {
        let started = Instant::now();
        let mut searched = 0;
        loop {
            if let Some(end) = self.pending[searched..].iter().position(|byte| *byte == b'\n') {
                let rest = self.pending.split_off(searched + end + 1);
                let mut line = std::mem::replace(&mut self.pending, rest);
                line.pop();
                return String::from_utf8(line).map_err(|error| {
                    let said = String::from_utf8_lossy(error.as_bytes()).into_owned();
                    answer(request, AnswerError::garbage(&said, "a line of UTF-8"))
                });
            }
            searched = self.pending.len();
            if searched > LONGEST_LINE {
                let said = String::from_utf8_lossy(&self.pending[..200]).into_owned();
                return Err(answer(
                    request,
                    AnswerError::garbage(&said, "a line of reasonable length"),
                ));
            }
            self.wait(request, started)?;
            let mut chunk = [0; 8192];
            match self.output.read(&mut chunk) {
                Ok(0) | Err(_) => return Err(self.ended(request)),
                Ok(read) => self.pending.extend_from_slice(&chunk[..read]),
            }
        }
    }

    /// Waits until there is something to read.
    fn wait(&mut self, request: &Request, started: Instant) -> Result<(), WorkerError> {
        loop {
            let left = self.deadline.saturating_sub(started.elapsed());
            match readable(&self.output, left.min(LOOK)) {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(_) => return Err(self.ended(request)),
            }
            if self.stop.load(Ordering::Relaxed) {
                return Err(WorkerError::Stopped);
            }
            if started.elapsed() >= self.deadline {
                self.kill();
                return Err(WorkerError::Deadline {
                    request: request.to_string(),
                    seconds: self.deadline.as_secs(),
                    said: self.last_words(),
                });
            }
        }
    }

    fn ended(&mut self, request: &Request) -> WorkerError {
        // It may have closed its pipe and live on.
        self.input = None;
        let status = match self.within(PATIENCE) {
            Some(status) => status.to_string(),
            None => {
                self.kill();
                "it closed its output".to_owned()
            }
        };
        WorkerError::Ended { status, request: request.to_string(), said: self.last_words() }
    }

    /// The last line on standard error, as the end of a sentence.
    fn last_words(&mut self) -> String {
        let mut said = Vec::new();
        let read = self
            .diagnostics
            .seek(SeekFrom::End(0))
            .and_then(|length| self.diagnostics.seek(SeekFrom::Start(length.saturating_sub(4096))))
            .and_then(|_| self.diagnostics.read_to_end(&mut said));
        if read.is_err() {
            return String::new();
        }
        String::from_utf8_lossy(&said)
            .lines()
            .rev()
            .map(str::trim)
            // What Rust adds to every panic says nothing about this one.
            .find(|line| !line.is_empty() && !line.starts_with("note: run with `RUST_BACKTRACE"))
            .map_or_else(String::new, |line| format!("; it said: {}", one_line(line, 300)))
    }

    /// How the process ended, if it does so soon.
    fn within(&mut self, patience: Duration) -> Option<ExitStatus> {
        let started = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if started.elapsed() < patience => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                _ => return None,
            }
        }
    }

    fn kill(&mut self) {
        // Where it has ended by itself there is nothing to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        if let Some(mut input) = self.input.take() {
            let _ = input.write_all(format!("{}\n", Request::Quit).as_bytes());
        }
        if self.within(PATIENCE).is_none() {
            self.kill();
        }
    }
}

fn answer(request: &Request, source: AnswerError) -> WorkerError {
    WorkerError::Answer { request: request.to_string(), source }
}

/// Whether `output` can be read within `patience`.
fn readable(output: &ChildStdout, patience: Duration) -> io::Result<bool> {
    let mut descriptors = [PollFd::new(output, PollFlags::IN)];
    let patience = Timespec::try_from(patience).map_err(io::Error::other)?;
    match poll(&mut descriptors, Some(&patience)) {
        Ok(ready) => Ok(ready > 0),
        // By a signal, whose handler may have asked to stop.
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}
