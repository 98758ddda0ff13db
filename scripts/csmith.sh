#!/bin/bash
# Random programs: the interpreter against gcc -O0.
# usage: scripts/csmith.sh COUNT [LP64|ILP32] [FIRST_SEED]
# CSMITH_OPTIONS are passed on. Takes one seed after the other; programs that gcc's binary does not finish in five seconds are passed over. Prints the
# seeds where the checksums differ and a summary; the status is 1 if there were any.
set -u
count=${1:?usage: scripts/csmith.sh COUNT [LP64|ILP32] [FIRST_SEED]}
model=${2:-LP64}
seed=${3:-1}
cd "$(dirname "$0")/.."
root=$PWD
for tool in csmith gcc; do
    command -v "$tool" >/dev/null || { echo "needs $tool (Debian: csmith libcsmith-dev gcc gcc-multilib)" >&2; exit 2; }
done
include=$(dpkg -L libcsmith-dev 2>/dev/null | grep '/csmith\.h$' | head -n 1)
[ -n "$include" ] || include=$(find /usr/include /usr/local/include -name csmith.h 2>/dev/null | head -n 1)
[ -n "$include" ] || { echo "csmith.h not found (Debian: libcsmith-dev)" >&2; exit 2; }
include=$(dirname "$include")
case $model in
    LP64) flags="" ;;
    ILP32) flags="-m32" ;;
    *) echo "the data model is LP64 or ILP32, not $model" >&2; exit 2 ;;
esac
run=${TANDEM_EXEC:-}
if [ -z "$run" ]; then
    target=${CARGO_TARGET_DIR:-$root/target}
    if [ -d crates/tandem/src ] && grep -q exec crates/tandem/src/*.rs 2>/dev/null; then
        cargo build --release --quiet || exit 2
        run="$target/release/tandem exec"
    else
        cargo build --release --quiet -p tandem-cfa --example exec || exit 2
        run="$target/release/examples/exec"
    fi
fi
# shellcheck source=scripts/sandbox.sh
. "$PWD/scripts/sandbox.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
cd "$work" || exit 2
done_count=0 skipped=0 wrong=0
while [ "$done_count" -lt "$count" ]; do
    current=$seed
    seed=$((seed + 1))
    csmith ${CSMITH_OPTIONS:-} --seed "$current" >program.c 2>/dev/null || { echo "csmith fails on seed $current" >&2; exit 2; }
    gcc -E $flags -w -I"$include" program.c -o program.i || exit 2
    gcc $flags -O0 -w program.i -o program || exit 2
    if ! sandboxed 5 "$work/program" >expected || ! grep -q '^checksum' expected; then
        skipped=$((skipped + 1))
        continue
    fi
    timeout 600 $run program.i --data-model "$model" --print >actual 2>messages
    done_count=$((done_count + 1))
    if [ "$(grep '^checksum' expected)" != "$(grep '^checksum' actual)" ]; then
        wrong=$((wrong + 1))
        echo "seed $current: expected '$(grep '^checksum' expected)', got '$(grep '^checksum' actual)' ($(head -n 1 messages))"
    fi
done
echo "csmith $model: $done_count programs, $wrong mismatches, $skipped passed over, next seed $seed"
[ "$wrong" -eq 0 ]
