//! How the sides of records are called, and which colour and marker each has on a page.

use crate::{palette, text::visible};
use cryptobench_results::record::{Program, Record, SideKey};
use std::collections::BTreeSet;

/// How the sides of a record are called: by their backend, and where sides of several programs are shown by
/// their program too.
#[derive(Debug)]
pub struct Labels(Option<Vec<String>>);

impl Labels {
    /// Of the sides of `record`, with their programs where `all_programs` are shown and there are several.
    #[must_use]
    pub fn new(record: &Record, all_programs: bool) -> Self {
        let programs = &record.header.programs;
        let shown = |program: &Program| visible(&program.name).into_owned();
        let names: BTreeSet<String> = programs.iter().map(shown).collect();
        // With their places where two would be called the same: the places differ, so all names do.
        let twins = names.len() < programs.len();
        let name = |(index, program): (usize, &Program)| {
            if twins { format!("{}#{index}", shown(program)) } else { shown(program) }
        };
        Self(
            (all_programs && programs.len() > 1)
                .then(|| programs.iter().enumerate().map(name).collect()),
        )
    }

    /// What `side` is called.
    #[must_use]
    pub fn of(&self, side: &SideKey) -> String {
        match self.0.as_ref().and_then(|names| names.get(side.program)) {
            Some(program) => format!("{program}:{}", side.backend),
            None => side.backend.to_string(),
        }
    }
}

/// Somebody who is shown: a backend as it is called on the page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) label: String,
    /// Its place in the legend.
    pub(crate) index: usize,
    /// Its colour and marker.
    pub(crate) hue: usize,
}

impl Member {
    /// The classes that colour it, and that tell those apart who have the same colour.
    pub(crate) fn class(&self) -> String {
        format!("c{}{}", self.hue, if self.index == self.hue { "" } else { " again" })
    }
}

/// All who are shown, by their names in the order of legends.
#[derive(Debug)]
pub(crate) struct Cast(Vec<Member>);

impl Cast {
    pub(crate) fn new(labels: BTreeSet<String>) -> Self {
        let member = |(index, label)| Member { label, index, hue: palette::hue(index) };
        Self(labels.into_iter().enumerate().map(member).collect())
    }

    pub(crate) fn members(&self) -> &[Member] {
        &self.0
    }

    /// Who is called `label`.
    pub(crate) fn find(&self, label: &str) -> Option<&Member> {
        let found = self.0.binary_search_by(|it| it.label.as_str().cmp(label));
        found.ok().map(|index| &self.0[index])
    }
}
