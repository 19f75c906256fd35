//! What an adapter implements: one trait per operation, not per library. Each file has the trait, what
//! the harness keeps of an implementation after its type is erased, the timed regions, and the proof.

pub mod aead;
pub mod block_mode;
pub mod control;
pub mod document;
pub mod ecdh;
pub mod pieces;
pub mod rsa;

use crate::{Failure, stored::Digest};

/// What a key is made ready for. Libraries whose keys do both ignore it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Encrypting or sealing.
    Encrypt,
    /// Decrypting or opening.
    Decrypt,
}

/// The proof of one implementation: nothing, or why it must not be timed.
pub(crate) type Proof = Result<(), Failure>;

/// The proof of one implementation as a whole: the digest of what it computed for the fixed inputs, where that
/// is not random.
pub(crate) type Proved = Result<Option<Digest>, Failure>;

/// The proofs of implementations whose outputs are random.
pub(crate) fn without_digest(proofs: Vec<Proof>) -> Vec<Proved> {
    proofs.into_iter().map(|proof| proof.map(|()| None)).collect()
}

/// Whether `agreeing` of `all` witnesses are more than half, so that the others are the ones that are wrong.
/// Where there is no witness, nothing speaks against.
pub(crate) const fn most(agreeing: usize, all: usize) -> bool {
    all == 0 || agreeing * 2 > all
}

/// The output of each implementation held against the others' and against the `stored` digest of the right
/// one, which votes like an implementation: those that differ from the majority are wrong; without a
/// majority all of them are, since nobody can say which.
pub(crate) fn unanimous(
    what: &str,
    outputs: &[Result<Vec<u8>, Failure>],
    stored: Option<Digest>,
) -> Vec<Proved> {
    let votes = |output: &Vec<u8>| {
        outputs.iter().filter(|other| other.as_ref() == Ok(output)).count()
            + usize::from(stored == Some(Digest::of(output)))
    };
    let voters = outputs.iter().flatten().count() + usize::from(stored.is_some());
    let winner = outputs.iter().flatten().find(|output| most(votes(output), voters));
    outputs
        .iter()
        .map(|output| {
            let output = output.as_ref().map_err(Clone::clone)?;
            match winner {
                Some(winner) if winner == output => Ok(Some(Digest::of(output))),
                Some(winner) => Err(Failure::wrong(format!(
                    "{what}: differs from the {} others that agree, {}",
                    votes(winner),
                    first_difference(winner, output)
                ))),
                None if outputs.len() == 1 => Err(Failure::wrong(format!(
                    "{what}: differs from what is stored, and no other implementation is at hand"
                ))),
                None => Err(Failure::wrong(format!(
                    "{what}: the implementations disagree, and no majority says which is right"
                ))),
            }
        })
        .collect()
}

fn first_difference(expected: &[u8], found: &[u8]) -> String {
    if expected.len() != found.len() {
        return format!("{} bytes instead of {}", found.len(), expected.len());
    }
    let differing = expected.iter().zip(found).filter(|(a, b)| a != b).count();
    let at = expected.iter().zip(found).position(|(a, b)| a != b).unwrap_or(0);
    format!("in {differing} of {} bytes, first at {at}", expected.len())
}

/// Two results of one implementation that must be the same.
pub(crate) fn same<T: PartialEq + ?Sized>(what: &str, one: &T, other: &T) -> Proof {
    if one == other {
        Ok(())
    } else {
        Err(Failure::wrong(format!("{what} is not what it should be")))
    }
}

/// An implementation's answer to a forgery: only a refusal will do.
pub(crate) fn refused<T>(what: &str, answer: Result<T, Failure>) -> Proof {
    match answer {
        Err(Failure::Refused) => Ok(()),
        Err(other) => Err(other),
        Ok(_) => Err(Failure::wrong(format!("{what} was accepted"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_is_no_majority() {
        for (agreeing, all, enough) in
            [(0, 0, true), (1, 1, true), (0, 1, false), (1, 2, false), (2, 3, true), (2, 4, false)]
        {
            assert_eq!(most(agreeing, all), enough, "{agreeing} of {all}");
        }
    }

    #[test]
    fn the_minority_is_wrong_and_without_a_majority_everyone() {
        let right = |outputs: &[&str]| -> Vec<bool> {
            let outputs: Vec<_> = outputs.iter().map(|it| Ok(it.as_bytes().to_vec())).collect();
            unanimous("outputs", &outputs, None).iter().map(Result::is_ok).collect()
        };
        assert_eq!(right(&["a"]), [true]);
        assert_eq!(right(&["a", "a"]), [true, true]);
        assert_eq!(right(&["a", "b"]), [false, false]);
        assert_eq!(right(&["b", "a", "a"]), [false, true, true]);
        assert_eq!(right(&["a", "b", "a", "b"]), [false; 4]);
        assert_eq!(right(&["a", "b", "c"]), [false; 3]);
        // Two of five are no majority, though the largest group.
        assert_eq!(right(&["a", "b", "b", "c", "d"]), [false; 5]);
    }

    #[test]
    fn the_stored_digest_votes() {
        let stored = Some(Digest::of(b"a"));
        let right = |outputs: &[&str]| -> Vec<bool> {
            let outputs: Vec<_> = outputs.iter().map(|it| Ok(it.as_bytes().to_vec())).collect();
            unanimous("outputs", &outputs, stored).iter().map(Result::is_ok).collect()
        };
        assert_eq!(right(&["a"]), [true]);
        assert_eq!(right(&["b"]), [false]);
        assert_eq!(right(&["a", "b"]), [true, false]);
        assert_eq!(right(&["b", "b"]), [true, true]);
        assert_eq!(right(&["a", "b", "b"]), [false, false, false]);
    }

    #[test]
    fn who_failed_alone_does_not_vote() {
        let outputs =
            [Err(Failure::Refused), Ok(vec![1]), Err(Failure::Refused), Err(Failure::Refused)];
        let proofs = unanimous("outputs", &outputs, None);
        assert_eq!(proofs[0], Err(Failure::Refused));
        assert_eq!(proofs[1], Ok(Some(Digest::of(&[1]))));
    }
}
