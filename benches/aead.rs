//! Authenticated encryption.

use cryptobench_schema::Family;
use std::process::ExitCode;

fn main() -> ExitCode {
    cryptobench_benches::main("aead", Family::Aeads)
}
