#!/usr/bin/env bash
# How long `cryptobench report` takes for a kept record of 5,000 cases in 7 rounds and how much memory, held against the
# goals of 1 s and 200 MB; and how long Criterion takes for its own pages of the same cases. Criterion writes pages only
# while it runs, so it runs over made-up times with and without them, over some of the cases, scaled to all.
# Peak memory needs python3.
set -euo pipefail
cd "$(dirname "$0")/.."

cases=${1:-5000}
rounds=${2:-7}
repetitions=${3:-15}
some=${4:-100}

cargo build --quiet --release --package cryptobench
cargo build --quiet --release --package cryptobench-results --example synthetic
target=${CARGO_TARGET_DIR:-target}
synthetic=$target/release/examples/synthetic
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

# Microseconds of one call, which leaves what it says in `said`.
once() {
    local start=${EPOCHREALTIME/[.,]/}
    "$@" >"$directory/said" 2>"$directory/trouble" || { cat "$directory/trouble" >&2; exit 2; }
    local end=${EPOCHREALTIME/[.,]/}
    echo $((end - start))
}

report() { "$target/release/cryptobench" report "$directory/$1.json.zst" --output "$directory/$1.html"; }

# The most memory of one report of the record $1, in kB of 1,000 bytes.
memory() {
    python3 - "$target/release/cryptobench" report "$directory/$1.json.zst" --output "$directory/$1.html" <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
# KiB, on macOS bytes.
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print((most if sys.platform == "darwin" else most * 1024) // 1000)
END
}

median() { sort -n "$1" | sed -n "$((($(wc -l <"$1") + 1) / 2))p"; }
# $1 thousandths with one digit after the point.
tenths() { printf '%d.%d' $(($1 / 1000)) $(($1 % 1000 / 100)); }

few=$((cases / 5))
"$synthetic" record "$directory/few.json.zst" "$few" "$rounds"
"$synthetic" record "$directory/all.json.zst" "$cases" "$rounds"

for _ in $(seq "$repetitions"); do
    once report few >>"$directory/few"
    once report all >>"$directory/all"
done
# Once each: the difference is larger than any noise.
whole=$(once "$synthetic" html "$directory/pages" "$some" "$cases")
some_done=$(tail -n 1 "$directory/said")
noplot=$(once "$synthetic" noplot "$directory/no-pages" "$some" "$cases")

echo "| cryptobench report, $rounds rounds, median of $repetitions calls | ms | MB of memory at most | MB of page |"
echo "|---|--:|--:|--:|"
for size in few all; do
    memory="unknown without python3"
    if command -v python3 >/dev/null; then
        most=$(memory "$size")
        memory=$(tenths "$most")
    fi
    of=$cases
    if [ "$size" = few ]; then of=$few; fi
    page=$(($(wc -c <"$directory/$size.html") / 1000))
    echo "| $of cases | $(tenths "$(median "$directory/$size")") | $memory | $(tenths "$page") |"
done
echo "| goal for 5000 cases in 7 rounds | 1000.0 | 200.0 | |"
echo
all=$(median "$directory/all")
echo "| Criterion, made-up times of $some_done cases, once | s | s, scaled to $cases cases | over the report |"
echo "|---|--:|--:|--:|"
row() {
    local scaled=$(($2 * cases / some_done))
    echo "| $1 | $(tenths $(($2 / 1000))) | $(tenths $((scaled / 1000))) | $((scaled / all)) |"
}
row "analysis and pages" "$whole"
row "analysis alone (--noplot)" "$noplot"
row "pages: the difference" $((whole - noplot))
