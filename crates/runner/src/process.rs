//! A worker as a process: started, spoken to with a deadline for each answer, and ended. What is asked of it
//! when is decided elsewhere.

use cryptobench_schema::{
    CaseId, Environment,
    protocol::{
        AnswerError, DOCUMENT, Dropped, ELEMENT, Greeting, Handle, NEWEST, Prepared, Request,
        Slice, Timing, listed, one_line,
    },
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid},
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
        sha256(&self.path).map_err(|source| ProgramError { path: self.path.clone(), source })
    }
}

/// SHA-256 of the file at `path`, hexadecimal.
///
/// # Errors
///
/// Where it cannot be read.
pub fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    io::copy(&mut file, &mut Hashing(&mut hasher))?;
    Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
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

/// What a worker lists that is no case of this suite's grammar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unknown {
    /// How many lines.
    pub number: usize,
    /// The first of them, shortened and without control characters.
    pub first: String,
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
    #[error("the worker did not answer `{request}` within {limit:?}, and was killed{said}")]
    Deadline {
        /// What it had been asked.
        request: String,
        /// The time that it had.
        limit: Duration,
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
    /// It says to have timed for longer than it was asked.
    #[error(
        "asked `{request}`: the worker answered {nanoseconds} ns, only {elapsed:?} after it was asked; its clock or \
         its unit is another"
    )]
    Time {
        /// What it had been asked.
        request: String,
        /// Its answer.
        nanoseconds: u64,
        /// By the runner's clock.
        elapsed: Duration,
    },
    /// It said something before it was asked.
    #[error("the worker said `{said}` before it was asked `{request}`")]
    Unasked {
        /// What it was about to be asked.
        request: String,
        /// What it said, shortened and without control characters.
        said: String,
    },
    /// The user wants to stop.
    #[error("stopped")]
    Stopped,
}

/// A line longer than this is no answer.
const LONGEST_LINE: usize = 4 << 20;
/// More lines than this are no list.
const LONGEST_LIST: usize = 1 << 16;
/// So much can be written to a pipe that has room without waiting: POSIX's smallest `PIPE_BUF`.
const WRITTEN_AT_ONCE: usize = 512;
/// How much longer than the runner waited a time may be: two clocks of one machine may run at different rates, as far
/// as the system adjusts one of them, and have different steps.
const CLOCKS: (f64, Duration) = (1.01, Duration::from_micros(10));
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
    /// How many requests it has answered as it should.
    answered: u64,
    /// How it ended, once it has been waited for.
    status: Option<ExitStatus>,
    /// What it says on standard error.
    diagnostics: File,
    deadline: Duration,
    stop: &'a AtomicBool,
}

impl<'a> Worker<'a> {
    /// Starts `program` in a process group of its own, so that an interrupt at the terminal is the runner's to
    /// handle. While `stop` is set, every request ends with [`WorkerError::Stopped`].
    ///
    /// The thread that calls this has to live as long as the worker: on Linux, a worker that ends with its parent
    /// ends with the thread that started it.
    ///
    /// # Errors
    ///
    /// [`WorkerError::Start`].
    pub fn start(program: &Program, stop: &'a AtomicBool) -> Result<Self, WorkerError> {
        let start = || -> io::Result<Self> {
            let diagnostics = tempfile::tempfile()?;
            let mut command = Command::new(&program.path);
            command
                // What the user has there is for benches: here a document is in the record, or not encrypted.
                .env_remove(DOCUMENT)
                .env_remove(ELEMENT)
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
                answered: 0,
                status: None,
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
        });
        self.or_kill(environment).map(|environment| (version, environment))
    }

    /// Every case of this suite's grammar that the worker has, and what else it lists.
    ///
    /// # Errors
    ///
    /// Whatever goes wrong.
    pub fn list(&mut self) -> Result<(Vec<CaseId>, Option<Unknown>), WorkerError> {
        let cases = self.listed();
        self.or_kill(cases)
    }

    fn listed(&mut self) -> Result<(Vec<CaseId>, Option<Unknown>), WorkerError> {
        let request = Request::List;
        let asked = self.send(&request)?;
        let mut cases = Vec::new();
        let mut unknown: Option<Unknown> = None;
        for _ in 0..LONGEST_LIST {
            let line = self.line(&request, asked)?;
            if line.is_empty() {
                self.nothing_more(&request)?;
                return Ok((cases, unknown));
            }
            match (listed(&line), &mut unknown) {
                (Some(case), _) => cases.push(case),
                (None, Some(unknown)) => unknown.number += 1,
                (None, None) => unknown = Some(Unknown { number: 1, first: one_line(&line, 120) }),
            }
        }
        let found = format!("more than {LONGEST_LIST} lines");
        Err(answer(&request, AnswerError::garbage(&found, "a list of reasonable length")))
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
    /// Whatever goes wrong with the worker, [`WorkerError::Time`] among it; an operation that fails is an answer.
    pub fn time(&mut self, slice: Slice) -> Result<Timing, WorkerError> {
        let request = Request::Time(slice);
        let asked = Instant::now();
        let timing = self.ask(&request)?;
        let elapsed = asked.elapsed();
        let (share, step) = CLOCKS;
        let possible = match timing {
            Timing::Nanoseconds(nanoseconds)
                if Duration::from_nanos(nanoseconds) > elapsed.mul_f64(share) + step =>
            {
                Err(WorkerError::Time { request: request.to_string(), nanoseconds, elapsed })
            }
            timing => Ok(timing),
        };
        self.or_kill(possible)
    }

    /// Lets go of a case.
    ///
    /// # Errors
    ///
    /// Whatever goes wrong with the worker; a key that is worn out is an answer.
    pub fn let_go(&mut self, handle: Handle) -> Result<Dropped, WorkerError> {
        self.ask(&Request::Drop(handle))
    }

    /// How many requests it has answered as it should.
    pub(crate) const fn answered(&self) -> u64 {
        self.answered
    }

    fn ask<T: FromStr<Err = AnswerError>>(&mut self, request: &Request) -> Result<T, WorkerError> {
        let answer = self.asked(request);
        self.or_kill(answer)
    }

    fn asked<T: FromStr<Err = AnswerError>>(
        &mut self,
        request: &Request,
    ) -> Result<T, WorkerError> {
        let asked = self.send(request)?;
        let line = self.line(request, asked)?;
        let parsed = line.parse().map_err(|source| answer(request, source))?;
        self.nothing_more(request)?;
        self.answered += 1;
        Ok(parsed)
    }

    /// A worker that does not answer as it should is not asked again.
    fn or_kill<T>(&mut self, answer: Result<T, WorkerError>) -> Result<T, WorkerError> {
        if matches!(&answer, Err(error) if !matches!(error, WorkerError::Stopped)) {
            self.kill();
        }
        answer
    }

    /// Sends `request`, and returns when that began: the deadline counts from then.
    fn send(&mut self, request: &Request) -> Result<Instant, WorkerError> {
        let asked = Instant::now();
        let line = format!("{request}\n");
        let mut rest = line.as_bytes();
        while !rest.is_empty() {
            let left = self.left(asked)?;
            let Some(input) = &mut self.input else { return Err(self.ended(request)) };
            match ready(&self.output, Some(input), left.min(LOOK)) {
                // Before the request was whole: its last words, or something that nobody asked for.
                Ok(Ready { output: true, .. }) => return Err(self.unasked(request)),
                Ok(Ready { input: true, .. }) => {
                    let part = &rest[..rest.len().min(WRITTEN_AT_ONCE)];
                    match input.write(part) {
                        Ok(written) => rest = &rest[written..],
                        Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                        // A pipe that cannot be written to is a worker that has ended.
                        Err(_) => return Err(self.ended(request)),
                    }
                }
                Ok(_) if left.is_zero() => return Err(self.overdue(request)),
                Ok(_) => {}
                Err(_) => return Err(self.ended(request)),
            }
        }
        Ok(asked)
    }

    /// The next line that the worker says.
    fn line(&mut self, request: &Request, asked: Instant) -> Result<String, WorkerError> {
        let mut searched = 0;
        let mut late = false;
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
            if late {
                return Err(self.overdue(request));
            }
            late = self.wait(request, asked)?;
            if self.read() == 0 {
                return Err(self.ended(request));
            }
        }
    }

    /// Waits until there is something to read. Returns whether that came too late: this process may have been
    /// suspended, so what is there when the time is up still counts, but there is no more waiting.
    fn wait(&mut self, request: &Request, asked: Instant) -> Result<bool, WorkerError> {
        loop {
            let left = self.left(asked)?;
            match ready(&self.output, None, left.min(LOOK)) {
                Ok(Ready { output: true, .. }) => return Ok(left.is_zero()),
                Ok(_) if left.is_zero() => return Err(self.overdue(request)),
                Ok(_) => {}
                Err(_) => return Err(self.ended(request)),
            }
        }
    }

    /// Adds to `pending` what there is to read, and returns how much that was: nothing where it is the end.
    fn read(&mut self) -> usize {
        let mut chunk = [0; 8192];
        loop {
            match self.output.read(&mut chunk) {
                Ok(read) => {
                    self.pending.extend_from_slice(&chunk[..read]);
                    return read;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return 0,
            }
        }
    }

    /// What is left of the time for an answer, unless the user wants to stop.
    fn left(&self, asked: Instant) -> Result<Duration, WorkerError> {
        if self.stop.load(Ordering::Relaxed) {
            return Err(WorkerError::Stopped);
        }
        Ok(self.deadline.saturating_sub(asked.elapsed()))
    }

    /// After the answer to `request`: that it was all.
    fn nothing_more(&self, request: &Request) -> Result<(), WorkerError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&self.pending);
        Err(answer(request, AnswerError::garbage(&said, "nothing after its answer")))
    }

    /// There is something to read before it was asked `request`.
    fn unasked(&mut self, request: &Request) -> WorkerError {
        if self.read() == 0 {
            return self.ended(request);
        }
        let said = one_line(&String::from_utf8_lossy(&self.pending), 120);
        WorkerError::Unasked { request: request.to_string(), said }
    }

    fn overdue(&mut self, request: &Request) -> WorkerError {
        self.kill();
        WorkerError::Deadline {
            request: request.to_string(),
            limit: self.deadline,
            said: self.last_words(),
        }
    }

    fn ended(&mut self, request: &Request) -> WorkerError {
        // It may have closed its pipe and live on.
        self.input = None;
        let status = match self.within(PATIENCE) {
            Some(status) => status.to_string(),
            None => {
                self.kill();
                "it closed a pipe and lived on".to_owned()
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

    /// How the process ended, if it does so within `patience`.
    fn within(&mut self, patience: Duration) -> Option<ExitStatus> {
        let started = Instant::now();
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        while self.status.is_none() {
            match waitid(WaitId::Pid(Pid::from_child(&self.child)), options) {
                Ok(None) if started.elapsed() >= patience => return None,
                Ok(None) => std::thread::sleep(Duration::from_millis(1)),
                _ => {
                    self.kill();
                    break;
                }
            }
        }
        self.status
    }

    /// Kills the process and what it started, where they have not ended by themselves.
    fn kill(&mut self) {
        if self.status.is_none() {
            // While the process has not been waited for, no other group can have its number.
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            self.status = self.child.wait().ok();
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        if let Some(mut input) = self.input.take()
            // A worker that has stopped reading may have left no room.
            && let Ok(Ready { input: true, .. }) =
                ready(&self.output, Some(&input), Duration::ZERO)
        {
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

/// Which of a worker's pipes are ready.
struct Ready {
    /// There is something to read, if only the end.
    output: bool,
    /// There is room to write, or nobody to read it.
    input: bool,
}

/// Waits up to `patience` for a worker's pipes, the input's too where it is given.
fn ready(
    output: &ChildStdout,
    input: Option<&ChildStdin>,
    patience: Duration,
) -> io::Result<Ready> {
    let mut descriptors = [
        PollFd::new(output, PollFlags::IN),
        // A second time the same, where there is no other.
        input.map_or_else(
            || PollFd::new(output, PollFlags::IN),
            |input| PollFd::new(input, PollFlags::OUT),
        ),
    ];
    let patience = Timespec::try_from(patience).map_err(io::Error::other)?;
    let count = if input.is_some() { 2 } else { 1 };
    match poll(&mut descriptors[..count], Some(&patience)) {
        Ok(_) => Ok(Ready {
            output: !descriptors[0].revents().is_empty(),
            input: count == 2 && !descriptors[1].revents().is_empty(),
        }),
        // By a signal, whose handler may have asked to stop.
        Err(Errno::INTR) => Ok(Ready { output: false, input: false }),
        Err(error) => Err(error.into()),
    }
}
