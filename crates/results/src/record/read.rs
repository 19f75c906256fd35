//! Reading records: whole ones, compressed or not, and the journals of interrupted runs. What must hold among
//! their lines is in `rules`; nothing here writes.

use super::{
    FORMAT, Line, Measured, OLDEST_FORMAT, Record, Side, journal_of,
    rules::{Problem, Rules, Shown},
    text,
};
use cryptobench_schema::{CaseId, Contest};
use serde::Deserialize;
use serde_json::Value;
use std::{
    fmt,
    fs::File,
    io::{self, BufRead, BufReader, Cursor, Read as _},
    path::{Path, PathBuf},
};
use thiserror::Error;

/// How much of a record is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Without slices, except those of RSA's key generation, whose distribution is the result, and those of heats, whose
    /// contests are held against each other by them. They are looked at
    /// all the same: what is refused at one depth is refused at the other, but for a summary that its slices
    /// contradict ([`Problem::Median`], [`Problem::MedianRatio`]), which takes more time to see than all else does.
    Summary,
    /// Everything.
    Slices,
}

/// Why a record cannot be read.
#[derive(Debug, Error)]
#[error(
    "cannot read {}{}: {}; {}",
    path.display(),
    Place(*line),
    Shown(&problem.to_string()),
    problem.advice()
)]
pub struct RecordError {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; `None` where no line is to blame.
    pub line: Option<usize>,
    /// What is the matter.
    pub problem: Problem,
}

/// A line's number in a message.
struct Place(Option<usize>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |line| write!(f, ", line {line}"))
    }
}

/// What bytes from elsewhere may cost: a compressed file of a few kilobytes can hold any number of bytes.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Bytes of the whole record, decompressed.
    record: u64,
    /// Bytes of a line.
    line: usize,
}

/// Far above any run: a contest of 5 backends has lines of 4 KiB, and a record of 5,000 cases and 5 rounds has
/// 17 MiB.
const LIMITS: Limits = Limits { record: 4 << 30, line: 64 << 20 };

/// How a zstd frame begins (RFC 8878, 3.1.1).
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Bytes read at a time.
const BUFFER: usize = 1 << 18;

/// Which end is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    /// The end line.
    Whole,
    /// Any whole line; what follows it was being written when the run was interrupted.
    Interrupted,
}

impl Record {
    /// Reads the record `path`, compressed or not: its content tells, not its name.
    ///
    /// # Errors
    ///
    /// Whatever is the matter with the file, with the number of the line.
    pub fn read(path: &Path, depth: Depth) -> Result<Self, RecordError> {
        let problem = |problem| RecordError { path: path.into(), line: None, problem };
        let file = File::open(path).map_err(|error| {
            let journal = journal_of(path);
            if error.kind() == io::ErrorKind::NotFound && journal.exists() {
                return problem(Problem::OnlyJournal(journal));
            }
            problem(Problem::Io(error))
        })?;
        whole(BufReader::with_capacity(BUFFER, file), path, depth, LIMITS)
    }

    /// Reads a record whose content, compressed or not, is `bytes`; errors name it `path`.
    ///
    /// # Errors
    ///
    /// Whatever is the matter with the content, with the number of the line.
    pub fn parse(bytes: &[u8], path: &Path, depth: Depth) -> Result<Self, RecordError> {
        whole(bytes, path, depth, LIMITS)
    }

    /// Reads a journal whose content is `bytes`; errors name it `path`. A line that breaks off at the end is
    /// left out, and an end line need not be there. Also says how many of the bytes are whole lines.
    ///
    /// # Errors
    ///
    /// Whatever is the matter with the whole lines, with the number of the line. A journal without a whole
    /// header is an error: it holds nothing.
    pub fn parse_interrupted(
        bytes: &[u8],
        path: &Path,
        depth: Depth,
    ) -> Result<(Self, u64), RecordError> {
        let Journaled { record, good, .. } = interrupted(bytes, path, depth)?;
        Ok((record, good))
    }
}

/// What a journal holds.
pub(super) struct Journaled {
    pub(super) record: Record,
    /// What its next line has to obey.
    pub(super) rules: Rules,
    /// Bytes of its whole lines.
    pub(super) good: u64,
}

/// Reads the journal `path` from `source`.
pub(super) fn interrupted(
    source: impl BufRead,
    path: &Path,
    depth: Depth,
) -> Result<Journaled, RecordError> {
    lines(Lines::new(source, LIMITS), depth, Ending::Interrupted)
        .map_err(|Fault { line, problem }| RecordError { path: path.into(), line, problem })
}

/// Reads a record of whose bytes nothing is known.
fn whole(
    mut source: impl BufRead,
    path: &Path,
    depth: Depth,
    limits: Limits,
) -> Result<Record, RecordError> {
    let mut read = || {
        // `fill_buf` alone may give fewer bytes than these.
        let mut magic = Vec::with_capacity(ZSTD.len());
        source.by_ref().take(ZSTD.len() as u64).read_to_end(&mut magic).map_err(Problem::Io)?;
        let compressed = magic == ZSTD;
        let source = Cursor::new(magic).chain(&mut source);
        let read = if compressed {
            let decoder = zstd::stream::read::Decoder::with_buffer(source).map_err(Problem::Io)?;
            let decoder = BufReader::with_capacity(BUFFER, decoder);
            lines(Lines::new(decoder, limits), depth, Ending::Whole)?
        } else {
            lines(Lines::new(source, limits), depth, Ending::Whole)?
        };
        Ok(read.record)
    };
    read().map_err(|Fault { line, problem }| RecordError { path: path.into(), line, problem })
}

/// A problem and its line.
struct Fault {
    line: Option<usize>,
    problem: Problem,
}

impl From<Problem> for Fault {
    fn from(problem: Problem) -> Self {
        Self { line: None, problem }
    }
}

/// Lines, one at a time, within limits.
struct Lines<R> {
    source: R,
    limits: Limits,
    /// The line in hand, without its end.
    line: Vec<u8>,
    /// Lines so far, that in hand included.
    number: usize,
    /// Bytes so far, that of the line in hand included.
    bytes: u64,
}

impl<R: BufRead> Lines<R> {
    const fn new(source: R, limits: Limits) -> Self {
        Self { source, limits, line: Vec::new(), number: 0, bytes: 0 }
    }

    /// Takes the next line in hand: whether it has its end, or `None` where there is no more.
    fn next(&mut self) -> Result<Option<bool>, Problem> {
        self.line.clear();
        loop {
            let ready = match self.source.fill_buf() {
                Ok(ready) => ready,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                // Only the system's errors have a number; all others are the decoder's.
                Err(error) if error.raw_os_error().is_some() => return Err(Problem::Io(error)),
                Err(error) => return Err(Problem::Compression(error.to_string())),
            };
            if ready.is_empty() {
                let torn = !self.line.is_empty();
                self.number += usize::from(torn);
                return Ok(torn.then_some(false));
            }
            let end = memchr::memchr(b'\n', ready);
            let taken = end.unwrap_or(ready.len());
            self.line.extend_from_slice(&ready[..taken]);
            let consumed = end.map_or(taken, |end| end + 1);
            self.source.consume(consumed);
            self.bytes += consumed as u64;
            if self.line.len() > self.limits.line {
                self.number += 1;
                return Err(Problem::LongLine { limit: self.limits.line });
            }
            if self.bytes > self.limits.record {
                return Err(Problem::TooLarge { limit: self.limits.record });
            }
            if end.is_some() {
                self.number += 1;
                return Ok(Some(true));
            }
        }
    }
}

/// Reads a record line by line.
fn lines<R: BufRead>(
    mut lines: Lines<R>,
    depth: Depth,
    ending: Ending,
) -> Result<Journaled, Fault> {
    let mut reading = Reading { depth, state: None, scratch: Scratch::default() };
    let mut good = 0;
    loop {
        let next = lines.next();
        let fault = |problem| Fault { line: Some(lines.number), problem };
        let torn = match next.map_err(|problem| match problem {
            Problem::LongLine { .. } => fault(problem),
            problem => problem.into(),
        })? {
            None => break,
            Some(whole) => !whole,
        };
        if torn && ending == Ending::Interrupted {
            if reading.state.is_none() {
                return Err(fault(Problem::Torn));
            }
            break;
        }
        reading.line(&lines.line).map_err(|problem| match problem {
            Problem::Json { .. } if torn => fault(Problem::Torn),
            problem => fault(problem),
        })?;
        good = lines.bytes;
    }
    let (record, rules) = reading.state.ok_or(Problem::Empty)?;
    if ending == Ending::Whole && !rules.ended() {
        return Err(Problem::Unfinished.into());
    }
    Ok(Journaled { record, rules, good })
}

/// A record of which some lines were read.
struct Reading {
    depth: Depth,
    /// `None` before the header.
    state: Option<(Record, Rules)>,
    scratch: Scratch,
}

/// Kept from line to line to save allocations.
#[derive(Default)]
struct Scratch {
    summary: Vec<u8>,
    counts: Vec<usize>,
}

impl Reading {
    /// Takes a line.
    fn line(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let Some((record, rules)) = &mut self.state else {
            self.state = Some(opening(bytes)?);
            return Ok(());
        };
        if rules.ended() {
            return Err(Problem::AfterEnd);
        }
        if let Some(measured) = summary(bytes, self.depth, &mut self.scratch) {
            rules.contest(&measured, &self.scratch.counts)?;
            record.measured.push(measured);
            return Ok(());
        }
        let line = parse(bytes)?;
        rules.accept(&line)?;
        record.add(match line {
            Line::Contest(mut measured) => {
                if self.depth == Depth::Summary
                    && !slices_are_the_result(measured.contest, measured.heat)
                {
                    measured.slices = Vec::new();
                }
                Line::Contest(measured)
            }
            line => line,
        });
        Ok(())
    }
}

/// Reads the first line.
fn opening(bytes: &[u8]) -> Result<(Record, Rules), Problem> {
    // Of a version that is not known, nothing else is either.
    #[derive(Deserialize)]
    struct Opening {
        header: Version,
    }
    #[derive(Deserialize)]
    struct Version {
        format: u64,
    }
    if let Ok(Opening { header: Version { format } }) = serde_json::from_slice(bytes)
        && !(u64::from(OLDEST_FORMAT)..=u64::from(FORMAT)).contains(&format)
    {
        return Err(Problem::Format { found: format });
    }
    let inner = bytes.trim_ascii_start().strip_prefix(b"{").unwrap_or_default();
    if !inner.trim_ascii_start().starts_with(b"\"header\"") {
        return Err(Problem::NotARecord);
    }
    let Line::Header(header) = parse(bytes)? else { return Err(Problem::NotARecord) };
    let rules = Rules::new(&header)?;
    Ok((Record::new(*header), rules))
}

/// Reads any line.
fn parse(bytes: &[u8]) -> Result<Line, Problem> {
    serde_json::from_slice(bytes).map_err(|error| {
        if let Some(unknown) = unknown_word(bytes) {
            return unknown;
        }
        // Every line is a document of its own here, so that its own line number is always 1.
        let message = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
        Problem::Json { message, column: error.column() }
    })
}

/// The id of the line `bytes` where that is what is wrong with it: serde would only have it as text.
fn unknown_word(bytes: &[u8]) -> Option<Problem> {
    let line: Value = serde_json::from_slice(bytes).ok()?;
    let (kind, content) = line.as_object()?.iter().next()?;
    let error = if kind == "contest" {
        content.get("contest")?.as_str()?.parse::<Contest>().err()
    } else {
        content.get("id")?.as_str()?.parse::<CaseId>().err()
    };
    error.map(Problem::Id)
}

/// Whether the slices of `contest` say what no summary of them does.
fn slices_are_the_result(contest: Contest, heat: Option<u64>) -> bool {
    heat.is_some() || contest.makes_rsa_key()
}

/// A contest's line up to its slices.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Summary {
    #[serde(with = "text")]
    contest: Contest,
    round: u32,
    #[serde(default)]
    heat: Option<u64>,
    sides: Vec<Side>,
    log_ratios: Vec<f64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SummaryLine {
    contest: Summary,
}

/// Reads a contest's line as runs write it, whose slices are last, without the cost of a general parser for
/// them: they are most of a record. `None` for every other line, and wherever anything is wrong: then the
/// general parser has the word. Leaves the number of each side's slices in `scratch`.
fn summary(line: &[u8], depth: Depth, scratch: &mut Scratch) -> Option<Measured> {
    const SLICES: &[u8] = b",\"slices\":[";
    if !line.starts_with(b"{\"contest\":{") {
        return None;
    }
    // Within a string of JSON there is no quotation mark that is not escaped, so that this is a field.
    let at = memchr::memmem::rfind(line, SLICES)?;
    scratch.summary.clear();
    scratch.summary.extend_from_slice(&line[..at]);
    scratch.summary.extend_from_slice(b"}}");
    let SummaryLine { contest: Summary { contest, round, heat, sides, log_ratios } } =
        serde_json::from_slice(&scratch.summary).ok()?;
    let rest = &line[at + SLICES.len()..];
    let mut slices = Vec::new();
    scratch.counts.clear();
    if depth == Depth::Slices || slices_are_the_result(contest, heat) {
        slices.reserve_exact(sides.len());
        let mut last: Vec<u64> = Vec::new();
        numbers(rest, |number| match number {
            Some(slice) => last.push(slice),
            None => slices.push(last.split_off(0)),
        })?;
        scratch.counts.extend(slices.iter().map(Vec::len));
    } else {
        let mut count = 0;
        numbers(rest, |number| match number {
            Some(_) => count += 1,
            None => scratch.counts.push(std::mem::take(&mut count)),
        })?;
    }
    Some(Measured { contest, round, heat, sides, log_ratios, slices })
}

/// Gives each number of `rest`, which is to be like `[1,2],[3]]}}`, and `None` after each list. `None` in all
/// where it is not like that, or has a number that is 0 or might be too large.
fn numbers(rest: &[u8], mut take: impl FnMut(Option<u64>)) -> Option<()> {
    // That many digits are below 2^64 whatever they are.
    const DIGITS: usize = 19;
    let lists = rest.strip_suffix(b"]}}")?;
    if lists.is_empty() {
        return Some(());
    }
    let mut at = 0;
    loop {
        if lists.get(at) != Some(&b'[') {
            return None;
        }
        loop {
            at += 1;
            let first = at;
            let mut number = 0_u64;
            while let Some(digit) = lists.get(at).map(|byte| byte.wrapping_sub(b'0'))
                && digit < 10
            {
                number = number.wrapping_mul(10).wrapping_add(digit.into());
                at += 1;
            }
            if at == first || at - first > DIGITS || lists[first] == b'0' {
                return None;
            }
            take(Some(number));
            if lists.get(at) != Some(&b',') {
                break;
            }
        }
        if lists.get(at) != Some(&b']') {
            return None;
        }
        take(None);
        at += 1;
        match lists.get(at) {
            None => return Some(()),
            Some(b',') => at += 1,
            Some(_) => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lists of `rest` as the fast reader has them.
    fn fast(rest: &str) -> Option<Vec<Vec<u64>>> {
        let (mut lists, mut last) = (Vec::new(), Vec::new());
        numbers(rest.as_bytes(), |number| match number {
            Some(number) => last.push(number),
            None => lists.push(std::mem::take(&mut last)),
        })?;
        Some(lists)
    }

    #[test]
    fn slices_are_read_as_they_are_written() {
        assert_eq!(fast("]}}"), Some(vec![]));
        assert_eq!(fast("[1]]}}"), Some(vec![vec![1]]));
        assert_eq!(fast("[1,23],[456]]}}"), Some(vec![vec![1, 23], vec![456]]));
        let most = 9_999_999_999_999_999_999_u64;
        assert_eq!(fast(&format!("[{most}]]}}}}")), Some(vec![vec![most]]));
    }

    #[test]
    fn everything_else_is_left_to_the_general_reader() {
        for rest in [
            "",
            "]",
            "]}",
            "[1]",
            "[1]]",
            "[1]]}",
            "[1]]}}}",
            "[1]]}} ",
            "1]}}",
            "[]]}}",
            "[,]]}}",
            "[1,]]}}",
            "[,1]]}}",
            "[1,,2]]}}",
            "[1][2]]}}",
            "[1],]}}",
            ",[1]]}}",
            "[1],,[2]]}}",
            "[[1]]]}}",
            "[1]],[2]]}}",
            "[0]]}}",
            "[01]]}}",
            "[-1]]}}",
            "[+1]]}}",
            "[1.5]]}}",
            "[1e3]]}}",
            "[ 1]]}}",
            "[null]]}}",
            "[\"1\"]]}}",
            "[10000000000000000000]]}}",
        ] {
            assert_eq!(fast(rest), None, "{rest}");
        }
    }

    const HEADER: &str = concat!(
        r#"{"header":{"format":1,"engine":"lock-step","started":"","seed":1,"settings":{"rounds":1,"#,
        r#""slices":70,"fewest_slices":15,"slice_ns":1,"burst_ns":1,"burst_operations":3,"#,
        r#""budget_ns":1,"cpu":null,"filter":null},"programs":[{"name":"current","sha256":null,"#,
        r#""protocol":1,"environment":{}}],"warnings":[]}}"#
    );

    /// What is said of `bytes` where records may have 10,000 bytes and lines 1,000.
    fn limited(bytes: &[u8]) -> RecordError {
        let limits = Limits { record: 10_000, line: 1_000 };
        whole(bytes, Path::new("a.json"), Depth::Summary, limits).expect_err("too large")
    }

    #[test]
    fn what_a_small_file_unpacks_to_is_limited() {
        let failed = |reason| {
            let id = "aes-256-gcm/seal/ring/16";
            format!(r#"{{"failed":{{"id":"{id}","program":0,"round":0,"reason":"{reason}"}}}}"#)
        };
        let many = [HEADER.to_owned()].into_iter().chain((0..1_000).map(|_| failed("no")));
        let many = many.collect::<Vec<_>>().join("\n");
        let long = format!("{HEADER}\n{}", failed(&"n".repeat(10_000_000)));
        for (text, line, what) in [
            (many, None, "it has more than 0 MiB"),
            (long, Some(2), "the line has more than 0 MiB"),
        ] {
            let compressed = zstd::encode_all(text.as_bytes(), 3).expect("compressed");
            assert!(compressed.len() < text.len() / 50);
            for bytes in [text.as_bytes(), &compressed] {
                let error = limited(bytes);
                assert_eq!(error.line, line);
                assert!(error.problem.to_string().starts_with(what), "{error}");
            }
        }
    }

    #[test]
    fn damaged_compression_is_named() {
        let compressed = zstd::encode_all(HEADER.as_bytes(), 3).expect("compressed");
        for bytes in [
            &compressed[..4],
            &compressed[..compressed.len() - 1],
            &[&compressed[..], b"more"].concat(),
            &[&ZSTD[..], &[0xff; 64]].concat(),
        ] {
            let error = limited(bytes);
            assert!(matches!(error.problem, Problem::Compression(_)), "{error}");
        }
    }
}
