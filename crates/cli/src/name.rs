//! Names of records and baselines: what the user may call them, so that a name is always one file's.

use std::{fmt, str::FromStr};

/// A name of a record or a baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name(String);

impl Name {
    /// The name.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let good = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '_' | '+' | '-');
        if text.starts_with(|it: char| it.is_ascii_alphanumeric())
            && text.len() <= 100
            && text.chars().all(good)
            && ![".json", ".zst", ".partial"].iter().any(|ending| text.ends_with(ending))
        {
            Ok(Self(text.to_owned()))
        } else {
            Err("a name has letters, digits, `.`, `_`, `+` and `-`, begins with a letter or digit, ends with \
                 no file type, and has at most 100 of them"
                .to_owned())
        }
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_file_s() {
        for good in ["baseline", "before-1.2.0", "2026-11-30_a+b", "x"] {
            assert!(good.parse::<Name>().is_ok(), "{good}");
        }
        for bad in
            ["", ".", "..", "../x", "a/b", "-x", "a b", "a\n", "é", "x.json", "x.json.zst", "<x>"]
        {
            assert!(bad.parse::<Name>().is_err(), "{bad}");
        }
        assert!("x".repeat(101).parse::<Name>().is_err());
    }
}
