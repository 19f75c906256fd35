//! Which adapters are compiled in: one line each, in the order of tables. And what they can do, as a table.

mod matrix;

pub use matrix::matrix;

use cryptobench_harness::Suite;

/// The suite of this program: every backend whose cargo feature is on, and the control.
#[must_use]
pub fn suite() -> Suite {
    let mut suite = Suite::new();
    #[cfg(feature = "rustcrypto")]
    suite.add(cryptobench_rustcrypto::backend());
    #[cfg(feature = "dalek")]
    suite.add(cryptobench_dalek::backend());
    #[cfg(feature = "ring")]
    suite.add(cryptobench_ring::backend());
    #[cfg(feature = "aws-lc")]
    suite.add(cryptobench_aws_lc::backend());
    #[cfg(feature = "openssl-system")]
    suite.add(cryptobench_openssl::backend());
    #[cfg(all(feature = "graviola", any(target_arch = "x86_64", target_arch = "aarch64")))]
    suite.add(cryptobench_graviola::backend());
    suite.add(cryptobench_control::backend());
    suite
}
