//! A catalogue of books, as large as is asked for and the same for ever. What is done with it is not known here.

use std::{
    fmt::Write as _,
    io::{self, ErrorKind, Write},
};

/// The size in bytes of the smallest catalogue, which has one book.
pub const LEAST: u64 = 391;

const BEGIN: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<catalog>\n";
const END: &str = "</catalog>\n";

/// Bytes that are written at once.
const CHUNK: usize = 64 << 10;

/// White space that makes up the size is in lines of this many bytes.
const BLANK_LINE: usize = 100;

/// Writes a catalogue of books in XML that has exactly `size` bytes, and returns how many books, and so authors, it has.
///
/// The bytes depend on `size` alone, on every machine and for ever. A larger catalogue begins with all the books of a
/// smaller one, and white space after the last book makes up the size. A book has some 380 bytes and one `author` of
/// 8 to 30 characters. It is written in large pieces, so `out` need not be buffered; it is not flushed.
///
/// # Errors
///
/// If `size` is less than [`LEAST`], with the kind `InvalidInput` and before anything is written, or if `out` fails.
pub fn write_catalogue(size: u64, out: &mut impl Write) -> io::Result<u64> {
    if size < LEAST {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            format!("a catalogue cannot have {size} bytes; the smallest one has {LEAST}"),
        ));
    }
    let mut left = size - (BEGIN.len() + END.len()) as u64;
    let mut text = String::with_capacity(CHUNK + 1024);
    text.push_str(BEGIN);
    let mut random = SplitMix64(SEED);
    let mut books = 0;
    for number in 1_u64.. {
        let start = text.len();
        push_book(number, &mut random, &mut text);
        match left.checked_sub((text.len() - start) as u64) {
            Some(rest) => {
                left = rest;
                books = number;
            }
            None => {
                text.truncate(start);
                break;
            }
        }
        if text.len() >= CHUNK {
            out.write_all(text.as_bytes())?;
            text.clear();
        }
    }
    // Less than a book.
    for number in 1..=left {
        let is_end = number == left || number % BLANK_LINE as u64 == 0;
        text.push(if is_end { '\n' } else { ' ' });
    }
    text.push_str(END);
    out.write_all(text.as_bytes())?;
    Ok(books)
}

/// Appends the book of that number, counted from one.
fn push_book(number: u64, random: &mut SplitMix64, text: &mut String) {
    const INFALLIBLE: &str = "a string takes everything";
    writeln!(text, "   <book id=\"bk{number:06}\">").expect(INFALLIBLE);
    text.push_str("      <author>");
    push_author(random, text);
    text.push_str("</author>\n      <title>");
    text.push_str(random.one_of(ADJECTIVES));
    text.push(' ');
    text.push_str(random.one_of(NOUNS));
    if random.below(2) == 0 {
        text.push_str(" of ");
        text.push_str(random.one_of(NOUNS));
    }
    text.push_str("</title>\n      <genre>");
    text.push_str(random.one_of(GENRES));
    text.push_str("</genre>\n      <price>");
    let (euros, cents) = (3 + random.below(60), random.one_of(&["25", "50", "95", "99"]));
    write!(text, "{euros}.{cents}").expect(INFALLIBLE);
    text.push_str("</price>\n      <publish_date>");
    let (year, month, day) = (1950 + random.below(75), 1 + random.below(12), 1 + random.below(28));
    write!(text, "{year}-{month:02}-{day:02}").expect(INFALLIBLE);
    text.push_str("</publish_date>\n      <description>");
    push_sentence(random, text);
    if random.below(4) != 0 {
        text.push_str("\n      ");
        push_sentence(random, text);
    }
    text.push_str("</description>\n   </book>\n");
}

/// Appends a surname and a given name; every eighth time two, and then a markup character and a short one.
fn push_author(random: &mut SplitMix64, text: &mut String) {
    text.push_str(random.one_of(SURNAMES));
    text.push_str(", ");
    text.push_str(random.one_of(GIVEN_NAMES));
    if random.below(8) == 0 {
        text.push_str(" &amp; ");
        text.push_str(random.one_of(SHORT_NAMES));
    }
}

fn push_sentence(random: &mut SplitMix64, text: &mut String) {
    text.push_str(random.one_of(OPENINGS));
    for _ in 0..8 + random.below(6) {
        text.push(' ');
        text.push_str(random.one_of(WORDS));
    }
    text.push('.');
}

/// Another seed is another catalogue.
const SEED: u64 = 0x6361_7461_6c6f_6775;

/// Steele, Lea and Flood's generator. It is here, rather than a library's, so that no update changes the documents.
struct SplitMix64(u64);

impl SplitMix64 {
    const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number less than `end`, which is small: that some numbers are a little more likely is of no matter.
    const fn below(&mut self, end: u64) -> u64 {
        ((self.next() >> 32) * end) >> 32
    }

    fn one_of(&mut self, words: &[&'static str]) -> &'static str {
        words[self.below(words.len() as u64) as usize]
    }
}

// Names of three to ten characters, so that an author has 8 to 30, `&amp;` counted as five.
const SURNAMES: &[&str] = &[
    "Kim",
    "Roy",
    "Hart",
    "Webb",
    "Ellis",
    "Novák",
    "Núñez",
    "Müller",
    "Corets",
    "Ralls",
    "Knorr",
    "Kress",
    "Thurman",
    "Randall",
    "Galos",
    "O'Brien",
    "Lefèvre",
    "Gambardel",
    "Sørensen",
    "Haraldsen",
    "Ferreira",
    "Whitfield",
    "Abernathy",
    "Castellano",
    "Lindqvist",
    "Okonkwo",
    "Tanaka",
    "Petrović",
    "Duarte",
    "Marlowe",
    "Ashworth",
    "Baptiste",
];
const GIVEN_NAMES: &[&str] = &[
    "Ana", "Eva", "Tim", "Kim", "Cynthia", "Paula", "Stefan", "Matthew", "Michael", "Peter",
    "José", "Zoë", "Renée", "Björn", "Margaret", "Jonathan", "Beatrice", "Theodore", "Ingrid",
    "Chidi", "Haruko", "Milena", "Rafael", "Helen",
];
const SHORT_NAMES: &[&str] = &["Ada", "Ben", "Ida", "Max", "Tom", "Una"];
const GENRES: &[&str] =
    &["Computer", "Fantasy", "Romance", "Horror", "Science Fiction", "History", "Travel", "Poetry"];
const ADJECTIVES: &[&str] = &[
    "Midnight", "Hidden", "Splendid", "Paradox", "Creeping", "Silent", "Golden", "Northern",
    "Broken", "Distant", "Second", "Winter",
];
const NOUNS: &[&str] = &[
    "Rain",
    "Ascendant",
    "Legacy",
    "Grail",
    "Harbour",
    "Garden",
    "Orchard",
    "Cipher",
    "Lantern",
    "Voyage",
    "Kingdom",
    "Letters",
    "Machines",
    "River",
    "Tides",
    "Winters",
];
const OPENINGS: &[&str] =
    &["A", "An old", "After", "In", "When", "The", "Against", "Beyond", "Once"];
const WORDS: &[&str] = &[
    "architect",
    "battles",
    "the",
    "of",
    "a",
    "world",
    "young",
    "survivors",
    "collapse",
    "society",
    "and",
    "her",
    "own",
    "childhood",
    "become",
    "queen",
    "with",
    "corporate",
    "zombies",
    "evil",
    "sorceress",
    "in",
    "England",
    "to",
    "mysterious",
    "agent",
    "known",
    "only",
    "as",
    "life",
    "discovers",
    "forgotten",
    "letter",
    "from",
    "station",
    "where",
    "nobody",
    "returns",
    "café",
    "under",
    "city",
    "light",
    "by",
    "sea",
    "his",
    "last",
    "journey",
    "home",
    "that",
    "changes",
    "everything",
    "for",
    "its",
    "people",
];
