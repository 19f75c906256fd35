//! The whole document or only its fields, in words. Where it turns is computed in the results.

use super::{
    Answer, NONE, Past, RATIOS, Reasons, Row, Said, Table, Teller, UNSURE, as_sentence, number,
    ratio, said, side, words,
};
use crate::units;
use cryptobench_results::{
    ranking::Ratio,
    scenario::{
        document::{Density, Document, Documents, Encrypted, Turn, answer as numbers},
        then::then,
    },
    statistics::Interval,
};
use cryptobench_schema::{Algorithm, Contest, Operation, Scenario, sizes};
use std::collections::BTreeSet;

pub(super) fn answer(teller: &Teller, fields: &dyn Fn(u64) -> Option<u64>) -> Option<Answer> {
    let documents = numbers(&teller.record, fields)?;
    let mut tables: Vec<Table> = documents.documents.iter().map(|it| times(teller, it)).collect();
    if let Some(first) = tables.first_mut() {
        first.main = true;
    }
    let medium = |it: &Document| it.in_files;
    let turns = documents
        .documents
        .chunk_by(|one, other| medium(one) == medium(other))
        .filter_map(|of_medium| turning(teller, of_medium));
    let turns: Vec<Table> = turns.collect();
    let known = !turns.is_empty();
    tables.extend(turns);
    let mut notes = vec![
        RATIOS.to_owned(),
        "harness does the same work with a cipher that does nothing: \
         copying, parsing and writing XML, base64"
            .to_owned(),
    ];
    if known {
        notes.push(
            "where it turns: fields in a KiB that together cost what encrypting the whole does. `turns at` is about the cryptography \
             alone, what both take beyond the harness, for who parses and writes the document anyway; `XML included` counts parsing \
             and writing with the fields, and where that alone takes longer than encrypting the whole, fields `never` pay (`not \
             certain` where the interval leaves it open). An interval from 0 has not shown that fields pay at any density"
                .to_owned(),
        );
    } else if documents.documents.iter().all(|it| it.fields.is_none()) {
        notes.push(
            "how many fields the documents have is not known here, so where it turns is not computed"
                .to_owned(),
        );
    } else {
        notes.push(
            "what the harness alone takes was not measured together with it, so where it turns is not computed"
                .to_owned(),
        );
    }
    notes.extend(teller.notes(true));
    Some(Answer {
        scenario: Scenario::Document,
        sentence: sentence(teller, &documents),
        tables,
        then: past(),
        notes,
    })
}

fn sentence(teller: &Teller, documents: &Documents) -> String {
    let Some((document, side)) = documents.fastest() else {
        return "This record has no backend that encrypted both a document and its fields with AES-256-GCM in slices taken in turn.".to_owned();
    };
    let name = teller.label(&side.key);
    let ours = is_ours(teller, document.bytes);
    let what = what(document.bytes, ours);
    let place = if document.in_files { "from file to file" } else { "in memory" };
    let fresh = side.fresh_over_whole.as_ref().map_or_else(String::new, with_fresh_keys);
    let Some(fields) = &side.fields_over_whole else { return String::new() };
    match said(fields) {
        Said::Differs(times) => format!(
            "{name} takes {times} times as long to encrypt {} of {what} as to encrypt the whole of it{fresh} (AES-256-GCM, {place}).",
            chosen(ours)
        ),
        Said::Level(times) => format!(
            "For {name} there is no difference that this run could tell between encrypting {} of {what} and the whole of it, the 95 % \
             interval of the ratio being {times}{fresh} (AES-256-GCM, {place}).",
            chosen(ours)
        ),
        Said::Unsure(times) => format!(
            "{name} takes {times} times as long to encrypt {} of {what} as to encrypt the whole of it{fresh} (AES-256-GCM, {place}); {UNSURE}.",
            chosen(ours)
        ),
    }
}

fn with_fresh_keys(ratio: &Ratio) -> String {
    match said(ratio) {
        Said::Differs(times) => {
            format!("; a fresh key for each field makes that {times} times as long as the whole")
        }
        Said::Level(times) => {
            format!(
                "; with a fresh key for each field it may be as long as the whole ({times} times)"
            )
        }
        Said::Unsure(times) => {
            format!("; a fresh key for each field makes that {times} times as long as the whole")
        }
    }
}

/// Whether a document of so many bytes is one that the suite makes.
fn is_ours(teller: &Teller, bytes: u64) -> bool {
    let own = &teller.record.header.settings.document;
    if own.as_ref().is_some_and(|it| it.bytes == bytes) {
        return false;
    }
    let control = sizes(Algorithm::Control, Operation::WholeFile);
    control.is_some_and(|it| it.all.contains(&bytes))
}

fn what(bytes: u64, ours: bool) -> String {
    format!("a {} {}", units::bytes(bytes), if ours { "catalogue" } else { "document" })
}

const fn chosen(ours: bool) -> &'static str {
    if ours { "the authors" } else { "the chosen fields" }
}

const fn medium(document: &Document) -> &'static str {
    if document.in_files { "from file to file" } else { "in memory" }
}

/// What one document takes.
fn times(teller: &Teller, document: &Document) -> Table {
    let all = || document.sides.iter().chain(&document.floors);
    let unit = units::unit_among(
        all().flat_map(|it| [it.whole_ns, it.fields_ns, it.fresh_ns].into_iter().flatten()),
    );
    let mut reasons = Reasons::default();
    let mut rows: Vec<Row> = Vec::new();
    for it in all() {
        let label = teller.label(&it.key);
        let floor = it.algorithm == Algorithm::Control;
        let mut time = |nanoseconds: Option<f64>, index: usize| match nanoseconds {
            Some(it) => units::scaled(it, unit),
            None => {
                let contest = contest(document, it.algorithm, index);
                reasons.cell(&label, teller.reason(contest, &label))
            }
        };
        let times = [time(it.whole_ns, 0), time(it.fields_ns, 1), time(it.fresh_ns, 2)];
        // What is missing is so from its ratios too.
        let over = |it: Option<Ratio>, parts: [usize; 2]| {
            let missing = parts.iter().map(|it| &times[*it]).find(|it| it.starts_with('†'));
            missing.filter(|_| it.is_none()).cloned().unwrap_or_else(|| ratio(it))
        };
        let ratios = [over(it.fields_over_whole, [1, 0]), over(it.fresh_over_fields, [2, 1])];
        let mut cells =
            vec![label.clone(), if floor { "none".to_owned() } else { it.algorithm.to_string() }];
        cells.extend(times);
        cells.extend(ratios);
        rows.push(Row { side: Some(label), cells });
    }
    // Who has nothing of an algorithm.
    let algorithms: BTreeSet<Algorithm> = document.sides.iter().map(|it| it.algorithm).collect();
    for algorithm in algorithms {
        let first = contest(document, algorithm, 0);
        for (label, reason) in teller.absent(first) {
            let takes_part =
                |it: &Encrypted| it.algorithm == algorithm && teller.label(&it.key) == label;
            if !document.sides.iter().any(takes_part) {
                let mut cells = vec![label.to_owned(), algorithm.to_string()];
                cells.resize(7, reasons.cell(label, Some(reason)));
                rows.push(Row { side: Some(label.to_owned()), cells });
            }
        }
    }
    Table {
        caption: format!("{}, {}", units::bytes(document.bytes), medium(document)),
        main: false,
        columns: vec![
            side("backend"),
            words("algorithm"),
            number("whole"),
            number("fields"),
            number("fresh keys"),
            number("fields / whole"),
            number("fresh / fields"),
        ],
        rows,
        reasons: reasons.lines(),
    }
}

/// The contest of the whole, the fields, or the fields under fresh keys.
fn contest(document: &Document, algorithm: Algorithm, index: usize) -> Contest {
    let operations = if document.in_files {
        [Operation::WholeFile, Operation::FieldsFile, Operation::FieldsFreshKeyFile]
    } else {
        [Operation::Whole, Operation::Fields, Operation::FieldsFreshKey]
    };
    let operation = operations[index.min(2)];
    Contest { algorithm, operation, size: Some(document.bytes) }
}

/// Where it turns, of the documents of one medium; `None` where nothing says how many fields they have.
fn turning(teller: &Teller, documents: &[Document]) -> Option<Table> {
    let turns: Vec<(&Document, &Encrypted, &str, &Turn)> = documents
        .iter()
        .flat_map(|document| document.sides.iter().map(move |it| (document, it)))
        .flat_map(|(document, it)| {
            let one = it.turn.as_ref().map(|turn| (document, it, "one", turn));
            let fresh = it.fresh_turn.as_ref().map(|turn| (document, it, "fresh", turn));
            one.into_iter().chain(fresh)
        })
        .collect();
    let costs = turns.iter().map(|it| it.3.field_ns.value).filter(|it| *it > 0.0);
    let unit = units::unit_among(costs);
    let row = |(document, it, keys, turn): &(&Document, &Encrypted, &str, &Turn)| {
        let label = teller.label(&it.key);
        let per_kib = document.fields.map(|it| it as f64 / (document.bytes as f64 / 1024.0));
        let cost = Some(turn.field_ns.value).filter(|it| *it > 0.0);
        Row {
            cells: vec![
                units::bytes(document.bytes),
                label.clone(),
                it.algorithm.to_string(),
                (*keys).to_owned(),
                cost.map_or_else(|| NONE.to_owned(), |it| units::scaled(it, unit)),
                per_kib.map_or_else(|| NONE.to_owned(), units::number),
                density(turn.density),
                density(turn.density_with_xml),
            ],
            side: Some(label),
        }
    };
    let rows: Vec<Row> = turns.iter().map(row).collect();
    let dashes = rows.iter().any(|row| row.cells.iter().any(|it| it == NONE));
    (!rows.is_empty()).then(|| Table {
        caption: format!(
            "Where it turns, {}: with fewer fields in a KiB they cost less than the whole, with more of them the whole does",
            documents.first().map_or("", medium)
        ),
        main: documents.iter().all(|it| !it.in_files),
        columns: vec![
            number("size"),
            side("backend"),
            words("algorithm"),
            words("keys"),
            number("a field costs"),
            number("has per KiB"),
            number("turns at"),
            number("XML included"),
        ],
        rows,
        reasons: if dashes {
            vec![format!("{NONE} cannot be told from what the harness takes")]
        } else {
            Vec::new()
        },
    })
}

fn density(density: Option<Density>) -> String {
    match density {
        None => NONE.to_owned(),
        Some(Density::Never { certain: true }) => "never".to_owned(),
        Some(Density::Never { certain: false }) => "never, not certain".to_owned(),
        Some(Density::At(it)) => {
            let end = |it: f64| {
                if it > 0.0 { units::number(it) } else { "0".to_owned() }
            };
            let interval = |it: Interval| format!(" [{}, {}]", end(it.low), end(it.high));
            format!("{}{}", units::number(it.value), it.interval.map_or_else(String::new, interval))
        }
    }
}

fn past() -> Past {
    let then = &then().file_or_fields;
    let sentences =
        [&then.workload].into_iter().chain(&then.claims).map(|it| as_sentence(it)).collect();
    Past { sentences, tables: Vec::new(), source: then.source.clone() }
}
