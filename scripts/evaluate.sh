#!/usr/bin/env bash
# Measures, and writes the tables of docs/evaluation.md and docs/limits.md: the parts between `<!-- generated: NAME -->` and `<!-- end -->`.
# Everything else in these files is written by hand and stays.
#
# usage: scripts/evaluate.sh DIRECTORY-OF-SETS OUTPUT [PART...]    hours; what is in OUTPUT already is not measured again
#        scripts/evaluate.sh --write OUTPUT                        only writes the tables, from the results in OUTPUT
#        scripts/evaluate.sh --sample [DIRECTORY-OF-SETS]          a minute or two, changes nothing: for continuous integration
#
# Parts: default (the default plan on all tasks), alone (each analysis on every fourth task), plans (cooperations on every fourth task),
# ranges (two analyses on two ranges, on every fourth task), tests (branches of the lock programs), testers (branches of every eighth task, by
# several testers), fql (the queries of the multi-goal paper).
# Nothing else should run on the machine meanwhile. TANDEM names another program than the release build.
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD

program() {
    if [ -z "${TANDEM:-}" ]; then
        cargo build --release --quiet
        TANDEM="${CARGO_TARGET_DIR:-target}/release/tandem"
    fi
    tandem=$(realpath "$TANDEM")
}

# Wrong verdicts are part of what is measured; everything else that goes wrong is not.
bench() {
    local name=$1
    shift
    (cd "$sets" && "$tandem" bench "$@" --output "$output/$name" --resume) || [ $? -eq 1 ]
}

analyses=(value symbolic predicate bmc k-induction interval)
plans=(cc-gia cc-wit cmc parallel)
# Names as in the paper on ranges, and the two analyses.
ranges=(RA-SE:symbolic,symbolic RA-VALUE:value,value WS-SE-PRED:symbolic,predicate WS-BMC-PRED:bmc,predicate)

measure() {
    case $1 in
        default) bench default ./*.set --time-limit 20s --threads 2 ;;
        alone)
            for analysis in "${analyses[@]}"; do
                bench "$analysis" ./*.set --every 4 --analysis "$analysis" --time-limit 10s --threads 1 --jobs 2
            done ;;
        plans)
            for plan in "${plans[@]}"; do
                bench "$plan" ./*.set --every 4 --plan "$plan" --time-limit 10s --threads 2
            done ;;
        ranges)
            for row in "${ranges[@]}"; do
                bench "${row%%:*}" ./*.set --every 4 --time-limit 10s --threads 2 -- \
                    --analysis "${row#*:}" --splitter balanced --ranges 2
            done ;;
        testers) testers && compared >"$output/testers.md" ;;
        tests) tests >"$output/tests.md.new" && mv "$output/tests.md.new" "$output/tests.md" ;;
        fql) TANDEM=$tandem scripts/fql-tables.sh "$sets/fql" all >"$output/fql.md.new" && mv "$output/fql.md.new" "$output/fql.md" ;;
        *) echo "evaluate: there is no part \`$1\`; there are default, alone, plans, ranges, tests, testers, fql" >&2; exit 2 ;;
    esac
}

# Table 2 of the paper on exchange automata: every branch of the lock programs.
tests() {
    local file last start numbers
    echo "| program | goals | covered | unreachable | open | tests | s |"
    echo "|---|---|---|---|---|---|---|"
    for file in "$sets"/locks/*.c; do
        start=$(date +%s%N)
        last=$("$tandem" test "$file" --cover branches --threads 2 --time-limit 20s --quiet 2>/dev/null | tail -n 1) || true
        read -ra numbers < <(tr -c '0-9\n' ' ' <<<"$last")
        echo "| $(basename "$file" .c) | ${numbers[3]} | ${numbers[0]} | ${numbers[1]} | ${numbers[2]} | ${numbers[4]} |" \
            "$(awk -v ns=$(($(date +%s%N) - start)) 'BEGIN { printf "%.2f", ns / 1e9 }') |"
    done
}

# Every eighth task with each tester. A fuzzer needs a while for compiling and for the replay of what it found: that is not its time.
testers() {
    local plan tasks=()
    mapfile -t tasks < <(cd "$sets" && for set in *.set; do awk 'NR % 8 == 1' "$set"; done)
    for plan in ${TESTERS:-afl:33s:1 concolic:30s:1 cotest:30s:2}; do
        IFS=: read -r plan limit threads <<<"$plan"
        mkdir -p "$output/testers/$plan"
        printf '%s\n' "${tasks[@]}" | xargs -P $((3 - threads)) -I {} sh -c '
            to=$3/$(echo "$6" | tr / _).json
            [ -s "$to" ] || { "$1" test "$2/$6" --cover branches --plan "$7" --time-limit "$4" --threads "$5" --json --quiet >"$to.new"; mv "$to.new" "$to"; }
        ' sh "$tandem" "$sets" "$output/testers/$plan" "$limit" "$threads" {} "$plan" 2>>"$output/testers/$plan.log"
    done
}

# The mean of each set: parts of the branches that are covered, by each tester, and that are proved unreachable.
compared() {
    local set name plan
    echo "| set | tasks | AFL++ | concolic alone | cooperative | proved unreachable | open |"
    echo "|---|---|---|---|---|---|---|"
    for set in "$sets"/*.set; do
        awk 'NR % 8 == 1' "$set" | while read -r name; do
            for plan in afl concolic cotest; do
                jq -c --arg plan "$plan" --arg set "$(basename "$set" .set)" '
                    {set: $set, plan: $plan, covered: (.covered / ([.goals, 1] | max)),
                     unreachable: (.unreachable / ([.goals, 1] | max)), open: (.open / ([.goals, 1] | max))}
                ' "$output/testers/$plan/$(echo "$name" | tr / _).json"
            done
        done
    done | jq -rs '
        def mean(f): if length == 0 then 0 else map(f) | add / length end;
        def percent: . * 1000 | round / 10 | tostring + " %";
        def row($name): . as $all
            | ["afl", "concolic", "cotest"] | map(. as $plan | $all | map(select(.plan == $plan))) as [$afl, $concolic, $cotest]
            | "| \($name) | \($cotest | length) | \($afl | mean(.covered) | percent) | \($concolic | mean(.covered) | percent)"
            + " | \($cotest | mean(.covered) | percent) | \($cotest | mean(.unreachable) | percent) | \($cotest | mean(.open) | percent) |";
        (group_by(.set)[] | . as $group | row($group[0].set)), row("all")'
}

# Table 1 of the paper on ranges: what each combination solves, and what neither of its members does.
ranged() {
    local row name members
    echo "| | correct | proofs | alarms | only by the combination | wrong |"
    echo "|---|---|---|---|---|---|"
    for row in value: symbolic: bmc: predicate: "${ranges[@]}"; do
        name=${row%%:*}
        if [ ! -f "$output/$name/results.json" ]; then continue; fi
        mapfile -t members < <(tr ',' '\n' <<<"${row#*:}" | sort -u | sed '/^$/d')
        jq -rn --arg name "$name" --slurpfile own "$output/$name/results.json" \
            --slurpfile others <(for one in "${members[@]}"; do cat "$output/$one/results.json"; done) '
            def right: .tasks[] | select((.verdict == "TRUE" or .verdict == "FALSE") and (.wrong | not));
            [$own[0] | right] as $mine
            | [$others[] | right | .name] as $theirs
            | (if $others == [] then "" else [$mine[] | select(.name as $one | $theirs | index($one) | not)] | length end) as $only
            | "| \($name) | \($mine | length) | \([$mine[] | select(.verdict == "TRUE")] | length)"
            + " | \([$mine[] | select(.verdict == "FALSE")] | length) | \($only) | \([$own[0].tasks[] | select(.wrong)] | length) |"'
    done
}

# Puts a text between the marks of a file.
section() {
    local file=$1 name=$2 content=$3
    if ! grep -qF "<!-- generated: $name -->" "$file"; then
        echo "evaluate: $file has no part \`$name\`" >&2
        return 1
    fi
    CONTENT=$content awk -v begin="<!-- generated: $name -->" '
        $0 == begin { print; print ENVIRON["CONTENT"]; inside = 1; next }
        inside && $0 == "<!-- end -->" { inside = 0 }
        !inside' "$file" >"$file.new"
    mv "$file.new" "$file"
}

# The directories of the runs that are there.
found() {
    local name
    for name in "$@"; do
        if [ -f "$output/$name/results.json" ]; then echo "$output/$name"; fi
    done
}

write() {
    local docs=$1 runs
    if [ -f "$output/default/results.json" ]; then
        section "$docs/evaluation.md" default "$("$tandem" bench table "$output/default")"
        section "$docs/limits.md" reasons "$("$tandem" bench reasons "$output/default")"
    fi
    mapfile -t runs < <(found "${analyses[@]}")
    if [ ${#runs[@]} -gt 1 ]; then section "$docs/evaluation.md" alone "$("$tandem" bench table "${runs[@]}")"; fi
    mapfile -t runs < <(found "${plans[@]}")
    if [ ${#runs[@]} -gt 1 ]; then section "$docs/evaluation.md" plans "$("$tandem" bench table "${runs[@]}")"; fi
    mapfile -t runs < <(found "${ranges[@]%%:*}")
    if [ ${#runs[@]} -gt 0 ]; then section "$docs/evaluation.md" ranges "$(ranged)"; fi
    for part in tests testers fql; do
        if [ -f "$output/$part.md" ]; then section "$docs/evaluation.md" "$part" "$(cat "$output/$part.md")"; fi
    done
}

# A few tasks through everything, and the tables into a copy: it must work, and no verdict may be wrong.
sample() {
    sets=$(realpath -m "${1:-${TANDEM_BENCHMARKS:-../shared/benchmarks}}")
    output=$(mktemp -d)
    trap 'rm -rf "$output"' EXIT
    local tasks=("$sets"/*.set)
    local every=(--every 60)
    if [ ! -f "${tasks[0]}" ]; then
        echo "evaluate: there are no task sets in $sets: the sample is the examples"
        tasks=("$here"/examples/*.yml)
        every=()
    fi
    # Everything but the default plan works on a few sets only: this is about whether it works.
    local few=("${tasks[@]}")
    if [ ${#few[@]} -gt 3 ]; then few=("${few[@]: -3}"); fi
    local common=("${every[@]}" --time-limit 4s --threads 1 --jobs 2 --quiet)
    "$tandem" bench "${tasks[@]}" "${common[@]}" --output "$output/default"
    "$tandem" bench "${tasks[@]}" "${common[@]}" --output "$output/default" --resume >/dev/null
    for analysis in value bmc; do
        "$tandem" bench "${few[@]}" "${common[@]}" --analysis "$analysis" --output "$output/$analysis" >/dev/null
    done
    for plan in cc-gia cmc; do
        "$tandem" bench "${few[@]}" "${common[@]}" --plan "$plan" --output "$output/$plan" >/dev/null
    done
    "$tandem" bench "${few[@]}" "${common[@]}" --output "$output/RA-VALUE" -- --analysis value,value --splitter balanced --ranges 2 >/dev/null
    "$tandem" bench compare "$output/value" "$output/bmc" --output "$output/compare" >/dev/null
    mkdir "$output/docs"
    cp docs/evaluation.md docs/limits.md "$output/docs"
    write "$output/docs"
    for plan in cc-gia cmc; do grep -q "| set | tasks |.* $plan " "$output/docs/evaluation.md"; done
    grep -q "^| RA-VALUE | [0-9]" "$output/docs/evaluation.md"
    echo "evaluate: the sample is fine"
}

case ${1:-} in
    --sample)
        program
        sample "${2:-}" ;;
    --write)
        program
        output=$(realpath "$2")
        write docs ;;
    "" | -*)
        sed -n '5,7s/^# *//p' "$0" >&2
        exit 2 ;;
    *)
        program
        sets=$(realpath "$1")
        mkdir -p "$2"
        output=$(realpath "$2")
        shift 2
        if [ $# -eq 0 ]; then set -- default alone plans ranges tests testers fql; fi
        for part in "$@"; do
            measure "$part"
            write docs
        done ;;
esac
