//! The words of Cryptobench as types: what is computed (algorithm), what is done with it (operation), how
//! large (size), by whom (backend), and the case that names all four. No cryptography and no I/O.

mod algorithm;
mod backend;
mod case;
mod environment;
mod operation;
pub mod protocol;
mod run;
mod scenario;
mod size;

pub use algorithm::{Aead, Algorithm, BlockMode, Curve, Family, RsaScheme};
pub use backend::BackendId;
pub use case::{CaseId, Contest};
pub use environment::{
    Build, Cpu, Environment, Host, ImplementationRecord, Linkage, Package, Provenance, Revision,
};
pub use operation::Operation;
pub use run::{BenchRun, Clock, FailedCase, RanCase};
pub use scenario::{Heat, Scenario};
pub use size::{PIECES_MESSAGE, SizeChoice, Sizes, Unit, sizes};

use thiserror::Error;

/// Why a text is not a word of the suite.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ParseError {
    /// No algorithm has that id.
    #[error("unknown algorithm `{0}`")]
    Algorithm(String),
    /// No scenario has that name.
    #[error("unknown scenario `{0}`; there are: {names}", names = Scenario::ALL.map(Scenario::name).join(", "))]
    Scenario(String),
    /// No operation has that name.
    #[error("unknown operation `{0}`")]
    Operation(String),
    /// The algorithm exists and the operation exists, but not together.
    #[error("{algorithm} has no operation `{operation}`")]
    Mismatch {
        /// The algorithm named.
        algorithm: Algorithm,
        /// The operation that it does not have.
        operation: Operation,
    },
    /// A backend's name has characters outside `a-z 0-9 . + -` or does not begin with a letter.
    #[error("`{0}` cannot name a backend: a letter, then letters a-z, digits, `.`, `+` and `-`")]
    Backend(String),
    /// The size is missing, superfluous, or not a positive whole number.
    #[error("`{id}`: {problem}")]
    Size {
        /// The case id as given.
        id: String,
        /// What is the matter with its size.
        problem: &'static str,
    },
    /// The text does not have three or four parts.
    #[error("`{0}` is not a case: <algorithm>/<operation>/<backend>[/<size>]")]
    Shape(String),
    /// The text does not have two or three parts.
    #[error("`{0}` is not a contest: <algorithm>/<operation>[/<size>]")]
    ContestShape(String),
}
