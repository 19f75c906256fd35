//! A comparison as text, Markdown, CSV and JSON. What is said of each case is computed in the results.

use crate::output::{
    self,
    table::{Column, Format, Table},
};
use anyhow::Result;
use cryptobench_report::{
    facts::{Difference, differences},
    units::{self, count},
};
use cryptobench_results::{
    comparison::{Comparison, Method, Row, Verdict},
    statistics::Interval,
};
use cryptobench_schema::Environment;
use serde::Serialize;
use std::collections::BTreeMap;

/// Most rows of a table in Markdown: a comment on a pull request has at most 65,536 characters.
const MOST_ROWS: usize = 200;
/// Rows that share a verdict and its reason are told together from this many on.
const TOGETHER: usize = 5;

/// A comparison and what it is between: for each side what it is called, when it was recorded, and its
/// environment.
pub(crate) struct Shown<'a> {
    pub(crate) comparison: &'a Comparison,
    pub(crate) old: (&'a str, &'a str, &'a Environment),
    pub(crate) new: (&'a str, &'a str, &'a Environment),
}

impl Shown<'_> {
    /// As `format` has it; with `all`, every row.
    pub(crate) fn render(&self, format: Format, all: bool) -> Result<String> {
        match format {
            Format::Text => Ok(self.text(all)),
            Format::Md => Ok(self.markdown(all)),
            Format::Csv => output::csv(&self.rows()),
            Format::Json => self.json(),
        }
    }

    fn text(&self, all: bool) -> String {
        let mut text = self.environments_text();
        text.push('\n');
        if let Some(shift) = self.shift() {
            text.push_str(&format!("{shift}\n\n"));
        }
        let (rows, together) = self.changed(all);
        if !rows.is_empty() {
            text.push_str(&format!("{}\n", table(&rows, all).render(false)));
        }
        for line in &together {
            text.push_str(&format!("{line}\n"));
        }
        if !together.is_empty() {
            text.push('\n');
        }
        let means = self.means();
        if !means.is_empty() {
            text.push_str(&format!("{}\n", means.render(false)));
        }
        for note in self.notes() {
            text.push_str(&format!("{note}\n"));
        }
        text.push_str(&format!("{}\n", self.summary()));
        text
    }

    fn markdown(&self, all: bool) -> String {
        let (mut rows, together) = self.changed(all);
        let hidden = rows.len().saturating_sub(MOST_ROWS);
        rows.truncate(MOST_ROWS);
        let mut text = format!("**{}**\n\n", self.summary());
        if let Some(shift) = self.shift() {
            text.push_str(&format!("{shift}\n\n"));
        }
        if !rows.is_empty() {
            text.push_str(&format!("{}\n", table(&rows, all).render(true)));
        }
        if hidden > 0 {
            text.push_str(&format!("… and {hidden} more rows; `--format csv` has all.\n\n"));
        }
        for line in &together {
            text.push_str(&format!("- {line}\n"));
        }
        if !together.is_empty() {
            text.push('\n');
        }
        let mut details = |title: &str, content: String| {
            text.push_str(&format!(
                "<details><summary>{title}</summary>\n\n{content}\n</details>\n\n"
            ));
        };
        let means = self.means();
        if !means.is_empty() {
            details("Geometric means by operation", means.render(true));
        }
        details("Old and new", self.environments_table().render(true));
        for note in self.notes() {
            text.push_str(&format!("{note}\n"));
        }
        text
    }

    /// The rows to be shown one by one, and lines for those that share what is to be said of them.
    fn changed(&self, all: bool) -> (Vec<&Row>, Vec<String>) {
        let mut rows = Vec::new();
        let mut shared: BTreeMap<(Verdict, &str), Vec<&Row>> = BTreeMap::new();
        for row in &self.comparison.rows {
            match row.verdict {
                Verdict::New | Verdict::Missing | Verdict::Incomparable => {
                    let reason = row.reason.as_deref().unwrap_or_default();
                    shared.entry((row.verdict, reason)).or_default().push(row);
                }
                _ if all || self.is_change(row) => rows.push(row),
                _ => {}
            }
        }
        let mut together = Vec::new();
        for ((verdict, reason), those) in shared {
            let reason = if reason.is_empty() { String::new() } else { format!(": {reason}") };
            if all || those.len() < TOGETHER {
                together.extend(those.iter().map(|row| format!("{verdict} {}{reason}", row.case)));
            } else {
                let (first, last) = (&those[0].case, &those[those.len() - 1].case);
                together
                    .push(format!("{verdict} {} cases, {first} to {last}{reason}", those.len()));
            }
        }
        (rows, together)
    }

    fn is_change(&self, row: &Row) -> bool {
        match row.verdict {
            Verdict::Same | Verdict::Inconclusive => false,
            // Every row has that verdict where the data allow no other.
            Verdict::Suspect => {
                row.log_ratio.is_some_and(|it| it.abs() > self.comparison.margin.ln_1p())
            }
            _ => true,
        }
    }

    /// What both environments are, and where they differ.
    fn facts(&self) -> Vec<Difference> {
        let [(old_name, old_started, old), (new_name, new_started, new)] = [&self.old, &self.new];
        let mut facts = vec![Difference {
            name: "sides".to_owned(),
            old: format!("{old_name}, {old_started}"),
            new: format!("{new_name}, {new_started}"),
        }];
        facts.extend(differences(old, new));
        facts
    }

    /// Both environments as text, differences marked.
    fn environments_text(&self) -> String {
        let mut text = String::new();
        for Difference { name, old, new } in self.facts() {
            if old == new {
                text.push_str(&format!("  {name:<16} {old}\n"));
            } else {
                text.push_str(&format!("≠ {name:<16} old  {old}\n  {:<16} new  {new}\n", ""));
            }
        }
        text
    }

    /// Both environments as a table, differences marked.
    fn environments_table(&self) -> Table {
        let columns = ["", "", "old", "new"].map(Column::Left);
        let mut table = Table::new(&columns);
        for Difference { name, old, new } in self.facts() {
            if old == new {
                table.row([String::new(), name, old, "the same".to_owned()]);
            } else {
                table.row(["≠".to_owned(), name, old, new]);
            }
        }
        table
    }

    /// How far the suite as a whole moved, where that is to be said.
    fn shift(&self) -> Option<String> {
        let shift = self.comparison.shift?;
        let how_much =
            format!("{} (median of {} cases)", units::change(shift.log_ratio), shift.rows);
        Some(if shift.beyond_margin {
            format!(
                "The whole suite moved by {how_much}, more than the margin: look for a change of the machine, the \
                 compiler or the flags before you look at single cases."
            )
        } else {
            format!("suite-wide shift: {how_much}")
        })
    }

    /// The geometric mean of each backend's ratios, by operation.
    fn means(&self) -> Table {
        let mut table = Table::new(&[
            Column::Left("operation"),
            Column::Left("geometric mean of new / old (cases)"),
        ]);
        let mut by_operation: BTreeMap<_, Vec<String>> = BTreeMap::new();
        for mean in &self.comparison.means {
            by_operation.entry(mean.operation).or_default().push(format!(
                "{} {} ({})",
                mean.backend,
                units::ratio(mean.log_ratio),
                mean.cases
            ));
        }
        for (operation, means) in by_operation {
            table.row([operation.to_string(), means.join(", ")]);
        }
        table
    }

    /// What a reader must know of these numbers.
    fn notes(&self) -> Vec<String> {
        let comparison = self.comparison;
        let mut notes = Vec::new();
        if comparison.method == Method::Records {
            notes.push(
                "note: records of two sessions; how far the machine drifted between them is in no interval"
                    .to_owned(),
            );
            if comparison.margin > comparison.rules.margin {
                notes.push(format!(
                    "note: between records the margin is {}, not {}",
                    units::share(comparison.margin.ln_1p()),
                    units::share(comparison.rules.margin.ln_1p())
                ));
            }
        }
        if comparison.rows.iter().any(|row| row.verdict == Verdict::Suspect) {
            notes.push(
                "note: suspect is what one round, Criterion's data or RSA key generation can say at most".to_owned(),
            );
        }
        if let Some(layout) = comparison.layout_spread {
            notes.push(format!(
                "note: {} cases are the same code, compiled the same way, on both sides: what differs there (`layout`) is \
                 where code and data lie; their ratios spread by {} (standard deviation)",
                layout.rows,
                units::share(layout.standard_deviation)
            ));
        }
        notes
    }

    /// One line.
    fn summary(&self) -> String {
        let counts: Vec<String> = self
            .comparison
            .counts()
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(verdict, count)| format!("{count} {verdict}"))
            .collect();
        let mut detectable: Vec<f64> = self
            .comparison
            .rows
            .iter()
            .filter(|row| row.verdict == Verdict::Inconclusive)
            .filter_map(|row| row.detectable)
            .filter(|it| it.is_finite())
            .collect();
        detectable.sort_by(f64::total_cmp);
        let seen = match detectable.as_slice() {
            [] => String::new(),
            [only] => {
                format!("; inconclusive: a change of {} would have been seen", units::share(*only))
            }
            [least, .., most] => format!(
                "; inconclusive: changes of {} to {} would have been seen",
                units::share(*least),
                units::share(*most)
            ),
        };
        format!(
            "{}, {} against {}, margin {}: {}{seen}",
            count(self.comparison.rows.len(), "case"),
            self.new.0,
            self.old.0,
            units::share(self.comparison.margin.ln_1p()),
            counts.join(", "),
        )
    }

    /// The rows with everything.
    fn rows(&self) -> Vec<RowData> {
        self.comparison.rows.iter().map(RowData::of).collect()
    }

    fn json(&self) -> Result<String> {
        #[derive(Serialize)]
        struct Whole<'a> {
            format: u32,
            method: &'static str,
            margin: f64,
            alpha: f64,
            tested_together: usize,
            old: Party<'a>,
            new: Party<'a>,
            suite_wide_shift: Option<f64>,
            counts: BTreeMap<&'static str, usize>,
            means: Vec<MeanData>,
            layout_spread: Option<f64>,
            rows: Vec<RowData>,
        }
        #[derive(Serialize)]
        struct Party<'a> {
            name: &'a str,
            started: &'a str,
            environment: &'a Environment,
        }
        #[derive(Serialize)]
        struct MeanData {
            backend: String,
            operation: &'static str,
            ratio: f64,
            cases: usize,
        }
        let comparison = self.comparison;
        let party = |(name, started, environment)| Party { name, started, environment };
        let whole = Whole {
            format: 1,
            method: match comparison.method {
                Method::Live => "live",
                Method::Records => "records",
            },
            margin: comparison.margin,
            alpha: comparison.rules.alpha,
            tested_together: comparison.family,
            old: party(self.old),
            new: party(self.new),
            suite_wide_shift: comparison.shift.map(|shift| shift.log_ratio.exp()),
            counts: comparison.counts().map(|(verdict, count)| (verdict.name(), count)).into(),
            means: comparison
                .means
                .iter()
                .map(|mean| MeanData {
                    backend: mean.backend.to_string(),
                    operation: mean.operation.name(),
                    ratio: mean.log_ratio.exp(),
                    cases: mean.cases,
                })
                .collect(),
            layout_spread: comparison.layout_spread.map(|it| it.standard_deviation),
            rows: self.rows(),
        };
        output::json(&whole)
    }
}

/// A row with everything, as in CSV and JSON: times in nanoseconds, ratios of the new time over the old.
#[derive(Serialize)]
struct RowData {
    id: String,
    old_ns: Option<f64>,
    new_ns: Option<f64>,
    ratio: Option<f64>,
    ratio_low: Option<f64>,
    ratio_high: Option<f64>,
    spread: Option<f64>,
    p_slower: Option<f64>,
    p_faster: Option<f64>,
    detectable: Option<f64>,
    rounds: usize,
    unchanged: bool,
    verdict: &'static str,
    reason: Option<String>,
}

impl RowData {
    fn of(row: &Row) -> Self {
        let bounded = row.interval.filter(Interval::is_bounded);
        Self {
            id: row.case.to_string(),
            old_ns: row.old_ns,
            new_ns: row.new_ns,
            ratio: row.log_ratio.map(f64::exp),
            ratio_low: bounded.map(|it| it.low.exp()),
            ratio_high: bounded.map(|it| it.high.exp()),
            spread: row.spread,
            p_slower: row.p_slower,
            p_faster: row.p_faster,
            detectable: row.detectable.filter(|it| it.is_finite()).map(f64::exp_m1),
            rounds: row.rounds,
            unchanged: row.unchanged,
            verdict: row.verdict.name(),
            reason: row.reason.clone(),
        }
    }
}

/// The rows as a table; with `all`, also what could have been seen.
fn table(rows: &[&Row], all: bool) -> Table {
    let mut columns = vec![
        Column::Left("id"),
        Column::Right("old"),
        Column::Right("new"),
        Column::Right("new / old"),
        Column::Right("95 % interval"),
        Column::Right("adjusted p"),
    ];
    if all {
        columns.push(Column::Right("detectable"));
    }
    columns.push(Column::Left("verdict"));
    let mut table = Table::new(&columns);
    let shown = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    for row in rows {
        // In one unit, so that they can be compared at a glance.
        let unit = units::unit(row.old_ns.or(row.new_ns).unwrap_or(1.0));
        let time = |nanoseconds: Option<f64>| shown(nanoseconds.map(|it| units::scaled(it, unit)));
        let p = row.log_ratio.and_then(|it| if it > 0.0 { row.p_slower } else { row.p_faster });
        let mut cells = vec![
            row.case.to_string(),
            time(row.old_ns),
            time(row.new_ns),
            shown(row.log_ratio.map(units::ratio)),
            shown(row.interval.filter(Interval::is_bounded).map(units::ratio_interval)),
            shown(p.map(units::probability)),
        ];
        if all {
            cells.push(shown(row.detectable.filter(|it| it.is_finite()).map(units::share)));
        }
        // That of `layout` is the same for all, and a note.
        cells.push(match &row.reason {
            Some(reason) if row.verdict != Verdict::Layout => format!("{}: {reason}", row.verdict),
            _ => row.verdict.to_string(),
        });
        table.row(cells);
    }
    table
}
