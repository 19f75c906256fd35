//! How far processes of one program differ at 64 bytes, where placements are drawn and where there is one for all.

use crate::{
    report::{Bound::AtMost, Quantity::LogRatio, Target, percent, table, targets},
    session::{NEVER, Session, pinned},
};
use anyhow::{Context as _, Result, bail};
use cryptobench_results::{
    record::Settings,
    statistics::{median, standard_deviation},
};
use cryptobench_runner::Worker;
use cryptobench_schema::{
    CaseId,
    protocol::{Handle, Prepared, Slice, Timing},
};

const CONTESTS: [&str; 2] = ["aes-256-gcm/seal/64", "aes-128-ctr/encrypt/64"];
/// Slices of a case in a process.
const TURNS: u32 = 200;

/// Where a process has its placements from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placements {
    /// For each turn another.
    Drawn,
    /// For all turns the same.
    Fixed,
}

pub(crate) fn measure(session: &Session<'_>) -> Result<String> {
    let cases: Vec<&CaseId> = session
        .worker
        .survey
        .cases
        .iter()
        .filter(|case| CONTESTS.contains(&case.contest.to_string().as_str()))
        .collect();
    let spreads: Vec<(f64, f64)> = pinned(|| {
        cases
            .iter()
            .map(|case| {
                eprintln!("{case}");
                let drawn = spread(session, case, Placements::Drawn)?;
                Ok((drawn, spread(session, case, Placements::Fixed)?))
            })
            .collect()
    })?;
    let rows = cases
        .iter()
        .zip(&spreads)
        .map(|(case, (drawn, fixed))| vec![case.to_string(), percent(*drawn), percent(*fixed)]);
    let (drawn, fixed): (Vec<f64>, Vec<f64>) = spreads.iter().copied().unzip();
    let (Some(drawn), Some(fixed)) = (median(&drawn), median(&fixed)) else {
        bail!("no case of these contests is in the worker");
    };
    Ok(format!(
        "Standard deviation between {} processes of the same program that took turns, of their times against each other: \
         the median of {TURNS} turns. With a placement drawn for each turn, and with one for all turns (that of seed \
         {}); in either case the same for all processes.\n\n{}\n{}",
        session.arguments.repetitions,
        session.seed,
        table(&["case", "drawn", "fixed"], rows),
        targets(&[Target::new(
            "drawn, median over cases, against fixed",
            AtMost(LogRatio(fixed)),
            LogRatio(drawn)
        )]),
    ))
}

/// The standard deviation between processes that take turns, as a logarithm.
fn spread(session: &Session<'_>, case: &CaseId, placements: Placements) -> Result<f64> {
    let mut draw = fastrand::Rng::with_seed(session.seed);
    let mut workers: Vec<Worker<'_>> = (0..session.arguments.repetitions)
        .map(|_| {
            let mut worker = Worker::start(&session.worker.program, &NEVER)?;
            worker.hello()?;
            Ok(worker)
        })
        .collect::<Result<_>>()?;
    let mut sides: Vec<Slices<'_, '_>> = Vec::new();
    for worker in &mut workers {
        let Prepared::Ready { handle, .. } = worker.prepare(case)? else {
            bail!("{case} cannot be prepared");
        };
        let mut side = Slices { worker, handle, case, untimed: 0, iterations: 1 };
        side.pace(session.seed)?;
        sides.push(side);
    }
    let mut values = vec![Vec::new(); sides.len()];
    let mut order: Vec<usize> = (0..sides.len()).collect();
    for _ in 0..TURNS {
        let placement = match placements {
            Placements::Drawn => draw.u64(..),
            Placements::Fixed => session.seed,
        };
        draw.shuffle(&mut order);
        let mut turn = vec![0.0; sides.len()];
        for &side in &order {
            turn[side] = sides[side].operation_ns(placement)?.ln();
        }
        // What the machine did to all of them is in their mean.
        let mean = turn.iter().sum::<f64>() / turn.len() as f64;
        for (values, value) in values.iter_mut().zip(turn) {
            values.push(value - mean);
        }
    }
    let medians: Vec<f64> = values.iter().filter_map(|values| median(values)).collect();
    standard_deviation(&medians).context("a spread is between two processes at least")
}

/// Slices of one case, one after another.
struct Slices<'a, 'w> {
    worker: &'a mut Worker<'w>,
    handle: Handle,
    case: &'a CaseId,
    untimed: u64,
    iterations: u64,
}

impl Slices<'_, '_> {
    /// Finds out how many iterations make a slice of the usual length.
    fn pace(&mut self, placement: u64) -> Result<()> {
        let Settings { slice_ns, burst_ns, .. } = Settings::default();
        let operation_ns = loop {
            let operation_ns = self.operation_ns(placement)?;
            if operation_ns * self.iterations as f64 * 4.0 >= slice_ns as f64 {
                break operation_ns;
            }
            self.iterations *= 2;
        };
        self.iterations = ((slice_ns as f64 / operation_ns) as u64).max(1);
        self.untimed = (burst_ns as f64 / operation_ns).ceil() as u64;
        Ok(())
    }

    /// Nanoseconds of one operation in one slice.
    fn operation_ns(&mut self, placement: u64) -> Result<f64> {
        let Self { handle, untimed, iterations, .. } = *self;
        match self.worker.time(Slice { handle, untimed, iterations, placement })? {
            Timing::Nanoseconds(time) => Ok(time as f64 / iterations as f64),
            Timing::Failed(reason) => bail!("{}: {reason}", self.case),
        }
    }
}
