//! What is under a record's name is always whole, whatever ends the writer: an interruption, a full disk, a
//! kill. Processes of their own meet the last two.

mod sample;

use cryptobench_results::record::{
    CaseInfo, Depth, Journal, JournalError, Line, Problem, Record, journal_of, keep,
};
use std::{fs, path::Path};
use tempfile::TempDir;

fn directory() -> TempDir {
    tempfile::tempdir().expect("a directory")
}

/// The names in a directory, in order.
fn names(directory: &Path) -> Vec<String> {
    let entry = |entry: Result<fs::DirEntry, _>| entry.expect("an entry").file_name();
    let mut names: Vec<String> = fs::read_dir(directory)
        .expect("a directory")
        .map(|it| entry(it).into_string().expect("a name"))
        .collect();
    names.sort();
    names
}

/// Begins the journal of the sample with all of its lines but the end.
fn begun(path: &Path) -> Journal {
    let record = sample::record();
    let mut journal = Journal::create(path, &record.header).expect("created");
    for line in record.lines().skip(1).filter(|line| !matches!(line, Line::End(_))) {
        journal.append(&line).expect("appended");
    }
    journal
}

#[test]
fn a_journal_becomes_the_record() {
    for name in ["a.json", "a.json.zst"] {
        let directory = directory();
        let path = directory.path().join("records").join(name);
        let journal = begun(&path);
        assert_eq!(names(&directory.path().join("records")), ["a.json.partial"]);
        journal.finish(sample::end()).expect("finished");
        assert_eq!(names(&directory.path().join("records")), [name]);
        assert_eq!(Record::read(&path, Depth::Slices).expect("read"), sample::record());
    }
}

#[test]
fn every_line_is_in_the_file_when_append_returns() {
    let directory = directory();
    let record = sample::record();
    let mut journal =
        Journal::create(&directory.path().join("a.json"), &record.header).expect("created");
    for (count, line) in (2..).zip(record.lines().skip(1).take(12)) {
        journal.append(&line).expect("appended");
        let content = fs::read_to_string(journal.journal()).expect("read");
        assert_eq!(content.lines().collect::<Vec<_>>(), sample::lines(&record)[..count]);
        assert!(content.ends_with('\n'));
    }
}

#[test]
fn the_record_before_is_there_until_the_new_one_is_whole() {
    for name in ["a.json", "a.json.zst"] {
        let directory = directory();
        let path = directory.path().join(name);
        fs::write(&path, "the record before").expect("written");
        let journal = begun(&path);
        assert_eq!(fs::read(&path).expect("read"), b"the record before");
        journal.discard().expect("discarded");
        assert_eq!(names(directory.path()), [name]);
        begun(&path).finish(sample::end()).expect("finished");
        assert_eq!(Record::read(&path, Depth::Slices).expect("read"), sample::record());
    }
}

#[test]
fn an_interrupted_run_is_not_overwritten() {
    let directory = directory();
    let path = directory.path().join("a.json");
    drop(begun(&path));
    for path in [path.clone(), directory.path().join("a.json.zst")] {
        let error = Journal::create(&path, &sample::header()).expect_err("refused");
        assert!(matches!(error, JournalError::Exists { .. }));
        assert!(
            error.to_string().ends_with(
                "a.json.partial holds an interrupted run; resume it, or remove that file to begin again"
            ),
            "{error}"
        );
    }
    let (_, record) = Journal::resume(&path).expect("resumed");
    assert_eq!(Record { end: Some(sample::end()), ..record }, sample::record());
}

#[test]
fn a_run_goes_on_wherever_it_was_interrupted() {
    let record = sample::record();
    let bytes = sample::bytes(&record);
    let header = bytes.iter().position(|&byte| byte == b'\n').expect("a line") + 1;
    let directory = directory();
    let path = directory.path().join("a.json");
    // Each takes the disk's time to sync.
    for length in (header..bytes.len()).step_by(53).chain(bytes.len() - 60..=bytes.len()) {
        fs::write(journal_of(&path), &bytes[..length]).expect("written");
        let (mut journal, read) = Journal::resume(&path).expect("resumed");
        for line in record.lines().skip(read.lines().count()) {
            if !matches!(line, Line::End(_)) {
                journal.append(&line).expect("appended");
            }
        }
        journal.finish(sample::end()).expect("finished");
        assert_eq!(fs::read(&path).expect("read"), bytes);
    }
    assert_eq!(names(directory.path()), ["a.json"]);
}

#[test]
fn what_cannot_be_resumed_says_so() {
    let directory = directory();
    let path = directory.path().join("a.json");
    let said = || Journal::resume(&path).expect_err("refused").to_string();
    let error = said();
    assert!(error.starts_with("there is no interrupted run "), "{error}");
    assert!(error.ends_with("a.json.partial; begin a new one"), "{error}");
    fs::write(journal_of(&path), "").expect("written");
    assert!(said().ends_with(
        "a.json.partial: the file is empty; restore it, or remove it and measure again"
    ));
    fs::write(journal_of(&path), "{\"header\":{\"format\":7}}\n").expect("written");
    assert!(said().contains("a.json.partial, line 1: a record of format 7"));
}

#[test]
fn two_runs_cannot_write_one_journal() {
    let directory = directory();
    let path = directory.path().join("a.json");
    let journal = begun(&path);
    let error = Journal::resume(&path).expect_err("refused");
    assert!(matches!(error, JournalError::Busy { .. }), "{error}");
    drop(journal);
    let first = Journal::resume(&path).expect("resumed");
    assert!(matches!(Journal::resume(&path), Err(JournalError::Busy { .. })));
    drop(first);
}

#[test]
fn lines_that_no_record_has_are_not_written() {
    let directory = directory();
    let path = directory.path().join("a.json");
    let mut journal = begun(&path);
    let sides = [(0, "ring"), (0, "openssl")];
    let good = sample::measured("chacha20-poly1305/seal/16", 0, &sides, &[1, 2]);
    for (_, backend) in sides {
        let error = journal.append(&Line::Contest(good.clone())).expect_err("nobody knows both");
        assert!(
            matches!(error, JournalError::Invalid { problem: Problem::NoCase { .. }, .. }),
            "{error}"
        );
        let id = good.contest.case(backend.parse().expect("a backend"));
        let case = CaseInfo { id, program: 0, digest: None, note: None };
        journal.append(&Line::Case(case)).expect("appended");
    }
    let before = fs::read(journal.journal()).expect("read");
    let mut bad = vec![Line::Header(Box::new(sample::header()))];
    bad.extend(sample::record().lines().skip(1).take(9));
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut changed = good.clone();
        changed.sides[1].time_ns = value;
        bad.push(Line::Contest(changed));
        let mut changed = good.clone();
        changed.sides[1].interference = Some(value);
        bad.push(Line::Contest(changed));
        let mut changed = good.clone();
        changed.log_ratios[0] = value;
        bad.push(Line::Contest(changed));
    }
    let mut changed = good.clone();
    changed.slices[1] = vec![3, 4];
    bad.push(Line::Contest(changed));
    for line in bad {
        let error = journal.append(&line).expect_err("refused");
        assert!(matches!(error, JournalError::Invalid { .. }), "{error}");
    }
    assert_eq!(fs::read(journal.journal()).expect("read"), before);
    journal.append(&Line::Contest(good)).expect("appended");
    journal.finish(sample::end()).expect("finished");

    let mut header = sample::header();
    header.programs[0].environment.host.load = Some(f64::NAN);
    let path = directory.path().join("b.json");
    let error = Journal::create(&path, &header).expect_err("refused").to_string();
    assert!(
        error.contains("the load average of program `current` is NaN; this is a bug"),
        "{error}"
    );
    let unfinished = Record { end: None, ..sample::record() };
    let error = keep(&unfinished, &path).expect_err("refused");
    assert!(matches!(error, JournalError::Invalid { problem: Problem::Unfinished, .. }), "{error}");
    assert_eq!(names(directory.path()), ["a.json"]);
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let directory = directory();
    fs::write(directory.path().join("file"), "").expect("written");
    let path = directory.path().join("file/a.json");
    for error in [
        Journal::create(&path, &sample::header()).map(drop).expect_err("refused"),
        keep(&sample::record(), &path).expect_err("refused"),
    ] {
        let error = error.to_string();
        assert!(error.starts_with("cannot write "), "{error}");
        assert!(error.contains("file/a.json"), "{error}");
    }
    // A directory in the record's place: what was measured is kept.
    let path = directory.path().join("a.json");
    fs::create_dir(&path).expect("made");
    fs::write(path.join("file"), "").expect("written");
    let error = begun(&path).finish(sample::end()).expect_err("refused").to_string();
    assert!(error.contains(", then resume the run: "), "{error}");
    assert!(error.ends_with("a.json.partial holds what was measured"), "{error}");
    fs::remove_dir_all(&path).expect("removed");
    let (journal, record) = Journal::resume(&path).expect("resumed");
    assert_eq!(record, sample::record());
    // It has its end already.
    journal.finish(sample::end()).expect("finished");
    assert_eq!(fs::read(&path).expect("read"), sample::bytes(&sample::record()));
}

#[cfg(unix)]
#[test]
fn others_may_read_records() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = directory();
    let mode = |name: &str| {
        let metadata = fs::metadata(directory.path().join(name)).expect(name);
        metadata.permissions().mode() & 0o777
    };
    // Has all permissions but those that the umask of whoever runs this takes.
    fs::write(directory.path().join("plain"), "").expect("written");
    for name in ["a.json", "a.json.zst"] {
        begun(&directory.path().join(name)).finish(sample::end()).expect("finished");
        assert_eq!(mode(name), mode("plain") & 0o644, "{name}");
        keep(&sample::record(), &directory.path().join(name)).expect("kept");
        assert_eq!(mode(name), mode("plain") & 0o644, "{name}");
    }
}

/// Tests whose writer is a process of its own: this program, running `child` alone.
#[cfg(unix)]
mod children {
    use super::*;
    use std::{
        env, io,
        path::PathBuf,
        process::{Command, Stdio},
        time::{Duration, Instant},
    };

    const TASK: &str = "JOURNAL_TEST_TASK";
    const RECORD: &str = "JOURNAL_TEST_RECORD";

    /// What the process is asked to do, where it is a child; nothing otherwise.
    #[test]
    fn child() {
        let (Ok(task), Some(path)) = (env::var(TASK), env::var_os(RECORD).map(PathBuf::from))
        else {
            return;
        };
        match task.as_str() {
            "append for ever" => append_for_ever(&path),
            "append to a full disk" => append_to_a_full_disk(&path),
            "finish on a full disk" => finish_on_a_full_disk(&path),
            "keep on a full disk" => keep_on_a_full_disk(&path),
            other => panic!("unknown task {other}"),
        }
    }

    /// Runs `child` with that task. Under a `limit`, files that it writes grow to that many blocks at most:
    /// beyond, writing fails as it does on a full disk, in the middle of a line.
    fn command(task: &str, path: &Path, limit: Option<u32>) -> Command {
        let this = env::current_exe().expect("this program");
        let mut command = match limit {
            None => Command::new(&this),
            Some(blocks) => {
                let mut shell = Command::new("sh");
                let script = "trap '' XFSZ; ulimit -f \"$0\"; exec \"$@\"";
                shell.args(["-c", script, &blocks.to_string()]).arg(&this);
                shell
            }
        };
        command.args(["--exact", "children::child", "--nocapture"]);
        command.env(TASK, task).env(RECORD, path);
        command
    }

    fn succeeds(mut command: Command) {
        let output = command.output().expect("started");
        assert!(
            output.status.success() && String::from_utf8_lossy(&output.stdout).contains("1 passed"),
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }

    /// A run of any number of rounds of one contest, none of which is measured.
    fn run() -> Record {
        let mut record = sample::record();
        record.header.settings.rounds = u32::MAX;
        record.measured.clear();
        record
    }

    /// Begins its journal with header and cases.
    fn begin(path: &Path) -> Journal {
        let Record { header, cases, .. } = run();
        let mut journal = Journal::create(path, &header).expect("created");
        for case in cases {
            journal.append(&Line::Case(case)).expect("appended");
        }
        journal
    }

    /// Its rounds, lines of 6 KiB that do not compress.
    fn contest(round: u32) -> Line {
        let slices: Vec<u64> = (1..=100)
            .map(|slice| (u64::from(round) * 1000 + slice).wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        let sides = [(0, "ring"), (0, "openssl"), (1, "ring")];
        Line::Contest(sample::measured("aes-256-gcm/seal/1024", round, &sides, &slices))
    }

    /// The contests that a record must have which has the first `count` of them.
    fn has_contests(record: &Record, count: usize) {
        assert_eq!(record.measured.len(), count);
        for (number, measured) in (0..).zip(&record.measured) {
            assert_eq!(Line::Contest(measured.clone()), contest(number));
        }
    }

    fn append_for_ever(path: &Path) {
        let mut journal = begin(path);
        for number in 0.. {
            journal.append(&contest(number)).expect("appended");
        }
    }

    #[test]
    fn a_killed_writer_loses_the_line_in_hand_at_most() {
        let directory = directory();
        for run in 0..3 {
            let path = directory.path().join(format!("{run}.json.zst"));
            let mut writer = command("append for ever", &path, None)
                .stdout(Stdio::null())
                .spawn()
                .expect("started");
            let deadline = Instant::now() + Duration::from_secs(60);
            while fs::metadata(journal_of(&path)).map_or(0, |it| it.len()) < 500_000 {
                assert!(Instant::now() < deadline, "the child does not write");
                std::thread::sleep(Duration::from_millis(1));
            }
            writer.kill().expect("killed");
            writer.wait().expect("ended");
            let size = fs::metadata(journal_of(&path)).expect("there").len();

            let (mut journal, record) = Journal::resume(&path).expect("resumed");
            let count = record.measured.len();
            has_contests(&record, count);
            let line = sample::text(&contest(count as u32)).len() as u64 + 1;
            let good = fs::metadata(journal_of(&path)).expect("there").len();
            assert!(size - good < line, "{} bytes were cut off", size - good);
            journal.append(&contest(count as u32)).expect("appended");
            journal.finish(sample::end()).expect("finished");
            has_contests(&Record::read(&path, Depth::Slices).expect("read"), count + 1);
        }
        assert_eq!(names(directory.path()), ["0.json.zst", "1.json.zst", "2.json.zst"]);
    }

    fn append_to_a_full_disk(path: &Path) {
        let mut journal = begin(path);
        let mut count = 0;
        let error = loop {
            match journal.append(&contest(count)) {
                Ok(()) => count += 1,
                Err(error) => break error,
            }
        };
        assert!(count > 3);
        let partial = journal_of(path).display().to_string();
        let said = error.to_string();
        assert!(said.starts_with(&format!("cannot write {partial}: ")), "{said}");
        assert!(
            said.ends_with(&format!(
                "make room there, then resume the run: {partial} holds what was measured"
            )),
            "{said}"
        );
        // Nothing is left of the line that failed, and what is shorter still has its place after the others.
        let content = fs::read(journal_of(path)).expect("read");
        assert!(content.ends_with(b"\n"));
        assert!(journal.append(&contest(count)).is_err());
        assert_eq!(fs::read(journal_of(path)).expect("read"), content);
        let failed = sample::record().failed.remove(0);
        journal.append(&Line::Failed(failed)).expect("appended");
        journal.finish(sample::end()).expect("finished");
        has_contests(&Record::read(path, Depth::Slices).expect("read"), count as usize);
    }

    #[test]
    fn a_full_disk_leaves_no_half_lines() {
        let directory = directory();
        let path = directory.path().join("a.json");
        succeeds(command("append to a full disk", &path, Some(64)));
        assert_eq!(names(directory.path()), ["a.json"]);
        let record = Record::read(&path, Depth::Slices).expect("read");
        assert_eq!(record.failed, sample::record().failed);
    }

    #[test]
    fn a_header_that_does_not_fit_leaves_nothing() {
        let directory = directory();
        let path = directory.path().join("a.json");
        let output = command("append to a full disk", &path, Some(0)).output().expect("started");
        assert!(!output.status.success());
        let said = String::from_utf8_lossy(&output.stderr).into_owned()
            + &String::from_utf8_lossy(&output.stdout);
        assert!(said.contains("FileTooLarge") || said.contains("File too large"), "{said}");
        assert_eq!(names(directory.path()), [""; 0]);
    }

    fn full(result: Result<(), JournalError>) -> String {
        let error = result.expect_err("full");
        assert!(
            matches!(&error, JournalError::Write { source, .. } if source.kind() == io::ErrorKind::FileTooLarge),
            "{error}"
        );
        error.to_string()
    }

    fn finish_on_a_full_disk(path: &Path) {
        let (journal, record) = Journal::resume(path).expect("resumed");
        assert_eq!(record.end, Some(sample::end()));
        let said = full(journal.finish(sample::end()));
        assert!(said.starts_with(&format!("cannot write {}: ", path.display())), "{said}");
        assert!(said.ends_with(".partial holds what was measured"), "{said}");
    }

    #[test]
    fn a_disk_that_is_full_at_the_end_takes_no_record_away() {
        let directory = directory();
        let path = directory.path().join("a.json.zst");
        fs::write(&path, "the record before").expect("written");
        let Record { header, cases, .. } = run();
        let mut lines = vec![Line::Header(Box::new(header))];
        lines.extend(cases.into_iter().map(Line::Case));
        lines.extend((0..100).map(contest));
        lines.push(Line::End(sample::end()));
        let content: String = lines.iter().map(|line| sample::text(line) + "\n").collect();
        fs::write(journal_of(&path), &content).expect("written");

        succeeds(command("finish on a full disk", &path, Some(64)));
        assert_eq!(names(directory.path()), ["a.json.partial", "a.json.zst"]);
        assert_eq!(fs::read(&path).expect("read"), b"the record before");
        assert_eq!(fs::read(journal_of(&path)).expect("read"), content.as_bytes());

        let (journal, _) = Journal::resume(&path).expect("resumed");
        journal.finish(sample::end()).expect("finished");
        assert_eq!(names(directory.path()), ["a.json.zst"]);
        has_contests(&Record::read(&path, Depth::Slices).expect("read"), 100);
    }

    fn keep_on_a_full_disk(path: &Path) {
        let mut record = run();
        record.measured = (0..100)
            .map(|number| match contest(number) {
                Line::Contest(measured) => measured,
                _ => unreachable!("a contest"),
            })
            .collect();
        let said = full(keep(&record, path));
        assert!(said.starts_with(&format!("cannot write {}: ", path.display())), "{said}");
        assert!(said.ends_with("; make room there"), "{said}");
    }

    #[test]
    fn a_disk_that_is_full_when_keeping_takes_no_record_away() {
        let directory = directory();
        for name in ["a.json", "a.json.zst"] {
            let path = directory.path().join(name);
            keep(&sample::record(), &path).expect("kept");
            succeeds(command("keep on a full disk", &path, Some(64)));
            assert_eq!(Record::read(&path, Depth::Slices).expect("read"), sample::record());
        }
        assert_eq!(names(directory.path()), ["a.json", "a.json.zst"]);
    }
}
