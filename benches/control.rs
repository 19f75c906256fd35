//! The harness measuring itself.

use cryptobench_schema::Family;
use std::process::ExitCode;

fn main() -> ExitCode {
    cryptobench_benches::main("control", Family::Control)
}
