//! Answers in words: what sentences say where there is a difference, where there is none, and where nobody knows; that
//! what has no number has a reason; and that no word of a record becomes an element.

#[allow(dead_code, reason = "shared with the tests of pages")]
#[path = "browser/made_up.rs"]
mod made_up;

use cryptobench_report::{
    page::{Input, Options, page},
    scenario::{Answer, Kind, answers, markdown},
};
use cryptobench_results::record::{Measured, Record, median_log_ratio, operation_times};
use cryptobench_schema::{BackendId, Scenario};
use made_up::{HOSTILE, scenarios};

fn fields(bytes: u64) -> Option<u64> {
    [(28_672, 170), (1_048_576, 6200)].into_iter().find(|it| it.0 == bytes).map(|it| it.1)
}

fn told(record: &Record, scenario: Scenario) -> Answer {
    answers(record, &[scenario], fields).pop().expect("an answer")
}

/// Of one round, without what its other rounds say.
fn one_round() -> Record {
    scenarios(1).record
}

/// Every side of a contest takes the time of its first, a per mille more or less by round.
fn level() -> Record {
    let mut record = scenarios(7).record;
    for it in &mut record.measured {
        let times = level_times(it);
        it.log_ratios.clear();
        for (index, one) in times.iter().enumerate() {
            it.log_ratios
                .extend(times[index + 1..].iter().filter_map(|it| median_log_ratio(it, one)));
        }
    }
    record
}

fn level_times(it: &mut Measured) -> Vec<Vec<f64>> {
    let even = it.round.is_multiple_of(2);
    for (index, slices) in it.slices.iter_mut().enumerate() {
        let other = (it.contest.algorithm.to_string().len() + index).is_multiple_of(2);
        let time = if even == other { 1_000_000 } else { 1_003_000 };
        slices.fill(time);
    }
    it.slices
        .iter()
        .zip(&it.sides)
        .map(|(it, side)| operation_times(it, &side.iterations))
        .collect()
}

#[test]
fn sentences_have_both_ends_of_the_interval() {
    let record = scenarios(7).record;
    let sentence = |scenario| told(&record, scenario).sentence;
    assert_eq!(
        sentence(Scenario::Bulk),
        "aws-lc encrypts 32 MiB in 1 KiB pieces 1.951 to 1.954 times as fast as rustcrypto on this machine (AES-256-CBC)."
    );
    let keys = sentence(Scenario::Keygen);
    assert!(
        keys.starts_with("openssl takes 1.")
            && keys.contains(" to 2.")
            && keys
                .ends_with(" times as long as aws-lc to make an RSA key of 2048 bits (medians)."),
        "{keys}"
    );
    let document = sentence(Scenario::Document);
    assert!(document.starts_with("ring takes 1"), "{document}");
    for part in [
        " times as long to encrypt the authors of a 28 KiB catalogue as to encrypt the whole of it; a fresh key for each field makes that ",
        " times as long as the whole (AES-256-GCM, in memory).",
    ] {
        assert!(document.contains(part), "{document}");
    }
    let siv = sentence(Scenario::GcmSiv);
    assert!(
        siv.starts_with("AES-256-GCM-SIV takes 1.01 to 1.14 times as long as AES-256-GCM to seal 8 KiB, by backend: rustcrypto 1.01"),
        "{siv}"
    );
    assert!(siv.contains("; openssl 1.1") && siv.ends_with("]."), "{siv}");
}

#[test]
fn one_round_bounds_nothing_and_says_so() {
    let record = one_round();
    for scenario in [Scenario::Bulk, Scenario::Document, Scenario::GcmSiv] {
        let answer = told(&record, scenario);
        assert!(
            answer.sentence.ends_with("; nothing in this record says how sure that is."),
            "{}",
            answer.sentence
        );
        assert!(!answer.sentence.contains('['), "{}", answer.sentence);
        assert!(answer.notes.iter().any(|it| it.contains("one round")));
        let ours = answer.tables.iter().flat_map(|it| &it.rows).flat_map(|it| &it.cells);
        assert!(ours.clone().all(|it| !it.contains('[')), "{:?}", ours.collect::<Vec<_>>());
    }
}

#[test]
fn no_difference_is_said_to_be_none() {
    let record = level();
    for scenario in Scenario::ALL {
        let sentence = told(&record, scenario).sentence;
        assert!(
            sentence.contains("no difference that this run could tell"),
            "{scenario}: {sentence}"
        );
    }
}

#[test]
fn one_backend_alone_is_no_comparison() {
    let mut record = scenarios(7).record;
    record.retain(|_, id| ["rustcrypto", "control"].contains(&id.backend.as_str()));
    for (scenario, part) in [
        (Scenario::Bulk, "does not have two backends"),
        (Scenario::Document, "no backend that encrypted both"),
        (Scenario::GcmSiv, "AES-256-GCM-SIV takes 1.0"),
    ] {
        let sentence = told(&record, scenario).sentence;
        assert!(sentence.contains(part), "{sentence}");
    }
    record.retain(|_, id| id.contest.operation.to_string() == "keygen");
    assert_eq!(answers(&record, &Scenario::ALL, fields), []);
}

#[test]
fn columns_have_one_unit_and_rows_as_many_cells() {
    for record in [scenarios(7).record, one_round(), level()] {
        for scenario in Scenario::ALL {
            let answer = told(&record, scenario);
            for table in answer.tables.iter().chain(&answer.then.tables) {
                assert!(!table.rows.is_empty() && !table.caption.is_empty());
                for row in &table.rows {
                    assert_eq!(row.cells.len(), table.columns.len(), "{}", table.caption);
                    assert!(row.cells.iter().all(|it| !it.is_empty()), "{row:?}");
                }
                for (index, column) in table.columns.iter().enumerate() {
                    let sizes = ["piece", "size", "Size"].contains(&&*column.name);
                    if column.kind != Kind::Number || sizes {
                        continue;
                    }
                    let units: std::collections::BTreeSet<&str> = table
                        .rows
                        .iter()
                        .map(|it| it.cells[index].split(" [").next().unwrap_or_default())
                        .filter_map(|it| it.split_once(' '))
                        .map(|it| it.1)
                        .filter(|it| !it.starts_with("to "))
                        .collect();
                    assert!(units.len() < 2, "{} {}: {units:?}", table.caption, column.name);
                }
                let daggers = |text: &str| text.matches('†').count();
                let cells = table.rows.iter().flat_map(|it| &it.cells);
                let last = cells.filter_map(|it| it.strip_prefix('†')?.parse().ok()).max();
                let reasons = table.reasons.iter().filter(|it| daggers(it) == 1).count();
                assert_eq!(reasons, last.unwrap_or(0), "{}", table.caption);
            }
        }
    }
}

#[test]
fn what_has_no_number_has_a_reason() {
    let record = scenarios(7).record;
    let bulk = told(&record, Scenario::Bulk);
    let cbc = &bulk.tables[0];
    let of = |label: &str| -> Vec<&Vec<String>> {
        cbc.rows.iter().filter(|it| it.side.as_deref() == Some(label)).map(|it| &it.cells).collect()
    };
    assert_eq!(of("ring"), [&["all", "ring", "†2", "†2", "†2"]]);
    let graviola: Vec<&str> = of("graviola").iter().map(|it| it[0].as_str()).collect();
    assert_eq!(graviola, ["1 KiB", "16 KiB", "32 MiB"]);
    assert_eq!(cbc.reasons[1], "†2 ring: ring exposes no block modes");

    let documents = told(&record, Scenario::Document);
    let first = &documents.tables[0];
    let row = |label: &str, algorithm: &str| {
        let found = first.rows.iter().find(|it| it.cells[0] == label && it.cells[1] == algorithm);
        found.expect("a row").cells.clone()
    };
    assert_eq!(row("ring", "aes-256-cbc")[2..], ["†2"; 5]);
    assert_eq!(row("openssl", "aes-256-gcm")[4], "†1");
    let turns =
        documents.tables.iter().find(|it| it.caption.starts_with("Where it turns, in memory"));
    let turns = turns.expect("where it turns");
    assert!(turns.rows.iter().any(|it| it.cells[7] == "never"), "{turns:?}");
    assert!(turns.rows.iter().all(|it| it.cells[5] == "6.071" || it.cells[0] == "1 MiB"));
    let unknown = answers(&record, &[Scenario::Document], |_| None).remove(0);
    assert_eq!(unknown.tables.len() + 2, documents.tables.len());
    assert!(unknown.notes.iter().any(|it| it.contains("is not known here")));

    let siv = told(&record, Scenario::GcmSiv);
    let ring = |it: &&String| it.starts_with("left out: ring:");
    assert!(siv.notes.iter().filter(ring).any(|it| it.ends_with("ring has no AES-GCM-SIV")));
    let sides = siv.tables.iter().flat_map(|it| &it.rows).filter_map(|it| it.side.as_deref());
    assert!(sides.clone().count() > 0 && sides.into_iter().all(|it| it != "ring"));
}

#[test]
fn a_comparison_is_answered_for_its_last_program() {
    let mut record = scenarios(7).record;
    record.header.programs.push(record.header.programs[0].clone());
    for it in &mut record.measured {
        if it.contest.algorithm.to_string() == "rsa" {
            it.sides[0].program = 1;
        }
    }
    let rows = |record: &Record| told(record, Scenario::Keygen).tables[0].rows.clone();
    assert_eq!(rows(&record)[0].side.as_deref().map(|it| it.ends_with("#1:aws-lc")), Some(true));
    record.header.settings.screening = 3;
    let rows = rows(&record);
    assert_eq!((rows.len(), rows[0].side.as_deref()), (1, Some("aws-lc")));
}

#[test]
fn the_page_has_the_answers_and_no_element_of_a_record() {
    let hostile = || Input { name: HOSTILE.to_owned(), record: scenarios(7).record };
    let options = Options { fields: [(28_672, 170)].into(), ..Options::default() };
    let shown = page(&[hostile()], &options);
    assert!(shown.contains("<section id=\"then\"><h2>Then and now</h2>"));
    assert!(shown.contains("<a href=\"#then\">Then and now</a>"));
    let place = |id: &str| shown.find(&format!("<section id=\"{id}\"")).expect("a section");
    assert!(place("sure") < place("then") && place("then") < place("ran"));
    for scenario in Scenario::ALL {
        assert!(shown.contains(&format!("<h3 id=\"then-{scenario}\">{}", scenario.question())));
    }
    assert!(shown.contains("1.951 to 1.954 times as fast as rustcrypto"));
    for never in ["<img", "<!--", "\u{202e}", "\u{7}", ">NaN", ">inf"] {
        assert!(!shown.contains(never), "{never}");
    }
    assert_eq!(shown.matches("<script").count(), 2);

    // Of several records, the last that has it.
    let mut bulk = scenarios(7);
    bulk.record.retain(|_, id| id.contest.operation.to_string() == "encrypt-pieces");
    bulk.name = "the-last".to_owned();
    let shown = page(&[hostile(), bulk], &options);
    assert!(shown.contains("Bulk data in small pieces (the-last)</h3>"));
    assert!(shown.contains("RSA key generation (&quot;"));
    for never in ["<img", "<!--", "\u{202e}"] {
        assert!(!shown.contains(never), "{never}");
    }

    let mut other = scenarios(7);
    other.record.retain(|_, id| id.backend == BackendId::fixed("control"));
    other.record.measured.retain(|it| it.contest.operation.to_string() == "none");
    other.record.measured.push(made_up::input("x", "y", 1.0).record.measured.remove(0));
    assert!(!page(&[other], &Options::default()).contains("id=\"then\""));
}

#[test]
fn markdown_keeps_words_in_their_place() {
    let record = scenarios(7).record;
    for scenario in Scenario::ALL {
        let answer = told(&record, scenario);
        let text = markdown(&answer);
        assert!(text.starts_with(&format!("## {}\n\n", scenario.question())), "{text}");
        assert!(!text.replace("\\<", "").contains('<') && !text.contains('\u{202e}'), "{text}");
        let mut columns = 0;
        for line in text.lines() {
            let pipes = line.replace("\\|", "").matches('|').count();
            if pipes > 0 && columns > 0 {
                assert_eq!(pipes, columns, "{line}");
            }
            columns = pipes;
        }
        let rules = text.lines().filter(|it| it.starts_with("|-")).count();
        assert_eq!(rules, answer.tables.len() + answer.then.tables.len());
    }
}
