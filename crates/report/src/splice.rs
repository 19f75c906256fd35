//! A part of a file between two markers, put anew: the rest of the file is its owner's.

use std::ops::Range;
use thiserror::Error;

/// The line before the part.
pub const BEGIN: &str = "<!-- cryptobench: begin -->";
/// The line after it.
pub const END: &str = "<!-- cryptobench: end -->";

/// Why a text has no part to put anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SpliceError {
    /// Neither marker is there.
    #[error("has no place for it; write the two lines `{BEGIN}` and `{END}` where it is to stand")]
    NoMarkers,
    /// One marker is missing.
    #[error("has a line `{0}` without its fellow `{1}`", if *.has_begin { BEGIN } else { END }, if *.has_begin { END } else { BEGIN })]
    OneMarker {
        /// Whether it is the first that is there.
        has_begin: bool,
    },
    /// A marker is there more than once.
    #[error("has the line `{0}` more than once")]
    Twice(&'static str),
    /// The end comes before the beginning.
    #[error("has `{END}` before `{BEGIN}`")]
    Reversed,
}

/// `text` with `part` between its markers, which stay.
///
/// # Errors
///
/// If there is not exactly one line with each marker, in their order.
pub fn splice(text: &str, part: &str) -> Result<String, SpliceError> {
    let (begin, end) = match (line(text, BEGIN)?, line(text, END)?) {
        (Some(begin), Some(end)) => (begin, end),
        (None, None) => return Err(SpliceError::NoMarkers),
        (begin, _) => return Err(SpliceError::OneMarker { has_begin: begin.is_some() }),
    };
    if end.start < begin.end {
        return Err(SpliceError::Reversed);
    }
    // As the file ends its lines.
    let newline = if text[begin.clone()].ends_with("\r\n") { "\r\n" } else { "\n" };
    let part = part.trim_matches('\n').replace('\n', newline);
    let blank = newline.repeat(2);
    let begin_line = text[..begin.end].trim_end_matches(['\r', '\n']);
    Ok(format!("{begin_line}{blank}{part}{blank}{}", &text[end.start..]))
}

/// The place of the line that is `marker`, with its end.
fn line(text: &str, marker: &'static str) -> Result<Option<Range<usize>>, SpliceError> {
    let mut found = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if line.trim() == marker && found.replace(start..start + line.len()).is_some() {
            return Err(SpliceError::Twice(marker));
        }
        start += line.len();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_between_changes() {
        let before = format!("# A\n\n{BEGIN}\nold\nolder\n{END}\nrest\n");
        let after = splice(&before, "new\n").unwrap();
        assert_eq!(after, format!("# A\n\n{BEGIN}\n\nnew\n\n{END}\nrest\n"));
        assert_eq!(splice(&after, "new").unwrap(), after);
    }

    #[test]
    fn lines_end_as_the_file_has_them() {
        let before = format!("a\r\n{BEGIN}\r\n{END}\r\n");
        assert_eq!(
            splice(&before, "x\ny").unwrap(),
            format!("a\r\n{BEGIN}\r\n\r\nx\r\ny\r\n\r\n{END}\r\n")
        );
        // Without a line's end at the file's.
        assert!(splice(&format!("{BEGIN}\n{END}"), "x").unwrap().ends_with(END));
    }

    #[test]
    fn files_without_a_place_are_refused() {
        for (text, error) in [
            ("no markers".to_owned(), SpliceError::NoMarkers),
            (format!("{BEGIN}\n"), SpliceError::OneMarker { has_begin: true }),
            (format!("{END}\n"), SpliceError::OneMarker { has_begin: false }),
            (format!("{END}\n{BEGIN}\n"), SpliceError::Reversed),
            (format!("{BEGIN}\n{BEGIN}\n{END}\n"), SpliceError::Twice(BEGIN)),
            // Named in a sentence, it is none.
            (format!("write `{BEGIN}` and `{END}`\n"), SpliceError::NoMarkers),
        ] {
            assert_eq!(splice(&text, "x"), Err(error), "{text}");
            assert!(!error.to_string().is_empty());
        }
    }
}
