//! Rounds in lock-step: workers are started, asked in turn for slices of every side of a contest, and what
//! they say becomes lines of a record. No backend is linked here, and nothing is printed.

mod contest;
mod pinning;
mod process;
mod rounds;
mod selection;

pub use contest::Slices;
pub use pinning::{PinError, pin, suggested as suggested_processor};
pub use process::{Program, ProgramError, Unknown, Worker, WorkerError, sha256};
pub use rounds::{Outcome, Progress, Rounds, RunError, Silent};
pub use selection::{Extent, PlannedContest, Selection, Survey, plan, survey, unsupported};
