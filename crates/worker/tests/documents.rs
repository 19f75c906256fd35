//! Documents of one's own, and disks that are full: what is wrong is named, and nothing is left behind.

use std::{
    fs,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

/// What the worker answers to `requests`, a line each, in an environment with `variables`, its temporary files being in
/// `temporary`. `before` is run by the shell that becomes the worker.
fn answers(
    before: &str,
    variables: &[(&str, &str)],
    temporary: &Path,
    requests: &[&str],
) -> Vec<String> {
    let mut child = Command::new("sh")
        .args(["-c", &format!("{before} exec \"$0\""), env!("CARGO_BIN_EXE_cryptobench-worker")])
        .envs(variables.iter().copied())
        .env("TMPDIR", temporary)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    for request in requests {
        writeln!(input, "{request}").expect("written");
    }
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", output.status);
    String::from_utf8(output.stdout).expect("text").lines().map(str::to_owned).collect()
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

const CASES: [&str; 4] = ["whole", "fields", "whole-file", "fields-file"];

/// `prepare` and `time` for each of [`CASES`] at `size`.
fn requests(size: u64) -> Vec<String> {
    let requests = CASES.iter().enumerate().flat_map(|(handle, operation)| {
        [
            format!("prepare control/{operation}/harness/{size}"),
            format!("time {handle} 0 2 7"),
            format!("drop {handle}"),
        ]
    });
    requests.collect()
}

#[test]
fn a_document_of_ones_own_takes_the_place_of_the_generated_ones() {
    let directory = directory();
    let path = directory.path().join("books & more.xml");
    let document =
        "<books><book><who>Gambardella</who></book><book><who>Ralls</who></book></books>\n";
    fs::write(&path, document).expect("written");
    let variables =
        [("CRYPTOBENCH_DOCUMENT", path.to_str().expect("text")), ("CRYPTOBENCH_ELEMENT", "who")];
    let size = document.len() as u64;
    let requests = requests(size);
    let mut all = vec!["list", "prepare control/whole/harness/28672"];
    all.extend(requests.iter().map(String::as_str));
    let answers = answers("", &variables, directory.path(), &all);
    let end = answers.iter().position(String::is_empty).expect("the end of the list");
    let listed: Vec<&str> =
        answers[..end].iter().filter_map(|id| id.strip_prefix("control/fields/harness/")).collect();
    assert_eq!(listed, [size.to_string()]);
    assert_eq!(answers[end + 1], format!("unsupported 28672 is none of its sizes: [{size}]"));
    for (index, it) in answers[end + 2..].chunks(3).enumerate() {
        let [prepared, time, dropped] = it else { panic!("three answers: {it:?}") };
        assert!(prepared.starts_with(&format!("ok {index} ")), "{prepared}");
        assert!(time.parse::<u64>().is_ok_and(|it| it > 0), "{time}");
        assert_eq!(dropped, "ok");
    }
    // The document is as it was, and nothing is beside it.
    assert_eq!(fs::read_to_string(&path).expect("read"), document);
    assert_eq!(fs::read_dir(directory.path()).expect("listed").count(), 1);
}

#[test]
fn a_document_that_cannot_be_used_is_named_with_what_is_the_matter() {
    let directory = directory();
    let path = directory.path().join("it.xml");
    let variable = [("CRYPTOBENCH_DOCUMENT", path.to_str().expect("text"))];
    let request = ["prepare aes-256-gcm/fields/rustcrypto/28672", "prepare control/empty/harness"];
    let told = |content: Option<&[u8]>| {
        match content {
            Some(content) => fs::write(&path, content).expect("written"),
            None => fs::remove_file(&path).expect("removed"),
        }
        let answers = answers("", &variable, directory.path(), &request);
        // Whatever the document is, the others can be measured.
        assert!(answers[1].starts_with("ok 0 "), "{}", answers[1]);
        answers[0].clone()
    };
    let named = format!("failed CRYPTOBENCH_DOCUMENT: {}: ", path.display());
    for (content, words) in [
        (&b"no XML"[..], "is not well-formed XML"),
        (b"", "is not well-formed XML"),
        (b"<a><author>cut off", "is not well-formed XML"),
        (b"<a><writer>no author</writer></a>", "has no element `author`"),
        (b"<a>\xff\xfe</a>", "not UTF-8"),
    ] {
        let answer = told(Some(content));
        assert!(answer.starts_with(&named) && answer.contains(words), "{answer}");
    }
    let answer = told(None);
    assert!(answer.starts_with(&named) && answer.contains("cannot open it"), "{answer}");
}

#[test]
fn a_directory_for_files_that_is_not_there_is_named() {
    let nowhere = directory().path().join("nowhere");
    let answers = answers("", &[], &nowhere, &["prepare control/whole-file/harness/28672"]);
    assert!(answers[0].starts_with("failed "), "{}", answers[0]);
    assert!(answers[0].contains(nowhere.to_str().expect("text")), "{}", answers[0]);
    assert!(answers[0].contains("TMPDIR"), "{}", answers[0]);
}

/// A file may not grow beyond 512 KiB, as where a disk is full.
#[test]
#[cfg(unix)]
fn a_full_disk_is_named_and_nothing_is_left_on_it() {
    let directory = directory();
    let requests =
        ["prepare control/whole-file/harness/1048576", "prepare control/whole/harness/1048576"];
    let answers = answers("trap '' XFSZ; ulimit -f 1024;", &[], directory.path(), &requests);
    assert!(answers[0].starts_with("failed writing the document: in "), "{}", answers[0]);
    assert!(answers[0].contains(directory.path().to_str().expect("text")), "{}", answers[0]);
    assert!(answers[1].starts_with("ok "), "in memory there is room: {}", answers[1]);
    assert_eq!(fs::read_dir(directory.path()).expect("listed").count(), 0);
}
