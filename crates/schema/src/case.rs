//! The case: one Criterion id, and the only grammar of ids.

use crate::{Algorithm, BackendId, Family, Operation, ParseError, sizes};
use std::{fmt, str::FromStr};

/// The cases that differ only in their backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Contest {
    /// What is computed.
    pub algorithm: Algorithm,
    /// What is done with it.
    pub operation: Operation,
    /// Message bytes, or modulus bits for RSA; `None` where the operation has no size.
    pub size: Option<u64>,
}

impl Contest {
    /// The family, and so the bench target: that of the algorithm, or [`Family::Scenarios`] where the operation is
    /// there for a scenario alone.
    #[must_use]
    pub const fn family(&self) -> Family {
        if self.operation.is_of_scenario() { Family::Scenarios } else { self.algorithm.family() }
    }

    /// Whether one operation is one RSA key, found after as many candidates as it takes: a slice is one key then, however
    /// long, and the distribution of the times is the result.
    #[must_use]
    pub const fn makes_rsa_key(&self) -> bool {
        matches!(self.algorithm, Algorithm::Rsa)
    }

    /// Whether one operation may take a second, and its proof many of them: what the proof has warmed need not be
    /// warmed again.
    #[must_use]
    pub fn takes_long(&self) -> bool {
        self.makes_rsa_key()
            || (self.operation.is_of_document() && self.size.is_some_and(|bytes| bytes > 1 << 20))
    }

    /// The Criterion group: `<algorithm>/<operation>`.
    #[must_use]
    pub fn group(&self) -> String {
        format!("{}/{}", self.algorithm, self.operation)
    }

    /// The case of `backend` in this contest.
    #[must_use]
    pub fn case(self, backend: BackendId) -> CaseId {
        CaseId { contest: self, backend }
    }
}

impl fmt::Display for Contest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.algorithm, self.operation)?;
        self.size.map_or(Ok(()), |size| write!(f, "/{size}"))
    }
}

/// A case's id: `<algorithm>/<operation>/<backend>[/<size>]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CaseId {
    /// Everything but the backend.
    pub contest: Contest,
    /// Who computes it.
    pub backend: BackendId,
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.contest.algorithm, self.contest.operation, self.backend)?;
        self.contest.size.map_or(Ok(()), |size| write!(f, "/{size}"))
    }
}

/// The contest that the parts of `text` name.
fn contest(
    text: &str,
    algorithm: &str,
    operation: &str,
    size: Option<&str>,
) -> Result<Contest, ParseError> {
    let algorithm: Algorithm = algorithm.parse()?;
    let operation: Operation = operation.parse()?;
    if !algorithm.operations().contains(&operation) {
        return Err(ParseError::Mismatch { algorithm, operation });
    }
    let wrong = |problem| ParseError::Size { id: text.to_owned(), problem };
    let size = match (sizes(algorithm, operation), size) {
        (None, None) => None,
        (None, Some(_)) => return Err(wrong("this operation has no size")),
        (Some(_), None) => return Err(wrong("the size is missing")),
        // Digits alone: a sign or a leading zero would be a second spelling of the same case.
        (Some(_), Some(size)) => Some(
            size.parse()
                .ok()
                .filter(|value: &u64| *value > 0 && value.to_string() == size)
                .ok_or_else(|| wrong("the size is not a positive whole number"))?,
        ),
    };
    Ok(Contest { algorithm, operation, size })
}

impl FromStr for Contest {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let parts: Vec<&str> = text.split('/').collect();
        match *parts {
            [algorithm, operation] => contest(text, algorithm, operation, None),
            [algorithm, operation, size] => contest(text, algorithm, operation, Some(size)),
            _ => Err(ParseError::ContestShape(text.to_owned())),
        }
    }
}

impl FromStr for CaseId {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let parts: Vec<&str> = text.split('/').collect();
        let (algorithm, operation, backend, size) = match *parts {
            [algorithm, operation, backend] => (algorithm, operation, backend, None),
            [algorithm, operation, backend, size] => (algorithm, operation, backend, Some(size)),
            _ => return Err(ParseError::Shape(text.to_owned())),
        };
        let contest = contest(text, algorithm, operation, size)?;
        Ok(Self { contest, backend: backend.parse()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_as_they_are_written() {
        for id in [
            "aes-256-gcm/seal/ring/1024",
            "rsa/keygen/openssl/2048",
            "rsa-pss-sha256/sign/rustcrypto+soft/2048",
            "ecdh-p256/derive/aws-lc",
            "aes-128-gcm/key-setup/ring",
            "control/copy/harness/16",
        ] {
            assert_eq!(id.parse::<CaseId>().map(|case| case.to_string()).as_deref(), Ok(id));
        }
    }

    #[test]
    fn contests_read_back_as_they_are_written() {
        for id in ["aes-256-gcm/seal/1024", "rsa/keygen/2048", "ecdh-p256/derive"] {
            assert_eq!(id.parse::<Contest>().map(|it| it.to_string()).as_deref(), Ok(id));
        }
        for id in ["", "aes-256-gcm", "aes-256-gcm/seal", "aes-256-gcm/seal/ring/1024"] {
            assert!(id.parse::<Contest>().is_err(), "{id}");
        }
    }

    #[test]
    fn other_texts_are_refused_with_what_is_wrong() {
        for (id, problem) in [
            ("", "is not a case"),
            ("aes-256-gcm/seal", "is not a case"),
            ("a/b/c/d/e", "is not a case"),
            ("aes-257-gcm/seal/ring/16", "unknown algorithm `aes-257-gcm`"),
            ("aes-256-gcm/scribble/ring/16", "unknown operation `scribble`"),
            ("aes-256-gcm/encrypt/ring/16", "aes-256-gcm has no operation `encrypt`"),
            ("aes-256-gcm/seal/Ring/16", "cannot name a backend"),
            ("aes-256-gcm/seal/<script>/16", "cannot name a backend"),
            ("aes-256-gcm/seal//16", "cannot name a backend"),
            ("aes-256-gcm/seal/ring", "the size is missing"),
            ("ecdh-p256/derive/ring/256", "has no size"),
            ("aes-256-gcm/seal/ring/0", "not a positive whole number"),
            ("aes-256-gcm/seal/ring/+16", "not a positive whole number"),
            ("aes-256-gcm/seal/ring/016", "not a positive whole number"),
            ("aes-256-gcm/seal/ring/99999999999999999999", "not a positive whole number"),
        ] {
            let error = id.parse::<CaseId>().expect_err(id).to_string();
            assert!(error.contains(problem), "{id}: {error}");
        }
    }

    #[test]
    fn algorithms_and_operations_read_back() {
        for algorithm in Algorithm::all() {
            assert_eq!(algorithm.id().parse(), Ok(algorithm));
        }
        for operation in Operation::ALL {
            assert_eq!(operation.name().parse(), Ok(operation));
        }
    }
}
