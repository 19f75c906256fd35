//! The subcommands, one file each: its options, its help, and what it does.

mod baseline;
mod compare;
mod duel;
mod export;
mod import;
mod list;
mod rank;
mod report;
mod run;
mod scenario;

use crate::End;
use anyhow::Result;
use clap::Subcommand;

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Run(run::Arguments),
    Baseline(baseline::Arguments),
    Duel(duel::Arguments),
    Rank(rank::Arguments),
    Scenario(scenario::Arguments),
    Report(report::Arguments),
    Compare(Box<compare::Arguments>),
    Import(import::Arguments),
    Export(export::Arguments),
    List(list::Arguments),
}

impl Command {
    pub(crate) fn run(self) -> Result<End> {
        match self {
            Self::Run(arguments) => run::run(arguments),
            Self::Baseline(arguments) => baseline::run(arguments),
            Self::Duel(arguments) => duel::run(arguments),
            Self::Rank(arguments) => rank::run(arguments),
            Self::Scenario(arguments) => scenario::run(arguments),
            Self::Report(arguments) => report::run(arguments),
            Self::Compare(arguments) => compare::run(*arguments),
            Self::Import(arguments) => import::run(arguments),
            Self::Export(arguments) => export::run(arguments),
            Self::List(arguments) => list::run(arguments),
        }
    }
}
