//! How results look: text for a terminal, Markdown, CSV, JSON. What they are is computed in the results.

pub(crate) mod comparison;
pub(crate) mod duel;
pub(crate) mod export;
pub(crate) mod file;
pub(crate) mod ranking;
pub(crate) mod records;
pub(crate) mod scenario;
pub(crate) mod table;

pub(crate) use cryptobench_report::text::{legible, visible};

use anyhow::{Context as _, Result};
use serde::Serialize;
use std::io::{self, Write as _};

/// Writes `text` to standard output, [`legible`].
pub(crate) fn print(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    output
        .write_all(legible(text).as_bytes())
        .and_then(|()| output.flush())
        .context("cannot write to standard output")
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
    fn json_stays_json() {
        let text = json(&["\u{9b}31m\u{1b}\u{7f}\u{202e}"]).expect("JSON");
        assert!(text.is_ascii(), "{text}");
        let back: Vec<String> = serde_json::from_str(&text).expect("JSON");
        assert_eq!(back, ["\u{9b}31m\u{1b}\u{7f}\u{202e}"]);
    }
}
