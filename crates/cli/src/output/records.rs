//! The list of records as text and JSON. What is in which file, the command finds out.

use crate::output::{
    self,
    ranking::engine,
    table::{Column, Table},
};
use anyhow::Result;
use cryptobench_results::record::{Record, SideKey};
use cryptobench_schema::Contest;
use serde::Serialize;
use std::collections::BTreeSet;

/// A file among the records.
#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) file: String,
    pub(crate) state: State,
    /// Where the state needs words.
    pub(crate) reason: Option<String>,
    /// Where it is a baseline, its worker program.
    pub(crate) baseline_program: Option<Fate>,
    #[serde(flatten)]
    pub(crate) facts: Option<Facts>,
}

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum State {
    /// A whole record.
    Finished,
    /// The journal of a run that was stopped, or that goes on.
    Unfinished,
    /// Neither.
    Unreadable,
}

/// What has become of a baseline's worker program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fate {
    /// It is there.
    Kept,
    /// Another program is in its place.
    Replaced,
    /// It is not there.
    Gone,
}

/// What a record says of itself.
#[derive(Debug, Serialize)]
pub(crate) struct Facts {
    pub(crate) started: String,
    machine: Option<String>,
    engine: &'static str,
    programs: Vec<String>,
    rounds: u32,
    /// Whether it was a look.
    quick: bool,
    cases: usize,
    failed: usize,
}

impl Facts {
    pub(crate) fn of(record: &Record) -> Self {
        let header = &record.header;
        let cases: BTreeSet<(Contest, SideKey)> = record
            .measured
            .iter()
            .flat_map(|it| {
                it.sides.iter().map(|side| {
                    let key = SideKey { program: side.program, backend: side.backend.clone() };
                    (it.contest, key)
                })
            })
            .collect();
        Self {
            started: header.started.clone(),
            machine: header
                .programs
                .first()
                .and_then(|it| cryptobench_report::facts::machine_name(&it.environment.host)),
            engine: engine(header.engine),
            programs: header.programs.iter().map(|it| it.name.clone()).collect(),
            rounds: header.settings.rounds,
            quick: header.settings.quick,
            cases: cases.len(),
            failed: record.failed.len(),
        }
    }
}

/// As text.
pub(crate) fn text(all: &[Listed]) -> String {
    let mut table = Table::new(&[
        Column::Left("name"),
        Column::Left("began (UTC)"),
        Column::Left("machine"),
        Column::Left("engine"),
        Column::Left("programs"),
        Column::Right("rounds"),
        Column::Right("cases"),
        Column::Right("failed"),
        Column::Left("state"),
    ]);
    for it in all {
        let mut cells = vec![it.name.clone()];
        match &it.facts {
            Some(facts) => cells.extend([
                facts.started.chars().take(16).collect::<String>().replace('T', " "),
                facts.machine.clone().unwrap_or_else(|| "unknown".to_owned()),
                facts.engine.to_owned(),
                facts.programs.join(", "),
                format!("{}{}", facts.rounds, if facts.quick { " (quick)" } else { "" }),
                facts.cases.to_string(),
                facts.failed.to_string(),
            ]),
            None => cells.extend(std::iter::repeat_n("-".to_owned(), 7)),
        }
        cells.push(state(it));
        table.row(cells);
    }
    table.render(false)
}

/// As JSON.
pub(crate) fn json(all: &[Listed]) -> Result<String> {
    output::json(&all)
}

fn state(it: &Listed) -> String {
    let baseline = match it.baseline_program {
        None => "",
        Some(Fate::Kept) => "baseline, its program kept",
        Some(Fate::Replaced) => "baseline, another program in place of its own",
        Some(Fate::Gone) => "baseline, its program gone",
    };
    let state = match it.state {
        State::Finished => "",
        State::Unfinished => "unfinished",
        State::Unreadable => "unreadable",
    };
    [state, it.reason.as_deref().unwrap_or_default(), baseline]
        .into_iter()
        .filter(|it| !it.is_empty())
        .collect::<Vec<_>>()
        .join(": ")
}
