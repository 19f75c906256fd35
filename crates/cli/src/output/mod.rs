//! How results look: text for a terminal, Markdown, CSV, JSON. What they are is computed in the results.

pub(crate) mod comparison;
pub(crate) mod ranking;
pub(crate) mod table;
pub(crate) mod units;

use anyhow::{Context as _, Result};
use std::io::{self, Write as _};

/// Writes `text` to standard output.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    output
        .write_all(text.as_bytes())
        .and_then(|()| output.flush())
        .context("cannot write to standard output")
}

/// Whether `error` is a reader that has read enough.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}
