//! The answers of scenarios in words and tables with units, the same for page, Markdown and terminal. The numbers are
//! computed in the results; what each of the three makes of an [`Answer`] is its own.

mod bulk;
mod document;
mod gcm_siv;
mod keygen;
mod markdown;

pub use markdown::markdown;

use crate::{
    cast::Labels,
    text::visible,
    units::{self, TimeUnit},
};
use cryptobench_results::{
    ranking::Ratio,
    record::{Engine, Record, SideKey},
};
use cryptobench_schema::{Contest, Scenario};
use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
};

/// What a record says to the question of a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The question.
    pub scenario: Scenario,
    /// The answer in one sentence.
    pub sentence: String,
    /// The answer in numbers.
    pub tables: Vec<Table>,
    /// What was said of it before.
    pub then: Past,
    /// What a reader of the numbers should know.
    pub notes: Vec<String>,
}

/// What was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Past {
    /// What was found, each in a sentence.
    pub sentences: Vec<String>,
    /// Its numbers.
    pub tables: Vec<Table>,
    /// Where it is from.
    pub source: String,
}

/// A table. Its words are as they came: who shows it escapes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    /// What it shows.
    pub caption: String,
    /// Whether it is to be seen at once, where there is not room for all.
    pub main: bool,
    /// The columns.
    pub columns: Vec<Column>,
    /// The rows.
    pub rows: Vec<Row>,
    /// Why cells with a dagger have no number: `†1 ring: it has no CBC`.
    pub reasons: Vec<String>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its heading, with the unit where cells do without.
    pub name: Cow<'static, str>,
    /// What its cells are.
    pub kind: Kind,
}

/// What the cells of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Words, to the left.
    Words,
    /// Backends as they are called, to the left.
    Side,
    /// Numbers, to the right, with one unit for all.
    Number,
}

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Whom it is about, as they are called; `None` where it is of old.
    pub side: Option<String>,
    /// A cell for each column.
    pub cells: Vec<String>,
}

/// What `record` says to the questions of `scenarios`: nothing to those of which it measured nothing. `fields` is how many
/// fields a document of so many bytes has, where that is known.
#[must_use]
pub fn answers(
    record: &Record,
    scenarios: &[Scenario],
    fields: impl Fn(u64) -> Option<u64>,
) -> Vec<Answer> {
    let teller = Teller::new(record);
    scenarios.iter().filter_map(|it| answer(&teller, *it, &fields)).collect()
}

fn answer(
    teller: &Teller,
    scenario: Scenario,
    fields: &dyn Fn(u64) -> Option<u64>,
) -> Option<Answer> {
    let mut answer = match scenario {
        Scenario::Bulk => bulk::answer(teller),
        Scenario::Keygen => keygen::answer(teller),
        Scenario::Document => document::answer(teller, fields),
        Scenario::GcmSiv => gcm_siv::answer(teller),
    }?;
    for table in &mut answer.tables {
        let dashes = table.rows.iter().flat_map(|it| &it.cells).any(|it| it == NONE);
        if dashes && !table.reasons.iter().any(|it| it.starts_with(NONE)) {
            table.reasons.push(format!("{NONE} not measured in this run"));
        }
    }
    Some(answer)
}

/// No number, and no reason but that nobody measured it.
const NONE: &str = "–";

const fn words(name: &'static str) -> Column {
    Column { name: Cow::Borrowed(name), kind: Kind::Words }
}

const fn side(name: &'static str) -> Column {
    Column { name: Cow::Borrowed(name), kind: Kind::Side }
}

const fn number(name: &'static str) -> Column {
    Column { name: Cow::Borrowed(name), kind: Kind::Number }
}

/// Times without their unit.
fn times_in(name: &str, unit: TimeUnit) -> Column {
    Column { name: Cow::Owned(format!("{name}, {}", unit.name())), kind: Kind::Number }
}

/// A record while it is told of.
struct Teller {
    /// What it has of scenarios, without failed cases; of a comparison the last program alone.
    record: Record,
    labels: Labels,
    /// Why cases are not there, by contest and what their side is called.
    absent: BTreeMap<Contest, BTreeMap<String, String>>,
}

impl Teller {
    fn new(whole: &Record) -> Self {
        let contests: BTreeSet<Contest> =
            Scenario::ALL.into_iter().flat_map(Scenario::contests).collect();
        // A document may have any size.
        let wanted = |it: &Contest| it.operation.is_of_document() || contests.contains(it);
        let mut record = Record::new(whole.header.clone());
        let measured = whole.measured.iter().filter(|it| wanted(&it.contest));
        record.measured = measured.cloned().collect();
        let failed = whole.failed.iter().filter(|it| wanted(&it.id.contest));
        record.failed = failed.cloned().collect();
        let unsupported = whole.unsupported.iter().filter(|it| wanted(&it.id.contest));
        record.unsupported = unsupported.cloned().collect();
        record.leave_out_failed();
        // Programs of a run take part side by side; those of a comparison are old and new.
        let all = record.header.settings.screening == 0;
        if !all {
            let last = record.header.programs.len().saturating_sub(1);
            record.retain(|program, _| program == last);
        }
        let labels = Labels::new(&record, all);
        let mut absent: BTreeMap<Contest, BTreeMap<String, String>> = BTreeMap::new();
        let unsupported =
            record.unsupported.iter().map(|it| (&it.id, it.program, it.reason.clone()));
        let failed =
            record.failed.iter().map(|it| (&it.id, it.program, format!("failed: {}", it.reason)));
        for (id, program, reason) in unsupported.chain(failed) {
            let key = SideKey { program, backend: id.backend.clone() };
            absent.entry(id.contest).or_default().insert(labels.of(&key), reason);
        }
        Self { record, labels, absent }
    }

    fn label(&self, key: &SideKey) -> String {
        self.labels.of(key)
    }

    /// Who has no case in `contest`, and why.
    fn absent(&self, contest: Contest) -> impl Iterator<Item = (&str, &str)> {
        let all = self.absent.get(&contest);
        all.into_iter().flatten().map(|(label, reason)| (label.as_str(), reason.as_str()))
    }

    /// Why `label` has no case in `contest`, where the record says so.
    fn reason(&self, contest: Contest, label: &str) -> Option<&str> {
        self.absent.get(&contest)?.get(label).map(String::as_str)
    }

    /// What is to be known of all numbers, where rounds are what bounds them, or something else does.
    fn notes(&self, by_rounds: bool) -> Vec<String> {
        let header = &self.record.header;
        let mut notes = Vec::new();
        if header.engine == Engine::Criterion {
            notes.push(
                "measured by Criterion, one case after another: nothing says how sure ratios are"
                    .to_owned(),
            );
        } else if by_rounds && header.settings.rounds < 2 {
            notes.push("one round cannot say how sure ratios are".to_owned());
        }
        if header.settings.quick {
            notes.push("measured with --quick: for a look, not for citing".to_owned());
        }
        notes
    }
}

/// What has to be known of every ratio that slices taken in turn give.
const RATIOS: &str = "a ratio is of slices taken in turn, with its 95 % interval; times are medians of rounds, in which the \
machine may have had other speeds, so that where two times and their ratio disagree, the ratio is right";

/// The daggers of a table.
#[derive(Default)]
struct Reasons(Vec<String>);

impl Reasons {
    /// What stands in the place of a number that `label` does not have.
    fn cell(&mut self, label: &str, reason: Option<&str>) -> String {
        let Some(reason) = reason else { return NONE.to_owned() };
        let line = format!("{label}: {}", visible(reason));
        let known = self.0.iter().position(|it| *it == line);
        let place = known.unwrap_or_else(|| {
            self.0.push(line);
            self.0.len() - 1
        });
        format!("†{}", place + 1)
    }

    fn lines(self) -> Vec<String> {
        let line = |(index, line): (usize, String)| format!("†{} {line}", index + 1);
        self.0.into_iter().enumerate().map(line).collect()
    }
}

/// Rows for those who are in none of `contests`, which differ in their size: with a size where they are missing from
/// some only. `size` writes one, and `numbers` is how many cells of a row have no number.
fn absent_rows(
    teller: &Teller,
    contests: &[Contest],
    reasons: &mut Reasons,
    size: impl Fn(Contest) -> String,
    numbers: usize,
) -> Vec<Row> {
    let mut missing: BTreeMap<(&str, &str), Vec<Contest>> = BTreeMap::new();
    for contest in contests {
        for it in teller.absent(*contest) {
            missing.entry(it).or_default().push(*contest);
        }
    }
    let mut rows = Vec::new();
    for ((label, reason), of) in missing {
        let sizes = if of.len() == contests.len() && of.len() > 1 {
            vec!["all".to_owned()]
        } else {
            of.into_iter().map(&size).collect()
        };
        for size in sizes {
            let mut cells = vec![size, label.to_owned()];
            cells.resize(2 + numbers, reasons.cell(label, Some(reason)));
            rows.push(Row { side: Some(label.to_owned()), cells });
        }
    }
    rows
}

/// What a ratio says in a sentence.
enum Said {
    /// It is not 1, and lies between these.
    Differs(String),
    /// It may be 1: it lies between these.
    Level(String),
    /// It is this, and nobody knows how sure.
    Unsure(String),
}

fn said(ratio: &Ratio) -> Said {
    match ratio.interval {
        Some(interval) if interval.beyond(0.0) => Said::Differs(units::times(interval)),
        Some(interval) => Said::Level(units::times(interval)),
        None => Said::Unsure(units::times_as_fast(ratio.log_ratio)),
    }
}

/// A ratio as a cell.
fn ratio(ratio: Option<Ratio>) -> String {
    ratio.map_or_else(|| NONE.to_owned(), |it| units::factor_between(it.log_ratio, it.interval))
}

/// What follows a number that nothing bounds.
const UNSURE: &str = "nothing in this record says how sure that is";

/// `text` from elsewhere as a sentence.
fn as_sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|it| it.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), characters.as_str())
}
