#!/bin/sh
# The tables of docs/evaluation.md about coverage queries: goals, decisions, tests, seconds and memory for each program and query.
# usage: scripts/fql-tables.sh DIRECTORY [paths|locks|drivers|ablation|all]
# DIRECTORY has locks/test_locks_N.c and ntdrivers-simplified/*.cil.c.
set -u
directory=${1:?a directory with locks and ntdrivers-simplified}
what=${2:-all}
tandem=${TANDEM:-target/release/tandem}
limit=${LIMIT:-900s}
bb='@BASICBLOCKENTRY'
nbb='NODES(@BASICBLOCKENTRY)'
report=$(mktemp)
trap 'rm -f "$report"' EXIT

# row NAME FILE QUERY [OPTION...]
row() {
    title=$1; source=$2; query=$3; shift 3
    /usr/bin/time -f '%e %U %M' -o "$report" "$tandem" test "$source" --cover "$query" --time-limit "$limit" --quiet "$@" \
        > "$report.out" 2> /dev/null
    last=$(tail -1 "$report.out" | tr -c '0-9\n' ' ')
    set -- $last $(tail -1 "$report")
    echo "| $title | ${4:-} | ${1:-} | ${2:-} | ${3:-} | ${5:-} | ${6:-} | ${7:-} | $(( ${8:-0} / 1024 )) |"
    rm -f "$report.out"
}

head_of() {
    printf '\n%s\n\n' "$1"
    echo '| | goals | covered | infeasible | open | tests | s | CPU s | MB |'
    echo '|---|---|---|---|---|---|---|---|---|'
}

if [ "$what" = paths ] || [ "$what" = all ]; then
    head_of 'Bounded paths of locks_1'
    for n in 1 2 3 4 5 6 7 8 9; do
        row "PATHS(ID, $n)" "$directory/locks/test_locks_1.c" "cover PATHS(ID, $n)"
    done
fi
if [ "$what" = locks ] || [ "$what" = all ]; then
    head_of 'Pairs and triples of basic blocks'
    for n in 5 6 7 8 9; do
        row "locks_$n BB^2" "$directory/locks/test_locks_$n.c" "cover $bb->$bb"
        row "locks_$n BB^3" "$directory/locks/test_locks_$n.c" "cover $bb->$bb->$bb"
    done
fi
if [ "$what" = drivers ] || [ "$what" = all ]; then
    head_of 'Drivers'
    for file in "$directory"/ntdrivers-simplified/*.c; do
        name=$(basename "$file" .cil.c)
        row "$name BB" "$file" "cover $bb"
        row "$name BB^2" "$file" "cover $bb->$bb"
        row "$name NBB^2" "$file" "cover $nbb->$nbb"
    done
fi
if [ "$what" = ablation ] || [ "$what" = all ]; then
    head_of 'Pairs of basic blocks, with something left out'
    for file in ${ABLATION:-"$directory/ntdrivers-simplified/kbfiltr_simpl1.cil.c"}; do
        name=$(basename "$file" .cil.c)
        row "$name, all" "$file" "cover $bb->$bb"
        for left in random batches propagation arg-reuse predicate-reuse replay minimisation order; do
            row "$name, without $left" "$file" "cover $bb->$bb" --without "$left"
        done
        row "$name, without all of them" "$file" "cover $bb->$bb" \
            --without random,batches,propagation,arg-reuse,predicate-reuse,replay,minimisation
    done
fi
