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
const SLICES: u32 = 200;

/// Where a process has its placements from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placements {
    /// For each slice another.
    Drawn,
    /// For all slices of all processes the same.
    Fixed,
}

/// The values of a case's processes: logarithms of nanoseconds per operation.
#[derive(Debug, Default)]
struct Processes {
    drawn: Vec<f64>,
    fixed: Vec<f64>,
}

pub(crate) fn measure(session: &Session<'_>) -> Result<String> {
    let cases: Vec<&CaseId> = session
        .worker
        .survey
        .cases
        .iter()
        .filter(|case| CONTESTS.contains(&case.contest.to_string().as_str()))
        .collect();
    let mut values: Vec<Processes> = cases.iter().map(|_| Processes::default()).collect();
    pinned(|| {
        for number in 0..session.arguments.repetitions {
            // In turn, and each as often first, so that both meet the same machine.
            let mut both = [Placements::Drawn, Placements::Fixed];
            both.rotate_left(number as usize % 2);
            for placements in both {
                let times = process(session, &cases, placements, number)?;
                for (values, time) in values.iter_mut().zip(times) {
                    match placements {
                        Placements::Drawn => values.drawn.push(time),
                        Placements::Fixed => values.fixed.push(time),
                    }
                }
            }
        }
        Ok(())
    })?;
    let spreads: Vec<(f64, f64)> = values
        .iter()
        .map(|it| Some((standard_deviation(&it.drawn)?, standard_deviation(&it.fixed)?)))
        .collect::<Option<_>>()
        .context("no case of these contests is in the worker")?;
    let rows = cases
        .iter()
        .zip(&spreads)
        .map(|(case, (drawn, fixed))| vec![case.to_string(), percent(*drawn), percent(*fixed)]);
    let (drawn, fixed): (Vec<f64>, Vec<f64>) = spreads.iter().copied().unzip();
    let (Some(drawn), Some(fixed)) = (median(&drawn), median(&fixed)) else {
        bail!("no case of these contests is in the worker");
    };
    Ok(format!(
        "Standard deviation between {} fresh processes each, of the median of {SLICES} slices: with a placement drawn \
         for each slice, and with one for all slices of all processes (that of seed {}). Processes of both kinds took \
         turns.\n\n{}\n{}",
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

/// The value of each of `cases` in one fresh process.
fn process(
    session: &Session<'_>,
    cases: &[&CaseId],
    placements: Placements,
    number: u32,
) -> Result<Vec<f64>> {
    let mut worker = Worker::start(&session.worker.program, &NEVER)?;
    worker.hello()?;
    let mut draw = fastrand::Rng::with_seed(session.seed.wrapping_add(u64::from(number)));
    let mut placement = || match placements {
        Placements::Drawn => draw.u64(..),
        Placements::Fixed => session.seed,
    };
    let mut values = Vec::new();
    for case in cases {
        let Prepared::Ready { handle, .. } = worker.prepare(case)? else {
            bail!("{case} cannot be prepared");
        };
        let mut slices = Slices { worker: &mut worker, handle, case, untimed: 0, iterations: 1 };
        slices.pace(&mut placement)?;
        let times: Vec<f64> =
            (0..SLICES).map(|_| slices.operation_ns(placement())).collect::<Result<_>>()?;
        values.push(median(&times).context("no slices")?.ln());
        worker.let_go(handle)?;
    }
    Ok(values)
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
    fn pace(&mut self, placement: &mut impl FnMut() -> u64) -> Result<()> {
        let Settings { slice_ns, burst_ns, .. } = Settings::default();
        let operation_ns = loop {
            let operation_ns = self.operation_ns(placement())?;
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
