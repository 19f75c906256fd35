//! The way through the page, and what can be set: the reference, the backends, the algorithms. The backends are the
//! legend of all charts too, so they are there without scripts.

use super::{Page, Section};
use crate::cast::Member;
use cryptobench_schema::{Algorithm, Family};
use maud::{Markup, html};
use std::collections::BTreeSet;

/// Links to the parts.
pub(crate) fn navigation(sections: &[Section]) -> Markup {
    html! {
        nav aria-label="Questions" {
            @for section in sections { a href=(format!("#{}", section.id)) { (section.question) } }
        }
    }
}

/// The name of a backend, before which the style sheet puts its marker.
pub(crate) fn name(member: &Member) -> Markup {
    html! { span class=(format!("b {}", member.class())) { (member.label) } }
}

/// What can be set.
pub(crate) fn bar(page: &Page<'_>) -> Markup {
    let algorithms: BTreeSet<Algorithm> =
        page.main().ranking.contests.iter().map(|it| it.contest.algorithm).collect();
    html! {
        div .controls role="group" aria-label="What is shown" {
            span .legend {
                @for member in page.cast.members() {
                    label {
                        input type="checkbox" checked autocomplete="off" data-toggle="b" value=(member.label);
                        (name(member))
                    }
                }
            }
            label .reference {
                "Ratios to "
                select #reference autocomplete="off" {
                    option value="" { "the fastest" }
                    @for member in page.cast.members() {
                        option value=(member.label) selected[page.reference() == Some(&member.label)] { (member.label) }
                    }
                }
            }
            details .algorithms {
                summary { "Algorithms" }
                div .choices {
                    @for family in Family::ALL {
                        @let of_family: Vec<_> = algorithms.iter().filter(|it| it.family() == family).collect();
                        @if !of_family.is_empty() {
                            fieldset {
                                legend { (family.title()) }
                                @for algorithm in of_family {
                                    label {
                                        input type="checkbox" checked autocomplete="off" data-toggle="a" value=(algorithm);
                                        (algorithm)
                                    }
                                }
                            }
                        }
                    }
                }
            }
            button #reset type="button" { "Show all" }
        }
    }
}
