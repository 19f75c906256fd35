//! What a part says: tables in Markdown, and numbers held against what is wanted of them. Nothing is measured here.

use std::fmt;

/// A number with its unit.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Quantity {
    /// A logarithm of a ratio, shown as per cent.
    LogRatio(f64),
    Nanoseconds(f64),
    Microseconds(f64),
    Seconds(f64),
    /// So many.
    Count(usize),
}

impl Quantity {
    const fn number(self) -> f64 {
        match self {
            Self::LogRatio(it)
            | Self::Nanoseconds(it)
            | Self::Microseconds(it)
            | Self::Seconds(it) => it,
            Self::Count(it) => it as f64,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::LogRatio(it) => f.write_str(&percent(it)),
            Self::Nanoseconds(it) => write!(f, "{it:.0} ns"),
            Self::Microseconds(it) => write!(f, "{it:.1} µs"),
            Self::Seconds(it) => write!(f, "{it:.1} s"),
            Self::Count(it) => write!(f, "{it}"),
        }
    }
}

/// A logarithm of a ratio as per cent, to a hundredth of one.
pub(crate) fn percent(log_ratio: f64) -> String {
    format!("{:.2} %", log_ratio.exp_m1() * 100.0)
}

/// What a number is to be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    AtMost(Quantity),
    AtLeast(Quantity),
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AtMost(Quantity::Count(0)) => f.write_str("none"),
            Self::AtMost(bound) => write!(f, "≤ {bound}"),
            Self::AtLeast(bound) => write!(f, "≥ {bound}"),
        }
    }
}

/// A number that is wanted, and the one that was seen; `None` where there was nothing to see it on.
#[derive(Debug)]
pub(crate) struct Target {
    pub(crate) what: String,
    pub(crate) bound: Bound,
    pub(crate) seen: Option<Quantity>,
}

impl Target {
    pub(crate) fn new(what: impl Into<String>, bound: Bound, seen: Quantity) -> Self {
        Self { what: what.into(), bound, seen: Some(seen) }
    }

    fn row(&self) -> Vec<String> {
        let (seen, outcome) = match (self.seen, self.bound) {
            (None, _) => ("–".to_owned(), "not measured"),
            (Some(seen), Bound::AtMost(bound)) if seen.number() <= bound.number() => {
                (seen.to_string(), "met")
            }
            (Some(seen), Bound::AtLeast(bound)) if seen.number() >= bound.number() => {
                (seen.to_string(), "met")
            }
            (Some(seen), _) => (seen.to_string(), "**not met**"),
        };
        vec![self.what.clone(), self.bound.to_string(), seen, outcome.to_owned()]
    }
}

/// The targets as a table.
pub(crate) fn targets(targets: &[Target]) -> String {
    table(&["", "target", "seen", ""], targets.iter().map(Target::row))
}

/// A table whose first column is text and whose others are numbers.
pub(crate) fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut text = format!("| {} |\n|---|{}\n", head.join(" | "), "--:|".repeat(head.len() - 1));
    for row in rows {
        text.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    text
}
