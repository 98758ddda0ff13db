#!/usr/bin/env bash
# Runs `tandem cfa` on every task definition of a benchmark directory and on every C file of its folder fql/, and reports how
# many succeed and why the others do not.
#
# usage: scripts/cfa-all.sh [DIRECTORY]    (default: $TANDEM_BENCHMARKS, or ../shared/benchmarks beside the repository)
set -euo pipefail
cd "$(dirname "$0")/.."

directory=${1:-${TANDEM_BENCHMARKS:-../shared/benchmarks}}
if [ ! -d "$directory" ]; then
    echo "cfa-all: there is no directory $directory" >&2
    exit 2
fi
cargo build --release --quiet
tandem="${CARGO_TARGET_DIR:-target}/release/tandem"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run_one() {
    local file=$1 number=$2 status=0
    "$tandem" cfa "$file" --time-limit 60s >/dev/null 2>"$work/$number.message" || status=$?
    echo "$status $file $number" >"$work/$number.status"
}
export -f run_one
export tandem work

list() { find "$directory" -name '*.yml' | sort; find "$directory/fql" -name '*.c' 2>/dev/null | sort; }
list | awk '{ print $0, NR }' | xargs -P "$(nproc)" -L 1 bash -c 'run_one "$0" "$1"'

total=$(cat "$work"/*.status | wc -l)
good=$(grep -l '^0 ' "$work"/*.status | wc -l)
for failed in $(grep -L '^0 ' "$work"/*.status || true); do
    read -r status file number <"$failed"
    echo "exit $status: $file"
    sed 's/^/    /' "$work/$number.message"
done
awk -v good="$good" -v total="$total" 'BEGIN { printf "%d of %d succeed (%.1f %%)\n", good, total, 100 * good / total }'
