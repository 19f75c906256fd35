//! What must hold among the lines of a record, and what to say where it does not. Reader and writer both go by
//! it, so that nothing is written that cannot be read. Bytes and files are theirs.

use super::{
    FORMAT, Header, Line, Measured, OLDEST_FORMAT, Side, median_log_ratio, operation_times,
};
use crate::statistics::median;
use cryptobench_schema::{BackendId, CaseId, Contest, Host, ParseError};
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fmt, io,
    path::PathBuf,
};
use thiserror::Error;

/// What is the matter with a record. `Display` says what, [`Problem::advice`] what to do.
#[derive(Debug, Error)]
pub enum Problem {
    /// The system did not let it be read.
    #[error("{0}")]
    Io(io::Error),
    /// There is no such record, but the journal of one.
    #[error("there is no such file, but {} of an interrupted run", .0.display())]
    OnlyJournal(PathBuf),
    /// It is compressed, and the compressed data is damaged or cut off.
    #[error("its compressed data is damaged or cut off ({0})")]
    Compression(String),
    /// Bytes, decompressed, beyond what a record may have.
    #[error("it has more than {} MiB, decompressed", .limit >> 20)]
    TooLarge {
        /// Bytes that it may have.
        limit: u64,
    },
    /// A line beyond what a line may have.
    #[error("the line has more than {} MiB", .limit >> 20)]
    LongLine {
        /// Bytes that it may have.
        limit: usize,
    },
    /// It has no bytes.
    #[error("the file is empty")]
    Empty,
    /// The first line is no record's header.
    #[error("not a record: it does not begin with a record's header")]
    NotARecord,
    /// Another version of the format than those from [`OLDEST_FORMAT`] to [`FORMAT`].
    #[error("a record of format {found}; this program reads formats {OLDEST_FORMAT} to {FORMAT}")]
    Format {
        /// The version it says it has.
        found: u64,
    },
    /// The last line is not the end line.
    #[error("the record has no end: its run was interrupted, or the file was cut off")]
    Unfinished,
    /// The last line breaks off.
    #[error("the line breaks off: its run was interrupted, or the file was cut off")]
    Torn,
    /// The line is not JSON, or not of a shape that a record's line has.
    #[error("{message} (column {column})")]
    Json {
        /// What was expected.
        message: String,
        /// Where in the line, from 1.
        column: usize,
    },
    /// The line names a case or contest with a word that this program does not know.
    #[error("{0}")]
    Id(ParseError),
    /// A header that is not the first line.
    #[error("a second header")]
    SecondHeader,
    /// A line after the end line.
    #[error("a line after the record's end")]
    AfterEnd,
    /// A header that names no programs.
    #[error("the header names no programs")]
    NoPrograms,
    /// The programs did not run on one machine.
    #[error("the programs `{first}` and `{second}` ran on different machines: {difference}")]
    Machines {
        /// The first program.
        first: String,
        /// The one that differs from it.
        second: String,
        /// In what.
        difference: String,
    },
    /// A load average that is not finite.
    #[error("the load average of program `{program}` is {load}")]
    Load {
        /// The program's name.
        program: String,
        /// The load.
        load: f64,
    },
    /// A program that the header does not have.
    #[error("program {index}, where the header has {programs} (the first is 0)")]
    Program {
        /// The index in the line.
        index: usize,
        /// How many the header has.
        programs: usize,
    },
    /// A round that the run does not have.
    #[error("round {round}, where the run has {rounds} (the first is 0)")]
    Round {
        /// The round in the line.
        round: u32,
        /// How many the header says.
        rounds: u32,
    },
    /// A second `case` line of the same case and program.
    #[error("a second line for the case {id} of program {program}")]
    DuplicateCase {
        /// The case.
        id: CaseId,
        /// Index of the program.
        program: usize,
    },
    /// A second line of the same contest and round.
    #[error("a second line for {contest} in round {round}")]
    DuplicateContest {
        /// The contest.
        contest: Contest,
        /// The round.
        round: u32,
    },
    /// A case that took part, and of which no `case` line says anything.
    #[error("{id} of program {program} took part, and no `case` line before is about it")]
    NoCase {
        /// The case.
        id: CaseId,
        /// Index of the program.
        program: usize,
    },
    /// A contest in which nobody took part.
    #[error("{contest} has no sides")]
    NoSides {
        /// The contest.
        contest: Contest,
    },
    /// A backend of one program that took part twice.
    #[error("{contest} has {backend} of program {program} twice")]
    DuplicateSide {
        /// The contest.
        contest: Contest,
        /// The backend.
        backend: BackendId,
        /// Index of its program.
        program: usize,
    },
    /// A time that cannot be one.
    #[error("{id} takes {time_ns} ns; a time is positive and finite")]
    Time {
        /// The case.
        id: CaseId,
        /// The time.
        time_ns: f64,
    },
    /// An interference that is not finite.
    #[error("the interference of {id} is {value}; a logarithm here is finite")]
    Interference {
        /// The case.
        id: CaseId,
        /// The value.
        value: f64,
    },
    /// Zero operations in a slice.
    #[error("{id} has a slice of no iterations")]
    ZeroIterations {
        /// The case.
        id: CaseId,
    },
    /// Numbers of iterations that belong to no slices.
    #[error(
        "{id} has {found} numbers of iterations, where it needs one, or one for each slice ({slices})"
    )]
    Iterations {
        /// The case.
        id: CaseId,
        /// How many there are.
        found: usize,
        /// How many slices there are.
        slices: usize,
    },
    /// Lists of slices that belong to no sides.
    #[error(
        "{contest} has {found} lists of slices, where it needs one for each side ({sides}), or none"
    )]
    Lists {
        /// The contest.
        contest: Contest,
        /// How many there are.
        found: usize,
        /// How many sides there are.
        sides: usize,
    },
    /// A side without slices, where others have them.
    #[error("{id} has an empty list of slices")]
    NoSlices {
        /// The case.
        id: CaseId,
    },
    /// A slice of no time.
    #[error("{id} has a slice of 0 ns")]
    ZeroSlice {
        /// The case.
        id: CaseId,
    },
    /// Log ratios that belong to no pairs.
    #[error(
        "{contest} has {found} log ratios, where it needs one for each pair of sides ({pairs}), or none"
    )]
    LogRatios {
        /// The contest.
        contest: Contest,
        /// How many there are.
        found: usize,
        /// How many pairs there are.
        pairs: usize,
    },
    /// A time that its slices contradict.
    #[error("{id} has the time_ns {time_ns}, where the median of its slices is {median}")]
    Median {
        /// The case.
        id: CaseId,
        /// The time in the line.
        time_ns: f64,
        /// What it has to be.
        median: f64,
    },
    /// A log ratio that the slices contradict.
    #[error(
        "{contest} has {value} among its log_ratios for {} over {}, where the median of their slices is {median}",
        sides[1],
        sides[0]
    )]
    MedianRatio {
        /// The contest.
        contest: Contest,
        /// Both sides: the one whose time is divided by, and the other.
        sides: Box<[BackendId; 2]>,
        /// The log ratio in the line.
        value: f64,
        /// What it has to be.
        median: f64,
    },
    /// A log ratio that is not finite.
    #[error("{contest} has a log ratio of {value}; it is finite")]
    LogRatio {
        /// The contest.
        contest: Contest,
        /// The value.
        value: f64,
    },
}

/// For whatever no run writes.
const CHANGED: &str =
    "the file was changed or damaged after it was written: restore it, or measure again";

impl Problem {
    /// What to do about it.
    #[must_use]
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Io(error) => match error.kind() {
                io::ErrorKind::NotFound => "look for it under reports/records",
                io::ErrorKind::PermissionDenied => "make it readable",
                io::ErrorKind::IsADirectory => "name the file, not its directory",
                _ => "check the disk, or restore the file from a copy",
            },
            Self::OnlyJournal(_) => "resume that run, or measure again",
            Self::Unfinished | Self::Torn => {
                "resume the run if its journal is there (.partial), or measure again"
            }
            Self::Empty => "restore it, or remove it and measure again",
            Self::TooLarge { .. } | Self::LongLine { .. } => {
                "no run writes that: check where the file is from"
            }
            Self::NotARecord => {
                "name a file that `cryptobench` recorded: NAME.json or NAME.json.zst"
            }
            Self::Format { found } if *found > u64::from(FORMAT) => {
                "read it with the suite that wrote it, or a newer one"
            }
            Self::Format { .. } => "read it with the suite that wrote it",
            Self::Id(
                ParseError::Algorithm(_) | ParseError::Operation(_) | ParseError::Mismatch { .. },
            ) => "was it written by a newer suite? then read it with that one",
            Self::Machines { .. } => {
                "measure both programs on one machine, or compare their records with each other"
            }
            _ => CHANGED,
        }
    }
}

/// What has to be remembered of a record's lines to judge the next one.
#[derive(Debug)]
pub(super) struct Rules {
    programs: usize,
    rounds: u32,
    /// Program and backend of each case that a line has told of. By contest, so that a contest's line needs one look.
    cases: HashMap<Contest, Vec<(usize, BackendId)>>,
    contests: HashSet<(Contest, u32)>,
    ended: bool,
}

impl Rules {
    /// Begins with the header.
    pub(super) fn new(header: &Header) -> Result<Self, Problem> {
        if !(OLDEST_FORMAT..=FORMAT).contains(&header.format) {
            return Err(Problem::Format { found: header.format.into() });
        }
        let first = header.programs.first().ok_or(Problem::NoPrograms)?;
        for program in &header.programs {
            let host = &program.environment.host;
            if let Some(load) = host.load.filter(|load| !load.is_finite()) {
                return Err(Problem::Load { program: program.name.clone(), load });
            }
            if let Some(difference) = difference(&first.environment.host, host) {
                return Err(Problem::Machines {
                    first: first.name.clone(),
                    second: program.name.clone(),
                    difference,
                });
            }
        }
        Ok(Self {
            programs: header.programs.len(),
            rounds: header.settings.rounds,
            cases: HashMap::new(),
            contests: HashSet::new(),
            ended: false,
        })
    }

    /// Whether there can be no more lines.
    pub(super) const fn ended(&self) -> bool {
        self.ended
    }

    /// Takes the next line, or says why it cannot be that; then nothing has changed.
    pub(super) fn accept(&mut self, line: &Line) -> Result<(), Problem> {
        if self.ended {
            return Err(Problem::AfterEnd);
        }
        match line {
            Line::Header(_) => return Err(Problem::SecondHeader),
            Line::Case(case) => {
                self.program(case.program)?;
                let known = self.cases.entry(case.id.contest).or_default();
                if is_known(known, case.program, &case.id.backend) {
                    let (id, program) = (case.id.clone(), case.program);
                    return Err(Problem::DuplicateCase { id, program });
                }
                known.push((case.program, case.id.backend.clone()));
            }
            Line::Contest(measured) => {
                let counts: Vec<usize> = measured.slices.iter().map(Vec::len).collect();
                self.contest(measured, &counts)?;
            }
            Line::Failed(failed) => {
                self.program(failed.program)?;
                self.round(failed.round)?;
            }
            Line::Unsupported(case) => self.program(case.program)?,
            Line::Resumed(_) => {}
            Line::End(_) => self.ended = true,
        }
        Ok(())
    }

    /// As if `line`, the last accepted, had never come.
    pub(super) fn forget(&mut self, line: &Line) {
        match line {
            Line::Case(case) => {
                if let Some(known) = self.cases.get_mut(&case.id.contest) {
                    known.pop();
                }
            }
            Line::Contest(measured) => {
                self.contests.remove(&(measured.contest, measured.round));
            }
            Line::End(_) => self.ended = false,
            Line::Header(_) | Line::Failed(_) | Line::Unsupported(_) | Line::Resumed(_) => {}
        }
    }

    /// [`Self::accept`] for a contest whose slices may have been left out: `counts` says how many there were
    /// of each side, and those left out were not 0.
    pub(super) fn contest(&mut self, measured: &Measured, counts: &[usize]) -> Result<(), Problem> {
        if self.ended {
            return Err(Problem::AfterEnd);
        }
        let contest = measured.contest;
        let sides = measured.sides.len();
        self.round(measured.round)?;
        if sides == 0 {
            return Err(Problem::NoSides { contest });
        }
        if !counts.is_empty() && counts.len() != sides {
            return Err(Problem::Lists { contest, found: counts.len(), sides });
        }
        let known = self.cases.get(&contest).map_or(&[][..], Vec::as_slice);
        let mut seen = BTreeSet::new();
        for (index, side) in measured.sides.iter().enumerate() {
            self.program(side.program)?;
            if !seen.insert((side.program, &side.backend)) {
                let (backend, program) = (side.backend.clone(), side.program);
                return Err(Problem::DuplicateSide { contest, backend, program });
            }
            if !is_known(known, side.program, &side.backend) {
                let (id, program) = (contest.case(side.backend.clone()), side.program);
                return Err(Problem::NoCase { id, program });
            }
            self::side(contest, side, counts.get(index).copied())?;
            if measured.slices.get(index).is_some_and(|slices| slices.contains(&0)) {
                return Err(Problem::ZeroSlice { id: contest.case(side.backend.clone()) });
            }
        }
        let (pairs, found) = (sides.saturating_mul(sides - 1) / 2, measured.log_ratios.len());
        if found != 0 && found != pairs {
            return Err(Problem::LogRatios { contest, found, pairs });
        }
        if let Some(&value) = measured.log_ratios.iter().find(|value| !value.is_finite()) {
            return Err(Problem::LogRatio { contest, value });
        }
        agreement(measured)?;
        // Last, so that a line that is refused leaves no trace.
        if !self.contests.insert((contest, measured.round)) {
            return Err(Problem::DuplicateContest { contest, round: measured.round });
        }
        Ok(())
    }

    fn program(&self, index: usize) -> Result<(), Problem> {
        if index < self.programs {
            return Ok(());
        }
        Err(Problem::Program { index, programs: self.programs })
    }

    fn round(&self, round: u32) -> Result<(), Problem> {
        if round < self.rounds {
            Ok(())
        } else {
            Err(Problem::Round { round, rounds: self.rounds })
        }
    }
}

/// Whether a case of `backend` in `program` is among those that are `known` of its contest.
fn is_known(known: &[(usize, BackendId)], program: usize, backend: &BackendId) -> bool {
    known.iter().any(|it| it.0 == program && it.1 == *backend)
}

/// What must hold of one side, which had `slices`, unless nobody's slices are there.
fn side(contest: Contest, side: &Side, slices: Option<usize>) -> Result<(), Problem> {
    let id = || contest.case(side.backend.clone());
    if !(side.time_ns.is_finite() && side.time_ns > 0.0) {
        return Err(Problem::Time { id: id(), time_ns: side.time_ns });
    }
    if let Some(value) = side.interference.filter(|value| !value.is_finite()) {
        return Err(Problem::Interference { id: id(), value });
    }
    let found = side.iterations.len();
    match slices {
        Some(0) => return Err(Problem::NoSlices { id: id() }),
        Some(slices) if found != 1 && found != slices => {
            return Err(Problem::Iterations { id: id(), found, slices });
        }
        None if found == 0 => return Err(Problem::Iterations { id: id(), found, slices: 0 }),
        _ => {}
    }
    if side.iterations.contains(&0) {
        return Err(Problem::ZeroIterations { id: id() });
    }
    Ok(())
}

/// What must hold between the slices of a contest and what was calculated from them, as far as the slices are
/// there: the one as it is calculated from the other.
fn agreement(measured: &Measured) -> Result<(), Problem> {
    // Of the order of the operations alone, or of another language's logarithm.
    const ROUNDING: f64 = 1e-9;
    let contest = measured.contest;
    let sides = measured.sides.iter().zip(&measured.slices);
    let times: Vec<Vec<f64>> =
        sides.map(|(side, slices)| operation_times(slices, &side.iterations)).collect();
    for (side, times) in measured.sides.iter().zip(&times) {
        let (time_ns, fewest) = (side.time_ns, side.iterations.iter().min());
        // Criterion's slices were fractions of a nanosecond before they were kept.
        let half = fewest.map_or(0.0, |iterations| 0.5 / *iterations as f64);
        if let Some(median) = median(times)
            && (time_ns - median).abs() > ROUNDING * median + half
        {
            return Err(Problem::Median {
                id: contest.case(side.backend.clone()),
                time_ns,
                median,
            });
        }
    }
    let mut values = measured.log_ratios.iter();
    for (first, one) in times.iter().enumerate() {
        for (second, other) in times.iter().enumerate().skip(first + 1) {
            let Some(&value) = values.next() else { return Ok(()) };
            if let Some(median) = median_log_ratio(other, one)
                && (value - median).abs() > ROUNDING
            {
                let sides = [first, second].map(|side| measured.sides[side].backend.clone());
                let sides = Box::new(sides);
                return Err(Problem::MedianRatio { contest, sides, value, median });
            }
        }
    }
    Ok(())
}

/// How the machines `first` and `second` differ. What one of them does not tell is no difference: a worker in
/// another language may know less of its machine.
fn difference(first: &Host, second: &Host) -> Option<String> {
    fn text(what: &str, first: Option<&String>, second: Option<&String>) -> Option<String> {
        let (first, second) = (first?, second?);
        (first != second).then(|| format!("{what} `{first}` and `{second}`"))
    }
    text("processor", first.cpu.model.as_ref(), second.cpu.model.as_ref())
        .or_else(|| text("processor", first.cpu.signature.as_ref(), second.cpu.signature.as_ref()))
        .or_else(|| flags(&first.cpu.flags, &second.cpu.flags))
        .or_else(|| {
            let (first, second) = (first.cpu.logical, second.cpu.logical);
            (first != second && first != 0 && second != 0)
                .then(|| format!("{first} and {second} logical processors"))
        })
        .or_else(|| text("kernel", first.kernel.as_ref(), second.kernel.as_ref()))
        .or_else(|| text("system", first.system.as_ref(), second.system.as_ref()))
}

/// How processors differ in what they can do.
fn flags(first: &[String], second: &[String]) -> Option<String> {
    if first.is_empty() || second.is_empty() {
        return None;
    }
    let first: BTreeSet<&String> = first.iter().collect();
    let second: BTreeSet<&String> = second.iter().collect();
    let only = |these: &BTreeSet<&String>, those: &BTreeSet<&String>| {
        let only: Vec<&str> = these.difference(those).map(|flag| flag.as_str()).collect();
        if only.is_empty() { "none".to_owned() } else { only.join(" ") }
    };
    (first != second).then(|| {
        format!(
            "processor flags that only one has: {} and {}",
            only(&first, &second),
            only(&second, &first)
        )
    })
}

/// A text from a file as it may be shown: not long, and without what a terminal would obey.
pub(super) struct Shown<'a>(pub(super) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const LONGEST: usize = 600;
        for (shown, character) in self.0.chars().enumerate() {
            if shown == LONGEST {
                return f.write_str("…");
            }
            if character.is_control() {
                write!(f, "{}", character.escape_default())?;
            } else {
                write!(f, "{character}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cryptobench_schema::Cpu;

    fn host(change: impl FnOnce(&mut Host)) -> Host {
        let mut host = Host {
            system: Some("Debian GNU/Linux 13".into()),
            kernel: Some("6.12.1".into()),
            cpu: Cpu {
                model: Some("Some CPU".into()),
                signature: Some("6/143/8".into()),
                flags: ["aes", "avx2", "sha_ni"].map(str::to_owned).into(),
                logical: 8,
                ..Cpu::default()
            },
            load: Some(0.1),
            ..Host::default()
        };
        change(&mut host);
        host
    }

    #[test]
    fn one_machine_is_not_two() {
        let same: [fn(&mut Host); 4] = [
            |_| {},
            |host| host.load = Some(3.0),
            |host| host.cpu.governor = Some("powersave".into()),
            |host| *host = Host::default(),
        ];
        for change in same {
            assert_eq!(difference(&host(|_| {}), &host(change)), None);
            assert_eq!(difference(&host(change), &host(|_| {})), None);
        }
    }

    #[test]
    fn two_machines_are_told_apart() {
        let others: [(fn(&mut Host), &str); 6] = [
            (|host| host.cpu.model = Some("Other".into()), "processor `Some CPU` and `Other`"),
            (|host| host.cpu.signature = Some("6/1/1".into()), "processor `6/143/8` and `6/1/1`"),
            (
                |host| host.cpu.flags = vec!["aes".into(), "avx2".into()],
                "processor flags that only one has: sha_ni and none",
            ),
            (|host| host.cpu.logical = 4, "8 and 4 logical processors"),
            (|host| host.kernel = Some("6.12.2".into()), "kernel `6.12.1` and `6.12.2`"),
            (
                |host| host.system = Some("Fedora".into()),
                "system `Debian GNU/Linux 13` and `Fedora`",
            ),
        ];
        for (change, what) in others {
            assert_eq!(difference(&host(|_| {}), &host(change)).as_deref(), Some(what));
        }
    }

    #[test]
    fn what_is_shown_is_short_and_harmless() {
        assert_eq!(Shown("a\u{1b}[31mb\nc").to_string(), "a\\u{1b}[31mb\\nc");
        assert_eq!(Shown(&"é".repeat(10_000)).to_string().chars().count(), 601);
    }
}
