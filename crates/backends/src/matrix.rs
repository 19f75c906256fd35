//! The capability matrix as Markdown that reads well in a terminal too: who can do what, and for each empty
//! cell the reason.

use cryptobench_harness::{Backend, Cell, Suite, every_contest};
use cryptobench_schema::{Algorithm, Contest, Family, sizes};
use std::fmt::Write as _;

/// The matrix of one family: a table whose cells are `yes` or `no` with the numbers of remarks, and the
/// remarks below it. Backends that have nothing in it have a line with the reason instead of a column.
#[must_use]
pub fn matrix(suite: &Suite, family: Family) -> String {
    let contests: Vec<Contest> = every_contest()
        .into_iter()
        .filter(|contest| contest.family() == family && contest.algorithm != Algorithm::Control)
        .collect();
    let mut algorithms: Vec<Algorithm> = contests.iter().map(|contest| contest.algorithm).collect();
    algorithms.dedup();
    let (present, absent): (Vec<&Backend>, Vec<&Backend>) = suite
        .backends()
        .iter()
        .filter(|backend| !backend.is_control())
        .partition(|backend| reasons_for_nothing(backend, &contests).is_none());
    let mut remarks = Remarks::default();
    let mut rows = vec![header(&present)];
    for &algorithm in &algorithms {
        rows.extend(algorithm_rows(algorithm, &contests, &present, &mut remarks));
    }
    let mut text = table(&rows);
    if !remarks.0.is_empty() {
        text.push('\n');
    }
    for (number, remark) in remarks.0.iter().enumerate() {
        let _ = writeln!(text, "{}. {remark}", number + 1);
    }
    if !absent.is_empty() {
        text.push('\n');
    }
    for backend in absent {
        let reasons = reasons_for_nothing(backend, &contests).unwrap_or_default();
        let _ = writeln!(text, "- `{}` has none of these: {}", backend.id(), reasons.join("; "));
    }
    text
}

/// The distinct reasons why `backend` has nothing of `contests`, or `None` where it has something.
fn reasons_for_nothing<'a>(backend: &'a Backend, contests: &[Contest]) -> Option<Vec<&'a str>> {
    let mut reasons = Vec::new();
    for contest in contests {
        match backend.cell(contest) {
            Cell::Has(_) => return None,
            Cell::Lacks(reason) if !reasons.contains(&reason) => reasons.push(reason),
            Cell::Lacks(_) => {}
            Cell::Unexplained => reasons.push("?"),
        }
    }
    Some(reasons)
}

/// Remarks in the order of their first use; the same words have one number.
#[derive(Default)]
struct Remarks(Vec<String>);

impl Remarks {
    fn number(&mut self, remark: &str) -> usize {
        self.0.iter().position(|known| known == remark).unwrap_or_else(|| {
            self.0.push(remark.to_owned());
            self.0.len() - 1
        }) + 1
    }

    fn cell(&mut self, cell: &Cell<'_>) -> String {
        match cell {
            Cell::Has(registration) => registration
                .its_note()
                .map_or_else(|| "yes".to_owned(), |note| format!("yes ({})", self.number(note))),
            Cell::Lacks(reason) => format!("no ({})", self.number(reason)),
            Cell::Unexplained => "?".to_owned(),
        }
    }
}

fn header(backends: &[&Backend]) -> Vec<String> {
    let mut header = vec!["algorithm".to_owned(), "operation".to_owned()];
    header.extend(backends.iter().map(|backend| format!("`{}`", backend.id())));
    header
}

/// The rows of one algorithm: operations and sizes whose cells are the same share a row.
fn algorithm_rows(
    algorithm: Algorithm,
    contests: &[Contest],
    backends: &[&Backend],
    remarks: &mut Remarks,
) -> Vec<Vec<String>> {
    let mut rows: Vec<(Vec<String>, Vec<Contest>)> = Vec::new();
    for &contest in contests.iter().filter(|it| it.algorithm == algorithm) {
        let cells: Vec<String> =
            backends.iter().map(|it| remarks.cell(&it.cell(&contest))).collect();
        match rows.iter_mut().find(|(known, _)| *known == cells) {
            Some((_, contests)) => contests.push(contest),
            None => rows.push((cells, vec![contest])),
        }
    }
    rows.into_iter()
        .map(|(cells, contests)| {
            [format!("`{algorithm}`"), label(algorithm, &contests)]
                .into_iter()
                .chain(cells)
                .collect()
        })
        .collect()
}

/// The operations of a row, with their sizes where the row has not all of them.
fn label(algorithm: Algorithm, contests: &[Contest]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for &operation in algorithm.operations() {
        let here: Vec<u64> = contests
            .iter()
            .filter(|contest| contest.operation == operation)
            .filter_map(|contest| contest.size)
            .collect();
        let all = sizes(algorithm, operation).map(|sizes| sizes.all);
        if !contests.iter().any(|contest| contest.operation == operation) {
            continue;
        }
        let partial = all.is_some_and(|all| all.len() != here.len());
        parts.push(if partial {
            let sizes: Vec<String> = here.iter().map(u64::to_string).collect();
            format!("{operation} {}", sizes.join(" "))
        } else {
            operation.to_string()
        });
    }
    parts.join(", ")
}

/// A Markdown table, its columns padded to the same width.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let widths: Vec<usize> = (0..columns)
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for (number, row) in rows.iter().enumerate() {
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(text, "| {cell:width$} ");
        }
        text.push_str("|\n");
        if number == 0 {
            for width in &widths {
                let _ = write!(text, "|{:-<1$}", "", width + 2);
            }
            text.push_str("|\n");
        }
    }
    text
}
