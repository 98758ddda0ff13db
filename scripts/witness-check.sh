#!/usr/bin/env bash
# Validates the witnesses of a `tandem bench` run: of every violation, and of every proof once by all analyses and once without the one
# that wrote it. A long check.
#
# usage: scripts/witness-check.sh DIR TASKS
#   DIR    the --output directory of a `tandem bench` run (with results.json)
#   TASKS  the directory that the names of its tasks are relative to
#
# Each witness gets ten times the time that its verdict took, at least 5 and at most 60 seconds, and two threads.
# Needs jq. Exit status: 0 no witness is rejected, 1 some are, 2 bad usage.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -ne 2 ] || [ ! -f "$1/results.json" ] || [ ! -d "$2" ]; then
    sed -n '5,7s/^# *//p' "$0" >&2
    exit 2
fi
export directory=$1 tasks=$2
export tandem="${TANDEM:-${CARGO_TARGET_DIR:-$root/target}/release/tandem}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# validate NAME VERDICT: a line with the verdict, who wrote it, and what became of each question.
validate() {
    local name=$1 verdict=$2 limit writer answers=""
    local at=$directory/$name
    if [ ! -f "$at/witness.yml" ]; then
        echo "$verdict - none none none $name"
        return
    fi
    limit=$(jq -r '[[.time_s * 10, 5] | max, 60] | min' "$at/statistics.json")
    writer=$(jq -r .analysis "$at/statistics.json")
    ask() {
        local status=0
        "$tandem" witness validate "$@" "$tasks/$name.yml" --threads 2 --time-limit "${limit}s" >/dev/null 2>&1 || status=$?
        case $status in
        0) echo confirmed ;;
        1) echo REJECTED ;;
        3) echo unknown ;;
        *) echo "failed-$status" ;;
        esac
    }
    answers="$(ask "$at/witness.yml") $(ask "$at/witness.graphml")"
    if [ "$verdict" = TRUE ]; then
        answers="$answers $(ask "$at/witness.yml" --without "$writer")"
    else
        answers="$answers -"
    fi
    echo "$verdict $writer $answers $name"
}
export -f validate

jq -r '.tasks[] | select(.verdict == "TRUE" or .verdict == "FALSE") | .name + " " + .verdict' "$directory/results.json" |
    xargs -L 1 bash -c 'validate "$0" "$1"' >"$work/lines"
sort "$work/lines" | grep -v ' confirmed confirmed \(confirmed\|-\) ' || true
count() { awk -v verdict="$1" -v column="$2" -v word="$3" '$1 == verdict && $column == word' "$work/lines" | wc -l; }
for verdict in TRUE FALSE; do
    all=$(awk -v verdict="$verdict" '$1 == verdict' "$work/lines" | wc -l)
    echo "$verdict: $all; format 2.0: $(count $verdict 3 confirmed) confirmed, $(count $verdict 3 REJECTED) rejected;" \
        "format 1.0: $(count $verdict 4 confirmed) confirmed, $(count $verdict 4 REJECTED) rejected;" \
        "by others than the writer: $(count $verdict 5 confirmed) confirmed, $(count $verdict 5 REJECTED) rejected"
done
! grep -q REJECTED "$work/lines"
