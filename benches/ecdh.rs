//! Diffie-Hellman on elliptic curves.

use cryptobench_schema::Family;
use std::process::ExitCode;

fn main() -> ExitCode {
    cryptobench_benches::main("ecdh", Family::Ecdh)
}
