//! The catalogue has the size that is asked for, is XML, and is the same for ever.

use cryptobench_catalogue::{LEAST, Survey, examine, rewrite, write_catalogue};
use std::{
    convert::Infallible,
    io::{self, ErrorKind, Write},
};

fn catalogue(size: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_catalogue(size, &mut bytes).unwrap();
    bytes
}

/// FNV-1a.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, &byte| {
        (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[test]
fn every_size_is_exact_and_fit() {
    let around = |size: u64| size - 2..size + 3;
    let sizes = (LEAST..LEAST + 1200)
        .chain(around(4096))
        .chain(around(28672))
        .chain(around(65536))
        .chain(around(131_072))
        .chain(around(1 << 20));
    for size in sizes {
        let document = catalogue(size);
        assert_eq!(document.len() as u64, size);
        let survey = examine(&document[..], "author").unwrap();
        assert_eq!(survey.bytes, size);
        assert_eq!(survey.fields, examine(&document[..], "book").unwrap().fields);
    }
}

#[test]
fn the_least_has_one_book_and_nothing_to_make_up_its_size() {
    let document = catalogue(LEAST);
    assert_eq!(examine(&document[..], "author").unwrap().fields, 1);
    assert!(document.ends_with(b"   </book>\n</catalog>\n"));
    for size in [0, 1, LEAST - 1] {
        let mut out = Vec::new();
        let error = write_catalogue(size, &mut out).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert_eq!(
            error.to_string(),
            format!("a catalogue cannot have {size} bytes; the smallest one has {LEAST}")
        );
        assert!(out.is_empty());
    }
}

/// Measurements of different versions are of the same documents: a change of these numbers makes them incomparable.
#[test]
fn the_documents_are_the_same_for_ever() {
    let document = catalogue(28672);
    assert_eq!(digest(&document), 0xe29f_a9dc_8561_c624);
    assert_eq!(
        examine(&document[..], "author").unwrap(),
        Survey { bytes: 28672, fields: 74, field_bytes: 1146 }
    );
    assert_eq!(digest(&catalogue(1 << 20)), 0xe06537a19a392cd);
}

#[test]
fn a_larger_one_begins_with_the_books_of_a_smaller_one() {
    let large = catalogue(300_000);
    for size in [LEAST, 1000, 28672, 65536, 70_000, 299_999] {
        let small = String::from_utf8(catalogue(size)).unwrap();
        let end = small.rfind("</book>\n").unwrap() + "</book>\n".len();
        assert_eq!(&large[..end], &small.as_bytes()[..end], "{size}");
        let rest = small[end..].strip_suffix("</catalog>\n").unwrap();
        assert!(rest.len() < 500 && rest.bytes().all(|byte| matches!(byte, b' ' | b'\n')));
    }
}

#[test]
fn books_are_of_a_size_and_authors_of_all_kinds() {
    let document = catalogue(1 << 20);
    let books = examine(&document[..], "book").unwrap();
    assert!((350..400).contains(&(books.bytes / books.fields)));
    let mut authors = Vec::new();
    rewrite(&document[..], &mut io::sink(), "author", |author, _| {
        authors.push(String::from_utf8(author.to_vec()).unwrap());
        Ok::<_, Infallible>(())
    })
    .unwrap();
    for author in &authors {
        assert!((8..=30).contains(&author.chars().count()), "{author}");
        assert!(author.contains(", "), "{author}");
    }
    assert!(authors.iter().any(|author| author.contains("&amp;")));
    assert!(authors.iter().any(|author| !author.is_ascii()));
    authors.sort();
    authors.dedup();
    assert!(authors.len() > 500, "{}", authors.len());
}

/// Takes some bytes, and counts the writes.
struct Limited {
    left: usize,
    writes: usize,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writes += 1;
        match bytes.len().min(self.left) {
            0 => Err(io::Error::new(ErrorKind::StorageFull, "full")),
            taken => {
                self.left -= taken;
                Ok(taken)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn errors_of_the_writer_come_through_and_pieces_are_large() {
    for left in [0, 1, 70_000, 999_999] {
        let error = write_catalogue(1_000_000, &mut Limited { left, writes: 0 }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageFull);
    }
    let mut out = Limited { left: 1_000_000, writes: 0 };
    write_catalogue(1_000_000, &mut out).unwrap();
    assert!(out.left == 0 && out.writes < 20);
}
