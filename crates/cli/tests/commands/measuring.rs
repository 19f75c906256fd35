//! From a worker to its numbers: `run`, `duel`, what they leave behind, and what stops them.
#![cfg(unix)]

use crate::checkout::{Checkout, wait_for};
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
    assert!(list.contains("Some CPU (1/2/3)"), "{list}");
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
