//! AES in ECB, CBC, CTR and XTS.

use cryptobench_schema::Family;
use std::process::ExitCode;

fn main() -> ExitCode {
    cryptobench_benches::main("aes_modes", Family::BlockModes)
}
