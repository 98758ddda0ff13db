#!/bin/sh
# Decides pairs of basic blocks for every C program below a directory, then looks for a goal that was called infeasible and is covered by one of
# many random runs. Prints a line for each program; fails if there is such a goal.
# usage: scripts/fql-recheck.sh DIRECTORY [RUNS] [TIME]
set -u
directory=${1:?a directory with C programs}
runs=${2:-2000}
time=${3:-60s}
tandem=${TANDEM:-target/release/tandem}
failed=0
for file in $(find "$directory" -name '*.c' | sort); do
    out=$("$tandem" test "$file" --cover 'cover @BASICBLOCKENTRY->@BASICBLOCKENTRY' --time-limit "$time" \
        --recheck "$runs" --quiet 2>&1)
    case $out in
    *" 0 contradictions"*) verdict=ok ;;
    *contradictions*) verdict=WRONG; failed=1 ;;
    *) verdict=none ;;
    esac
    echo "$verdict $(basename "$file"): $(echo "$out" | tail -1)"
done
exit $failed
