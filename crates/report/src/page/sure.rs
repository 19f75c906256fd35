//! How sure? What spoke against the machine, what was left out and why, how far rounds lay apart, and the spread of key
//! generation.

use super::{Page, View, controls::name, view::Group};
use crate::{
    absent::Absent,
    chart::{Axis, Cumulative, Distribution, Rounds, Row},
    text::visible,
    units,
};
use cryptobench_results::{
    by_chance,
    ranking::{RankedContest, RankedSide},
    record::{Engine, SideKey},
    statistics::{median, quantile},
};
use cryptobench_schema::CaseId;
use maud::{Markup, html};

pub(crate) fn content(page: &Page<'_>) -> Markup {
    let view = page.main();
    html! {
        (warnings(view))
        (certainty(view))
        (left_out(view))
        @for view in &page.views { (keys(page, view)) }
        (rounds(page, view))
    }
}

/// What speaks against the numbers.
pub(crate) fn against(view: &View<'_>) -> Vec<String> {
    let header = view.header;
    let mut all: Vec<String> = header.warnings.clone();
    if header.settings.quick {
        all.push("measured with --quick: for a look, not for citing".to_owned());
    }
    if header.engine == Engine::Criterion {
        all.push(
            "measured by Criterion, one case after another in one process: nothing says how sure the order is".to_owned(),
        );
    } else if header.settings.rounds < 2 {
        all.push("one round cannot say how sure the order is".to_owned());
    }
    for resumed in &view.record.resumed {
        all.push(format!("interrupted, and gone on with at {}", resumed.at));
    }
    all
}

fn warnings(view: &View<'_>) -> Markup {
    let all = against(view);
    html! {
        @if all.is_empty() {
            p { "Nothing spoke against the machine or the build when the run began." }
        } @else {
            ul .warnings { @for it in &all { li { (visible(it)) } } }
        }
    }
}

/// How wide intervals are, over all contests.
fn certainty(view: &View<'_>) -> Markup {
    let halves: Vec<f64> = view
        .ranking
        .contests
        .iter()
        .filter(|it| !by_chance(it.contest))
        .flat_map(|it| &it.sides)
        .filter_map(|it| it.interval)
        .map(|it| (it.high - it.low) / 2.0)
        .collect();
    html! {
        @if let (Some(half), Some(most)) = (median(&halves), quantile(&halves, 0.9)) {
            p {
                "Half of the ratios between backends are known to ± " (units::share(half)) " or better, nine of ten to ± " (units::share(most))
                " (half-width of the 95 % interval, " (halves.len()) " ratios)."
            }
        }
    }
}

fn left_out(view: &View<'_>) -> Markup {
    let lines = |cases: Vec<(&CaseId, usize, &str)>| {
        let mut absent = Absent::default();
        for (id, program, reason) in cases {
            let key = SideKey { program, backend: id.backend.clone() };
            absent.add(view.label(&key), reason, id);
        }
        absent.lines()
    };
    let failed =
        lines(view.record.failed.iter().map(|it| (&it.id, it.program, &*it.reason)).collect());
    let unsupported =
        lines(view.record.unsupported.iter().map(|it| (&it.id, it.program, &*it.reason)).collect());
    html! {
        @if !failed.is_empty() {
            h3 { "Failed and left out" }
            ul .failed { @for line in &failed { li { (line) } } }
        } @else {
            p { "Every case that was measured had proved its results first; none failed." }
        }
        @if !unsupported.is_empty() {
            details {
                summary { "What backends do not have, and why (" (view.record.unsupported.len()) " cases)" }
                ul { @for line in &unsupported { li { (line) } } }
            }
        }
    }
}

/// RSA key generation.
fn keys(page: &Page<'_>, view: &View<'_>) -> Markup {
    let contests: Vec<&RankedContest> =
        view.ranking.contests.iter().filter(|it| by_chance(it.contest)).collect();
    html! {
        @if !contests.is_empty() {
            div data-a="rsa" {
                h3 {
                    "RSA key generation"
                    @if page.views.len() > 1 { " (" (visible(view.name)) ")" }
                }
                p {
                    "The search for primes takes as many candidates as it takes: times are spread by chance, so they are shown as a distribution, and
                    nobody is ranked. Each curve shows which share of the keys took up to that long; marks are the median and the 95th percentile."
                }
                div .charts {
                    @for contest in &contests {
                        figure {
                            figcaption { "rsa keygen, " (units::size(contest.contest)) }
                            (distribution(page, view, contest))
                        }
                    }
                }
            }
        }
    }
}

fn distribution(page: &Page<'_>, view: &View<'_>, contest: &RankedContest) -> Markup {
    let sides: Vec<&RankedSide> =
        contest.sides.iter().filter(|it| !it.keys_ns.is_empty()).collect();
    let unit = units::unit_among(sides.iter().map(|it| it.time_ns));
    let distributions = sides.iter().map(|side| {
        let member = view.member(&page.cast, &side.key);
        let mark = |share: f64, called: &str, value: f64| {
            let says = format!(
                "{}: {called} of {} keys {}",
                member.label,
                side.keys_ns.len(),
                units::scaled(value, unit)
            );
            (share, value, says)
        };
        let median = side.quantiles.map(|it| mark(0.5, "median", it.median));
        let p95 = side.quantiles.and_then(|it| it.p95).map(|it| mark(0.95, "95th percentile", it));
        Distribution {
            member,
            values: &side.keys_ns,
            marks: median.into_iter().chain(p95).collect(),
        }
    });
    let chart = Cumulative {
        name: format!("rsa keygen, {}: share of keys over time", units::size(contest.contest)),
        x: Axis::decades("time of a key", sides.iter().flat_map(|it| &it.keys_ns).copied(), |it| {
            units::shortest(it)
        }),
        distributions: distributions.collect(),
    };
    html! {
        (chart.draw())
        div .scroll { table .quantiles .sortable {
            thead { tr {
                th scope="col" { "Backend" } th .n scope="col" { "Keys" } th .n scope="col" { "Median" }
                th .n scope="col" { "95 % interval" } th .n scope="col" { "p95" }
            } }
            tbody {
                @for side in &sides {
                    @let quantiles = side.quantiles;
                    @let member = view.member(&page.cast, &side.key);
                    tr data-b=(member.label) {
                        td { (name(member)) }
                        td .n { (side.keys_ns.len()) }
                        td .n data-v=(units::coarse(side.time_ns)) { (units::scaled(side.time_ns, unit)) }
                        td .n { @if let Some(it) = side.interval_ns { (units::time_interval(it, unit)) } }
                        td .n { @if let Some(it) = quantiles.and_then(|it| it.p95) { (units::scaled(it, unit)) } @else { "–" } }
                    }
                }
            }
        } }
    }
}

/// Each round of each contest.
fn rounds(page: &Page<'_>, view: &View<'_>) -> Markup {
    let enough = |group: &Group<'_>| {
        !by_chance(group.contests[0].contest)
            && group.contests.iter().flat_map(|it| &it.sides).any(|it| it.times_ns.len() > 1)
    };
    let groups: Vec<Group<'_>> = view.groups().filter(enough).collect();
    html! {
        @if !groups.is_empty() {
            h3 { "Each round" }
            p {
                "A dot is the time of one round, in processes started for it, against the median of that backend’s rounds. About one process in two hundred
                stands out for all its life; the smallest and the largest round are cut before a mean is taken. Ratios are known better than this:
                both sides of one are measured in turn, and share what the machine does."
            }
            @for algorithm in groups.chunk_by(|one, other| one.algorithm == other.algorithm) {
                details .algorithm data-a=(algorithm[0].algorithm) {
                    summary { (algorithm[0].algorithm) }
                    div .charts {
                        @for group in algorithm {
                            figure {
                                figcaption { (group.operation) }
                                (dots(page, view, group))
                            }
                        }
                    }
                }
            }
        }
    }
}

fn dots(page: &Page<'_>, view: &View<'_>, group: &Group<'_>) -> Markup {
    let row = |contest: &RankedContest, side: &RankedSide| {
        let member = view.member(&page.cast, &side.key);
        let middle = median(&side.times_ns)?;
        let deviations: Vec<f64> = side.times_ns.iter().map(|it| it / middle - 1.0).collect();
        let all: Vec<String> = deviations.iter().map(|it| units::deviation(*it)).collect();
        let size = units::size(contest.contest);
        let says = format!(
            "{}{}{size}: {}",
            member.label,
            if size.is_empty() { "" } else { ", " },
            all.join(", ")
        );
        Some(Row { member, label: size, deviations, says })
    };
    let rows = group
        .contests
        .iter()
        .flat_map(|contest| contest.sides.iter().filter_map(move |side| row(contest, side)))
        .collect();
    Rounds { name: format!("{}: each round against the median of all", group.name()), rows }.draw()
}
