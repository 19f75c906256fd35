//! From estimates to verdicts: the family of tests, its adjustment, equivalence, layout.
//! Where the estimates come from is in `live` and `records`.

use super::{Row, Verdict};
use crate::{
    keygen::MedianRatio,
    statistics::{Estimate, Interval, holm, upper_quantile},
};
use std::collections::HashMap;

/// The confidence of the intervals of rows.
const CONFIDENCE: f64 = 0.95;

/// The probability with which a change of [`Row::detectable`] is found.
const POWER: f64 = 0.95;

/// A row on its way to a verdict.
pub(super) struct Pending {
    /// What is known of it; its verdict counts where it is settled.
    pub(super) row: Row,
    /// What its verdict rests on.
    pub(super) basis: Basis,
}

/// What a verdict rests on.
pub(super) enum Basis {
    /// It has been given.
    Settled,
    /// Rounds that only screen: the interval may show that it is the same, and nothing else.
    Screening(Estimate),
    /// Rounds that decide.
    Deciding(Estimate),
}

/// Rows with their verdicts.
pub(super) struct Judged {
    pub(super) rows: Vec<Row>,
    /// How many of them were tested together.
    pub(super) family: usize,
}

/// Whether screening rounds alone show a case to be the same: the interval, two-sided, lies within the margin.
pub(super) fn screened_out(estimate: &Estimate, delta: f64) -> bool {
    estimate.interval(CONFIDENCE).within(delta)
}

/// Gives each row its verdict, with `delta` the margin's logarithm.
///
/// Slower and faster are two families for Holm. In each are the rows that rounds decide and that can have that
/// verdict. Rows of which nothing changed cannot: whether they are among them is read from the environments and
/// not from the times, so leaving them out keeps alpha for the others, and gives these the power that tests
/// without a consequence would take. RSA keygen is settled before.
pub(super) fn judge(pending: Vec<Pending>, delta: f64, alpha: f64) -> Judged {
    let tested: Vec<(usize, Estimate)> = pending
        .iter()
        .enumerate()
        .filter_map(|(index, it)| match it.basis {
            Basis::Deciding(estimate) if !it.row.unchanged => Some((index, estimate)),
            _ => None,
        })
        .collect();
    let family = tested.len();
    let adjusted = |p: fn(&Estimate, f64) -> f64, bound: f64| {
        let raw: Vec<f64> = tested.iter().map(|(_, estimate)| p(estimate, bound)).collect();
        holm(&raw)
    };
    let slower = adjusted(Estimate::p_above, delta);
    let faster = adjusted(Estimate::p_below, -delta);

    let mut quantiles = Quantiles::new(alpha / family.max(1) as f64);
    let mut rows: Vec<Row> = Vec::with_capacity(pending.len());
    let mut next = tested.iter().zip(slower.into_iter().zip(faster)).peekable();
    for (index, Pending { mut row, basis }) in pending.into_iter().enumerate() {
        if let Basis::Screening(estimate) | Basis::Deciding(estimate) = &basis {
            let (interval, detectable) = quantiles.of(estimate.degrees);
            row.log_ratio = Some(estimate.value);
            row.interval = Some(estimate.interval_at(interval)).filter(Interval::is_bounded);
            row.detectable =
                Some(estimate.detectable_at(delta, detectable)).filter(|it| it.is_finite());
        }
        match basis {
            Basis::Settled => {}
            Basis::Screening(estimate) => {
                if screened_out(&estimate, delta) {
                    row.verdict = Verdict::Same;
                } else {
                    row.verdict = Verdict::Inconclusive;
                    row.reason = Some("only screened: it needs the rounds that decide".into());
                }
            }
            Basis::Deciding(estimate) => {
                if let Some((_, (p_slower, p_faster))) = next.next_if(|it| it.0.0 == index) {
                    row.p_slower = Some(p_slower);
                    row.p_faster = Some(p_faster);
                }
                row.verdict = decided(&row, &estimate, delta, alpha);
                if row.verdict == Verdict::Layout {
                    row.reason = Some(LAYOUT.into());
                }
            }
        }
        rows.push(row);
    }
    Judged { rows, family }
}

const LAYOUT: &str =
    "the same code, compiler and flags on both sides: only where the code lies in memory differs";

fn decided(row: &Row, estimate: &Estimate, delta: f64, alpha: f64) -> Verdict {
    if row.p_slower.is_some_and(|p| p < alpha) {
        Verdict::Slower
    } else if row.p_faster.is_some_and(|p| p < alpha) {
        Verdict::Faster
    } else if estimate.p_below(delta) < alpha && estimate.p_above(-delta) < alpha {
        // Two one-sided tests (Schuirmann 1987). Not adjusted: that a case is the same alarms nobody.
        Verdict::Same
    } else if row.unchanged && estimate.value.abs() > delta {
        Verdict::Layout
    } else {
        Verdict::Inconclusive
    }
}

/// Settles a row of RSA keygen: shown, and never more than suspected.
pub(super) fn settle_by_chance(row: &mut Row, ratio: Option<MedianRatio>, delta: f64) {
    row.verdict = Verdict::Inconclusive;
    row.reason = Some("times of RSA keys are spread by chance: compare their quantiles".into());
    let Some(ratio) = ratio else { return };
    row.old_ns = Some(ratio.old);
    row.new_ns = Some(ratio.new);
    row.log_ratio = Some(ratio.log_ratio);
    row.interval = ratio.interval;
    if ratio.interval.is_some_and(|interval| interval.beyond(delta)) {
        if row.unchanged {
            row.verdict = Verdict::Layout;
            row.reason = Some(LAYOUT.into());
        } else {
            row.verdict = Verdict::Suspect;
        }
    }
}

/// Quantiles of Student's t that many rows need: they mostly have the same degrees of freedom.
struct Quantiles {
    level: f64,
    known: HashMap<u64, (f64, f64)>,
}

impl Quantiles {
    fn new(level: f64) -> Self {
        Self { level, known: HashMap::new() }
    }

    /// The quantile of the interval, and the sum of those of what is detectable.
    fn of(&mut self, degrees: f64) -> (f64, f64) {
        *self.known.entry(degrees.to_bits()).or_insert_with(|| {
            (
                upper_quantile((1.0 - CONFIDENCE) / 2.0, degrees),
                upper_quantile(self.level, degrees) + upper_quantile(1.0 - POWER, degrees),
            )
        })
    }
}
