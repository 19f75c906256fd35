//! How does it grow? A chart of each algorithm and operation over sizes, what a message and a byte cost, and where one
//! backend overtakes another.

use super::{Page, View, controls::name, numbers, view::Group};
use crate::{
    chart::{Axis, Bar, Bars, Lines, Point, Scale, Series},
    units,
};
use cryptobench_results::{
    growth::{Line, line, overtakes},
    ranking::{RankedContest, RankedSide},
};
use cryptobench_schema::{Algorithm, Family, Operation, Unit};
use maud::{Markup, html};

pub(crate) fn content(page: &Page<'_>) -> Markup {
    let view = page.main();
    html! {
        p {
            "One line for each backend; both axes are logarithmic, so equal distances are equal ratios. A vertical stroke through a point is the 95 %
            interval where that is large enough to be seen. The dashed line, where it is within reach, is a copy of the message: no cryptography. "
            "A ratio is of slices taken in turn, so it is not the quotient of two times, and it is the better number. A rank is 1 + the number of
            backends that are significantly faster; those who share one are marked =. "
            span .scripted { "Point at a chart, or go to it by Tab and move by the arrow keys, to read its values." }
        }
        @for family in Family::ALL {
            @let groups = view.groups_of(family);
            @if !groups.is_empty() {
                h3 { (family.title()) }
                @if family == Family::Control {
                    p { "No cryptography: what the harness itself costs. No backend can be faster than this floor." }
                }
                @for algorithm in groups.chunk_by(|one, other| one.algorithm == other.algorithm) {
                    (block(page, view, algorithm))
                }
            }
        }
    }
}

/// Everything of one algorithm.
fn block(page: &Page<'_>, view: &View<'_>, groups: &[Group<'_>]) -> Markup {
    let algorithm = groups[0].algorithm;
    html! {
        div .algorithm data-a=(algorithm) {
            h4 id=(algorithm) { (algorithm) }
            div .charts {
                @for group in groups {
                    figure {
                        figcaption { (group.operation) }
                        (chart(page, view, group))
                        (fits(page, view, group))
                        details {
                            summary { "All numbers" }
                            (numbers::table(page, view, group))
                        }
                    }
                }
            }
        }
    }
}

fn chart(page: &Page<'_>, view: &View<'_>, group: &Group<'_>) -> Markup {
    match (group.unit(), group.contests) {
        (Some(unit), [_, _, ..]) => over_sizes(page, view, group, unit),
        // Of one size, or of none.
        (_, contests) => html! { @for contest in contests { (bars(page, view, group, contest)) } },
    }
}

/// What is drawn of one side: bytes or operations a second.
struct Speed {
    unit: Unit,
}

impl Speed {
    const fn axis(&self) -> &'static str {
        match self.unit {
            Unit::Bytes | Unit::PieceBytes => "GB/s",
            Unit::ModulusBits => "operations/s",
        }
    }

    fn of(&self, contest: &RankedContest, nanoseconds: f64) -> f64 {
        match self.unit {
            Unit::Bytes | Unit::PieceBytes => {
                contest.contest.bytes().unwrap_or(1) as f64 / nanoseconds
            }
            Unit::ModulusBits => 1e9 / nanoseconds,
        }
    }

    fn says(&self, contest: &RankedContest, side: &RankedSide, label: &str) -> String {
        let speed = match self.unit {
            Unit::Bytes | Unit::PieceBytes => {
                units::throughput(contest.contest.bytes().unwrap_or(1), side.time_ns, side.time_ns)
            }
            Unit::ModulusBits => units::rate(side.time_ns),
        };
        format!("{label}, {}: {speed}, {}", units::size(contest.contest), time(side))
    }
}

/// A time with its interval.
fn time(side: &RankedSide) -> String {
    let unit = units::unit(side.time_ns);
    let interval = side.interval_ns.map_or_else(String::new, |it| {
        format!(" [{}, {}]", units::bare(it.low, unit), units::bare(it.high, unit))
    });
    format!("{}{interval}", units::scaled(side.time_ns, unit))
}

fn over_sizes(page: &Page<'_>, view: &View<'_>, group: &Group<'_>, unit: Unit) -> Markup {
    let speed = Speed { unit };
    let mut series: Vec<Series<'_>> = Vec::new();
    for member in page.cast.members() {
        let points: Vec<Point> = group
            .contests
            .iter()
            .filter_map(|contest| {
                let side = view.side(contest, member)?;
                Some(Point {
                    x: contest.contest.size? as f64,
                    y: speed.of(contest, side.time_ns),
                    // The longest time is the lowest speed.
                    interval: side
                        .interval_ns
                        .map(|it| (speed.of(contest, it.high), speed.of(contest, it.low))),
                    says: speed.says(contest, side, &member.label),
                })
            })
            .collect();
        if !points.is_empty() {
            series.push(Series { member, points });
        }
    }
    let sizes: Vec<u64> = group.contests.iter().filter_map(|it| it.contest.size).collect();
    let y = Axis::decades(
        speed.axis(),
        series.iter().flat_map(|it| &it.points).map(|it| it.y),
        units::short,
    );
    Lines {
        name: format!("{}: {} over {}", group.name(), speed.axis(), size_axis(unit)),
        x: Axis::new(size_axis(unit), Scale::Log, marks(&sizes)),
        y,
        series,
        floor: if unit == Unit::Bytes { floor(view, group) } else { Vec::new() },
    }
    .draw()
}

const fn size_axis(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => "message, bytes",
        Unit::PieceBytes => "piece, bytes",
        Unit::ModulusBits => "modulus, bits",
    }
}

/// A mark for every size, with a label where the one before is far enough away.
fn marks(sizes: &[u64]) -> Vec<(f64, String)> {
    let span = match sizes {
        [first, .., last] => (*last as f64 / *first as f64).ln(),
        _ => 1.0,
    };
    let mut labelled = f64::NEG_INFINITY;
    sizes
        .iter()
        .map(|&size| {
            let place = (size as f64).ln() / span;
            // A label of five digits takes a tenth of the axis.
            let label = if place - labelled > 0.1 {
                labelled = place;
                size.to_string()
            } else {
                String::new()
            };
            (size as f64, label)
        })
        .collect()
}

/// The copy of a message, where the record has it: what reading and writing alone would take.
fn floor(view: &View<'_>, group: &Group<'_>) -> Vec<Point> {
    let copy = view
        .groups()
        .find(|it| (it.algorithm, it.operation) == (Algorithm::Control, Operation::Copy));
    let Some(copy) = copy.filter(|_| group.algorithm != Algorithm::Control) else {
        return Vec::new();
    };
    let speed = Speed { unit: Unit::Bytes };
    let point = |contest: &RankedContest| {
        let side = contest.sides.first()?;
        Some(Point {
            x: contest.contest.size? as f64,
            y: speed.of(contest, side.time_ns),
            interval: None,
            says: speed.says(contest, side, "a copy of the message, no cryptography"),
        })
    };
    copy.contests.iter().filter_map(point).collect()
}

fn bars(page: &Page<'_>, view: &View<'_>, group: &Group<'_>, contest: &RankedContest) -> Markup {
    let fastest = contest.sides.iter().map(|it| it.time_ns).fold(f64::INFINITY, f64::min);
    let size = units::size(contest.contest);
    let size = if size.is_empty() { size } else { format!(", {size}") };
    let bars: Vec<Bar<'_>> = contest
        .sides
        .iter()
        .map(|side| {
            let member = view.member(&page.cast, &side.key);
            Bar {
                member,
                value: 1e9 / side.time_ns,
                interval: side.interval_ns.map(|it| (1e9 / it.high, 1e9 / it.low)),
                label: units::rate_among(side.time_ns, fastest),
                says: format!(
                    "{}{size}: {}, {}",
                    member.label,
                    units::rate(side.time_ns),
                    time(side)
                ),
            }
        })
        .collect();
    let name = format!("operations/s{size}");
    Bars {
        name: format!("{}: {name}", group.name()),
        x: Axis::from_zero(&name, bars.iter().map(|it| it.value), units::short),
        bars,
    }
    .draw()
}

/// What a message and a KiB cost each backend, and who overtakes whom.
fn fits(page: &Page<'_>, view: &View<'_>, group: &Group<'_>) -> Markup {
    if group.unit() != Some(Unit::Bytes) {
        return html! {};
    }
    let lines: Vec<(&crate::cast::Member, Line)> = page
        .cast
        .members()
        .iter()
        .filter_map(|member| {
            let points: Vec<(u64, f64)> = group
                .contests
                .iter()
                .filter_map(|contest| {
                    let side = view.side(contest, member)?;
                    Some((contest.contest.size?, side.time_ns))
                })
                .collect();
            Some((member, line(&points)?))
        })
        .collect();
    if lines.is_empty() {
        return html! {};
    }
    let overtakes = overtakes(group.contests);
    html! {
        div .scroll { table .fits .sortable {
            caption { "time = a + b·n, fitted" }
            thead { tr {
                th scope="col" { "Backend" }
                th .n scope="col" { "a, fixed" }
                th .n scope="col" { "b, a KiB" }
                th .n scope="col" title="the largest distance of a measured time from the line" { "off by" }
                th .n scope="col" title="the share of the variance that the line explains, in relative errors" { "R²" }
            } }
            tbody {
                @for (member, line) in &lines {
                    tr data-b=(member.label) {
                        td { (name(member)) }
                        td .n data-v=(units::coarse(line.fixed_ns)) { (units::scaled(line.fixed_ns, units::NANOSECONDS)) }
                        td .n data-v=(units::coarse(line.per_byte_ns)) { (units::scaled(line.per_byte_ns * 1024.0, units::NANOSECONDS)) }
                        td .n data-v=(units::coarse(line.worst)) { "≤ " (format!("{:.0} %", (line.worst * 100.0).ceil())) }
                        td .n { (format!("{:.4}", line.r_squared)) }
                    }
                }
            }
        } }
        @if !overtakes.is_empty() {
            ul .overtakes {
                @for it in &overtakes {
                    @let (below, above) = (view.member(&page.cast, &it.below), view.member(&page.cast, &it.above));
                    li data-b=(below.label) {
                        span data-b=(above.label) {
                            (name(above)) " overtakes " (name(below)) " at about " (format!("{:.0}", it.at)) " B"
                            " (between " (it.between.0) " and " (it.between.1) " B)"
                        }
                    }
                }
            }
        }
    }
}
