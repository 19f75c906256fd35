//! What was measured: records, Criterion's files, the statistics of rounds, and verdicts. Nothing here
//! measures, and nothing here prints.

pub mod across;
pub mod comparison;
pub mod criterion;
pub mod duel;
pub mod growth;
pub mod heat;
mod keygen;
mod log_ratio;
pub mod ranking;
pub mod record;
pub mod scenario;
pub mod statistics;
pub mod summary;

pub use keygen::by_chance;
