#!/usr/bin/env bash
# Component-based CEGAR with each component as a process of its own, and nothing but exchange automata in files between them.
# Says the same as `tandem run cc-gia`, in the same words; the exit status is the same, too.
#
#   scripts/cc-gia-by-files.sh FILE [OPTION OF TANDEM...]
#
# The automata are those of this very run, and so they are trusted. TANDEM is the program to use, ROUNDS how often it goes round at most.
set -uo pipefail

if [ $# -lt 1 ]; then
    echo "usage: scripts/cc-gia-by-files.sh FILE [OPTION...]" >&2
    exit 2
fi
tandem=${TANDEM:-tandem}
rounds=${ROUNDS:-100}
file=$1
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Runs one component; ends everything if it has the answer, or if something is wrong.
component() {
    local name=$1 given=$2 output=$3
    shift 3
    local said status
    said=$("$tandem" run "$name" "$file" ${given:+--given "$given" --trust gia} --output "$output" --quiet "$@")
    status=$?
    if [ $status -ne 3 ]; then
        echo "$said"
        exit $status
    fi
    last=$said
}

known=
for ((round = 1; round <= rounds; round++)); do
    component explorer "$known" "$work/explored" "$@"
    if ! grep -qs 'mark: candidate' "$work/explored/gia.yml"; then
        echo "$last"
        exit 3
    fi
    component feasibility "$work/explored/gia.yml" "$work/checked" "$@"
    component refiner "$work/explored/gia.yml" "$work/refined" "$@"
    cp "$work/refined/gia.yml" "$work/reason.yml"
    if [ -z "$known" ]; then
        cp "$work/reason.yml" "$work/next.yml"
    else
        "$tandem" gia combine "$known" "$work/reason.yml" --program "$file" --output "$work/next.yml" "$@" || exit $?
    fi
    # Without a new reason the next round would be the same.
    if [ -n "$known" ] && cmp -s "$known" "$work/next.yml"; then
        break
    fi
    known=$work/known.yml
    cp "$work/next.yml" "$known"
    rm -rf "$work/explored" "$work/checked" "$work/refined"
done
echo "Verdict: UNKNOWN (the plan came to its end)"
exit 3
