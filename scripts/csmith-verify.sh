#!/bin/bash
# Random programs without inputs: an analysis must prove that the checksum is the one that gcc's binary prints, and must find
# the error when another one is asked for.
# usage: scripts/csmith-verify.sh COUNT [LP64|ILP32] [FIRST_SEED] [ANALYSIS] [TIME]
# CSMITH_OPTIONS are passed on; TANDEM is the program to use (default: a release build). Programs that gcc's binary does not finish in five
# seconds are passed over. Prints the seeds with a wrong verdict, counts UNKNOWN by its reason; the status is 1 if a verdict was wrong.
set -u
count=${1:?usage: scripts/csmith-verify.sh COUNT [LP64|ILP32] [FIRST_SEED] [ANALYSIS] [TIME]}
model=${2:-LP64}
seed=${3:-1}
analysis=${4:-value}
limit=${5:-20s}
cd "$(dirname "$0")/.."
for tool in csmith gcc; do
    command -v "$tool" >/dev/null || { echo "needs $tool (Debian: csmith libcsmith-dev gcc gcc-multilib)" >&2; exit 2; }
done
include=$(find /usr/include /usr/local/include -name csmith.h 2>/dev/null | head -n 1)
[ -n "$include" ] || { echo "csmith.h not found (Debian: libcsmith-dev)" >&2; exit 2; }
include=$(dirname "$include")
case $model in
    LP64) flags="" ;;
    ILP32) flags="-m32" ;;
    *) echo "the data model is LP64 or ILP32, not $model" >&2; exit 2 ;;
esac
if [ -z "${TANDEM:-}" ]; then
    cargo build --release --quiet || exit 2
    TANDEM=${CARGO_TARGET_DIR:-$PWD/target}/release/tandem
fi
# shellcheck source=scripts/sandbox.sh
. "$PWD/scripts/sandbox.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work" || exit 2

# The verdict of the program with the checksum compared to $1.
verdict() {
    sed "s/platform_main_end(crc32_context ^ 0xFFFFFFFFUL, print_hash_value);/if ((crc32_context ^ 0xFFFFFFFFUL) != 0x$1UL) reach_error();/" \
        program.i >checked.c
    echo 'extern void reach_error(void);' | cat - checked.c >task.c
    grep -q 'reach_error();' task.c || { echo "no checksum in seed $current" >&2; exit 2; }
    "$TANDEM" verify task.c --property unreach-call --data-model "$model" --analysis "$analysis" --time-limit "$limit" \
        2>messages | tail -n 1 | sed 's/^Verdict: //'
}

done_count=0 wrong=0 decided=0
: >reasons
while [ "$done_count" -lt "$count" ]; do
    current=$seed
    seed=$((seed + 1))
    csmith ${CSMITH_OPTIONS:-} --seed "$current" >program.c 2>/dev/null || { echo "csmith fails on seed $current" >&2; exit 2; }
    gcc -E -P $flags -w -I"$include" program.c -o program.i || exit 2
    gcc $flags -O0 -w program.i -o program || exit 2
    sandboxed 5 "$work/program" >expected || continue
    checksum=$(sed -n 's/^checksum = \([0-9A-Fa-f]*\)$/\1/p' expected)
    [ -n "$checksum" ] || continue
    done_count=$((done_count + 1))
    holds=$(verdict "$checksum")
    case $holds in
        TRUE) decided=$((decided + 1)) ;;
        UNKNOWN*) echo "$holds" >>reasons ;;
        *) wrong=$((wrong + 1)); echo "seed $current: $holds although the checksum is $checksum" ;;
    esac
    other=$(printf %X $(( (0x$checksum + 1) & 0xFFFFFFFF )))
    fails=$(verdict "$other")
    case $fails in
        FALSE) decided=$((decided + 1)) ;;
        UNKNOWN*) echo "$fails" >>reasons ;;
        *) wrong=$((wrong + 1)); echo "seed $current: $fails although the checksum is not $other" ;;
    esac
done
sort reasons | uniq -c | sort -rn
echo "csmith $analysis $model: $done_count programs, $decided verdicts, $wrong wrong, next seed $seed"
[ "$wrong" -eq 0 ]
