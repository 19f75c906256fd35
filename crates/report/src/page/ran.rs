//! What ran? The machine, the build, each backend's version and code path, what each operation times, and the command to
//! repeat it.

use super::{Page, controls::name};
use crate::{
    facts::{self, Fact},
    text::visible,
};
use cryptobench_schema::{Environment, Family, Operation};
use maud::{Markup, html};

pub(crate) fn content(page: &Page<'_>) -> Markup {
    let view = page.main();
    let header = view.header;
    let several = header.programs.len() > 1;
    html! {
        p {
            "To measure the same again, in a checkout of the same source ("
            code { "cryptobench" } " is " code { "cargo run --release --package cryptobench --" } " there):"
        }
        @for view in &page.views {
            pre tabindex="0" { code { (visible(&facts::command(view.header))) } }
        }
        (table("How it was measured", &facts::course(header)))
        @for program in &header.programs {
            @if several { h3 { "Program " (visible(&program.name)) } }
            (environment(page, &program.environment))
        }
        h3 { "What each operation times" }
        (operations(page))
    }
}

/// Names and values.
fn table(caption: &str, facts: &[Fact]) -> Markup {
    html! {
        div .scroll tabindex="0" {
            table .facts {
                caption { (caption) }
                tbody {
                    @for fact in facts.iter().filter(|it| !it.value.is_empty()) {
                        tr { th scope="row" { (visible(&fact.name)) } td { (visible(&fact.value)) } }
                    }
                }
            }
        }
    }
}

fn environment(page: &Page<'_>, environment: &Environment) -> Markup {
    let machine =
        [facts::machine(&environment.host), facts::more_of_machine(&environment.host)].concat();
    let build = [facts::build(environment), facts::more_of_build(&environment.build)].concat();
    html! {
        (table("Machine and system", &machine))
        (table("Build", &build))
        div .scroll tabindex="0" {
            table .facts {
                caption { "Backends, as their libraries report themselves" }
                tbody {
                    @for it in &environment.implementations {
                        tr data-b=(it.backend) {
                            th scope="row" {
                                @match page.cast.find(it.backend.as_str()) {
                                    Some(member) => (name(member)),
                                    None => (it.backend),
                                }
                            }
                            td {
                                dl {
                                    @for fact in facts::implementation(it) {
                                        dt { (visible(&fact.name)) } dd { (visible(&fact.value)) }
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

/// The operations of this record, from the table of METHODOLOGY.md.
fn operations(page: &Page<'_>) -> Markup {
    let view = page.main();
    let has = |operation: &Operation| view.groups().any(|it| it.operation == *operation);
    html! {
        div .scroll tabindex="0" {
            table .facts {
                thead { tr {
                    th scope="col" { "Operation" } th scope="col" { "Of" } th scope="col" { "Timed" } th scope="col" { "Not timed" }
                } }
                tbody {
                    @for operation in Operation::ALL.iter().filter(|it| has(it)) {
                        tr {
                            th scope="row" { (operation) }
                            td { (operation.families().map(Family::title).collect::<Vec<_>>().join(", ")) }
                            td { (code(operation.timed())) }
                            td { (code(operation.untimed())) }
                        }
                    }
                }
            }
        }
    }
}

/// Text whose words between backquotes are code.
fn code(text: &str) -> Markup {
    html! {
        @for (index, part) in text.split('`').enumerate() {
            @if index % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}
