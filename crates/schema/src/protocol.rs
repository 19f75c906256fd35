//! What a runner and a worker say to each other: lines of text, one each way. docs/worker-protocol.md is
//! the reference for those who write a worker; here are the lines as types. No I/O.

use crate::{BackendId, CaseId, ParseError};
use std::{fmt, str::FromStr};
use thiserror::Error;

/// The newest version of the protocol, and what this suite's worker speaks.
pub const NEWEST: u32 = 1;
/// The oldest version that a runner still speaks, so that stored baselines stay good.
pub const OLDEST: u32 = 1;

/// The variable of a worker's environment that names somebody's own document. A runner sets it, or removes it.
pub const DOCUMENT: &str = "CRYPTOBENCH_DOCUMENT";
/// The variable that names the element whose content is a field, where that is not `author`.
pub const ELEMENT: &str = "CRYPTOBENCH_ELEMENT";

/// The first word of a worker's greeting.
const WORKER: &str = "cryptobench-worker";

/// What a prepared case is called in later requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(pub u32);

/// A line from the runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// The newest version that the runner speaks. The worker answers with a [`Greeting`] in that or an
    /// older version.
    Hello(u32),
    /// Asks for every case that the worker has: one id a line, then an empty line.
    List,
    /// Asks for a case to be proved and made ready. The answer is a [`Prepared`].
    Prepare(CaseId),
    /// Asks for a slice. The answer is a [`Timing`].
    Time(Slice),
    /// The case is not needed any more. The answer is a [`Dropped`].
    Drop(Handle),
    /// Asks the worker to end. There is no answer.
    Quit,
}

/// One timed burst of one case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slice {
    /// The case.
    pub handle: Handle,
    /// Iterations before the timed ones, whose time is not wanted.
    pub untimed: u64,
    /// Iterations to be timed together.
    pub iterations: u64,
    /// Where stack and buffers are to lie is drawn from this.
    pub placement: u64,
}

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hello(version) => write!(f, "hello {version}"),
            Self::List => f.write_str("list"),
            Self::Prepare(case) => write!(f, "prepare {case}"),
            Self::Time(Slice { handle, untimed, iterations, placement }) => {
                write!(f, "time {} {untimed} {iterations} {placement}", handle.0)
            }
            Self::Drop(handle) => write!(f, "drop {}", handle.0),
            Self::Quit => f.write_str("quit"),
        }
    }
}

/// A line that is no request.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RequestError {
    /// The line does not begin with a known word, or has too few or too many.
    #[error(
        "`{0}` is no request: hello VERSION, list, prepare CASE, time HANDLE UNTIMED ITERATIONS \
         PLACEMENT, drop HANDLE, quit"
    )]
    Unknown(String),
    /// A word that should be a number is not.
    #[error("`{0}` is not a whole number of its range")]
    Number(String),
    /// There is nothing to be timed.
    #[error("a slice has at least one timed iteration")]
    NoIterations,
    /// What should be a case is not.
    #[error(transparent)]
    Case(#[from] ParseError),
}

impl FromStr for Request {
    type Err = RequestError;

    fn from_str(line: &str) -> Result<Self, RequestError> {
        fn number<T: FromStr>(word: &str) -> Result<T, RequestError> {
            word.parse().map_err(|_| RequestError::Number(word.to_owned()))
        }
        let words: Vec<&str> = line.split(' ').collect();
        match *words {
            ["hello", version] => Ok(Self::Hello(number(version)?)),
            ["list"] => Ok(Self::List),
            ["prepare", case] => Ok(Self::Prepare(case.parse()?)),
            ["time", handle, untimed, iterations, placement] => {
                let slice = Slice {
                    handle: Handle(number(handle)?),
                    untimed: number(untimed)?,
                    iterations: number(iterations)?,
                    placement: number(placement)?,
                };
                if slice.iterations == 0 {
                    return Err(RequestError::NoIterations);
                }
                Ok(Self::Time(slice))
            }
            ["drop", handle] => Ok(Self::Drop(Handle(number(handle)?))),
            ["quit"] => Ok(Self::Quit),
            _ => Err(RequestError::Unknown(line.to_owned())),
        }
    }
}

/// A line from the worker that is not what was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum AnswerError {
    /// The worker speaks a version that this runner does not.
    #[error("the worker speaks protocol version {0}; this runner speaks {OLDEST} to {NEWEST}")]
    Version(u32),
    /// Not an answer to that request.
    #[error("the worker answered `{answer}` instead of {expected}")]
    Garbage {
        /// What it said, shortened and without control characters.
        answer: String,
        /// What it should have said.
        expected: &'static str,
    },
}

impl AnswerError {
    /// `answer` is not `expected`.
    #[must_use]
    pub fn garbage(answer: &str, expected: &'static str) -> Self {
        Self::Garbage { answer: one_line(answer, 120), expected }
    }
}

/// `text` in one line of at most `length` characters, without control characters.
#[must_use]
pub fn one_line(text: &str, length: usize) -> String {
    let clean = |it: char| if it.is_control() { ' ' } else { it };
    let mut line: String = text.chars().map(clean).take(length).collect();
    if text.chars().nth(length).is_some() {
        line.push('…');
    }
    line
}

/// The answer to `hello`: `cryptobench-worker VERSION ENVIRONMENT`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Greeting {
    /// The version that both will speak.
    pub version: u32,
    /// The worker's [`Environment`](crate::Environment) as JSON in one line.
    pub environment: String,
}

impl fmt::Display for Greeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{WORKER} {} {}", self.version, self.environment)
    }
}

impl FromStr for Greeting {
    type Err = AnswerError;

    fn from_str(line: &str) -> Result<Self, AnswerError> {
        let garbage =
            || AnswerError::garbage(line, "`cryptobench-worker VERSION {environment as JSON}`");
        let rest = line.strip_prefix(WORKER).and_then(|it| it.strip_prefix(' '));
        let (version, environment) = rest.and_then(|it| it.split_once(' ')).ok_or_else(garbage)?;
        let version = version.parse().map_err(|_| garbage())?;
        if !(OLDEST..=NEWEST).contains(&version) {
            return Err(AnswerError::Version(version));
        }
        Ok(Self { version, environment: environment.to_owned() })
    }
}

/// The answer to `prepare`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Prepared {
    /// `ok HANDLE DIGEST [NOTE]`: proved and ready.
    Ready {
        /// What to call it.
        handle: Handle,
        /// SHA-256 of its output for the fixed inputs, hexadecimal; `None` (`-`) where that is random.
        digest: Option<String>,
        /// What a reader of its numbers should know.
        note: Option<String>,
    },
    /// `unsupported REASON`: the worker does not have it.
    Unsupported(String),
    /// `failed REASON`: it has it, but wrong.
    Failed(String),
}

impl fmt::Display for Prepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ready { handle, digest, note } => {
                write!(f, "ok {} {}", handle.0, digest.as_deref().unwrap_or("-"))?;
                note.as_ref().map_or(Ok(()), |note| write!(f, " {}", one_line(note, REASON)))
            }
            Self::Unsupported(reason) => write!(f, "unsupported {}", one_line(reason, REASON)),
            Self::Failed(reason) => write!(f, "failed {}", one_line(reason, REASON)),
        }
    }
}

/// Most characters of a reason or a note.
const REASON: usize = 2000;

impl FromStr for Prepared {
    type Err = AnswerError;

    fn from_str(line: &str) -> Result<Self, AnswerError> {
        let garbage = || {
            AnswerError::garbage(
                line,
                "`ok HANDLE DIGEST`, `unsupported REASON` or `failed REASON`",
            )
        };
        let (word, rest) = line.split_once(' ').ok_or_else(garbage)?;
        match word {
            "unsupported" => Ok(Self::Unsupported(one_line(rest, REASON))),
            "failed" => Ok(Self::Failed(one_line(rest, REASON))),
            "ok" => {
                let mut words = rest.splitn(3, ' ');
                let handle = words.next().and_then(|it| it.parse().ok()).ok_or_else(garbage)?;
                let digest = match words.next() {
                    Some("-") => None,
                    Some(it) if is_digest(it) => Some(it.to_owned()),
                    _ => return Err(garbage()),
                };
                let note = words.next().map(|note| one_line(note, REASON));
                Ok(Self::Ready { handle: Handle(handle), digest, note })
            }
            _ => Err(garbage()),
        }
    }
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f'))
}

/// The answer to `time`: nanoseconds that the timed iterations took together, at least 1; or
/// `failed REASON`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the answer's two forms")]
pub enum Timing {
    Nanoseconds(u64),
    Failed(String),
}

impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nanoseconds(nanoseconds) => write!(f, "{nanoseconds}"),
            Self::Failed(reason) => write!(f, "failed {}", one_line(reason, REASON)),
        }
    }
}

impl FromStr for Timing {
    type Err = AnswerError;

    fn from_str(line: &str) -> Result<Self, AnswerError> {
        if let Some(reason) = line.strip_prefix("failed ") {
            return Ok(Self::Failed(one_line(reason, REASON)));
        }
        line.parse()
            .ok()
            .filter(|it| *it > 0)
            .map(Self::Nanoseconds)
            .ok_or_else(|| AnswerError::garbage(line, "a number of nanoseconds or `failed REASON`"))
    }
}

/// The answer to `drop`: `ok`, or `failed REASON` where the key that was timed no longer computes what a
/// fresh one does.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the answer's two forms")]
pub enum Dropped {
    Done,
    Failed(String),
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done => f.write_str("ok"),
            Self::Failed(reason) => write!(f, "failed {}", one_line(reason, REASON)),
        }
    }
}

impl FromStr for Dropped {
    type Err = AnswerError;

    fn from_str(line: &str) -> Result<Self, AnswerError> {
        match line.strip_prefix("failed ") {
            Some(reason) => Ok(Self::Failed(one_line(reason, REASON))),
            None if line == "ok" => Ok(Self::Done),
            None => Err(AnswerError::garbage(line, "`ok` or `failed REASON`")),
        }
    }
}

/// A line of the answer to `list`, where it is a case of this suite's grammar. A worker may have others,
/// which a runner leaves alone.
#[must_use]
pub fn listed(line: &str) -> Option<CaseId> {
    line.parse().ok()
}

/// The backends among `cases`, in order of appearance.
#[must_use]
pub fn backends_of(cases: &[CaseId]) -> Vec<BackendId> {
    let mut all: Vec<BackendId> = Vec::new();
    for case in cases {
        if !all.contains(&case.backend) {
            all.push(case.backend.clone());
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_read_back_as_they_are_written() {
        for line in [
            "hello 1",
            "list",
            "prepare aes-256-gcm/seal/ring/1024",
            "time 0 100 5000 7",
            "time 4294967295 0 1 18446744073709551615",
            "drop 3",
            "quit",
        ] {
            assert_eq!(line.parse::<Request>().map(|it| it.to_string()).as_deref(), Ok(line));
        }
    }

    #[test]
    fn other_lines_are_refused_with_what_is_wrong() {
        for (line, problem) in [
            ("", "is no request"),
            ("hello", "is no request"),
            ("hello one", "`one` is not a whole number"),
            ("list ", "is no request"),
            ("prepare x", "is not a case"),
            ("time 0 1 0 7", "at least one timed iteration"),
            ("time 0 1 2", "is no request"),
            ("time 0 1 -2 7", "`-2` is not a whole number"),
            ("drop  1", "is no request"),
            ("QUIT", "is no request"),
        ] {
            let error = line.parse::<Request>().expect_err(line).to_string();
            assert!(error.contains(problem), "{line}: {error}");
        }
    }

    #[test]
    fn answers_read_back_as_they_are_written() {
        let digest = "0123456789abcdef".repeat(4);
        for line in [
            "ok 0 -".to_owned(),
            format!("ok 12 {digest}"),
            format!("ok 12 {digest} by way of C"),
            "unsupported no such mode".to_owned(),
            "failed wrong result: 3 bytes instead of 4".to_owned(),
        ] {
            assert_eq!(line.parse::<Prepared>().map(|it| it.to_string()).as_ref(), Ok(&line));
        }
        assert_eq!("771204".parse(), Ok(Timing::Nanoseconds(771_204)));
        assert_eq!("failed it broke".parse(), Ok(Timing::Failed("it broke".to_owned())));
        assert_eq!("ok".parse(), Ok(Dropped::Done));
        assert_eq!("failed worn out".parse(), Ok(Dropped::Failed("worn out".to_owned())));
    }

    #[test]
    fn garbage_is_told_from_an_answer() {
        for line in ["", "ok", "ok 0", "ok x -", "ok 0 abc", "ok -1 -", "maybe 1", "failed"] {
            assert!(line.parse::<Prepared>().is_err(), "{line}");
        }
        for line in ["", "0", "-1", "1.5", "fast", "99999999999999999999", "failed"] {
            assert!(line.parse::<Timing>().is_err(), "{line}");
        }
        let error = "\u{1b}[31mred\n".parse::<Dropped>().expect_err("no answer").to_string();
        assert!(!error.contains(char::is_control), "{error}");
    }

    #[test]
    fn other_versions_are_named() {
        assert_eq!(
            "cryptobench-worker 1 {}".parse(),
            Ok(Greeting { version: 1, environment: "{}".to_owned() })
        );
        let error = "cryptobench-worker 99 {}".parse::<Greeting>().expect_err("too new");
        assert_eq!(error, AnswerError::Version(99));
        for line in ["", "hello", "cryptobench-worker", "cryptobench-worker x {}"] {
            assert!(line.parse::<Greeting>().is_err(), "{line}");
        }
    }

    #[test]
    fn a_reason_of_several_lines_is_one() {
        let answer = Prepared::Failed("one\ntwo\u{7}".to_owned()).to_string();
        assert_eq!(answer, "failed one two ");
    }
}
