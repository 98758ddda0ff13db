#!/bin/bash
# Programs with the verdicts that are allowed: DIR/expected.tsv has a line for each program, its file name and, behind a tab, the allowed
# verdicts with spaces between them. Runs `verify` on each, prints those whose verdict is none of the allowed ones, and a summary.
# usage: scripts/honest-cases.sh DIR [OPTIONS OF verify]
# TANDEM is the program to use (default: a release build), LIMIT the time for each program (default: 20s). A line that begins with `file` and a
# tab is the heading. The status is 1 if a verdict was not allowed, and 2 if the list cannot be read.
set -u
directory=${1:?usage: scripts/honest-cases.sh DIR [OPTIONS OF verify]}
shift
list=$directory/expected.tsv
[ -r "$list" ] || { echo "$list cannot be read" >&2; exit 2; }
if [ -z "${TANDEM:-}" ]; then
    (cd "$(dirname "$0")/.." && cargo build --release --quiet) || exit 2
    TANDEM=${CARGO_TARGET_DIR:-$(cd "$(dirname "$0")/.." && pwd)/target}/release/tandem
fi
[ -x "$(command -v "$TANDEM")" ] || { echo "$TANDEM is no program" >&2; exit 2; }

met=0
total=0
while IFS=$'\t' read -r file allowed _ || [ -n "${file:-}" ]; do
    case $file in
        '' | '#'* | file) continue ;;
    esac
    total=$((total + 1))
    if [ ! -r "$directory/$file" ]; then
        printf '%s: not there\n' "$file"
        continue
    fi
    # Without a last line with a verdict, the program has failed, which is never allowed.
    said=$("$TANDEM" verify --property unreach-call --time-limit "${LIMIT:-20s}" "$@" "$directory/$file" 2>/dev/null </dev/null | tail -n 1)
    case $said in
        'Verdict: '*) verdict=${said#Verdict: } ;;
        *) verdict='no verdict' ;;
    esac
    case " $allowed " in
        *" ${verdict%% *} "*) met=$((met + 1)) ;;
        *) printf '%s: %s, allowed: %s\n' "$file" "$verdict" "$allowed" ;;
    esac
done <"$list"
echo "$met of $total met"
[ "$total" -gt 0 ] && [ "$met" -eq "$total" ]
