//! Tables: the same rows as text for a terminal and as Markdown.

use crate::output::visible;
use clap::ValueEnum;
use comfy_table::{CellAlignment, ContentArrangement, presets};

/// How a result is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum Format {
    /// For a terminal.
    #[default]
    Text,
    /// Markdown, for a pull request.
    Md,
    /// Comma-separated values, times in nanoseconds.
    Csv,
    /// JSON, times in nanoseconds.
    Json,
}

/// A column and where its cells stand.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Column<'a> {
    /// Words.
    Left(&'a str),
    /// Numbers.
    Right(&'a str),
}

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    names: Vec<String>,
    /// Which columns are numbers.
    numbers: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(columns: &[Column<'_>]) -> Self {
        let name = |column: &Column<'_>| match *column {
            Column::Left(name) | Column::Right(name) => visible(name).into_owned(),
        };
        Self {
            names: columns.iter().map(name).collect(),
            numbers: columns.iter().map(|it| matches!(it, Column::Right(_))).collect(),
            rows: Vec::new(),
        }
    }

    /// Adds a row, of as many cells as there are columns.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().map(|cell| visible(&cell).into_owned()).collect());
    }

    /// Whether it has no rows.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// As text or Markdown, ended by a newline.
    pub(crate) fn render(&self, markdown: bool) -> String {
        let mut table = comfy_table::Table::new();
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.load_style(if markdown { presets::ASCII_MARKDOWN } else { presets::NOTHING });
        table.set_header(
            self.names.iter().map(|name| if markdown { escaped(name) } else { name.clone() }),
        );
        for row in &self.rows {
            table.add_row(
                row.iter().map(|cell| if markdown { escaped(cell) } else { cell.clone() }),
            );
        }
        for (index, number) in self.numbers.iter().enumerate() {
            if let (true, Some(column)) = (*number, table.column_mut(index)) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let mut text: String = table.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        if markdown {
            text = aligned(&text, &self.numbers);
        }
        text
    }
}

/// A cell that Markdown and HTML leave as it is.
pub(crate) fn escaped(cell: &str) -> String {
    cell.replace('&', "&amp;").replace('<', "&lt;").replace('|', "\\|")
}

/// `text` with the line below the header saying which columns are numbers.
fn aligned(text: &str, numbers: &[bool]) -> String {
    let rule: String = numbers.iter().map(|number| if *number { "|--:" } else { "|---" }).collect();
    let line = |(number, line): (usize, &str)| {
        if number == 1 { format!("{rule}|\n") } else { format!("{line}\n") }
    };
    text.lines().enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&[Column::Left("id"), Column::Right("time")]);
        table.row(["a|b<".to_owned(), "1.0 ns".to_owned()]);
        table.row(["c".to_owned(), "10.0 ns".to_owned()]);
        table
    }

    #[test]
    fn text_has_aligned_columns() {
        assert_eq!(table().render(false), " id       time\n a|b<   1.0 ns\n c     10.0 ns\n");
    }

    #[test]
    fn cells_from_elsewhere_stay_in_their_place() {
        let mut table = Table::new(&[Column::Left("id"), Column::Right("time")]);
        table.row(["\u{1b}[2Ja\nb".to_owned(), "1 ns".to_owned()]);
        assert_eq!(table.render(false), " id             time\n \\u001b[2Ja\\nb  1 ns\n");
    }

    #[test]
    fn markdown_is_escaped_and_knows_numbers() {
        assert_eq!(
            table().render(true),
            "| id       |    time |\n|---|--:|\n| a\\|b&lt; |  1.0 ns |\n| c        | 10.0 ns |\n"
        );
    }
}
