//! What changed? One comparison: both environments, what became slower or faster, and how much of it is certain.

use super::{Compared, Page, Source, controls::name};
use crate::{
    cast::Member,
    chart::{Axis, Forest, ForestRow},
    facts,
    text::visible,
    units,
};
use cryptobench_results::{
    comparison::{Comparison, Method, Row, Verdict},
    record::SideKey,
    statistics::Interval,
};
use cryptobench_schema::BackendId;
use maud::{Markup, html};

/// Most rows that are drawn; the table has all.
const DRAWN: usize = 60;

pub(crate) fn content(page: &Page<'_>, compared: &Compared<'_>) -> Markup {
    let Compared { comparison, old, new } = compared;
    html! {
        p {
            "From " (side(old)) " to " (side(new)) ": " strong { (counts(comparison)) } "."
        }
        p {
            @match comparison.method {
                Method::Live => "Both programs took turns in the same contests.",
                Method::Records => "Two records, measured at different times: the drift between the sessions is in no interval.",
            }
            " A change of up to " (units::share(comparison.margin.ln_1p())) " does not matter"
            @if comparison.family > 0 {
                "; of the " (comparison.family) " cases tested, one or more is called slower by mistake with a probability of "
                (percent(comparison.rules.alpha)) "."
            } @else { "; no case could be tested." }
        }
        @if let Some(shift) = comparison.shift {
            p {
                @if shift.beyond_margin { strong { "The suite as a whole moved: " } } @else { "Suite-wide shift: " }
                (units::change(shift.log_ratio)) " (median of " (units::count(shift.rows, "case")) ")."
                @if shift.beyond_margin { " Where everything moves alike, it was the machine." }
            }
        }
        (differences(old, new))
        (forest(page, comparison))
        (rows(page, comparison))
        (means(page, comparison))
    }
}

fn side(source: &Source<'_>) -> Markup {
    html! {
        code { (visible(source.name)) }
        @if let Some(program) = source.program { ", its program " code { (visible(program)) } }
        " (" (visible(source.started)) ")"
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

fn counts(comparison: &Comparison) -> String {
    let counts = comparison.counts();
    let some =
        counts.iter().filter(|it| it.1 > 0).map(|(verdict, count)| format!("{count} {verdict}"));
    let all: Vec<String> = some.collect();
    if all.is_empty() { "nothing to compare".to_owned() } else { all.join(", ") }
}

/// What differs between the environments.
fn differences(old: &Source<'_>, new: &Source<'_>) -> Markup {
    let all = facts::differences(old.environment, new.environment);
    html! {
        div .scroll tabindex="0" {
            table .facts {
                caption { "What differs between the two" }
                thead { tr { th scope="col" { "" } th scope="col" { "Old" } th scope="col" { "New" } } }
                tbody {
                    @for it in all.iter().filter(|it| !it.is_none()) {
                        tr { th scope="row" { (it.name) } td { (visible(&it.old)) } td { (visible(&it.new)) } }
                    }
                    @if all.iter().all(facts::Difference::is_none) {
                        tr { td colspan="3" { "Nothing that is recorded." } }
                    }
                }
            }
        }
    }
}

/// Who computes `case` on the page: in the last program, which is what is compared.
fn member<'a>(page: &'a Page<'_>, backend: &BackendId) -> Option<&'a Member> {
    let view = page.main();
    let program = view.header.programs.len().saturating_sub(1);
    page.cast.find(&view.label(&SideKey { program, backend: backend.clone() }))
}

/// What hides a row of `backend`.
fn label<'a>(page: &'a Page<'_>, backend: &'a BackendId) -> &'a str {
    member(page, backend).map_or(backend.as_str(), |it| &it.label)
}

/// What a row is, beside its verdict.
fn says(row: &Row) -> String {
    let ratio = row.log_ratio.map_or_else(String::new, |it| format!(" {}", units::ratio(it)));
    let interval = row
        .interval
        .filter(Interval::is_bounded)
        .map_or_else(String::new, |it| format!(" {}", units::ratio_interval(it)));
    format!("{}: {}{ratio}{interval}", row.case, row.verdict)
}

/// The changes and what might be some, the largest first.
fn forest(page: &Page<'_>, comparison: &Comparison) -> Markup {
    let shown = |row: &&Row| {
        row.log_ratio.is_some()
            && !matches!(row.verdict, Verdict::Same | Verdict::New | Verdict::Missing)
    };
    let mut rows: Vec<&Row> = comparison.rows.iter().filter(shown).collect();
    let size = |row: &Row| row.log_ratio.map_or(0.0, f64::abs);
    rows.sort_by(|one, other| size(other).total_cmp(&size(one)));
    let left_out = rows.len().saturating_sub(DRAWN);
    rows.truncate(DRAWN);
    let margin = comparison.margin.ln_1p();
    let reached: Vec<f64> = rows
        .iter()
        .flat_map(|row| {
            let interval = row.interval.filter(Interval::is_bounded);
            row.log_ratio.into_iter().chain(interval.into_iter().flat_map(|it| [it.low, it.high]))
        })
        .chain([-2.0 * margin, 2.0 * margin])
        .map(f64::exp)
        .collect();
    let ticks: Vec<ForestRow<'_>> = rows
        .iter()
        .filter_map(|row| {
            Some(ForestRow {
                member: member(page, &row.case.backend)?,
                algorithm: row.case.contest.algorithm,
                label: row.case.to_string(),
                ratio: row.log_ratio?.exp(),
                interval: row
                    .interval
                    .filter(Interval::is_bounded)
                    .map(|it| (it.low.exp(), it.high.exp())),
                verdict: row.verdict.name(),
                says: says(row),
            })
        })
        .collect();
    let chart = Forest {
        name: "New time over old, with 95 % intervals".to_owned(),
        margin: ((-margin).exp(), margin.exp()),
        x: Axis::around_one("new time / old time", &reached),
        rows: ticks,
    };
    html! {
        @if !chart.rows.is_empty() {
            figure .wide {
                figcaption {
                    "New time over old; what is within the shaded margin does not matter."
                    @if left_out > 0 { " The " (DRAWN) " largest of " (DRAWN + left_out) "." }
                }
                div .scroll tabindex="0" { (chart.draw()) }
            }
        }
    }
}

fn rows(page: &Page<'_>, comparison: &Comparison) -> Markup {
    let changed: Vec<&Row> =
        comparison.rows.iter().filter(|row| row.verdict != Verdict::Same).collect();
    html! {
        @if changed.is_empty() {
            p { "Nothing changed beyond the margin." }
        } @else {
            (row_table(page, "What is not the same", &changed))
        }
        @if changed.len() < comparison.rows.len() {
            details {
                summary { "All " (comparison.rows.len()) " cases" }
                (row_table(page, "All cases", &comparison.rows.iter().collect::<Vec<_>>()))
            }
        }
    }
}

fn row_table(page: &Page<'_>, caption: &str, rows: &[&Row]) -> Markup {
    // In a unit of each row: operations of all kinds are in one table.
    let time = |row: &Row, it: Option<f64>| {
        let unit = units::unit(row.old_ns.or(row.new_ns).unwrap_or_default());
        it.map_or_else(|| "–".to_owned(), |it| units::scaled(it, unit))
    };
    let adjusted =
        |row: &Row| row.log_ratio.and_then(|it| if it > 0.0 { row.p_slower } else { row.p_faster });
    html! {
        div .scroll tabindex="0" {
            table .sortable .changes {
                caption { (caption) }
                thead { tr {
                    th scope="col" { "Case" } th scope="col" { "Backend" }
                    th .n scope="col" { "Old" } th .n scope="col" { "New" } th .n scope="col" { "New / old" }
                    th .n scope="col" { "95 % interval" } th .n scope="col" { "Adjusted p" } th .n scope="col" { "Detectable" } th scope="col" { "Verdict" }
                } }
                tbody {
                    @for row in rows {
                        tr class=(row.verdict.name()) data-b=(label(page, &row.case.backend)) data-a=(row.case.contest.algorithm) {
                            td { (row.case.contest) }
                            td { @match member(page, &row.case.backend) { Some(it) => (name(it)), None => (row.case.backend) } }
                            td .n data-v=[row.old_ns] { (time(row, row.old_ns)) }
                            td .n data-v=[row.new_ns] { (time(row, row.new_ns)) }
                            td .n data-v=[row.log_ratio] { (row.log_ratio.map_or_else(|| "–".to_owned(), units::ratio)) }
                            td .n { (row.interval.filter(Interval::is_bounded).map_or_else(|| "–".to_owned(), units::ratio_interval)) }
                            td .n data-v=[adjusted(row)] { (adjusted(row).map_or_else(|| "–".to_owned(), units::probability)) }
                            td .n data-v=[row.detectable.filter(|it| it.is_finite())] { (row.detectable.filter(|it| it.is_finite()).map_or_else(|| "–".to_owned(), units::share)) }
                            td {
                                strong { (row.verdict) }
                                @if let Some(reason) = &row.reason { ": " (visible(reason)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn means(page: &Page<'_>, comparison: &Comparison) -> Markup {
    html! {
        @if !comparison.means.is_empty() {
            div .scroll tabindex="0" {
                table .sortable {
                    caption { "Geometric means of new over old" }
                    thead { tr { th scope="col" { "Backend" } th scope="col" { "Operation" } th .n scope="col" { "New / old" } th .n scope="col" { "Cases" } } }
                    tbody {
                        @for mean in &comparison.means {
                            tr data-b=(label(page, &mean.backend)) {
                                td { @match member(page, &mean.backend) { Some(it) => (name(it)), None => (mean.backend) } }
                                td { (mean.operation) }
                                td .n data-v=(units::coarse(mean.log_ratio)) { (units::ratio(mean.log_ratio)) }
                                td .n { (mean.cases) }
                            }
                        }
                    }
                }
            }
        }
    }
}
