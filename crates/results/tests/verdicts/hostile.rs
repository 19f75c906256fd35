//! Records that no run writes: nothing panics, and no number that comes out is NaN or infinite.
//! What comes out otherwise is tested beside.

use crate::made_up::{Random, digest, failed, id, record, unsupported};
use cryptobench_results::{
    across::across,
    comparison::{Comparison, Rules, live, records, undecided},
    growth::overtakes,
    ranking::{Entrants, Options, rank},
    record::{Engine, Measured, Record, Side},
    scenario::{bulk, document, gcm_siv, keygen},
};
use cryptobench_schema::{BackendId, Scenario};

const CASES: [&str; 5] = [
    "aes-256-gcm/seal/ring/16",
    "aes-256-gcm/open/openssl/16",
    "rsa/keygen/ring/2048",
    "x25519/derive/dalek",
    "control/copy/harness/16",
];

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        (self.uniform() * bound as f64) as usize
    }

    fn number(&mut self) -> f64 {
        match self.below(14) {
            0 => f64::NAN,
            1 => f64::INFINITY,
            2 => f64::NEG_INFINITY,
            3 => f64::MAX,
            4 => f64::MIN,
            5 => f64::MIN_POSITIVE,
            6 => 5e-324,
            7 => 0.0,
            8 => -1.0,
            9 => 1.0,
            _ => self.normal(),
        }
    }

    fn integer(&mut self) -> u64 {
        [0, 1, 2, 1000, u64::MAX][self.below(5)]
    }

    fn several<T>(&mut self, most: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| one(self)).collect()
    }

    fn backend(&mut self) -> BackendId {
        id(CASES[self.below(CASES.len())]).backend
    }

    fn side(&mut self) -> Side {
        Side {
            program: [0, 0, 1, 1, 2, usize::MAX][self.below(6)],
            backend: self.backend(),
            time_ns: self.number(),
            iterations: self.several(3, Self::integer),
            interference: None,
        }
    }

    fn measured(&mut self) -> Measured {
        Measured {
            contest: id(CASES[self.below(CASES.len())]).contest,
            round: [0, 1, 2, 3, 4, 5, 6, u32::MAX][self.below(8)],
            heat: None,
            sides: self.several(4, Self::side),
            log_ratios: self.several(7, Self::number),
            slices: self.several(4, |it| it.several(12, Self::integer)),
        }
    }

    fn record(&mut self) -> Record {
        let programs = self.below(4);
        let screening = [0, 0, 3, u32::MAX][self.below(4)];
        let mut record = record(&vec![[None, Some("a")][self.below(2)]; programs], screening);
        if self.below(8) == 0 {
            record.header.engine = Engine::Criterion;
        }
        record.measured = self.several(80, Self::measured);
        for case in CASES {
            match self.below(12) {
                0 => record.failed.push(failed(case, self.below(3), 0)),
                1 => record.unsupported.push(unsupported(case, self.below(3))),
                2 => record.cases.push(digest(case, 0, "aa")),
                _ => {}
            }
        }
        record
    }
}

fn sound(comparison: &Comparison) {
    for row in &comparison.rows {
        let interval = row.interval.map_or([None; 2], |it| [Some(it.low), Some(it.high)]);
        let numbers = [
            row.old_ns,
            row.new_ns,
            row.log_ratio,
            row.spread,
            row.p_slower,
            row.p_faster,
            row.detectable,
        ];
        for number in numbers.into_iter().chain(interval).flatten() {
            assert!(number.is_finite(), "{row:?}");
        }
    }
    assert!(comparison.shift.is_none_or(|it| it.log_ratio.is_finite()));
    assert!(comparison.means.iter().all(|it| it.log_ratio.is_finite()));
    assert!(comparison.layout_spread.is_none_or(|it| it.standard_deviation.is_finite()));
    assert!(comparison.rows.is_sorted_by(|a, b| a.case < b.case));
    assert_eq!(comparison.counts().iter().map(|it| it.1).sum::<usize>(), comparison.rows.len());
}

#[test]
fn nothing_panics_and_nothing_is_nan() {
    for seed in 0..1500 {
        let mut random = Random(seed);
        let (old, new) = (random.record(), random.record());
        let rules = match seed % 3 {
            0 => Rules::default(),
            _ => Rules { margin: random.number(), alpha: random.number() },
        };
        sound(&live(&old, rules));
        sound(&records(&old, &new, &|_| true, rules));
        let open = undecided(&old, rules);
        assert!(open.is_sorted_by(|a, b| a < b));
        let options = Options {
            entrants: [Entrants::LastProgram, Entrants::AllPrograms][random.below(2)],
            reference: [None, Some(random.backend())][random.below(2)].clone(),
            margin: rules.margin,
            alpha: rules.alpha,
        };
        let ranking = rank(&old, &options);
        for contest in &ranking.contests {
            for side in &contest.sides {
                assert!(side.time_ns.is_finite() && side.log_ratio.is_none_or(f64::is_finite));
                assert!(side.interval.is_none_or(|it| it.is_bounded()));
                assert!(side.rank.is_none_or(|rank| rank <= contest.sides.len()));
                assert_eq!(side.times_ns.len(), side.rounds);
                let times = side.times_ns.iter().chain(&side.keys_ns);
                assert!(times.copied().all(|it| it.is_finite() && it > 0.0));
                assert!(side.keys_ns.is_sorted());
                assert!(side.interval_ns.is_none_or(|it| it.is_bounded() && it.low > 0.0));
                for over in &contest.sides {
                    let ratio = contest.ratio(&side.key, &over.key).unwrap();
                    assert!(ratio.log_ratio.is_finite());
                    assert!(ratio.interval.is_none_or(|it| it.is_bounded()));
                    if Some(&over.key) == contest.reference.as_ref() {
                        let (log_ratio, interval) = (side.log_ratio.unwrap(), side.interval);
                        assert_eq!((ratio.log_ratio, ratio.interval), (log_ratio, interval));
                    }
                }
            }
            let lead = contest.lead().unwrap();
            assert!(!lead.winners.is_empty());
            let rest = contest.sides.len() - lead.winners.len();
            assert_eq!(lead.next.is_some(), rest > 0);
        }
        let all: Vec<_> = ranking.contests.iter().map(|it| it.contest).collect();
        let standings = across(&ranking, &all);
        assert_eq!(standings.len(), all.len());
        assert!(standings.is_sorted_by(|a, b| a.time_ns <= b.time_ns));
        for ratio in standings.iter().filter_map(|it| it.over_best) {
            assert!(ratio.log_ratio.is_finite());
            assert!(ratio.interval.is_none_or(|it| it.is_bounded()));
        }
        // Of different algorithms, as no caller gives them.
        let mut sized = ranking.contests.clone();
        for (size, contest) in (1..).zip(&mut sized) {
            contest.contest.size = Some(size * size);
        }
        for overtake in overtakes(&sized) {
            let (from, to) = overtake.between;
            assert!((from as f64..=to as f64).contains(&overtake.at), "{overtake:?}");
        }
        for means in &ranking.means {
            assert!(means.sides.iter().all(|it| it.1.is_finite()));
            assert_eq!(means.contests == 0, means.sides.is_empty());
        }
    }
}

const OF_SCENARIOS: [&str; 14] = [
    "aes-256-cbc/encrypt-pieces/1024",
    "aes-256-cbc/decrypt-pieces/1024",
    "aes-256-gcm/encrypt-pieces/1024",
    "rsa/keygen/2048",
    "rsa/keygen-seeded/2048",
    "control/whole/1",
    "control/fields/1",
    "aes-256-gcm/whole/1",
    "aes-256-gcm/fields/1",
    "aes-256-gcm/fields-fresh-key/1",
    "aes-256-cbc/whole-file/28672",
    "aes-256-gcm/seal/8192",
    "aes-256-gcm-siv/seal/8192",
    "aes-128-gcm-siv/open/128",
];

#[test]
fn answers_hold_no_nan() {
    let mut found = 0;
    for seed in 0..1500 {
        let mut random = Random(seed);
        let mut record = random.record();
        for it in &mut record.measured {
            it.contest = OF_SCENARIOS[random.below(OF_SCENARIOS.len())].parse().unwrap();
            it.heat = [None, Some(0), Some(0), Some(u64::MAX)][random.below(4)];
        }
        if random.below(2) == 0 {
            record.header.settings.scenarios = Scenario::ALL.to_vec();
        }
        let fields = [None, Some(0), Some(1), Some(u64::MAX)][random.below(4)];
        let (bulk, keygen) = (bulk::answer(&record), keygen::answer(&record));
        let (documents, gcm_siv) =
            (document::answer(&record, |_| fields), gcm_siv::answer(&record));
        // What a sentence is made of has nothing else in it.
        let _ = bulk.as_ref().and_then(bulk::Bulk::extremes);
        let _ = keygen.as_ref().and_then(keygen::Keygen::extremes);
        let _ = documents.as_ref().and_then(document::Documents::fastest);
        let _ = gcm_siv.as_ref().map(gcm_siv::GcmSiv::sealing);
        let all = format!("{bulk:?} {keygen:?} {documents:?} {gcm_siv:?}");
        assert!(!all.contains("NaN") && !all.contains(" inf") && !all.contains("-inf"), "{all}");
        found += [bulk.is_some(), keygen.is_some(), documents.is_some(), gcm_siv.is_some()]
            .into_iter()
            .filter(|it| *it)
            .count();
    }
    assert!(found > 1500, "{found}");
}
