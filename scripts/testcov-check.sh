#!/usr/bin/env bash
# Asks TestCov whether the tests for calls of the error reach it. A long check.
#
# usage: scripts/testcov-check.sh DIR TASKS [TESTCOV]
#   DIR      the --output directory of a `tandem bench` run (with results.json): its violations are the tasks
#   TASKS    the directory that the names of its tasks are relative to
#   TESTCOV  the program (PyPI package TestCov; needs lcov, clang-tidy, zip)
#
# For each, `tandem test --cover error-call` has 20 seconds (TANDEM_LIMIT), one task at a time (TANDEM_JOBS); TANDEM_ONLY is a pattern of names. A test that depends on memory that was never written counts for nothing in
# Tandem; whether it reaches the error when TestCov runs it is a matter of chance, and TestCov has the last word here.
# Exit status: 0 at least nine of ten are confirmed, 1 fewer, 2 bad usage.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
if [ $# -lt 2 ] || [ ! -f "$1/results.json" ] || [ ! -d "$2" ]; then
    sed -n '4,7s/^# *//p' "$0" >&2
    exit 2
fi
tasks=$(realpath "$2")
export tasks testcov="${3:-testcov}" limit="${TANDEM_LIMIT:-20s}"
tandem=$(realpath "${TANDEM:-${CARGO_TARGET_DIR:-$root/target}/release/tandem}")
export tandem
work=$(mktemp -d)
export work
trap 'rm -rf "$work"' EXIT

# The inputs that TestCov knows.
export known='char|uchar|short|ushort|int|uint|long|ulong|longlong|ulonglong|float|double|bool|pointer|size_t|u8|u16|u32|U32|unsigned_char|unsigned|string'

# The program as TestCov can link and run it: it puts a body in the place of every line that declares the function, one is enough; it wants inline
# functions that exist; it leaves by `exit` and reads by `open`, which some programs have of their own; it puts its inputs behind the program, which
# may use them undeclared, and does not know all kinds of them; functions that are nowhere are inputs.
adapted() {
    local kind type own name body
    for kind in char uchar:'unsigned char' short ushort:'unsigned short' long ulong:'unsigned long' float double bool:_Bool pointer:'void *'; do
        name=__VERIFIER_nondet_${kind%%:*}
        if grep -qE "\<$name\>" "$1" && ! grep -qE "^ *[A-Za-z_][A-Za-z0-9_ ]*[ *]$name *\(" "$1"; then echo "${kind##*:} $name();"; fi
    done
    own=$(grep -Pzo '\b(exit|open)\s*\([^;{}]*\)\s*\{' "$1" | tr '\0' '\n' | grep -oE '^(exit|open)' | sort -u | paste -sd '|' || true)
    awk -v name="void +$2" '$0 ~ name && /; *$/ && seen++ { next } { print }' "$1" |
        sed -E '/extern/!s/\<(__inline__|__inline|inline)\>//g' | sed -E "s/\<(${own:-exit_})\>/own_\1/g"
    echo
    for kind in $(grep -ohE '__VERIFIER_nondet_[A-Za-z0-9_]+' "$1" | sort -u | grep -vE "_($known)\$"); do
        type=$(sed -nE "s/^ *(extern +)?([A-Za-z_][A-Za-z0-9_ ]*[ *]+)$kind *\(.*/\2/p" "$1" | head -n 1)
        # Any type: its bytes are those of the number.
        body="return *(${type:-int} *)(long long[64]) { __VERIFIER_nondet_int() };"
        echo "extern int __VERIFIER_nondet_int(); ${type:-int} $kind() { $body }"
    done
    for name in $(gcc -w -fgnu89-inline "-m${3#-}" -x c "$1" -o /dev/null 2>&1 | sed -nE "s/.*undefined reference to .([A-Za-z_0-9]+).*/\1/p" |
        sort -u | grep -vE '^(__VERIFIER_.*|reach_error)$'); do
        case "$(grep -E "^ *(extern +)?[A-Za-z_][A-Za-z0-9_ ]*[ *]$name *\(" "$1" | head -n 1 | sed "s/$name.*//")" in
            *\**) type='jmp __VERIFIER_nondet_pointer' ;;
            *void*) type=ret ;;
            *long*) type='jmp __VERIFIER_nondet_long' ;;
            *) type='jmp __VERIFIER_nondet_int' ;;
        esac
        echo "__asm__(\".text\\n.globl $name\\n$name: $type\");"
    done
}
export -f adapted

check() {
    local name=$1 at=$work/${1//\//_} input model=-64 function status
    mkdir -p "$at"
    input=$(sed -n "s/^input_files: *['\"]\{0,1\}\([^'\"]*\)['\"]\{0,1\} *$/\1/p" "$tasks/$name.yml")
    if grep -q 'data_model: *ILP32' "$tasks/$name.yml"; then model=-32; fi
    "$tandem" test "$tasks/$name.yml" --cover error-call --time-limit "$limit" --threads 2 --output "$at/out" --quiet >"$at/last" 2>/dev/null || true
    # A test that depends on memory that was never written covers nothing for sure, but it may.
    if ! ls "$at"/out/test-suite/testcase*.xml >/dev/null 2>&1; then
        echo "none $name"
        return
    fi
    function=reach_error
    if grep -q '__VERIFIER_error' "$tasks/$(dirname "$name")/$input"; then function=__VERIFIER_error; fi
    adapted "$tasks/$(dirname "$name")/$input" "$function" "$model" >"$at/program.c"
    echo "COVER( init(main()), FQL(COVER EDGES(@CALL($function))) )" >"$at/goal.prp"
    (cd "$at/out/test-suite" && zip -q "$at/suite.zip" ./*)
    if reaches "$at" program.c "$model"; then echo "confirmed $name"; else
        { cat "$at/program.c" && echo "$stale"; } >"$at/stale.c"
        if MALLOC_PERTURB_=90 reaches "$at" stale.c "$model"; then echo "stale $name"; else
            echo "open $name ($(grep -v Unmatched "$at/log" | grep -E 'error|undefined reference|Coverage' | head -n 1 | cut -c 1-120))"
        fi
    fi
    rm -rf "$at"
}
export -f check

# Whether TestCov sees the error reached by a test.
reaches() {
    # Objects on the stack may be as large as they like.
    (cd "$1" && { ulimit -s unlimited || true; } && timeout 60 "$testcov" --no-isolation --no-runexec --no-plots "$3" --goal goal.prp --test-suite suite.zip "$2") >"$1/log" 2>&1 || true
    grep -qE 'Coverage: *100|Result: *FALSE' "$1/log"
}
export -f reaches

# Memory that was never written holds anything in C, and zeros in a process that has just begun. This leaves other bytes on the stack before `main`
# begins; the allocator is asked for the same by MALLOC_PERTURB_.
export stale='__attribute__((constructor)) static void tandem_stale(void) {
  volatile unsigned char bytes[65536];
  unsigned at, seed = 1;
  for (at = 0; at < sizeof bytes; at++) { seed = seed * 1103515245u + 12345u; bytes[at] = seed >> 16; }
}'

jq -r '.tasks[] | select(.verdict == "FALSE") | .name' "$1/results.json" | grep -E "${TANDEM_ONLY:-.}" | xargs -P "${TANDEM_JOBS:-1}" -I {} bash -c 'check "$1"' _ {} >"$work/lines"
sort "$work/lines" | grep -av '^confirmed' || true
all=$(wc -l <"$work/lines")
confirmed=$(grep -ac '^confirmed' "$work/lines" || true)
stale=$(grep -ac '^stale' "$work/lines" || true)
echo "$all violations, $((confirmed + stale)) tests confirmed by TestCov, $stale of them in a process whose memory is not zero before it is written"
[ $(((confirmed + stale) * 10)) -ge $((all * 9)) ]
