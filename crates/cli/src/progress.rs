//! How far a run is, for whoever waits: a bar on a terminal, plain lines elsewhere.

use cryptobench_results::record::FailedSide;
use cryptobench_runner::Progress;
use cryptobench_schema::Contest;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::{
    io::{self, IsTerminal as _},
    time::{Duration, Instant},
};

/// How often a plain line is written.
const PLAIN: Duration = Duration::from_secs(15);

/// Progress on standard error.
pub(crate) struct Terminal {
    bar: ProgressBar,
    plain: bool,
    rounds: u32,
    told: Instant,
    began: Instant,
}

impl Terminal {
    /// Of `steps` contests in all, in `rounds` rounds.
    pub(crate) fn new(steps: usize, rounds: u32) -> Self {
        let plain = !io::stderr().is_terminal();
        let bar = ProgressBar::with_draw_target(
            Some(steps as u64),
            if plain { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() },
        );
        let style = "{elapsed_precise} [{bar:30}] {percent:>3} %, {eta} left  {msg}";
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style.progress_chars("=> "));
        }
        let now = Instant::now();
        Self { bar, plain, rounds, told: now, began: now }
    }

    /// Says something without tearing the bar.
    pub(crate) fn say(&self, text: &str) {
        self.bar.suspend(|| say!("{text}"));
    }

    /// Takes the bar away.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Terminal {
    fn begins(&mut self, contest: &Contest, round: u32) {
        if !self.plain {
            self.bar.set_message(format!("round {} of {}: {contest}", round + 1, self.rounds));
        }
    }

    fn done(&mut self, _: &Contest, round: u32) {
        self.bar.inc(1);
        if self.plain && self.told.elapsed() >= PLAIN {
            self.told = Instant::now();
            let (done, all) = (self.bar.position(), self.bar.length().unwrap_or_default());
            let left = self
                .began
                .elapsed()
                .mul_f64((all.saturating_sub(done)) as f64 / done.max(1) as f64);
            say!(
                "round {} of {}: {} %, {} left",
                round + 1,
                self.rounds,
                done * 100 / all.max(1),
                humantime::format_duration(Duration::from_secs(left.as_secs()))
            );
        }
    }

    fn failed(&mut self, failed: &FailedSide) {
        self.say(&format!("FAILED {}: {}", failed.id, failed.reason));
    }

    fn interference(&mut self, contest: &Contest, share: f64) {
        self.say(&format!(
            "warning: {contest}: right after another's slice one is {:.1} % slower than after its own; its slices \
             are longer from now on",
            share.exp_m1() * 100.0
        ));
    }
}
