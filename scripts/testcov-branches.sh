#!/usr/bin/env bash
# Asks TestCov how many branches the tests of programs cover, and compares: its share must be that of Tandem, and all the rest be proved unreachable. A check of
# a minute.
#
# usage: scripts/testcov-branches.sh TESTCOV FILE...
#   TESTCOV  the program (PyPI package TestCov; needs lcov, clang-tidy, zip)
#   FILE     C sources or task definitions
#
# Exit status: 0 all agree and nothing is open, 1 some do not, 2 bad usage.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -lt 2 ]; then
    sed -n '5,7s/^# *//p' "$0" >&2
    exit 2
fi
testcov=$1
shift
tandem=$(realpath "${TANDEM:-${CARGO_TARGET_DIR:-$root/target}/release/tandem}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
bad=0
for file in "$@"; do
    at=$work/$(basename "$file")
    mkdir -p "$at"
    program=$file model=-64
    if [ "${file%.yml}" != "$file" ]; then
        program=$(dirname "$file")/$(sed -n "s/^input_files: *['\"]\{0,1\}\([^'\"]*\)['\"]\{0,1\} *$/\1/p" "$file")
        if grep -q 'data_model: *ILP32' "$file"; then model=-32; fi
    fi
    "$tandem" test "$file" --cover branches --time-limit "${TANDEM_LIMIT:-10s}" --threads 2 --output "$at/out" --quiet --json >"$at/said"
    # It links the program: the error function needs a body.
    {
        cat "$program"
        for name in __VERIFIER_error reach_error; do
            if grep -qE "\\<$name\\>" "$program" && ! grep -qE "\\<$name *\([^;]*\) *\{" "$program"; then
                echo "extern void exit(int); void $name() { exit(1); }"
            fi
        done
    } >"$at/program.c"
    (cd "$at/out/test-suite" && zip -q "$at/suite.zip" ./*)
    echo 'COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )' >"$at/goal.prp"
    (cd "$at" && timeout 120 "$testcov" --no-isolation --no-runexec --no-plots "$model" --goal goal.prp --test-suite suite.zip program.c) >"$at/log" 2>&1 || true
    measured=$(sed -nE 's/.*Coverage: *([0-9.]+)%.*/\1/p' "$at/log" | tail -n 1)
    line=$(jq -r --arg measured "${measured:-none}" '
        ((.covered / .goals * 10000 | round) / 100) as $here |
        [.goals, .covered, .unreachable, .open, .tests, (.time_s * 100 | round / 100), $here, $measured,
         (if .open == 0 and ($measured | tonumber? // -1 | . - $here | fabs) < 0.02 then "agree" else "DIFFER" end)] | map(tostring) | join(" ")' "$at/said")
    echo "$(basename "$program") goals covered unreachable open tests s percent TestCov: $line"
    case $line in *agree) ;; *) bad=1 ;; esac
done
exit $bad
