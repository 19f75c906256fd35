//! AES-GCM-SIV against AES-GCM, of the backends that have both. Which backend is the fastest is in `ranking`.

use super::part;
use crate::{
    heat::Heats,
    ranking::Ratio,
    record::{Record, SideKey},
    summary::{CaseSummary, summarise},
};
use cryptobench_schema::{Aead, Algorithm, Contest, Operation, Scenario};

/// The message of the sentence, in bytes.
const BYTES: u64 = 8192;

/// Each without and with SIV.
const PAIRS: [(Aead, Aead); 2] =
    [(Aead::Aes128Gcm, Aead::Aes128GcmSiv), (Aead::Aes256Gcm, Aead::Aes256GcmSiv)];

/// What a record says of AES-GCM-SIV.
#[derive(Debug, Clone, PartialEq)]
pub struct GcmSiv {
    /// By length of the key, operation, size and backend.
    pub pairs: Vec<Pair>,
    /// What is left out: cases of a backend that lacks the other one, or has it from another heat.
    pub alone: Vec<(Contest, SideKey)>,
}

/// The two of one backend.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// AES-GCM.
    pub gcm: CaseSummary,
    /// AES-GCM-SIV.
    pub siv: CaseSummary,
    /// The time of AES-GCM-SIV over that of AES-GCM.
    pub ratio: Ratio,
}

impl Pair {
    /// What was measured of AES-GCM-SIV.
    #[must_use]
    pub const fn contest(&self) -> Contest {
        self.siv.contest
    }

    /// Program and backend.
    #[must_use]
    pub const fn key(&self) -> &SideKey {
        &self.siv.side
    }
}

impl GcmSiv {
    /// Those that seal 8 KiB under keys of 256 bits, or where nobody did the largest message that was sealed so; the
    /// least difference first.
    #[must_use]
    pub fn sealing(&self) -> Vec<&Pair> {
        let of_it = |it: &&Pair| {
            it.contest().algorithm == Algorithm::Aead(Aead::Aes256GcmSiv)
                && it.contest().operation == Operation::Seal
        };
        let sizes = self.pairs.iter().filter(of_it).filter_map(|it| it.contest().size);
        let wanted = sizes.max_by_key(|it| (*it == BYTES, *it));
        let mut pairs: Vec<&Pair> =
            self.pairs.iter().filter(of_it).filter(|it| it.contest().size == wanted).collect();
        pairs.sort_by(|one, other| one.ratio.log_ratio.total_cmp(&other.ratio.log_ratio));
        pairs
    }
}

/// What `record` says of AES-GCM-SIV; `None` where it has nothing that was measured together with it.
#[must_use]
pub fn answer(record: &Record) -> Option<GcmSiv> {
    let part = part(record, Scenario::GcmSiv);
    let asked = record.header.settings.scenarios.contains(&Scenario::GcmSiv);
    let heats = Heats::new(&part);
    let all = summarise(&part);
    let find = |contest: Contest, key: &SideKey| {
        all.iter().find(|it| it.contest == contest && it.side == *key)
    };
    let (mut pairs, mut alone) = (Vec::new(), Vec::new());
    for case in &all {
        let Some((gcm, siv)) = both(case.contest) else { continue };
        let pair = find(gcm, &case.side).zip(find(siv, &case.side)).and_then(|(one, other)| {
            let ratio = heats.ratio((siv, &case.side), (gcm, &case.side))?;
            Some(Pair { gcm: one.clone(), siv: other.clone(), ratio })
        });
        match pair {
            // Once, of its two cases.
            Some(pair) if case.contest == siv => pairs.push(pair),
            Some(_) => {}
            None => alone.push((case.contest, case.side.clone())),
        }
    }
    if pairs.is_empty() && (!asked || all.is_empty()) {
        return None;
    }
    let place = |it: &Pair| (it.contest(), it.key().clone());
    pairs.sort_by_key(place);
    Some(GcmSiv { pairs, alone })
}

/// AES-GCM and AES-GCM-SIV of what `contest` is one of.
fn both(contest: Contest) -> Option<(Contest, Contest)> {
    let Algorithm::Aead(aead) = contest.algorithm else { return None };
    let (gcm, siv) = PAIRS.into_iter().find(|it| it.0 == aead || it.1 == aead)?;
    let of = |aead: Aead| Contest { algorithm: aead.into(), ..contest };
    Some((of(gcm), of(siv)))
}
