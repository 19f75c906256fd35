//! Which one? The fastest backend of every algorithm and operation, which algorithm of those that do the same for a
//! user, and all backends side by side.

use super::{Page, View, controls::name, reasons::Reasons, view::Group};
use crate::units;
use cryptobench_results::{
    across::{Standing, across},
    by_chance,
    ranking::{Lead, RankedContest},
    record::Engine,
};
use cryptobench_schema::{Algorithm, Contest, Family, Operation};
use maud::{Markup, html};
use std::collections::BTreeMap;

pub(crate) fn content(page: &Page<'_>) -> Markup {
    let view = page.main();
    html! {
        (guide(view))
        @for family in Family::ALL {
            @let groups = view.groups_of(family);
            @if family.is_of_algorithms() && !groups.is_empty() {
                h3 { (family.title()) }
                (winners(page, view, family, &groups))
            }
        }
        (algorithms(page, view))
        h3 { "All backends at one size" }
        p {
            "Compare within a row: its backends were measured in turn. Times of different rows are of different moments."
        }
        @for family in Family::ALL {
            @let groups = view.groups_of(family);
            @if family.is_of_algorithms() && !groups.is_empty() { (side_by_side(page, view, family, &groups)) }
        }
    }
}

/// How to read it.
fn guide(view: &View<'_>) -> Markup {
    let sure = view.header.engine == Engine::LockStep && view.header.settings.rounds > 1;
    html! {
        p {
            "The fastest backend, and how many times as fast as the next it is"
            @if sure {
                ", with the 95 % interval of that ratio. Those named together tie: none of them is significantly faster than another
                (5 % a contest, Holm’s adjustment). Where it says “not certain”, rounds cannot tell: the order may be chance."
            } @else {
                ". This record cannot say how sure that is: the order may be chance."
            }
        }
    }
}

/// The fastest of each operation at three sizes.
fn winners(page: &Page<'_>, view: &View<'_>, family: Family, groups: &[Group<'_>]) -> Markup {
    let columns = groups.iter().map(|it| it.three().len()).max().unwrap_or(1);
    let headings = match columns {
        1 => &["Fastest"][..],
        2 => &["Small", "Large"],
        _ => &["Small", "Middle", "Large"],
    };
    html! {
        div .scroll tabindex="0" {
            table .winners {
                caption { (family.title()) @if columns > 1 { ": the fastest at the smallest, a middle and the largest size measured" } }
                thead {
                    tr {
                        th scope="col" { "Algorithm" }
                        th scope="col" { "Operation" }
                        @for heading in headings { th scope="col" { (heading) } }
                    }
                }
                tbody {
                    @for (index, group) in groups.iter().enumerate() {
                        @let three = group.three();
                        @let same = |it: &&Group<'_>| it.algorithm == group.algorithm;
                        tr data-a=(group.algorithm) {
                            @if index == 0 || groups[index - 1].algorithm != group.algorithm {
                                th scope="rowgroup" rowspan=(groups.iter().filter(same).count()) { a href=(format!("#{}", group.algorithm)) { (group.algorithm) } }
                            }
                            td { (group.operation) }
                            @for (index, contest) in three.iter().enumerate() {
                                @let rest = if index + 1 == three.len() { columns - index } else { 1 };
                                (lead_cell(page, view, contest, rest))
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Who leads in `contest`.
fn lead_cell(page: &Page<'_>, view: &View<'_>, contest: &RankedContest, columns: usize) -> Markup {
    let Some(lead) = contest.lead() else { return html! { td colspan=(columns) {} } };
    html! {
        td .lead colspan=(columns) data-contest=(contest.contest) data-v=(units::coarse(by_how_much(&lead).unwrap_or(1.0))) {
            @if contest.contest.size.is_some() { span .size { (units::size(contest.contest)) } }
            span .who {
                @for (index, side) in lead.winners.iter().enumerate() {
                    @if index > 0 { " = " }
                    (name(view.member(&page.cast, side)))
                }
            }
            span .by { (how_much(view, &lead)) }
        }
    }
}

/// How many times as fast as the next.
fn by_how_much(lead: &Lead) -> Option<f64> {
    lead.next.as_ref().map(|(_, ratio)| ratio.log_ratio.exp())
}

/// The same in words.
fn how_much(view: &View<'_>, lead: &Lead) -> String {
    let without_next = if lead.winners.len() > 1 { "all tie" } else { "alone" };
    view.ahead(lead).unwrap_or_else(|| without_next.to_owned())
}

/// Algorithms that can stand for one another, held against each other.
fn algorithms(page: &Page<'_>, view: &View<'_>) -> Markup {
    let aeads = rivals(view, Family::Aeads, &[Operation::Seal]);
    let curves = rivals(view, Family::Ecdh, &[Operation::Ephemeral, Operation::Derive]);
    html! {
        @if !aeads.is_empty() || !curves.is_empty() { h3 { "Which algorithm on this machine?" } }
        @if !aeads.is_empty() {
            p {
                "Each AEAD by its fastest backend. They do not protect alike: keys of 128 or 256 bits; the SIV modes bear a repeated
                nonce, the X of XChaCha20 makes room for random ones."
            }
            (rivals_table(page, view, "AEADs: seal", &aeads))
        }
        @if !curves.is_empty() {
            p { "Each curve by its fastest backend. P-384 and P-521 aim at more than the 128 bits of security of P-256 and X25519." }
            (rivals_table(page, view, "Curves: one side of a handshake with a new key (ephemeral), and with one that is there (derive)", &curves))
        }
        @if !aeads.is_empty() || !curves.is_empty() {
            p .note {
                "Whatever backends are chosen above. × is the time against the first of its column. Different algorithms are not measured in turn, so these intervals are
                wider than those between backends."
            }
        }
    }
}

/// A column of a table of algorithms: its heading, and who stands where.
struct Column {
    heading: String,
    standings: Vec<Standing>,
}

/// The algorithms of `family` in `operations`, at the sizes to be shown.
fn rivals(view: &View<'_>, family: Family, operations: &[Operation]) -> Vec<Column> {
    let mut columns = Vec::new();
    for &operation in operations {
        let mut by_size: BTreeMap<Option<u64>, Vec<Contest>> = BTreeMap::new();
        let mut shown = Vec::new();
        for group in view.groups_of(family).iter().filter(|it| it.operation == operation) {
            for contest in group.contests {
                by_size.entry(contest.contest.size).or_default().push(contest.contest);
            }
            let three: Vec<_> = group.three().iter().map(|it| it.contest.size).collect();
            if three.len() > shown.len() {
                shown = three;
            }
        }
        for size in shown {
            let contests = by_size.remove(&size).unwrap_or_default();
            let standings = across(&view.ranking, &contests);
            if standings.len() > 1 {
                let size = units::size(contests[0]);
                columns.push(Column { heading: format!("{operation} {size}"), standings });
            }
        }
    }
    columns
}

fn rivals_table(page: &Page<'_>, view: &View<'_>, caption: &str, columns: &[Column]) -> Markup {
    // In the order of the middle column, and what that does not have after it.
    let mut order: Vec<Algorithm> = Vec::new();
    let middle = &columns[columns.len() / 2].standings;
    for standing in middle.iter().chain(columns.iter().flat_map(|it| &it.standings)) {
        if !order.contains(&standing.contest.algorithm) {
            order.push(standing.contest.algorithm);
        }
    }
    let unit = units::unit_among(columns.iter().flat_map(|it| &it.standings).map(|it| it.time_ns));
    html! {
        div .scroll tabindex="0" {
            table .sortable {
                caption { (caption) }
                thead { tr {
                    th scope="col" { "Algorithm" }
                    @for column in columns { th scope="col" { (column.heading) } }
                } }
                tbody {
                    @for algorithm in order {
                        tr data-a=(algorithm) {
                            th scope="row" { (algorithm) }
                            @for column in columns {
                                @match column.standings.iter().find(|it| it.contest.algorithm == algorithm) {
                                    Some(standing) => td data-v=(units::coarse(standing.time_ns)) {
                                        span .who { (name(view.member(&page.cast, &standing.side))) }
                                        span .by {
                                            (units::scaled(standing.time_ns, unit)) " "
                                            @if let Some(ratio) = &standing.over_best {
                                                (units::times_as_fast(ratio.log_ratio)) "×"
                                                @if let Some(it) = ratio.interval { " " (units::times_interval(it)) }
                                            } @else { "1×" }
                                        }
                                    },
                                    None => td { "–" },
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Every backend's time at one size of each operation, with the reason where there is none.
fn side_by_side(page: &Page<'_>, view: &View<'_>, family: Family, groups: &[Group<'_>]) -> Markup {
    let members = view.members_of(&page.cast, groups);
    let mut reasons = Reasons::default();
    let shown: Vec<(&Group<'_>, &RankedContest)> =
        groups.iter().filter_map(|group| Some((group, group.middle()?))).collect();
    let sized = shown.iter().any(|it| it.1.contest.size.is_some());
    let unit = units::unit_among(shown.iter().flat_map(|it| &it.1.sides).map(|it| it.time_ns));
    html! {
        div .scroll tabindex="0" {
            table .sortable .matrix {
                caption { (family.title()) ": time of one operation" }
                thead { tr {
                    th scope="col" { "Operation" }
                    @if sized { th .n scope="col" { "Size" } }
                    @for member in &members { th .n scope="col" data-b=(member.label) { (name(member)) } }
                } }
                tbody {
                    @for (group, contest) in &shown {
                        tr data-a=(group.algorithm) data-contest=(contest.contest) {
                            th scope="row" { (group.algorithm) " " (group.operation) }
                            @if sized { td .n data-v=(contest.contest.size.unwrap_or(0)) { (units::size(contest.contest)) } }
                            @for member in &members {
                                @match view.side(contest, member) {
                                    Some(side) => td .n .best[side.rank == Some(1)] data-b=(member.label) data-v=(units::coarse(side.time_ns)) {
                                        (units::scaled(side.time_ns, unit))
                                    },
                                    None => (reasons.cell(&member.label, view.absent(contest.contest, &member.label), 1)),
                                }
                            }
                        }
                    }
                }
            }
        }
        (reasons.list())
        @if groups.iter().any(|it| by_chance(it.contests[0].contest)) {
            p .note { "Of RSA key generation the median over all keys." }
        }
        @if shown.iter().flat_map(|it| &it.1.sides).any(|it| it.rank == Some(1)) {
            p .note { "Times in bold are the fastest, or tie with it." }
        }
    }
}
