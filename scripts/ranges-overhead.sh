#!/usr/bin/env bash
# How much longer a ranged run takes than its faster member, on tasks that this solves in under a second. Some minutes.
#
# usage: scripts/ranges-overhead.sh TASKS ALONE
#   TASKS  the directory that the names of the tasks are relative to
#   ALONE  a directory with the --output of `tandem bench --analysis NAME` in NAME: value, symbolic, bmc, predicate (scripts/evaluate.sh, part alone)
#
# Each run is repeated three times, members and combination in turns; the middle one counts. Nothing else should run on the machine meanwhile.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -ne 2 ] || [ ! -f "$2/value/results.json" ]; then
    sed -n '4,7s/^# *//p' "$0" >&2
    exit 2
fi
tasks=$(realpath "$1")
alone=$(realpath "$2")
work=$(mktemp)
trap 'rm -f "$work"' EXIT
tandem=$(realpath "${TANDEM:-${CARGO_TARGET_DIR:-$root/target}/release/tandem}")

# Milliseconds of one run.
run() {
    local start=${EPOCHREALTIME/./}
    "$tandem" verify "$tasks/$1.yml" --threads 2 --time-limit 10s --quiet "${@:2}" >/dev/null 2>&1 || [ $? -ne 2 ]
    echo $(((${EPOCHREALTIME/./} - start) / 10)) | sed 's/..$/.&/'
}

middle() { sort -n | sed -n 2p; }

for row in bmc,predicate symbolic,predicate value,value symbolic,symbolic; do
    mapfile -t members < <(tr , '\n' <<<"$row" | sort -u)
    for member in "${members[@]}"; do
        jq -r --arg by "$member" '.tasks[] | select((.verdict == "TRUE" or .verdict == "FALSE") and .time_s < 1) | "\(.name) \($by)"' "$alone/$member/results.json"
    done | sort | awk '{ by[$1] = by[$1] " " $2 } END { for (name in by) print name by[name] }' | sort | while read -r name fast; do
        ranged=() && declare -A single=()
        for _ in 1 2 3; do
            for member in $fast; do single[$member]+="$(run "$name" --analysis "$member")"$'\n'; done
            ranged+=("$(run "$name" --analysis "$row" --splitter balanced --ranges 2)")
        done
        least=$(for member in $fast; do printf '%s' "${single[$member]}" | middle; done | sort -n | head -n 1)
        # Some depend on luck: what was quick then may be slow now.
        if [ "${least%.*}" -lt 1000 ]; then echo "$least $(printf '%s\n' "${ranged[@]}" | middle) $name"; fi
        unset single
    done >"$work"
    awk '{ print $2 / $1 }' "$work" | sort -n | awk -v row="$row" '{ all[NR] = $1; more += $1 > 1.2 } END {
        printf "%s: %d tasks, median %.2f, %d above 1.2", row, NR, all[int((NR + 1) / 2)], more }'
    awk '{ one += $1; two += $2; if ($2 > 1.2 * $1 && $2 - $1 > 10) slower = slower sprintf("\n  %.0f ms, %.0f ms ranged: %s", $1, $2, $3) } END {
        printf "; in sum %.2f%s\n", two / one, slower }' "$work"
done
