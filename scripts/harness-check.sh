#!/usr/bin/env bash
# Compiles the harness of every violation together with its program, runs it, and checks that it reaches the error. A long
# check: with a task set it verifies all its tasks first.
#
# usage: scripts/harness-check.sh DIR-OR-SET...
#   DIR   the --output directory of a `tandem bench` run (with results.json)
#   SET   a task set (.set) or a task definition (.yml), which is run first, with the options in $TANDEM_BENCH (default:
#         --time-limit 20s)
#
# The error is reached if the process ends with status 107, or by abort (an assertion of the program itself). A violation that
# needs values of uninitialised memory cannot be shown by a harness: it is counted on its own. Needs gcc (with
# gcc-multilib for ILP32) and jq. Exit status: 0 all errors are reached, 1 some are not, 2 bad usage.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
for needed in gcc jq timeout; do
    if ! command -v "$needed" >/dev/null; then
        echo "harness-check: $needed is needed" >&2
        exit 2
    fi
done
if [ $# -eq 0 ]; then
    sed -n '5,8s/^# *//p' "$0" >&2
    exit 2
fi
# shellcheck source=scripts/sandbox.sh
. "$root/scripts/sandbox.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# check PROGRAM MODEL DIRECTORY: prints what came of it, in one word and a message.
check() {
    local program=$1 model=$2 directory=$3 status=0 flags=()
    if [ "$model" = ILP32 ]; then flags=(-m32); fi
    if [ ! -f "$directory/harness.c" ]; then
        echo "failed there is no harness.c"
        return
    fi
    if ! gcc "${flags[@]}" -std=gnu11 -fgnu89-inline -w "$program" "$directory/harness.c" -lm -o "$work/run" 2>"$work/gcc"; then
        echo "failed gcc: $(grep -m 1 -E 'error|undefined' "$work/gcc" || head -n 1 "$work/gcc")"
        return
    fi
    chmod 755 "$work" "$work/run"
    sandboxed 20 "$work/run" >/dev/null || status=$?
    case $status in
    107 | 134) echo "reached" ;;
    124 | 137) echo "failed it does not end" ;;
    *) echo "failed it ends with status $status" ;;
    esac
}

reached=0 excused=0 failed=0
check_results() {
    local results=$1/results.json name program model word message
    while IFS=$'\t' read -r name program model; do
        read -r word message < <(check "$program" "$model" "$1/$name")
        if [ "$word" = reached ]; then
            reached=$((reached + 1))
        elif jq -e '[.notes[]?.kind] | index("uninitialised")' "$1/$name/statistics.json" >/dev/null 2>&1; then
            excused=$((excused + 1))
            echo "uninitialised memory: $name ($message)"
        else
            failed=$((failed + 1))
            echo "NOT REACHED: $name ($message)"
        fi
    done < <(jq -r '.tasks[] | select(.verdict == "FALSE") | [.name, .program, .data_model // "LP64"] | @tsv' "$results")
}

number=0
for given in "$@"; do
    if [ -f "$given/results.json" ]; then
        check_results "$given"
    elif [ -f "$given" ]; then
        number=$((number + 1))
        (cd "$root" && cargo build --release --quiet)
        tandem="${CARGO_TARGET_DIR:-$root/target}/release/tandem"
        # A wrong verdict is the business of `bench`; here its harness counts.
        # shellcheck disable=SC2086
        "$tandem" bench "$given" ${TANDEM_BENCH:---time-limit 20s} --output "$work/bench-$number" || true
        check_results "$work/bench-$number"
    else
        echo "harness-check: $given is neither a directory with results.json nor a task set" >&2
        exit 2
    fi
done
echo "$reached reached, $excused need uninitialised memory, $failed not reached"
[ "$failed" -eq 0 ]
