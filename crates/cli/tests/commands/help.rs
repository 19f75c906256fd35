//! What `--help` says fits the terminal, whatever its width.

use crate::checkout::Checkout;

/// The help of every command, where the terminal has so many columns.
fn help(columns: &str) -> Vec<(String, String)> {
    let checkout = Checkout::new();
    let of = |command: &[&str]| {
        let ran = checkout.run_with(&[command, &["--help"]].concat(), &[("COLUMNS", columns)]);
        assert_eq!(ran.code, Some(0), "{command:?}: {}", ran.err);
        (command.join(" "), ran.out)
    };
    let whole = of(&[]);
    let commands: Vec<String> = whole
        .1
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .filter(|command| command != "help")
        .collect();
    assert_eq!(commands.len(), 10, "{commands:?}");
    std::iter::once(whole).chain(commands.iter().map(|it| of(&[it]))).collect()
}

#[test]
fn no_line_of_the_help_is_wider_than_the_terminal() {
    for columns in [80, 100] {
        for (command, text) in help(&columns.to_string()) {
            for line in text.lines() {
                let width = line.chars().count();
                assert!(width <= columns, "{command}: {width} columns of {columns}: {line}");
            }
        }
    }
}

/// A line that was broken by hand, and then once more by the terminal, ends long before the next word would not fit.
#[test]
fn no_paragraph_of_the_help_is_broken_twice() {
    let mut paragraphs = 0;
    for columns in [60, 80, 100] {
        for (command, text) in help(&columns.to_string()) {
            let (_, after) = text.rsplit_once("Print help").expect("options");
            let lines: Vec<&str> = after.lines().collect();
            for pair in lines.windows(2) {
                let goes_on = !pair[0].is_empty() && !pair[1].is_empty();
                let example = |line: &str| line.starts_with("Example: ") || line.starts_with(' ');
                if !goes_on || example(pair[1]) {
                    continue;
                }
                if example(pair[0]) {
                    assert!(
                        columns < 80,
                        "{command}: an example is wider than {columns} columns: {}",
                        pair[0]
                    );
                    continue;
                }
                paragraphs += 1;
                let word = pair[1].split(' ').next().unwrap_or_default();
                let width = pair[0].chars().count() + 1 + word.chars().count();
                assert!(
                    width > columns,
                    "{command}: `{word}` would fit the {columns} columns of: {}",
                    pair[0]
                );
            }
        }
    }
    assert!(paragraphs > 20, "{paragraphs}");
}
