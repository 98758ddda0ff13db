#!/usr/bin/env bash
# Compares test generation by two workers behind a server with that by two threads of one process. A long check.
#
# usage: scripts/same-elsewhere.sh TASKS OUT [TIME] [EVERY]
#   TASKS  a directory with .set files
#   OUT    a directory for the figures; what is there already is not measured again
#   TIME   for each task, 3s unless told
#   EVERY  of each set one line of so many is taken, 4 unless told
#
# Branches are to be covered. Both ways take their turns on each task. Needs nats-server; starts one of its own.
# Exit status: 0 the workers cover at least 98 % of what the threads cover in sum, 1 less, 2 bad usage.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -lt 2 ] || ! ls "$1"/*.set >/dev/null 2>&1; then
    sed -n '4,8s/^# *//p' "$0" >&2
    exit 2
fi
tasks=$(realpath "$1")
mkdir -p "$2/here" "$2/there"
out=$(realpath "$2")
limit=${3:-3s} every=${4:-4}
tandem=$(realpath "${TANDEM:-${CARGO_TARGET_DIR:-$root/target}/release/tandem}")

store=$(mktemp -d)
started=()
leave() {
    kill "${started[@]}" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$store"
}
trap leave EXIT
port=$((20000 + $$ % 20000))
url=nats://127.0.0.1:$port
nats-server -a 127.0.0.1 -p "$port" -js -sd "$store" >"$out/server.log" 2>&1 &
started+=($!)
sleep 1
for _ in 1 2; do
    "$tandem" worker --nats "$url" --threads 1 --quiet >>"$out/workers.log" 2>&1 &
    started+=($!)
done
sleep 1

# The last line of a run: `Coverage: C covered, U unreachable, O open of G goals, T tests`.
one() {
    local to=$1/${2//\//_}
    shift 2
    if [ ! -s "$to" ]; then
        "$tandem" test "$@" --cover branches --time-limit "$limit" --quiet 2>/dev/null | tail -n 1 >"$to" || true
    fi
}

for set in "$tasks"/*.set; do
    awk -v every="$every" 'NF && !/^#/ && n++ % every == 0' "$set" | while read -r name; do
        one "$out/here" "$name" "$tasks/$name" --threads 2
        one "$out/there" "$name" "$tasks/$name" --nats "$url"
    done
done

numbers() { sed -nE 's/^Coverage: ([0-9]+) covered, ([0-9]+) unreachable, ([0-9]+) open of ([0-9]+) .*/\1 \2 \4/p' "$1"; }
for file in "$out"/here/*; do
    name=$(basename "$file")
    read -r covered unreachable all < <(numbers "$file") || continue
    read -r covered_there unreachable_there _ < <(numbers "$out/there/$name") || { covered_there=0 unreachable_there=0; }
    echo "$name $covered $covered_there $unreachable $unreachable_there $all"
done >"$out/table"
awk '{ same += $2 == $3; less += $3 < $2; here += $2; there += $3; proved += $4; proved_there += $5; all += $6
       part = $6 ? $2 / $6 : 1; mean += part; part = $6 ? $3 / $6 : 1; mean_there += part }
     $3 * 20 < $2 * 19 { print "less: " $1 ": " $3 " instead of " $2 " of " $6 }
     END { printf "%d tasks, %d with the same number of branches covered, %d with fewer by workers\n", NR, same, less
           printf "covered: %d by threads, %d by workers, of %d; in the mean %.1f and %.1f %%\n", here, there, all, 100 * mean / NR, 100 * mean_there / NR
           printf "proved unreachable: %d and %d\n", proved, proved_there
           exit there < 0.98 * here }' "$out/table"
