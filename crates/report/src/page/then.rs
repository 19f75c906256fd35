//! Then and now: the answers to the questions of the scenarios, beside what was published before. Words and numbers are
//! those of `scenario`.

use super::{Page, View, controls::name};
use crate::{
    scenario::{self, Answer, Kind, Row, Table},
    text::visible,
};
use cryptobench_schema::Scenario;
use maud::{Markup, html};

/// The part, where some record has something of a scenario: of each the last record that has it.
pub(crate) fn content(page: &Page<'_>) -> Option<Markup> {
    let fields = |bytes: u64| page.options.fields.get(&bytes).copied();
    let mut answers: Vec<(&View<'_>, Answer)> = Vec::new();
    for view in page.views.iter().rev() {
        let open: Vec<Scenario> = Scenario::ALL
            .into_iter()
            .filter(|scenario| answers.iter().all(|it| it.1.scenario != *scenario))
            .collect();
        answers.extend(
            scenario::answers(&view.record, &open, fields).into_iter().map(|it| (view, it)),
        );
    }
    answers.sort_by_key(|it| it.1.scenario);
    (!answers.is_empty()).then(|| {
        html! {
            p {
                "Questions that were asked before this suite was there, answered on this machine, and what was published then. The old figures are of other
                machines and other programs: only ratios compare."
            }
            @for (view, answer) in &answers {
                (one(page, view, answer))
            }
        }
    })
}

fn one(page: &Page<'_>, view: &View<'_>, answer: &Answer) -> Markup {
    let Answer { scenario, sentence, tables, then, notes } = answer;
    html! {
        h3 id=(format!("then-{scenario}")) {
            (scenario.question())
            @if page.views.len() > 1 { " (" (visible(view.name)) ")" }
        }
        p { strong { (visible(sentence)) } }
        @for it in tables.iter().filter(|it| it.main) { (table(page, it)) }
        @for it in tables.iter().filter(|it| !it.main) {
            details {
                summary { (visible(&it.caption)) }
                (table(page, it))
            }
        }
        @if !notes.is_empty() { ul .note { @for note in notes { li { (visible(note)) } } } }
        h4 .words { "Then" }
        ul {
            @for it in &then.sentences { li { (visible(it)) } }
            li { "Source: " (visible(&then.source)) }
        }
        @for it in &then.tables {
            details {
                summary { (visible(&it.caption)) }
                (table(page, it))
            }
        }
    }
}

fn table(page: &Page<'_>, table: &Table) -> Markup {
    html! {
        div .scroll tabindex="0" {
            table .answer {
                caption { (visible(&table.caption)) }
                thead { tr {
                    @for it in &table.columns { th .n[it.kind == Kind::Number] scope="col" { (it.name) } }
                } }
                tbody { @for it in &table.rows { (row(page, table, it)) } }
            }
        }
        @if !table.reasons.is_empty() {
            ol .reasons { @for it in &table.reasons { li { (visible(it)) } } }
        }
    }
}

fn row(page: &Page<'_>, table: &Table, row: &Row) -> Markup {
    let member = row.side.as_ref().and_then(|it| page.cast.find(it));
    html! {
        tr data-b=[row.side.as_ref().map(|it| visible(it))] {
            @for (column, cell) in table.columns.iter().zip(&row.cells) {
                @match (column.kind, member) {
                    (Kind::Side, Some(member)) => td { (name(member)) },
                    (kind, _) => td .n[kind == Kind::Number] { (visible(cell)) },
                }
            }
        }
    }
}
