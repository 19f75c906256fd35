//! The commands as a user has them: arguments in, text and exit code out. What is computed is tested in the
//! crates that compute it.

mod checkout;
mod help;
mod made_up;
mod measuring;
mod reading;
mod report;
