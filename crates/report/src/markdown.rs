//! The answer in short, as Markdown for a README: the fastest backend of each operation at three sizes, with the
//! machine and the command it comes from.

use crate::{
    facts,
    page::{Input, view::View},
    text::visible,
    units,
};
use cryptobench_results::ranking::RankedContest;
use cryptobench_schema::Family;

/// The summary of `input`, made by `command`.
#[must_use]
pub fn summary(input: &Input, command: &str) -> String {
    let view = View::new(input, None);
    let mut text = format!(
        "The fastest backend and how many times as fast as the next it is, with the 95 % interval; `=` is a tie. {}, {}. Made by `{}`.\n\n",
        escaped(&view.title().replace("Cryptobench: ", "")),
        escaped(&view.lede()),
        visible(command).replace('`', "'"),
    );
    text.push_str("| algorithm | operation | small | middle | large |\n|---|---|---|---|---|\n");
    for family in Family::ALL.into_iter().filter(|it| it.is_of_algorithms()) {
        for group in view.groups_of(family) {
            let mut cells: Vec<String> =
                group.three().iter().map(|contest| cell(&view, contest)).collect();
            cells.resize(3, String::new());
            text.push_str(&format!(
                "| `{}` | {} | {} |\n",
                group.algorithm,
                group.operation,
                cells.join(" | ")
            ));
        }
    }
    text.push_str(&format!(
        "\nMeasured by `{}`.\n",
        visible(&facts::command(view.header)).replace('`', "'")
    ));
    text
}

fn cell(view: &View<'_>, contest: &RankedContest) -> String {
    let Some(lead) = contest.lead() else { return String::new() };
    let size = units::size(contest.contest);
    let names: Vec<String> =
        lead.winners.iter().map(|it| format!("**{}**", escaped(&view.label(it)))).collect();
    let by = view.ahead(&lead).map_or_else(String::new, |it| format!(" {}", escaped(&it)));
    format!("{}{}{}{by}", size, if size.is_empty() { "" } else { ": " }, names.join(" = "))
}

/// Words from elsewhere, so that Markdown sees nothing in them.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for it in visible(text).chars() {
        if "\\`*_{}[]<>()#+!|&~".contains(it) {
            escaped.push('\\');
        }
        escaped.push(it);
    }
    escaped
}
