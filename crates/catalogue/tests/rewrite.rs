//! A copy loses nothing, fields are what they are said to be, and errors come through.

mod nasty;

use cryptobench_catalogue::{RewriteError, examine, rewrite, write_catalogue};
use nasty::NASTY;
use std::{
    convert::Infallible,
    io::{self, BufRead, BufReader, Cursor, ErrorKind, Read, Write},
};

/// The document with its fields as they are, and they.
fn copy(document: impl BufRead, element: &str) -> (String, Vec<String>) {
    let mut out = Vec::new();
    let mut fields = Vec::new();
    let count = rewrite(document, &mut out, element, |content, changed| {
        assert!(changed.is_empty());
        changed.extend_from_slice(content);
        fields.push(String::from_utf8(content.to_vec()).unwrap());
        Ok::<_, Infallible>(())
    })
    .unwrap();
    assert_eq!(count, fields.len() as u64);
    (String::from_utf8(out).unwrap(), fields)
}

#[test]
fn a_copy_is_lossless_however_the_document_is_read() {
    for &(document, fields) in NASTY {
        for element in ["a", "r", "b", "nowhere"] {
            assert_eq!(copy(document.as_bytes(), element).0, document);
        }
        for capacity in 1..=20 {
            let reader = BufReader::with_capacity(capacity, document.as_bytes());
            let (copied, found) = copy(reader, "a");
            assert_eq!(copied, document, "{capacity}");
            assert_eq!(found, fields, "{document}, {capacity}");
        }
    }
}

#[test]
fn what_is_handed_over_is_what_is_examined() {
    for &(document, fields) in NASTY {
        let Ok(survey) = examine(document.as_bytes(), "a") else {
            assert!(fields.is_empty(), "{document}: {:?}", examine(document.as_bytes(), "a"));
            continue;
        };
        assert_eq!(survey.bytes, document.len() as u64, "{document}");
        assert_eq!(survey.fields, fields.len() as u64, "{document}");
        let bytes: usize = fields.iter().map(|field| field.len()).sum();
        assert_eq!(survey.field_bytes, bytes as u64, "{document}");
    }
}

#[test]
fn names_are_compared_as_they_are_written() {
    let document = "<r xmlns:x='u'><x:a>1</x:a><a>2</a><y:a xmlns:y='u'>3</y:a></r>";
    assert_eq!(copy(document.as_bytes(), "x:a").1, ["1"]);
    assert_eq!(copy(document.as_bytes(), "a").1, ["2"]);
    assert_eq!(copy(document.as_bytes(), "r").1.len(), 1);
    assert!(copy(document.as_bytes(), "u:a").1.is_empty());
}

/// In hexadecimal digits, as others would in base64.
fn encode(content: &[u8], changed: &mut Vec<u8>) -> Result<(), Infallible> {
    for byte in content {
        write!(changed, "{byte:02x}").unwrap();
    }
    Ok(())
}

fn decode(content: &[u8], changed: &mut Vec<u8>) -> Result<(), std::num::ParseIntError> {
    for digits in std::str::from_utf8(content).unwrap().as_bytes().chunks(2) {
        changed.push(u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16)?);
    }
    Ok(())
}

#[test]
fn a_change_and_its_inverse_give_the_original() {
    let mut large = Vec::new();
    write_catalogue(200_000, &mut large).unwrap();
    let nasty = NASTY.iter().map(|&(document, _)| (document.as_bytes(), "a"));
    for (document, element) in nasty.chain([(&large[..], "author"), (&large[..], "catalog")]) {
        let (mut changed, mut back) = (Vec::new(), Vec::new());
        let count = rewrite(document, &mut changed, element, encode).unwrap();
        assert_eq!(rewrite(&changed[..], &mut back, element, decode).unwrap(), count);
        assert!(back == document);
    }
}

#[test]
fn only_the_content_is_replaced() {
    let mut out = Vec::new();
    let document = "\u{feff}<r> <a  x='1'>one</a >&amp;<a></a><a/></r>\n";
    let count = rewrite(document.as_bytes(), &mut out, "a", |content, changed| {
        changed.extend_from_slice(format!("[{}]", content.len()).as_bytes());
        Ok::<_, Infallible>(())
    });
    assert_eq!(count.unwrap(), 2);
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "\u{feff}<r> <a  x='1'>[3]</a >&amp;<a>[0]</a><a/></r>\n"
    );
}

#[test]
fn long_stretches_and_fields_stay_whole() {
    let long = "long &amp; ".repeat(20_000);
    let document = format!("<r>{long}<a>{long}</a><b>{long}</b><!--{long}--><a>x</a></r>");
    let (copied, fields) = copy(BufReader::new(document.as_bytes()), "a");
    assert!(copied == document);
    assert!(fields == [&long, "x"]);
}

#[test]
fn flaws_that_the_walk_depends_on_are_refused() {
    let words =
        |document: &[u8]| rewrite(document, &mut Vec::new(), "a", encode).unwrap_err().to_string();
    for (document, expected) in [
        ("<r><a>", "it ends before its elements do, at byte 6"),
        ("<r><a>x</a>", "it ends before its elements do, at byte 11"),
        ("\u{feff}<r><a></r>", "expected `</a>`, but `</r>` was found, at byte 9"),
        ("<a></a></b>", "close tag `</b>` does not match any open tag, at byte 7"),
        ("<a><!-- </a>", "comment not closed: `-->` not found before end of input, at byte 3"),
        ("<a", "tag not closed: `>` not found before end of input, at byte 0"),
    ] {
        assert_eq!(
            words(document.as_bytes()),
            format!("is not well-formed XML: {expected}"),
            "{document}"
        );
    }
    assert_eq!(words(b"<a>x\xffy</a>"), "is not well-formed XML: not UTF-8, at byte 4");
}

#[test]
fn an_error_of_the_change_comes_through() {
    let mut calls = 0;
    let error = rewrite(&b"<r><a>1</a><a>2</a><a>3</a></r>"[..], &mut Vec::new(), "a", |_, _| {
        calls += 1;
        if calls == 2 { Err("no") } else { Ok(()) }
    })
    .unwrap_err();
    assert!(matches!(error, RewriteError::Change("no")));
    assert_eq!(error.to_string(), "no");
    assert_eq!(calls, 2);
}

struct Broken;

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::new(ErrorKind::ConnectionReset, "gone"))
    }
}

#[test]
fn an_error_of_the_reader_comes_through_wherever_it_is() {
    let document = NASTY.iter().max_by_key(|(document, _)| document.len()).unwrap().0;
    for end in 0..=document.len() {
        let reader = BufReader::new(Cursor::new(&document.as_bytes()[..end]).chain(Broken));
        match rewrite(reader, &mut Vec::new(), "a", encode).unwrap_err() {
            RewriteError::Read(error) => {
                assert_eq!(error.kind(), ErrorKind::ConnectionReset);
                assert_eq!(error.to_string(), "gone");
            }
            error => panic!("{end}: {error}"),
        }
    }
}

/// Takes some bytes.
struct Limited(usize);

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match bytes.len().min(self.0) {
            0 => Err(io::Error::new(ErrorKind::StorageFull, "full")),
            taken => {
                self.0 -= taken;
                Ok(taken)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn an_error_of_the_writer_comes_through_wherever_it_is() {
    let document = "\u{feff}<r><a>1</a> <a>2</a> </r>";
    let copying = |content: &[u8], changed: &mut Vec<u8>| {
        changed.extend_from_slice(content);
        Ok::<_, Infallible>(())
    };
    for taken in 0..document.len() {
        let error = rewrite(document.as_bytes(), &mut Limited(taken), "a", copying).unwrap_err();
        assert!(matches!(error, RewriteError::Write(_)), "{taken}");
        assert_eq!(error.to_string(), "cannot write what became of it: full");
    }
    rewrite(document.as_bytes(), &mut Limited(document.len()), "a", copying).unwrap();
}
