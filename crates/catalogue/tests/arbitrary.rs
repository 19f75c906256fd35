//! Whatever bytes they are given, examining and rewriting do not panic; and what is examined is copied without loss.
//! Two seconds a test, or `FUZZ_SECONDS`.

#[path = "../../schema/tests/for_a_while/mod.rs"]
mod for_a_while;
mod nasty;

use cryptobench_catalogue::{DocumentError, examine, rewrite};
use for_a_while::for_a_while;
use nasty::NASTY;
use proptest::{
    collection::vec,
    prelude::any,
    prop_assert, prop_assert_eq, prop_oneof,
    sample::{Index, select},
    strategy::{Just, Strategy},
    test_runner::TestCaseResult,
};
use std::{convert::Infallible, io::BufReader};

/// Pieces of which documents are made, well-formed or not.
const PIECES: &[&str] = &[
    "<a>",
    "</a>",
    "<a/>",
    "<a >",
    "</a\n>",
    "<b x='1'>",
    "</b>",
    "<b x=\"<\"/>",
    "<",
    ">",
    "/>",
    "</",
    "&",
    ";",
    "&amp;",
    "&#1;",
    "x",
    " ",
    "\n",
    "é",
    "\u{feff}",
    "\u{0}",
    "<!--",
    "-->",
    "--",
    "-",
    "<![CDATA[",
    "]]>",
    "]",
    "<?",
    "?>",
    "<?xml version='1.0'?>",
    "<!DOCTYPE",
    "<!DOCTYPE a>",
    "[",
    "<!ENTITY",
    "<!NOT",
    "<!",
    "'",
    "\"",
    "=",
    "a",
    "xml",
];

fn check(document: &[u8], capacity: usize) -> TestCaseResult {
    let read = || BufReader::with_capacity(capacity, document);
    let survey = examine(read(), "a");
    let mut out = Vec::new();
    let mut bytes = 0;
    let count = rewrite(read(), &mut out, "a", |content, changed| {
        bytes += content.len() as u64;
        changed.extend_from_slice(content);
        Ok::<_, Infallible>(())
    });
    if let Ok(survey) = survey {
        prop_assert_eq!(survey.bytes, document.len() as u64);
        prop_assert_eq!(survey.fields, *count.as_ref().unwrap());
        prop_assert_eq!(survey.field_bytes, bytes);
    }
    // Also of flaws that only one of them sees.
    if count.is_ok() {
        prop_assert_eq!(&out[..], document);
    } else {
        prop_assert!(document.starts_with(&out));
    }
    // How the bytes come is of no matter.
    let whole = examine(document, "a");
    prop_assert_eq!(examine(read(), "a").map_err(in_words), whole.map_err(in_words));
    Ok(())
}

fn in_words(error: DocumentError) -> String {
    error.to_string()
}

#[test]
fn any_bytes() {
    for_a_while(64, (vec(any::<u8>(), 0..100), 1_usize..40), |(document, capacity)| {
        check(&document, capacity)
    });
}

#[test]
fn any_pieces() {
    let document = vec(select(PIECES), 0..30).prop_map(|pieces| pieces.concat());
    let rooted = (any::<bool>(), document)
        .prop_map(|(rooted, text)| if rooted { format!("<a>{text}</a>") } else { text });
    for_a_while(64, (rooted, 1_usize..40), |(document, capacity)| {
        check(document.as_bytes(), capacity)
    });
}

/// One change of a document.
#[derive(Debug, Clone)]
enum Change {
    /// Bits of a byte.
    Flip(Index, u8),
    /// A piece put in.
    Insert(Index, &'static str),
    /// A byte taken out.
    Delete(Index),
    /// The end cut off.
    Cut(Index),
}

impl Change {
    fn apply(&self, document: &mut Vec<u8>) {
        if document.is_empty() {
            return;
        }
        match self {
            Self::Flip(at, bits) => *at.get_mut(document) ^= bits,
            Self::Insert(at, piece) => {
                let at = at.index(document.len());
                document.splice(at..at, piece.bytes()).for_each(drop);
            }
            Self::Delete(at) => {
                document.remove(at.index(document.len()));
            }
            Self::Cut(at) => document.truncate(at.index(document.len())),
        }
    }
}

#[test]
fn documents_a_little_changed() {
    let change = prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, bits)| Change::Flip(at, bits)),
        (any::<Index>(), select(PIECES)).prop_map(|(at, piece)| Change::Insert(at, piece)),
        any::<Index>().prop_map(Change::Delete),
        any::<Index>().prop_map(Change::Cut),
    ];
    let changes = prop_oneof![Just(Vec::new()), vec(change, 1..4)];
    for_a_while(64, (select(NASTY), changes, 1_usize..40), |((text, _), changes, capacity)| {
        let mut document = text.as_bytes().to_vec();
        for change in &changes {
            change.apply(&mut document);
        }
        check(&document, capacity)
    });
}
