//! An answer as Markdown, for a page of documentation or a pull request. What it says is in the files beside.

use super::{Answer, Kind, Table};
use crate::markdown::escaped;

/// `answer` under a heading of its question.
#[must_use]
pub fn markdown(answer: &Answer) -> String {
    let Answer { scenario, sentence, tables, then, notes } = answer;
    let mut text = format!("## {}\n\n{}\n", scenario.question(), escaped(sentence));
    for it in tables {
        text.push_str(&table(it));
    }
    if !notes.is_empty() {
        text.push('\n');
    }
    for note in notes {
        text.push_str(&format!("- {}\n", escaped(note)));
    }
    text.push_str("\n### Then\n\n");
    for sentence in &then.sentences {
        text.push_str(&format!("- {}\n", escaped(sentence)));
    }
    text.push_str(&format!("- Source: {}\n", escaped(&then.source)));
    for it in &then.tables {
        text.push_str(&table(it));
    }
    text
}

fn table(table: &Table) -> String {
    let line = |cells: &mut dyn Iterator<Item = String>| -> String {
        let cells: String = cells.map(|it| format!(" {it} |")).collect();
        format!("|{cells}\n")
    };
    let mut text = format!("\n**{}**\n\n", escaped(&table.caption));
    text.push_str(&line(&mut table.columns.iter().map(|it| escaped(&it.name))));
    let rule: String = table
        .columns
        .iter()
        .map(|it| if it.kind == Kind::Number { "--:|" } else { "---|" })
        .collect();
    text.push_str(&format!("|{rule}\n"));
    for row in &table.rows {
        text.push_str(&line(&mut row.cells.iter().map(|it| escaped(it))));
    }
    for (index, reason) in table.reasons.iter().enumerate() {
        text.push_str(&format!("{}- {}\n", if index == 0 { "\n" } else { "" }, escaped(reason)));
    }
    text
}
