//! Rankings as text, Markdown, CSV and JSON. Who is faster is computed in the results.

use crate::output::{
    self,
    table::{Column, Format, Table},
    visible,
};
use anyhow::Result;
use cryptobench_report::{Labels, absent::Absent, facts::machine_name, units};
use cryptobench_results::{
    by_chance,
    ranking::{Entrants, OperationMeans, Options, RankedContest, RankedSide, Ranking, rank},
    record::{Engine, Record, SideKey},
};
use cryptobench_schema::{Contest, Unit, sizes};
use serde::Serialize;

/// Contests that are shown in full at the end of a run.
const FEW: usize = 12;

/// A ranking, and the record that it is of: without the sides that are not shown.
pub(crate) struct Shown<'a> {
    pub(crate) record: &'a Record,
    pub(crate) ranking: &'a Ranking,
    pub(crate) options: &'a Options,
    pub(crate) labels: Labels,
    /// What else a reader should know.
    pub(crate) notes: Vec<String>,
}

/// A first look at a run: all of it where that is little, otherwise the means.
pub(crate) fn summary(record: &Record) -> String {
    let mut record = record.clone();
    record.leave_out_failed();
    let options = Options { entrants: Entrants::AllPrograms, ..Options::default() };
    let ranking = rank(&record, &options);
    let labels = Labels::new(&record, true);
    let shown =
        Shown { record: &record, ranking: &ranking, options: &options, labels, notes: Vec::new() };
    let few = ranking.contests.len() <= FEW;
    let mut text = if few { shown.blocks(false) } else { String::new() };
    text.push_str(&shown.means(false));
    if !few {
        text.push_str(&format!(
            "{} contests; each of them, and what is missing: cryptobench rank\n",
            ranking.contests.len()
        ));
    }
    for note in shown.notes() {
        text.push_str(&format!("{note}\n"));
    }
    text
}

impl Shown<'_> {
    /// As `format` has it.
    pub(crate) fn render(&self, format: Format) -> Result<String> {
        match format {
            Format::Text => Ok(self.text(false)),
            Format::Md => Ok(self.text(true)),
            Format::Csv => output::csv(&self.rows()),
            Format::Json => output::json(&self.document()),
        }
    }

    fn text(&self, markdown: bool) -> String {
        let plain = |line: String| if markdown { output::table::escaped(&line) } else { line };
        let mut text = format!("{}\n", plain(provenance(self.record)));
        for warning in &self.record.header.warnings {
            let warning = plain(format!("warning: {}", visible(warning)));
            text.push_str(&if markdown {
                format!("\n{warning}\n")
            } else {
                format!("{warning}\n")
            });
        }
        text.push('\n');
        text.push_str(&self.blocks(markdown));
        text.push_str(&self.means(markdown));
        text.push_str(&self.absent(markdown));
        for note in self.notes() {
            text.push_str(&format!("{}{}\n", if markdown { "- " } else { "" }, plain(note)));
        }
        text
    }

    /// One block for each operation of each algorithm.
    fn blocks(&self, markdown: bool) -> String {
        let mut text = String::new();
        let group = |it: &RankedContest| (it.contest.algorithm, it.contest.operation);
        for contests in self.ranking.contests.chunk_by(|one, other| group(one) == group(other)) {
            let table = if by_chance(contests[0].contest) {
                self.keys(contests, markdown)
            } else {
                self.times(contests, markdown)
            };
            let heading = contests[0].contest.group();
            text.push_str(&if markdown {
                format!("### {heading}\n\n")
            } else {
                format!("{heading}\n")
            });
            text.push_str(&format!("{}\n", table.render(markdown)));
        }
        text
    }

    fn times(&self, contests: &[RankedContest], markdown: bool) -> Table {
        let in_bytes = contests[0].contest.bytes().is_some();
        let mut columns = size_column(contests[0].contest);
        columns.extend([
            Column::Left("backend"),
            Column::Right("time"),
            Column::Right(if in_bytes { "throughput" } else { "operations" }),
            Column::Right("ratio"),
            Column::Right("95 % interval"),
            Column::Right("rank"),
        ]);
        let mut table = Table::new(&columns);
        for it in contests {
            let fastest = it.sides.first().map_or(1.0, |side| side.time_ns);
            let unit = units::unit(fastest);
            for (index, side) in it.sides.iter().enumerate() {
                let mut cells = size_cell(it.contest, index, markdown);
                cells.extend([
                    self.labels.of(&side.key),
                    units::scaled(side.time_ns, unit),
                    match it.contest.size.filter(|_| in_bytes) {
                        Some(bytes) => units::throughput(bytes, side.time_ns, fastest),
                        None => units::rate(side.time_ns),
                    },
                    side.log_ratio.map_or_else(String::new, units::ratio),
                    side.interval.map_or_else(String::new, units::ratio_interval),
                    units::rank(side, &it.sides),
                ]);
                table.row(cells);
            }
        }
        table
    }

    /// RSA keygen, by quantiles.
    fn keys(&self, contests: &[RankedContest], markdown: bool) -> Table {
        let mut columns = size_column(contests[0].contest);
        columns.extend([
            Column::Left("backend"),
            Column::Right("keys"),
            Column::Right("median"),
            Column::Right("95 % interval"),
            Column::Right("p95"),
            Column::Right("ratio"),
            Column::Right("95 % interval"),
        ]);
        let mut table = Table::new(&columns);
        for it in contests {
            let unit = units::unit(it.sides.first().map_or(1.0, |side| side.time_ns));
            let time = |nanoseconds| units::scaled(nanoseconds, unit);
            for (index, side) in it.sides.iter().enumerate() {
                let quantiles = side.quantiles;
                let mut cells = size_cell(it.contest, index, markdown);
                cells.extend([
                    self.labels.of(&side.key),
                    quantiles.map_or_else(String::new, |it| it.values.to_string()),
                    time(side.time_ns),
                    quantiles.and_then(|it| it.median_interval).map_or_else(String::new, |it| {
                        format!("[{}, {}]", time(it.low), time(it.high))
                    }),
                    quantiles.and_then(|it| it.p95).map_or_else(String::new, time),
                    side.log_ratio.map_or_else(String::new, units::ratio),
                    side.interval.map_or_else(String::new, units::ratio_interval),
                ]);
                table.row(cells);
            }
        }
        table
    }

    /// The geometric means of operations that have more than one contest and more than one side.
    fn means(&self, markdown: bool) -> String {
        let of_it = |means: &OperationMeans| -> Vec<&RankedContest> {
            let contests = self.ranking.contests.iter();
            contests
                .filter(|it| it.contest.operation == means.operation && !by_chance(it.contest))
                .collect()
        };
        let several = |means: &&OperationMeans| {
            let contests = of_it(means);
            contests.len() > 1 && contests.iter().any(|it| it.sides.len() > 1)
        };
        let all: Vec<&OperationMeans> = self.ranking.means.iter().filter(several).collect();
        if all.is_empty() {
            return String::new();
        }
        let mut table = Table::new(&[
            Column::Left("operation"),
            Column::Right("contests"),
            Column::Left("backend"),
            Column::Right("geometric mean"),
        ]);
        for means in all {
            let first = |index: usize, text: String| {
                if index == 0 || markdown { text } else { String::new() }
            };
            let contests = match of_it(means).len() {
                all if all == means.contests => all.to_string(),
                all => format!("{} of {all}", means.contests),
            };
            for (index, (side, log_ratio)) in means.sides.iter().enumerate() {
                table.row([
                    first(index, means.operation.to_string()),
                    first(index, contests.clone()),
                    self.labels.of(side),
                    units::ratio(*log_ratio),
                ]);
            }
            if means.sides.is_empty() {
                table.row([
                    means.operation.to_string(),
                    contests,
                    "no contest that all share".to_owned(),
                    String::new(),
                ]);
            }
        }
        let heading = format!(
            "Geometric means of the ratio to {}, over the contests that all backends of an operation share",
            self.reference()
        );
        let heading = if markdown { format!("### {heading}\n") } else { heading };
        format!("{heading}\n{}\n", table.render(markdown))
    }

    /// The cases without numbers.
    fn absent(&self, markdown: bool) -> String {
        let mut failed = Absent::default();
        for it in &self.record.failed {
            let key = SideKey { program: it.program, backend: it.id.backend.clone() };
            failed.add(self.labels.of(&key), &it.reason, &it.id);
        }
        let mut unsupported = Absent::default();
        for it in &self.record.unsupported {
            let key = SideKey { program: it.program, backend: it.id.backend.clone() };
            unsupported.add(self.labels.of(&key), &it.reason, &it.id);
        }
        let mut text = String::new();
        for (title, absent) in [("Failed and left out", failed), ("Unsupported", unsupported)] {
            let lines = absent.lines();
            if lines.is_empty() {
                continue;
            }
            text.push_str(&if markdown {
                format!("### {title}\n\n")
            } else {
                format!("{title}\n")
            });
            for line in lines {
                text.push_str(&if markdown {
                    format!("- {}\n", output::table::escaped(&line))
                } else {
                    format!(" {line}\n")
                });
            }
            text.push('\n');
        }
        text
    }

    /// What ratios are to.
    fn reference(&self) -> String {
        self.options.reference.as_ref().map_or_else(
            || "the fastest of each contest".to_owned(),
            |backend| format!("`{backend}`"),
        )
    }

    /// What a reader has to know of the numbers.
    fn notes(&self) -> Vec<String> {
        let header = &self.record.header;
        let mut notes = Vec::new();
        if self.options.reference.is_some() {
            notes.push(format!("note: ratios are to {}", self.reference()));
        }
        if self.options.margin > 0.0 {
            notes.push(format!(
                "note: backends within {} % of each other tie",
                // Without what a hundredth of the number given has of rounding.
                (self.options.margin * 1e6).round() / 1e4
            ));
        }
        if header.engine == Engine::Criterion {
            notes.push(
                "note: Criterion measures one case after another in one process, so nothing says how sure the order \
                 is: no ranks; `cryptobench run` ranks"
                    .to_owned(),
            );
        } else if header.settings.rounds < 2 {
            notes.push("note: one round cannot say how sure the order is: no ranks".to_owned());
        }
        if header.settings.quick {
            notes.push("note: measured with --quick: for a look, not for citing".to_owned());
        }
        if self.ranking.contests.iter().any(|it| by_chance(it.contest)) {
            notes.push(
                "note: times of RSA key generation are spread by chance: quantiles over all keys, and no ranks".to_owned(),
            );
        }
        notes.extend(self.notes.iter().map(|note| format!("note: {note}")));
        notes
    }

    fn rows(&self) -> Vec<SideRow> {
        let contests = &self.ranking.contests;
        contests.iter().flat_map(|it| it.sides.iter().map(|side| self.row(it, side))).collect()
    }

    fn row(&self, contest: &RankedContest, side: &RankedSide) -> SideRow {
        let unit = unit(contest.contest);
        let quantiles = side.quantiles;
        SideRow {
            algorithm: contest.contest.algorithm.to_string(),
            operation: contest.contest.operation.to_string(),
            size: contest.contest.size,
            size_unit: unit.map(unit_name),
            program: self
                .record
                .header
                .programs
                .get(side.key.program)
                .map_or_else(String::new, |it| visible(&it.name).into_owned()),
            backend: side.key.backend.to_string(),
            rank: side.rank,
            time_ns: side.time_ns,
            rounds: side.rounds,
            reference: contest.reference.as_ref().map(|it| self.labels.of(it)),
            ratio: side.log_ratio.map(f64::exp),
            ratio_low: side.interval.map(|it| it.low.exp()),
            ratio_high: side.interval.map(|it| it.high.exp()),
            throughput_bytes_per_s: contest
                .contest
                .bytes()
                .map(|bytes| bytes as f64 / side.time_ns * 1e9),
            operations_per_s: 1e9 / side.time_ns,
            keys: quantiles.map(|it| it.values),
            median_low_ns: quantiles.and_then(|it| it.median_interval).map(|it| it.low),
            median_high_ns: quantiles.and_then(|it| it.median_interval).map(|it| it.high),
            p95_ns: quantiles.and_then(|it| it.p95),
        }
    }

    fn document(&self) -> Document {
        let header = &self.record.header;
        let absent = |id: &cryptobench_schema::CaseId, program: usize, reason: &str| AbsentCase {
            id: id.to_string(),
            program,
            reason: reason.to_owned(),
        };
        Document {
            started: header.started.clone(),
            engine: engine(header.engine),
            rounds: header.settings.rounds,
            quick: header.settings.quick,
            programs: header.programs.iter().map(|it| it.name.clone()).collect(),
            warnings: header.warnings.clone(),
            notes: self.notes(),
            reference: self.options.reference.as_ref().map(ToString::to_string),
            margin: self.options.margin,
            sides: self.rows(),
            means: self
                .ranking
                .means
                .iter()
                .map(|it| Means {
                    operation: it.operation.to_string(),
                    contests: it.contests,
                    sides: it
                        .sides
                        .iter()
                        .map(|(key, log_ratio)| MeanSide {
                            side: self.labels.of(key),
                            ratio: log_ratio.exp(),
                        })
                        .collect(),
                })
                .collect(),
            failed: self
                .record
                .failed
                .iter()
                .map(|it| absent(&it.id, it.program, &it.reason))
                .collect(),
            unsupported: self
                .record
                .unsupported
                .iter()
                .map(|it| absent(&it.id, it.program, &it.reason))
                .collect(),
        }
    }
}

/// One side of one contest, as CSV and JSON have it.
#[derive(Debug, Serialize)]
struct SideRow {
    algorithm: String,
    operation: String,
    size: Option<u64>,
    size_unit: Option<&'static str>,
    program: String,
    backend: String,
    rank: Option<usize>,
    time_ns: f64,
    rounds: usize,
    reference: Option<String>,
    ratio: Option<f64>,
    ratio_low: Option<f64>,
    ratio_high: Option<f64>,
    throughput_bytes_per_s: Option<f64>,
    operations_per_s: f64,
    keys: Option<usize>,
    median_low_ns: Option<f64>,
    median_high_ns: Option<f64>,
    p95_ns: Option<f64>,
}

/// A ranking as JSON.
#[derive(Debug, Serialize)]
struct Document {
    started: String,
    engine: &'static str,
    rounds: u32,
    quick: bool,
    programs: Vec<String>,
    warnings: Vec<String>,
    notes: Vec<String>,
    reference: Option<String>,
    margin: f64,
    sides: Vec<SideRow>,
    means: Vec<Means>,
    failed: Vec<AbsentCase>,
    unsupported: Vec<AbsentCase>,
}

#[derive(Debug, Serialize)]
struct Means {
    operation: String,
    contests: usize,
    sides: Vec<MeanSide>,
}

#[derive(Debug, Serialize)]
struct MeanSide {
    side: String,
    ratio: f64,
}

#[derive(Debug, Serialize)]
struct AbsentCase {
    id: String,
    program: usize,
    reason: String,
}

/// When, where and how `record` was measured, in one line.
pub(crate) fn provenance(record: &Record) -> String {
    let header = &record.header;
    let mut parts = vec![header.started.clone()];
    if let Some(program) = header.programs.last() {
        let host = &program.environment.host;
        parts.extend(machine_name(host));
        parts.extend(host.system.clone());
    }
    parts.push(match header.engine {
        Engine::LockStep => units::count(header.settings.rounds as usize, "round"),
        Engine::Criterion => "by Criterion".to_owned(),
    });
    visible(&parts.join(", ")).into_owned()
}

/// The engine's name in files.
pub(crate) const fn engine(engine: Engine) -> &'static str {
    match engine {
        Engine::LockStep => "lock-step",
        Engine::Criterion => "criterion",
    }
}

/// What the size of `contest` counts.
pub(crate) fn unit(contest: Contest) -> Option<Unit> {
    contest.size.and(sizes(contest.algorithm, contest.operation)).map(|it| it.unit)
}

/// A unit's name in files.
pub(crate) const fn unit_name(unit: Unit) -> &'static str {
    match unit {
        Unit::Bytes => "bytes",
        Unit::PieceBytes => "bytes of a piece",
        Unit::ModulusBits => "bits",
    }
}

fn size_column(contest: Contest) -> Vec<Column<'static>> {
    if contest.size.is_some() { vec![Column::Right("size")] } else { Vec::new() }
}

/// The size, in the first row of a contest, or where tables may be sorted in every row.
fn size_cell(contest: Contest, index: usize, every: bool) -> Vec<String> {
    match contest.size {
        None => Vec::new(),
        Some(_) if index == 0 || every => vec![units::size(contest)],
        Some(_) => vec![String::new()],
    }
}
