//! The subcommands, one file each: its options, its help, and what it does.

mod baseline;
mod compare;
mod run;

use crate::End;
use anyhow::Result;
use clap::Subcommand;

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(run::Arguments),
    Baseline(baseline::Arguments),
    Compare(Box<compare::Arguments>),
}

impl Command {
    pub(crate) fn run(self) -> Result<End> {
        match self {
            Self::Run(arguments) => run::run(arguments),
            Self::Baseline(arguments) => baseline::run(arguments),
            Self::Compare(arguments) => compare::run(*arguments),
        }
    }
}
