//! The XML documents of a scenario: made from a seed, examined, and rewritten field by field. Nothing here encrypts,
//! and nothing here measures.

mod examine;
mod generate;
mod name;
mod rewrite;
mod source;

pub use examine::{DocumentError, Survey, examine};
pub use generate::{LEAST, write_catalogue};
pub use rewrite::{RewriteError, rewrite};
