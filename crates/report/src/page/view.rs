//! One record as the page shows it: ranked, its sides named, its contests by algorithm and operation.

use super::Input;
use crate::{
    cast::{Cast, Labels, Member},
    facts,
    text::visible,
    units,
};
use cryptobench_results::{
    ranking::{Entrants, Lead, Options, RankedContest, RankedSide, Ranking, rank},
    record::{Engine, Header, Record, SideKey},
};
use cryptobench_schema::{Algorithm, BackendId, CaseId, Contest, Family, Operation, Unit, sizes};
use std::{borrow::Cow, collections::BTreeMap};

/// A record as shown.
pub(crate) struct View<'a> {
    pub(crate) name: &'a str,
    pub(crate) header: &'a Header,
    /// Without failed cases; of a comparison the last program alone.
    pub(crate) record: Cow<'a, Record>,
    pub(crate) ranking: Ranking,
    labels: Labels,
    /// Why cases are not there, by contest and label.
    absent: BTreeMap<(Contest, String), String>,
    /// What is to be known of cases, by program.
    notes: BTreeMap<(CaseId, usize), String>,
}

/// The contests of one algorithm and operation.
#[derive(Clone, Copy)]
pub(crate) struct Group<'a> {
    pub(crate) algorithm: Algorithm,
    pub(crate) operation: Operation,
    /// In rising size.
    pub(crate) contests: &'a [RankedContest],
}

impl Group<'_> {
    /// `aes-256-gcm/seal`.
    pub(crate) fn name(&self) -> String {
        format!("{}/{}", self.algorithm, self.operation)
    }

    /// What its sizes count.
    pub(crate) fn unit(&self) -> Option<Unit> {
        sizes(self.algorithm, self.operation).map(|it| it.unit)
    }

    /// The contests with the smallest, the middle (in the logarithm) and the largest size, as far as these differ.
    pub(crate) fn three(&self) -> Vec<&RankedContest> {
        let size = |it: &RankedContest| it.contest.size.unwrap_or(1).max(1) as f64;
        let [first, .., last] = self.contests else { return self.contests.iter().collect() };
        let middle = (size(first) * size(last)).sqrt();
        let between = &self.contests[1..self.contests.len() - 1];
        let distance = |it: &RankedContest| (size(it) / middle).ln().abs();
        let mut three = vec![first];
        three.extend(between.iter().min_by(|one, other| distance(one).total_cmp(&distance(other))));
        three.push(last);
        three
    }

    /// The contest to show where there is room for one.
    pub(crate) fn middle(&self) -> Option<&RankedContest> {
        match self.three()[..] {
            [one] | [_, one] | [_, one, _] => Some(one),
            _ => None,
        }
    }
}

impl<'a> View<'a> {
    /// `input` with ratios to `reference`, or without to the fastest of each contest.
    pub(crate) fn new(input: &'a Input, reference: Option<&BackendId>) -> Self {
        let header = &input.record.header;
        let mut record = Cow::Borrowed(&input.record);
        if !record.failed.is_empty() {
            record.to_mut().leave_out_failed();
        }
        // Programs of a run take part side by side; those of a comparison are old and new.
        let all = header.settings.screening == 0;
        if !all {
            let last = header.programs.len().saturating_sub(1);
            record.to_mut().retain(|program, _| program == last);
        }
        let options = Options {
            entrants: Entrants::AllPrograms,
            reference: reference.cloned(),
            ..Options::default()
        };
        let ranking = rank(&record, &options);
        let labels = Labels::new(&record, all);
        let mut absent = BTreeMap::new();
        for it in &record.unsupported {
            let key = SideKey { program: it.program, backend: it.id.backend.clone() };
            absent.insert((it.id.contest, labels.of(&key)), it.reason.clone());
        }
        for it in &record.failed {
            let key = SideKey { program: it.program, backend: it.id.backend.clone() };
            absent.insert((it.id.contest, labels.of(&key)), format!("failed: {}", it.reason));
        }
        let notes = record
            .cases
            .iter()
            .filter_map(|it| Some(((it.id.clone(), it.program), it.note.clone()?)))
            .collect();
        Self { name: &input.name, header, record, ranking, labels, absent, notes }
    }

    /// What the sides of this record are called, also of those that have no times.
    pub(crate) fn labels(&self) -> impl Iterator<Item = String> {
        let timed =
            self.ranking.contests.iter().flat_map(|it| &it.sides).map(|it| self.label(&it.key));
        timed.chain(self.absent.keys().map(|it| it.1.clone()))
    }

    pub(crate) fn label(&self, side: &SideKey) -> String {
        self.labels.of(side)
    }

    /// Who `side` is on the page.
    pub(crate) fn member<'c>(&self, cast: &'c Cast, side: &SideKey) -> &'c Member {
        cast.find(&self.label(side)).expect("a cast of all labels")
    }

    /// The side of `member` in `contest`.
    pub(crate) fn side<'c>(
        &self,
        contest: &'c RankedContest,
        member: &Member,
    ) -> Option<&'c RankedSide> {
        contest.sides.iter().find(|side| self.label(&side.key) == member.label)
    }

    /// How many times as fast as the next those are who lead, and who that is; nothing where there is no next. The
    /// page's script has these words too, for when backends are left out.
    pub(crate) fn ahead(&self, lead: &Lead) -> Option<String> {
        let (next, ratio) = lead.next.as_ref()?;
        let interval =
            ratio.interval.map_or_else(String::new, |it| format!(" {}", units::times_interval(it)));
        Some(format!(
            "{}×{interval} over {}{}",
            units::times_as_fast(ratio.log_ratio),
            self.label(next),
            if lead.certain { "" } else { ", not certain" }
        ))
    }

    /// Why `label` has no time in `contest`, where the record says so.
    pub(crate) fn absent(&self, contest: Contest, label: &str) -> Option<&str> {
        self.absent.get(&(contest, label.to_owned())).map(String::as_str)
    }

    /// What a reader of the numbers of `case` should know.
    pub(crate) fn note(&self, case: &CaseId, program: usize) -> Option<&str> {
        self.notes.get(&(case.clone(), program)).map(String::as_str)
    }

    /// Every algorithm and operation, in the order of tables.
    pub(crate) fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        let group = |it: &RankedContest| (it.contest.algorithm, it.contest.operation);
        self.ranking.contests.chunk_by(move |one, other| group(one) == group(other)).map(
            move |contests| {
                let (algorithm, operation) = group(&contests[0]);
                Group { algorithm, operation, contests }
            },
        )
    }

    /// The same, of one family.
    pub(crate) fn groups_of(&self, family: Family) -> Vec<Group<'_>> {
        self.groups().filter(|it| it.contests[0].contest.family() == family).collect()
    }

    /// Who has a time in `groups`, in the order of the legend.
    pub(crate) fn members_of<'c>(&self, cast: &'c Cast, groups: &[Group<'_>]) -> Vec<&'c Member> {
        let takes_part = |member: &&Member| {
            groups
                .iter()
                .flat_map(|it| it.contests)
                .any(|contest| self.side(contest, member).is_some())
        };
        cast.members().iter().filter(takes_part).collect()
    }

    /// The heading of a page about it.
    pub(crate) fn title(&self) -> String {
        let machine =
            self.header.programs.last().and_then(|it| facts::machine_name(&it.environment.host));
        format!(
            "Cryptobench: {}",
            machine.map_or_else(|| "an unknown machine".to_owned(), |it| visible(&it).into_owned())
        )
    }

    /// What a reader has to know first.
    pub(crate) fn lede(&self) -> String {
        let cases: usize = self.ranking.contests.iter().map(|it| it.sides.len()).sum();
        let rounds = match self.header.engine {
            Engine::LockStep => units::count(self.header.settings.rounds as usize, "round"),
            Engine::Criterion => "one pass of Criterion".to_owned(),
        };
        let system = self.header.programs.last().and_then(|it| it.environment.host.system.clone());
        format!(
            "Record {}: {} in {}, {rounds}, {}{}",
            visible(self.name),
            units::count(cases, "case"),
            units::count(self.ranking.contests.len(), "contest"),
            visible(self.header.started.get(..10).unwrap_or(&self.header.started)),
            system.map_or_else(String::new, |it| format!(", {}", visible(&it))),
        )
    }
}
