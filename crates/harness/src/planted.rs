//! A planted slow-down, to calibrate the comparison with: a share of each time is really burnt and reported with
//! it. Only with the feature `planted`, and only for backends that call [`Backend::planted`](crate::Backend).

use crate::{Failure, Placement, Timed};
use std::{
    env,
    sync::OnceLock,
    time::{Duration, Instant},
};

/// The variable that says which share: `0.03` for 3 %. Absent means none.
pub const VARIABLE: &str = "PLANTED_SHARE";

/// The share that [`VARIABLE`] says, read once per process.
///
/// # Panics
///
/// Where it says something else: a calibration with another share than the one asked for would mislead.
#[must_use]
pub fn share() -> f64 {
    static SHARE: OnceLock<f64> = OnceLock::new();
    *SHARE.get_or_init(|| {
        let Some(text) = env::var_os(VARIABLE) else { return 0.0 };
        let share = text.to_str().and_then(|text| text.parse::<f64>().ok());
        share.filter(|share| (0.0..=1.0).contains(share)).unwrap_or_else(|| {
            panic!("{VARIABLE}={} is no share between 0 and 1", text.to_string_lossy())
        })
    })
}

/// An operation that takes a share longer than it does.
pub struct Planted {
    inner: Box<dyn Timed>,
    share: f64,
}

impl Planted {
    /// `inner`, and `share` of its time on top: 0.03 for 3 %.
    #[must_use]
    pub const fn new(inner: Box<dyn Timed>, share: f64) -> Self {
        Self { inner, share }
    }
}

impl Timed for Planted {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        let time = self.inner.time(iterations, placement)?;
        Ok(time + burn(time.mul_f64(self.share)))
    }

    fn check(&mut self) -> Result<(), Failure> {
        self.inner.check()
    }
}

/// Spins for `least` at the least, and says for how long.
fn burn(least: Duration) -> Duration {
    if least.is_zero() {
        return Duration::ZERO;
    }
    let start = Instant::now();
    loop {
        let burnt = start.elapsed();
        if burnt >= least {
            return burnt;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes as long as it says, without taking it.
    struct Says(Duration);

    impl Timed for Says {
        fn time(&mut self, iterations: u64, _: Placement) -> Result<Duration, Failure> {
            Ok(self.0 * u32::try_from(iterations).expect("few"))
        }

        fn check(&mut self) -> Result<(), Failure> {
            Err(Failure::wrong("checked"))
        }
    }

    fn planted(share: f64) -> Planted {
        Planted::new(Box::new(Says(Duration::from_micros(100))), share)
    }

    #[test]
    fn the_share_is_burnt_and_reported() {
        let start = Instant::now();
        let time = planted(0.5).time(4, Placement::drawn(0)).expect("a time");
        assert!(time >= Duration::from_micros(600), "{time:?}");
        // Really burnt: only what the operation itself took is made up.
        assert!(start.elapsed() >= time - Duration::from_micros(400));
    }

    #[test]
    fn no_share_changes_nothing() {
        let time = planted(0.0).time(4, Placement::drawn(0));
        assert_eq!(time, Ok(Duration::from_micros(400)));
    }

    #[test]
    fn the_check_is_that_of_the_operation() {
        assert_eq!(planted(0.5).check(), Err(Failure::wrong("checked")));
    }
}
