//! The runner held against `examples/scripted-worker.rs`: what becomes of cases whose worker misbehaves, of runs that
//! are stopped, and of times that are known beforehand. Nothing here asserts how long something takes.

mod arbitrary;
mod faults;
mod numbers;
mod stopping;
mod trial;
