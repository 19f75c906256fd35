//! What is not fit to be rewritten is refused, with words that help.

use cryptobench_catalogue::{DocumentError, Survey, examine};
use std::io::{self, BufReader, ErrorKind, Read};

fn words(document: impl AsRef<[u8]>) -> String {
    let document = document.as_ref();
    match examine(document, "author") {
        Ok(survey) => panic!("{}: {survey:?}", String::from_utf8_lossy(document)),
        Err(error) => error.to_string(),
    }
}

#[test]
fn contents_are_counted() {
    let document = "<r><author>é</author><author/><author><b>x</b><author>y</author></author></r>";
    assert_eq!(
        examine(document.as_bytes(), "author").unwrap(),
        Survey { bytes: document.len() as u64, fields: 2, field_bytes: 2 + 26 }
    );
    assert_eq!(
        examine(&b"<author></author>"[..], "author").unwrap(),
        Survey { bytes: 17, fields: 1, field_bytes: 0 }
    );
    assert_eq!(examine("\u{feff}<a>x</a>".as_bytes(), "a").unwrap().bytes, 11);
}

#[test]
fn what_is_not_well_formed_is_refused() {
    for (document, expected) in [
        // No XML at all.
        ("", "it is empty, at byte 0"),
        ("\u{feff}", "it has no root element, at byte 3"),
        ("\u{feff}\u{feff}<author>x</author>", "text before the root element, at byte 3"),
        (" \n", "it has no root element, at byte 2"),
        ("<!-- only -->", "it has no root element, at byte 13"),
        ("Once upon a time", "text before the root element, at byte 0"),
        ("  {\"author\": \"x\"}", "text before the root element, at byte 2"),
        ("author;title\nx & y;z\n", "text before the root element, at byte 0"),
        ("&amp;", "a reference before the root element, at byte 0"),
        ("<![CDATA[x]]>", "a CDATA section before the root element, at byte 0"),
        // HTML.
        (
            "<!DOCTYPE html><html><p>x<br></p></html>",
            "expected `</br>`, but `</p>` was found, at byte 29",
        ),
        ("<html><input disabled></html>", "an attribute without `=`, at byte 21"),
        ("<html><p class=x>y</p></html>", "the value of an attribute without quotes, at byte 15"),
        // Cut off.
        ("<r><author>x</author>", "an element begins that does not end, at byte 0"),
        ("<r><author>x", "an element begins that does not end, at byte 3"),
        ("<r><author", "tag not closed: `>` not found before end of input, at byte 3"),
        ("<r a=\"1>", "attribute value not closed: `\"` not found before end of input, at byte 0"),
        ("<r><!-- x", "comment not closed: `-->` not found before end of input, at byte 3"),
        ("<r><![CDATA[", "CDATA not closed: `]]>` not found before end of input, at byte 3"),
        ("<!DOCTYPE r [", "DOCTYPE not closed: `>` not found before end of input, at byte 0"),
        (
            "<r>&am",
            "entity or character reference not closed: `;` not found before end of input, at byte 3",
        ),
        // More than one root, and other things where only one element may be.
        ("<r/><r/>", "a second root element, at byte 4"),
        ("<r></r><author>x</author>", "a second root element, at byte 7"),
        ("<r></r>\n x", "text after the root element, at byte 9"),
        ("<r/><![CDATA[]]>", "a CDATA section after the root element, at byte 4"),
        ("<r></r></r>", "close tag `</r>` does not match any open tag, at byte 7"),
        ("<r/><!DOCTYPE r>", "a document type that is not before the root element, at byte 4"),
        (
            "\n<?xml version=\"1.0\"?><r/>",
            "an XML declaration that is not the very beginning, at byte 1",
        ),
        ("<?xml encoding='utf-8'?><r/>", "an XML declaration without a version, at byte 0"),
        // Tags.
        ("<r><author></Author></r>", "expected `</author>`, but `</Author>` was found, at byte 11"),
        ("<r></r x='1'>", "expected `</r>`, but `</r x='1'>` was found, at byte 3"),
        ("<r>1 < 2</r>", "tag name"),
        ("<>x</>", "tag name"),
        ("<1a/>", "tag name"),
        ("<r a='1' a='2'/>", "an attribute for the second time, at byte 9"),
        ("<r a='1'b='2'/>", "a tag without a space between its attributes, at byte 0"),
        ("<r a=/>", "an attribute without a value, at byte 5"),
        ("<r 1='1'/>", "a tag with an attribute whose name is none in XML, at byte 0"),
        ("<r a='<'/>", "a tag with `<` or a lone `&` in the value of an attribute, at byte 0"),
        ("<r a='x & y'/>", "a tag with `<` or a lone `&` in the value of an attribute, at byte 0"),
        // Text.
        (
            "<r>x & y</r>",
            "entity or character reference not closed: `;` not found before end of input, at byte 5",
        ),
        ("<r>x & y;</r>", "`&` that begins no reference, which is `&amp;`, at byte 5"),
        ("<r>x ]]> y</r>", "`]]>` in text, which is `]]&gt;`, at byte 5"),
        ("<r>x\u{0}</r>", "a control character, at byte 4"),
        ("<r><!-- x -- y --></r>", "forbidden string `--` was found in a comment, at byte 10"),
        ("<r><?1?></r>", "an instruction without a name, at byte 3"),
        ("<r><!ELEMENT x></r>", "unknown or missed symbol in markup, at byte 3"),
    ] {
        let expected = match expected {
            "tag name" => {
                let at = document.find("< ").unwrap_or(0);
                format!("a tag whose name is none in XML, or `<` that is `&lt;`, at byte {at}")
            }
            other => other.to_owned(),
        };
        assert_eq!(
            words(document),
            format!("is not well-formed XML: {expected}; `xmllint --noout` shows the line"),
            "{document}"
        );
    }
}

#[test]
fn other_encodings_are_refused() {
    let utf_16 = |mark: &str, text: &str| -> Vec<u8> {
        format!("{mark}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect()
    };
    let how = "; convert it to UTF-8 first, for instance with `iconv -t UTF-8`";
    let text = "<author>x</author>";
    let little = utf_16("\u{feff}", text);
    let big: Vec<u8> = little.chunks(2).flat_map(|pair| [pair[1], pair[0]]).collect();
    for document in [little, big, utf_16("", text)] {
        assert_eq!(words(document), format!("is in UTF-16{how}"));
    }
    assert_eq!(words(b"\0\0\xfe\xff\0\0\0<"), format!("is in UTF-32{how}"));
    assert_eq!(words(b"<author>Ren\xe9e</author>"), format!("is not UTF-8 at byte 11{how}"));
    assert_eq!(
        words(b"<?xml version='1.0' encoding='ISO-8859-1'?><author>Ren\xe9e</author>"),
        format!("is not UTF-8 at byte 54 (it says that it is in ISO-8859-1){how}")
    );
    assert_eq!(
        words(b"\xef\xbb\xbf<?xml version='1.0' encoding='UTF-8'?><author a='\xc3'>x</author>"),
        format!("is not UTF-8 at byte 52{how}")
    );
    // The beginning of a file of gzip, and of a picture.
    assert_eq!(words(b"\x1f\x8b\x08\0\0\0\0\0"), format!("is not UTF-8 at byte 1{how}"));
    assert_eq!(words(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), format!("is not UTF-8 at byte 0{how}"));
}

#[test]
fn a_missing_element_is_told_with_those_that_are_there() {
    for (document, expected) in [
        (
            "<r xmlns:dc='u'><dc:author>x</dc:author><name>y</name></r>",
            "has no element `author`; is it `dc:author`?",
        ),
        (
            "<r><Author>x</Author><b:AUTHOR xmlns:b='u'/><Author/></r>",
            "has no element `author`; is it `Author` or `b:AUTHOR`?",
        ),
        ("<r/>", "has no element `author`; name another one, such as `r`"),
        (
            "<r><book><name>x</name></book><book/></r>",
            "has no element `author`; name another one, such as `r`, `book` or `name`",
        ),
        (
            "<r><a/><b/><c/><d/><e/><f/><g/><h/><i/></r>",
            "has no element `author`; name another one, such as `r`, `a`, `b`, `c`, `d`, `e`, `f` or `g`",
        ),
        (
            "<r><author/><author a='b'/></r>",
            "has `author` only as `<author/>`, without content; name another element",
        ),
        // In a comment it is none.
        (
            "<r><!--<author>x</author>--></r>",
            "has no element `author`; name another one, such as `r`",
        ),
    ] {
        assert_eq!(words(document), expected);
    }
    let long = "r".repeat(1000);
    assert_eq!(words(format!("<{long}/>")), "has no element `author`; name another one");
}

#[test]
fn what_is_no_name_is_refused_before_the_document_is_read() {
    for element in ["", " ", "<author>", "a b", "1", "a/"] {
        let error = examine(Unreadable::new(0), element).unwrap_err();
        assert_eq!(
            error.to_string(),
            format!(
                "cannot have an element {element:?}, which is no name in XML; write the name alone, as in `author`"
            )
        );
    }
}

/// A document that ends with an error.
struct Unreadable<'a>(&'a [u8]);

impl Unreadable<'_> {
    fn new(good: usize) -> BufReader<Self> {
        BufReader::new(Self(
            &b"<?xml version='1.0'?><r>&amp; <author>x</author><!-- --></r>"[..good],
        ))
    }
}

impl Read for Unreadable<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        if self.0.is_empty() {
            return Err(io::Error::new(ErrorKind::ConnectionReset, "gone"));
        }
        self.0.read(bytes)
    }
}

#[test]
fn an_error_of_the_reader_comes_through_wherever_it_is() {
    for good in 0..=60 {
        let error = examine(Unreadable::new(good), "author").unwrap_err();
        assert!(matches!(error, DocumentError::Read(_)), "{good}: {error}");
        assert_eq!(error.to_string(), "cannot read it: gone");
    }
}

#[test]
fn depth_alone_is_no_flaw() {
    let depth = 200_000;
    let document = format!("{}<author>x</author>{}", "<a>".repeat(depth), "</a>".repeat(depth));
    assert_eq!(examine(document.as_bytes(), "author").unwrap().fields, 1);
    assert!(words("<a>".repeat(depth)).contains("an element begins that does not end"));
}
