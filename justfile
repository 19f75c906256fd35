# Cryptobench: which implementation of a cryptographic operation is fastest on this machine, and did it change?

set positional-arguments := true

cryptobench := "cargo run --quiet --release --package cryptobench --"

# What there is
default:
    @just --list --unsorted

# Measure, and keep record and program to compare with later: just baseline, just baseline before 'aes-256-gcm'
[no-exit-message]
baseline name="baseline" filter="" *options:
    @name=$1 filter=$2; shift 2; case $filter in -*) set -- "$filter" "$@"; filter= ;; esac; \
        {{ cryptobench }} baseline "$name" ${filter:+--filter "$filter"} "$@"

# Did it change? The program of a baseline and the current one, in turn: just compare baseline 'aes-256-gcm'
[no-exit-message]
compare name filter="" *options:
    @name=$1 filter=$2; shift 2; case $filter in -*) set -- "$filter" "$@"; filter= ;; esac; \
        {{ cryptobench }} compare "$name" ${filter:+--filter "$filter"} "$@"

# Measure backends against each other, slice by slice in turn: just run --filter 'aes-256-gcm/seal'
[no-exit-message]
run *arguments:
    @{{ cryptobench }} run "$@"

# The order of a record's backends, contest by contest: just rank, just rank NAME
[no-exit-message]
rank *arguments:
    @{{ cryptobench }} rank "$@"

# Two backends, now: just duel ring aws-lc --filter 'gcm/seal'
[no-exit-message]
duel *arguments:
    @{{ cryptobench }} duel "$@"

# An old question, measured and answered: just scenario bulk; keygen, document, gcm-siv; all
[no-exit-message]
scenario name *options:
    @{{ cryptobench }} scenario "$@"

# The page that shows records, reports/index.html: just report, just report before after
[no-exit-message]
report *arguments:
    @{{ cryptobench }} report "$@"

# With Criterion, everything or what a filter selects: just bench 'aes-256-gcm/seal'
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

# With Criterion, at one size, in minutes, without plots: for a look, not for citing
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

# What the suite promises held against this machine, everything or some parts: just calibrate placement
calibrate *parts:
    #!/usr/bin/env bash
    set -euo pipefail
    target=${CARGO_TARGET_DIR:-target}
    case $target in /*) ;; *) target=$PWD/$target ;; esac
    kept=$target/calibrate
    mkdir -p "$kept"
    # One after another: together, Cargo would choose features of what they share for both.
    cargo build --release --package cryptobench
    cp -f "$target/release/cryptobench" "$kept/cryptobench"
    cargo build --release --package cryptobench-worker
    # Aside, since the next one takes its place.
    cp -f "$target/release/cryptobench-worker" "$kept/worker"
    cargo build --release --package cryptobench-worker --features planted
    cp -f "$target/release/cryptobench-worker" "$kept/planted-worker"
    arguments=(--cryptobench "$kept/cryptobench" --worker "$kept/worker" --planted-worker "$kept/planted-worker")
    criterion=${CRITERION_HOME:-$target/criterion}
    if [ -d "$criterion/cryptobench" ]; then arguments+=(--criterion "$criterion"); fi
    cargo run --quiet --release --package cryptobench-runner --example calibrate -- "${arguments[@]}" "$@"

# Formatting and lints, as CI has them
lint:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets -- --deny warnings

# How long `compare` takes for two records, against critcmp (cargo install critcmp)
against-critcmp *arguments:
    @benches/against-critcmp.sh "$@"

# How long `report` takes for 5,000 cases and how much memory, and how long Criterion takes for its pages of the same
page-speed *arguments:
    @benches/page-speed.sh "$@"
