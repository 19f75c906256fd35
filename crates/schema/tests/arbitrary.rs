//! Whatever lines runner and worker are given, they do not panic, and what they accept they mean: written again and
//! read again, it is the same. Two seconds a test, or `FUZZ_SECONDS`.

mod for_a_while;

use cryptobench_schema::{
    Algorithm, BackendId, CaseId, Contest,
    protocol::{
        AnswerError, Dropped, Greeting, Handle, Prepared, Request, Slice, Timing, listed, one_line,
    },
    sizes,
};
use for_a_while::for_a_while;
use proptest::{
    collection::vec,
    option,
    prelude::any,
    prop_assert, prop_assert_eq, prop_oneof,
    sample::select,
    strategy::{BoxedStrategy, Just, Strategy},
    test_runner::{TestCaseError, TestCaseResult},
};
use std::{
    fmt::{Debug, Display},
    str::FromStr,
};

fn case() -> BoxedStrategy<CaseId> {
    let all: Vec<_> = Algorithm::all()
        .flat_map(|algorithm| algorithm.operations().iter().map(move |&it| (algorithm, it)))
        .collect();
    (select(all), 1..=u64::MAX, "[a-z][a-z0-9.+-]{0,12}")
        .prop_map(|((algorithm, operation), size, backend)| {
            let size = sizes(algorithm, operation).map(|_| size);
            let backend = BackendId::try_from(backend).expect("a backend");
            Contest { algorithm, operation, size }.case(backend)
        })
        .boxed()
}

fn request() -> BoxedStrategy<Request> {
    let slice = (any::<u32>(), any::<u64>(), 1..=u64::MAX, any::<u64>());
    prop_oneof![
        any::<u32>().prop_map(Request::Hello),
        Just(Request::List),
        case().prop_map(Request::Prepare),
        slice.prop_map(|(handle, untimed, iterations, placement)| {
            Request::Time(Slice { handle: Handle(handle), untimed, iterations, placement })
        }),
        any::<u32>().prop_map(|handle| Request::Drop(Handle(handle))),
        Just(Request::Quit),
    ]
    .boxed()
}

/// Words that lines are made of.
const WORDS: &[&str] = &[
    "hello",
    "list",
    "prepare",
    "time",
    "drop",
    "quit",
    "ok",
    "failed",
    "unsupported",
    "error",
    "cryptobench-worker",
    "-",
    "{}",
    "0",
    "1",
    "-1",
    "+1",
    "007",
    "1.5",
    "1e3",
    "4294967296",
    "18446744073709551615",
    "18446744073709551616",
    "",
    "\u{1b}[31m",
    "\u{85}",
    "\u{202e}",
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
    "0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF",
];

/// Those, and others.
fn word() -> BoxedStrategy<String> {
    prop_oneof![
        8 => select(WORDS).prop_map(str::to_owned),
        2 => any::<u64>().prop_map(|it| it.to_string()),
        2 => case().prop_map(|it| it.to_string()),
        1 => any::<String>(),
        1 => "[a-z0-9/+-]{0,40}",
        1 => (any::<char>(), 0_usize..5000).prop_map(|(it, count)| vec![it; count].iter().collect()),
    ]
    .boxed()
}

/// Lines, without their end.
fn line() -> BoxedStrategy<String> {
    let words = vec(word(), 0..6).prop_map(|words| words.join(" "));
    let near = (request(), any::<proptest::sample::Index>(), any::<char>()).prop_map(
        |(request, at, put)| {
            let mut characters: Vec<char> = request.to_string().chars().collect();
            let at = at.index(characters.len());
            characters[at] = put;
            characters.into_iter().collect()
        },
    );
    prop_oneof![3 => words, 1 => near, 1 => any::<String>()]
        .prop_map(|line: String| line.replace('\n', " "))
        .boxed()
}

/// What is accepted reads back as it is written, in one line.
fn reads_back<T>(line: &str) -> Result<Option<T>, TestCaseError>
where
    T: FromStr + Display + PartialEq + Debug,
    T::Err: Display + Debug,
{
    let Ok(it) = line.parse::<T>() else { return Ok(None) };
    let written = it.to_string();
    prop_assert!(!written.contains('\n'), "{:?}", written);
    let again =
        written.parse::<T>().map_err(|error| TestCaseError::fail(format!("{written}: {error}")))?;
    prop_assert_eq!(&again, &it);
    Ok(Some(it))
}

/// An answer is read back, or refused in a sentence that can be shown.
fn answer<T>(line: &str) -> TestCaseResult
where
    T: FromStr<Err = AnswerError> + Display + PartialEq + Debug,
{
    if reads_back::<T>(line)?.is_none() {
        let said = line.parse::<T>().map_or_else(|error| error.to_string(), |_| String::new());
        prop_assert!(!said.is_empty() && said.chars().count() < 400, "{}", said);
        prop_assert!(!said.contains(char::is_control), "{:?}", said);
    }
    Ok(())
}

#[test]
fn requests_read_back() {
    for_a_while(256, request(), |request| {
        prop_assert_eq!(reads_back::<Request>(&request.to_string())?, Some(request));
        Ok(())
    });
}

#[test]
fn answers_read_back() {
    let digest = option::of("[0-9a-f]{64}");
    let prepared = prop_oneof![
        (any::<u32>(), digest, option::of(any::<String>())).prop_map(|(handle, digest, note)| {
            Prepared::Ready { handle: Handle(handle), digest, note }
        }),
        any::<String>().prop_map(Prepared::Unsupported),
        any::<String>().prop_map(Prepared::Failed),
    ];
    for_a_while(256, (prepared, 1..=u64::MAX, any::<String>()), |(prepared, time, reason)| {
        // Notes and reasons become one line; nothing else of an answer changes.
        let read = reads_back::<Prepared>(&prepared.to_string())?;
        match (prepared, read) {
            (
                Prepared::Ready { handle, digest, note },
                Some(Prepared::Ready { handle: handle_read, digest: digest_read, note: note_read }),
            ) => {
                prop_assert_eq!((handle, digest), (handle_read, digest_read));
                prop_assert_eq!(note.map(|it| one_line(&it, 2000)), note_read);
            }
            (Prepared::Unsupported(reason), Some(Prepared::Unsupported(read)))
            | (Prepared::Failed(reason), Some(Prepared::Failed(read))) => {
                prop_assert_eq!(one_line(&reason, 2000), read);
            }
            other => return Err(TestCaseError::fail(format!("{other:?}"))),
        }
        let timing = Timing::Nanoseconds(time);
        prop_assert_eq!(reads_back::<Timing>(&timing.to_string())?, Some(timing));
        let failed = Timing::Failed(one_line(&reason, 2000));
        prop_assert_eq!(reads_back::<Timing>(&Timing::Failed(reason).to_string())?, Some(failed));
        Ok(())
    });
}

#[test]
fn any_line_as_anything() {
    for_a_while(256, line(), |line| {
        reads_back::<Request>(&line)?;
        answer::<Greeting>(&line)?;
        answer::<Prepared>(&line)?;
        answer::<Timing>(&line)?;
        answer::<Dropped>(&line)?;
        // The grammar of ids has one spelling of each.
        if let Some(case) = listed(&line) {
            prop_assert_eq!(case.to_string(), line);
        }
        Ok(())
    });
}
