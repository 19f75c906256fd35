//! METHODOLOGY.md says of each operation what the suite says of it.

use cryptobench_schema::{Algorithm, Operation, Unit, sizes};
use std::fmt::Write as _;

fn table() -> String {
    let mut table = String::from("| operation | of | timed | not timed |\n|---|---|---|---|\n");
    for operation in Operation::ALL {
        let families: Vec<&str> = operation.families().map(|family| family.title()).collect();
        let _ = writeln!(
            table,
            "| `{operation}` | {} | {} | {} |",
            families.join(", "),
            operation.timed(),
            operation.untimed()
        );
    }
    table
}

#[test]
fn the_table_of_operations_is_there() {
    let methodology = include_str!("../../../METHODOLOGY.md");
    let table = table();
    assert!(methodology.contains(&table), "METHODOLOGY.md has not this table:\n\n{table}");
}

#[test]
fn default_sizes_are_sizes() {
    for algorithm in Algorithm::all() {
        for &operation in algorithm.operations() {
            let Some(sizes) = sizes(algorithm, operation) else { continue };
            for default in sizes.default {
                assert!(sizes.all.contains(default), "{algorithm}/{operation}: {default}");
            }
            for size in sizes.all {
                assert!(sizes.unit.all_sizes().contains(size), "{algorithm}/{operation}: {size}");
            }
            assert!(sizes.all.is_sorted() && sizes.default.is_sorted());
        }
    }
    assert!(Unit::Bytes.all_sizes().is_sorted());
}
