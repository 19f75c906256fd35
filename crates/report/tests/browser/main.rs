//! The page as a browser shows it: each file tests what its name says, in Chromium, driven by its DevTools protocol. Where no
//! Chromium is found the tests say so and pass, unless `BROWSER_TESTS=required` is set.

mod addresses;
mod charts;
mod choosing;
mod driver;
mod loading;
mod looks;
mod made_up;
mod records;
mod sorting;

use cryptobench_report::page::{Input, Options, page};
use std::sync::LazyLock;

/// The page of one record, which most tests look at.
static PAGE: LazyLock<String> =
    LazyLock::new(|| of(&[made_up::input(made_up::HOSTILE, "Some CPU", 1.0)]));

/// The page of `inputs`.
fn of(inputs: &[Input]) -> String {
    let options = Options {
        command: format!("cryptobench report {}", made_up::HOSTILE),
        ..Options::default()
    };
    page(inputs, &options)
}
