#!/usr/bin/env bash
# Makes the tables of docs/evaluation.md: the default plan on all tasks, every analysis alone on every fourth one.
# usage: scripts/evaluate.sh DIRECTORY-OF-SETS OUTPUT [default|alone]
# Takes two hours or more on two cores; nothing else should run on the machine.
set -euo pipefail
sets=$(cd "$1" && pwd)
output=$2
part=${3:-all}
cd "$(dirname "$0")/.."

cargo build --release --quiet
tandem="${CARGO_TARGET_DIR:-target}/release/tandem"
mkdir -p "$output"
if [ "$part" != alone ]; then
    "$tandem" bench "$sets"/*.set --time-limit 20s --threads 2 --output "$output/default"
fi
if [ "$part" != default ]; then
    for analysis in value symbolic predicate bmc k-induction interval; do
        "$tandem" bench "$sets"/*.set --every 4 --analysis "$analysis" --time-limit 10s --threads 2 --output "$output/$analysis"
    done
fi
