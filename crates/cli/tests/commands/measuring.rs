//! From a worker to its numbers: `run`, `duel`, what they leave behind, and what stops them.
#![cfg(unix)]

use crate::{
    checkout::{Checkout, wait_for},
    made_up::record,
};
use cryptobench_results::record::{Depth, Header, Record};
use std::{fs, process::Command};

#[test]
fn a_run_becomes_a_record_that_every_command_shows() {
    let checkout = Checkout::new();
    let ran = checkout.measure(&["run", "--filter", "quick|slow|alike", "--save", "first"], &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(
        ran.out,
        r"aes-256-gcm/seal
   size  backend      time  throughput    ratio     95 % interval  rank
   16 B  alike    100.0 ns  0.160 GB/s  1.0000×                      1=
         quick    100.0 ns  0.160 GB/s  1.0000×  [1.0000, 1.0000]    1=
         slow     110.0 ns  0.145 GB/s  1.1000×  [1.1000, 1.1000]     3
 1024 B  alike    100.0 ns  10.24 GB/s  1.0000×                      1=
         quick    100.0 ns  10.24 GB/s  1.0000×  [1.0000, 1.0000]    1=
         slow     110.0 ns  9.309 GB/s  1.1000×  [1.1000, 1.1000]     3

ecdh-p256/derive
 backend      time  operations    ratio  95 % interval  rank
 quick    100.0 ns   10.00 M/s  1.0000×                    1

x25519/derive
 backend      time  operations    ratio     95 % interval  rank
 quick    100.0 ns   10.00 M/s  1.0000×                       1
 slow     110.0 ns   9.091 M/s  1.1000×  [1.1000, 1.1000]     2

Geometric means of the ratio to the fastest of each contest, over the contests that all backends of an operation share
 operation  contests  backend  geometric mean
 seal              2  alike           1.0000×
                      quick           1.0000×
                      slow            1.1000×
 derive       1 of 2  quick           1.0000×
                      slow            1.1000×

note: measured with --quick: for a look, not for citing
"
    );
    assert!(ran.err.contains("9 cases in 4 contests, 3 rounds of fresh processes"), "{}", ran.err);
    assert!(ran.err.contains("record: DIR/reports/records/first.json.zst"), "{}", ran.err);
    // What was kept is the last run too.
    let last = checkout.run(&["rank"]);
    assert_eq!(last.code, Some(0), "{}", last.err);
    assert_eq!(last.out, checkout.run(&["rank", "first"]).out);
    assert!(
        last.out.contains("alike: ecdh-p256/derive, x25519/derive: it has no curves"),
        "{}",
        last.out
    );
    let list = checkout.run(&["list"]).out;
    assert!(list.contains("Some CPU (1/2/3)") && list.contains("3 (quick)"), "{list}");
    let csv = checkout.run(&["export", "first", "--format", "csv"]).out;
    // 9 measured, 2 unsupported, and the header.
    assert_eq!(csv.lines().count(), 12, "{csv}");

    let again = checkout.measure(&["run", "--save", "first"], &[]);
    assert_eq!(again.code, Some(2));
    assert!(again.err.contains("there is a record `first` already"), "{}", again.err);
    let again = checkout.measure(&["run", "--save", "first", "--replace"], &[]);
    assert_eq!(again.code, Some(0), "{}", again.err);
}

#[test]
fn of_many_contests_a_run_shows_the_means() {
    let checkout = Checkout::new();
    let arguments =
        ["run", "--filter", "(seal|open)/(quick|slow)", "--sizes", "all", "--rounds", "2"];
    let ran = checkout.measure(&arguments, &[("MANY", "1")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(
        ran.out,
        r"Geometric means of the ratio to the fastest of each contest, over the contests that all backends of an operation share
 operation  contests  backend  geometric mean
 seal             10  quick           1.0000×
                      slow            1.1000×
 open              8  quick           1.0000×
                      slow            1.1000×

18 contests; each of them, and what is missing: cryptobench rank
note: measured with --quick: for a look, not for citing
"
    );
}

#[test]
fn a_case_that_fails_is_named_and_the_code_says_so() {
    let checkout = Checkout::new();
    let ran = checkout.measure(&["run", "--filter", "x25519"], &[("BROKEN", "1")]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert!(ran.err.contains("FAILED x25519/derive/broken: the tag was wrong"), "{}", ran.err);
    let rank = checkout.run(&["rank"]).out;
    assert!(
        rank.contains("Failed and left out\n broken: x25519/derive: the tag was wrong"),
        "{rank}"
    );
}

#[test]
fn a_duel_is_one_row_a_contest_and_one_sentence() {
    let checkout = Checkout::new();
    let ran = checkout.measure(&["duel", "slow", "quick"], &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(
        ran.out,
        r" contest                    slow     quick  quick/slow     95 % interval  faster
 aes-256-gcm/seal/16    110.0 ns  100.0 ns     0.9091×  [0.9091, 0.9091]  quick
 aes-256-gcm/seal/1024  110.0 ns  100.0 ns     0.9091×  [0.9091, 0.9091]  quick
 x25519/derive          110.0 ns  100.0 ns     0.9091×  [0.9091, 0.9091]  quick

quick seals and derives secrets 1.10 times as fast as slow over 3 contests (geometric mean 1.100 [1.100, 1.100]); quick wins 3, loses 0, ties 0.
"
    );
    assert!(
        ran.err.contains("1 of 4 contests left out, which slow and quick do not both have"),
        "{}",
        ran.err
    );
    let tie = checkout.measure(&["duel", "quick", "alike", "--save", "tie"], &[]);
    assert!(tie.out.contains("wins 0, loses 0, ties 2."), "{}", tie.out);
    assert_eq!(checkout.run(&["rank", "tie"]).code, Some(0));
    for (arguments, said) in [
        (&["duel", "quick", "quick"][..], "between two backends"),
        (&["duel", "quick", "other"], "there is no backend `other`; there are quick, slow, alike"),
        (
            &["duel", "quick", "alike", "--filter", "x25519"],
            "none of the selected contests in common",
        ),
        (&["duel", "quick", "slow", "--filter", "nothing"], "no case is selected"),
        (&["duel", "quick", "slow", "--save", "tie"], "there is a record `tie` already"),
        (&["duel", "quick"], "required arguments"),
    ] {
        let ran = checkout.measure(arguments, &[]);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{arguments:?}: {}", ran.err);
    }
}

/// Begins `arguments` slowly, and sends `signal` once a contest is done.
fn stopped(checkout: &Checkout, arguments: &[&str], journal: &str, signal: &str) -> Option<i32> {
    let mut child = checkout.measuring(arguments, &[("DELAY", "0.01")]);
    wait_for(&checkout.path(journal), "{\"contest\"");
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(status.is_ok_and(|it| it.success()));
    let code = child.wait().expect("the program").code();
    assert!(checkout.path(journal).exists());
    code
}

#[test]
fn a_run_that_was_stopped_goes_on() {
    let checkout = Checkout::new();
    let journal = "reports/records/stopped.json.partial";
    for (signal, code) in [("-INT", Some(130)), ("-KILL", None)] {
        let arguments = ["run", "--filter", "seal", "--save", "stopped"];
        assert_eq!(stopped(&checkout, &arguments, journal, signal), code, "{signal}");
        let list = checkout.run(&["list"]).out;
        assert!(list.contains("unfinished"), "{list}");
        let anew = checkout.measure(&arguments, &[]);
        assert_eq!(anew.code, Some(2));
        assert!(anew.err.contains("resume"), "{}", anew.err);
        let ran = checkout.run(&["run", "--save", "stopped", "--resume"]);
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        assert!(!checkout.path(journal).exists());
        let csv = checkout.run(&["export", "stopped", "--format", "csv"]).out;
        assert_eq!(csv.lines().filter(|it| it.contains(",measured,")).count(), 6, "{csv}");
        let json = checkout.run(&["export", "stopped", "--format", "json"]).out;
        assert_eq!(json.matches("\"rounds\": 3").count(), 6, "{json}");
        fs::remove_file(checkout.path("reports/records/stopped.json.zst")).expect("a record");
    }
}

#[test]
fn a_run_that_replaces_a_record_and_was_stopped_goes_on() {
    let checkout = Checkout::new();
    let kept = ["run", "--filter", "x25519", "--save", "kept"];
    assert_eq!(checkout.measure(&kept, &[]).code, Some(0));
    let record = checkout.path("reports/records/kept.json.zst");
    let before = fs::read(&record).expect("a record");
    let replacing = ["run", "--filter", "seal", "--save", "kept", "--replace"];
    let journal = "reports/records/kept.json.partial";
    assert_eq!(stopped(&checkout, &replacing, journal, "-INT"), Some(130));
    assert_eq!(fs::read(&record).expect("a record"), before);
    assert_eq!(checkout.run(&["run", "--save", "kept", "--resume"]).code, Some(0));
    assert_ne!(fs::read(&record).expect("a record"), before);
}

#[test]
fn a_duel_that_was_stopped_goes_on_as_that_duel() {
    let checkout = Checkout::new();
    let journal = "target/cryptobench/latest.json.partial";
    let code = stopped(&checkout, &["duel", "quick", "slow"], journal, "-INT");
    assert_eq!(code, Some(130));
    let rank = checkout.run(&["rank"]);
    assert!(rank.err.contains("the last run is not finished"), "{}", rank.err);
    let other = checkout.run(&["duel", "quick", "alike", "--resume"]);
    assert_eq!(other.code, Some(2));
    assert!(other.err.contains("begun by `cryptobench duel quick slow`"), "{}", other.err);
    let ran = checkout.run(&["duel", "quick", "slow", "--resume"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("quick wins 3, loses 0, ties 0."), "{}", ran.out);
}

#[test]
fn where_nothing_of_that_name_was_stopped_what_was_is_named() {
    let checkout = Checkout::new();
    let resume = || {
        let ran = checkout.run(&["run", "--save", "other", "--resume"]);
        assert_eq!(ran.code, Some(2), "{}", ran.err);
        ran.err
    };
    assert_eq!(
        resume(),
        "error: there is no interrupted run DIR/reports/records/other.json.partial; nothing else is unfinished here \
         either: leave out --resume to begin\n"
    );
    let begun = |path: &str, command: &str| {
        let header = Header { command: command.to_owned(), ..record().header };
        let line = serde_json::to_string(&Record::new(header).lines().next()).expect("JSON");
        checkout.write(path, format!("{line}\n").as_bytes());
    };
    begun("reports/records/begun.json.partial", "baseline begun");
    begun("reports/records/hostile.json.partial", "run\n\u{1b}[2J");
    begun("target/cryptobench/latest.json.partial", "duel quick slow");
    begun("target/cryptobench/latest-comparison.json.partial", "compare old");
    checkout.write("reports/records/junk.json.partial", b"junk");
    assert_eq!(
        resume(),
        r"error: there is no interrupted run DIR/reports/records/other.json.partial; unfinished are:
  begun: cryptobench baseline begun --resume
  hostile: cryptobench run\n\u001b[2J --resume
  junk: DIR/reports/records/junk.json.partial cannot be read
  the last comparison: cryptobench compare old --resume
  the last run: cryptobench duel quick slow --resume
"
    );
}

#[test]
fn a_run_that_could_not_be_put_into_its_place_is_finished_later() {
    let checkout = Checkout::new();
    let place = checkout.path("reports/records/full.json.zst");
    let journal = checkout.path("reports/records/full.json.partial");
    // As a full disk, this lets nothing take the place once everything is measured.
    fs::create_dir_all(&place).expect("a directory");
    let ran = checkout.measure(&["run", "--filter", "x25519", "--save", "full"], &[]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("then resume the run"), "{}", ran.err);
    let before = fs::read_to_string(&journal).expect("the journal");
    assert!(before.lines().last().is_some_and(|it| it.starts_with("{\"end\"")), "{before}");
    fs::remove_dir(&place).expect("a directory");
    let ran = checkout.run(&["run", "--save", "full", "--resume"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("x25519/derive"), "{}", ran.out);
    assert!(!journal.exists());
    // Nothing was measured again, and nothing written anew.
    let whole = Record::read(&place, Depth::Slices).expect("a record");
    let lines: Vec<String> =
        whole.lines().map(|it| serde_json::to_string(&it).expect("JSON")).collect();
    assert_eq!(lines.len(), before.lines().count());
    assert!(lines.iter().all(|line| before.contains(line)), "{before}");
}

#[test]
fn a_comparison_with_a_baseline_says_when_that_was_recorded() {
    let checkout = Checkout::new();
    let ran = checkout.measure(&["baseline", "--filter", "x25519"], &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let path = checkout.path("reports/records/baseline.json.zst");
    let mut baseline = Record::read(&path, Depth::Slices).expect("a record");
    baseline.header.started = "2026-01-02T03:04:05Z".to_owned();
    checkout.keep("baseline", &baseline);
    let ran = checkout.measure(&["compare", "baseline", "--format", "json"], &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(
        ran.err.contains("warning: `baseline` and `current` are the same program"),
        "{}",
        ran.err
    );
    let json: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(json["old"]["started"], "2026-01-02T03:04:05Z");
    assert!(json["new"]["started"].as_str() > json["old"]["started"].as_str(), "{json}");
    assert_eq!(json["counts"]["same"], 2, "{json}");

    let arguments = ["compare", "baseline", "--save", "compared"];
    let journal = "reports/records/compared.json.partial";
    assert_eq!(stopped(&checkout, &arguments, journal, "-INT"), Some(130));
    let anew = checkout.measure(&arguments, &[]);
    assert_eq!(anew.code, Some(2));
    let said = "holds what was stopped; go on with it by `cryptobench compare baseline --save compared --resume`";
    assert!(anew.err.contains(said), "{}", anew.err);
    let ran = checkout.run(&[&arguments[..], &["--resume"]].concat());
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("old  baseline, 2026-01-02T03:04:05Z\n"), "{}", ran.out);

    let arguments = ["compare", "baseline"];
    let journal = "target/cryptobench/latest-comparison.json.partial";
    assert_eq!(stopped(&checkout, &arguments, journal, "-INT"), Some(130));
    baseline.header.programs[0].sha256 = Some("ab".repeat(32));
    checkout.keep("baseline", &baseline);
    let ran = checkout.run(&["compare", "baseline", "--resume"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("was made anew since this comparison began"), "{}", ran.err);
}

#[test]
fn a_second_program_is_told_from_the_first() {
    let checkout = Checkout::new();
    let program = |path: &str, what: &str| {
        checkout.variant(path, what).into_os_string().into_string().expect("UTF-8")
    };
    let variant = program("variant.sh", "# another\n");
    let copy = program("copy.sh", "");
    let namesake = program("elsewhere/variant.sh", "# a third\n");
    let current = program("current", "# a fourth\n");

    let run = ["run", "--filter", "x25519", "--also"];
    let ran = checkout.measure(&[&run[..], &[&*variant]].concat(), &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let said = "note: several programs have `slow`: `current:slow`, `variant:slow`\n";
    assert!(ran.err.contains(said) && !ran.err.contains("same program"), "{}", ran.err);
    assert!(ran.out.contains("variant:slow"), "{}", ran.out);

    let ran = checkout.measure(&[&run[..], &[&*copy]].concat(), &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let said = "`current` and `copy` are the same program, to the last byte: what differs between them is chance";
    assert!(ran.err.contains(said), "{}", ran.err);
    // It stays with the numbers.
    let rank = checkout.run(&["rank"]).out;
    assert!(rank.contains(said), "{rank}");

    let duel = ["duel", "quick", "slow", "--filter", "x25519", "--also"];
    let ran = checkout.measure(&[&duel[..], &[&*variant]].concat(), &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let said =
        "note: `current` and `variant` have `quick`; of each contest the last one's takes part\n";
    assert!(ran.err.contains(said), "{}", ran.err);

    for (one, other) in [(&variant, &namesake), (&variant, &variant), (&variant, &current)] {
        let both = [&run[..], &[one, "--also", other]].concat();
        let ran = checkout.measure(&both, &[]);
        assert_eq!(ran.code, Some(2), "{other:?}: {}", ran.err);
        assert!(ran.err.contains("as another program of this run is"), "{}", ran.err);
    }
}

#[test]
fn a_worker_of_another_grammar_is_no_wrong_filter() {
    let checkout = Checkout::new();
    let ran = checkout.measure(&["run"], &[("ALIEN", "1")]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    let said = "(DIR/worker.sh) lists 2 ids, none of which this build of cryptobench knows: `sha-256/hash/quick/16` is \
                the first";
    assert!(ran.err.contains(said), "{}", ran.err);
}

#[test]
fn what_cannot_be_measured_is_an_error() {
    let checkout = Checkout::new();
    for (arguments, variables, said) in [
        (&["run", "--strict"][..], &[("POWERSAVE", "1")][..], "--strict refuses"),
        (&["run", "--filter", "("], &[], "unclosed group"),
        (&["run", "--backend", "other"], &[], "there is no backend `other`"),
        (&["run", "--resume"], &[], "cannot be used with"),
        (&["run", "--save", "../x"], &[], "a name has letters"),
        (&["run", "--replace"], &[], "--save"),
    ] {
        let ran = checkout.measure(arguments, variables);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{arguments:?}: {}", ran.err);
    }
    let worker = checkout.worker();
    let ran = checkout.run(&["run", "--cpu", "9999", "--worker", worker.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("cannot run on processor 9999"), "{}", ran.err);
    let ran = checkout.run(&["run", "--resume"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("there is no interrupted run"), "{}", ran.err);
    // Nothing of all that left a journal behind.
    assert!(!checkout.path("target/cryptobench/latest.json.partial").exists());
    let ran = checkout.measure(&["run", "--strict", "--filter", "x25519"], &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

#[test]
fn a_scenario_is_measured_and_answered_and_can_be_put_into_a_file() {
    let checkout = Checkout::new();
    let page = "# Mine\n<!-- cryptobench: begin -->\nold\n<!-- cryptobench: end -->\nrest\n";
    let file = checkout.write("answer.md", page.as_bytes());
    let ran = checkout.measure(
        &["scenario", "gcm-siv", "--save", "siv", "--markdown", "answer.md"],
        &[("SIV", "1")],
    );
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    // Both take 100 and 110 ns in either: what is held against each other was measured together.
    assert!(ran.out.contains("Is misuse resistance free?"), "{}", ran.out);
    assert!(ran.out.contains("AES-256-GCM-SIV  1 KiB  quick    100.0 ns"), "{}", ran.out);
    assert!(ran.err.contains("5 cases in 2 contests"), "{}", ran.err);
    assert!(ran.err.contains("answer: answer.md"), "{}", ran.err);
    let text = fs::read_to_string(&file).expect("read");
    assert!(text.starts_with("# Mine\n") && text.ends_with("\nrest\n"), "{text}");
    assert!(text.contains("## Is misuse resistance free?") && !text.contains("old"), "{text}");
    let made = "Made by `cryptobench scenario gcm-siv --record siv --markdown answer.md`.";
    assert!(text.contains(made), "{text}");
    let path = checkout.path("reports/records/siv.json.zst");
    let record = Record::read(&path, Depth::Summary).expect("a record");
    assert!(record.measured.iter().all(|it| it.heat.is_some() && !it.slices.is_empty()));
    // From the record, the same answer without measuring.
    let again = checkout.run(&["scenario", "gcm-siv", "--record", "siv"]);
    assert_eq!((again.code, &again.out), (Some(0), &ran.out));
    // It is a record like others.
    for command in [&["rank", "siv"][..], &["export", "siv", "--format", "csv"], &["report", "siv"]]
    {
        let ran = checkout.run(command);
        assert_eq!(ran.code, Some(0), "{command:?}: {}", ran.err);
    }
}

#[test]
fn a_scenario_that_is_stopped_goes_on_as_it_began() {
    let checkout = Checkout::new();
    let arguments = ["scenario", "gcm-siv"];
    let slow = [("SIV", "1"), ("DELAY", "0.05")];
    let child = checkout.measuring(&arguments, &slow);
    let journal = checkout.path("target/cryptobench/latest.json.partial");
    wait_for(&journal, "{\"case\"");
    let pid = child.id().to_string();
    Command::new("kill").args(["-INT", &pid]).status().expect("kill");
    let ran = checkout.ran(child.wait_with_output().expect("the program"));
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    assert!(ran.err.contains("cryptobench scenario gcm-siv --resume"), "{}", ran.err);
    let other = checkout.run(&["run", "--resume"]);
    assert_eq!(other.code, Some(2));
    assert!(other.err.contains("`cryptobench scenario gcm-siv --resume`"), "{}", other.err);
    let ran = checkout.run_with(&["scenario", "gcm-siv", "--resume"], &[("SIV", "1")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("Is misuse resistance free?"), "{}", ran.out);
}

#[test]
fn a_document_of_ones_own_is_examined_before_anything_is_measured() {
    let checkout = Checkout::new();
    let good = "<books><author>Corets, Eva</author><author>Ralls, Kim</author></books>";
    checkout.write("books & more.xml", good.as_bytes());
    checkout.write("text.xml", b"no XML");
    checkout.write("other.xml", b"<books><writer>Corets</writer></books>");
    fs::create_dir(checkout.path("directory.xml")).expect("a directory");
    for (document, words) in [
        ("text.xml", "is not well-formed XML"),
        ("other.xml", "has no element `author`"),
        ("nowhere.xml", "cannot be read"),
        ("directory.xml", "is a directory, not a file"),
    ] {
        let ran = checkout.measure(&["scenario", "document", "--document", document], &[]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{document}");
        assert!(ran.err.contains(&format!("the document {document} ")), "{}", ran.err);
        assert!(ran.err.contains(words), "{}", ran.err);
        assert!(!checkout.path("target/cryptobench/latest.json.partial").exists());
    }
    let ran = checkout.measure(&["run", "--document", "books & more.xml"], &[]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("--document is for the scenario `document`"), "{}", ran.err);

    let ran = checkout
        .measure(&["scenario", "document", "--document", "books & more.xml", "--save", "own"], &[]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.out.contains("Whole file or only the fields?"), "{}", ran.out);
    let path = checkout.path("reports/records/own.json.zst");
    let record = Record::read(&path, Depth::Summary).expect("a record");
    let own = record.header.settings.document.expect("it was the user's");
    assert_eq!((own.path.as_str(), own.element.as_str()), ("books & more.xml", "author"));
    assert_eq!((own.bytes, own.fields), (good.len() as u64, 2));
    assert!(record.measured.iter().all(|it| it.contest.size == Some(own.bytes)));
    // Of that name, not of the size.
    assert!(ran.out.contains("the chosen fields of a\n70 B document"), "{}", ran.out);

    // What the user's shell has for benches is not measured under another name.
    let path = checkout.path("books & more.xml");
    let variable = [("CRYPTOBENCH_DOCUMENT", path.to_str().expect("text"))];
    let ran = checkout.measure(&["scenario", "document"], &variable);
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(
        ran.err.contains("no case is selected: the scenario `document` has the sizes 28672"),
        "{}",
        ran.err
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_document_whose_path_is_no_text_is_refused() {
    use std::{ffi::OsString, os::unix::ffi::OsStringExt as _};
    let checkout = Checkout::new();
    let name = OsString::from_vec(b"non\xff.xml".to_vec());
    fs::write(checkout.path("").join(&name), "<a><author>x</author></a>").expect("written");
    let worker = checkout.worker();
    let mut command = checkout.command(&["scenario", "document", "--quick", "--worker"], &[]);
    let ran = checkout.ran(command.arg(worker).arg("--document").arg(&name).output().expect("ran"));
    assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
    assert!(ran.err.contains("is not UTF-8; give it another"), "{}", ran.err);
}

#[test]
fn a_document_that_was_changed_is_not_gone_on_with() {
    let checkout = Checkout::new();
    checkout.write("it.xml", b"<a><author>one</author></a>");
    let arguments = ["scenario", "document", "--document", "it.xml"];
    let child = checkout.measuring(&arguments, &[("DELAY", "0.05")]);
    wait_for(&checkout.path("target/cryptobench/latest.json.partial"), "{\"case\"");
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill");
    let ran = checkout.ran(child.wait_with_output().expect("the program"));
    assert_eq!(ran.code, Some(130), "{}", ran.err);
    // As long, and with as many fields.
    checkout.write("it.xml", b"<a><author>two</author></a>");
    let ran = checkout.run(&["scenario", "document", "--resume"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("the document is not what it was when the run began"), "{}", ran.err);
}

#[test]
fn a_file_for_the_answer_that_cannot_take_it_is_named_before_anything_is_measured() {
    let checkout = Checkout::new();
    checkout.write("plain.md", b"no markers\n");
    for file in ["plain.md", "nowhere.md", "reports"] {
        let ran = checkout.measure(&["scenario", "gcm-siv", "--markdown", file], &[("SIV", "1")]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{file}");
        assert!(ran.err.contains(file) && !ran.err.contains("rounds of fresh"), "{}", ran.err);
    }
    assert_eq!(fs::read_to_string(checkout.path("plain.md")).expect("read"), "no markers\n");
}
