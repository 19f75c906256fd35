//! The operations that are there for a scenario: messages in pieces, keys from one random source, documents. With
//! `CRYPTOBENCH_SCENARIO=NAME` the whole of one scenario, also what other targets measure by default.

use cryptobench_schema::Family;
use std::process::ExitCode;

fn main() -> ExitCode {
    cryptobench_benches::main("scenarios", Family::Scenarios)
}
