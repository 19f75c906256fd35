//! Tables, sorted by their headings.

use crate::{PAGE, driver::Seen};
use serde_json::json;

/// The table of all numbers of `aes-256-gcm/seal`, whose smallest size one backend does not have.
const TABLE: &str = "[data-a='aes-256-gcm'] .numbers";

/// The texts of a column, and which rows have no numbers.
fn column(seen: &Seen, column: usize) -> Vec<String> {
    let rows = json!(format!("{TABLE} tbody tr"));
    seen.ask(&format!(
        "[...[...document.querySelectorAll({rows})][0].parentElement.rows].map((row) =>
            row.classList.contains('none') ? '†' : row.cells[{column}].textContent.trim())"
    ))
}

fn heading(column: usize) -> String {
    format!("{TABLE} th:nth-child({}) button", column + 1)
}

fn sorted(seen: &Seen, column: usize) -> String {
    seen.ask(&format!(
        "document.querySelector({}).closest('th').getAttribute('aria-sort')",
        json!(heading(column))
    ))
}

/// Nanoseconds of `1.234 ns`.
fn number(text: &str) -> f64 {
    text.split(' ').next().and_then(|it| it.trim_end_matches('×').parse().ok()).expect("a number")
}

fn is_rising(texts: &[String]) -> bool {
    texts.iter().map(|it| number(it)).collect::<Vec<_>>().is_sorted()
}

#[test]
fn a_click_sorts_another_reverses_a_third_restores() {
    let Some(seen) = Seen::open(&PAGE) else { return };
    seen.unfold();
    for (index, name) in ["Size", "Backend", "Time"].iter().enumerate() {
        let original = column(&seen, index);
        assert_eq!(sorted(&seen, index), "none", "{name}");
        assert_eq!(seen.text(&heading(index)), *name);
        seen.click(&heading(index));
        assert_eq!(sorted(&seen, index), "ascending", "{name}");
        let up = column(&seen, index);
        seen.click(&heading(index));
        assert_eq!(sorted(&seen, index), "descending", "{name}");
        let down = column(&seen, index);
        seen.click(&heading(index));
        assert_eq!(sorted(&seen, index), "none", "{name}");
        assert_eq!(column(&seen, index), original, "{name}");
        let numbers =
            |it: &[String]| it.iter().filter(|it| *it != "†").cloned().collect::<Vec<_>>();
        if *name == "Time" {
            assert!(!is_rising(&numbers(&original)));
            // What has no number is last both ways.
            for it in [&up, &down] {
                assert_eq!(it.iter().position(|it| it == "†"), Some(it.len() - 1), "{it:?}");
            }
            assert!(is_rising(&up[..up.len() - 1]), "{up:?}");
            assert!(
                is_rising(&down[..down.len() - 1].iter().rev().cloned().collect::<Vec<_>>()),
                "{down:?}"
            );
        } else {
            let (mut up, down) = (numbers(&up), numbers(&down));
            if *name == "Size" {
                assert!(is_rising(&up), "{up:?}");
            } else {
                assert!(up.is_sorted(), "{up:?}");
            }
            up.dedup();
            let mut back: Vec<_> = down.into_iter().rev().collect();
            back.dedup();
            assert_eq!(up, back, "{name}");
        }
    }
}

#[test]
fn every_column_of_every_table_sorts() {
    let Some(seen) = Seen::open(&PAGE) else { return };
    // Rising, then falling, by what the cells say, and no row lost; whatever has no value comes last.
    let wrong: Vec<String> = seen.ask(
        "[...document.querySelectorAll('table.sortable')].flatMap((table) => [...table.tHead.rows[0].cells].flatMap((head, column) => {
            const rows = [...table.tBodies[0].rows];
            const button = head.querySelector('button');
            const value = (row) => {
                const cell = row.cells[column];
                if (!cell || cell.classList.contains('none') && !cell.dataset.v) return null;
                const text = cell.textContent.trim();
                const read = Number(cell.dataset.v ?? (cell.classList.contains('n') ? text.match(/[\\d.]+/)?.[0] ?? NaN : NaN));
                return cell.dataset.v !== undefined || cell.classList.contains('n') ? (Number.isFinite(read) ? read : null) : text;
            };
            return ['ascending', 'descending', 'none'].flatMap((way) => {
                button.click();
                const now = [...table.tBodies[0].rows];
                const values = now.map(value);
                const known = values.filter((it) => it !== null);
                if (way === 'descending') known.reverse();
                const fine = way === 'none' ? now.every((it, at) => it === rows[at])
                    : known.every((it, at) => !at || known[at - 1] <= it) && values.slice(known.length).every((it) => it === null);
                return fine && head.getAttribute('aria-sort') === way && new Set(now).size === rows.length ? []
                    : [`${table.caption?.textContent ?? table.className}, ${head.textContent}, ${way}: ${values}`];
            });
        }))",
    );
    assert_eq!(wrong, [] as [String; 0]);
    assert_eq!(seen.heard().complaints, [] as [String; 0]);
}

#[test]
fn headings_are_buttons_of_the_keyboard() {
    let Some(seen) = Seen::open(&PAGE) else { return };
    seen.unfold();
    seen.ask::<serde_json::Value>(&format!(
        "document.querySelector({}).focus()",
        json!(heading(1))
    ));
    seen.press("Tab");
    assert_eq!(seen.ask::<String>("document.activeElement.textContent"), "Time");
    seen.press("Enter");
    assert_eq!(sorted(&seen, 2), "ascending");
    let up = column(&seen, 2);
    assert!(is_rising(&up[..up.len() - 1]), "{up:?}");
    // Ratios to another reference are another order.
    seen.click(&heading(5));
    seen.choose("#reference", "openssl");
    let ratios = column(&seen, 5);
    assert!(is_rising(&ratios[..ratios.len() - 1]), "{ratios:?}");
}
