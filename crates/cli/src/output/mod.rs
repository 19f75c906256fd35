//! How results look: text for a terminal, Markdown, CSV, JSON. What they are is computed in the results.

pub(crate) mod absent;
pub(crate) mod comparison;
pub(crate) mod duel;
pub(crate) mod export;
pub(crate) mod ranking;
pub(crate) mod records;
pub(crate) mod table;
pub(crate) mod units;

use anyhow::{Context as _, Result};
use serde::Serialize;
use std::{
    borrow::Cow,
    io::{self, Write as _},
};

/// Writes `text` to standard output, [`legible`].
pub(crate) fn print(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    output
        .write_all(legible(text).as_bytes())
        .and_then(|()| output.flush())
        .context("cannot write to standard output")
}

/// `text` without what steers a terminal or turns the direction of writing: records come from elsewhere, and
/// anything may be in their words. Such characters are written as JSON writes them, so that JSON stays JSON.
pub(crate) fn legible(text: &str) -> Cow<'_, str> {
    escape(text, |it| it != '\n' && steers(it))
}

/// [`legible`], and in one line.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    escape(text, steers)
}

/// Control characters (Unicode's Cc), line and paragraph separators, and the marks, embeddings, overrides and
/// isolates of the bidirectional algorithm (UAX 9).
fn steers(it: char) -> bool {
    it.is_control()
        || matches!(it, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(text: &str, which: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&which) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 16);
    for it in text.chars() {
        match it {
            '\n' if which(it) => escaped.push_str("\\n"),
            it if which(it) => escaped.push_str(&format!("\\u{:04x}", u32::from(it))),
            it => escaped.push(it),
        }
    }
    Cow::Owned(escaped)
}

/// `value` as JSON, ended by a newline.
pub(crate) fn json(value: &impl Serialize) -> Result<String> {
    let json = serde_json::to_string_pretty(value).context("cannot write JSON")?;
    Ok(legible(&json).into_owned() + "\n")
}

/// `rows` as CSV with a header line, whose names are the fields'.
pub(crate) fn csv<T: Serialize>(rows: &[T]) -> Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).context("cannot write CSV")?;
    }
    let bytes = writer.into_inner().context("cannot write CSV")?;
    String::from_utf8(bytes).context("cannot write CSV")
}

/// `error` with its causes, without those that it repeats.
pub(crate) fn told(error: &anyhow::Error) -> String {
    let mut told = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if told.is_empty() {
            told = cause;
        } else if !told.contains(&cause) {
            told.push_str(&format!(": {cause}"));
        }
    }
    told
}

/// Whether `error` is a reader that has read enough.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_written_out() {
        let hostile = "a\u{1b}[31m\u{9b}\u{7f}\u{202e}\r\nb µ×\t";
        assert_eq!(legible(hostile), "a\\u001b[31m\\u009b\\u007f\\u202e\\u000d\nb µ×\\u0009");
        assert_eq!(visible("a\nb"), "a\\nb");
        assert_eq!(visible("as it is"), "as it is");
    }

    #[test]
    fn json_stays_json() {
        let text = json(&["\u{9b}31m\u{1b}\u{7f}\u{202e}"]).expect("JSON");
        assert!(text.is_ascii(), "{text}");
        let back: Vec<String> = serde_json::from_str(&text).expect("JSON");
        assert_eq!(back, ["\u{9b}31m\u{1b}\u{7f}\u{202e}"]);
    }
}
