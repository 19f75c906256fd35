//! Which of several algorithms: the fastest sides of contests that differ in their algorithm, against one another.
//! Which side of one contest is fastest is in `ranking`.

use crate::{
    keygen,
    log_ratio::of_times,
    ranking::{RankedContest, RankedSide, Ranking, Ratio},
    record::SideKey,
    statistics::{Interval, cut_for, difference_of_trimmed_means},
};
use cryptobench_schema::Contest;

/// The confidence of intervals.
const CONFIDENCE: f64 = 0.95;

/// The fastest side of one contest, among those of others.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// What was measured.
    pub contest: Contest,
    /// The first of those that lead it.
    pub side: SideKey,
    /// Nanoseconds of one operation, as in [`RankedSide::time_ns`].
    pub time_ns: f64,
    /// The others that lead it.
    pub tied: Vec<SideKey>,
    /// Its time over that of the first standing; `None` for that itself. Without an interval where the time of one
    /// of the two has none, or where both together bound nothing.
    pub over_best: Option<Ratio>,
}

/// The fastest side of each of `contests` that `ranking` has, the fastest of all first; equal times in the order of
/// tables.
///
/// The order is that of times. Sides of different contests do not take their slices in turn, so their ratio is the
/// difference of the trimmed means ([`cut_for`]) of the logarithms of the rounds' times, with Yuen's interval:
/// wider than that of two sides of one contest by what the machine did in between. For the same reason it may
/// disagree with the order about two that are as good as equal. Where one of the two is RSA keygen: the ratio of
/// the medians of all keys (of the other's rounds), with the interval that order statistics give.
#[must_use]
pub fn across(ranking: &Ranking, contests: &[Contest]) -> Vec<Standing> {
    let mut fastest: Vec<(&RankedContest, &RankedSide, Vec<SideKey>)> = ranking
        .contests
        .iter()
        .filter(|it| contests.contains(&it.contest))
        .filter_map(|contest| {
            let mut winners = contest.lead()?.winners.into_iter();
            let first = winners.next()?;
            let side = contest.sides.iter().find(|side| side.key == first)?;
            Some((contest, side, winners.collect()))
        })
        .collect();
    fastest.sort_by(|a, b| a.1.time_ns.total_cmp(&b.1.time_ns));
    let best = fastest.first().map(|it| (it.0.contest, it.1));
    fastest
        .into_iter()
        .enumerate()
        .map(|(index, (contest, side, tied))| Standing {
            contest: contest.contest,
            side: side.key.clone(),
            time_ns: side.time_ns,
            tied,
            over_best: best.filter(|_| index > 0).map(|best| ratio((contest.contest, side), best)),
        })
        .collect()
}

/// The time of `of` over that of `over`, which were not measured in turn.
fn ratio(of: (Contest, &RankedSide), over: (Contest, &RankedSide)) -> Ratio {
    let by_times = of_times(of.1.time_ns, over.1.time_ns);
    let (log_ratio, interval) = if keygen::by_chance(of.0) || keygen::by_chance(over.0) {
        keygen::median_ratio(spread(over.1), spread(of.1))
            .map_or((by_times, None), |it| (it.log_ratio, it.interval))
    } else {
        let logs =
            |side: &RankedSide| -> Vec<f64> { side.times_ns.iter().map(|it| it.ln()).collect() };
        let (first, second) = (logs(over.1), logs(of.1));
        difference_of_trimmed_means(&first, &second, (cut_for(first.len()), cut_for(second.len())))
            .map_or((by_times, None), |it| (it.value, Some(it.interval(CONFIDENCE))))
    };
    let known = of.1.interval_ns.is_some() && over.1.interval_ns.is_some();
    Ratio {
        // Not -0.0.
        log_ratio: log_ratio + 0.0,
        interval: interval.filter(|it| known && Interval::is_bounded(it)),
        // Nothing is tested between contests.
        p_slower: None,
    }
}

/// Each key's time, or where there are none each round's.
fn spread(side: &RankedSide) -> &[f64] {
    if side.keys_ns.is_empty() { &side.times_ns } else { &side.keys_ns }
}
