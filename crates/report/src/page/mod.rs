//! The page: one file that answers which, how it grows, how sure, what ran, what changed and where. Here it is put
//! together; each question is a file of its own.

mod changed;
mod controls;
mod data;
mod growth;
mod machines;
mod numbers;
mod ran;
mod reasons;
mod sure;
mod then;
pub(crate) mod view;
mod which;

use crate::{cast::Cast, palette, text::visible};
use base64::{Engine as _, prelude::BASE64_STANDARD};
use cryptobench_results::{
    comparison::{self, Comparison, Row, Rules, Verdict},
    record::Record,
};
use cryptobench_schema::{BackendId, CaseId};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use view::View;

/// A record to be shown.
#[derive(Debug)]
pub struct Input {
    /// What it is called: its file's name without types.
    pub name: String,
    /// The record, with the slices of key generation at the least.
    pub record: Record,
}

/// How a page is made.
#[derive(Debug, Default)]
pub struct Options {
    /// The backend that ratios are to when the page is opened; `None` for the fastest of each contest.
    pub reference: Option<BackendId>,
    /// What counts as a change between two records.
    pub rules: Rules,
    /// Of cases that have a page in a report of Criterion's: its address, relative to the page.
    pub criterion: BTreeMap<CaseId, String>,
    /// How many fields documents have, by their bytes, where that is known.
    pub fields: BTreeMap<u64, u64>,
    /// The command that makes the page.
    pub command: String,
}

/// The page under construction: what all its parts know.
pub(crate) struct Page<'a> {
    /// The records, the last of them the one that most of the page is about.
    views: Vec<View<'a>>,
    cast: Cast,
    comparison: Option<Compared<'a>>,
    options: &'a Options,
}

/// What changed, from what to what.
struct Compared<'a> {
    comparison: Comparison,
    old: Source<'a>,
    new: Source<'a>,
}

/// One side of a comparison.
#[derive(Clone, Copy)]
struct Source<'a> {
    name: &'a str,
    /// The program, where the record has several.
    program: Option<&'a str>,
    started: &'a str,
    environment: &'a cryptobench_schema::Environment,
}

impl<'a> Source<'a> {
    /// The last program of `input`.
    fn last(input: &'a Input) -> Option<Self> {
        let header = &input.record.header;
        let last = header.programs.last()?;
        Some(Self {
            name: &input.name,
            program: (header.programs.len() > 1).then_some(&*last.name),
            started: &header.started,
            environment: &last.environment,
        })
    }
}

impl<'a> Compared<'a> {
    /// The first and the last record; or of one that has the two programs of a comparison, these.
    ///
    /// Nothing where they have no case in common: then they complete one another.
    fn of(inputs: &'a [Input], rules: Rules) -> Option<Self> {
        let compared = Self::sides(inputs, rules)?;
        let on_both = |it: &Row| !matches!(it.verdict, Verdict::New | Verdict::Missing);
        compared.comparison.rows.iter().any(on_both).then_some(compared)
    }

    fn sides(inputs: &'a [Input], rules: Rules) -> Option<Self> {
        match inputs {
            [] => None,
            [only] => {
                let header = &only.record.header;
                let [old, new] = header.programs.as_slice() else { return None };
                let side = |program: &'a cryptobench_results::record::Program| Source {
                    name: &program.name,
                    program: None,
                    started: &header.started,
                    environment: &program.environment,
                };
                (header.settings.screening > 0).then(|| Self {
                    comparison: comparison::live(&only.record, rules),
                    old: side(old),
                    new: side(new),
                })
            }
            // A scenario's contests are measured in another way, and complete the others.
            [first, .., last]
                if first.record.header.settings.scenarios
                    != last.record.header.settings.scenarios =>
            {
                None
            }
            [first, .., last] => Some(Self {
                comparison: comparison::records(&first.record, &last.record, &|_| true, rules),
                old: Source::last(first)?,
                new: Source::last(last)?,
            }),
        }
    }
}

impl<'a> Page<'a> {
    fn new(inputs: &'a [Input], options: &'a Options) -> Self {
        let views: Vec<View<'a>> =
            inputs.iter().map(|it| View::new(it, options.reference.as_ref())).collect();
        let labels: BTreeSet<String> = views.iter().flat_map(View::labels).collect();
        let comparison = Compared::of(inputs, options.rules);
        Self { views, cast: Cast::new(labels), comparison, options }
    }

    /// The record that most of the page is about.
    fn main(&self) -> &View<'a> {
        self.views.last().expect("a page has a record")
    }

    /// What the reference is called; `None` where ratios are to the fastest.
    fn reference(&self) -> Option<&str> {
        self.options.reference.as_ref()?;
        let side = self.main().ranking.contests.iter().find_map(|it| it.reference.as_ref())?;
        Some(&self.main().member(&self.cast, side).label)
    }
}

/// The style of the page, below the colours of its backends.
const STYLE: &str = include_str!("page.css");
/// What the page does where scripts may run.
const SCRIPT: &str = include_str!("page.js");

/// The page that shows `inputs`: the last of them in all detail, the first against the last, and all side by side.
///
/// # Panics
///
/// If there is no input.
#[must_use]
pub fn page(inputs: &[Input], options: &Options) -> String {
    let page = Page::new(inputs, options);
    let main = page.main();
    let style = format!("{}{STYLE}", colours());
    let title = main.title();
    let sections = sections(&page);
    // Nothing is loaded, and nothing runs but the script that is here: whatever a record holds.
    let policy = format!(
        "default-src 'none'; style-src '{}'; script-src '{}'; img-src data:; base-uri 'none'; form-action 'none'",
        source(&style),
        source(SCRIPT),
    );
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="icon" href="data:,";
                style { (PreEscaped(style.as_str())) }
            }
            body {
                (markers())
                a .skip href="#which" { "To the results" }
                header .top {
                    h1 { (title) }
                    p .lede { (main.lede()) }
                    @let against = sure::against(main);
                    @if !against.is_empty() {
                        ul .warnings {
                            @for it in &against { li { (visible(it)) " (" a href="#sure" { "how sure?" } ")" } }
                        }
                    }
                    (controls::navigation(&sections))
                }
                (controls::bar(&page))
                main {
                    @for section in &sections {
                        section id=(section.id) {
                            h2 { (section.question) }
                            (section.content)
                        }
                    }
                }
                footer {
                    p {
                        "Made by Cryptobench from "
                        @for (index, view) in page.views.iter().enumerate() {
                            @if index > 0 { ", " }
                            code { (visible(view.name)) } " of " (visible(&view.header.started))
                        }
                        " with " code { (visible(&options.command)) }
                        ". All of it is in this file: it loads nothing, and can be kept and passed on."
                    }
                }
                div #says role="status" aria-live="polite" {}
                script type="application/json" id="data" { (PreEscaped(data::json(&page))) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
    .into_string()
}

/// A part of the page.
pub(crate) struct Section {
    /// Its anchor.
    id: &'static str,
    /// Its heading.
    question: &'static str,
    content: Markup,
}

/// The parts that this page has something for.
fn sections(page: &Page<'_>) -> Vec<Section> {
    let mut sections = vec![
        Section { id: "which", question: "Which one?", content: which::content(page) },
        Section { id: "growth", question: "How does it grow?", content: growth::content(page) },
        Section { id: "sure", question: "How sure?", content: sure::content(page) },
    ];
    if let Some(content) = then::content(page) {
        sections.push(Section { id: "then", question: "Then and now", content });
    }
    sections.push(Section { id: "ran", question: "What ran?", content: ran::content(page) });
    if let Some(compared) = &page.comparison {
        let content = changed::content(page, compared);
        sections.push(Section { id: "changed", question: "What changed?", content });
    }
    if let Some(content) = machines::content(page) {
        sections.push(Section { id: "where", question: "Where?", content });
    }
    sections
}

/// The source of a policy that allows `text` alone.
fn source(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}

/// The colours of backends and paper for both schemes, from their one place.
fn colours() -> String {
    let scheme = |pick: fn(&palette::Hue) -> &'static str| {
        let mut rules = format!("--paper:{};", pick(&palette::PAPER));
        for (index, hue) in palette::HUES.iter().enumerate() {
            rules.push_str(&format!("--c{index}:{};", pick(hue)));
        }
        rules
    };
    let mut style = format!(
        ":root{{{}}}@media screen and (prefers-color-scheme:dark){{:root{{{}}}}}",
        scheme(|hue| hue.light),
        scheme(|hue| hue.dark)
    );
    for (index, hue) in palette::HUES.iter().enumerate() {
        // A mask instead of an element of its own beside each name: there are thousands.
        style.push_str(&format!(
            ".c{index}{{--c:var(--c{index});--m:url(\"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' \
             viewBox='-6 -6 12 12'><path d='{}'/></svg>\")}}",
            hue.marker
        ));
    }
    style
}

/// The outlines of the markers, once for all charts.
fn markers() -> Markup {
    html! {
        svg .defs aria-hidden="true" width="0" height="0" {
            defs {
                @for (index, hue) in palette::HUES.iter().enumerate() {
                    path id=(format!("m{index}")) d=(hue.marker) {}
                }
            }
        }
    }
}
