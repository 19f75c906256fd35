//! A part of a record: some of its sides, as if only they had taken part. Which, the caller decides.

use super::{Measured, Record, SideKey, pair};
use cryptobench_schema::CaseId;
use std::collections::HashSet;

impl Record {
    /// Keeps the cases that `keep` wants of each program, by its index: measured, failed and unsupported ones.
    /// What was measured of them stays as it was, the log ratios of their pairs included.
    pub fn retain(&mut self, mut keep: impl FnMut(usize, &CaseId) -> bool) {
        self.cases.retain(|it| keep(it.program, &it.id));
        self.failed.retain(|it| keep(it.program, &it.id));
        self.unsupported.retain(|it| keep(it.program, &it.id));
        for measured in &mut self.measured {
            let contest = measured.contest;
            measured.retain(|side| keep(side.program, &contest.case(side.backend.clone())));
        }
        self.measured.retain(|it| !it.sides.is_empty());
    }

    /// Leaves out what was measured of cases that failed later: what does not compute what it should has no
    /// time. That they failed stays.
    pub fn leave_out_failed(&mut self) {
        let failed: HashSet<(usize, CaseId)> =
            self.failed.iter().map(|it| (it.program, it.id.clone())).collect();
        if failed.is_empty() {
            return;
        }
        for measured in &mut self.measured {
            let contest = measured.contest;
            measured.retain(|side| {
                !failed.contains(&(side.program, contest.case(side.backend.clone())))
            });
        }
        self.measured.retain(|it| !it.sides.is_empty());
    }
}

impl Measured {
    /// Keeps the sides that `keep` wants, with what belongs to them.
    fn retain(&mut self, mut keep: impl FnMut(&SideKey) -> bool) {
        let kept: Vec<usize> = (0..self.sides.len())
            .filter(|&index| {
                let side = &self.sides[index];
                keep(&SideKey { program: side.program, backend: side.backend.clone() })
            })
            .collect();
        if kept.len() == self.sides.len() {
            return;
        }
        let mut log_ratios = Vec::new();
        for (place, &first) in kept.iter().enumerate() {
            for &second in &kept[place + 1..] {
                // There are none where slices were not taken in turn.
                let value = self.log_ratios.get(pair(first, second, self.sides.len()));
                log_ratios.extend(value.copied());
            }
        }
        self.log_ratios = log_ratios;
        let slices = &mut self.slices;
        self.slices =
            kept.iter().filter_map(|&it| Some(std::mem::take(slices.get_mut(it)?))).collect();
        self.sides = kept.iter().map(|&it| self.sides[it].clone()).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Side;
    use cryptobench_schema::BackendId;

    #[test]
    fn what_is_kept_keeps_its_ratios_and_slices() {
        let names = ["a", "b", "c", "d"];
        let side = |name: &'static str| Side {
            program: 0,
            backend: BackendId::fixed(name),
            time_ns: 1.0,
            iterations: vec![1],
            interference: None,
        };
        let mut measured = Measured {
            contest: "x25519/derive".parse().expect("a contest"),
            round: 0,
            heat: None,
            sides: names.map(side).to_vec(),
            // ab, ac, ad, bc, bd, cd
            log_ratios: vec![0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
            slices: vec![vec![1], vec![2], vec![3], vec![4]],
        };
        measured.retain(|key| key.backend.as_str() != "b");
        assert_eq!(measured.log_ratios, [0.2, 0.3, 0.6]);
        assert_eq!(measured.slices, [vec![1], vec![3], vec![4]]);
        measured.slices.clear();
        measured.log_ratios.clear();
        measured.retain(|key| key.backend.as_str() == "d");
        assert_eq!(measured.sides, [side("d")]);
        assert!(measured.log_ratios.is_empty() && measured.slices.is_empty());
    }
}
