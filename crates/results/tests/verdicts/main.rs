//! Verdicts and ranks, on records made up for the purpose.
//! The statistics under them are tested in tests/statistics.rs.

mod across;
mod comparison;
mod duel;
mod growth;
mod hostile;
mod made_up;
mod ranking;
mod scenario;
mod simulation;
