//! The name of an implementation as compiled into one program.

use crate::ParseError;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, fmt, str::FromStr};

/// A backend's name: `ring`, `aws-lc`, or with a variant `rustcrypto+soft`. Never empty, and never with a
/// character that means something in a case id, a path, a regular expression's class or HTML.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct BackendId(Cow<'static, str>);

impl BackendId {
    /// A name known when the program is compiled.
    ///
    /// # Panics
    ///
    /// If the name is not valid: a bug in the adapter that has it.
    #[must_use]
    pub const fn fixed(name: &'static str) -> Self {
        assert!(valid(name.as_bytes()), "a backend's name: a letter, then a-z 0-9 . + -");
        Self(Cow::Borrowed(name))
    }

    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

const fn valid(name: &[u8]) -> bool {
    if name.is_empty() || !name[0].is_ascii_lowercase() {
        return false;
    }
    let mut i = 0;
    while i < name.len() {
        let byte = name[i];
        if !(byte.is_ascii_lowercase()
            || byte.is_ascii_digit()
            || matches!(byte, b'.' | b'+' | b'-'))
        {
            return false;
        }
        i += 1;
    }
    true
}

impl fmt::Display for BackendId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl FromStr for BackendId {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::try_from(text.to_owned())
    }
}

impl TryFrom<String> for BackendId {
    type Error = ParseError;

    fn try_from(text: String) -> Result<Self, ParseError> {
        if valid(text.as_bytes()) {
            Ok(Self(Cow::Owned(text)))
        } else {
            Err(ParseError::Backend(text))
        }
    }
}

impl From<BackendId> for String {
    fn from(id: BackendId) -> Self {
        id.0.into_owned()
    }
}
