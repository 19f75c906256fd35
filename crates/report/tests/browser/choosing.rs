//! Backends, algorithms and a reference, chosen: what then is shown, and that the numbers are those that the results
//! compute.

use crate::{PAGE, driver::Seen, made_up, of};
use cryptobench_report::units;
use cryptobench_results::ranking::{Entrants, Options, Ranking, rank};
use cryptobench_schema::BackendId;
use std::collections::BTreeMap;

/// The cells of every row of numbers, by contest and backend: ratio, interval, rank.
type Rows = BTreeMap<(String, String), [String; 3]>;

fn rows(seen: &Seen) -> Rows {
    let rows: Vec<(String, String, [String; 3])> = seen.ask(
        "[...document.querySelectorAll('.numbers tr[data-contest]')].map((row) => [row.dataset.contest, row.dataset.b,
            ['.ratio', 'td.interval', '.rank'].map((it) => row.querySelector(it)?.textContent.trim() ?? '')])",
    );
    rows.into_iter().map(|(contest, backend, cells)| ((contest, backend), cells)).collect()
}

/// Who leads where, and by how much.
fn leads(seen: &Seen) -> Vec<[String; 3]> {
    seen.ask(
        "[...document.querySelectorAll('td.lead')].map((it) => [it.dataset.contest, it.querySelector('.who').textContent,
            it.querySelector('.by').textContent])",
    )
}

fn best(seen: &Seen) -> Vec<bool> {
    seen.ask(
        "[...document.querySelectorAll('.matrix td')].map((it) => it.classList.contains('best'))",
    )
}

/// What the results say of the record of [`PAGE`] with ratios to `reference`, in the page's words.
fn expected(reference: Option<&'static str>) -> Rows {
    let mut record = made_up::input("", "Some CPU", 1.0).record;
    record.leave_out_failed();
    let options = Options {
        entrants: Entrants::AllPrograms,
        reference: reference.map(BackendId::fixed),
        ..Options::default()
    };
    let Ranking { contests, .. } = rank(&record, &options);
    let mut rows = Rows::new();
    for contest in &contests {
        for side in &contest.sides {
            let ratio = side.log_ratio.map_or_else(|| "–".to_owned(), units::ratio);
            let interval = side.interval.map_or_else(String::new, units::ratio_interval);
            // Key generation has quantiles in this place.
            let rank =
                Some(units::rank(side, &contest.sides)).filter(|it| it != "-").unwrap_or_default();
            rows.insert(
                (contest.contest.to_string(), side.key.backend.to_string()),
                [ratio, interval, rank],
            );
        }
    }
    rows
}

#[test]
fn ratios_are_those_that_the_results_compute() {
    let Some(seen) = Seen::open(&PAGE) else { return };
    let fastest = expected(None);
    assert!(fastest.len() > 60);
    assert_eq!(rows(&seen), fastest);
    for reference in ["openssl", "ring", "aws-lc", "graviola", "rustcrypto", "control"] {
        seen.choose("#reference", reference);
        assert_eq!(rows(&seen), expected(Some(reference)), "to {reference}");
        assert_eq!(seen.text("th.to"), format!("Ratio to {reference}"));
    }
    seen.choose("#reference", "");
    assert_eq!(rows(&seen), fastest);
    assert_eq!(seen.text("th.to"), "Ratio to the fastest");
}

#[test]
fn with_everything_shown_the_script_says_what_the_page_said() {
    let inputs =
        [made_up::input("old", "Some CPU", 1.2), made_up::input("new", "Another CPU", 1.0)];
    for page in [&*PAGE, &of(&[made_up::duel()]), &of(&inputs)] {
        let Some(plain) = Seen::without_scripts(page) else { return };
        let Some(seen) = Seen::open(page) else { return };
        // So that everything is computed anew.
        seen.click("[data-toggle=b]");
        seen.click("[data-toggle=b]");
        assert_eq!(rows(&seen), rows(&plain));
        assert_eq!(leads(&seen), leads(&plain));
        assert_eq!(best(&seen), best(&plain));
        assert!(best(&seen).contains(&true));
        let machines =
            "[...document.querySelectorAll('.machines td')].map((it) => it.textContent.trim())";
        assert_eq!(seen.ask::<Vec<String>>(machines), plain.ask::<Vec<String>>(machines));
    }
}

#[test]
fn a_backend_left_out_is_nowhere_and_others_win() {
    let Some(seen) = Seen::open(&PAGE) else { return };
    seen.unfold();
    let lead = |contest: &str| {
        let all = leads(&seen);
        all.into_iter().find(|it| it[0] == contest).map(|it| it[1].clone()).expect("a lead")
    };
    let parts = [
        "svg.chart g[data-b=ring]",
        "td[data-b=ring]",
        "tr[data-b=ring]",
        "th[data-b=ring]",
        "li[data-b=ring]",
    ];
    let before: Vec<usize> = parts.iter().map(|it| seen.count(it)).collect();
    let others = seen.count("tr[data-b=aws-lc]");
    assert!(before[..4].iter().all(|it| *it > 0), "{before:?}");
    assert_eq!(lead("aes-256-gcm/seal/16"), "ring");
    assert_eq!(lead("aes-256-gcm/open/16"), "aws-lc = ring");
    assert_eq!(
        seen.text("td.lead[data-contest='aes-256-gcm/key-setup'] .by").split(' ').next_back(),
        Some("aws-lc")
    );
    assert!(seen.shows(".overtakes li"));

    seen.click("input[value=ring]");
    for part in parts {
        assert_eq!(seen.count(part), 0, "{part}");
    }
    assert_eq!(seen.count("tr[data-b=aws-lc]"), others);
    assert_eq!(lead("aes-256-gcm/seal/16"), "aws-lc");
    assert_eq!(lead("aes-256-gcm/open/16"), "aws-lc");
    assert_eq!(seen.text("td.lead[data-contest='aes-256-gcm/key-setup'] .by"), "alone");
    assert_eq!(
        seen.text("tr[data-contest='aes-256-gcm/seal/16'][data-b=aws-lc] .ratio"),
        "1.0000×"
    );
    assert_eq!(seen.text("tr[data-contest='aes-256-gcm/seal/16'][data-b=aws-lc] .rank"), "1");
    let tables = seen.count("table");

    seen.click("input[value='aes-256-gcm']");
    for part in ["[data-a='aes-256-gcm']", "#aes-256-gcm"] {
        assert_eq!(seen.count(part), 0, "{part}");
    }
    assert!(seen.count("[data-a='chacha20-poly1305']") > 0);
    assert!(seen.count("table") < tables);

    seen.choose("#reference", "openssl");
    seen.click("#reset");
    assert_eq!(parts.iter().map(|it| seen.count(it)).collect::<Vec<_>>(), before);
    assert!(seen.shows("#aes-256-gcm"));
    assert_eq!(lead("aes-256-gcm/seal/16"), "ring");
    assert_eq!(rows(&seen), expected(None));
    assert!(seen.ask::<bool>(
        "[...document.querySelectorAll('.controls input')].every((it) => it.checked)"
    ));
    assert_eq!(
        seen.ask::<String>("document.getElementById('reference').value + location.hash"),
        ""
    );
    assert_eq!(seen.heard().complaints, [] as [String; 0]);
}

#[test]
fn names_of_any_kind_can_be_left_out() {
    let Some(seen) = Seen::open(&of(&[made_up::duel()])) else { return };
    seen.unfold();
    assert_eq!(seen.count(".legend label"), 2);
    for index in 0..2 {
        let name: String =
            seen.ask(&format!("document.querySelectorAll('[data-toggle=b]')[{index}].value"));
        let lines = format!("g[data-b={}]", serde_json::json!(name));
        assert!(seen.count(&lines) > 0, "{lines}");
        seen.click(&format!("label:nth-child({}) [data-toggle=b]", index + 1));
        assert_eq!(seen.count(&lines), 0, "{lines}");
        let hash: String = seen.ask("location.hash");
        let again = Seen::at(&of(&[made_up::duel()]), &hash).expect("a browser");
        assert_eq!(again.count(&lines), 0, "{hash}");
        seen.click("#reset");
        assert!(seen.count(&lines) > 0, "{lines}");
    }
}
