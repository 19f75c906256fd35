//! Much data in small pieces: each backend against the slowest, and modes that can work in parallel beside one that
//! cannot. What was said of it before is in `then`.

use super::{Extremes, part};
use crate::{
    heat::Heats,
    ranking::{Entrants, Options, RankedContest, Ratio, rank},
    record::{Record, SideKey},
};
use cryptobench_schema::{Aead, Algorithm, BlockMode, Contest, Operation, Scenario};
use std::collections::BTreeSet;

/// The piece of the sentence, in bytes.
const PIECE: u64 = 1024;

/// The mode that encrypts one block after another, and so cannot encrypt in parallel. It can decrypt so.
const CHAINED: Algorithm = Algorithm::BlockMode(BlockMode::Aes256Cbc);

/// What is held against the encryption of the chained mode.
const PARALLEL: [(Algorithm, Operation); 3] = [
    (CHAINED, Operation::DecryptPieces),
    (Algorithm::BlockMode(BlockMode::Aes256Ctr), Operation::EncryptPieces),
    (Algorithm::Aead(Aead::Aes256Gcm), Operation::EncryptPieces),
];

/// What a record says of bulk data.
#[derive(Debug, Clone, PartialEq)]
pub struct Bulk {
    /// By algorithm, operation and piece.
    pub contests: Vec<Streamed>,
    /// By piece and backend.
    pub beside: Vec<Beside>,
}

/// One algorithm and direction, with pieces of one size.
#[derive(Debug, Clone, PartialEq)]
pub struct Streamed {
    /// What was measured; its size is the piece's, in bytes.
    pub contest: Contest,
    /// The fastest first.
    pub sides: Vec<Stream>,
}

/// One backend.
#[derive(Debug, Clone, PartialEq)]
pub struct Stream {
    /// Program and backend.
    pub key: SideKey,
    /// Nanoseconds of a whole message: the median over rounds.
    pub time_ns: f64,
    /// The slowest's time over this one's: how many times as fast it is. `None` for the slowest itself.
    pub over_slowest: Option<Ratio>,
}

/// What a backend gains where blocks do not wait for one another.
#[derive(Debug, Clone, PartialEq)]
pub struct Beside {
    /// Program and backend.
    pub key: SideKey,
    /// Bytes of a piece.
    pub piece: u64,
    /// The time of CBC encryption over that of: CBC decryption, CTR encryption, GCM encryption. `None` where the backend
    /// lacks one of the two, or they were not measured together.
    pub gains: [Option<Ratio>; 3],
}

impl Bulk {
    /// The fastest and the slowest to encrypt AES-256-CBC in pieces of 1 KiB; `None` where there are not two.
    #[must_use]
    pub fn extremes(&self) -> Option<Extremes> {
        let wanted = encryption(PIECE);
        let sides = &self.contests.iter().find(|it| it.contest == wanted)?.sides;
        let [fastest, .., slowest] = sides.as_slice() else { return None };
        Some(Extremes {
            contest: wanted,
            fastest: fastest.key.clone(),
            slowest: slowest.key.clone(),
            ratio: fastest.over_slowest?,
        })
    }
}

/// What `record` says of bulk data; `None` where it measured nothing of it.
#[must_use]
pub fn answer(record: &Record) -> Option<Bulk> {
    let part = part(record, Scenario::Bulk);
    let options = Options { entrants: Entrants::AllPrograms, ..Options::default() };
    let contests: Vec<Streamed> = rank(&part, &options).contests.iter().map(streamed).collect();
    if contests.is_empty() {
        return None;
    }
    let heats = Heats::new(&part);
    let mut beside = Vec::new();
    let sizes: BTreeSet<u64> = contests.iter().filter_map(|it| it.contest.size).collect();
    for size in sizes {
        for key in heats.sides(encryption(size)) {
            let gain = |(algorithm, operation)| {
                let other = Contest { algorithm, operation, size: Some(size) };
                heats.ratio((encryption(size), &key), (other, &key))
            };
            let gains = PARALLEL.map(gain);
            if gains.iter().any(Option::is_some) {
                beside.push(Beside { key, piece: size, gains });
            }
        }
    }
    Some(Bulk { contests, beside })
}

/// What cannot be done in parallel.
const fn encryption(piece: u64) -> Contest {
    Contest { algorithm: CHAINED, operation: Operation::EncryptPieces, size: Some(piece) }
}

fn streamed(ranked: &RankedContest) -> Streamed {
    let slowest = ranked.sides.last().map(|it| &it.key);
    let sides = ranked.sides.iter().map(|side| Stream {
        key: side.key.clone(),
        time_ns: side.time_ns,
        over_slowest: slowest
            .filter(|it| **it != side.key)
            .and_then(|slowest| ranked.ratio(slowest, &side.key)),
    });
    Streamed { contest: ranked.contest, sides: sides.collect() }
}
