//! Contests held against one another by the slices of their heat, and the answers made of that. Values are worked out by
//! hand; records come from `made_up`.

use crate::made_up::{backend, keys, record, unsupported};
use cryptobench_results::{
    heat::ratio,
    ranking::Ratio,
    record::{Engine, Measured, Record, Side, SideKey, median_log_ratio, operation_times},
    scenario::{
        bulk,
        document::{self, Density},
        gcm_siv, keygen,
    },
    statistics::median,
};
use cryptobench_schema::{Contest, Scenario};

const GCM: &str = "aes-256-gcm/seal/8192";
const SIV: &str = "aes-256-gcm-siv/seal/8192";

/// A backend and the nanoseconds of its slices, of one operation each.
type Slices<'a> = (&'a str, &'a [u64]);

fn contest(name: &str) -> Contest {
    name.parse().unwrap()
}

fn key(name: &str) -> SideKey {
    SideKey { program: 0, backend: backend(name) }
}

/// One contest in one round, with what its slices say.
fn measured(name: &str, round: u32, heat: Option<u64>, sides: &[Slices<'_>]) -> Measured {
    let times: Vec<Vec<f64>> = sides.iter().map(|it| operation_times(it.1, &[1])).collect();
    let mut log_ratios = Vec::new();
    for (index, one) in times.iter().enumerate() {
        log_ratios.extend(times[index + 1..].iter().filter_map(|it| median_log_ratio(it, one)));
    }
    Measured {
        contest: contest(name),
        round,
        heat,
        sides: sides
            .iter()
            .zip(&times)
            .map(|((name, _), times)| Side {
                program: 0,
                backend: backend(name),
                time_ns: median(times).unwrap_or(1.0),
                iterations: vec![1],
                interference: None,
            })
            .collect(),
        log_ratios,
        slices: sides.iter().map(|it| it.1.to_vec()).collect(),
    }
}

/// Every contest in each of `rounds`, in one heat, each side taking the same time in all slices.
fn heats(rounds: u32, contests: &[(&str, &[(&str, u64)])]) -> Record {
    let mut record = record(&[None], 0);
    for round in 0..rounds {
        for (name, sides) in contests {
            let slices: Vec<[u64; 3]> = sides.iter().map(|it| [it.1; 3]).collect();
            let sides: Vec<Slices<'_>> =
                sides.iter().zip(&slices).map(|(it, slices)| (it.0, &slices[..])).collect();
            record.measured.push(measured(name, round, Some(u64::from(round)), &sides));
        }
    }
    record
}

/// The ratio is `value` in every round.
#[track_caller]
fn exactly(ratio: Option<Ratio>, value: f64) {
    let ratio = ratio.expect("a ratio");
    assert!((ratio.log_ratio - value.ln()).abs() < 1e-12, "{ratio:?} is not {value}");
    let interval = ratio.interval.expect("an interval");
    assert!(interval.low <= ratio.log_ratio && ratio.log_ratio <= interval.high);
    assert!(interval.high - interval.low < 1e-9, "{interval:?}");
}

/// The machine slows down by up to a factor of four while both contests run, and one has slices of which the other knows
/// nothing: the medians say anything, slices of the same index say 1.5.
#[test]
fn drift_that_contests_share_is_not_in_their_ratio() {
    let mut record = record(&[None], 0);
    for round in 0..5_u32 {
        let drift = |time: u64| [1, 2, 4].map(|it| it * time * u64::from(round + 1)).to_vec();
        let gcm = drift(100);
        let mut siv = drift(150);
        siv.extend([9_000_000; 4]);
        let heat = Some(u64::from(round));
        record.measured.push(measured(GCM, round, heat, &[("ring", &gcm)]));
        record.measured.push(measured(SIV, round, heat, &[("openssl", &[7]), ("ring", &siv)]));
    }
    let times = |name: &str| -> Vec<f64> {
        let of_it = |it: &&Measured| it.contest == contest(name);
        record
            .measured
            .iter()
            .filter(of_it)
            .filter_map(|it| it.sides.last())
            .map(|it| it.time_ns)
            .collect()
    };
    assert!(times(SIV)[0] / times(GCM)[0] > 1000.0);
    let ring = key("ring");
    exactly(ratio(&record, (contest(SIV), &ring), (contest(GCM), &ring)), 1.5);
    exactly(ratio(&record, (contest(GCM), &ring), (contest(SIV), &ring)), 1.0 / 1.5);
}

#[test]
fn what_was_not_measured_together_has_no_ratio() {
    let together =
        || heats(3, &[(GCM, &[("ring", 100), ("openssl", 50)]), (SIV, &[("ring", 150)])]);
    let (gcm, siv) = (contest(GCM), contest(SIV));
    let ring = key("ring");
    let of = |record: &Record| ratio(record, (siv, &ring), (gcm, &ring));
    exactly(of(&together()), 1.5);
    // Of one contest, whatever the heat.
    exactly(ratio(&together(), (gcm, &ring), (gcm, &key("openssl"))), 2.0);

    let changed = |change: fn(&mut Measured)| {
        let mut record = together();
        record.measured.iter_mut().filter(|it| it.contest == contest(SIV)).for_each(change);
        record
    };
    let changes: [fn(&mut Measured); 9] = [
        |it| it.heat = it.heat.map(|heat| heat + 100),
        |it| it.heat = None,
        |it| it.slices.clear(),
        |it| it.slices = vec![Vec::new()],
        |it| it.slices = vec![vec![0; 3]],
        |it| it.sides.clear(),
        |it| it.sides[0].iterations.clear(),
        |it| it.sides[0].iterations = vec![0],
        |it| it.round += 10,
    ];
    for (index, change) in changes.into_iter().enumerate() {
        assert_eq!(of(&changed(change)), None, "{index}");
    }
    let mut nobody = together();
    nobody.measured.iter_mut().for_each(|it| it.heat = None);
    assert_eq!(of(&nobody), None);
    let mut criterion = together();
    criterion.header.engine = Engine::Criterion;
    assert_eq!(of(&criterion), None);
    assert_eq!(ratio(&together(), (siv, &key("openssl")), (gcm, &ring)), None);
    assert_eq!(ratio(&together(), (siv, &ring), (contest("aes-256-gcm/open/16"), &ring)), None);

    // A round that says nothing is left out; one alone bounds nothing.
    let mut one = together();
    one.measured.retain(|it| it.round == 0 || it.contest == gcm);
    let ratio = of(&one).unwrap();
    assert!((ratio.log_ratio - 1.5_f64.ln()).abs() < 1e-12);
    assert_eq!((ratio.interval, ratio.p_slower), (None, None));
}

#[test]
fn bulk_is_against_the_slowest_and_beside_what_is_chained() {
    let encrypt = "aes-256-cbc/encrypt-pieces/1024";
    let record = heats(
        4,
        &[
            (encrypt, &[("openssl", 500), ("ring", 1000), ("rustcrypto", 750)]),
            ("aes-256-cbc/decrypt-pieces/1024", &[("openssl", 100), ("ring", 1000)]),
            ("aes-256-ctr/encrypt-pieces/1024", &[("openssl", 125)]),
            ("aes-256-gcm/encrypt-pieces/64", &[("openssl", 125)]),
            ("aes-256-gcm/seal/16", &[("openssl", 125)]),
        ],
    );
    let bulk = bulk::answer(&record).unwrap();
    assert_eq!(bulk.contests.len(), 4);
    let sides = &bulk.contests[0].sides;
    let names: Vec<&str> = sides.iter().map(|it| it.key.backend.as_str()).collect();
    assert_eq!(
        (bulk.contests[0].contest, names),
        (contest(encrypt), vec!["openssl", "rustcrypto", "ring"])
    );
    exactly(sides[0].over_slowest, 2.0);
    exactly(sides[1].over_slowest, 1000.0 / 750.0);
    assert_eq!((sides[2].over_slowest, sides[2].time_ns), (None, 1000.0));

    let extremes = bulk.extremes().unwrap();
    assert_eq!((extremes.fastest, extremes.slowest), (key("openssl"), key("ring")));
    exactly(Some(extremes.ratio), 2.0);

    let names: Vec<&str> = bulk.beside.iter().map(|it| it.key.backend.as_str()).collect();
    assert_eq!(names, ["openssl", "ring"]);
    let [decrypt, counter, gcm] = bulk.beside[0].gains;
    exactly(decrypt, 5.0);
    exactly(counter, 4.0);
    assert_eq!(gcm, None);
    exactly(bulk.beside[1].gains[0], 1.0);
    assert_eq!(bulk.beside[1].gains[1], None);

    let mut other = record.clone();
    other.measured.retain(|it| it.contest == contest("aes-256-gcm/seal/16"));
    assert_eq!(bulk::answer(&other), None);
    let mut alone = record.clone();
    alone.measured.retain(|it| it.contest == contest("aes-256-ctr/encrypt-pieces/1024"));
    let alone = bulk::answer(&alone).unwrap();
    assert_eq!((alone.extremes(), alone.beside.len()), (None, 0));
}

#[test]
fn keys_are_pooled() {
    // 100 to 159 ms, and twice as much.
    let record = |keys_of: u64| {
        let mut record = record(&[None], 0);
        for round in 0..2 {
            let half = |scale: u64| -> Vec<u64> {
                let keys = (0..keys_of).filter(|it| it % 2 == round);
                keys.map(|it| scale * (100 + it) * 1_000_000).collect()
            };
            if half(1).is_empty() {
                continue;
            }
            let round = u32::try_from(round).unwrap();
            let both = keys(round, &[(0, "rustcrypto", half(2)), (0, "openssl", half(1))]);
            record
                .measured
                .push(Measured { contest: contest("rsa/keygen-seeded/2048"), ..both.clone() });
            record.measured.push(both);
        }
        record
    };
    let keygen = keygen::answer(&record(60)).unwrap();
    let names: Vec<String> = keygen.contests.iter().map(|it| it.contest.to_string()).collect();
    assert_eq!(names, ["rsa/keygen/2048", "rsa/keygen-seeded/2048"]);
    assert_eq!(keygen.contests[0].sides, keygen.contests[1].sides);
    let [fast, slow] = &keygen.contests[0].sides[..] else { panic!("two sides") };
    assert_eq!((&fast.key, &slow.key), (&key("openssl"), &key("rustcrypto")));
    assert_eq!((fast.keys, fast.median_ns, fast.mean_ns), (60, 129.5e6, 129.5e6));
    // Of 60 keys the 22nd and the 39th hold the median with 95 %: P(B(60, 1/2) <= 21) = 0.0137, <= 22 0.0259.
    let interval = fast.median_interval.unwrap();
    assert_eq!((interval.low, interval.high), (121e6, 138e6));
    // Whole numbers in a row have a variance of n (n + 1) / 12, here 305, and 59 degrees of freedom have
    // t = 2.000995 (SciPy): 2.000995 sqrt(305 / 60) = 4.51149.
    let interval = fast.mean_interval.unwrap();
    assert!(
        (interval.high - 134.011_493e6).abs() < 10.0 && (interval.low - 124.988_507e6).abs() < 10.0,
        "{interval:?}"
    );
    // Linear between the 57th and the 58th: 100 + 0.95 * 59.
    assert!((fast.p95_ns.unwrap() - 156.05e6).abs() < 1.0);
    assert_eq!(fast.over_fastest, None);
    let ratio = slow.over_fastest.unwrap();
    assert!((ratio.log_ratio - 2.0_f64.ln()).abs() < 1e-12);
    // The 21st and the 40th hold a median with 97.5 %.
    let interval = ratio.interval.unwrap();
    assert!((interval.low - (2.0 * 120.0 / 139.0_f64).ln()).abs() < 1e-12);
    assert!((interval.high - (2.0 * 139.0 / 120.0_f64).ln()).abs() < 1e-12);

    let extremes = keygen.extremes().unwrap();
    assert_eq!(
        (extremes.contest, extremes.slowest),
        (contest("rsa/keygen/2048"), key("rustcrypto"))
    );

    let fewer = keygen::answer(&record(59)).unwrap();
    assert_eq!((fewer.contests[0].sides[0].keys, fewer.contests[0].sides[0].p95_ns), (59, None));
    let one = keygen::answer(&record(1)).unwrap();
    let side = &one.contests[0].sides[0];
    assert_eq!((side.keys, side.median_interval, side.mean_interval), (1, None, None));
    let mut none = record(60);
    none.measured.iter_mut().for_each(|it| it.slices.clear());
    assert_eq!(keygen::answer(&none), None);
}

/// A document of 2 KiB and 100 fields. Its whole takes 1000 ns, of which 200 are the harness's; parsing and writing
/// takes 3000.
fn documents(rounds: u32, whole: u64) -> Record {
    heats(
        rounds,
        &[
            ("control/whole/2048", &[("harness", 200)]),
            ("control/fields/2048", &[("harness", 3000)]),
            ("aes-256-gcm/whole/2048", &[("openssl", 20_000), ("ring", whole)]),
            ("aes-256-gcm/fields/2048", &[("openssl", 5000), ("ring", 5000)]),
            ("aes-256-gcm/fields-fresh-key/2048", &[("ring", 9000)]),
        ],
    )
}

#[test]
fn documents_turn_where_fields_cost_what_the_whole_does() {
    let answered = document::answer(&documents(3, 1000), |it| (it == 2048).then_some(100)).unwrap();
    let [document] = &answered.documents[..] else { panic!("one document") };
    assert_eq!((document.bytes, document.in_files, document.fields), (2048, false, Some(100)));
    let [floor] = &document.floors[..] else { panic!("one floor") };
    assert_eq!(
        (floor.whole_ns, floor.fields_ns, floor.fresh_ns),
        (Some(200.0), Some(3000.0), None)
    );
    exactly(floor.fields_over_whole, 15.0);
    let [openssl, ring] = &document.sides[..] else { panic!("two sides") };
    assert_eq!(ring.fresh_ns, Some(9000.0));
    exactly(ring.fields_over_whole, 5.0);
    exactly(ring.fresh_over_fields, 1.8);
    exactly(ring.fresh_over_whole, 9.0);
    // A field costs (5000 - 3000) / 100 = 20 ns, and 800 ns in 2 KiB are 20 of them in each.
    let turn = ring.turn.as_ref().unwrap();
    assert_eq!(turn.field_ns.value, 20.0);
    let Some(Density::At(at)) = turn.density else { panic!("{turn:?}") };
    assert_eq!((at.value, at.interval.map(|it| (it.low, it.high))), (20.0, Some((20.0, 20.0))));
    // Parsing and writing alone take longer than the whole.
    assert_eq!(turn.density_with_xml, Some(Density::Never { certain: true }));
    let fresh = ring.fresh_turn.as_ref().unwrap();
    let Some(Density::At(at)) = fresh.density else { panic!("{fresh:?}") };
    assert!((at.value - 800.0 / 2.0 / 60.0).abs() < 1e-12);
    // (20000 - 3000) / 2 / 20.
    let turn = openssl.turn.as_ref().unwrap();
    let Some(Density::At(at)) = turn.density_with_xml else { panic!("{turn:?}") };
    assert_eq!(at.value, 425.0);
    assert_eq!((openssl.fresh_ns, &openssl.fresh_turn), (None, &None));
    let (_, fastest) = answered.fastest().unwrap();
    assert_eq!(fastest.key, key("ring"));
}

#[test]
fn where_documents_turn_is_not_said_for_less() {
    // Two rounds bound a ratio, and nothing else.
    let two = document::answer(&documents(2, 1000), |_| Some(100)).unwrap();
    let ring = &two.documents[0].sides[1];
    let turn = ring.turn.as_ref().unwrap();
    assert!(ring.fields_over_whole.unwrap().interval.is_some());
    assert!(matches!(turn.density, Some(Density::At(it)) if it.interval.is_none()));
    assert_eq!(turn.density_with_xml, Some(Density::Never { certain: false }));

    for unknown in [None, Some(0)] {
        let answered = document::answer(&documents(3, 1000), |_| unknown).unwrap();
        assert_eq!(answered.documents[0].sides[1].turn, None);
    }
    // Encrypting the whole takes no longer than copying it.
    let level = document::answer(&documents(3, 200), |_| Some(100)).unwrap();
    assert_eq!(level.documents[0].sides[1].turn.as_ref().unwrap().density, None);
    // Without the harness, or where its slices are of another heat, nothing says what a field costs.
    let mut alone = documents(3, 1000);
    alone.measured.retain(|it| !it.contest.to_string().starts_with("control"));
    let mut apart = documents(3, 1000);
    for it in apart.measured.iter_mut().filter(|it| it.contest.to_string().starts_with("control")) {
        it.heat = Some(99);
    }
    for record in [alone, apart] {
        let answered = document::answer(&record, |_| Some(100)).unwrap();
        let ring = &answered.documents[0].sides[1];
        assert_eq!((&ring.turn, ring.whole_ns), (&None, Some(1000.0)));
    }
    assert_eq!(document::answer(&heats(3, &[(GCM, &[("ring", 1)])]), |_| Some(1)), None);
}

#[test]
fn documents_in_files_are_others() {
    let record = heats(
        3,
        &[
            ("aes-256-gcm/whole-file/28672", &[("ring", 2000)]),
            ("aes-256-gcm/fields-file/28672", &[("ring", 3000)]),
            ("aes-256-gcm/whole/28672", &[("ring", 1000)]),
            ("aes-256-gcm/whole/99", &[("ring", 1000)]),
        ],
    );
    let answered = document::answer(&record, |_| None).unwrap();
    let kinds: Vec<_> = answered.documents.iter().map(|it| (it.in_files, it.bytes)).collect();
    assert_eq!(kinds, [(false, 99), (false, 28672), (true, 28672)]);
    exactly(answered.documents[2].sides[0].fields_over_whole, 1.5);
    assert_eq!(answered.fastest(), None);
}

#[test]
fn gcm_siv_is_of_those_who_have_both() {
    let mut record = heats(
        3,
        &[
            (GCM, &[("ring", 900), ("openssl", 1000), ("rustcrypto", 2000)]),
            (SIV, &[("openssl", 1200), ("rustcrypto", 3800)]),
            ("aes-256-gcm/seal/128", &[("openssl", 50)]),
            ("aes-256-gcm-siv/seal/128", &[("openssl", 60)]),
            ("aes-128-gcm-siv/open/128", &[("openssl", 60)]),
        ],
    );
    record.unsupported.push(unsupported("aes-256-gcm-siv/seal/ring/8192", 0));
    let answered = gcm_siv::answer(&record).unwrap();
    let pairs: Vec<(u64, &str)> = answered
        .pairs
        .iter()
        .map(|it| (it.contest().size.unwrap(), it.key().backend.as_str()))
        .collect();
    assert_eq!(pairs, [(128, "openssl"), (8192, "openssl"), (8192, "rustcrypto")]);
    let alone: Vec<String> =
        answered.alone.iter().map(|it| it.0.case(it.1.backend.clone()).to_string()).collect();
    assert_eq!(alone, ["aes-256-gcm/seal/ring/8192", "aes-128-gcm-siv/open/openssl/128"]);
    let sealing = answered.sealing();
    assert_eq!(sealing.len(), 2);
    exactly(Some(sealing[0].ratio), 1.2);
    exactly(Some(sealing[1].ratio), 1.9);
    assert_eq!((sealing[0].gcm.mean, sealing[0].siv.mean), (Some(1000.0), Some(1200.0)));

    // Where nothing was measured together, nothing is answered, unless that was what the run was for.
    for it in &mut record.measured {
        it.heat = None;
    }
    assert_eq!(gcm_siv::answer(&record), None);
    record.header.settings.scenarios = vec![Scenario::GcmSiv];
    let asked = gcm_siv::answer(&record).unwrap();
    assert!(asked.pairs.is_empty() && asked.sealing().is_empty());
    assert_eq!(asked.alone.len(), 8);
}
