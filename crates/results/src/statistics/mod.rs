//! Statistics of rounds: pure functions over slices of numbers.
//! What the numbers measure, and which verdict follows from them, is not known here.
//!
//! Every function documents what it gives for no values, for one, and for values without spread; none panics
//! and none returns NaN. A slice that holds NaN or an infinity has no statistics: `None`.

mod descriptive;
mod estimate;
mod holm;
mod moderation;
mod student;
mod trimmed;

pub use descriptive::{
    FEWEST_FOR_P95, mean, median, p95, quantile, quantile_interval, standard_deviation,
};
pub use estimate::{Estimate, Interval};
pub use holm::holm;
pub use moderation::{Prior, Variance};
pub use student::{upper_quantile, upper_tail};
pub use trimmed::{cut_for, difference_of_trimmed_means, mean_estimate, trimmed_mean};
