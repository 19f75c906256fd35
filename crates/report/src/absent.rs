//! Cases that have no numbers, and why: those that share a reason told together. Which cases, their record
//! knows.

use crate::text::visible;
use cryptobench_schema::{CaseId, Contest};
use std::collections::{BTreeMap, BTreeSet};

/// Groups of algorithm and operation that are named one by one; more are counted.
const MOST_GROUPS: usize = 4;

/// Cases of one side that share what is to be said of them.
#[derive(Debug, Default)]
pub struct Absent(BTreeMap<(String, String), BTreeSet<Contest>>);

impl Absent {
    /// Adds a case, its side called `label`.
    pub fn add(&mut self, label: String, reason: &str, id: &CaseId) {
        self.0.entry((label, reason.to_owned())).or_default().insert(id.contest);
    }

    /// A line for each side and reason.
    pub fn lines(&self) -> Vec<String> {
        let line = |((label, reason), contests): (&(String, String), &BTreeSet<Contest>)| {
            format!("{}: {}: {}", visible(label), which(contests), visible(reason))
        };
        self.0.iter().map(line).collect()
    }
}

/// The contests in few words.
fn which(contests: &BTreeSet<Contest>) -> String {
    let mut groups: BTreeMap<(_, _), Vec<u64>> = BTreeMap::new();
    for contest in contests {
        groups.entry((contest.algorithm, contest.operation)).or_default().extend(contest.size);
    }
    if groups.len() > MOST_GROUPS {
        return format!("{} cases of {} operations", contests.len(), groups.len());
    }
    let named: Vec<String> = groups
        .into_iter()
        .map(|((algorithm, operation), sizes)| match sizes[..] {
            [] => format!("{algorithm}/{operation}"),
            [one] => format!("{algorithm}/{operation} {one}"),
            [first, .., last] => {
                format!("{algorithm}/{operation} {first} to {last} ({} cases)", sizes.len())
            }
        })
        .collect();
    named.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_shares_a_reason_is_one_line() {
        let mut absent = Absent::default();
        let mut add = |id: &str, reason: &str| {
            let id: CaseId = id.parse().expect("a case");
            absent.add(id.backend.to_string(), reason, &id);
        };
        for size in [16, 1024, 8192] {
            add(&format!("aes-256-gcm-siv/seal/ring/{size}"), "ring has no AES-GCM-SIV");
        }
        add("aes-256-gcm-siv/key-setup/ring", "ring has no AES-GCM-SIV");
        add("x25519/derive/dalek", "wrong\n\u{1b}[2J");
        for algorithm in ["aes-128-ecb", "aes-256-ecb", "aes-128-cbc", "aes-256-cbc", "aes-128-ctr"]
        {
            add(&format!("{algorithm}/encrypt/ring/16"), "ring exposes no block modes");
        }
        assert_eq!(
            absent.lines(),
            [
                "dalek: x25519/derive: wrong\\n\\u001b[2J",
                "ring: 5 cases of 5 operations: ring exposes no block modes",
                "ring: aes-256-gcm-siv/seal 16 to 8192 (3 cases), aes-256-gcm-siv/key-setup: ring has no \
                 AES-GCM-SIV",
            ]
        );
    }
}
