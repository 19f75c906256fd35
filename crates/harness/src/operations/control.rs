//! The harness measuring itself: `empty`, `copy`, `nonce`, `random`.

use super::Proof;
use crate::{
    Failure, Placement, Timed, guarded, inputs, placement::PlacedBuffer, region::repeated,
};
use cryptobench_schema::Operation;
use std::{hint::black_box, time::Duration};

/// Something that is not cryptography, timed the same way.
pub trait Procedure: 'static {
    /// Makes it ready.
    fn new() -> Self
    where
        Self: Sized;

    /// Does it once. `input` and `output` have the size of the case, or 16 bytes where it has none.
    ///
    /// # Errors
    ///
    /// Whatever the system reports.
    fn call(&mut self, input: &[u8], output: &mut [u8]) -> Result<(), Failure>;
}

/// A [`Procedure`] with its type erased.
#[derive(Debug, Clone, Copy)]
pub struct ControlImplementation {
    new: fn() -> Box<dyn Procedure>,
    timed: fn(usize) -> Box<dyn Timed>,
}

/// Bytes of the buffers where the operation has no size.
const UNSIZED: usize = 16;

impl ControlImplementation {
    /// The implementation that `P` is.
    #[must_use]
    pub fn of<P: Procedure>() -> Self {
        Self {
            new: || Box::new(P::new()),
            timed: |size| {
                Box::new(Control {
                    procedure: P::new(),
                    message: inputs::bytes("plaintext", size),
                    input: PlacedBuffer::new(size),
                    output: PlacedBuffer::new(size),
                })
            },
        }
    }

    pub(crate) fn timed(&self, size: Option<usize>) -> Box<dyn Timed> {
        (self.timed)(size.unwrap_or(UNSIZED))
    }
}

struct Control<P> {
    procedure: P,
    message: Vec<u8>,
    /// A copy depends on where it copies from as much as on where it copies to.
    input: PlacedBuffer,
    output: PlacedBuffer,
}

impl<P: Procedure> Timed for Control<P> {
    fn time(&mut self, iterations: u64, placement: Placement) -> Result<Duration, Failure> {
        let input = self.input.at(placement);
        input.copy_from_slice(&self.message);
        let output = self.output.at(placement);
        repeated(iterations, placement, || {
            let procedure = black_box(&mut self.procedure);
            procedure.call(black_box(&*input), black_box(&mut *output))
        })
    }
}

/// Proves that a control does what its name says, and nothing else.
pub(crate) fn prove(
    operation: Operation,
    size: Option<usize>,
    implementations: &[&ControlImplementation],
) -> Vec<Proof> {
    implementations
        .iter()
        .map(|implementation| {
            guarded(|| {
                let mut procedure = (implementation.new)();
                let input = inputs::bytes("plaintext", size.unwrap_or(UNSIZED));
                let untouched = vec![0x5a; input.len()];
                let mut outputs = [untouched.clone(), untouched.clone()];
                for output in &mut outputs {
                    procedure.call(&input, output)?;
                }
                let good = match operation {
                    Operation::Copy => outputs.iter().all(|output| *output == input),
                    Operation::Empty => outputs.iter().all(|output| *output == untouched),
                    Operation::Nonce | Operation::Random => {
                        outputs[0] != outputs[1]
                            && outputs.iter().all(|output| *output != untouched)
                    }
                    _ => false,
                };
                if good {
                    Ok(())
                } else {
                    Err(Failure::wrong(format!("this is not `{operation}`")))
                }
            })
        })
        .collect()
}
