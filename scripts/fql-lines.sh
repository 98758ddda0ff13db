#!/bin/sh
# Line coverage, as gcov counts it on the compiled program, of suites for basic blocks.
# usage: scripts/fql-lines.sh FILE...
set -u
tandem=${TANDEM:-target/release/tandem}
# shellcheck source=scripts/sandbox.sh
. "$(dirname "$0")/sandbox.sh"
for file in "$@"; do
    work=$(mktemp -d)
    "$tandem" test "$file" --cover 'cover @BASICBLOCKENTRY' --output "$work" --time-limit 120s --quiet > "$work/out" 2> /dev/null
    # A test that is over leaves the process at once: what was counted must be written first.
    sed 's/syscall(SYS_exit_group, status);/{ extern void __gcov_dump(void); __gcov_dump(); syscall(SYS_exit_group, status); }/' \
        "$work/tests.c" > "$work/suite.c"
    name=$(basename "$file" .c)
    (
        cd "$work" || exit
        # Lines of the file itself, not those that its directives name.
        sed 's/^#line .*//' "$file" > "$name.c"
        gcc -std=gnu11 -fgnu89-inline -w --coverage -Dmain=tandem_program_main -c "$name.c" -o program.o &&
            gcc -std=gnu11 -w -c suite.c -o suite.o && gcc suite.o program.o --coverage -lm -o tests
        for number in $(sed -n 's/.*COMMAND tests \([0-9]*\).*/\1/p' CMakeLists.txt); do
            # The counts of the lines are written beside the program.
            chmod -R a+rwX "$work"
            sandboxed 10 "$work/tests" "$number" > /dev/null 2>&1
        done
        lines=$(gcov -n program.gcda 2> /dev/null | sed -n 's/Lines executed:\(.*\)/\1/p' | head -1)
        echo "| $name | $lines | $(tail -1 out | sed 's/.*goals, //') |"
    )
    rm -rf "$work"
done
