//! Slow-downs that are known, because they were planted: which of them are found.

use crate::{
    report::{
        Bound::{AtLeast, AtMost},
        Quantity::Count,
        Target, percent, table, targets,
    },
    session::{Run, Session, Subject, pinned, programs},
};
use anyhow::{Context as _, Result, anyhow, bail};
use cryptobench_results::{
    comparison::{Row, Rules, Verdict, live},
    record::{Record, Settings, SideKey},
    statistics::median,
};
use cryptobench_runner::{PlannedContest, Slices};
use cryptobench_schema::CaseId;

const CASES: [&str; 5] = [
    "control/copy/harness/1024",
    "control/copy/harness/16384",
    "aes-256-gcm/seal/ring/1024",
    "aes-256-gcm/seal/ring/16384",
    "aes-256-gcm/open/ring/4096",
];
const ROUNDS: u32 = 12;
/// Up to here a case is quiet, and what is promised of quiet cases is held against it: the standard deviation between
/// rounds of a round's log ratio.
const QUIET: f64 = 0.003;
const USUAL_MARGIN: f64 = 0.02;
const SMALL_MARGIN: f64 = 0.003;

/// The planted worker against itself with something planted.
struct Pair {
    subjects: [Subject; 2],
}

impl Pair {
    fn new(session: &Session<'_>, planted: f64) -> Result<Self> {
        let subject = |name, share: f64| {
            let variables = [("PLANTED_SHARE", share.to_string())];
            Subject::new(name, &session.arguments.planted_worker, &variables)
        };
        Ok(Self { subjects: [subject("as it is", 0.0)?, subject("planted", planted)?] })
    }

    fn run(&self, contests: &[PlannedContest], rounds: u32, seed: u64) -> Result<Record> {
        let programs = programs(&self.subjects);
        let settings = Settings { rounds, ..Settings::default() };
        let mut run = Run::begin(&self.subjects, &programs, settings.clone(), seed);
        run.measure(contests, 0..rounds, Slices::of(&settings))?;
        Ok(run.record)
    }
}

/// A case with both of its sides.
fn planned(case: &CaseId) -> PlannedContest {
    let side = |program| SideKey { program, backend: case.backend.clone() };
    PlannedContest { contest: case.contest, sides: vec![side(0), side(1)], heat: None }
}

/// What is said of `case` where it is compared alone: with others the family of tests is larger, and what can be
/// found is too.
fn judge(record: &Record, case: &CaseId, margin: f64) -> Result<Row> {
    let mut alone = record.clone();
    alone.measured.retain(|it| it.contest == case.contest);
    let mut comparison = live(&alone, Rules { margin, ..Rules::default() });
    let at = comparison.rows.iter().position(|row| row.case == *case);
    let at = at.with_context(|| format!("{case} was not measured"))?;
    Ok(comparison.rows.swap_remove(at))
}

/// The rows of one case over all repetitions.
struct Rows(Vec<Row>);

impl Rows {
    fn of(records: &[Record], case: &CaseId, margin: f64) -> Result<Self> {
        records.iter().map(|it| judge(it, case, margin)).collect::<Result<_>>().map(Self)
    }

    fn slower(&self) -> usize {
        self.0.iter().filter(|row| row.verdict == Verdict::Slower).count()
    }

    fn median(&self, of: fn(&Row) -> Option<f64>) -> Result<f64> {
        let values: Vec<f64> = self.0.iter().filter_map(of).collect();
        median(&values).context("no ratios")
    }
}

/// What came out for one case.
struct Found {
    case: CaseId,
    spread: f64,
    detectable: f64,
    /// How much longer the side with 3 % took.
    three: f64,
    /// How many times slower of all repetitions, by what was planted and the margin.
    nothing_at_usual: usize,
    three_at_usual: usize,
    one_at_usual: usize,
    one_at_small: usize,
    detectable_at_usual: usize,
}

impl Found {
    fn row(&self) -> Vec<String> {
        vec![
            self.case.to_string(),
            percent(self.spread),
            percent(self.three),
            self.nothing_at_usual.to_string(),
            self.three_at_usual.to_string(),
            self.one_at_usual.to_string(),
            self.one_at_small.to_string(),
            percent(self.detectable),
            self.detectable_at_usual.to_string(),
        ]
    }
}

pub(crate) fn measure(session: &Session<'_>) -> Result<String> {
    let wanted =
        |id: &&&str| session.arguments.filter.as_ref().is_none_or(|filter| filter.is_match(id));
    let cases: Vec<CaseId> = CASES
        .iter()
        .filter(wanted)
        .map(|id| id.parse().map_err(|error| anyhow!("{id}: {error}")))
        .collect::<Result<_>>()?;
    if cases.is_empty() {
        bail!("no case is selected; there are {}", CASES.join(", "));
    }
    let contests: Vec<PlannedContest> = cases.iter().map(planned).collect();
    let rounds = session.rounds(ROUNDS);
    let repetitions = session.arguments.repetitions;
    let seed = |repetition: u32| session.seed.wrapping_add(u64::from(repetition));

    let pairs = [Pair::new(session, 0.0)?, Pair::new(session, 0.01)?, Pair::new(session, 0.03)?];
    let [nothing, one, three] = pinned(|| {
        let mut records = [const { Vec::new() }; 3];
        for repetition in 0..repetitions {
            eprintln!("repetition {} of {repetitions}", repetition + 1);
            // In turn, so that each meets the same machine.
            for (pair, records) in pairs.iter().zip(&mut records) {
                records.push(pair.run(&contests, rounds, seed(repetition))?);
            }
        }
        Ok(records)
    })?;

    // Large enough for every case, under the conditions in which it was said to be.
    let mut largest: f64 = 0.0;
    for case in &cases {
        let rows = Rows::of(&nothing, case, USUAL_MARGIN)?;
        largest = largest.max(rows.median(|row| row.detectable)?);
    }
    // More than all of its time cannot be planted.
    let pair = Pair::new(session, largest.exp_m1().min(1.0))?;
    let detectable = pinned(|| {
        (0..repetitions)
            .map(|repetition| {
                eprintln!("{} planted, {} of {repetitions}", percent(largest), repetition + 1);
                pair.run(&contests, rounds, seed(repetition))
            })
            .collect::<Result<Vec<Record>>>()
    })?;

    let mut all = Vec::new();
    for case in &cases {
        let as_it_is = Rows::of(&nothing, case, USUAL_MARGIN)?;
        let three = Rows::of(&three, case, USUAL_MARGIN)?;
        all.push(Found {
            case: case.clone(),
            spread: as_it_is.median(|row| row.spread)?,
            detectable: as_it_is.median(|row| row.detectable)?,
            three: three.median(|row| row.log_ratio)?,
            nothing_at_usual: as_it_is.slower(),
            three_at_usual: three.slower(),
            one_at_usual: Rows::of(&one, case, USUAL_MARGIN)?.slower(),
            one_at_small: Rows::of(&one, case, SMALL_MARGIN)?.slower(),
            detectable_at_usual: Rows::of(&detectable, case, USUAL_MARGIN)?.slower(),
        });
    }
    Ok(tell(&all, largest, rounds, repetitions as usize))
}

fn tell(all: &[Found], largest: f64, rounds: u32, repetitions: usize) -> String {
    let (quiet, noisy): (Vec<&Found>, Vec<&Found>) = all.iter().partition(|it| it.spread <= QUIET);
    // What a chance of 95 % gives in 98 of 100 calibrations of 20 repetitions.
    let mostly = repetitions * 17 / 20;
    let fewest = |cases: &[&Found], of: fn(&Found) -> usize| cases.iter().map(|it| of(it)).min();
    let most = |cases: &[&Found], of: fn(&Found) -> usize| cases.iter().map(|it| of(it)).max();
    let target = |what: &str, bound, seen: Option<usize>| Target {
        what: what.to_owned(),
        bound,
        seen: seen.map(Count),
    };
    let (every, none) = (AtLeast(Count(repetitions)), AtMost(Count(0)));
    let rows = [
        target(
            "quiet: 3 % found, margin 2 %, fewest",
            every,
            fewest(&quiet, |it| it.three_at_usual),
        ),
        target(
            "quiet: 1 % called slower, margin 2 %, most",
            none,
            most(&quiet, |it| it.one_at_usual),
        ),
        target(
            "quiet: 1 % found, margin 0.3 %, fewest",
            every,
            fewest(&quiet, |it| it.one_at_small),
        ),
        target(
            "others: the smallest detectable change found, fewest",
            AtLeast(Count(mostly)),
            fewest(&noisy, |it| it.detectable_at_usual),
        ),
        target("all: nothing planted, called slower, most", none, {
            let all: Vec<&Found> = all.iter().collect();
            most(&all, |it| it.nothing_at_usual)
        }),
    ];
    let head = [
        "case, and how many times it was called slower",
        "spread between rounds",
        "3 % came out as",
        "0 %, margin 2 %",
        "3 %, margin 2 %",
        "1 %, margin 2 %",
        "1 %, margin 0.3 %",
        "detectable at margin 2 %",
        "the largest of these planted",
    ];
    format!(
        "The planted worker against itself: {repetitions} repetitions of {rounds} rounds of {} slices, each case judged \
         alone. Quiet are cases with a spread of at most {}: {} of {}. The largest of the detectable changes is {}.\n\n{}\n{}",
        Settings::default().slices,
        percent(QUIET),
        quiet.len(),
        all.len(),
        percent(largest),
        table(&head, all.iter().map(Found::row)),
        targets(&rows),
    )
}
