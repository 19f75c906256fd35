//! Commands that read records: `rank`, `export`, `list`, `import`, and what they say of what is no record.

use crate::{
    checkout::Checkout,
    made_up::{cases, comparison, program, record, round},
};
use cryptobench_results::record::{Engine, Record};
use cryptobench_schema::{BenchRun, Clock, RanCase};
use std::{fs, process::Command};

fn checkout(record: &Record) -> Checkout {
    let checkout = Checkout::new();
    checkout.keep("gcm", record);
    checkout
}

#[test]
fn rank_shows_the_order_with_ties_means_and_what_is_missing() {
    let ran = checkout(&record()).run(&["rank", "gcm"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(
        ran.out,
        r"2026-01-02T03:04:05Z, Some CPU (6/143/8), Some System, 7 rounds
warning: the machine is busy

aes-256-gcm/seal
   size  backend       time  throughput    ratio     95 % interval  rank
   16 B  aws-lc    100.2 ns  0.160 GB/s  1.0000×                      1=
         ring      100.2 ns  0.160 GB/s  1.0000×  [0.9987, 1.0013]    1=
         openssl   150.2 ns  0.107 GB/s  1.5000×  [1.4971, 1.5029]     3
 1024 B  graviola  801.2 ns  1.278 GB/s  1.0000×                       1
         aws-lc     1002 ns  1.022 GB/s  1.2500×  [1.2484, 1.2516]    2=
         ring       1002 ns  1.022 GB/s  1.2500×  [1.2484, 1.2516]    2=
         openssl    1502 ns  0.682 GB/s  1.8750×  [1.8725, 1.8775]     4

rsa/keygen
     size  backend  keys    median         95 % interval       p95    ratio     95 % interval
 2048 bit  openssl    70  54.50 ms  [46.00 ms, 63.00 ms]  85.55 ms  1.0000×
           aws-lc     70  89.00 ms  [72.00 ms, 106.0 ms]  151.1 ms  1.6330×  [1.0937, 2.4000]

x25519/derive
 backend      time  operations    ratio  95 % interval  rank
 ring     40.06 µs   24.96 k/s  1.0000×                    1

Geometric means of the ratio to the fastest of each contest, over the contests that all backends of an operation share
 operation  contests  backend   geometric mean
 seal         1 of 2  graviola         1.0000×
                      aws-lc           1.2500×
                      ring             1.2500×
                      openssl          1.8750×

Failed and left out
 openssl: x25519/derive: wrong secret

Unsupported
 graviola: aes-256-gcm/seal 16, x25519/derive: no small messages\u001b[31m

note: times of RSA key generation are spread by chance: quantiles over all keys, and no ranks
"
    );
    assert_eq!(ran.err, "");
}

#[test]
fn rank_shows_a_part_in_other_formats() {
    let checkout = checkout(&record());
    let part = ["rank", "gcm", "--filter", "seal", "--backend", "ring", "--backend", "openssl"];
    let run = |more: &[&str]| {
        let ran = checkout.run(&[&part[..], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out
    };
    assert_eq!(
        run(&["--format", "md", "--reference", "openssl"]),
        r"2026-01-02T03:04:05Z, Some CPU (6/143/8), Some System, 7 rounds

warning: the machine is busy

### aes-256-gcm/seal

|   size | backend |     time | throughput |   ratio |    95 % interval | rank |
|--:|---|--:|--:|--:|--:|--:|
|   16 B | ring    | 100.2 ns | 0.160 GB/s | 0.6667× | [0.6658, 0.6675] |    1 |
|   16 B | openssl | 150.2 ns | 0.107 GB/s | 1.0000× |                  |    2 |
| 1024 B | ring    | 1.002 µs | 1.022 GB/s | 0.6667× | [0.6658, 0.6675] |    1 |
| 1024 B | openssl | 1.502 µs | 0.682 GB/s | 1.0000× |                  |    2 |

### Geometric means of the ratio to `openssl`, over the contests that all backends of an operation share

| operation | contests | backend | geometric mean |
|---|--:|---|--:|
| seal      |        2 | ring    |        0.6667× |
| seal      |        2 | openssl |        1.0000× |

- note: ratios are to `openssl`
"
    );
    let csv = run(&["--format", "csv"]);
    assert_eq!(csv.lines().count(), 5, "{csv}");
    let json: serde_json::Value = serde_json::from_str(&run(&["--format", "json"])).expect("JSON");
    assert_eq!(json["sides"][0]["backend"], "ring");
    assert_eq!(json["sides"][0]["rank"], 1);
    assert_eq!(json["means"][0]["contests"], 2);
    // All that differ by no more than that tie.
    let tied = run(&["--margin", "60"]);
    assert_eq!(tied.matches("1=").count(), 4, "{tied}");
}

#[test]
fn programs_of_a_run_are_ranked_together() {
    let mut record = comparison();
    record.header.settings.screening = 0;
    let all = checkout(&record).run(&["rank", "gcm"]).out;
    assert!(all.contains("current:ring") && all.contains("baseline:ring"), "{all}");
}

#[test]
fn rank_shows_the_last_program_of_several_or_all() {
    let checkout = checkout(&comparison());
    let last = checkout.run(&["rank", "gcm"]).out;
    assert!(last.contains("note: only the program `current` of 2"), "{last}");
    assert!(!last.contains("baseline"), "{last}");
    let all = checkout.run(&["rank", "gcm", "--all-programs"]).out;
    let (current, baseline) = (all.find("current:ring"), all.find("baseline:ring"));
    assert!(current.is_some() && current < baseline, "{all}");
}

#[test]
fn criterion_and_one_round_have_an_order_but_no_ranks() {
    let mut record = record();
    record.header.engine = Engine::Criterion;
    let ran = checkout(&record).run(&["rank", "gcm", "--filter", "seal/.*/16"]).out;
    assert!(ran.contains("   -\n") && ran.contains("no ranks; `cryptobench run` ranks"), "{ran}");
    record.header.engine = Engine::LockStep;
    record.measured.retain(|it| it.round == 0);
    record.header.settings.rounds = 1;
    record.failed.clear();
    let ran = checkout(&record).run(&["rank", "gcm", "--filter", "seal/.*/16"]).out;
    assert!(ran.contains("   -\n") && ran.contains("one round cannot say"), "{ran}");
}

#[test]
fn what_is_no_record_is_an_error_that_says_what_to_do() {
    let checkout = checkout(&record());
    let whole = fs::read(checkout.path("reports/records/gcm.json.zst")).expect("a record");
    checkout.write("reports/records/cut.json.zst", &whole[..whole.len() / 2]);
    let lines: Vec<String> =
        record().lines().map(|it| serde_json::to_string(&it).expect("JSON")).collect();
    let torn = format!("{}\n{}\n{}", lines[0], lines[1], &lines[2][..lines[2].len() / 2]);
    checkout.write("reports/records/torn.json", torn.as_bytes());
    checkout.write("reports/records/begun.json.partial", format!("{}\n", lines[0]).as_bytes());
    fs::create_dir(checkout.path("gcm")).expect("a directory");
    // Whoever opened it would wait for ever.
    let pipe = Command::new("mkfifo").arg(checkout.path("pipe.json")).status();
    assert!(pipe.is_ok_and(|it| it.success()));
    for (arguments, said) in [
        (
            &["rank", "other"][..],
            "there is no record `other` in DIR/reports/records; `cryptobench list`",
        ),
        (&["rank"], "nothing has been run here yet"),
        (&["rank", "../x"], "there is no file ../x"),
        (&["rank", "pipe.json/x"], "cannot read pipe.json/x: Not a directory"),
        (&["rank", "reports"], "reports is a directory, not a record"),
        (&["export", "./reports/records"], "./reports/records is a directory, not a record"),
        (&["compare", "gcm", "pipe.json"], "pipe.json is a pipe, not a record"),
        (&["rank", "/dev/null"], "/dev/null is a device, not a record"),
        (&["export", "gcm", "--output", "pipe.json"], "pipe.json is a pipe, not a file"),
        (&["export", "gcm", "--output", "/dev/stdout"], "/dev/stdout is"),
        (&["export", "gcm", "--output", "reports"], "reports is a directory, not a file"),
        (&["rank", ".."], "`..` names no record"),
        (&["rank", "a\u{1b}[2Jb"], "`a\\u001b[2Jb` names no record"),
        (&["rank", "cut"], "cut.json.zst"),
        (&["rank", "torn"], "torn.json, line 3: the line breaks off"),
        (&["rank", "begun"], "is not finished; go on with it by `cryptobench run"),
        (
            &["rank", "gcm", "--backend", "boring"],
            "no times of a backend `boring`; it has aws-lc, graviola, openssl, ring",
        ),
        (&["rank", "gcm", "--reference", "boring"], "no times of a backend `boring`"),
        (&["rank", "gcm", "--backend", "ring", "--reference", "openssl"], "add --backend openssl"),
        (
            &["rank", "gcm", "--filter", "nothing"],
            "nothing of DIR/reports/records/gcm.json.zst is selected",
        ),
        (&["rank", "gcm", "--filter", "("], "unclosed group"),
        (&["rank", "gcm", "--format", "html"], "[possible values: text, md, csv, json]"),
        (&["rank", "gcm", "--margin", "-1"], "unexpected argument '-1'"),
        (&["export", "gcm", "--format", "md"], "name it by --group: aes-256-gcm/seal, rsa/keygen"),
        (
            &["export", "gcm", "--format", "md", "--group", "aes-256-gcm/open"],
            "has no times of aes-256-gcm/open",
        ),
        (&["export", "gcm", "--format", "md", "--group", "seal"], "a group is ALGORITHM/OPERATION"),
        (
            &["export", "gcm", "--output", "no/such/file"],
            "cannot write no/such/file: there is no directory no/such; make it, or choose another\n",
        ),
        (&["import"], "cargo bench"),
        (&["import", "--save", "gcm"], "there is a record `gcm` already"),
    ] {
        let ran = checkout.run(arguments);
        assert_eq!(ran.code, Some(2), "{arguments:?}: {}", ran.err);
        assert!(ran.err.contains(said), "{arguments:?}: {}", ran.err);
        assert!(!ran.err.contains('\u{1b}'), "{arguments:?}: {}", ran.err);
        assert_eq!(ran.out, "", "{arguments:?}");
    }
}

#[test]
fn export_has_a_row_for_each_case() {
    let checkout = checkout(&record());
    let csv = checkout.run(&["export", "gcm", "--format", "csv"]);
    assert_eq!(csv.code, Some(0), "{}", csv.err);
    assert!(!csv.out.contains(['\u{1b}', '\u{9b}']), "{}", csv.out);
    let json = checkout.run(&["export", "gcm", "--format", "json"]);
    let rows: Vec<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_str(&json.out).expect("JSON");
    assert_eq!(csv.out.lines().count(), rows.len() + 1);
    // 3 + 4 of AES, 1 of X25519, 2 of RSA, 1 failed, 2 unsupported.
    assert_eq!(rows.len(), 13);
    let ring = rows.iter().find(|it| it["backend"] == "ring").expect("a row");
    for (column, value) in [
        ("record", "\"gcm\""),
        ("machine", "\"Some CPU (6/143/8)\""),
        ("size", "16"),
        ("size_unit", "\"bytes\""),
        ("version", "\"1.2.3\""),
        ("packages", "\"ring 1.2.3\""),
        ("status", "\"measured\""),
        ("rounds", "7"),
        ("iterations", "21000"),
        ("slices", "21"),
        ("time_ns", "100.15"),
        ("rank", "1"),
    ] {
        assert_eq!(ring[column].to_string(), value, "{column}");
    }
    let failed = rows.iter().find(|it| it["status"] == "failed").expect("a row");
    assert_eq!(failed["reason"], "wrong secret");
    assert!(failed["time_ns"].is_null());
    let keygen = rows.iter().find(|it| it["algorithm"] == "rsa").expect("a row");
    assert_eq!(keygen["values"], 70);
    assert!(keygen["p95_ns"].is_number() && keygen["rank"].is_null());
}

#[test]
fn export_has_the_format_that_the_output_s_name_says() {
    let checkout = checkout(&record());
    let csv = checkout.run(&["export", "gcm", "--format", "csv"]).out;
    assert_eq!(checkout.run(&["export", "gcm"]).out, csv);
    let json = checkout.run(&["export", "gcm", "--format", "json"]).out;
    for (output, more, content) in [
        ("t.csv", &[][..], &csv),
        ("t.txt", &[], &csv),
        ("json", &[], &csv),
        ("t.json", &[], &json),
        ("t.JSON", &[], &json),
        ("t.json", &["--format", "csv"], &csv),
    ] {
        let ran = checkout.run(&[&["export", "gcm", "--output", output], more].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{output}: {}", ran.err);
        let written = fs::read_to_string(checkout.path(output)).expect("a file");
        assert_eq!(&written, content, "{output}");
    }
}

#[test]
fn export_has_the_table_of_benchmarkdotnet() {
    let checkout = checkout(&record());
    let arguments = ["export", "gcm", "--group", "aes-256-gcm/seal", "--output", "t.md"];
    let ran = checkout.run(&arguments);
    assert_eq!((ran.code, ran.out.as_str(), ran.err.as_str()), (Some(0), "", ""));
    let text = fs::read_to_string(checkout.path("t.md")).expect("a file");
    assert_eq!(
        text,
        r"aes-256-gcm/seal, record `gcm`: 2026-01-02T03:04:05Z, Some CPU (6/143/8), Some System, 7 rounds

| Method   |   Size |     Mean |    Error |   StdDev | Ratio |
|---|--:|--:|--:|--:|--:|
| aws-lc   |   16 B | 100.2 ns | 0.243 ns | 0.108 ns | 1.000 |
| ring     |   16 B | 100.1 ns | 0.243 ns | 0.108 ns | 1.000 |
| openssl  |   16 B | 150.2 ns | 0.365 ns | 0.162 ns | 1.500 |
| graviola | 1024 B | 801.2 ns | 1.946 ns | 0.864 ns | 1.000 |
| aws-lc   | 1024 B |  1002 ns | 2.433 ns | 1.080 ns | 1.250 |
| ring     | 1024 B |  1002 ns | 2.433 ns | 1.080 ns | 1.250 |
| openssl  | 1024 B |  1502 ns | 3.649 ns | 1.620 ns | 1.875 |

- Versions: aws-lc of unknown version; graviola of unknown version; openssl 1.2.3; ring 1.2.3
- Method: the backend
- Mean: arithmetic mean of the rounds' medians, for one operation
- Error: half of the mean's 99.9 % confidence interval (Student's t); NA for one value
- StdDev: standard deviation of the same; NA for one value
- Ratio: its time over that of the fastest of its size, of slices taken in turn
- 1 ns = 10⁻⁹ s, 1 µs = 10⁻⁶ s, 1 ms = 10⁻³ s
"
    );
}

#[test]
fn list_shows_every_state() {
    let checkout = Checkout::new();
    let empty = checkout.run(&["list"]);
    assert_eq!((empty.code, empty.out.as_str()), (Some(0), ""));
    assert!(empty.err.contains("no records in DIR/reports/records"), "{}", empty.err);
    assert_eq!(checkout.run(&["list", "--format", "json"]).out, "[]\n");

    checkout.keep("gcm", &record());
    let mut old = comparison();
    old.header.settings.quick = true;
    old.header.started = "2025-12-31T23:59:59Z".to_owned();
    checkout.keep("old", &old);
    let header = serde_json::to_string(&record().lines().next()).expect("JSON");
    checkout
        .write("reports/records/begun.json.partial", format!("{header}\n{{\"case\"").as_bytes());
    checkout.write("reports/records/junk.json", b"{}\n");
    checkout.write("reports/records/empty.json", b"");
    checkout.write("reports/records/\u{1b}[2J.json", b"x");
    checkout.write("reports/records/README.md", b"not listed");
    checkout.write("reports/records/.gitkeep", b"");
    fs::create_dir(checkout.path("reports/records/directory.json")).expect("a directory");
    checkout.write("target/cryptobench/baselines/gcm/cryptobench-worker", b"another");
    fs::create_dir_all(checkout.path("target/cryptobench/baselines/old")).expect("a directory");
    let ran = checkout.run(&["list"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(
        ran.out,
        r" name       began (UTC)       machine             engine     programs              rounds  cases  failed  state
 old        2025-12-31 23:59  Some CPU (6/143/8)  lock-step  baseline, current  7 (quick)      2       0  baseline, its program gone
 begun      2026-01-02 03:04  Some CPU (6/143/8)  lock-step  current                    7      0       0  unfinished
 gcm        2026-01-02 03:04  Some CPU (6/143/8)  lock-step  current                    7     10       1  baseline, another program in place of its own
 \u001b[2J  -                 -                   -          -                          -      -       -  unreadable: line 1: not a record: it does not begin with a record's header
 directory  -                 -                   -          -                          -      -       -  unreadable: a directory
 empty      -                 -                   -          -                          -      -       -  unreadable: the file is empty
 junk       -                 -                   -          -                          -      -       -  unreadable: line 1: not a record: it does not begin with a record's header
"
    );
    let ran = checkout.run(&["list", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(json[0]["name"], "old");
    assert_eq!(json[0]["baseline_program"], "gone");
    assert_eq!((&json[0]["quick"], &json[1]["quick"]), (&true.into(), &false.into()));
    assert_eq!(json[0]["programs"][1], "current");
    assert_eq!(json.as_array().map(Vec::len), Some(7));
}

#[test]
fn a_reader_that_has_read_enough_is_no_error() {
    let checkout = checkout(&record());
    let mut child =
        checkout.command(&["export", "gcm", "--format", "json"], &[]).spawn().expect("the program");
    drop(child.stdout.take());
    let ran = checkout.ran(child.wait_with_output().expect("the program"));
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""));
}

#[test]
fn outside_a_checkout_a_file_can_be_named() {
    let checkout = checkout(&record());
    let path = checkout.path("reports/records/gcm.json.zst");
    fs::remove_file(checkout.path("crates/worker/Cargo.toml")).expect("a file");
    let ran = checkout.run(&["rank", path.to_str().expect("UTF-8")]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let ran = checkout.run(&["rank", "gcm"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("is not in a checkout of Cryptobench"), "{}", ran.err);
}

/// Writes what Criterion and a bench target leave of `ids`, whose times are 100 ns, 110 ns and so on; `ran` are
/// those that the target says it ran.
pub(crate) fn criterion(checkout: &Checkout, ids: &[&str], ran: &[&str]) {
    for (index, id) in ids.iter().enumerate() {
        let directory = format!("target/criterion/case-{index}/new");
        let time = 100.0 + 10.0 * index as f64;
        let write = |name: &str, content: serde_json::Value| {
            checkout.write(&format!("{directory}/{name}"), content.to_string().as_bytes());
        };
        write(
            "sample.json",
            serde_json::json!({"iters": [10.0, 10.0, 10.0], "times": [time * 10.0, time * 10.0, time * 10.0]}),
        );
        write("estimates.json", serde_json::json!({"median": {"point_estimate": time}}));
        write("benchmark.json", serde_json::json!({"full_id": id}));
    }
    let run = BenchRun {
        format: BenchRun::FORMAT,
        target: "aead".to_owned(),
        arguments: Vec::new(),
        started: "2026-01-01T00:00:00Z".to_owned(),
        ended: Some("2026-01-01T00:10:00Z".to_owned()),
        clock: Clock { cost_ns: 20 },
        seed: 1,
        ran: ran.iter().map(|&id| RanCase { id: id.to_owned(), note: None }).collect(),
        failed: Vec::new(),
        environment: program("criterion").environment,
    };
    let run = serde_json::to_vec(&run).expect("JSON");
    checkout.write("target/criterion/cryptobench/aead.json", &run);
}

#[test]
fn what_criterion_measured_becomes_a_record() {
    let checkout = Checkout::new();
    let ids = ["aes-256-gcm/seal/ring/1024", "aes-256-gcm/seal/openssl/1024"];
    criterion(&checkout, &ids, &ids);
    let ran = checkout.run(&["import"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
    assert!(
        ran.err.contains("record: DIR/reports/records/criterion.json.zst (2 cases)"),
        "{}",
        ran.err
    );
    let rank = checkout.run(&["rank", "criterion"]).out;
    assert!(rank.contains("by Criterion") && rank.contains("1.1000×"), "{rank}");
    assert_eq!(checkout.run(&["import"]).code, Some(2));
    assert_eq!(checkout.run(&["import", "--replace"]).code, Some(0));

    // Five of which there are no data: one line.
    let mut ran = ids.to_vec();
    let missing =
        ["16", "64", "128", "256", "4096"].map(|size| format!("aes-256-gcm/seal/ring/{size}"));
    ran.extend(missing.iter().map(String::as_str));
    criterion(&checkout, &ids, &ran);
    let directory = checkout.path("target/criterion");
    let ran = checkout.run(&["import", directory.to_str().expect("UTF-8"), "--save", "part"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    assert_eq!(ran.err.matches("left out: ").count(), 1, "{}", ran.err);
    assert!(
        ran.err.contains("left out: 5 cases: says that it ran, but Criterion has no data of it"),
        "{}",
        ran.err
    );
    assert!(checkout.path("reports/records/part.json.zst").is_file());
}

#[test]
fn of_criterion_s_data_what_is_broken_is_left_out() {
    let checkout = Checkout::new();
    let ids = ["ring", "openssl", "aws-lc", "graviola"]
        .map(|backend| format!("aes-256-gcm/seal/{backend}/1024"));
    let ids = ids.each_ref().map(String::as_str);
    criterion(&checkout, &ids, &ids);
    let data = |path: &str| format!("target/criterion/{path}");
    // Of ring, cut off; of openssl, not JSON; of aws-lc, twice. That of graviola is whole.
    checkout.write(&data("case-0/new/sample.json"), b"{\"iters\": [10.0, 10");
    checkout.write(&data("case-1/new/benchmark.json"), b"\0\0\0\0");
    for file in ["sample.json", "estimates.json", "benchmark.json"] {
        let twin = fs::read(checkout.path(&data(&format!("case-2/new/{file}")))).expect("a file");
        checkout.write(&data(&format!("twin/new/{file}")), &twin);
    }
    let ran = checkout.run(&["import"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    for said in [
        "left out: aes-256-gcm/seal/ring/1024: DIR/target/criterion/case-0/new/sample.json: is not as it was written",
        "left out: DIR/target/criterion/case-1/new/benchmark.json: is not as it was written",
        "left out: aes-256-gcm/seal/aws-lc/1024: DIR/target/criterion/case-2/new: DIR/target/criterion/twin/new has data \
         of the same id",
        "left out: aes-256-gcm/seal/aws-lc/1024: DIR/target/criterion/twin/new: DIR/target/criterion/case-2/new has data \
         of the same id",
        "record: DIR/reports/records/criterion.json.zst (1 case)",
    ] {
        assert!(ran.err.contains(said), "{said}\n{}", ran.err);
    }
    // The run says that openssl's ran, too.
    assert_eq!(ran.err.matches("left out: ").count(), 5, "{}", ran.err);
    let csv = checkout.run(&["export", "criterion"]).out;
    assert_eq!(csv.lines().count(), 2, "{csv}");
    assert!(csv.contains(",graviola,"), "{csv}");
}

#[test]
fn an_export_takes_no_record_s_place() {
    let checkout = Checkout::new();
    let path = checkout.keep("gcm", &record());
    let before = fs::read(&path).expect("the record");
    let output = path.to_str().expect("a path in UTF-8");
    let ran = checkout.run(&["export", "gcm", "--format", "csv", "--output", output]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("is a record"), "{}", ran.err);
    assert_eq!(fs::read(&path).expect("the record"), before);
}

#[test]
fn between_records_nothing_is_measured() {
    let checkout = checkout(&record());
    let ran = checkout.run(&["compare", "gcm", "gcm", "--quick"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("nothing is measured"), "{}", ran.err);
    let ran = checkout.run(&["compare", "gcm", "gcm"]);
    assert!(ran.out.contains("note: records of two sessions"), "{}", ran.out);
}

/// AES-GCM and AES-GCM-SIV of `ring`, and AES-GCM of `graviola`, measured together.
fn scenarios() -> Record {
    let mut record = record();
    record.measured.clear();
    for index in 0..7 {
        let off = 1.0 + f64::from(index) / 2000.0;
        let times = [
            ("aes-256-gcm/seal/8192", vec![(0, "ring", 1000.0), (0, "graviola", 900.0)]),
            ("aes-256-gcm-siv/seal/8192", vec![(0, "ring", 1500.0 * off)]),
        ];
        for (contest, sides) in times {
            let mut measured = round(contest, index, &sides);
            measured.heat = Some(index.into());
            record.measured.push(measured);
        }
    }
    record.cases = cases(&record.measured);
    record
}

#[test]
fn scenario_answers_in_a_sentence_and_tables() {
    let checkout = checkout(&scenarios());
    let run = |arguments: &[&str]| {
        let ran = checkout.run(&[&["scenario"], arguments].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        ran.out
    };
    let text = run(&["gcm-siv", "--record", "gcm"]);
    let first = text.split("\nnote: a ratio").next().unwrap_or_default();
    assert_eq!(
        first,
        r"2026-01-02T03:04:05Z, Some CPU (6/143/8), Some System, 7 rounds
warning: the machine is busy

Is misuse resistance free?

AES-256-GCM-SIV takes 1.500 to 1.504 times as long as AES-256-GCM to seal 8 KiB, by backend: ring
1.502 [1.500, 1.504].

aes-256-gcm-siv, seal
 Method            Size  Backend     Mean     Error    StdDev                 Ratio  Gbit/s
 AES-256-GCM      8 KiB  ring     1000 ns  0.000 ns  0.000 ns                 1.000   65.54
 AES-256-GCM-SIV  8 KiB  ring     1502 ns  3.649 ns  1.620 ns  1.502 [1.500, 1.504]   43.63
"
    );
    assert!(text.contains("note: left out: graviola: aes-256-gcm-siv/seal 8192"), "{text}");
    assert!(text.contains("\nThen\n- The claim: about 8 Gbit/s per core."), "{text}");
    assert!(text.lines().all(|it| it.chars().count() <= 100), "{text}");

    assert!(!text.contains("AES-GCM-SIV then"), "{text}");
    let all = run(&["gcm-siv", "--record", "gcm", "--all"]);
    assert!(all.len() > text.len() && all.contains("i7"), "{all}");
    // Nothing is measured, so nothing is selected either.
    for option in
        [&["--sizes", "1024"][..], &["--document", "x.xml"], &["--backend", "ring"], &["--quick"]]
    {
        let ran = checkout.run(&[&["scenario", "gcm-siv", "--record", "gcm"], option].concat());
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""), "{option:?}");
        assert!(ran.err.contains("cannot be used with"), "{}", ran.err);
    }

    let markdown = run(&["all", "--record", "gcm", "--format", "md"]);
    for part in
        ["\n## Is misuse resistance free?\n", "\n### Then\n", "| AES-256-GCM-SIV | 8 KiB | ring |"]
    {
        assert!(markdown.contains(part), "{markdown}");
    }
    assert!(!markdown.contains("RSA"), "{markdown}");
}

#[test]
fn scenario_says_what_a_record_has_nothing_of() {
    let checkout = checkout(&record());
    let text = checkout.run(&["scenario", "all", "--record", "gcm"]).out;
    assert!(
        text.contains(
            "\naws-lc takes 1.1 to 2.4 times as long as openssl to make an RSA key of 2048 bits"
        ),
        "{text}"
    );
    // Its AES-GCM was not measured together with anything.
    assert!(!text.contains("misuse"), "{text}");
    for name in ["bulk", "document", "gcm-siv"] {
        let ran = checkout.run(&["scenario", name, "--record", "gcm"]);
        assert_eq!((ran.code, ran.out.as_str()), (Some(2), ""));
        for part in [
            format!("nothing of the scenario `{name}`"),
            format!("`cryptobench scenario {name}` measures it"),
        ] {
            assert!(ran.err.contains(&part), "{}", ran.err);
        }
    }
    let ran = checkout.run(&["scenario", "everything"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("bulk, keygen, document, gcm-siv, all"), "{}", ran.err);
}
