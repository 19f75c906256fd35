//! Every verdict, live and between records. How often verdicts are wrong is in `simulation`.

use crate::made_up::{digest, failed, id, keys, measured, record, times, turns, unsupported};
use cryptobench_results::{
    comparison::{Comparison, Method, Outcome, Row, Rules, Verdict, live, records, undecided},
    record::{Engine, Record},
};
use cryptobench_schema::{CaseId, Operation};

const SEAL: &str = "aes-256-gcm/seal/1024";
const OPEN: &str = "aes-256-gcm/open/1024";
const ALL: &dyn Fn(&CaseId) -> bool = &|_| true;

/// Seven rounds about `centre`.
fn about(centre: f64) -> [f64; 7] {
    [-0.002, 0.001, 0.0, 0.0015, -0.001, 0.002, -0.0015].map(|off| centre + off)
}

fn two_programs() -> Record {
    record(&[Some("a"), Some("b")], 0)
}

fn same_code() -> Record {
    record(&[Some("a"), Some("a")], 0)
}

fn row<'a>(comparison: &'a Comparison, case: &str) -> &'a Row {
    comparison.rows.iter().find(|row| row.case == id(case)).unwrap()
}

fn only(comparison: &Comparison) -> (Verdict, Option<&str>) {
    assert_eq!(comparison.rows.len(), 1);
    (comparison.rows[0].verdict, comparison.rows[0].reason.as_deref())
}

fn live_of(log_ratios: &[f64]) -> Comparison {
    let mut record = two_programs();
    turns(&mut record, SEAL, 0, log_ratios);
    live(&record, Rules::default())
}

#[test]
fn slower_faster_same_and_inconclusive() {
    let slower = live_of(&about(0.05));
    assert_eq!(only(&slower), (Verdict::Slower, None));
    assert_eq!((slower.method, slower.margin, slower.family), (Method::Live, 0.02, 1));
    let row = &slower.rows[0];
    assert_eq!((row.rounds, row.unchanged), (7, false));
    assert!((row.log_ratio.unwrap() - 0.05).abs() < 1e-3);
    let interval = row.interval.unwrap();
    assert!(interval.low > 0.045 && interval.high < 0.055);
    assert!(row.p_slower.unwrap() < 0.01 && row.p_faster.unwrap() > 0.9);
    assert!(row.detectable.unwrap() > 1.02_f64.ln() && row.detectable.unwrap() < 0.03);
    assert!((row.old_ns.unwrap() - 100.0).abs() < 1e-9 && row.new_ns.unwrap() > 104.0);
    assert!((row.spread.unwrap() - 0.0016).abs() < 1e-4);

    assert_eq!(only(&live_of(&about(-0.05))), (Verdict::Faster, None));
    assert_eq!(only(&live_of(&about(0.0))), (Verdict::Same, None));
    assert_eq!(only(&live_of(&about(1.02_f64.ln()))), (Verdict::Inconclusive, None));
    assert_eq!(
        only(&live_of(&[0.06, -0.05, 0.02, 0.04, -0.03, 0.01, 0.0])),
        (Verdict::Inconclusive, None)
    );
    // A process that stands out does not decide.
    let mut one_off = about(0.0);
    one_off[3] = 0.9;
    assert_eq!(only(&live_of(&one_off)), (Verdict::Same, None));
}

#[test]
fn what_is_equal_to_the_last_digit() {
    assert_eq!(only(&live_of(&[0.0; 7])).0, Verdict::Same);
    assert_eq!(only(&live_of(&[0.03; 7])).0, Verdict::Slower);
    // On the margin itself.
    let mut record = two_programs();
    turns(&mut record, SEAL, 0, &[0.0; 7]);
    for measured in &mut record.measured {
        measured.log_ratios[0] = 0.02_f64.ln_1p();
    }
    assert_eq!(only(&live(&record, Rules::default())).0, Verdict::Inconclusive);
}

#[test]
fn one_round_is_suspect() {
    let comparison = live_of(&[0.5]);
    assert_eq!(only(&comparison), (Verdict::Suspect, Some("one round")));
    assert_eq!(comparison.rows[0].log_ratio, Some(0.5));
    assert_eq!(comparison.rows[0].interval, None);
    assert_eq!(comparison.rows[0].p_slower, None);
    assert_eq!(comparison.outcome(&[Verdict::Slower]), Outcome::Clean);

    // Of one case among others.
    let mut record = two_programs();
    turns(&mut record, SEAL, 0, &about(0.0));
    turns(&mut record, OPEN, 6, &[0.5]);
    let comparison = live(&record, Rules::default());
    assert_eq!(row(&comparison, "aes-256-gcm/open/ring/1024").verdict, Verdict::Suspect);
    assert_eq!(row(&comparison, "aes-256-gcm/seal/ring/1024").verdict, Verdict::Same);
}

#[test]
fn criterion_s_data_are_suspect() {
    let mut record = two_programs();
    record.header.engine = Engine::Criterion;
    turns(&mut record, SEAL, 0, &about(0.5));
    for measured in &mut record.measured {
        measured.log_ratios.clear();
    }
    let comparison = live(&record, Rules::default());
    assert_eq!(only(&comparison), (Verdict::Suspect, Some("Criterion's data")));
    assert!((comparison.rows[0].log_ratio.unwrap() - 0.5).abs() < 1e-9);
}

#[test]
fn rounds_of_one_side_are_not_used() {
    let mut record = two_programs();
    turns(&mut record, SEAL, 0, &about(0.0));
    for round in 7..20 {
        record.measured.push(measured(SEAL, round, &[(1, "ring", 900.0)]));
    }
    let comparison = live(&record, Rules::default());
    assert_eq!(only(&comparison).0, Verdict::Same);
    assert_eq!(comparison.rows[0].rounds, 7);

    // A round that is there twice counts once.
    let twice = record.measured.clone();
    record.measured.extend(twice);
    assert_eq!(live(&record, Rules::default()), comparison);

    let mut apart = two_programs();
    apart.measured.push(measured(SEAL, 0, &[(0, "ring", 100.0)]));
    apart.measured.push(measured(SEAL, 1, &[(1, "ring", 100.0)]));
    let (verdict, reason) = (live(&apart, Rules::default()), "never took part in the same round");
    assert_eq!(only(&verdict).0, Verdict::Inconclusive);
    assert!(only(&verdict).1.unwrap().contains(reason));
}

#[test]
fn screening_decides_only_what_is_the_same() {
    let mut record = record(&[Some("a"), Some("b")], 3);
    turns(&mut record, SEAL, 0, &[0.0001, 0.0, -0.0001]);
    turns(&mut record, OPEN, 0, &[0.05, 0.0501, 0.0499]);
    turns(&mut record, "aes-128-gcm/open/16", 0, &[0.01, -0.01, 0.0]);
    record.measured.push(keys(0, &[(0, "ring", vec![7; 9]), (1, "ring", vec![9; 9])]));
    assert_eq!(
        undecided(&record, Rules::default()),
        [id("aes-128-gcm/open/ring/16"), id("aes-256-gcm/open/ring/1024")]
    );

    let comparison = live(&record, Rules::default());
    let screened = row(&comparison, "aes-256-gcm/seal/ring/1024");
    assert_eq!((screened.verdict, screened.rounds), (Verdict::Same, 3));
    assert!(screened.interval.is_some() && screened.detectable.is_some());
    assert_eq!(screened.p_slower, None);
    let open = row(&comparison, "aes-256-gcm/open/ring/1024");
    assert_eq!(open.verdict, Verdict::Inconclusive);
    assert!(open.reason.as_deref().unwrap().contains("screened"));
    assert_eq!(comparison.family, 0);

    // The fresh rounds alone decide.
    turns(&mut record, OPEN, 3, &about(0.0));
    let comparison = live(&record, Rules::default());
    let open = row(&comparison, "aes-256-gcm/open/ring/1024");
    assert_eq!((open.verdict, open.rounds), (Verdict::Same, 7));
    assert_eq!(comparison.family, 1);
    assert_eq!(undecided(&record, Rules::default()).len(), 2);

    // Nothing was screened, so nothing is decided.
    record.header.settings.screening = 0;
    assert_eq!(undecided(&record, Rules::default()).len(), 3);
}

#[test]
fn layout_where_nothing_that_computes_it_changed() {
    let mut record = same_code();
    turns(&mut record, SEAL, 0, &about(0.05));
    turns(&mut record, OPEN, 0, &about(0.0));
    let layout = live(&record, Rules::default());
    let seal = row(&layout, "aes-256-gcm/seal/ring/1024");
    assert_eq!((seal.verdict, seal.unchanged, seal.p_slower), (Verdict::Layout, true, None));
    assert!(seal.reason.is_some());
    assert_eq!(row(&layout, "aes-256-gcm/open/ring/1024").verdict, Verdict::Same);
    assert_eq!((layout.family, layout.outcome(&[Verdict::Slower])), (0, Outcome::Clean));
    let spread = layout.layout_spread.unwrap();
    assert_eq!(spread.rows, 2);
    assert!((spread.standard_deviation - 0.05 / 2.0_f64.sqrt()).abs() < 1e-6);

    // The family is what can have a verdict: nothing is multiplied for rows that cannot.
    for (round, ratio) in (0..).zip(about(0.025)) {
        let sides = [(0, "graviola", 100.0), (1, "graviola", 100.0 * ratio.exp())];
        record.measured.push(measured("chacha20-poly1305/seal/16", round, &sides));
    }
    let comparison = live(&record, Rules::default());
    let changed = row(&comparison, "chacha20-poly1305/seal/graviola/16");
    let alone = &live_of(&about(0.025)).rows[0];
    assert_eq!(comparison.family, 1);
    assert!((changed.p_slower.unwrap() - alone.p_slower.unwrap()).abs() < 1e-9);

    let changes: [fn(&mut Record); 10] = [
        |it| it.header.programs[1].environment.implementations[0].code_sha256 = Some("b".into()),
        |it| {
            for program in &mut it.header.programs {
                program.environment.implementations[0].code_sha256 = None;
            }
        },
        |it| {
            let details = &mut it.header.programs[1].environment.implementations[0].provenance;
            details.details.insert("path".into(), "vaes".into());
        },
        |it| it.header.programs[1].environment.implementations.clear(),
        |it| it.header.programs[1].environment.build.rustc = "rustc 1.96.0".into(),
        |it| it.header.programs[1].environment.build.profile = "thin".into(),
        |it| it.header.programs[1].environment.build.rustflags.push("-Cdebuginfo=1".into()),
        |it| {
            it.header.programs[1].environment.build.variables.insert("CC".into(), "clang".into());
        },
        |it| it.header.programs[1].environment.build.target_features.push("avx2".into()),
        |it| {
            let variables = &mut it.header.programs[1].environment.variables;
            variables.insert("OPENSSL_ia32cap".into(), "0".into());
        },
    ];
    for (index, change) in changes.into_iter().enumerate() {
        let mut record = same_code();
        turns(&mut record, SEAL, 0, &about(0.05));
        change(&mut record);
        let comparison = live(&record, Rules::default());
        assert_eq!(only(&comparison).0, Verdict::Slower, "{index}");
        assert_eq!(comparison.layout_spread, None);
    }
    // What the digest of the code says better.
    let mut record = same_code();
    turns(&mut record, SEAL, 0, &about(0.05));
    record.header.programs[1].environment.build.lock_sha256 = "other".into();
    assert_eq!(only(&live(&record, Rules::default())).0, Verdict::Layout);
}

#[test]
fn the_control_has_no_layout_unless_it_is_listed() {
    let mut record = same_code();
    for (round, ratio) in (0..).zip(about(0.05)) {
        record.measured.push(measured(
            "control/copy/1024",
            round,
            &[(0, "harness", 100.0), (1, "harness", 100.0 * ratio.exp())],
        ));
    }
    assert_eq!(only(&live(&record, Rules::default())).0, Verdict::Slower);
}

#[test]
fn missing_and_new() {
    let mut record = two_programs();
    for round in 0..7 {
        record.measured.push(measured(SEAL, round, &[(0, "ring", 100.0)]));
        record.measured.push(measured(OPEN, round, &[(1, "ring", 100.0)]));
        record.measured.push(measured("aes-256-ccm/seal/16", round, &[(0, "ring", 100.0)]));
    }
    for contest in ["aes-128-gcm/seal/16", "aes-128-gcm/open/16"] {
        turns(&mut record, contest, 0, &about(0.0));
    }
    record.failed.push(failed("aes-128-gcm/seal/ring/16", 1, 6));
    record.failed.push(failed("aes-128-gcm/open/ring/16", 0, 6));
    // Both programs refuse it: a failure is shown though nothing was measured.
    record.failed.push(failed("aes-128-gcm/reject/ring/1024", 1, 0));
    record.failed.push(failed("aes-128-gcm/reject/ring/64", 0, 0));
    record.unsupported.push(unsupported("aes-256-ccm/seal/ring/16", 1));
    let comparison = live(&record, Rules::default());
    let verdict = |case| {
        let row = row(&comparison, case);
        assert_eq!(row.log_ratio, None);
        (row.verdict, row.reason.as_deref())
    };
    assert_eq!(verdict("aes-256-gcm/seal/ring/1024"), (Verdict::Missing, None));
    assert_eq!(verdict("aes-256-gcm/open/ring/1024"), (Verdict::New, None));
    let unsupported = Some("unsupported: it has no CCM");
    assert_eq!(verdict("aes-256-ccm/seal/ring/16"), (Verdict::Missing, unsupported));
    let failed = Some("failed: the tag was wrong");
    assert_eq!(verdict("aes-128-gcm/seal/ring/16"), (Verdict::Missing, failed));
    assert_eq!(verdict("aes-128-gcm/open/ring/16"), (Verdict::New, failed));
    assert_eq!(verdict("aes-128-gcm/reject/ring/1024"), (Verdict::Missing, failed));
    assert_eq!(comparison.rows.len(), 6);
    assert_eq!(row(&comparison, "aes-256-gcm/seal/ring/1024").old_ns, Some(100.0));
    assert_eq!(undecided(&record, Rules::default()), []);
    assert_eq!(comparison.outcome(&[Verdict::Slower]), Outcome::Incomparable);
    assert_eq!(comparison.outcome(&[Verdict::Missing]), Outcome::Confirmed);
    assert!(comparison.rows.is_sorted_by_key(|row| row.case.clone()));
    assert_eq!(comparison.shift, None);
}

#[test]
fn another_meaning_is_incomparable() {
    let mut record = two_programs();
    turns(&mut record, SEAL, 0, &about(0.5));
    record.cases.push(digest("aes-256-gcm/seal/ring/1024", 0, "aa"));
    record.cases.push(digest("aes-256-gcm/seal/ring/1024", 1, "bb"));
    let comparison = live(&record, Rules::default());
    assert_eq!(only(&comparison).0, Verdict::Incomparable);
    assert_eq!(comparison.rows[0].log_ratio, None);
    assert_eq!(undecided(&record, Rules::default()), []);
    record.cases[1].digest = Some("aa".into());
    assert_eq!(only(&live(&record, Rules::default())).0, Verdict::Slower);
    record.cases[1].digest = None;
    assert_eq!(only(&live(&record, Rules::default())).0, Verdict::Slower);
}

#[test]
fn rsa_keygen_never_gates() {
    let slow: Vec<u64> = (400..430).collect();
    let fast: Vec<u64> = (100..130).collect();
    let mut record = two_programs();
    turns(&mut record, SEAL, 0, &about(0.0));
    record.measured.push(keys(0, &[(0, "ring", fast.clone()), (1, "ring", slow.clone())]));
    let keygen = |record: &Record| {
        let comparison = live(record, Rules::default());
        assert_eq!(comparison.family, 1);
        row(&comparison, "rsa/keygen/ring/2048").clone()
    };
    let suspect = keygen(&record);
    assert_eq!(suspect.verdict, Verdict::Suspect);
    assert_eq!((suspect.old_ns, suspect.new_ns), (Some(114.5), Some(414.5)));
    assert_eq!((suspect.p_slower, suspect.detectable), (None, None));
    let (interval, log_ratio) = (suspect.interval.unwrap(), suspect.log_ratio.unwrap());
    assert!(interval.low < log_ratio && log_ratio < interval.high && interval.low > 1.1);

    // Keys of all rounds are pooled; too few of them bound nothing.
    record.measured.pop();
    for round in 0..2 {
        record
            .measured
            .push(keys(round, &[(0, "ring", fast[..3].to_vec()), (1, "ring", slow[..3].to_vec())]));
    }
    let few = keygen(&record);
    assert_eq!((few.verdict, few.interval, few.rounds), (Verdict::Inconclusive, None, 2));
    // Without slices the times are all there is.
    for measured in &mut record.measured {
        measured.slices.clear();
    }
    assert_eq!(keygen(&record).old_ns, Some(100.0));

    let mut same = same_code();
    turns(&mut same, SEAL, 0, &about(0.0));
    same.measured.push(keys(0, &[(0, "ring", fast), (1, "ring", slow)]));
    let comparison = live(&same, Rules::default());
    assert_eq!(row(&comparison, "rsa/keygen/ring/2048").verdict, Verdict::Layout);
    // Nor does it enter what is said of the suite.
    assert!(comparison.shift.unwrap().log_ratio.abs() < 0.01);
    assert_eq!(comparison.means.len(), 1);
    assert_eq!(comparison.layout_spread, None);
}

#[test]
fn means_and_shift() {
    let mut record = two_programs();
    turns(&mut record, SEAL, 0, &about(0.05));
    turns(&mut record, "aes-128-gcm/seal/16", 0, &about(0.03));
    turns(&mut record, OPEN, 0, &about(0.01));
    let comparison = live(&record, Rules::default());
    let shift = comparison.shift.unwrap();
    assert!((shift.log_ratio - 0.03).abs() < 1e-6 && shift.rows == 3 && shift.beyond_margin);
    let means: Vec<_> =
        comparison.means.iter().map(|it| (it.operation, it.cases, it.backend.as_str())).collect();
    assert_eq!(means, [(Operation::Seal, 2, "ring"), (Operation::Open, 1, "ring")]);
    assert!((comparison.means[0].log_ratio - 0.04).abs() < 1e-6);
    let counts = comparison.counts();
    assert_eq!(counts[0], (Verdict::Slower, 2));
    assert_eq!(counts[2], (Verdict::Same, 1));
    assert_eq!(counts.iter().map(|it| it.1).sum::<usize>(), 3);
}

#[test]
fn numbers_that_are_none_decide_nothing() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut values = about(0.05);
        values[2] = bad;
        values[4] = bad;
        let comparison = live_of(&values);
        assert_eq!(comparison.rows[0].rounds, 5);
        assert_eq!(only(&comparison).0, Verdict::Slower);
        assert_eq!(only(&live_of(&[bad; 7])).0, Verdict::Inconclusive);
    }
    for bad in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        let comparison = between(&[bad; 5], &[100.0, 101.0, 99.0, 100.0, 100.5]);
        assert_eq!(only(&comparison).0, Verdict::New);
    }
    for rules in [
        Rules { margin: f64::NAN, alpha: f64::NAN },
        Rules { margin: -3.0, alpha: 7.0 },
        Rules { margin: f64::INFINITY, alpha: 0.0 },
    ] {
        let mut record = two_programs();
        turns(&mut record, SEAL, 0, &about(0.01));
        let _ = live(&record, rules);
        let _ = undecided(&record, rules);
        let _ = records(&record, &record, ALL, rules);
    }
    // No programs, no measurements.
    let empty = record(&[], 3);
    assert!(live(&empty, Rules::default()).rows.is_empty());
    assert!(records(&empty, &empty, ALL, Rules::default()).rows.is_empty());
}

fn between(old: &[f64], new: &[f64]) -> Comparison {
    let (mut one, mut other) = (record(&[Some("a")], 0), record(&[Some("b")], 0));
    times(&mut one, SEAL, old);
    times(&mut other, SEAL, new);
    records(&one, &other, ALL, Rules::default())
}

/// Five rounds about `centre`, 0.5 % apart.
fn near(centre: f64) -> [f64; 5] {
    [0.995, 1.0, 1.005, 1.002, 0.998].map(|factor| centre * factor)
}

#[test]
fn records_have_a_margin_of_five_per_cent_at_least() {
    let four = between(&near(100.0), &near(104.0));
    assert_eq!((four.method, four.margin, four.rules.margin), (Method::Records, 0.05, 0.02));
    assert_eq!(only(&four).0, Verdict::Same);
    assert_eq!(only(&between(&near(100.0), &near(105.2))).0, Verdict::Inconclusive);
    let seven = between(&near(100.0), &near(107.0));
    assert_eq!(only(&seven), (Verdict::Slower, None));
    let row = &seven.rows[0];
    assert!((row.log_ratio.unwrap() - 1.07_f64.ln()).abs() < 1e-9);
    assert!((row.new_ns.unwrap() / row.old_ns.unwrap() - 1.07).abs() < 1e-9);
    assert_eq!((row.rounds, seven.family), (5, 1));
    assert_eq!(only(&between(&near(107.0), &near(100.0))).0, Verdict::Faster);
    assert_eq!(only(&between(&near(100.0), &near(101.0))).0, Verdict::Same);

    let (mut one, mut other) = (record(&[Some("a")], 0), record(&[Some("a")], 0));
    times(&mut one, SEAL, &near(100.0));
    times(&mut other, SEAL, &near(107.0));
    let layout = records(&one, &other, ALL, Rules::default());
    assert_eq!(only(&layout).0, Verdict::Layout);
    let wide = records(&one, &other, ALL, Rules { margin: 0.1, alpha: 0.05 });
    assert_eq!((only(&wide).0, wide.margin), (Verdict::Same, 0.1));
    // Other microcode is a change.
    other.header.programs[0].environment.host.cpu.microcode = Some("0x2b".into());
    assert_eq!(only(&records(&one, &other, ALL, Rules::default())).0, Verdict::Slower);
}

#[test]
fn records_of_one_round_or_of_criterion_are_suspect() {
    assert_eq!(only(&between(&[100.0], &near(150.0))), (Verdict::Suspect, Some("one round")));
    assert_eq!(only(&between(&near(100.0), &[150.0])), (Verdict::Suspect, Some("one round")));
    let (mut one, mut other) = (record(&[None], 0), record(&[None], 0));
    times(&mut one, SEAL, &near(100.0));
    times(&mut other, SEAL, &near(150.0));
    times(&mut other, OPEN, &near(150.0));
    other.header.engine = Engine::Criterion;
    for (old, new, lone) in [(&one, &other, Verdict::New), (&other, &one, Verdict::Missing)] {
        let comparison = records(old, new, ALL, Rules::default());
        assert_eq!(row(&comparison, "aes-256-gcm/seal/ring/1024").verdict, Verdict::Suspect);
        assert_eq!(row(&comparison, "aes-256-gcm/open/ring/1024").verdict, lone);
        assert!(row(&comparison, "aes-256-gcm/seal/ring/1024").log_ratio.is_some());
    }
}

#[test]
fn only_what_is_selected_is_missing() {
    let (mut one, mut other) = (record(&[None], 0), record(&[None], 0));
    for contest in [SEAL, OPEN, "aes-128-gcm/seal/16"] {
        times(&mut one, contest, &near(100.0));
    }
    times(&mut other, SEAL, &near(100.0));
    other.unsupported.push(unsupported("aes-128-gcm/seal/ring/16", 0));
    let selected = |case: &CaseId| case.contest.operation == Operation::Seal;
    let comparison = records(&one, &other, &selected, Rules::default());
    assert_eq!(comparison.rows.len(), 2);
    let missing = row(&comparison, "aes-128-gcm/seal/ring/16");
    assert_eq!(missing.verdict, Verdict::Missing);
    assert_eq!(missing.reason.as_deref(), Some("unsupported: it has no CCM"));
    assert!(missing.old_ns.is_some() && missing.new_ns.is_none());
    let reverse = records(&other, &one, &selected, Rules::default());
    assert_eq!(row(&reverse, "aes-128-gcm/seal/ring/16").verdict, Verdict::New);
    assert_eq!(reverse.outcome(&[Verdict::Slower]), Outcome::Clean);
}

#[test]
fn the_last_program_of_each_record_is_compared() {
    let mut old = record(&[None, None], 0);
    let mut new = record(&[None], 0);
    for (round, time) in (0..).zip(near(100.0)) {
        old.measured.push(measured(SEAL, round, &[(0, "ring", time * 9.0), (1, "ring", time)]));
    }
    times(&mut new, SEAL, &near(100.0));
    assert_eq!(only(&records(&old, &new, ALL, Rules::default())).0, Verdict::Same);
}

#[test]
fn machines_and_flags_that_differ_are_incomparable() {
    let changes: [(fn(&mut Record), &str); 9] = [
        (|it| it.header.programs[0].environment.host.cpu.model = None, "CPU model: Some"),
        (
            |it| it.header.programs[0].environment.host.cpu.signature = Some("6/1/1".into()),
            "CPU signature: 6/143/8 then, 6/1/1 now",
        ),
        (
            |it| it.header.programs[0].environment.host.cpu.flags.push("vaes".into()),
            "CPU flags: vaes only now",
        ),
        (|it| it.header.programs[0].environment.build.target = "wasm".into(), "target: "),
        (
            |it| it.header.programs[0].environment.build.rustflags.push("-Copt".into()),
            "RUSTFLAGS: none then, -Copt now",
        ),
        (
            |it| it.header.programs[0].environment.build.target_features.push("avx2".into()),
            "target features: avx2 only now",
        ),
        (|it| it.header.programs[0].environment.build.opt_level = "s".into(), "opt-level: "),
        (
            |it| {
                let build = &mut it.header.programs[0].environment.build;
                build.variables.insert("CFLAGS".into(), "-O1".into());
            },
            "variable when compiled CFLAGS: not set then, `-O1` now",
        ),
        (
            |it| {
                let variables = &mut it.header.programs[0].environment.variables;
                variables.insert("OPENSSL_ia32cap".into(), "0".into());
            },
            "variable when run OPENSSL_ia32cap",
        ),
    ];
    for (change, named) in changes {
        let (mut one, mut other) = (record(&[None], 0), record(&[None], 0));
        times(&mut one, SEAL, &near(100.0));
        times(&mut other, SEAL, &near(150.0));
        change(&mut other);
        let comparison = records(&one, &other, ALL, Rules::default());
        let (verdict, reason) = only(&comparison);
        assert_eq!(verdict, Verdict::Incomparable);
        assert!(reason.unwrap().contains(named), "{reason:?}");
        assert_eq!(comparison.rows[0].log_ratio, None);
        assert_eq!(comparison.outcome(&[Verdict::Slower]), Outcome::Incomparable);
    }
    let (mut one, mut other) = (record(&[None], 0), record(&[None], 0));
    for (record, sha) in [(&mut one, "aa"), (&mut other, "bb")] {
        times(record, SEAL, &near(100.0));
        times(record, OPEN, &near(100.0));
        record.cases.push(digest("aes-256-gcm/seal/ring/1024", 0, sha));
    }
    let comparison = records(&one, &other, ALL, Rules::default());
    assert_eq!(row(&comparison, "aes-256-gcm/seal/ring/1024").verdict, Verdict::Incomparable);
    assert_eq!(row(&comparison, "aes-256-gcm/open/ring/1024").verdict, Verdict::Same);
}

#[test]
fn rsa_keygen_between_records() {
    let (mut one, mut other) = (record(&[None], 0), record(&[None], 0));
    for round in 0..2 {
        one.measured.push(keys(round, &[(0, "ring", (100..110).collect())]));
        other.measured.push(keys(round, &[(0, "ring", (400..410).collect())]));
    }
    let comparison = records(&one, &other, ALL, Rules::default());
    assert_eq!((only(&comparison).0, comparison.family), (Verdict::Suspect, 0));
    assert_eq!(comparison.rows[0].old_ns, Some(104.5));
    let same = records(&one, &one, ALL, Rules::default());
    assert_eq!(only(&same).0, Verdict::Inconclusive);
}
