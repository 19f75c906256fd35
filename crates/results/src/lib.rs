//! What was measured: records, Criterion's files, the statistics of rounds, and verdicts. Nothing here
//! measures, and nothing here prints.

pub mod comparison;
pub mod criterion;
mod keygen;
mod log_ratio;
pub mod ranking;
pub mod record;
pub mod statistics;
