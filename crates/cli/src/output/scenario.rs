//! The answer to a scenario's question as text for a terminal. What it says is the report's.

use crate::output::{
    table::{Column, Table},
    visible,
};
use cryptobench_report::scenario::{self, Answer, Kind};

/// Columns of a terminal that sentences are broken for.
const WIDTH: usize = 100;

/// As text: the main tables, or `all`.
pub(crate) fn text(answer: &Answer, all: bool) -> String {
    let Answer { scenario, sentence, tables, then, notes } = answer;
    let mut text = format!("{}\n\n{}", scenario.question(), wrapped(sentence, ""));
    let shown = |it: &&scenario::Table| all || it.main;
    for it in tables.iter().filter(shown) {
        text.push_str(&table(it));
    }
    let left_out: Vec<&str> =
        tables.iter().filter(|it| !shown(it)).map(|it| it.caption.as_str()).collect();
    if !left_out.is_empty() {
        let left_out = format!("with --all also: {}", left_out.join("; "));
        text.push_str(&format!("\n{}", wrapped(&left_out, "  ")));
    }
    if !notes.is_empty() {
        text.push('\n');
    }
    for note in notes {
        text.push_str(&wrapped(&format!("note: {note}"), "  "));
    }
    text.push_str("\nThen\n");
    for sentence in &then.sentences {
        text.push_str(&wrapped(&format!("- {sentence}"), "  "));
    }
    text.push_str(&wrapped(&format!("- Source: {}", then.source), "  "));
    for it in then.tables.iter().filter(|_| all) {
        text.push_str(&table(it));
    }
    text
}

/// A table below its caption.
fn table(table: &scenario::Table) -> String {
    let columns: Vec<Column<'_>> = table
        .columns
        .iter()
        .map(|it| match it.kind {
            Kind::Number => Column::Right(&it.name),
            Kind::Words | Kind::Side => Column::Left(&it.name),
        })
        .collect();
    let mut rows = Table::new(&columns);
    for row in &table.rows {
        rows.row(row.cells.iter().cloned());
    }
    let mut text = format!("\n{}{}", wrapped(&table.caption, ""), rows.render(false));
    for reason in &table.reasons {
        text.push_str(&wrapped(&format!(" {reason}"), "    "));
    }
    text
}

/// `text` in lines of up to [`WIDTH`] columns, all but the first after `indent`, ended by a newline.
fn wrapped(text: &str, indent: &str) -> String {
    let text = visible(text);
    let mut lines = String::new();
    let mut columns = 0;
    for word in text.split_inclusive(' ') {
        let width = word.trim_end().chars().count();
        if columns > 0 && columns + width > WIDTH {
            lines.truncate(lines.trim_end().len());
            lines.push('\n');
            lines.push_str(indent);
            columns = indent.len();
        }
        lines.push_str(word);
        columns += word.chars().count();
    }
    lines.truncate(lines.trim_end().len());
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_before_the_terminal_does() {
        let text = wrapped(&"word \u{1b}[2J ".repeat(40), "  ");
        assert!(text.lines().count() > 4 && !text.contains('\u{1b}'), "{text}");
        for (index, line) in text.lines().enumerate() {
            assert!(
                line.chars().count() <= WIDTH
                    && line.starts_with(if index > 0 { "  " } else { "w" })
            );
            assert_eq!(line, line.trim_end());
        }
        assert_eq!(wrapped("", "  "), "\n");
        assert_eq!(wrapped(&"x".repeat(200), "  "), format!("{}\n", "x".repeat(200)));
    }
}
