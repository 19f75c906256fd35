//! All numbers of one algorithm and operation, as a table that can be sorted.

use super::{Page, View, controls::name, reasons::Reasons, view::Group};
use crate::{text::visible, units};
use cryptobench_results::{
    by_chance,
    ranking::{RankedContest, RankedSide},
};
use maud::{Markup, html};

/// The units of a table, one a column.
#[derive(Clone, Copy)]
struct Columns {
    time: units::TimeUnit,
    /// The largest throughput or rate, whose unit is the column's.
    fastest: f64,
    in_bytes: bool,
    by_chance: bool,
}

impl Columns {
    fn of(group: &Group<'_>) -> Self {
        let in_bytes = group.contests[0].contest.bytes().is_some();
        let (mut least, mut fastest) = (f64::INFINITY, 0.0_f64);
        for contest in group.contests {
            for side in &contest.sides {
                least = least.min(side.time_ns);
                fastest = fastest.max(speed(contest, side, in_bytes));
            }
        }
        let by_chance = by_chance(group.contests[0].contest);
        Self { time: units::unit(least), fastest, in_bytes, by_chance }
    }
}

/// Bytes or operations a second.
fn speed(contest: &RankedContest, side: &RankedSide, in_bytes: bool) -> f64 {
    let bytes = contest.contest.bytes().filter(|_| in_bytes).unwrap_or(1);
    bytes as f64 / side.time_ns * 1e9
}

pub(crate) fn table(page: &Page<'_>, view: &View<'_>, group: &Group<'_>) -> Markup {
    let columns = Columns::of(group);
    let sized = group.unit().is_some();
    let mut reasons = Reasons::default();
    html! {
        div .scroll tabindex="0" {
            table .sortable .numbers {
                caption { (group.name()) }
                thead { tr {
                    @if sized { th .n scope="col" { "Size" } }
                    th scope="col" { "Backend" }
                    th .n scope="col" { "Time" }
                    th .n scope="col" { "95 % interval" }
                    th .n scope="col" { @if columns.in_bytes { "Throughput" } @else { "Operations" } }
                    th .n .to scope="col" { "Ratio to " @if let Some(it) = page.reference() { (it) } @else { "the fastest" } }
                    th .n scope="col" { "95 % interval" }
                    @if columns.by_chance { th .n scope="col" { "Keys" } th .n scope="col" { "p95" } } @else { th .n scope="col" { "Rank" } }
                } }
                tbody {
                    @for contest in group.contests {
                        @for side in &contest.sides { (row(page, view, contest, side, columns, sized)) }
                        @for member in page.cast.members() {
                            @if let Some(reason) = view.absent(contest.contest, &member.label) {
                                tr .none data-b=(member.label) data-a=(contest.contest.algorithm) {
                                    @if sized { td .n data-v=(contest.contest.size.unwrap_or(0)) { (units::size(contest.contest)) } }
                                    td { (name(member)) }
                                    (reasons.cell(&member.label, Some(reason), if columns.by_chance { 7 } else { 6 }))
                                }
                            }
                        }
                    }
                }
            }
        }
        (reasons.list())
    }
}

fn row(
    page: &Page<'_>,
    view: &View<'_>,
    contest: &RankedContest,
    side: &RankedSide,
    columns: Columns,
    sized: bool,
) -> Markup {
    let member = view.member(&page.cast, &side.key);
    let case = contest.contest.case(side.key.backend.clone());
    let note = view.note(&case, side.key.program);
    html! {
        tr data-b=(member.label) data-contest=(contest.contest) {
            @if sized { td .n data-v=(contest.contest.size.unwrap_or(0)) { (units::size(contest.contest)) } }
            td title=[note.map(visible)] {
                @match page.options.criterion.get(&case) {
                    Some(address) => a href=(address) { (name(member)) },
                    None => (name(member)),
                }
                @if note.is_some() { "*" }
            }
            td .n data-v=(units::coarse(side.time_ns)) { (units::scaled(side.time_ns, columns.time)) }
            td .n { (side.interval_ns.map_or_else(String::new, |it| units::time_interval(it, columns.time))) }
            td .n data-v=(units::coarse(speed(contest, side, columns.in_bytes))) {
                @if columns.in_bytes { (units::throughput(contest.contest.size.unwrap_or(1), side.time_ns, contest.contest.size.unwrap_or(1) as f64 / columns.fastest * 1e9)) }
                @else { (units::rate_among(side.time_ns, 1e9 / columns.fastest)) }
            }
            td .n .ratio data-v=[side.log_ratio.map(|it| units::coarse(it.exp()))] { (side.log_ratio.map_or_else(|| "–".to_owned(), units::ratio)) }
            td .n .interval { (side.interval.map_or_else(String::new, units::ratio_interval)) }
            @if columns.by_chance {
                @let quantiles = side.quantiles;
                td .n { (quantiles.map_or_else(String::new, |it| it.values.to_string())) }
                td .n { (quantiles.and_then(|it| it.p95).map_or_else(String::new, |it| units::scaled(it, columns.time))) }
            } @else {
                td .n .rank { (units::rank(side, &contest.sides)) }
            }
        }
    }
}
