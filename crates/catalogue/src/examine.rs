//! Whether a document of somebody's is fit to be rewritten, and what there is in it. It is not kept, and not changed.

use crate::{
    name::{is_name, is_near, is_reference},
    source::{Flaw, Source, attribute_flaw},
};
use quick_xml::events::{BytesDecl, BytesStart, Event};
use std::{
    fmt::{self, Display, Formatter},
    io::{self, BufRead},
    ops::Range,
};
use thiserror::Error;

/// Names that are told where the one asked for is missing.
const TOLD: usize = 8;
/// Names longer than this are not told.
const LONG: usize = 64;

/// What there is in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Survey {
    /// Bytes of the document.
    pub bytes: u64,
    /// Contents of the element asked for, as many as `rewrite` hands over.
    pub fields: u64,
    /// Bytes of all of them.
    pub field_bytes: u64,
}

/// Why a document is not fit.
#[derive(Debug, Error)]
pub enum DocumentError {
    /// It could not be read.
    #[error("cannot read it: {0}")]
    Read(#[source] io::Error),
    /// Its first bytes are of another encoding.
    #[error("is in {encoding}; convert it to UTF-8 first, for instance with `iconv -t UTF-8`")]
    OtherEncoding {
        /// Which one.
        encoding: &'static str,
    },
    /// A byte is not of UTF-8.
    #[error("is not UTF-8 at byte {at}{}; convert it to UTF-8 first, for instance with `iconv -t UTF-8`",
        Declared(.declared.as_deref()))]
    NotUtf8 {
        /// Bytes of the document before it.
        at: u64,
        /// The encoding that the document says it is in.
        declared: Option<String>,
    },
    /// It is not well-formed XML.
    #[error("is not well-formed XML: {reason}, at byte {at}; `xmllint --noout` shows the line")]
    NotXml {
        /// Bytes of the document before the place.
        at: u64,
        /// What is wrong there.
        reason: String,
    },
    /// It has no element of the name.
    #[error("has no element `{element}`; {}", Others(.near, .others))]
    NoElement {
        /// The name asked for.
        element: String,
        /// Names of the document that differ in prefix and case only.
        near: Vec<String>,
        /// The first names of the document, where no name is near.
        others: Vec<String>,
    },
    /// It has the element, but only as a tag without content.
    #[error("has `{element}` only as `<{element}/>`, without content; name another element")]
    NoContent {
        /// The name asked for.
        element: String,
    },
    /// The name asked for is none.
    #[error(
        "cannot have an element {element:?}, which is no name in XML; write the name alone, as in `author`"
    )]
    InvalidElementName {
        /// What was asked for.
        element: String,
    },
}

struct Declared<'a>(Option<&'a str>);

impl Display for Declared<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(encoding) => write!(formatter, " (it says that it is in {encoding})"),
            None => Ok(()),
        }
    }
}

/// Names that are near, and others.
struct Others<'a>(&'a [String], &'a [String]);

impl Display for Others<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self(near, others) = self;
        let (begin, names, end) = match (near.is_empty(), others.is_empty()) {
            (false, _) => ("is it ", near, "?"),
            (true, false) => ("name another one, such as ", others, ""),
            (true, true) => ("name another one", others, ""),
        };
        formatter.write_str(begin)?;
        for (index, name) in names.iter().enumerate() {
            let before = match index {
                0 => "",
                _ if index + 1 == names.len() => " or ",
                _ => ", ",
            };
            write!(formatter, "{before}`{name}`")?;
        }
        formatter.write_str(end)
    }
}

/// Reads `document` once, to its end, and counts the contents of `element` in it.
///
/// The document has to be XML in UTF-8, with or without a byte order mark, and well-formed: one root element, nothing
/// but comments, instructions and white space around it, every tag closed, and names, attributes and references as
/// they have to be written. A document type is passed over: neither is it checked, nor are its entities expanded, nor
/// has an entity to be declared.
///
/// Memory is that of the largest event: text, comment, tag or document type.
///
/// # Errors
///
/// If the document cannot be read, is not as above, or has no such element with a content, be it an empty one.
pub fn examine(document: impl BufRead, element: &str) -> Result<Survey, DocumentError> {
    if !is_name(element) {
        return Err(DocumentError::InvalidElementName { element: element.to_owned() });
    }
    let mut source = Source::open(document).map_err(DocumentError::Read)?;
    if let Some(encoding) = source.foreign_encoding() {
        return Err(DocumentError::OtherEncoding { encoding });
    }
    source.check_comments();
    let mut examination = Examination::of(element);
    let begin = source.at();
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let at = source.at();
        let event = match source.next(&mut bytes) {
            Ok(Event::Eof) => return examination.end(at),
            Ok(event) => event,
            Err(error) => return Err(examination.refuse(source.flaw(error, at))),
        };
        let seen = examination.see(&event, at..source.at(), at == begin);
        drop(event);
        if let Err(flaw) = seen.and_then(|()| only_characters(&bytes, at)) {
            return Err(examination.refuse(flaw));
        }
    }
}

/// A document up to some event.
struct Examination<'a> {
    element: &'a str,
    /// Where each open element begins.
    open: Vec<u64>,
    root: bool,
    doctype: bool,
    declared: Option<String>,
    field: Option<Field>,
    fields: u64,
    field_bytes: u64,
    names: Names,
    /// Whether the element is there without content.
    without_content: bool,
}

/// A content that is being read.
struct Field {
    /// Of its element.
    depth: usize,
    /// Where it begins.
    start: u64,
}

/// Names that were met, as long as the one asked for was not.
#[derive(Default)]
struct Names {
    near: Vec<String>,
    others: Vec<String>,
}

impl Names {
    fn meet(&mut self, name: &str, element: &str) {
        let names = if is_near(name, element) { &mut self.near } else { &mut self.others };
        if names.len() < TOLD && name.len() <= LONG && !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
}

impl<'a> Examination<'a> {
    fn of(element: &'a str) -> Self {
        Self {
            element,
            open: Vec::new(),
            root: false,
            doctype: false,
            declared: None,
            field: None,
            fields: 0,
            field_bytes: 0,
            names: Names::default(),
            without_content: false,
        }
    }

    /// Takes in `event`, which has `place` in the document.
    fn see(&mut self, event: &Event<'_>, place: Range<u64>, is_first: bool) -> Result<(), Flaw> {
        let at = place.start;
        match event {
            Event::Start(tag) => {
                self.see_tag(tag, at)?;
                self.open.push(at);
                if self.field.is_none() && tag.name().as_ref() == self.element {
                    self.field = Some(Field { depth: self.open.len(), start: place.end });
                }
                Ok(())
            }
            Event::Empty(tag) => {
                self.see_tag(tag, at)?;
                self.without_content |= tag.name().as_ref() == self.element;
                Ok(())
            }
            Event::End(_) => {
                if let Some(field) = self.field.take_if(|field| field.depth == self.open.len()) {
                    self.fields += 1;
                    self.field_bytes += at - field.start;
                }
                self.open.pop();
                Ok(())
            }
            Event::Text(text) if self.open.is_empty() => {
                match text.bytes().position(|byte| !is_white_space(byte)) {
                    None => Ok(()),
                    Some(before) => Err(self.outside(at + before as u64, "text")),
                }
            }
            // To look for one byte first is quick.
            Event::Text(text) => match text.find(']').and_then(|_| text.find("]]>")) {
                None => Ok(()),
                Some(before) => not_xml(at + before as u64, "`]]>` in text, which is `]]&gt;`"),
            },
            Event::CData(_) if self.open.is_empty() => Err(self.outside(at, "a CDATA section")),
            Event::GeneralRef(_) if self.open.is_empty() => Err(self.outside(at, "a reference")),
            Event::GeneralRef(reference) if !is_reference(reference) => {
                not_xml(at, "`&` that begins no reference, which is `&amp;`")
            }
            Event::Decl(declaration) => {
                if !is_first {
                    return not_xml(at, "an XML declaration that is not the very beginning");
                }
                self.see_declaration(declaration, at)
            }
            Event::PI(instruction) if !is_name(instruction.target()) => {
                not_xml(at, "an instruction without a name")
            }
            Event::DocType(_) => {
                if self.root || self.doctype {
                    return not_xml(at, "a document type that is not before the root element");
                }
                self.doctype = true;
                Ok(())
            }
            Event::CData(_)
            | Event::GeneralRef(_)
            | Event::PI(_)
            | Event::Comment(_)
            | Event::Eof => Ok(()),
        }
    }

    fn see_tag(&mut self, tag: &BytesStart<'_>, at: u64) -> Result<(), Flaw> {
        let name = tag.name();
        let name = name.as_ref();
        if !is_name(name) {
            return not_xml(at, "a tag whose name is none in XML, or `<` that is `&lt;`");
        }
        if self.open.is_empty() && self.root {
            return not_xml(at, "a second root element");
        }
        self.root = true;
        for attribute in tag.attributes() {
            let attribute = attribute.map_err(|error| attribute_flaw(&error, at))?;
            if !is_name(attribute.key.as_ref()) {
                return not_xml(at, "a tag with an attribute whose name is none in XML");
            }
            if !is_attribute_value(&attribute.value) {
                return not_xml(at, "a tag with `<` or a lone `&` in the value of an attribute");
            }
        }
        if !are_apart(tag.attributes_raw()) {
            return not_xml(at, "a tag without a space between its attributes");
        }
        if self.fields == 0 && self.field.is_none() && name != self.element {
            self.names.meet(name, self.element);
        }
        Ok(())
    }

    fn see_declaration(&mut self, declaration: &BytesDecl<'_>, at: u64) -> Result<(), Flaw> {
        if declaration.version().is_err() {
            return not_xml(at, "an XML declaration without a version");
        }
        match declaration.encoding() {
            None => {}
            Some(Ok(encoding)) => self.declared = Some(encoding.chars().take(LONG).collect()),
            Some(Err(error)) => return Err(attribute_flaw(&error, at)),
        }
        Ok(())
    }

    /// Something at `at` that has no place outside of the root element.
    fn outside(&self, at: u64, what: &str) -> Flaw {
        let reason = if self.root {
            format!("{what} after the root element")
        } else {
            format!("{what} before the root element")
        };
        Flaw::NotXml { at, reason }
    }

    /// Why the document is refused that has `flaw`.
    fn refuse(&self, flaw: Flaw) -> DocumentError {
        match flaw {
            Flaw::Read(error) => DocumentError::Read(error),
            Flaw::NotUtf8 { at } => {
                // That it says what it is not, is of no help.
                let declared =
                    self.declared.clone().filter(|name| !name.eq_ignore_ascii_case("utf-8"));
                DocumentError::NotUtf8 { at, declared }
            }
            Flaw::NotXml { at, reason } => DocumentError::NotXml { at, reason },
        }
    }

    /// What there is in the document, which has `bytes`.
    fn end(self, bytes: u64) -> Result<Survey, DocumentError> {
        if let Some(&at) = self.open.last() {
            let reason = "an element begins that does not end".to_owned();
            return Err(DocumentError::NotXml { at, reason });
        }
        if !self.root {
            let reason = if bytes == 0 { "it is empty" } else { "it has no root element" };
            return Err(DocumentError::NotXml { at: bytes, reason: reason.to_owned() });
        }
        let element = self.element.to_owned();
        match self.fields {
            0 if self.without_content => Err(DocumentError::NoContent { element }),
            0 => Err(DocumentError::NoElement {
                element,
                others: if self.names.near.is_empty() { self.names.others } else { Vec::new() },
                near: self.names.near,
            }),
            fields => Ok(Survey { bytes, fields, field_bytes: self.field_bytes }),
        }
    }
}

fn not_xml(at: u64, reason: &str) -> Result<(), Flaw> {
    Err(Flaw::NotXml { at, reason: reason.to_owned() })
}

/// Whether `value` has no `<`, and `&` only where a reference begins.
fn is_attribute_value(value: &str) -> bool {
    !value.contains('<')
        && value
            .split('&')
            .skip(1)
            .all(|rest| rest.split_once(';').is_some_and(|(reference, _)| is_reference(reference)))
}

const fn is_white_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n')
}

/// Whether white space is between the attributes of a tag, which are well-formed for the rest.
fn are_apart(attributes: &str) -> bool {
    let mut quote = None;
    let mut ended = false;
    attributes.bytes().all(|byte| {
        let is_apart = !ended || is_white_space(byte);
        ended = false;
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => (quote, ended) = (None, true),
            _ => {}
        }
        is_apart
    })
}

/// Refuses control characters in `bytes`, which begin at `at`.
fn only_characters(bytes: &[u8], at: u64) -> Result<(), Flaw> {
    let is_control = |byte: u8| byte < b' ' && !is_white_space(byte);
    // Without an early end, many bytes are looked at together.
    if !bytes.iter().fold(false, |found, &byte| found | is_control(byte)) {
        return Ok(());
    }
    let before = bytes.iter().take_while(|&&byte| !is_control(byte)).count();
    not_xml(at + before as u64, "a control character")
}
