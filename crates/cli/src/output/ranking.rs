//! Rankings as text.

use cryptobench_results::record::Record;

/// A first look at a run.
pub(crate) fn summary(record: &Record) -> String {
    let mut text = String::new();
    for (contest, rounds) in record.contests() {
        for side in &rounds[0].sides {
            text.push_str(&format!("{contest} {} {:.1} ns\n", side.backend, side.time_ns));
        }
    }
    text
}
