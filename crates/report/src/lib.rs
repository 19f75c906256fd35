//! How results are shown: the page, a summary in Markdown, and what these and the terminal have in common: units, words
//! made safe, the facts of an environment. What results are is computed in the results.

pub mod absent;
mod cast;
mod chart;
pub mod facts;
pub mod markdown;
pub mod page;
mod palette;
pub mod scenario;
pub mod splice;
pub mod text;
pub mod units;

pub use cast::Labels;
