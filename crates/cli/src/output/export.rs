//! A record for other programs: one row a case with everything, and the table of BenchmarkDotNet for one
//! operation. docs/export.md says what every column is.

use crate::output::{
    self,
    ranking::{engine, provenance, unit, unit_name},
    table::{Column, Table},
    visible,
};
use anyhow::Result;
use cryptobench_report::{Labels, facts::machine_name, units};
use cryptobench_results::{
    by_chance,
    ranking::{Entrants, Options, RankedContest, RankedSide, rank},
    record::{CaseInfo, Program, Record, SideKey},
    summary::{CaseSummary, summarise},
};
use cryptobench_schema::{Algorithm, CaseId, Operation};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// One case of one program. The names of the fields are the columns'.
#[derive(Debug, Clone, Default, Serialize)]
struct Row {
    record: String,
    started: String,
    ended: Option<String>,
    engine: &'static str,
    quick: bool,
    program: String,
    program_sha256: Option<String>,
    machine: Option<String>,
    system: Option<String>,
    rustc: String,
    algorithm: String,
    operation: String,
    size: Option<u64>,
    size_unit: Option<&'static str>,
    backend: String,
    version: Option<String>,
    packages: String,
    status: &'static str,
    reason: Option<String>,
    note: Option<String>,
    digest: Option<String>,
    rounds: Option<usize>,
    values: Option<usize>,
    slices: Option<usize>,
    iterations: Option<u64>,
    time_ns: Option<f64>,
    mean_ns: Option<f64>,
    error_ns: Option<f64>,
    stddev_ns: Option<f64>,
    min_ns: Option<f64>,
    max_ns: Option<f64>,
    median_low_ns: Option<f64>,
    median_high_ns: Option<f64>,
    p95_ns: Option<f64>,
    throughput_bytes_per_s: Option<f64>,
    operations_per_s: Option<f64>,
    rank: Option<usize>,
    reference: Option<String>,
    ratio: Option<f64>,
    ratio_low: Option<f64>,
    ratio_high: Option<f64>,
}

/// A record to be exported, and what is computed of it.
pub(crate) struct Exported<'a> {
    name: &'a str,
    record: &'a Record,
    labels: Labels,
    summaries: Vec<CaseSummary>,
    contests: Vec<RankedContest>,
}

impl<'a> Exported<'a> {
    /// Of `record`, called `name`.
    pub(crate) fn new(name: &'a str, record: &'a Record) -> Self {
        let mut sound = record.clone();
        sound.leave_out_failed();
        let options = Options { entrants: Entrants::AllPrograms, ..Options::default() };
        Self {
            name,
            record,
            labels: Labels::new(record, true),
            summaries: summarise(&sound),
            contests: rank(&sound, &options).contests,
        }
    }

    /// The groups that have times.
    pub(crate) fn groups(&self) -> Vec<(Algorithm, Operation)> {
        let mut groups: Vec<_> =
            self.contests.iter().map(|it| (it.contest.algorithm, it.contest.operation)).collect();
        groups.dedup();
        groups
    }

    /// As CSV, of one group or all.
    pub(crate) fn csv(&self, group: Option<(Algorithm, Operation)>) -> Result<String> {
        output::csv(&self.rows(group))
    }

    /// As JSON, of one group or all.
    pub(crate) fn json(&self, group: Option<(Algorithm, Operation)>) -> Result<String> {
        output::json(&self.rows(group))
    }

    /// One row a case: those with times in the order of tables, then failed, then unsupported ones.
    fn rows(&self, group: Option<(Algorithm, Operation)>) -> Vec<Row> {
        let wanted =
            |id: &CaseId| group.is_none_or(|it| it == (id.contest.algorithm, id.contest.operation));
        let infos: BTreeMap<(usize, &CaseId), &CaseInfo> =
            self.record.cases.iter().map(|it| ((it.program, &it.id), it)).collect();
        let mut rows = Vec::new();
        for summary in &self.summaries {
            let id = summary.contest.case(summary.side.backend.clone());
            if wanted(&id) {
                let row = self.row(&id, summary.side.program, "measured", None, &infos);
                rows.push(self.measured(row, summary));
            }
        }
        for it in self.record.failed.iter().filter(|it| wanted(&it.id)) {
            rows.push(self.row(&it.id, it.program, "failed", Some(&it.reason), &infos));
        }
        for it in self.record.unsupported.iter().filter(|it| wanted(&it.id)) {
            rows.push(self.row(&it.id, it.program, "unsupported", Some(&it.reason), &infos));
        }
        rows
    }

    fn row(
        &self,
        id: &CaseId,
        program: usize,
        status: &'static str,
        reason: Option<&str>,
        infos: &BTreeMap<(usize, &CaseId), &CaseInfo>,
    ) -> Row {
        let text = |text: &str| visible(text).into_owned();
        let header = &self.record.header;
        let mut row = Row {
            record: text(self.name),
            started: text(&header.started),
            ended: self.record.end.as_ref().map(|it| text(&it.ended)),
            engine: engine(header.engine),
            quick: header.settings.quick,
            algorithm: id.contest.algorithm.to_string(),
            operation: id.contest.operation.to_string(),
            size: id.contest.size,
            size_unit: unit(id.contest).map(unit_name),
            backend: id.backend.to_string(),
            status,
            reason: reason.map(text),
            ..Row::default()
        };
        if let Some(info) = infos.get(&(program, id)) {
            row.note = info.note.as_deref().map(text);
            row.digest = info.digest.as_deref().map(text);
        }
        if let Some(program) = header.programs.get(program) {
            let environment = &program.environment;
            row.program = text(&program.name);
            row.program_sha256 = program.sha256.as_deref().map(text);
            row.machine = machine_name(&environment.host).as_deref().map(text);
            row.system = environment.host.system.as_deref().map(text);
            row.rustc = text(&environment.build.rustc);
            let (version, packages) = versions(program, id);
            row.version = version.as_deref().map(text);
            row.packages = text(&packages);
        }
        row
    }

    fn measured(&self, row: Row, summary: &CaseSummary) -> Row {
        let time = summary.median;
        let mut row = Row {
            rounds: Some(summary.rounds),
            values: Some(summary.values),
            slices: Some(summary.slices),
            iterations: Some(summary.operations),
            time_ns: Some(time),
            mean_ns: summary.mean,
            error_ns: summary.error,
            stddev_ns: summary.standard_deviation,
            min_ns: Some(summary.min),
            max_ns: Some(summary.max),
            median_low_ns: summary.median_interval.map(|it| it.low),
            median_high_ns: summary.median_interval.map(|it| it.high),
            p95_ns: summary.p95,
            throughput_bytes_per_s: summary.contest.bytes().map(|bytes| bytes as f64 / time * 1e9),
            operations_per_s: Some(1e9 / time),
            ..row
        };
        if let Some((contest, side)) = self.ranked(summary) {
            row.rank = side.rank;
            row.reference = contest.reference.as_ref().map(|it| self.labels.of(it));
            row.ratio = side.log_ratio.map(f64::exp);
            row.ratio_low = side.interval.map(|it| it.low.exp());
            row.ratio_high = side.interval.map(|it| it.high.exp());
        }
        row
    }

    fn ranked(&self, summary: &CaseSummary) -> Option<(&RankedContest, &RankedSide)> {
        let contest = self.contests.iter().find(|it| it.contest == summary.contest)?;
        Some((contest, contest.sides.iter().find(|it| it.key == summary.side)?))
    }

    /// The table of one group, as BenchmarkDotNet has it.
    pub(crate) fn markdown(&self, (algorithm, operation): (Algorithm, Operation)) -> String {
        let contests: Vec<&RankedContest> = self
            .contests
            .iter()
            .filter(|it| (it.contest.algorithm, it.contest.operation) == (algorithm, operation))
            .collect();
        let sized = contests.iter().any(|it| it.contest.size.is_some());
        let mut columns = vec![Column::Left("Method")];
        if sized {
            columns.push(Column::Right("Size"));
        }
        columns.extend(["Mean", "Error", "StdDev", "Ratio"].map(Column::Right));
        let mut table = Table::new(&columns);
        for contest in &contests {
            let unit = units::unit(contest.sides.first().map_or(1.0, |it| it.time_ns));
            for side in &contest.sides {
                let Some(summary) = self.summary(contest, &side.key) else { continue };
                let time = |it: Option<f64>| {
                    it.map_or_else(|| "NA".to_owned(), |it| units::scaled(it, unit))
                };
                let mut cells = vec![self.labels.of(&side.key)];
                if sized {
                    cells.push(units::size(contest.contest));
                }
                cells.extend([
                    time(summary.mean),
                    time(summary.error),
                    time(summary.standard_deviation),
                    side.log_ratio.map_or_else(|| "NA".to_owned(), |it| format!("{:.3}", it.exp())),
                ]);
                table.row(cells);
            }
        }
        let values = if contests.iter().any(|it| by_chance(it.contest)) {
            "the times of all keys"
        } else {
            "the rounds' medians"
        };
        let mut methods: BTreeSet<String> = BTreeSet::new();
        for side in contests.iter().flat_map(|contest| &contest.sides) {
            let program = self.record.header.programs.get(side.key.program);
            let id = contests[0].contest.case(side.key.backend.clone());
            if let Some((version, packages)) = program.map(|program| versions(program, &id)) {
                let mut version = version.unwrap_or(packages);
                if version.is_empty() {
                    version.push_str("of unknown version");
                }
                methods.insert(format!("{} {version}", self.labels.of(&side.key)));
            }
        }
        let methods: Vec<String> = methods.into_iter().collect();
        let look = if self.record.header.settings.quick {
            "\n\nA look (`--quick`), not for citing."
        } else {
            ""
        };
        format!(
            "{algorithm}/{operation}, record `{}`: {}{look}\n\n{}\n\
             - Versions: {}\n\
             - Method: the backend\n\
             - Mean: arithmetic mean of {values}, for one operation\n\
             - Error: half of the mean's 99.9 % confidence interval (Student's t); NA for one value\n\
             - StdDev: standard deviation of the same; NA for one value\n\
             - Ratio: its time over that of the fastest of its size, of slices taken in turn\n\
             - 1 ns = 10⁻⁹ s, 1 µs = 10⁻⁶ s, 1 ms = 10⁻³ s\n",
            visible(self.name),
            output::table::escaped(&provenance(self.record)),
            table.render(true),
            output::table::escaped(&visible(&methods.join("; "))),
        )
    }

    fn summary(&self, contest: &RankedContest, key: &SideKey) -> Option<&CaseSummary> {
        self.summaries.iter().find(|it| it.contest == contest.contest && it.side == *key)
    }
}

/// The version of the backend of `id` in `program`, and the packages that implement it.
fn versions(program: &Program, id: &CaseId) -> (Option<String>, String) {
    let Some(it) = program.environment.implementations.iter().find(|it| it.backend == id.backend)
    else {
        return (None, String::new());
    };
    let packages: Vec<String> =
        it.packages.iter().map(|it| format!("{} {}", it.name, it.version)).collect();
    let version = it.provenance.version.clone().or_else(|| match &it.packages[..] {
        [only] => Some(only.version.clone()),
        _ => None,
    });
    (version, packages.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_is_documented_and_the_other_way_round() {
        let documentation = include_str!("../../../../docs/export.md");
        let documented: Vec<&str> = documentation
            .lines()
            .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
            .map(|(column, _)| column)
            .collect();
        let csv = output::csv(&[Row::default()]).expect("CSV");
        let header = csv.lines().next().expect("a header");
        assert_eq!(documented, header.split(',').collect::<Vec<_>>());
    }
}
