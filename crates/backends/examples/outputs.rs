//! Prints `crates/harness/fixtures/outputs.sha256` anew, where all compiled-in backends agree on it:
//! after an algorithm or a size has been added.
//!
//! `cargo run -p cryptobench-backends --example outputs > /tmp/outputs.sha256`, and then in its place.

fn main() -> Result<(), cryptobench_harness::Failure> {
    let lines = cryptobench_harness::outputs_to_store(&cryptobench_backends::suite())?;
    print!("{lines}");
    Ok(())
}
