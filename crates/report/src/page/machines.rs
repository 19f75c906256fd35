//! Where? The same contests on several machines, as ratios to one backend: times of different machines are not
//! compared.

use super::{Page, View, controls::name};
use crate::{facts, text::visible, units};
use cryptobench_results::{by_chance, ranking::RankedContest};
use cryptobench_schema::Contest;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The part, where there are records of more than one machine.
pub(crate) fn content(page: &Page<'_>) -> Option<Markup> {
    let processor = |view: &View<'_>| {
        let cpu = &view.header.programs.last()?.environment.host.cpu;
        Some((cpu.model.clone(), cpu.signature.clone()))
    };
    let first = processor(page.main());
    let several = page.views.iter().any(|it| processor(it) != first);
    several.then(|| side_by_side(page))
}

fn side_by_side(page: &Page<'_>) -> Markup {
    let mut contests: BTreeMap<Contest, Vec<Option<&RankedContest>>> = BTreeMap::new();
    for (index, view) in page.views.iter().enumerate() {
        for contest in &view.ranking.contests {
            let places = contests.entry(contest.contest).or_default();
            places.resize(page.views.len(), None);
            places[index] = Some(contest);
        }
    }
    for places in contests.values_mut() {
        places.resize(page.views.len(), None);
    }
    contests.retain(|contest, places| !by_chance(*contest) && places.iter().flatten().count() > 1);
    let contests: Vec<(Contest, Vec<Option<&RankedContest>>)> = contests.into_iter().collect();
    html! {
        p {
            "How many times the fastest backend’s time on that machine each takes; choose a backend above to have ratios to it. A clock is not compared with
            another machine’s."
        }
        ul {
            @for view in &page.views {
                li {
                    code { (visible(view.name)) } ": "
                    @let machine = view.header.programs.last().and_then(|it| facts::machine_name(&it.environment.host));
                    (machine.as_deref().map_or("an unknown machine".into(), visible))
                    ", " (visible(&view.header.started))
                }
            }
        }
        @if contests.is_empty() { p { "They have no contest in common." } }
        @for group in contests.chunk_by(|one, other| one.0.algorithm == other.0.algorithm) {
            details .algorithm data-a=(group[0].0.algorithm) open[group[0].0 == contests[0].0] {
                summary { (group[0].0.algorithm) }
                (table(page, group))
            }
        }
    }
}

fn table(page: &Page<'_>, group: &[(Contest, Vec<Option<&RankedContest>>)]) -> Markup {
    html! {
        div .scroll tabindex="0" {
            table .sortable .machines {
                caption { (group[0].0.algorithm) ": ratios to " span .to-what { @if let Some(it) = page.reference() { (it) } @else { "the fastest" } } }
                thead { tr {
                    th scope="col" { "Operation" } th .n scope="col" { "Size" } th scope="col" { "Backend" }
                    @for view in &page.views { th .n scope="col" { (visible(view.name)) } }
                } }
                tbody {
                    @for (contest, places) in group {
                        @for member in page.cast.members() {
                            @let sides: Vec<_> = places.iter().zip(&page.views).map(|(place, view)| {
                                place.and_then(|it| view.side(it, member))
                            }).collect();
                            @if sides.iter().any(Option::is_some) {
                                tr data-b=(member.label) data-contest=(contest) {
                                    td { (contest.operation) }
                                    td .n data-v=(contest.size.unwrap_or(0)) { (units::size(*contest)) }
                                    td { (name(member)) }
                                    @for (run, side) in sides.iter().enumerate() {
                                        @match side {
                                            Some(side) => td .n .ratio data-run=(run) data-v=[side.log_ratio.map(|it| units::coarse(it.exp()))] {
                                                (side.log_ratio.map_or_else(|| "–".to_owned(), units::ratio))
                                                @if let Some(it) = side.interval { " " span .interval { (units::ratio_interval(it)) } }
                                            },
                                            None => td .n .none title=[page.views[run].absent(*contest, &member.label).map(visible)] {
                                                @if page.views[run].absent(*contest, &member.label).is_some() { "†" } @else { "–" }
                                            },
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
