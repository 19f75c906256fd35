#!/usr/bin/env bash
# How long `cryptobench compare A B` takes on two records of 5,000 cases in 5 rounds, against critcmp on two of
# Criterion's baselines with the same ids. In turn, since a machine drifts. Needs critcmp: cargo install critcmp
set -euo pipefail
cd "$(dirname "$0")/.."

cases=${1:-5000}
rounds=${2:-5}
repetitions=${3:-15}
command -v critcmp >/dev/null || { echo "error: critcmp is missing: cargo install critcmp" >&2; exit 2; }

cargo build --quiet --release --package cryptobench
cargo build --quiet --release --package cryptobench-results --example synthetic
target=${CARGO_TARGET_DIR:-target}
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

for seed in 1 2; do
    "$target/release/examples/synthetic" record "$directory/plain-$seed.json" "$cases" "$rounds" "$seed"
    "$target/release/examples/synthetic" record "$directory/kept-$seed.json.zst" "$cases" "$rounds" "$seed"
    "$target/release/examples/synthetic" criterion "$directory/target/criterion" "side$seed" "$cases" "$seed"
done >&2

# Microseconds of one call, whose output nobody reads.
once() {
    local start=${EPOCHREALTIME/[.,]/}
    "$@" >/dev/null 2>"$directory/said" || { code=$?; [ "$code" -ne 2 ] || { cat "$directory/said" >&2; exit 2; }; }
    local end=${EPOCHREALTIME/[.,]/}
    echo $((end - start))
}

for _ in $(seq "$repetitions"); do
    once "$target/release/cryptobench" compare "$directory/plain-1.json" "$directory/plain-2.json" >>"$directory/plain"
    once "$target/release/cryptobench" compare "$directory/kept-1.json.zst" "$directory/kept-2.json.zst" >>"$directory/kept"
    once critcmp --target-dir "$directory/target" side1 side2 >>"$directory/critcmp"
done

median() { sort -n "$1" | sed -n "$((repetitions / 2 + 1))p"; }
plain=$(median "$directory/plain")
kept=$(median "$directory/kept")
other=$(median "$directory/critcmp")
echo "| $cases ids, median of $repetitions calls in turn | ms | against critcmp |"
echo "|---|--:|--:|"
printf '| critcmp, two baselines | %d.%d | 1.00 |\n' $((other / 1000)) $((other % 1000 / 100))
printf '| compare, two records of %d rounds | %d.%d | %d.%02d |\n' "$rounds" $((plain / 1000)) $((plain % 1000 / 100)) \
    $((plain / other)) $((plain * 100 / other % 100))
printf '| compare, the same compressed | %d.%d | %d.%02d |\n' $((kept / 1000)) $((kept % 1000 / 100)) \
    $((kept / other)) $((kept * 100 / other % 100))
