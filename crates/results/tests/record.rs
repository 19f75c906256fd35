//! What is read is what was written, and what no run writes is refused with what, where and what to do.

mod sample;

use cryptobench_results::record::{CaseInfo, Depth, Problem, Record, RecordError, keep};
use std::path::Path;

const CHANGED: &str =
    "the file was changed or damaged after it was written: restore it, or measure again";

fn parse(bytes: &[u8], depth: Depth) -> Result<Record, RecordError> {
    Record::parse(bytes, Path::new("r.json"), depth)
}

/// What is said of `bytes`, at both depths.
fn refused(bytes: &[u8]) -> String {
    let error = |depth| parse(bytes, depth).expect_err("refused").to_string();
    let said = error(Depth::Summary);
    assert_eq!(said, error(Depth::Slices));
    said
}

/// What is said of the sample with its line `number` (from 1) changed.
fn changed(number: usize, from: &str, to: &str) -> String {
    let mut lines = sample::lines(&sample::record());
    let line = &mut lines[number - 1];
    assert!(line.contains(from), "{line} has no {from}");
    *line = line.replacen(from, to, 1);
    refused(lines.join("\n").as_bytes())
}

/// What is said of the sample with its lines changed.
fn with(change: impl FnOnce(&mut Vec<String>)) -> String {
    let mut lines = sample::lines(&sample::record());
    change(&mut lines);
    refused((lines.join("\n") + "\n").as_bytes())
}

#[test]
fn what_is_read_is_what_was_written() {
    let record = sample::record();
    let bytes = sample::bytes(&record);
    assert_eq!(bytes.iter().filter(|&&byte| byte == b'\n').count(), 14);
    assert_eq!(parse(&bytes, Depth::Slices).expect("read"), record);
    // An editor may take the last line's end, or git may change all of them.
    assert_eq!(parse(bytes.trim_ascii_end(), Depth::Slices).expect("read"), record);
    let crlf = String::from_utf8(bytes).expect("text").replace('\n', "\r\n");
    assert_eq!(parse(crlf.as_bytes(), Depth::Slices).expect("read"), record);
}

#[test]
fn a_summary_lacks_slices_alone_and_not_those_of_rsa_keygen() {
    let mut record = sample::record();
    let bytes = sample::bytes(&record);
    for at in [0, 2, 3] {
        record.measured[at].slices = vec![];
    }
    let summary = parse(&bytes, Depth::Summary).expect("read");
    assert_eq!(summary, record);
    assert_eq!(summary.measured[1].slices, [[7_000_000, 80_000_000]; 2]);
    // What was read without slices can be kept and read again.
    assert_eq!(parse(&sample::bytes(&summary), Depth::Slices).expect("read"), record);
}

#[test]
fn fields_may_be_in_any_order_and_have_spaces() {
    let record = sample::record();
    let mut loose = String::new();
    for line in sample::lines(&record) {
        // Sorted by name.
        let value: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        let spaced = serde_json::to_string_pretty(&value).expect("JSON");
        loose += &(spaced.replace('\n', " ") + "\n");
    }
    assert_eq!(parse(loose.as_bytes(), Depth::Slices).expect("read"), record);
    assert!(parse(loose.as_bytes(), Depth::Summary).expect("read").measured[0].slices.is_empty());
}

#[test]
fn contents_and_not_names_tell_what_is_compressed() {
    let directory = tempfile::tempdir().expect("a directory");
    let record = sample::record();
    let bytes = sample::bytes(&record);
    let compressed = zstd::encode_all(&bytes[..], 3).expect("compressed");
    let two_frames = [
        zstd::encode_all(&bytes[..100], 3).expect("compressed"),
        zstd::encode_all(&bytes[100..], 3).expect("compressed"),
    ]
    .concat();
    for (name, content) in [
        ("a.json", &bytes),
        ("a.json.zst", &compressed),
        ("b.json", &compressed),
        ("b.json.zst", &bytes),
        ("c.json.zst", &two_frames),
    ] {
        let path = directory.path().join(name);
        std::fs::write(&path, content).expect("written");
        assert_eq!(Record::read(&path, Depth::Slices).expect(name), record);
    }
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let said = |path: &Path| Record::read(path, Depth::Summary).expect_err("none").to_string();
    let path = directory.path().join("none.json");
    let error = said(&path);
    assert!(error.starts_with(&format!("cannot read {}: No such file", path.display())), "{error}");
    assert!(error.ends_with("; look for it under reports/records"), "{error}");
    let error = said(directory.path());
    assert!(error.ends_with("; name the file, not its directory"), "{error}");

    std::fs::write(directory.path().join("a.json.partial"), "").expect("written");
    for name in ["a.json", "a.json.zst"] {
        let error = said(&directory.path().join(name));
        assert!(error.contains("there is no such file, but "), "{error}");
        assert!(
            error.ends_with(
                "a.json.partial of an interrupted run; resume that run, or measure again"
            ),
            "{error}"
        );
    }
}

#[test]
fn what_is_no_record_is_called_that() {
    assert_eq!(
        refused(b""),
        "cannot read r.json: the file is empty; restore it, or remove it and measure again"
    );
    let said = "cannot read r.json, line 1: not a record: it does not begin with a record's header; \
        name a file that `cryptobench` recorded: NAME.json or NAME.json.zst";
    for bytes in [
        &b"\n"[..],
        b"\x89PNG\r\n\x1a\n",
        b"{}",
        b"[]",
        b"{\"iters\":[1.0],\"times\":[2.0]}",
        b"\xef\xbb\xbf{\"header\":{}}",
        &[0; 1000],
    ] {
        assert_eq!(refused(bytes), said);
    }
    assert_eq!(with(|lines| drop(lines.remove(0))), said);
}

#[test]
fn other_versions_are_refused_by_name() {
    assert_eq!(
        changed(1, "\"format\":2", "\"format\":7"),
        "cannot read r.json, line 1: a record of format 7; this program reads formats 1 to 2; read it with the suite \
         that wrote it, or a newer one"
    );
    assert_eq!(
        refused(b"{\"header\":{\"format\":99,\"unheard\":[]},\"of\":0}\nwhatever"),
        "cannot read r.json, line 1: a record of format 99; this program reads formats 1 to 2; read it with the suite \
         that wrote it, or a newer one"
    );
    assert_eq!(
        changed(1, "\"format\":2", "\"format\":0"),
        "cannot read r.json, line 1: a record of format 0; this program reads formats 1 to 2; read it with the suite \
         that wrote it"
    );
}

#[test]
fn interrupted_and_cut_records_are_told() {
    let advice = "resume the run if its journal is there (.partial), or measure again";
    assert_eq!(
        with(|lines| lines.truncate(13)),
        format!(
            "cannot read r.json: the record has no end: its run was interrupted, or the file was cut off; {advice}"
        )
    );
    let bytes = sample::bytes(&sample::record());
    for length in 1..bytes.len() - 1 {
        let error = parse(&bytes[..length], Depth::Summary).expect_err("cut");
        let expected = match error.problem {
            Problem::NotARecord => length < "{\"header\"".len(),
            Problem::Torn => bytes[length - 1] != b'\n',
            Problem::Unfinished => bytes[length - 1] == b'\n' || bytes[length] == b'\n',
            _ => false,
        };
        assert!(expected, "cut after {length}: {error}");
    }
    assert_eq!(
        refused(&bytes[..bytes.len() - 5]),
        format!(
            "cannot read r.json, line 14: the line breaks off: its run was interrupted, or the file was cut off; \
             {advice}"
        )
    );
    let compressed = zstd::encode_all(&bytes[..], 3).expect("compressed");
    for length in 4..compressed.len() {
        let error = parse(&compressed[..length], Depth::Summary).expect_err("cut");
        assert!(matches!(error.problem, Problem::Compression(_)), "cut after {length}: {error}");
    }
}

#[test]
fn lines_that_are_no_lines_of_a_record_are_told_by_their_column() {
    for (number, from, to, said) in [
        (12, "\"failed\"", "failed", "key must be a string (column 2)"),
        (
            12,
            "\"failed\"",
            "\"success\"",
            "unknown variant `success`, expected one of `header`, `case`, ",
        ),
        (12, "\"reason\"", "\"why\"", "unknown field `why`, expected one of `id`, `program`, "),
        (12, "\"round\":1,", "", "missing field `round` (column "),
        (12, "\"round\":1", "\"round\":-1", "invalid value: integer `-1`, expected u32 (column "),
        (8, "\"round\":0,", "", "missing field `round` (column "),
        (8, "\"time_ns\"", "\"time_us\"", "unknown field `time_us`, expected one of "),
        (8, "\"round\":0", "\"round\":0,\"slices\":[[1]]", "duplicate field `slices` (column "),
        (8, ",1],", ",1,],", "trailing comma (column "),
        (8, ",1],", ",1.5],", "invalid type: floating point `1.5`, expected u64 (column "),
        (8, "[[250000", "[[18446744073709551616", "invalid type: floating point "),
        (8, "}}", "}}}", "trailing characters (column "),
        (
            8,
            "\"time_ns\":333.3333333333333",
            "\"time_ns\":null",
            "invalid type: null, expected f64 (column ",
        ),
        (8, "\"time_ns\":333.3333333333333", "\"time_ns\":1e999", "number out of range (column "),
        (8, "\"backend\":\"ring\"", "\"backend\":\"Ring\"", "`Ring` cannot name a backend: "),
        (1, "\"seed\"", "\"seeds\"", "unknown field `seeds`, expected one of "),
    ] {
        let error = changed(number, from, to);
        let start = format!("cannot read r.json, line {number}: {said}");
        assert!(error.starts_with(&start), "{error}\nis not\n{start}");
        assert!(error.ends_with(&format!("; {CHANGED}")), "{error}");
    }
    // What a worker of another version may know of its machine is no error.
    let mut lines = sample::lines(&sample::record());
    lines[0] = lines[0].replace("\"host\":{", "\"host\":{\"temperature\":40,");
    assert_eq!(parse(lines.join("\n").as_bytes(), Depth::Slices).expect("read"), sample::record());
}

#[test]
fn words_of_a_newer_suite_are_called_that() {
    let newer = "was it written by a newer suite? then read it with that one";
    for (number, from, to, said, advice) in [
        (2, "aes-256-gcm", "ml-kem-768", "unknown algorithm `ml-kem-768`", newer),
        (8, "aes-256-gcm/seal/", "ascon/seal/", "unknown algorithm `ascon`", newer),
        (8, "/seal/", "/hash/", "unknown operation `hash`", newer),
        (12, "/derive/", "/seal/", "x25519 has no operation `seal`", newer),
        (
            8,
            "seal/1024",
            "seal/0",
            "`aes-256-gcm/seal/0`: the size is not a positive whole number",
            CHANGED,
        ),
    ] {
        let said = format!("cannot read r.json, line {number}: {said}; {advice}");
        assert_eq!(changed(number, from, to), said);
    }
}

#[test]
fn lines_in_the_wrong_place_are_refused() {
    for (change, said) in [
        (
            Box::new(|lines: &mut Vec<String>| lines.insert(3, lines[0].clone()))
                as Box<dyn FnOnce(&mut Vec<String>)>,
            "line 4: a second header",
        ),
        (Box::new(|lines| lines.push(lines[1].clone())), "line 15: a line after the record's end"),
        (Box::new(|lines| lines.push(String::new())), "line 15: a line after the record's end"),
        (
            Box::new(|lines| lines.insert(4, lines[2].clone())),
            "line 5: a second line for the case aes-256-gcm/seal/ring/1024 of program 1",
        ),
        (
            Box::new(|lines| lines.insert(12, lines[9].clone())),
            "line 13: a second line for aes-256-gcm/seal/1024 in round 1",
        ),
    ] {
        assert_eq!(with(change), format!("cannot read r.json, {said}; {CHANGED}"));
    }
}

#[test]
fn values_that_cannot_be_are_refused() {
    let time = "\"time_ns\":333.3333333333333";
    let ratios = "\"log_ratios\":[-0.0013324452337784896,";
    let id = "aes-256-gcm/seal/ring/1024";
    for (number, from, to, said) in [
        (8, time, "\"time_ns\":0.0", &*format!("{id} takes 0 ns; a time is positive and finite")),
        (8, time, "\"time_ns\":-1", &format!("{id} takes -1 ns; a time is positive and finite")),
        (8, time, "\"time_ns\":1e-999", &format!("{id} takes 0 ns; a time is positive and finite")),
        (8, "[750]", "[0]", &format!("{id} has a slice of no iterations")),
        (
            8,
            "[750]",
            "[]",
            &format!(
                "{id} has 0 numbers of iterations, where it needs one, or one for each slice (3)"
            ),
        ),
        (
            8,
            "[750]",
            "[750,750]",
            &format!(
                "{id} has 2 numbers of iterations, where it needs one, or one for each slice (3)"
            ),
        ),
        (8, "[[250000", "[[0", &format!("{id} has a slice of 0 ns")),
        (8, "[[250000,250100,1]", "[[]", &format!("{id} has an empty list of slices")),
        (
            8,
            "[[250000,250100,1],",
            "[",
            "aes-256-gcm/seal/1024 has 2 lists of slices, where it needs one for each side (3), or none",
        ),
        (
            8,
            ratios,
            "\"log_ratios\":[",
            "aes-256-gcm/seal/1024 has 2 log ratios, where it needs one for each pair of sides (3), or none",
        ),
        (
            11,
            "\"log_ratios\":[",
            "\"log_ratios\":[0.1",
            "x25519/derive has 1 log ratios, where it needs one for each pair of sides (0), or none",
        ),
        (
            8,
            "\"program\":1,\"backend\":\"ring\"",
            "\"program\":0,\"backend\":\"ring\"",
            "aes-256-gcm/seal/1024 has ring of program 0 twice",
        ),
        (8, "\"program\":1", "\"program\":2", "program 2, where the header has 2 (the first is 0)"),
        (2, "\"program\":0", "\"program\":2", "program 2, where the header has 2 (the first is 0)"),
        (
            12,
            "\"program\":0",
            "\"program\":9",
            "program 9, where the header has 2 (the first is 0)",
        ),
        (
            13,
            "\"program\":1",
            "\"program\":9",
            "program 9, where the header has 2 (the first is 0)",
        ),
        (8, "\"round\":0", "\"round\":2", "round 2, where the run has 2 (the first is 0)"),
        (12, "\"round\":1", "\"round\":2", "round 2, where the run has 2 (the first is 0)"),
    ] {
        let error = changed(number, from, to);
        assert_eq!(error, format!("cannot read r.json, line {number}: {said}; {CHANGED}"));
    }
    assert_eq!(
        with(|lines| {
            lines[7] = r#"{"contest":{"contest":"x25519/derive","round":0,"sides":[],"log_ratios":[],"slices":[]}}"#
                .into();
        }),
        format!("cannot read r.json, line 8: x25519/derive has no sides; {CHANGED}")
    );
}

#[test]
fn who_takes_part_has_a_line_of_its_own() {
    let said = |line| {
        format!(
            "cannot read r.json, line {line}: aes-256-gcm/seal/ring/1024 of program 1 took part, \
             and no `case` line before is about it; {CHANGED}"
        )
    };
    assert_eq!(with(|lines| drop(lines.remove(2))), said(7));
    // Nor is it said afterwards.
    assert_eq!(
        with(|lines| {
            let case = lines.remove(2);
            lines.insert(9, case);
        }),
        said(7)
    );
}

#[test]
fn slices_and_what_was_calculated_from_them_agree() {
    let lines = sample::lines(&sample::record());
    for (number, from, to, said) in [
        (
            8,
            "333.3333333333333",
            "333.335",
            "aes-256-gcm/seal/ring/1024 has the time_ns 333.335, where the median of its slices is \
             333.3333333333333",
        ),
        (
            8,
            "[-0.0013324452337784896,",
            "[0.0013324452337784896,",
            "aes-256-gcm/seal/1024 has 0.0013324452337784896 among its log_ratios for ring over ring, where the \
             median of their slices is -0.0013324452337784896",
        ),
        (
            8,
            "[750]",
            "[752]",
            "aes-256-gcm/seal/ring/1024 has the time_ns 333.3333333333333, where the median of its slices is \
             332.4468085106383",
        ),
        // Another of the three is in the middle.
        (
            8,
            "[250000,250100,1]",
            "[250000,250100,250001]",
            "aes-256-gcm/seal/ring/1024 has the time_ns 333.3333333333333, where the median of its slices is \
             333.3346666666667",
        ),
        (
            9,
            "[7000000,80000000]",
            "[7000000,80000009]",
            "rsa/keygen/openssl/2048 has the time_ns 23500000, where the median of its slices is 23500002.25",
        ),
    ] {
        let mut lines = lines.clone();
        assert!(lines[number - 1].contains(from), "{} has no {from}", lines[number - 1]);
        lines[number - 1] = lines[number - 1].replacen(from, to, 1);
        let bytes = lines.join("\n");
        let error = parse(bytes.as_bytes(), Depth::Slices).expect_err("refused").to_string();
        assert_eq!(error, format!("cannot read r.json, line {number}: {said}; {CHANGED}"));
        // A summary has no slices to disagree with, but those of RSA's key generation.
        assert_eq!(parse(bytes.as_bytes(), Depth::Summary).is_err(), number == 9);
    }
    // What another language's logarithm makes of the same slices.
    let mut record = sample::record();
    record.measured[0].log_ratios[0] += 1e-12;
    record.measured[0].sides[0].time_ns *= 1.0 + 1e-12;
    assert_eq!(parse(&sample::bytes(&record), Depth::Slices).expect("read"), record);
    // Criterion's slices were no whole nanoseconds: 10.4, 20.4 and 30.4 of two operations each.
    let mut criterion = sample::measured("x25519/keygen", 0, &[(1, "dalek")], &[10, 20, 30]);
    criterion.sides[0].iterations = vec![2];
    criterion.sides[0].time_ns = 10.2;
    record.cases.push(CaseInfo {
        id: "x25519/keygen/dalek".parse().expect("a case"),
        ..record.cases[5].clone()
    });
    record.measured.push(criterion);
    assert_eq!(parse(&sample::bytes(&record), Depth::Slices).expect("read"), record);
}

#[test]
fn a_header_names_programs_of_one_machine() {
    let mut record = sample::record();
    record.header.programs.clear();
    let said = refused(&sample::bytes(&record));
    assert_eq!(
        said,
        format!("cannot read r.json, line 1: the header names no programs; {CHANGED}")
    );

    let mut record = sample::record();
    record.header.programs[1].environment.host.cpu.model = Some("Another".into());
    assert_eq!(
        refused(&sample::bytes(&record)),
        "cannot read r.json, line 1: the programs `current` and `before` ran on different machines: processor \
         `Some CPU` and `Another`; measure both programs on one machine, or compare their records with each other"
    );
}

#[test]
fn depth_and_length_are_no_danger() {
    let deep = |open: &str| with(|lines| lines[7] = open.repeat(1_000_000));
    assert!(deep("[").contains("line 8: "));
    assert!(deep("{\"contest\":").contains("line 8: "));
    // Within what is skipped, too.
    let skipped = with(|lines| {
        let nested = format!("\"host\":{{\"x\":{}", "[".repeat(1_000_000));
        lines[0] = lines[0].replacen("\"host\":{", &nested, 1);
    });
    assert!(skipped.contains("line 1: expected `,` or `]`"), "{skipped}");
    let long = with(|lines| lines[7] = format!("{{\"{}\":1}}", "x\\u001b".repeat(1_000_000)));
    assert!(long.len() < 5_000, "{} bytes", long.len());
    assert!(!long.contains('\u{1b}'));
    // Above the limit of a line.
    let long = with(|lines| lines[7] = "x".repeat(65 << 20));
    assert_eq!(
        long,
        "cannot read r.json, line 8: the line has more than 64 MiB; no run writes that: check where the file is from"
    );
}

#[test]
fn a_journal_is_read_up_to_its_last_whole_line() {
    let record = sample::record();
    let bytes = sample::bytes(&record);
    let header = bytes.iter().position(|&byte| byte == b'\n').expect("a line") + 1;
    let path = Path::new("r.json.partial");
    for length in 0..=bytes.len() {
        let read = Record::parse_interrupted(&bytes[..length], path, Depth::Slices);
        if length < header {
            let problem = read.expect_err("nothing in it").problem;
            assert!(matches!(problem, Problem::Empty | Problem::Torn), "{problem}");
            continue;
        }
        let (read, good) = read.expect("its whole lines");
        let expected = bytes[..length].iter().rposition(|&byte| byte == b'\n').expect("one") + 1;
        assert_eq!(good, expected as u64);
        assert_eq!(sample::bytes(&read), &bytes[..expected]);
    }
    let compressed = zstd::encode_all(&bytes[..], 3).expect("compressed");
    assert!(Record::parse_interrupted(&compressed, path, Depth::Slices).is_err());
    // What is torn is the end alone.
    let mut lines = sample::lines(&record);
    lines[7].truncate(100);
    let damaged = lines.join("\n");
    let error = Record::parse_interrupted(damaged.as_bytes(), path, Depth::Summary)
        .expect_err("torn within")
        .to_string();
    assert!(error.starts_with("cannot read r.json.partial, line 8: EOF while parsing"), "{error}");
}

#[test]
fn records_are_kept_in_both_forms() {
    let directory = tempfile::tempdir().expect("a directory");
    let record = sample::record();
    for name in ["new/a.json", "new/a.json.zst"] {
        let path = directory.path().join(name);
        for _ in 0..2 {
            keep(&record, &path).expect("kept");
            assert_eq!(Record::read(&path, Depth::Slices).expect("read"), record);
        }
        let content = std::fs::read(&path).expect("read");
        assert_eq!(content == sample::bytes(&record), !name.ends_with(".zst"));
    }
}
