//! What a request costs beside what it times, and that it is not in what is reported.

use crate::{
    report::{
        Bound::AtMost,
        Quantity::{Microseconds, Nanoseconds},
        Target, targets,
    },
    session::{NEVER, Session, pinned},
};
use anyhow::{Context as _, Result, anyhow, bail};
use cryptobench_results::statistics::quantile;
use cryptobench_runner::Worker;
use cryptobench_schema::protocol::{Prepared, Slice, Timing};
use std::time::Instant;

const CASE: &str = "control/empty/harness";
const REQUESTS: u32 = 20_000;
/// Requests before those that count.
const UNCOUNTED: u32 = 1_000;

pub(crate) fn measure(session: &Session<'_>) -> Result<String> {
    let shared = pinned(|| ask(session))?;
    let unpinned = ask(session)?;
    let rows = [
        Target::new("round trip, median", AtMost(Microseconds(20.0)), shared.median()?),
        Target::new("round trip, 99th percentile", AtMost(Microseconds(20.0)), shared.at(0.99)?),
        // Two readings of the clock that nobody has just made, where the cost of one is taken off.
        Target::new("time reported, median", AtMost(Nanoseconds(100.0)), shared.reported()?),
    ];
    Ok(format!(
        "{REQUESTS} requests of one iteration of `{CASE}`; the round trip is what a request took less what it \
         reported.\n\n{}\nNot pinned: median {}, 99th percentile {}.\n",
        targets(&rows),
        unpinned.median()?,
        unpinned.at(0.99)?,
    ))
}

/// What requests took.
struct Asked {
    /// Beside what they timed, in microseconds.
    round_trips: Vec<f64>,
    /// What they timed, in nanoseconds.
    reported: Vec<f64>,
}

impl Asked {
    fn at(&self, share: f64) -> Result<crate::report::Quantity> {
        quantile(&self.round_trips, share).map(Microseconds).context("no requests")
    }

    fn median(&self) -> Result<crate::report::Quantity> {
        self.at(0.5)
    }

    fn reported(&self) -> Result<crate::report::Quantity> {
        quantile(&self.reported, 0.5).map(Nanoseconds).context("no requests")
    }
}

fn ask(session: &Session<'_>) -> Result<Asked> {
    let mut worker = Worker::start(&session.worker.program, &NEVER)?;
    worker.hello()?;
    let case = CASE.parse().map_err(|error| anyhow!("{CASE}: {error}"))?;
    let Prepared::Ready { handle, .. } = worker.prepare(&case)? else {
        bail!("{CASE} cannot be prepared");
    };
    let mut draw = fastrand::Rng::with_seed(session.seed);
    let mut asked = Asked { round_trips: Vec::new(), reported: Vec::new() };
    for request in 0..UNCOUNTED + REQUESTS {
        let slice = Slice { handle, untimed: 0, iterations: 1, placement: draw.u64(..) };
        let start = Instant::now();
        let answer = worker.time(slice)?;
        let took = start.elapsed();
        let Timing::Nanoseconds(time) = answer else { bail!("{CASE}: {answer}") };
        if request >= UNCOUNTED {
            asked.round_trips.push((took.as_nanos() as f64 - time as f64) / 1e3);
            asked.reported.push(time as f64);
        }
    }
    Ok(asked)
}
