//! The events of a document, with the bytes they stand for and where these are. What is made of them is not known
//! here.

use quick_xml::{
    Reader,
    encoding::EncodingError,
    errors::Error,
    events::{Event, attributes::AttrError},
};
use std::{
    io::{self, BufRead, Chain, Cursor, Read},
    sync::Arc,
};

/// The mark that UTF-8 files of some editors begin with.
pub(crate) const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A document that is read.
pub(crate) struct Source<R> {
    reader: Reader<Chain<Cursor<Vec<u8>>, R>>,
    /// Whether it began with a mark, which no event has.
    marked: bool,
    /// The encoding that its first bytes are of, if they are not of UTF-8.
    foreign: Option<&'static str>,
}

/// Why there is no next event.
#[derive(Debug)]
pub(crate) enum Flaw {
    /// It could not be read.
    Read(io::Error),
    /// A byte is not of UTF-8.
    NotUtf8 { at: u64 },
    /// It is not XML.
    NotXml { at: u64, reason: String },
}

impl<R: BufRead> Source<R> {
    /// Takes the first bytes of `document`.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub(crate) fn open(mut document: R) -> io::Result<Self> {
        let mut head = Vec::with_capacity(BYTE_ORDER_MARK.len());
        read_up_to(&mut document, BYTE_ORDER_MARK.len(), &mut head)?;
        let foreign = foreign_encoding(&head);
        let marked = head == BYTE_ORDER_MARK;
        if marked {
            // quick-xml drops a mark where its input begins with a whole one, and says so nowhere. It shall not drop
            // a second one, so it is shown its first byte alone.
            head.clear();
            read_up_to(&mut document, 1, &mut head)?;
        }
        let mut reader = Reader::from_reader(Cursor::new(head).chain(document));
        let config = reader.config_mut();
        config.allow_dangling_amp = false;
        config.allow_unmatched_ends = false;
        config.check_end_names = true;
        config.expand_empty_elements = false;
        config.trim_text(false);
        // Only what is compared is trimmed. The bytes of the event are all there.
        config.trim_markup_names_in_closing_tags = true;
        Ok(Self { reader, marked, foreign })
    }

    /// Refuses `--` in comments, too.
    pub(crate) fn check_comments(&mut self) {
        self.reader.config_mut().check_comments = true;
    }

    /// Whether the document begins with a byte order mark.
    pub(crate) const fn is_marked(&self) -> bool {
        self.marked
    }

    /// The encoding that the document is evidently in, where that is not UTF-8.
    pub(crate) const fn foreign_encoding(&self) -> Option<&'static str> {
        self.foreign
    }

    /// Bytes of the document before the next event.
    pub(crate) const fn at(&self) -> u64 {
        let mark = if self.marked { BYTE_ORDER_MARK.len() as u64 } else { 0 };
        self.reader.buffer_position() + mark
    }

    /// The next event. Exactly the bytes it stands for in the document are appended to `bytes`; at the end, none.
    ///
    /// # Errors
    ///
    /// If the document cannot be read, or is not XML; `flaw` says it in our words. Then what is in `bytes` is of no
    /// use.
    #[inline]
    pub(crate) fn next<'b>(&mut self, bytes: &'b mut Vec<u8>) -> Result<Event<'b>, Error> {
        // As it is: to make another `Result` of it is to copy it, right after it was written, and that is seen in the
        // time of the walk.
        self.reader.read_event_into(bytes)
    }

    /// What `error` is that `next` gave, when called at `start`.
    #[cold]
    pub(crate) fn flaw(&self, error: Error, start: u64) -> Flaw {
        let mark = self.at() - self.reader.buffer_position();
        let place = self.reader.error_position() + mark;
        match error {
            Error::Io(error) => Flaw::Read(
                Arc::try_unwrap(error)
                    .unwrap_or_else(|error| io::Error::new(error.kind(), error.to_string())),
            ),
            Error::Encoding(EncodingError::Utf8(error)) => {
                Flaw::NotUtf8 { at: start + error.valid_up_to() as u64 }
            }
            Error::Syntax(error) => Flaw::NotXml { at: place, reason: error.to_string() },
            Error::IllFormed(error) => Flaw::NotXml { at: place, reason: error.to_string() },
            error => Flaw::NotXml { at: start, reason: error.to_string() },
        }
    }
}

/// Appends the next `count` bytes of `document` to `bytes`, or those that are left.
fn read_up_to(document: &mut impl BufRead, count: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    document.take(count as u64).read_to_end(bytes).map(drop)
}

/// What files in other encodings begin with: a mark, or `<` between zeros.
const fn foreign_encoding(head: &[u8]) -> Option<&'static str> {
    match head {
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] | [b'<', 0, ..] | [0, b'<', ..] => Some("UTF-16"),
        [0, 0, ..] => Some("UTF-32"),
        _ => None,
    }
}

/// quick-xml's `error` in the attributes of a tag that begins at `start`.
#[cold]
pub(crate) fn attribute_flaw(error: &AttrError, start: u64) -> Flaw {
    let (position, reason) = match error {
        AttrError::ExpectedEq(at) => (at, "an attribute without `=`"),
        AttrError::ExpectedValue(at) => (at, "an attribute without a value"),
        AttrError::UnquotedValue(at) => (at, "the value of an attribute without quotes"),
        AttrError::ExpectedQuote(at, _) => (at, "the value of an attribute without its last quote"),
        AttrError::Duplicated(at, _) => (at, "an attribute for the second time"),
    };
    // It counts from after the `<`.
    Flaw::NotXml { at: start + 1 + *position as u64, reason: reason.to_owned() }
}
