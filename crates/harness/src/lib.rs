//! How an operation is measured: the traits that adapters implement, the inputs, the proof that a backend
//! computes the right thing, and the timed region. No library's name occurs here, and no Criterion.

mod failure;
pub mod inputs;
pub mod operations;
mod placement;
#[cfg(feature = "planted")]
pub mod planted;
mod proof;
mod region;
mod shared;
mod stored;
mod suite;

pub use failure::{Failure, copy_exact, exactly};
pub use operations::Role;
pub use operations::document::media::{Own as OwnDocument, sizes_here};
pub use placement::{PlacedBuffer, Placement};
pub use proof::{guarded, outputs_to_store, panic_message, prove, proved_with};
pub use region::{Timed, clock_cost};
pub use stored::Digest;
pub use suite::{Backend, Cell, Implementation, Registration, Scope, Suite, every_contest};
