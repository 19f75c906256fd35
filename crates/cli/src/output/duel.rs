//! Two backends against each other as a table and one sentence. Who is faster is computed in the results.

use crate::output::table::{Column, Table};
use cryptobench_report::units::{self, count};
use cryptobench_results::{
    by_chance,
    duel::{MeanRatio, mean_ratio},
    ranking::{Entrants, Options, RankedContest, RankedSide, rank},
    record::Record,
    statistics::Interval,
};
use cryptobench_schema::{BackendId, Operation};
use std::{cmp::Ordering, collections::BTreeSet};

/// The duel of `first` and `second` in `record`, of which each contest has each at most once.
pub(crate) fn text(record: &Record, first: &BackendId, second: &BackendId) -> String {
    let mut record = record.clone();
    record.leave_out_failed();
    let options = Options {
        entrants: Entrants::AllPrograms,
        reference: Some(first.clone()),
        ..Options::default()
    };
    let bouts: Vec<Bout> = rank(&record, &options)
        .contests
        .into_iter()
        .filter_map(|it| Bout::of(it, first, second))
        .collect();
    let Some(sample) = bouts.first() else {
        return format!("{first} and {second} have no times in the same contest\n");
    };
    let mean = mean_ratio(&record, &sample.second.key, &sample.first.key);
    format!(
        "{}\n{}\n",
        table(&bouts, first, second).render(false),
        sentence(&bouts, mean, first, second)
    )
}

/// One contest of two.
struct Bout {
    contest: RankedContest,
    first: RankedSide,
    second: RankedSide,
}

impl Bout {
    fn of(contest: RankedContest, first: &BackendId, second: &BackendId) -> Option<Self> {
        let side = |backend: &BackendId| {
            contest.sides.iter().find(|it| it.key.backend == *backend).cloned()
        };
        let (first, second) = (side(first)?, side(second)?);
        Some(Self { contest, first, second })
    }

    /// `Less` where the first is significantly faster, `Equal` for a tie, `None` where rounds cannot say.
    fn order(&self) -> Option<Ordering> {
        Some(self.first.rank?.cmp(&self.second.rank?))
    }

    /// The logarithm of the second's time over the first's.
    fn log_ratio(&self) -> f64 {
        self.second.log_ratio.unwrap_or(0.0)
    }
}

fn table(bouts: &[Bout], first: &BackendId, second: &BackendId) -> Table {
    let ratio = format!("{second}/{first}");
    let mut table = Table::new(&[
        Column::Left("contest"),
        Column::Right(first.as_str()),
        Column::Right(second.as_str()),
        Column::Right(&ratio),
        Column::Right("95 % interval"),
        Column::Left("faster"),
    ]);
    for bout in bouts {
        let unit = units::unit(bout.first.time_ns.min(bout.second.time_ns));
        table.row([
            bout.contest.contest.to_string(),
            units::scaled(bout.first.time_ns, unit),
            units::scaled(bout.second.time_ns, unit),
            units::ratio(bout.log_ratio()),
            bout.second.interval.map_or_else(String::new, units::ratio_interval),
            match bout.order() {
                Some(Ordering::Less) => first.to_string(),
                Some(Ordering::Greater) => second.to_string(),
                Some(Ordering::Equal) => "tie".to_owned(),
                None => "-".to_owned(),
            },
        ]);
    }
    table
}

/// All of it in one sentence, about the one that is faster on the whole.
fn sentence(
    bouts: &[Bout],
    mean: Option<MeanRatio>,
    first: &BackendId,
    second: &BackendId,
) -> String {
    let judged: Vec<&Bout> = bouts.iter().filter(|it| !by_chance(it.contest.contest)).collect();
    if judged.is_empty() {
        return "Times of RSA key generation are spread by chance: nobody wins.".to_owned();
    }
    let ratios: Vec<f64> = judged.iter().map(|it| it.log_ratio()).collect();
    let average = ratios.iter().sum::<f64>() / ratios.len() as f64;
    let turned = mean.map_or(average, |it| it.log_ratio) < 0.0;
    let (winner, loser) = if turned { (second, first) } else { (first, second) };
    let sign = if turned { -1.0 } else { 1.0 };
    let low = ratios.iter().map(|it| it * sign).fold(f64::INFINITY, f64::min);
    let high = ratios.iter().map(|it| it * sign).fold(f64::NEG_INFINITY, f64::max);
    let (low, high) = (units::times_as_fast(low), units::times_as_fast(high));
    let range = if low == high { low } else { format!("{low} to {high}") };
    let does = verbs(judged.iter().map(|it| it.contest.contest.operation).collect());
    let over = count(judged.len(), "contest");
    let undecided = mean
        .and_then(|it| it.interval)
        .is_some_and(|interval| interval.low <= 0.0 && 0.0 <= interval.high);
    let mut text = if undecided {
        format!(
            "{winner} and {loser}: no difference on the whole over {over}, {range} times as fast"
        )
    } else {
        format!("{winner} {does} {range} times as fast as {loser} over {over}")
    };
    if let Some(it) = mean {
        let value = format!("{:.3}", (it.log_ratio * sign).exp());
        let interval = it.interval.map_or_else(
            || ", one round: no interval".to_owned(),
            |it| {
                let it = if turned { Interval { low: -it.high, high: -it.low } } else { it };
                format!(" [{:.3}, {:.3}]", it.low.exp(), it.high.exp())
            },
        );
        let of = if it.contests == judged.len() {
            String::new()
        } else {
            format!(" of the {} that no round lacks", it.contests)
        };
        text.push_str(&format!(" (geometric mean{of} {value}{interval})"));
    }
    let orders: Vec<Ordering> = judged.iter().filter_map(|it| it.order()).collect();
    if orders.is_empty() {
        text.push_str("; one round cannot say who wins");
    } else {
        let of = |order: Ordering| orders.iter().filter(|it| **it == order).count();
        let (ahead, behind) = (of(Ordering::Less), of(Ordering::Greater));
        let (wins, losses) = if turned { (behind, ahead) } else { (ahead, behind) };
        text.push_str(&format!(
            "; {winner} wins {wins}, loses {losses}, ties {}",
            of(Ordering::Equal)
        ));
    }
    text.push('.');
    text
}

/// What one does who has these operations.
fn verbs(operations: BTreeSet<Operation>) -> String {
    let verbs: Vec<&str> = operations
        .into_iter()
        .map(|operation| match operation {
            Operation::Encrypt => "encrypts",
            Operation::Decrypt => "decrypts",
            Operation::Seal => "seals",
            Operation::Open => "opens",
            Operation::Reject => "rejects",
            Operation::KeySetup => "sets keys up",
            Operation::SealFreshKey => "seals under fresh keys",
            Operation::Keygen => "generates keys",
            Operation::Sign => "signs",
            Operation::Verify => "verifies",
            Operation::Derive => "derives secrets",
            Operation::Ephemeral => "exchanges keys",
            Operation::EncryptPieces => "encrypts in pieces",
            Operation::DecryptPieces => "decrypts in pieces",
            Operation::KeygenSeeded => "generates keys from a seed",
            Operation::Whole => "encrypts documents",
            Operation::Fields => "encrypts fields",
            Operation::FieldsFreshKey => "encrypts fields under fresh keys",
            Operation::WholeFile => "encrypts files",
            Operation::FieldsFile => "encrypts fields of files",
            Operation::FieldsFreshKeyFile => "encrypts fields of files under fresh keys",
            Operation::Copy => "copies",
            Operation::Empty | Operation::Nonce | Operation::Random => "is",
        })
        .collect();
    match verbs[..] {
        [one] => one.to_owned(),
        [one, other] => format!("{one} and {other}"),
        [one, other, third] => format!("{one}, {other} and {third}"),
        _ => "is".to_owned(),
    }
}
