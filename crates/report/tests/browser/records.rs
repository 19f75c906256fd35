//! Pages of more than one record: what changed, and where.

use crate::{driver::Seen, made_up, of};
use cryptobench_report::units;
use cryptobench_results::ranking::{Entrants, Options, rank};
use cryptobench_schema::BackendId;

#[test]
fn one_record_has_no_before_and_no_elsewhere() {
    let Some(seen) = Seen::open(&crate::PAGE) else { return };
    assert_eq!(seen.count_all("#changed, #where, nav a[href='#changed'], nav a[href='#where']"), 0);
    assert_eq!(seen.count("nav a"), 5);
    // Of the scenarios it has RSA's keys alone.
    assert_eq!(seen.count("#then h3"), 1);
}

#[test]
fn two_records_of_a_machine_say_what_changed() {
    let inputs = [made_up::input("old", "Some CPU", 1.0), made_up::input("new", "Some CPU", 1.2)];
    let Some(seen) = Seen::open(&of(&inputs)) else { return };
    assert!(seen.shows("#changed") && seen.shows("nav a[href='#changed']"));
    assert_eq!(seen.count_all("#where"), 0);
    let slower: Vec<String> = seen.ask(
        "[...document.querySelectorAll('#changed .changes')].slice(0, 1).flatMap((it) => [...it.querySelectorAll('tr.slower')])
            .map((it) => `${it.cells[0].textContent} ${it.cells[1].textContent} ${it.cells[4].textContent}`)",
    );
    // Ring's messages, of two algorithms, and nothing else.
    assert_eq!(slower.len(), 10, "{slower:?}");
    assert!(
        slower.iter().all(|it| it.contains("/seal/") && it.ends_with(" ring 1.2000×")),
        "{slower:?}"
    );
    assert_eq!(seen.count("#changed svg.chart g.slower"), 10);
    seen.click("input[value=ring]");
    assert_eq!(seen.count("#changed svg.chart g.slower"), 0);
    assert_eq!(seen.heard().complaints, [] as [String; 0]);
}

#[test]
fn records_of_two_machines_stand_side_by_side() {
    let make =
        || [made_up::input("here", "Some CPU", 1.0), made_up::input("there", "Another CPU", 1.5)];
    let inputs = make();
    let Some(seen) = Seen::open(&of(&inputs)) else { return };
    assert!(seen.shows("#where") && seen.shows("#changed"));
    seen.unfold();
    for reference in [None, Some("openssl"), Some("ring")] {
        seen.choose("#reference", reference.unwrap_or_default());
        assert_eq!(seen.text("#where .to-what"), reference.unwrap_or("the fastest"));
        let mut compared = 0;
        for (run, input) in inputs.iter().enumerate() {
            let mut record = input.record.clone();
            record.leave_out_failed();
            let reference = reference.map(BackendId::fixed);
            let ranking = rank(
                &record,
                &Options { entrants: Entrants::AllPrograms, reference, ..Options::default() },
            );
            let cells: Vec<(String, String, String)> = seen.ask(&format!(
                "[...document.querySelectorAll('#where [data-run=\"{run}\"]')].map((it) =>
                    [it.parentElement.dataset.contest, it.parentElement.dataset.b, it.firstChild.textContent.trim()])"
            ));
            for (contest, backend, text) in cells {
                let contest = ranking
                    .contests
                    .iter()
                    .find(|it| it.contest.to_string() == contest)
                    .expect("a contest");
                let side = contest
                    .sides
                    .iter()
                    .find(|it| it.key.backend.as_str() == backend)
                    .expect("a side");
                assert_eq!(
                    text,
                    side.log_ratio.map_or_else(|| "–".to_owned(), units::ratio),
                    "{} {backend}",
                    contest.contest
                );
                compared += 1;
            }
        }
        assert!(compared > 80, "{compared}");
    }
    assert_eq!(seen.heard().complaints, [] as [String; 0]);
}

#[test]
fn answers_are_there_without_scripts_and_without_who_is_left_out() {
    let page = of(&[made_up::scenarios(7)]);
    let Some(seen) = Seen::without_scripts(&page) else { return };
    assert_eq!(seen.count("#then h3"), 4);
    assert!(seen.text("#then strong").contains(" times as fast as rustcrypto"));
    let Some(seen) = Seen::open(&page) else { return };
    seen.unfold();
    let rows = "#then tr[data-b=openssl]";
    let (of_it, all) = (seen.count(rows), seen.count("#then tbody tr"));
    assert!(of_it > 20 && all > 2 * of_it, "{of_it} of {all}");
    seen.click("input[value=openssl]");
    assert_eq!((seen.count(rows), seen.count("#then tbody tr")), (0, all - of_it));
    assert_eq!(seen.heard().complaints, [] as [String; 0]);
}
