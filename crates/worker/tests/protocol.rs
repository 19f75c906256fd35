//! The worker's side of the protocol, with the backends of this build: what it answers to which request, and the
//! program around it. That a runner understands the answers is tested there.

use cryptobench_schema::{
    CaseId, Environment,
    protocol::{Prepared, Timing, listed},
};
#[cfg(target_os = "linux")]
use std::{
    io::{BufRead as _, BufReader},
    sync::mpsc,
    thread,
    time::Duration,
};
use std::{
    io::{Cursor, Write as _},
    process::{Command, Stdio},
};

/// The reference for those who write a worker.
const DOCUMENTATION: &str = include_str!("../../../docs/worker-protocol.md");

/// What is said to `requests`, as lines.
fn answers(requests: impl AsRef<[u8]>) -> Vec<String> {
    let suite = cryptobench_backends::suite();
    let mut output = Vec::new();
    let input = Cursor::new(requests.as_ref());
    cryptobench_worker::serve(&suite, &Environment::default, input, &mut output)
        .expect("memory can be written to");
    let output = String::from_utf8(output).expect("UTF-8");
    assert!(output.is_empty() || output.ends_with('\n'), "{output:?}");
    output.lines().map(str::to_owned).collect()
}

/// The answer to `request` as the only one.
fn answer(request: &str) -> String {
    let [answer] = &answers(format!("{request}\n"))[..] else {
        panic!("one answer to `{request}`")
    };
    answer.clone()
}

/// Every case of the worker.
fn cases() -> Vec<CaseId> {
    let mut lines = answers("list\n");
    assert_eq!(lines.pop().as_deref(), Some(""), "an empty line ends the list");
    lines.iter().map(|line| listed(line).unwrap_or_else(|| panic!("`{line}` is no case"))).collect()
}

/// The cases of one contest.
fn cases_of(contest: &str) -> Vec<CaseId> {
    let all: Vec<CaseId> =
        cases().into_iter().filter(|case| case.contest.to_string() == contest).collect();
    assert!(!all.is_empty(), "some backend of this build has {contest}");
    all
}

#[test]
fn a_conversation() {
    let case = &cases_of("aes-256-gcm/seal/16")[0];
    let requests =
        format!("hello 1\nprepare {case}\ntime 0 10 100 7\ntime 0 0 1 8\ndrop 0\nquit\nlist\n");
    let answers = answers(requests);
    let [greeting, prepared, first, second, dropped] = &answers[..] else {
        panic!("five answers, and none after `quit`: {answers:#?}")
    };
    let environment = greeting.strip_prefix("cryptobench-worker 1 ").expect("a greeting");
    let environment: Environment = serde_json::from_str(environment).expect("an environment");
    assert_eq!(environment, Environment::default());
    assert!(matches!(prepared.parse(), Ok(Prepared::Ready { digest: Some(_), .. })), "{prepared}");
    for time in [first, second] {
        assert!(matches!(time.parse(), Ok(Timing::Nanoseconds(1..))), "{time}");
    }
    assert_eq!(dropped, "ok");
}

#[test]
fn what_is_listed_can_be_prepared_timed_and_dropped() {
    // One of each operation; keys are generated elsewhere, since that takes its time.
    let mut requests = String::new();
    let mut expected = 0;
    let mut seen = Vec::new();
    for case in cases() {
        let contest = case.contest;
        let small = contest.size.is_none_or(|size| size <= 64 || size == 1024);
        let keygen = contest.to_string().starts_with("rsa/keygen");
        if small && !keygen && !seen.contains(&(contest.algorithm.family(), contest.operation)) {
            seen.push((contest.algorithm.family(), contest.operation));
            requests.push_str(&format!("prepare {case}\ntime {expected} 1 2 3\ndrop {expected}\n"));
            expected += 1;
        }
    }
    assert!(expected >= 12, "{seen:?}");
    let answers = answers(&requests);
    assert_eq!(answers.len(), 3 * expected);
    for (number, (answers, requests)) in
        answers.chunks(3).zip(requests.lines().collect::<Vec<_>>().chunks(3)).enumerate()
    {
        let [prepared, time, dropped] = answers else { unreachable!("three") };
        let ready = prepared.starts_with(&format!("ok {number} "));
        assert!(ready, "{}: {prepared}", requests[0]);
        assert!(matches!(time.parse(), Ok(Timing::Nanoseconds(1..))), "{}: {time}", requests[0]);
        assert_eq!(dropped, "ok", "{}", requests[0]);
    }
}

#[test]
fn nothing_takes_no_time() {
    // The quickest there is: a call of nothing, whose clock costs more than it does.
    let requests = "prepare control/empty/harness\n".to_owned() + &"time 0 0 1 1\n".repeat(100);
    let times = answers(requests).split_off(1);
    assert_eq!(times.len(), 100);
    assert!(times.iter().all(|it| matches!(it.parse(), Ok(Timing::Nanoseconds(1..)))), "{times:?}");
}

#[test]
fn wrong_requests_are_told_so_and_the_worker_lives() {
    let wrong: [&[u8]; 12] = [
        b"",
        b"hello",
        b"hello one",
        b"HELLO 1",
        b"list all",
        b"prepare",
        b"time 0 1 0 7",
        b"time 0 1 2",
        b"time 0 1 -2 7",
        b"drop x",
        b"\xff\xfe",
        b"\x1b[31m",
    ];
    let answers = answers([&wrong.join(&b'\n')[..], b"\nhello 1\n"].concat());
    assert_eq!(answers.len(), wrong.len() + 1);
    for (answer, request) in answers.iter().zip(wrong) {
        let request = String::from_utf8_lossy(request);
        assert!(answer.starts_with("error "), "`{request}`: {answer}");
        assert!(!answer.contains(char::is_control), "`{request}`: {answer:?}");
    }
    assert!(answers[wrong.len()].starts_with("cryptobench-worker 1 {"));
}

#[test]
fn what_it_does_not_have_is_unsupported_with_a_reason() {
    let backend = &cases_of("aes-256-gcm/seal/16")[0].backend;
    for (case, reason) in [
        (format!("aes-256-gcm/seal/{backend}/17"), "17 is none of its sizes: [16, 64, "),
        (format!("aes-256-gcm/seal/{backend}/18446744073709551615"), "is none of its sizes"),
        (format!("rsa-pss-sha256/sign/{backend}/512"), "512 is none of its sizes: [1024, "),
        ("aes-256-gcm/seal/libfoo/16".to_owned(), "libfoo is not compiled into this worker"),
        // A newer runner may ask for what nobody here has heard of.
        (format!("aes-512-gcm/seal/{backend}/16"), "unknown algorithm `aes-512-gcm`"),
        (format!("aes-256-gcm/stroke/{backend}/16"), "unknown operation `stroke`"),
        (format!("aes-256-gcm/seal/{backend}"), "the size is missing"),
        ("tea".to_owned(), "`tea` is not a case"),
    ] {
        let answer = answer(&format!("prepare {case}"));
        let reason_given = answer.strip_prefix("unsupported ");
        assert!(reason_given.is_some_and(|it| it.contains(reason)), "{case}: {answer}");
    }
}

#[test]
fn every_contest_is_had_or_explained() {
    let all = cases();
    for backend in cryptobench_backends::suite().backends() {
        let case = format!("aes-128-ecb/encrypt/{}/16", backend.id());
        if !all.iter().any(|it| it.to_string() == case) {
            let answer = answer(&format!("prepare {case}"));
            assert!(answer.starts_with("unsupported "), "{case}: {answer}");
        }
    }
}

#[test]
fn handles_are_new_each_time_and_unknown_ones_fail() {
    // In every build, and without a note.
    let case = "control/empty/harness";
    let answers = answers(format!(
        "time 0 1 1 1\ndrop 0\nprepare {case}\nprepare {case}\ndrop 0\ntime 0 1 1 1\nprepare {case}\ntime 1 0 1 1\n\
         drop 4294967295\n"
    ));
    let expected = [
        "failed no case is prepared as 0",
        "failed no case is prepared as 0",
        "ok 0 -",
        "ok 1 -",
        "ok",
        "failed no case is prepared as 0",
        "ok 2 -",
    ];
    assert_eq!(answers[..7], expected);
    assert!(matches!(answers[7].parse(), Ok(Timing::Nanoseconds(1..))), "{}", answers[7]);
    assert_eq!(answers[8], "failed no case is prepared as 4294967295");
}

/// The digest that each backend of this build answers for `contest`: one, since they agree.
fn digest(contest: &str) -> String {
    let cases = cases_of(contest);
    let requests: String = cases.iter().map(|case| format!("prepare {case}\n")).collect();
    let mut digests: Vec<String> = answers(requests)
        .iter()
        .zip(&cases)
        .map(|(answer, case)| match answer.parse() {
            Ok(Prepared::Ready { digest: Some(digest), .. }) => digest,
            _ => panic!("{case}: {answer}"),
        })
        .collect();
    digests.dedup();
    let [digest] = &digests[..] else { panic!("{contest}: {digests:?}") };
    digest.clone()
}

#[test]
fn digests_are_those_that_the_documentation_has() {
    // Lines of its table: a contest and its digest.
    let rows = DOCUMENTATION.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split("` | `");
        let contest = cells.next()?;
        let digest = cells.next()?.strip_suffix("` |")?;
        (digest.len() == 64).then_some((contest, digest))
    });
    let all = cases();
    let mut checked = 0;
    for (contest, documented) in rows {
        // Not every build has a backend for each.
        if all.iter().any(|case| case.contest.to_string() == contest) {
            assert_eq!(digest(contest), documented, "{contest}");
            checked += 1;
        }
    }
    assert!(checked >= 4, "{checked} digests");
}

#[test]
fn the_environment_in_the_documentation_is_one() {
    let examples: Vec<&str> =
        DOCUMENTATION.lines().filter(|line| line.starts_with("{\"implementations\"")).collect();
    let [example] = examples[..] else { panic!("one example: {examples:?}") };
    let environment: Environment = serde_json::from_str(example).expect("an environment");
    assert_eq!(environment.implementations[0].backend.as_str(), "go");
}

#[test]
fn operations_of_one_proof_have_one_digest() {
    for operations in [
        &["aes-256-gcm/seal/64", "aes-256-gcm/open/64", "aes-256-gcm/reject/64"][..],
        // Key set-up is proved with messages of 64 bytes.
        &["aes-256-gcm/seal/64", "aes-256-gcm/key-setup", "aes-256-gcm/seal-fresh-key/64"][..],
    ] {
        let mut digests: Vec<String> = operations.iter().map(|it| digest(it)).collect();
        digests.dedup();
        assert_eq!(digests.len(), 1, "{operations:?}");
    }
    assert_ne!(digest("aes-256-gcm/seal/64"), digest("aes-256-gcm/seal/16"));
}

#[test]
fn random_outputs_have_no_digest() {
    for contest in ["x25519/keygen", "x25519/ephemeral", "control/empty"] {
        for case in cases_of(contest) {
            let answer = answer(&format!("prepare {case}"));
            assert!(
                matches!(answer.parse(), Ok(Prepared::Ready { digest: None, .. })),
                "{case}: {answer}"
            );
        }
    }
}

#[test]
fn the_version_is_the_newest_that_both_speak() {
    for asked in ["1", "2", "99", "4294967295"] {
        assert_eq!(answer(&format!("hello {asked}")).split(' ').nth(1), Some("1"), "hello {asked}");
    }
    // There is none: it says what it speaks, and the runner refuses that.
    assert_eq!(answer("hello 0").split(' ').nth(1), Some("1"));
}

#[test]
fn the_end_of_input_is_the_end() {
    assert!(answers("").is_empty());
    // A last line without its end is a line.
    assert_eq!(answers("list").last().map(String::as_str), Some(""));
    assert_eq!(answers("drop 1\r\n"), ["failed no case is prepared as 1"]);
    assert!(answers("quit").is_empty());
}

/// The program with `arguments` and `input`: its code, and what it wrote to both outputs.
fn program(arguments: &[&str], input: &str) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_cryptobench-worker"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    // It may have ended already.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn the_program_helps_and_refuses_arguments() {
    for argument in ["--help", "-h"] {
        let (code, output, errors) = program(&[argument], "");
        assert_eq!((code, errors.as_str()), (Some(0), ""));
        assert!(output.contains("docs/worker-protocol.md") && output.contains("time 0 100 5000 7"));
    }
    for argument in ["--version", "-V"] {
        let (code, output, errors) = program(&[argument], "");
        let version = format!("cryptobench-worker {}\n", env!("CARGO_PKG_VERSION"));
        assert_eq!((code, output, errors.as_str()), (Some(0), version, ""));
    }
    let (code, output, errors) = program(&["--list"], "");
    assert_eq!((code, output.as_str()), (Some(2), ""));
    assert_eq!(errors, "error: unknown argument \"--list\"; `--help` says what there is\n");
}

#[test]
fn the_program_serves_and_says_what_it_is() {
    let (code, output, errors) = program(&[], "hello 1\nprepare control/empty/harness\nquit\n");
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let lines: Vec<&str> = output.lines().collect();
    let environment = lines[0].strip_prefix("cryptobench-worker 1 ").expect("a greeting");
    let environment: Environment = serde_json::from_str(environment).expect("an environment");
    assert_eq!(environment.implementations.len(), cryptobench_backends::suite().backends().len());
    assert!(environment.host.cpu.logical >= 1);
    assert!(environment.build.rustc.starts_with("rustc "));
    assert_eq!(lines[1..], ["ok 0 -"]);
    // Nobody asks: that is an end like another.
    assert_eq!(program(&[], "").0, Some(0));
}

/// Whatever ends the runner, its worker ends, even one that is busy and whose input nobody closes.
#[cfg(target_os = "linux")]
#[test]
fn the_program_ends_with_whoever_started_it() {
    // What a shell starts in the background has no input but another descriptor's.
    let script = "exec 3<&0; \"$0\" <&3 & echo $!; wait";
    let mut parent = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_cryptobench-worker")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut input = parent.stdin.take().expect("a pipe");
    let mut output = BufReader::new(parent.stdout.take().expect("a pipe")).lines();
    let mut next = || output.next().expect("a line").expect("text");
    let worker = next();
    // Hours.
    let requests = "prepare control/empty/harness\ntime 0 0 100000000000000 1\n";
    input.write_all(requests.as_bytes()).expect("written");
    assert_eq!(next(), "ok 0 -");
    parent.kill().expect("killed");
    parent.wait().expect("ended");
    // The end of the output is the end of all who could write to it.
    let (tell, told) = mpsc::channel();
    thread::spawn(move || tell.send(output.next().is_none()));
    let ended = told.recv_timeout(Duration::from_secs(20));
    if ended != Ok(true) {
        let _ = Command::new("kill").args(["-9", &worker]).status();
    }
    assert_eq!(ended, Ok(true), "process {worker} lives on");
    drop(input);
}
