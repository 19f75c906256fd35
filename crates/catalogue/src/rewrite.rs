//! A document copied, with the content of some elements changed on the way. What the change is, is its caller's; that
//! the document is fit for it, `examine` says.

use crate::source::{BYTE_ORDER_MARK, Flaw, Source};
use quick_xml::events::Event;
use std::io::{self, BufRead, Write};
use thiserror::Error;

/// Bytes after which a stretch without a field is written: enough for one write to cost little, and little enough to
/// stay in the cache.
const STRETCH: usize = 16 << 10;

/// Why a document was not rewritten, or not to its end.
#[derive(Debug, Error)]
pub enum RewriteError<E> {
    /// The document could not be read.
    #[error("cannot read it: {0}")]
    Read(#[source] io::Error),
    /// The result could not be written.
    #[error("cannot write what became of it: {0}")]
    Write(#[source] io::Error),
    /// It is not XML in UTF-8.
    #[error("is not well-formed XML: {reason}, at byte {at}")]
    NotXml {
        /// Bytes of the document before the place.
        at: u64,
        /// What is wrong there.
        reason: String,
    },
    /// The change of a field failed.
    #[error("{0}")]
    Change(E),
}

impl<E> From<Flaw> for RewriteError<E> {
    fn from(flaw: Flaw) -> Self {
        match flaw {
            Flaw::Read(error) => Self::Read(error),
            Flaw::NotUtf8 { at } => Self::NotXml { at, reason: "not UTF-8".to_owned() },
            Flaw::NotXml { at, reason } => Self::NotXml { at, reason },
        }
    }
}

/// Copies `document` to `out`, every byte as it stands, but for the content of every element named `element`. That is
/// handed to `change`, as the bytes between start tag and end tag with all markup and references in them, together with
/// an empty vector; what is in the vector afterwards takes its place. Returns the number of fields, that is of calls.
///
/// The name is compared as it is written, with its prefix. An element within one of the same name is part of the
/// outer one's content. `<author></author>` has an empty content, which is handed over; `<author/>` has none.
///
/// Memory is that of the largest field or event. Each field makes two writes, so `out` should be buffered, and it is
/// not flushed.
///
/// # Errors
///
/// If `document` cannot be read, `out` not be written, `change` fails, or the document has a flaw on which the walk
/// depends: bytes that are not UTF-8, markup that does not end, end tags without their start tags or the other way
/// round. Flaws that only `examine` sees are copied. `out` then has a part of the result.
pub fn rewrite<R: BufRead, W: Write, E>(
    document: R,
    out: &mut W,
    element: &str,
    mut change: impl FnMut(&[u8], &mut Vec<u8>) -> Result<(), E>,
) -> Result<u64, RewriteError<E>> {
    let mut source = Source::open(document).map_err(RewriteError::Read)?;
    if source.is_marked() {
        out.write_all(BYTE_ORDER_MARK).map_err(RewriteError::Write)?;
    }
    let mut fields = 0;
    // Bytes that are read; those up to `done` are dealt with. Within a field it begins with its content.
    let mut bytes = Vec::with_capacity(2 * STRETCH);
    let mut done = 0;
    let mut changed = Vec::new();
    let mut depth = 0_u64;
    // The depth of the open field.
    let mut field = None;
    loop {
        let start = bytes.len();
        let at = source.at();
        let step = match source.next(&mut bytes) {
            Ok(Event::Start(tag)) => {
                depth += 1;
                if field.is_none() && tag.name().as_ref() == element {
                    Step::Begin
                } else {
                    Step::On
                }
            }
            Ok(Event::End(_)) => {
                let step = if field == Some(depth) { Step::End } else { Step::On };
                // No end tag comes without a start tag: the reader checks them.
                depth -= 1;
                step
            }
            Ok(Event::Eof) => break,
            Ok(_) => Step::On,
            Err(error) => return Err(source.flaw(error, at).into()),
        };
        // Else something would be missing in what is written.
        assert_eq!((bytes.len() - start) as u64, source.at() - at, "bytes of the event at {at}");
        match step {
            Step::Begin => {
                out.write_all(&bytes[done..]).map_err(RewriteError::Write)?;
                bytes.clear();
                done = 0;
                field = Some(depth);
            }
            Step::End => {
                changed.clear();
                change(&bytes[..start], &mut changed).map_err(RewriteError::Change)?;
                out.write_all(&changed).map_err(RewriteError::Write)?;
                // The end tag is written with what comes after it.
                done = start;
                field = None;
                fields += 1;
            }
            Step::On if field.is_none() && bytes.len() >= STRETCH => {
                out.write_all(&bytes[done..]).map_err(RewriteError::Write)?;
                bytes.clear();
                done = 0;
            }
            Step::On => {}
        }
    }
    if depth > 0 {
        return Err(RewriteError::NotXml {
            at: source.at(),
            reason: "it ends before its elements do".to_owned(),
        });
    }
    out.write_all(&bytes[done..]).map_err(RewriteError::Write)?;
    Ok(fields)
}

/// What an event is to the walk.
enum Step {
    /// The start tag of a field.
    Begin,
    /// The end tag of the open field.
    End,
    /// Anything else.
    On,
}
