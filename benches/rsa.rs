//! RSA key generation and signatures.

use cryptobench_schema::Family;
use std::process::ExitCode;

fn main() -> ExitCode {
    cryptobench_benches::main("rsa", Family::Rsa)
}
