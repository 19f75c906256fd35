//! A document as a whole, or only its fields: what each takes, and at how many fields the one costs as much as the other.
//! How many fields a document has, the caller knows.

use super::Estimated;
use crate::{
    heat::Heats,
    ranking::Ratio,
    record::{Record, SideKey},
    statistics::median,
};
use cryptobench_schema::{Aead, Algorithm, Contest, Operation};
use std::collections::BTreeSet;

/// Bytes of a KiB.
const KIB: f64 = 1024.0;

/// What a record says of documents.
#[derive(Debug, Clone, PartialEq)]
pub struct Documents {
    /// In memory first, then from file to file; each by size.
    pub documents: Vec<Document>,
}

/// One document, in memory or in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// Its size.
    pub bytes: u64,
    /// Whether it was read from one file and written to another.
    pub in_files: bool,
    /// How many fields it has, where the caller knows.
    pub fields: Option<u64>,
    /// Who encrypted it; by algorithm and name.
    pub sides: Vec<Encrypted>,
    /// The same work with a cipher that does nothing, as [`Encrypted`] without fresh keys.
    pub floors: Vec<Encrypted>,
}

/// One algorithm of one backend. Times are nanoseconds, medians over rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Encrypted {
    /// Program and backend.
    pub key: SideKey,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The whole of it.
    pub whole_ns: Option<f64>,
    /// Its fields, under one key.
    pub fields_ns: Option<f64>,
    /// Its fields, the key made ready anew for each.
    pub fresh_ns: Option<f64>,
    /// The time of the fields over that of the whole.
    pub fields_over_whole: Option<Ratio>,
    /// The time of the fields with fresh keys over that without.
    pub fresh_over_fields: Option<Ratio>,
    /// The time of the fields with fresh keys over that of the whole.
    pub fresh_over_whole: Option<Ratio>,
    /// Where the fields cost as much as the whole.
    pub turn: Option<Turn>,
    /// The same with a fresh key for each field.
    pub fresh_turn: Option<Turn>,
}

/// What a field costs, and at how many of them that is what the whole costs.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// Nanoseconds of a field's cryptography: the time of the fields less that of a cipher that does nothing, over
    /// their number.
    pub field_ns: Estimated,
    /// Where the cryptography alone is counted, as for one who has the document parsed and writes it anyway: the time of
    /// the whole less that of a cipher that does nothing, over that of a field. `None` where that is no positive number.
    pub density: Option<Density>,
    /// Where parsing and writing XML is counted with the fields.
    pub density_with_xml: Option<Density>,
}

/// At how many fields.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Density {
    /// At so many in each KiB of document.
    At(Estimated),
    /// At none: the fields take longer however few they are.
    Never {
        /// Whether the rounds' interval says so too.
        certain: bool,
    },
}

impl Documents {
    /// The fastest to encrypt the whole of the first document with AES-256-GCM, and that document. `None` where nobody
    /// encrypted both it and its fields.
    #[must_use]
    pub fn fastest(&self) -> Option<(&Document, &Encrypted)> {
        let first = self.documents.first()?;
        let whole = |it: &&Encrypted| it.whole_ns.unwrap_or(f64::INFINITY);
        let side = first
            .sides
            .iter()
            .filter(|it| it.algorithm == Algorithm::Aead(Aead::Aes256Gcm))
            .filter(|it| it.fields_over_whole.is_some())
            .min_by(|one, other| whole(one).total_cmp(&whole(other)))?;
        Some((first, side))
    }
}

/// What `record` says of documents, of which `fields` says how many fields one of so many bytes has. `None` where it
/// measured none.
#[must_use]
pub fn answer(record: &Record, fields: impl Fn(u64) -> Option<u64>) -> Option<Documents> {
    let heats = Heats::new(record);
    let contests: Vec<Contest> =
        heats.contests().filter(|it| it.operation.is_of_document()).collect();
    let kinds: BTreeSet<(bool, u64)> = contests
        .iter()
        .filter_map(|it| Some((it.operation.is_from_file_to_file(), it.size?)))
        .collect();
    let documents: Vec<Document> = kinds
        .into_iter()
        .map(|(in_files, bytes)| {
            let of_it: BTreeSet<(Algorithm, SideKey)> = contests
                .iter()
                .filter(|it| it.size == Some(bytes))
                .filter(|it| it.operation.is_from_file_to_file() == in_files)
                .flat_map(|it| heats.sides(*it).into_iter().map(|key| (it.algorithm, key)))
                .collect();
            let kind = Kind { heats: &heats, bytes, in_files, fields: fields(bytes) };
            let (floors, sides) =
                of_it.iter().partition::<Vec<_>, _>(|it| it.0 == Algorithm::Control);
            let floors: Vec<Encrypted> =
                floors.into_iter().map(|it| kind.encrypted(it, None)).collect();
            let sides = sides
                .into_iter()
                .map(|it| {
                    // Of the same program, where there is one.
                    let same = floors.iter().find(|floor| floor.key.program == it.1.program);
                    kind.encrypted(it, same.or(floors.first()).map(|it| &it.key))
                })
                .collect();
            Document { bytes, in_files, fields: kind.fields, sides, floors }
        })
        .collect();
    (!documents.is_empty()).then_some(Documents { documents })
}

/// One document while it is answered for.
struct Kind<'a> {
    heats: &'a Heats<'a>,
    bytes: u64,
    in_files: bool,
    fields: Option<u64>,
}

impl Kind<'_> {
    fn contest(&self, algorithm: Algorithm, work: Work) -> Contest {
        let operation = match (work, self.in_files) {
            (Work::Whole, false) => Operation::Whole,
            (Work::Whole, true) => Operation::WholeFile,
            (Work::Fields, false) => Operation::Fields,
            (Work::Fields, true) => Operation::FieldsFile,
            (Work::Fresh, false) => Operation::FieldsFreshKey,
            (Work::Fresh, true) => Operation::FieldsFreshKeyFile,
        };
        Contest { algorithm, operation, size: Some(self.bytes) }
    }

    fn encrypted(
        &self,
        (algorithm, key): &(Algorithm, SideKey),
        floor: Option<&SideKey>,
    ) -> Encrypted {
        let contest = |work| self.contest(*algorithm, work);
        let time = |work| median(&self.heats.times(contest(work), key));
        let ratio = |of, over| self.heats.ratio((contest(of), key), (contest(over), key));
        let turn = |work| self.turn(work, *algorithm, key, floor?);
        Encrypted {
            key: key.clone(),
            algorithm: *algorithm,
            whole_ns: time(Work::Whole),
            fields_ns: time(Work::Fields),
            fresh_ns: time(Work::Fresh),
            fields_over_whole: ratio(Work::Fields, Work::Whole),
            fresh_over_fields: ratio(Work::Fresh, Work::Fields),
            fresh_over_whole: ratio(Work::Fresh, Work::Whole),
            turn: turn(Work::Fields),
            fresh_turn: turn(Work::Fresh),
        }
    }

    /// From the medians of each round, all of one heat.
    fn turn(
        &self,
        work: Work,
        algorithm: Algorithm,
        key: &SideKey,
        floor: &SideKey,
    ) -> Option<Turn> {
        let number = self.fields.filter(|it| *it > 0)? as f64;
        let kib = self.bytes as f64 / KIB;
        let rounds = self.heats.together([
            (self.contest(algorithm, Work::Whole), key),
            (self.contest(algorithm, work), key),
            (self.contest(Algorithm::Control, Work::Whole), floor),
            (self.contest(Algorithm::Control, Work::Fields), floor),
        ]);
        let cost = |[_, fields, _, floor]: &[f64; 4]| (fields - floor) / number;
        let costs: Vec<f64> = rounds.iter().map(cost).collect();
        let densities = |left: fn(&[f64; 4]) -> f64| -> Option<Estimated> {
            // Fields that cost nothing turn nowhere.
            if costs.iter().any(|it| *it <= 0.0) {
                return None;
            }
            let each: Vec<f64> =
                rounds.iter().zip(&costs).map(|(round, cost)| left(round) / kib / cost).collect();
            Estimated::of_rounds(&each)
        };
        let alone = densities(|[whole, _, floor, _]| whole - floor);
        let with_xml = densities(|[whole, _, _, floor]| whole - floor);
        Some(Turn {
            field_ns: Estimated::of_rounds(&costs)?,
            density: alone.filter(|it| it.value > 0.0).map(Density::At),
            density_with_xml: with_xml.map(|it| {
                if it.value > 0.0 {
                    Density::At(it)
                } else {
                    let certain = it.interval.is_some_and(|interval| interval.high <= 0.0);
                    Density::Never { certain }
                }
            }),
        })
    }
}

/// What is encrypted.
#[derive(Clone, Copy)]
enum Work {
    Whole,
    Fields,
    Fresh,
}
