# Cryptobench: which implementation of a cryptographic operation is fastest on this machine?

set positional-arguments := true

# What there is
default:
    @just --list --unsorted

# Measure everything, or what a filter selects: just bench 'aes-256-gcm/seal'
bench *arguments:
    #!/usr/bin/env bash
    set -euo pipefail
    selected=$(cargo bench --quiet -- --selected "$@")
    if [ -z "$selected" ]; then
        echo "error: no case is selected by: $*" >&2
        echo "every case: cargo bench -- --list; settings in force: $(env | grep '^CRYPTOBENCH_' | tr '\n' ' ')" >&2
        exit 2
    fi
    cargo bench --no-fail-fast -- "$@"

# Everything, or what a filter selects, at one size, in minutes, without plots: for a look, not for citing
quick *arguments:
    #!/usr/bin/env bash
    set -euo pipefail
    # A directory of its own, so that a look does not replace results to keep. Absolute, since Cargo runs
    # benches elsewhere.
    target=${CARGO_TARGET_DIR:-target}
    case $target in /*) ;; *) target=$PWD/$target ;; esac
    CRITERION_HOME="${CRITERION_HOME:-$target/criterion-quick}" \
        CRYPTOBENCH_SIZES="${CRYPTOBENCH_SIZES:-1024}" CRYPTOBENCH_RSA_BITS="${CRYPTOBENCH_RSA_BITS:-2048}" \
        just bench --noplot --warm-up-time 0.05 --measurement-time 0.2 --sample-size 20 "$@"

# What each library can do, and why not
matrix:
    @cargo bench --quiet -- --matrix

# All tests: public vectors, proofs, files
test *arguments:
    cargo test "$@"

# Formatting and lints, as CI has them
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- --deny warnings
