//! Whatever bytes a reader is given, it does not panic, and what it accepts it means: written again and read
//! again, it is the same. Two seconds a test, or `FUZZ_SECONDS`; a test is one reader and one kind of bytes.

#[path = "../../schema/tests/for_a_while/mod.rs"]
mod for_a_while;

mod sample;

use cryptobench_results::record::{
    CaseInfo, Depth, Engine, Measured, Problem, Record, RecordError, Side,
};
use cryptobench_schema::{Algorithm, BackendId, Contest, sizes};
use for_a_while::for_a_while;
use proptest::{
    collection::vec,
    option, prop_assert, prop_assert_eq, prop_oneof,
    sample::{Index, select},
    strategy::{Just, Strategy},
    test_runner::{TestCaseError, TestCaseResult},
};
use proptest::{prelude::any, strategy::BoxedStrategy};
use std::path::Path;

/// One change of a file.
#[derive(Debug, Clone)]
enum Change {
    /// Bits of a byte.
    Flip(Index, u8),
    /// Bytes put in.
    Insert(Index, Vec<u8>),
    /// Bytes taken out.
    Delete(Index, usize),
    /// The end cut off.
    Cut(Index),
    /// A line put where another begins.
    CopyLine(Index, Index),
    /// A line taken out.
    RemoveLine(Index),
    /// A number put in another's place.
    Number(Index, &'static str),
    /// A word put in another's place.
    Word(Index, Index),
}

/// What numbers may be taken for.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "-0",
    "-1",
    "0.5",
    "1e3",
    "1e999",
    "-1e999",
    "1e-999",
    "5e-324",
    "007",
    "null",
    "true",
    "\"1\"",
    "[]",
    "[1,2]",
    "{}",
    "4294967296",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "99999999999999999999",
];

fn change() -> BoxedStrategy<Change> {
    let at = any::<Index>;
    prop_oneof![
        (at(), 1..=u8::MAX).prop_map(|(at, bits)| Change::Flip(at, bits)),
        (at(), vec(any::<u8>(), 1..5)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (at(), 1_usize..20).prop_map(|(at, count)| Change::Delete(at, count)),
        at().prop_map(Change::Cut),
        (at(), at()).prop_map(|(from, to)| Change::CopyLine(from, to)),
        at().prop_map(Change::RemoveLine),
        (at(), select(NUMBERS)).prop_map(|(at, number)| Change::Number(at, number)),
        (at(), at()).prop_map(|(from, to)| Change::Word(from, to)),
    ]
    .boxed()
}

/// The stretches of `bytes` that consist of what `belongs`.
fn stretches(bytes: &[u8], belongs: impl Fn(u8) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut stretches: Vec<std::ops::Range<usize>> = Vec::new();
    for (at, _) in bytes.iter().enumerate().filter(|&(_, &byte)| belongs(byte)) {
        match stretches.last_mut() {
            Some(last) if last.end == at => last.end += 1,
            _ => stretches.push(at..at + 1),
        }
    }
    stretches
}

/// Makes `change` to a file, as far as there is something to change.
fn apply(change: &Change, bytes: &mut Vec<u8>) {
    if bytes.is_empty() {
        return;
    }
    let lines = || stretches(bytes, |byte| byte != b'\n');
    let within = |ranges: &[std::ops::Range<usize>], index: &Index| {
        (!ranges.is_empty()).then(|| ranges[index.index(ranges.len())].clone())
    };
    match change {
        Change::Flip(at, bits) => {
            let at = at.index(bytes.len());
            bytes[at] ^= bits;
        }
        Change::Insert(at, more) => {
            let at = at.index(bytes.len());
            bytes.splice(at..at, more.iter().copied());
        }
        Change::Delete(at, count) => {
            let at = at.index(bytes.len());
            bytes.drain(at..bytes.len().min(at + count));
        }
        Change::Cut(at) => bytes.truncate(at.index(bytes.len())),
        Change::CopyLine(from, to) => {
            let lines = lines();
            if let (Some(from), Some(to)) = (within(&lines, from), within(&lines, to)) {
                let line = [&bytes[from], b"\n"].concat();
                bytes.splice(to.start..to.start, line);
            }
        }
        Change::RemoveLine(at) => {
            if let Some(line) = within(&lines(), at) {
                bytes.drain(line.start..bytes.len().min(line.end + 1));
            }
        }
        Change::Number(at, number) => {
            let numbers =
                stretches(bytes, |byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'));
            if let Some(place) = within(&numbers, at) {
                bytes.splice(place, number.bytes());
            }
        }
        Change::Word(from, to) => {
            let words = stretches(bytes, |byte| byte.is_ascii_alphabetic() || byte == b'_');
            if let (Some(from), Some(to)) = (within(&words, from), within(&words, to)) {
                let word = bytes[from].to_vec();
                bytes.splice(to, word);
            }
        }
    }
}

/// A few changes of `bytes`.
fn changed(bytes: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    (bytes, vec(change(), 0..4)).prop_map(|(mut bytes, changes)| {
        changes.iter().for_each(|change| apply(change, &mut bytes));
        bytes
    })
}

/// What must hold of the readers of records, whatever they are given.
fn records(bytes: &[u8]) -> TestCaseResult {
    let path = Path::new("r.json");
    let parse = |bytes: &[u8], depth| Record::parse(bytes, path, depth);
    match (parse(bytes, Depth::Slices), parse(bytes, Depth::Summary)) {
        // A reader of summaries does not see that slices contradict them.
        (
            Err(RecordError {
                problem: Problem::Median { .. } | Problem::MedianRatio { .. }, ..
            }),
            _,
        ) => {}
        (Err(first), Err(second)) => {
            let said = first.to_string();
            prop_assert_eq!(&said, &second.to_string());
            prop_assert!(said.starts_with("cannot read r.json"));
            prop_assert!(said.len() < 5_000 && !said.contains(char::is_control), "{}", said);
        }
        (Ok(record), Ok(summary)) => {
            let written = sample::bytes(&record);
            let again = parse(&written, Depth::Slices)
                .map_err(|error| TestCaseError::fail(format!("accepted, but {error}")))?;
            prop_assert_eq!(&again, &record);
            prop_assert_eq!(&sample::bytes(&again), &written);
            prop_assert_eq!(without_slices(record), summary);
        }
        (first, second) => {
            let text = format!("{first:?}\nbut at the other depth\n{second:?}");
            return Err(TestCaseError::fail(text));
        }
    }
    if let Ok((record, good)) = Record::parse_interrupted(bytes, path, Depth::Slices) {
        let good = usize::try_from(good).expect("a length");
        prop_assert!(bytes[..good].ends_with(b"\n") && !bytes[good..].contains(&b'\n'));
        let again = Record::parse_interrupted(&bytes[..good], path, Depth::Slices)
            .map_err(|error| TestCaseError::fail(format!("accepted, but {error}")))?;
        prop_assert_eq!(again, (record, good as u64));
    }
    Ok(())
}

fn without_slices(mut record: Record) -> Record {
    for measured in &mut record.measured {
        if measured.contest.algorithm != Algorithm::Rsa && measured.heat.is_none() {
            measured.slices = Vec::new();
        }
    }
    record
}

fn finite() -> BoxedStrategy<f64> {
    any::<f64>().prop_filter("finite", |value| value.is_finite()).boxed()
}

fn contest() -> BoxedStrategy<Contest> {
    let all: Vec<_> = Algorithm::all()
        .flat_map(|algorithm| algorithm.operations().iter().map(move |&it| (algorithm, it)))
        .collect();
    (select(all), 1..=u64::MAX)
        .prop_map(|((algorithm, operation), size)| {
            let size = sizes(algorithm, operation).map(|_| size);
            Contest { algorithm, operation, size }
        })
        .boxed()
}

/// Contests as a run may have measured them: with one number of iterations or one for each slice, with slices
/// or without.
fn measured() -> BoxedStrategy<Measured> {
    let side = (0_usize..2, "[a-z][a-z0-9.+-]{0,8}", finite(), option::of(finite()));
    let side = side.prop_map(|(program, backend, time, interference)| Side {
        program,
        backend: backend.parse().expect("a backend"),
        time_ns: time.abs().max(f64::from_bits(1)),
        iterations: vec![],
        interference,
    });
    let heat = option::of(any::<u64>());
    (contest(), (0_u32..2, heat), vec(side, 1..6), 0_usize..5, any::<bool>())
        .prop_flat_map(|(contest, in_round, mut sides, slices, each)| {
            // Names of their own, so that no side is there twice.
            for (number, side) in sides.iter_mut().enumerate() {
                side.backend =
                    BackendId::try_from(format!("{}{number}", side.backend)).expect("one");
            }
            let count = sides.len();
            let pairs = count * (count - 1) / 2;
            (
                Just((contest, in_round, sides)),
                vec(vec(1..=u64::MAX, if each { slices.max(1) } else { 1 }), count),
                vec(finite(), if each { 0 } else { pairs }),
                vec(vec(1..=u64::MAX, slices.max(1)), if slices == 0 { 0 } else { count }),
            )
        })
        .prop_map(|((contest, (round, heat), mut sides), iterations, log_ratios, slices)| {
            for (side, iterations) in sides.iter_mut().zip(iterations) {
                side.iterations = iterations;
            }
            let mut measured = Measured { contest, round, heat, sides, log_ratios, slices };
            sample::summarise(&mut measured);
            measured
        })
        .boxed()
}

/// Records that a run may have written.
fn record() -> BoxedStrategy<Record> {
    (vec(measured(), 0..6), vec(any::<String>(), 5), any::<u64>(), option::of(finite()))
        .prop_map(|(mut measured, texts, seed, load)| {
            let mut record = sample::record();
            let mut seen = std::collections::BTreeSet::new();
            measured.retain(|it| seen.insert((it.contest, it.round)));
            let mut cases = std::collections::BTreeSet::new();
            for measured in &measured {
                for side in &measured.sides {
                    cases.insert((measured.contest.case(side.backend.clone()), side.program));
                }
            }
            record.cases.retain(|it| !cases.contains(&(it.id.clone(), it.program)));
            let info = |(id, program)| CaseInfo { id, program, digest: None, note: None };
            record.cases.extend(cases.into_iter().map(info));
            record.measured = measured;
            record.header.seed = seed;
            record.header.engine = if seed % 2 == 0 { Engine::LockStep } else { Engine::Criterion };
            record.header.programs[0].environment.host.load = load;
            record.header.settings.filter = Some(texts[0].clone());
            record.header.warnings = texts[1..3].to_vec();
            record.failed[0].reason.clone_from(&texts[3]);
            record.cases[1].note = Some(texts[4].clone());
            record
        })
        .boxed()
}

#[test]
fn records_of_any_run() {
    for_a_while(32, record(), |record| {
        let bytes = sample::bytes(&record);
        let read = Record::parse(&bytes, Path::new("r.json"), Depth::Slices)
            .map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(read, record);
        records(&bytes)
    });
}

#[test]
fn records_of_any_bytes() {
    let header = sample::lines(&sample::record()).remove(0) + "\n";
    let begun = vec(any::<u8>(), 0..200).prop_map(move |more| [header.as_bytes(), &more].concat());
    for_a_while(32, prop_oneof![vec(any::<u8>(), 0..200), begun], |bytes| records(&bytes));
}

#[test]
fn records_with_changes() {
    let any = record().prop_map(|record| sample::bytes(&record));
    let same = Just(sample::bytes(&sample::record()));
    for_a_while(32, changed(prop_oneof![any, same]), |bytes| records(&bytes));
}

#[test]
fn compressed_records_with_changes() {
    let compressed =
        zstd::encode_all(&sample::bytes(&sample::record())[..], 3).expect("compressed");
    for_a_while(32, changed(Just(compressed)), |bytes| records(&bytes));
}
